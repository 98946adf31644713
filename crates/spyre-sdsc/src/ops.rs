//! The properties of each operation name (SDSC bundle specification, section 4.10).

/// Families of operations that are planned alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpClass {
    /// Elementwise, with broadcasting.
    Pointwise,
    /// Elementwise change of format.
    Cast,
    /// Data movement.
    Data,
    /// A reduction over some iteration dimensions.
    Reduction,
    /// The largest values of a dimension, or their positions.
    TopK,
    /// Matrix multiplication, possibly batched.
    Matmul,
    /// Pooling over windows.
    Pool,
    /// Convolution over windows.
    Conv,
}

const POINTWISE: &[&str] = &[
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
];
const CASTS: &[&str] = &["dl16tofp32", "fp32todl16", "fp8todl16"];
const DATA: &[&str] = &["ReStickifyOpHBM", "identity", "shuffle"];
const REDUCTIONS: &[&str] = &["sum", "max", "min", "mean", "exx2", "prod"];
const TOP_K: &[&str] = &["topkvalue", "topkindex"];
/// `matmul` is a name of the first revision only.
const MATMULS: &[&str] = &["matmul", "batchmatmul", "batchmatmulfp8"];
/// Of the pools and convolutions that the backend has, [`WindowOp`](crate::windows::WindowOp) says which can be
/// generated.
const POOLS: &[&str] = &["avgpoolfwd", "avgpoolnmapfwd", "maxpoolfwd"];
const CONVOLUTIONS: &[&str] = &[
    "conv2d",
    "conv2dfp8",
    "conv2dint4",
    "conv2dint8",
    "depthwiseconv2dnative",
];
const BINARY: &[&str] = &[
    "add",
    "sub",
    "mul",
    "realdiv",
    "maximum",
    "minimum",
    "equal",
    "notequal",
    "greaterthan",
    "greaterequal",
    "lesserthan",
    "lesserequal",
];

/// The re-layout of a tensor so that another dimension runs along the stick.
pub const RESTICKIFY: &str = "ReStickifyOpHBM";

impl OpClass {
    /// The class of a known operation (SDSC bundle specification, section 4.10).
    pub fn of(op: &str) -> Option<Self> {
        [
            (POINTWISE, Self::Pointwise),
            (CASTS, Self::Cast),
            (DATA, Self::Data),
            (REDUCTIONS, Self::Reduction),
            (TOP_K, Self::TopK),
            (MATMULS, Self::Matmul),
            (POOLS, Self::Pool),
            (CONVOLUTIONS, Self::Conv),
        ]
        .into_iter()
        .find_map(|(names, class)| names.contains(&op).then_some(class))
    }

    /// The class of any operation: unknown ones are reductions or elementwise, as their flag says.
    pub fn of_spec(op: &str, is_reduction: bool) -> Self {
        Self::of(op).unwrap_or(if is_reduction {
            Self::Reduction
        } else {
            Self::Pointwise
        })
    }
}

/// True for operations that need two inputs (SDSC bundle specification, section 6).
pub fn is_binary(op: &str) -> bool {
    BINARY.contains(&op)
}
