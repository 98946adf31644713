//===- SpyreOps.td - Operations of the spyre dialect -------*- tablegen -*-===//
//
// Part of spyre-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPYRE_OPS_TD
#define SPYRE_OPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "spyre/SpyreAttrs.td"
include "spyre/SpyreInterfaces.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// f64 and complex types have no device format.
def Spyre_FloatElement : AnyTypeOf<[F16, BF16, F32, F8E4M3FN, F8E5M2]>;
def Spyre_NumberElement : AnyTypeOf<[F16, BF16, F32, F8E4M3FN, F8E5M2, I8, I32, I64]>;
def Spyre_AnyElement : AnyTypeOf<[F16, BF16, F32, F8E4M3FN, F8E5M2, I1, I8, I32, I64]>;

def Spyre_FloatTensor : RankedTensorOf<[Spyre_FloatElement]>;
def Spyre_NumberTensor : RankedTensorOf<[Spyre_NumberElement]>;
def Spyre_AnyTensor : RankedTensorOf<[Spyre_AnyElement]>;
def Spyre_BoolTensor : RankedTensorOf<[I1]>;
def Spyre_IndexTensor : RankedTensorOf<[I32, I64]>;
def Spyre_PositionTensor : RankedTensorOf<[I32, I64, F16, BF16, F32]>;
def Spyre_I32Tensor : RankedTensorOf<[I32]>;
def Spyre_TableTensor : RankedTensorOf<[F16, BF16, F32]>;
def Spyre_MathTensor : RankedTensorOf<[F16, BF16, F32]>;
def Spyre_DL16Tensor : RankedTensorOf<[F16, BF16]>;
def Spyre_F32Tensor : RankedTensorOf<[F32]>;
def Spyre_WordTensor : RankedTensorOf<[F32, I32, I64]>;
def Spyre_F8Tensor : RankedTensorOf<[F8E4M3FN, F8E5M2]>;
def Spyre_I8Tensor : RankedTensorOf<[I8]>;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Spyre_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Spyre_Dialect, opMnemonic, traits>;

// The range of the results of an operation on integers, element by element.
defvar integerRange = DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

// Attributes that every device operation carries.
defvar planAttrs = (ins OptionalAttr<Spyre_TileHintArrayAttr>:$tile,
                        OptionalAttr<Spyre_DivideHintArrayAttr>:$divide,
                        OptionalAttr<DenseI64ArrayAttr>:$split,
                        OptionalAttr<Spyre_PlaceAttr>:$place);
defvar planFormat = [{
  (`tile` custom<TileHints>($tile)^)?
  (`divide` custom<DivideHints>($divide)^)? (`split` $split^)?
  (`place` custom<Place>($place)^)?
}];

// A device operation: one OpFunc. Verified as a whole by the interface.
class Spyre_DeviceOp<string opMnemonic, string opFunc, list<Trait> traits = []>
    : Spyre_Op<opMnemonic, !listconcat([ConditionallySpeculatable,
        MemoryEffectsOpInterface, Spyre_DeviceOpInterface], traits)> {
  // An operation on values is pure. Once its result has a place, it is a write
  // to that place and may be neither merged nor removed nor hoisted.
  code opFuncDecl = !strconcat([{
    /// The OpFunc name in the bundle format.
    static constexpr ::llvm::StringLiteral getOpFuncName() { return "}], opFunc, [{"; }
    static ::llvm::StringRef getOpFunc() { return getOpFuncName(); }
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPlaceAttr() ? ::mlir::Speculation::NotSpeculatable
                            : ::mlir::Speculation::Speculatable;
    }
    void getEffects(::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
                        ::mlir::MemoryEffects::Effect>> &effects) {
      if (getPlaceAttr())
        effects.emplace_back(::mlir::MemoryEffects::Write::get(),
                             ::mlir::SideEffects::DefaultResource::get());
    }
  }]);
}

// The result has the broadcast shape of the operands, and the iteration space
// is the shape of the result.
class Spyre_PointwiseOp<string opMnemonic, string opFunc, list<Trait> traits = []>
    : Spyre_DeviceOp<opMnemonic, opFunc, traits> {
  code extraDecl = "";
  // Whether the result may have more positions than the operands broadcast to.
  code mayRepeat = "false";
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::resultShape(getOperation());
    }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::pointwiseTensorDims(getOperation(), tensor);
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyBroadcast(getOperation(), }], mayRepeat, [{);
    }
  }], extraDecl);
}

class Spyre_UnaryOp<string opMnemonic, string opFunc = opMnemonic,
                    TypeConstraint type = Spyre_FloatTensor,
                    list<Trait> traits = [AllElementTypesMatch<["input", "result"]>]>
    : Spyre_PointwiseOp<opMnemonic, opFunc, traits> {
  let arguments = !con((ins type:$input), planAttrs);
  let results = (outs type:$result);
  let assemblyFormat = !strconcat("$input", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
}

class Spyre_CastOp<string opMnemonic, TypeConstraint from, TypeConstraint to>
    : Spyre_PointwiseOp<opMnemonic, opMnemonic> {
  // The two sides have sticks of different sizes.
  let extraDecl = [{
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyCastSticks(getOperation());
    }
  }];
  let arguments = !con((ins from:$input), planAttrs);
  let results = (outs to:$result);
  let assemblyFormat = !strconcat("$input", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
}

class Spyre_BinaryOp<string opMnemonic, list<Trait> traits = [],
                     TypeConstraint type = Spyre_NumberTensor>
    : Spyre_PointwiseOp<opMnemonic, opMnemonic,
        !listconcat([AllElementTypesMatch<["lhs", "rhs", "result"]>], traits)> {
  let arguments = !con((ins type:$lhs, type:$rhs), planAttrs);
  let results = (outs type:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($lhs), type($rhs), type($result))");
}

class Spyre_CompareOp<string opMnemonic, list<Trait> traits = []>
    : Spyre_PointwiseOp<opMnemonic, opMnemonic,
        !listconcat([AllElementTypesMatch<["lhs", "rhs"]>], traits)> {
  let arguments = !con((ins Spyre_AnyTensor:$lhs, Spyre_AnyTensor:$rhs), planAttrs);
  let results = (outs Spyre_BoolTensor:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($lhs), type($rhs), type($result))");
  let description = [{
    Compares element by element with PyTorch broadcasting. The result is `i1`,
    which device memory stores as a 16-bit float, 0.0 or 1.0.

    ```mlir
    %m = spyre.}] # opMnemonic # [{ %a, %b : (tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xi1>
    ```
  }];
}

defvar broadcastRule = [{

    Operands broadcast as in PyTorch: shapes are aligned at their last
    dimension, and an operand repeats along a dimension that it lacks or where
    its extent is 1.
}];

//===----------------------------------------------------------------------===//
// Pointwise, one operand
//===----------------------------------------------------------------------===//

class Spyre_MathOp<string opMnemonic, string formula, string opFunc = opMnemonic,
                   string extra = "">
    : Spyre_UnaryOp<opMnemonic, opFunc> {
  let summary = "element by element: " # formula;
  let description = [{
    Computes `}] # formula # [{` for every element `x`.}] # extra # [{

    ```mlir
    %y = spyre.}] # opMnemonic # [{ %x : tensor<1024x4096xf16>
    ```
  }];
}

