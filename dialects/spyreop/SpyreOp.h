//===- SpyreOp.h - The spyreop dialect --------------------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that are generated from SpyreOp.td, and their dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef SPYREOP_SPYREOP_H
#define SPYREOP_SPYREOP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "SpyreOpDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "SpyreOpTypes.h.inc"

#define GET_OP_CLASSES
#include "SpyreOpOps.h.inc"

namespace spyre::spyreop {

/// The type of a pair of moments of a float; null for any other type.
mlir::Type fusedOf(mlir::Type element);

/// The type of a float of a pair; null for any other type.
mlir::Type elementOf(mlir::Type fused);

} // namespace spyre::spyreop

#endif // SPYREOP_SPYREOP_H
