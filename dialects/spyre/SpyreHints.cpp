//===- SpyreHints.cpp - Tiling hints and names of dimensions --------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace spyre;

LogicalResult
TileHintAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                     int64_t scope, StringAttr dim, int64_t amount,
                     bool bySize) {
  if (scope < 0)
    return emitError() << "hint scope must not be negative, got " << scope;
  if (amount <= 0)
    return emitError() << "tile " << (bySize ? "size" : "count")
                       << " must be positive, got " << amount;
  if (!dim || dim.empty())
    return emitError() << "hint names no dimension";
  return success();
}

ParseResult spyre::detail::parseTileRequest(AsmParser &parser, StringAttr &dim,
                                            int64_t &amount, bool &bySize) {
  if (parser.parseAttribute(dim))
    return failure();
  bySize = succeeded(parser.parseOptionalKeyword("by"));
  if (!bySize && failed(parser.parseOptionalKeyword("in")))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected 'in' and a number of tiles, or 'by' and "
                            "the size of a tile");
  return parser.parseInteger(amount);
}

void spyre::detail::printTileRequest(AsmPrinter &printer, TileHintAttr hint) {
  printer << hint.getDim() << (hint.getBySize() ? " by " : " in ")
          << hint.getAmount();
}

Attribute TileHintAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t scope = 0, amount = 0;
  bool bySize = false;
  StringAttr dim;
  if (parser.parseLess() || parser.parseInteger(scope) ||
      parser.parseColon() ||
      spyre::detail::parseTileRequest(parser, dim, amount, bySize) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TileHintAttr>(loc, parser.getContext(), scope, dim,
                                         amount, bySize);
}

void TileHintAttr::print(AsmPrinter &printer) const {
  printer << '<' << getScope() << " : ";
  spyre::detail::printTileRequest(printer, *this);
  printer << '>';
}

LogicalResult
TileScopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<TileHintAttr> hints,
                      std::optional<int64_t> first,
                      std::optional<int64_t> last) {
  if (hints.empty() || !llvm::all_of(hints, [](auto hint) { return !!hint; }))
    return emitError() << "scope names no dimension";
  llvm::SmallDenseSet<StringAttr> seen;
  for (auto [index, hint] : llvm::enumerate(hints)) {
    if (hint.getScope() != static_cast<int64_t>(index))
      return emitError() << "hints of a scope are numbered from 0, got "
                         << hint.getScope() << " in place " << index;
    if (!seen.insert(hint.getDim()).second)
      return emitError() << "scope names " << hint.getDim() << " twice";
  }
  if (first.has_value() != last.has_value())
    return emitError() << "scope needs both a first and a last operation";
  if (first && (*first < 0 || *last < *first))
    return emitError() << "scope is around operations " << *first << " to "
                       << *last
                       << ", but the first must not be negative and not after "
                          "the last";
  return success();
}

Attribute TileScopeAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<TileHintAttr> hints;
  std::optional<int64_t> first, last;
  if (parser.parseLess())
    return {};
  do {
    if (!hints.empty() && succeeded(parser.parseOptionalKeyword("ops"))) {
      if (parser.parseInteger(first.emplace()) || parser.parseKeyword("to") ||
          parser.parseInteger(last.emplace()))
        return {};
      break;
    }
    SMLoc hintLoc = parser.getCurrentLocation();
    StringAttr dim;
    int64_t amount = 0;
    bool bySize = false;
    if (spyre::detail::parseTileRequest(parser, dim, amount, bySize))
      return {};
    auto hint = parser.getChecked<TileHintAttr>(
        hintLoc, parser.getContext(), static_cast<int64_t>(hints.size()), dim,
        amount, bySize);
    if (!hint)
      return {};
    hints.push_back(hint);
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TileScopeAttr>(
      loc, parser.getContext(), ArrayRef<TileHintAttr>(hints), first, last);
}

void TileScopeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getHints(), printer, [&](TileHintAttr hint) {
    spyre::detail::printTileRequest(printer, hint);
  });
  if (getFirst())
    printer << ", ops " << *getFirst() << " to " << *getLast();
  printer << '>';
}

LogicalResult MergedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> names,
                                 ArrayRef<int64_t> extents) {
  if (names.size() != extents.size() || names.size() < 2)
    return emitError() << "a merged dimension has at least two names, each "
                          "with an extent";
  for (StringAttr name : names)
    if (!name || name.empty())
      return emitError() << "merged dimension has an empty name";
  std::optional<int64_t> product = 1;
  for (int64_t extent : extents) {
    if (extent <= 0)
      return emitError() << "extents of a merged dimension must be positive, "
                            "got "
                         << extent;
    product = product ? llvm::checkedMul(*product, extent) : product;
  }
  if (!product)
    return emitError() << "the extents of a merged dimension have a product "
                          "above 2^63 - 1";
  return success();
}

int64_t MergedAttr::getExtent() const {
  int64_t product = 1;
  for (int64_t extent : getExtents())
    product *= extent;
  return product;
}

Attribute MergedAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  SmallVector<int64_t> extents;
  auto parseFactor = [&]() -> ParseResult {
    return failure(parser.parseAttribute(names.emplace_back()) ||
                   parser.parseKeyword("of") ||
                   parser.parseInteger(extents.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseFactor))
    return {};
  return parser.getChecked<MergedAttr>(loc, parser.getContext(),
                                       ArrayRef<StringAttr>(names),
                                       ArrayRef<int64_t>(extents));
}

void MergedAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip_equal(getNames(), getExtents()), printer,
                        [&](auto factor) {
                          printer << std::get<0>(factor) << " of "
                                  << std::get<1>(factor);
                        });
  printer << '>';
}
