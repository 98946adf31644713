//===- Tools.cpp - mains of the tools -------------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/CommandLine.h"

#include <csignal>

using namespace mlir;

/// Rust's runtime ignores SIGPIPE before `main`; LLVM's streams then end with a
/// fatal error when a pipe's reader goes first.
static void restoreSigPipe() { (void)std::signal(SIGPIPE, SIG_DFL); }

void spyreRegisterUpstream(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
}

void spyreRegisterUpstreamPasses() { registerAllPasses(); }

int spyreOptMain(int argc, char **argv, MlirStringRef toolName,
                 MlirDialectRegistry registry) {
  restoreSigPipe();
  return asMainReturnCode(
      MlirOptMain(argc, argv, unwrap(toolName), *unwrap(registry)));
}

bool spyreStatisticsReportIsMissing() {
#if LLVM_ENABLE_STATS
  return false;
#else
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("mlir-pass-statistics");
  return option != options.end() && option->second->getNumOccurrences() > 0;
#endif
}

int spyreLspMain(int argc, char **argv, MlirDialectRegistry registry) {
  restoreSigPipe();
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}
