//===- KtdpVerifiers.cpp - Rules of operations of the ktdp dialect --------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Dialects/KtdpConstraints.md lists the rules by number (KT7, ...).
//
//===----------------------------------------------------------------------===//

#include "ktdp/Ktdp.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace spyre::ktdp;

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

namespace {
/// A constraint `factor * dim + constant >= 0`, or `== 0`.
struct Bound {
  unsigned dim;
  int64_t factor;
  int64_t constant;
};
} // namespace

/// The bound of one dimension that an expression is; no value for any other
/// expression.
static std::optional<Bound> boundOf(AffineExpr expr, unsigned numDims) {
  std::optional<unsigned> dim;
  bool isOther = false;
  expr.walk([&](AffineExpr part) {
    if (auto position = dyn_cast<AffineDimExpr>(part)) {
      isOther |= dim && *dim != position.getPosition();
      dim = position.getPosition();
    }
    AffineExprKind kind = part.getKind();
    isOther |=
        kind == AffineExprKind::SymbolId || kind == AffineExprKind::Mod ||
        kind == AffineExprKind::FloorDiv || kind == AffineExprKind::CeilDiv;
  });
  if (!dim || isOther)
    return std::nullopt;
  // The expression is linear, so two values determine it.
  auto valueAt = [&](int64_t point) {
    SmallVector<AffineExpr> points(
        numDims, getAffineConstantExpr(point, expr.getContext()));
    return dyn_cast<AffineConstantExpr>(expr.replaceDims(points));
  };
  auto at0 = valueAt(0), at1 = valueAt(1);
  int64_t factor;
  if (!at0 || !at1 ||
      llvm::SubOverflow(at1.getValue(), at0.getValue(), factor) ||
      factor == 0 || factor == std::numeric_limits<int64_t>::min() ||
      at0.getValue() == std::numeric_limits<int64_t>::min())
    return std::nullopt;
  return Bound{*dim, factor, at0.getValue()};
}

std::optional<SmallVector<int64_t>> spyre::ktdp::boxExtents(IntegerSet set) {
  using Limit = std::optional<int64_t>;
  SmallVector<std::pair<Limit, Limit>> limits(set.getNumDims());
  for (auto [expr, isEq] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    std::optional<Bound> bound = boundOf(expr, set.getNumDims());
    if (!bound)
      return std::nullopt;
    auto &[first, last] = limits[bound->dim];
    int64_t factor = bound->factor, constant = bound->constant;
    if (isEq || factor > 0) {
      int64_t least = llvm::divideCeilSigned(-constant, factor);
      first = std::max(first.value_or(least), least);
    }
    if (isEq || factor < 0) {
      int64_t most = llvm::divideFloorSigned(-constant, factor);
      last = std::min(last.value_or(most), most);
    }
  }
  SmallVector<int64_t> extents;
  for (auto [first, last] : limits) {
    int64_t extent;
    if (!first || !last || llvm::SubOverflow(*last, *first, extent) ||
        llvm::AddOverflow(extent, int64_t(1), extent))
      return std::nullopt;
    extents.push_back(std::max<int64_t>(extent, 0));
  }
  return extents;
}

/// Reports a set with other numbers of dimensions and symbols.
static LogicalResult verifySet(Operation *op, StringRef name, IntegerSet set,
                               size_t dims, size_t symbols) {
  if (set.getNumDims() == dims && set.getNumSymbols() == symbols)
    return success();
  return op->emitOpError() << name << " has " << set.getNumDims()
                           << " dimensions and " << set.getNumSymbols()
                           << " symbols where " << dims << " and " << symbols
                           << " are expected";
}

