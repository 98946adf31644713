//===- BundleVerifier.cpp - Rules across operations -----------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sdscbundle/BundleVerifier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Visitors.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace spyre::sdscbundle;

bool spyre::sdscbundle::canBeFuncEntryBlock(Block *block) {
  Operation *parent = block->getParentOp();
  return !parent || (isa<func::FuncOp>(parent) && block->isEntryBlock());
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

LogicalResult
spyre::sdscbundle::verifyTotalAllocation(DeviceMemAllocateOp op) {
  // An earlier allocation has done it. Each search ends at the allocation
  // before, so that together they pass over the block once.
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode())
    if (isa<DeviceMemAllocateOp>(prev))
      return success();

  // Every summand is at most the limit, and the loop ends when the total
  // exceeds it: no overflow.
  int64_t total = 0;
  for (Operation *cur = op; cur; cur = cur->getNextNode()) {
    auto alloc = dyn_cast<DeviceMemAllocateOp>(cur);
    if (!alloc)
      continue;
    IntegerAttr sizeAttr = alloc.getProperties().size;
    std::optional<int64_t> size =
        sizeAttr ? sizeAttr.getValue().trySExtValue() : std::nullopt;
    // The verifier of the allocation reports it.
    if (!size || *size <= 0 || *size > maxDeviceMemBytes)
      continue;
    total += *size;
    if (total > maxDeviceMemBytes) {
      InFlightDiagnostic diag = alloc.emitOpError("raises the total to ")
                                << total << " bytes; at most "
                                << maxDeviceMemBytes << " are available";
      diag.attachNote(op.getLoc()) << "first allocation is here";
      return diag;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The loops around an execution
//===----------------------------------------------------------------------===//

/// Calls `visit` for `root` and for all operations nested in it that belong to
/// the same function.
template <typename Iterator, typename Visit>
static WalkResult walkSameFunction(Operation *root, Visit visit) {
  return root->walk<WalkOrder::PreOrder, Iterator>([&](Operation *op) {
    if (op != root && op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return WalkResult::skip();
    return visit(op);
  });
}

/// Whether `root` is or contains an execution of the function it stands in.
/// Searches from the end and stops at the last execution.
static bool containsExecution(Operation *root) {
  if (root->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return false;
  return walkSameFunction<ReverseIterator>(root, [](Operation *op) {
           return isa<SdscExecuteOp>(op) ? WalkResult::interrupt()
                                         : WalkResult::advance();
         })
      .wasInterrupted();
}

/// Whether there is an execution before `op` in its block. Other blocks do not
/// matter: loops have one, and SB15 admits only the first one of a function.
static bool followsExecution(Operation *op) {
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode())
    if (containsExecution(prev))
      return true;
  return false;
}

/// SB16 and SB17 for a loop around `op`.
static LogicalResult verifyLoop(SdscExecuteOp op, Operation *loop) {
  // `lower, upper, step, inits...`. With fewer operands the verifier of the
  // loop fails.
  constexpr unsigned numBounds = 3;
  if (loop->getNumOperands() < numBounds)
    return success();

  // SB16
  if (unsigned numCarried = loop->getNumOperands() - numBounds) {
    InFlightDiagnostic diag =
        op.emitOpError("is in a loop that carries ")
        << numCarried << " values; loops of a bundle carry none";
    diag.attachNote(loop->getLoc()) << "loop is here";
    return diag;
  }

  // SB17
  static constexpr StringLiteral boundNames[numBounds] = {
      "lower bound", "upper bound", "step"};
  for (unsigned i = 0; i < numBounds; ++i) {
    Value bound = loop->getOperand(i);
    if (!bound)
      return success();
    Operation *def = bound.getDefiningOp();
    if (def ? def->hasTrait<OpTrait::ConstantLike>() ||
                  isa<InputArgExtractOp>(def)
            : canBeFuncEntryBlock(cast<BlockArgument>(bound).getOwner()))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError("is in a loop whose ")
        << boundNames[i]
        << " is neither a constant nor a parameter of the bundle";
    diag.attachNote(loop->getLoc()) << "loop is here";
    diag.attachNote(bound.getLoc()) << boundNames[i] << " is defined here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function around the executions
//===----------------------------------------------------------------------===//

/// SB18 and SB19.
static LogicalResult verifySignature(SdscExecuteOp op, func::FuncOp func) {
  TypeAttr typeAttr = func.getProperties().function_type;
  auto type = typeAttr ? dyn_cast<FunctionType>(typeAttr.getValue()) : nullptr;
  if (!type)
    return success();
  // SB18
  if (unsigned numResults = type.getNumResults()) {
    InFlightDiagnostic diag = op.emitOpError("is in a function with ")
                              << numResults
                              << " results; a bundle returns nothing";
    diag.attachNote(func.getLoc()) << "function is here";
    return diag;
  }
  // SB19
  for (auto [number, input] : llvm::enumerate(type.getInputs())) {
    if (isa<IndexType, InputArgType>(input))
      continue;
    InFlightDiagnostic diag =
        op.emitOpError("is in a function whose parameter #")
        << number << " has type " << input
        << "; parameters of a bundle are 'index' or "
           "'!sdscbundle.input_arg'";
    diag.attachNote(func.getLoc()) << "function is here";
    return diag;
  }
  return success();
}

namespace {

/// Collects the executions of a function in program order and checks SB20 and
/// SB21. Ids are looked up as attributes, which are unique in a context: unlike
/// integers they cannot collide with the reserved keys of a `DenseMap`.
class BundleSymbols {
public:
  LogicalResult add(SdscExecuteOp op);

private:
  /// The bindings of one symbol id. An id is in conflict if its executions have
  /// two files and two values: then two of them differ in both.
  struct Symbol {
    SdscExecuteOp first;
    OpFoldResult firstValue;
    SdscExecuteOp otherFile;
    SdscExecuteOp otherValue;
  };

  LogicalResult checkSameIds(SdscExecuteOp op, ArrayAttr ids);
  LogicalResult bind(SdscExecuteOp op, Attribute id, Value value);

  llvm::DenseMap<Attribute, SdscExecuteOp> firstOfFile;
  llvm::DenseMap<Attribute, Symbol> symbols;
};

} // namespace

/// The identity of a value: equal constants are one value.
static OpFoldResult getIdentity(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (Attribute attr = constant.getProperties().value)
      return attr;
  return value;
}

LogicalResult BundleSymbols::add(SdscExecuteOp op) {
  StringAttr file = op.getProperties().sdsc_filename;
  ArrayAttr ids = op.getProperties().symbol_ids;
  // The verifier of the operation reports these errors.
  auto isId = [](Attribute attr) {
    auto id = dyn_cast<IntegerAttr>(attr);
    return id && id.getType().isSignlessInteger(64);
  };
  if (!file || (ids ? ids.size() : 0) != op->getNumOperands() ||
      (ids && !llvm::all_of(ids, isId)) ||
      llvm::is_contained(op->getOperands(), Value()))
    return success();
  if (failed(checkSameIds(op, ids)))
    return failure();
  if (!ids)
    return success();
  for (auto [id, value] : llvm::zip_equal(ids, op->getOperands()))
    if (failed(bind(op, id, value)))
      return failure();
  return success();
}

/// SB21
LogicalResult BundleSymbols::checkSameIds(SdscExecuteOp op, ArrayAttr ids) {
  StringAttr file = op.getProperties().sdsc_filename;
  auto [entry, isNew] = firstOfFile.try_emplace(file, op);
  SdscExecuteOp first = entry->second;
  ArrayAttr firstIds = first.getProperties().symbol_ids;
  // Executions of one file usually share the attribute.
  if (isNew || ids == firstIds)
    return success();

  auto elements = [](ArrayAttr array) {
    return array ? array.getValue() : ArrayRef<Attribute>();
  };
  llvm::DenseSet<Attribute> here, there;
  here.insert_range(elements(ids));
  there.insert_range(elements(firstIds));
  auto report = [&](const char *what, Attribute id) {
    InFlightDiagnostic diag = op.emitOpError(what)
                              << cast<IntegerAttr>(id).getInt()
                              << ", unlike another execution of " << file;
    diag.attachNote(first.getLoc()) << "other execution is here";
    return diag;
  };
  for (Attribute id : elements(ids))
    if (!there.contains(id))
      return report("binds symbol ", id);
  for (Attribute id : elements(firstIds))
    if (!here.contains(id))
      return report("does not bind symbol ", id);
  return success();
}

/// SB20
LogicalResult BundleSymbols::bind(SdscExecuteOp op, Attribute id, Value value) {
  OpFoldResult identity = getIdentity(value);
  auto [entry, isNew] =
      symbols.try_emplace(id, Symbol{op, identity, nullptr, nullptr});
  if (isNew)
    return success();

  Symbol &symbol = entry->second;
  auto fileOf = [](SdscExecuteOp op) -> StringAttr {
    return op.getProperties().sdsc_filename;
  };
  bool sameFile = fileOf(op) == fileOf(symbol.first);
  bool sameValue = identity == symbol.firstValue;
  SdscExecuteOp conflict;
  if (!sameFile && !sameValue)
    conflict = symbol.first;
  else if (!sameFile)
    conflict = symbol.otherValue;
  else if (!sameValue)
    conflict = symbol.otherFile;
  if (conflict) {
    InFlightDiagnostic diag =
        op.emitOpError("binds symbol ")
        << cast<IntegerAttr>(id).getInt() << " of " << fileOf(op)
        << " to another value than an execution of " << fileOf(conflict);
    diag.attachNote(conflict.getLoc()) << "other execution is here";
    return diag;
  }
  if (!sameFile)
    symbol.otherFile = op;
  if (!sameValue)
    symbol.otherValue = op;
  return success();
}

/// SB18 to SB21 for the function that `op` is the first execution of.
static LogicalResult verifyFunction(SdscExecuteOp op, func::FuncOp func) {
  if (failed(verifySignature(op, func)))
    return failure();
  BundleSymbols symbols;
  WalkResult result =
      walkSameFunction<ForwardIterator>(func, [&](Operation *nested) {
        auto execution = dyn_cast<SdscExecuteOp>(nested);
        if (execution && failed(symbols.add(execution)))
          return WalkResult::interrupt();
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

LogicalResult spyre::sdscbundle::verifyBundleRules(SdscExecuteOp op) {
  // Climb to the function. The ancestors of an earlier execution are checked
  // already, so the climb ends at one; all climbs and searches together pass
  // over the function once.
  for (Operation *inner = op; inner->getBlock();) {
    if (followsExecution(inner))
      return success();
    Operation *parent = inner->getParentOp();
    // Not placed in a program yet.
    if (!parent)
      return success();
    if (canBeFuncEntryBlock(inner->getBlock()))
      return verifyFunction(op, cast<func::FuncOp>(parent));
    // SB15
    if (!isa<scf::ForOp>(parent)) {
      InFlightDiagnostic diag =
          op.emitOpError("must be in the entry block of a 'func.func', with "
                         "only 'scf.for' operations between");
      diag.attachNote(parent->getLoc())
          << "but is inside this '" << parent->getName() << "'";
      return diag;
    }
    if (failed(verifyLoop(op, parent)))
      return failure();
    inner = parent;
  }
  return success();
}
