//! The parts of an operation's tensors that the cores that share it have.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::ir;
use spyre_ops::OpClass;
use spyre_plan::TensorSlices;

/// Returns whether cores may share a dimension that an operation reduces: each computes a partial result, and the card
/// combines them (middle-end specification, section 4.4). Only one such dimension is split.
pub fn splits_reductions(op: DeviceOp<'_>) -> bool {
    let facts = op.facts();
    let is_window = matches!(facts.class, OpClass::Conv | OpClass::Pool);
    facts.combiner.is_some() && !is_window && !facts.is_whole
}

/// The reason why cores cannot share a dimension that an operation reduces.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReducedError {
    /// They share two such dimensions.
    #[error(
        "the reduced dimensions {other} and {dim} are both split, and the card combines the parts of one"
    )]
    Two {
        /// The dimension that is split first.
        other: usize,
        /// The dimension.
        dim: usize,
    },
    /// The operation has no combiner of partial results.
    #[error(
        "split of the reduced dimension {dim} leaves each core a part of the result, and parts of '{op}' are not combined"
    )]
    NoCombiner {
        /// The dimension.
        dim: usize,
        /// The name of the operation.
        op: String,
    },
}

/// Checks that cores may share a dimension that an operation reduces. `other` is another such dimension that they share.
///
/// # Errors
/// The parts cannot be combined.
pub fn check_reduced(
    op: DeviceOp<'_>,
    dim: usize,
    other: Option<usize>,
) -> Result<(), ReducedError> {
    match other {
        Some(other) => Err(ReducedError::Two { other, dim }),
        None if !splits_reductions(op) => Err(ReducedError::NoCombiner {
            dim,
            op: ir::name(op.op()).to_owned(),
        }),
        None => Ok(()),
    }
}

/// Returns the iteration dimension that is the fastest digit of core numbers instead of the first one: the summed one of a product,
/// if it is split, so that partial sums go to the next core (middle-end specification, section 4.5).
pub fn k_fast(op: DeviceOp<'_>, split: &[u32]) -> Option<usize> {
    let last = split.len().checked_sub(1)?;
    (op.facts().class == OpClass::Matmul && split[last] > 1).then_some(last)
}

/// Returns the slices of a tensor of an operation that its cores work on. `dims` are the iteration dimensions that index the tensor.
pub fn slices<'a>(
    op: DeviceOp<'_>,
    split: &'a [u32],
    dims: &'a [Option<usize>],
) -> TensorSlices<'a> {
    TensorSlices {
        splits: split,
        k_fast: k_fast(op, split),
        dims,
    }
}

/// Returns how many of a value's `bytes` one core of its writer holds.
pub fn per_core(writer: DeviceOp<'_>, bytes: Bytes) -> Bytes {
    let dims = writer.tensor_dims(writer.op().operand_count());
    let cores: u64 = writer
        .split()
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(dim, _)| dims.contains(&Some(*dim)))
        .map(|(_, cores)| u64::from(*cores))
        .product();
    Bytes(bytes.get().div_ceil(cores.max(1)))
}