/// An extent in messages.
static std::string text(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

static std::string text(ArrayRef<int64_t> extents) {
  std::string list = "[";
  llvm::raw_string_ostream stream(list);
  llvm::interleaveComma(extents, stream,
                        [&](int64_t extent) { stream << text(extent); });
  stream << ']';
  return list;
}

/// Whether extents are equal where both are numbers.
static bool areCompatible(ArrayRef<int64_t> extents,
                          ArrayRef<int64_t> expected) {
  return llvm::all_of(llvm::zip_equal(extents, expected), [](auto pair) {
    auto [extent, other] = pair;
    return ShapedType::isDynamic(extent) || ShapedType::isDynamic(other) ||
           extent == other;
  });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// KT7
LogicalResult GetComputeTileIdOp::verify() {
  if (getIds().empty())
    return emitOpError("has 0 results where 1 or more are expected");
  return success();
}

/// KT8, KT9: a list of numbers and values, an entry for each dimension.
static LogicalResult verifyList(ConstructMemoryViewOp op, StringRef name,
                                ArrayRef<int64_t> entries, size_t operands) {
  size_t rank = cast<MemRefType>(op.getView().getType()).getRank();
  if (entries.size() != rank)
    return op.emitOpError() << "has " << entries.size() << ' ' << name
                            << " for a view of rank " << rank;
  size_t values = llvm::count_if(entries, ShapedType::isDynamic);
  if (values != operands)
    return op.emitOpError() << "has " << operands << " operands for the "
                            << values << ' ' << name << " that are values";
  return success();
}

LogicalResult ConstructMemoryViewOp::verify() {
  if (failed(verifyList(*this, "sizes", getStaticSizes(), getSizes().size())) ||
      failed(verifyList(*this, "strides", getStaticStrides(),
                        getStrides().size())))
    return failure();
  // KT10
  auto view = cast<MemRefType>(getView().getType());
  ArrayRef<int64_t> sizes = getStaticSizes();
  if (!areCompatible(sizes, view.getShape()))
    return emitOpError() << "has the sizes " << text(sizes)
                         << " for a view of the extents "
                         << text(view.getShape());
  // KT11
  IntegerSet set = getCoordinateSet().getValue();
  if (failed(
          verifySet(*this, "coordinate_set", set, view.getRank(),
                    std::min<size_t>(set.getNumSymbols(), getSizes().size()))))
    return failure();
  // KT12
  std::optional<SmallVector<int64_t>> extents = boxExtents(set);
  auto isAbove = [](auto pair) {
    auto [extent, size] = pair;
    return !ShapedType::isDynamic(size) && extent > size;
  };
  if (extents && llvm::any_of(llvm::zip_equal(*extents, sizes), isAbove))
    return emitOpError() << "has a coordinate_set of the extents "
                         << text(*extents) << " for the sizes " << text(sizes);
  // KT13
  if (Attribute space = view.getMemorySpace();
      space && space != getMemorySpaceAttr())
    return emitOpError() << "has memory_space " << getMemorySpaceAttr()
                         << " for a view in " << space;
  return success();
}

/// KT14
LogicalResult ConstructDistributedMemoryViewOp::verify() {
  auto view = cast<MemRefType>(getView().getType());
  if (getParts().empty())
    return emitOpError("has 0 parts where 1 or more are expected");
  for (auto [number, type] : llvm::enumerate(getParts().getTypes())) {
    auto part = cast<MemRefType>(type);
    if (part.getRank() != view.getRank())
      return emitOpError() << "has rank " << view.getRank() << ", but part #"
                           << number << " has rank " << part.getRank();
    if (part.getElementType() != view.getElementType())
      return emitOpError() << "has elements of " << view.getElementType()
                           << ", but part #" << number << " of "
                           << part.getElementType();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Access tiles
//===----------------------------------------------------------------------===//

/// KT17, KT18: the order of the points of a set, and the tile that they make.
static LogicalResult verifyTile(Operation *op, StringRef setName,
                                IntegerSet set, StringRef orderName,
                                AffineMap order, AccessTileType tile) {
  if (order.getNumDims() != set.getNumDims() || !order.isPermutation())
    return op->emitOpError() << orderName << " must be a permutation of the "
                             << set.getNumDims() << " dimensions of " << setName
                             << ", but is " << AffineMapAttr::get(order);
  ArrayRef<int64_t> shape = tile.getShape();
  if (shape.size() != set.getNumDims())
    return op->emitOpError()
           << setName << " has " << set.getNumDims()
           << " dimensions for a tile of rank " << shape.size();
  std::optional<SmallVector<int64_t>> box = boxExtents(set);
  if (!box)
    return success();
  SmallVector<int64_t> extents;
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    extents.push_back((*box)[order.getDimPosition(axis)]);
  if (!areCompatible(shape, extents))
    return op->emitOpError() << setName << " has the extents " << text(extents)
                             << " for a tile of " << text(shape);
  return success();
}

static int64_t rankOf(Value shaped) {
  return cast<ShapedType>(shaped.getType()).getRank();
}

LogicalResult ConstructAccessTileOp::verify() {
  int64_t rank = rankOf(getBase());
  AffineMap position = getBaseMap();
  // KT15
  if (position.getNumResults() != rank)
    return emitOpError() << "has " << position.getNumResults()
                         << " positions for a base of rank " << rank;
  if (position.getNumInputs() != getIndices().size())
    return emitOpError() << "has " << getIndices().size()
                         << " operands for a base_map of "
                         << position.getNumInputs();
  // KT16
  IntegerSet set = getAccessTileSet().getValue();
  if (failed(verifySet(*this, "access_tile_set", set, rank,
                       getSymbolOperands().size())))
    return failure();
  return verifyTile(*this, "access_tile_set", set, "access_tile_order",
                    getAccessTileOrder(), getTile().getType());
}

/// KT21, KT22, KT23, KT24: the subscripts of the base.
static LogicalResult verifySubscripts(ConstructIndirectAccessTileOp op) {
  auto isIndirect = [](Attribute kind) {
    return cast<BoolAttr>(kind).getValue();
  };
  OperandRange views = op.getIndirectMemrefs();
  size_t indirect = llvm::count_if(op.getPerDimSubscriptKinds(), isIndirect);
  if (indirect != views.size())
    return op.emitOpError() << "has " << indirect << " indirect subscripts and "
                            << views.size() << " views of indices";
  size_t inputs =
      op.getCapturedVariables().size() + op.getVariables().getNumArguments();
  size_t view = 0;
  for (auto [axis, kind, attr] : llvm::enumerate(op.getPerDimSubscriptKinds(),
                                                 op.getPerDimSubscriptMaps())) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != inputs || map.getNumSymbols() != 0)
      return op.emitOpError()
             << "the map of subscript #" << axis << " has " << map.getNumDims()
             << " dimensions and " << map.getNumSymbols() << " symbols where "
             << inputs << " and 0 are expected";
    int64_t rank = isIndirect(kind) ? rankOf(views[view]) : 1;
    if (map.getNumResults() != rank)
      return op.emitOpError()
             << "subscript #" << axis << " has " << map.getNumResults()
             << " expressions where " << rank << " are expected";
    if (!isIndirect(kind))
      continue;
    Type element = getElementTypeOrSelf(views[view].getType());
    if (!element.isIntOrIndex())
      return op.emitOpError()
             << "the indices of subscript #" << axis
             << " must be integers or 'index', but are " << element;
    ++view;
  }
  return success();
}

LogicalResult ConstructIndirectAccessTileOp::verify() {
  // KT19
  IntegerSet set = getVariablesSpaceSet().getValue();
  Region &variables = getVariables();
  for (auto [number, type] : llvm::enumerate(variables.getArgumentTypes()))
    if (!type.isIndex())
      return emitOpError() << "variable #" << number
                           << " must be an 'index', but is " << type;
  if (failed(verifySet(*this, "variables_space_set", set,
                       variables.getNumArguments(),
                       getSymbolOperands().size())))
    return failure();
  // KT20
  size_t kinds = getPerDimSubscriptKinds().size();
  size_t maps = getPerDimSubscriptMaps().size();
  int64_t rank = rankOf(getBase());
  if (kinds != static_cast<size_t>(rank) || kinds != maps)
    return emitOpError() << "has " << kinds << " subscripts and " << maps
                         << " maps for a base of rank " << rank;
  if (failed(verifySubscripts(*this)))
    return failure();
  return verifyTile(*this, "variables_space_set", set, "variables_space_order",
                    getVariablesSpaceOrder(), getTile().getType());
}

/// KT25, KT26: the tensor of the elements of a tile.
static LogicalResult verifyElements(Operation *op, Value tile, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  ArrayRef<int64_t> shape = cast<AccessTileType>(tile.getType()).getShape();
  if (tensor.getShape() != shape)
    return op->emitOpError() << "has a tensor of " << text(tensor.getShape())
                             << " for a tile of " << text(shape);
  Value base;
  if (auto direct = tile.getDefiningOp<ConstructAccessTileOp>())
    base = direct.getBase();
  else if (auto indirect = tile.getDefiningOp<ConstructIndirectAccessTileOp>())
    base = indirect.getBase();
  // The base of a tile that a loop or a branch carries is unknown.
  if (!base || getElementTypeOrSelf(base) == tensor.getElementType())
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "has a tensor of " << tensor.getElementType()
                            << " for a base of " << getElementTypeOrSelf(base);
  diag.attachNote(tile.getLoc()) << "the tile is constructed here";
  return diag;
}

LogicalResult LoadOp::verify() {
  return verifyElements(*this, getAccessTile(), getResult().getType());
}

LogicalResult StoreOp::verify() {
  return verifyElements(*this, getAccessTile(), getDataTile().getType());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

LogicalResult RuntimeArgExtractOp::verify() {
  RuntimeArgType input = getInput().getType();
  RuntimeArgField field = getKind();
  bool isAbsent =
      (field == RuntimeArgField::Granularity && !input.getGranularity()) ||
      (field == RuntimeArgField::Upperbound && !input.getUpperbound());
  // KT27
  if (isAbsent)
    return emitOpError() << "extracts " << stringifyRuntimeArgField(field)
                         << ", which " << input << " does not have";
  // KT28
  Type expected = field == RuntimeArgField::Value
                      ? input.getUnderlyingType()
                      : IndexType::get(getContext());
  if (getResult().getType() != expected)
    return emitOpError() << "has a result of " << getResult().getType()
                         << " where " << stringifyRuntimeArgField(field)
                         << " is of " << expected;
  return success();
}

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

/// Reports types that differ from the types of the tensors of a future.
static LogicalResult verifyPartials(Operation *op, const Twine &name,
                                    TypeRange types, TileFutureType future) {
  ArrayRef<RankedTensorType> partials = future.getPartialTypes();
  if (types.size() != partials.size())
    return op->emitOpError()
           << "has " << types.size() << ' ' << name << " for the "
           << partials.size() << " tensors of the future";
  for (auto [number, type, partial] : llvm::enumerate(types, partials))
    if (type != partial)
      return op->emitOpError()
             << name << " #" << number << " is of " << type
             << ", but the tensor of the future is of " << partial;
  return success();
}

/// KT29
LogicalResult InterTileProduceOp::verify() {
  return verifySet(*this, "producer_tiles_per_group",
                   getProducerTilesPerGroup().getValue(), 1, 1);
}

/// KT30
LogicalResult InterTileProduceOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError() << "the region must have one argument, an 'index', "
                            "but has ("
                         << block.getArgumentTypes() << ')';
  auto yield = dyn_cast<YieldPartialOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "the region must end with ktdp.yield_partial, but "
                            "ends with "
                         << block.getTerminator()->getName();
  return verifyPartials(yield, "values", yield.getValues().getTypes(),
                        getFuture().getType());
}

/// KT31 and KT32, of an operation that receives tensors.
template <typename OpTy>
static LogicalResult verifyDelivery(OpTy op, TypeRange results) {
  if (failed(verifySet(op, "consumer_tiles_per_group",
                       op.getConsumerTilesPerGroup().getValue(), 1, 1)))
    return failure();
  if (IntegerSetAttr attr = op.getProducerDependencyPerConsumerAttr()) {
    // The symbols are the consumer, and the group where the producer depends on
    // it.
    IntegerSet set = attr.getValue();
    size_t symbols = set.getNumSymbols() == 2 ? 2 : 1;
    if (failed(
            verifySet(op, "producer_dependency_per_consumer", set, 1, symbols)))
      return failure();
  }
  return verifyPartials(op, "results", results, op.getFuture().getType());
}

LogicalResult InterTileConsumeOp::verify() {
  return verifyDelivery(*this, getReceived().getTypes());
}

LogicalResult InterTileReduceOp::verify() {
  if (failed(verifyDelivery(*this, getReduced().getTypes())))
    return failure();
  // KT33
  return verifyPartials(*this, "identities", getIdentity().getTypes(),
                        getFuture().getType());
}

/// KT34
LogicalResult InterTileReduceOp::verifyRegions() {
  Block &block = getCombiner().front();
  ArrayRef<RankedTensorType> partials = getFuture().getType().getPartialTypes();
  SmallVector<Type> both(partials);
  both.append(partials.begin(), partials.end());
  if (!llvm::equal(block.getArgumentTypes(), both))
    return emitOpError() << "the region must have the arguments (" << both
                         << "), but has (" << block.getArgumentTypes() << ')';
  auto yield = dyn_cast<YieldReducedOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "the region must end with ktdp.yield_reduced, but "
                            "ends with "
                         << block.getTerminator()->getName();
  return verifyPartials(yield, "values", yield.getValues().getTypes(),
                        getFuture().getType());
}
