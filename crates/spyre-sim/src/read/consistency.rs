//! Checks redundant fields of a file, and fields that follow from others: the order of tensors and of dimensions, and
//! the number that masked elements read as.

use half::f16;

use crate::kernels::{Kernel, kernel};

use super::error::{Resolved, error};
use super::json::{Compute, Dsc};
use super::operation::Tensor;

/// Checks that inputs are in the order of the tensors (SDSC bundle specification, section 5, `computeOp_`). The numbers of
/// tensors are the places of operands: reversed, a difference is another one.
pub(super) fn order_of_inputs(compute: &Compute) -> Resolved<()> {
    let lists = [
        ("inputLabeledDs", &compute.inputs),
        ("indirectAccessIndexLabeledDs", &compute.indices),
    ];
    for (key, names) in lists {
        // Names that belong to no tensor are reported where the tensor is looked up.
        let numbers = names.iter().filter_map(|name| {
            let (_, number) = name.rsplit_once("idx")?;
            number.parse::<usize>().ok()
        });
        let numbers: Vec<usize> = numbers.collect();
        if !numbers.is_sorted_by(|a, b| a < b) {
            let message = format!("tensors {numbers:?} are not in ascending order");
            return error(format!("computeOp_/0/{key}"), message);
        }
    }
    Ok(())
}

/// Checks that each layout has its dimensions in the order of the first tensor that has it (SDSC bundle specification,
/// section 4.5): scales and coordinates are in the order of the layout, addresses in that of the tensor.
pub(super) fn order_of_layouts(dsc: &Dsc) -> Resolved<()> {
    for (name, layout) in &dsc.labels.0 {
        let first = dsc.tensors.iter().find(|tensor| tensor.label == *name);
        let node =
            first.and_then(|first| dsc.nodes.iter().find(|node| node.tensor == first.tensor));
        if let Some(node) = node
            && node.dims != layout.dims
        {
            let message = format!(
                "is {}, but Tensor{}, the first with this layout, has {}",
                layout.dims.join(", "),
                node.tensor,
                node.dims.join(", ")
            );
            return error(format!("primaryDsInfo_/{name}/layoutDimOrder_"), message);
        }
    }
    Ok(())
}

/// Checks that a relayout copies sticks as they are: both tensors have the same elements in them (LX Relayout SHUFFLE Contract,
/// "Interaction with restickify").
pub(super) fn same_sticks(inputs: &[Tensor], output: &Tensor) -> Resolved<()> {
    let has = |tensor: &Tensor| tensor.has(tensor.stick);
    match inputs.iter().find(|input| {
        (input.stick, input.format, has(input)) != (output.stick, output.format, has(output))
    }) {
        None => Ok(()),
        Some(input) => {
            let message = format!(
                "a relayout keeps sticks; Tensor{} has others than Tensor{}",
                input.index, output.index
            );
            error("primaryDsInfo_", message)
        }
    }
}

/// The smaller one of the numbers between which 65504, the largest of `f16`, lies in DL16: a file may have either (contract,
/// K2 and K7).
const NEARLY_LARGEST: f32 = 65472.0;

/// Checks that the number that masked elements read as changes no result of a function (SDSC bundle specification,
/// section 4.6; contract, K7 and K8): a zero is more than the maximum of negative numbers, and a NaN is the result of every
/// reduction. The largest numbers of `f16` count as more than all others, although the device has larger ones.
pub(super) fn mask_of(function: &str, value: f32) -> Resolved<()> {
    let (is_neutral, neutral) = match kernel(function) {
        Some(Kernel::Reduce(reduction)) => match reduction.start {
            f32::NEG_INFINITY => (value <= -NEARLY_LARGEST, -f16::MAX.to_f32()),
            f32::INFINITY => (value >= NEARLY_LARGEST, f16::MAX.to_f32()),
            start => (value == start, start),
        },
        Some(Kernel::QuantScale(_) | Kernel::Moments(_)) => (value == 0.0, 0.0),
        // An element after the last one must be as near to zero as the function comes.
        _ if function == "exp" => (value.exp() == 0.0, -10000.0),
        _ => return Ok(()),
    };
    if is_neutral {
        return Ok(());
    }
    let message = format!(
        "{value} is the value of masked elements of '{function}' and changes its results; {neutral} does not"
    );
    error("constantInfo_", message)
}
