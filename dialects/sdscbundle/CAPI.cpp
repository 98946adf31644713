//===- CAPI.cpp - C interface of the sdscbundle dialect -------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "sdscbundle/CAPI.h"

#include "sdscbundle/SdscBundle.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace spyre;
using namespace spyre::sdscbundle;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SdscBundle, sdscbundle, SdscBundleDialect)

MlirType spyreSdscBundleInputArgTypeGet(MlirType element, bool hasGranularity,
                                        int64_t granularity, bool hasMax,
                                        int64_t max) {
  if (mlirTypeIsNull(element))
    return MlirType{nullptr};
  MLIRContext *context = unwrap(element).getContext();
  context->getOrLoadDialect<SdscBundleDialect>();
  return wrap(InputArgType::getChecked(
      UnknownLoc::get(context), context, unwrap(element),
      hasGranularity ? std::optional<int64_t>(granularity) : std::nullopt,
      hasMax ? std::optional<int64_t>(max) : std::nullopt));
}

bool spyreSdscBundleTypeIsAInputArg(MlirType type) {
  return llvm::isa_and_nonnull<InputArgType>(unwrap(type));
}

MlirTypeID spyreSdscBundleInputArgTypeGetTypeID() {
  return wrap(InputArgType::getTypeID());
}

MlirType spyreSdscBundleInputArgTypeGetElementType(MlirType type) {
  return wrap(llvm::cast<InputArgType>(unwrap(type)).getElementType());
}

bool spyreSdscBundleInputArgTypeHasGranularity(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getGranularity().has_value();
}

int64_t spyreSdscBundleInputArgTypeGetGranularity(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getGranularity().value_or(0);
}

bool spyreSdscBundleInputArgTypeHasMaxValue(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getMaxValue().has_value();
}

int64_t spyreSdscBundleInputArgTypeGetMaxValue(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getMaxValue().value_or(0);
}

int64_t spyreSdscBundleGetMaxDeviceMemBytes() { return maxDeviceMemBytes; }

//===--- #sdscbundle.iter_dim --------------------------------------------===//

static intptr_t borrow(ArrayRef<int64_t> values, const int64_t **out) {
  *out = values.data();
  return static_cast<intptr_t>(values.size());
}

static StringAttr optionalText(MLIRContext *context, MlirStringRef text) {
  return text.data ? StringAttr::get(context, unwrap(text)) : StringAttr();
}

static MlirStringRef optionalText(StringAttr text) {
  return text ? wrap(text.getValue()) : MlirStringRef{nullptr, 0};
}

MlirAttribute spyreSdscBundleIterDimGet(MlirContext context,
                                        MlirStringRef symbol, int64_t extent,
                                        int64_t slices, MlirStringRef size,
                                        int64_t granularity) {
  MLIRContext *ctx = unwrap(context);
  return wrap(IterDimAttr::get(ctx, StringAttr::get(ctx, unwrap(symbol)),
                               extent, slices, optionalText(ctx, size),
                               granularity));
}
MlirStringRef spyreSdscBundleIterDimGetSymbol(MlirAttribute attr) {
  return wrap(cast<IterDimAttr>(unwrap(attr)).getSymbol().getValue());
}
int64_t spyreSdscBundleIterDimGetExtent(MlirAttribute attr) {
  return cast<IterDimAttr>(unwrap(attr)).getExtent();
}
int64_t spyreSdscBundleIterDimGetSlices(MlirAttribute attr) {
  return cast<IterDimAttr>(unwrap(attr)).getSlices();
}
MlirStringRef spyreSdscBundleIterDimGetSize(MlirAttribute attr) {
  return optionalText(cast<IterDimAttr>(unwrap(attr)).getSize());
}
int64_t spyreSdscBundleIterDimGetGranularity(MlirAttribute attr) {
  return cast<IterDimAttr>(unwrap(attr)).getGranularity();
}

//===--- #sdscbundle.level -----------------------------------------------===//

MlirAttribute spyreSdscBundleLevelGet(MlirContext context, int64_t loop,
                                      MlirStringRef dim, int64_t trips) {
  MLIRContext *ctx = unwrap(context);
  std::optional<int64_t> tiles;
  if (trips > 0)
    tiles = trips;
  return wrap(LevelAttr::get(ctx, loop, optionalText(ctx, dim), tiles));
}
int64_t spyreSdscBundleLevelGetLoop(MlirAttribute attr) {
  return cast<LevelAttr>(unwrap(attr)).getLoop();
}
MlirStringRef spyreSdscBundleLevelGetDim(MlirAttribute attr) {
  return optionalText(cast<LevelAttr>(unwrap(attr)).getDim());
}
int64_t spyreSdscBundleLevelGetTrips(MlirAttribute attr) {
  return cast<LevelAttr>(unwrap(attr)).getTrips().value_or(0);
}

