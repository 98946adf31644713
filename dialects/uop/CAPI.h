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

/// The attribute of a keyword of `uop.reduce` (kind 0), of an address space (kind
/// 1), or of the kind of a loop (kind 2), by its number in Uop.td.
MLIR_CAPI_EXPORTED MlirAttribute spyreUopKeywordGet(MlirContext context,
                                                    int32_t kind,
                                                    int32_t number);

/// Returns the number of a keyword of the given kind; -1 for any other attribute
/// and for the null attribute.
MLIR_CAPI_EXPORTED int32_t spyreUopKeywordNumber(MlirAttribute attr,
                                                 int32_t kind);

/// Returns the kind of an optimisation: 0 for a split, 1 for padding, 2 for a
/// swap, 3 for no locals, 4 for a tensor core; -1 for any other attribute. Writes
/// its parameters to `numbers`, an array of four, in the order of Uop.td. The
/// keywords of a split, its target and its place, are written as their numbers.
MLIR_CAPI_EXPORTED int32_t spyreUopOptGetNumbers(MlirAttribute attr,
                                                 int64_t *numbers);

/// An axis of an operation. `type` is a keyword of kind 2.
MLIR_CAPI_EXPORTED MlirAttribute spyreUopAxisGet(MlirContext context,
                                                 int64_t extent, int32_t type,
                                                 int64_t loop, int64_t step);

#ifdef __cplusplus
}
#endif

#endif /* UOP_CAPI_H */
