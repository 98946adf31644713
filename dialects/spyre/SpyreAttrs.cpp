//===- SpyreAttrs.cpp - Parsing and verification of attributes ------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/LayoutRules.h"
#include "spyre/Spyre.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace spyre;

#define GET_ATTRDEF_CLASSES
#include "SpyreAttrs.cpp.inc"

void SpyreDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "SpyreAttrs.cpp.inc"
      >();
}

static constexpr int64_t stickBytes = 128;

/// The most cores, segments, slices and kernel arguments: counts have 31 bits.
static constexpr int64_t maxCount = 2147483647;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

int64_t spyre::elementsPerStick(DeviceFormat format) {
  switch (format) {
  case DeviceFormat::SEN169_FP16:
  case DeviceFormat::SENINT16:
  case DeviceFormat::IEEE_FP16:
  case DeviceFormat::BFLOAT16:
    return stickBytes / 2;
  case DeviceFormat::IEEE_FP32:
  case DeviceFormat::IEEE_INT32:
  case DeviceFormat::SENUINT32:
    return stickBytes / 4;
  case DeviceFormat::SEN143_FP8:
  case DeviceFormat::SEN152_FP8:
  case DeviceFormat::SENINT8:
    return stickBytes;
  }
  llvm_unreachable("unknown device format");
}

std::optional<DeviceFormat> spyre::deviceFormat(Type type) {
  if (type.isF16() || type.isBF16() || type.isSignlessInteger(1))
    return DeviceFormat::SEN169_FP16;
  if (type.isF32())
    return DeviceFormat::IEEE_FP32;
  if (type.isSignlessInteger(32) || type.isSignlessInteger(64))
    return DeviceFormat::IEEE_INT32;
  if (type.isSignlessInteger(8))
    return DeviceFormat::SENINT8;
  if (isa<Float8E4M3FNType>(type))
    return DeviceFormat::SEN143_FP8;
  if (isa<Float8E5M2Type>(type))
    return DeviceFormat::SEN152_FP8;
  return std::nullopt;
}

std::optional<int64_t> spyre::elementsPerStick(Type type) {
  if (std::optional<DeviceFormat> format = deviceFormat(type))
    return elementsPerStick(*format);
  return std::nullopt;
}

LayoutAttr spyre::layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

LayoutAttr spyre::permutedLayout(LayoutAttr layout,
                                 ArrayRef<int64_t> permutation) {
  if (!layout || layout.getMap().getNumDims() != permutation.size())
    return LayoutAttr();
  SmallVector<AffineExpr> renamed(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    renamed[from] = getAffineDimExpr(to, layout.getContext());
  AffineMap map = layout.getMap().replaceDimsAndSymbols(
      renamed, {}, permutation.size(), 0);
  return LayoutAttr::get(layout.getContext(), map, layout.getSize(),
                         layout.getExpanded(), layout.getFormat(),
                         layout.getArrangement());
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

/// Reads `expr` as a digit of one dimension.
static std::optional<SpyreDigit> asDigit(AffineExpr expr) {
  int64_t modulus = 0, divisor = 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    if (constant.getValue() != 0)
      return std::nullopt;
    return SpyreDigit{-1, 1, 0};
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      binary && expr.getKind() == AffineExprKind::Mod) {
    auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!rhs || rhs.getValue() <= 0)
      return std::nullopt;
    modulus = rhs.getValue();
    expr = binary.getLHS();
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      binary && expr.getKind() == AffineExprKind::FloorDiv) {
    auto rhs = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!rhs || rhs.getValue() <= 0)
      return std::nullopt;
    divisor = rhs.getValue();
    expr = binary.getLHS();
  }
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim)
    return std::nullopt;
  return SpyreDigit{dim.getPosition(), divisor, modulus};
}

