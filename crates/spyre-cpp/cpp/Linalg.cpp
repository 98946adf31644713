//===- Linalg.cpp - named operations of linalg as generic ones --*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `linalg-generalize-named-ops` drops discardable attributes, and does not decompose operations
// like softmax into structured operations. This uses the same functions and keeps the attributes.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Bufferization, bufferization,
                                      bufferization::BufferizationDialect)

namespace {
/// Sets the attributes of a replaced operation on the structured operations that replace it.
struct Keep : RewriterBase::Listener {
  explicit Keep(SmallVector<NamedAttribute> attributes)
      : attributes(std::move(attributes)) {}

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    // The fill of an initial value has no loops to tile.
    if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))
      for (NamedAttribute attribute : attributes)
        op->setDiscardableAttr(attribute.getName(), attribute.getValue());
    made.push_back(op);
  }

  SmallVector<NamedAttribute> attributes;
  SmallVector<Operation *> made;
};
} // namespace

/// Makes the maximum of softmax propagate NaN. Upstream uses `maxnum`, which takes more operations
/// on a device without it. The result is the same: a row with NaN becomes NaN.
static void propagateNaN(IRRewriter &rewriter, ArrayRef<Operation *> made) {
  for (Operation *op : made) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    for (auto max : llvm::make_early_inc_range(
             generic.getBody()->getOps<arith::MaxNumFOp>())) {
      auto start = generic.getDpsInits().front().getDefiningOp<linalg::FillOp>();
      rewriter.setInsertionPoint(start);
      auto type = cast<FloatType>(max.getType());
      Value lowest = arith::ConstantOp::create(
          rewriter, start.getLoc(),
          rewriter.getFloatAttr(
              type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true)));
      start.getInputsMutable().assign(lowest);
      rewriter.setInsertionPoint(max);
      rewriter.replaceOpWithNewOp<arith::MaximumFOp>(max, max.getLhs(),
                                                     max.getRhs());
    }
  }
}

/// Returns the attributes that a replacement of `op` gets. The names of dimensions belong to the
/// result of `op` alone.
static SmallVector<NamedAttribute> kept(Operation *op, bool isOneOfSeveral) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!isOneOfSeveral || attribute.getName() != "spyre.dims")
      attributes.push_back(attribute);
  return attributes;
}

/// Decomposes an operation into several structured operations, if upstream can.
static void decompose(IRRewriter &rewriter, linalg::AggregatedOpInterface op) {
  Keep keep(kept(op, /*isOneOfSeveral=*/true));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  rewriter.setListener(&keep);
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
  rewriter.setListener(nullptr);
  if (failed(results))
    return;
  if (isa<linalg::SoftmaxOp>(op.getOperation()))
    propagateNaN(rewriter, keep.made);
  if (Attribute dims = op->getDiscardableAttr("spyre.dims"))
    if (Operation *last = results->front().getDefiningOp())
      last->setDiscardableAttr("spyre.dims", dims);
  rewriter.replaceOp(op, *results);
}

void spyreGeneralizeNamedOps(MlirOperation raw) {
  Operation *root = unwrap(raw);
  IRRewriter rewriter(root->getContext());
  SmallVector<linalg::AggregatedOpInterface> aggregated;
  root->walk(
      [&](linalg::AggregatedOpInterface op) { aggregated.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregated)
    decompose(rewriter, op);
  SmallVector<linalg::LinalgOp> named;
  root->walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op.getOperation()))
      named.push_back(op);
  });
  for (linalg::LinalgOp op : named) {
    SmallVector<NamedAttribute> attributes = kept(op, false);
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic =
        linalg::generalizeNamedOp(rewriter, op);
    // An operation without a generic form is kept.
    if (failed(generic))
      continue;
    for (NamedAttribute attribute : attributes)
      (*generic)->setDiscardableAttr(attribute.getName(), attribute.getValue());
  }
}

int64_t spyreStructuredOpIterations(MlirOperation raw) {
  auto op = dyn_cast<linalg::LinalgOp>(unwrap(raw));
  if (!op)
    return 0;
  int64_t iterations = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(iterations, extent, iterations))
      return -1;
  return iterations;
}
