//===- SpyreShapes.cpp - Iteration spaces and constants of operations -----===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "spyre/Spyre.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace spyre;
using spyre::detail::tensorType;

//===----------------------------------------------------------------------===//
// Shapes and index maps
//===----------------------------------------------------------------------===//

RankedTensorType spyre::detail::tensorType(Operation *op, unsigned tensor) {
  Type type = tensor < op->getNumOperands()
                  ? op->getOperand(tensor).getType()
                  : op->getResult(tensor - op->getNumOperands()).getType();
  return dyn_cast<RankedTensorType>(type);
}

unsigned spyre::detail::numTensors(Operation *op) {
  return op->getNumOperands() + op->getNumResults();
}

SmallVector<int64_t> spyre::detail::resultShape(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type ? SmallVector<int64_t>(type.getShape()) : SmallVector<int64_t>();
}

AffineMap spyre::detail::buildIndexingMap(MLIRContext *context, size_t rank,
                                   ArrayRef<int64_t> dims, int64_t gathered,
                                   ArrayRef<WalkedDim> walked) {
  SmallVector<AffineExpr> exprs;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (static_cast<int64_t>(position) == gathered)
      exprs.push_back(getAffineSymbolExpr(0, context));
    else
      exprs.push_back(dim < 0 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  }
  for (const WalkedDim &walk : walked)
    exprs[walk.dim] =
        getAffineDimExpr(walk.position, context) * walk.stride +
        getAffineDimExpr(walk.window, context) * walk.dilation;
  return AffineMap::get(rank, gathered < 0 ? 0 : 1, exprs, context);
}

SmallVector<int64_t> spyre::detail::pointwiseTensorDims(Operation *op,
                                                 unsigned tensor) {
  RankedTensorType type = tensorType(op, tensor);
  RankedTensorType result = tensorType(op, op->getNumOperands());
  SmallVector<int64_t> dims(type.getRank(), -1);
  // A rank above the result's is refused by the verifier.
  if (type.getRank() > result.getRank())
    return dims;
  int64_t lead = result.getRank() - type.getRank();
  for (int64_t i = 0, e = type.getRank(); i != e; ++i)
    if (type.getDimSize(i) != 1 || result.getDimSize(lead + i) == 1)
      dims[i] = lead + i;
  return dims;
}

SmallVector<int64_t> spyre::detail::pairTensorDims(Operation *op,
                                                   unsigned tensor,
                                                   unsigned pair) {
  SmallVector<int64_t> dims = pointwiseTensorDims(op, tensor);
  if (tensor == pair && !dims.empty())
    dims.back() = -1;
  return dims;
}

SmallVector<int64_t> Exx2Op::getIterationSpace() {
  return SmallVector<int64_t>(getInput().getType().getShape());
}

SmallVector<int64_t> Exx2Op::getTensorDims(unsigned tensor) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(
      0, detail::tensorType(getOperation(), tensor).getRank()));
  if (tensor == 1 && !dims.empty())
    dims.back() = -1;
  return dims;
}

