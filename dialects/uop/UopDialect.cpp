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
  addOperations<
#define GET_OP_LIST
#include "UopOps.cpp.inc"
      >();
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
