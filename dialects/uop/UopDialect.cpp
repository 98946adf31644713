//===- UopDialect.cpp - The uop dialect -----------------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "uop/Uop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace spyre::uop;

#include "UopDialect.cpp.inc"

#include "UopEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "UopAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "UopTypes.cpp.inc"

void UopDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "UopTypes.cpp.inc"
      >();
}

void UopDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "UopAttrs.cpp.inc"
      >();
}

void UopDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
}

// U45

LogicalResult AxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t extent, AxisType, int64_t loop,
                               int64_t step) {
  if (extent <= 0 || loop < 0 || step <= 0)
    return emitError() << "an axis must have a positive extent, a positive "
                          "step and a loop that is not negative, got extent "
                       << extent << ", step " << step << " and loop " << loop;
  return success();
}

LogicalResult SplitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, int64_t factor, AxisType,
                                SplitPlace) {
  if (axis < 0 || factor <= 0)
    return emitError() << "a split must have an axis that is not negative and "
                          "a positive factor, got axis "
                       << axis << " and factor " << factor;
  return success();
}

LogicalResult PadtoAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, int64_t multiple) {
  if (axis < 0 || multiple <= 0)
    return emitError() << "axis " << axis << " is padded to a multiple of "
                       << multiple
                       << "; the axis is not negative, and the multiple is "
                          "positive";
  return success();
}

LogicalResult SwapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t axis, int64_t with) {
  if (axis < 0 || with < 0)
    return emitError() << "axes " << axis << " and " << with
                       << " are swapped; no axis is negative";
  return success();
}

LogicalResult TcAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t reduce, int64_t core, int64_t opt,
                             int64_t mode) {
  std::pair<StringRef, int64_t> numbers[] = {
      {"reduce", reduce}, {"core", core}, {"opt", opt}, {"mode", mode}};
  for (auto [name, number] : numbers)
    if (number < 0)
      return emitError() << "tensor core with " << name << ' ' << number
                         << "; no number is negative";
  return success();
}

LogicalResult UopDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  StringRef dialect = op->getName().getDialectNamespace();
  auto list = dyn_cast<ArrayAttr>(attr.getValue());
  if (attr.getName() == "uop.opts") {
    auto isOpt =
        llvm::IsaPred<SplitAttr, PadtoAttr, SwapAttr, NolocalsAttr, TcAttr>;
    if (!list || !llvm::all_of(list, isOpt) ||
        (dialect != "uop" && dialect != "linalg"))
      return op->emitOpError("'uop.opts' must be an array of #uop.split, "
                             "#uop.padto, #uop.swap, #uop.nolocals and "
                             "#uop.tc on an operation of uop or linalg, got ")
             << attr.getValue();
  }
  if (attr.getName() == "uop.axes" &&
      (!list || !llvm::all_of(list, llvm::IsaPred<AxisAttr>) ||
       dialect != "linalg"))
    return op->emitOpError("'uop.axes' must be an array of #uop.axis on an "
                           "operation of linalg, got ")
           << attr.getValue();
  return success();
}

Operation *UopDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstOp::create(builder, location, type, elements);
}

bool spyre::uop::isSmallEnough(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t extent : type.getShape())
    if (extent < 0 ||
        llvm::MulOverflow(elements, std::max<int64_t>(extent, 1), elements))
      return false;
  return true;
}

Type spyre::uop::truthOf(Type type) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  if (!tensor)
    return Type();
  return tensor.clone(IntegerType::get(type.getContext(), 1));
}
