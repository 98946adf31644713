//===- Inductor.td - The inductor dialect ------------------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single source of the dialect's C++ classes, of its Rust operation
// wrappers and of its reference page. docs/Dialects/InductorConstraints.md lists the constraints
// by number (IN1, IN2, ...).
//
//===----------------------------------------------------------------------===//

#ifndef INDUCTOR_TD
#define INDUCTOR_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Inductor_Dialect : Dialect {
  let name = "inductor";
  let cppNamespace = "::spyre::inductor";
  let summary = "The loop-level programs of PyTorch Inductor";
  let description = [{
    An `inductor.graph` is the form that PyTorch Inductor gives one compiled graph before
    scheduling: buffers, each computed by a loop nest over every element, or by an external
    kernel. A buffer is a value: a tensor with the encoding `#inductor.layout`, which maps each
    element to its place in memory. Loop nests read buffers at affine functions of their loops, of
    the symbolic sizes of the graph, and of indices loaded from memory.

    ```mlir
    #row = affine_map<(d0, d1) -> (d0, d1)>
    #first = affine_map<(d0, d1) -> (d0, 0)>
    !t = tensor<10x3840xf32, #inductor.layout<fixed, [3840, 1]>>
    !m = tensor<10x1xf32, #inductor.layout<fixed, [1, 10]>>
    inductor.graph @exp {
      %arg0_1 = inductor.input "arg0_1" : !t
      %buf0 = inductor.reduction "op0" as "buf0" max [10, 1] over [3840] from f32 {
      ^bb0(%i0: index, %i1: index):
        %0 = inductor.load %arg0_1 at #row(%i0, %i1) : !t -> f32
        inductor.store %0 at #first(%i0, %i1) : f32
      } : !m
      %buf1 = inductor.pointwise "op1" as "buf1" [10, 3840] {
      ^bb0(%i0: index, %i1: index):
        %0 = inductor.load %arg0_1 at #row(%i0, %i1) : !t -> f32
        %1 = inductor.load %buf0 at #first(%i0, %i1) : !m -> f32
        %2 = arith.subf %0, %1 : f32
        %3 = math.exp %2 : f32
        inductor.store %3 at #row(%i0, %i1) : f32
      } : !t
      inductor.return %buf1 : !t
    }
    ```

    Numbers in registers follow PyTorch: floats of 16 bits and of 8 are computed as `f32`
    and rounded where they are stored. So a load of `bf16` gives `f32`, and a store
    to a buffer of `bf16` takes `f32`.

    Every constraint has a number (`IN1`, `IN2`, ...), is verified, and has a
    negative test. `docs/Dialects/InductorConstraints.md` lists them,
    `docs/Dialects/RationaleInductor.md` gives the reasons for the design.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    // Where their classes are defined, so that one file instantiates the templates of operations.
    void registerOperations();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

class Inductor_Attr<string name, string attrMnemonic>
    : AttrDef<Inductor_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Inductor_LayoutKind : I32EnumAttr<"LayoutKind", "who decides where elements are", [
    I32EnumAttrCase<"Fixed", 0, "fixed">,
    I32EnumAttrCase<"Flexible", 1, "flexible">,
    I32EnumAttrCase<"NonOwning", 2, "non_owning">]> {
  let cppNamespace = "::spyre::inductor";
  let genSpecializedAttr = 0;
}

def Inductor_LayoutAttr : Inductor_Attr<"Layout", "layout"> {
  let genMnemonicAlias = 1;
  let summary = "where the elements of a buffer are in memory";
  let description = [{
    Strides and the offset are in elements. Element `(i0, i1, ...)` of a buffer is
    at `offset + i0 * stride[0] + i1 * stride[1] + ...`. They may use the symbolic
    sizes of the graph, by position: `s0` is the first.

    * `fixed`: decided;
    * `flexible`: a guess that `--inductor-decide-layout` may replace;
    * `non_owning`: inside of the buffer of the `inductor.concat` that reads it,
      from element `base_offset` on. Loads and stores do not count that offset.

    An element may be a complex number, `complex<f32>` or `complex<f64>`: extern
    kernels compute with them, and loop nests do not.

    `size` has the extents of the buffer where one of them is symbolic; its type
    has `?` there.

    ```mlir
    #inductor.layout<fixed, [3840, 1]>
    #inductor.layout<fixed, [12, 1], offset = 2>
    #inductor.layout<non_owning, [24, 1], base_offset = 10>
    #inductor.layout<flexible, [s0 * 64, 64, 1], size = [8, s0, 64]>
    ```

    * (IN1) There is a stride, and if given an extent, for each dimension of the tensor, and an
      extent is a number where the type has that number.
    * (IN2) At most 64 symbols are used, and `base_offset` is with `non_owning`
      alone.
  }];
  let parameters = (ins
    EnumParameter<Inductor_LayoutKind>:$kind,
    "::mlir::AffineMap":$stride,
    "::mlir::AffineMap":$size,
    "::mlir::AffineMap":$offset,
    "::mlir::AffineMap":$base_offset);
  let assemblyFormat = [{
    `<` $kind `,` custom<Layout>($stride, $size, $offset, $base_offset) `>`
  }];
  let genVerifyDecl = 1;
}

def Inductor_SymAttr : Inductor_Attr<"Sym", "sym"> {
  let summary = "a symbolic size of a graph";
  let description = [{
    Its name in PyTorch, the size that the graph was traced with, and the range of
    sizes that the graph is for.

    ```mlir
    #inductor.sym<"s77", hint = 12, min = 2>
    ```

    * (IN3) `min` is at most `hint`, and `hint` is at most `max`.
  }];
  let parameters = (ins
    StringRefParameter<"name">:$name,
    OptionalParameter<"std::optional<int64_t>">:$hint,
    OptionalParameter<"std::optional<int64_t>">:$min,
    OptionalParameter<"std::optional<int64_t>">:$max);
  let assemblyFormat = "`<` $name (`,` struct($hint, $min, $max)^)? `>`";
  let genVerifyDecl = 1;
}

def Inductor_OperandAttr : Inductor_Attr<"Operand", "operand"> {
  let summary = "an operand, among the arguments of an extern kernel";
  let description = [{
    ```mlir
    #inductor.operand<1>
    ```
  }];
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

def Inductor_ResultsType : TypeDef<Inductor_Dialect, "Results"> {
  let mnemonic = "results";
  let summary = "the results of an extern kernel that has several";
  let description = [{
    `inductor.multi_output` takes one of them.
  }];
}

def Inductor_Buffer : Type<And<[
    AnyRankedTensor.predicate,
    CPred<[{::llvm::isa_and_nonnull<::spyre::inductor::LayoutAttr>(
              ::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding())}]>
  ]>, "tensor with an #inductor.layout", "::mlir::RankedTensorType">;

def Inductor_Value : AnyTypeOf<[Inductor_Buffer, Inductor_ResultsType, Index],
    "buffer, results or size">;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

class Inductor_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Inductor_Dialect, opMnemonic, traits>;

def Inductor_GraphOp : Inductor_Op<"graph", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "A compiled graph";
  let description = [{
    Buffers in the order in which they are computed, from inputs to an
    `inductor.return`. `symbols` are its symbolic sizes; maps and layouts use them
    by position. `phase` is `"forward"` or `"backward"` if training produced two graphs.

    ```mlir
    inductor.graph @model symbols [#inductor.sym<"s77", hint = 12, min = 2>] {
      %arg0_1 = inductor.input "arg0_1" size [s0] : index
      ...
    }
    ```

    * (IN4) `symbols` are `#inductor.sym` with different names.
    * (IN5) The last operation is an `inductor.return`, and there is no other.
    * (IN6) No map and no layout uses a symbol that the graph does not have.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<ArrayAttr>:$symbols,
    OptionalAttr<StrAttr>:$phase);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`symbols` $symbols^)? (`phase` $phase^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Inductor_InputOp : Inductor_Op<"input", [
    HasParent<"GraphOp">, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "An input of the graph";
  let description = [{
    Inputs are in the order of the call. A size is an input of type `index` with an expression of
    the symbols as its value.

    ```mlir
    %arg0_1 = inductor.input "arg0_1" size [s0] : index
    %arg1_1 = inductor.input "arg1_1" : tensor<10x64xf32, #inductor.layout<fixed, [64, 1]>>
    ```

    * (IN7) `size` has one result and no dimensions, and is with an `index` alone.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<AffineMapAttr>:$size);
  let results = (outs AnyTypeOf<[Inductor_Buffer, Index]>:$result);
  let assemblyFormat = "$name (`size` custom<Extents>($size)^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Inductor_ConstantOp : Inductor_Op<"constant", [
    HasParent<"GraphOp">, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A tensor that the graph holds";
  let description = [{
    PyTorch writes the values of small ones. Without them, a constant is one more
    input.

    * (IN8) `value` has the shape and the element type of the result.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<ElementsAttr>:$value);
  let results = (outs Inductor_Buffer:$result);
  let assemblyFormat = "$name (`value` $value^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Inductor_ReturnOp : Inductor_Op<"return", [HasParent<"GraphOp">, Terminator]> {
  let summary = "The outputs of the graph";
  let description = [{
    `outputs` has one entry per output: the position of an operand, a size as a map of the
    symbols, or a unit for none.

    ```mlir
    inductor.return %buf1 : tensor<...>
    inductor.return %buf1, %new outputs [#inductor.operand<0>] mutated ["arg0_1"] : ...
    ```

    The last operands are the values that inputs have afterwards, in the order of
    `mutated`.
  }];
  let arguments = (ins
    Variadic<Inductor_Buffer>:$operands,
    OptionalAttr<ArrayAttr>:$outputs,
    OptionalAttr<StrArrayAttr>:$mutated);
  let assemblyFormat = [{
    ($operands^)? (`outputs` $outputs^)? (`mutated` $mutated^)? attr-dict (`:` type($operands)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

class Inductor_LoopOp<string opMnemonic, list<Trait> traits = []>
    : Inductor_Op<opMnemonic, !listconcat(traits, [
        ParentOneOf<["GraphOp", "KernelOp"]>, SingleBlock,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames", "getAsmBlockArgumentNames"]>])> {
  let results = (outs Inductor_Buffer:$result);
}

defvar loopAttrs = (ins StrAttr:$op, StrAttr:$buffer);

def Inductor_PointwiseOp : Inductor_LoopOp<"pointwise"> {
  let summary = "A buffer, element by element";
  let description = [{
    The body computes and stores one element. `ranges` are the extents of the result buffer. The
    loops, whose induction variables are the block arguments, have the extents that are not 1, or
    the extents in `loops`. `into` is an input or a buffer that the result overwrites: later reads
    of it see the result.

    * (IN9) The body has one argument of type `index` for each loop, and ends with an
      `inductor.store`.
    * (IN10) `into` has the shape of the result.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, AffineMapAttr:$ranges,
    OptionalAttr<AffineMapAttr>:$loops, Optional<Inductor_Buffer>:$into);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $op `as` $buffer custom<Extents>($ranges) (`loops` custom<Extents>($loops)^)?
    (`into` $into^ `:` type($into))? $body attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_ReductionOp : Inductor_LoopOp<"reduction"> {
  let summary = "A buffer of elements that each reduce many";
  let description = [{
    The body runs for each element of the buffer and each iteration of the reduced loops, which
    are the innermost. The stored values are combined by `kind`, starting at the identity: `sum`,
    `prod`, `max`, `min`, `any`, `xor_sum`, `argmax` and `argmin` (the position in the reduced
    loops, row by row, the first of equal ones; or the integer that is stored after the element,
    the smallest of equal ones), `dot`, `welford_reduce` (mean, sum of squared deviations,
    number), `welford_combine`, and `online_softmax_reduce` (largest, sum of exponentials). Of
    several results, `output` selects the one that the buffer holds.

    * (IN11) `kind` is one of these, and `output` is one of its results.
    * (IN12) The body has one argument of type `index` for each loop, ends with an
      `inductor.store`, and does not store at a reduced loop.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, StrAttr:$kind,
    AffineMapAttr:$ranges, AffineMapAttr:$reduction_ranges,
    OptionalAttr<AffineMapAttr>:$loops, TypeAttr:$source, OptionalAttr<StrAttr>:$hint,
    OptionalAttr<I64Attr>:$output);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $op `as` $buffer custom<Keyword>($kind) custom<Extents>($ranges)
    `over` custom<Extents>($reduction_ranges) (`loops` custom<Extents>($loops)^)?
    `from` $source (`hint` $hint^)? (`output` $output^)? $body attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_ScanOp : Inductor_LoopOp<"scan"> {
  let summary = "A buffer of prefix combinations of elements";
  let description = [{
    A reduction along `scan_ranges`, the last loops, that stores the accumulator after each
    element. `combine` takes the accumulators and the next elements, and yields as many
    accumulators.

    * (IN13) `combine` has twice as many arguments as the body stores, and yields as
      many.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, AffineMapAttr:$ranges,
    AffineMapAttr:$scan_ranges, OptionalAttr<AffineMapAttr>:$loops, I64Attr:$output);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $op `as` $buffer custom<Extents>($ranges) `over` custom<Extents>($scan_ranges)
    (`loops` custom<Extents>($loops)^)? `output` $output $body `combine` $combine
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_SortOp : Inductor_LoopOp<"sort"> {
  let summary = "A buffer of elements in order";
  let description = [{
    The elements along `sort_ranges`, the last loops, in the order of the first value
    that the body stores; the others move with it. NaN is larger than all numbers.

    * (IN14) The body ends with an `inductor.store`, and `output` is one of its values.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, AffineMapAttr:$ranges,
    AffineMapAttr:$sort_ranges, OptionalAttr<AffineMapAttr>:$loops, I64Attr:$output,
    UnitAttr:$stable, UnitAttr:$descending);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $op `as` $buffer custom<Extents>($ranges) `over` custom<Extents>($sort_ranges)
    (`loops` custom<Extents>($loops)^)? `output` $output (`stable` $stable^)?
    (`descending` $descending^)? $body attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_ScatterOp : Inductor_LoopOp<"scatter"> {
  let summary = "Elements that go to places of a buffer that the program computes";
  let description = [{
    The body runs for each element of `ranges` and stores it into `into` at an index that may
    depend on loaded values. With the `mode` `atomic_add`, it is added.

    * (IN15) The type of the result is that of `into`.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, AffineMapAttr:$ranges,
    OptionalAttr<AffineMapAttr>:$loops, Inductor_Buffer:$into, OptionalAttr<StrAttr>:$mode);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $op `as` $buffer custom<Extents>($ranges) (`loops` custom<Extents>($loops)^)?
    `into` $into (`mode` $mode^)? $body attr-dict `:` type($into) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_KernelOp : Inductor_Op<"kernel", [
    HasParent<"GraphOp">, SingleBlock, NoRegionArguments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "Operations that run together";
  let description = [{
    A result of `--inductor-fuse`: the nests form one kernel and share its loops. With `outer`,
    they share that many outer loops, and each number of `of` counts the nests that share all
    loops. The results are the buffers with uses outside of the kernel. The kernel of a hint scope
    becomes a loop: it may contain external kernels as well.

    ```mlir
    %buf0, %buf1 = inductor.kernel "op0_op1" outer 1 of [1, 1] {
      %0 = inductor.reduction "op0" as "buf0" ...
      %1 = inductor.pointwise "op1" as "buf1" ...
      inductor.yield %0, %1 : !m, !t
    } : !m, !t
    ```

    * (IN27) The block has loop nests, and without `outer` kernels from outside, concatenations and
      views, and ends with an `inductor.yield` of values of the types of the results.
    * (IN28) `of` are positive numbers that add up to the number of nests; they are there if and
      only if `outer` is, which is positive.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$outer,
    OptionalAttr<DenseI64ArrayAttr>:$parts);
  let results = (outs Variadic<Inductor_Buffer>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`outer` $outer^ `of` $parts)? $body attr-dict `:` type($results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

def Inductor_Scalar : AnyTypeOf<[AnyFloat, AnyInteger, Index], "number">;

def Inductor_LoadOp : Inductor_Op<"load"> {
  let summary = "Read an element of a buffer";
  let description = [{
    The element at the results of `map`, applied to induction variables and results of
    `inductor.indirect` and `inductor.index_apply`. The results of `map` are coordinates of the
    buffer, or of `view`, which has the extents, strides and offset of another view of its memory.

    ```mlir
    %0 = inductor.load %x at #map(%i0, %i1) : tensor<...> -> f32
    %1 = inductor.load %x at #flat(%i0) view <fixed, [1], size = [38400]> : tensor<...> -> f32
    ```

    * (IN16) `map` takes as many dimensions as there are indices, and has a result for
      each dimension of the buffer, or of `view`.
    * (IN17) The result is of the element type, or `f32` for a float of 16 bits or of 8.
  }];
  let arguments = (ins Inductor_Buffer:$source, AffineMapAttr:$map, Variadic<Index>:$indices,
    OptionalAttr<Inductor_LayoutAttr>:$view);
  let results = (outs Inductor_Scalar:$result);
  let assemblyFormat = [{
    $source `at` $map `(` $indices `)` (`view` $view^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Inductor_StoreOp : Inductor_Op<"store", [Terminator, AttrSizedOperandSegments]> {
  let summary = "Store an element of the buffer that a loop nest computes";
  let description = [{
    As `inductor.load`, with the buffer that is the result of the loop nest.

    * (IN18) `map` takes as many dimensions as there are indices, and has a result for
      each dimension of the buffer, or of `view`.
    * (IN19) The value that the buffer has is of the element type, or `f32` for a
      float of 16 bits or of 8.
  }];
  let arguments = (ins Variadic<Inductor_Scalar>:$values, AffineMapAttr:$map,
    Variadic<Index>:$indices, OptionalAttr<Inductor_LayoutAttr>:$view);
  let assemblyFormat = [{
    $values `at` $map `(` $indices `)` (`view` $view^)? attr-dict `:` type($values)
  }];
  let hasVerifier = 1;
}

def Inductor_YieldOp : Inductor_Op<"yield", [Terminator]> {
  let summary = "The results of a masked block, a combination or a kernel";
  let description = [{}];
  let arguments = (ins Variadic<AnyTypeOf<[Inductor_Scalar, Inductor_Buffer]>>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Inductor_IndexExprOp : Inductor_Op<"index_expr", [Pure]> {
  let summary = "A function of the loops as a number";
  let description = [{
    ```mlir
    %0 = inductor.index_expr affine_map<(d0) -> (d0 - 1)>(%i0) : i64
    ```

    * (IN20) `map` has one result, and takes as many dimensions as there are indices.
  }];
  let arguments = (ins AffineMapAttr:$map, Variadic<Index>:$indices);
  let results = (outs Inductor_Scalar:$result);
  let assemblyFormat = "$map `(` $indices `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Inductor_IndexApplyOp : Inductor_Op<"index_apply", [Pure]> {
  let summary = "A function of the loops that no affine map has, as an index";
  let description = [{
    A function of the results of `map`, by its name in PyTorch's expressions: `max` and `min` of
    several, `abs`, `mul`, `floordiv`, `mod`, and `modidx`, which is `(a floordiv b) mod c`.
    PyTorch uses them for replicated and reflected padding, and for averages at a border.

    ```mlir
    %0 = inductor.index_apply "max" affine_map<(d0) -> (0, d0 - 2)>(%i0)
    %1 = inductor.index_apply "min" affine_map<(d0, d1) -> (7, d1)>(%i0, %0)
    ```

    * (IN29) The function is one of these, and has as many operands as `map` has results, which
      takes as many dimensions as there are indices.
  }];
  let arguments = (ins StrAttr:$function, AffineMapAttr:$map, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "$function $map `(` $indices `)` attr-dict";
  let hasVerifier = 1;
}

def Inductor_CheckBoundsOp : Inductor_Op<"check_bounds"> {
  let summary = "An index that PyTorch checks";
  let description = [{
    PyTorch asserts that the index is not below 0, with `lower`, and that it is below `size`, with
    `upper`. If PyTorch has proved both bounds, neither is present.

    ```mlir
    inductor.check_bounds affine_map<(d0) -> (d0 mod 6)>(%i0) below [6]
    ```

    * (IN30) `map` has one result, and takes as many dimensions as there are indices; `size` has
      one result and no dimensions.
  }];
  let arguments = (ins AffineMapAttr:$map, Variadic<Index>:$indices, AffineMapAttr:$size,
    UnitAttr:$lower, UnitAttr:$upper);
  let assemblyFormat = [{
    $map `(` $indices `)` `below` custom<Extents>($size) (`lower` $lower^)? (`upper` $upper^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Inductor_IndirectOp : Inductor_Op<"indirect", [Pure]> {
  let summary = "A number that was read, as an index";
  let description = [{
    An index below `size`. With `wrap`, one that is negative counts from the end. With
    `check`, PyTorch asserts the range.

    * (IN21) `size` has one result and no dimensions.
  }];
  let arguments = (ins Inductor_Scalar:$value, AffineMapAttr:$size, UnitAttr:$check, UnitAttr:$wrap);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $value `below` custom<Extents>($size) (`check` $check^)? (`wrap` $wrap^)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Inductor_MaskedOp : Inductor_Op<"masked", [SingleBlock, NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "A block where a condition holds, and a number elsewhere";
  let description = [{
    Loads in the block may be outside of their buffers where the condition does not hold.

    * (IN22) The block has no arguments and yields one value of the type of the result, and
      `other` is a number of that type.
  }];
  let arguments = (ins I1:$mask, TypedAttrInterface:$other);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Inductor_Scalar:$result);
  let assemblyFormat = "$mask `else` $other $body attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Inductor_ToDtypeOp : Inductor_Op<"to_dtype", [Pure]> {
  let summary = "A number in another type";
  let description = [{
    With `compute`, a float of 16 bits remains `f32` without rounding. Otherwise it is rounded,
    and extended to `f32` again. A float of 8 bits is always rounded.

    ```mlir
    %1 = inductor.to_dtype %0 to bf16 compute : f32 -> f32
    ```
  }];
  let arguments = (ins Inductor_Scalar:$value, TypeAttr:$dtype, OptionalAttr<TypeAttr>:$source, UnitAttr:$compute);
  let results = (outs Inductor_Scalar:$result);
  let assemblyFormat = [{
    $value (`from` $source^)? `to` $dtype (`compute` $compute^)? attr-dict `:` type($value) `->` type($result)
  }];
}

def Inductor_ApplyOp : Inductor_Op<"apply", [Pure]> {
  let summary = "A function of PyTorch that `arith` and `math` do not have";
  let description = [{
    ```mlir
    %1 = inductor.apply "sigmoid"(%0) : (f32) -> f32
    ```

    `device_assert_async` returns its operand; `message` is PyTorch's text for a false condition.
    `frexp` returns the mantissa of its operand, or the exponent if its result is an integer.
    `to_dtype_bitcast` reinterprets the bits of its operand, of type `source`, as a number of type
    `dtype`.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Inductor_Scalar>:$operands);
  let results = (outs Inductor_Scalar:$result);
  let assemblyFormat = "$name `(` $operands `)` attr-dict `:` functional-type($operands, $result)";
}

//===----------------------------------------------------------------------===//
// Kernels from outside, views, concatenations
//===----------------------------------------------------------------------===//

def Inductor_ExternOp : Inductor_Op<"extern", [
    ParentOneOf<["GraphOp", "KernelOp"]>, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A kernel that is no loop nest";
  let description = [{
    A library's kernel such as `aten.mm.out`, or one that Inductor does not lower. `class` is
    Inductor's class of it, `overload` the operator. Its arguments are attributes, with an
    `#inductor.operand` for each tensor, a unit for `None`, and an affine map for a size.

    The results are the computed tensor, or a tuple of several; then the new values of the
    operands that it writes, in the order of `mutates`.

    ```mlir
    %buf0 = inductor.extern "op0" as "buf0" "ExternKernelOut" "aten.mm.out" (%a, %b)
        {kernel = "extern_kernels.mm", constant_args = [], kwargs = {}} : (...) -> tensor<...>
    ```

    * (IN23) `mutates` are different operands, and each has a result of its shape and element
      type after the other results, of which there is at most one.
    * (IN24) Every `#inductor.operand` is an operand.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, StrAttr:$class_name,
    OptionalAttr<StrAttr>:$overload, Variadic<Inductor_Value>:$operands,
    OptionalAttr<DenseI64ArrayAttr>:$mutates);
  let results = (outs Variadic<Inductor_Value>:$results);
  let assemblyFormat = [{
    $op `as` $buffer $class_name ($overload^)? `(` $operands `)` (`mutates` $mutates^)?
    attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}

def Inductor_MultiOutputOp : Inductor_Op<"multi_output", [
    ParentOneOf<["GraphOp", "KernelOp"]>, Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "One result of a kernel with several";
  let description = [{
    `indices` is the path to the value in the kernel's result: `[["tuple", 0]]` is the first of a
    tuple.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, Inductor_ResultsType:$tuple, ArrayAttr:$indices);
  let results = (outs Inductor_Buffer:$result);
  let assemblyFormat = "$op `as` $buffer $tuple $indices attr-dict `:` type($tuple) `->` type($result)";
}

def Inductor_ConcatOp : Inductor_Op<"concat", [
    ParentOneOf<["GraphOp", "KernelOp"]>, Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A concatenation of buffers";
  let description = [{
    The parts that have the layout `non_owning` are written in place.

    * (IN25) The parts have the extents of the result but along one dimension, where theirs add
      up to it.
  }];
  let arguments = (ins StrAttr:$op, StrAttr:$buffer, Variadic<Inductor_Buffer>:$parts);
  let results = (outs Inductor_Buffer:$result);
  let assemblyFormat = "$op `as` $buffer $parts attr-dict `:` functional-type($parts, $result)";
  let hasVerifier = 1;
}

def Inductor_ViewOp : Inductor_Op<"view", [ParentOneOf<["GraphOp", "KernelOp"]>, Pure]> {
  let summary = "The memory of a buffer, with other extents and strides";
  let description = [{
    The only view that is left when buffers are realised: `torch.as_strided`.

    * (IN26) Where all extents and strides are numbers, no element of the result is outside of the
      source's memory.
  }];
  let arguments = (ins Inductor_Buffer:$source);
  let results = (outs Inductor_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // INDUCTOR_TD
