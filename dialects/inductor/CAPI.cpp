//===- CAPI.cpp - C interface of the inductor dialect ---------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "inductor/CAPI.h"

#include "inductor/Inductor.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace spyre::inductor;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Inductor, inductor, InductorDialect)

MlirAttribute spyreInductorLayoutGet(MlirContext context, int32_t kind,
                                     MlirAffineMap stride, MlirAffineMap size,
                                     MlirAffineMap offset,
                                     MlirAffineMap baseOffset) {
  unwrap(context)->getOrLoadDialect<InductorDialect>();
  return wrap(LayoutAttr::getChecked(
      UnknownLoc::get(unwrap(context)), unwrap(context),
      static_cast<LayoutKind>(kind), unwrap(stride),
      mlirAffineMapIsNull(size) ? AffineMap() : unwrap(size), unwrap(offset),
      unwrap(baseOffset)));
}

static LayoutAttr layout(MlirAttribute attr) {
  return llvm::cast<LayoutAttr>(unwrap(attr));
}

bool spyreInductorAttributeIsALayout(MlirAttribute attr) {
  return llvm::isa_and_nonnull<LayoutAttr>(unwrap(attr));
}

int32_t spyreInductorLayoutGetKind(MlirAttribute attr) {
  return static_cast<int32_t>(layout(attr).getKind());
}

MlirAffineMap spyreInductorLayoutGetStride(MlirAttribute attr) {
  return wrap(layout(attr).getStride());
}

MlirAffineMap spyreInductorLayoutGetSize(MlirAttribute attr) {
  return wrap(layout(attr).getSize());
}

MlirAffineMap spyreInductorLayoutGetOffset(MlirAttribute attr) {
  return wrap(layout(attr).getOffset());
}

MlirAffineMap spyreInductorLayoutGetBaseOffset(MlirAttribute attr) {
  return wrap(layout(attr).getBaseOffset());
}

static std::optional<int64_t> bound(bool has, int64_t value) {
  return has ? std::optional<int64_t>(value) : std::nullopt;
}

MlirAttribute spyreInductorSymGet(MlirContext context, MlirStringRef name,
                                  bool hasHint, int64_t hint, bool hasMin,
                                  int64_t min, bool hasMax, int64_t max) {
  unwrap(context)->getOrLoadDialect<InductorDialect>();
  return wrap(SymAttr::getChecked(
      UnknownLoc::get(unwrap(context)), unwrap(context), unwrap(name),
      bound(hasHint, hint), bound(hasMin, min), bound(hasMax, max)));
}

bool spyreInductorSymGetName(MlirAttribute attr, MlirStringRef *name) {
  auto sym = llvm::dyn_cast_or_null<SymAttr>(unwrap(attr));
  if (sym)
    *name = wrap(sym.getName());
  return static_cast<bool>(sym);
}

static bool read(std::optional<int64_t> bound, int64_t *value) {
  if (bound)
    *value = *bound;
  return bound.has_value();
}

bool spyreInductorSymGetHint(MlirAttribute attr, int64_t *value) {
  return read(llvm::cast<SymAttr>(unwrap(attr)).getHint(), value);
}

bool spyreInductorSymGetMin(MlirAttribute attr, int64_t *value) {
  return read(llvm::cast<SymAttr>(unwrap(attr)).getMin(), value);
}

bool spyreInductorSymGetMax(MlirAttribute attr, int64_t *value) {
  return read(llvm::cast<SymAttr>(unwrap(attr)).getMax(), value);
}

MlirAttribute spyreInductorOperandGet(MlirContext context, int64_t number) {
  unwrap(context)->getOrLoadDialect<InductorDialect>();
  return wrap(OperandAttr::get(unwrap(context), number));
}

bool spyreInductorOperandGetNumber(MlirAttribute attr, int64_t *number) {
  auto operand = llvm::dyn_cast_or_null<OperandAttr>(unwrap(attr));
  if (operand)
    *number = operand.getNumber();
  return static_cast<bool>(operand);
}

MlirType spyreInductorResultsTypeGet(MlirContext context) {
  unwrap(context)->getOrLoadDialect<InductorDialect>();
  return wrap(ResultsType::get(unwrap(context)));
}