static std::string exprText(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

/// The digits of all device coordinates, or nullopt.
static std::optional<SmallVector<SpyreDigit>> digitsOf(AffineMap map) {
  SmallVector<SpyreDigit> digits;
  for (AffineExpr expr : map.getResults()) {
    std::optional<SpyreDigit> digit = asDigit(expr);
    if (!digit)
      return std::nullopt;
    digits.push_back(*digit);
  }
  return digits;
}

static SpyreLayoutRef layoutRef(AffineMap map, ArrayRef<SpyreDigit> digits,
                                ArrayRef<int64_t> size,
                                ArrayRef<int64_t> expanded,
                                Arrangement arrangement) {
  return {static_cast<int64_t>(map.getNumDims()),
          digits.data(),
          digits.size(),
          size.data(),
          size.size(),
          expanded.data(),
          expanded.size(),
          static_cast<int32_t>(arrangement)};
}

/// Appends the reported text to the std::string behind `context`.
static void collect(void *context, const char *text, size_t length) {
  static_cast<std::string *>(context)->append(text, length);
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 AffineMap map, ArrayRef<int64_t> size,
                                 ArrayRef<int64_t> expanded,
                                 std::optional<DeviceFormat> format,
                                 Arrangement arrangement) {
  if (map.getNumSymbols() != 0 || map.getNumResults() == 0)
    return emitError() << "layout map must have no symbols and at least one "
                          "result, got "
                       << AffineMapAttr::get(map);
  for (AffineExpr expr : map.getResults())
    if (!asDigit(expr))
      return emitError() << "layout coordinate '" << exprText(expr)
                         << "' is not a digit of one dimension (dK, dK "
                            "floordiv A, dK mod B, (dK floordiv A) mod B) "
                            "and not 0";
  for (size_t i = 1; i < expanded.size(); ++i)
    if (expanded[i - 1] >= expanded[i])
      return emitError() << "expanded dimensions must ascend, got "
                         << expanded[i] << " after " << expanded[i - 1];
  std::optional<SmallVector<SpyreDigit>> digits = digitsOf(map);
  std::string message;
  SpyreLayoutRef ref = layoutRef(map, *digits, size, expanded, arrangement);
  if (!spyreLayoutCheck(&ref, collect, &message))
    return emitError() << message;
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  // The parser asks even if it could not read the element type, and has said so.
  if (!elementType)
    return failure();
  std::optional<DeviceFormat> format = deviceFormat(elementType);
  if (!format)
    return emitError() << "element type " << elementType
                       << " has no format in device memory (f16, bf16, f32, "
                          "f8E4M3FN, f8E5M2, i1, i8, i32, i64 have one)";
  if (getFormat())
    format = getFormat();
  std::optional<SmallVector<SpyreDigit>> digits = digitsOf(getMap());
  if (!digits)
    return emitError() << "layout map " << AffineMapAttr::get(getMap())
                       << " is malformed";
  SmallVector<int64_t> extents;
  for (int64_t extent : shape)
    extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  std::string message;
  SpyreLayoutRef ref = layoutRef(getMap(), *digits, getSize(), getExpanded(),
                                 getArrangement());
  if (!spyreLayoutCheckTensor(&ref, extents.data(), extents.size(),
                              static_cast<int32_t>(*format), collect,
                              &message))
    return emitError() << message;
  return success();
}

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// Whether the next token begins with a character.
static bool isAt(AsmParser &parser, char first) {
  return *parser.getCurrentLocation().getPointer() == first;
}

/// Parses a map: an attribute, which may be an alias, or `(d0) -> (d0)`.
static ParseResult parseMap(AsmParser &parser, AffineMap &map) {
  if (isAt(parser, '('))
    return parser.parseAffineMap(map);
  AffineMapAttr attr;
  if (parser.parseAttribute(attr))
    return failure();
  map = attr.getValue();
  return success();
}

/// Prints a map by its alias, where it has one.
static void printMap(AsmPrinter &printer, AffineMap map) {
  printer.printAttribute(AffineMapAttr::get(map));
}

/// Parses a bare keyword that names an enumerator.
template <typename Enum>
static FailureOr<Enum>
parseEnum(AsmParser &parser, std::optional<Enum> (*symbolize)(StringRef),
          StringRef what) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  if (std::optional<Enum> value = symbolize(keyword))
    return *value;
  return parser.emitError(loc, "unknown ") << what << " '" << keyword << "'";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  AffineMap map;
  SmallVector<int64_t> size, expanded;
  std::optional<DeviceFormat> format;
  Arrangement arrangement = Arrangement::Standard;
  if (parser.parseLess() || parser.parseAffineMap(map))
    return {};
  SmallVector<StringRef, 4> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc keyLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    if (llvm::is_contained(seen, key)) {
      parser.emitError(keyLoc, "'") << key << "' is given twice";
      return {};
    }
    seen.push_back(key);
    if (key == "size") {
      if (parseIntegers(parser, size))
        return {};
    } else if (key == "expanded") {
      if (parseIntegers(parser, expanded))
        return {};
    } else if (key == "format") {
      FailureOr<DeviceFormat> value = parseEnum<DeviceFormat>(
          parser, symbolizeDeviceFormat, "device format");
      if (failed(value))
        return {};
      format = *value;
    } else if (key == "arrangement") {
      FailureOr<Arrangement> value = parseEnum<Arrangement>(
          parser, symbolizeArrangement, "arrangement");
      if (failed(value))
        return {};
      arrangement = *value;
    } else {
      parser.emitError(keyLoc, "expected 'size', 'expanded', 'format' or "
                               "'arrangement', got '")
          << key << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(loc, parser.getContext(), map, size,
                                       expanded, format, arrangement);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMap();
  if (!getSize().empty()) {
    printer << ", size = ";
    printIntegers(printer, getSize());
  }
  if (!getExpanded().empty()) {
    printer << ", expanded = ";
    printIntegers(printer, getExpanded());
  }
  if (getFormat())
    printer << ", format = " << stringifyDeviceFormat(*getFormat());
  if (getArrangement() != Arrangement::Standard)
    printer << ", arrangement = " << stringifyArrangement(getArrangement());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult
TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t cores,
                   int64_t lxBytes, int64_t lxReserved, int64_t lxBackend,
                   int64_t stick, int64_t spanLimit, int64_t segment,
                   int64_t segmentReserved, int64_t segments,
                   ArrayAttr formats, bool assumedFormats) {
  std::pair<StringRef, int64_t> positive[] = {{"cores", cores},
                                              {"span_limit_bytes", spanLimit},
                                              {"segment_bytes", segment},
                                              {"segments", segments}};
  for (auto [name, value] : positive)
    if (value <= 0)
      return emitError() << "'" << name << "' must be positive, got " << value;
  for (auto [name, value] : {std::pair<StringRef, int64_t>{"cores", cores},
                             {"segments", segments}})
    if (value > maxCount)
      return emitError() << "'" << name << "' must be at most " << maxCount
                         << ", got " << value;
  if (stick != stickBytes)
    return emitError() << "'stick_bytes' must be " << stickBytes
                       << ", which defines the device formats, got " << stick;
  if (lxBytes < 0)
    return emitError() << "'lx_bytes' must not be negative, got " << lxBytes;
  if (lxReserved < 0 || (lxBytes != 0 && lxReserved >= lxBytes))
    return emitError() << "'lx_reserved_bytes' must be in [0, lx_bytes = "
                       << lxBytes << "), got " << lxReserved;
  if (lxBackend < 0 || lxBackend >= 100)
    return emitError() << "'lx_backend_percent' must be in [0, 100), got "
                       << lxBackend;
  if (segmentReserved < 0 || segmentReserved >= segment)
    return emitError() << "'segment_reserved_bytes' must be in [0, "
                          "segment_bytes = "
                       << segment << "), got " << segmentReserved;
  std::pair<StringRef, int64_t> sizes[] = {
      {"lx_bytes", lxBytes},
      {"lx_reserved_bytes", lxReserved},
      {"span_limit_bytes", spanLimit},
      {"segment_bytes", segment},
      {"segment_reserved_bytes", segmentReserved}};
  for (auto [name, value] : sizes)
    if (value % stickBytes != 0)
      return emitError() << "'" << name << "' must be a multiple of the stick, "
                         << stickBytes << " bytes, got " << value;
  if (!llvm::checkedMul(segments, segment))
    return emitError() << segments << " segments of " << segment
                       << " bytes are more than 2^63 - 1 bytes";
  if (formats)
    for (Attribute entry : formats) {
      auto type = dyn_cast<TypeAttr>(entry);
      if (!type || !deviceFormat(type.getValue()))
        return emitError() << "'formats' must hold element types with a device "
                              "format, got "
                           << entry;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// PlaceAttr
//===----------------------------------------------------------------------===//

/// SP1
static LogicalResult verifyAddress(function_ref<InFlightDiagnostic()> emitError,
                                   Space space, int64_t address) {
  if (address < 0)
    return emitError() << "'" << stringifySpace(space)
                       << "' must not be negative, got " << address;
  if (space == Space::Arg && address > maxCount)
    return emitError() << "'arg' must be at most " << maxCount << ", got "
                       << address;
  return success();
}

LogicalResult PlaceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Space space, std::optional<int64_t> address) {
  if (space == Space::Window) {
    if (address)
      return emitError() << "'window' has no address of its own, got "
                         << *address;
    return success();
  }
  if (!address)
    return emitError() << "'" << stringifySpace(space)
                       << "' needs an index or an address";
  if (failed(verifyAddress(emitError, space, *address)))
    return failure();
  if (space != Space::Arg && *address % stickBytes != 0)
    return emitError() << "'" << stringifySpace(space) << "' address "
                       << *address << " is not a multiple of the stick, "
                       << stickBytes << " bytes";
  return success();
}

//===----------------------------------------------------------------------===//
// IterDimAttr, LevelAttr, OwnershipAttr, RecordAttr, SizeAttr, TensorArgAttr
//===----------------------------------------------------------------------===//

LogicalResult IterDimAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr symbol, int64_t extent,
                                  int64_t slices, StringAttr size,
                                  int64_t granularity) {
  if (!symbol || symbol.empty())
    return emitError() << "iteration dimension has no symbol";
  if (failed(verifyText(emitError, symbol)) ||
      failed(verifyText(emitError, size)))
    return failure();
  if (slices > maxCount)
    return emitError() << "slices must be at most " << maxCount << ", got "
                       << slices;
  if (extent <= 0 || slices <= 0)
    return emitError() << "extent and slices must be positive, got " << extent
                       << " over " << slices;
  if (size && size.empty())
    return emitError() << "runtime size of " << symbol << " has no name";
  if (size ? granularity <= 0 : granularity != 0)
    return emitError() << "granularity must be positive for a runtime size and "
                          "absent for another, got "
                       << granularity;
  return success();
}

Attribute IterDimAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr symbol, size;
  int64_t extent = 0, granularity = 0, slices = 0;
  if (parser.parseLess() || parser.parseAttribute(symbol) ||
      parser.parseEqual())
    return {};
  OptionalParseResult named = parser.parseOptionalAttribute(size);
  if (named.has_value()) {
    if (failed(*named) || parser.parseKeyword("max") ||
        parser.parseInteger(extent) || parser.parseKeyword("granularity") ||
        parser.parseInteger(granularity))
      return {};
  } else if (parser.parseInteger(extent)) {
    return {};
  }
  if (parser.parseKeyword("over") || parser.parseInteger(slices) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<IterDimAttr>(loc, parser.getContext(), symbol,
                                        extent, slices, size, granularity);
}

void IterDimAttr::print(AsmPrinter &printer) const {
  printer << '<' << getSymbol() << " = ";
  if (getSize())
    printer << getSize() << " max " << getExtent() << " granularity "
            << getGranularity();
  else
    printer << getExtent();
  printer << " over " << getSlices() << '>';
}

LogicalResult LevelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t loop, StringAttr dim,
                                std::optional<int64_t> trips) {
  if (loop < 0 || loop > maxCount)
    return emitError() << "loop of a level must be in [0, " << maxCount
                       << "], got " << loop;
  if (dim && dim.empty())
    return emitError() << "level names no dimension";
  if (failed(verifyText(emitError, dim)))
    return failure();
  if (trips && *trips <= 0)
    return emitError() << "tiles of a level must be positive, got " << *trips;
  return success();
}

