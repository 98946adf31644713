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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstring>
#include <memory>
#include <new>

using namespace mlir;

namespace {
/// Bytes at an address that any element type may have.
struct AlignedDelete {
  void operator()(char *bytes) const {
    ::operator delete[](bytes, std::align_val_t(64));
  }
};
using AlignedBytes = std::unique_ptr<char[], AlignedDelete>;

/// A compiled module, and the constants that its code reads.
struct Compiled {
  llvm::StringMap<AlignedBytes> constants;
  std::unique_ptr<ExecutionEngine> engine;
};
} // namespace

static Compiled *compiledOf(SpyreJit jit) {
  return static_cast<Compiled *>(jit.ptr);
}

static void report(StringRef message, MlirStringCallback callback, void *user) {
  callback(wrap(message), user);
}

// Functions that compiled code calls, of the libraries libmlir_c_runner_utils and libmlir_float16_utils. They are linked, since
// the engine opens a library by its path such that its symbols, and those of libLLVM below it, are global: another LLVM
// in the process, such as that of Triton in Python, would bind to them.
extern "C" void memrefCopy(int64_t bytes, void *source, void *target);
extern "C" uint16_t __truncsfbf2(float value);
extern "C" uint16_t __truncdfbf2(double value);

/// Adds the functions that compiled code calls: copies between strided buffers, and conversions to bf16 on processors
/// without them.
static void addRuntimeSymbols(llvm::orc::MangleAndInterner mangle,
                              llvm::orc::SymbolMap &map) {
  auto add = [&](StringRef name, auto *function) {
    map[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                         llvm::JITSymbolFlags::Exported |
                             llvm::JITSymbolFlags::Callable};
  };
  add("memrefCopy", &memrefCopy);
  add("__truncsfbf2", &__truncsfbf2);
  add("__truncdfbf2", &__truncdfbf2);
}

/// Instructions of x86 that round to bf16 and take subnormal numbers for zero.
/// Without them results are the same on every processor.
static constexpr StringRef flushingFeatures[] = {"avx512bf16", "avxneconvert",
                                                 "avx10.2"};

/// Bytes up to which a constant is one of LLVM, which folds what is computed
/// from its elements.
static constexpr size_t mostFoldedBytes = 1024;

/// The prefix of constants that are outside of LLVM's module: their names may
/// be those of the C library.
static constexpr StringRef constantPrefix = "spyre_constant.";

/// Takes the elements of large constants out of a module of the llvm dialect,
/// by the name of the constant. An array of arrays has an object in LLVM for
/// each of its rows, and weights would pass through its optimizer and an object
/// file.
static void takeConstants(ModuleOp module,
                          llvm::StringMap<AlignedBytes> &constants) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<DenseIntOrFPElementsAttr>(
        global.getValueOrNull());
    if (!value || !global.getConstant() || global.getThreadLocal_() ||
        global.getSection() || global.getAlignment().value_or(1) > 64)
      continue;
    Type element = value.getElementType();
    // Complex numbers have no width of their own.
    if (!element.isIntOrIndexOrFloat())
      continue;
    // Others have other bytes in memory than in the attribute.
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    if (!llvm::is_contained({8u, 16u, 32u, 64u}, width))
      continue;
    ArrayRef<char> raw = value.getRawData();
    size_t size = value.getNumElements() * (width / 8);
    if (size <= mostFoldedBytes || raw.empty())
      continue;
    AlignedBytes bytes(
        static_cast<char *>(::operator new[](size, std::align_val_t(64))));
    for (size_t at = 0; at < size; at += raw.size())
      memcpy(bytes.get() + at, raw.data(), raw.size());
    constants[global.getSymName()] = std::move(bytes);
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
  }
}

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

  auto compiled = std::make_unique<Compiled>();
  takeConstants(cast<ModuleOp>(op), compiled->constants);
  // Used inside of `create` only.
  auto optimizeAll =
      makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, target->get());
  auto optimize = [&](llvm::Module *translated) -> llvm::Error {
    for (const auto &constant : compiled->constants)
      if (llvm::GlobalVariable *global =
              translated->getNamedGlobal(constant.getKey()))
        global->setName(constantPrefix + constant.getKey());
    return optimizeAll(translated);
  };
  ExecutionEngineOptions options;
  options.transformer = optimize;
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
    for (const auto &constant : compiled->constants)
      map[mangle((constantPrefix + constant.getKey()).str())] = {
          llvm::orc::ExecutorAddr::fromPtr(constant.second.get()),
          llvm::JITSymbolFlags::Exported};
    spyre::addGuardSymbols(mangle, map);
    addRuntimeSymbols(mangle, map);
    return map;
  });
  compiled->engine = std::move(*engine);
  return SpyreJit{compiled.release()};
}

void spyreJitDestroy(SpyreJit jit) { delete compiledOf(jit); }

void *spyreJitLookupPacked(SpyreJit jit, MlirStringRef name,
                           MlirStringCallback onError, void *user) {
  auto function = compiledOf(jit)->engine->lookupPacked(unwrap(name));
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
