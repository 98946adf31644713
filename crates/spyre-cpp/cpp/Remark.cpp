//===- Remark.cpp - Optimization remarks ----------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Remarks.h"

#include <mutex>

using namespace mlir;

namespace {
// `mlir-opt` creates an engine whether or not there is a filter, and the engine evaluates its
// filters only for a built remark. The filter alone is a private member, which an explicit
// instantiation may name.
bool isAnyEnabled(const remark::detail::RemarkEngine &engine,
                  StringRef category);

template <auto IsAnyRemarkEnabled>
struct Question {
  friend bool isAnyEnabled(const remark::detail::RemarkEngine &engine,
                           StringRef category) {
    return (engine.*IsAnyRemarkEnabled)(category);
  }
};

template struct Question<&remark::detail::RemarkEngine::isAnyRemarkEnabled>;
} // namespace

bool spyreRemarksEnabled(MlirContext context, MlirStringRef category) {
  remark::detail::RemarkEngine *engine = unwrap(context)->getRemarkEngine();
  return engine && isAnyEnabled(*engine, unwrap(category));
}

void spyreEmitRemark(MlirLocation location, int32_t kind, MlirStringRef category,
                     MlirStringRef name, MlirStringRef function,
                     intptr_t numArgs, const MlirStringRef *keys,
                     const MlirStringRef *values) {
  Location loc = unwrap(location);
  MLIRContext *context = loc.getContext();
  // The engine keeps references to these texts, perhaps until it ends.
  auto kept = [&](MlirStringRef text) {
    return StringAttr::get(context, unwrap(text)).getValue();
  };
  auto options = remark::RemarkOpts::name(kept(name))
                     .category(kept(category))
                     .function(kept(function));
  // Passes run in several threads, and the engine has no lock.
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  auto emit = [&](remark::detail::InFlightRemark remark) {
    for (intptr_t i = 0; i != numArgs; ++i)
      remark << remark::detail::Remark::Arg(unwrap(keys[i]),
                                            unwrap(values[i]));
  };
  switch (kind) {
  case 0:
    return emit(remark::passed(loc, options));
  case 1:
    return emit(remark::missed(loc, options));
  case 2:
    return emit(remark::failed(loc, options));
  default:
    return emit(remark::analysis(loc, options));
  }
}
