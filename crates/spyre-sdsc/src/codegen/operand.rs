//! Dimension order and stick of each operand (SDSC bundle specification, sections 4.2 and 4.3).

use super::context::Context;
use super::dims::{Dim, DimNames, Space};
use crate::error::Error;
use crate::model::TensorArg;
use crate::ops::OpClass;
use crate::units::{Bytes, Elements};
use crate::validate::is_zero;

/// What the device coordinates of an operand say.
pub(super) struct Operand {
    /// Its dimensions, innermost first; [`complete`] appends the missing ones.
    pub(super) dims: Vec<Dim>,
    /// The dimension along the stick, if it has one of its own.
    pub(super) stick: Option<Dim>,
    /// The entries of `dims` that the operand does not have in memory.
    pub(super) reduced: Vec<Dim>,
    /// The dimensions of each device coordinate.
    pub(super) coordinate_dims: Vec<Vec<Dim>>,
    /// Elements in one stick.
    pub(super) per_stick: Elements,
    /// Width of one element.
    pub(super) element_bytes: Bytes,
}

pub(super) fn read_operands(context: &Context<'_>, names: &DimNames) -> Result<Vec<Operand>, Error> {
    context.op.args.iter().enumerate().map(|(position, arg)| read(context, names, position, arg)).collect()
}

fn read(context: &Context<'_>, names: &DimNames, position: usize, arg: &TensorArg) -> Result<Operand, Error> {
    let (per_stick, element_bytes) = arg.format.stick().map_err(|error| context.format(position, error))?;
    let coordinate_dims = arg
        .device_coordinates
        .iter()
        .map(|coordinate| {
            let symbols = coordinate.symbols();
            let dims = symbols.iter().map(|symbol| {
                names.of(symbol.as_str()).ok_or_else(|| {
                    context.unsupported(format!("operand {position} uses {symbol}, which is no iteration symbol"))
                })
            });
            dims.collect()
        })
        .collect::<Result<Vec<Vec<Dim>>, _>>()?;
    let (Some((in_stick, outer)), true) =
        (coordinate_dims.split_last(), arg.device_coordinates.len() == arg.device_size.len())
    else {
        return Err(context.inconsistent(format!(
            "operand {position} has {} coordinates for {} device dimensions",
            arg.device_coordinates.len(),
            arg.device_size.len()
        )));
    };
    // `symbols()` is alphabetical, so the first is deterministic.
    let stick = in_stick.first().copied();
    let mut dims = Vec::new();
    for (own, coordinate) in outer.iter().zip(&arg.device_coordinates).rev() {
        // A tensor of one stick has the literal 0 where the number of the stick would be.
        let implicit = if is_zero(coordinate) { stick } else { None };
        for dim in implicit.into_iter().chain(own.iter().copied()) {
            if !dims.contains(&dim) {
                dims.push(dim);
            }
        }
    }
    Ok(Operand { dims, stick, reduced: Vec::new(), coordinate_dims, per_stick, element_bytes })
}

/// Appends the dimensions that broadcasting and reduction leave out, and the added stick.
pub(super) fn complete(
    context: &Context<'_>,
    class: OpClass,
    space: &Space,
    operands: &mut [Operand],
) -> Result<(), Error> {
    for (position, operand) in operands.iter_mut().enumerate() {
        let has_layout_of_its_own = matches!(class, OpClass::Matmul | OpClass::TopK);
        if !has_layout_of_its_own {
            operand.reduced = space.op_dims.iter().copied().filter(|dim| !operand.dims.contains(dim)).collect();
            operand.dims.extend(&operand.reduced);
        }
        if let (0, "layernormscale", Some(stick)) = (position, context.op.op.as_str(), operand.stick) {
            operand.reduced = vec![stick];
        }
        if let Some(synthetic) = space.synthetic_stick {
            if let Some(own) = operand.stick {
                return Err(context.unsupported(format!(
                    "operand {position} has stick {own} in an operation on one element per stick"
                )));
            }
            operand.stick = Some(synthetic);
            operand.dims.push(synthetic);
        } else if let (None, Some(op_stick)) = (operand.stick, space.op_stick)
            && operand.dims.contains(&op_stick)
            && !operand.reduced.contains(&op_stick)
        {
            return Err(context
                .unsupported(format!("operand {position} holds stick dimension {op_stick} one element per stick")));
        }
    }
    Ok(())
}
