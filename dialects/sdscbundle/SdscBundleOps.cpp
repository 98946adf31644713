//===- SdscBundleOps.cpp - Operations of the sdscbundle dialect -----------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sdscbundle/BundleVerifier.h"
#include "sdscbundle/SdscBundle.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace spyre::sdscbundle;

//===----------------------------------------------------------------------===//
// Assembly format
//===----------------------------------------------------------------------===//

/// field ::= `value` | `granularity` | `max_value`                       (SB5)
static ParseResult parseInputArgField(OpAsmParser &parser, StringAttr &field) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(
          &keyword, {"value", "granularity", "max_value"})))
    return parser.emitError(
        loc, "expected 'value', 'granularity' or 'max_value'");
  field = parser.getBuilder().getStringAttr(keyword);
  return success();
}

static void printInputArgField(OpAsmPrinter &printer, Operation *,
                               StringAttr field) {
  printer << field.getValue();
}

/// `[<...>, <...>]`: attributes of one kind, with or without their names.
template <typename Attr>
static ParseResult parseAll(OpAsmParser &parser, ArrayAttr &all) {
  SmallVector<Attribute> parsed;
  auto parseOne = [&]() -> ParseResult {
    Attr attr;
    if (parser.parseCustomAttributeWithFallback(attr))
      return failure();
    parsed.push_back(attr);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  all = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}

/// Prints an attribute without its name, or with it if the verifier refuses the
/// attribute.
template <typename Attr>
static void printOne(OpAsmPrinter &printer, Attribute attr) {
  if (auto known = dyn_cast<Attr>(attr))
    return printer.printStrippedAttrOrType(known);
  printer.printAttribute(attr);
}

template <typename Attr>
static void printAll(OpAsmPrinter &printer, ArrayAttr all) {
  printer << '[';
  llvm::interleaveComma(all, printer, [&](Attribute attr) {
    printOne<Attr>(printer, attr);
  });
  printer << ']';
}

static ParseResult parseIterDims(OpAsmParser &parser, ArrayAttr &space) {
  return parseAll<IterDimAttr>(parser, space);
}

static void printIterDims(OpAsmPrinter &printer, Operation *, ArrayAttr space) {
  printAll<IterDimAttr>(printer, space);
}

static ParseResult parseLevels(OpAsmParser &parser, ArrayAttr &levels) {
  return parseAll<LevelAttr>(parser, levels);
}

static void printLevels(OpAsmPrinter &printer, Operation *, ArrayAttr levels) {
  printAll<LevelAttr>(printer, levels);
}

static ParseResult parseTensorArgs(OpAsmParser &parser, ArrayAttr &args) {
  return parseAll<TensorArgAttr>(parser, args);
}

/// Prints each tensor on a separate line.
static void printTensorArgs(OpAsmPrinter &printer, Operation *,
                            ArrayAttr args) {
  printer << '[';
  printer.increaseIndent();
  llvm::interleave(
      args,
      [&](Attribute arg) {
        printer.printNewline();
        printOne<TensorArgAttr>(printer, arg);
      },
      [&] { printer << ','; });
  printer.decreaseIndent();
  printer << ']';
}

static ParseResult parseJson(OpAsmParser &parser, Attribute &value) {
  return spyre::sdscbundle::detail::parseJson(parser, value);
}

static void printJson(OpAsmPrinter &printer, Operation *, Attribute value) {
  spyre::sdscbundle::detail::printJson(printer, value);
}

#define GET_OP_CLASSES
#include "SdscBundleOps.cpp.inc"

void SdscBundleDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "SdscBundleOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// InputArgExtractOp
//===----------------------------------------------------------------------===//

void InputArgExtractOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) {
  // Printing may happen before verification.
  if (std::optional<InputArgField> field = getInputArgField())
    setNameFn(getResult(), stringifyInputArgField(*field));
}

std::optional<InputArgField> InputArgExtractOp::getInputArgField() {
  StringAttr field = getProperties().field;
  return field ? symbolizeInputArgField(field.getValue()) : std::nullopt;
}

/// Returns the compile-time value of `field` in `type`.
static std::optional<int64_t> getStaticField(InputArgType type,
                                             InputArgField field) {
  switch (field) {
  case InputArgField::Value:
    return std::nullopt;
  case InputArgField::Granularity:
    return type.getGranularity();
  case InputArgField::MaxValue:
    return type.getMaxValue();
  }
  llvm_unreachable("unknown input argument field");
}

LogicalResult InputArgExtractOp::verify() {
  // SB5, already checked by the constraint on the attribute.
  std::optional<InputArgField> field = getInputArgField();
  if (!field)
    return emitOpError("has no field");

  // SB6
  InputArgType type = getInput().getType();
  if (*field != InputArgField::Value && !getStaticField(type, *field))
    return emitOpError() << "extracts " << stringifyInputArgField(*field)
                         << ", which " << type << " does not have";

  // SB7
  if (Operation *def = getInput().getDefiningOp()) {
    InFlightDiagnostic diag =
        emitOpError("input must be a parameter of a 'func.func', but is "
                    "a result of '")
        << def->getName() << "'";
    diag.attachNote(def->getLoc()) << "defined here";
    return diag;
  }
  auto arg = cast<BlockArgument>(getInput());
  if (!canBeFuncEntryBlock(arg.getOwner())) {
    InFlightDiagnostic diag =
        emitOpError("input must be a parameter of a 'func.func', but is "
                    "argument #")
        << arg.getArgNumber() << " of another block";
    diag.attachNote(arg.getLoc()) << "argument is here";
    return diag;
  }
  return success();
}

