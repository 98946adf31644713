//===- SpyreOps.cpp - Operations of the spyre dialect ---------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace spyre;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// `[0: "A" in 2, 1: "B" in 4]`
static ParseResult parseTileHints(OpAsmParser &parser, ArrayAttr &hints) {
  SmallVector<Attribute> parsed;
  auto parseHint = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t scope = 0, count = 0;
    StringAttr dim;
    if (parser.parseInteger(scope) || parser.parseColon() ||
        parser.parseAttribute(dim) || parser.parseKeyword("in") ||
        parser.parseInteger(count))
      return failure();
    auto hint = parser.getChecked<TileHintAttr>(loc, parser.getContext(), scope,
                                                dim, count);
    if (!hint)
      return failure();
    parsed.push_back(hint);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseHint))
    return failure();
  hints = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}

static void printTileHints(OpAsmPrinter &printer, Operation *,
                           ArrayAttr hints) {
  printer << '[';
  llvm::interleaveComma(
      hints.getAsRange<TileHintAttr>(), printer, [&](TileHintAttr hint) {
        printer << hint.getScope() << ": " << hint.getDim() << " in "
                << hint.getCount();
      });
  printer << ']';
}

/// `lx 0`, `pool 128`, `arg 3`, `window`
static ParseResult parsePlace(OpAsmParser &parser, PlaceAttr &place) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Space> space = symbolizeSpace(keyword);
  if (!space)
    return parser.emitError(loc, "unknown place '")
           << keyword << "' (known: arg, pool, lx, window)";
  std::optional<int64_t> address;
  if (*space != Space::Window && parser.parseInteger(address.emplace()))
    return failure();
  place =
      parser.getChecked<PlaceAttr>(loc, parser.getContext(), *space, address);
  return success(static_cast<bool>(place));
}

static void printPlace(OpAsmPrinter &printer, Operation *, PlaceAttr place) {
  printer << stringifySpace(place.getSpace());
  if (place.getAddress())
    printer << ' ' << *place.getAddress();
}

static ParseResult parseNumber(OpAsmParser &parser, FloatAttr &value) {
  double number = 0;
  if (parser.parseFloat(number))
    return failure();
  value = parser.getBuilder().getF64FloatAttr(number);
  return success();
}

static void printNumber(OpAsmPrinter &printer, Operation *, FloatAttr value) {
  printer.printAttributeWithoutType(value);
}

static ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number = 0;
  if (parser.parseInteger(number))
    return failure();
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printInteger(OpAsmPrinter &printer, Operation *,
                         IntegerAttr value) {
  printer << value.getInt();
}

/// One type when all are equal, a function type otherwise.
static ParseResult parseTypes(OpAsmParser &parser, ArrayRef<Type *> operands,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != operands.size() ||
        function.getNumResults() != 1)
      return parser.emitError(loc, "expected ")
             << operands.size() << " operand types and 1 result type, got "
             << function.getNumInputs() << " and " << function.getNumResults();
    for (auto [operand, input] : llvm::zip(operands, function.getInputs()))
      *operand = input;
    result = function.getResult(0);
    return success();
  }
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

static void printTypes(OpAsmPrinter &printer, ArrayRef<Type> operands,
                       Type result) {
  if (llvm::all_equal(operands) && operands.front() == result) {
    printer << result;
    return;
  }
  printer << '(';
  llvm::interleaveComma(operands, printer);
  printer << ") -> " << result;
}

static ParseResult parseTensorTypes(OpAsmParser &p, Type &a, Type &r) {
  return parseTypes(p, {&a}, r);
}
static ParseResult parseTensorTypes(OpAsmParser &p, Type &a, Type &b, Type &r) {
  return parseTypes(p, {&a, &b}, r);
}
static ParseResult parseTensorTypes(OpAsmParser &p, Type &a, Type &b, Type &c,
                                    Type &r) {
  return parseTypes(p, {&a, &b, &c}, r);
}
static ParseResult parseTensorTypes(OpAsmParser &p, Type &a, Type &b, Type &c,
                                    Type &d, Type &e, Type &r) {
  return parseTypes(p, {&a, &b, &c, &d, &e}, r);
}
static void printTensorTypes(OpAsmPrinter &p, Operation *op, Type, Type r) {
  printTypes(p, llvm::to_vector(op->getOperandTypes()), r);
}
static void printTensorTypes(OpAsmPrinter &p, Operation *op, Type, Type,
                             Type r) {
  printTypes(p, llvm::to_vector(op->getOperandTypes()), r);
}
static void printTensorTypes(OpAsmPrinter &p, Operation *op, Type, Type, Type,
                             Type r) {
  printTypes(p, llvm::to_vector(op->getOperandTypes()), r);
}
static void printTensorTypes(OpAsmPrinter &p, Operation *op, Type, Type, Type,
                             Type, Type, Type r) {
  printTypes(p, llvm::to_vector(op->getOperandTypes()), r);
}

