//===- Guard.h - checks that end a compiled program -------------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_MLIR_RT_GUARD_H
#define SPYRE_MLIR_RT_GUARD_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace spyre {
/// Adds the functions that guarded programs call.
void addGuardSymbols(llvm::orc::MangleAndInterner mangle,
                     llvm::orc::SymbolMap &symbols);
} // namespace spyre

#endif // SPYRE_MLIR_RT_GUARD_H
