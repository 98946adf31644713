//===- KtdpDialect.cpp - The ktdp dialect ---------------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ktdp/Ktdp.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace spyre::ktdp;

#include "KtdpDialect.cpp.inc"

#include "KtdpEnums.cpp.inc"

static ParseResult parseRuntimeBounds(AsmParser &parser,
                                      std::optional<int64_t> &granularity,
                                      std::optional<int64_t> &upperbound);
static void printRuntimeBounds(AsmPrinter &printer,
                               std::optional<int64_t> granularity,
                               std::optional<int64_t> upperbound);

#define GET_ATTRDEF_CLASSES
#include "KtdpAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "KtdpTypes.cpp.inc"

namespace {
/// Bytecode has types as text, and the text of a future with `>=` in its set
/// does not parse; so a future is its parts. All else is text.
struct KtdpBytecodeInterface : BytecodeDialectInterface {
  explicit KtdpBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    auto future = dyn_cast<TileFutureType>(type);
    if (!future)
      return failure();
    writer.writeTypes(future.getPartialTypes());
    writer.writeAttribute(future.getGroups());
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    SmallVector<RankedTensorType> partials;
    IntegerSetAttr groups;
    if (failed(reader.readTypes(partials)) ||
        failed(reader.readAttribute(groups)))
      return {};
    return TileFutureType::getChecked([&] { return reader.emitError(); },
                                      reader.getContext(), partials, groups);
  }
};
} // namespace

void KtdpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "KtdpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "KtdpTypes.cpp.inc"
      >();
  registerOperations();
  addInterfaces<KtdpBytecodeInterface>();
}

//===----------------------------------------------------------------------===//
// #ktdp.memory_space
//===----------------------------------------------------------------------===//

/// KT1
LogicalResult
MemorySpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        MemoryKind kind, std::optional<int64_t> ctId) {
  if (!ctId)
    return success();
  if (kind != MemoryKind::CtLocal)
    return emitError() << "only ct_local has a ct_id, but "
                       << stringifyMemoryKind(kind) << " has ct_id " << *ctId;
  if (*ctId < 0)
    return emitError() << "ct_id must not be negative, but is " << *ctId;
  return success();
}

/// `<` (`HBM` | `LX`) (`,` `core` `=` integer)? `>`, the older spelling.
static Attribute parseOlderMemorySpace(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef memory;
  std::optional<int64_t> core;
  if (parser.parseLess() || parser.parseKeyword(&memory))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    int64_t number;
    if (parser.parseKeyword("core") || parser.parseEqual() ||
        parser.parseInteger(number))
      return {};
    core = number;
  }
  if (parser.parseGreater())
    return {};
  if (memory != "HBM" && memory != "LX") {
    parser.emitError(loc) << "memory space '" << memory
                          << "' has no current spelling; 'HBM' is "
                          << "global, and 'LX' is ct_local";
    return {};
  }
  MemoryKind kind = memory == "HBM" ? MemoryKind::Global : MemoryKind::CtLocal;
  return MemorySpaceAttr::getChecked([&] { return parser.emitError(loc); },
                                     parser.getContext(), kind, core);
}

Attribute KtdpDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  if (mnemonic == "spyre_memory_space")
    return parseOlderMemorySpace(parser);
  parser.emitError(loc) << "unknown attribute '" << mnemonic
                        << "' of the ktdp dialect (known: memory_space)";
  return {};
}

void KtdpDialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  if (failed(generatedAttributePrinter(attr, printer)))
    llvm_unreachable("the dialect has no other attributes");
}

//===----------------------------------------------------------------------===//
// !ktdp.access_tile
//===----------------------------------------------------------------------===//

/// KT2
LogicalResult
AccessTileType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> shape) {
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return emitError() << "extent #" << axis
                         << " of an access tile must not be negative, but is "
                         << extent;
  return success();
}

Type AccessTileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  if (parser.parseLess() || parser.parseDimensionList(shape))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  Type element;
  if (parser.parseType(element))
    return {};
  if (!element.isIndex()) {
    parser.emitError(loc) << "elements of an access tile must be 'index', but "
                          << "are " << element;
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AccessTileType>(loc, parser.getContext(), shape);
}

void AccessTileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape()) {
    if (ShapedType::isDynamic(extent))
      printer << '?';
    else
      printer << extent;
    printer << 'x';
  }
  printer << "index>";
}

//===----------------------------------------------------------------------===//
// !ktdp.runtime_arg
//===----------------------------------------------------------------------===//

LogicalResult
RuntimeArgType::verify(function_ref<InFlightDiagnostic()> emitError,
                       Type underlying, std::optional<int64_t> granularity,
                       std::optional<int64_t> upperbound) {
  // KT3
  if (!isa_and_present<IndexType, IntegerType, FloatType>(underlying))
    return emitError() << "underlying type must be 'index', an integer or a "
                          "float, but is "
                       << underlying;
  // KT4
  if (granularity && *granularity <= 0)
    return emitError() << "granularity must be positive, but is "
                       << *granularity;
  if (upperbound && *upperbound <= 0)
    return emitError() << "upperbound must be positive, but is " << *upperbound;
  return success();
}

/// (`,` (`granularity` | `upperbound`) `=` integer)*
/// Each keyword at most once, in any order.
static ParseResult parseRuntimeBounds(AsmParser &parser,
                                      std::optional<int64_t> &granularity,
                                      std::optional<int64_t> &upperbound) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (failed(parser.parseOptionalKeyword(&keyword,
                                           {"granularity", "upperbound"})))
      return parser.emitError(loc, "expected 'granularity' or 'upperbound'");
    std::optional<int64_t> &bound =
        keyword == "granularity" ? granularity : upperbound;
    if (bound)
      return parser.emitError(loc) << "'" << keyword << "' is given twice";
    int64_t value;
    if (parser.parseEqual() || parser.parseInteger(value))
      return failure();
    bound = value;
  }
  return success();
}

static void printRuntimeBounds(AsmPrinter &printer,
                               std::optional<int64_t> granularity,
                               std::optional<int64_t> upperbound) {
  // No spaces around `=`: the form that the published dialect prints.
  if (granularity)
    printer << ", granularity=" << *granularity;
  if (upperbound)
    printer << ", upperbound=" << *upperbound;
}

//===----------------------------------------------------------------------===//
// !ktdp.tile_future
//===----------------------------------------------------------------------===//

LogicalResult
TileFutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<RankedTensorType> partials,
                       IntegerSetAttr groups) {
  // KT5
  if (partials.empty())
    return emitError() << "a tile_future must have a tensor type, but has none";
  // KT6
  IntegerSet set = groups.getValue();
  if (set.getNumDims() != 1 || set.getNumSymbols() != 0)
    return emitError() << "groups must be a set of 1 dimension and 0 symbols, "
                          "but has "
                       << set.getNumDims() << " and " << set.getNumSymbols();
  return success();
}

/// `<` `(` types `)` `,` `groups` `=` set `>`; the older spelling has the types
/// without parentheses.
Type TileFutureType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<RankedTensorType> partials;
  auto parsePartial = [&] { return parser.parseType(partials.emplace_back()); };
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalRParen())) {
      parser.emitError(loc) << "a tile_future must have a tensor type, but has "
                               "none";
      return {};
    }
    if (parser.parseCommaSeparatedList(parsePartial) || parser.parseRParen() ||
        parser.parseComma() || parser.parseKeyword("groups"))
      return {};
  } else {
    do {
      if (parsePartial() || parser.parseComma())
        return {};
    } while (failed(parser.parseOptionalKeyword("groups")));
  }
  IntegerSetAttr groups;
  if (parser.parseEqual() || parser.parseAttribute(groups) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TileFutureType>(loc, parser.getContext(), partials,
                                           groups);
}

void TileFutureType::print(AsmPrinter &printer) const {
  printer << "<(";
  llvm::interleaveComma(getPartialTypes(), printer);
  printer << "), groups = ";
  printer.printAttribute(getGroups());
  printer << '>';
}
