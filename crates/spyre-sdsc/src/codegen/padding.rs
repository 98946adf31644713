//! Padding to whole sticks, and masks over the padding (SDSC bundle specification, section 4.6).

use spyre_ops::{OpClass, OpFunc, StickRule};

use super::context::Context;
use super::descriptor::{Layout, Mask, PlannedTensor, Scale};
use super::dims::{Dim, Space};
use crate::Elements;
use crate::error::Error;
use crate::expr::Symbol;

/// Pads the space; returns the padding (SDSC bundle specification, section 4.6).
pub(super) fn pad(
    context: &Context<'_>,
    class: OpClass,
    space: &mut Space,
    layouts: &[Layout],
    tensors: &mut [PlannedTensor],
) -> Result<Vec<Mask>, Error> {
    let op = context.op;
    let is_restickify = OpFunc::of(&op.op).is_some_and(|row| row.stick == StickRule::Restickify);
    let considered = if matches!(class, OpClass::Matmul | OpClass::Cast) || is_restickify {
        0..tensors.len()
    } else if op.is_reduction {
        0..1
    } else {
        tensors.len() - 1..tensors.len()
    };
    let mut padded = Vec::new();
    for position in considered {
        let tensor = &tensors[position];
        let layout = layouts.iter().find(|layout| layout.label == tensor.label);
        let layout = layout.expect("a tensor has one of the layouts");
        let outer_rank = op.args[position].device_size.len() - 1;
        for dim in tensor.dims.iter().take(outer_rank).map(|d| d.dim) {
            // A stick of one element is not padded to sticks of a narrower format.
            if !layout.is_stick(dim) || space.synthetic_stick == Some(dim) {
                continue;
            }
            let planned = space.of_mut(dim);
            let extent = context.round_up(
                planned.extent,
                layout.stick_volume().get(),
                format_args!("operand {position}: a padded extent along {dim}"),
            )?;
            if extent > planned.extent {
                if let Some(runtime) = &planned.runtime {
                    // The padding would begin at the runtime size, which a mask cannot express.
                    return Err(context.unsupported(format!(
                        "stick dimension {dim} of runtime size {} with maximum {}, which is not whole sticks of {}",
                        runtime.symbol, planned.extent, layout.stick_volume()
                    )));
                }
                padded.push(Mask {
                    dim,
                    start: planned.extent,
                    len: extent - planned.extent,
                });
                planned.extent = extent;
            }
        }
    }
    if is_restickify {
        pad_restickify(context, space, &padded, tensors);
    }
    Ok(padded)
}

/// Records how much smaller than the padded extents the buffers are, and keeps padded dimensions on one core (SDSC
/// bundle specification, section 4.6).
fn pad_restickify(
    context: &Context<'_>,
    space: &mut Space,
    padded: &[Mask],
    tensors: &mut [PlannedTensor],
) {
    let space_names: Vec<(&str, Dim)> = context
        .op
        .iteration_space
        .iter()
        .map(|d| d.symbol.as_str())
        .zip(space.dims.iter().map(|d| d.dim))
        .collect();
    let dim_of = |symbol: &Symbol| {
        let named = space_names.iter().find(|(s, _)| *s == symbol.as_str());
        named.expect("coordinates use iteration symbols").1
    };
    for (tensor, arg) in tensors.iter_mut().zip(&context.op.args) {
        let last = arg.device_coordinates.last();
        let stick = last.and_then(|c| c.symbols().first().map(|symbol| dim_of(symbol)));
        for (coordinate, size) in arg.device_coordinates.iter().zip(&arg.device_size) {
            for dim in coordinate.symbols().into_iter().map(dim_of) {
                let extent = space.planned_dim(dim).extent;
                if Some(dim) != stick
                    && *size < extent
                    && let Some(tensor_dim) = tensor.dims.iter_mut().find(|d| d.dim == dim)
                {
                    tensor_dim.back_gap = Elements(extent - size);
                }
            }
        }
    }
    for mask in padded {
        space.of_mut(mask.dim).slices = 1;
    }
}

/// Returns the padding that is masked (SDSC bundle specification, section 4.6), of two kinds: padding along a dimension
/// that is reduced to one element per stick, and, since the second revision, padding of `exp`, which would become 1.
/// The latter is masked only in rows of at most [`masked_exp_sticks`](crate::Revision::masked_exp_sticks) sticks
/// (contract, K14).
pub(super) fn masks(
    context: &Context<'_>,
    padded: &[Mask],
    layouts: &[Layout],
    tensors: &[PlannedTensor],
) -> Vec<Mask> {
    let output = tensors.last().expect("an operation has operands");
    let layout = layouts.iter().find(|layout| layout.label == output.label);
    let volume = layout
        .expect("a tensor has one of the layouts")
        .stick_volume()
        .get();
    let exp_sticks = match context.op.op.as_str() {
        "exp" => context.revision.masked_exp_sticks(),
        _ => 0,
    };
    padded
        .iter()
        .filter(|mask| {
            output.dim(mask.dim).is_some_and(|d| {
                let sticks = (mask.start + mask.len).div_ceil(volume);
                d.scale == Scale::StickReduced || sticks <= exp_sticks
            })
        })
        .copied()
        .collect()
}
