//===- SpyreAttrs.td - Attributes of the spyre dialect -----*- tablegen -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_ATTRS_TD
#define SPYRE_ATTRS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "spyre/SpyreDialect.td"

class Spyre_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Spyre_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

def Spyre_DeviceFormat : I32EnumAttr<"DeviceFormat",
    "number format of an element in device memory", [
      I32EnumAttrCase<"SEN169_FP16", 0>, I32EnumAttrCase<"IEEE_FP32", 1>,
      I32EnumAttrCase<"SEN143_FP8", 3>, I32EnumAttrCase<"SEN152_FP8", 4>,
      I32EnumAttrCase<"SENINT8", 8>, I32EnumAttrCase<"SENINT16", 9>,
      I32EnumAttrCase<"IEEE_INT32", 12>, I32EnumAttrCase<"SENUINT32", 13>,
      I32EnumAttrCase<"IEEE_FP16", 15>, I32EnumAttrCase<"BFLOAT16", 17>]> {
  let cppNamespace = "::spyre";
}

def Spyre_Arrangement : I32EnumAttr<"Arrangement",
    "order of the elements inside a stick", [
      I32EnumAttrCase<"Standard", 0, "standard">,
      I32EnumAttrCase<"DL16ToFP32", 1, "dl16_to_fp32">,
      I32EnumAttrCase<"FP32ToDL16", 2, "fp32_to_dl16">,
      I32EnumAttrCase<"QFP8CH", 3, "qfp8ch">,
      I32EnumAttrCase<"QFP8WT", 4, "qfp8wt">,
      I32EnumAttrCase<"EXX2", 5, "exx2">]> {
  let cppNamespace = "::spyre";
}

