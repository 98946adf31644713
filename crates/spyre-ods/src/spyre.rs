//! Operations of `spyre`, from the ODS by `cargo xtask ods`. The notation is that of [`crate::ops`].

crate::ops! {
    "spyre.abs" ABS abs Abs (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.absmax" ABSMAX absmax AbsMax (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.acos" ACOS acos Acos (input) -> (result);
    "spyre.acosh" ACOSH acosh Acosh (input) -> (result);
    "spyre.add" ADD add Add (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.asin" ASIN asin Asin (input) -> (result);
    "spyre.asinh" ASINH asinh Asinh (input) -> (result);
    "spyre.atan" ATAN atan Atan (input) -> (result);
    "spyre.atan2" ATAN2 atan2 Atan2 (lhs, rhs) -> (result);
    "spyre.atanh" ATANH atanh Atanh (input) -> (result);
    "spyre.avgpoolfwd" AVGPOOLFWD avgpoolfwd AvgPoolFwd (image) {window, ?strides, ?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.batchmatmul" BATCHMATMUL batchmatmul BatchMatmul (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.batchmatmulfp8" BATCHMATMULFP8 batchmatmulfp8 BatchMatmulFP8 (lhs, rhs) {?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.batchmatmulint8" BATCHMATMULINT8 batchmatmulint8 BatchMatmulInt8 (lhs, rhs) {?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.biasadd" BIASADD biasadd BiasAdd (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.bitcast" BITCAST bitcast Bitcast (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.cbrt" CBRT cbrt Cbrt (input) -> (result);
    "spyre.ceil" CEIL ceil Ceil (input) -> (result);
    "spyre.clip" CLIP clip Clip (input) {min, max, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.conv2d" CONV2D conv2d Conv2D (image, weight) {?strides, ?dilations, ?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.copy" COPY copy Copy (input)
        {?from_dims, ?from_slices, ?to_dims, ?to_slices, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.copysign" COPYSIGN copysign Copysign (lhs, rhs) -> (result);
    "spyre.cos" COS cos Cos (input) -> (result);
    "spyre.cosh" COSH cosh Cosh (input) -> (result);
    "spyre.depthwiseconv2dnative" DEPTHWISECONV2DNATIVE depthwiseconv2dnative DepthwiseConv2DNative (image, weight)
        {?strides, ?dilations, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.dim_size" DIM_SIZE dim_size DimSize {dim} -> (result);
    "spyre.dl16tofp32" DL16TOFP32 dl16tofp32 DL16ToFP32 (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.empty" EMPTY empty Empty (*sizes) {?place} -> (result);
    "spyre.equal" EQUAL equal Equal (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.erf" ERF erf Erf (input) -> (result);
    "spyre.exp" EXP exp Exp (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.exp2" EXP2 exp2 Exp2 (input) -> (result);
    "spyre.expm1" EXPM1 expm1 ExpM1 (input) -> (result);
    "spyre.exx2" EXX2 exx2 Exx2 (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fastexp" FASTEXP fastexp FastExp (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fastsigmoid" FASTSIGMOID fastsigmoid FastSigmoid (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fill" FILL fill Fill {value} -> (result);
    "spyre.floor" FLOOR floor Floor (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fmod" FMOD fmod Fmod (lhs, rhs) -> (result);
    "spyre.fp32todl16" FP32TODL16 fp32todl16 FP32ToDL16 (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fp8todl16" FP8TODL16 fp8todl16 FP8ToDL16 (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.fptosi" FPTOSI fptosi FPToSI (input) -> (result);
    "spyre.gather" GATHER gather Gather (indices, table) {dim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.gelufwd" GELUFWD gelufwd Gelu (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.greaterequal" GREATEREQUAL greaterequal GreaterEqual (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.greaterthan" GREATERTHAN greaterthan GreaterThan (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.layernormnorm" LAYERNORMNORM layernormnorm LayerNormNorm (input, pair, scale, weight, bias)
        {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.layernormscale" LAYERNORMSCALE layernormscale LayerNormScale (pair) {eps, ?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.lesserequal" LESSEREQUAL lesserequal LesserEqual (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.lesserthan" LESSERTHAN lesserthan LesserThan (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.log" LOG log Log (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.log1p" LOG1P log1p Log1P (input) -> (result);
    "spyre.log2" LOG2 log2 Log2 (input) -> (result);
    "spyre.max" MAX max Max (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.maximum" MAXIMUM maximum Maximum (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.maxpoolfwd" MAXPOOLFWD maxpoolfwd MaxPoolFwd (image) {window, ?strides, ?tile, ?divide, ?split, ?place}
        -> (result);
    "spyre.mean" MEAN mean Mean (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.min" MIN min Min (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.minimum" MINIMUM minimum Minimum (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.mish" MISH mish Mish (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.mul" MUL mul Mul (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.neg" NEG neg Neg (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.notequal" NOTEQUAL notequal NotEqual (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.permute" PERMUTE permute Permute (input) {permutation} -> (result);
    "spyre.pow" POW pow Pow (lhs, rhs) -> (result);
    "spyre.prod" PROD prod Prod (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.qfp8ch" QFP8CH qfp8ch QFP8CH (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.qfp8wt" QFP8WT qfp8wt QFP8WT (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.quantscalepertokenfp8" QUANTSCALEPERTOKENFP8 quantscalepertokenfp8 QuantScalePerTokenFP8 (input)
        {dims, ?keepdim, min, max, factor, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.realdiv" REALDIV realdiv RealDiv (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.reciprocal" RECIPROCAL reciprocal Reciprocal (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.relu6fwd" RELU6FWD relu6fwd Relu6 (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.relufwd" RELUFWD relufwd Relu (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.restickify" RESTICKIFY restickify Restickify (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.revsub" REVSUB revsub RevSub (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.round" ROUND round Round (input) -> (result);
    "spyre.roundaway" ROUNDAWAY roundaway RoundAway (input) -> (result);
    "spyre.rsqrt" RSQRT rsqrt Rsqrt (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.sigmoid" SIGMOID sigmoid Sigmoid (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.silu" SILU silu Silu (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.sin" SIN sin Sin (input) -> (result);
    "spyre.sinh" SINH sinh Sinh (input) -> (result);
    "spyre.sitofp" SITOFP sitofp SIToFP (input) -> (result);
    "spyre.softplus" SOFTPLUS softplus Softplus (input) {beta, threshold, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.sqrt" SQRT sqrt Sqrt (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.sub" SUB sub Sub (lhs, rhs) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.sum" SUM sum Sum (input) {dims, ?keepdim, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.tan" TAN tan Tan (input) -> (result);
    "spyre.tanh" TANH tanh Tanh (input) {?tile, ?divide, ?split, ?place} -> (result);
    "spyre.topkindex" TOPKINDEX topkindex TopKIndex (input) {dim, k, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.topkvalue" TOPKVALUE topkvalue TopKValue (input) {dim, k, ?tile, ?divide, ?split, ?place} -> (result);
    "spyre.trunc" TRUNC trunc Trunc (input) -> (result);
    "spyre.where3" WHERE3 where3 Where3 (condition, on_true, on_false) {?tile, ?divide, ?split, ?place} -> (result);
}