#define GET_OP_CLASSES
#include "SpyreOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shapes and index maps
//===----------------------------------------------------------------------===//

static RankedTensorType tensorType(Operation *op, unsigned tensor) {
  Type type = tensor < op->getNumOperands()
                  ? op->getOperand(tensor).getType()
                  : op->getResult(tensor - op->getNumOperands()).getType();
  return dyn_cast<RankedTensorType>(type);
}

static unsigned numTensors(Operation *op) {
  return op->getNumOperands() + op->getNumResults();
}

SmallVector<int64_t> spyre::detail::resultShape(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type ? SmallVector<int64_t>(type.getShape()) : SmallVector<int64_t>();
}

AffineMap spyre::detail::buildIndexingMap(MLIRContext *context, size_t rank,
                                   ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(dim < 0 ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, exprs, context);
}

SmallVector<int64_t> spyre::detail::pointwiseTensorDims(Operation *op,
                                                 unsigned tensor) {
  RankedTensorType type = tensorType(op, tensor);
  RankedTensorType result = tensorType(op, op->getNumOperands());
  SmallVector<int64_t> dims(type.getRank(), -1);
  // A rank above the result's is refused by the verifier.
  if (type.getRank() > result.getRank())
    return dims;
  int64_t lead = result.getRank() - type.getRank();
  for (int64_t i = 0, e = type.getRank(); i != e; ++i)
    if (type.getDimSize(i) != 1 || result.getDimSize(lead + i) == 1)
      dims[i] = lead + i;
  return dims;
}

/// Whether `dims` are ascending dimensions of a tensor of `rank`.
static bool areDims(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (i > 0 && dim <= dims[i - 1]))
      return false;
  return true;
}

