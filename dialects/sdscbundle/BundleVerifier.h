//===- BundleVerifier.h - Rules across operations ---------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of a bundle that no single operation can check. MLIR has no hook
// for rules over a `func.func`, so the operations' verifiers call these
// functions; each rule is checked once per function (or loop), by the first
// operation in it that is concerned. Private to the dialect.
//
// All functions here may meet operations that have not been verified yet, or
// that are malformed: they must not trust attributes, operand counts or types.
//
//===----------------------------------------------------------------------===//

#ifndef SDSCBUNDLE_BUNDLEVERIFIER_H
#define SDSCBUNDLE_BUNDLEVERIFIER_H

#include "sdscbundle/SdscBundle.h"

#include "mlir/IR/Block.h"

namespace spyre::sdscbundle {

/// Whether `block` is the entry block of a `func.func`, or may become one
/// because it is not in an operation yet. IR that is still being built can thus
/// be verified piece by piece.
bool canBeFuncEntryBlock(mlir::Block *block);

/// Checks SB15, SB16 and SB17 for the loops that `op` is the first execution
/// in, and, if it is the first execution of its function, SB18 to SB21 for the
/// function. Over all executions of a function this takes linear time.
mlir::LogicalResult verifyBundleRules(SdscExecuteOp op);

/// Checks SB10, if `op` is the first allocation in its block. Linear over all
/// allocations of a function.
mlir::LogicalResult verifyTotalAllocation(DeviceMemAllocateOp op);

} // namespace spyre::sdscbundle

#endif // SDSCBUNDLE_BUNDLEVERIFIER_H
