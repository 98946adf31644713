//! Searches in parts: the loops carry the first element so far, and its position.
//!
//! A level may cut the dimension in which an operation searches for one element. The loops then carry the element, and
//! for its position an integer that counts from the start of the next tile: a tile that has a better element stores its
//! position, and every tile subtracts its extent. So no tile needs the position of its start, and after the last one
//! the extent of the whole dimension is added. The loops start from -inf at the first position, which is also the right
//! result for a tensor of -inf only. A tile is better by the rule of `topkvalue`: NaN before every number, and of equal
//! elements the first.

use std::rc::Rc;

use melior::Context;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Type, TypeLike};
use spyre_analysis::tensor::{TensorType, TensorTypes, with_room};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{DeviceFormat, Layout};
use spyre_ops::Ranked;

use crate::coarse_tile::plan::reduce::element_of;

/// A search for one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Search {
    /// The result of the search.
    pub(crate) result: Ranked,
    /// The way to decide which of two elements comes first.
    pub(crate) comparison: Comparison,
    /// The dimension of the operand that is searched.
    pub(crate) dim: usize,
    /// The extent of that dimension, in elements.
    pub(crate) extent: u64,
}

/// The way to decide which of two elements comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Comparison {
    /// By comparisons, with truth values that select elements and positions.
    Truth,
    /// By a search among the two. Truth values of 16-bit floats have other sticks than positions as integers, and cannot select
    /// them.
    Stack,
}

/// The tensors of a search.
#[derive(Debug)]
pub(crate) struct SearchedTensors<'t> {
    /// The iteration dimension of each dimension of the operand.
    pub(crate) operand: &'t [Option<usize>],
    /// The extents of the result.
    pub(crate) result: &'t [u64],
    /// The dimension of the result that is on the stick.
    pub(crate) stick: Option<usize>,
    /// The extent of the searched dimension, in elements.
    pub(crate) extent: u64,
    /// Whether truth values, which are stored like the compared elements, can select results: only if both have the
    /// same number of bits.
    pub(crate) selects: bool,
}

impl Search {
    /// Returns the search of an operation that returns `result`; `None` if it searches for several elements.
    pub(crate) fn of(result: Ranked, tensors: &SearchedTensors<'_>) -> Option<Self> {
        // The dimension that is searched follows the dimensions of the result.
        let searched = Some(tensors.result.len());
        let dim = tensors.operand.iter().position(|dim| *dim == searched)?;
        if tensors.result.get(dim) != Some(&1) {
            return None;
        }
        let has_sticks = tensors.stick.is_some_and(|dim| tensors.result[dim] != 1);
        Some(Self {
            result,
            comparison: if has_sticks && !tensors.selects {
                Comparison::Stack
            } else {
                Comparison::Truth
            },
            dim,
            extent: tensors.extent,
        })
    }
}

impl Search {
    /// Returns the type of the elements of a tensor that has elements or their positions.
    ///
    /// # Errors
    /// The layout has no room for them.
    pub(crate) fn elements<'p>(
        types: &TensorTypes<'p>,
        op: DeviceOp<'p>,
        like: &TensorType<'p>,
    ) -> Result<Rc<TensorType<'p>>, String> {
        let ty = if like.element.is_integer() {
            with_element(types, like, element_of(op), None)?
        } else {
            like.ty
        };
        Ok(types.get(ty)?)
    }

    /// Returns the type of the decisions between elements: truth values, which are stored in the format of the elements
    /// that were compared, or positions among two.
    ///
    /// # Errors
    /// The layout has no room for them.
    pub(crate) fn decisions<'p>(
        self,
        context: &'p Context,
        types: &TensorTypes<'p>,
        elements: &TensorType<'p>,
    ) -> Result<Type<'p>, String> {
        let (bits, stored) = match self.comparison {
            Comparison::Truth => (1, Some(elements.device.format())),
            Comparison::Stack => (32, None),
        };
        let element = IntegerType::new(context, bits).into();
        with_element(types, elements, element, stored)
    }
}

/// Returns a tensor type with other elements. Its layout is the same, with sticks of as many elements as their format has.
/// `stored` is the format in device memory; `None` for the default of the type.
fn with_element<'p>(
    types: &TensorTypes<'p>,
    like: &TensorType<'p>,
    element: Type<'p>,
    stored: Option<DeviceFormat>,
) -> Result<Type<'p>, String> {
    let plain: Type<'p> = RankedTensorType::new(like.shape(), element, None).into();
    if !like.has_layout {
        return Ok(plain);
    }
    let default_format = types.get(plain)?.device.format();
    let format = stored.unwrap_or(default_format);
    let layout = like.device.layout();
    let mut layout = match layout.stick_dim() {
        Some(_) => layout
            .with_elements_per_stick(format.elements_per_stick())
            .map_err(|err| err.to_string())?,
        None => {
            Layout::new(layout.rank(), layout.coords().to_vec()).map_err(|err| err.to_string())?
        }
    };
    if format != default_format {
        layout = layout.with_format(format);
    }
    let ty = types.with_layout(like.shape(), element, &layout)?;
    // Positions need room for the whole sticks of the elements that are searched.
    let most = like.device.format().elements_per_stick();
    let most = most.max(ty.device.format().elements_per_stick());
    match with_room(&ty.device, most)? {
        Some(layout) => Ok(types.with_layout(like.shape(), element, &layout)?.ty),
        None => Ok(ty.ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(result: &[u64], stick: usize, selects: bool) -> Option<Search> {
        let tensors = SearchedTensors {
            operand: &[Some(0), Some(2)],
            result,
            stick: Some(stick),
            extent: 4096,
            selects,
        };
        Search::of(Ranked::Position, &tensors)
    }

    #[test]
    fn a_search_is_for_one_element() {
        let result = search(&[64, 1], 1, false).unwrap();
        assert_eq!((result.dim, result.extent), (1, 4096));
        assert_eq!(search(&[64, 4], 1, false), None);
    }

    #[test]
    fn elements_that_share_narrow_sticks_are_stacked() {
        let comparison = |stick, selects| search(&[64, 1], stick, selects).unwrap().comparison;
        assert_eq!(comparison(1, false), Comparison::Truth);
        assert_eq!(comparison(0, false), Comparison::Stack);
        assert_eq!(comparison(0, true), Comparison::Truth);
    }
}
