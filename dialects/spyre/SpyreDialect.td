//===- SpyreDialect.td - Definition of the spyre dialect ---*- tablegen -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_DIALECT_TD
#define SPYRE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"

def Spyre_Dialect : Dialect {
  let name = "spyre";
  let cppNamespace = "::spyre";
  let summary = "Device operations of IBM's Spyre accelerator on tensors with device layouts.";
  let description = [{
    One operation of this dialect is one device operation, an *OpFunc* of the bundle
    format (`add`, `exp`, `sum`, `batchmatmul`, `ReStickifyOpHBM`, ...). Operands and
    results are ranked tensors. Their encoding, `#spyre.layout`, maps each element to
    its place in device memory.

    Tensors are values. A tile is a window of a value, made by
    `tensor.extract_slice` and `tensor.insert_slice`; a loop is an `scf.for`
    that carries the full value. No value has an address until
    `--spyre-scratchpad-planning` gives every value a place.

    Discardable attributes of this dialect:

    | attribute | on | meaning |
    |---|---|---|
    | `spyre.dims = ["A", "B"]` | function argument, operation with one tensor result | names of its dimensions, outermost first |
    | `spyre.reduction_dims = ["K"]` | device operation | names of the dimensions that it reduces |
    | `spyre.expected_dims`, `spyre.expected_reduction_dims` | the same | names that are checked |
    | `spyre.dim_sizes = {A = 1024}` | function | all names of dimensions, with their extents; `S = #spyre.dynamic<...>` for a dynamic extent; `T = "S"` for another name of `S`, where an operation has two dimensions of its extent |
    | `spyre.tile_scopes = [...]` | function, `scf.for` | hint scopes around the operations inside, outermost first |
    | `spyre.tile = [...]` | operation of linalg | the hints of the device operations that it becomes (`--convert-linalg-to-spyre`) |
    | `spyre.narrowed` | function | some of its values have 16 bits in place of the program's 32, so that their range is that of the card's format (`--spyre-narrow-chains`) |
    | `spyre.integers_fit` | function | its `i64` values are proved to fit into 32 bits (`--spyre-check-integers`) |
    | `spyre.plan = #spyre.plan<...>` | function | how splits and places are chosen, as `--spyre-plan` has decided it |
    | `spyre.device` | function | the device runs it (`--spyre-outline-device`) |
    | `spyre.host` | function | the host runs it, and calls functions of the device |
    | `spyre.place = #spyre.place<...>` | function argument | where the argument lives |
    | `spyre.constant = dense<...>` | function argument | the constant contents of the argument |
    | `spyre.target = #spyre.target<...>` | module | the machine, where it is not the default |
    | `spyre.layout_candidates = [...]` | operation with one tensor result | the layouts that the result may have, while it has none |

    Their constraints:

    * (SD1) `spyre.target` is on a module and is a `#spyre.target`.
    * (SD2) `spyre.dims` of an argument is on a ranked tensor and has for each of
      its dimensions a name, a `#spyre.merged` of its extent or an array of these;
      the names are distinct, but for placeholders (`_untracked_<extent>`), and not empty.
    * (SD3) `spyre.place` is `#spyre.place<arg N>`.
    * (SD4) The dialect has no other discardable attributes, and these are
      nowhere else.
    * (SD8) `spyre.constant` has the elements of the argument, of its shape and
      element type; in a bundle, where the argument is an address, any elements.
    * (SD5) `spyre.layout_candidates` is one or more `#spyre.layout` that fit the
      result, and the result has no layout.

    * (SD9) `spyre.dims` and `spyre.expected_dims` of an operation are the same
      for its only result, but names may repeat; `spyre.reduction_dims` and
      `spyre.expected_reduction_dims` have such an entry for each dimension that
      the operation reduces.
    * (SD10) `spyre.tile_scopes` is an array of `#spyre.tile_scope`.
    * (SD11) `spyre.dim_sizes` maps names to positive 64-bit integers,
      `#spyre.dynamic`, and names that it maps to one of these.
    * (SD12) Names are UTF-8, as the files of a bundle are.
    * (SD13) `spyre.narrowed`, `spyre.integers_fit`, `spyre.device` and `spyre.host`
      are marks on a function.
    * (SD14) `spyre.tile` is an array of `#spyre.tile_hint` on an operation of
      linalg; the scopes ascend.
    * (SD16) `spyre.divide` is an array of `#spyre.divide_hint` on an operation of
      linalg; no dimension is divided twice.
    * (SD17) `spyre.plan` is on a function and is a `#spyre.plan`.

    `spyre.dims` and `spyre.place` may be on a function result as well.

    All device operations have the interface `DeviceOpInterface` and keep its
    constraints S1 to S6 and S23. [The list of constraints](SpyreConstraints.md) has all
    of them.

    This dialect is not `spyreop`, another dialect of the Spyre software stack.
    That one holds intrinsics on scalars and vectors; this one holds operations
    on device tensors.
  }];

  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    // Needs the storage classes of the attributes.
    void registerAttributes();
    // Where their classes are defined, so that one file instantiates the templates of operations.
    void registerOperations();
  }];
}

#endif // SPYRE_DIALECT_TD
