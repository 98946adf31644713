//===- UopFolds.cpp - Folding of the uop dialect --------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds to simpler values with exactly the same elements. Floats are not added,
// multiplied or converted here, and no order of additions changes. A float that
// is reduced alone stays reduced: 0 + -0.0 is 0, and a maximum skips NaN.
//
//===----------------------------------------------------------------------===//

#include "uop/Uop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace spyre::uop;

/// A splat with the element of another.
static OpFoldResult splatOf(Attribute constant, Type type) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat)
    return {};
  return splat.resizeSplat(cast<ShapedType>(type));
}

/// The one element of a constant that is an integer or a truth value.
static std::optional<APInt> integerOf(Attribute constant) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat || isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APInt>();
}

static OpFoldResult integer(const APInt &value, Type type) {
  return DenseElementsAttr::get(cast<ShapedType>(type), value);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

OpFoldResult ConstOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPerm()))
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

OpFoldResult FlipOp::fold(FoldAdaptor adaptor) {
  for (auto [flag, extent] :
       llvm::zip_equal(getFlags(), getType().getShape()))
    if (flag && extent > 1)
      return splatOf(adaptor.getSource(), getType());
  return getSource();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto elements =
          dyn_cast_if_present<DenseElementsAttr>(adaptor.getSource()))
    return elements.reshape(getType());
  return {};
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

/// Whether all elements of a constant are the zero that padding has. That of
/// floats has no sign.
static bool isZero(Attribute constant) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(constant);
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().isPosZero();
  return splat.getSplatValue<APInt>().isZero();
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (isZero(adaptor.getSource()))
    return splatOf(adaptor.getSource(), getType());
  return {};
}

OpFoldResult IndexOp::fold(FoldAdaptor adaptor) {
  if (getPositions().empty())
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

OpFoldResult StackOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_equal(adaptor.getSources()))
    return splatOf(adaptor.getSources().front(), getType());
  return {};
}

OpFoldResult ShrinkOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return splatOf(adaptor.getSource(), getType());
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  if (!getRanges().empty())
    return {};
  RankedTensorType source = getSource().getType();
  bool isFloat = isa<FloatType>(source.getElementType());
  if (source == getType() && (!isFloat || getKind() == ReduceKind::Mul))
    return getSource();
  std::optional<APInt> value = integerOf(adaptor.getSource());
  int64_t count = 1;
  for (int64_t axis : getAxes())
    count *= source.getDimSize(axis);
  if (!value || count == 0)
    return {};
  bool isTruth = source.getElementType().isInteger(1);
  if (isTruth || getKind() == ReduceKind::Max)
    return integer(*value, getType());
  if (getKind() == ReduceKind::Add) {
    APInt times(64, count);
    return integer(*value * times.zextOrTrunc(value->getBitWidth()),
                   getType());
  }
  APInt power(value->getBitWidth(), 1), square = *value;
  for (; count > 0; count >>= 1, square *= square)
    if (count & 1)
      power *= square;
  return integer(power, getType());
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  if (std::optional<APInt> value = integerOf(adaptor.getOperand()))
    return integer(~*value, getType());
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> rhs = integerOf(adaptor.getRhs());
  if (!rhs)
    return {};
  if (rhs->isZero())
    return getLhs();
  std::optional<APInt> lhs = integerOf(adaptor.getLhs());
  if (!lhs)
    return {};
  bool isTruth = getType().getElementType().isInteger(1);
  return integer(isTruth ? *lhs | *rhs : *lhs + *rhs, getType());
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  std::optional<APInt> rhs = integerOf(adaptor.getRhs());
  if (!rhs)
    return {};
  if (rhs->isOne())
    return getLhs();
  if (rhs->isZero())
    return adaptor.getRhs();
  std::optional<APInt> lhs = integerOf(adaptor.getLhs());
  if (!lhs)
    return {};
  return integer(*lhs * *rhs, getType());
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  if (std::optional<APInt> predicate = integerOf(adaptor.getPredicate()))
    return predicate->isZero() ? getOnFalse() : getOnTrue();
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}

//===----------------------------------------------------------------------===//
// Canonicalization: movements of movements
//===----------------------------------------------------------------------===//