// A function that the card computes in another, faster way.
class Spyre_FastMathOp<string opMnemonic, string formula, string exact>
    : Spyre_MathOp<opMnemonic, formula, opMnemonic, [{ The card
    approximates it, and no document says how far its result is off: a CPU and the
    simulated card compute the function itself, as `spyre.}] # exact # [{` does.}]>;

def Spyre_AbsOp : Spyre_MathOp<"abs", "|x|"> { let hasFolder = 1; }
def Spyre_ExpOp : Spyre_MathOp<"exp", "e^x">;
def Spyre_FastExpOp : Spyre_FastMathOp<"fastexp", "e^x", "exp">;
def Spyre_FastSigmoidOp : Spyre_FastMathOp<"fastsigmoid", "1 / (1 + e^-x)", "sigmoid">;
def Spyre_FloorOp : Spyre_MathOp<"floor", "the largest integer not above x"> { let hasFolder = 1; }
def Spyre_GeluOp : Spyre_MathOp<"gelufwd", "x * P(X <= x), X standard normal">;
def Spyre_LogOp : Spyre_MathOp<"log", "ln(x)">;
def Spyre_MishOp : Spyre_MathOp<"mish", "x * tanh(ln(1 + e^x))">;
def Spyre_NegOp : Spyre_MathOp<"neg", "-x"> { let hasFolder = 1; }
def Spyre_ReciprocalOp : Spyre_MathOp<"reciprocal", "1 / x">;
def Spyre_ReluOp : Spyre_MathOp<"relufwd", "max(x, 0)"> { let hasFolder = 1; }
def Spyre_Relu6Op : Spyre_MathOp<"relu6fwd", "min(max(x, 0), 6)"> { let hasFolder = 1; }
def Spyre_RsqrtOp : Spyre_MathOp<"rsqrt", "1 / sqrt(x)">;
def Spyre_SigmoidOp : Spyre_MathOp<"sigmoid", "1 / (1 + e^-x)">;
def Spyre_SiluOp : Spyre_MathOp<"silu", "x / (1 + e^-x)">;
def Spyre_SqrtOp : Spyre_MathOp<"sqrt", "sqrt(x)">;
def Spyre_TanhOp : Spyre_MathOp<"tanh", "tanh(x)">;

def Spyre_ClipOp : Spyre_UnaryOp<"clip"> {
  let summary = "element by element: x limited to [min, max]";
  let description = [{
    ```mlir
    %y = spyre.clip %x min -1.5 max 2.25 : tensor<256x512xf16>
    ```

    * (S12) `min` and `max` are numbers, and `min` is not above `max`.
  }];
  let arguments = !con((ins Spyre_FloatTensor:$input, F64Attr:$min, F64Attr:$max), planAttrs);
  let assemblyFormat = !strconcat("$input `min` custom<Number>($min) `max` custom<Number>($max)", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let extraDecl = [{
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::constants(getContext(), {{"clipMin", getMinAttr()}, {"clipMax", getMaxAttr()}});
    }
  }];
  let hasVerifier = 1;
}

def Spyre_SoftplusOp : Spyre_UnaryOp<"softplus"> {
  let summary = "element by element: ln(1 + e^(beta * x)) / beta";
  let description = [{
    Above `threshold`, where the function is linear to working precision, the
    result is `x` itself.

    ```mlir
    %y = spyre.softplus %x beta 1.0 threshold 20.0 : tensor<256x512xf16>
    ```

    * (S18) `beta` is positive and finite, and `threshold` is a number.
  }];
  let hasVerifier = 1;
  let arguments = !con((ins Spyre_FloatTensor:$input, F64Attr:$beta, F64Attr:$threshold), planAttrs);
  let assemblyFormat = !strconcat("$input `beta` custom<Number>($beta) `threshold` custom<Number>($threshold)", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let extraDecl = [{
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::constants(getContext(), {{"softplusBeta", getBetaAttr()}, {"softplusThresh", getThresholdAttr()}});
    }
  }];
}

// An operation that reads the pair of moments of a `spyre.exx2`: its operand
// `pair` has an extent of 2 in the last dimension, of which the iteration space has
// no coordinate, since an operation reads both moments of a row.
class Spyre_PairOp<string opMnemonic, int pair, list<Trait> traits>
    : Spyre_DeviceOp<opMnemonic, opMnemonic, traits> {
  code extraDecl = "";
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    /// The number of the operand that is a pair.
    static constexpr unsigned getPairNumber() { return }], !cast<string>(pair), [{; }
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::resultShape(getOperation());
    }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::pairTensorDims(getOperation(), tensor, getPairNumber());
    }
  }], extraDecl);
}

def Spyre_LayerNormScaleOp : Spyre_PairOp<"layernormscale", 0,
    [AllElementTypesMatch<["pair", "result"]>]> {
  let summary = "layer norm: 1 / sqrt(variance + eps) of each pair of exx2";
  let description = [{
    The second operation of a layer norm, after `spyre.exx2`. The variance is the mean
    of squares less the square of the mean.

    ```mlir
    %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<128x2xf16>) -> tensor<128x1xf16>
    ```

    * (S19) `eps` is finite and not negative.
    * (S40) The pair has an extent of 2 in its last dimension, and the result 1;
      the other extents equal the result's.
    * (S41) A pair that has a layout has the arrangement `exx2`, and the last
      dimension on the stick.
  }];
  let hasVerifier = 1;
  let arguments = !con((ins Spyre_MathTensor:$pair, F64Attr:$eps), planAttrs);
  let results = (outs Spyre_MathTensor:$result);
  let assemblyFormat = !strconcat("$pair `eps` custom<Number>($eps)", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($pair), type($result))");
  let extraDecl = [{
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyPairShapes(getOperation(), getPairNumber());
    }
    ::llvm::LogicalResult verifySticks() {
      if (::mlir::failed(::spyre::detail::verifySticks(getOperation())))
        return ::mlir::failure();
      return ::spyre::detail::verifyPairStick(getOperation(), getPairNumber());
    }
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::constants(getContext(), {{"eps", getEpsAttr()}});
    }
  }];
}

