//===- CAPI.cpp - C interface of the spyre dialect ------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/CAPI.h"
#include "spyre/Spyre.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>

using namespace mlir;
using namespace spyre;

//===--- Registration -----------------------------------------------------===//

/// Where the dialect is registered, it is loaded with arith: its canonicalization patterns guard those of arith.
static void insertDialect(MlirDialectRegistry registry) {
  unwrap(registry)->insert<SpyreDialect>();
  unwrap(registry)->addExtension(
      +[](MLIRContext *context, arith::ArithDialect *) {
        context->getOrLoadDialect<SpyreDialect>();
      });
}

static MlirDialect loadDialect(MlirContext context) {
  return wrap(unwrap(context)->getOrLoadDialect<SpyreDialect>());
}

static MlirStringRef dialectNamespace() {
  return wrap(SpyreDialect::getDialectNamespace());
}

MlirDialectHandle mlirGetDialectHandle__spyre__() {
  static MlirDialectRegistrationHooks hooks = {insertDialect, loadDialect,
                                               dialectNamespace};
  return MlirDialectHandle{&hooks};
}

//===--- Attributes -------------------------------------------------------===//

static intptr_t borrow(ArrayRef<int64_t> values, const int64_t **out) {
  *out = values.data();
  return static_cast<intptr_t>(values.size());
}

static intptr_t copyOut(ArrayRef<int64_t> values, int64_t *out,
                        intptr_t capacity) {
  std::copy_n(values.begin(),
              std::min<intptr_t>(capacity, static_cast<intptr_t>(values.size())),
              out);
  return static_cast<intptr_t>(values.size());
}

//===--- #spyre.layout ----------------------------------------------------===//

bool spyreAttributeIsALayout(MlirAttribute attr) {
  return isa_and_nonnull<LayoutAttr>(unwrap(attr));
}

MlirAttribute spyreLayoutGet(MlirContext context, MlirAffineMap map,
                             const int64_t *size, intptr_t numSize,
                             const int64_t *expanded, intptr_t numExpanded,
                             int32_t format, int32_t arrangement) {
  std::optional<DeviceFormat> deviceFormat;
  if (format >= 0)
    deviceFormat = static_cast<DeviceFormat>(format);
  return wrap(LayoutAttr::get(unwrap(context), unwrap(map),
                              ArrayRef<int64_t>(size, numSize),
                              ArrayRef<int64_t>(expanded, numExpanded),
                              deviceFormat,
                              static_cast<Arrangement>(arrangement)));
}

MlirAffineMap spyreLayoutGetMap(MlirAttribute attr) {
  return wrap(cast<LayoutAttr>(unwrap(attr)).getMap());
}
intptr_t spyreLayoutGetSize(MlirAttribute attr, const int64_t **size) {
  return borrow(cast<LayoutAttr>(unwrap(attr)).getSize(), size);
}
intptr_t spyreLayoutGetExpanded(MlirAttribute attr, const int64_t **expanded) {
  return borrow(cast<LayoutAttr>(unwrap(attr)).getExpanded(), expanded);
}
int32_t spyreLayoutGetFormat(MlirAttribute attr) {
  auto format = cast<LayoutAttr>(unwrap(attr)).getFormat();
  return format ? static_cast<int32_t>(*format) : -1;
}
int32_t spyreLayoutGetArrangement(MlirAttribute attr) {
  return static_cast<int32_t>(cast<LayoutAttr>(unwrap(attr)).getArrangement());
}

//===--- #spyre.target ----------------------------------------------------===//

bool spyreAttributeIsATarget(MlirAttribute attr) {
  return isa_and_nonnull<TargetAttr>(unwrap(attr));
}

SpyreTarget spyreTargetGetFields(MlirAttribute attr) {
  auto target = cast<TargetAttr>(unwrap(attr));
  RatesAttr rates = target.getRates();
  if (!rates)
    rates = RatesAttr::get(target.getContext());
  return {target.getCores(),
          target.getLxBytes(),
          target.getLxReservedBytes(),
          target.getLxBackendPercent(),
          target.getStickBytes(),
          target.getSpanLimitBytes(),
          target.getSegmentBytes(),
          target.getSegmentReservedBytes(),
          target.getSegments(),
          wrap(Attribute(target.getFormats())),
          wrap(target.getContract()),
          wrap(Attribute(target.getExceptions())),
          rates.getProductsPerUs(),
          rates.getElementsPerUs(),
          rates.getBytesPerUs(),
          rates.getBroadcastCores(),
          rates.getRowsPerPass(),
          rates.getFullPasses(),
          rates.getPartialPs(),
          rates.getSharedPartialPs(),
          rates.getExecutionPs(),
          rates.getIterationPs(),
          rates.getRelayoutPs()};
}

