//! Layout labels (SDSC bundle specification, section 4.5).

use spyre_ops::OpClass;

use super::context::Context;
use super::descriptor::{FP8_PAIR, Layout, LayoutLabel, Packing, PlannedTensor, StickDim};
use super::dims::Dim;
use super::operand::Operand;
use crate::Elements;
use crate::error::Error;

const MATMUL: [LayoutLabel; 4] = [
    LayoutLabel::Input,
    LayoutLabel::Kernel,
    LayoutLabel::Output,
    LayoutLabel::KernelIdx,
];
const OTHERS: [LayoutLabel; 4] = [
    LayoutLabel::Output,
    LayoutLabel::Kernel,
    LayoutLabel::Input,
    LayoutLabel::KernelIdx,
];

/// Gives every tensor a label, sharing labels between tensors with the same stick and the same set of dimensions (SDSC
/// bundle specification, section 4.5).
pub(super) fn assign(
    context: &Context<'_>,
    class: OpClass,
    operands: &[Operand],
    tensors: &mut [PlannedTensor],
) -> Result<Vec<Layout>, Error> {
    let labels = if class == OpClass::Matmul {
        MATMUL
    } else {
        OTHERS
    };
    let reference = if context.op.is_reduction {
        operands.first()
    } else {
        operands.last()
    };
    let op_stick = reference.and_then(|operand| operand.stick);
    let indirect = tensors.iter().any(PlannedTensor::is_index);
    let mut layouts: Vec<Layout> = Vec::new();
    for (position, (operand, tensor)) in operands.iter().zip(tensors).enumerate() {
        let stick = operand.stick.or(op_stick).ok_or_else(|| {
            context.unsupported(format!(
                "operand {position} has no stick dimension, and neither has the operation"
            ))
        })?;
        let dim_order: Vec<Dim> = tensor.dims.iter().map(|d| d.dim).collect();
        if !dim_order.contains(&stick) {
            return Err(context.unsupported(format!(
                "operand {position} has no stick, and does not have stick dimension {stick} of the operation"
            )));
        }
        let sticks = sticks(tensor, stick);
        let entry = layouts.iter().find(|layout| {
            (layout.label == LayoutLabel::KernelIdx) == tensor.is_index()
                && layout.sticks == sticks
                && layout.dim_order.len() == dim_order.len()
                && dim_order.iter().all(|dim| layout.dim_order.contains(dim))
        });
        tensor.label = match entry {
            Some(layout) => layout.label,
            None => {
                if indirect
                    && !tensor.is_index()
                    && layouts.iter().any(|l| l.label == LayoutLabel::Output)
                {
                    return Err(context.unsupported(format!(
                        "operand {position} of a gather with a layout different from the others"
                    )));
                }
                // Index tensors take their label from the end of the list, others from the start.
                let label = if tensor.is_index() {
                    Some(&LayoutLabel::KernelIdx)
                } else if indirect {
                    Some(&LayoutLabel::Output)
                } else {
                    labels.get(layouts.len())
                };
                let label = *label.ok_or_else(|| {
                    context.unsupported(format!("more than {} different layouts", labels.len()))
                })?;
                layouts.push(Layout {
                    label,
                    dim_order,
                    sticks,
                });
                label
            }
        };
    }
    Ok(layouts)
}

/// The dimensions of the sticks of a tensor, and their elements, by its stick dimension.
fn sticks(tensor: &PlannedTensor, stick: Dim) -> Vec<StickDim> {
    match tensor.packing {
        Packing::Fp8Weights => {
            let rows = Elements(FP8_PAIR);
            let columns = Elements(tensor.per_stick.get() / FP8_PAIR);
            let sizes = [rows, columns].into_iter();
            let sticks = tensor.packed_dims().zip(sizes);
            sticks.map(|(dim, size)| StickDim { dim, size }).collect()
        }
        Packing::Linear | Packing::Fp8Rows => vec![StickDim {
            dim: stick,
            size: tensor.per_stick,
        }],
    }
}
