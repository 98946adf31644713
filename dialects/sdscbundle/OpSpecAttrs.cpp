//===- OpSpecAttrs.cpp - attributes of sdscbundle.op_spec ----------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sdscbundle/SdscBundle.h"
#include "spyre/SpyreBase.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace spyre;
using namespace spyre::detail;
using namespace spyre::sdscbundle;

#define GET_ATTRDEF_CLASSES
#include "SdscBundleAttrs.cpp.inc"

void SdscBundleDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "SdscBundleAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

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

/// `["c0", "c1"]`
static ParseResult parseNames(AsmParser &parser,
                              SmallVectorImpl<StringAttr> &names) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseAttribute(names.emplace_back());
  });
}

static void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  printer << '[';
  llvm::interleaveComma(names, printer);
  printer << ']';
}

/// SC1, SW1: `map` takes the core, its only dimension, to slices, and has as
/// many results as there are `dims`.
static LogicalResult
verifySlicesOfCore(function_ref<InFlightDiagnostic()> emitError, AffineMap map,
                   size_t dims, StringRef what, StringRef names) {
  if (map.getNumDims() != 1 || map.getNumSymbols() != 0)
    return emitError() << "slices must be functions of the core alone, got "
                       << AffineMapAttr::get(map);
  if (dims != map.getNumResults())
    return emitError() << what << " has " << dims << ' ' << names << ", but "
                       << map.getNumResults() << " functions of the core";
  return success();
}

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
CoreSlicesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<StringAttr> dims, AffineMap cores) {
  if (failed(verifySlicesOfCore(emitError, cores, dims.size(), "core_slices",
                                "iteration symbols")))
    return failure();
  llvm::SmallDenseSet<StringAttr> seen;
  for (StringAttr dim : dims) {
    if (!dim || dim.empty())
      return emitError() << "core_slices has an empty iteration symbol";
    if (failed(verifyText(emitError, dim)))
      return failure();
    if (!seen.insert(dim).second)
      return emitError() << "core_slices names " << dim << " twice";
  }
  return success();
}

Attribute CoreSlicesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> dims;
  AffineMap cores;
  if (parser.parseLess() || parseNames(parser, dims) || parser.parseComma() ||
      parseMap(parser, cores) || parser.parseGreater())
    return {};
  return parser.getChecked<CoreSlicesAttr>(loc, parser.getContext(), dims,
                                           cores);
}

void CoreSlicesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printNames(printer, getDims());
  printer << ", ";
  printMap(printer, getCores());
  printer << '>';
}

LogicalResult
OwnershipAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> slices, AffineMap cores,
                      std::optional<int64_t> among) {
  if (failed(verifySlicesOfCore(emitError, cores, slices.size(), "ownership",
                                "numbers of slices")))
    return failure();
  for (int64_t count : slices)
    if (count <= 0)
      return emitError() << "slices must be positive, got " << count;
  if (among && (*among <= 0 || *among > maxCount))
    return emitError() << "owners must be among 1 to " << maxCount
                       << " cores, got " << *among;
  return success();
}

Attribute OwnershipAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> slices;
  AffineMap cores;
  std::optional<int64_t> among;
  if (parser.parseLess() || parseIntegers(parser, slices) ||
      parser.parseComma() || parseMap(parser, cores))
    return {};
  if (succeeded(parser.parseOptionalKeyword("among"))) {
    int64_t count = 0;
    if (parser.parseInteger(count))
      return {};
    among = count;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<OwnershipAttr>(loc, parser.getContext(), slices,
                                          cores, among);
}

void OwnershipAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printIntegers(printer, getSlices());
  printer << ", ";
  printMap(printer, getCores());
  if (getAmong())
    printer << " among " << *getAmong();
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

ParseResult spyre::sdscbundle::detail::parseJson(AsmParser &parser,
                                                 Attribute &value) {
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

void spyre::sdscbundle::detail::printJson(AsmPrinter &printer,
                                          Attribute value) {
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
    return failure(
        parser.parseAttribute(names.emplace_back()) || parser.parseEqual() ||
        spyre::sdscbundle::detail::parseJson(parser, values.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry))
    return {};
  return parser.getChecked<RecordAttr>(loc, parser.getContext(), names, values);
}

void RecordAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      llvm::zip_equal(getNames(), getValues()), printer, [&](auto entry) {
        printer << std::get<0>(entry) << " = ";
        spyre::sdscbundle::detail::printJson(printer, std::get<1>(entry));
      });
  printer << '>';
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

LogicalResult
TensorArgAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      bool isOutput, Space space, int64_t address,
                      DeviceFormat format, ArrayRef<int64_t> deviceSize,
                      AffineMap coordinates, ArrayRef<int64_t> advance,
                      int64_t offset, Arrangement arrangement, StringAttr name,
                      ArrayRef<StringAttr> indirect, OwnershipAttr owners,
                      bool separateParts, bool kernelLocal) {
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
  if (space == Space::LX && separateParts)
    return emitError() << "'separate_parts' is for device memory: in lx each "
                          "core's part is a tensor of its own anyway";
  if (offset < 0)
    return emitError() << "offset must not be negative, got " << offset;
  if (name && name.empty())
    return emitError() << "tensor has an empty name";
  for (StringAttr index : indirect)
    if (!index || index.empty())
      return emitError() << "'indirect' has an empty name";
  // The end of the buffer in bytes, unless it leaves 63 bits on the way.
  std::optional<int64_t> end = stickBytes() / elementsPerStick(format);
  for (int64_t size : deviceSize)
    end = end ? llvm::checkedMul(*end, size) : end;
  for (int64_t start : {space == Space::Arg ? 0 : address, offset})
    end = end ? llvm::checkedAdd(*end, start) : end;
  if (!end)
    return emitError() << "a buffer of device size [" << deviceSize
                       << "] does not end within 2^63 - 1 bytes";
  return success();
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
  bool separateParts = false, kernelLocal = false;
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
    if (parser.parseKeyword(&key))
      return {};
    // A flag is a keyword without a value.
    bool *flag = llvm::StringSwitch<bool *>(key)
                     .Case("separate_parts", &separateParts)
                     .Case("kernel_local", &kernelLocal)
                     .Default(nullptr);
    if (flag && !*flag) {
      *flag = true;
      continue;
    }
    if (!flag && parser.parseEqual())
      return {};
    bool again = llvm::is_contained(seen, key);
    seen.push_back(key);
    ParseResult parsed = success();
    if (key == "advance" && !again) {
      parsed = parseIntegers(parser, advance);
    } else if (key == "offset" && !again) {
      parsed = parser.parseInteger(offset);
    } else if (key == "arrangement" && !again) {
      FailureOr<Arrangement> value =
          parseEnum<Arrangement>(parser, symbolizeArrangement, "arrangement");
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
                               "'name', 'indirect', 'owners', "
                               "'separate_parts' or 'kernel_local', each "
                               "once, got '")
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
      coordinates, advance, offset, arrangement, name, indirect, owners,
      separateParts, kernelLocal);
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
    printer << ", indirect = ";
    printNames(printer, getIndirect());
  }
  if (getOwners()) {
    printer << ", owners = ";
    printer.printStrippedAttrOrType(getOwners());
  }
  if (getSeparateParts())
    printer << ", separate_parts";
  if (getKernelLocal())
    printer << ", kernel_local";
  printer << '>';
}