def Spyre_CopyOp : Spyre_UnaryOp<"copy", "identity", Spyre_AnyTensor,
    [AllElementTypesMatch<["input", "result"]>, integerRange]> {
  let summary = "copies a tensor to another place";
  let description = [{
    The OpFunc `identity`. As a value the result equals the operand, so a copy
    of a type to itself without a place and without hints folds away. Planning
    inserts copies where a tensor must live in two places, and layout passes insert
    copies to another order of dimensions. The operand repeats along a dimension that
    it lacks or where its extent is 1, as in PyTorch.

    ```mlir
    %y = spyre.copy %x : tensor<1024x4096xf16>
    %r = spyre.copy %c : (tensor<1024x1xf16>) -> tensor<1024x64xf16>
    ```

    With `from` and `to` a copy is a relayout: it moves the slices of a tensor
    between the scratchpads of cores, and becomes the OpFunc `shuffle`. `from` is the
    division of the operand over cores, `to` that of the result: the slices along
    dimensions, the fastest digit of the number of a core first, and -1 for cores that
    get the same slice. Here 32 cores have two rows each, and then four cores each
    have the same eight rows:

    ```mlir
    %r = spyre.copy %x from [0] by [32] to [0, -1] by [8, 4] split [8, 1]
        : tensor<64x128xf16>
    ```

    * (S13) The operand and the result have one device format and one
      arrangement. The same dimension is on the stick of both (`spyre.restickify`
      changes it).
    * (S43) A relayout has `from` and `to`, each with as many numbers of slices
      as dimensions, positive and together below 2^31. No dimension is there
      twice; only `to` has -1. The operand and the result have one type,
      `split` has the number of slices in `to` along each dimension, and the result
      has no place other than LX.
  }];
  let mayRepeat = "true";
  let arguments = !con((ins Spyre_AnyTensor:$input,
                            OptionalAttr<DenseI64ArrayAttr>:$from_dims,
                            OptionalAttr<DenseI64ArrayAttr>:$from_slices,
                            OptionalAttr<DenseI64ArrayAttr>:$to_dims,
                            OptionalAttr<DenseI64ArrayAttr>:$to_slices),
                       planAttrs);
  let assemblyFormat = !strconcat("$input ",
      "(`from` $from_dims^ `by` $from_slices `to` $to_dims `by` $to_slices)? ",
      planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

def Spyre_DL16ToFP32Op : Spyre_CastOp<"dl16tofp32", Spyre_DL16Tensor, Spyre_F32Tensor> {
  let summary = "16-bit float to f32, on the device";
  let description = "`f16` and `bf16` are both stored as DL16 (1-6-9) in device memory.";
}
def Spyre_FP32ToDL16Op : Spyre_CastOp<"fp32todl16", Spyre_F32Tensor, Spyre_DL16Tensor> {
  let summary = "f32 to 16-bit float, on the device";
  let description = "`f16` and `bf16` are both stored as DL16 (1-6-9) in device memory.";
}
def Spyre_FP8ToDL16Op : Spyre_CastOp<"fp8todl16", Spyre_F8Tensor, Spyre_DL16Tensor> {
  let summary = "8-bit float to 16-bit float, on the device";
  let description = "Exact: every 8-bit float is a DL16 number.";
}
def Spyre_QFP8CHOp : Spyre_CastOp<"qfp8ch", Spyre_DL16Tensor, Spyre_F8Tensor> {
  let summary = "16-bit float to 8-bit float, arranged for activations";
  let description = "Quantizes the channels of a batchmatmulfp8 activation.";
}
def Spyre_QFP8WTOp : Spyre_CastOp<"qfp8wt", Spyre_DL16Tensor, Spyre_F8Tensor> {
  let summary = "16-bit float to 8-bit float, arranged for weights";
  let description = "Quantizes a batchmatmulfp8 weight.";
}

def Spyre_BitcastOp : Spyre_PointwiseOp<"bitcast", "identity",
    [PredOpTrait<"input and result have different element types",
        CPred<"::mlir::getElementTypeOrSelf($_op.getOperand(0)) != ::mlir::getElementTypeOrSelf($_op.getResult(0))">>,
     DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>]> {
  let summary = "the same bits in device memory as another type";
  let description = [{
    Copies elements of 32 bits and gives them another type: `f32`, `i32`, or `i64`,
    which has 32 bits in device memory. Files declare copies of integers as copies of
    floats, since the bits move unchanged; so does this copy. An `i64` is truncated to
    its low 32 bits.

    ```mlir
    %y = spyre.bitcast %x : (tensor<8x64xi32>) -> tensor<8x64xf32>
    ```
  }];
  let arguments = !con((ins Spyre_WordTensor:$input), planAttrs);
  let results = (outs Spyre_WordTensor:$result);
  let assemblyFormat = !strconcat("$input", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Pointwise, two and more operands
//===----------------------------------------------------------------------===//

class Spyre_ArithOp<string opMnemonic, string formula, list<Trait> traits = [],
                    TypeConstraint type = Spyre_NumberTensor, string extra = "">
    : Spyre_BinaryOp<opMnemonic, traits, type> {
  let summary = "element by element: " # formula;
  let description = !strconcat([{
    Computes `}], formula, "`.", extra, broadcastRule, [{

    ```mlir
    %y = spyre.}], opMnemonic, [{ %a, %b : tensor<1024x4096xf16>
    %z = spyre.}], opMnemonic, [{ %y, %row : (tensor<1024x4096xf16>, tensor<1x4096xf16>) -> tensor<1024x4096xf16>
    ```
  }]);
}

def Spyre_AddOp : Spyre_ArithOp<"add", "a + b", [Commutative, integerRange]>;
def Spyre_SubOp : Spyre_ArithOp<"sub", "a - b", [integerRange]>;
def Spyre_MulOp : Spyre_ArithOp<"mul", "a * b", [Commutative, integerRange]>;
// No OpFunc divides integers.
def Spyre_RealDivOp : Spyre_ArithOp<"realdiv", "a / b", [], Spyre_FloatTensor>;
def Spyre_RevSubOp : Spyre_ArithOp<"revsub", "b - a", [], Spyre_FloatTensor>;
def Spyre_BiasAddOp : Spyre_ArithOp<"biasadd", "a + b", [], Spyre_FloatTensor, [{ The sum
    of `spyre.add` by an OpFunc for biases. No document restricts its operands, so
    either may repeat.}]>;
def Spyre_MaximumOp : Spyre_ArithOp<"maximum", "max(a, b)", [Commutative, integerRange]> { let hasFolder = 1; }
def Spyre_MinimumOp : Spyre_ArithOp<"minimum", "min(a, b)", [Commutative, integerRange]> { let hasFolder = 1; }

def Spyre_EqualOp : Spyre_CompareOp<"equal", [Commutative]> { let summary = "element by element: a == b"; }
def Spyre_NotEqualOp : Spyre_CompareOp<"notequal", [Commutative]> { let summary = "element by element: a != b"; }
def Spyre_GreaterThanOp : Spyre_CompareOp<"greaterthan"> { let summary = "element by element: a > b"; }
def Spyre_GreaterEqualOp : Spyre_CompareOp<"greaterequal"> { let summary = "element by element: a >= b"; }
def Spyre_LesserThanOp : Spyre_CompareOp<"lesserthan"> { let summary = "element by element: a < b"; }
def Spyre_LesserEqualOp : Spyre_CompareOp<"lesserequal"> { let summary = "element by element: a <= b"; }

def Spyre_Where3Op : Spyre_PointwiseOp<"where3", "where3",
    [AllElementTypesMatch<["on_true", "on_false", "result"]>, integerRange]> {
  let summary = "element by element: condition ? on_true : on_false";
  let description = !strconcat([{
    Selects by the condition.}], broadcastRule, [{

    ```mlir
    %y = spyre.where3 %c, %a, %b
      : (tensor<8x64xi1>, tensor<8x64xf16>, tensor<8x64xf16>) -> tensor<8x64xf16>
    ```
  }]);
  let arguments = !con((ins Spyre_BoolTensor:$condition, Spyre_AnyTensor:$on_true,
                            Spyre_AnyTensor:$on_false), planAttrs);
  let results = (outs Spyre_AnyTensor:$result);
  let assemblyFormat = !strconcat("$condition `,` $on_true `,` $on_false", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($condition), type($on_true), type($on_false), type($result))");
  let hasFolder = 1;
}

def Spyre_LayerNormNormOp : Spyre_PairOp<"layernormnorm", 1,
    [AllElementTypesMatch<["input", "pair", "scale", "weight", "bias", "result"]>]> {
  let summary = "layer norm: (x - mean) * scale * weight + bias";
  let description = !strconcat([{
    The last operation of a layer norm. It reads the data, the mean in the pair of
    each row from `spyre.exx2`, and the scale from `spyre.layernormscale`. Weight and
    bias are always present, 1 and 0 where the program has none.}], broadcastRule, [{

    ```mlir
    %e = spyre.exx2 %x : (tensor<128x256xf16>) -> tensor<128x2xf16>
    %s = spyre.layernormscale %e eps 1.0e-5 : (tensor<128x2xf16>) -> tensor<128x1xf16>
    %y = spyre.layernormnorm %x, %e, %s, %w, %b
      : (tensor<128x256xf16>, tensor<128x2xf16>, tensor<128x1xf16>, tensor<1x256xf16>, tensor<1x256xf16>) -> tensor<128x256xf16>
    ```

    * (S22) The input has its last dimension on the stick.
    * (S40) The input has the shape of the result, with a last dimension of more than
      one element. The pair has an extent of 2 in its
      last dimension, and the scale, if it has as many dimensions as the result, 1.
    * (S41) A pair that has a layout has the arrangement `exx2`, and the last
      dimension on the stick.
    * (S42) `split` is 1 in the last dimension, which is normalised.
  }]);
  let hasVerifier = 1;
  let extraDecl = [{
    ::llvm::LogicalResult verifyShapes();
    ::llvm::LogicalResult verifySticks() {
      if (::mlir::failed(::spyre::detail::verifyLastDimStick(getOperation())))
        return ::mlir::failure();
      return ::spyre::detail::verifyPairStick(getOperation(), getPairNumber());
    }
  }];
  let arguments = !con((ins Spyre_MathTensor:$input, Spyre_MathTensor:$pair, Spyre_MathTensor:$scale,
                            Spyre_MathTensor:$weight, Spyre_MathTensor:$bias), planAttrs);
  let results = (outs Spyre_MathTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $pair `,` $scale `,` $weight `,` $bias", planFormat,
      [{attr-dict `:` custom<TensorTypes>(type($input), type($pair), type($scale),
        type($weight), type($bias), type($result))}]);
}

//===----------------------------------------------------------------------===//
// Element by element, without an OpFunc
//===----------------------------------------------------------------------===//

// An operation that the card has no OpFunc for. It has no plan: the operations
// that `--spyre-decompose` writes in its place have one.
class Spyre_DecomposedOp<string opMnemonic, list<Trait> traits = []>
    : Spyre_Op<opMnemonic, !listconcat([Pure], traits)>;

class Spyre_DecomposedMathOp<string opMnemonic, string formula>
    : Spyre_DecomposedOp<opMnemonic, [SameOperandsAndResultType]> {
  let summary = "element by element: " # formula # "; no OpFunc";
  let description = [{
    Computes `}] # formula # [{` for every element `x`. No OpFunc computes it:
    `--spyre-decompose` writes it with operations that have one.

    ```mlir
    %y = spyre.}] # opMnemonic # [{ %x : tensor<1024x4096xf16>
    ```
  }];
  let arguments = (ins Spyre_MathTensor:$input);
  let results = (outs Spyre_MathTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Spyre_AcosOp : Spyre_DecomposedMathOp<"acos", "acos(x)">;
def Spyre_AcoshOp : Spyre_DecomposedMathOp<"acosh", "acosh(x)">;
def Spyre_AsinOp : Spyre_DecomposedMathOp<"asin", "asin(x)">;
def Spyre_AsinhOp : Spyre_DecomposedMathOp<"asinh", "asinh(x)">;
def Spyre_AtanOp : Spyre_DecomposedMathOp<"atan", "atan(x)">;
def Spyre_AtanhOp : Spyre_DecomposedMathOp<"atanh", "atanh(x)">;
def Spyre_CbrtOp : Spyre_DecomposedMathOp<"cbrt", "the cubic root of x">;
def Spyre_CeilOp : Spyre_DecomposedMathOp<"ceil", "the smallest integer not below x">;
def Spyre_CosOp : Spyre_DecomposedMathOp<"cos", "cos(x)">;
def Spyre_CoshOp : Spyre_DecomposedMathOp<"cosh", "cosh(x)">;
def Spyre_ErfOp : Spyre_DecomposedMathOp<"erf", "erf(x)">;
def Spyre_Exp2Op : Spyre_DecomposedMathOp<"exp2", "2^x">;
def Spyre_ExpM1Op : Spyre_DecomposedMathOp<"expm1", "e^x - 1">;
def Spyre_Log1POp : Spyre_DecomposedMathOp<"log1p", "ln(1 + x)">;
def Spyre_Log2Op : Spyre_DecomposedMathOp<"log2", "log2(x)">;
def Spyre_RoundOp : Spyre_DecomposedMathOp<"round", "the integer nearest to x, the even one of two">;
def Spyre_RoundAwayOp : Spyre_DecomposedMathOp<"roundaway", "the integer nearest to x, of two the one away from 0">;
def Spyre_SinOp : Spyre_DecomposedMathOp<"sin", "sin(x)">;
def Spyre_SinhOp : Spyre_DecomposedMathOp<"sinh", "sinh(x)">;
def Spyre_TanOp : Spyre_DecomposedMathOp<"tan", "tan(x)">;
def Spyre_TruncOp : Spyre_DecomposedMathOp<"trunc", "the integer nearest to x, and not beyond it">;

class Spyre_DecomposedCastOp<string opMnemonic, TypeConstraint from, TypeConstraint to>
    : Spyre_DecomposedOp<opMnemonic, [AllShapesMatch<["input", "result"]>]> {
  let arguments = (ins from:$input);
  let results = (outs to:$result);
  let assemblyFormat = "$input attr-dict `:` custom<TensorTypes>(type($input), type($result))";
}

def Spyre_FPToSIOp : Spyre_DecomposedCastOp<"fptosi", Spyre_F32Tensor, Spyre_I32Tensor> {
  let summary = "f32 to a signed integer, towards 0; no OpFunc";
  let description = [{
    As `arith.fptosi`: the result of a value that does not fit into 32 bits is
    undefined. No OpFunc computes it: `--spyre-decompose` expands it into operations
    that have one.

    ```mlir
    %y = spyre.fptosi %x : (tensor<8x64xf32>) -> tensor<8x64xi32>
    ```
  }];
}
def Spyre_SIToFPOp : Spyre_DecomposedCastOp<"sitofp", Spyre_IndexTensor, Spyre_F32Tensor> {
  let summary = "a signed integer to the nearest f32; no OpFunc";
  let description = [{
    As `arith.sitofp`, for all integers of 32 and of 64 bits. No OpFunc computes it:
    `--spyre-decompose` writes it with operations that have one, for integers that fit
    into the 32 bits that device memory has of them.

    ```mlir
    %y = spyre.sitofp %x : (tensor<8x64xi32>) -> tensor<8x64xf32>
    ```
  }];
}

class Spyre_DecomposedPairOp<string opMnemonic, string formula, string more = "">
    : Spyre_DecomposedOp<opMnemonic, [AllElementTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "element by element: " # formula # "; no OpFunc";
  let description = !strconcat([{
    Computes `}], formula, [{` for every pair of elements. No OpFunc computes it:
    `--spyre-decompose` writes it with operations that have one.}], more, broadcastRule, [{

    ```mlir
    %y = spyre.}], opMnemonic, [{ %a, %b : tensor<1024x4096xf16>
    %z = spyre.}], opMnemonic, [{ %y, %row : (tensor<1024x4096xf16>, tensor<1x4096xf16>) -> tensor<1024x4096xf16>
    ```

    * (S28) The operands broadcast to the shape of the result, as in (S1).
  }]);
  let arguments = (ins Spyre_MathTensor:$lhs, Spyre_MathTensor:$rhs);
  let results = (outs Spyre_MathTensor:$result);
  let assemblyFormat = [{$lhs `,` $rhs attr-dict
      `:` custom<TensorTypes>(type($lhs), type($rhs), type($result))}];
  let hasVerifier = 1;
}

def Spyre_Atan2Op : Spyre_DecomposedPairOp<"atan2", "atan2(a, b)">;
def Spyre_CopysignOp : Spyre_DecomposedPairOp<"copysign", "the magnitude of a with the sign of b">;
def Spyre_FmodOp : Spyre_DecomposedPairOp<"fmod", "what is left of a by the multiples of b, with the sign of a">;
def Spyre_PowOp : Spyre_DecomposedPairOp<"pow", "a^b", [{ A constant
    `b` makes products or a root where it can.}]>;

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

def Spyre_RestickifyOp : Spyre_PointwiseOp<"restickify", "ReStickifyOpHBM",
    [AllElementTypesMatch<["input", "result"]>, AllShapesMatch<["input", "result"]>, integerRange]> {
  let summary = "changes the layout of a tensor";
  let description = [{
    A device copy from one layout to another, of the same values: the only
    operation that moves another dimension onto the stick.

    ```mlir
    %y = spyre.restickify %x : (tensor<256x512xf16, #rows>) -> tensor<256x512xf16, #cols>
    ```

    * (S14) The result has a layout, and both sides have one device format.
  }];
  // The operand and the result may have any dimension on their sticks.
  let extraDecl = [{
    ::llvm::LogicalResult verifySticks() { return ::llvm::success(); }
  }];
  let arguments = !con((ins Spyre_AnyTensor:$input), planAttrs);
  let results = (outs Spyre_AnyTensor:$result);
  let assemblyFormat = !strconcat("$input", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Spyre_PermuteOp : Spyre_Op<"permute", [Pure, InferTypeOpAdaptorWithIsCompatible, integerRange]> {
  let summary = "a view with the dimensions in another order";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input.
    No data moves: both are the same bytes, read with other coordinates. It
    corresponds to `memref.transpose` on values, and to PyTorch's `permute`.
    `linalg.transpose`, in contrast, writes a new tensor.

    ```mlir
    #rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
    #cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
    %t = spyre.permute %x [1, 0] : tensor<256x512xf16, #rows> to tensor<512x256xf16, #cols>
    ```

    Other views are upstream operations: `tensor.extract_slice`,
    `tensor.expand_shape` and `tensor.collapse_shape`.

    * (S20) `permutation` names each dimension of the input once. The result
      has the permuted shape and, if it has a layout, the permuted layout of the
      input.
  }];
  let arguments = (ins Spyre_AnyTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Spyre_AnyTensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Spyre_EmptyOp : Spyre_Op<"empty", []> {
  let summary = "a tensor of undefined contents";
  let description = [{
    The destination that a loop fills. It allocates, so two of them are never
    merged into one.

    ```mlir
    %z = spyre.empty : tensor<1024x4096xf16, #stick>
    %d = spyre.empty(%s) : tensor<?x4096xf16, #stick>
    ```

    * (S17) There is one size for each dynamic extent. A result with a place has a
      static shape.
  }];
  let arguments = (ins Variadic<Index>:$sizes, OptionalAttr<Spyre_PlaceAttr>:$place);
  let results = (outs Res<Spyre_AnyTensor, "the buffer", [MemAlloc]>:$result);
  let assemblyFormat = "(`(` $sizes^ `)`)? (`place` custom<Place>($place)^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Spyre_DimSizeOp : Spyre_Op<"dim_size", [Pure]> {
  let summary = "the extent of a dynamic dimension";
  let description = [{
    The extent, in elements, of a dimension that `spyre.dim_sizes` of the function
    declares `#spyre.dynamic`; the launcher sets it. It bounds loops in a function
    with tensors of their largest extents (`--spyre-bound-dynamic-dims`), and is a
    parameter of the bundle.

    ```mlir
    %s = spyre.dim_size "S"
    ```

    * (S24) The function around declares the name `#spyre.dynamic`.
  }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

def Spyre_FillOp : Spyre_Op<"fill", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>, integerRange]> {
  let summary = "a tensor with one value everywhere";
  let description = [{
    ```mlir
    %one = spyre.fill dense<1.0> : tensor<1024x4096xf16, #stick>
    ```

    * (S15) The value is a splat.
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Spyre_AnyTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// `dims` of the input are reduced. With `keepdim` they stay, of extent 1.
class Spyre_ReductionOp<string opMnemonic, string formula, string extra = "">
    : Spyre_DeviceOp<opMnemonic, opMnemonic, [AllElementTypesMatch<["input", "result"]>]> {
  let summary = "reduction: " # formula;
  let description = [{
    Reduces `dims` of the input to }] # formula # "." # extra # [{

    ```mlir
    %s = spyre.}] # opMnemonic # [{ %x dims [1] keepdim : (tensor<128x512xf16>) -> tensor<128x1xf16>
    %t = spyre.}] # opMnemonic # [{ %x dims [0] : (tensor<128x512xf16>) -> tensor<512xf16>
    ```

    * (S10) `dims` are ascending dimensions of the input, at least one.
    * (S11) The shape of the result is that of the input without `dims`, or
      with extent 1 there under `keepdim`.
  }];
  let arguments = !con((ins Spyre_FloatTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdim), planAttrs);
  let results = (outs Spyre_FloatTensor:$result);
  let assemblyFormat = !strconcat("$input `dims` $dims (`keepdim` $keepdim^)?", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  code extraDecl = "";
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::reductionSpace(getOperation(), getDims(), getKeepdim());
    }
    unsigned getNumReductionDims() { return getDims().size(); }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::reductionTensorDims(getOperation(), getDims(), getKeepdim(), tensor);
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyReduction(getOperation(), getDims(), getKeepdim());
    }
  }], extraDecl);
}

def Spyre_SumOp : Spyre_ReductionOp<"sum", "the sum">;
def Spyre_ProdOp : Spyre_ReductionOp<"prod", "the product">;
def Spyre_MaxOp : Spyre_ReductionOp<"max", "the maximum">;
def Spyre_MinOp : Spyre_ReductionOp<"min", "the minimum">;
def Spyre_AbsMaxOp : Spyre_ReductionOp<"absmax", "the maximum of the absolute values">;
def Spyre_MeanOp : Spyre_ReductionOp<"mean", "the arithmetic mean"> {
  let extraDecl = [{
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::meanConstants(getOperation(), getDims());
    }
  }];
}
def Spyre_QuantScalePerTokenFP8Op : Spyre_ReductionOp<"quantscalepertokenfp8",
    "the scale of rows that are quantized to 8-bit floats"> {
  let description = [{
    Reduces the last dimension of the input to `min(max(m, min), max) * factor` of
    the largest absolute value `m` of a row, computed in `f32` and rounded once. With
    1/448 as the factor, a row divided by its scale fits into `f8E4M3FN`, and `min`
    keeps the scale of a row of zeros from being zero.

    ```mlir
    %s = spyre.quantscalepertokenfp8 %x dims [1] keepdim min 1.0e-6 max 65504.0 factor 0.00223
      : (tensor<128x512xf16>) -> tensor<128x1xf16>
    ```

    A file has the three numbers in the format of the tensors. Loops may cut the row:
    the scale of the row is the maximum of the scales of its parts.

    * (S10) `dims` are ascending dimensions of the input, at least one.
    * (S11) The shape of the result is that of the input without `dims`, or
      with extent 1 there under `keepdim`.
    * (S22) The input has its last dimension on the stick.
    * (S34) `min` and `max` are numbers, `min` is neither negative nor above `max`,
      and `factor` is positive and finite.
    * (S35) `dims` is the last dimension alone, and it has more than one element:
      no OpFunc has the scale along another one.
  }];
  let hasVerifier = 1;
  let arguments = !con((ins Spyre_FloatTensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdim,
                            F64Attr:$min, F64Attr:$max, F64Attr:$factor), planAttrs);
  let assemblyFormat = !strconcat([{$input `dims` $dims (`keepdim` $keepdim^)? `min` custom<Number>($min)
      `max` custom<Number>($max) `factor` custom<Number>($factor)}], planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let extraDecl = [{
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyLastDimStick(getOperation());
    }
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::constants(getContext(),
          {{"clipMin", getMinAttr()}, {"clipMax", getMaxAttr()}, {"mulConst", getFactorAttr()}});
    }
  }];
}
def Spyre_Exx2Op : Spyre_DeviceOp<"exx2", "exx2", [AllElementTypesMatch<["input", "result"]>]> {
  let summary = "the mean and the mean of squares of each row";
  let description = [{
    The first operation of a layer norm: the two moments of each row of the last
    dimension. They are a pair, which is the last dimension of the result, with the
    mean first. Each stick has one pair, in the arrangement `exx2`, and only
    `spyre.layernormscale` and `spyre.layernormnorm` read it; `spyre.copy` moves it.
    The moments are rounded to the element type, so the variance of a row, which is
    their difference, is off by up to 3 u times the square of the mean, where u is
    half of a step at 1: 2^-11 of `f16`, 2^-10 of the card's own format, 2^-24 of
    `f32`. A variance below that has no correct digit, and may be negative. For such
    rows, subtract the mean of each row first: then the first moment is near 0, and
    the variance as exact as the elements.

    ```mlir
    %e = spyre.exx2 %x : (tensor<128x512xf16>) -> tensor<128x2xf16>
    ```

    The constant `exx2scale` is 1 / n for rows of n elements.

    * (S22) The input has its last dimension on the stick.
    * (S40) The input has a last dimension of more than one element, and the result
      has its shape with an extent of 2 in place of that.
    * (S41) A result that has a layout has the arrangement `exx2`, and the last
      dimension on the stick.
    * (S42) `split` is 1 in the last dimension, which is normalised.
  }];
  let hasVerifier = 1;
  let arguments = !con((ins Spyre_MathTensor:$input), planAttrs);
  let results = (outs Spyre_MathTensor:$result);
  let assemblyFormat = !strconcat("$input", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace();
    unsigned getNumReductionDims() { return 1; }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor);
    ::llvm::LogicalResult verifyShapes();
    ::llvm::LogicalResult verifySticks() {
      if (::mlir::failed(::spyre::detail::verifyLastDimStick(getOperation())))
        return ::mlir::failure();
      return ::spyre::detail::verifyPairStick(getOperation(), /*pair=*/1);
    }
    ::mlir::DictionaryAttr getOpConstants();
  }]);
}

class Spyre_TopKOp<string opMnemonic, string what, TypeConstraint resultType, string element,
                   list<Trait> traits = []>
    : Spyre_DeviceOp<opMnemonic, opMnemonic, traits> {
  let summary = "the k largest elements along a dimension: " # what;
  let description = [{
    ```mlir
    %v = spyre.}] # opMnemonic # [{ %x dim 1 k 4 : (tensor<64x256xf16>) -> tensor<64x4x}] # element # [{>
    ```

    * (S16) `dim` is a dimension of the input, and the result has the shape of
      the input with extent `k` there; `k` is positive and at most that extent.
    * (S9) The input and the result have the same dimension on the stick, and
      it is not `dim`.
    * (S33) Positions as floats are of the element type of the input, which
      holds each of them exactly: up to 1024 in `f16`, 256 in `bf16`, 2^24 in
      `f32`. The card has those; positions as integers are the host's.
  }];
  let arguments = !con((ins Spyre_FloatTensor:$input, I64Attr:$dim, I64Attr:$k), planAttrs);
  let results = (outs resultType:$result);
  let assemblyFormat = !strconcat("$input `dim` custom<Integer>($dim) `k` custom<Integer>($k)", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($input), type($result))");
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::topKSpace(getOperation(), getDim());
    }
    unsigned getNumReductionDims() { return 1; }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::topKTensorDims(getOperation(), getDim(), tensor);
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyTopK(getOperation(), getDim(), getK());
    }
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyTopKSticks(getOperation(), getDim());
    }
  }]);
}

