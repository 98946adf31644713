//===- Ktdp.td - The ktdp dialect --------------------------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single source of the dialect's C++ classes, of its Rust operation
// wrappers and of its reference page. docs/Dialects/KtdpConstraints.md lists the
// constraints by number (KT1, KT2, ...).
//
//===----------------------------------------------------------------------===//

#ifndef KTDP_TD
#define KTDP_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Ktdp_Dialect : Dialect {
  let name = "ktdp";
  let cppNamespace = "::spyre::ktdp";
  let summary = "The memory of KTIR's kernels";
  let description = [{
    KTIR is the form of kernels that the open parts of the Spyre software read:
    a scheduler, and an interpreter on the CPU. A kernel is a `func.func` that
    each *compute tile* (a core) runs, with its number from
    `ktdp.get_compute_tile_id`. It reads and writes memory by the operations of
    this dialect, and computes on tensors with `linalg`, `arith`, `math`,
    `tensor` and `scf`.

    Memory is accessed in three steps: a *view* gives addresses a shape, an
    *access tile* is a set of coordinates of a view, and `ktdp.load` and
    `ktdp.store` move the elements at these coordinates.

    ```mlir
    // Each of 4 cores copies 32 rows.
    func.func @copy(%x: index, %y: index) attributes {grid = [4]} {
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %id = ktdp.get_compute_tile_id : index
      %row = arith.muli %id, %c32 : index
      %xs = ktdp.construct_memory_view %x, sizes: [128, 64], strides: [64, 1] {
          coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
          memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
      %ys = ktdp.construct_memory_view %y, sizes: [128, 64], strides: [64, 1] {
          coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 127 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
          memory_space = #ktdp.memory_space<global>} : memref<128x64xf16>
      %from = ktdp.construct_access_tile %xs[%row, %c0] {
          access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
          access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
          : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
      %to = ktdp.construct_access_tile %ys[%row, %c0] {
          access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
          access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
          : memref<128x64xf16> -> !ktdp.access_tile<32x64xindex>
      %rows = ktdp.load %from : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
      ktdp.store %rows, %to : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
      return
    }
    ```

    Names and assembly are as in the published dialect. Types in the
    assembly of an operation may be without their names: `<32x64xindex>` is
    `!ktdp.access_tile<32x64xindex>`. Older spellings are read, and printed in the
    current one:

    | older | current |
    |---|---|
    | `#ktdp.spyre_memory_space<HBM>` | `#ktdp.memory_space<global>` |
    | `#ktdp.spyre_memory_space<LX, core = 7>` | `#ktdp.memory_space<ct_local, ct_id = 7>` |
    | `!ktdp.tile_future<tensor<4xf16>, groups = ...>` | `!ktdp.tile_future<(tensor<4xf16>), groups = ...>` |
    | `ktdp.inter_tile_produce ... : tensor<4xf16> -> ...` | `ktdp.inter_tile_produce ... -> ...` |

    Every constraint has a number (`KT1`, `KT2`, ...), is verified, and has a
    negative test. `docs/Dialects/KtdpConstraints.md` lists them,
    `docs/Dialects/RationaleKtdp.md` gives the reasons for the design.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    // By hand, since an older spelling has another mnemonic.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

    // Where their classes are defined, so that one file instantiates the templates of operations.
    void registerOperations();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Ktdp_Type<string name, string typeMnemonic> : TypeDef<Ktdp_Dialect, name> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def Ktdp_AccessTileType : Ktdp_Type<"AccessTile", "access_tile"> {
  let summary = "coordinates of a view, in the shape of the tensor of their elements";
  let description = [{
    The elements are always `index`. An extent is a number or `?`; a tile of rank
    0 is one coordinate.

    ```mlir
    !ktdp.access_tile<32x64xindex>
    !ktdp.access_tile<?x64xindex>
    !ktdp.access_tile<index>
    ```

    * (KT2) An extent is not negative, and the elements are `index`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let hasCustomAssemblyFormat = 1;
}

def Ktdp_RuntimeArgType : Ktdp_Type<"RuntimeArg", "runtime_arg"> {
  let summary = "an argument with a value that is known at launch, and with bounds of the value";
  let description = [{
    The value is a multiple of `granularity` and at most `upperbound`, where the
    type has them. They may be written in any order and print as below.

    ```mlir
    !ktdp.runtime_arg<index>
    !ktdp.runtime_arg<index, granularity=64, upperbound=512>
    ```

    * (KT3) The underlying type is `index`, an integer or a float.
    * (KT4) `granularity` and `upperbound` are positive.
  }];
  let parameters = (ins
    "::mlir::Type":$underlying_type,
    OptionalParameter<"std::optional<int64_t>">:$granularity,
    OptionalParameter<"std::optional<int64_t>">:$upperbound);
  let assemblyFormat = [{
    `<` $underlying_type `` custom<RuntimeBounds>($granularity, $upperbound) `` `>`
  }];
}

def Ktdp_TileFutureType : Ktdp_Type<"TileFuture", "tile_future"> {
  let summary = "tensors that compute tiles contribute to a communication";
  let description = [{
    One tensor type for each tensor that a compute tile contributes, and the set
    of the groups of compute tiles. MLIR takes the `>` of `>=` for the end of a
    type with a name, so a set with `>=` is an alias.

    ```mlir
    #groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
    !ktdp.tile_future<(tensor<128xf32>, tensor<128xi32>), groups = #groups>
    ```

    * (KT5) It has one tensor type or more.
    * (KT6) `groups` is a set of one dimension without symbols.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::RankedTensorType">:$partial_types,
    "::mlir::IntegerSetAttr":$groups);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Ktdp_MemoryKind : I32EnumAttr<"MemoryKind", "a kind of memory", [
    I32EnumAttrCase<"Global", 0, "global">,
    I32EnumAttrCase<"CtLocal", 1, "ct_local">]> {
  let cppNamespace = "::spyre::ktdp";
  let genSpecializedAttr = 0;
}

def Ktdp_MemorySpaceAttr : AttrDef<Ktdp_Dialect, "MemorySpace"> {
  let mnemonic = "memory_space";
  let summary = "the memory of a view";
  let description = [{
    `global` is device memory (HBM), which all compute tiles share. `ct_local` is
    the scratchpad (LX) of a compute tile: that of the tile with the number
    `ct_id`, or of the tile that runs the operation.

    ```mlir
    #ktdp.memory_space<global>
    #ktdp.memory_space<ct_local>
    #ktdp.memory_space<ct_local, ct_id = 7>
    ```

    * (KT1) Only `ct_local` has a `ct_id`, which is not negative.
  }];
  let parameters = (ins
    EnumParameter<Ktdp_MemoryKind>:$kind,
    OptionalParameter<"std::optional<int64_t>">:$ct_id);
  let assemblyFormat = "`<` $kind (`,` `ct_id` `=` $ct_id^)? `>`";
  let genVerifyDecl = 1;
}

def Ktdp_RuntimeArgField : I32EnumAttr<"RuntimeArgField", "value, granularity or upperbound", [
    I32EnumAttrCase<"Value", 0, "value">,
    I32EnumAttrCase<"Granularity", 1, "granularity">,
    I32EnumAttrCase<"Upperbound", 2, "upperbound">]> {
  let cppNamespace = "::spyre::ktdp";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Ktdp_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Ktdp_Dialect, opMnemonic, traits> {
  let hasVerifier = 1;
}

/// The base of an access tile.
def Ktdp_Base : AnyTypeOf<[AnyMemRef, AnyRankedTensor], "memref or ranked tensor">;

def Ktdp_GetComputeTileIdOp : Ktdp_Op<"get_compute_tile_id", [Pure]> {
  let summary = "The number of the compute tile that runs the kernel";
  let description = [{
    With one result, the number among all compute tiles; with more, a number for
    each dimension of the attribute `grid` of the function, of which the first
    varies fastest.

    ```mlir
    %id = ktdp.get_compute_tile_id : index
    %i, %j = ktdp.get_compute_tile_id : index, index
    ```

    * (KT7) The operation has one result or more.
  }];
  let results = (outs Variadic<Index>:$ids);
  let assemblyFormat = "attr-dict `:` type($ids)";
}

def Ktdp_ConstructMemoryViewOp : Ktdp_Op<"construct_memory_view", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "Give memory from an address on a shape";
  let description = [{
    Element `(i, j, ...)` of the view is at `base + i * stride 0 + j * stride 1 +
    ...`, with strides in elements. Sizes and strides are numbers or values of
    type `index`. The operation allocates nothing.

    `coordinate_set` has the coordinates of the view in a larger tensor, of which
    the view may be a part; a view of a whole tensor has the coordinates of its
    shape. Its symbols are the sizes that are values, in their order.

    ```mlir
    %view = ktdp.construct_memory_view %base, sizes: [2, %rows, 64], strides: [%stride, 64, 1] {
        coordinate_set = affine_set<(d0, d1, d2)[s0] : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0,
            -d1 + s0 - 1 >= 0, d2 >= 0, -d2 + 63 >= 0)>,
        memory_space = #ktdp.memory_space<global>} : memref<2x?x64xf16>
    ```

    * (KT8) There are as many sizes and strides as the view has dimensions.
    * (KT9) Each size and stride that is no number has an operand.
    * (KT10) A size and an extent of the view that are numbers are equal.
    * (KT11) `coordinate_set` has a dimension for each of the view, and at most a
      symbol for each size that is a value.
    * (KT12) If `coordinate_set` is a box, its extents are not above the sizes.
    * (KT13) The memory space of the memref, if it has one, is `memory_space`.
  }];
  let arguments = (ins
    Arg<Index, "the address of the first element">:$base,
    Variadic<Index>:$sizes,
    Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides,
    Ktdp_MemorySpaceAttr:$memory_space,
    Builtin_IntegerSetAttr:$coordinate_set);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = [{
    $base `,` `sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes) `,`
    `strides` `` `:` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($view)
  }];
}

def Ktdp_ConstructDistributedMemoryViewOp : Ktdp_Op<"construct_distributed_memory_view", [Pure]> {
  let summary = "Compose views of parts to a view of the whole tensor";
  let description = [{
    The coordinates of each part are the `coordinate_set` of the operation that
    constructs it. Nothing is moved.

    ```mlir
    %whole = ktdp.construct_distributed_memory_view(%low, %high
        : memref<32x64xf16>, memref<32x64xf16>) : memref<64x64xf16>
    ```

    * (KT14) There is one part or more; each has the rank and the element type of
      the whole.
  }];
  let arguments = (ins Variadic<AnyMemRef>:$parts);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "`(` ($parts^ `:` type($parts))? `)` attr-dict `:` type($view)";
}

def Ktdp_ConstructAccessTileOp : Ktdp_Op<"construct_access_tile", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "The coordinates of a part of a view";
  let description = [{
    A coordinate of the tile is the position in the brackets plus a point of
    `access_tile_set`. The symbols of the set are the operands in `symbols`.
    `access_tile_order` has the dimensions of the set in the order of the
    dimensions of the tile, of which the last varies fastest. Nothing is read.

    ```mlir
    %tile = ktdp.construct_access_tile %view[%i, %j + 64] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<64x128xf16> -> !ktdp.access_tile<32x64xindex>
    ```

    * (KT15) There is a position for each dimension of the base.
    * (KT16) The set has as many dimensions as the base, and a symbol for each
      operand in `symbols`.
    * (KT17) The order is a permutation of the dimensions of the set.
    * (KT18) The tile has a dimension for each of the set; if the set is a box, it
      has the extents of the box, in the order.
  }];
  let arguments = (ins
    Ktdp_Base:$base,
    AffineMapAttr:$base_map,
    Variadic<Index>:$indices,
    Variadic<Index>:$symbol_operands,
    Builtin_IntegerSetAttr:$access_tile_set,
    AffineMapAttr:$access_tile_order);
  let results = (outs Ktdp_AccessTileType:$tile);
  let assemblyFormat = [{
    $base `` custom<Position>($indices, $base_map) (`symbols` `(` $symbol_operands^ `)`)?
    attr-dict `:` type($base) `->` custom<Tile>(type($tile))
  }];
}

def Ktdp_ConstructIndirectAccessTileOp : Ktdp_Op<"construct_indirect_access_tile", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>, NoTerminator, SingleBlock]> {
  let summary = "The coordinates of a gather or a scatter";
  let description = [{
    The tile has a coordinate for each point of `variables_space_set`, the set of
    the values of the intermediate variables. A subscript of the base is an
    expression of variables and operands, in parentheses, or the element of a
    view of indices at such expressions, `ind(...)`. The operation reads the
    indices.

    `Y[m, k] = X[I[m], k]`, 32 rows from row `%r` on:

    ```mlir
    %tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
        %X[ind(%I[%m + %r]), (%k)] {
        variables_space_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        variables_space_order = affine_map<(d0, d1) -> (d0, d1)>}
        : memref<96x64xf16>, memref<256xi32> -> !ktdp.access_tile<32x64xindex>
    ```

    The maps of the subscripts have the dimensions `(captured_variables...,
    variables...)`. Symbols, order and extents are as in
    `ktdp.construct_access_tile` (KT16, KT17, KT18).

    * (KT19) The set has a dimension for each variable, and variables are `index`.
    * (KT20) There is a subscript for each dimension of the base.
    * (KT21) There is a view of indices for each indirect subscript.
    * (KT22) The map of a subscript has a dimension for each operand and variable,
      and no symbols.
    * (KT23) A direct subscript is one expression; an indirect one has an
      expression for each dimension of its view.
    * (KT24) The elements of a view of indices are integers or `index`.
  }];
  let arguments = (ins
    Ktdp_Base:$base,
    BoolArrayAttr:$per_dim_subscript_kinds,
    AffineMapArrayAttr:$per_dim_subscript_maps,
    Variadic<AnyMemRef>:$indirect_memrefs,
    Variadic<Index>:$captured_variables,
    Variadic<Index>:$symbol_operands,
    Builtin_IntegerSetAttr:$variables_space_set,
    AffineMapAttr:$variables_space_order);
  let regions = (region SizedRegion<1>:$variables);
  let results = (outs Ktdp_AccessTileType:$tile);
  let assemblyFormat = [{
    custom<IndirectSubscripts>($variables, $base, $per_dim_subscript_kinds, $per_dim_subscript_maps,
                               $indirect_memrefs, $captured_variables)
    (`symbols` `(` $symbol_operands^ `)`)?
    attr-dict `:` custom<ViewTypes>(type($base), type($indirect_memrefs)) `->` custom<Tile>(type($tile))
  }];
}

def Ktdp_LoadOp : Ktdp_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "The elements at the coordinates of a tile";
  let description = [{
    ```mlir
    %rows = ktdp.load %tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    ```

    * (KT25) The tensor has the shape of the tile.
    * (KT26) The tensor has the element type of the base, where the tile is
      constructed by an operation of the dialect.
  }];
  let arguments = (ins Ktdp_AccessTileType:$access_tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $access_tile attr-dict `:` custom<Tile>(type($access_tile)) `->` type($result)
  }];
}

def Ktdp_StoreOp : Ktdp_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write elements at the coordinates of a tile";
  let description = [{
    ```mlir
    ktdp.store %rows, %tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
    ```

    * (KT25), (KT26) as for `ktdp.load`.
  }];
  let arguments = (ins AnyRankedTensor:$data_tile, Ktdp_AccessTileType:$access_tile);
  let assemblyFormat = [{
    $data_tile `,` $access_tile attr-dict `:` type($data_tile) `,` custom<Tile>(type($access_tile))
  }];
}

def Ktdp_RuntimeArgExtractOp : Ktdp_Op<"runtime_arg_extract", [Pure]> {
  let summary = "The value of an argument, or a bound of the value";
  let description = [{
    ```mlir
    %rows = ktdp.runtime_arg_extract value from %n
        : !ktdp.runtime_arg<index, granularity=64, upperbound=512> -> index
    ```

    * (KT27) The type of the argument has the field.
    * (KT28) The value has the underlying type of the argument; a bound is an
      `index`.
  }];
  let arguments = (ins Ktdp_RuntimeArgField:$kind, Ktdp_RuntimeArgType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind `from` $input `:` custom<RuntimeArg>(type($input)) attr-dict `->` type($result)
  }];
}

include "ktdp/InterTile.td"

#endif // KTDP_TD
