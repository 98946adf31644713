//===- OpSpec.cpp - sdscbundle.op_spec -----------------------------------===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sdscbundle/SdscBundle.h"
#include "spyre/SpyreBase.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace spyre;
using namespace spyre::sdscbundle;

//===----------------------------------------------------------------------===//
// OpSpecOp
//===----------------------------------------------------------------------===//

/// SO12
static bool isJson(Attribute attr) {
  return TypeSwitch<Attribute, bool>(attr)
      .Case<UnitAttr>([](auto) { return true; })
      .Case<StringAttr>([](StringAttr text) {
        return isa<NoneType>(text.getType()) &&
               llvm::json::isUTF8(text.getValue());
      })
      .Case<IntegerAttr>([](IntegerAttr number) {
        Type type = number.getType();
        return type.isSignlessInteger(1) || type.isSignlessInteger(64) ||
               type.isUnsignedInteger(64);
      })
      .Case<FloatAttr>([](FloatAttr number) {
        return number.getType().isF64() && number.getValue().isFinite();
      })
      .Case<ArrayAttr>(
          [](ArrayAttr array) { return llvm::all_of(array, isJson); })
      .Case<RecordAttr>([](RecordAttr record) {
        return llvm::all_of(record.getValues(), isJson);
      })
      .Default([](Attribute) { return false; });
}

/// SO3: the length of advances, and the attribute that gives it.
namespace {
struct Levels {
  size_t count;
  const char *source;
};
} // namespace

/// SO4, SO9
static LogicalResult verifySpace(OpSpecOp op) {
  llvm::StringSet<> symbols;
  llvm::StringMap<IterDimAttr> sizes;
  for (auto dim : op.getSpace().getAsRange<IterDimAttr>()) {
    if (!symbols.insert(dim.getSymbol()).second)
      return op.emitOpError("names iteration symbol ")
             << dim.getSymbol() << " twice";
    if (!dim.getSize())
      continue;
    IterDimAttr known = sizes.try_emplace(dim.getSize(), dim).first->second;
    if (known.getExtent() != dim.getExtent() ||
        known.getGranularity() != dim.getGranularity())
      return op.emitOpError("runtime size ")
             << dim.getSize() << " is at most " << known.getExtent()
             << " and a multiple of " << known.getGranularity() << " in "
             << known.getSymbol() << ", but at most " << dim.getExtent()
             << " and a multiple of " << dim.getGranularity() << " in "
             << dim.getSymbol();
  }
  return success();
}

/// SO8
static LogicalResult verifyLevels(OpSpecOp op) {
  std::optional<ArrayAttr> levels = op.getLevels();
  if (!levels)
    return success();
  std::optional<ArrayRef<int64_t>> loops = op.getLoops();
  int64_t previous = 0;
  for (auto level : levels->getAsRange<LevelAttr>()) {
    if (level.getLoop() < previous)
      return op.emitOpError("has a level of loop ")
             << level.getLoop() << " after one of loop " << previous;
    previous = level.getLoop();
    if (loops && level.getLoop() >= static_cast<int64_t>(loops->size()))
      return op.emitOpError("has a level of loop ")
             << level.getLoop() << ", but runs in " << loops->size()
             << " loops";
    auto isDim = [&](IterDimAttr dim) {
      return dim.getSymbol() == level.getDim();
    };
    if (level.getDim() &&
        llvm::none_of(op.getSpace().getAsRange<IterDimAttr>(), isDim))
      return op.emitOpError("has a level of ")
             << level.getDim() << ", which is no iteration symbol";
  }
  return success();
}

/// SO10
static LogicalResult verifyNames(OpSpecOp op) {
  llvm::StringMap<TensorArgAttr> named;
  for (auto arg : op.getArgs().getAsRange<TensorArgAttr>())
    if (arg.getName() && !named.try_emplace(arg.getName(), arg).second)
      return op.emitOpError("has two tensors named ") << arg.getName();
  for (auto [i, arg] :
       llvm::enumerate(op.getArgs().getAsRange<TensorArgAttr>()))
    for (StringAttr name : arg.getIndirect()) {
      auto index = named.find(name);
      if (index == named.end() || index->second.getIsOutput())
        return op.emitOpError("tensor #")
               << i << " takes coordinates from " << name
               << ", which is not the name of an input";
    }
  return success();
}