def Spyre_TopKValueOp : Spyre_TopKOp<"topkvalue", "their values", Spyre_FloatTensor, "f16">;
def Spyre_TopKIndexOp : Spyre_TopKOp<"topkindex", "their positions", Spyre_PositionTensor, "f16",
    [DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRangesFromOptional"]>]>;

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

def Spyre_GatherOp : Spyre_DeviceOp<"gather", "identity", [AllElementTypesMatch<["table", "result"]>]> {
  let summary = "elements of a table that indices choose along a dimension";
  let description = [{
    `result[..., i..., ...] = table[..., indices[i...], ...]`, where `indices[i...]`
    stands in `dim` of the table: `index_select`, or an embedding, of PyTorch. The
    dimensions of the indices take the place of `dim`.

    ```mlir
    %r = spyre.gather %i, %t dim 0 : (tensor<64xi32>, tensor<1000x256xf16>) -> tensor<64x256xf16>
    %c = spyre.gather %b, %h dim 1 : (tensor<4x32xi32>, tensor<8x100x64xf16>) -> tensor<8x4x32x64xf16>
    ```

    The OpFunc is an `identity` whose first tensor holds the indices. Indices count
    from 0. An index that is negative or not below the extent of `dim` selects no
    element: on a CPU the result is NaN there, and the simulated card reports it. It
    runs on one core.

    * (S25) The indices have at least one dimension, `dim` is a dimension of the
      table, and the result has the shape of the table with the dimensions of the
      indices in place of `dim`.
    * (S26) The table and the result have the same dimension on their sticks, and
      it is not `dim`. Their sticks are alike, as in (S21). The indices have one of
      their dimensions on the stick.
    * (S27) `split` is 1 in every dimension.
  }];
  let arguments = !con((ins Spyre_I32Tensor:$indices, Spyre_TableTensor:$table, I64Attr:$dim), planAttrs);
  let results = (outs Spyre_TableTensor:$result);
  let assemblyFormat = !strconcat("$indices `,` $table `dim` custom<Integer>($dim)", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($indices), type($table), type($result))");
  let hasVerifier = 1;
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::resultShape(getOperation());
    }
    int64_t getGatheredDim() { return getDim(); }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::gatherTensorDims(getOperation(), getDim(), tensor);
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyGather(getOperation(), getDim());
    }
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyGatherSticks(getOperation(), getDim());
    }
  }]);
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