//===--- #spyre.tile_hint, #spyre.place -----------------------------------===//

MlirAttribute spyreDenseElementsBitcast(MlirAttribute attr, MlirType element) {
  auto elements = dyn_cast<DenseElementsAttr>(unwrap(attr));
  Type type = unwrap(element);
  if (!elements || !elements.getElementType().isIntOrFloat() ||
      !type.isIntOrFloat() ||
      elements.getElementType().getIntOrFloatBitWidth() !=
          type.getIntOrFloatBitWidth())
    return {nullptr};
  return wrap(Attribute(elements.bitcast(type)));
}

intptr_t spyreDenseResourceGetData(MlirAttribute attr, const char **data) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attr));
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return -1;
  *data = blob->getData().data();
  return static_cast<intptr_t>(blob->getData().size());
}

MlirAttribute spyreTileHintGet(MlirContext context, int64_t scope,
                               MlirStringRef dim, int64_t amount,
                               bool bySize) {
  MLIRContext *ctx = unwrap(context);
  return wrap(TileHintAttr::get(
      ctx, scope, StringAttr::get(ctx, unwrap(dim)), amount, bySize));
}
bool spyreAttributeIsATileHint(MlirAttribute attr) {
  return isa_and_nonnull<TileHintAttr>(unwrap(attr));
}
int64_t spyreTileHintGetScope(MlirAttribute attr) {
  return cast<TileHintAttr>(unwrap(attr)).getScope();
}
MlirStringRef spyreTileHintGetDim(MlirAttribute attr) {
  return wrap(cast<TileHintAttr>(unwrap(attr)).getDim().getValue());
}
int64_t spyreTileHintGetAmount(MlirAttribute attr) {
  return cast<TileHintAttr>(unwrap(attr)).getAmount();
}
bool spyreTileHintIsBySize(MlirAttribute attr) {
  return cast<TileHintAttr>(unwrap(attr)).getBySize();
}

bool spyreAttributeIsADivideHint(MlirAttribute attr) {
  return isa_and_nonnull<DivideHintAttr>(unwrap(attr));
}
MlirAttribute spyreDivideHintGet(MlirContext context, MlirStringRef dim,
                                 int64_t cores) {
  MLIRContext *ctx = unwrap(context);
  return wrap(
      DivideHintAttr::get(ctx, StringAttr::get(ctx, unwrap(dim)), cores));
}
MlirStringRef spyreDivideHintGetDim(MlirAttribute attr) {
  return wrap(cast<DivideHintAttr>(unwrap(attr)).getDim().getValue());
}
int64_t spyreDivideHintGetCores(MlirAttribute attr) {
  return cast<DivideHintAttr>(unwrap(attr)).getCores();
}

bool spyreAttributeIsATileScope(MlirAttribute attr) {
  return isa_and_nonnull<TileScopeAttr>(unwrap(attr));
}
intptr_t spyreTileScopeGetNumHints(MlirAttribute attr) {
  return static_cast<intptr_t>(
      cast<TileScopeAttr>(unwrap(attr)).getHints().size());
}
MlirAttribute spyreTileScopeGetHint(MlirAttribute attr, intptr_t index) {
  return wrap(Attribute(cast<TileScopeAttr>(unwrap(attr)).getHints()[index]));
}
intptr_t spyreTileScopeGetNumDivisions(MlirAttribute attr) {
  return static_cast<intptr_t>(
      cast<TileScopeAttr>(unwrap(attr)).getDivisions().size());
}
MlirAttribute spyreTileScopeGetDivision(MlirAttribute attr, intptr_t index) {
  return wrap(
      Attribute(cast<TileScopeAttr>(unwrap(attr)).getDivisions()[index]));
}
bool spyreTileScopeGetRange(MlirAttribute attr, int64_t *first,
                            int64_t *last) {
  auto scope = cast<TileScopeAttr>(unwrap(attr));
  *first = scope.getFirst().value_or(0);
  *last = scope.getLast().value_or(0);
  return scope.getFirst().has_value();
}