/// SO13: dimensions that are divided have slices of a core.
static LogicalResult verifyCoreSlices(OpSpecOp op) {
  std::optional<CoreSlicesAttr> stated = op.getCoreSlices();
  if (!stated)
    return success();
  ArrayRef<StringAttr> dims = stated->getDims();
  auto space = op.getSpace().getAsRange<IterDimAttr>();
  for (StringAttr name : dims)
    if (llvm::none_of(space, [&](IterDimAttr dim) {
          return dim.getSymbol() == name;
        }))
      return op.emitOpError("has core slices of ")
             << name << ", which is no iteration symbol";
  for (IterDimAttr dim : space)
    if (dim.getSlices() > 1 && !llvm::is_contained(dims, dim.getSymbol()))
      return op.emitOpError("has no core slices of ")
             << dim.getSymbol() << ", which is divided into "
             << dim.getSlices();
  return success();
}

/// SO14
static LogicalResult verifyCompletedCores(OpSpecOp op) {
  std::optional<ArrayRef<int64_t>> cores = op.getCompletedCores();
  if (!cores)
    return success();
  if (cores->empty())
    return op.emitOpError("has no cores in 'completed_cores'; leave it out if "
                          "all cores have the source");
  llvm::SmallSet<int64_t, 32> seen;
  for (int64_t core : *cores) {
    if (core < 0 || core > maxCount)
      return op.emitOpError("completed cores must be in [0, ")
             << maxCount << "], got " << core;
    if (!seen.insert(core).second)
      return op.emitOpError("names completed core ") << core << " twice";
  }
  return success();
}

/// SO1 to SO14
LogicalResult OpSpecOp::verify() {
  if (getSymName().empty())
    return emitOpError("has no name");
  if (getOpFunc().empty())
    return emitOpError("has no OpFunc");
  auto error = [&] { return emitOpError(); };
  if (failed(verifyText(error, getSymNameAttr())) ||
      failed(verifyText(error, getOpFuncAttr())))
    return failure();
  if (failed(verifySpace(*this)) || failed(verifyCoreSlices(*this)) ||
      failed(verifyCompletedCores(*this)))
    return failure();
  if (getArgs().empty())
    return emitOpError("has no tensors");
  std::optional<Levels> levels;
  if (std::optional<ArrayRef<int64_t>> loops = getLoops()) {
    levels = {loops->size(), "the operation runs in "};
    for (auto [loop, count] : llvm::enumerate(*loops))
      if (count <= 0)
        return emitOpError("loop ")
               << loop << " must have a positive trip count, got " << count;
  }
  if (failed(verifyLevels(*this)))
    return failure();
  if (std::optional<ArrayAttr> stated = getLevels())
    levels = {stated->size(), "the levels are "};
  bool sawOutput = false;
  for (auto [i, arg] : llvm::enumerate(getArgs().getAsRange<TensorArgAttr>())) {
    if (arg.getCoordinates().getNumDims() != getSpace().size())
      return emitOpError("tensor #")
             << i << " has coordinates over "
             << arg.getCoordinates().getNumDims()
             << " dimensions, but the iteration space has "
             << getSpace().size();
    if (sawOutput && !arg.getIsOutput())
      return emitOpError("tensor #") << i << " is an input after an output";
    sawOutput |= arg.getIsOutput();
    // SO11
    if (OwnershipAttr owners = arg.getOwners();
        owners && owners.getSlices().size() != getSpace().size())
      return emitOpError("tensor #")
             << i << " has owners in " << owners.getSlices().size()
             << " dimensions, but the iteration space has "
             << getSpace().size();
    if (arg.getAdvance().empty())
      continue;
    if (levels && levels->count != arg.getAdvance().size())
      return emitOpError("tensor #")
             << i << " advances over " << arg.getAdvance().size()
             << " loops, but " << levels->source << levels->count;
    if (!levels)
      levels = {arg.getAdvance().size(), "another tensor over "};
  }
  if (!sawOutput)
    return emitOpError("has no output");
  if (failed(verifyNames(*this)))
    return failure();
  if (std::optional<RecordAttr> constants = getConstants())
    for (auto [name, value] :
         llvm::zip_equal(constants->getNames(), constants->getValues()))
      if (!isa<FloatAttr, IntegerAttr>(value))
        return emitOpError("constant ") << name << " is not a number";
  // SO12
  std::pair<StringRef, Attribute> written[] = {
      {"info", getInfoAttr()}, {"debug_handle", getDebugHandleAttr()}};
  for (auto [name, value] : written)
    if (value && !isJson(value))
      return emitOpError("'") << name
                              << "' must be unit, a boolean, a 64-bit "
                                 "integer, a finite f64, a string, or an array "
                                 "or record of such "
                                 "values, got "
                              << value;
  return success();
}
