//===- SpyreOp.td - The spyreop dialect --------------------*- tablegen -*-===//
//
// Part of the spyre-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The single source of the dialect's C++ classes, of its Rust operation
// wrappers and of its reference page. docs/Dialects/SpyreOpConstraints.md lists
// the constraints by number (SO1, SO2, ...).
//
//===----------------------------------------------------------------------===//

#ifndef SPYREOP_TD
#define SPYREOP_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def SpyreOp_Dialect : Dialect {
  let name = "spyreop";
  let cppNamespace = "::spyre::spyreop";
  let summary = "The functions of a core in KTIR's kernels";
  let description = [{
    The scheduler of the published compiler has an operation for each function
    that a core computes as a whole. The operations are of one element, in the
    body of a `linalg.generic`:

    ```mlir
    %y = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<32x64xf16>) outs(%init : tensor<32x64xf16>) {
    ^bb0(%in: f16, %out: f16):
      %e = spyreop.exp %in : f16
      linalg.yield %e : f16
    } -> tensor<32x64xf16>
    ```

    An operation on 16 bits computes with more bits inside and rounds once.
    Operands have the types that an operation lists (SO3), and floats of one
    operation have one type (SO4).

    Names and assembly are as in the published dialect. Operations that the
    scheduler itself builds (`slice_reduction`), and those that are newer than its
    emitter (`compare`, `select`, `constant`), are not here.

    `docs/Dialects/SpyreOpConstraints.md` lists the constraints by number,
    `docs/Dialects/RationaleKtdp.md` gives the reasons for the design.
  }];
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class SpyreOp_Type<string name, string typeMnemonic>
    : TypeDef<SpyreOp_Dialect, name, [MemRefElementTypeInterface]> {
  let mnemonic = typeMnemonic;
}

def SpyreOp_DF16Type : SpyreOp_Type<"DF16", "df16"> {
  let summary = "the 16-bit float of the card";
  let description = [{
    1 bit of sign, 6 of exponent and 9 of fraction, with bias 31. Kernels of the
    published emitter have `f16` for it.
  }];
}

/// A pair of moments in one element.
class SpyreOp_FusedType<string name, string typeMnemonic, string element>
    : SpyreOp_Type<name, typeMnemonic> {
  let summary = "a pair of `" # element # "` in one element";
  let description = [{
    The mean and the mean of squares of a row, as `spyreop.exx2_fused` computes
    them. In memory the pair is at the head of a stick. Sizes and strides of a view
    count it as one element with the size of a single float; an access tile has the
    first one of a stick.
  }];
}

def SpyreOp_DF16FusedType : SpyreOp_FusedType<"DF16Fused", "df16_fused", "df16">;
def SpyreOp_FP16FusedType : SpyreOp_FusedType<"FP16Fused", "fp16_fused", "f16">;
def SpyreOp_FP32FusedType : SpyreOp_FusedType<"FP32Fused", "fp32_fused", "f32">;

def SpyreOp_Float : AnyTypeOf<[F16, SpyreOp_DF16Type, F32], "f16, df16 or f32">;
def SpyreOp_Float16 : AnyTypeOf<[F16, SpyreOp_DF16Type], "f16 or df16">;
def SpyreOp_Fused : AnyTypeOf<
    [SpyreOp_DF16FusedType, SpyreOp_FP16FusedType, SpyreOp_FP32FusedType],
    "a pair of f16, df16 or f32">;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

class SpyreOp_Op<string opMnemonic, list<Trait> traits = []>
    : Op<SpyreOp_Dialect, opMnemonic, [Pure] # traits>;