SmallVector<int64_t> spyre::detail::reductionSpace(Operation *op,
                                            ArrayRef<int64_t> dims,
                                            bool keepdim) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType input = tensorType(op, 0);
  for (int64_t dim : dims)
    space.push_back(dim >= 0 && dim < input.getRank() ? input.getDimSize(dim)
                                                      : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::reductionTensorDims(Operation *op,
                                                 ArrayRef<int64_t> dims,
                                                 bool keepdim,
                                                 unsigned tensor) {
  RankedTensorType input = tensorType(op, 0);
  int64_t resultRank = tensorType(op, 1).getRank();
  if (tensor == 1)
    return llvm::to_vector(llvm::seq<int64_t>(0, resultRank));
  SmallVector<int64_t> result;
  int64_t kept = 0, reduced = resultRank;
  for (int64_t i = 0, e = input.getRank(); i != e; ++i) {
    if (llvm::is_contained(dims, i)) {
      result.push_back(reduced++);
      kept += keepdim;
    } else {
      result.push_back(kept < resultRank ? kept : -1);
      ++kept;
    }
  }
  return result;
}

SmallVector<int64_t> spyre::detail::topKSpace(Operation *op, int64_t dim) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType input = tensorType(op, 0);
  space.push_back(dim >= 0 && dim < input.getRank() ? input.getDimSize(dim)
                                                    : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::topKTensorDims(Operation *op, int64_t dim,
                                            unsigned tensor) {
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(0, tensorType(op, tensor).getRank()));
  if (tensor == 0 && dim >= 0 && dim < static_cast<int64_t>(dims.size()))
    dims[dim] = tensorType(op, 1).getRank();
  return dims;
}

SmallVector<int64_t> spyre::detail::matmulSpace(Operation *op) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType lhs = tensorType(op, 0);
  space.push_back(lhs.getRank() > 0 ? lhs.getShape().back() : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::matmulTensorDims(Operation *op, unsigned tensor) {
  RankedTensorType type = tensorType(op, tensor);
  RankedTensorType result = tensorType(op, 2);
  int64_t rank = type.getRank(), out = result.getRank();
  SmallVector<int64_t> dims(rank, -1);
  if (rank < 2 || rank > out)
    return dims;
  int64_t m = out - 2, n = out - 1, k = out;
  for (int64_t i = 0; i < rank - 2; ++i) {
    int64_t batch = out - rank + i;
    if (type.getDimSize(i) != 1 || result.getDimSize(batch) == 1)
      dims[i] = batch;
  }
  dims[rank - 2] = tensor == 1 ? k : m;
  dims[rank - 1] = tensor == 0 ? k : n;
  return dims;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

DictionaryAttr
spyre::detail::constants(MLIRContext *context,
                  ArrayRef<std::pair<StringRef, Attribute>> entries) {
  SmallVector<NamedAttribute> named;
  for (auto [name, value] : entries)
    named.emplace_back(StringAttr::get(context, name), value);
  return DictionaryAttr::get(context, named);
}

/// Elements that a reduction combines into one.
static double reducedElements(Operation *op, ArrayRef<int64_t> dims) {
  double count = 1;
  RankedTensorType input = tensorType(op, 0);
  for (int64_t dim : dims)
    if (dim >= 0 && dim < input.getRank())
      count *= input.getDimSize(dim);
  return count;
}

DictionaryAttr spyre::detail::meanConstants(Operation *op, ArrayRef<int64_t> dims) {
  Builder builder(op->getContext());
  return constants(op->getContext(),
                   {{"scaling_factor",
                     builder.getF64FloatAttr(1 / reducedElements(op, dims))}});
}

DictionaryAttr spyre::detail::exx2Constants(Operation *op, ArrayRef<int64_t> dims) {
  Builder builder(op->getContext());
  return constants(op->getContext(),
                   {{"exx2Scale",
                     builder.getF64FloatAttr(1 / reducedElements(op, dims))}});
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os, [&](int64_t extent) {
    ShapedType::isDynamic(extent) ? os << '?' : os << extent;
  });
  os << ']';
  return text;
}

static bool extentsAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// "operand #1", or "result"
static std::string tensorName(Operation *op, unsigned tensor) {
  return tensor < op->getNumOperands() ? "operand #" + std::to_string(tensor)
                                       : std::string("result");
}

/// Adds a note where the value of a tensor comes from.
static void noteSource(InFlightDiagnostic &diagnostic, Operation *op,
                       unsigned tensor) {
  if (tensor < op->getNumOperands())
    diagnostic.attachNote(op->getOperand(tensor).getLoc())
        << "operand #" << tensor << " of type "
        << op->getOperand(tensor).getType() << " comes from here";
}

/// Pointwise operations: the operands broadcast to the result's shape.
static LogicalResult verifyBroadcast(Operation *op) {
  RankedTensorType result = tensorType(op, op->getNumOperands());
  SmallVector<int64_t> shape(result.getRank(), 1);
  for (unsigned i = 0, e = op->getNumOperands(); i != e; ++i) {
    RankedTensorType type = tensorType(op, i);
    int64_t lead = result.getRank() - type.getRank();
    if (lead < 0) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("operand #")
          << i << " has rank " << type.getRank() << ", above the result's rank "
          << result.getRank();
      noteSource(diagnostic, op, i);
      return diagnostic;
    }
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t have = type.getDimSize(d), want = result.getDimSize(lead + d);
      if (have != 1 && !extentsAgree(have, want)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError("operand #")
            << i << " has extent " << have << " in dimension " << d
            << ", which does not broadcast to the result's extent " << want;
        noteSource(diagnostic, op, i);
        return diagnostic;
      }
      if (have != 1)
        shape[lead + d] = want;
    }
  }
  for (auto [d, extent] : llvm::enumerate(result.getShape()))
    if (!extentsAgree(extent, shape[d]))
      return op->emitOpError("result has shape ")
             << shapeText(result.getShape())
             << ", but the operands broadcast to " << shapeText(shape);
  return success();
}

/// The iteration dimension on the stick of a tensor, if any. A dimension of
/// extent 1 is on no stick.
static std::optional<int64_t> stickDim(LayoutAttr layout, ArrayRef<int64_t> dims,
                                       ArrayRef<int64_t> space) {
  AffineExpr last = layout.getMap().getResults().back();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim >= 0 && dim < static_cast<int64_t>(space.size()) &&
        space[dim] != 1 && last.isFunctionOfDim(i))
      return dim;
  return std::nullopt;
}

