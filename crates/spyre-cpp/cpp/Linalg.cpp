//===- Linalg.cpp - named operations of linalg as generic ones --*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `linalg-generalize-named-ops` drops discardable attributes, and does not decompose operations
// like softmax into structured operations. This uses the same functions and keeps the attributes.
//
// Upstream has patterns, and no pass, that move reshapes of selected dimensions through structured
// operations.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Bufferization, bufferization,
                                      bufferization::BufferizationDialect)

namespace {
/// Sets the attributes of a replaced operation on the structured operations that replace it.
struct Keep : RewriterBase::Listener {
  explicit Keep(SmallVector<NamedAttribute> attributes)
      : attributes(std::move(attributes)) {}

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    // The fill of an initial value has no loops to tile.
    if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))
      for (NamedAttribute attribute : attributes)
        op->setDiscardableAttr(attribute.getName(), attribute.getValue());
    made.push_back(op);
  }

  SmallVector<NamedAttribute> attributes;
  SmallVector<Operation *> made;
};
} // namespace

/// Makes the maximum of softmax propagate NaN. Upstream uses `maxnum`, which takes more operations
/// on a device without it. The result is the same: a row with NaN becomes NaN.
static void propagateNaN(IRRewriter &rewriter, ArrayRef<Operation *> made) {
  for (Operation *op : made) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    for (auto max : llvm::make_early_inc_range(
             generic.getBody()->getOps<arith::MaxNumFOp>())) {
      auto start = generic.getDpsInits().front().getDefiningOp<linalg::FillOp>();
      rewriter.setInsertionPoint(start);
      auto type = cast<FloatType>(max.getType());
      Value lowest = arith::ConstantOp::create(
          rewriter, start.getLoc(),
          rewriter.getFloatAttr(
              type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true)));
      start.getInputsMutable().assign(lowest);
      rewriter.setInsertionPoint(max);
      rewriter.replaceOpWithNewOp<arith::MaximumFOp>(max, max.getLhs(),
                                                     max.getRhs());
    }
  }
}

/// Returns the attributes that a replacement of `op` gets. The names of dimensions belong to the
/// result of `op` alone.
static SmallVector<NamedAttribute> kept(Operation *op, bool isOneOfSeveral) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!isOneOfSeveral || attribute.getName() != "spyre.dims")
      attributes.push_back(attribute);
  return attributes;
}

/// Decomposes an operation into several structured operations, if upstream can.
static void decompose(IRRewriter &rewriter, linalg::AggregatedOpInterface op) {
  Keep keep(kept(op, /*isOneOfSeveral=*/true));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.setListener(&keep);
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
  rewriter.setListener(nullptr);
  if (failed(results))
    return;
  if (isa<linalg::SoftmaxOp>(op.getOperation()))
    propagateNaN(rewriter, keep.made);
  if (Attribute dims = op->getDiscardableAttr("spyre.dims"))
    if (Operation *last = results->front().getDefiningOp())
      last->setDiscardableAttr("spyre.dims", dims);
  rewriter.replaceOp(op, *results);
}

void spyreGeneralizeNamedOps(MlirOperation raw) {
  Operation *root = unwrap(raw);
  IRRewriter rewriter(root->getContext());
  SmallVector<linalg::AggregatedOpInterface> aggregated;
  root->walk(
      [&](linalg::AggregatedOpInterface op) { aggregated.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregated)
    decompose(rewriter, op);
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    SmallVector<NamedAttribute> attributes = kept(op, false);
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    // An operation without a generic form is kept.
    if (failed(generic))
      continue;
    for (NamedAttribute attribute : attributes)
      (*generic)->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
}

/// Returns whether a reshape merges a dimension of one of these extents with
/// others, or splits it off.
static bool mergesOneOf(Operation *reshape, ArrayRef<int64_t> wanted) {
  auto merges = [&](ArrayRef<int64_t> shape,
                    ArrayRef<ReassociationIndices> groups) {
    return llvm::any_of(groups, [&](ArrayRef<int64_t> group) {
      auto isLong = [&](int64_t dim) { return shape[dim] != 1; };
      auto isWanted = [&](int64_t dim) {
        return llvm::is_contained(wanted, shape[dim]);
      };
      return llvm::count_if(group, isLong) > 1 &&
             llvm::any_of(group, isWanted);
    });
  };
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(reshape))
    return merges(collapse.getSrcType().getShape(),
                  collapse.getReassociationIndices());
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(reshape))
    return merges(expand.getResultType().getShape(),
                  expand.getReassociationIndices());
  return false;
}

