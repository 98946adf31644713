/*===- CAPI.h - C interface of the sdscbundle dialect -------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SDSCBUNDLE_CAPI_H
#define SDSCBUNDLE_CAPI_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect: `mlirGetDialectHandle__sdscbundle__()`.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SdscBundle, sdscbundle);

/// The type `!sdscbundle.input_arg<element[, granularity=G][, max_value=M]>`.
/// `granularity` is ignored unless `hasGranularity`, and `max` unless `hasMax`;
/// both are in elements. Loads the dialect if needed. Returns the null type if
/// SB1, SB2, SB3 or SB4 is violated; the context's diagnostic handlers then get
/// the reason.
MLIR_CAPI_EXPORTED MlirType spyreSdscBundleInputArgTypeGet(
    MlirType element, bool hasGranularity, int64_t granularity, bool hasMax,
    int64_t max);

/// Whether `type` is a `!sdscbundle.input_arg`. False for the null type.
MLIR_CAPI_EXPORTED bool spyreSdscBundleTypeIsAInputArg(MlirType type);

/// The type id of `!sdscbundle.input_arg`.
MLIR_CAPI_EXPORTED MlirTypeID spyreSdscBundleInputArgTypeGetTypeID(void);

/// The underlying type. `type` must be a `!sdscbundle.input_arg`, as below.
MLIR_CAPI_EXPORTED MlirType
spyreSdscBundleInputArgTypeGetElementType(MlirType type);

/// Whether the type has a granularity.
MLIR_CAPI_EXPORTED bool
spyreSdscBundleInputArgTypeHasGranularity(MlirType type);

/// The granularity in elements; 0 if the type has none.
MLIR_CAPI_EXPORTED int64_t
spyreSdscBundleInputArgTypeGetGranularity(MlirType type);

/// Whether the type has a largest value.
MLIR_CAPI_EXPORTED bool spyreSdscBundleInputArgTypeHasMaxValue(MlirType type);

/// The largest value in elements; 0 if the type has none.
MLIR_CAPI_EXPORTED int64_t
spyreSdscBundleInputArgTypeGetMaxValue(MlirType type);

/// Most bytes that one bundle may allocate in device memory (SB8, SB10).
MLIR_CAPI_EXPORTED int64_t spyreSdscBundleGetMaxDeviceMemBytes(void);

//===--- #sdscbundle.iter_dim --------------------------------------------===//

/// A null `size` means a fixed extent.
MlirAttribute spyreSdscBundleIterDimGet(MlirContext context,
                                        MlirStringRef symbol, int64_t extent,
                                        int64_t slices, MlirStringRef size,
                                        int64_t granularity);
MlirStringRef spyreSdscBundleIterDimGetSymbol(MlirAttribute attr);
int64_t spyreSdscBundleIterDimGetExtent(MlirAttribute attr);
int64_t spyreSdscBundleIterDimGetSlices(MlirAttribute attr);
MlirStringRef spyreSdscBundleIterDimGetSize(MlirAttribute attr);
int64_t spyreSdscBundleIterDimGetGranularity(MlirAttribute attr);

//===--- #sdscbundle.level -----------------------------------------------===//

/// A null `dim` and 0 `trips` mean none.
MlirAttribute spyreSdscBundleLevelGet(MlirContext context, int64_t loop,
                                      MlirStringRef dim, int64_t trips);
int64_t spyreSdscBundleLevelGetLoop(MlirAttribute attr);
MlirStringRef spyreSdscBundleLevelGetDim(MlirAttribute attr);
int64_t spyreSdscBundleLevelGetTrips(MlirAttribute attr);

//===--- #sdscbundle.core_slices -----------------------------------------===//

MlirAttribute spyreSdscBundleCoreSlicesGet(MlirContext context,
                                           const MlirStringRef *dims,
                                           intptr_t numDims,
                                           MlirAffineMap cores);
intptr_t spyreSdscBundleCoreSlicesGetNumDims(MlirAttribute attr);
MlirStringRef spyreSdscBundleCoreSlicesGetDim(MlirAttribute attr,
                                              intptr_t index);
MlirAffineMap spyreSdscBundleCoreSlicesGetCores(MlirAttribute attr);

//===--- #sdscbundle.ownership, #sdscbundle.record, #sdscbundle.size -----===//

/// 0 for `among` means none.
MlirAttribute spyreSdscBundleOwnershipGet(MlirContext context,
                                          const int64_t *slices,
                                          intptr_t numSlices,
                                          MlirAffineMap cores, int64_t among);
intptr_t spyreSdscBundleOwnershipGetSlices(MlirAttribute attr,
                                           const int64_t **slices);
MlirAffineMap spyreSdscBundleOwnershipGetCores(MlirAttribute attr);
int64_t spyreSdscBundleOwnershipGetAmong(MlirAttribute attr);

/// Null when two names are the same.
MlirAttribute spyreSdscBundleRecordGet(MlirContext context,
                                       const MlirStringRef *names,
                                       const MlirAttribute *values,
                                       intptr_t count);
bool spyreSdscBundleAttributeIsARecord(MlirAttribute attr);
intptr_t spyreSdscBundleRecordGetCount(MlirAttribute attr);
MlirStringRef spyreSdscBundleRecordGetName(MlirAttribute attr, intptr_t index);
MlirAttribute spyreSdscBundleRecordGetValue(MlirAttribute attr, intptr_t index);

/// Negative `arg` and `dim` mean none.
MlirAttribute spyreSdscBundleSizeGet(MlirContext context, MlirStringRef name,
                                     int64_t arg, int64_t dim);
bool spyreSdscBundleAttributeIsASize(MlirAttribute attr);
MlirStringRef spyreSdscBundleSizeGetName(MlirAttribute attr);
int64_t spyreSdscBundleSizeGetArg(MlirAttribute attr);
int64_t spyreSdscBundleSizeGetDim(MlirAttribute attr);

//===--- #sdscbundle.tensor_arg ------------------------------------------===//

/// A null `name` and `owners` mean none.
MlirAttribute spyreSdscBundleTensorArgGet(
    MlirContext context, bool isOutput, int32_t space, int64_t address,
    int32_t format, const int64_t *size, intptr_t numSize,
    MlirAffineMap coordinates, const int64_t *advance, intptr_t numAdvance,
    int64_t offset, int32_t arrangement, MlirStringRef name,
    const MlirStringRef *indirect, intptr_t numIndirect, MlirAttribute owners,
    bool separateParts, bool kernelLocal);
bool spyreSdscBundleTensorArgIsOutput(MlirAttribute attr);
int32_t spyreSdscBundleTensorArgGetSpace(MlirAttribute attr);
int64_t spyreSdscBundleTensorArgGetAddress(MlirAttribute attr);
int32_t spyreSdscBundleTensorArgGetFormat(MlirAttribute attr);
intptr_t spyreSdscBundleTensorArgGetSize(MlirAttribute attr,
                                         const int64_t **size);
MlirAffineMap spyreSdscBundleTensorArgGetCoordinates(MlirAttribute attr);
intptr_t spyreSdscBundleTensorArgGetAdvance(MlirAttribute attr,
                                            const int64_t **advance);
int64_t spyreSdscBundleTensorArgGetOffset(MlirAttribute attr);
int32_t spyreSdscBundleTensorArgGetArrangement(MlirAttribute attr);
MlirStringRef spyreSdscBundleTensorArgGetName(MlirAttribute attr);
intptr_t spyreSdscBundleTensorArgGetNumIndirect(MlirAttribute attr);
MlirStringRef spyreSdscBundleTensorArgGetIndirect(MlirAttribute attr,
                                                  intptr_t index);
MlirAttribute spyreSdscBundleTensorArgGetOwners(MlirAttribute attr);
bool spyreSdscBundleTensorArgHasSeparateParts(MlirAttribute attr);
bool spyreSdscBundleTensorArgIsKernelLocal(MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif /* SDSCBUNDLE_CAPI_H */
