/*===- CAPI.h - C interface of the uop dialect --------------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef UOP_CAPI_H
#define UOP_CAPI_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect: `mlirGetDialectHandle__uop__()`.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Uop, uop);

/// The type `!uop.effect`.
MLIR_CAPI_EXPORTED MlirType spyreUopEffectTypeGet(MlirContext context);

/// The attribute of a keyword of `uop.reduce` (kind 0), of an address space
/// (kind 1), or of what a loop is for (kind 2), by its number in Uop.td.
MLIR_CAPI_EXPORTED MlirAttribute spyreUopKeywordGet(MlirContext context,
                                                    int32_t kind,
                                                    int32_t number);

/// The number of such an attribute; -1 for any other, and for the null
/// attribute.
MLIR_CAPI_EXPORTED int32_t spyreUopKeywordNumber(MlirAttribute attr,
                                                 int32_t kind);

#ifdef __cplusplus
}
#endif

#endif /* UOP_CAPI_H */
