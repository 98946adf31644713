//===- UopOps.cpp - Operations of the uop dialect -------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types of results, and the rules of operations.
// docs/Dialects/UopConstraints.md lists the rules by number (U8, ...).
//
//===----------------------------------------------------------------------===//

#include "uop/Uop.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace spyre::uop;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// The keyword of an enumeration.
template <typename Attr>
static ParseResult parseKeyword(OpAsmParser &parser, Attr &attr) {
  using Enum = decltype(attr.getValue());
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> value = symbolizeEnum<Enum>(keyword);
  if (!value)
    return parser.emitError(location) << "'" << keyword << "' is not known";
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

template <typename Attr>
static void printKeyword(OpAsmPrinter &printer, Operation *, Attr attr) {
  printer << stringifyEnum(attr.getValue());
}

/// A device is its name, or a list of names.
static ParseResult parseDevice(OpAsmParser &parser, Attribute &device) {
  std::string name;
  if (succeeded(parser.parseOptionalString(&name))) {
    device = parser.getBuilder().getStringAttr(name);
    return success();
  }
  SmallVector<Attribute> names;
  auto parse = [&] {
    if (parser.parseString(&name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parse))
    return failure();
  device = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printDevice(OpAsmPrinter &printer, Operation *, Attribute device) {
  printer << device;
}

/// The slot of a variable is its number or its name.
static ParseResult parseSlot(OpAsmParser &parser, Attribute &slot) {
  std::string name;
  if (succeeded(parser.parseOptionalString(&name))) {
    slot = parser.getBuilder().getStringAttr(name);
    return success();
  }
  int64_t number = 0;
  if (parser.parseInteger(number))
    return failure();
  slot = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printSlot(OpAsmPrinter &printer, Operation *, Attribute slot) {
  if (auto number = dyn_cast<IntegerAttr>(slot))
    printer << number.getInt();
  else
    printer << slot;
}

//===----------------------------------------------------------------------===//
// Inference
//===----------------------------------------------------------------------===//

/// Infers the type of an operation that is being built or parsed.
template <typename OpTy>
static LogicalResult inferInto(typename OpTy::Adaptor adaptor,
                               std::optional<Location> location,
                               SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type =
      OpTy::inferType(adaptor, [&](const Twine &why) {
        if (location)
          emitError(*location)
              << "'" << OpTy::getOperationName() << "' op " << why;
      });
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

/// Compares the type of an operation with the type that its rule infers.
template <typename OpTy> static LogicalResult verifyInferred(OpTy op) {
  typename OpTy::Adaptor adaptor(op);
  FailureOr<RankedTensorType> type = OpTy::inferType(
      adaptor, [&](const Twine &why) { op.emitOpError(why); });
  if (failed(type))
    return failure();
  if (*type != op.getType())
    return op.emitOpError("has a result of ")
           << op.getType() << " where the rule gives " << *type;
  return success();
}

#define GET_OP_CLASSES
#include "UopOps.cpp.inc"

void UopDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "UopOps.cpp.inc"
      >();
}

/// Extents or axes in messages.
static std::string list(ArrayRef<int64_t> numbers) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(numbers, stream);
  stream << ']';
  return text;
}

/// A tensor; null where generic assembly gave something else.
static RankedTensorType tensorOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static FailureOr<RankedTensorType> shaped(RankedTensorType like,
                                          ArrayRef<int64_t> shape,
                                          Report report) {
  RankedTensorType type =
      RankedTensorType::get(shape, like.getElementType());
  if (isSmallEnough(type))
    return type;
  report("has a result of shape " + list(shape) +
         ", which has a negative extent, or 2^63 elements or more");
  return failure();
}

/// The source of a movement. Reports one that is no tensor.
static RankedTensorType sourceOf(Value source, Report report) {
  RankedTensorType type = tensorOf(source);
  if (!type || !type.hasStaticShape()) {
    report("reads what is no tensor of known extents");
    return nullptr;
  }
  return type;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// U8
FailureOr<RankedTensorType> PermuteOp::inferType(Adaptor adaptor,
                                                 Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  ArrayRef<int64_t> perm = adaptor.getPerm();
  SmallVector<int64_t> shape;
  llvm::SmallBitVector seen(source.getRank());
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= source.getRank() || seen.test(axis))
      break;
    seen.set(axis);
    shape.push_back(source.getDimSize(axis));
  }
  if (shape.size() != perm.size() || !seen.all()) {
    report("has " + list(perm) + ", which is no order of the axes of " +
           list(source.getShape()));
    return failure();
  }
  return shaped(source, shape, report);
}

/// U9
FailureOr<RankedTensorType> FlipOp::inferType(Adaptor adaptor, Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  size_t flags = adaptor.getFlags().size();
  if (flags != static_cast<size_t>(source.getRank())) {
    report("has " + Twine(flags) + " flags for the axes of " +
           list(source.getShape()));
    return failure();
  }
  return source;
}

/// U10
FailureOr<RankedTensorType> ReshapeOp::inferType(Adaptor adaptor,
                                                 Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  FailureOr<RankedTensorType> type =
      shaped(source, adaptor.getShape(), report);
  if (failed(type))
    return failure();
  if (type->getNumElements() != source.getNumElements()) {
    report("makes " + list(type->getShape()) + ", which has " +
           Twine(type->getNumElements()) + " elements, of " +
           list(source.getShape()) + ", which has " +
           Twine(source.getNumElements()));
    return failure();
  }
  return type;
}

/// U11
FailureOr<RankedTensorType> ExpandOp::inferType(Adaptor adaptor,
                                                Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  ArrayRef<int64_t> from = source.getShape(), to = adaptor.getShape();
  bool fits = from.size() == to.size() &&
              llvm::all_of(llvm::zip(from, to), [](auto pair) {
                auto [from, to] = pair;
                return from == to || from == 1;
              });
  if (!fits) {
    report("makes " + list(to) + " of " + list(from) +
           ", which differs in more than axes of one element");
    return failure();
  }
  return shaped(source, to, report);
}

/// Whether a box at an offset is inside of another.
static bool isWithin(ArrayRef<int64_t> offset, ArrayRef<int64_t> inner,
                     ArrayRef<int64_t> outer) {
  if (offset.size() != outer.size() || inner.size() != outer.size())
    return false;
  for (auto [at, size, room] : llvm::zip_equal(offset, inner, outer)) {
    int64_t end = 0;
    if (at < 0 || size < 0 || llvm::AddOverflow(at, size, end) || end > room)
      return false;
  }
  return true;
}

/// U12
FailureOr<RankedTensorType> PadOp::inferType(Adaptor adaptor, Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  ArrayRef<int64_t> offset = adaptor.getOffset(), shape = adaptor.getShape();
  if (!isWithin(offset, source.getShape(), shape)) {
    report("puts " + list(source.getShape()) + " at " + list(offset) +
           ", which is not inside of " + list(shape));
    return failure();
  }
  return shaped(source, shape, report);
}

/// U13
FailureOr<RankedTensorType> ShrinkOp::inferType(Adaptor adaptor,
                                                Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  ArrayRef<int64_t> offset = adaptor.getOffset(), shape = adaptor.getShape();
  if (!isWithin(offset, shape, source.getShape())) {
    report("takes " + list(shape) + " at " + list(offset) +
           ", which is not inside of " + list(source.getShape()));
    return failure();
  }
  return shaped(source, shape, report);
}

/// U14
FailureOr<RankedTensorType> IndexOp::inferType(Adaptor adaptor,
                                               Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  size_t count = adaptor.getPositions().size();
  if (count > static_cast<size_t>(source.getRank())) {
    report("has " + Twine(count) + " positions for the axes of " +
           list(source.getShape()));
    return failure();
  }
  SmallVector<int64_t> shape;
  for (auto [number, position] : llvm::enumerate(adaptor.getPositions())) {
    RankedTensorType type = sourceOf(position, report);
    if (!type)
      return failure();
    if (type.getRank() > 1) {
      report("position #" + Twine(number) + " has shape " +
             list(type.getShape()) + ", and is no scalar and no vector");
      return failure();
    }
    llvm::append_range(shape, type.getShape());
  }
  llvm::append_range(shape, source.getShape().drop_front(count));
  return shaped(source, shape, report);
}

/// U15
FailureOr<RankedTensorType> StackOp::inferType(Adaptor adaptor,
                                               Report report) {
  if (adaptor.getSources().empty()) {
    report("stacks nothing");
    return failure();
  }
  RankedTensorType first = sourceOf(adaptor.getSources().front(), report);
  if (!first)
    return failure();
  for (auto [number, source] : llvm::enumerate(adaptor.getSources()))
    if (source.getType() != first) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "source #" << number << " has type " << source.getType()
          << ", but source #0 has " << first;
      report(text);
      return failure();
    }
  SmallVector<int64_t> shape{
      static_cast<int64_t>(adaptor.getSources().size())};
  llvm::append_range(shape, first.getShape());
  return shaped(first, shape, report);
}

/// U16
FailureOr<RankedTensorType> BitcastOp::inferType(Adaptor adaptor,
                                                 Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  Type to = adaptor.getDtype();
  for (Type type : {source.getElementType(), to}) {
    bool isFloat = isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
    bool isInteger = isa<IntegerType>(type) && !type.isSignedInteger() &&
                     llvm::is_contained({8u, 16u, 32u, 64u},
                                        type.getIntOrFloatBitWidth());
    if (isFloat || isInteger)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "reads or makes the bytes of " << type << ", which are not known";
    report(text);
    return failure();
  }
  int64_t fromBits = source.getElementTypeBitWidth();
  int64_t toBits = to.getIntOrFloatBitWidth();
  SmallVector<int64_t> shape(source.getShape());
  if (shape.empty()) {
    if (fromBits != toBits) {
      report("makes " + Twine(toBits) + " bits of a scalar of " +
             Twine(fromBits));
      return failure();
    }
  } else {
    int64_t bits = 0;
    if (llvm::MulOverflow(shape.back(), fromBits, bits) ||
        bits % toBits != 0) {
      report("makes elements of " + Twine(toBits) + " bits of " +
             Twine(shape.back()) + " of " + Twine(fromBits) + " bits");
      return failure();
    }
    shape.back() = bits / toBits;
  }
  return shaped(RankedTensorType::get({}, to), shape, report);
}

/// U28
FailureOr<RankedTensorType> ReplicatedOp::inferType(Adaptor adaptor,
                                                    Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= source.getRank() || source.getDimSize(axis) == 0) {
    report("drops axis " + Twine(axis) + " of " + list(source.getShape()) +
           ", which has no slice to keep");
    return failure();
  }
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  return shaped(source, shape, report);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// U22
static bool isRange(Value value) {
  return value.getDefiningOp<RangeOp>() != nullptr;
}

/// U17, U22
FailureOr<RankedTensorType> ReduceOp::inferType(Adaptor adaptor,
                                                Report report) {
  RankedTensorType source = sourceOf(adaptor.getSource(), report);
  if (!source)
    return failure();
  ArrayRef<int64_t> axes = adaptor.getAxes();
  SmallVector<int64_t> shape(source.getShape());
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (axis <= last || axis >= source.getRank()) {
      report("has axes " + list(axes) + ", which are not ascending axes of " +
             list(source.getShape()));
      return failure();
    }
    shape[axis] = 1;
    last = axis;
  }
  if (axes.empty() && adaptor.getRanges().empty()) {
    report("has neither axes nor ranges");
    return failure();
  }
  for (auto [number, range] : llvm::enumerate(adaptor.getRanges()))
    if (!isRange(range)) {
      report("range #" + Twine(number) + " is no result of a 'uop.range'");
      return failure();
    }
  return shaped(source, shape, report);
}

