//===- Loops.cpp - counted loops of scf.while as scf.for --------*- C++ -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends count in tensors of one element: `scf.while` carries a
// `tensor<i32>`, compares it in a `linalg.generic`, and adds one to it in
// another. Upstream's uplifting to `scf.for` expects scalars. Its patterns are
// in no pass of `mlir-opt` and not in the C API.
//
// The counter after the loop is computed here: upstream's uplifting (MLIR
// 22.1.8) gives it the value of the last iteration, one step less, and a value
// before the first where there is no iteration.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

/// Returns whether a type is a tensor of one integer and no dimensions.
static bool isCounter(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 && !tensor.getEncoding() &&
         tensor.getElementType().isSignlessInteger();
}

/// Returns the element type of a counter in a tensor, else the type itself.
static Type scalarOf(Type type) {
  return isCounter(type) ? cast<RankedTensorType>(type).getElementType() : type;
}

/// Returns the values, with counters in tensors extracted as scalars.
static SmallVector<Value> scalarsOf(OpBuilder &builder, Location loc,
                                    ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    scalars.push_back(isCounter(value.getType())
                          ? tensor::ExtractOp::create(builder, loc, value,
                                                      ValueRange())
                          : value);
  return scalars;
}

/// Replaces the uses of a scalar that was a counter in a tensor by such a tensor.
static void wrap(OpBuilder &builder, Location loc, Value value, Type counter) {
  auto tensor =
      tensor::FromElementsOp::create(builder, loc, counter, ValueRange(value));
  value.replaceAllUsesExcept(tensor, tensor);
}

namespace {
/// Lets a loop carry numbers in the place of tensors of one integer.
struct CarryScalars : OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(loop->getOperandTypes(), isCounter) &&
        llvm::none_of(loop->getResultTypes(), isCounter))
      return failure();
    Location loc = loop.getLoc();
    SmallVector<Value> inits = scalarsOf(rewriter, loc, loop.getInits());
    SmallVector<Type> results =
        llvm::map_to_vector(loop.getResultTypes(), scalarOf);
    auto made = scf::WhileOp::create(rewriter, loc, results, inits);
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    for (auto [from, to] :
         llvm::zip(loop->getRegions(), made->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.end());
      Block &block = to.front();
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(block.getTerminator());
      Operation *end = block.getTerminator();
      auto kept = isa<scf::ConditionOp>(end) ? 1 : 0;
      SmallVector<Value> scalars =
          scalarsOf(rewriter, loc, end->getOperands().drop_front(kept));
      rewriter.modifyOpInPlace(end, [&] {
        for (auto [number, scalar] : llvm::enumerate(scalars))
          end->setOperand(number + kept, scalar);
      });
      rewriter.setInsertionPointToStart(&block);
      for (BlockArgument argument : block.getArguments()) {
        Type type = argument.getType();
        if (!isCounter(type))
          continue;
        argument.setType(scalarOf(type));
        wrap(rewriter, loc, argument, type);
      }
    }
    SmallVector<Value> values;
    for (auto [was, is] : llvm::zip(loop.getResults(), made.getResults())) {
      Value value = is;
      if (isCounter(was.getType()))
        value = tensor::FromElementsOp::create(rewriter, loc, was.getType(),
                                               ValueRange(is));
      values.push_back(value);
    }
    rewriter.replaceOp(loop, values);
    return success();
  }
};

/// Rewrites a structured operation on tensors of one integer to scalar operations.
struct ComputeScalars : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    auto isScalar = [](Type type) {
      return isCounter(type) || type.isSignlessInteger();
    };
    if (op.getNumLoops() != 0 ||
        !llvm::all_of(op->getOperandTypes(), isScalar))
      return failure();
    Location loc = op.getLoc();
    IRMapping mapping;
    Block *body = op.getBody();
    mapping.map(body->getArguments(),
                scalarsOf(rewriter, loc, op->getOperands()));
    for (Operation &inner : body->without_terminator())
      rewriter.clone(inner, mapping);
    SmallVector<Value> values;
    for (auto [yielded, type] : llvm::zip(
             body->getTerminator()->getOperands(), op.getResultTypes()))
      values.push_back(tensor::FromElementsOp::create(
          rewriter, loc, type, ValueRange(mapping.lookupOrDefault(yielded))));
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// The counter of a loop: its number among the carried values, and the bounds.
struct Counter {
  unsigned number;
  Value lower;
  Value upper;
  Value step;
};

