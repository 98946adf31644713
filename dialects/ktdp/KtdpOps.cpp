//===- KtdpOps.cpp - Operations of the ktdp dialect -----------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly. The verifiers are in KtdpVerifiers.cpp.
//
//===----------------------------------------------------------------------===//

#include "ktdp/Ktdp.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace spyre::ktdp;

using Operand = OpAsmParser::UnresolvedOperand;

/// `[` affine expressions of values `]`
static ParseResult parsePosition(OpAsmParser &parser,
                                 SmallVectorImpl<Operand> &operands,
                                 AffineMapAttr &map) {
  // The parser adds the map to attributes under a name; the caller has it.
  NamedAttrList attributes;
  return parser.parseAffineMapOfSSAIds(operands, map, "map", attributes);
}

static void printPosition(OpAsmPrinter &printer, Operation *,
                          OperandRange operands, AffineMapAttr map) {
  printer << '[';
  printer.printAffineMapOfSSAIds(map, operands);
  printer << ']';
}

/// A type of the dialect, with or without its name.
template <typename T>
static ParseResult parseNamed(OpAsmParser &parser, Type &type) {
  T parsed;
  if (parser.parseCustomTypeWithFallback(parsed))
    return failure();
  type = parsed;
  return success();
}

// Tiles and arguments print with their names: upstream reads both forms, and
// its interpreter infers shapes from the names.

static ParseResult parseTile(OpAsmParser &parser, Type &tile) {
  return parseNamed<AccessTileType>(parser, tile);
}

static void printTile(OpAsmPrinter &printer, Operation *, Type tile) {
  printer << tile;
}

static ParseResult parseRuntimeArg(OpAsmParser &parser, Type &argument) {
  return parseNamed<RuntimeArgType>(parser, argument);
}

static void printRuntimeArg(OpAsmPrinter &printer, Operation *, Type argument) {
  printer << argument;
}

//===----------------------------------------------------------------------===//
// ktdp.construct_indirect_access_tile
//===----------------------------------------------------------------------===//

namespace {
/// A subscript as it is written: its view of indices, if it has one, and a map
/// of the values that it names.
struct Subscript {
  std::optional<Operand> view;
  AffineMapAttr map;
  SmallVector<Operand> operands;
};
} // namespace

/// `(` expression `)` | `ind` `(` view `[` expressions `]` `)`
static ParseResult parseSubscript(OpAsmParser &parser, Subscript &subscript) {
  NamedAttrList attributes;
  if (failed(parser.parseOptionalKeyword("ind")))
    return parser.parseAffineMapOfSSAIds(subscript.operands, subscript.map,
                                         "map", attributes,
                                         OpAsmParser::Delimiter::Paren);
  if (parser.parseLParen() || parser.parseOperand(subscript.view.emplace()) ||
      parser.parseAffineMapOfSSAIds(subscript.operands, subscript.map, "map",
                                    attributes) ||
      parser.parseRParen())
    return failure();
  return success();
}

/// The position of a value in a list; the size of the list if it is not there.
static size_t positionOf(ArrayRef<Operand> list, const Operand &value) {
  return llvm::find_if(list,
                       [&](const Operand &other) {
                         return other.name == value.name &&
                                other.number == value.number;
                       }) -
         list.begin();
}

/// The map of a subscript with the dimensions (captured..., variables...).
static AffineMap unify(const Subscript &subscript, ArrayRef<Operand> captured,
                       ArrayRef<Operand> variables) {
  AffineMap map = subscript.map.getValue();
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (const Operand &operand : subscript.operands) {
    size_t variable = positionOf(variables, operand);
    size_t dim = variable < variables.size() ? captured.size() + variable
                                             : positionOf(captured, operand);
    dims.push_back(getAffineDimExpr(dim, context));
  }
  return map.replaceDimsAndSymbols(dims, {}, captured.size() + variables.size(),
                                   0);
}

