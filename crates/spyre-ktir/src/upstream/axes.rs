//! The device dimensions of a tensor of an operation, and the indices of the part that a core has in an iteration.
//!
//! A view has all device dimensions of the buffer, also those of one position. A window and the part of a core are
//! indices: the distance of a window from the start of the buffer is written in the mixed radix of the strides. Each
//! digit is one index, and it is exact if the last position of the part is inside of the dimension.

use spyre_layout::{Arrangement, Coord, View};

use crate::division::{Digit, Part};
use crate::step::Tensor;

use super::limits::Label;

/// The number that a device dimension is a digit of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// `(dim floordiv divisor) mod modulus` of an iteration dimension.
    Digit {
        /// The iteration dimension.
        dim: usize,
        /// The elements that share a position.
        divisor: u64,
        /// The number of positions, if a higher digit follows.
        modulus: Option<u64>,
    },
    /// The elements of a stick of which the first one alone has the value.
    Head,
    /// One position.
    One,
}

/// An index of an access tile: `constant`, plus products of values with factors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Index {
    /// The index of the first core in the first iterations.
    pub constant: u64,
    /// The digit of the core, and its factor.
    pub digit: Option<(Digit, u64)>,
    /// The factor of the iteration of each loop, outermost first.
    pub loops: Vec<u64>,
}

/// A device dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Axis {
    pub key: Key,
    /// The positions of the buffer.
    pub size: u64,
    /// The distance of neighbours, in elements.
    pub stride: u64,
    /// The positions of the part of a core.
    pub count: u64,
    /// The first position of the part.
    pub index: Index,
}

/// A refusal: the label and the reason.
pub(crate) type Reason = (Label, String);

/// Returns whether a tensor has one element for each stick.
fn is_statistic(view: &View) -> bool {
    if view.layout().arrangement() == Arrangement::Exx2 {
        return true;
    }
    match view.layout().coords().last() {
        Some(Coord::Zero) => view.device_size().last().is_some_and(|size| *size > 1),
        Some(Coord::Digit { dim, .. }) => view.shape()[*dim] == 1,
        None => false,
    }
}

/// Returns the device dimensions of a tensor whose dimensions run along iteration dimensions, in loops of so many
/// iterations.
///
/// # Errors
/// A part or a window that is no box of the device dimensions.
pub(crate) fn axes(
    tensor: &Tensor<'_>,
    dims: &[Option<usize>],
    trips: &[u64],
) -> Result<Vec<Axis>, Reason> {
    let view = &tensor.operand.view;
    let arrangement = view.layout().arrangement();
    if !matches!(arrangement, Arrangement::Standard | Arrangement::Exx2) {
        let message = format!(
            "the elements of the sticks of {} are staggered",
            view.layout()
        );
        return Err((Label::Staggered, message));
    }
    let head = is_statistic(view);
    let sizes = view.device_size();
    let strides = view.device_strides();
    let coords = view.layout().coords();
    let mut axes = Vec::with_capacity(sizes.len());
    for (place, coord) in coords.iter().enumerate() {
        let is_lane = place + 1 == coords.len();
        let (key, count, digit) = match *coord {
            _ if is_lane && head => (Key::Head, sizes[place], None),
            Coord::Zero => (Key::One, 1, None),
            Coord::Digit {
                dim,
                divisor,
                modulus,
            } => {
                let part = tensor.parts[dim];
                let key = dims[dim].map_or(Key::One, |dim| Key::Digit {
                    dim,
                    divisor,
                    modulus,
                });
                // A stick is written and read as a whole.
                let count = match is_lane {
                    true => sizes[place],
                    false => positions(part.size, divisor, modulus),
                };
                (key, count, start(part, divisor, modulus, dim)?)
            }
        };
        axes.push(Axis {
            key,
            size: sizes[place],
            stride: strides[place],
            count,
            index: Index {
                constant: 0,
                digit,
                loops: vec![0; trips.len()],
            },
        });
    }
    add_window(tensor, &mut axes)?;
    axes.iter().try_for_each(|axis| check(axis, trips))?;
    if head {
        // The other dimensions of one position are no dimensions of a statistic.
        axes.retain(|axis| axis.size > 1 || axis.key == Key::Head);
    }
    Ok(axes)
}

/// Returns the positions of a digit in the first `elements` of a dimension.
fn positions(elements: u64, divisor: u64, modulus: Option<u64>) -> u64 {
    let all = elements.div_ceil(divisor).max(1);
    modulus.map_or(all, |modulus| all.min(modulus))
}

/// Returns the digit of the core that chooses the first position of a part, and its factor.
fn start(
    part: Part,
    divisor: u64,
    modulus: Option<u64>,
    dim: usize,
) -> Result<Option<(Digit, u64)>, Reason> {
    let Some(digit) = part.digit else {
        return Ok(None);
    };
    let last = u64::from(digit.count - 1) * part.size;
    match modulus {
        // All parts have whole turns of the digit.
        Some(modulus) if part.size.is_multiple_of(divisor * modulus) => Ok(None),
        _ if part.size.is_multiple_of(divisor)
            && modulus.is_none_or(|modulus| last / divisor < modulus) =>
        {
            Ok(Some((digit, part.size / divisor)))
        }
        // All parts are at one position of a higher digit.
        _ if (last + part.size).div_ceil(divisor) <= 1 => Ok(None),
        _ => {
            let message = format!(
                "cores have parts of {} elements of dimension {dim}, and a device dimension has {divisor} of them at one position",
                part.size
            );
            Err((Label::Layout, message))
        }
    }
}

/// Adds the start of a window, and its moves in loops, to the indices.
fn add_window(tensor: &Tensor<'_>, axes: &mut [Axis]) -> Result<(), Reason> {
    let view = &tensor.operand.view;
    let first = view.offset().get() / view.format().bytes_per_element().get();
    let moves = tensor.operand.advance.iter().enumerate();
    let moves = moves.map(|(level, advance)| (Some(level), *advance));
    for (level, distance) in std::iter::once((None, first)).chain(moves) {
        let mut rest = distance;
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(axes[place].stride));
        for place in order {
            let axis = &mut axes[place];
            if axis.size == 1 {
                continue;
            }
            let steps = rest / axis.stride;
            rest %= axis.stride;
            match level {
                None => axis.index.constant = steps,
                Some(level) => axis.index.loops[level] = steps,
            }
        }
        if rest != 0 {
            let message =
                format!("a window moves by {distance} elements, which are no steps of the view");
            return Err((Label::Window, message));
        }
    }
    Ok(())
}

/// Checks that the part is inside of the device dimension for all cores and iterations.
fn check(axis: &Axis, trips: &[u64]) -> Result<(), Reason> {
    let digit = axis.index.digit;
    let of_core = digit.map_or(0, |(digit, factor)| u64::from(digit.count - 1) * factor);
    let of_loops = axis.index.loops.iter().zip(trips);
    let of_loops: u64 = of_loops
        .map(|(factor, trip)| factor * trip.saturating_sub(1))
        .sum();
    let end = axis.index.constant + of_core + of_loops + axis.count;
    if end <= axis.size {
        return Ok(());
    }
    let message = format!(
        "a window has the positions up to {end} of a device dimension of {}",
        axis.size
    );
    Err((Label::Window, message))
}