/// Returns the counter of a loop that runs while a carried integer is less than
/// a value from before the loop, and adds a positive constant to it.
std::optional<Counter> counterOf(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody();
  scf::ConditionOp condition = loop.getConditionOp();
  auto compare = dyn_cast<arith::CmpIOp>(before->front());
  if (!compare || condition.getCondition() != compare.getResult() ||
      !llvm::hasSingleElement(before->without_terminator()) ||
      condition.getArgs() != ValueRange(before->getArguments()))
    return std::nullopt;
  Value less = compare.getLhs(), upper = compare.getRhs();
  if (compare.getPredicate() == arith::CmpIPredicate::sgt)
    std::swap(less, upper);
  else if (compare.getPredicate() != arith::CmpIPredicate::slt)
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(less);
  // Values that are not carried are defined before the loop: the region has only the comparison.
  if (!argument || argument.getOwner() != before ||
      upper.getParentBlock() == before)
    return std::nullopt;
  unsigned number = argument.getArgNumber();
  auto add = loop.getYieldOp().getOperand(number).getDefiningOp<arith::AddIOp>();
  if (!add)
    return std::nullopt;
  Value counted = loop.getAfterArguments()[number];
  Value step = add.getLhs() == counted ? add.getRhs() : add.getLhs();
  APInt value;
  if ((add.getLhs() != counted && add.getRhs() != counted) ||
      !matchPattern(step, m_ConstantInt(&value)) || !value.isStrictlyPositive())
    return std::nullopt;
  return Counter{number, loop.getInits()[number], upper, step};
}

/// Rewrites a counting loop to `scf.for`, and computes the counter after it.
struct UpliftLoop : OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop,
                                PatternRewriter &rewriter) const override {
    std::optional<Counter> counter = counterOf(loop);
    if (!counter)
      return failure();
    Value result = loop.getResult(counter->number);
    bool isRead = !result.use_empty();
    if (isRead) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfter(loop);
      rewriter.replaceAllUsesWith(result,
                                  last(rewriter, loop.getLoc(), *counter));
    }
    bool isUplifted = succeeded(scf::upliftWhileToForLoop(rewriter, loop));
    return success(isUplifted || isRead);
  }

  /// Builds the first value from the lower bound on, in steps, that is not below
  /// the upper bound.
  static Value last(OpBuilder &builder, Location loc, const Counter &counter) {
    auto [number, lower, upper, step] = counter;
    // A difference of two integers, the larger one first, has no sign.
    Value distance = arith::SubIOp::create(builder, loc, upper, lower);
    Value trips = arith::CeilDivUIOp::create(builder, loc, distance, step);
    Value counted = arith::MulIOp::create(builder, loc, trips, step);
    Value end = arith::AddIOp::create(builder, loc, lower, counted);
    Value runs = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, lower, upper);
    return arith::SelectOp::create(builder, loc, runs, end, lower);
  }
};
} // namespace

void spyreUpliftLoops(MlirOperation raw) {
  Operation *root = unwrap(raw);
  bool counts = false;
  root->walk([&](scf::WhileOp) {
    counts = true;
    return WalkResult::interrupt();
  });
  if (!counts)
    return;
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  patterns.add<CarryScalars, ComputeScalars, UpliftLoop>(context);
  scf::WhileOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExtractOp::getCanonicalizationPatterns(patterns, context);
  tensor::FromElementsOp::getCanonicalizationPatterns(patterns, context);
  // Other loops do not change.
  (void)applyPatternsGreedily(root, std::move(patterns));
}