MlirAttribute spyreMergedGet(MlirContext context, intptr_t count,
                             const MlirStringRef *names,
                             const int64_t *extents) {
  MLIRContext *ctx = unwrap(context);
  SmallVector<StringAttr> texts;
  for (intptr_t i = 0; i != count; ++i)
    texts.push_back(StringAttr::get(ctx, unwrap(names[i])));
  return wrap(
      MergedAttr::get(ctx, texts, ArrayRef<int64_t>(extents, count)));
}
intptr_t spyreMergedGetNumNames(MlirAttribute attr) {
  auto merged = dyn_cast_if_present<MergedAttr>(unwrap(attr));
  return merged ? static_cast<intptr_t>(merged.getNames().size()) : 0;
}
MlirStringRef spyreMergedGetName(MlirAttribute attr, intptr_t index) {
  return wrap(cast<MergedAttr>(unwrap(attr)).getNames()[index].getValue());
}
int64_t spyreMergedGetExtent(MlirAttribute attr, intptr_t index) {
  return cast<MergedAttr>(unwrap(attr)).getExtents()[index];
}

MlirAttribute spyreDynamicGet(MlirContext context, int64_t granularity,
                              int64_t max) {
  return wrap(DynamicAttr::get(unwrap(context), granularity, max));
}
bool spyreAttributeIsADynamic(MlirAttribute attr) {
  return isa_and_nonnull<DynamicAttr>(unwrap(attr));
}
int64_t spyreDynamicGetGranularity(MlirAttribute attr) {
  return cast<DynamicAttr>(unwrap(attr)).getGranularity();
}
int64_t spyreDynamicGetMax(MlirAttribute attr) {
  return cast<DynamicAttr>(unwrap(attr)).getMax();
}

MlirAttribute spyrePlanGet(MlirContext context, bool cacheArguments,
                           bool relayouts, int64_t memoryWeight,
                           int64_t mostBytes) {
  auto present = [](int64_t value) {
    return value == 0 ? std::optional<int64_t>() : value;
  };
  return wrap(PlanAttr::get(unwrap(context), cacheArguments, relayouts,
                            present(memoryWeight), present(mostBytes)));
}
bool spyreAttributeIsAPlan(MlirAttribute attr) {
  return isa_and_nonnull<PlanAttr>(unwrap(attr));
}
bool spyrePlanGetCacheArguments(MlirAttribute attr) {
  return cast<PlanAttr>(unwrap(attr)).getCacheArguments();
}
bool spyrePlanGetRelayouts(MlirAttribute attr) {
  return cast<PlanAttr>(unwrap(attr)).getRelayouts();
}
int64_t spyrePlanGetMemoryWeight(MlirAttribute attr) {
  return cast<PlanAttr>(unwrap(attr)).getMemoryWeight().value_or(0);
}
int64_t spyrePlanGetMostBytes(MlirAttribute attr) {
  return cast<PlanAttr>(unwrap(attr)).getMostBytes().value_or(0);
}

MlirAttribute spyrePlaceGet(MlirContext context, int32_t space,
                            int64_t address) {
  std::optional<int64_t> value;
  if (static_cast<Space>(space) != Space::Window)
    value = address;
  return wrap(
      PlaceAttr::get(unwrap(context), static_cast<Space>(space), value));
}
bool spyreAttributeIsAPlace(MlirAttribute attr) {
  return isa_and_nonnull<PlaceAttr>(unwrap(attr));
}
int32_t spyrePlaceGetSpace(MlirAttribute attr) {
  return static_cast<int32_t>(cast<PlaceAttr>(unwrap(attr)).getSpace());
}
int64_t spyrePlaceGetAddress(MlirAttribute attr) {
  return cast<PlaceAttr>(unwrap(attr)).getAddress().value_or(0);
}

int32_t spyreDeviceFormatOfType(MlirType type) {
  std::optional<DeviceFormat> format = deviceFormat(unwrap(type));
  return format ? static_cast<int32_t>(*format) : -1;
}

//===--- DeviceOpInterface ------------------------------------------------===//

static DeviceOpInterface device(MlirOperation op) {
  return cast<DeviceOpInterface>(unwrap(op));
}