LogicalResult
OwnershipAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> slices, AffineMap cores) {
  if (cores.getNumDims() != 1 || cores.getNumSymbols() != 0)
    return emitError() << "slices must be functions of the core alone, got "
                       << AffineMapAttr::get(cores);
  if (slices.size() != cores.getNumResults())
    return emitError() << "ownership has " << slices.size()
                       << " numbers of slices, but " << cores.getNumResults()
                       << " functions of the core";
  for (int64_t count : slices)
    if (count <= 0)
      return emitError() << "slices must be positive, got " << count;
  return success();
}

Attribute OwnershipAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> slices;
  AffineMap cores;
  if (parser.parseLess() || parseIntegers(parser, slices) ||
      parser.parseComma() || parseMap(parser, cores) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<OwnershipAttr>(loc, parser.getContext(), slices,
                                          cores);
}

void OwnershipAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printIntegers(printer, getSlices());
  printer << ", ";
  printMap(printer, getCores());
  printer << '>';
}

LogicalResult RecordAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> names,
                                 ArrayRef<Attribute> values) {
  if (names.size() != values.size())
    return emitError() << "record has " << names.size() << " names and "
                       << values.size() << " values";
  llvm::SmallDenseSet<StringAttr> seen;
  for (auto [name, value] : llvm::zip_equal(names, values)) {
    if (!name || !value)
      return emitError() << "record has an entry without name or value";
    if (failed(verifyText(emitError, name)))
      return failure();
    if (!seen.insert(name).second)
      return emitError() << "record names " << name << " twice";
  }
  return success();
}