class Spyre_MatmulOp<string opMnemonic, TypeConstraint inputs, TypeConstraint result, string extra = "">
    : Spyre_DeviceOp<opMnemonic, opMnemonic, [AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "matrix product over the last two dimensions";
  let description = [{
    `result[..., m, n] = sum over k of lhs[..., m, k] * rhs[..., k, n]`. Leading
    dimensions are batch dimensions and broadcast as in PyTorch.

    ```mlir
    %c = spyre.}] # opMnemonic # [{ %a, %b : (tensor<128x256xf16>, tensor<256x512xf16>) -> tensor<128x512xf16>
    ```

    `lhs` is read in whole sticks of K. `rhs` should have zeros beyond K:
    `--spyre-pad-matmul` pads it with rows of zeros up to the end of the stick. Their
    products with numbers are 0; `lhs` is not masked there, and `--spyre-clear-tails`
    ensures that it holds numbers.
    }] # extra # [{
    * (S7) Both operands have at least two dimensions; the K extents agree, the
      batch dimensions broadcast, and the result is batch x M x N. K of `rhs`
      may be that of `lhs` in whole sticks.
    * (S8) `lhs` sticks on K; `rhs` and the result stick on N. Where that
      dimension has extent 1, no other is on the stick.
  }];
  let arguments = !con((ins inputs:$lhs, inputs:$rhs), planAttrs);
  let results = (outs result:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($lhs), type($rhs), type($result))");
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::matmulSpace(getOperation());
    }
    unsigned getNumReductionDims() { return 1; }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::matmulTensorDims(getOperation(), tensor);
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyMatmul(getOperation());
    }
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyOwnSticks(getOperation(), {"K", "N", "N"});
    }
  }]);
}

