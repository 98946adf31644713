//===- Execution.cpp - compiled programs, and pipelines as text -----------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's execution engine compiles and links in one step. Here code is compiled
// to an object, which is linked into the process, at once or in a later process
// that was given the object. Errors are returned, not printed.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/RTDyldObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
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

/// The elements of a constant.
struct Constant {
  AlignedBytes bytes;
  size_t size;
};

/// A module as object code, the constants that the code reads, and the code in
/// this process.
struct Compiled {
  llvm::StringMap<Constant> constants;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::unique_ptr<llvm::orc::LLJIT> jit;
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

/// Largest size in bytes of a constant that stays in LLVM's module, so that LLVM
/// can fold computations with its elements.
static constexpr size_t mostFoldedBytes = 1024;

/// The prefix of constants that are outside of LLVM's module: their names may
/// be those of the C library.
static constexpr StringRef constantPrefix = "spyre_constant.";

/// Returns memory for the elements of a constant.
static Constant allocate(size_t size) {
  return {AlignedBytes(static_cast<char *>(
              ::operator new[](size, std::align_val_t(64)))),
          size};
}

/// Takes the elements of large constants out of a module of the llvm dialect,
/// by the name of the constant. An array of arrays has an object in LLVM for
/// each of its rows, and weights would pass through its optimizer and an object
/// file.
static void takeConstants(ModuleOp module,
                          llvm::StringMap<Constant> &constants) {
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
    Constant constant = allocate(size);
    for (size_t at = 0; at < size; at += raw.size())
      memcpy(constant.bytes.get() + at, raw.data(), raw.size());
    constants[global.getSymName()] = std::move(constant);
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
  }
}

/// Returns this machine's target.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder> hostTarget() {
  static const bool initialized = [] {
    return !llvm::InitializeNativeTarget() &&
           !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!initialized)
    return llvm::createStringError("LLVM cannot compile for this machine");
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (builder && builder->getTargetTriple().isX86())
    for (StringRef feature : flushingFeatures)
      builder->getFeatures().AddFeature(feature, /*Enable=*/false);
  return builder;
}

/// Compiles a module of the llvm dialect to object code for this machine.
static llvm::Error compile(ModuleOp module, int optLevel, Compiled &compiled) {
  auto builder = hostTarget();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(optLevel));
  auto target = builder->createTargetMachine();
  if (!target)
    return target.takeError();
  takeConstants(module, compiled.constants);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return llvm::createStringError("the module has no form in LLVM IR");
  translated->setDataLayout((*target)->createDataLayout());
  translated->setTargetTriple((*target)->getTargetTriple());
  for (const auto &constant : compiled.constants)
    if (llvm::GlobalVariable *global =
            translated->getNamedGlobal(constant.getKey()))
      global->setName(constantPrefix + constant.getKey());
  auto optimize =
      makeOptimizingTransformer(optLevel, /*sizeLevel=*/0, target->get());
  if (llvm::Error error = optimize(translated.get()))
    return error;
  auto object = llvm::orc::SimpleCompiler(**target)(*translated);
  if (!object)
    return object.takeError();
  compiled.object = std::move(*object);
  return llvm::Error::success();
}

/// Links object code into this process, as MLIR's execution engine does.
static llvm::Error link(Compiled &compiled, ArrayRef<SpyreSymbol> symbols) {
  auto builder = hostTarget();
  if (!builder)
    return builder.takeError();
  auto layer = [](llvm::orc::ExecutionSession &session) {
    return std::make_unique<llvm::orc::RTDyldObjectLinkingLayer>(
        session, [](const llvm::MemoryBuffer &) {
          return std::make_unique<llvm::SectionMemoryManager>();
        });
  };
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .setObjectLinkingLayerCreator(layer)
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::MangleAndInterner mangle((*jit)->getExecutionSession(),
                                      (*jit)->getDataLayout());
  llvm::orc::SymbolMap map;
  for (const SpyreSymbol &symbol : symbols)
    map[mangle(unwrap(symbol.name))] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  for (const auto &constant : compiled.constants)
    map[mangle((constantPrefix + constant.getKey()).str())] = {
        llvm::orc::ExecutorAddr::fromPtr(constant.second.bytes.get()),
        llvm::JITSymbolFlags::Exported};
  spyre::addGuardSymbols(mangle, map);
  addRuntimeSymbols(mangle, map);
  if (llvm::Error error = (*jit)->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(map))))
    return error;
  // The object is kept for `spyreJitSave`: this buffer refers to its bytes.
  auto object = llvm::MemoryBuffer::getMemBuffer(
      compiled.object->getMemBufferRef(), /*RequiresNullTerminator=*/false);
  if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
    return error;
  compiled.jit = std::move(*jit);
  return llvm::Error::success();
}

SpyreJit spyreJitCompile(MlirOperation module, int optLevel,
                         const SpyreSymbol *symbols, intptr_t count,
                         MlirStringCallback onError, void *user) {
  Operation *op = unwrap(module);
  registerBuiltinDialectTranslation(*op->getContext());
  registerLLVMDialectTranslation(*op->getContext());
  auto compiled = std::make_unique<Compiled>();
  llvm::Error error = compile(cast<ModuleOp>(op), optLevel, *compiled);
  if (!error)
    error = link(*compiled, ArrayRef(symbols, count));
  if (error) {
    report(llvm::toString(std::move(error)), onError, user);
    return SpyreJit{nullptr};
  }
  return SpyreJit{compiled.release()};
}

SpyreJit spyreJitLoad(MlirStringRef object, const SpyreConstant *constants,
                      intptr_t constantCount, const SpyreSymbol *symbols,
                      intptr_t count, MlirStringCallback onError, void *user) {
  auto compiled = std::make_unique<Compiled>();
  compiled->object =
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(object), "saved object");
  for (const SpyreConstant &given : ArrayRef(constants, constantCount)) {
    StringRef bytes = unwrap(given.bytes);
    Constant constant = allocate(bytes.size());
    memcpy(constant.bytes.get(), bytes.data(), bytes.size());
    compiled->constants[unwrap(given.name)] = std::move(constant);
  }
  if (llvm::Error error = link(*compiled, ArrayRef(symbols, count))) {
    report(llvm::toString(std::move(error)), onError, user);
    return SpyreJit{nullptr};
  }
  return SpyreJit{compiled.release()};
}

void spyreJitSave(SpyreJit jit, MlirStringCallback onObject,
                  SpyreConstantCallback onConstant, void *user) {
  const Compiled *compiled = compiledOf(jit);
  onObject(wrap(compiled->object->getBuffer()), user);
  for (const auto &constant : compiled->constants)
    onConstant({wrap(constant.getKey()),
                wrap(StringRef(constant.second.bytes.get(),
                               constant.second.size))},
               user);
}

void spyreJitProcessor(MlirStringCallback onText, MlirStringCallback onError,
                       void *user) {
  auto builder = hostTarget();
  if (!builder)
    return report(llvm::toString(builder.takeError()), onError, user);
  std::string text = builder->getTargetTriple().str() + " " +
                     builder->getCPU() + " " +
                     builder->getFeatures().getString();
  report(text, onText, user);
}

void spyreJitDestroy(SpyreJit jit) { delete compiledOf(jit); }

void *spyreJitLookup(SpyreJit jit, MlirStringRef name,
                     MlirStringCallback onError, void *user) {
  auto function = compiledOf(jit)->jit->lookup(unwrap(name));
  if (!function) {
    report(llvm::toString(function.takeError()), onError, user);
    return nullptr;
  }
  return function->toPtr<void *>();
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
