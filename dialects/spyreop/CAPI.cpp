//===- CAPI.cpp - C interface of the spyreop dialect ----------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "spyreop/CAPI.h"

#include "spyreop/SpyreOp.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace spyre::spyreop;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SpyreOp, spyreop, SpyreOpDialect)

MlirType spyreSpyreOpFusedOf(MlirType element) {
  Type type = unwrap(element);
  type.getContext()->getOrLoadDialect<SpyreOpDialect>();
  return wrap(fusedOf(type));
}

MlirType spyreSpyreOpElementOf(MlirType fused) {
  return wrap(elementOf(unwrap(fused)));
}

bool spyreSpyreOpIsDF16(MlirType type) {
  return llvm::isa<DF16Type>(unwrap(type));
}
