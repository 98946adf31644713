//! Elements that indices choose from a table: `tensor.extract` in a body.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use spyre_mlir_rt::ir::{Op, Val};

use super::access::{Coordinate, LoopId};
use super::build::{element_of, shape_of};
use super::nest::{Access, Nest};
use super::scalars::{Element, Elements};
use super::view;

/// Builds the elements that a `tensor.extract` reads at all iterations.
///
/// # Errors
/// More than one coordinate comes from indices, or they are of a type that the device does not gather by.
pub fn element<'p>(
    elements: &mut Elements<'_, 'p>,
    nest: &Nest<'p>,
    op: Op<'p>,
) -> Result<Val<'p>, String> {
    let build = elements.build;
    let table: Val<'p> = op.operand(0).map_err(|why| why.to_string())?;
    let shape = shape_of(table)?;
    let mut coordinates = Vec::new();
    let mut chosen: Option<(usize, Val<'p>)> = None;
    for (dim, value) in op.operands().skip(1).enumerate() {
        coordinates.push(match elements.get(value)? {
            Element::Index(id) => Coordinate::index(id),
            Element::Constant(at) => {
                let at =
                    spyre_dialects::attr::integer(at).ok_or("a coordinate that is no integer")?;
                Coordinate::constant(at)
            }
            Element::Tensor(indices) => {
                if let Some((other, _)) = chosen {
                    return Err(format!(
                        "indices choose along dimensions {other} and {dim} of a table"
                    ));
                }
                chosen = Some((dim, indices));
                Coordinate::constant(0)
            }
        });
    }
    let access = |value, coordinates| Access {
        value,
        coordinates,
        element: value,
    };
    let Some((dim, indices)) = chosen else {
        // Every coordinate is an index of a loop: a view.
        return match view::read(&build, nest, &access(table, coordinates))? {
            Element::Tensor(view) => Ok(view),
            _ => Err("a table that is no tensor".into()),
        };
    };
    let i32 = IntegerType::new(build.context, 32).into();
    if element_of(indices) != i32 {
        return Err(format!(
            "indices of type {} choose from a table; the device has those of i32",
            element_of(indices)
        ));
    }
    // The dimensions of the indices are the loops along which they differ, in order; they take the place of the table's.
    let along: Vec<LoopId> = (0..nest.extents.len())
        .map(LoopId)
        .filter(|id| build.shape(indices)[id.0] > 1)
        .collect();
    let mut extents: Vec<i64> = along.iter().map(|id| nest.extent(*id)).collect();
    if extents.is_empty() {
        extents.push(1);
    }
    let indices = build.reshape(indices, &extents);
    let mut gathered = shape.clone();
    gathered.splice(dim..=dim, extents.iter().copied());
    let number = melior::ir::attribute::IntegerAttribute::new(
        IntegerType::new(build.context, 64).into(),
        dim as i64,
    );
    let made = build.op(
        "spyre.gather",
        &[indices, table],
        build.tensor(&gathered, element_of(table)),
        &[("dim", number.into())],
    );
    let mut places: Vec<Coordinate> = along.into_iter().map(Coordinate::index).collect();
    if places.is_empty() {
        places.push(Coordinate::constant(0));
    }
    coordinates.splice(dim..=dim, places);
    match view::read(&build, nest, &access(made, coordinates))? {
        Element::Tensor(view) => Ok(view),
        _ => Err("a table that is no tensor".into()),
    }
}