ParseResult spyre::detail::parseJson(AsmParser &parser, Attribute &value) {
  if (isAt(parser, '<')) {
    value = RecordAttr::parse(parser, Type());
    return success(static_cast<bool>(value));
  }
  if (!isAt(parser, '['))
    return parser.parseAttribute(value);
  SmallVector<Attribute> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseJson(parser, values.emplace_back());
      }))
    return failure();
  value = ArrayAttr::get(parser.getContext(), values);
  return success();
}

void spyre::detail::printJson(AsmPrinter &printer, Attribute value) {
  if (auto record = dyn_cast<RecordAttr>(value))
    return printer.printStrippedAttrOrType(record);
  auto array = dyn_cast<ArrayAttr>(value);
  // Any other array has a shorter form, without types.
  if (!array || !llvm::any_of(array, llvm::IsaPred<RecordAttr, ArrayAttr>))
    return printer.printAttribute(value);
  printer << '[';
  llvm::interleaveComma(array, printer, [&](Attribute element) {
    auto number = dyn_cast<IntegerAttr>(element);
    if (number && number.getType().isSignlessInteger(64))
      return printer.printAttributeWithoutType(element);
    printJson(printer, element);
  });
  printer << ']';
}

Attribute RecordAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> names;
  SmallVector<Attribute> values;
  auto parseEntry = [&]() -> ParseResult {
    return failure(parser.parseAttribute(names.emplace_back()) ||
                   parser.parseEqual() ||
                   spyre::detail::parseJson(parser, values.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry))
    return {};
  return parser.getChecked<RecordAttr>(loc, parser.getContext(), names, values);
}

void RecordAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip_equal(getNames(), getValues()), printer,
                        [&](auto entry) {
                          printer << std::get<0>(entry) << " = ";
                          spyre::detail::printJson(printer,
                                                   std::get<1>(entry));
                        });
  printer << '>';
}

LogicalResult
DynamicAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                    int64_t granularity, int64_t max) {
  if (granularity <= 0 || max <= 0 || max % granularity != 0)
    return emitError() << "a dynamic extent needs a positive granularity and a "
                          "maximum that is a multiple of it, got "
                       << granularity << " and " << max;
  return success();
}

LogicalResult SizeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr name, std::optional<int64_t> arg,
                               std::optional<int64_t> dim) {
  if (!name || name.empty())
    return emitError() << "runtime size has no name";
  if (failed(verifyText(emitError, name)))
    return failure();
  if (arg.has_value() != dim.has_value())
    return emitError() << "runtime size " << name
                       << " needs both an argument and a dimension, or neither";
  for (std::optional<int64_t> number : {arg, dim})
    if (number && (*number < 0 || *number > maxCount))
      return emitError() << "argument and dimension of runtime size " << name
                         << " must be in [0, " << maxCount << "], got "
                         << *number;
  return success();
}

/// SD12
LogicalResult
spyre::verifyText(function_ref<InFlightDiagnostic()> emitError,
                  StringAttr text) {
  if (!text || llvm::json::isUTF8(text.getValue()))
    return success();
  return emitError() << "name " << text
                     << " is not UTF-8, as the files of a bundle are";
}