def Spyre_BatchMatmulOp : Spyre_MatmulOp<"batchmatmul", Spyre_FloatTensor, Spyre_FloatTensor>;
def Spyre_BatchMatmulFP8Op : Spyre_MatmulOp<"batchmatmulfp8", Spyre_F8Tensor, Spyre_DL16Tensor>;
def Spyre_BatchMatmulInt8Op : Spyre_MatmulOp<"batchmatmulint8", Spyre_I8Tensor, Spyre_DL16Tensor, [{
    The operands are `i8`. Sums are exact, and rounded once to the element type of
    the result. The published table states that the result is scaled, and no document
    gives the factor: here it is not scaled. The order of the two rows of 64 columns
    of `rhs` that the table requires in a stick is not documented either, so the
    conversion to a bundle refuses the operation, and `--spyre-outline-device` leaves
    it to the host.

    }]>;

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

def Spyre_Conv2DOp : Spyre_DeviceOp<"conv2d", "conv2d", [AllElementTypesMatch<["image", "weight"]>]> {
  let summary = "sums of products of windows of an image with weights";
  let description = [{
    `result[n, y, x, f] = sum over c, i, j of
    image[n, sy * y + di * i, sx * x + dj * j, c] * weight[i, j, c, f]`, with the
    strides `[sy, sx]` and the dilations `[di, dj]`, which are 1 unless they are
    given. There is no padding: a tensor with zeros around it is an image.

    ```mlir
    %y = spyre.conv2d %x, %w : (tensor<2x6x4x64xf16>, tensor<3x3x64x128xf16>) -> tensor<2x4x2x128xf16>
    %z = spyre.conv2d %x, %w strides [1, 2] dilations [2, 1]
        : (tensor<2x9x9x64xf16>, tensor<3x3x64x128xf16>) -> tensor<2x5x4x128xf16>
    ```

    The iteration space is `[n, y, x, f, c, i, j]`. No recorded bundle has this
    OpFunc, so its file follows the SDSC bundle specification, section 4.11, alone.
    Its windows overlap, so `y` and `x` are not tiled. The format has no gaps for
    convolutions, so a tile is a separate tensor: `--spyre-scratchpad-planning` copies
    it.

    * (S29) `strides` and `dilations` have two positive entries. The image has the
      dimensions batch, height, width and channels, the weight the window dimensions,
      channels and filters; the channels agree. Along height and width the result has
      as many positions as there are windows, at least one, and the last window ends
      with the image.
    * (S30) The channels are whole sticks. The window has more than one element. Along
      a dimension in which it has more than one, there is more than one position;
      along others, the stride is 1.
    * (S31) The image sticks on its channels, the weight and the result on the
      filters. Where that dimension has extent 1, no other is on the stick.
    * (S32) `split` is 1 for the window, and for a height or width with a stride
      above 1.
  }];
  let arguments = !con((ins Spyre_FloatTensor:$image, Spyre_FloatTensor:$weight,
                            OptionalAttr<DenseI64ArrayAttr>:$strides,
                            OptionalAttr<DenseI64ArrayAttr>:$dilations), planAttrs);
  let results = (outs Spyre_FloatTensor:$result);
  let assemblyFormat = !strconcat("$image `,` $weight (`strides` $strides^)? (`dilations` $dilations^)?", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($image), type($weight), type($result))");
  let hasVerifier = 1;
  let extraClassDeclaration = !strconcat(opFuncDecl, [{
    /// The stride along height (0) or width (1).
    int64_t getStride(unsigned axis) { return getStrides() ? (*getStrides())[axis] : 1; }
    int64_t getDilation(unsigned axis) { return getDilations() ? (*getDilations())[axis] : 1; }
    ::llvm::SmallVector<int64_t> getIterationSpace();
    unsigned getNumReductionDims() { return 3; }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor);
    ::llvm::SmallVector<::spyre::WalkedDim> getWalkedDims();
    ::llvm::LogicalResult verifyShapes();
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyOwnSticks(getOperation(), {"the channels", "the filters", "the filters"});
    }
  }]);
}

