//! Builds the choice of rows of a table by indices: a load of an indirect access tile.
//!
//! The tile has a variable for each device dimension of the table but the one that the indices choose from, and a
//! variable for each device dimension of the indices in its place. The part of a core starts at the base of both views,
//! so subscripts are variables alone. An index outside of the table reads other memory; on the card it is not defined.

use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Val;

use crate::area::{self, Axis};
use crate::emit::{Emitter, tensor_type};
use crate::error;
use crate::ktdp::{self, Indirect};
use crate::memory::{self, Frame, Window};
use crate::step::Step;

/// Builds a gather. Returns the tensor of the part of its result.
///
/// # Errors
/// The table or the indices are in scratchpads, or the indices choose from a dimension on the stick.
pub(crate) fn gather<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    device: DeviceOp<'p>,
    step: &Step<'p>,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let op = device.op();
    let [indices, table, result] = &step.tensors[..] else {
        unreachable!("a gather has two operands");
    };
    for (tensor, name) in [(indices, "indices"), (table, "table")] {
        if matches!(tensor.operand.place, spyre_dialects::attr::Place::Lx(_)) {
            return Err(error(
                op,
                format!("the {name} of a gather has to be in device memory"),
            ));
        }
    }
    let refuse = |reason: String| error(op, reason);
    let of_table = area::axes(&table.operand.view, &table.parts).map_err(refuse)?;
    let of_indices = area::axes(&indices.operand.view, &indices.parts).map_err(refuse)?;
    let gathered = device.gathered_dim().expect("a gather has indices");
    let rows = of_table
        .iter()
        .filter(|axis| axis.dim == Some(gathered))
        .count();
    if rows != 1 {
        let message = format!(
            "the indices choose from dimension {gathered} of the table, which {rows} device dimensions have; one is needed"
        );
        return Err(error(op, message));
    }
    // The dimension of the result along each dimension of an operand.
    let dims_of_result = device.tensor_dims(2);
    let in_result = |tensor: usize, axis: &Axis| {
        let dim = device.tensor_dims(tensor)[axis.dim?]?;
        dims_of_result.iter().position(|other| *other == Some(dim))
    };
    let mut variables: Vec<Axis> = Vec::new();
    let mut subscripts = Vec::new();
    for axis in &of_table {
        if axis.dim != Some(gathered) {
            subscripts.push(Indirect::Direct(variables.len()));
            variables.push(Axis {
                dim: in_result(1, axis),
                ..*axis
            });
            continue;
        }
        let first = variables.len();
        variables.extend(of_indices.iter().map(|axis| Axis {
            dim: in_result(0, axis),
            ..*axis
        }));
        subscripts.push(Indirect::Through((first..variables.len()).collect()));
    }
    let view = memory::view(emit, frame, op, &table.operand, &of_table, Window::Part)?;
    let numbers = memory::view(emit, frame, op, &indices.operand, &of_indices, Window::Part)?;
    let counts: Vec<u64> = variables.iter().map(|axis| axis.count).collect();
    let tile = ktdp::indirect_tile(emit.at_end(), view, numbers, &subscripts, &counts);
    let element = table.operand.buffer.element;
    let loaded = ktdp::load(emit.build(), tile, tensor_type(&counts, element));
    Ok(memory::from_device(emit, loaded, &variables, &result.parts))
}
