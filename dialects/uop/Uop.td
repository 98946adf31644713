//===- Uop.td - The uop dialect ----------------------------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single source of the dialect's C++ classes and of its reference page.
// docs/Dialects/UopConstraints.md lists the constraints by number (U1, U2, ...).
//
//===----------------------------------------------------------------------===//

#ifndef UOP_TD
#define UOP_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Uop_Dialect : Dialect {
  let name = "uop";
  let cppNamespace = "::spyre::uop";
  let summary = "The tensor programs of tinyspec";
  let description = [{
    The operations of tinyspec, tinygrad's specification of tensor programs, on
    values of builtin tensors. A program is a `func.func`: its arguments are the
    buffers and parameters of the program, its results the computed tensors.

    ```mlir
    // The mean of each row.
    func.func @mean(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %sum = uop.reduce add %x axes [1] : tensor<4x8xf32>
      %flat = uop.reshape %sum to [4] : tensor<4x1xf32>
      %eighth = uop.const dense<1.250000e-01> : tensor<f32>
      %one = uop.reshape %eighth to [1] : tensor<f32>
      %scale = uop.expand %one to [4] : tensor<1xf32>
      %mean = uop.mul %flat, %scale : tensor<4xf32>
      return %mean : tensor<4xf32>
    }
    ```

    Extents are numbers. `i1` is a truth value, `i8` to `i64` are signed, `ui8` to
    `ui64` unsigned, and `index` is for extents and positions. Broadcasts are explicit:
    `uop.reshape` and `uop.expand`. Integers wrap.

    An effect is a value of the type `!uop.effect`, so that a program is a graph and
    its order is that of its values. A buffer that is read is as it was before the
    program; `uop.after` is how it is after effects.

    The dialect is for import: `--uop-canonicalize` and `--uop-decompose` make
    programs simpler, and `--convert-uop-to-linalg` lowers them. Every constraint has a
    number (`U1`, `U2`, ...), is verified, and has a negative test. `uop.opts` on an
    operation lists the splits of its loops, from which `--uop-apply-opts` derives the
    tiles and cores of the linalg operation. `docs/Dialects/UopConstraints.md` lists
    them, `docs/Dialects/RationaleUop.md` gives the readings of the specification.
  }];
  // The dialects that programs are converted to.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    // Where their classes are defined, so that one file instantiates the templates of operations.
    void registerOperations();
    void registerTypes();
  }];
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Uop_EffectType : TypeDef<Uop_Dialect, "Effect"> {
  let mnemonic = "effect";
  let summary = "what has been executed";
  let description = [{
    A value of this type has no elements. It orders its users after the effect.
  }];
}

def Uop_Bool : TypeAlias<I1, "truth value">;
def Uop_Float : AnyTypeOf<[F16, BF16, F32, F64], "float of 16, 32 or 64 bits">;
def Uop_SizedInteger : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64],
    "integer of 8 to 64 bits">;
def Uop_Integer : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64, Index],
    "integer of 8 to 64 bits, or index">;
def Uop_Bits : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64, Index],
    "integer or truth value">;
def Uop_Number : AnyTypeOf<[F16, BF16, F32, F64, I8, I16, I32, I64,
    UI8, UI16, UI32, UI64, Index], "number">;
def Uop_Element : AnyTypeOf<[F16, BF16, F32, F64, I1, I8, I16, I32, I64,
    UI8, UI16, UI32, UI64, Index], "number or truth value">;

/// A ranked tensor of known extents without an encoding (U1, U7).
class Uop_TensorOf<Type element, string elements> : Type<And<[
    RankedTensorOf<[element]>.predicate, HasStaticShapePred,
    CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">,
    CPred<"::spyre::uop::isSmallEnough(::llvm::cast<::mlir::RankedTensorType>($_self))">]>,
    "tensor of known extents of " # elements, "::mlir::RankedTensorType">;
