//===- Execution.cpp - compiled programs, and pipelines as text -----------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API has an execution engine too. It prints its errors and returns
// null; here they are returned.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

static ExecutionEngine *engineOf(SpyreJit jit) {
  return static_cast<ExecutionEngine *>(jit.ptr);
}

static void report(StringRef message, MlirStringCallback callback, void *user) {
  callback(wrap(message), user);
}

/// The libraries that compiled code calls: conversions of 16-bit floats on processors without them,
/// and copies between strided buffers.
static constexpr StringRef runtimeLibraries[] = {
    SPYRE_LLVM_LIB_DIR "/libmlir_float16_utils.so",
    SPYRE_LLVM_LIB_DIR "/libmlir_c_runner_utils.so"};

/// Instructions of x86 that round to bf16 and take subnormal numbers for zero.
/// Without them results are the same on every processor.
static constexpr StringRef flushingFeatures[] = {"avx512bf16", "avxneconvert",
                                                 "avx10.2"};

SpyreJit spyreJitCompile(MlirOperation module, int optLevel,
                         const SpyreSymbol *symbols, intptr_t count,
                         MlirStringCallback onError, void *user) {
  auto fail = [&](llvm::Error error) {
    report(llvm::toString(std::move(error)), onError, user);
    return SpyreJit{nullptr};
  };
  static const bool initialized = [] {
    return !llvm::InitializeNativeTarget() &&
           !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!initialized)
    return fail(llvm::createStringError("LLVM cannot compile for this machine"));

  Operation *op = unwrap(module);
  registerBuiltinDialectTranslation(*op->getContext());
  registerLLVMDialectTranslation(*op->getContext());

  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(builder.takeError());
  if (builder->getTargetTriple().isX86())
    for (StringRef feature : flushingFeatures)
      builder->getFeatures().AddFeature(feature, /*Enable=*/false);
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  // One target machine for the optimizer, and one that the engine owns.
  auto target = builder->createTargetMachine();
  if (!target)
    return fail(target.takeError());
  auto engineTarget = builder->createTargetMachine();
  if (!engineTarget)
    return fail(engineTarget.takeError());

  // Used inside of `create` only.
  auto optimize =
      makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, target->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.sharedLibPaths = runtimeLibraries;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(op, options, std::move(*engineTarget));
  if (!engine)
    return fail(engine.takeError());
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap map;
    for (const SpyreSymbol &symbol : ArrayRef(symbols, count))
      map[mangle(unwrap(symbol.name))] = {
          llvm::orc::ExecutorAddr::fromPtr(symbol.address),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    spyre::addGuardSymbols(mangle, map);
    return map;
  });
  return SpyreJit{engine->release()};
}

void spyreJitDestroy(SpyreJit jit) { delete engineOf(jit); }

void *spyreJitLookupPacked(SpyreJit jit, MlirStringRef name,
                           MlirStringCallback onError, void *user) {
  auto function = engineOf(jit)->lookupPacked(unwrap(name));
  if (!function) {
    report(llvm::toString(function.takeError()), onError, user);
    return nullptr;
  }
  return reinterpret_cast<void *>(*function);
}

/// Adds a pass or a named pipeline, `name` or `name{options}`, as a flag of
/// mlir-opt does: nested where it can run. The parser of pipelines refuses that.
static LogicalResult addPass(StringRef text, OpPassManager &manager,
                             llvm::raw_ostream &errors) {
  auto [name, options] = text.split('{');
  if (text.contains('{') && !options.consume_back("}")) {
    errors << "missing '}' after the options of '" << name << "'";
    return failure();
  }
  const PassRegistryEntry *entry = PassInfo::lookup(name);
  if (!entry)
    entry = PassPipelineInfo::lookup(name);
  if (!entry) {
    errors << "'" << name << "' is neither a pass nor a pipeline";
    return failure();
  }
  return entry->addToPipeline(manager, options, [&](const Twine &message) {
    errors << message;
    return failure();
  });
}

void spyreParsePipeline(MlirStringRef text, bool implicitNesting,
                        MlirStringCallback onText, MlirStringCallback onError,
                        void *user) {
  std::string message;
  llvm::raw_string_ostream errors(message);
  OpPassManager manager(ModuleOp::getOperationName(),
                        implicitNesting ? OpPassManager::Nesting::Implicit
                                        : OpPassManager::Nesting::Explicit);
  bool isParsed = true;
  if (implicitNesting) {
    isParsed = succeeded(addPass(unwrap(text), manager, errors));
  } else {
    FailureOr<OpPassManager> anchored = parsePassPipeline(unwrap(text), errors);
    isParsed = succeeded(anchored);
    if (isParsed)
      manager = std::move(*anchored);
  }
  if (!isParsed)
    return report(message, onError, user);
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  manager.printAsTextualPipeline(stream);
  report(printed, onText, user);
}
