//===- Build.cpp - Building, reading and editing IR -----------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API builds operations by name with dictionaries of attributes. The
// operations that passes create by the thousand are built here instead.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// The context is that of the location: a block may be in no operation yet.
static OpBuilder builderAt(SpyreInsertionPoint at, MlirLocation loc) {
  OpBuilder builder(unwrap(loc).getContext());
  if (!mlirOperationIsNull(at.before))
    builder.setInsertionPoint(unwrap(at.before));
  else
    builder.setInsertionPointToEnd(unwrap(at.block));
  return builder;
}

static SmallVector<Value> values(const MlirValue *raw, intptr_t count) {
  SmallVector<Value> result;
  result.reserve(count);
  for (intptr_t i = 0; i != count; ++i)
    result.push_back(unwrap(raw[i]));
  return result;
}

MlirOperation spyreBuild(SpyreInsertionPoint at, MlirLocation loc,
                         MlirStringRef name, const MlirValue *operands,
                         intptr_t numOperands, const MlirType *results,
                         intptr_t numResults,
                         const MlirNamedAttribute *attributes,
                         intptr_t numAttributes, const MlirRegion *regions,
                         intptr_t numRegions) {
  SmallVector<Type> types;
  for (intptr_t i = 0; i != numResults; ++i)
    types.push_back(unwrap(results[i]));
  SmallVector<NamedAttribute> named;
  for (intptr_t i = 0; i != numAttributes; ++i)
    named.emplace_back(unwrap(attributes[i].name),
                       unwrap(attributes[i].attribute));
  MLIRContext *context = unwrap(loc).getContext();
  // An OperationState builds a dictionary of all attributes, and the operation removes most of them
  // again: they are properties.
  Operation *op = Operation::create(
      unwrap(loc), OperationName(unwrap(name), context), types,
      values(operands, numOperands), DictionaryAttr::get(context),
      /*properties=*/nullptr, /*successors=*/{}, numRegions);
  op->setAttrs(named);
  for (intptr_t i = 0; i != numRegions; ++i)
    op->getRegion(i).takeBody(
        *std::unique_ptr<Region>(unwrap(regions[i])));
  return wrap(builderAt(at, loc).insert(op));
}

MlirValue spyreBuildIndexConstant(SpyreInsertionPoint at, MlirLocation loc,
                                  int64_t value) {
  OpBuilder builder = builderAt(at, loc);
  return wrap(Value(
      arith::ConstantIndexOp::create(builder, unwrap(loc), value).getResult()));
}

MlirOperation spyreBuildFor(SpyreInsertionPoint at, MlirLocation loc,
                            MlirValue lower, MlirValue upper, MlirValue step,
                            const MlirValue *inits, intptr_t numInits) {
  OpBuilder builder = builderAt(at, loc);
  // With a body builder the operation creates no terminator.
  return wrap(scf::ForOp::create(
                  builder, unwrap(loc), unwrap(lower), unwrap(upper),
                  unwrap(step), values(inits, numInits),
                  [](OpBuilder &, Location, Value, ValueRange) {})
                  .getOperation());
}

void spyreBuildYield(MlirBlock block, MlirLocation loc, const MlirValue *raw,
                     intptr_t numValues) {
  OpBuilder builder = builderAt({block, {nullptr}}, loc);
  scf::YieldOp::create(builder, unwrap(loc), values(raw, numValues));
}

MlirValue spyreBuildAffineApply(SpyreInsertionPoint at, MlirLocation loc,
                                MlirAffineMap map, const MlirValue *operands,
                                intptr_t numOperands) {
  OpBuilder builder = builderAt(at, loc);
  return wrap(Value(affine::AffineApplyOp::create(builder, unwrap(loc),
                                                  unwrap(map),
                                                  values(operands, numOperands))
                        .getResult()));
}

namespace {
/// The operands of a slice operation in the form its builders take.
struct SliceOperands {
  SliceOperands(intptr_t rank, const MlirValue *offsets,
                const int64_t *staticOffsets, const int64_t *staticSizes)
      : sizes(staticSizes, staticSizes + rank), strides(rank, 1) {
    for (intptr_t i = 0; i != rank; ++i) {
      if (mlirValueIsNull(offsets[i])) {
        positions.push_back(staticOffsets[i]);
        continue;
      }
      positions.push_back(ShapedType::kDynamic);
      dynamicPositions.push_back(unwrap(offsets[i]));
    }
  }
  SmallVector<int64_t> positions, sizes, strides;
  SmallVector<Value> dynamicPositions;
};
} // namespace

