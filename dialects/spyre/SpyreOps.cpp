//===- SpyreOps.cpp - Assembly and folders of the operations --------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace spyre;

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

/// `[0: "A" in 2, 1: "B" by 64]`
static ParseResult parseTileHints(OpAsmParser &parser, ArrayAttr &hints) {
  SmallVector<Attribute> parsed;
  auto parseHint = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t scope = 0, amount = 0;
    bool bySize = false;
    StringAttr dim;
    if (parser.parseInteger(scope) || parser.parseColon() ||
        spyre::detail::parseTileRequest(parser, dim, amount, bySize))
      return failure();
    auto hint = parser.getChecked<TileHintAttr>(loc, parser.getContext(), scope,
                                                dim, amount, bySize);
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
        printer << hint.getScope() << ": ";
        spyre::detail::printTileRequest(printer, hint);
      });
  printer << ']';
}

/// `["A" over 32, "B" over 2]`
static ParseResult parseDivideHints(OpAsmParser &parser, ArrayAttr &hints) {
  SmallVector<Attribute> parsed;
  auto parseHint = [&]() -> ParseResult {
    return success(static_cast<bool>(
        parsed.emplace_back(spyre::detail::parseDivideRequest(parser))));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseHint))
    return failure();
  hints = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}

static void printDivideHints(OpAsmPrinter &printer, Operation *,
                             ArrayAttr hints) {
  printer << '[';
  llvm::interleaveComma(hints.getAsRange<DivideHintAttr>(), printer,
                        [&](DivideHintAttr hint) {
                          spyre::detail::printDivideRequest(printer, hint);
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

void SpyreDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "SpyreOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

// A planned operation writes its place, so it never folds away; an operation
// with hints is kept for its tiling.
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
OpFoldResult Relu6Op::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult MaximumOp::fold(FoldAdaptor) { return foldSameOperands(*this); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return foldSameOperands(*this); }

OpFoldResult NegOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<NegOp>();
  if (mayFold(*this) && inner && mayFold(inner) &&
      inner.getInput().getType() == getType())
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
  if (mayFold(*this) && !getFromDims() && getInput().getType() == getType())
    return getInput();
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  auto inner = getInput().getDefiningOp<BitcastOp>();
  if (!mayFold(*this) || !inner || !mayFold(inner) ||
      inner.getInput().getType() != getType())
    return {};
  // The intermediate type keeps only 32 of 64 bits, which may truncate a
  // number.
  unsigned between = getElementTypeOrSelf(inner).getIntOrFloatBitWidth();
  unsigned ends = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  return between < ends ? OpFoldResult() : inner.getInput();
}

OpFoldResult RestickifyOp::fold(FoldAdaptor) {
  if (mayFold(*this) && getInput().getType() == getType())
    return getInput();
  return {};
}

/// Returns whether a value is defined before an operation. In a graph region it
/// need not be, and permutations may form a cycle.
static bool isMadeBefore(Value value, Operation *op) {
  Operation *maker = value.getDefiningOp();
  return !maker || maker->getBlock() != op->getBlock() ||
         maker->isBeforeInBlock(op);
}

/// The identity, and a permutation of a permutation.
OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (!isMadeBefore(getInput(), *this))
    return {};
  ArrayRef<int64_t> permutation = getPermutation();
  if (isIdentityPermutation(permutation) && getInput().getType() == getType())
    return getInput();
  auto inner = getInput().getDefiningOp<PermuteOp>();
  if (!inner || !isMadeBefore(inner.getInput(), *this))
    return {};
  // Dimension i of the result is dimension inner[permutation[i]].
  SmallVector<int64_t> both =
      applyPermutation(inner.getPermutation(), permutation);
  getInputMutable().assign(inner.getInput());
  setPermutation(both);
  return getResult();
}

OpFoldResult FillOp::fold(FoldAdaptor) { return getValueAttr(); }
