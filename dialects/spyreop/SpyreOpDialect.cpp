//===- SpyreOpDialect.cpp - The spyreop dialect ---------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/Dialects/SpyreOpConstraints.md lists the rules by number (SO1, ...).
//
//===----------------------------------------------------------------------===//

#include "spyreop/SpyreOp.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace spyre::spyreop;

#include "SpyreOpDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "SpyreOpTypes.cpp.inc"

#define GET_OP_CLASSES
#include "SpyreOpOps.cpp.inc"

void SpyreOpDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "SpyreOpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "SpyreOpOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Type spyre::spyreop::fusedOf(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isF16())
    return FP16FusedType::get(context);
  if (element.isF32())
    return FP32FusedType::get(context);
  if (isa<DF16Type>(element))
    return DF16FusedType::get(context);
  return {};
}

Type spyre::spyreop::elementOf(Type fused) {
  MLIRContext *context = fused.getContext();
  if (isa<FP16FusedType>(fused))
    return Float16Type::get(context);
  if (isa<FP32FusedType>(fused))
    return Float32Type::get(context);
  if (isa<DF16FusedType>(fused))
    return DF16Type::get(context);
  return {};
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// SO1
LogicalResult SoftplusOp::verify() {
  if (getBeta().isZero())
    return emitOpError("has beta 0, which it divides by");
  return success();
}

/// SO2
static LogicalResult verifyPair(Operation *op, Type pair, Type element) {
  if (fusedOf(element) == pair)
    return success();
  return op->emitOpError("has the pair ")
         << pair << " and the float " << element << ", of which "
         << fusedOf(element) << " is a pair";
}

LogicalResult Exx2FusedOp::verify() {
  return verifyPair(getOperation(), getResult().getType(),
                    getOperand().getType());
}

LogicalResult LayerNormScaleFusedOp::verify() {
  return verifyPair(getOperation(), getOperand().getType(),
                    getResult().getType());
}
