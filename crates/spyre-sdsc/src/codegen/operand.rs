//! Dimension order and stick of each operand (SDSC bundle specification, sections 4.2 and 4.3).

use spyre_ops::OpClass;

use super::context::Context;
use super::descriptor::Role;
use super::dims::{Dim, DimNames, Space};
use crate::error::Error;
use crate::expr::{Expr, ExprKind, Symbol};
use crate::model::TensorArg;
use crate::validate::is_zero;
use crate::{Bytes, Elements};

/// An operand, as its device coordinates describe it.
pub(super) struct Operand {
    /// The dimensions, innermost first; [`complete`] appends the missing ones.
    pub(super) dims: Vec<Dim>,
    /// The dimension along the stick, if it has one.
    pub(super) stick: Option<Dim>,
    /// The entries of `dims` that the operand does not have in memory.
    pub(super) reduced: Vec<Dim>,
    /// The dimensions of each device coordinate.
    pub(super) coordinate_dims: Vec<Vec<Dim>>,
    /// The part in indirect access.
    pub(super) role: Role,
    /// Elements in one stick.
    pub(super) per_stick: Elements,
    /// Width of one element.
    pub(super) element_bytes: Bytes,
}

/// The dimension order and the stick of every operand (SDSC bundle specification, section 4.2).
pub(super) fn read_operands(
    context: &Context<'_>,
    names: &DimNames,
    roles: &[Role],
) -> Result<Vec<Operand>, Error> {
    let args = context.op.args.iter().zip(roles).enumerate();
    args.map(|(position, (arg, role))| read(context, names, position, arg, *role))
        .collect()
}

/// Reads the coordinates from the innermost to the outermost (SDSC bundle specification, section 4.2).
fn read(
    context: &Context<'_>,
    names: &DimNames,
    position: usize,
    arg: &TensorArg,
    role: Role,
) -> Result<Operand, Error> {
    let coordinate_dims = arg
        .device_coordinates
        .iter()
        .map(|coordinate| {
            // A gathered coordinate runs over the symbols of its index tensor.
            let symbols = match role {
                Role::Value { index } if coordinate.has_indirect_access() => {
                    index_symbols(context, index)
                }
                _ => coordinate.symbols(),
            };
            let dims = symbols.iter().map(|symbol| {
                names.dim(symbol.as_str()).ok_or_else(|| {
                    context.unsupported(format!(
                        "operand {position} uses {symbol}, which is no iteration symbol"
                    ))
                })
            });
            dims.collect()
        })
        .collect::<Result<Vec<Vec<Dim>>, _>>()?;
    let (Some((in_stick, outer)), true) = (
        coordinate_dims.split_last(),
        arg.device_coordinates.len() == arg.device_size.len(),
    ) else {
        return Err(context.inconsistent(format!(
            "operand {position} has {} coordinates for {} device dimensions",
            arg.device_coordinates.len(),
            arg.device_size.len()
        )));
    };
    check_full_sticks(context, position, arg)?;
    // `symbols()` is alphabetical, so the first is deterministic.
    let stick = in_stick.first().copied();
    let mut dims = Vec::new();
    for (outer_dims, coordinate) in outer.iter().zip(&arg.device_coordinates).rev() {
        // A tensor of one stick has the literal 0 where the number of the stick would be.
        let implicit = if is_zero(coordinate) { stick } else { None };
        for dim in implicit.into_iter().chain(outer_dims.iter().copied()) {
            if !dims.contains(&dim) {
                dims.push(dim);
            }
        }
    }
    Ok(Operand {
        dims,
        stick,
        reduced: Vec::new(),
        coordinate_dims,
        role,
        per_stick: arg.format.elements_per_stick(),
        element_bytes: arg.format.bytes_per_element(),
    })
}

/// Rejects a dimension that continues in the next stick before this one is full: a file has the order of dimensions and
/// the elements of a stick, from which all sticks but the last of a dimension are full (SDSC bundle specification,
/// section 4.4).
fn check_full_sticks(context: &Context<'_>, position: usize, arg: &TensorArg) -> Result<(), Error> {
    let in_stick = arg.device_coordinates.last();
    let Some(ExprKind::Mod(inner, modulus)) = in_stick.map(Expr::kind) else {
        // One stick, or one element of each.
        return Ok(());
    };
    let (Some(symbol), Some(modulus)) = (inner.as_symbol(), modulus.as_int()) else {
        return Err(context.unsupported(format!(
            "operand {position} has `Mod({inner}, {modulus})` along the stick, which is not a symbol modulo a number"
        )));
    };
    let mut dims = context.op.iteration_space.iter();
    let iteration = dims.find(|dim| dim.symbol == *symbol);
    let ends_before =
        iteration.is_some_and(|dim| dim.extent.as_int().is_some_and(|e| e <= modulus));
    let per_stick = arg.format.elements_per_stick().get();
    if ends_before || u64::try_from(modulus).is_ok_and(|modulus| modulus >= per_stick) {
        return Ok(());
    }
    Err(context.unsupported(format!(
        "operand {position} has {modulus} of {per_stick} elements of each stick along {symbol}, and a file has full sticks \
         only; copy it into a layout of full sticks"
    )))
}

/// The symbols of the coordinates of an index tensor, in alphabetical order (SDSC bundle specification, section 4.2).
fn index_symbols<'a>(context: &Context<'a>, index: usize) -> Vec<&'a Symbol> {
    let coordinates = context.op.args[index].device_coordinates.iter();
    let mut symbols: Vec<_> = coordinates.flat_map(Expr::symbols).collect();
    symbols.sort();
    symbols.dedup();
    symbols
}

/// Appends the dimensions that broadcasting and reduction leave out, and the added stick (SDSC bundle specification,
/// section 4.3).
pub(super) fn complete(
    context: &Context<'_>,
    class: OpClass,
    space: &Space,
    operands: &mut [Operand],
) -> Result<(), Error> {
    for (position, operand) in operands.iter_mut().enumerate() {
        let is_index = matches!(operand.role, Role::Index { .. });
        let has_layout_of_its_own = is_index || matches!(class, OpClass::Matmul | OpClass::TopK);
        if !has_layout_of_its_own {
            operand.reduced = space
                .op_dims
                .iter()
                .copied()
                .filter(|dim| !operand.dims.contains(dim))
                .collect();
            operand.dims.extend(&operand.reduced);
        }
        if let (Role::Value { .. }, Some(missing)) = (operand.role, operand.reduced.first()) {
            return Err(context.unsupported(format!(
                "operand {position} is gathered and does not have dimension {missing}"
            )));
        }
        if is_index {
            if operand.stick.is_none() {
                return Err(context.unsupported(format!(
                    "index operand {position} with one element per stick"
                )));
            }
            continue;
        }
        if let Some(synthetic) = space.synthetic_stick {
            if let Some(stick_dim) = operand.stick {
                return Err(context.unsupported(format!(
                    "operand {position} has stick {stick_dim} in an operation on one element per stick"
                )));
            }
            operand.stick = Some(synthetic);
            operand.dims.push(synthetic);
        } else if let (None, Some(op_stick)) = (operand.stick, space.op_stick)
            && operand.dims.contains(&op_stick)
            && !operand.reduced.contains(&op_stick)
        {
            return Err(context.unsupported(format!(
                "operand {position} holds stick dimension {op_stick} one element per stick"
            )));
        }
        // The requested stick may be the one that was added above.
        if let (0, "layernormscale", Some(stick)) =
            (position, context.op.op.as_str(), operand.stick)
        {
            operand.reduced = vec![stick];
        }
    }
    Ok(())
}
