//===- SpyreRanges.cpp - Ranges of integers -------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations give upstream's integer range analysis the ranges of their
// elements. A range covers all elements of a tensor.
//
//===----------------------------------------------------------------------===//

#include "spyre/CAPI.h"
#include "spyre/Spyre.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace spyre;

//===----------------------------------------------------------------------===//
// InferIntRangeInterface
//===----------------------------------------------------------------------===//

/// Returns the value of all elements, if a fill defines the tensor.
static std::optional<APInt> filledWith(Value value) {
  auto fill = value.getDefiningOp<FillOp>();
  if (!fill)
    return std::nullopt;
  auto held = dyn_cast<DenseIntElementsAttr>(fill.getValue());
  return held ? std::optional(held.getSplatValue<APInt>()) : std::nullopt;
}

/// Returns whether a choice is `index < 0 ? sum : index`.
static bool readsWhereNegative(Where3Op op, Value sum, Value index) {
  auto less = op.getCondition().getDefiningOp<LesserThanOp>();
  if (!less || less.getLhs() != index || op.getOnFalse() != index ||
      op.getOnTrue() != sum)
    return false;
  std::optional<APInt> zero = filledWith(less.getRhs());
  return zero && zero->isZero();
}

/// An index that counts from the end where it is negative is `x < 0 ? x + n :
/// x`. Only the sums for negative `x` are used, so only they are in the range.
void AddOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  for (auto [index, extent, range] :
       {std::tuple(getLhs(), getRhs(), &ranges[0]),
        std::tuple(getRhs(), getLhs(), &ranges[1])}) {
    std::optional<APInt> n = filledWith(extent);
    bool isOfIndex =
        n && !n->isNegative() && !use_empty() &&
        llvm::all_of(getResult().getUsers(), [&, index = index](Operation *user) {
          auto choice = dyn_cast<Where3Op>(user);
          return choice && readsWhereNegative(choice, getResult(), index);
        });
    if (!isOfIndex)
      continue;
    APInt most = *n - 1;
    // Negative and not: the sum does not overflow.
    APInt least =
        range->smin().isNegative() ? range->smin() + *n : most;
    return set(getResult(), ConstantIntRanges::fromSigned(least, most));
  }
  set(getResult(), intrange::inferAdd(ranges));
}

void SubOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferSub(ranges));
}

void MulOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
  set(getResult(), intrange::inferMul(ranges));
}

void MaximumOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                  SetIntRangeFn set) {
  set(getResult(), intrange::inferMaxS(ranges));
}

void MinimumOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                  SetIntRangeFn set) {
  set(getResult(), intrange::inferMinS(ranges));
}

void Where3Op::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn set) {
  set(getResult(), ranges[1].rangeUnion(ranges[2]));
}

void CopyOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                               SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}

void RestickifyOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                     SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}

void PermuteOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                  SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}

void FillOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  if (auto value = dyn_cast<DenseIntElementsAttr>(getValue()))
    set(getResult(),
        ConstantIntRanges::constant(value.getSplatValue<APInt>()));
}

/// The range of 32 bits, or that of the operand if it is an integer that fits.
void BitcastOp::inferResultRangesFromOptional(
    ArrayRef<IntegerValueRange> ranges, SetIntLatticeFn set) {
  Type to = getElementTypeOrSelf(getResult().getType());
  if (!to.isInteger())
    return;
  unsigned width = ConstantIntRanges::getStorageBitwidth(to);
  APInt min = APInt::getSignedMinValue(32), max = APInt::getSignedMaxValue(32);
  if (!ranges[0].isUninitialized()) {
    const ConstantIntRanges &own = ranges[0].getValue();
    if (own.smin().isSignedIntN(32) && own.smax().isSignedIntN(32)) {
      min = own.smin().sextOrTrunc(32);
      max = own.smax().sextOrTrunc(32);
    }
  }
  set(getResult(), ConstantIntRanges::fromSigned(min.sextOrTrunc(width),
                                                 max.sextOrTrunc(width)));
}