def Spyre_Space : I32EnumAttr<"Space", "kind of place of a tensor", [
      I32EnumAttrCase<"Arg", 0, "arg">, I32EnumAttrCase<"Pool", 1, "pool">,
      I32EnumAttrCase<"LX", 2, "lx">, I32EnumAttrCase<"Window", 3, "window">]> {
  let cppNamespace = "::spyre";
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

def Spyre_LayoutAttr : Spyre_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "where each element of a tensor lives in device memory";
  let description = [{
    Device memory is row-major over the *device size* of a tensor. The layout
    maps the logical coordinates of an element to its device coordinates. The
    last device coordinate is the position within a *stick* of 128 bytes.

    ```mlir
    // 64 sticks side by side; rows are contiguous within a column of sticks.
    #stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
    // The sticks of a row are contiguous.
    #rows = #spyre.layout<(d0, d1) -> (d0, d1 floordiv 64, d1 mod 64)>
    // One element in each stick (the result of a reduction over the stick).
    #sparse = #spyre.layout<(d0) -> (0, d0, 0)>
    // Explicit padding: 40 rows stored as 512.
    #padded = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64), size = [1, 512, 64]>
    ```

    The device size is derived from the shape of the tensor unless `size`
    gives it, so a tensor and a window of it share one layout: a
    `1024x4096xf16` tensor with `#stick` has device size `[64, 1024, 64]`.

    Each device coordinate is a *digit* of one logical dimension: `dK`,
    `dK floordiv A`, `dK mod B`, `(dK floordiv A) mod B`; or the constant 0
    for a device dimension that no logical dimension moves along.

    * `size`: the device size, one entry per device dimension.
    * `expanded`: device dimensions that repeat every element.
    * `format`: the number format in device memory, where it is not the one
      that follows from the element type.
    * `arrangement`: the order of the elements within a stick.

    Constraints:

    * (SL1) The map has no symbols and at least one result.
    * (SL2) Every result is a digit of one dimension, or the constant 0.
    * (SL3) The digits of a dimension form a mixed-radix number: the smallest
      has divisor 1, and each next divisor is the product of the divisor and
      the modulus before it; only the largest digit may lack a modulus.
    * (SL4) `size` has one positive entry per result, none smaller than the
      modulus of its coordinate.
    * (SL5) The map has as many dimensions as the tensor.
    * (SL6) The element type has a device format.
    * (SL7) The last device coordinate, or the last two with the arrangement
      `qfp8wt`, are the stick: low digits of their dimension or 0, and together
      as many positions as a stick has elements of the format.
    * (SL8) A dimension of extent greater than 1 has digits that reach its
      extent; otherwise two elements would share an address. No extent is 0.
    * (SL9) `size` is at least the derived device size in every entry.
    * (SL10) `expanded` entries are ascending device dimensions whose coordinate is 0.
    * (SL11) The tensor ends within 2^63 - 1 bytes.

    A dynamic extent has digits and is otherwise taken for 1.
  }];
  let parameters = (ins "::mlir::AffineMap":$map,
                        OptionalArrayRefParameter<"int64_t">:$size,
                        OptionalArrayRefParameter<"int64_t">:$expanded,
                        OptionalParameter<"std::optional<::spyre::DeviceFormat>">:$format,
                        DefaultValuedParameter<"::spyre::Arrangement",
                          "::spyre::Arrangement::Standard">:$arrangement);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def Spyre_RatesAttr : Spyre_Attr<"Rates", "rates"> {
  let summary = "how fast a machine is, for the modelled time of plans";
  let description = [{
    The constants of the cost model, in a `#spyre.target`. Every field has the
    value of the production card by default:

    ```mlir
    #spyre.target<rates = <bytes_per_us = 409600, execution_ps = 0>>
    ```

    | field | unit | default | source |
    |---|---|---|---|
    | `products_per_us` | products of a core in a microsecond | 1536000 | middle-end specification, section 4.3 |
    | `elements_per_us` | element operations of a core in a microsecond | 96000 | assumption: a stick of 64 elements in a cycle of 1.5 GHz |
    | `bytes_per_us` | bytes that device memory moves in a microsecond | 204800 | section 4.3 |
    | `broadcast_cores` | cores that a broadcast reaches at full speed | 8 | section 4.3 |
    | `rows_per_pass` | rows of a product that are one pass of a core | 8 | section 4.3 |
    | `full_passes` | passes from which on a product runs at full speed | 5 | section 4.3 |
    | `partial_ps` | picoseconds for an element of a partial result that a core passes on | 100 | section 4.3 |
    | `shared_partial_ps` | the same, for ranking divisions of a product whose batches have one right operand | 1000 | section 4.3 |
    | `execution_ps` | picoseconds for an execution of an operation | 20000 | assumption: a stick of each of 32 cores |
    | `iteration_ps` | picoseconds for an iteration of a loop | 20000 | assumption: as an execution |
    | `relayout_ps` | picoseconds for a stick that a core gets from, or sends to, another scratchpad | 6400 | assumption: 64 elements of partial results; no source has it |

    Constraints:

    * (SR1) Counts are positive, `broadcast_cores` is below 2^31, and times are
      not negative.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "1536000">:$products_per_us,
                        DefaultValuedParameter<"int64_t", "96000">:$elements_per_us,
                        DefaultValuedParameter<"int64_t", "204800">:$bytes_per_us,
                        DefaultValuedParameter<"int64_t", "8">:$broadcast_cores,
                        DefaultValuedParameter<"int64_t", "8">:$rows_per_pass,
                        DefaultValuedParameter<"int64_t", "5">:$full_passes,
                        DefaultValuedParameter<"int64_t", "100">:$partial_ps,
                        DefaultValuedParameter<"int64_t", "1000">:$shared_partial_ps,
                        DefaultValuedParameter<"int64_t", "20000">:$execution_ps,
                        DefaultValuedParameter<"int64_t", "20000">:$iteration_ps,
                        DefaultValuedParameter<"int64_t", "6400">:$relayout_ps);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
  // The rates of the card.
  let builders = [AttrBuilder<(ins), [{
    return $_get($_ctxt, 1536000, 96000, 204800, 8, 8, 5, 100, 1000, 20000, 20000, 6400);
  }]>];
}

def Spyre_TargetAttr : Spyre_Attr<"Target", "target"> {
  let summary = "the machine that a module is compiled for";
  let description = [{
    Every field has the value of the production card by default; a module
    overrides fields with `spyre.target`:

    ```mlir
    module attributes {spyre.target = #spyre.target<cores = 8>} { ... }
    ```

    | field | unit | default |
    |---|---|---|
    | `cores` | cores | 32 |
    | `lx_bytes` | bytes of scratchpad per core; 0 is a machine without | 2097152 |
    | `lx_reserved_bytes` | bytes of it that are not available | 65536 |
    | `lx_backend_percent` | share of the rest that the backend keeps | 20 |
    | `stick_bytes` | bytes | 128 |
    | `span_limit_bytes` | bytes of device memory one core may span | 268431360 |
    | `segment_bytes` | bytes of a device memory segment | 17179869184 |
    | `segment_reserved_bytes` | bytes of it kept free of the pool | 2147483648 |
    | `segments` | segments | 7 |
    | `formats` | element types with a device format | all that `#spyre.layout` supports |
    | `contract` | the rules of formats and tails: `"1.0.0"`, the published interface, or `"r3"` and `"r2"`, which take what recordings may have; files are those of 1.0.0 | `"1.0.0"` |
    | `exceptions` | names of features that the contract forbids and another source has, such as `"fp32-roots"` ([the list](../Contract.md#exceptions)) | none |
    | `rates` | how fast it is, a `#spyre.rates` | the card's |

    Constraints:

    * (ST1) Every number is positive, except reserves, shares and `lx_bytes`,
      which may be 0; `cores` and `segments` are below 2^31.
    * (ST2) `stick_bytes` is 128: the device formats are defined by it. All
      other sizes are multiples of it.
    * (ST3) Each reserve is smaller than the memory it is taken from, and
      `lx_backend_percent` is below 100. A scratchpad of 0 bytes has no reserve.
    * (ST4) `formats` holds element types that have a device format.
    * (ST5) The segments together have at most 2^63 - 1 bytes.
    * (ST6) `contract` is a version of the rules of bundles, and `exceptions`
      holds names of exceptions.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "32">:$cores,
                        DefaultValuedParameter<"int64_t", "2097152">:$lx_bytes,
                        DefaultValuedParameter<"int64_t", "65536">:$lx_reserved_bytes,
                        DefaultValuedParameter<"int64_t", "20">:$lx_backend_percent,
                        DefaultValuedParameter<"int64_t", "128">:$stick_bytes,
                        DefaultValuedParameter<"int64_t", "268431360">:$span_limit_bytes,
                        DefaultValuedParameter<"int64_t", "17179869184">:$segment_bytes,
                        DefaultValuedParameter<"int64_t", "2147483648">:$segment_reserved_bytes,
                        DefaultValuedParameter<"int64_t", "7">:$segments,
                        OptionalParameter<"::mlir::ArrayAttr">:$formats,
                        StringRefParameter<"", "\"1.0.0\"">:$contract,
                        OptionalParameter<"::mlir::ArrayAttr">:$exceptions,
                        OptionalParameter<"::spyre::RatesAttr">:$rates);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Tiling hints
//===----------------------------------------------------------------------===//

def Spyre_TileHintAttr : Spyre_Attr<"TileHint", "tile_hint"> {
  let summary = "one scope's request to split a dimension into tiles";
  let description = [{
    `#spyre.tile_hint<0 : "A" in 2>`: hint scope 0 tiles dimension `A` into 2
    tiles of equal extent. `#spyre.tile_hint<0 : "A" by 64>` requests tiles of 64
    elements; their number follows from the extent of the dimension, rounded up.
    Scopes nest as loops do: a smaller scope id is an outer loop. Operations in a
    row that carry the same scopes are tiled together.

    * (SH1) The scope id is not negative and the count or the size is positive.
    * (SH2) The dimension name is not empty.
  }];
  let parameters = (ins "int64_t":$scope, "::mlir::StringAttr":$dim, "int64_t":$amount,
                        DefaultValuedParameter<"bool", "false">:$by_size);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Spyre_TileHintArrayAttr : TypedArrayAttrBase<Spyre_TileHintAttr,
    "hints of the tiling scopes around the operation, outermost first">;

def Spyre_DivideHintAttr : Spyre_Attr<"DivideHint", "divide_hint"> {
  let summary = "a request to divide a dimension over cores";
  let description = [{
    `#spyre.divide_hint<"A" over 32>`: 32 cores work on dimension `A` of an
    operation, each on an equal part. `--spyre-assign-dim-hints` resolves the
    name of the dimension and converts the hints of an operation to `split`.

    * (SH5) The dimension name is not empty and the number of cores is positive.
  }];
  let parameters = (ins "::mlir::StringAttr":$dim, "int64_t":$cores);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Spyre_DivideHintArrayAttr : TypedArrayAttrBase<Spyre_DivideHintAttr,
    "dimensions to divide over cores, by name">;

def Spyre_TileScopeAttr : Spyre_Attr<"TileScope", "tile_scope"> {
  let summary = "a hint scope around operations";
  let description = [{
    An entry of `spyre.tile_scopes` of a function or of an `scf.for`:

    ```mlir
    func.func @f(...) attributes {spyre.tile_scopes = [
      #spyre.tile_scope<"A" in 2>,                // around every operation
      #spyre.tile_scope<"B" by 1024, ops 0 to 3>, // inside it, around the first four
      #spyre.tile_scope<"A" over 32>            // tiles of A are divided over 32 cores
    ]}
    ```

    Each scope is nested in the preceding scopes. A scope with several dimensions
    is equivalent to as many scopes, the first outermost. Device operations are
    counted from 0 in the order of the text, including operations in loops. `"A"
    over 32` divides the work of each operation over cores and makes no loop.

    `--spyre-assign-dim-hints` turns scopes into `tile` and `split` of each
    operation.

    * (SH3) A scope names at least one dimension, and none twice for tiles or twice
      for cores.
    * (SH4) The first operation is not negative and not after the last.
  }];
  let parameters = (ins ArrayRefParameter<"::spyre::TileHintAttr">:$hints,
                        ArrayRefParameter<"::spyre::DivideHintAttr">:$divisions,
                        OptionalParameter<"std::optional<int64_t>">:$first,
                        OptionalParameter<"std::optional<int64_t>">:$last);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Names of dimensions
//===----------------------------------------------------------------------===//

def Spyre_MergedAttr : Spyre_Attr<"Merged", "merged"> {
  let summary = "the names of a dimension that several were merged into";
  let description = [{
    `#spyre.merged<"H" of 8, "D" of 64>`: a dimension of extent 512 that holds
    dimension `H` of extent 8 and in it, contiguous, dimension `D` of extent
    64. An entry of `spyre.dims`. A reshape that splits the dimension splits the
    names again.

    * (SM1) There are at least two names and none is empty; the extents are
      positive, and their product is below 2^63.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"int64_t">:$extents);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The extent of the dimension.
    int64_t getExtent() const;
  }];
}

def Spyre_DynamicAttr : Spyre_Attr<"Dynamic", "dynamic"> {
  let summary = "granularity and bounds of a dynamic extent";
  let description = [{
    `#spyre.dynamic<granularity = 64, max = 512>`: the extent is a positive
    multiple of 64 and at most 512. An entry of `spyre.dim_sizes`.

    * (SY1) Both are positive, and the maximum is a multiple of the granularity.
  }];
  let parameters = (ins "int64_t":$granularity, "int64_t":$max);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

def Spyre_PlanAttr : Spyre_Attr<"Plan", "plan"> {
  let summary = "how splits and places of a function are chosen";
  let description = [{
    `spyre.plan` of a function has the decisions of `--spyre-plan` that are no
    hints of operations:

    ```mlir
    func.func @f(%x: !t) -> !t
        attributes {spyre.plan = #spyre.plan<cache_arguments = true, memory_weight = 8>} { ... }
    ```

    | field | default | meaning | read by |
    |---|---|---|---|
    | `cache_arguments` | false | arguments are copied into the scratchpad where that saves reads | `--spyre-scratchpad-planning`, `--spyre-work-division` |
    | `relayouts` | false | values move from scratchpad to scratchpad where that takes less time | `--spyre-scratchpad-planning` |
    | `memory_weight` | each split is chosen by itself | the splits of all operations are chosen together; the time of moving bytes counts up to so many times | `--spyre-work-division` |
    | `most_bytes` | no limit | the bytes of device memory that the function moves at most, a broadcast counted once | `--spyre-work-division` |

    The passes that read it leave it on the function, and the conversion to a
    bundle drops it. A function that has it is planned: `--spyre-plan` leaves it
    alone, so it can be written by hand.

    Constraints:

    * (SN1) `memory_weight` and `most_bytes` are positive.
    * (SN2) `most_bytes` is given only with `memory_weight`.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$cache_arguments,
                        DefaultValuedParameter<"bool", "false">:$relayouts,
                        OptionalParameter<"std::optional<int64_t>">:$memory_weight,
                        OptionalParameter<"std::optional<int64_t>">:$most_bytes);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

def Spyre_PlaceAttr : Spyre_Attr<"Place", "place"> {
  let summary = "where a tensor lives";
  let description = [{
    * `#spyre.place<arg 3>`: kernel argument 3, in device memory (HBM).
      Arguments are numbered inputs first, then results.
    * `#spyre.place<pool 4096>`: byte 4096 of the kernel's pool in device memory.
    * `#spyre.place<lx 0>`: byte 0 of each core's scratchpad; every core holds
      its own slice.
    * `#spyre.place<window>`: in place, in the window of the larger tensor
      that the value is inserted into.

    * (SP1) The index or address is not negative; an index is below 2^31.
    * (SP2) Addresses in `pool` and `lx` are multiples of the stick, 128 bytes.
    * (SP3) `window` has no address and the others have one.
  }];
  let parameters = (ins "::spyre::Space":$space, OptionalParameter<"std::optional<int64_t>">:$address);
  let assemblyFormat = "`<` $space ($address^)? `>`";
  let genVerifyDecl = 1;
}

#endif // SPYRE_ATTRS_TD
