//===- SdscBundle.td - The sdscbundle dialect --------------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single source of the dialect's C++ classes, of its Rust operation
// wrappers and of its reference page. docs/Dialects/SdscBundleConstraints.md
// lists the constraints by number (SB1, SB2, ...).
//
//===----------------------------------------------------------------------===//

#ifndef SDSCBUNDLE_TD
#define SDSCBUNDLE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def SdscBundle_Dialect : Dialect {
  let name = "sdscbundle";
  let cppNamespace = "::spyre::sdscbundle";
  let summary = "The control program of an SDSC bundle";
  let description = [{
    An *SDSC bundle* is the input of Spyre's backend compiler: one `sdsc_N.json`
    per device operation, and one `bundle.mlir` with the order, the loops and
    the addresses of these operations. This dialect is the vocabulary of
    `bundle.mlir`; loops, constants and address arithmetic come from the
    upstream `scf`, `arith` and `affine` dialects.

    A bundle is one `func.func` without results. The runtime passes its
    parameters at launch: base addresses of tensors, and sizes of dynamic
    dimensions.

    ```mlir
    #tile = affine_map<(d0)[s0] -> (s0 + 8192 * d0)>
    func.func @sdsc_bundle(%x: !sdscbundle.input_arg<index>) {
      %pool = sdscbundle.device_mem_allocate 65536 bytes : index
      %base = sdscbundle.input_arg_extract value from %x
          : !sdscbundle.input_arg<index> -> index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %src = affine.apply #tile(%i)[%base]
        %dst = affine.apply #tile(%i)[%pool]
        sdscbundle.sdsc_execute (%src, %dst)
            {sdsc_filename = "sdsc_0.json", symbol_ids = [-1, -2]}
      }
      return
    }
    ```

    Before it is written, a bundle is a module: the function, and one
    `sdscbundle.op_spec` for each file. Discardable attributes of this dialect:

    | attribute | on | meaning |
    |---|---|---|
    | `sdscbundle.op_spec = @sdsc_2` | `sdscbundle.sdsc_execute` | the OpSpec that it runs, where the file is named after another |
    | `sdscbundle.size = #sdscbundle.size<...>` | function argument | the runtime size that it is |

    * (SD6) `sdscbundle.size` is on a function argument and is a
      `#sdscbundle.size`.
    * (SD7) `sdscbundle.op_spec` is on an `sdscbundle.sdsc_execute` and is a
      symbol.
    * (SB22) The dialect has no other discardable attributes.

    Every constraint has a number (`SB1`, `SB2`, ...), is verified, and has a
    negative test. `docs/Dialects/SdscBundleConstraints.md` lists them with
    their sources, `docs/Dialects/RationaleSdscBundle.md` gives the reasons for
    the design.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    // Needs the storage classes of the attributes.
    void registerAttributes();
    // Where their classes are defined, so that one file instantiates the templates of operations.
    void registerOperations();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class SdscBundle_Type<string name, string typeMnemonic>
    : TypeDef<SdscBundle_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def SdscBundle_InputArgType : SdscBundle_Type<"InputArg", "input_arg"> {
  let summary = "bundle parameter that the runtime binds at launch";
  let description = [{
    Either the device address of a tensor in bytes, or the size of a dynamic
    dimension in elements. The value must be unwrapped with
    `sdscbundle.input_arg_extract` before it can be used.

    A dimension may carry compile-time properties: the runtime size is a
    multiple of `granularity` and at most `max_value`, both in elements. They
    may be written in any order and print as below.

    Example:

    ```mlir
    !sdscbundle.input_arg<index>
    !sdscbundle.input_arg<index, granularity=64, max_value=512>
    ```

    Constraints:

    * (SB1) The underlying type is `index`.
    * (SB2) `granularity`, if present, is positive.
    * (SB3) `max_value`, if present, is positive.
    * (SB4) `max_value` is a multiple of `granularity` if both are present.
  }];
  let parameters = (ins
    "::mlir::Type":$element_type,
    OptionalParameter<"std::optional<int64_t>">:$granularity,
    OptionalParameter<"std::optional<int64_t>">:$max_value);
  let assemblyFormat = [{
    `<` $element_type `` custom<SizeBounds>($granularity, $max_value) `` `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The field of an input argument that is read. A string in the IR, so that it
/// needs no separate attribute; `InputArgField` in C++.
def SdscBundle_InputArgFieldAttr : ConfinedAttr<StrAttr, [
    AttrConstraint<CPred<[{
      ::spyre::sdscbundle::symbolizeInputArgField(
          ::llvm::cast<::mlir::StringAttr>($_self).getValue()).has_value()
    }]>, "that is \"value\", \"granularity\" or \"max_value\"">]>;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

// Results are always `index`, so tablegen writes `inferReturnTypes` itself. The
// operations name the interface for the builders in Rust.
class SdscBundle_Op<string opMnemonic, list<Trait> traits = []>
    : Op<SdscBundle_Dialect, opMnemonic, traits>;

def SdscBundle_InputArgExtractOp : SdscBundle_Op<"input_arg_extract", [
    Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Read a bundle parameter, or a compile-time property of it";
  let description = [{
    Yields, as an `index`,

    * `value`: the launch argument, an address in bytes or a size in elements;
    * `granularity`: the compile-time granularity of a size;
    * `max_value`: the compile-time ceiling of a size.

    The last two are constants of the type and fold to `arith.constant`.

    Example:

    ```mlir
    %rows = sdscbundle.input_arg_extract value from %arg
        : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
    %tile = sdscbundle.input_arg_extract granularity from %arg
        : !sdscbundle.input_arg<index, granularity=64, max_value=512> -> index
    ```

    Constraints:

    * (SB5) `field` is `value`, `granularity` or `max_value`.
    * (SB6) The type of `input` carries the field that is read.
    * (SB7) `input` is a parameter of a `func.func`.
  }];
  let arguments = (ins
    SdscBundle_InputArgFieldAttr:$field,
    SdscBundle_InputArgType:$input);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    custom<InputArgField>($field) `from` $input attr-dict
    `:` qualified(type($input)) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The field that is read, or nullopt if the attribute violates SB5.
    std::optional<InputArgField> getInputArgField();
  }];
}

def SdscBundle_DeviceMemAllocateOp : SdscBundle_Op<"device_mem_allocate", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Reserve device memory for the whole run of the bundle";
  let description = [{
    Reserves `size` contiguous bytes of device memory (HBM) before the first
    operation of the bundle runs and yields the address of the first one. The
    memory is held until the bundle ends: there is no deallocation. Its content
    is undefined. To share memory between buffers with disjoint live ranges,
    allocate one pool and add constant offsets to its address.

    Two allocations are never merged: each one reserves a separate range. An
    allocation without uses may be removed.

    Example:

    ```mlir
    %pool = sdscbundle.device_mem_allocate 524288 bytes : index
    %offset = arith.constant 262144 : index
    %second = arith.addi %pool, %offset : index
    ```

    Constraints:

    * (SB8) `size` is positive and at most 15032385536 (a segment of 16 GiB
      less 2 GiB that the backend keeps).
    * (SB9) The operation is in the entry block of a `func.func`.
    * (SB10) The sizes of all allocations of a function add up to at most
      15032385536.
  }];
  let arguments = (ins I64Attr:$size);
  let results = (outs
    Res<Index, "address of the first byte", [MemAlloc]>:$address);
  let assemblyFormat = "$size `bytes` attr-dict `:` type($address)";
  let hasVerifier = 1;
}

def SdscBundle_SdscExecuteOp : SdscBundle_Op<"sdsc_execute"> {
  let summary = "Run one device operation";
  let description = [{
    Runs the operation that the file `sdsc_filename` of the bundle describes.
    Executions happen in program order. Where the file has a symbol in place of
    a start address or of a dimension size, the operation binds it: operand `k`
    is the value of the symbol `symbol_ids[k]`. A file with only concrete
    addresses and sizes has no symbols; its execution has no operands, and
    `symbol_ids` is empty or absent.

    The operation reads and writes device memory and the cores' scratchpads
    (LX) in ways that only the file tells, so its effects are unknown to MLIR:
    it is never removed, merged or reordered with other effects.

    The name of the attribute `symbol_ids` may be quoted; it prints unquoted.
    More than eight operands or ids print on lines of eight.

    Example:

    ```mlir
    sdscbundle.sdsc_execute () {sdsc_filename = "sdsc_0.json"}
    sdscbundle.sdsc_execute (%src, %dst)
        {sdsc_filename = "sdsc_1.json", symbol_ids = [-1, -2]}
    ```

    Constraints:

    * (SB11) `sdsc_filename` is the name of a JSON file in the directory of the
      bundle: a non-empty stem and `.json` in UTF-8, without path separators and
      control characters.
    * (SB12) There are as many operands as symbol ids; none if `symbol_ids` is
      absent.
    * (SB13) Symbol ids are negative.
    * (SB14) A symbol id occurs at most once in one `sdsc_execute`.
    * (SB15) Only `scf.for` operations stand between the operation and the entry
      block of a `func.func`.
    * (SB16) These loops carry no values.
    * (SB17) Lower bound, upper bound and step of these loops are constants,
      results of `sdscbundle.input_arg_extract` or parameters of the function.
    * (SB18) The function has no results.
    * (SB19) The parameters of the function have type `index` or
      `!sdscbundle.input_arg`.
    * (SB20) If executions of different files in one function share a symbol id,
      all executions with this id bind it to the same value. Executions of one
      file alone may each bind it anew.
    * (SB21) All executions of one file in one function list the same symbol
      ids, in any order.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the values of the symbols">:$addresses,
    StrAttr:$sdsc_filename,
    OptionalAttr<I64ArrayAttr>:$symbol_ids);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

include "sdscbundle/OpSpec.td"

#endif // SDSCBUNDLE_TD