// Over the windows of each channel of an image: batch, height, width, channels.
// The iteration space is that of the result, then the window.
class Spyre_ChannelWindowsOp<string opMnemonic, list<Trait> traits>
    : Spyre_DeviceOp<opMnemonic, opMnemonic, traits> {
  let hasVerifier = 1;
  let results = (outs Spyre_MathTensor:$result);
  code windowsDecl = !strconcat(opFuncDecl, [{
    /// The stride along height (0) or width (1).
    int64_t getStride(unsigned axis) { return getStrides() ? (*getStrides())[axis] : 1; }
    unsigned getNumReductionDims() { return 2; }
    ::llvm::SmallVector<int64_t> getTensorDims(unsigned tensor) {
      return ::spyre::detail::channelWindowDims(getOperation(), tensor);
    }
    ::llvm::SmallVector<::spyre::WalkedDim> getWalkedDims();
    ::llvm::LogicalResult verifySticks() {
      return ::spyre::detail::verifyLastDimStick(getOperation());
    }
  }]);
}

class Spyre_PoolOp<string opMnemonic, string formula>
    : Spyre_ChannelWindowsOp<opMnemonic, [AllElementTypesMatch<["image", "result"]>]> {
  let summary = "pooling: " # formula;
  let description = [{
    `result[n, y, x, c]` is }] # formula # [{ over `i` and `j` of
    `image[n, sy * y + i, sx * x + j, c]`, with the extents of the window `[i, j]`
    and the strides `[sy, sx]`, which are 1 unless they are given. There is no
    padding: a larger tensor that holds the image is an image.

    ```mlir
    %y = spyre.}] # opMnemonic # [{ %x window [2, 2] strides [2, 2] : (tensor<2x8x6x64xf16>) -> tensor<2x4x3x64xf16>
    ```

    The iteration space is `[n, y, x, c, i, j]`. No recorded bundle has this
    OpFunc: its file follows the SDSC bundle specification, section 4.11, and the
    published table. `y` and `x` are in no loop of tiles, since a part of them
    would read a window of the image. As for `spyre.conv2d`, a tile is a tensor of
    its own.

    * (S29) `window` and `strides` have two positive entries. The tensors have the
      dimensions batch, height, width and channels. Along height and width the
      result has as many positions as there are windows, at least one, and the last
      window ends with the image.
    * (S30) There is more than one channel. Along height and along width, the window
      has more than one element, and there is more than one position.
    * (S22) The image has its channels on the stick.
    * (S32) `split` is 1 for the window, and for a height or width along which
      windows are not as far apart as they are long.
  }];
  let arguments = !con((ins Spyre_MathTensor:$image, DenseI64ArrayAttr:$window,
                            OptionalAttr<DenseI64ArrayAttr>:$strides), planAttrs);
  let assemblyFormat = !strconcat("$image `window` $window (`strides` $strides^)?", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($image), type($result))");
  code extraDecl = "";
  let extraClassDeclaration = !strconcat(windowsDecl, [{
    ::llvm::SmallVector<int64_t> getIterationSpace() {
      return ::spyre::detail::channelWindowSpace(getOperation(), getWindow());
    }
    ::llvm::LogicalResult verifyShapes() {
      return ::spyre::detail::verifyPool(getOperation(), getWindow(), getStrides());
    }
  }], extraDecl);
}

