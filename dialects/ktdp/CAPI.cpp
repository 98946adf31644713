//===- CAPI.cpp - C interface of the ktdp dialect -------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "ktdp/CAPI.h"

#include "ktdp/Ktdp.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace spyre::ktdp;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Ktdp, ktdp, KtdpDialect)

static MLIRContext *load(MLIRContext *context) {
  context->getOrLoadDialect<KtdpDialect>();
  return context;
}

MlirType spyreKtdpAccessTileTypeGet(MlirContext wrapped, const int64_t *shape,
                                    intptr_t rank) {
  MLIRContext *context = load(unwrap(wrapped));
  return wrap(AccessTileType::getChecked(
      UnknownLoc::get(context), context,
      ArrayRef<int64_t>(shape, static_cast<size_t>(rank))));
}

intptr_t spyreKtdpAccessTileTypeGetShape(MlirType wrapped,
                                         const int64_t **shape) {
  auto type = llvm::dyn_cast_if_present<AccessTileType>(unwrap(wrapped));
  if (!type)
    return -1;
  *shape = type.getShape().data();
  return static_cast<intptr_t>(type.getShape().size());
}

static std::optional<int64_t> unlessNull(const int64_t *number) {
  return number ? std::optional(*number) : std::nullopt;
}

MlirType spyreKtdpRuntimeArgTypeGet(MlirType wrapped,
                                    const int64_t *granularity,
                                    const int64_t *upperbound) {
  Type underlying = unwrap(wrapped);
  MLIRContext *context = load(underlying.getContext());
  return wrap(RuntimeArgType::getChecked(UnknownLoc::get(context), context,
                                         underlying, unlessNull(granularity),
                                         unlessNull(upperbound)));
}

bool spyreKtdpRuntimeArgTypeGetBounds(MlirType wrapped, int64_t *granularity,
                                      int64_t *upperbound) {
  auto type = llvm::dyn_cast_if_present<RuntimeArgType>(unwrap(wrapped));
  if (!type)
    return false;
  *granularity = type.getGranularity().value_or(0);
  *upperbound = type.getUpperbound().value_or(0);
  return true;
}

MlirAttribute spyreKtdpMemorySpaceGet(MlirContext wrapped, bool isLocal,
                                      int64_t ctId) {
  MLIRContext *context = load(unwrap(wrapped));
  if (!isLocal)
    return wrap(
        MemorySpaceAttr::get(context, MemoryKind::Global, std::nullopt));
  return wrap(
      MemorySpaceAttr::get(context, MemoryKind::CtLocal,
                           ctId < 0 ? std::nullopt : std::optional(ctId)));
}

int32_t spyreKtdpMemorySpaceGetKind(MlirAttribute wrapped, int64_t *ctId) {
  auto space = llvm::dyn_cast_if_present<MemorySpaceAttr>(unwrap(wrapped));
  if (!space)
    return -1;
  *ctId = space.getCtId().value_or(-1);
  return static_cast<int32_t>(space.getKind());
}

MlirAttribute spyreKtdpRuntimeArgFieldGet(MlirContext wrapped, int32_t field) {
  MLIRContext *context = load(unwrap(wrapped));
  return wrap(
      RuntimeArgFieldAttr::get(context, static_cast<RuntimeArgField>(field)));
}
