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

int32_t spyreUopOptGetNumbers(MlirAttribute wrapped, int64_t *numbers) {
  Attribute attr = unwrap(wrapped);
  if (auto split = llvm::dyn_cast_if_present<SplitAttr>(attr)) {
    numbers[0] = split.getAxis();
    numbers[1] = split.getFactor();
    numbers[2] = static_cast<int64_t>(split.getTarget());
    numbers[3] = static_cast<int64_t>(split.getPlace());
    return 0;
  }
  if (auto padto = llvm::dyn_cast_if_present<PadtoAttr>(attr)) {
    numbers[0] = padto.getAxis();
    numbers[1] = padto.getMultiple();
    return 1;
  }
  if (auto swap = llvm::dyn_cast_if_present<SwapAttr>(attr)) {
    numbers[0] = swap.getAxis();
    numbers[1] = swap.getWith();
    return 2;
  }
  if (llvm::isa_and_present<NolocalsAttr>(attr))
    return 3;
  if (auto core = llvm::dyn_cast_if_present<TcAttr>(attr)) {
    numbers[0] = core.getReduce();
    numbers[1] = core.getCore();
    numbers[2] = core.getOpt();
    numbers[3] = core.getMode();
    return 4;
  }
  return -1;
}

MlirAttribute spyreUopAxisGet(MlirContext wrapped, int64_t extent, int32_t type,
                              int64_t loop, int64_t step) {
  MLIRContext *context = unwrap(wrapped);
  context->getOrLoadDialect<UopDialect>();
  return wrap(
      AxisAttr::get(context, extent, static_cast<AxisType>(type), loop, step));
}
