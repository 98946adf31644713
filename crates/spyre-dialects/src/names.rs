//! The names of the discardable attributes by which programs and passes state facts about functions, arguments and operations.

/// The name of the attribute that holds the scopes around the operations of a function or a loop.
pub const SCOPES: &str = "spyre.tile_scopes";

/// The attribute of a function with 64-bit integers that are known to fit into 32 bits.
pub const CHECKED: &str = "spyre.integers_fit";

/// The attribute of an operation with 64-bit integers that may not fit into 32 bits, while a pass runs.
pub const WIDE: &str = "spyre.wide_integers";

/// The name of the attribute with the constant that an argument holds.
pub const CONSTANT: &str = "spyre.constant";

/// The name of the attribute of a function that the device runs.
pub const DEVICE: &str = "spyre.device";

/// The name of the attribute of a function that the host runs, and that calls functions of the device.
pub const HOST: &str = "spyre.host";

/// The name of the attribute with the layouts that a result may have.
pub const CANDIDATES: &str = "spyre.layout_candidates";

/// The attribute of an operation that the contract does not have in its formats, while a pass runs.
pub const NOT_ADMITTED: &str = "spyre.not_admitted";

/// The name of the attribute with the place of a function argument.
pub const PLACE: &str = "spyre.place";

/// The name of the attribute with the plan of a function.
pub const PLAN: &str = "spyre.plan";

/// The mark on a function with chains of several operations that have 16 bits. Values between these may be beyond
/// the range of `f16`, as squares are: the card's format, with 6 bits of exponent, has them.
pub const NARROWED: &str = "spyre.narrowed";

/// The attribute with the hints of a structured operation, which its device operations get.
pub const TILE: &str = "spyre.tile";

/// The attribute with the loops of a structured operation that are divided over cores. Its device operations get the
/// same division.
pub const DIVIDE: &str = "spyre.divide";

/// The attribute of a module that overrides the default target.
pub const TARGET: &str = "spyre.target";

/// The attribute that names the dimensions of a function argument, or of the result of an operation.
pub const DIMS: &str = "spyre.dims";

/// The attribute that names the dimensions which an operation reduces.
pub const REDUCTION_DIMS: &str = "spyre.reduction_dims";

/// The attribute with the names that a result is expected to have.
pub const EXPECTED_DIMS: &str = "spyre.expected_dims";

/// The attribute with the names that the dimensions which an operation reduces are expected to have.
pub const EXPECTED_REDUCTION_DIMS: &str = "spyre.expected_reduction_dims";

/// The attribute of a function that declares names with their extents.
pub const DIM_SIZES: &str = "spyre.dim_sizes";
