//===- CAPI.cpp - C interface of the sdscbundle dialect -------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// First: it gives the functions below their C linkage.
#include "sdscbundle/CAPI.h"

#include "sdscbundle/SdscBundle.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;
using namespace spyre::sdscbundle;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(SdscBundle, sdscbundle, SdscBundleDialect)

MlirType spyreSdscBundleInputArgTypeGet(MlirType element, bool hasGranularity,
                                        int64_t granularity, bool hasMax,
                                        int64_t max) {
  if (mlirTypeIsNull(element))
    return MlirType{nullptr};
  MLIRContext *context = unwrap(element).getContext();
  context->getOrLoadDialect<SdscBundleDialect>();
  return wrap(InputArgType::getChecked(
      UnknownLoc::get(context), context, unwrap(element),
      hasGranularity ? std::optional<int64_t>(granularity) : std::nullopt,
      hasMax ? std::optional<int64_t>(max) : std::nullopt));
}

bool spyreSdscBundleTypeIsAInputArg(MlirType type) {
  return llvm::isa_and_nonnull<InputArgType>(unwrap(type));
}

MlirTypeID spyreSdscBundleInputArgTypeGetTypeID() {
  return wrap(InputArgType::getTypeID());
}

MlirType spyreSdscBundleInputArgTypeGetElementType(MlirType type) {
  return wrap(llvm::cast<InputArgType>(unwrap(type)).getElementType());
}

bool spyreSdscBundleInputArgTypeHasGranularity(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getGranularity().has_value();
}

int64_t spyreSdscBundleInputArgTypeGetGranularity(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getGranularity().value_or(0);
}

bool spyreSdscBundleInputArgTypeHasMaxValue(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getMaxValue().has_value();
}

int64_t spyreSdscBundleInputArgTypeGetMaxValue(MlirType type) {
  return llvm::cast<InputArgType>(unwrap(type)).getMaxValue().value_or(0);
}

int64_t spyreSdscBundleGetMaxDeviceMemBytes() { return maxDeviceMemBytes; }
