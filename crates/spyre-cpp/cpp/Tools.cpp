//===- Tools.cpp - mains of the tools -------------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Support/CommandLine.h"

#include <csignal>

using namespace mlir;

/// Rust's runtime ignores SIGPIPE before `main`; LLVM's streams then end with a fatal error when a
/// pipe's reader exits first.
static void restoreSigPipe() { (void)std::signal(SIGPIPE, SIG_DFL); }

void spyreRegisterUpstream(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
}

void spyreRegisterUpstreamPasses() { registerAllPasses(); }

/// Whether the command line requests statistics and MLIR was built without.
static bool isStatisticsReportMissing() {
#if LLVM_ENABLE_STATS
  return false;
#else
  auto &options = llvm::cl::getRegisteredOptions();
  auto option = options.find("mlir-pass-statistics");
  return option != options.end() && option->second->getNumOccurrences() > 0;
#endif
}

void spyreStartTool(MlirStringRef version) {
  restoreSigPipe();
  llvm::cl::SetVersionPrinter([line = unwrap(version).str()](
                                  llvm::raw_ostream &os) { os << line << "\n"; });
}

int spyreOptMain(int argc, char **argv, MlirStringRef toolName,
                 MlirStringRef version, MlirStringRef moreHelp, MlirDialectRegistry registry,
                 bool *missesStatistics) {
  spyreStartTool(version);
  llvm::cl::extrahelp help(unwrap(moreHelp));
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, unwrap(toolName), *unwrap(registry));
  // Now, because the main below also takes LLVM's options down.
  *missesStatistics = isStatisticsReportMissing();
  return asMainReturnCode(
      MlirOptMain(argc, argv, input, output, *unwrap(registry)));
}

int spyreLspMain(int argc, char **argv, MlirStringRef version,
                 MlirDialectRegistry registry) {
  spyreStartTool(version);
  return asMainReturnCode(MlirLspServerMain(argc, argv, *unwrap(registry)));
}

bool spyreWithSourceFile(MlirContext context, MlirStringRef path,
                         SpyreModuleCallback callback, void *user) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openInputFile(unwrap(path), &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return false;
  }
  // Resources in bytecode refer to the buffer of the file, and share its ownership.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, unwrap(context));
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, unwrap(context));
  return module && callback(wrap(*module), user);
}

bool spyreWithSourceText(MlirContext context, MlirStringRef name,
                         MlirStringRef text, SpyreModuleCallback callback,
                         MlirStringCallback print, void *user) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)),
      llvm::SMLoc());
  std::string printed;
  bool done = false;
  {
    llvm::raw_string_ostream stream(printed);
    SourceMgrDiagnosticHandler handler(sources, unwrap(context), stream);
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(sources, unwrap(context));
    done = module && callback(wrap(*module), user);
  }
  print(wrap(printed), user);
  return done;
}

MlirModule spyreParse(MlirContext context, MlirStringRef name,
                      MlirStringRef source) {
  // A copy, since texts end with a zero for the parser.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(source), unwrap(name)),
      llvm::SMLoc());
  return wrap(parseSourceFile<ModuleOp>(sources, unwrap(context)).release());
}
