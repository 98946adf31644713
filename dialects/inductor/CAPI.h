/*===- CAPI.h - C interface of the inductor dialect ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the spyre-mlir project, under the Apache License v2.0 with LLVM    *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef INDUCTOR_CAPI_H
#define INDUCTOR_CAPI_H

#include "mlir-c/AffineMap.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The handle of the dialect: `mlirGetDialectHandle__inductor__()`.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Inductor, inductor);

/// The attribute `#inductor.layout`. `kind` is 0 for fixed, 1 for flexible, 2
/// for non-owning. The maps have no dimensions; `size` may be the null map.
/// Returns the null attribute if IN1 or IN2 is violated.
MLIR_CAPI_EXPORTED MlirAttribute spyreInductorLayoutGet(
    MlirContext context, int32_t kind, MlirAffineMap stride, MlirAffineMap size,
    MlirAffineMap offset, MlirAffineMap baseOffset);

/// Whether an attribute is an `#inductor.layout`. False for the null attribute.
MLIR_CAPI_EXPORTED bool spyreInductorAttributeIsALayout(MlirAttribute attr);

/// Its parts. `attr` must be an `#inductor.layout`. The size may be the null map.
MLIR_CAPI_EXPORTED int32_t spyreInductorLayoutGetKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAffineMap
spyreInductorLayoutGetStride(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAffineMap spyreInductorLayoutGetSize(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAffineMap
spyreInductorLayoutGetOffset(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirAffineMap
spyreInductorLayoutGetBaseOffset(MlirAttribute attr);

/// The attribute `#inductor.sym`. A bound is ignored unless its flag is set.
/// Returns the null attribute if IN3 is violated.
MLIR_CAPI_EXPORTED MlirAttribute spyreInductorSymGet(
    MlirContext context, MlirStringRef name, bool hasHint, int64_t hint,
    bool hasMin, int64_t min, bool hasMax, int64_t max);

/// Its parts; false if it is no `#inductor.sym`, or does not have that bound.
MLIR_CAPI_EXPORTED bool spyreInductorSymGetName(MlirAttribute attr,
                                                MlirStringRef *name);
MLIR_CAPI_EXPORTED bool spyreInductorSymGetHint(MlirAttribute attr,
                                                int64_t *value);
MLIR_CAPI_EXPORTED bool spyreInductorSymGetMin(MlirAttribute attr,
                                               int64_t *value);
MLIR_CAPI_EXPORTED bool spyreInductorSymGetMax(MlirAttribute attr,
                                               int64_t *value);

/// The attribute `#inductor.operand`.
MLIR_CAPI_EXPORTED MlirAttribute
spyreInductorOperandGet(MlirContext context, int64_t number);

/// Whether an attribute is an `#inductor.operand`, and its number.
MLIR_CAPI_EXPORTED bool spyreInductorOperandGetNumber(MlirAttribute attr,
                                                      int64_t *number);

/// The type `!inductor.results`.
MLIR_CAPI_EXPORTED MlirType spyreInductorResultsTypeGet(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif /* INDUCTOR_CAPI_H */