//===----------------------------------------------------------------------===//
// Sources, devices and memory
//===----------------------------------------------------------------------===//

/// U29
static LogicalResult verifyDevice(Operation *op, Attribute device) {
  auto tuple = dyn_cast_if_present<ArrayAttr>(device);
  if (!tuple)
    return success();
  if (tuple.empty() || !llvm::all_of(tuple, llvm::IsaPred<StringAttr>))
    return op->emitOpError(
        "has a tuple of devices that is empty or has an element that is no "
        "string");
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : tuple)
    if (!seen.insert(name).second)
      return op->emitOpError("has ") << name << " twice in a tuple of devices";
  return success();
}

/// U29, U32
LogicalResult BufferOp::verify() {
  int64_t slot = getSlot();
  if (slot < 0)
    return emitOpError("has slot ") << slot << ", which is negative";
  return verifyDevice(*this, getDeviceAttr());
}

/// Returns the range of an integer type, or nullopt for 64 bits, the full range.
static std::optional<std::pair<int64_t, int64_t>> rangeOf(Type type) {
  if (!isa<IntegerType>(type))
    return std::nullopt;
  unsigned width = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger())
    return std::pair<int64_t, int64_t>(
        0, width == 64 ? INT64_MAX : llvm::maxUIntN(width));
  return std::pair<int64_t, int64_t>(llvm::minIntN(width),
                                     llvm::maxIntN(width));
}

