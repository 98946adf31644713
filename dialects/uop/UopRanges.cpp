//===- UopRanges.cpp - Ranges of integers of the uop dialect --------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations give upstream's integer range analysis the ranges of their
// elements, by the rules of the crate spyre-uop. A range covers all elements of
// a tensor. Floats have none here.
//
//===----------------------------------------------------------------------===//

#include "uop/RangeRules.h"
#include "uop/Uop.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace spyre::uop;

/// The element type of a tensor.
static SpyreUopType typeOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  if (type.isIndex())
    return {'x', 64};
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return {'b', 1};
    uint8_t kind = integer.isUnsigned() ? 'u' : 'i';
    return {kind, integer.getWidth()};
  }
  uint8_t kind = type.isBF16() ? 'g' : 'f';
  return {kind, type.getIntOrFloatBitWidth()};
}

static bool isFloat(SpyreUopType type) {
  return type.kind == 'f' || type.kind == 'g';
}

static bool isSigned(SpyreUopType type) {
  return type.kind == 'i' || type.kind == 'x';
}

/// Returns the range of an operand, in the sign of its type. None where the
/// analysis has not reached it yet.
static std::optional<SpyreUopRange> rangeOf(Value value,
                                            const IntegerValueRange &range) {
  SpyreUopType type = typeOf(value);
  if (isFloat(type))
    return SpyreUopRange{false, 0, 0};
  if (range.isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &own = range.getValue();
  if (isSigned(type))
    return SpyreUopRange{true, uint64_t(own.smin().getSExtValue()),
                         uint64_t(own.smax().getSExtValue())};
  return SpyreUopRange{true, own.umin().getZExtValue(),
                       own.umax().getZExtValue()};
}

/// Sets the range of a result in the analysis.
static void setRange(Value result, SpyreUopRange range, SetIntLatticeFn set) {
  SpyreUopType type = typeOf(result);
  if (isFloat(type))
    return;
  unsigned width = type.bits;
  bool isEmpty = isSigned(type) ? int64_t(range.low) > int64_t(range.high)
                                : range.low > range.high;
  if (!range.known || isEmpty)
    return set(result, ConstantIntRanges::maxRange(width));
  auto bound = [&](uint64_t value) {
    return APInt(width, value, isSigned(type));
  };
  APInt low = bound(range.low), high = bound(range.high);
  set(result, isSigned(type) ? ConstantIntRanges::fromSigned(low, high)
                             : ConstantIntRanges::fromUnsigned(low, high));
}

static void setSigned(Value result, int64_t low, int64_t high,
                      SetIntLatticeFn set) {
  setRange(result, {true, uint64_t(low), uint64_t(high)}, set);
}

/// The result has the range of the first operand.
static void pass(Operation *op, ArrayRef<IntegerValueRange> ranges,
                 SetIntLatticeFn set) {
  if (!ranges[0].isUninitialized())
    set(op->getResult(0), ranges[0]);
}

static void elementwise(Operation *op, ArrayRef<IntegerValueRange> ranges,
                        SetIntLatticeFn set) {
  SmallVector<SpyreUopRange, 3> operands;
  for (auto [operand, range] : llvm::zip_equal(op->getOperands(), ranges)) {
    std::optional<SpyreUopRange> own = rangeOf(operand, range);
    if (!own)
      return;
    operands.push_back(*own);
  }
  StringRef name = op->getName().stripDialect();
  Value last = op->getOperand(op->getNumOperands() - 1);
  setRange(op->getResult(0),
           spyreUopElementwiseRange(name.data(), name.size(), typeOf(last),
                                    typeOf(op->getResult(0)), operands.data(),
                                    operands.size()),
           set);
}

#define PASS(Op)                                                               \
  void Op::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,   \
                                         SetIntLatticeFn set) {                \
    pass(*this, ranges, set);                                                  \
  }
PASS(PermuteOp)
PASS(FlipOp)
PASS(ReshapeOp)
PASS(ExpandOp)
PASS(ShrinkOp)
PASS(IndexOp)
PASS(ContiguousOp)
PASS(ContiguousBackwardOp)
PASS(DetachOp)
PASS(CopyOp)
PASS(ReplicatedOp)
#undef PASS

#define ELEMENTWISE(Op)                                                        \
  void Op::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,   \
                                         SetIntLatticeFn set) {                \
    elementwise(*this, ranges, set);                                           \
  }
