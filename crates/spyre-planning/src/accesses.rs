//! How the operations of a function access their tensors: where an operand has to be, which part of it a core reads, and
//! how many cores read the same part.
//!
//! The choice of divisions predicts which values can stay in the scratchpad, planning decides it, and the cost of a plan
//! counts its traffic. All three ask here, so that they have one rule.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::kinds::is_restickify;
use spyre_analysis::names::shape;
use spyre_analysis::view::View;
use spyre_dialects::device_op::{DeviceOp, WalkedDim};
use spyre_mlir_rt::ir::{self, Op};

/// Returns whether an operation works in device memory (HBM) alone. A restickify moves data from core to core through it: neither
/// side can be in the scratchpad.
pub(crate) fn needs_device_memory(op: DeviceOp<'_>) -> bool {
    is_restickify(op)
}

/// Returns whether an operation reads of an operand, for each element of its result, only the element at the same place.
pub(crate) fn reads_elementwise(op: DeviceOp<'_>, operand: usize) -> bool {
    let dims = op.tensor_dims(operand);
    op.reduction_dims() == 0
        && dims.iter().all(Option::is_some)
        && dims == op.tensor_dims(op.op().operand_count())
}

/// Returns the number of cores that read each part of a tensor. `dims` are the iteration dimensions that index its
/// dimensions.
pub(crate) fn fan_out(split: &[u32], dims: &[Option<usize>]) -> u32 {
    let others = split.iter().enumerate();
    let others = others.filter(|(dim, _)| !dims.contains(&Some(*dim)));
    others.map(|(_, slices)| *slices).product()
}

/// Returns the iteration dimension of a reader that moves along each dimension of the value that its operand is a view of; `None` if
/// its slices of the view are no slices of the value. The first view is of the value itself.
pub(crate) fn read_dims(
    reader: DeviceOp<'_>,
    operand: usize,
    views: &[Op<'_>],
    split: &[u32],
) -> Option<Vec<Option<usize>>> {
    let is_cut = |walk: &WalkedDim| split.get(walk.position) != Some(&1);
    if operand == 0 && reader.walked_dims().iter().any(is_cut) {
        return None; // Windows of several cores overlap.
    }
    let mut dims = reader.tensor_dims(operand);
    let is_whole = |dim: Option<usize>| dim.is_none_or(|dim| split.get(dim) == Some(&1));
    for view in views.iter().rev() {
        let source = shape(ir::operand(*view, 0)?.r#type())?;
        let result = shape(ir::result(*view, 0)?.r#type())?;
        dims = match View::of(*view).expect("a verified view") {
            View::Permute(permutation) => {
                let mut of_source = vec![None; source.len()];
                for (from, dim) in permutation.iter().zip(&dims) {
                    *of_source.get_mut(*from)? = *dim;
                }
                of_source
            }
            // Slices of the outermost part are slices of the whole if every slice has all of the other parts.
            View::Expand(groups) => {
                let merged = groups.iter().map(|group| {
                    let mut long = group.iter().filter(|dim| result.get(**dim) != Some(&1));
                    let outer = long
                        .next()
                        .and_then(|dim| dims.get(*dim).copied().flatten());
                    long.all(|dim| is_whole(dims.get(*dim).copied().flatten()))
                        .then_some(outer)
                });
                merged.collect::<Option<_>>()?
            }
            View::Collapse(groups) => {
                let mut of_source = vec![None; source.len()];
                for (group, dim) in groups.iter().zip(&dims) {
                    let outer = group.iter().find(|dim| source.get(**dim) != Some(&1));
                    let outer = *outer.or(group.first())?;
                    let extent = *source.get(outer)?;
                    let cores = dim.map_or(Some(1), |dim| split.get(dim).copied())?;
                    if !extent.is_multiple_of(u64::from(cores)) {
                        return None;
                    }
                    *of_source.get_mut(outer)? = *dim;
                }
                of_source
            }
        };
    }
    Some(dims)
}
