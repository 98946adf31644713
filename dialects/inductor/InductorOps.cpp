//===- InductorOps.cpp - Operations of the inductor dialect ---------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "inductor/Inductor.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace spyre::inductor;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Extents: expressions of the symbols, without their map.
static ParseResult parseExtents(OpAsmParser &parser, AffineMapAttr &map) {
  MLIRContext *context = parser.getContext();
  SmallVector<std::string, maxSymbols> names;
  SmallVector<std::pair<StringRef, AffineExpr>, maxSymbols> symbols;
  for (unsigned number = 0; number < maxSymbols; ++number)
    names.push_back("s" + std::to_string(number));
  for (unsigned number = 0; number < maxSymbols; ++number)
    symbols.emplace_back(names[number], getAffineSymbolExpr(number, context));
  SmallVector<AffineExpr> exprs;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseAffineExpr(symbols, exprs.emplace_back());
      }))
    return failure();
  map = AffineMapAttr::get(symbolicMap(exprs, context));
  return success();
}

static void printExtents(OpAsmPrinter &printer, Operation *,
                         AffineMapAttr map) {
  printer << '[';
  llvm::interleaveComma(map.getValue().getResults(), printer.getStream(),
                        [&](AffineExpr expr) { printer.getStream() << expr; });
  printer << ']';
}

static ParseResult parseKeyword(OpAsmParser &parser, StringAttr &value) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  value = parser.getBuilder().getStringAttr(keyword);
  return success();
}

static void printKeyword(OpAsmPrinter &printer, Operation *, StringAttr value) {
  printer << value.getValue();
}

static void nameResult(Value result, StringRef name,
                       OpAsmSetValueNameFn setName) {
  setName(result, name);
}

void InputOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResult(getResult(), getName(), setName);
}
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResult(getResult(), getName(), setName);
}
void MultiOutputOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResult(getResult(), getBuffer(), setName);
}
void ConcatOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResult(getResult(), getBuffer(), setName);
}
void ExternOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  for (Value result : getResults())
    nameResult(result, getBuffer(), setName);
}

/// The results of a kernel have the names of the buffers that it gives.
void KernelOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return;
  for (auto [result, value] : llvm::zip(getResults(), yield.getValues()))
    if (Operation *nest = value.getDefiningOp())
      if (auto name = nest->getAttrOfType<StringAttr>("buffer"))
        nameResult(result, name.getValue(), setName);
}

/// The loops of a nest are `%i0`, `%i1`, ...
static void nameLoops(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "i" + std::to_string(argument.getArgNumber()));
}

#define NAMES_OF_LOOP_NEST(Op)                                                 \
  void Op::getAsmResultNames(OpAsmSetValueNameFn setName) {                    \
    nameResult(getResult(), getBuffer(), setName);                             \
  }                                                                            \
  void Op::getAsmBlockArgumentNames(Region &region,                            \
                                    OpAsmSetValueNameFn setName) {             \
    if (&region == &getBody())                                                 \
      nameLoops(region, setName);                                              \
  }
NAMES_OF_LOOP_NEST(PointwiseOp)
NAMES_OF_LOOP_NEST(ReductionOp)
NAMES_OF_LOOP_NEST(ScanOp)
NAMES_OF_LOOP_NEST(SortOp)
NAMES_OF_LOOP_NEST(ScatterOp)
#undef NAMES_OF_LOOP_NEST

#define GET_OP_CLASSES
#include "InductorOps.cpp.inc"

void InductorDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "InductorOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static std::string extentText(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

/// Returns the name of the last operation of a block.
static StringRef lastName(Block &block) {
  return block.empty() ? StringRef("nothing")
                       : block.back().getName().getStringRef();
}