/// Lets a generic operation read each part of a merged dimension: an operand with a coordinate `i *
/// n + j`, with the loop `j` over `n` positions, is expanded and read at `i` and `j`.
static void readApart(IRRewriter &rewriter, linalg::GenericOp generic) {
  SmallVector<int64_t, 4> ranges = generic.getStaticLoopRanges();
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  bool isChanged = false;
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type)
      continue;
    AffineMap &map = maps[operand->getOperandNumber()];
    SmallVector<AffineExpr> coordinates;
    SmallVector<int64_t> shape;
    SmallVector<ReassociationIndices> groups;
    for (auto [extent, at] : llvm::zip(type.getShape(), map.getResults())) {
      ReassociationIndices &group = groups.emplace_back();
      auto append = [&](AffineExpr coordinate, int64_t size) {
        group.push_back(shape.size());
        coordinates.push_back(coordinate);
        shape.push_back(size);
      };
      AffineExpr outer, inner;
      int64_t step = 0;
      if (auto sum = dyn_cast<AffineBinaryOpExpr>(at);
          sum && sum.getKind() == AffineExprKind::Add) {
        auto split = [&](AffineExpr product, AffineExpr rest) {
          auto scaled = dyn_cast<AffineBinaryOpExpr>(product);
          if (!scaled || scaled.getKind() != AffineExprKind::Mul ||
              !isa<AffineDimExpr>(scaled.getLHS()) || !isa<AffineDimExpr>(rest))
            return;
          if (auto constant = dyn_cast<AffineConstantExpr>(scaled.getRHS())) {
            outer = scaled.getLHS();
            inner = rest;
            step = constant.getValue();
          }
        };
        split(sum.getLHS(), sum.getRHS());
        if (!outer)
          split(sum.getRHS(), sum.getLHS());
      }
      auto range = [&](AffineExpr loop) {
        return ranges[cast<AffineDimExpr>(loop).getPosition()];
      };
      if (outer && range(inner) == step && range(outer) * step == extent) {
        append(outer, range(outer));
        append(inner, step);
        isChanged = true;
      } else {
        append(at, extent);
      }
    }
    if (coordinates.size() == map.getNumResults())
      continue;
    rewriter.setInsertionPoint(generic);
    Value apart = tensor::ExpandShapeOp::create(
        rewriter, generic.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), operand->get(),
        groups);
    operand->set(apart);
    map = AffineMap::get(map.getNumDims(), 0, coordinates,
                         generic.getContext());
  }
  if (isChanged)
    generic.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
}

namespace {
/// Moves a slice of unmerged dimensions before the merge. Upstream's pattern also moves slices that
/// cut a merged dimension.
struct SliceApart : OpRewritePattern<tensor::ExtractSliceOp> {
  SliceApart(MLIRContext *context, ArrayRef<int64_t> wanted)
      : OpRewritePattern(context), wanted(wanted) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto merge = op.getSource().getDefiningOp<tensor::CollapseShapeOp>();
    bool isStatic = op.getOffsets().empty() && op.getSizes().empty() &&
                    op.getStrides().empty();
    if (!mergesOneOf(merge, wanted) || !isStatic ||
        op.getSourceType().getRank() != op.getType().getRank())
      return failure();
    RankedTensorType whole = merge.getSrcType();
    SmallVector<OpFoldResult> offsets, sizes, strides;
    SmallVector<int64_t> shape;
    for (auto [dim, group] : llvm::enumerate(merge.getReassociationIndices())) {
      int64_t offset = op.getStaticOffset(dim), size = op.getStaticSize(dim),
              stride = op.getStaticStride(dim);
      bool isAll = offset == 0 && stride == 1 &&
                   size == op.getSourceType().getDimSize(dim);
      if (group.size() != 1 && !isAll)
        return failure();
      for (int64_t part : group) {
        int64_t own = group.size() == 1 ? size : whole.getDimSize(part);
        offsets.push_back(rewriter.getIndexAttr(group.size() == 1 ? offset : 0));
        sizes.push_back(rewriter.getIndexAttr(own));
        strides.push_back(rewriter.getIndexAttr(stride));
        shape.push_back(own);
      }
    }
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(shape, whole.getElementType()), merge.getSrc(),
        offsets, sizes, strides);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getType(), slice, merge.getReassociationIndices());
    return success();
  }

  SmallVector<int64_t> wanted;
};
} // namespace

int64_t spyreStructuredOpIterations(MlirOperation raw) {
  auto op = dyn_cast<linalg::LinalgOp>(unwrap(raw));
  if (!op)
    return 0;
  int64_t iterations = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(iterations, extent, iterations))
      return -1;
  return iterations;
}

bool spyreUnmergeExtents(MlirOperation raw, intptr_t count,
                         const int64_t *extents) {
  Operation *root = unwrap(raw);
  SmallVector<int64_t> wanted(extents, extents + count);
  WalkResult merged = root->walk([&](Operation *op) {
    return mergesOneOf(op, wanted) ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  if (!merged.wasInterrupted())
    return true;
  // A hint speaks of the loops that there are.
  auto hasHint = [](Operation *op) {
    return op && op->hasAttr("spyre.tile");
  };
  linalg::ControlFusionFn control = [&](OpOperand *fused) {
    Operation *maker = fused->get().getDefiningOp();
    Operation *owner = fused->getOwner();
    if (isa<tensor::ExpandShapeOp>(owner))
      return mergesOneOf(owner, wanted) && !hasHint(maker);
    return mergesOneOf(maker, wanted) && !hasHint(owner);
  };
  IRRewriter rewriter(root->getContext());
  root->walk([&](linalg::GenericOp op) {
    if (!hasHint(op))
      readApart(rewriter, op);
  });
  RewritePatternSet patterns(root->getContext());
  patterns.add<SliceApart>(root->getContext(), wanted);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, control);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       root->getContext());
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     root->getContext());
  linalg::FillOp::getCanonicalizationPatterns(patterns, root->getContext());
  // Constants keep their places and locations.
  GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  if (failed(applyPatternsGreedily(root, std::move(patterns), config)))
    return false;
  root->walk([&](Operation *op) {
    if (mergesOneOf(op, wanted) && op->use_empty())
      rewriter.eraseOp(op);
  });
  return true;
}
