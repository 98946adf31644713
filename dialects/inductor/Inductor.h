//===- Inductor.h - The inductor dialect ------------------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that are generated from Inductor.td, and their dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef INDUCTOR_INDUCTOR_H
#define INDUCTOR_INDUCTOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cstdint>
#include <optional>

#include "InductorDialect.h.inc"

#include "InductorEnums.h.inc"

namespace spyre::inductor {

/// Most symbolic sizes of a graph (IN2).
inline constexpr unsigned maxSymbols = 64;

/// The map without dimensions to some expressions of symbols, which has as many
/// symbols as they use.
mlir::AffineMap symbolicMap(llvm::ArrayRef<mlir::AffineExpr> exprs,
                            mlir::MLIRContext *context);

} // namespace spyre::inductor

#define GET_ATTRDEF_CLASSES
#include "InductorAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "InductorTypes.h.inc"

#define GET_OP_CLASSES
#include "InductorOps.h.inc"

#endif // INDUCTOR_INDUCTOR_H