bool spyre::isJson(Attribute attr) {
  return TypeSwitch<Attribute, bool>(attr)
      .Case<UnitAttr>([](auto) { return true; })
      .Case<StringAttr>(
          [](StringAttr text) {
            return isa<NoneType>(text.getType()) &&
                   llvm::json::isUTF8(text.getValue());
          })
      .Case<IntegerAttr>([](IntegerAttr number) {
        Type type = number.getType();
        return type.isSignlessInteger(1) || type.isSignlessInteger(64) ||
               type.isUnsignedInteger(64);
      })
      .Case<FloatAttr>([](FloatAttr number) {
        return number.getType().isF64() && number.getValue().isFinite();
      })
      .Case<ArrayAttr>(
          [](ArrayAttr array) { return llvm::all_of(array, isJson); })
      .Case<RecordAttr>([](RecordAttr record) {
        return llvm::all_of(record.getValues(), isJson);
      })
      .Default([](Attribute) { return false; });
}

LogicalResult TensorArgAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, bool isOutput, Space space,
    int64_t address, DeviceFormat format, ArrayRef<int64_t> deviceSize,
    AffineMap coordinates, ArrayRef<int64_t> advance, int64_t offset,
    Arrangement arrangement, StringAttr name, ArrayRef<StringAttr> indirect,
    OwnershipAttr owners) {
  if (space == Space::Window)
    return emitError() << "a tensor of an op_spec has a place of its own, not "
                          "'window'";
  if (failed(verifyAddress(emitError, space, address)) ||
      failed(verifyText(emitError, name)))
    return failure();
  for (StringAttr symbol : indirect)
    if (failed(verifyText(emitError, symbol)))
      return failure();
  if (deviceSize.size() != coordinates.getNumResults() || deviceSize.empty())
    return emitError() << "device size has " << deviceSize.size()
                       << " entries, but the coordinates "
                       << coordinates.getNumResults() << "; at least one each";
  for (auto [dim, size] : llvm::enumerate(deviceSize))
    if (size <= 0)
      return emitError() << "device size must be positive, got " << size
                         << " in entry " << dim;
  if (coordinates.getNumSymbols() != indirect.size())
    return emitError() << "coordinates have " << coordinates.getNumSymbols()
                       << " symbols, but 'indirect' has " << indirect.size()
                       << " names of tensors: "
                       << AffineMapAttr::get(coordinates);
  if (space == Space::LX && !advance.empty())
    return emitError() << "a tensor in lx does not advance";
  if (offset < 0)
    return emitError() << "offset must not be negative, got " << offset;
  if (name && name.empty())
    return emitError() << "tensor has an empty name";
  for (StringAttr index : indirect)
    if (!index || index.empty())
      return emitError() << "'indirect' has an empty name";
  // The end of the buffer in bytes, unless it leaves 63 bits on the way.
  std::optional<int64_t> end = stickBytes / elementsPerStick(format);
  for (int64_t size : deviceSize)
    end = end ? llvm::checkedMul(*end, size) : end;
  for (int64_t start : {space == Space::Arg ? 0 : address, offset})
    end = end ? llvm::checkedAdd(*end, start) : end;
  if (!end)
    return emitError() << "a buffer of device size [" << deviceSize
                       << "] does not end within 2^63 - 1 bytes";
  return success();
}

