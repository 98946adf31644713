//===- Reduce.cpp - main of spyre-reduce ----------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-reduce erases operations, and keeps each smaller program that a script
// finds interesting. The middle of a chain cannot be erased, since its users
// would have no operand. A pattern puts an operand of the same type in the place
// of the result, which the script has to find interesting too.
//
//===----------------------------------------------------------------------===//

#include "Shim.h"
#include "spyre/SpyreBase.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cstdlib>

using namespace mlir;

/// Replaces the only result of an operation, and erases the pure operations
/// that no other operation uses then, from the last to the first.
static void replaceWith(RewriterBase &rewriter, Operation *op, Value value) {
  Region *region = op->getParentRegion();
  SmallVector<Operation *> unused{op};
  rewriter.replaceAllUsesWith(op->getResult(0), value);
  while (!unused.empty()) {
    Operation *last = unused.pop_back_val();
    SetVector<Operation *> producers;
    for (Value operand : last->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    rewriter.eraseOp(last);
    // The pass has a list of operations in other regions, whose regions it
    // enters next.
    for (Operation *producer : producers)
      if ((producer->getNumRegions() == 0 ||
           producer->getParentRegion() == region) &&
          isOpTriviallyDead(producer))
        unused.push_back(producer);
  }
}

namespace {
/// Replaces the result of an operation with its first operand of the same type,
/// where the program verifies and stays interesting.
struct OperandForResult : RewritePattern {
  OperandForResult(MLIRContext *context, const Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return failure();
    Value result = op->getResult(0);
    auto operands = op->getOperands();
    auto first = llvm::find_if(operands, [&](Value operand) {
      return operand.getType() == result.getType();
    });
    if (first == operands.end() || !isInteresting(op, *first))
      return failure();
    replaceWith(rewriter, op, *first);
    return success();
  }

private:
  /// The pass would apply the pattern to all operations and test once: that
  /// program has no operation left, and the pass ends at the first that the
  /// script refuses. So each replacement is tested, on a copy.
  bool isInteresting(Operation *op, Value operand) const {
    IRMapping copies;
    OwningOpRef<ModuleOp> copy(
        cast<ModuleOp>(op->getParentOfType<ModuleOp>()->clone(copies)));
    IRRewriter rewriter(copy->getContext());
    replaceWith(rewriter, copies.lookup(op), copies.lookup(operand));
    return succeeded(verify(*copy)) &&
           tester.isInteresting(*copy).first == Tester::Interestingness::True;
  }

  /// A copy: it refers to the options of the pass, which outlive the pattern.
  Tester tester;
};

/// Reports the pattern to the pass `reduction-tree`.
struct ReductionPatterns : DialectReductionPatternInterface {
  explicit ReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}

  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<OperandForResult>(patterns.getContext(), tester);
  }
};
} // namespace

int spyreReduceMain(int argc, char **argv, MlirStringRef version,
                    MlirDialectRegistry registry) {
  spyreStartTool(version);
  DialectRegistry &dialects = *unwrap(registry);
  dialects.addExtension(+[](MLIRContext *, spyre::SpyreDialect *dialect) {
    dialect->addInterfaces<ReductionPatterns>();
  });
  MLIRContext context(dialects);
  // Patterns are collected from loaded dialects, before the program is parsed.
  context.loadDialect<spyre::SpyreDialect>();
  return failed(mlirReduceMain(argc, argv, context)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