def Spyre_MaxPoolFwdOp : Spyre_PoolOp<"maxpoolfwd", "the maximum">;
def Spyre_AvgPoolFwdOp : Spyre_PoolOp<"avgpoolfwd", "the arithmetic mean"> {
  let extraDecl = [{
    ::mlir::DictionaryAttr getOpConstants() {
      return ::spyre::detail::averageConstants(getOperation(), getWindow());
    }
  }];
}

def Spyre_DepthwiseConv2DNativeOp
    : Spyre_ChannelWindowsOp<"depthwiseconv2dnative", [AllElementTypesMatch<["image", "weight", "result"]>]> {
  let summary = "sums of products of windows of each channel of an image with weights";
  let description = [{
    `result[n, y, x, c] = sum over i, j of
    image[n, sy * y + di * i, sx * x + dj * j, c] * weight[i, j, c]`, with the
    strides `[sy, sx]` and the dilations `[di, dj]`, which are 1 unless they are
    given. There is no padding: a tensor with zeros around it is an image.

    ```mlir
    %y = spyre.depthwiseconv2dnative %x, %w : (tensor<2x6x4x64xf16>, tensor<3x3x64xf16>) -> tensor<2x4x2x64xf16>
    %z = spyre.depthwiseconv2dnative %x, %w strides [1, 2] dilations [2, 1]
        : (tensor<2x9x9x64xf16>, tensor<3x3x64xf16>) -> tensor<2x5x4x64xf16>
    ```

    The iteration space is `[n, y, x, c, i, j]`. No recorded bundle has this
    OpFunc, so its file follows the SDSC bundle specification, section 4.11, alone.
    Its windows overlap, so `y` and `x` are not tiled. As for `spyre.conv2d`, a tile
    is a separate tensor.

    * (S29) `strides` and `dilations` have two positive entries. The image has the
      dimensions batch, height, width and channels, the weight the window dimensions
      and channels; the channels agree. Along height and width the result has as many
      positions as there are windows, at least one, and the last window ends with the
      image.
    * (S30) There is more than one channel. The window has more than one element.
      Along a dimension in which it has more than one, there is more than one
      position; along others, the stride is 1.
    * (S22) The image has its channels on the stick.
    * (S32) `split` is 1 for the window, and for a height or width with a stride
      above 1.
  }];
  let arguments = !con((ins Spyre_MathTensor:$image, Spyre_MathTensor:$weight,
                            OptionalAttr<DenseI64ArrayAttr>:$strides,
                            OptionalAttr<DenseI64ArrayAttr>:$dilations), planAttrs);
  let assemblyFormat = !strconcat("$image `,` $weight (`strides` $strides^)? (`dilations` $dilations^)?", planFormat,
      "attr-dict `:` custom<TensorTypes>(type($image), type($weight), type($result))");
  let extraClassDeclaration = !strconcat(windowsDecl, [{
    int64_t getDilation(unsigned axis) { return getDilations() ? (*getDilations())[axis] : 1; }
    ::llvm::SmallVector<int64_t> getIterationSpace();
    ::llvm::LogicalResult verifyShapes();
  }]);
}

#endif // SPYRE_OPS_TD
