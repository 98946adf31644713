//===- InductorDialect.cpp - The inductor dialect -------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "inductor/Inductor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace spyre::inductor;

#include "InductorDialect.cpp.inc"

#include "InductorEnums.cpp.inc"

//===----------------------------------------------------------------------===//
// Expressions of symbols
//===----------------------------------------------------------------------===//

AffineMap spyre::inductor::symbolicMap(ArrayRef<AffineExpr> exprs,
                                       MLIRContext *context) {
  int64_t last = -1;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        last = std::max(last, static_cast<int64_t>(symbol.getPosition()));
    });
  return AffineMap::get(0, last + 1, exprs, context);
}

/// Parses an expression of the symbols `s0`, `s1`, ...
static ParseResult parseExpr(AsmParser &parser, AffineExpr &expr) {
  MLIRContext *context = parser.getContext();
  SmallVector<std::string, maxSymbols> names;
  SmallVector<std::pair<StringRef, AffineExpr>, maxSymbols> symbols;
  for (unsigned number = 0; number < maxSymbols; ++number)
    names.push_back("s" + std::to_string(number));
  for (unsigned number = 0; number < maxSymbols; ++number)
    symbols.emplace_back(names[number], getAffineSymbolExpr(number, context));
  return parser.parseAffineExpr(symbols, expr);
}

static ParseResult parseExprs(AsmParser &parser, AffineMap &map) {
  SmallVector<AffineExpr> exprs;
  auto parse = [&] { return parseExpr(parser, exprs.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse))
    return failure();
  map = symbolicMap(exprs, parser.getContext());
  return success();
}

static void printExprs(AsmPrinter &printer, AffineMap map) {
  printer << '[';
  llvm::interleaveComma(map.getResults(), printer.getStream(),
                        [&](AffineExpr expr) { printer.getStream() << expr; });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

static ParseResult parseLayout(AsmParser &parser, AffineMap &stride,
                               AffineMap &size, AffineMap &offset,
                               AffineMap &baseOffset) {
  MLIRContext *context = parser.getContext();
  AffineMap parsed;
  if (parseExprs(parser, parsed))
    return failure();
  stride = parsed;
  AffineMap zero = AffineMap::get(0, 0, getAffineConstantExpr(0, context));
  size = AffineMap();
  offset = zero;
  baseOffset = zero;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return failure();
    if (keyword == "size") {
      if (parseExprs(parser, parsed))
        return failure();
      size = parsed;
      continue;
    }
    if (keyword != "offset" && keyword != "base_offset")
      return parser.emitError(loc, "expected 'size', 'offset' or 'base_offset'");
    AffineExpr expr;
    if (parseExpr(parser, expr))
      return failure();
    (keyword == "offset" ? offset : baseOffset) = symbolicMap(expr, context);
  }
  return success();
}

static void printLayout(AsmPrinter &printer, AffineMap stride, AffineMap size,
                        AffineMap offset, AffineMap baseOffset) {
  printExprs(printer, stride);
  auto isZero = [](AffineMap map) {
    return map.isSingleConstant() && map.getSingleConstantResult() == 0;
  };
  if (size) {
    printer << ", size = ";
    printExprs(printer, size);
  }
  if (!isZero(offset))
    printer << ", offset = ", printer.getStream() << offset.getResult(0);
  if (!isZero(baseOffset))
    printer << ", base_offset = ", printer.getStream()
                                       << baseOffset.getResult(0);
}

#define GET_ATTRDEF_CLASSES
#include "InductorAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "InductorTypes.cpp.inc"

/// IN1 and IN2
LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LayoutKind kind, AffineMap stride,
                                 AffineMap size, AffineMap offset,
                                 AffineMap baseOffset) {
  for (AffineMap map : {stride, size, offset, baseOffset})
    if (map && (map.getNumDims() != 0 || map.getNumSymbols() > maxSymbols))
      return emitError() << "a layout uses at most " << maxSymbols
                         << " symbols, and no dimensions";
  if (size && size.getNumResults() != stride.getNumResults())
    return emitError() << "a layout with " << stride.getNumResults()
                       << " strides has " << size.getNumResults() << " extents";
  bool isInside = !baseOffset.isSingleConstant() ||
                  baseOffset.getSingleConstantResult() != 0;
  if (isInside && kind != LayoutKind::NonOwning)
    return emitError() << "'base_offset' is of a layout that is 'non_owning'";
  return success();
}

/// IN3
LogicalResult SymAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef name, std::optional<int64_t> hint,
                              std::optional<int64_t> min,
                              std::optional<int64_t> max) {
  if (min && max && *min > *max)
    return emitError() << "symbol \"" << name << "\" is at least " << *min
                       << " and at most " << *max;
  if (hint && min && *hint < *min)
    return emitError() << "hint " << *hint << " of symbol \"" << name
                       << "\" is below min " << *min;
  if (hint && max && *hint > *max)
    return emitError() << "hint " << *hint << " of symbol \"" << name
                       << "\" is above max " << *max;
  return success();
}

void InductorDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "InductorAttrs.cpp.inc"
      >();
}

void InductorDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "InductorTypes.cpp.inc"
      >();
}

void InductorDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
}
