/*===- CAPI.h - C interface of the sdscbundle dialect -------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SDSCBUNDLE_CAPI_H
#define SDSCBUNDLE_CAPI_H

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

#ifdef __cplusplus
}
#endif

#endif /* SDSCBUNDLE_CAPI_H */
