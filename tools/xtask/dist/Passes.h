//===- Passes.h - Registration of dialects and passes -----------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes are in Rust, and registered by name: a pass manager takes them
// from a textual pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_PASSES_H
#define SPYRE_PASSES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace spyre {

/// Adds all dialects of spyre-mlir to a registry.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  ::mlirGetDialectPluginInfo().registerDialectRegistryCallbacks(&registry);
}

/// Adds all passes and pipelines of spyre-mlir to MLIR's registry of passes.
/// Ends the process when the program has one of them already.
inline void registerAllPasses() {
  ::mlirGetPassPluginInfo().registerPassRegistryCallbacks();
}

} // namespace spyre

#endif // SPYRE_PASSES_H
