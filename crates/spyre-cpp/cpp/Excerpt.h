//===- Excerpt.h - the part of a line that a message shows ------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_MLIR_RT_EXCERPT_H
#define SPYRE_MLIR_RT_EXCERPT_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/SourceMgr.h"

namespace spyre {
/// Prints a diagnostic on a stream, `llvm::raw_ostream *`, as LLVM does; of a line with more than 120 columns the part
/// around the place, and of a message of more than 2000 bytes the start and the end. A handler of
/// `llvm::SourceMgr`: a module may have a line of megabytes.
void printExcerpt(const llvm::SMDiagnostic &diagnostic, void *stream);

/// Lets contexts with this registry print diagnostics about a file by `printExcerpt` where a line or a message is long,
/// in place of the handler of `mlir-opt`'s main, which has no such limit. The buffer outlives the contexts.
void printExcerptsOf(llvm::MemoryBufferRef file, mlir::DialectRegistry &registry);
} // namespace spyre

#endif // SPYRE_MLIR_RT_EXCERPT_H