/// Fails where a number in an attribute is not that of an operand.
static LogicalResult verifyOperandNumber(Operation *op, StringRef name,
                                         int64_t number) {
  if (number >= 0 && number < static_cast<int64_t>(op->getNumOperands()))
    return success();
  return op->emitOpError("'") << name << "' names operand " << number
                              << ", but the operation has "
                              << op->getNumOperands() << " operands";
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// IN4 and IN5
LogicalResult GraphOp::verify() {
  llvm::StringSet<> names;
  for (Attribute symbol : getSymbolsAttr() ? getSymbolsAttr().getValue()
                                           : ArrayRef<Attribute>()) {
    auto sym = dyn_cast<SymAttr>(symbol);
    if (!sym)
      return emitOpError("has symbols that are #inductor.sym, got ") << symbol;
    if (!names.insert(sym.getName()).second)
      return emitOpError("has two symbols \"") << sym.getName() << "\"";
  }
  Block &block = getBody().front();
  if (block.empty() || !isa<ReturnOp>(block.back()))
    return emitOpError("must end with an inductor.return, got ")
           << lastName(block);
  return success();
}

/// The number of symbols that a type uses.
static unsigned symbolsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto layout =
      tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
  unsigned count = 0;
  if (layout)
    for (AffineMap map : {layout.getStride(), layout.getSize(),
                          layout.getOffset(), layout.getBaseOffset()})
      count = std::max(count, map ? map.getNumSymbols() : 0);
  return count;
}