/// Positions along the dimension that is searched.
void TopKIndexOp::inferResultRangesFromOptional(ArrayRef<IntegerValueRange>,
                                                SetIntLatticeFn set) {
  // Positions as floats have no range of integers.
  if (!getResult().getType().getElementType().isInteger())
    return;
  int64_t extent = cast<ShapedType>(getInput().getType()).getDimSize(getDim());
  unsigned width = ConstantIntRanges::getStorageBitwidth(getResult().getType());
  if (ShapedType::isDynamic(extent) ||
      !APInt(64, extent).isSignedIntN(width))
    return set(getResult(), IntegerValueRange::getMaxRange(getResult()));
  set(getResult(), ConstantIntRanges::fromSigned(APInt(width, 0),
                                                 APInt(width, extent - 1)));
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

/// Returns the range of the numbers of a constant tensor of 32-bit or 64-bit
/// integers.
static std::optional<ConstantIntRanges> rangeOf(Attribute constant) {
  auto typed = dyn_cast_or_null<TypedAttr>(constant);
  if (!typed || !isa<TensorType>(typed.getType()))
    return std::nullopt;
  Type element = getElementTypeOrSelf(typed.getType());
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant);
      dense && element.isInteger(32) && !dense.empty()) {
    APInt min = *dense.value_begin<APInt>(), max = min;
    for (const APInt &number : dense.getValues<APInt>()) {
      min = llvm::APIntOps::smin(min, number);
      max = llvm::APIntOps::smax(max, number);
    }
    return ConstantIntRanges::fromSigned(min, max);
  }
  if (!element.isInteger(64))
    return std::nullopt;
  auto joined = [](auto numbers) -> std::optional<ConstantIntRanges> {
    if (numbers.empty())
      return std::nullopt;
    int64_t min = *numbers.begin(), max = min;
    for (int64_t number : numbers) {
      min = std::min(min, number);
      max = std::max(max, number);
    }
    return ConstantIntRanges::fromSigned(APInt(64, min, /*isSigned=*/true),
                                         APInt(64, max, /*isSigned=*/true));
  };
  if (auto dense = dyn_cast<DenseIntElementsAttr>(constant))
    return joined(dense.getValues<int64_t>());
  auto held = dyn_cast<DenseI64ResourceElementsAttr>(constant);
  auto numbers = held ? held.tryGetAsArrayRef() : std::nullopt;
  return numbers ? joined(*numbers) : std::nullopt;
}

namespace {
/// Upstream's analysis, extended to tensors: moves keep the range, and
/// undefined contents do not widen it.
class TensorRanges : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  /// The host's 64-bit integers are narrowed to 32 bits when they are
  /// transferred.
  void
  setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    auto function = argument ? dyn_cast<FunctionOpInterface>(
                                   argument.getOwner()->getParentOp())
                             : nullptr;
    // An argument of the entry block: functions of the device have no other
    // block.
    Attribute constant =
        function && argument.getOwner()->isEntryBlock()
            ? function.getArgAttr(argument.getArgNumber(), "spyre.constant")
            : nullptr;
    std::optional<ConstantIntRanges> known = rangeOf(constant);
    bool isWide = function &&
                  getElementTypeOrSelf(argument.getType()).isInteger(64);
    if (!known && !isWide)
      return IntegerRangeAnalysis::setToEntryState(lattice);
    ConstantIntRanges range =
        known.value_or(ConstantIntRanges::fromSigned(
            APInt::getSignedMinValue(32).sext(64),
            APInt::getSignedMaxValue(32).sext(64)));
    propagateIfChanged(lattice, lattice->join(IntegerValueRange(range)));
  }

  LogicalResult
  visitOperation(Operation *op,
                 ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
                 ArrayRef<dataflow::IntegerValueRangeLattice *> results)
      override {
    // A range that grows with every round of a loop is unbounded.
    if (++visits[op] > maxVisits) {
      setAllToEntryStates(results);
      return success();
    }
    if (isa<EmptyOp, tensor::EmptyOp>(op))
      return success();
    auto constant = dyn_cast<arith::ConstantOp>(op);
    // Upstream reads the first element without a check that there is one.
    auto elements = constant ? dyn_cast<ElementsAttr>(constant.getValue())
                             : ElementsAttr();
    if (elements && elements.empty())
      return success();
    // Upstream does not read a `dense_resource`.
    if (auto range = rangeOf(constant ? constant.getValue() : nullptr)) {
      propagateIfChanged(results[0],
                         results[0]->join(IntegerValueRange(*range)));
      return success();
    }
    if (!isa<tensor::ExtractSliceOp, tensor::InsertSliceOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    ChangeResult changed = ChangeResult::NoChange;
    for (auto [value, range] : llvm::zip(op->getOperands(), operands))
      if (isa<TensorType>(value.getType()))
        changed |= results[0]->join(*range);
    propagateIfChanged(results[0], changed);
    return success();
  }

private:
  static constexpr unsigned maxVisits = 64;
  DenseMap<Operation *, unsigned> visits;
};
} // namespace

/// Returns whether a value is a tensor of 64-bit integers.
static bool isWide(Value value) {
  return isa<TensorType>(value.getType()) &&
         getElementTypeOrSelf(value.getType()).isInteger(64);
}

bool spyreIntegerRanges(MlirOperation function, SpyreRangeCallback visit,
                        void *user) {
  Operation *root = unwrap(function);
  WalkResult found = root->walk([](Operation *op) {
    return llvm::any_of(op->getOperands(), isWide) ||
                   llvm::any_of(op->getResults(), isWide)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return true;
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(false));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<TensorRanges>();
  if (failed(solver.initializeAndRun(root)))
    return false;
  root->walk([&](Operation *op) {
    auto report = [&](Value value, bool isMade) {
      if (!isWide(value))
        return;
      const auto *lattice =
          solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
      // Never executed, or undefined.
      if (!lattice || lattice->getValue().isUninitialized())
        return;
      const ConstantIntRanges &range = lattice->getValue().getValue();
      visit(wrap(op), isMade, range.smin().getSExtValue(),
            range.smax().getSExtValue(), user);
    };
    for (Value result : op->getResults())
      report(result, /*isMade=*/true);
    for (Value operand : op->getOperands())
      report(operand, /*isMade=*/false);
  });
  return true;
}