/// The tensors of one operation share at most one stick dimension, and a
/// tensor that does not stick on it is not indexed by it.
static LogicalResult verifySticks(DeviceOpInterface op) {
  SmallVector<int64_t> space = op.getIterationSpace();
  std::optional<int64_t> stick;
  unsigned owner = 0;
  unsigned count = numTensors(op);
  for (unsigned t = 0; t != count; ++t) {
    LayoutAttr layout = layoutOf(tensorType(op, t));
    if (!layout)
      continue;
    std::optional<int64_t> dim = stickDim(layout, op.getTensorDims(t), space);
    if (!dim)
      continue;
    if (stick && *stick != *dim) {
      InFlightDiagnostic diagnostic =
          op->emitOpError()
          << tensorName(op, t) << " has iteration dimension " << *dim
          << " on its stick, but " << tensorName(op, owner) << " has dimension "
          << *stick << "; a spyre.restickify makes them agree";
      noteSource(diagnostic, op, owner);
      if (t < op->getNumOperands())
        noteSource(diagnostic, op, t);
      return diagnostic;
    }
    if (!stick) {
      stick = dim;
      owner = t;
    }
  }
  if (!stick)
    return success();
  for (unsigned t = 0; t != count; ++t) {
    LayoutAttr layout = layoutOf(tensorType(op, t));
    if (!layout)
      continue;
    SmallVector<int64_t> dims = op.getTensorDims(t);
    if (stickDim(layout, dims, space) || !llvm::is_contained(dims, *stick))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError()
        << tensorName(op, t) << " is indexed by iteration dimension " << *stick
        << ", the stick of " << tensorName(op, owner)
        << ", but has one element of it in each stick";
    noteSource(diagnostic, op, t);
    return diagnostic;
  }
  return success();
}

LogicalResult spyre::detail::verifyDeviceOp(Operation *raw) {
  auto op = cast<DeviceOpInterface>(raw);
  // The element type constraints of ODS have run, so these are tensors.
  for (unsigned t = 0, e = numTensors(op); t != e; ++t)
    if (!tensorType(op, t))
      return op->emitOpError() << tensorName(op, t) << " is not a ranked tensor";
  bool restickify = isa<RestickifyOp>(raw);
  if (op.getNumReductionDims() == 0 && failed(verifyBroadcast(op)))
    return failure();
  bool ownStickRule =
      restickify || isa<BatchMatmulOp, BatchMatmulFP8Op, TopKValueOp,
                        TopKIndexOp>(raw);
  if (!ownStickRule && failed(verifySticks(op)))
    return failure();

  if (ArrayAttr hints = op.getTileHints()) {
    std::optional<int64_t> outer;
    for (auto hint : hints.getAsRange<TileHintAttr>()) {
      if (outer && hint.getScope() <= *outer)
        return op->emitOpError("hint scopes must ascend from the outermost, got ")
               << hint.getScope() << " after " << *outer;
      outer = hint.getScope();
    }
  }
  if (DenseI64ArrayAttr split = op.getCoreSplit()) {
    SmallVector<int64_t> space = op.getIterationSpace();
    if (split.size() != static_cast<int64_t>(space.size()))
      return op->emitOpError("split has ")
             << split.size() << " entries, but the iteration space "
             << shapeText(space) << " has " << space.size() << " dimensions";
    for (auto [dim, cores] : llvm::enumerate(split.asArrayRef())) {
      if (cores <= 0)
        return op->emitOpError("split must be positive, got ")
               << cores << " for dimension " << dim;
      if (!ShapedType::isDynamic(space[dim]) && cores > space[dim])
        return op->emitOpError("splits dimension ")
               << dim << " of extent " << space[dim] << " over " << cores
               << " cores";
    }
  }
  return success();
}