/// IN6
LogicalResult GraphOp::verifyRegions() {
  unsigned known = getSymbolsAttr() ? getSymbolsAttr().size() : 0;
  WalkResult walked = getBody().walk([&](Operation *op) {
    unsigned used = 0;
    for (NamedAttribute attr : op->getAttrs())
      if (auto map = dyn_cast<AffineMapAttr>(attr.getValue()))
        used = std::max(used, map.getValue().getNumSymbols());
    for (Type type : op->getResultTypes())
      used = std::max(used, symbolsOf(type));
    if (used <= known)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError("uses symbol s")
                              << used - 1 << ", and the graph has " << known;
    diag.attachNote(getLoc()) << "the graph";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// IN1: the rank and the extents that the type of a result and its layout have.
static LogicalResult verifyBuffer(Operation *op, unsigned result = 0) {
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  auto layout =
      tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
  if (!layout)
    return success();
  if (layout.getStride().getNumResults() != tensor.getRank())
    return op->emitOpError("result #")
           << result << " has rank " << tensor.getRank()
           << ", but its layout has " << layout.getStride().getNumResults()
           << " strides";
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
    if (!layout.getSize()) {
      if (tensor.isDynamicDim(dim))
        return op->emitOpError("dimension ")
               << dim << " of result #" << result
               << " is dynamic, but its layout has no sizes";
      continue;
    }
    auto number =
        dyn_cast<AffineConstantExpr>(layout.getSize().getResult(dim));
    int64_t extent = number ? number.getValue() : ShapedType::kDynamic;
    if (extent != tensor.getDimSize(dim))
      return op->emitOpError("dimension ")
             << dim << " of result #" << result << " has extent "
             << extentText(tensor.getDimSize(dim)) << ", but "
             << extentText(extent) << " in its layout";
  }
  return success();
}

static bool isSize(AffineMap map) {
  return map.getNumDims() == 0 && map.getNumResults() == 1;
}

/// IN7
LogicalResult InputOp::verify() {
  Type type = getResult().getType();
  if (type.isIndex() != getSize().has_value())
    return emitOpError("must have a size if and only if its type is 'index', "
                       "got type ")
           << type << (getSize() ? " and a size" : " and no size");
  if (getSize() && !isSize(*getSize()))
    return emitOpError("size must be one expression of symbols, got ")
           << getSizeAttr();
  return verifyBuffer(*this);
}

/// IN8
LogicalResult ConstantOp::verify() {
  if (failed(verifyBuffer(*this)))
    return failure();
  if (!getValue())
    return success();
  auto value = cast<ShapedType>(getValueAttr().getType());
  if (value.getShape() != getType().getShape() ||
      value.getElementType() != getType().getElementType())
    return emitOpError("has a value of type ")
           << value << ", and the buffer is " << getType();
  return success();
}

LogicalResult ReturnOp::verify() {
  size_t mutated = getMutated() ? getMutated()->size() : 0;
  if (mutated > getOperands().size())
    return emitOpError("names ") << mutated << " mutated inputs, but has "
                                 << getOperands().size() << " operands";
  for (Attribute output :
       getOutputsAttr() ? getOutputsAttr().getValue() : ArrayRef<Attribute>())
    if (auto operand = dyn_cast<OperandAttr>(output))
      if (failed(verifyOperandNumber(*this, "outputs", operand.getNumber())))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

/// Returns the number of extents that are not 1: each has a loop.
static unsigned countLoops(AffineMap ranges) {
  return llvm::count_if(ranges.getResults(), [](AffineExpr extent) {
    auto number = dyn_cast<AffineConstantExpr>(extent);
    return !number || number.getValue() != 1;
  });
}

/// IN9, IN12, IN14: the loops and the end of a body.
static LogicalResult verifyNest(Operation *op, Region &body, unsigned loops,
                                size_t values) {
  if (failed(verifyBuffer(op)))
    return failure();
  Block &block = body.front();
  bool areIndices = llvm::all_of(block.getArgumentTypes(),
                                 [](Type type) { return type.isIndex(); });
  if (block.getNumArguments() != loops || !areIndices)
    return op->emitOpError("has ")
           << loops << " loops, so its body must take " << loops
           << " arguments of type 'index', got ("
           << TypeRange(block.getArgumentTypes()) << ")";
  auto store = block.empty() ? StoreOp() : dyn_cast<StoreOp>(block.back());
  if (!store)
    return op->emitOpError("must have a body that ends with an "
                           "inductor.store, got ")
           << lastName(block);
  if (values != 0 && store.getValues().size() != values)
    return store.emitOpError("must store ")
           << values << " values, got " << store.getValues().size();
  return success();
}

template <typename Op>
static unsigned loopsOf(Op op, unsigned ranges) {
  return op.getLoops() ? op.getLoops()->getNumResults() : ranges;
}

LogicalResult PointwiseOp::verify() {
  // IN10
  if (getInto() && getInto().getType().getShape() != getType().getShape())
    return emitOpError("stores ")
           << getType() << " into a buffer of type " << getInto().getType();
  return verifyNest(*this, getBody(), loopsOf(*this, countLoops(getRanges())),
                    1);
}

LogicalResult ReductionOp::verify() {
  // IN11
  uint64_t results = llvm::StringSwitch<uint64_t>(getKind())
                        .Cases({"sum", "prod", "max", "min", "any", "xor_sum"}, 1)
                        .Cases({"argmax", "argmin", "dot"}, 1)
                        .Cases({"welford_reduce", "welford_combine"}, 3)
                        .Case("online_softmax_reduce", 2)
                        .Default(0);
  if (results == 0)
    return emitOpError("has an unknown kind '") << getKind() << "'";
  if (getOutput() && *getOutput() >= results)
    return emitOpError("of kind '")
           << getKind() << "' has " << results << " results, and output "
           << static_cast<int64_t>(*getOutput()) << " is none of them";
  if (!getOutput() && results > 1)
    return emitOpError("of kind '")
           << getKind() << "' has " << results
           << " results, so 'output' must select one";
  unsigned loops = countLoops(getRanges());
  unsigned all =
      loopsOf(*this, loops + countLoops(getReductionRanges()));
  size_t values = getKind() == "welford_combine" ? 3
                  : getKind() == "dot"           ? 2
                                                 : 1;
  // A search may store the position of its element as a second value.
  bool isSearch = getKind() == "argmax" || getKind() == "argmin";
  if (isSearch && !getBody().front().empty())
    if (auto store = dyn_cast<StoreOp>(getBody().front().back()))
      if (store.getValues().size() == 2 &&
          store.getValues()[1].getType().isInteger())
        values = 2;
  if (failed(verifyNest(*this, getBody(), all, values)))
    return failure();
  if (getLoops())
    return success();
  // IN12
  auto store = cast<StoreOp>(getBody().front().back());
  for (auto [dim, index] : llvm::enumerate(store.getIndices())) {
    auto argument = dyn_cast<BlockArgument>(index);
    if (argument && argument.getOwner() == &getBody().front() &&
        argument.getArgNumber() >= loops && store.getMap().isFunctionOfDim(dim))
      return store.emitOpError("stores at loop ")
             << argument.getArgNumber() << ", which is reduced";
  }
  return success();
}

/// IN28
LogicalResult KernelOp::verify() {
  if (getOuter().has_value() != getParts().has_value())
    return emitOpError("must have both 'outer' and 'of' or neither, got ")
           << (getOuter() ? "'outer'" : "'of'") << " alone";
  if (getOuter() && static_cast<int64_t>(*getOuter()) < 1)
    return emitOpError("shares ") << static_cast<int64_t>(*getOuter())
                                  << " loops";
  return success();
}

/// IN27 and IN28
LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("must end with an inductor.yield, got ")
           << lastName(block);
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpError("must yield values of the types of its results, (")
           << TypeRange(getResultTypes()) << "), got ("
           << TypeRange(yield.getValues()) << ")";
  int64_t nests = 0;
  for (Operation &op : block.without_terminator()) {
    bool isNest = isa<PointwiseOp, ReductionOp, ScanOp, SortOp, ScatterOp>(op);
    bool isOther = isa<ExternOp, MultiOutputOp, ConcatOp, ViewOp>(op);
    if (!isNest && (getOuter() || !isOther)) {
      InFlightDiagnostic diag = emitOpError("must have ");
      diag << (getOuter() ? "loop nests only, since it has 'outer'"
                          : "loop nests, kernels from outside, concatenations "
                            "and views only")
           << ", got " << op.getName().getStringRef();
      diag.attachNote(op.getLoc()) << "the operation";
      return diag;
    }
    ++nests;
  }
  if (!getParts())
    return success();
  int64_t parts = 0;
  std::optional<ArrayRef<int64_t>> known = getParts();
  for (int64_t part : *known) {
    if (part < 1)
      return emitOpError("each of the 'parts' must have at least 1 nest, got ")
             << part;
    parts += part;
  }
  if (parts != nests)
    return emitOpError("has ") << nests << " nests in parts of " << parts;
  return success();
}

/// IN13 and IN14: the stored value that the buffer holds.
static LogicalResult verifyOutput(Operation *op, uint64_t output,
                                  size_t values) {
  if (output < values)
    return success();
  return op->emitOpError("output ")
         << static_cast<int64_t>(output) << " is none of the " << values
         << " values that the body stores";
}

LogicalResult ScanOp::verify() {
  unsigned loops = countLoops(getRanges());
  if (failed(verifyNest(*this, getBody(), loopsOf(*this, loops), 0)))
    return failure();
  // IN13
  auto store = cast<StoreOp>(getBody().front().back());
  size_t values = store.getValues().size();
  Block &combine = getCombine().front();
  auto yield =
      combine.empty() ? YieldOp() : dyn_cast<YieldOp>(combine.back());
  size_t yielded = yield ? yield.getValues().size() : 0;
  if (combine.getNumArguments() != 2 * values || !yield || yielded != values)
    return emitOpError("combines ")
           << values << " values, so its block must take " << 2 * values
           << " and yield " << values << ", got " << combine.getNumArguments()
           << " and " << yielded;
  return verifyOutput(*this, getOutput(), values);
}

LogicalResult SortOp::verify() {
  unsigned loops = countLoops(getRanges());
  if (failed(verifyNest(*this, getBody(), loopsOf(*this, loops), 0)))
    return failure();
  // IN14
  auto store = cast<StoreOp>(getBody().front().back());
  return verifyOutput(*this, getOutput(), store.getValues().size());
}

LogicalResult ScatterOp::verify() {
  // IN15
  if (getInto().getType() != getType())
    return emitOpError("has a result of type ")
           << getType() << ", and goes into " << getInto().getType();
  return verifyNest(*this, getBody(), loopsOf(*this, countLoops(getRanges())),
                    1);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The type of a number of some element type in a register.
static bool isRegisterOf(Type value, Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 16)
    return value.isF32();
  if (auto integer = dyn_cast<IntegerType>(element))
    return value.isSignlessInteger(integer.getWidth());
  return value == element;
}

/// IN16 and IN18
static LogicalResult verifyAccess(Operation *op, AffineMap map, size_t indices,
                                  LayoutAttr view, RankedTensorType buffer) {
  if (map.getNumDims() != indices)
    return op->emitOpError("has a map of ")
           << map.getNumDims() << " dimensions, and " << indices << " indices";
  unsigned rank = view ? view.getStride().getNumResults() : buffer.getRank();
  if (map.getNumResults() != rank)
    return op->emitOpError("has a map with ")
           << map.getNumResults() << " results, and "
           << (view ? "a view" : "a buffer") << " of rank " << rank;
  if (view && !view.getSize())
    return op->emitOpError("has a view without sizes");
  return success();
}

LogicalResult LoadOp::verify() {
  RankedTensorType buffer = getSource().getType();
  if (failed(verifyAccess(*this, getMap(), getIndices().size(), getViewAttr(),
                          buffer)))
    return failure();
  // IN17
  if (!isRegisterOf(getType(), buffer.getElementType()))
    return emitOpError("reads ") << getType() << " from " << buffer;
  return success();
}

LogicalResult StoreOp::verify() {
  Operation *nest = getOperation()->getParentOp();
  if (!isa<PointwiseOp, ReductionOp, ScanOp, SortOp, ScatterOp>(nest))
    return emitOpError("must end the body of a loop nest, got the parent ")
           << nest->getName().getStringRef();
  auto buffer = cast<RankedTensorType>(nest->getResult(0).getType());
  if (failed(verifyAccess(*this, getMap(), getIndices().size(), getViewAttr(),
                          buffer)))
    return failure();
  // IN19: the type of a position or of a part of a statistic is not checked.
  auto reduction = dyn_cast<ReductionOp>(nest);
  if (reduction && reduction.getKind().starts_with("arg"))
    return success();
  uint64_t number = 0;
  if (auto scan = dyn_cast<ScanOp>(nest))
    number = scan.getOutput();
  if (auto sort = dyn_cast<SortOp>(nest))
    number = sort.getOutput();
  if (number >= getValues().size())
    return success();
  Type value = getValues()[number].getType();
  if (!isRegisterOf(value, buffer.getElementType()))
    return emitOpError("stores ") << value << " to " << buffer;
  return success();
}

/// IN20
LogicalResult IndexExprOp::verify() {
  if (getMap().getNumResults() != 1 ||
      getMap().getNumDims() != getIndices().size())
    return emitOpError("has a map of ")
           << getMap().getNumDims() << " dimensions with "
           << getMap().getNumResults() << " results, and "
           << getIndices().size() << " indices";
  return success();
}

/// IN29
LogicalResult IndexApplyOp::verify() {
  if (getMap().getNumDims() != getIndices().size())
    return emitOpError("has a map of ")
           << getMap().getNumDims() << " dimensions, and "
           << getIndices().size() << " indices";
  unsigned operands = getMap().getNumResults();
  bool isKnown = llvm::StringSwitch<bool>(getFunction())
                     .Cases({"max", "min", "mul"}, operands >= 2)
                     .Cases({"floordiv", "mod"}, operands == 2)
                     .Case("modidx", operands == 3)
                     .Case("abs", operands == 1)
                     .Default(false);
  if (!isKnown)
    return emitOpError("has no function '")
           << getFunction() << "' of " << operands << " operands";
  return success();
}

/// IN30
LogicalResult CheckBoundsOp::verify() {
  if (getMap().getNumResults() != 1 ||
      getMap().getNumDims() != getIndices().size())
    return emitOpError("has a map of ")
           << getMap().getNumDims() << " dimensions with "
           << getMap().getNumResults() << " results, and "
           << getIndices().size() << " indices";
  if (!isSize(getSize()))
    return emitOpError("size must be one expression of symbols, got ")
           << getSizeAttr();
  return success();
}

/// IN21
LogicalResult IndirectOp::verify() {
  if (!isSize(getSize()))
    return emitOpError("size must be one expression of symbols, got ")
           << getSizeAttr();
  return success();
}

/// IN22
LogicalResult MaskedOp::verify() {
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("must have a block that ends with an "
                       "inductor.yield, got ")
           << lastName(block);
  if (yield.getValues().size() != 1 ||
      yield.getValues()[0].getType() != getType())
    return emitOpError("must have a block that yields one ")
           << getType() << ", got (" << TypeRange(yield.getValues()) << ")";
  if (getOther().getType() != getType())
    return emitOpError("is ") << getType() << ", and elsewhere "
                              << getOther().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels from outside, views, concatenations
//===----------------------------------------------------------------------===//

/// IN24: `name` is that of the attribute, which contains the argument.
static LogicalResult verifyArgument(Operation *op, StringRef name,
                                    Attribute argument) {
  if (auto operand = dyn_cast<OperandAttr>(argument))
    return verifyOperandNumber(op, name, operand.getNumber());
  if (auto array = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : array)
      if (failed(verifyArgument(op, name, element)))
        return failure();
  } else if (auto dictionary = dyn_cast<DictionaryAttr>(argument)) {
    for (NamedAttribute element : dictionary)
      if (failed(verifyArgument(op, name, element.getValue())))
        return failure();
  }
  return success();
}

LogicalResult ExternOp::verify() {
  for (NamedAttribute attr : (*this)->getDiscardableAttrs())
    if (failed(verifyArgument(*this, attr.getName().getValue(),
                              attr.getValue())))
      return failure();
  // IN23
  ArrayRef<int64_t> mutates =
      getMutates() ? *getMutates() : ArrayRef<int64_t>();
  size_t own = getResults().size() - mutates.size();
  if (getResults().size() < mutates.size() || own > 1)
    return emitOpError("has ") << getResults().size()
                               << " results; expected at most one that it "
                                  "computes, and "
                               << mutates.size() << " that it writes";
  for (auto [number, operand] : llvm::enumerate(mutates)) {
    if (failed(verifyOperandNumber(*this, "mutates", operand)))
      return failure();
    Type before = getOperands()[operand].getType();
    Type after = getResults()[own + number].getType();
    if (before != after)
      return emitOpError("writes operand ")
             << operand << " of type " << before << ", and its result is "
             << after;
  }
  for (unsigned result = 0, e = (*this)->getNumResults(); result != e; ++result)
    if (failed(verifyBuffer(*this, result)))
      return failure();
  return success();
}

/// IN25
LogicalResult ConcatOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifyBuffer(*this)))
    return failure();
  if (getParts().empty())
    return emitOpError("has no parts");
  std::optional<int64_t> along;
  for (auto [number, part] : llvm::enumerate(getParts())) {
    auto partType = cast<RankedTensorType>(part.getType());
    if (partType.getRank() != type.getRank() ||
        partType.getElementType() != type.getElementType())
      return emitOpError("part #")
             << number << " has type " << partType
             << ", but the result has rank " << type.getRank()
             << " and element type " << type.getElementType();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (partType.getDimSize(dim) == type.getDimSize(dim))
        continue;
      if (along && *along != dim)
        return emitOpError("part #")
               << number << " has extent "
               << extentText(partType.getDimSize(dim)) << " in dimension "
               << dim << ", but the result has "
               << extentText(type.getDimSize(dim))
               << "; parts already differ from the result in dimension "
               << *along;
      along = dim;
    }
  }
  if (!along)
    return success();
  int64_t sum = 0;
  for (Value part : getParts()) {
    auto own = cast<RankedTensorType>(part.getType());
    if (own.isDynamicDim(*along) || type.isDynamicDim(*along))
      return success();
    sum += own.getDimSize(*along);
  }
  if (sum != type.getDimSize(*along))
    return emitOpError("has a result of extent ")
           << type.getDimSize(*along) << " in dimension " << *along
           << ", but its parts have extent " << sum << " together";
  return success();
}