bool spyreOperationIsADeviceOp(MlirOperation op) {
  return isa<DeviceOpInterface>(unwrap(op));
}
void spyreDeviceOps(MlirContext context,
                    void (*visit)(MlirStringRef, MlirStringRef, void *),
                    void *data) {
  // MLIR's list of one dialect's operations compares names with a comparison
  // that is no order, and may be empty.
  for (RegisteredOperationName name :
       unwrap(context)->getRegisteredOperations())
    if (auto *op = name.getInterface<DeviceOpInterface>())
      visit(wrap(name.stripDialect()), wrap(op->getOpFunc()), data);
}
intptr_t spyreDeviceOpGetIterationSpace(MlirOperation op, int64_t *extents,
                                        intptr_t capacity) {
  return copyOut(device(op).getIterationSpace(), extents, capacity);
}
int64_t spyreDeviceOpGetGatheredDim(MlirOperation op) {
  return device(op).getGatheredDim();
}
intptr_t spyreDeviceOpGetWalkedDims(MlirOperation op, int64_t *numbers,
                                    intptr_t capacity) {
  SmallVector<int64_t> all;
  for (const spyre::WalkedDim &walk : device(op).getWalkedDims())
    llvm::append_values(all, walk.dim, walk.position, walk.window, walk.stride,
                        walk.dilation, int64_t(walk.isDivisible));
  return copyOut(all, numbers, capacity);
}
intptr_t spyreDeviceOpGetNumReductionDims(MlirOperation op) {
  return device(op).getNumReductionDims();
}
intptr_t spyreDeviceOpGetTensorDims(MlirOperation op, intptr_t tensor,
                                    int64_t *dims, intptr_t capacity) {
  return copyOut(device(op).getTensorDims(tensor), dims, capacity);
}
intptr_t spyreDeviceOpGetTensorTypes(MlirOperation op, MlirType *types,
                                     intptr_t capacity) {
  intptr_t count = 0;
  auto append = [&](Type type) {
    if (count < capacity)
      types[count] = wrap(type);
    ++count;
  };
  for (Type type : unwrap(op)->getOperandTypes())
    append(type);
  for (Type type : unwrap(op)->getResultTypes())
    append(type);
  return count;
}
MlirAttribute spyreDeviceOpGetConstants(MlirOperation op) {
  return wrap(Attribute(device(op).getOpConstants()));
}
MlirAttribute spyreDeviceOpGetTileHints(MlirOperation op) {
  return wrap(Attribute(device(op).getTileHints()));
}
void spyreDeviceOpSetTileHints(MlirOperation op, MlirAttribute hints) {
  device(op).setTileHints(cast<ArrayAttr>(unwrap(hints)));
}
void spyreDeviceOpRemoveTileHints(MlirOperation op) {
  device(op).removeTileHints();
}
MlirAttribute spyreDeviceOpGetDivideHints(MlirOperation op) {
  return wrap(Attribute(device(op).getDivideHints()));
}
void spyreDeviceOpSetDivideHints(MlirOperation op, MlirAttribute hints) {
  device(op).setDivideHints(cast<ArrayAttr>(unwrap(hints)));
}
void spyreDeviceOpRemoveDivideHints(MlirOperation op) {
  device(op).removeDivideHints();
}
intptr_t spyreDeviceOpGetSplit(MlirOperation op, const int64_t **split) {
  DenseI64ArrayAttr attr = device(op).getCoreSplit();
  return attr ? borrow(attr.asArrayRef(), split) : -1;
}
void spyreDeviceOpSetSplit(MlirOperation op, const int64_t *split,
                           intptr_t rank) {
  DeviceOpInterface deviceOp = device(op);
  deviceOp.setCoreSplit(DenseI64ArrayAttr::get(
      deviceOp->getContext(), ArrayRef<int64_t>(split, rank)));
}
MlirAttribute spyreDeviceOpGetPlace(MlirOperation op) {
  return wrap(Attribute(device(op).getResultPlace()));
}
void spyreDeviceOpSetPlace(MlirOperation op, MlirAttribute place) {
  device(op).setResultPlace(cast<PlaceAttr>(unwrap(place)));
}

//===--- spyre.empty ------------------------------------------------------===//

bool spyreOperationIsAEmpty(MlirOperation op) {
  return isa<EmptyOp>(unwrap(op));
}
MlirAttribute spyreEmptyGetPlace(MlirOperation op) {
  return wrap(Attribute(cast<EmptyOp>(unwrap(op)).getPlaceAttr()));
}
void spyreEmptySetPlace(MlirOperation op, MlirAttribute place) {
  cast<EmptyOp>(unwrap(op)).setPlaceAttr(cast<PlaceAttr>(unwrap(place)));
}

//===--- spyre.dim_size ---------------------------------------------------===//

bool spyreOperationIsADimSize(MlirOperation op) {
  return isa<DimSizeOp>(unwrap(op));
}
MlirStringRef spyreDimSizeGetDim(MlirOperation op) {
  return wrap(cast<DimSizeOp>(unwrap(op)).getDim());
}
