//===- SpyreInterfaces.td - Interfaces of the spyre dialect -*- tablegen -*-==//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_INTERFACES_TD
#define SPYRE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Spyre_DeviceOpInterface : OpInterface<"DeviceOpInterface"> {
  let cppNamespace = "::spyre";
  let description = [{
    A device operation: one OpFunc over an iteration space. The iteration
    space lists the dimensions of the result first, then the reduction
    dimensions. Every tensor is indexed by a subset of the iteration
    dimensions, each used at most once (a projected permutation, with 0 where
    an operand is broadcast, a symbol for a table coordinate that another tensor holds, and the sum of two
    dimensions where windows slide along an image).

    Every device operation carries its plan in optional attributes: `tile`, the
    hints of the tiling scopes around it; `divide`, the cores for dimensions by
    name, or, after work division, `split`, the cores per iteration dimension; `place`, where its result
    lives. Without a place the operation is pure. With one it writes the place, so it may be neither merged
    nor removed nor hoisted.

    Constraints, in addition to the constraints of single operations:

    * (S1) Operands of a pointwise operation broadcast to the shape of the
      result: aligned at the last dimension, each extent is that of the result
      or 1, and the result has no extent that no operand has.
    * (S2) The OpFunc supports the element types. Operands and the result have the same element type, except
      for the result of comparisons, casts, `batchmatmulfp8`, `batchmatmulint8` and `topkindex`, the result of
      `batchmatmul` and `conv2d`, the condition of `where3`, and the indices of `gather`.
    * (S3) The tensors that have a layout share at most one iteration dimension
      on their sticks. A dimension of extent 1 is on no stick.
    * (S4) A tensor that is indexed by that dimension has it on its stick.
    * (S21) The tensors that have it on their sticks have equally many elements in
      a stick and one arrangement, except for casts.
    * (S5) `split` has one positive entry below 2^32 for each iteration dimension.
      It divides the extent of the dimension; where the dimension is on a stick,
      it divides the number of sticks.
    * (S6) Scope ids in `tile` ascend from the outermost scope.
    * (S23) `divide` names no dimension twice, and excludes `split`.

    The pair of `layernormscale` and `layernormnorm` repeats in the last dimension, of
    which (S1) does not speak (S40).

    Matrix products, `conv2d`, `topk`, `gather`, `copy` and `restickify` replace (S3), (S4)
    and (S21) by separate rules. A dynamic extent agrees with every extent.

    The rules on sticks, (S3), (S4), (S8), (S9), (S21), (S22), (S26), (S31) and (S41), hold for an
    operation that has a layout on its result. Without one the layout is still open:
    `--spyre-propagate-layouts` sets it, and `--spyre-insert-restickify` makes its operands agree with it.
  }];
  let methods = [
    StaticInterfaceMethod<"The OpFunc name in the bundle format.",
      "::llvm::StringRef", "getOpFunc">,
    InterfaceMethod<"Extents of the iteration space, in elements.",
      "::llvm::SmallVector<int64_t>", "getIterationSpace">,
    InterfaceMethod<"How many trailing iteration dimensions are reduced.",
      "unsigned", "getNumReductionDims", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<[{
        The iteration dimension that indexes each dimension of a tensor, -1
        where the tensor is broadcast or gathered. Tensors are numbered operands
        first, then the result.
      }], "::llvm::SmallVector<int64_t>", "getTensorDims", (ins "unsigned":$tensor)>,
    InterfaceMethod<[{
        The dimension of operand #1 whose coordinate is an element of operand #0,
        -1 for operations without an indirect coordinate.
      }], "int64_t", "getGatheredDim", (ins), [{}], [{ return -1; }]>,
    InterfaceMethod<[{
        The dimensions of operand #0 that windows walk along, which have -1 in
        its tensor dims; none for nearly all operations.
      }], "::llvm::SmallVector<::spyre::WalkedDim>", "getWalkedDims", (ins), [{}], [{ return {}; }]>,
    InterfaceMethod<[{
        The map from the iteration space to a tensor's coordinates. Its symbol, if
        it has one, is the coordinate that another tensor holds.
      }],
      "::mlir::AffineMap", "getIndexingMap", (ins "unsigned":$tensor), [{}], [{
        return ::spyre::detail::buildIndexingMap(
            $_op.getContext(), $_op.getIterationSpace().size(),
            $_op.getTensorDims(tensor), tensor == 1 ? $_op.getGatheredDim() : -1,
            tensor == 0 ? $_op.getWalkedDims() : ::llvm::SmallVector<::spyre::WalkedDim>());
      }]>,
    InterfaceMethod<"Iterator kinds of the iteration dimensions.",
      "::llvm::SmallVector<::mlir::utils::IteratorType>", "getIteratorTypes",
      (ins), [{}], [{
        size_t rank = $_op.getIterationSpace().size();
        ::llvm::SmallVector<::mlir::utils::IteratorType> kinds(
            rank, ::mlir::utils::IteratorType::parallel);
        for (unsigned i = 0, e = $_op.getNumReductionDims(); i != e; ++i)
          kinds[rank - 1 - i] = ::mlir::utils::IteratorType::reduction;
        return kinds;
      }]>,
    InterfaceMethod<"Checks the shapes of the operands and the result.",
      "::llvm::LogicalResult", "verifyShapes">,
    InterfaceMethod<[{
        Checks the dimension that each layout has on the stick. The shapes have been checked before.
      }], "::llvm::LogicalResult", "verifySticks", (ins), [{}], [{
        return ::spyre::detail::verifySticks($_op.getOperation());
      }]>,
    InterfaceMethod<[{
        Named constants of the OpFunc (`constants` in an OpSpec). One that
        depends on a dynamic extent is missing.
      }],
      "::mlir::DictionaryAttr", "getOpConstants", (ins), [{}], [{
        return ::mlir::DictionaryAttr::get($_op.getContext());
      }]>,
    InterfaceMethod<"Hints of the tiling scopes around the operation, or null.",
      "::mlir::ArrayAttr", "getTileHints", (ins), [{}], [{ return $_op.getTileAttr(); }]>,
    InterfaceMethod<"Cores for dimensions by name, or null.",
      "::mlir::ArrayAttr", "getDivideHints", (ins), [{}], [{ return $_op.getDivideAttr(); }]>,
    InterfaceMethod<"Removes the cores for dimensions by name.", "void", "removeDivideHints",
      (ins), [{}], [{ $_op.removeDivideAttr(); }]>,
    InterfaceMethod<"Cores per iteration dimension, or null before work division.",
      "::mlir::DenseI64ArrayAttr", "getCoreSplit", (ins), [{}], [{ return $_op.getSplitAttr(); }]>,
    InterfaceMethod<"The place of the result, or null before planning.",
      "::spyre::PlaceAttr", "getResultPlace", (ins), [{}], [{ return $_op.getPlaceAttr(); }]>,
    InterfaceMethod<"Sets the hints which dimensions are divided over cores.", "void", "setDivideHints",
      (ins "::mlir::ArrayAttr":$hints), [{}], [{ $_op.setDivideAttr(hints); }]>,
        InterfaceMethod<"Sets the tiling hints.", "void", "setTileHints",
      (ins "::mlir::ArrayAttr":$hints), [{}], [{ $_op.setTileAttr(hints); }]>,
    InterfaceMethod<"Removes the tiling hints.", "void", "removeTileHints", (ins), [{}], [{
        $_op.removeTileAttr(); }]>,
    InterfaceMethod<"Sets the cores per iteration dimension.", "void", "setCoreSplit",
      (ins "::mlir::DenseI64ArrayAttr":$split), [{}], [{ $_op.setSplitAttr(split); }]>,
    InterfaceMethod<"Sets the place of the result.", "void", "setResultPlace",
      (ins "::spyre::PlaceAttr":$place), [{}], [{ $_op.setPlaceAttr(place); }]>
  ];
  let verify = [{ return ::spyre::detail::verifyDeviceOp($_op); }];
  let verifyWithRegions = 0;
}

#endif // SPYRE_INTERFACES_TD