static ParseResult parseNames(AsmParser &parser,
                              SmallVectorImpl<StringAttr> &names) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseAttribute(names.emplace_back());
  });
}

Attribute TensorArgAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  bool isOutput = false;
  int64_t address = 0, offset = 0;
  SmallVector<int64_t> size, advance;
  AffineMap coordinates;
  Arrangement arrangement = Arrangement::Standard;
  StringAttr name;
  SmallVector<StringAttr> indirect;
  OwnershipAttr owners;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("out")))
    isOutput = true;
  else if (parser.parseKeyword("in"))
    return {};
  FailureOr<Space> space = parseEnum<Space>(parser, symbolizeSpace, "place");
  if (failed(space) || parser.parseInteger(address))
    return {};
  FailureOr<DeviceFormat> format =
      parseEnum<DeviceFormat>(parser, symbolizeDeviceFormat, "device format");
  if (failed(format) || parseIntegers(parser, size) || parser.parseComma() ||
      parseMap(parser, coordinates))
    return {};
  SmallVector<StringRef, 6> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    bool again = llvm::is_contained(seen, key);
    seen.push_back(key);
    ParseResult parsed = success();
    if (key == "advance" && !again) {
      parsed = parseIntegers(parser, advance);
    } else if (key == "offset" && !again) {
      parsed = parser.parseInteger(offset);
    } else if (key == "arrangement" && !again) {
      FailureOr<Arrangement> value = parseEnum<Arrangement>(
          parser, symbolizeArrangement, "arrangement");
      parsed = failure(failed(value));
      if (succeeded(value))
        arrangement = *value;
    } else if (key == "name" && !again) {
      parsed = parser.parseAttribute(name);
    } else if (key == "indirect" && !again) {
      parsed = parseNames(parser, indirect);
    } else if (key == "owners" && !again) {
      parsed = parser.parseCustomAttributeWithFallback(owners);
    } else {
      parser.emitError(keyLoc, "expected 'advance', 'offset', 'arrangement', "
                               "'name', 'indirect' or 'owners', each once, "
                               "got '")
          << key << "'";
      return {};
    }
    if (parsed)
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorArgAttr>(
      loc, parser.getContext(), isOutput, *space, address, *format, size,
      coordinates, advance, offset, arrangement, name, indirect, owners);
}

void TensorArgAttr::print(AsmPrinter &printer) const {
  printer << '<' << (getIsOutput() ? "out" : "in") << ' '
          << stringifySpace(getSpace()) << ' ' << getAddress() << ' '
          << stringifyDeviceFormat(getFormat()) << ' ';
  printIntegers(printer, getDeviceSize());
  printer << ", ";
  printMap(printer, getCoordinates());
  if (!getAdvance().empty()) {
    printer << ", advance = ";
    printIntegers(printer, getAdvance());
  }
  if (getOffset() != 0)
    printer << ", offset = " << getOffset();
  if (getArrangement() != Arrangement::Standard)
    printer << ", arrangement = " << stringifyArrangement(getArrangement());
  if (getName())
    printer << ", name = " << getName();
  if (!getIndirect().empty()) {
    printer << ", indirect = [";
    llvm::interleaveComma(getIndirect(), printer);
    printer << ']';
  }
  if (getOwners()) {
    printer << ", owners = ";
    printer.printStrippedAttrOrType(getOwners());
  }
  printer << '>';
}
