//===- Ktdp.h - The ktdp dialect --------------------------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that are generated from Ktdp.td, and their dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef KTDP_KTDP_H
#define KTDP_KTDP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cstdint>
#include <optional>

#include "KtdpDialect.h.inc"

#include "KtdpEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "KtdpAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "KtdpTypes.h.inc"

#define GET_OP_CLASSES
#include "KtdpOps.h.inc"

namespace spyre::ktdp {

/// The extents of a set of points that is a box: each constraint bounds one
/// dimension by a number, and each dimension has a first and a last point. An
/// empty dimension has extent 0. No value for any other set, and for bounds
/// that overflow.
std::optional<llvm::SmallVector<int64_t>> boxExtents(mlir::IntegerSet set);

} // namespace spyre::ktdp

#endif // KTDP_KTDP_H
