//! Access tiles of tensors with dynamic extents.
//!
//! The view is of the whole tensor, with sizes and strides that are values, since the address of an element depends on
//! the extent. A window in a loop is a position in this view. An address is a sum of positions and strides in a mixed
//! radix, so that the place of a window in the room for the largest extent has the positions of its first element.

use spyre_analysis::dynamic::SymbolId;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};

use crate::area::{Axis, ONE};
use crate::emit::Emitter;
use crate::extents;
use crate::ktdp::{self, MemoryView, Size};
use crate::memory::{self, Frame};
use crate::step::{Tensor, Trips};
use crate::{area, error};

/// A device dimension of a whole tensor.
struct Whole<'p> {
    /// Its positions and strides in the room for the largest extents.
    room: Axis,
    symbol: Option<SymbolId>,
    size: Size<'p>,
}

/// Builds the access tile of a core's part of a tensor with dynamic dimensions `symbols`. Returns the tile, and the device
/// dimensions.
///
/// # Errors
/// A window that no position of the tensor has, or that may be outside of it.
pub(crate) fn tile<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    op: Op<'p>,
    tensor: &Tensor<'p>,
    symbols: &[Option<SymbolId>],
) -> Result<(Val<'p>, Vec<Axis>), Diagnostic<'p>> {
    let refuse = |reason: String| error(op, reason);
    let operand = &tensor.operand;
    let buffer = &operand.buffer;
    memory::check_elements(op, operand)?;
    let whole = whole(
        emit,
        frame,
        &extents::whole(&buffer.device).map_err(refuse)?,
        symbols,
    );
    let whole = whole.map_err(refuse)?;
    let axes = area::axes(&operand.view, &tensor.parts).map_err(refuse)?;
    let axes = matched(&whole, &axes).map_err(refuse)?;
    let bytes = operand.view.format().bytes_per_element().get();
    let room: Vec<Axis> = whole.iter().map(|axis| axis.room).collect();
    let digits = |element: u64| {
        let digits = extents::digits(&room, element);
        digits.ok_or_else(|| {
            refuse(format!("a window at element {element} of a tensor with dynamic extents is at no position of it"))
        })
    };
    let first = digits(operand.view.offset().get() / bytes)?;
    let moves = operand.advance.iter().map(|advance| digits(*advance));
    let moves = moves.collect::<Result<Vec<_>, _>>()?;
    let mut indices = Vec::with_capacity(whole.len());
    for (at, axis) in axes.iter().enumerate() {
        let steps: Vec<u64> = moves.iter().map(|digits| digits[at]).collect();
        check_inside(frame, &whole[at], axis, first[at], &steps).map_err(refuse)?;
        let mut terms = Vec::new();
        if axis.start.moves() {
            terms.push((memory::first(emit, axis), 1));
        }
        terms.extend(frame.iterations.iter().copied().zip(steps));
        indices.push(emit.sum(&terms, first[at]));
    }
    let sizes: Vec<Size<'p>> = whole.iter().map(|axis| axis.size).collect();
    let strides: Vec<Size<'p>> = (0..whole.len())
        .map(|at| stride(emit, &whole, at))
        .collect();
    let view = MemoryView {
        sizes: &sizes,
        strides: &strides,
    };
    let base = memory::argument(frame, operand);
    let view = ktdp::memory_view(emit.at_end(), base, &view, buffer.element);
    let counts: Vec<u64> = axes.iter().map(|axis| axis.count).collect();
    Ok((
        ktdp::access_tile(emit.at_end(), view, &indices, &counts),
        axes,
    ))
}

/// Returns the device dimensions of a whole tensor with their sizes.
fn whole<'p>(
    emit: &mut Emitter<'p>,
    frame: &Frame<'_, 'p>,
    room: &[Axis],
    symbols: &[Option<SymbolId>],
) -> Result<Vec<Whole<'p>>, String> {
    let mut whole = Vec::with_capacity(room.len());
    for &axis in room {
        let dim = axis.dim.and_then(|dim| symbols[dim]);
        // The lower digits of a dimension do not depend on its extent.
        let symbol = dim.filter(|_| axis.start.modulus.is_none());
        let size = match symbol {
            None => Size::Static(axis.extent),
            Some(symbol) => {
                let (number, granularity) = frame.extents.of(symbol);
                if !granularity.is_multiple_of(axis.divisor) {
                    return Err(format!(
                        "a dynamic extent that is a multiple of {granularity} is on sticks of {} elements, and the last one may \
                         not be whole",
                        axis.divisor
                    ));
                }
                Size::Value(emit.quotient(frame.sizes[number], axis.divisor))
            }
        };
        whole.push(Whole {
            room: axis,
            symbol,
            size,
        });
    }
    Ok(whole)
}

/// Returns the stride of a device dimension: the room between neighbours, with the dynamic extents in it instead of the
/// largest ones.
fn stride<'p>(emit: &mut Emitter<'p>, whole: &[Whole<'p>], at: usize) -> Size<'p> {
    let mut factor = whole[at].room.stride;
    let mut values = Vec::new();
    for inner in whole {
        if let Size::Value(size) = inner.size
            && inner.room.stride < whole[at].room.stride
        {
            factor /= inner.room.extent;
            values.push(size);
        }
    }
    let Some((first, others)) = values.split_first() else {
        return Size::Static(factor);
    };
    let product = emit.multiple(*first, factor);
    let product = others
        .iter()
        .fold(product, |product, size| emit.product(product, *size));
    Size::Value(product)
}

/// Returns for each device dimension of the whole tensor that of a part, which has the same stride.
fn matched(whole: &[Whole<'_>], axes: &[Axis]) -> Result<Vec<Axis>, String> {
    let part = |axis: &Whole<'_>| {
        axes.iter()
            .find(|it| it.stride == axis.room.stride && it.extent > 1)
    };
    let count = whole.iter().filter(|axis| part(axis).is_some()).count();
    if count != axes.iter().filter(|axis| axis.extent > 1).count() {
        return Err(
            "a reshape of a tensor with dynamic extents has no positions in the tensor".to_owned(),
        );
    }
    let matched = whole.iter().map(|axis| part(axis).copied().unwrap_or(ONE));
    Ok(matched.collect())
}

/// Checks that a window is inside of a dynamic extent in each iteration: in the tile of the loop over it, or in its first
/// elements, as many as its granularity.
fn check_inside(
    frame: &Frame<'_, '_>,
    whole: &Whole<'_>,
    axis: &Axis,
    first: u64,
    steps: &[u64],
) -> Result<(), String> {
    let Some(symbol) = whole.symbol else {
        return Ok(());
    };
    let (_, granularity) = frame.extents.of(symbol);
    let divisor = whole.room.divisor;
    let mut inside = granularity / divisor;
    let mut last = first + axis.extent;
    for (
        Trips {
            most,
            step,
            symbol: of,
        },
        &moved,
    ) in frame.trips.iter().zip(steps)
    {
        match *of == Some(symbol) {
            true if moved * divisor == *step => inside = inside.min(moved),
            true if moved == 0 => {}
            _ => last += moved * most.saturating_sub(1),
        }
    }
    match last <= inside {
        true => Ok(()),
        false => Err(format!(
            "a window takes {last} positions of a dynamic extent, and {inside} are there for certain; a loop over tiles of the \
             dimension visits the others"
        )),
    }
}
