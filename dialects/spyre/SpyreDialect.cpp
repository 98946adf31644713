//===- SpyreDialect.cpp - Registration and dialect hooks ------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace spyre;

#include "SpyreDialect.cpp.inc"
#include "SpyreEnums.cpp.inc"
#include "SpyreInterfaces.cpp.inc"

namespace {
/// Short names for the attributes that repeat on every type.
struct SpyreAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<LayoutAttr>(attr)) {
      os << "layout";
      return AliasResult::OverridableAlias;
    }
    if (isa<TargetAttr>(attr)) {
      os << "target";
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};

/// Functions of device operations may be inlined, as may functions of other
/// levels: the result and the place of an operation do not depend on its
/// function.
struct SpyreInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};

/// Folds `arith.cmpf true` and `arith.cmpf false`. Upstream's pattern for comparisons of a converted integer with a
/// constant ends the process for both (MLIR 22.1.8), so this one has a higher benefit.
struct FoldConstantComparison : OpRewritePattern<arith::CmpFOp> {
  explicit FoldConstantComparison(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    arith::CmpFPredicate predicate = op.getPredicate();
    bool isTrue = predicate == arith::CmpFPredicate::AlwaysTrue;
    if (!isTrue && predicate != arith::CmpFPredicate::AlwaysFalse)
      return rewriter.notifyMatchFailure(op, "depends on its operands");
    TypedAttr value = rewriter.getBoolAttr(isTrue);
    if (auto type = dyn_cast<ShapedType>(op.getType())) {
      if (!type.hasStaticShape())
        return rewriter.notifyMatchFailure(op, "has no constant of its shape");
      value = DenseElementsAttr::get(type, value);
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};
} // namespace

void SpyreDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<FoldConstantComparison>(getContext());
}

void SpyreDialect::initialize() {
  registerOperations();
  registerAttributes();
  addInterfaces<SpyreAsmInterface, SpyreInlinerInterface>();
}

Operation *SpyreDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto splat = dyn_cast<SplatElementsAttr>(value);
  if (!splat || splat.getType() != type)
    return nullptr;
  return FillOp::create(builder, loc, type, splat);
}

/// SD5
static LogicalResult verifyCandidates(Operation *op, Attribute value) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  if (!type)
    return op->emitOpError("'spyre.layout_candidates' belongs on an operation "
                           "with one result, a ranked tensor");
  auto candidates = dyn_cast<ArrayAttr>(value);
  if (!candidates || candidates.empty() ||
      !llvm::all_of(candidates, llvm::IsaPred<LayoutAttr>))
    return op->emitOpError("'spyre.layout_candidates' must be layouts, at "
                           "least one, got ")
           << value;
  if (type.getEncoding())
    return op->emitOpError("has 'spyre.layout_candidates', but its result "
                           "has an encoding already: ")
           << type;
  for (auto [number, candidate] : llvm::enumerate(candidates)) {
    auto error = [op, number = number] {
      return op->emitOpError("candidate #")
             << number << " of 'spyre.layout_candidates': ";
    };
    if (failed(cast<LayoutAttr>(candidate).verifyEncoding(
            type.getShape(), type.getElementType(), error)))
      return failure();
  }
  return success();
}

/// The names of one dimension: a string, a #spyre.merged, or several of these.
/// Calls `visit` with each name and returns whether the entry is well formed.
static bool walkDimName(Attribute entry, function_ref<bool(StringAttr)> visit) {
  if (auto name = dyn_cast<StringAttr>(entry))
    return !name.empty() && visit(name);
  if (auto merged = dyn_cast<MergedAttr>(entry))
    return llvm::all_of(merged.getNames(), visit);
  auto several = dyn_cast<ArrayAttr>(entry);
  return several && !several.empty() &&
         llvm::all_of(several, [&](Attribute other) {
           return !isa<ArrayAttr>(other) && walkDimName(other, visit);
         });
}

