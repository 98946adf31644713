//===- SpyreAttrs.cpp - Parsing and verification of attributes ------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/LayoutRules.h"
#include "spyre/SpyreBase.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace spyre;
using namespace spyre::detail;

#define GET_ATTRDEF_CLASSES
#include "SpyreAttrs.cpp.inc"

void SpyreDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "SpyreAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

int64_t spyre::stickBytes() { return spyreStickBytes(); }

int64_t spyre::elementsPerStick(DeviceFormat format) {
  return spyreElementsPerStick(static_cast<int32_t>(format));
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

/// Appends the reported text to the std::string at `context`.
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
  // The parser calls this even after reporting that it could not read the
  // element type.
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

ParseResult spyre::detail::parseIntegers(AsmParser &parser,
                                         SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

void spyre::detail::printIntegers(AsmPrinter &printer,
                                  ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
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
// RatesAttr
//===----------------------------------------------------------------------===//

/// SR1
LogicalResult
RatesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                  int64_t products, int64_t elements, int64_t bytes,
                  int64_t broadcast, int64_t rows, int64_t passes,
                  int64_t partial, int64_t sharedPartial, int64_t execution,
                  int64_t iteration, int64_t relayout) {
  std::pair<StringRef, int64_t> positive[] = {
      {"products_per_us", products},  {"elements_per_us", elements},
      {"bytes_per_us", bytes},        {"broadcast_cores", broadcast},
      {"rows_per_pass", rows},        {"full_passes", passes}};
  for (auto [name, value] : positive)
    if (value <= 0)
      return emitError() << "'" << name << "' must be positive, got " << value;
  if (broadcast > maxCount)
    return emitError() << "'broadcast_cores' must be at most " << maxCount
                       << ", got " << broadcast;
  std::pair<StringRef, int64_t> times[] = {{"partial_ps", partial},
                                           {"shared_partial_ps", sharedPartial},
                                           {"execution_ps", execution},
                                           {"iteration_ps", iteration},
                                           {"relayout_ps", relayout}};
  for (auto [name, value] : times)
    if (value < 0)
      return emitError() << "'" << name << "' must not be negative, got "
                         << value;
  return success();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult
TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t cores,
                   int64_t lxBytes, int64_t lxReserved, int64_t lxBackend,
                   int64_t stick, int64_t spanLimit, int64_t segment,
                   int64_t segmentReserved, int64_t segments,
                   ArrayAttr formats, StringRef contract, ArrayAttr exceptions,
                   RatesAttr) {
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
  if (stick != stickBytes())
    return emitError() << "'stick_bytes' must be " << stickBytes()
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
    if (value % stickBytes() != 0)
      return emitError() << "'" << name << "' must be a multiple of the stick, "
                         << stickBytes() << " bytes, got " << value;
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
  if (!spyreIsContract(contract.data(), contract.size()))
    return emitError() << "'contract' must be \"1.0.0\", \"r3\" or \"r2\", got \""
                       << contract << "\"";
  if (exceptions)
    for (Attribute entry : exceptions) {
      auto name = dyn_cast<StringAttr>(entry);
      if (!name || !spyreIsException(name.data(), name.size()))
        return emitError() << "'exceptions' must hold names of exceptions from "
                              "the contract, got "
                           << entry;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// PlaceAttr
//===----------------------------------------------------------------------===//

/// SP1
LogicalResult
spyre::detail::verifyAddress(function_ref<InFlightDiagnostic()> emitError,
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
  if (space != Space::Arg && *address % stickBytes() != 0)
    return emitError() << "'" << stringifySpace(space) << "' address "
                       << *address << " is not a multiple of the stick, "
                       << stickBytes() << " bytes";
  return success();
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               bool cacheArguments, bool relayouts,
                               std::optional<int64_t> memoryWeight,
                               std::optional<int64_t> mostBytes) {
  if (memoryWeight && *memoryWeight < 1)
    return emitError() << "'memory_weight' must be positive, got "
                       << *memoryWeight;
  if (mostBytes && *mostBytes < 1)
    return emitError() << "'most_bytes' must be positive, got " << *mostBytes;
  if (mostBytes && !memoryWeight)
    return emitError() << "'most_bytes' needs a 'memory_weight', with which "
                          "the splits of all operations are chosen together";
  return success();
}

//===----------------------------------------------------------------------===//
// DynamicAttr
//===----------------------------------------------------------------------===//

LogicalResult
DynamicAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                    int64_t granularity, int64_t max) {
  if (granularity <= 0 || max <= 0 || max % granularity != 0)
    return emitError() << "a dynamic extent needs a positive granularity and a "
                          "maximum that is a multiple of it, got "
                       << granularity << " and " << max;
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