/// A function of one float.
class SpyreOp_UnaryOp<string opMnemonic, TypeConstraint float, string formula>
    : SpyreOp_Op<opMnemonic, [SameOperandsAndResultType]> {
  let summary = formula;
  let arguments = (ins float:$operand);
  let results = (outs float:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

/// An operation of two integers, of which the assembly has no type.
class SpyreOp_IntegerOp<string opMnemonic, TypeConstraint integer, string formula>
    : SpyreOp_Op<opMnemonic> {
  let summary = formula;
  let arguments = (ins integer:$lhs, integer:$rhs);
  let results = (outs integer:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
}

def SpyreOp_AddI32ToI32Op : SpyreOp_IntegerOp<"addi32toi32", I32, "a + b in 32 bits">;
def SpyreOp_AddI64ToI64Op : SpyreOp_IntegerOp<"addi64toi64", I64, "a + b in 64 bits">;
def SpyreOp_MulI32ToI32Op : SpyreOp_IntegerOp<"muli32toi32", I32, "a * b in 32 bits">;

def SpyreOp_ExpOp : SpyreOp_UnaryOp<"exp", SpyreOp_Float, "e^x">;
def SpyreOp_GeluOp
    : SpyreOp_UnaryOp<"gelu", SpyreOp_Float16, "x times the normal distribution up to x">;
def SpyreOp_ReciprocalOp : SpyreOp_UnaryOp<"reciprocal", SpyreOp_Float, "1 / x">;
def SpyreOp_RsqrtOp : SpyreOp_UnaryOp<"rsqrt", SpyreOp_Float, "1 / sqrt(x)">;
def SpyreOp_SigmoidOp : SpyreOp_UnaryOp<"sigmoid", SpyreOp_Float, "1 / (1 + e^-x)">;
def SpyreOp_SiluOp : SpyreOp_UnaryOp<"silu", SpyreOp_Float, "x / (1 + e^-x)">;
def SpyreOp_SqrtOp : SpyreOp_UnaryOp<"sqrt", SpyreOp_Float, "sqrt(x)">;

def SpyreOp_RealdivOp : SpyreOp_Op<"realdiv", [SameOperandsAndResultType]> {
  let summary = "a / b";
  let arguments = (ins SpyreOp_Float:$lhs, SpyreOp_Float:$rhs);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def SpyreOp_SoftplusOp : SpyreOp_Op<"softplus", [SameOperandsAndResultType]> {
  let summary = "ln(1 + e^(beta * x)) / beta, and x where beta * x is above a threshold";
  let description = [{
    * (SO1) `beta` is not 0.

    ```mlir
    %y = spyreop.softplus %x beta 1.000000e+00 threshold 2.000000e+01 : f16
    ```
  }];
  let arguments = (ins SpyreOp_Float16:$operand, F32Attr:$beta, F32Attr:$threshold);
  let results = (outs SpyreOp_Float16:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $operand `beta` $beta `threshold` $threshold attr-dict `:` type($result)
  }];
}

def SpyreOp_Idx32ToAddrOp : SpyreOp_Op<"idx32toaddr"> {
  let summary = "base + stride * index, an address";
  let arguments = (ins I32:$index, I32:$base, I32:$stride);
  let results = (outs I32:$result);
  let assemblyFormat = "$index `base` $base `stride` $stride attr-dict";
}

def SpyreOp_Exx2Op : SpyreOp_Op<"exx2", [SameOperandsAndResultType]> {
  let summary = "The mean and the mean of squares of a row, apart";
  let arguments = (ins SpyreOp_Float:$operand);
  let results = (outs SpyreOp_Float:$result, SpyreOp_Float:$squares);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def SpyreOp_Exx2FusedOp : SpyreOp_Op<"exx2_fused"> {
  let summary = "The mean and the mean of squares of a row, as a pair";
  let description = [{
    The operation stands for the reduction of the row that the iterators of the
    `linalg.generic` around it reduce, and does not read what is accumulated. The
    scheduler replaces the `linalg.generic` by two reductions.

    ```mlir
    %pair = spyreop.exx2_fused %x : f16 -> !spyreop.fp16_fused
    ```

    * (SO2) The pair is one of the type of the operand.
  }];
  let arguments = (ins SpyreOp_Float:$operand);
  let results = (outs SpyreOp_Fused:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def SpyreOp_LayerNormScaleOp : SpyreOp_Op<"layernormscale", [SameOperandsAndResultType]> {
  let summary = "The scale of a layer norm from moments that are apart";
  let arguments = (ins SpyreOp_Float:$operand, SpyreOp_Float:$squares);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "$operand `squares` $squares attr-dict `:` type($result)";
}

def SpyreOp_LayerNormScaleFusedOp : SpyreOp_Op<"layernormscale_fused"> {
  let summary = "The scale of a layer norm from a pair of moments";
  let description = [{
    1 / sqrt(mean of squares - mean * mean + eps). The published operation has no
    operand or attribute for `eps`; kernels that are converted here have the number
    in a discardable attribute, which the scheduler does not read.

    ```mlir
    %s = spyreop.layernormscale_fused %pair {eps = 1.000000e-05 : f32} : !spyreop.fp16_fused -> f16
    ```

    * (SO2) The pair is one of the type of the result.
  }];
  let arguments = (ins SpyreOp_Fused:$operand);
  let results = (outs SpyreOp_Float:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def SpyreOp_LayerNormNormOp : SpyreOp_Op<"layernormnorm", [SameOperandsAndResultType]> {
  let summary = "(x - mean) * scale * weight + bias";
  let description = [{
    `squares` is what is at the head of the stick of a pair, as a single float: the
    mean.

    ```mlir
    %y = spyreop.layernormnorm %x squares %m scale %s weight %w bias %b : f16
    ```
  }];
  let arguments = (ins
    SpyreOp_Float:$operand, SpyreOp_Float:$squares, SpyreOp_Float:$scale,
    SpyreOp_Float:$weight, SpyreOp_Float:$bias);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = [{
    $operand `squares` $squares `scale` $scale `weight` $weight `bias` $bias
    attr-dict `:` type($result)
  }];
}

#endif // SPYREOP_TD