/// Whether every #spyre.merged of an entry has the extent of its dimension.
static bool mergedFit(Attribute entry, int64_t extent) {
  if (auto several = dyn_cast<ArrayAttr>(entry))
    return llvm::all_of(
        several, [&](Attribute other) { return mergedFit(other, extent); });
  auto merged = dyn_cast<MergedAttr>(entry);
  return !merged || ShapedType::isDynamic(extent) ||
         merged.getExtent() == extent;
}

/// SD2, SD9: a name for each dimension of a tensor.
static LogicalResult verifyDims(Operation *op, Type type, NamedAttribute attr,
                                const Twine &where, bool distinct) {
  StringRef key = attr.getName().getValue();
  auto error = [&] { return op->emitOpError("'") << key << "' of " << where; };
  auto dims = dyn_cast<ArrayAttr>(attr.getValue());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!dims)
    return error() << " must be an array of names, got " << attr.getValue();
  if (!tensor)
    return error() << " needs a ranked tensor, got " << type;
  if (static_cast<int64_t>(dims.size()) != tensor.getRank())
    return error() << " names " << dims.size() << " dimensions, but " << tensor
                   << " has " << tensor.getRank();
  llvm::StringSet<> seen;
  StringAttr again;
  for (auto [dim, entry] : llvm::enumerate(dims)) {
    bool wellFormed = walkDimName(entry, [&](StringAttr name) {
      // A placeholder marks a dimension without a name.
      bool isName = !name.getValue().starts_with("_untracked_");
      if (isName && !seen.insert(name).second)
        again = name;
      return true;
    });
    if (!wellFormed)
      return error() << " must have a name, a #spyre.merged or an array of "
                        "these for each dimension, and no empty name; got "
                     << entry << " for dimension " << dim;
    if (distinct && again)
      return error() << " names " << again
                     << " twice; another name of its extent, as in "
                        "'spyre.dim_sizes = {..., T = \""
                     << again.getValue() << "\"}', tells the dimensions apart";
    if (!mergedFit(entry, tensor.getDimSize(dim)))
      return error() << " merges other extents than " << tensor.getDimSize(dim)
                     << ", that of dimension " << dim << ": " << entry;
  }
  return success();
}

/// SD9
static LogicalResult verifyReductionDims(Operation *op, NamedAttribute attr) {
  StringRef key = attr.getName().getValue();
  auto device = dyn_cast<DeviceOpInterface>(op);
  auto dims = dyn_cast<ArrayAttr>(attr.getValue());
  if (!device || !dims)
    return op->emitOpError("'")
           << key << "' must be an array of names on a device operation, got "
           << attr.getValue();
  if (dims.size() != device.getNumReductionDims())
    return op->emitOpError("'")
           << key << "' names " << dims.size()
           << " dimensions, but the operation reduces "
           << device.getNumReductionDims();
  for (Attribute entry : dims)
    if (!walkDimName(entry, [](StringAttr) { return true; }))
      return op->emitOpError("'") << key
                                  << "' must have a name, a #spyre.merged or "
                                     "an array of these for each dimension, "
                                     "and no empty name; got "
                                  << entry;
  return success();
}

/// SD10
static LogicalResult verifyTileScopes(Operation *op, Attribute value) {
  auto scopes = dyn_cast<ArrayAttr>(value);
  bool around = isa<FunctionOpInterface>(op) ||
                op->getName().getStringRef() == "scf.for";
  if (!around || !scopes ||
      !llvm::all_of(scopes, llvm::IsaPred<TileScopeAttr>))
    return op->emitOpError("'spyre.tile_scopes' must be an array of "
                           "#spyre.tile_scope on a function or an scf.for, "
                           "got ")
           << value;
  return success();
}