/// `intermediate_variables` `(` names `)` base `[` subscripts `]`
static ParseResult parseIndirectSubscripts(OpAsmParser &parser, Region &region,
                                           Operand &base, ArrayAttr &kinds,
                                           ArrayAttr &maps,
                                           SmallVectorImpl<Operand> &views,
                                           SmallVectorImpl<Operand> &captured) {
  SmallVector<Operand> variables;
  if (parser.parseKeyword("intermediate_variables") ||
      parser.parseOperandList(variables, OpAsmParser::Delimiter::Paren) ||
      parser.parseOperand(base))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Subscript> subscripts;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&] {
        return parseSubscript(parser, subscripts.emplace_back());
      }))
    return failure();

  for (const Subscript &subscript : subscripts) {
    // A symbol would be another kind of dimension of the common map.
    if (unsigned symbols = subscript.map.getValue().getNumSymbols())
      return parser.emitError(loc)
             << "subscripts must have no symbols, but one has " << symbols;
    if (subscript.view)
      views.push_back(*subscript.view);
    for (const Operand &operand : subscript.operands)
      if (positionOf(variables, operand) == variables.size() &&
          positionOf(captured, operand) == captured.size())
        captured.push_back(operand);
  }

  Builder &builder = parser.getBuilder();
  SmallVector<bool> isIndirect;
  SmallVector<AffineMap> unified;
  for (const Subscript &subscript : subscripts) {
    isIndirect.push_back(subscript.view.has_value());
    unified.push_back(unify(subscript, captured, variables));
  }
  kinds = builder.getBoolArrayAttr(isIndirect);
  maps = builder.getAffineMapArrayAttr(unified);
  Block &block = region.emplaceBlock();
  for (const Operand &variable : variables)
    block.addArgument(builder.getIndexType(),
                      parser.getEncodedSourceLoc(variable.location));
  return success();
}

static void printIndirectSubscripts(OpAsmPrinter &printer, Operation *,
                                    Region &region, Value base, ArrayAttr kinds,
                                    ArrayAttr maps, OperandRange views,
                                    OperandRange captured) {
  SmallVector<Value> values(captured);
  llvm::append_range(values, region.getArguments());
  printer << "intermediate_variables(" << region.getArguments() << ") " << base
          << '[';
  size_t view = 0;
  llvm::interleaveComma(llvm::zip_equal(kinds, maps), printer, [&](auto pair) {
    auto [kind, map] = pair;
    bool isIndirect = cast<BoolAttr>(kind).getValue();
    if (isIndirect)
      printer << "ind(" << views[view++] << '[';
    else
      printer << '(';
    printer.printAffineMapOfSSAIds(cast<AffineMapAttr>(map), values);
    printer << (isIndirect ? "])" : ")");
  });
  printer << ']';
}

/// The types of the base and of the views of indices: a list.
static ParseResult parseViewTypes(OpAsmParser &parser, Type &base,
                                  SmallVectorImpl<Type> &views) {
  if (parser.parseType(base))
    return failure();
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(views.emplace_back()))
      return failure();
  return success();
}

static void printViewTypes(OpAsmPrinter &printer, Operation *, Type base,
                           TypeRange views) {
  printer << base;
  for (Type view : views)
    printer << ", " << view;
}

//===----------------------------------------------------------------------===//
// ktdp.inter_tile_produce
//===----------------------------------------------------------------------===//

/// `->` future; the older spelling has `:` and the types of the future first.
static ParseResult parseFuture(OpAsmParser &parser, Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> partials;
  bool isOlder = succeeded(parser.parseOptionalColon());
  if (isOlder && parser.parseTypeList(partials))
    return failure();
  TileFutureType future;
  if (parser.parseArrow() || parser.parseCustomTypeWithFallback(future))
    return failure();
  if (isOlder && !llvm::equal(partials, future.getPartialTypes()))
    return parser.emitError(loc)
           << "the types of the tensors, " << partials
           << ", are not those of the future, " << future.getPartialTypes();
  type = future;
  return success();
}

static void printFuture(OpAsmPrinter &printer, Operation *,
                        TileFutureType future) {
  // With its name, a set with `>=` would not parse.
  printer << "-> ";
  printer.printStrippedAttrOrType(future);
}

#define GET_OP_CLASSES
#include "KtdpOps.cpp.inc"

void KtdpDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "KtdpOps.cpp.inc"
      >();
}
