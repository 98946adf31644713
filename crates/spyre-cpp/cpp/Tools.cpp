//===- Tools.cpp - mains of the tools -------------------------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Excerpt.h"
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
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

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

/// Returns whether a file is JSON and so no module, after an error. A module may begin with the resources of its file.
static bool isJSON(llvm::MemoryBufferRef file) {
  StringRef text = file.getBuffer().ltrim();
  if (!text.starts_with("[") && (!text.starts_with("{") || text.starts_with("{-#")))
    return false;
  StringRef name = file.getBufferIdentifier();
  llvm::errs() << "error: " << name << ": this is JSON, and no module\n";
  // The caller's note names the commands for a file.
  if (name == "<stdin>")
    llvm::errs() << "note: spyre-translate --import makes a module of a program in JSON, and spyre-run FILE runs it\n";
  return true;
}

/// Runs `mlir-opt` on a file and limits the length of messages. Replaces the overload of `MlirOptMain` with this
/// signature, which accepts no diagnostic handler; options that read no file are passed on to it.
static LogicalResult runOpt(int argc, char **argv, StringRef input,
                            StringRef output, DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  llvm::InitLLVM initLLVM(argc, argv);
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(0))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string message;
  auto file = openInputFile(input, &message);
  if (!file) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (isJSON(file->getMemBufferRef()))
    return failure();
  auto written = openOutputFile(output, &message);
  if (!written) {
    llvm::errs() << message << "\n";
    return failure();
  }
  // Parts of a file have names of their own, and expected diagnostics are compared and not printed.
  if (config.inputSplitMarker().empty() && !config.shouldVerifyDiagnostics())
    spyre::printExcerptsOf(file->getMemBufferRef(), registry);
  if (failed(MlirOptMain(written->os(), std::move(file), registry, config)))
    return failure();
  written->keep();
  return success();
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
      runOpt(argc, argv, input, output, *unwrap(registry)));
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
  if (isJSON(file->getMemBufferRef()))
    return false;
  // Resources in bytecode refer to the buffer of the file, and share its ownership.
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  sources->setDiagHandler(spyre::printExcerpt,
                          static_cast<llvm::raw_ostream *>(&llvm::errs()));
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
    sources.setDiagHandler(spyre::printExcerpt,
                           static_cast<llvm::raw_ostream *>(&stream));
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