/// U18
LogicalResult VariableOp::verify() {
  if (getType().getRank() != 0)
    return emitOpError("is no scalar, but has shape ")
           << list(getType().getShape());
  std::optional<int64_t> min = getMin(), max = getMax();
  if (min.has_value() != max.has_value())
    return emitOpError("must have both 'min' and 'max' or none of them, got "
                       "only ")
           << (min ? "'min'" : "'max'");
  if (!min)
    return success();
  if (*min > *max)
    return emitOpError("min ") << *min << " is above max " << *max;
  Type element = getType().getElementType();
  auto range = rangeOf(element);
  if (range && (*min < range->first || *max > range->second))
    return emitOpError("bounds ")
           << *min << " and " << *max << " of " << element << " must be in ["
           << range->first << ", " << range->second << "]";
  return success();
}

/// U27, U29
LogicalResult CopyOp::verify() {
  if (failed(verifyDevice(*this, getDevice())))
    return failure();
  auto tuple = dyn_cast<ArrayAttr>(getDevice());
  if (!tuple)
    return success();
  RankedTensorType type = getType();
  int64_t count = tuple.size();
  if (type.getRank() == 0 || type.getDimSize(0) % count != 0)
    return emitOpError("copies ")
           << list(type.getShape()) << ", whose first axis has no equal parts for "
           << count << " devices";
  return success();
}

