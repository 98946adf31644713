/*===- CAPI.h - C interface of the ktdp dialect -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef KTDP_CAPI_H
#define KTDP_CAPI_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect: `mlirGetDialectHandle__ktdp__()`.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Ktdp, ktdp);

/// Returns the type `!ktdp.access_tile`. Each extent is at least 0, or
/// `ShapedType::kDynamic`. For any other extent, emits a diagnostic and returns
/// the null type.
MLIR_CAPI_EXPORTED MlirType spyreKtdpAccessTileTypeGet(MlirContext context,
                                                       const int64_t *shape,
                                                       intptr_t rank);

/// The rank of a `!ktdp.access_tile`, and its extents; -1 for any other type.
MLIR_CAPI_EXPORTED intptr_t
spyreKtdpAccessTileTypeGetShape(MlirType type, const int64_t **shape);

/// Returns the type `!ktdp.runtime_arg`. A null pointer for the granularity or
/// the upper bound means none; both are in units of the value. If KT3 or KT4 is
/// violated, emits a diagnostic and returns the null type.
MLIR_CAPI_EXPORTED MlirType spyreKtdpRuntimeArgTypeGet(
    MlirType underlying, const int64_t *granularity, const int64_t *upperbound);

/// Whether a type is a `!ktdp.runtime_arg`; if so, its granularity and its
/// upper bound, 0 for none.
MLIR_CAPI_EXPORTED bool spyreKtdpRuntimeArgTypeGetBounds(MlirType type,
                                                         int64_t *granularity,
                                                         int64_t *upperbound);

/// The attribute `#ktdp.memory_space`: `global`, or `ct_local` of the compute
/// tile `ctId`; a negative number means none.
MLIR_CAPI_EXPORTED MlirAttribute spyreKtdpMemorySpaceGet(MlirContext context,
                                                         bool isLocal,
                                                         int64_t ctId);

/// 0 for `global`, 1 for `ct_local`, -1 for any other attribute. `ctId` gets
/// the compute tile, -1 for none.
MLIR_CAPI_EXPORTED int32_t spyreKtdpMemorySpaceGetKind(MlirAttribute attr,
                                                       int64_t *ctId);

/// The attribute of a field of `ktdp.runtime_arg_extract`: 0 for `value`, 1 for
/// `granularity`, 2 for `upperbound`.
MLIR_CAPI_EXPORTED MlirAttribute
spyreKtdpRuntimeArgFieldGet(MlirContext context, int32_t field);

#ifdef __cplusplus
}
#endif

#endif /* KTDP_CAPI_H */
