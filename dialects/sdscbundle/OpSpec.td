//===- OpSpec.td - Operations of a bundle as attributes ----*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sdscbundle.op_spec` and its attributes. A part of SdscBundle.td.
//
//===----------------------------------------------------------------------===//

#ifndef SDSCBUNDLE_OPSPEC_TD
#define SDSCBUNDLE_OPSPEC_TD

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class SdscBundle_Attr<string name, string attrMnemonic>
    : AttrDef<SdscBundle_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def SdscBundle_IterDimAttr : SdscBundle_Attr<"IterDim", "iter_dim"> {
  let summary = "one dimension of an OpSpec's iteration space";
  let description = [{
    `#sdscbundle.iter_dim<"c0" = 512 over 32>`: iteration symbol `c0` runs over 512
    values, cut into 32 slices of equal size, one per core.

    `#sdscbundle.iter_dim<"c0" = "s0" max 512 granularity 64 over 4>`: it runs over
    the runtime size `s0`, a multiple of 64 and at most 512.

    * (SI1) The extent, which is the largest value of a runtime size, and the
      number of slices are positive; there are fewer than 2^31 slices.
    * (SI2) The symbol is not empty.
    * (SI3) A runtime size has a name and a positive granularity.
  }];
  let parameters = (ins "::mlir::StringAttr":$symbol, "int64_t":$extent, "int64_t":$slices,
                        OptionalParameter<"::mlir::StringAttr">:$size,
                        DefaultValuedParameter<"int64_t", "0">:$granularity);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SdscBundle_LevelAttr : SdscBundle_Attr<"Level", "level"> {
  let summary = "a reason for which the tensors of an OpSpec advance";
  let description = [{
    The bundle format lets a loop advance tensors for several reasons, each with a
    separate symbol, and for a reason that is named after an iteration dimension:

    * `#sdscbundle.level<1>`: tensors advance with loop 1, counted from the
      outermost loop, which is 0;
    * `#sdscbundle.level<1 : "c0">`: and it is a tile of dimension `c0`;
    * `#sdscbundle.level<1 : "c0" of 128>`: and there are 128 such tiles, where
      that is not the trip count of the loop.

    * (SV1) The loop is not negative and below 2^31, the number of tiles is
      positive, and the name is not empty.
  }];
  let parameters = (ins "int64_t":$loop, OptionalParameter<"::mlir::StringAttr">:$dim,
                        OptionalParameter<"std::optional<int64_t>">:$trips);
  let assemblyFormat = "`<` $loop (`:` $dim^)? (`of` $trips^)? `>`";
  let genVerifyDecl = 1;
}

def SdscBundle_CoreSlicesAttr : SdscBundle_Attr<"CoreSlices", "core_slices"> {
  let summary = "the slice of each iteration dimension that a core works on";
  let description = [{
    The bundle format calls it `core_id_to_work_slice`, and files have its values
    for each core (`coreIdToWkSlice_`):

    ```mlir
    #sdscbundle.core_slices<["c1", "c0"], (d0) -> (d0 mod 4, d0 floordiv 4)>
    ```

    Core `d0` works on slice `d0 mod 4` of dimension `c1` and on slice
    `d0 floordiv 4` of `c0`. The order of the dimensions is that of the files. A
    dimension without an entry is not divided, and comes last there.

    * (SC1) There is an iteration symbol for each result of the map, which has
      one dimension and no symbols.
    * (SC2) The symbols are distinct and not empty.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$dims, "::mlir::AffineMap":$cores);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SdscBundle_OwnershipAttr : SdscBundle_Attr<"Ownership", "ownership"> {
  let summary = "which core owns which part of a tensor";
  let description = [{
    For copies from scratchpad to scratchpad, in which a tensor is spread over
    the cores in another way than the work:

    ```mlir
    #sdscbundle.ownership<[4, 2], (d0) -> (d0 mod 4, d0 floordiv 4)>
    #sdscbundle.ownership<[4, 1], (d0) -> (d0 mod 4, 0) among 8>
    ```

    One entry for each iteration dimension: the number of slices, and the slice
    that core `d0` owns. The optional `among` is the number of cores that own a
    part: several of them may own the same part. The default is the cores of the
    operation.

    * (SW1) There is a positive number of slices for each result of the map,
      which has one dimension and no symbols.
    * (SW2) The number of cores is positive and below 2^31.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$slices, "::mlir::AffineMap":$cores,
                        OptionalParameter<"std::optional<int64_t>">:$among);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SdscBundle_RecordAttr : SdscBundle_Attr<"Record", "record"> {
  let summary = "named values in the order in which they are written to files";
  let description = [{
    `#sdscbundle.record<"zeta" = 1.5 : f64, "alpha" = ["x", unit]>`. Unlike a
    dictionary, it keeps the order of its names, which files have.

    * (SR1) There is a value for each name, and the names are distinct.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"::mlir::Attribute">:$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SdscBundle_SizeAttr : SdscBundle_Attr<"Size", "size"> {
  let summary = "the runtime size that a parameter of a bundle is";
  let description = [{
    The value of `sdscbundle.size` of an argument of `@sdsc_bundle`:

    * `#sdscbundle.size<"s0">`: the size with the symbol `s0` in operations;
    * `#sdscbundle.size<"s0" in 2 dim 0>`: the size that bounds loops, dimension 0
      of kernel argument 2.

    The launcher reads the value there. Bounds are in the type of the argument.

    * (SZ1) The name is not empty. Argument and dimension come together, are
      not negative and below 2^31.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        OptionalParameter<"std::optional<int64_t>">:$arg,
                        OptionalParameter<"std::optional<int64_t>">:$dim);
  let assemblyFormat = "`<` $name (`in` $arg^ `dim` $dim)? `>`";
  let genVerifyDecl = 1;
}

def SdscBundle_TensorArgAttr : SdscBundle_Attr<"TensorArg", "tensor_arg"> {
  let summary = "one tensor of an OpSpec";
  let description = [{
    The buffer that a device operation reads or writes, and the part of it
    that the iteration space visits:

    ```mlir
    #sdscbundle.tensor_arg<in arg 0 SEN169_FP16 [64, 1024, 64],
        (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), advance = [32768, 1048576]>
    // A gather: row number %s0 is read from the tensor `rows`.
    #sdscbundle.tensor_arg<in arg 1 SEN169_FP16 [16, 256, 64],
        (d0, d1)[s0] -> (d1 floordiv 64, s0, d1 mod 64), indirect = ["rows"], name = "table">
    ```

    * the direction, `in` or `out`;
    * the place of the buffer: `arg N`, `pool BYTES` or `lx BYTES`;
    * the device format and the device size of the whole buffer;
    * the map from iteration dimensions to device coordinates; a constant term
      is the start of a static window. A symbol of the map is a value that is
      loaded when the operation runs;
    * `advance`: device elements by which the window moves in one iteration of
      each enclosing loop, outermost first, or for each of the `levels` of the
      OpSpec; absent when it does not move. In a loop over a runtime size an
      iteration is one step of the loop;
    * `offset`: bytes from the start of the buffer, for a static part of the
      address that is not a coordinate;
    * `arrangement`: the order of the elements within a stick, where it is not
      the standard one;
    * `name`: the name of the tensor, if it holds coordinates of other tensors;
    * `indirect`: for each symbol of the map, the name of the tensor that has
      its values;
    * `owners`: the `#sdscbundle.ownership` of the tensor, if it differs from the
      operation's;
    * `separate_parts`: each core's part in device memory is a separate tensor
      (`nonUnifiedAllocInHBM_` in files), and not a part of one buffer;
    * `kernel_local`: the front end declares that the tensor has no reads outside
      of its kernel. No file depends on it.

    * (SA1) The device size has one positive entry per result of the map, at
      least one.
    * (SA2) The place is not `window`, and has an index or address that is not
      negative; an index is below 2^31.
    * (SA3) A tensor in `lx` does not advance.
    * (SA4) `offset` is not negative.
    * (SA5) The map has one symbol per entry of `indirect`.
    * (SA6) The buffer ends within 2^63 - 1 bytes.
    * (SA7) `name` and the names in `indirect` are not empty.
    * (SA8) A tensor in `lx` has no `separate_parts`.
  }];
  let parameters = (ins "bool":$is_output, "::spyre::Space":$space, "int64_t":$address,
                        "::spyre::DeviceFormat":$format,
                        ArrayRefParameter<"int64_t">:$device_size,
                        "::mlir::AffineMap":$coordinates,
                        OptionalArrayRefParameter<"int64_t">:$advance,
                        DefaultValuedParameter<"int64_t", "0">:$offset,
                        DefaultValuedParameter<"::spyre::Arrangement",
                          "::spyre::Arrangement::Standard">:$arrangement,
                        OptionalParameter<"::mlir::StringAttr">:$name,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$indirect,
                        OptionalParameter<"::spyre::sdscbundle::OwnershipAttr">:$owners,
                        DefaultValuedParameter<"bool", "false">:$separate_parts,
                        DefaultValuedParameter<"bool", "false">:$kernel_local);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SdscBundle_IterDimArrayAttr : TypedArrayAttrBase<SdscBundle_IterDimAttr, "iteration space">;
def SdscBundle_LevelArrayAttr : TypedArrayAttrBase<SdscBundle_LevelAttr,
    "levels of the enclosing loops, outermost first">;
def SdscBundle_TensorArgArrayAttr : TypedArrayAttrBase<SdscBundle_TensorArgAttr, "tensors, inputs first">;

//===----------------------------------------------------------------------===//
// Operation
//===----------------------------------------------------------------------===//

def SdscBundle_OpSpecOp : SdscBundle_Op<"op_spec", [Symbol]> {
  let summary = "the complete description of one device operation in a bundle";
  let description = [{
    An OpSpec of the bundle format: the OpFunc, its iteration space divided over
    cores, and its tensors with their places. `spyre-translate` writes one
    `sdsc_N.json` from each. The `sdscbundle.sdsc_execute` with `sdsc_filename =
    "NAME.json"` runs `@NAME`.

    ```mlir
    sdscbundle.op_spec @sdsc_0 "mul" space [<"c0" = 512 over 32>, <"c1" = 1024 over 1>] loops [2, 4] args [
      <in lx 0 SEN169_FP16 [16, 512, 64], (d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>,
      ...]
    ```

    The attributes `#sdscbundle.iter_dim`, `#sdscbundle.level` and `#sdscbundle.tensor_arg` stand
    without their names, and maps are printed as aliases.

    An OpSpec has these optional properties: several advances of tensors in one
    loop, or an advance for a named dimension (`levels`); cores numbered with the
    first dimension fastest, also if a split reduction would come first
    (`in_order`); the slices of each core, if they do not follow from the division
    of the dimensions (`core_slices`, a `#sdscbundle.core_slices`); the cores that
    hold the source of a re-layout, if not all do, so that only these are scheduled
    (`completed_cores`); named constants, other extras of the front end (`info`),
    the result's extents in NCHW order (`output_ranges`) and the origin of the
    operation (`debug_handle`).

    ```mlir
    sdscbundle.op_spec @sdsc_0 "neg" space [<"c0" = 64 over 8>, <"c1" = 256 over 4>]
      core_slices <["c1", "c0"], (d0) -> (d0 mod 4, d0 floordiv 4)> args [...]
    ```

    * (SO1) Every tensor's map has one dimension per iteration dimension.
    * (SO2) There is at least one tensor, outputs follow inputs, and there is
      at least one output.
    * (SO3) Advances have one entry per level, or per enclosing loop if there are
      no `levels`; so all advances of one OpSpec have the same length, which is the
      length of `levels` or else of `loops` if they are given.
    * (SO4) Iteration symbols are distinct.
    * (SO5) `constants` holds numbers.
    * (SO6) The name and the OpFunc are not empty.
    * (SO7) `loops`, the trip counts of the enclosing loops, outermost first,
      are positive. In a loop over a runtime size it is the largest count.
    * (SO8) The loops of `levels` do not descend and are in `loops`, and their
      dimensions are iteration symbols.
    * (SO9) Runtime sizes of one name have the same bounds.
    * (SO10) Names of tensors are distinct, and `indirect` names an input.
    * (SO11) `owners` has one entry per iteration dimension.
    * (SO12) `info` and `debug_handle` hold only values that JSON has: unit,
      booleans, signless or unsigned 64-bit integers, finite `f64`, strings, arrays
      and records.
    * (SO13) `core_slices` names iteration symbols, and all that are divided.
    * (SO14) `completed_cores` are at least one, distinct, not negative and below
      2^31.

    The operation is public by default: a bundle refers to it by a file name, which
    `--symbol-dce` does not see.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       StrAttr:$op_func, UnitAttr:$is_reduction,
                       SdscBundle_IterDimArrayAttr:$space, UnitAttr:$in_order,
                       OptionalAttr<SdscBundle_CoreSlicesAttr>:$core_slices,
                       OptionalAttr<DenseI64ArrayAttr>:$completed_cores,
                       OptionalAttr<DenseI64ArrayAttr>:$loops,
                       OptionalAttr<SdscBundle_LevelArrayAttr>:$levels,
                       SdscBundle_TensorArgArrayAttr:$args,
                       OptionalAttr<SdscBundle_RecordAttr>:$constants,
                       OptionalAttr<SdscBundle_RecordAttr>:$info,
                       OptionalAttr<DenseI64ArrayAttr>:$output_ranges,
                       OptionalAttr<AnyAttr>:$debug_handle);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name $op_func (`reduction` $is_reduction^)?
    `space` custom<IterDims>($space) (`in_order` $in_order^)?
    (`core_slices` $core_slices^)? (`completed_cores` $completed_cores^)? (`loops` $loops^)?
    (`levels` custom<Levels>($levels)^)? `args` custom<TensorArgs>($args)
    (`constants` $constants^)? (`info` $info^)? (`output_ranges` $output_ranges^)?
    (`debug_handle` custom<Json>($debug_handle)^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // SDSCBUNDLE_OPSPEC_TD