/// U24, U29
LogicalResult LoadOp::verify() {
  if (failed(verifyDevice(*this, getDeviceAttr())))
    return failure();
  if (!getGate() != !getAlternative())
    return emitOpError("has a gate without an alternative, or the reverse");
  if (!getGate())
    return success();
  if (getAlternative().getType() != getType())
    return emitOpError("reads ")
           << getType() << ", and its alternative is "
           << getAlternative().getType();
  if (getGate().getType() != truthOf(getType()))
    return emitOpError("reads ")
           << getType() << ", and its gate is " << getGate().getType();
  return success();
}

/// Whether a value is an argument or a buffer, or a view of one that has a place
/// for each of its elements.
static bool isStorage(Value value) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (Operation *op = value.getDefiningOp()) {
    // A cycle violates dominance, which MLIR verifies after the operations.
    if (!seen.insert(op).second || isa<BufferOp>(op))
      return true;
    if (!isa<PermuteOp, FlipOp, ReshapeOp, ShrinkOp, IndexOp, ReplicatedOp,
             AfterOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

/// U23
LogicalResult StoreOp::verify() {
  if (!isStorage(getBuffer()))
    return emitOpError("must write to a buffer or a part of one");
  if (getGate() && getGate().getType() != truthOf(getBuffer().getType()))
    return emitOpError("writes ")
           << getBuffer().getType() << ", and its gate is "
           << getGate().getType();
  return success();
}

/// U25, U26
LogicalResult AfterOp::verify() {
  if (!isStorage(getBuffer()))
    return emitOpError("must have a buffer or a part of one as operand #0");
  for (auto [number, first] : llvm::enumerate(getFirst()))
    if (!isa<EffectType>(first.getType()) && !isRange(first))
      return emitOpError("operand #")
             << number + 1
             << " must be an effect or a result of a 'uop.range', got "
             << first.getType();
  return success();
}

/// U21
LogicalResult RangeOp::verify() {
  if (getType().getRank() != 0)
    return emitOpError("is no scalar, but has shape ")
           << list(getType().getShape());
  int64_t axis = getAxis(), bound = getBound();
  if (axis < 0 || bound < 0)
    return emitOpError("has ") << bound << " iterations of axis " << axis;
  return success();
}

/// U22
LogicalResult EndOp::verify() {
  if (!isRange(getRange()))
    return emitOpError("must have a result of a 'uop.range' as its range");
  return success();
}
