//===- SpyreRanges.cpp - What integers can be -----------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations tell upstream's integer range analysis what their elements can
// be. A range is that of all elements of a tensor.
//
//===----------------------------------------------------------------------===//

#include "spyre/CAPI.h"
#include "spyre/Spyre.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"

using namespace mlir;
using namespace spyre;

//===----------------------------------------------------------------------===//
// InferIntRangeInterface
//===----------------------------------------------------------------------===//

void AddOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                              SetIntRangeFn set) {
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

/// Returns the `n` of `x < 0 ? x + n : x`, an index that counts from the end
/// where it is negative, if `n` is not negative.
static std::optional<APInt> extentOfIndex(Where3Op op) {
  auto less = op.getCondition().getDefiningOp<LesserThanOp>();
  auto sum = op.getOnTrue().getDefiningOp<AddOp>();
  Value index = op.getOnFalse();
  auto constant = [](Value value) -> std::optional<APInt> {
    auto fill = value.getDefiningOp<FillOp>();
    if (!fill)
      return std::nullopt;
    auto held = dyn_cast<DenseIntElementsAttr>(fill.getValue());
    return held ? std::optional(held.getSplatValue<APInt>()) : std::nullopt;
  };
  if (!less || !sum || less.getLhs() != index)
    return std::nullopt;
  std::optional<APInt> zero = constant(less.getRhs());
  if (!zero || !zero->isZero())
    return std::nullopt;
  std::optional<APInt> extent;
  if (sum.getLhs() == index)
    extent = constant(sum.getRhs());
  else if (sum.getRhs() == index)
    extent = constant(sum.getLhs());
  return extent && !extent->isNegative() ? extent : std::nullopt;
}

void Where3Op::inferResultRanges(ArrayRef<ConstantIntRanges> ranges,
                                 SetIntRangeFn set) {
  // Sums of negative numbers are below the extent.
  if (std::optional<APInt> extent = extentOfIndex(*this)) {
    APInt most = llvm::APIntOps::smax(ranges[2].smax(), *extent - 1);
    return set(getResult(),
               ConstantIntRanges::fromSigned(ranges[2].smin(), most));
  }
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

/// What 32 bits hold, or less if the operand is an integer that fits.
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

namespace {
/// Upstream's analysis, with what it does not know of tensors: moves keep the
/// range, and what undefined contents could be does not count.
class TensorRanges : public dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  /// The host's 64-bit integers are narrowed to 32 bits when they are
  /// transferred.
  void
  setToEntryState(dataflow::IntegerValueRangeLattice *lattice) override {
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    if (argument &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
        getElementTypeOrSelf(argument.getType()).isInteger(64)) {
      auto narrow = ConstantIntRanges::fromSigned(
          APInt::getSignedMinValue(32).sext(64),
          APInt::getSignedMaxValue(32).sext(64));
      return propagateIfChanged(lattice,
                                lattice->join(IntegerValueRange(narrow)));
    }
    IntegerRangeAnalysis::setToEntryState(lattice);
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

bool spyreIntegerRanges(MlirOperation function, SpyreRangeCallback visit,
                        void *user) {
  Operation *root = unwrap(function);
  DataFlowSolver solver(DataFlowConfig().setInterprocedural(false));
  dataflow::loadBaselineAnalyses(solver);
  solver.load<TensorRanges>();
  if (failed(solver.initializeAndRun(root)))
    return false;
  root->walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      if (!isa<TensorType>(result.getType()) ||
          !getElementTypeOrSelf(result.getType()).isInteger(64))
        continue;
      const auto *lattice =
          solver.lookupState<dataflow::IntegerValueRangeLattice>(result);
      // Never executed, or undefined.
      if (!lattice || lattice->getValue().isUninitialized())
        continue;
      const ConstantIntRanges &range = lattice->getValue().getValue();
      visit(wrap(op), range.smin().getSExtValue(), range.smax().getSExtValue(),
            user);
    }
  });
  return true;
}
