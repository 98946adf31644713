//! Names of the format (SDSC bundle specification, sections 4.1, 4.5 and 4.10).

/// Names of dimensions.
pub(super) const DIMS: [&str; 9] = ["mb", "x", "y", "i", "j", "ki", "kj", "out", "in"];

/// Labels of layouts.
pub(super) const LABELS: [&str; 4] = ["INPUT", "KERNEL", "OUTPUT", "KERNEL_IDX"];

/// The re-layout of a tensor between cores, in the scratchpad.
pub(super) const SHUFFLE: &str = "shuffle";

/// Operations on the matrix unit; all others are on the vector unit.
const MATRIX: [&str; 9] = [
    "matmul",
    "batchmatmul",
    "batchmatmulfp8",
    "batchmatmulint4",
    "batchmatmulint8",
    "conv2d",
    "conv2dfp8",
    "conv2dint4",
    "conv2dint8",
];

/// Operations on the vector unit without a suffix.
const VECTOR: &[&str] = &[
    "abs",
    "add",
    "clip",
    "equal",
    "exp",
    "floor",
    "gelufwd",
    "greaterequal",
    "greaterthan",
    "layernormnorm",
    "layernormscale",
    "lesserequal",
    "lesserthan",
    "log",
    "maximum",
    "minimum",
    "mul",
    "neg",
    "notequal",
    "qfp8ch",
    "qfp8wt",
    "realdiv",
    "reciprocal",
    "relufwd",
    "rsqrt",
    "sigmoid",
    "silu",
    "softplus",
    "sqrt",
    "sub",
    "tanh",
    "where3",
    "dl16tofp32",
    "fp32todl16",
    "fp8todl16",
    "ReStickifyOpHBM",
    "identity",
    SHUFFLE,
    "topkvalue",
    "topkindex",
    "avgpoolfwd",
    "depthwiseconv2dnative",
    "batchnormfwd",
    "biasadd",
    "fnms",
    "revsub",
    "fastexp",
    "fastsigmoid",
    "leakyrelufwd",
    "mish",
    "relu6fwd",
    "exx2_zeromean",
    "quantscalepertoken",
    "quantscalepertokenfp8",
    "avgpoolnmapfwd",
    "maxpoolfwd",
    "maskbyindex",
];

/// Reductions, which have the suffix `nonstick` when they are not along the stick.
const REDUCTIONS: [&str; 7] = ["sum", "max", "min", "mean", "exx2", "prod", "absmax"];

/// Returns the known operations, without suffixes. Operations with names that begin with `csqint4` are listed as one.
pub fn op_funcs() -> impl Iterator<Item = &'static str> {
    let vector = VECTOR.iter().chain(&REDUCTIONS).chain(&["csqint4"]);
    MATRIX.iter().chain(vector).copied()
}

/// Returns the unit that an operation runs on; `None` if the operation is not known.
pub(super) fn unit(op: &str) -> Option<&'static str> {
    let stem = op.strip_suffix("nonstick").unwrap_or(op);
    if MATRIX.contains(&op) {
        Some("pt")
    } else if VECTOR.contains(&op) || REDUCTIONS.contains(&stem) || op.starts_with("csqint4") {
        Some("sfp")
    } else {
        None
    }
}