//===--- #sdscbundle.core_slices -----------------------------------------===//

MlirAttribute spyreSdscBundleCoreSlicesGet(MlirContext context,
                                           const MlirStringRef *dims,
                                           intptr_t numDims,
                                           MlirAffineMap cores) {
  MLIRContext *ctx = unwrap(context);
  SmallVector<StringAttr> names;
  for (intptr_t i = 0; i < numDims; ++i)
    names.push_back(StringAttr::get(ctx, unwrap(dims[i])));
  return wrap(CoreSlicesAttr::get(ctx, names, unwrap(cores)));
}
intptr_t spyreSdscBundleCoreSlicesGetNumDims(MlirAttribute attr) {
  return static_cast<intptr_t>(
      cast<CoreSlicesAttr>(unwrap(attr)).getDims().size());
}
MlirStringRef spyreSdscBundleCoreSlicesGetDim(MlirAttribute attr,
                                              intptr_t index) {
  return wrap(cast<CoreSlicesAttr>(unwrap(attr)).getDims()[index].getValue());
}
MlirAffineMap spyreSdscBundleCoreSlicesGetCores(MlirAttribute attr) {
  return wrap(cast<CoreSlicesAttr>(unwrap(attr)).getCores());
}

//===--- #sdscbundle.ownership, #sdscbundle.record, #sdscbundle.size -----===//

MlirAttribute spyreSdscBundleOwnershipGet(MlirContext context,
                                          const int64_t *slices,
                                          intptr_t numSlices,
                                          MlirAffineMap cores, int64_t among) {
  std::optional<int64_t> count;
  if (among > 0)
    count = among;
  return wrap(OwnershipAttr::get(unwrap(context),
                                 ArrayRef<int64_t>(slices, numSlices),
                                 unwrap(cores), count));
}
intptr_t spyreSdscBundleOwnershipGetSlices(MlirAttribute attr,
                                           const int64_t **slices) {
  return borrow(cast<OwnershipAttr>(unwrap(attr)).getSlices(), slices);
}
MlirAffineMap spyreSdscBundleOwnershipGetCores(MlirAttribute attr) {
  return wrap(cast<OwnershipAttr>(unwrap(attr)).getCores());
}
int64_t spyreSdscBundleOwnershipGetAmong(MlirAttribute attr) {
  return cast<OwnershipAttr>(unwrap(attr)).getAmong().value_or(0);
}

MlirAttribute spyreSdscBundleRecordGet(MlirContext context,
                                       const MlirStringRef *names,
                                       const MlirAttribute *values,
                                       intptr_t count) {
  MLIRContext *ctx = unwrap(context);
  SmallVector<StringAttr> keys;
  SmallVector<Attribute> entries;
  for (intptr_t i = 0; i < count; ++i) {
    keys.push_back(StringAttr::get(ctx, unwrap(names[i])));
    entries.push_back(unwrap(values[i]));
  }
  llvm::SmallDenseSet<StringAttr> seen;
  for (StringAttr key : keys)
    if (!seen.insert(key).second)
      return MlirAttribute{nullptr};
  return wrap(RecordAttr::get(ctx, keys, entries));
}
bool spyreSdscBundleAttributeIsARecord(MlirAttribute attr) {
  return isa_and_nonnull<RecordAttr>(unwrap(attr));
}
intptr_t spyreSdscBundleRecordGetCount(MlirAttribute attr) {
  return static_cast<intptr_t>(
      cast<RecordAttr>(unwrap(attr)).getNames().size());
}
MlirStringRef spyreSdscBundleRecordGetName(MlirAttribute attr, intptr_t index) {
  return wrap(cast<RecordAttr>(unwrap(attr)).getNames()[index].getValue());
}
MlirAttribute spyreSdscBundleRecordGetValue(MlirAttribute attr,
                                            intptr_t index) {
  return wrap(cast<RecordAttr>(unwrap(attr)).getValues()[index]);
}

MlirAttribute spyreSdscBundleSizeGet(MlirContext context, MlirStringRef name,
                                     int64_t arg, int64_t dim) {
  MLIRContext *ctx = unwrap(context);
  auto optional = [](int64_t number) {
    return number < 0 ? std::nullopt : std::optional<int64_t>(number);
  };
  return wrap(SizeAttr::get(ctx, StringAttr::get(ctx, unwrap(name)),
                            optional(arg), optional(dim)));
}
bool spyreSdscBundleAttributeIsASize(MlirAttribute attr) {
  return isa_and_nonnull<SizeAttr>(unwrap(attr));
}
MlirStringRef spyreSdscBundleSizeGetName(MlirAttribute attr) {
  return wrap(cast<SizeAttr>(unwrap(attr)).getName().getValue());
}
int64_t spyreSdscBundleSizeGetArg(MlirAttribute attr) {
  return cast<SizeAttr>(unwrap(attr)).getArg().value_or(-1);
}
int64_t spyreSdscBundleSizeGetDim(MlirAttribute attr) {
  return cast<SizeAttr>(unwrap(attr)).getDim().value_or(-1);
}

