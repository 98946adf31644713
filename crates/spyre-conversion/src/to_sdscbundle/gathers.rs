//! Gathers in OpSpecs: an `identity` with a first tensor that holds the coordinates of the second along one device
//! dimension (SDSC bundle specification, sections 3.1 and 4.2).

use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Coord;
use spyre_sdsc::{Expr, TensorArg};

use super::access::Access;
use super::window::Operand;

/// The names by which tensors of a gather refer to one another.
const INDICES: &str = "indices";
const TABLE: &str = "table";

/// Returns the iteration dimensions for which the tensors of a gather have coordinates for any extent: the dimensions
/// of the indices, and dimensions along which any tensor has more than one element. The table and the result have the
/// same dimensions in a bundle.
pub(super) fn kept(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Vec<usize> {
    if op.gathered_dim().is_none() {
        return Vec::new();
    }
    let mut kept: Vec<usize> = op.tensor_dims(0).into_iter().flatten().collect();
    for access in accesses {
        let dims = access.dims.iter().zip(access.operand.view.shape());
        kept.extend(
            dims.filter(|(_, extent)| **extent != 1)
                .filter_map(|(dim, _)| *dim),
        );
    }
    kept
}

/// Checks that a gather has a form in a bundle that the specification of the format describes.
///
/// # Errors
/// The reason why it has no such form.
pub(super) fn check(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Result<(), String> {
    let Some(gathered) = op.gathered_dim() else {
        return Ok(());
    };
    let [indices, table, ..] = accesses else {
        return Err("a gather must have operands for the indices and the table".to_owned());
    };
    let (indices, table) = (&indices.operand, &table.operand);
    for (operand, tensor) in [indices, table].into_iter().enumerate() {
        if matches!(tensor.place, Place::Lx(_)) {
            return Err(format!(
                "operand #{operand} is in {}, but indices and the table that they select from are read from device memory; \
                 --spyre-scratchpad-planning places them there",
                tensor.place
            ));
        }
    }
    if indices.view.shape().iter().all(|extent| *extent == 1) {
        return Err(
            "chooses by a single index, and the SDSC bundle specification does not define the form of a single index; a \
             tile of one index out of several has a form"
                .to_owned(),
        );
    }
    check_table(table, gathered)
}

/// Checks that the table has all rows and that rows are in one device dimension, so that an index is its coordinate.
fn check_table(table: &Operand<'_>, gathered: usize) -> Result<(), String> {
    let layout = table.view.layout();
    let mut digits = layout.coords().iter().filter_map(|coord| match coord {
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } if *dim == gathered => Some((*divisor, *modulus)),
        _ => None,
    });
    if (digits.next(), digits.next()) != (Some((1, None)), None) {
        return Err(format!(
            "operand #1 of layout {layout} has dimension {gathered}, which the indices choose from, in no device dimension \
             of its own"
        ));
    }
    if table.is_window.get(gathered).copied().unwrap_or(false) {
        return Err(format!(
            "operand #1 is a window along dimension {gathered}, which the indices choose from, and no descriptor has its start \
             and its end; copy it to a separate tensor first"
        ));
    }
    Ok(())
}

/// Sets the coordinate of the table along `gathered` to an index.
pub(super) fn link(op: DeviceOp<'_>, accesses: &[Access<'_>], args: &mut [TensorArg]) {
    let (Some(gathered), [_, table, ..], [index_arg, table_arg, ..]) =
        (op.gathered_dim(), accesses, args)
    else {
        return;
    };
    index_arg.name = Some(INDICES.to_owned());
    table_arg.name = Some(TABLE.to_owned());
    let coords = table.operand.view.layout().coords();
    for (coord, coordinate) in coords.iter().zip(&mut table_arg.device_coordinates) {
        if matches!(coord, Coord::Digit { dim, .. } if *dim == gathered) {
            *coordinate = Expr::indirect_access(INDICES);
        }
    }
}