/// Returns the offset after the last element of a buffer, if it is static.
static std::optional<int64_t> endOf(RankedTensorType type) {
  auto layout = cast<LayoutAttr>(type.getEncoding());
  if (!type.hasStaticShape() || !layout.getOffset().isSingleConstant())
    return std::nullopt;
  int64_t last = layout.getOffset().getSingleConstantResult();
  for (auto [extent, stride] :
       llvm::zip_equal(type.getShape(), layout.getStride().getResults())) {
    auto number = dyn_cast<AffineConstantExpr>(stride);
    if (!number || number.getValue() < 0)
      return std::nullopt;
    int64_t step = 0;
    if (extent == 0)
      return last;
    if (llvm::MulOverflow(extent - 1, number.getValue(), step) ||
        llvm::AddOverflow(last, step, last))
      return std::nullopt;
  }
  return last + 1;
}

/// IN26
LogicalResult ViewOp::verify() {
  RankedTensorType from = getSource().getType();
  if (failed(verifyBuffer(*this)))
    return failure();
  if (from.getElementType() != getType().getElementType())
    return success();
  std::optional<int64_t> there = endOf(from), read = endOf(getType());
  if (there && read && *read > *there)
    return emitOpError("reads ")
           << *read << " elements of a buffer that has " << *there;
  return success();
}
