//===- SpyreHints.cpp - Tiling hints and names of dimensions --------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/SpyreBase.h"

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
  return verifyText(emitError, dim);
}

/// Parses the tiles after the name of a dimension. `others` lists the
/// alternatives for the error message.
static ParseResult parseTiles(AsmParser &parser, StringRef others,
                              int64_t &amount, bool &bySize) {
  bySize = succeeded(parser.parseOptionalKeyword("by"));
  if (!bySize && failed(parser.parseOptionalKeyword("in")))
    return parser.emitError(parser.getCurrentLocation(),
                            "expected 'in' and a number of tiles, or 'by' and "
                            "the size of a tile")
           << others;
  return parser.parseInteger(amount);
}

ParseResult spyre::detail::parseTileRequest(AsmParser &parser, StringAttr &dim,
                                            int64_t &amount, bool &bySize) {
  if (parser.parseAttribute(dim))
    return failure();
  return parseTiles(parser, "", amount, bySize);
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
DivideHintAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       StringAttr dim, int64_t cores) {
  if (!dim || dim.empty())
    return emitError() << "hint names no dimension";
  if (cores <= 0)
    return emitError() << "number of cores must be positive, got " << cores;
  return verifyText(emitError, dim);
}

/// Parses the number of cores after `"A" over`.
static DivideHintAttr parseCores(AsmParser &parser, SMLoc loc, StringAttr dim) {
  int64_t cores = 0;
  if (parser.parseInteger(cores))
    return {};
  return parser.getChecked<DivideHintAttr>(loc, parser.getContext(), dim,
                                           cores);
}

DivideHintAttr spyre::detail::parseDivideRequest(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr dim;
  if (parser.parseAttribute(dim))
    return {};
  if (failed(parser.parseOptionalKeyword("over"))) {
    parser.emitError(parser.getCurrentLocation(),
                     "expected 'over' and a number of cores");
    return {};
  }
  return parseCores(parser, loc, dim);
}

void spyre::detail::printDivideRequest(AsmPrinter &printer,
                                       DivideHintAttr hint) {
  printer << hint.getDim() << " over " << hint.getCores();
}

Attribute DivideHintAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  DivideHintAttr hint = spyre::detail::parseDivideRequest(parser);
  if (!hint || parser.parseGreater())
    return {};
  return hint;
}

void DivideHintAttr::print(AsmPrinter &printer) const {
  printer << '<';
  spyre::detail::printDivideRequest(printer, *this);
  printer << '>';
}

LogicalResult
TileScopeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<TileHintAttr> hints,
                      ArrayRef<DivideHintAttr> divisions,
                      std::optional<int64_t> first,
                      std::optional<int64_t> last) {
  auto given = [](auto hint) { return !!hint; };
  if ((hints.empty() && divisions.empty()) || !llvm::all_of(hints, given) ||
      !llvm::all_of(divisions, given))
    return emitError() << "scope names no dimension";
  llvm::SmallDenseSet<StringAttr> seen;
  for (auto [index, hint] : llvm::enumerate(hints)) {
    if (hint.getScope() != static_cast<int64_t>(index))
      return emitError() << "hints of a scope are numbered from 0, got "
                         << hint.getScope() << " in place " << index;
    if (!seen.insert(hint.getDim()).second)
      return emitError() << "scope names " << hint.getDim() << " twice";
  }
  seen.clear();
  for (DivideHintAttr division : divisions)
    if (!seen.insert(division.getDim()).second)
      return emitError() << "scope divides " << division.getDim() << " twice";
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
  SmallVector<DivideHintAttr> divisions;
  std::optional<int64_t> first, last;
  if (parser.parseLess())
    return {};
  do {
    if (!(hints.empty() && divisions.empty()) &&
        succeeded(parser.parseOptionalKeyword("ops"))) {
      if (parser.parseInteger(first.emplace()) || parser.parseKeyword("to") ||
          parser.parseInteger(last.emplace()))
        return {};
      break;
    }
    SMLoc hintLoc = parser.getCurrentLocation();
    StringAttr dim;
    int64_t amount = 0;
    bool bySize = false;
    if (parser.parseAttribute(dim))
      return {};
    if (succeeded(parser.parseOptionalKeyword("over"))) {
      DivideHintAttr division = parseCores(parser, hintLoc, dim);
      if (!division)
        return {};
      divisions.push_back(division);
      continue;
    }
    if (parseTiles(parser, ", or 'over' and a number of cores", amount, bySize))
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
      loc, parser.getContext(), ArrayRef<TileHintAttr>(hints),
      ArrayRef<DivideHintAttr>(divisions), first, last);
}

void TileScopeAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getHints(), printer, [&](TileHintAttr hint) {
    spyre::detail::printTileRequest(printer, hint);
  });
  if (!getHints().empty() && !getDivisions().empty())
    printer << ", ";
  llvm::interleaveComma(getDivisions(), printer, [&](DivideHintAttr hint) {
    spyre::detail::printDivideRequest(printer, hint);
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
  for (StringAttr name : names)
    if (failed(verifyText(emitError, name)))
      return failure();
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
