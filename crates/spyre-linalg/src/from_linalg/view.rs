//! The elements that an operand of a structured operation reads, as a view of its tensor.
//!
//! A coordinate that is an index of a loop is a dimension, one with a factor is a window with a step, and one
//! that stays is a dimension of extent 1. Other coordinates are gathers by positions ([`gather`]). The remaining
//! dimensions are in the order of the tensor. A permutation puts them into the order of the loops, and a reshape
//! adds one of extent 1 for each loop without a coordinate.

use melior::ir::ValueLike;
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::access::{Coordinate, LoopId};
use spyre_construct::build::{Build, ones};
use spyre_mlir_rt::ir::{self, Val};

use super::gather;
use super::nest::{Access, Nest};
use super::scalars::Element;

/// The elements that an operand reads, with a dimension for each loop that moves it, in the order of the tensor.
#[derive(Debug, Clone)]
pub(super) struct View<'p> {
    pub value: Val<'p>,
    /// The loop of each dimension. Dimensions of extent 1 have none.
    pub loops: Vec<LoopId>,
}

/// Builds the elements of an operand at all iterations: a narrow tensor with a dimension for each loop.
///
/// # Errors
/// The reason why they are no view.
pub(super) fn read<'p>(
    build: &Build<'p>,
    nest: &Nest<'p>,
    access: &Access<'p>,
) -> Result<Element<'p>, String> {
    if !ir::is_ranked_tensor(access.value.r#type()) {
        return Err("a number that the function is called with is no tensor".into());
    }
    let View { value, loops } = dims(build, nest, access)?;
    let mut order: Vec<usize> = (0..loops.len()).collect();
    order.sort_by_key(|at| loops[*at]);
    let value = build.permute(value, &order);
    let mut shape = ones(nest.extents.len());
    for id in loops {
        shape[id.0] = nest.extent(id);
    }
    Ok(Element::Tensor(build.reshape(value, &shape)?))
}

/// Builds the view of the elements that an operand reads, in the order of its tensor.
///
/// # Errors
/// The reason why it is no view.
pub(super) fn dims<'p>(
    build: &Build<'p>,
    nest: &Nest<'p>,
    access: &Access<'p>,
) -> Result<View<'p>, String> {
    let whole = build.shape_of(access.value)?;
    let value = if whole.is_empty() {
        access.value
    } else {
        build.narrow(access.value)
    };
    let shape = build.shape(value);
    let coordinates = access.coordinates.iter().zip(&shape);
    let narrow = Access {
        value,
        // A repeated element is the same at every position, and a loop of one iteration adds no offset.
        coordinates: coordinates
            .map(|(at, extent)| match *extent {
                Extent::ONE => Coordinate::constant(0),
                _ => at.moved_by(|id| !nest.extent(id).is_one()),
            })
            .collect(),
        element: access.element,
    };
    let access = gather::as_view(*build, nest, &narrow)?;
    let (mut offsets, mut sizes, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut loops: Vec<LoopId> = Vec::new();
    for at in &access.coordinates {
        let (size, step) = match *at.terms {
            [] => (Extent::ONE, 1),
            [(id, factor)] => (nest.extent(id), factor),
            _ => unreachable!("what several loops move is chosen"),
        };
        if let [(id, _)] = *at.terms
            && !size.is_one()
        {
            loops.push(id);
        }
        offsets.push(at.offset);
        sizes.push(size);
        steps.push(step);
    }
    let value = access.value;
    let value = build.window(value, &offsets, &sizes, &steps)?;
    // Dimensions of extent 1 belong to no loop.
    let kept: Vec<Extent> = sizes.into_iter().filter(|size| !size.is_one()).collect();
    let value = build.reshape(value, &kept)?;
    Ok(View { value, loops })
}