LogicalResult spyre::detail::verifyReduction(Operation *op, ArrayRef<int64_t> dims,
                                      bool keepdim) {
  RankedTensorType input = tensorType(op, 0), result = tensorType(op, 1);
  if (dims.empty() || !areDims(dims, input.getRank()))
    return op->emitOpError("dims ")
           << shapeText(dims)
           << " must be ascending dimensions of the input of rank "
           << input.getRank() << ", at least one";
  SmallVector<int64_t> shape;
  for (auto [d, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      shape.push_back(extent);
    else if (keepdim)
      shape.push_back(1);
  }
  if (shape.size() != result.getShape().size() ||
      !llvm::all_of(llvm::zip(shape, result.getShape()), [](auto pair) {
        return extentsAgree(std::get<0>(pair), std::get<1>(pair));
      })) {
    InFlightDiagnostic diagnostic = op->emitOpError("result has shape ")
                                    << shapeText(result.getShape())
                                    << ", but reducing dims " << shapeText(dims)
                                    << " of " << shapeText(input.getShape())
                                    << " gives " << shapeText(shape);
    noteSource(diagnostic, op, 0);
    return diagnostic;
  }
  return success();
}

LogicalResult spyre::detail::verifyTopK(Operation *op, int64_t dim, int64_t k) {
  RankedTensorType input = tensorType(op, 0), result = tensorType(op, 1);
  if (dim < 0 || dim >= input.getRank())
    return op->emitOpError("dim ")
           << dim << " is not a dimension of the input of rank "
           << input.getRank();
  int64_t extent = input.getDimSize(dim);
  if (k <= 0 || (!ShapedType::isDynamic(extent) && k > extent))
    return op->emitOpError("k must be in [1, ")
           << extent << "], the extent of dimension " << dim << ", got " << k;
  SmallVector<int64_t> shape(input.getShape());
  shape[dim] = k;
  if (result.getShape() != ArrayRef<int64_t>(shape))
    return op->emitOpError("result has shape ")
           << shapeText(result.getShape()) << ", expected "
           << shapeText(shape);
  return success();
}

LogicalResult spyre::detail::verifyMatmul(Operation *op) {
  RankedTensorType lhs = tensorType(op, 0), rhs = tensorType(op, 1),
                   result = tensorType(op, 2);
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return op->emitOpError("operands need at least 2 dimensions, got ranks ")
           << lhs.getRank() << " and " << rhs.getRank();
  int64_t rank = std::max(lhs.getRank(), rhs.getRank());
  int64_t k = lhs.getShape().back(), otherK = rhs.getDimSize(rhs.getRank() - 2);
  if (!extentsAgree(k, otherK)) {
    InFlightDiagnostic diagnostic = op->emitOpError("lhs has K = ")
                                    << k << ", but rhs has K = " << otherK;
    noteSource(diagnostic, op, 0);
    noteSource(diagnostic, op, 1);
    return diagnostic;
  }
  SmallVector<int64_t> shape(rank, 1);
  shape[rank - 2] = lhs.getDimSize(lhs.getRank() - 2);
  shape[rank - 1] = rhs.getShape().back();
  for (RankedTensorType type : {lhs, rhs})
    for (int64_t i = 0, e = type.getRank() - 2; i < e; ++i)
      if (type.getDimSize(i) != 1)
        shape[rank - type.getRank() + i] = type.getDimSize(i);
  bool batchAgrees = llvm::all_of(
      ArrayRef<RankedTensorType>{lhs, rhs}, [&](RankedTensorType type) {
        for (int64_t i = 0, e = type.getRank() - 2; i < e; ++i)
          if (type.getDimSize(i) != 1 &&
              !extentsAgree(type.getDimSize(i),
                            shape[rank - type.getRank() + i]))
            return false;
        return true;
      });
  if (!batchAgrees || result.getRank() != rank ||
      !llvm::all_of(llvm::zip(shape, result.getShape()), [](auto pair) {
        return extentsAgree(std::get<0>(pair), std::get<1>(pair));
      }))
    return op->emitOpError("operands ")
           << shapeText(lhs.getShape()) << " and " << shapeText(rhs.getShape())
           << " do not give a result of shape " << shapeText(result.getShape());

  // The stick of each tensor, by the dimension of that tensor.
  auto requireStick = [&](unsigned tensor, int64_t dim,
                          StringRef name) -> LogicalResult {
    RankedTensorType type = tensorType(op, tensor);
    LayoutAttr layout = layoutOf(type);
    if (!layout || type.getDimSize(dim) == 1 ||
        layout.getMap().getResults().back().isFunctionOfDim(dim))
      return success();
    InFlightDiagnostic diagnostic =
        op->emitOpError() << tensorName(op, tensor) << " must have " << name
                          << ", its dimension " << dim
                          << ", on the stick; a spyre.restickify moves it there";
    noteSource(diagnostic, op, tensor);
    return diagnostic;
  };
  return failure(failed(requireStick(0, lhs.getRank() - 1, "K")) ||
                 failed(requireStick(1, rhs.getRank() - 1, "N")) ||
                 failed(requireStick(2, rank - 1, "N")));
}

LogicalResult ClipOp::verify() {
  if (getMin().convertToDouble() > getMax().convertToDouble())
    return emitOpError("min ") << getMin().convertToDouble()
                               << " is above max " << getMax().convertToDouble();
  return success();
}

LogicalResult CopyOp::verify() {
  if (getInput().getType().getShape() != getResult().getType().getShape())
    return emitOpError("copies shape ")
           << shapeText(getInput().getType().getShape()) << " to "
           << shapeText(getResult().getType().getShape());
  LayoutAttr from = layoutOf(getInput().getType());
  LayoutAttr to = layoutOf(getResult().getType());
  if (from && to && from.getMap() != to.getMap())
    return emitOpError("cannot change the layout map from ")
           << AffineMapAttr::get(from.getMap()) << " to "
           << AffineMapAttr::get(to.getMap())
           << "; spyre.restickify does";
  return success();
}

LogicalResult RestickifyOp::verify() {
  if (!layoutOf(getInput().getType()) || !layoutOf(getResult().getType()))
    return emitOpError("needs a layout on both sides, got ")
           << getInput().getType() << " and " << getResult().getType();
  return success();
}

LogicalResult FillOp::verify() {
  if (!isa<SplatElementsAttr>(getValue()))
    return emitOpError("value must be a splat");
  return success();
}

LogicalResult OpSpecOp::verify() {
  llvm::StringSet<> symbols;
  for (auto dim : getSpace().getAsRange<IterDimAttr>()) {
    if (dim.getSymbol().empty())
      return emitOpError("has an iteration dimension without a symbol");
    if (!symbols.insert(dim.getSymbol()).second)
      return emitOpError("names iteration symbol ")
             << dim.getSymbol() << " twice";
  }
  if (getArgs().empty())
    return emitOpError("has no tensors");
  std::optional<size_t> levels;
  bool sawOutput = false;
  for (auto [i, arg] : llvm::enumerate(getArgs().getAsRange<TensorArgAttr>())) {
    if (arg.getCoordinates().getNumDims() != getSpace().size())
      return emitOpError("tensor #")
             << i << " has coordinates over "
             << arg.getCoordinates().getNumDims()
             << " dimensions, but the iteration space has "
             << getSpace().size();
    if (sawOutput && !arg.getIsOutput())
      return emitOpError("tensor #") << i << " is an input after an output";
    sawOutput |= arg.getIsOutput();
    if (arg.getAdvance().empty())
      continue;
    if (levels && *levels != arg.getAdvance().size())
      return emitOpError("tensor #")
             << i << " advances over " << arg.getAdvance().size()
             << " loops, but another tensor over " << *levels;
    levels = arg.getAdvance().size();
  }
  if (!sawOutput)
    return emitOpError("has no output");
  if (DictionaryAttr constants = getConstantsAttr())
    for (NamedAttribute entry : constants)
      if (!isa<FloatAttr, IntegerAttr>(entry.getValue()))
        return emitOpError("constant '")
               << entry.getName().getValue() << "' is not a number";
  return success();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

// A planned operation writes its place, so it never folds away; one with
// hints is kept for the tiling that it asks for.
template <typename OpTy> static bool mayFold(OpTy op) {
  return !op.getPlaceAttr() && !op.getTileAttr();
}

/// f(f(x)) = f(x)
template <typename OpTy> static OpFoldResult foldIdempotent(OpTy op) {
  auto inner = op.getInput().template getDefiningOp<OpTy>();
  if (mayFold(op) && inner && inner.getType() == op.getType())
    return inner.getResult();
  return {};
}

/// f(x, x) = x
template <typename OpTy> static OpFoldResult foldSameOperands(OpTy op) {
  if (mayFold(op) && op.getLhs() == op.getRhs() &&
      op.getLhs().getType() == op.getType())
    return op.getLhs();
  return {};
}

OpFoldResult AbsOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult FloorOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult ReluOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult MaximumOp::fold(FoldAdaptor) { return foldSameOperands(*this); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return foldSameOperands(*this); }

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<NegOp>();
  if (mayFold(*this) && inner && inner.getInput().getType() == getType() &&
      !inner.getPlaceAttr())
    return inner.getInput();
  return {};
}

OpFoldResult Where3Op::fold(FoldAdaptor) {
  if (mayFold(*this) && getOnTrue() == getOnFalse() &&
      getOnTrue().getType() == getType())
    return getOnTrue();
  return {};
}

OpFoldResult CopyOp::fold(FoldAdaptor) {
  if (mayFold(*this) && getInput().getType() == getType())
    return getInput();
  return {};
}

OpFoldResult RestickifyOp::fold(FoldAdaptor) {
  if (mayFold(*this) && getInput().getType() == getType())
    return getInput();
  return {};
}

OpFoldResult FillOp::fold(FoldAdaptor) { return getValueAttr(); }
