//===- count_ops.cpp - the spyre dialect in a program of yours ------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a program of the spyre dialect, runs the pipeline of the second
// argument, if there is one, prints the program, and counts its additions and
// its loops.
//
//===----------------------------------------------------------------------===//

#include "spyre/Passes.h"
#include "spyre/Spyre.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    llvm::errs() << "usage: count_ops FILE [PIPELINE]\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<func::FuncDialect, scf::SCFDialect>();
  spyre::registerAllDialects(registry);
  spyre::registerAllPasses();
  MLIRContext context(registry);

  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  if (argc == 3) {
    auto passes = parsePassPipeline(argv[2]);
    if (failed(passes))
      return 1;
    PassManager manager(&context);
    static_cast<OpPassManager &>(manager) = std::move(*passes);
    if (failed(manager.run(*module)))
      return 1;
  }
  module->print(llvm::outs());

  int additions = 0, loops = 0;
  module->walk([&](Operation *op) {
    additions += isa<spyre::AddOp>(op);
    loops += isa<scf::ForOp>(op);
  });
  // A typed view of an attribute of the dialect: the layout of each argument.
  module->walk([&](func::FuncOp function) {
    for (Type type : function.getArgumentTypes())
      if (spyre::LayoutAttr layout = spyre::layoutOf(type))
        llvm::outs() << "// argument: " << layout << "\n";
  });
  llvm::outs() << "// " << additions << " additions, " << loops << " loops\n";
  return 0;
}
