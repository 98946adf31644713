//===- SpyreDialect.cpp - Registration and dialect hooks ------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

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
} // namespace

void SpyreDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "SpyreOps.cpp.inc"
      >();
  registerAttributes();
  addInterfaces<SpyreAsmInterface>();
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
  for (auto layout : candidates.getAsRange<LayoutAttr>())
    if (failed(layout.verifyEncoding(type.getShape(), type.getElementType(),
                                     [&] { return op->emitOpError(); })))
      return failure();
  return success();
}

LogicalResult SpyreDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
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
  if (attr.getName() == "spyre.op_spec") {
    if (op->getName().getStringRef() != "sdscbundle.sdsc_execute" ||
        !isa<FlatSymbolRefAttr>(attr.getValue()))
      return op->emitOpError("'spyre.op_spec' must be the symbol of an OpSpec "
                             "on an sdscbundle.sdsc_execute, got ")
             << attr.getValue();
    return success();
  }
  return op->emitOpError("has no attribute '") << attr.getName().getValue()
         << "' of the spyre dialect (known: spyre.target on a module, "
            "spyre.layout_candidates on an operation with a tensor result, "
            "spyre.op_spec on an sdscbundle.sdsc_execute, spyre.dims, "
            "spyre.place, spyre.size and spyre.constant on function arguments)";
}

static LogicalResult verifyDims(Operation *op, Type type, Attribute value,
                                const Twine &where) {
  auto dims = dyn_cast<ArrayAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!dims || !llvm::all_of(dims, llvm::IsaPred<StringAttr>))
    return op->emitOpError("'spyre.dims' of ")
           << where << " must be an array of strings, got " << value;
  if (!tensor)
    return op->emitOpError("'spyre.dims' of ")
           << where << " needs a ranked tensor, got " << type;
  if (static_cast<int64_t>(dims.size()) != tensor.getRank())
    return op->emitOpError("'spyre.dims' of ")
           << where << " names " << dims.size() << " dimensions, but " << tensor
           << " has " << tensor.getRank();
  llvm::StringSet<> seen;
  for (auto name : dims.getAsRange<StringAttr>()) {
    if (name.empty())
      return op->emitOpError("'spyre.dims' of ")
             << where << " has an empty name";
    if (!seen.insert(name).second)
      return op->emitOpError("'spyre.dims' of ")
             << where << " names " << name << " twice";
  }
  return success();
}

static LogicalResult verifyBoundaryAttr(Operation *op, Type type,
                                        NamedAttribute attr,
                                        const Twine &where) {
  if (attr.getName() == "spyre.dims")
    return verifyDims(op, type, attr.getValue(), where);
  if (attr.getName() == "spyre.place") {
    auto place = dyn_cast<PlaceAttr>(attr.getValue());
    if (!place || place.getSpace() != Space::Arg)
      return op->emitOpError("'spyre.place' of ")
             << where << " must be #spyre.place<arg N>, got "
             << attr.getValue();
    return success();
  }
  if (attr.getName() == "spyre.constant") {
    auto value = dyn_cast<SplatElementsAttr>(attr.getValue());
    auto tensor = dyn_cast<RankedTensorType>(type);
    // In a bundle the argument is an address.
    bool fits = value && (!tensor || (tensor.getShape() ==
                                          value.getType().getShape() &&
                                      tensor.getElementType() ==
                                          value.getType().getElementType()));
    if (!fits)
      return op->emitOpError("'spyre.constant' of ")
             << where << " must be a splat for " << type << ", got "
             << attr.getValue();
    return success();
  }
  if (attr.getName() == "spyre.size") {
    if (!isa<SizeAttr>(attr.getValue()))
      return op->emitOpError("'spyre.size' of ")
             << where << " must be a #spyre.size, got " << attr.getValue();
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