/// SD14
static LogicalResult verifyTile(Operation *op, Attribute value) {
  auto hints = dyn_cast<ArrayAttr>(value);
  if (op->getName().getDialectNamespace() != "linalg" || !hints ||
      !llvm::all_of(hints, llvm::IsaPred<TileHintAttr>))
    return op->emitOpError("'spyre.tile' must be an array of #spyre.tile_hint "
                           "on an operation of linalg, got ")
           << value;
  return spyre::detail::verifyScopes(op, hints);
}

/// SD16
static LogicalResult verifyDivide(Operation *op, Attribute value) {
  auto hints = dyn_cast<ArrayAttr>(value);
  if (op->getName().getDialectNamespace() != "linalg" || !hints ||
      !llvm::all_of(hints, llvm::IsaPred<DivideHintAttr>))
    return op->emitOpError("'spyre.divide' must be an array of "
                           "#spyre.divide_hint on an operation of linalg, got ")
           << value;
  llvm::StringSet<> seen;
  for (auto hint : hints.getAsRange<DivideHintAttr>())
    if (!seen.insert(hint.getDim()).second)
      return op->emitOpError("'spyre.divide' divides ")
             << hint.getDim() << " twice";
  return success();
}

/// SD17
static LogicalResult verifyPlan(Operation *op, Attribute value) {
  if (!isa<FunctionOpInterface>(op) || !isa<PlanAttr>(value))
    return op->emitOpError("'spyre.plan' must be a #spyre.plan on a function, "
                           "got ")
           << value;
  return success();
}

/// SD11
static LogicalResult verifyDimSizes(Operation *op, Attribute value) {
  auto sizes = dyn_cast<DictionaryAttr>(value);
  auto isSize = [](NamedAttribute entry) {
    if (isa<DynamicAttr, StringAttr>(entry.getValue()))
      return true;
    auto size = dyn_cast<IntegerAttr>(entry.getValue());
    return size && size.getType().isSignlessInteger(64) && size.getInt() > 0;
  };
  if (!isa<FunctionOpInterface>(op) || !sizes || !llvm::all_of(sizes, isSize))
    return op->emitOpError("'spyre.dim_sizes' must be a dictionary of positive "
                           "64-bit integers, #spyre.dynamic and names on a "
                           "function, got ")
           << value;
  for (NamedAttribute entry : sizes) {
    auto name = dyn_cast<StringAttr>(entry.getValue());
    if (!name)
      continue;
    Attribute size = sizes.get(name.getValue());
    if (!size || isa<StringAttr>(size))
      return op->emitOpError("'spyre.dim_sizes' states that ")
             << entry.getName() << " is another name of " << name
             << ", for which it has no extent";
  }
  return success();
}

/// SD12: of the names in a discardable attribute, which may be of an argument or
/// a result. The attributes of the dialect verify their names.
static LogicalResult verifyTexts(Operation *op, NamedAttribute attr,
                                 const Twine &where = "") {
  StringAttr wrong;
  auto look = [&](StringAttr text) {
    if (!wrong && !llvm::json::isUTF8(text.getValue()))
      wrong = text;
  };
  if (isa<ArrayAttr, DictionaryAttr>(attr.getValue()))
    attr.getValue().walk(look);
  return verifyText(
      [&] {
        return op->emitOpError("'")
               << attr.getName().getValue() << "'" << where << ": ";
      },
      wrong);
}

