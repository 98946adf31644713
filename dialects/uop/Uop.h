//===- Uop.h - The uop dialect ----------------------------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that are generated from Uop.td, and their dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef UOP_UOP_H
#define UOP_UOP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cstdint>
#include <optional>

#include "UopDialect.h.inc"

#include "UopEnums.h.inc"

namespace spyre::uop {

/// Reports the violation of a rule.
using Report = llvm::function_ref<void(const llvm::Twine &)>;

/// Whether a tensor has fewer than 2^63 elements when each extent of 0 counts
/// as 1 (U1), so that no number of elements and no stride overflows.
bool isSmallEnough(mlir::RankedTensorType type);

/// The tensor of truth values in the shape of another. Null for a type that is
/// no ranked tensor.
mlir::Type truthOf(mlir::Type type);

} // namespace spyre::uop

#define GET_ATTRDEF_CLASSES
#include "UopAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "UopTypes.h.inc"

#define GET_OP_CLASSES
#include "UopOps.h.inc"

#endif // UOP_UOP_H