MlirValue spyreBuildExtractSlice(SpyreInsertionPoint at, MlirLocation loc,
                                 MlirType resultType, MlirValue source,
                                 intptr_t rank, const MlirValue *offsets,
                                 const int64_t *staticOffsets,
                                 const int64_t *sizes) {
  OpBuilder builder = builderAt(at, loc);
  SliceOperands operands(rank, offsets, staticOffsets, sizes);
  auto op = tensor::ExtractSliceOp::create(
      builder, unwrap(loc), cast<RankedTensorType>(unwrap(resultType)),
      unwrap(source), operands.dynamicPositions, ValueRange(), ValueRange(),
      operands.positions, operands.sizes, operands.strides);
  return wrap(Value(op.getResult()));
}

MlirValue spyreBuildInsertSlice(SpyreInsertionPoint at, MlirLocation loc,
                                MlirValue source, MlirValue dest, intptr_t rank,
                                const MlirValue *offsets,
                                const int64_t *staticOffsets,
                                const int64_t *sizes) {
  OpBuilder builder = builderAt(at, loc);
  SliceOperands operands(rank, offsets, staticOffsets, sizes);
  auto op = tensor::InsertSliceOp::create(
      builder, unwrap(loc), unwrap(source), unwrap(dest),
      operands.dynamicPositions, ValueRange(), ValueRange(), operands.positions,
      operands.sizes, operands.strides);
  return wrap(Value(op.getResult()));
}

SpyreOpKind spyreOperationGetKind(MlirOperation raw) {
  return llvm::TypeSwitch<Operation *, SpyreOpKind>(unwrap(raw))
      .Case([](scf::ForOp) { return SpyreOpFor; })
      .Case([](scf::YieldOp) { return SpyreOpYield; })
      .Case([](func::ReturnOp) { return SpyreOpReturn; })
      .Case([](tensor::ExtractSliceOp) { return SpyreOpExtractSlice; })
      .Case([](tensor::InsertSliceOp) { return SpyreOpInsertSlice; })
      .Case([](tensor::ExpandShapeOp) { return SpyreOpExpandShape; })
      .Case([](tensor::CollapseShapeOp) { return SpyreOpCollapseShape; })
      .Case([](tensor::DimOp) { return SpyreOpTensorDim; })
      .Case([](affine::AffineApplyOp) { return SpyreOpAffineApply; })
      .Case([](arith::ConstantIndexOp) { return SpyreOpConstantIndex; })
      .Case([](arith::AddIOp op) {
        return op.getType().isIndex() ? SpyreOpAddIndex : SpyreOpOther;
      })
      .Default([](Operation *) { return SpyreOpOther; });
}

int64_t spyreConstantIndexGetValue(MlirOperation op) {
  return cast<arith::ConstantIndexOp>(unwrap(op)).value();
}

MlirAffineMap spyreAffineApplyGetMap(MlirOperation op) {
  return wrap(cast<affine::AffineApplyOp>(unwrap(op)).getAffineMap());
}

intptr_t spyreSliceGet(MlirOperation raw, intptr_t capacity, MlirValue *offsets,
                       int64_t *staticOffsets, int64_t *sizes) {
  auto slice = cast<OffsetSizeAndStrideOpInterface>(unwrap(raw));
  ArrayRef<int64_t> positions = slice.getStaticOffsets();
  intptr_t rank = static_cast<intptr_t>(positions.size());
  if (llvm::any_of(slice.getStaticStrides(),
                   [](int64_t stride) { return stride != 1; }))
    return -1;
  if (llvm::any_of(slice.getStaticSizes(), ShapedType::isDynamic))
    return -1;
  for (intptr_t i = 0, e = std::min(rank, capacity); i != e; ++i) {
    bool dynamic = slice.isDynamicOffset(i);
    offsets[i] = dynamic ? wrap(slice.getDynamicOffset(i)) : MlirValue{nullptr};
    staticOffsets[i] = dynamic ? 0 : positions[i];
    sizes[i] = slice.getStaticSize(i);
  }
  return rank;
}