def Uop_Tensor : Uop_TensorOf<Uop_Element, "numbers or truth values">;
def Uop_NumberTensor : Uop_TensorOf<Uop_Number, "numbers">;
def Uop_FloatTensor : Uop_TensorOf<Uop_Float, "floats">;
def Uop_IntegerTensor : Uop_TensorOf<Uop_Integer, "integers">;
def Uop_BitsTensor : Uop_TensorOf<Uop_Bits, "integers or truth values">;
def Uop_BoolTensor : Uop_TensorOf<Uop_Bool, "truth values">;
def Uop_U64Tensor : Uop_TensorOf<UI64, "ui64">;
def Uop_SizedTensor : Uop_TensorOf<AnyTypeOf<[Uop_Float, Uop_SizedInteger]>,
    "floats or sized integers">;

def Uop_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Mul", 2, "mul">]> {
  let cppNamespace = "::spyre::uop";
  let genSpecializedAttr = 0;
}
def Uop_ReduceKindAttr : EnumAttr<Uop_Dialect, Uop_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Uop_AddressSpace : I32EnumAttr<"AddressSpace", "a kind of memory", [
    I32EnumAttrCase<"Global", 0, "global">,
    I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Register", 2, "reg">]> {
  let cppNamespace = "::spyre::uop";
  let genSpecializedAttr = 0;
}
def Uop_AddressSpaceAttr : EnumAttr<Uop_Dialect, Uop_AddressSpace, "address_space"> {
  let assemblyFormat = "$value";
}

def Uop_AxisType : I32EnumAttr<"AxisType", "what a loop is for", [
    I32EnumAttrCase<"Global", 0, "global">,
    I32EnumAttrCase<"Local", 1, "local">,
    I32EnumAttrCase<"Warp", 2, "warp">,
    I32EnumAttrCase<"Thread", 3, "thread">,
    I32EnumAttrCase<"Loop", 4, "loop">,
    I32EnumAttrCase<"Reduce", 5, "reduce">,
    I32EnumAttrCase<"GroupReduce", 6, "group_reduce">,
    I32EnumAttrCase<"Upcast", 7, "upcast">,
    I32EnumAttrCase<"Unroll", 8, "unroll">]> {
  let cppNamespace = "::spyre::uop";
  let genSpecializedAttr = 0;
}
def Uop_AxisTypeAttr : EnumAttr<Uop_Dialect, Uop_AxisType, "axis_type"> {
  let assemblyFormat = "$value";
}

//===----------------------------------------------------------------------===//
// Optimisations
//===----------------------------------------------------------------------===//

def Uop_SplitPlace : I32EnumAttr<"SplitPlace", "where a split puts its new axis", [
    I32EnumAttrCase<"Inner", 0, "inner">,
    I32EnumAttrCase<"Top", 1, "top">]> {
  let cppNamespace = "::spyre::uop";
  let genSpecializedAttr = 0;
}

class Uop_Attr<string name, string attrMnemonic> : AttrDef<Uop_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Uop_AxisAttr : Uop_Attr<"Axis", "axis"> {
  let summary = "an axis of a structured operation";
  let description = [{
    `#uop.axis<512 loop of 0 step 1>`: 512 positions of the first loop of the
    operation, with step 1. `uop.axes` lists the axes by their numbers.

    * (U45) The extent and the step are positive, and the loop is not negative.
  }];
  let parameters = (ins "int64_t":$extent, EnumParameter<Uop_AxisType>:$type, "int64_t":$loop,
                        "int64_t":$step);
  let assemblyFormat = "`<` $extent $type `of` $loop `step` $step `>`";
}

def Uop_SplitAttr : Uop_Attr<"Split", "split"> {
  let summary = "an axis that is cut in two";
  let description = [{
    `#uop.split<0 by 2 to loop top>`: axis 0 of n positions has n / 2 of them
    afterwards, and a new axis of 2 positions is a loop around it. With `inner`, the
    new axis is inside.

    * (U45) The axis is not negative, and the factor is positive.
  }];
  let parameters = (ins "int64_t":$axis, "int64_t":$factor, EnumParameter<Uop_AxisType>:$target,
                        EnumParameter<Uop_SplitPlace>:$place);
  let assemblyFormat = "`<` $axis `by` $factor `to` $target $place `>`";
}

def Uop_PadtoAttr : Uop_Attr<"Padto", "padto"> {
  let summary = "an axis that gets more positions";
  let description = [{
    `#uop.padto<1 to 64>`: axis 1 has a multiple of 64 positions afterwards. Results at
    the added positions are ignored.

    * (U45) The axis is not negative, and the multiple is positive.
  }];
  let parameters = (ins "int64_t":$axis, "int64_t":$multiple);
  let assemblyFormat = "`<` $axis `to` $multiple `>`";
}

