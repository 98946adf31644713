//===- CAPI.cpp - C interface of the uop dialect --------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "uop/CAPI.h"

#include "uop/Uop.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace spyre::uop;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Uop, uop, UopDialect)

MlirType spyreUopEffectTypeGet(MlirContext context) {
  unwrap(context)->getOrLoadDialect<UopDialect>();
  return wrap(EffectType::get(unwrap(context)));
}

MlirAttribute spyreUopKeywordGet(MlirContext wrapped, int32_t kind,
                                 int32_t number) {
  MLIRContext *context = unwrap(wrapped);
  context->getOrLoadDialect<UopDialect>();
  switch (kind) {
  case 0:
    return wrap(
        ReduceKindAttr::get(context, static_cast<ReduceKind>(number)));
  case 1:
    return wrap(
        AddressSpaceAttr::get(context, static_cast<AddressSpace>(number)));
  default:
    return wrap(AxisTypeAttr::get(context, static_cast<AxisType>(number)));
  }
}

template <typename Attr> static int32_t numberOf(Attribute attr) {
  auto keyword = llvm::dyn_cast_if_present<Attr>(attr);
  return keyword ? static_cast<int32_t>(keyword.getValue()) : -1;
}

int32_t spyreUopKeywordNumber(MlirAttribute attr, int32_t kind) {
  switch (kind) {
  case 0:
    return numberOf<ReduceKindAttr>(unwrap(attr));
  case 1:
    return numberOf<AddressSpaceAttr>(unwrap(attr));
  default:
    return numberOf<AxisTypeAttr>(unwrap(attr));
  }
}
