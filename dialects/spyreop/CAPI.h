/*===- CAPI.h - C interface of the spyreop dialect ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef SPYREOP_CAPI_H
#define SPYREOP_CAPI_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect: `mlirGetDialectHandle__spyreop__()`.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(SpyreOp, spyreop);

/// The type of a pair of moments of `f16`, `f32` or `!spyreop.df16`; the null
/// type for any other type.
MLIR_CAPI_EXPORTED MlirType spyreSpyreOpFusedOf(MlirType element);

/// The type of a float of a pair of moments; the null type for any other type.
MLIR_CAPI_EXPORTED MlirType spyreSpyreOpElementOf(MlirType fused);

/// Whether a type is `!spyreop.df16`.
MLIR_CAPI_EXPORTED bool spyreSpyreOpIsDF16(MlirType type);

#ifdef __cplusplus
}
#endif

#endif /* SPYREOP_CAPI_H */