void spyreOperationMoveToEnd(MlirOperation op, MlirBlock block) {
  Operation *moved = unwrap(op);
  Block *target = unwrap(block);
  moved->moveBefore(target, target->end());
}

bool spyreUnrollFor(MlirOperation raw) {
  auto loop = cast<scf::ForOp>(unwrap(raw));
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return false;
  // Counted, since the value after the last iteration may not fit 64 bits.
  uint64_t trips = 0;
  if (*lower < *upper)
    trips = (static_cast<uint64_t>(*upper) - static_cast<uint64_t>(*lower) - 1) /
                static_cast<uint64_t>(*step) +
            1;
  OpBuilder builder(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  Block *body = loop.getBody();
  for (uint64_t trip = 0; trip != trips; ++trip) {
    auto i = static_cast<int64_t>(static_cast<uint64_t>(*lower) +
                                  trip * static_cast<uint64_t>(*step));
    IRMapping map;
    TypedAttr value = builder.getIntegerAttr(loop.getInductionVar().getType(), i);
    map.map(loop.getInductionVar(), arith::ConstantOp::create(
                                        builder, loop.getLoc(), value));
    map.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : body->without_terminator()) {
      Operation *copy = builder.clone(op, map);
      if (!isa<affine::AffineApplyOp, arith::AddIOp, arith::SubIOp,
               arith::MulIOp>(copy))
        continue;
      SmallVector<Value> folded;
      if (failed(builder.tryFold(copy, folded)) || folded.empty())
        continue;
      map.map(op.getResults(), folded);
      copy->erase();
    }
    auto yield = cast<scf::YieldOp>(body->getTerminator());
    for (auto [value, next] : llvm::zip(yield.getOperands(), carried))
      next = map.lookupOrDefault(value);
  }
  loop->replaceAllUsesWith(carried);
  loop.erase();
  return true;
}

void spyreOperationErase(MlirOperation op) { unwrap(op)->erase(); }

void spyreFunctionSetArgAttr(MlirOperation function, intptr_t argument,
                             MlirStringRef name, MlirAttribute attr) {
  cast<FunctionOpInterface>(unwrap(function))
      .setArgAttr(argument, unwrap(name), unwrap(attr));
}

MlirAttribute spyreFunctionGetArgAttr(MlirOperation function, intptr_t argument,
                                      MlirStringRef name) {
  return wrap(cast<FunctionOpInterface>(unwrap(function))
                  .getArgAttr(argument, unwrap(name)));
}

MlirBlock spyreFunctionGetEntryBlock(MlirOperation op) {
  auto function = dyn_cast<FunctionOpInterface>(unwrap(op));
  if (!function || function.isExternal() || !function.getFunctionBody().hasOneBlock())
    return MlirBlock{nullptr};
  return wrap(&function.getFunctionBody().front());
}

MlirValue spyreFunctionAddArgument(MlirOperation raw, MlirType type,
                                   MlirStringRef name, MlirAttribute attr,
                                   MlirLocation loc) {
  auto function = dyn_cast<func::FuncOp>(unwrap(raw));
  if (!function || !function.getBody().hasOneBlock())
    return MlirValue{nullptr};
  unsigned index = function.getNumArguments();
  NamedAttribute named(StringAttr::get(function.getContext(), unwrap(name)),
                       unwrap(attr));
  auto attrs = DictionaryAttr::get(function.getContext(), named);
  if (failed(function.insertArgument(index, unwrap(type), attrs, unwrap(loc))))
    return MlirValue{nullptr};
  return wrap(Value(function.getArgument(index)));
}

void spyreFunctionUpdateType(MlirOperation raw) {
  auto function = dyn_cast<func::FuncOp>(unwrap(raw));
  if (!function || !function.getBody().hasOneBlock())
    return;
  Block &entry = function.getBody().front();
  auto end = dyn_cast<func::ReturnOp>(entry.back());
  if (!end)
    return;
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             entry.getArgumentTypes(),
                                             end.getOperandTypes()));
}

bool spyreOperationIsPure(MlirOperation op) {
  return isMemoryEffectFree(unwrap(op));
}