LogicalResult SpyreDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  if (failed(verifyTexts(op, attr)))
    return failure();
  if (attr.getName() == "spyre.target") {
    if (!isa<ModuleOp>(op))
      return op->emitOpError("'spyre.target' belongs on a module");
    if (!isa<TargetAttr>(attr.getValue()))
      return op->emitOpError("'spyre.target' must be a #spyre.target, got ")
             << attr.getValue();
    return success();
  }
  if (attr.getName() == "spyre.layout_candidates")
    return verifyCandidates(op, attr.getValue());
  if (attr.getName() == "spyre.dims" ||
      attr.getName() == "spyre.expected_dims") {
    if (op->getNumResults() != 1)
      return op->emitOpError("'")
             << attr.getName().getValue()
             << "' must be on an operation with one result";
    return verifyDims(op, op->getResult(0).getType(), attr, "the result",
                      /*distinct=*/false);
  }
  if (attr.getName() == "spyre.reduction_dims" ||
      attr.getName() == "spyre.expected_reduction_dims")
    return verifyReductionDims(op, attr);
  if (attr.getName() == "spyre.tile_scopes")
    return verifyTileScopes(op, attr.getValue());
  if (attr.getName() == "spyre.tile")
    return verifyTile(op, attr.getValue());
  if (attr.getName() == "spyre.divide")
    return verifyDivide(op, attr.getValue());
  if (attr.getName() == "spyre.dim_sizes")
    return verifyDimSizes(op, attr.getValue());
  if (attr.getName() == "spyre.plan")
    return verifyPlan(op, attr.getValue());
  if (llvm::is_contained({"spyre.device", "spyre.host", "spyre.narrowed",
                          "spyre.integers_fit"},
                         attr.getName().getValue())) {
    if (!isa<FunctionOpInterface>(op) || !isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("'")
             << attr.getName().getValue() << "' must be on a function";
    return success();
  }
  return op->emitOpError("has no attribute '")
         << attr.getName().getValue()
         << "' of the spyre dialect (known: spyre.target on a module; "
            "spyre.tile_scopes, spyre.dim_sizes, spyre.device, "
             "spyre.host, spyre.narrowed, spyre.integers_fit and spyre.plan on a function; spyre.tile and "
             "spyre.divide on an operation of linalg; spyre.layout_candidates, spyre.dims, spyre.expected_dims, "
            "spyre.reduction_dims and spyre.expected_reduction_dims on an "
            "operation with a tensor result; spyre.dims, spyre.place "
            "and spyre.constant on function arguments)";
}

static LogicalResult verifyBoundaryAttr(Operation *op, Type type,
                                        NamedAttribute attr,
                                        const Twine &where) {
  if (failed(verifyTexts(op, attr, " of " + where)))
    return failure();
  if (attr.getName() == "spyre.dims")
    return verifyDims(op, type, attr, where, /*distinct=*/true);
  if (attr.getName() == "spyre.place") {
    auto place = dyn_cast<PlaceAttr>(attr.getValue());
    if (!place || place.getSpace() != Space::Arg)
      return op->emitOpError("'spyre.place' of ")
             << where << " must be #spyre.place<arg N>, got "
             << attr.getValue();
    return success();
  }
  if (attr.getName() == "spyre.constant") {
    auto value = dyn_cast<ElementsAttr>(attr.getValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    // In a bundle the argument is an address.
    bool fits = value && (!tensor || (tensor.getShape() ==
                                          value.getShapedType().getShape() &&
                                      tensor.getElementType() ==
                                          value.getElementType()));
    if (!fits)
      return op->emitOpError("'spyre.constant' of ")
             << where << " must be the elements of " << type << ", got "
             << (value ? Attribute(TypeAttr::get(value.getShapedType()))
                       : attr.getValue());
    return success();
  }
  return op->emitOpError("has no attribute '")
         << attr.getName().getValue() << "' of the spyre dialect on " << where;
}

LogicalResult SpyreDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned region,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumArguments())
    return op->emitOpError("'")
           << attr.getName().getValue() << "' belongs on a function argument";
  return verifyBoundaryAttr(op, function.getArgumentTypes()[index], attr,
                            "argument " + Twine(index));
}

LogicalResult SpyreDialect::verifyRegionResultAttribute(Operation *op,
                                                        unsigned region,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || index >= function.getNumResults())
    return op->emitOpError("'")
           << attr.getName().getValue() << "' belongs on a function result";
  return verifyBoundaryAttr(op, function.getResultTypes()[index], attr,
                            "result " + Twine(index));
}
