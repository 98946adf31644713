//===- Guard.cpp - checks that end a compiled program ---------------------===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that divides an integer by zero, allocates more memory than there is or recurses too
// deeply would end the process. So a check is inserted before each division, allocation and call,
// in the llvm dialect, where divisions and allocations are explicit. A failed check leaves the
// program by `longjmp`: its frames need no destructors, and its allocations are recorded and freed
// with the call.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Shim.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"

#include <csetjmp>
#include <cstdlib>
#include <pthread.h>

using namespace mlir;

//===----------------------------------------------------------------------===//
// While a program runs
//===----------------------------------------------------------------------===//

namespace {
struct Call {
  std::jmp_buf exit;
  SpyreOutcome outcome{};
  /// The call around this one, in the same thread.
  Call *before = nullptr;
  /// The live allocations of the program, with sizes.
  llvm::DenseMap<void *, uint64_t> live;
  uint64_t used = 0;
  uint64_t maxBytes = 0;
  /// The lowest address that a frame may have.
  uintptr_t stackEnd = 0;
};
} // namespace

/// The call that this thread is in.
static thread_local Call *current = nullptr;

/// Stack space for functions without a check.
static constexpr size_t stackReserve = 256 * 1024;

/// Returns the lowest address of this thread's stack that a program may use, or 0 where the system
/// does not provide it.
static uintptr_t findStackEnd() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return 0;
  void *lowest = nullptr;
  size_t size = 0;
  bool isKnown = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  if (!isKnown || size <= stackReserve)
    return 0;
  return reinterpret_cast<uintptr_t>(lowest) + stackReserve;
}

[[noreturn]] static void end(SpyreEnd why, int64_t site, uint64_t size = 0) {
  current->outcome = {why, site, size};
  std::longjmp(current->exit, 1);
}

static void checkDivision(int64_t isByZero, int64_t overflows, int64_t site) {
  if (isByZero)
    end(SpyreEndDivisionByZero, site);
  if (overflows)
    end(SpyreEndOverflow, site);
}

static void checkStack(int64_t site) {
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) <
      current->stackEnd)
    end(SpyreEndStack, site);
}

static void *allocate(uint64_t size, int64_t site) {
  void *memory = nullptr;
  if (size <= current->maxBytes - current->used)
    memory = std::malloc(size ? size : 1);
  if (!memory)
    end(SpyreEndMemory, site, size);
  current->used += size;
  current->live[memory] = size;
  return memory;
}

static void release(void *memory) {
  auto found = current->live.find(memory);
  // Arguments belong to the caller.
  if (found == current->live.end())
    return;
  current->used -= found->second;
  current->live.erase(found);
  std::free(memory);
}

static Call *callOf(SpyreCall call) { return static_cast<Call *>(call.ptr); }

SpyreCall spyreCallCreate(uint64_t maxBytes) {
  auto *call = new Call;
  call->maxBytes = maxBytes;
  return {call};
}

SpyreOutcome spyreCallRun(SpyreCall raw, void (*function)(void **),
                          void **arguments) {
  // The system reads a file to find out.
  static thread_local const uintptr_t stackEnd = findStackEnd();
  Call *call = callOf(raw);
  call->stackEnd = stackEnd;
  // A function that the caller runs may call compiled code itself.
  call->before = current;
  current = call;
  if (setjmp(call->exit) == 0)
    function(arguments);
  current = current->before;
  return callOf(raw)->outcome;
}

void spyreCallDestroy(SpyreCall raw) {
  Call *call = callOf(raw);
  for (auto [memory, size] : call->live)
    std::free(memory);
  delete call;
}

//===----------------------------------------------------------------------===//
// Before it is compiled
//===----------------------------------------------------------------------===//

static constexpr StringLiteral divisionName = "spyre_check_division";
static constexpr StringLiteral stackName = "spyre_check_stack";
static constexpr StringLiteral allocateName = "spyre_allocate";
static constexpr StringLiteral releaseName = "spyre_release";

