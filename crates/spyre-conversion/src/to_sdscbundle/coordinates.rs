//! Coordinates of a tensor in its memory, in terms of the iteration space.

use spyre_layout::{Coord, OperandCoord, View};
use spyre_sdsc::Expr;

use super::access::Access;

/// Returns the device size of an operand and its coordinates in terms of the iteration space, from its positions along each
/// dimension.
///
/// # Errors
/// A coordinate that the format cannot represent.
pub(super) fn coordinates(
    view: &View,
    positions: &[Option<Expr>],
) -> Result<(Vec<u64>, Vec<Expr>), String> {
    let coords = view.operand_coords().map_err(|err| err.to_string())?;
    let mut sizes = Vec::with_capacity(coords.len() + 1);
    let mut coordinates = Vec::with_capacity(coords.len() + 1);
    for OperandCoord { coord, start, size } in coords {
        sizes.push(size);
        coordinates.push(coordinate(coord, start, positions)?);
    }
    // The format finds the dimension on the stick where its sticks are counted, so one stick is counted too: before the
    // last dimension that precedes the stick, or before the stick where there is none.
    if let Some(stick) = view.layout().stick_dim()
        && let Some(position) = positions.get(stick).cloned().flatten()
        && view.layout().device_dims_of(stick).count() == 1
    {
        let place = sizes.len().saturating_sub(2);
        let per_stick = view.format().elements_per_stick().get();
        let count = digit(position, per_stick, None)?;
        sizes.insert(place, 1);
        coordinates.insert(place, count);
    }
    assert_eq!(sizes.len(), coordinates.len(), "a coordinate for each size");
    Ok((sizes, coordinates))
}

/// Sets the coordinate in the stick of a matrix product's operand with a single column. A product walks along the sticks of its
/// operands. Such an operand has one element in each stick, and the walk is along its column.
///
/// # Errors
/// A number that is out of range.
pub(super) fn walk_single_column(
    access: &Access<'_>,
    coordinates: &mut [Expr],
) -> Result<(), String> {
    let view = &access.operand.view;
    if view.layout().stick_dim().is_some() || view.shape().last() != Some(&1) {
        return Ok(());
    }
    let per_stick = view.format().elements_per_stick().get();
    if let Some(column) = access.along_last()
        && let Some(in_stick) = coordinates.last_mut()
    {
        *in_stick = digit(position(column), 1, Some(per_stick))?;
    }
    Ok(())
}

/// Returns a device coordinate in terms of the iteration space: the digit of a position, from a start.
fn coordinate(coord: Coord, start: u64, positions: &[Option<Expr>]) -> Result<Expr, String> {
    let digit = match coord {
        Coord::Zero => None,
        Coord::Digit {
            dim,
            divisor,
            modulus,
        } => {
            let position = positions.get(dim).cloned().flatten();
            let digit = position.map(|position| digit(position, divisor, modulus));
            digit.transpose()?
        }
    };
    let start = number(start)?;
    Ok(match digit {
        None => Expr::int(start),
        Some(digit) if start == 0 => digit,
        Some(digit) => digit + Expr::int(start),
    })
}

/// Returns a digit of a position.
fn digit(position: Expr, divisor: u64, modulus: Option<u64>) -> Result<Expr, String> {
    let mut digit = position;
    if divisor != 1 {
        digit = digit.floor_div(number(divisor)?);
    }
    Ok(match modulus {
        Some(modulus) => digit.modulo(number(modulus)?),
        None => digit,
    })
}

/// Returns the position along an iteration dimension.
pub(super) fn position(dim: usize) -> Expr {
    Expr::symbol(symbol(dim))
}

/// Returns the symbol of an iteration dimension.
pub(super) fn symbol(dim: usize) -> String {
    format!("c{dim}")
}

fn number(value: u64) -> Result<i64, String> {
    i64::try_from(value).map_err(|_| format!("layout digit {value} is out of range"))
}