//===--- #sdscbundle.tensor_arg ------------------------------------------===//

MlirAttribute spyreSdscBundleTensorArgGet(
    MlirContext context, bool isOutput, int32_t space, int64_t address,
    int32_t format, const int64_t *size, intptr_t numSize,
    MlirAffineMap coordinates, const int64_t *advance, intptr_t numAdvance,
    int64_t offset, int32_t arrangement, MlirStringRef name,
    const MlirStringRef *indirect, intptr_t numIndirect, MlirAttribute owners,
    bool separateParts, bool kernelLocal) {
  MLIRContext *ctx = unwrap(context);
  SmallVector<StringAttr> indices;
  for (intptr_t i = 0; i < numIndirect; ++i)
    indices.push_back(StringAttr::get(ctx, unwrap(indirect[i])));
  return wrap(TensorArgAttr::get(
      ctx, isOutput, static_cast<Space>(space), address,
      static_cast<DeviceFormat>(format), ArrayRef<int64_t>(size, numSize),
      unwrap(coordinates), ArrayRef<int64_t>(advance, numAdvance), offset,
      static_cast<Arrangement>(arrangement), optionalText(ctx, name), indices,
      cast_if_present<OwnershipAttr>(unwrap(owners)), separateParts,
      kernelLocal));
}
bool spyreSdscBundleTensorArgIsOutput(MlirAttribute attr) {
  return cast<TensorArgAttr>(unwrap(attr)).getIsOutput();
}
int32_t spyreSdscBundleTensorArgGetSpace(MlirAttribute attr) {
  return static_cast<int32_t>(cast<TensorArgAttr>(unwrap(attr)).getSpace());
}
int64_t spyreSdscBundleTensorArgGetAddress(MlirAttribute attr) {
  return cast<TensorArgAttr>(unwrap(attr)).getAddress();
}
int32_t spyreSdscBundleTensorArgGetFormat(MlirAttribute attr) {
  return static_cast<int32_t>(cast<TensorArgAttr>(unwrap(attr)).getFormat());
}
intptr_t spyreSdscBundleTensorArgGetSize(MlirAttribute attr,
                                         const int64_t **size) {
  return borrow(cast<TensorArgAttr>(unwrap(attr)).getDeviceSize(), size);
}
MlirAffineMap spyreSdscBundleTensorArgGetCoordinates(MlirAttribute attr) {
  return wrap(cast<TensorArgAttr>(unwrap(attr)).getCoordinates());
}
intptr_t spyreSdscBundleTensorArgGetAdvance(MlirAttribute attr,
                                            const int64_t **advance) {
  return borrow(cast<TensorArgAttr>(unwrap(attr)).getAdvance(), advance);
}
int64_t spyreSdscBundleTensorArgGetOffset(MlirAttribute attr) {
  return cast<TensorArgAttr>(unwrap(attr)).getOffset();
}
int32_t spyreSdscBundleTensorArgGetArrangement(MlirAttribute attr) {
  return static_cast<int32_t>(
      cast<TensorArgAttr>(unwrap(attr)).getArrangement());
}
MlirStringRef spyreSdscBundleTensorArgGetName(MlirAttribute attr) {
  return optionalText(cast<TensorArgAttr>(unwrap(attr)).getName());
}
intptr_t spyreSdscBundleTensorArgGetNumIndirect(MlirAttribute attr) {
  return static_cast<intptr_t>(
      cast<TensorArgAttr>(unwrap(attr)).getIndirect().size());
}
MlirStringRef spyreSdscBundleTensorArgGetIndirect(MlirAttribute attr,
                                                  intptr_t index) {
  return wrap(
      cast<TensorArgAttr>(unwrap(attr)).getIndirect()[index].getValue());
}
MlirAttribute spyreSdscBundleTensorArgGetOwners(MlirAttribute attr) {
  return wrap(Attribute(cast<TensorArgAttr>(unwrap(attr)).getOwners()));
}
bool spyreSdscBundleTensorArgHasSeparateParts(MlirAttribute attr) {
  return cast<TensorArgAttr>(unwrap(attr)).getSeparateParts();
}
bool spyreSdscBundleTensorArgIsKernelLocal(MlirAttribute attr) {
  return cast<TensorArgAttr>(unwrap(attr)).getKernelLocal();
}