OpFoldResult InputArgExtractOp::fold(FoldAdaptor) {
  std::optional<InputArgField> field = getInputArgField();
  if (!field)
    return {};
  std::optional<int64_t> value = getStaticField(getInput().getType(), *field);
  if (!value)
    return {};
  return Builder(getContext()).getIndexAttr(*value);
}

//===----------------------------------------------------------------------===//
// DeviceMemAllocateOp
//===----------------------------------------------------------------------===//

void DeviceMemAllocateOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) {
  setNameFn(getAddress(), "pool");
}

LogicalResult DeviceMemAllocateOp::verify() {
  // SB8
  int64_t size = getSizeAttr().getValue().getSExtValue();
  if (size <= 0)
    return emitOpError("size must be positive, but is ") << size << " bytes";
  if (size > maxDeviceMemBytes)
    return emitOpError("size must be at most ")
           << maxDeviceMemBytes << " bytes, but is " << size << " bytes";

  // SB9
  Block *block = (*this)->getBlock();
  if (!block)
    return success(); // Not placed in a program yet.
  if (!canBeFuncEntryBlock(block)) {
    InFlightDiagnostic diag =
        emitOpError("must be in the entry block of a 'func.func'");
    Operation *parent = (*this)->getParentOp();
    diag.attachNote(parent->getLoc())
        << "but is inside this '" << parent->getName() << "'";
    return diag;
  }
  return verifyTotalAllocation(*this);
}

//===----------------------------------------------------------------------===//
// SdscExecuteOp
//===----------------------------------------------------------------------===//

/// operation ::= `(` operands `)` attributes
ParseResult SdscExecuteOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> addresses;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(addresses, OpAsmParser::Delimiter::Paren))
    return failure();
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  auto emitError = [&] {
    return parser.emitError(attributesLoc)
           << "'" << result.name.getStringRef() << "' op ";
  };
  if (failed(verifyInherentAttrs(result.name, result.attributes, emitError)))
    return failure();
  return parser.resolveOperands(addresses, parser.getBuilder().getIndexType(),
                                loc, result.operands);
}

/// Prints a list; one of more than eight entries in lines of eight.
template <typename List, typename Print>
static void printWrapped(OpAsmPrinter &printer, const List &list, Print print) {
  constexpr size_t perLine = 8;
  bool wraps = list.size() > perLine;
  if (wraps)
    printer.increaseIndent();
  for (auto [index, entry] : llvm::enumerate(list)) {
    if (index > 0)
      printer << ',';
    if (wraps && index % perLine == 0)
      printer.printNewline();
    else if (index > 0)
      printer << ' ';
    print(entry);
  }
  if (wraps)
    printer.decreaseIndent();
}

void SdscExecuteOp::print(OpAsmPrinter &printer) {
  printer << " (";
  printWrapped(printer, getAddresses(),
               [&](Value address) { printer.printOperand(address); });
  printer << ") {";
  auto print = [&](NamedAttribute attribute) {
    auto ids = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!ids || attribute.getName() != getSymbolIdsAttrName())
      return printer.printNamedAttribute(attribute);
    printer << attribute.getName().getValue() << " = [";
    printWrapped(printer, ids, [&](Attribute id) {
      printer.printAttributeWithoutType(id);
    });
    printer << ']';
  };
  llvm::interleaveComma((*this)->getAttrs(), printer, print);
  printer << '}';
}

/// SB11
static LogicalResult verifyFilename(SdscExecuteOp op) {
  StringRef name = op.getSdscFilename();
  auto isForbidden = [](unsigned char c) {
    return c == '/' || c == '\\' || c < 0x20 || c == 0x7f;
  };
  if (llvm::any_of(name, isForbidden))
    return op.emitOpError("sdsc_filename must not have path separators or "
                          "control characters, but is ")
           << op.getSdscFilenameAttr();
  if (!llvm::json::isUTF8(name))
    return op.emitOpError("sdsc_filename must be UTF-8, but is ")
           << op.getSdscFilenameAttr();
  StringRef stem = name;
  if (!stem.consume_back(".json") || stem.empty())
    return op.emitOpError("sdsc_filename must be the name of a '.json' file, "
                          "but is ")
           << op.getSdscFilenameAttr();
  return success();
}

/// SB12, SB13 and SB14
static LogicalResult verifySymbolIds(SdscExecuteOp op) {
  size_t numValues = op.getAddresses().size();
  std::optional<ArrayAttr> idsAttr = op.getSymbolIds();
  if (!idsAttr) {
    if (numValues != 0)
      return op.emitOpError("has ") << numValues << " operands but no "
                                    << "symbol_ids";
    return success();
  }
  if (idsAttr->size() != numValues)
    return op.emitOpError("has ")
           << numValues << " operands but " << idsAttr->size() << " symbol_ids";

  // (id, position), to find equal ids as neighbours after sorting.
  SmallVector<std::pair<int64_t, size_t>> ids;
  ids.reserve(idsAttr->size());
  for (auto [position, attr] : llvm::enumerate(*idsAttr)) {
    int64_t id = cast<IntegerAttr>(attr).getInt();
    if (id >= 0)
      return op.emitOpError("symbol_ids must be negative, but #")
             << position << " is " << id;
    ids.emplace_back(id, position);
  }
  llvm::sort(ids);
  for (size_t i = 1; i < ids.size(); ++i)
    if (ids[i].first == ids[i - 1].first)
      return op.emitOpError("symbol_ids must be distinct, but #")
             << ids[i - 1].second << " and #" << ids[i].second
             << " are both " << ids[i].first;
  return success();
}

LogicalResult SdscExecuteOp::verify() {
  if (failed(verifyFilename(*this)) || failed(verifySymbolIds(*this)))
    return failure();
  return verifyBundleRules(*this);
}