/// Merges two operations of a kind into one, if `join` returns the arguments.
template <typename OpTy, typename Join>
static LogicalResult joined(OpTy op, PatternRewriter &rewriter, Join join) {
  auto inner = op.getSource().template getDefiningOp<OpTy>();
  if (!inner)
    return failure();
  join(inner);
  return success();
}

LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  return joined(op, rewriter, [&](PermuteOp inner) {
    auto axes = llvm::map_range(op.getPerm(), [&](int64_t axis) {
      return inner.getPerm()[axis];
    });
    SmallVector<int64_t> perm(axes);
    rewriter.replaceOpWithNewOp<PermuteOp>(op, inner.getSource(), perm);
  });
}

LogicalResult FlipOp::canonicalize(FlipOp op, PatternRewriter &rewriter) {
  return joined(op, rewriter, [&](FlipOp inner) {
    SmallVector<bool> flags;
    for (auto [outer, own] : llvm::zip_equal(op.getFlags(), inner.getFlags()))
      flags.push_back(outer != own);
    rewriter.replaceOpWithNewOp<FlipOp>(op, inner.getSource(), flags);
  });
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  return joined(op, rewriter, [&](ReshapeOp inner) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, inner.getSource(),
                                           op.getShape());
  });
}

LogicalResult ExpandOp::canonicalize(ExpandOp op, PatternRewriter &rewriter) {
  return joined(op, rewriter, [&](ExpandOp inner) {
    rewriter.replaceOpWithNewOp<ExpandOp>(op, inner.getSource(),
                                          op.getShape());
  });
}

/// Shrinks of shrinks, and of paddings that are not read.
LogicalResult ShrinkOp::canonicalize(ShrinkOp op, PatternRewriter &rewriter) {
  if (auto pad = op.getSource().getDefiningOp<PadOp>()) {
    SmallVector<int64_t> offset;
    for (auto [at, size, low, extent] :
         llvm::zip_equal(op.getOffset(), op.getShape(), pad.getOffset(),
                         pad.getSource().getType().getShape())) {
      if (at < low || at + size > low + extent)
        return failure();
      offset.push_back(at - low);
    }
    rewriter.replaceOpWithNewOp<ShrinkOp>(op, pad.getSource(), offset,
                                          op.getShape());
    return success();
  }
  return joined(op, rewriter, [&](ShrinkOp inner) {
    SmallVector<int64_t> offset;
    for (auto [outer, own] :
         llvm::zip_equal(op.getOffset(), inner.getOffset()))
      offset.push_back(outer + own);
    rewriter.replaceOpWithNewOp<ShrinkOp>(op, inner.getSource(), offset,
                                          op.getShape());
  });
}

/// Folds reductions of no elements to their identity, and drops axes of one
/// element where that is exact.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  if (!op.getRanges().empty())
    return failure();
  RankedTensorType source = op.getSource().getType();
  Type element = source.getElementType();
  if (source.getNumElements() == 0 && op.getType().getNumElements() > 0 &&
      op.getKind() != ReduceKind::Max) {
    bool isOne = op.getKind() == ReduceKind::Mul;
    Attribute value =
        isOne ? rewriter.getOneAttr(element) : rewriter.getZeroAttr(element);
    if (!value)
      return failure();
    auto elements = DenseElementsAttr::get(op.getType(), value);
    rewriter.replaceOpWithNewOp<ConstOp>(op, op.getType(), elements);
    return success();
  }
  if (isa<FloatType>(element) && op.getKind() != ReduceKind::Mul)
    return failure();
  SmallVector<int64_t> axes(llvm::make_filter_range(
      op.getAxes(), [&](int64_t axis) { return source.getDimSize(axis) != 1; }));
  if (axes.size() == op.getAxes().size() || axes.empty())
    return failure();
  rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getKind(), op.getSource(), axes,
                                        ValueRange());
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization: markers
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult unmarked(OpTy op, PatternRewriter &rewriter) {
  rewriter.replaceOp(op, op.getOperand());
  return success();
}

LogicalResult ContiguousOp::canonicalize(ContiguousOp op,
                                         PatternRewriter &rewriter) {
  return unmarked(op, rewriter);
}

LogicalResult
ContiguousBackwardOp::canonicalize(ContiguousBackwardOp op,
                                   PatternRewriter &rewriter) {
  return unmarked(op, rewriter);
}

LogicalResult DetachOp::canonicalize(DetachOp op, PatternRewriter &rewriter) {
  return unmarked(op, rewriter);
}
