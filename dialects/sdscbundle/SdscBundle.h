//===- SdscBundle.h - The sdscbundle dialect --------------------*- C++ -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The classes that are generated from SdscBundle.td, and their dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef SDSCBUNDLE_SDSCBUNDLE_H
#define SDSCBUNDLE_SDSCBUNDLE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "spyre/SpyreBase.h"
#include <cstdint>
#include <optional>

#include "SdscBundleDialect.h.inc"

namespace spyre::sdscbundle {

/// A field of an input argument that `sdscbundle.input_arg_extract` reads.
enum class InputArgField { Value, Granularity, MaxValue };

/// The keyword of a field: `value`, `granularity` or `max_value`.
llvm::StringRef stringifyInputArgField(InputArgField field);

/// The field that `keyword` names, if it names one.
std::optional<InputArgField> symbolizeInputArgField(llvm::StringRef keyword);

/// Most device memory, in bytes, that the allocations of one bundle may reserve
/// together: a segment of 16 GiB less the 2 GiB that the backend keeps for
/// programs and correction tensors. SDSC bundle specification, section 2.1.
inline constexpr int64_t maxDeviceMemBytes =
    (int64_t(16) << 30) - (int64_t(2) << 30);

} // namespace spyre::sdscbundle

#define GET_ATTRDEF_CLASSES
#include "SdscBundleAttrs.h.inc"

namespace spyre::sdscbundle::detail {

/// Data attached to an operation: any attribute, records without their prefix.
mlir::ParseResult parseJson(mlir::AsmParser &parser, mlir::Attribute &value);
void printJson(mlir::AsmPrinter &printer, mlir::Attribute value);

} // namespace spyre::sdscbundle::detail

#define GET_TYPEDEF_CLASSES
#include "SdscBundleTypes.h.inc"

#define GET_OP_CLASSES
#include "SdscBundleOps.h.inc"

#endif // SDSCBUNDLE_SDSCBUNDLE_H
