//! Operations of `spyreop`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "spyreop.addi32toi32" ADDI32TOI32 addi32toi32 AddI32ToI32 (lhs, rhs) -> (result);
    "spyreop.addi64toi64" ADDI64TOI64 addi64toi64 AddI64ToI64 (lhs, rhs) -> (result);
    "spyreop.exp" EXP exp Exp (operand) -> (result);
    "spyreop.exx2" EXX2 exx2 Exx2 (operand) -> (result, squares);
    "spyreop.exx2_fused" EXX2_FUSED exx2_fused Exx2Fused (operand) -> (result);
    "spyreop.gelu" GELU gelu Gelu (operand) -> (result);
    "spyreop.idx32toaddr" IDX32TOADDR idx32toaddr Idx32ToAddr (index, base, stride) -> (result);
    "spyreop.layernormnorm" LAYERNORMNORM layernormnorm LayerNormNorm (operand, squares, scale, weight, bias)
        -> (result);
    "spyreop.layernormscale" LAYERNORMSCALE layernormscale LayerNormScale (operand, squares) -> (result);
    "spyreop.layernormscale_fused" LAYERNORMSCALE_FUSED layernormscale_fused LayerNormScaleFused (operand) -> (result);
    "spyreop.muli32toi32" MULI32TOI32 muli32toi32 MulI32ToI32 (lhs, rhs) -> (result);
    "spyreop.realdiv" REALDIV realdiv Realdiv (lhs, rhs) -> (result);
    "spyreop.reciprocal" RECIPROCAL reciprocal Reciprocal (operand) -> (result);
    "spyreop.rsqrt" RSQRT rsqrt Rsqrt (operand) -> (result);
    "spyreop.sigmoid" SIGMOID sigmoid Sigmoid (operand) -> (result);
    "spyreop.silu" SILU silu Silu (operand) -> (result);
    "spyreop.softplus" SOFTPLUS softplus Softplus (operand) {beta, threshold} -> (result);
    "spyreop.sqrt" SQRT sqrt Sqrt (operand) -> (result);
}
