//===- SdscBundleDialect.cpp - The sdscbundle dialect ---------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sdscbundle/SdscBundle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace spyre::sdscbundle;

#include "SdscBundleDialect.cpp.inc"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

static ParseResult parseSizeBounds(AsmParser &parser,
                                   std::optional<int64_t> &granularity,
                                   std::optional<int64_t> &maxValue);
static void printSizeBounds(AsmPrinter &printer,
                            std::optional<int64_t> granularity,
                            std::optional<int64_t> maxValue);

// The generated storage classes are needed to register the types, so their
// definitions live in this file.
#define GET_TYPEDEF_CLASSES
#include "SdscBundleTypes.cpp.inc"

namespace {
/// Executions, and their sizes and addresses, mean the same in the function of
/// the call. An allocation has to be in the entry block of its function (SB9),
/// so it is inlined only into that block.
struct SdscBundleInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *destination, bool,
                       IRMapping &) const override {
    // An OpSpec is a symbol of its module.
    if (isa<OpSpecOp>(op))
      return false;
    return !isa<DeviceMemAllocateOp>(op) ||
           isa<FunctionOpInterface>(destination->getParentOp());
  }
};
} // namespace

void SdscBundleDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "SdscBundleTypes.cpp.inc"
      >();
  registerAttributes();
  registerOperations();
  addInterfaces<SdscBundleInlinerInterface>();
}

Operation *SdscBundleDialect::materializeConstant(OpBuilder &builder,
                                                  Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult refuseAttribute(Operation *op, NamedAttribute attr,
                                     const Twine &where = "") {
  return op->emitOpError("has no attribute '")
         << attr.getName().getValue() << "' of the sdscbundle dialect" << where
         << " (known: sdscbundle.op_spec on an sdscbundle.sdsc_execute; "
            "sdscbundle.size on function arguments)";
}

/// SD7 and SB22
LogicalResult
SdscBundleDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attr) {
  if (attr.getName() != "sdscbundle.op_spec")
    return refuseAttribute(op, attr);
  if (!isa<SdscExecuteOp>(op) || !isa<FlatSymbolRefAttr>(attr.getValue()))
    return op->emitOpError("'sdscbundle.op_spec' must be the symbol of an "
                           "OpSpec on an sdscbundle.sdsc_execute, got ")
           << attr.getValue();
  return success();
}

/// SD6 and SB22
LogicalResult SdscBundleDialect::verifyRegionArgAttribute(Operation *op,
                                                          unsigned,
                                                          unsigned index,
                                                          NamedAttribute attr) {
  if (attr.getName() != "sdscbundle.size")
    return refuseAttribute(op, attr, " on argument " + Twine(index));
  if (!isa<FunctionOpInterface>(op) || !isa<SizeAttr>(attr.getValue()))
    return op->emitOpError("'sdscbundle.size' of argument ")
           << index << " must be a #sdscbundle.size, got " << attr.getValue();
  return success();
}

/// SB22: a size is an argument, and no attribute of the dialect describes a
/// result.
LogicalResult SdscBundleDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  return refuseAttribute(op, attr, " on result " + Twine(index));
}

//===----------------------------------------------------------------------===//
// InputArgType
//===----------------------------------------------------------------------===//

LogicalResult InputArgType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Type elementType,
                                   std::optional<int64_t> granularity,
                                   std::optional<int64_t> maxValue) {
  // SB1
  if (!elementType || !elementType.isIndex()) {
    InFlightDiagnostic diag = emitError() << "underlying type must be 'index'";
    if (elementType)
      diag << ", but is " << elementType;
    return diag;
  }
  // SB2
  if (granularity && *granularity <= 0)
    return emitError() << "granularity must be positive, but is "
                       << *granularity;
  // SB3
  if (maxValue && *maxValue <= 0)
    return emitError() << "max_value must be positive, but is " << *maxValue;
  // SB4
  if (granularity && maxValue && *maxValue % *granularity != 0)
    return emitError() << "max_value " << *maxValue
                       << " is not a multiple of granularity " << *granularity;
  return success();
}

/// size-bounds ::= (`,` (`granularity` | `max_value`) `=` integer)*
/// Each keyword at most once, in any order.
static ParseResult parseSizeBounds(AsmParser &parser,
                                   std::optional<int64_t> &granularity,
                                   std::optional<int64_t> &maxValue) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (failed(parser.parseOptionalKeyword(&keyword,
                                           {"granularity", "max_value"})))
      return parser.emitError(loc, "expected 'granularity' or 'max_value'");
    std::optional<int64_t> &bound =
        keyword == "granularity" ? granularity : maxValue;
    if (bound)
      return parser.emitError(loc) << "'" << keyword << "' is given twice";
    int64_t value;
    if (parser.parseEqual() || parser.parseInteger(value))
      return failure();
    bound = value;
  }
  return success();
}

static void printSizeBounds(AsmPrinter &printer,
                            std::optional<int64_t> granularity,
                            std::optional<int64_t> maxValue) {
  // No spaces around `=`: the form that the reference writes.
  if (granularity)
    printer << ", granularity=" << *granularity;
  if (maxValue)
    printer << ", max_value=" << *maxValue;
}

//===----------------------------------------------------------------------===//
// InputArgField
//===----------------------------------------------------------------------===//

StringRef spyre::sdscbundle::stringifyInputArgField(InputArgField field) {
  switch (field) {
  case InputArgField::Value:
    return "value";
  case InputArgField::Granularity:
    return "granularity";
  case InputArgField::MaxValue:
    return "max_value";
  }
  llvm_unreachable("unknown input argument field");
}

std::optional<InputArgField>
spyre::sdscbundle::symbolizeInputArgField(StringRef keyword) {
  return llvm::StringSwitch<std::optional<InputArgField>>(keyword)
      .Case("value", InputArgField::Value)
      .Case("granularity", InputArgField::Granularity)
      .Case("max_value", InputArgField::MaxValue)
      .Default(std::nullopt);
}