def Uop_SwapAttr : Uop_Attr<"Swap", "swap"> {
  let summary = "two axes that exchange their places in the nest";
  let description = [{
    `#uop.swap<2 with 3>`. The axes keep their numbers.

    * (U45) The axes are not negative.
  }];
  let parameters = (ins "int64_t":$axis, "int64_t":$with);
  let assemblyFormat = "`<` $axis `with` $with `>`";
}

def Uop_NolocalsAttr : AttrDef<Uop_Dialect, "Nolocals"> {
  let mnemonic = "nolocals";
  let summary = "no memory of a group of threads";
}

def Uop_TcAttr : Uop_Attr<"Tc", "tc"> {
  let summary = "a tensor core for a reduction";
  let description = [{
    `#uop.tc<0 core 1 opt 2 mode 1>`: for the first reduction. The card has no
    tensor cores, so that `--uop-apply-opts` refuses it.

    * (U45) No number is negative.
  }];
  let parameters = (ins "int64_t":$reduce, "int64_t":$core, "int64_t":$opt, "int64_t":$mode);
  let assemblyFormat = "`<` $reduce `core` $core `opt` $opt `mode` $mode `>`";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class Uop_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Uop_Dialect, opMnemonic, !listconcat([Pure], traits)>;

/// An operation that reads or writes a buffer in program order, as its traits declare.
class Uop_MemoryOp<string opMnemonic, list<Trait> traits>
    : Op<Uop_Dialect, opMnemonic, traits>;

/// Gives upstream's integer range analysis the range of the elements.
defvar Uop_Ranged = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>;

/// An operation with a result type that `inferType` derives from its operands and
/// attributes.
class Uop_InferredOp<string opMnemonic, list<Trait> traits = []>
    : Uop_Op<opMnemonic, !listconcat([
        DeclareOpInterfaceMethods<InferTypeOpInterface, ["refineReturnTypes"]>], traits)> {
  let results = (outs Uop_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the type of the result, or reports the violated rule.
    static ::mlir::FailureOr<::mlir::RankedTensorType>
    inferType(Adaptor adaptor, ::spyre::uop::Report report);
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      Adaptor adaptor(operands, attributes, properties, regions);
      return inferInto<$cppClass>(adaptor, location, types);
    }
    // The verifier compares the types, and reports the reason once.
    ::llvm::LogicalResult $cppClass::refineReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
        ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::mlir::success();
    }
    ::llvm::LogicalResult $cppClass::verify() { return verifyInferred(*this); }
  }];
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def Uop_ConstOp : Uop_Op<"const", [ConstantLike, Uop_Ranged, AllTypesMatch<["value", "result"]>]> {
  let summary = "Numbers that the program holds";
  let description = [{
    A `Const` of the specification is a scalar. Folding may give it any shape. `Binary`
    is a constant of rank 1 of `ui8`.

    ```mlir
    %0 = uop.const dense<2> : tensor<i32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Uop_BufferOp : Uop_Op<"buffer"> {
  let summary = "Memory that the program has besides its arguments";
  let description = [{
    Buffers with equal memory space and slot are the same. The elements are the
    contents before the program has run.

    ```mlir
    %0 = uop.buffer 3 local : tensor<4x4xf32>
    %1 = uop.buffer 4 global on ["d0", "d1"] : tensor<4x4xf32>
    ```

    * (U29) A tuple of devices is a list of one or more names, which differ.
  }];
  let arguments = (ins I64Attr:$slot, Uop_AddressSpaceAttr:$space,
    OptionalAttr<AnyAttrOf<[StrAttr, ArrayAttr]>>:$device);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$slot custom<Keyword>($space) (`on` custom<Device>($device)^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Uop_VariableOp : Uop_Op<"variable", [Uop_Ranged]> {
  let summary = "A symbolic integer";
  let description = [{
    A `Param` that is an integer between bounds, by its number or its name.

    ```mlir
    %0 = uop.variable "n" from 1 to 16 : tensor<index>
    ```

    * (U18) It is a scalar integer, and both bounds, or none, are numbers of its type
      in their order.
  }];
  let arguments = (ins AnyAttrOf<[I64Attr, StrAttr]>:$slot,
    OptionalAttr<I64Attr>:$min, OptionalAttr<I64Attr>:$max);
  let results = (outs Uop_IntegerTensor:$result);
  let assemblyFormat = "custom<Slot>($slot) (`from` $min^ `to` $max)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

class Uop_MovementOp<string opMnemonic> : Uop_InferredOp<opMnemonic, [Uop_Ranged]> {
  let hasFolder = 1;
}

def Uop_PermuteOp : Uop_MovementOp<"permute"> {
  let summary = "Another order of the axes";
  let description = [{
    Axis `i` of the result is axis `perm[i]` of the source.

    ```mlir
    %1 = uop.permute %0 [1, 0] : tensor<2x3xf32>
    ```

    * (U8) `perm` has each axis of the source once.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseI64ArrayAttr:$perm);
  let assemblyFormat = "$source $perm attr-dict `:` type($source)";
  let hasCanonicalizeMethod = 1;
}

def Uop_FlipOp : Uop_MovementOp<"flip"> {
  let summary = "Elements in the opposite order along some axes";
  let description = [{
    ```mlir
    %1 = uop.flip %0 [true, false] : tensor<2x3xf32>
    ```

    * (U9) There is a flag for each axis.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseBoolArrayAttr:$flags);
  let assemblyFormat = "$source $flags attr-dict `:` type($source)";
  let hasCanonicalizeMethod = 1;
}

def Uop_ReshapeOp : Uop_MovementOp<"reshape"> {
  let summary = "Elements in their order in another shape";
  let description = [{
    The order is that of rows: the last axis is the fastest.

    ```mlir
    %1 = uop.reshape %0 to [3, 2] : tensor<6xf32>
    ```

    * (U10) Both shapes have the same number of elements.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$source `to` $shape attr-dict `:` type($source)";
  let hasCanonicalizeMethod = 1;
}

def Uop_ExpandOp : Uop_MovementOp<"expand"> {
  let summary = "Axes of one element, repeated";
  let description = [{
    ```mlir
    %1 = uop.expand %0 to [4, 3] : tensor<1x3xf32>
    ```

    * (U11) The shapes have the same rank, and differ where the source has one element
      alone.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$source `to` $shape attr-dict `:` type($source)";
  let hasCanonicalizeMethod = 1;
}

def Uop_PadOp : Uop_MovementOp<"pad"> {
  let summary = "A tensor inside of a larger one of zeros";
  let description = [{
    The source begins at `offset`. Around it is 0, or false.

    ```mlir
    %1 = uop.pad %0 at [1, 0] to [4, 3] : tensor<2x3xf32>
    ```

    * (U12) The source at its offset is inside of the shape.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseI64ArrayAttr:$offset, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$source `at` $offset `to` $shape attr-dict `:` type($source)";
}

def Uop_ShrinkOp : Uop_MovementOp<"shrink"> {
  let summary = "A part of a tensor";
  let description = [{
    ```mlir
    %1 = uop.shrink %0 at [1, 0] to [2, 3] : tensor<4x3xf32>
    ```

    * (U13) The part is inside of the source.
  }];
  let arguments = (ins Uop_Tensor:$source, DenseI64ArrayAttr:$offset, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$source `at` $offset `to` $shape attr-dict `:` type($source)";
  let hasCanonicalizeMethod = 1;
}

def Uop_IndexOp : Uop_InferredOp<"index", [Uop_Ranged]> {
  let summary = "Elements at positions";
  let description = [{
    Positions are for the first axes of the source. A scalar drops its axis, a vector
    of `k` positions gives it extent `k`. Several vectors are an outer product.

    ```mlir
    // [5, 8]
    %1 = uop.index %0[%rows] : tensor<3x8xf32>[tensor<5xi32>]
    ```

    * (U14) There are at most as many positions as axes, and each is a scalar or a
      vector of integers.
  }];
  let arguments = (ins Uop_Tensor:$source, Variadic<Uop_IntegerTensor>:$positions);
  let assemblyFormat = [{
    $source (`[` $positions^ `]`)? attr-dict `:` type($source)
    (`[` type($positions)^ `]`)?
  }];
  let hasFolder = 1;
}

def Uop_StackOp : Uop_InferredOp<"stack", [Uop_Ranged]> {
  let summary = "Tensors along a new first axis";
  let description = [{
    ```mlir
    // [2, 3]
    %2 = uop.stack %0, %1 : tensor<3xf32>, tensor<3xf32>
    ```

    * (U15) There is at least one source, and all have one type.
  }];
  let arguments = (ins Variadic<Uop_Tensor>:$sources);
  let assemblyFormat = "$sources attr-dict `:` type($sources)";
  let hasFolder = 1;
}

def Uop_BitcastOp : Uop_InferredOp<"bitcast"> {
  let summary = "The same bytes as another element type";
  let description = [{
    The first of several elements is the low part of a wider one. The extent of the
    last axis changes with the width.

    ```mlir
    // [2]
    %1 = uop.bitcast %0 to ui32 : tensor<8xui8>
    ```

    * (U16) Neither type is a truth value or `index`, and the bytes of the last axis
      are whole elements. A scalar keeps its width.
  }];
  let arguments = (ins Uop_SizedTensor:$source, TypeAttr:$dtype);
  let assemblyFormat = "$source `to` $dtype attr-dict `:` type($source)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Uop_ReduceOp : Uop_InferredOp<"reduce", [Uop_Ranged]> {
  let summary = "Elements, combined along axes";
  let description = [{
    Reduced axes have one element afterwards. Elements are combined in the element type
    of the result, starting at the identity, which is also the result of no elements:
    0, the least value, or 1. `max` takes an element if the result so far is less, so
    it skips NaN. The operation also reduces over `ranges`.

    ```mlir
    // [4, 1]
    %1 = uop.reduce add %0 axes [1] : tensor<4x8xf32>
    ```

    * (U17) The axes ascend and are axes of the source. There is an axis or a range.
    * (U22) Ranges are results of `uop.range`.
  }];
  let arguments = (ins Uop_ReduceKindAttr:$kind, Uop_Tensor:$source, DenseI64ArrayAttr:$axes,
    Variadic<Uop_IntegerTensor>:$ranges);
  let assemblyFormat = [{
    custom<Keyword>($kind) $source `axes` $axes (`over` $ranges^ `:` type($ranges) `in`)? attr-dict `:` type($source)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

// Operands have one shape (U5) and one element type (U6), which the operation accepts
// (U7).

class Uop_UnaryOp<string opMnemonic, Type tensor, list<Trait> traits = []>
    : Uop_Op<opMnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins tensor:$operand);
  let results = (outs tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class Uop_BinaryOp<string opMnemonic, Type tensor, list<Trait> traits = []>
    : Uop_Op<opMnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

class Uop_CompareOp<string opMnemonic, list<Trait> traits = []>
    : Uop_Op<opMnemonic, !listconcat([Uop_Ranged, SameTypeOperands,
        TypesMatchWith<"the result has truth values in the shape of the operands",
                       "lhs", "result", "::spyre::uop::truthOf($_self)">], traits)> {
  let arguments = (ins Uop_Tensor:$lhs, Uop_Tensor:$rhs);
  let results = (outs Uop_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Uop_RecipOp : Uop_UnaryOp<"recip", Uop_FloatTensor> {
  let summary = "`1 / x`";
}
def Uop_TruncOp : Uop_UnaryOp<"trunc", Uop_FloatTensor> {
  let summary = "A float without its fraction";
}
def Uop_NegOp : Uop_UnaryOp<"neg", Uop_NumberTensor, [Uop_Ranged]> {
  let summary = "`-x`";
}
def Uop_NotOp : Uop_UnaryOp<"not", Uop_BoolTensor, [Uop_Ranged]> {
  let summary = "Whether a truth value is false";
  let hasFolder = 1;
}
def Uop_Exp2Op : Uop_UnaryOp<"exp2", Uop_FloatTensor> {
  let summary = "2 to the power of `x`";
}
def Uop_Log2Op : Uop_UnaryOp<"log2", Uop_FloatTensor> {
  let summary = "The logarithm to the base 2";
}
def Uop_SinOp : Uop_UnaryOp<"sin", Uop_FloatTensor> {
  let summary = "The sine of an angle in radians";
}
def Uop_SqrtOp : Uop_UnaryOp<"sqrt", Uop_FloatTensor> {
  let summary = "The square root";
}

def Uop_AddOp : Uop_BinaryOp<"add", Uop_Tensor, [Commutative, Uop_Ranged]> {
  let summary = "The sum; of truth values, whether one is true";
  let hasFolder = 1;
}
def Uop_MulOp : Uop_BinaryOp<"mul", Uop_Tensor, [Commutative, Uop_Ranged]> {
  let summary = "The product; of truth values, whether both are true";
  let hasFolder = 1;
}
def Uop_MaxOp : Uop_BinaryOp<"max", Uop_Tensor, [Uop_Ranged]> {
  let summary = "The second element if the first is less, else the first";
  let description = [{
    So the result is the first element where one of them is NaN.
  }];
}
def Uop_IdivOp : Uop_BinaryOp<"idiv", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The quotient, rounded down; 0 for a divisor of 0";
}
def Uop_ModOp : Uop_BinaryOp<"mod", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The remainder of `uop.idiv`, with the sign of the divisor";
  let description = [{
    With a divisor of 0, it is the first element.
  }];
}
def Uop_CDivOp : Uop_BinaryOp<"cdiv", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The quotient, rounded toward 0; 0 for a divisor of 0";
}
def Uop_CModOp : Uop_BinaryOp<"cmod", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The remainder of `uop.cdiv`, with the sign of the first element";
}
def Uop_SubOp : Uop_BinaryOp<"sub", Uop_NumberTensor, [Uop_Ranged]> {
  let summary = "The difference";
}
def Uop_DivOp : Uop_BinaryOp<"div", Uop_FloatTensor> {
  let summary = "The quotient of floats";
}
def Uop_PowOp : Uop_BinaryOp<"pow", Uop_FloatTensor> {
  let summary = "The first element to the power of the second";
}
def Uop_XorOp : Uop_BinaryOp<"xor", Uop_BitsTensor, [Commutative, Uop_Ranged]> {
  let summary = "The bits that differ";
}
def Uop_OrOp : Uop_BinaryOp<"or", Uop_BitsTensor, [Commutative, Uop_Ranged]> {
  let summary = "The bits of either element";
}
def Uop_AndOp : Uop_BinaryOp<"and", Uop_BitsTensor, [Commutative, Uop_Ranged]> {
  let summary = "The bits of both elements";
}
def Uop_ShlOp : Uop_BinaryOp<"shl", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The bits of the first element, further up by the second";
  let description = [{
    The amount is an unsigned number. An amount of the width or more gives 0.
  }];
}
def Uop_ShrOp : Uop_BinaryOp<"shr", Uop_IntegerTensor, [Uop_Ranged]> {
  let summary = "The bits of the first element, further down by the second";
  let description = [{
    Signed elements keep their sign. The amount is an unsigned number. An amount of the
    width or more leaves the sign bits, or 0 for unsigned elements.
  }];
}
def Uop_ThreefryOp : Uop_BinaryOp<"threefry", Uop_U64Tensor> {
  let summary = "Random bits of a counter and a key";
  let description = [{
    20 rounds of Threefry 2x32, in five groups of four. The low half of an element is
    its first word.
  }];
}

def Uop_CmpLtOp : Uop_CompareOp<"cmplt"> {
  let summary = "Whether the first element is less";
}
def Uop_CmpNeOp : Uop_CompareOp<"cmpne", [Commutative]> {
  let summary = "Whether the elements differ; true for NaN";
}
def Uop_CmpEqOp : Uop_CompareOp<"cmpeq", [Commutative]> {
  let summary = "Whether the elements are equal; false for NaN";
}
def Uop_CmpGtOp : Uop_CompareOp<"cmpgt"> {
  let summary = "Whether the first element is greater";
}
def Uop_CmpGeOp : Uop_CompareOp<"cmpge"> {
  let summary = "Whether the first element is not less; true for NaN";
}
def Uop_CmpLeOp : Uop_CompareOp<"cmple"> {
  let summary = "Whether the second element is not less; true for NaN";
}

def Uop_WhereOp : Uop_Op<"where", [Uop_Ranged, AllTypesMatch<["on_true", "on_false", "result"]>,
    TypesMatchWith<"the predicate has truth values in the shape of the result",
                   "result", "predicate", "::spyre::uop::truthOf($_self)">]> {
  let summary = "The second element where the first is true, else the third";
  let description = [{
    ```mlir
    %3 = uop.where %p, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Uop_BoolTensor:$predicate, Uop_Tensor:$on_true, Uop_Tensor:$on_false);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$predicate `,` $on_true `,` $on_false attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Uop_MulaccOp : Uop_Op<"mulacc", [Uop_Ranged, SameOperandsAndResultType]> {
  let summary = "The product of the first two elements, plus the third";
  let description = [{
    The product is rounded.

    ```mlir
    %3 = uop.mulacc %a, %b, %c : tensor<4xf32>
    ```
  }];
  let arguments = (ins Uop_Tensor:$lhs, Uop_Tensor:$rhs, Uop_Tensor:$summand);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $summand attr-dict `:` type($result)";
}

def Uop_CastOp : Uop_Op<"cast", [Uop_Ranged, SameOperandsAndResultShape]> {
  let summary = "Elements as another element type";
  let description = [{
    Floats are rounded to the nearest, ties to even. Between integers, the value wraps.
    From a float, the fraction is truncated, values out of range saturate, and NaN
    is 0. To a truth value, any value but 0 is true.

    ```mlir
    %1 = uop.cast %0 : tensor<4xf32> to tensor<4xi32>
    ```
  }];
  let arguments = (ins Uop_Tensor:$operand);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Markers and devices
//===----------------------------------------------------------------------===//

class Uop_MarkerOp<string opMnemonic> : Uop_UnaryOp<opMnemonic, Uop_Tensor, [Uop_Ranged]> {
  let hasCanonicalizeMethod = 1;
}

def Uop_ContiguousOp : Uop_MarkerOp<"contiguous"> {
  let summary = "The tensor, dense in memory";
}
def Uop_ContiguousBackwardOp : Uop_MarkerOp<"contiguous_backward"> {
  let summary = "The tensor, with a gradient that is dense in memory";
}
def Uop_DetachOp : Uop_MarkerOp<"detach"> {
  let summary = "The tensor, without a gradient";
}

def Uop_CopyOp : Uop_Op<"copy", [Uop_Ranged, SameOperandsAndResultType]> {
  let summary = "The tensor on another device";
  let description = [{
    To a tuple of devices, it is sharded along the first axis. To one device, it is
    whole. The elements do not change.

    ```mlir
    %1 = uop.copy %0 to ["d0", "d1"] : tensor<32xf32>
    ```

    * (U27) The first axis has equal parts for the devices of a tuple.
    * (U29) A tuple of devices is a list of one or more names, which differ.
  }];
  let arguments = (ins Uop_Tensor:$operand, AnyAttrOf<[StrAttr, ArrayAttr]>:$device);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$operand `to` custom<Device>($device) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Uop_ReplicatedOp : Uop_InferredOp<"replicated", [Uop_Ranged]> {
  let summary = "One of equal slices";
  let description = [{
    Drops an axis along which all slices are equal. Every device has all of the result.

    ```mlir
    // [32]
    %1 = uop.replicated %0 axis 0 : tensor<4x32xf32>
    ```

    * (U28) The source has the axis, with a slice to keep.
  }];
  let arguments = (ins Uop_Tensor:$source, I64Attr:$axis);
  let assemblyFormat = "$source `axis` $axis attr-dict `:` type($source)";
}

//===----------------------------------------------------------------------===//
// Memory and order
//===----------------------------------------------------------------------===//

def Uop_LoadOp : Uop_Op<"load", [Uop_Ranged, AttrSizedOperandSegments, AllTypesMatch<["buffer", "result"]>]> {
  let summary = "A new buffer with the elements of another";
  let description = [{
    Where a gate is false, it has the alternative. The new buffer may be on another
    device, or in another kind of memory.

    ```mlir
    %1 = uop.load %0 : tensor<4xf32>
    %2 = uop.load %0 if %gate : tensor<4xi1> else %other : tensor<4xf32> into local on "d0" : tensor<4xf32>
    ```

    * (U24) A gate comes with an alternative. It has truth values in the shape of the
      buffer, and the alternative has its type.
    * (U29) A tuple of devices is a list of one or more names, which differ.
  }];
  let arguments = (ins Uop_Tensor:$buffer, Optional<Uop_BoolTensor>:$gate,
    Optional<Uop_Tensor>:$alternative, OptionalAttr<Uop_AddressSpaceAttr>:$space,
    OptionalAttr<AnyAttrOf<[StrAttr, ArrayAttr]>>:$device);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = [{
    $buffer (`if` $gate^ `:` type($gate) `else` $alternative `:` type($alternative))?
    (`into` custom<Keyword>($space)^)? (`on` custom<Device>($device)^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Uop_StoreOp
    : Uop_MemoryOp<"store", [AllTypesMatch<["value", "buffer"]>, MemoryEffects<[MemWrite]>]> {
  let summary = "A write to a buffer";
  let description = [{
    Elements with a false gate are not written.

    ```mlir
    %e = uop.store %value into %buffer : tensor<4xf32>
    %f = uop.store %value into %buffer if %gate : tensor<4xi1> in tensor<4xf32>
    ```

    * (U23) The value has the type of the buffer, a gate has truth values in its shape,
      and the buffer is an argument or a `uop.buffer`, or a view of one that neither
      repeats nor adds elements. Through `uop.replicated`, each slice gets the value.
  }];
  let arguments = (ins Uop_Tensor:$value, Uop_Tensor:$buffer, Optional<Uop_BoolTensor>:$gate);
  let results = (outs Uop_EffectType:$effect);
  let assemblyFormat = [{
    $value `into` $buffer (`if` $gate^ `:` type($gate) `in`)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Uop_AfterOp
    : Uop_MemoryOp<"after", [AllTypesMatch<["buffer", "result"]>, MemoryEffects<[MemRead]>]> {
  let summary = "A buffer after effects";
  let description = [{
    The contents of the buffer at this point of the program.

    ```mlir
    %1 = uop.after %0, %e : tensor<4xf32>, !uop.effect
    ```

    * (U25) The buffer is an argument or a `uop.buffer`, or a view of one.
    * (U26) The values that it follows are effects or results of a `uop.range`.
  }];
  let arguments = (ins Uop_Tensor:$buffer, Variadic<AnyTypeOf<[Uop_EffectType, Uop_IntegerTensor]>>:$first);
  let results = (outs Uop_Tensor:$result);
  let assemblyFormat = "$buffer (`,` $first^)? attr-dict `:` type($buffer) (`,` type($first)^)?";
  let hasVerifier = 1;
}

def Uop_RangeOp : Uop_Op<"range", [Uop_Ranged]> {
  let summary = "The number of an iteration, from 0";
  let description = [{
    `axis` tells ranges apart. An `uop.end` or a `uop.reduce` closes the loop.

    ```mlir
    %i = uop.range 0 to 16 loop : tensor<index>
    ```

    * (U21) It is a scalar integer, and the number of iterations is not negative.
  }];
  let arguments = (ins I64Attr:$axis, I64Attr:$bound, Uop_AxisTypeAttr:$axis_type);
  let results = (outs Uop_IntegerTensor:$result);
  let assemblyFormat = "$axis `to` $bound custom<Keyword>($axis_type) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Uop_EndOp : Uop_Op<"end"> {
  let summary = "An effect for every iteration";
  let description = [{
    ```mlir
    %f = uop.end %e, %i : tensor<index>
    ```

    * (U22) The loop that it closes is the result of a `uop.range`.
  }];
  let arguments = (ins Uop_EffectType:$body, Uop_IntegerTensor:$range);
  let results = (outs Uop_EffectType:$effect);
  let assemblyFormat = "$body `,` $range attr-dict `:` type($range)";
  let hasVerifier = 1;
}

class Uop_CollectOp<string opMnemonic> : Uop_Op<opMnemonic> {
  let arguments = (ins Variadic<Uop_EffectType>:$effects);
  let results = (outs Uop_EffectType:$effect);
  // An empty list would take the name of the next result.
  let assemblyFormat = "($effects^) : (`nothing`)? attr-dict";
}

def Uop_GroupOp : Uop_CollectOp<"group"> {
  let summary = "Effects without an order among them";
}
def Uop_SinkOp : Uop_CollectOp<"sink"> {
  let summary = "The effects of a program";
}
def Uop_LinearOp : Uop_CollectOp<"linear"> {
  let summary = "Effects in their order";
}

#endif // UOP_TD