SmallVector<int64_t> spyre::detail::reductionSpace(Operation *op,
                                            ArrayRef<int64_t> dims,
                                            bool keepdim) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType input = tensorType(op, 0);
  for (int64_t dim : dims)
    space.push_back(dim >= 0 && dim < input.getRank() ? input.getDimSize(dim)
                                                      : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::reductionTensorDims(Operation *op,
                                                 ArrayRef<int64_t> dims,
                                                 bool keepdim,
                                                 unsigned tensor) {
  RankedTensorType input = tensorType(op, 0);
  int64_t resultRank = tensorType(op, 1).getRank();
  if (tensor == 1)
    return llvm::to_vector(llvm::seq<int64_t>(0, resultRank));
  SmallVector<int64_t> result;
  int64_t kept = 0, reduced = resultRank;
  for (int64_t i = 0, e = input.getRank(); i != e; ++i) {
    if (llvm::is_contained(dims, i)) {
      result.push_back(reduced++);
      kept += keepdim;
    } else {
      result.push_back(kept < resultRank ? kept : -1);
      ++kept;
    }
  }
  return result;
}

SmallVector<int64_t> spyre::detail::topKSpace(Operation *op, int64_t dim) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType input = tensorType(op, 0);
  space.push_back(dim >= 0 && dim < input.getRank() ? input.getDimSize(dim)
                                                    : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::topKTensorDims(Operation *op, int64_t dim,
                                            unsigned tensor) {
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(0, tensorType(op, tensor).getRank()));
  if (tensor == 0 && dim >= 0 && dim < static_cast<int64_t>(dims.size()))
    dims[dim] = tensorType(op, 1).getRank();
  return dims;
}

SmallVector<int64_t> spyre::detail::gatherTensorDims(Operation *op, int64_t dim,
                                              unsigned tensor) {
  int64_t indexRank = tensorType(op, 0).getRank();
  int64_t space = tensorType(op, 2).getRank();
  SmallVector<int64_t> dims;
  for (int64_t i = 0, e = tensorType(op, tensor).getRank(); i != e; ++i) {
    int64_t at = i;
    if (tensor == 0)
      at = dim + i;
    else if (tensor == 1)
      at = i < dim ? i : i == dim ? -1 : i + indexRank - 1;
    // The verifier refuses shapes that do not fit.
    dims.push_back(at >= 0 && at < space ? at : -1);
  }
  return dims;
}

SmallVector<int64_t> spyre::detail::matmulSpace(Operation *op) {
  SmallVector<int64_t> space = resultShape(op);
  RankedTensorType lhs = tensorType(op, 0);
  space.push_back(lhs.getRank() > 0 ? lhs.getShape().back() : 1);
  return space;
}

SmallVector<int64_t> spyre::detail::matmulTensorDims(Operation *op, unsigned tensor) {
  RankedTensorType type = tensorType(op, tensor);
  RankedTensorType result = tensorType(op, 2);
  int64_t rank = type.getRank(), out = result.getRank();
  SmallVector<int64_t> dims(rank, -1);
  if (rank < 2 || rank > out)
    return dims;
  int64_t m = out - 2, n = out - 1, k = out;
  for (int64_t i = 0; i < rank - 2; ++i) {
    int64_t batch = out - rank + i;
    if (type.getDimSize(i) != 1 || result.getDimSize(batch) == 1)
      dims[i] = batch;
  }
  dims[rank - 2] = tensor == 1 ? k : m;
  dims[rank - 1] = tensor == 0 ? k : n;
  return dims;
}

SmallVector<int64_t> Conv2DOp::getIterationSpace() {
  SmallVector<int64_t> space = detail::resultShape(getOperation());
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  // The verifier refuses other ranks.
  if (weight.size() == 4)
    llvm::append_values(space, weight[2], weight[0], weight[1]);
  return space;
}

SmallVector<int64_t> Conv2DOp::getTensorDims(unsigned tensor) {
  switch (tensor) {
  case 0:
    return {0, -1, -1, 4};
  case 1:
    return {5, 6, 4, 3};
  default:
    return {0, 1, 2, 3};
  }
}

SmallVector<WalkedDim> Conv2DOp::getWalkedDims() {
  SmallVector<WalkedDim> walks;
  for (unsigned axis : {0u, 1u})
    walks.push_back({1 + axis, 1 + axis, 5 + axis, getStride(axis),
                     getDilation(axis), getStride(axis) == 1});
  return walks;
}

/// A pool gives the distance between parts of the image by the whole image, so
/// its windows must not overlap or leave gaps where cores divide them.
template <typename Pool>
static SmallVector<WalkedDim> walksOfPool(Pool op) {
  SmallVector<WalkedDim> walks;
  for (unsigned axis : {0u, 1u})
    walks.push_back({1 + axis, 1 + axis, 4 + axis, op.getStride(axis), 1,
                     op.getStride(axis) == op.getWindow()[axis]});
  return walks;
}

SmallVector<WalkedDim> MaxPoolFwdOp::getWalkedDims() {
  return walksOfPool(*this);
}

SmallVector<WalkedDim> AvgPoolFwdOp::getWalkedDims() {
  return walksOfPool(*this);
}

SmallVector<int64_t>
spyre::detail::channelWindowSpace(Operation *op, ArrayRef<int64_t> window) {
  SmallVector<int64_t> space = resultShape(op);
  // The verifier refuses other windows.
  if (window.size() == 2)
    llvm::append_range(space, window);
  return space;
}

SmallVector<int64_t> spyre::detail::channelWindowDims(Operation *op,
                                                      unsigned tensor) {
  if (tensor == 0)
    return {0, -1, -1, 3};
  if (tensor == op->getNumOperands())
    return {0, 1, 2, 3};
  return {4, 5, 3};
}

SmallVector<int64_t> DepthwiseConv2DNativeOp::getIterationSpace() {
  ArrayRef<int64_t> weight = getWeight().getType().getShape();
  // The verifier refuses other ranks.
  return detail::channelWindowSpace(getOperation(), weight.size() == 3
                                                        ? weight.take_front(2)
                                                        : ArrayRef<int64_t>());
}

SmallVector<WalkedDim> DepthwiseConv2DNativeOp::getWalkedDims() {
  SmallVector<WalkedDim> walks;
  for (unsigned axis : {0u, 1u})
    walks.push_back({1 + axis, 1 + axis, 4 + axis, getStride(axis),
                     getDilation(axis), getStride(axis) == 1});
  return walks;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

DictionaryAttr
spyre::detail::constants(MLIRContext *context,
                  ArrayRef<std::pair<StringRef, Attribute>> entries) {
  SmallVector<NamedAttribute> named;
  for (auto [name, value] : entries)
    named.emplace_back(StringAttr::get(context, name), value);
  return DictionaryAttr::get(context, named);
}

/// `name` = 1 / (elements that the reduction combines into one). Empty when an
/// extent is dynamic.
static DictionaryAttr reductionScale(Operation *op, ArrayRef<int64_t> dims,
                                     StringRef name) {
  double count = 1;
  RankedTensorType input = tensorType(op, 0);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= input.getRank() || input.isDynamicDim(dim))
      return DictionaryAttr::get(op->getContext());
    count *= static_cast<double>(input.getDimSize(dim));
  }
  Builder builder(op->getContext());
  return spyre::detail::constants(op->getContext(),
                                  {{name, builder.getF64FloatAttr(1 / count)}});
}

DictionaryAttr spyre::detail::meanConstants(Operation *op, ArrayRef<int64_t> dims) {
  return reductionScale(op, dims, "scaling_factor");
}

DictionaryAttr spyre::detail::averageConstants(Operation *op,
                                               ArrayRef<int64_t> window) {
  double count = 1;
  for (int64_t extent : window)
    count *= static_cast<double>(extent);
  Builder builder(op->getContext());
  return constants(op->getContext(),
                   {{"scaling_factor", builder.getF64FloatAttr(1 / count)}});
}

DictionaryAttr Exx2Op::getOpConstants() {
  // The verifier refuses an input without dimensions.
  int64_t last = getInput().getType().getRank() - 1;
  return reductionScale(getOperation(), {last}, "exx2scale");
}