ELEMENTWISE(NegOp)
ELEMENTWISE(NotOp)
ELEMENTWISE(AddOp)
ELEMENTWISE(MulOp)
ELEMENTWISE(MaxOp)
ELEMENTWISE(IdivOp)
ELEMENTWISE(ModOp)
ELEMENTWISE(CDivOp)
ELEMENTWISE(CModOp)
ELEMENTWISE(SubOp)
ELEMENTWISE(XorOp)
ELEMENTWISE(OrOp)
ELEMENTWISE(AndOp)
ELEMENTWISE(ShlOp)
ELEMENTWISE(ShrOp)
ELEMENTWISE(CmpLtOp)
ELEMENTWISE(CmpNeOp)
ELEMENTWISE(CmpEqOp)
ELEMENTWISE(CmpGtOp)
ELEMENTWISE(CmpGeOp)
ELEMENTWISE(CmpLeOp)
ELEMENTWISE(WhereOp)
ELEMENTWISE(MulaccOp)
#undef ELEMENTWISE

void StackOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,
                                            SetIntLatticeFn set) {
  IntegerValueRange all;
  for (const IntegerValueRange &range : ranges) {
    if (range.isUninitialized())
      return;
    all = IntegerValueRange::join(all, range);
  }
  set(getResult(), all);
}

void LoadOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,
                                           SetIntLatticeFn set) {
  // The first operand is the buffer, the last one the alternative. A gate
  // between them is no element.
  const IntegerValueRange &own = ranges.front(), &other = ranges.back();
  if (!own.isUninitialized() && !other.isUninitialized())
    set(getResult(), IntegerValueRange::join(own, other));
}

void PadOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,
                                          SetIntLatticeFn set) {
  if (ranges[0].isUninitialized())
    return;
  IntegerValueRange own = ranges[0];
  if (getType() != getSource().getType()) {
    APInt zero(ranges[0].getValue().umin().getBitWidth(), 0);
    own = IntegerValueRange::join(
        own, IntegerValueRange(ConstantIntRanges::constant(zero)));
  }
  set(getResult(), own);
}

void ConstOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>,
                                            SetIntLatticeFn set) {
  auto elements = dyn_cast<DenseIntElementsAttr>(getValue());
  if (!elements || elements.empty())
    return setRange(getResult(), {false, 0, 0}, set);
  ConstantIntRanges all = ConstantIntRanges::constant(*elements.begin());
  for (const APInt &element : elements)
    all = all.rangeUnion(ConstantIntRanges::constant(element));
  set(getResult(), all);
}

void VariableOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>,
                                               SetIntLatticeFn set) {
  std::optional<int64_t> min = getMin(), max = getMax();
  if (!min || !max)
    return setRange(getResult(), {false, 0, 0}, set);
  setSigned(getResult(), *min, *max, set);
}

void RangeOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>,
                                            SetIntLatticeFn set) {
  int64_t bound = getBound();
  if (bound == 0)
    return setRange(getResult(), {false, 0, 0}, set);
  // Upstream's passes would replace a value of a single-element range by a
  // constant, and then no operation would end the loop.
  setSigned(getResult(), 0, std::max<int64_t>(bound - 1, 1), set);
}

void CastOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,
                                           SetIntLatticeFn set) {
  std::optional<SpyreUopRange> own = rangeOf(getOperand(), ranges[0]);
  if (!own || isFloat(typeOf(getResult())))
    return;
  setRange(getResult(),
           spyreUopCastRange(typeOf(getOperand()), typeOf(getResult()), *own),
           set);
}

void ReduceOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange> ranges,
                                             SetIntLatticeFn set) {
  std::optional<SpyreUopRange> own = rangeOf(getSource(), ranges[0]);
  if (!own || isFloat(typeOf(getResult())))
    return;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getSource().getType()).getShape();
  SmallVector<uint64_t> extents;
  for (int64_t axis : getAxes())
    extents.push_back(shape[axis]);
  for (Value range : getRanges()) {
    auto loop = range.getDefiningOp<RangeOp>();
    extents.push_back(loop ? loop.getBound() : UINT64_MAX);
  }
  uint64_t count = 1;
  for (uint64_t extent : extents)
    count = llvm::SaturatingMultiply(count, extent);
  setRange(getResult(),
           spyreUopReduceRange(uint32_t(getKind()), typeOf(getResult()), count,
                               *own),
           set);
}