void spyre::addGuardSymbols(llvm::orc::MangleAndInterner mangle,
                            llvm::orc::SymbolMap &symbols) {
  auto add = [&](StringRef name, auto *function) {
    symbols[mangle(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add(divisionName, &checkDivision);
  add(stackName, &checkStack);
  add(allocateName, &allocate);
  add(releaseName, &release);
}

namespace {
/// Inserts the checks into a module.
class Guard {
public:
  Guard(ModuleOp module, SpyreLocationCallback onSite, void *user)
      : module(module), builder(module.getContext()), onSite(onSite),
        user(user), i64(builder.getI64Type()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        nothing(LLVM::LLVMVoidType::get(module.getContext())) {}

  void run() {
    llvm::StringSet<> defined, called, calling;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        defined.insert(function.getName());
    SmallVector<Operation *> asking;
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        if (std::optional<StringRef> callee = call.getCallee();
            callee && defined.contains(*callee)) {
          called.insert(*callee);
          calling.insert(call->getParentOfType<LLVM::LLVMFuncOp>().getName());
        }
      if (isa<LLVM::SDivOp, LLVM::SRemOp, LLVM::UDivOp, LLVM::URemOp,
              LLVM::CallOp, LLVM::LLVMFuncOp>(op))
        asking.push_back(op);
    });
    for (Operation *op : asking) {
      if (auto call = dyn_cast<LLVM::CallOp>(op))
        memory(call);
      else if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
        depth(function, called, calling);
      else
        division(op, isa<LLVM::SDivOp, LLVM::SRemOp>(op));
    }
  }

private:
  /// Inserts a check before an integer division.
  void division(Operation *op, bool isSigned) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    Type type = rhs.getType();
    APInt divisor;
    bool isConstant = matchPattern(rhs, m_ConstantInt(&divisor));
    if (isConstant && !divisor.isZero() &&
        !(isSigned && divisor.isAllOnes()))
      return;
    Location loc = op->getLoc();
    builder.setInsertionPoint(op);
    auto is = [&](Value value, const APInt &constant) -> Value {
      TypedAttr attr = builder.getIntegerAttr(getElementTypeOrSelf(type),
                                              constant);
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, constant);
      Value other = LLVM::ConstantOp::create(builder, loc, type, attr);
      return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, value,
                                  other);
    };
    // Whether it holds for any element, as a number.
    auto any = [&](Value isSo) -> Value {
      if (isa<VectorType>(type))
        isSo = LLVM::vector_reduce_or::create(builder, loc,
                                              builder.getI1Type(), isSo);
      return LLVM::ZExtOp::create(builder, loc, i64, isSo);
    };
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value isByZero = any(is(rhs, APInt::getZero(width)));
    Value overflows = number(loc, 0);
    if (isSigned) {
      Value both = LLVM::AndOp::create(
          builder, loc, is(lhs, APInt::getSignedMinValue(width)),
          is(rhs, APInt::getAllOnes(width)));
      overflows = any(both);
    }
    call(loc, divisionName, nothing, {isByZero, overflows, site(loc)});
  }

  /// Replaces `malloc` and `free` by functions that record the memory of the call.
  void memory(LLVM::CallOp op) {
    Location loc = op.getLoc();
    builder.setInsertionPoint(op);
    if (op.getCallee() == "malloc") {
      auto taken = call(loc, allocateName, pointer,
                        {op.getArgOperands().front(), site(loc)});
      op.getResult().replaceAllUsesWith(taken.getResult());
      op.erase();
    } else if (op.getCallee() == "free") {
      call(loc, releaseName, nothing, {op.getArgOperands().front()});
      op.erase();
    }
  }

  /// Inserts a check of the stack at the start of a function that has callers
  /// and calls functions. The reserve has room for the frame of a function that
  /// calls none, such as an outlined kernel, and the error is at the calls that
  /// nest.
  void depth(LLVM::LLVMFuncOp op, const llvm::StringSet<> &called,
             const llvm::StringSet<> &calling) {
    if (op.isExternal() || !called.contains(op.getName()) ||
        !calling.contains(op.getName()))
      return;
    builder.setInsertionPointToStart(&op.getBody().front());
    call(op.getLoc(), stackName, nothing, {site(op.getLoc())});
  }

  Value number(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  }

  Value site(Location loc) {
    onSite(wrap(loc), user);
    return number(loc, sites++);
  }

  LLVM::CallOp call(Location loc, StringRef name, Type result,
                    ArrayRef<Value> arguments) {
    return LLVM::CallOp::create(builder, loc, declared(name, result, arguments),
                                arguments);
  }

  LLVM::LLVMFuncOp declared(StringRef name, Type result,
                            ArrayRef<Value> arguments) {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        result, llvm::to_vector(ValueRange(arguments).getTypes()));
    return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  }

  ModuleOp module;
  OpBuilder builder;
  SpyreLocationCallback onSite;
  void *user;
  Type i64, pointer, nothing;
  int64_t sites = 0;
};
} // namespace

void spyreGuardProgram(MlirOperation module, SpyreLocationCallback onSite,
                       void *user) {
  Guard(cast<ModuleOp>(unwrap(module)), onSite, user).run();
}
