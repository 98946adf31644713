//! The area of device memory that a core's part of a tensor takes.
//!
//! A layout writes each dimension of a tensor in digits: `d1 floordiv 64` and `d1 mod 64` for the sticks of a
//! dimension. A part of a tensor is an area if it is an interval of each digit. The memory view has one dimension for
//! each digit that moves, so a tensor of `[R, C]` on sticks has a view of `[C/64, R, 64]`; a digit that is 0 in the
//! whole tensor, such as the elements of a sparse stick, is no dimension of the view.

use spyre_layout::{Arrangement, Coord, View};

use crate::division::{Digit, Part, Pieces};

/// The start of an area along a device dimension: `(digit * factor / divisor) mod modulus`, and for a piece of a part
/// `((digit * factor + piece * step) / divisor) mod modulus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Start {
    /// The digit of the core; `None` for 0.
    pub digit: Option<Digit>,
    /// The elements from one part to the next.
    pub factor: u64,
    /// The elements that share a position of the device dimension.
    pub divisor: u64,
    /// The number of positions, if a higher digit follows.
    pub modulus: Option<u64>,
    /// The loop over pieces of the part, with the elements of a piece.
    pub pieces: Option<(Pieces, u64)>,
}

impl Start {
    /// Returns the start of the first piece for a value of the digit.
    fn at(self, digit: u64) -> u64 {
        self.position(digit * self.factor)
    }

    /// Returns the position of an element.
    fn position(self, element: u64) -> u64 {
        let position = element / self.divisor;
        self.modulus.map_or(position, |modulus| position % modulus)
    }

    /// Returns whether the start of some core or some piece is not 0.
    pub(crate) fn moves(self) -> bool {
        self.moves_with_cores() || self.moves_with_pieces()
    }

    /// Returns whether the start of some core is not 0.
    pub(crate) fn moves_with_cores(self) -> bool {
        self.digit
            .is_some_and(|digit| (0..digit.count).any(|value| self.at(value.into()) != 0))
    }

    /// Returns whether the start of some piece of the first core is not 0.
    pub(crate) fn moves_with_pieces(self) -> bool {
        self.pieces.is_some_and(|(pieces, step)| {
            (1..pieces.count).any(|piece| self.position(piece * step) != 0)
        })
    }

    /// Returns the start for a core.
    pub(crate) fn of(self, core: u32) -> u64 {
        self.digit
            .map_or(0, |digit| self.at(u64::from(digit.of(core))))
    }
}

/// A device dimension of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Axis {
    /// The dimension of the tensor; `None` if the tensor has one element.
    pub dim: Option<usize>,
    /// The elements that share a position.
    pub divisor: u64,
    /// The positions of the part of a core.
    pub count: u64,
    /// The positions of the tensor.
    pub extent: u64,
    /// The distance of neighbours, in elements.
    pub stride: u64,
    /// The first position of the part of a core.
    pub start: Start,
}

/// Returns the device dimensions of the parts of a view, outermost first. There is at least one.
///
/// # Errors
/// A part that is no area, and elements in another order than the usual one.
pub(crate) fn axes(view: &View, parts: &[Part]) -> Result<Vec<Axis>, String> {
    // Pairs of moments are two elements in order, alone in their stick.
    if ![Arrangement::Standard, Arrangement::Exx2].contains(&view.layout().arrangement()) {
        return Err(
            "the elements of its sticks are staggered, and an access tile has no such order"
                .to_owned(),
        );
    }
    let mut axes = Vec::new();
    let strides = view.device_strides();
    for (coord, &stride) in view.layout().coords().iter().zip(strides) {
        let Coord::Digit {
            dim,
            divisor,
            modulus,
        } = *coord
        else {
            continue;
        };
        let extent = positions(view.shape()[dim], divisor, modulus);
        let start = Start {
            digit: parts[dim].digit,
            factor: parts[dim].elements(),
            divisor,
            modulus,
            pieces: parts[dim].pieces.map(|pieces| (pieces, parts[dim].size)),
        };
        let count = positions(parts[dim].size, divisor, modulus);
        check(start, count, extent, dim, parts[dim])?;
        if extent > 1 {
            axes.push(Axis {
                dim: Some(dim),
                divisor,
                count,
                extent,
                stride,
                start,
            });
        }
    }
    for (dim, part) in parts.iter().enumerate() {
        if part.size > 1 && !axes.iter().any(|axis| axis.dim == Some(dim)) {
            return Err(format!(
                "the layout {} has one element for all of dimension {dim}",
                view.layout()
            ));
        }
    }
    if axes.is_empty() {
        axes.push(ONE);
    }
    Ok(axes)
}

/// The only device dimension of a tensor of one element.
pub(crate) const ONE: Axis = Axis {
    dim: None,
    divisor: 1,
    count: 1,
    extent: 1,
    stride: 1,
    start: Start {
        digit: None,
        factor: 0,
        divisor: 1,
        modulus: None,
        pieces: None,
    },
};

/// Returns the positions of a digit in the first `elements` of a dimension.
fn positions(elements: u64, divisor: u64, modulus: Option<u64>) -> u64 {
    let all = elements.div_ceil(divisor).max(1);
    modulus.map_or(all, |modulus| all.min(modulus))
}

/// Checks that the part of each core is `count` neighbouring positions of a device dimension.
fn check(start: Start, count: u64, extent: u64, dim: usize, part: Part) -> Result<(), String> {
    let values = start.digit.map_or(1, |digit| u64::from(digit.count));
    for value in 0..values {
        let first = value * start.factor;
        let inside = first % start.divisor;
        let is_one = inside + part.size <= start.divisor;
        let is_cut = !is_one && inside != 0;
        let at = start.at(value);
        if is_cut || at + count > extent {
            return Err(format!(
                "the part of {} elements from {first} of dimension {dim} takes positions {at} to {} of a device dimension of {extent}, \
                 which is no area",
                part.size,
                at + count
            ));
        }
    }
    Ok(())
}

/// Returns whether pieces of `size` elements of a dimension are areas: intervals of each digit that begin where the digit does.
pub(crate) fn divides(view: &View, dim: usize, size: u64) -> bool {
    let extent = view.shape()[dim];
    view.layout().coords().iter().all(|coord| match *coord {
        Coord::Digit {
            dim: of,
            divisor,
            modulus,
        } if of == dim => {
            // A digit that does not come to its modulus is the highest one.
            let modulus = modulus.filter(|modulus| divisor * modulus < extent);
            size.is_multiple_of(divisor * modulus.unwrap_or(1))
        }
        _ => true,
    })
}

/// Returns the elements that an area holds along a dimension of the tensor: the part, and the rest of its last stick.
pub(crate) fn held(axes: &[Axis], dim: usize) -> u64 {
    let along = axes.iter().filter(|axis| axis.dim == Some(dim));
    along.map(|axis| axis.count).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyre_layout::{DeviceFormat, DimOrder, Layout};

    fn view(shape: &[u64]) -> View {
        let f16 = DeviceFormat::Sen169Fp16;
        let order = DimOrder::host(shape.len());
        let layout = Layout::default_for(&order, f16.elements_per_stick());
        let layout = layout.expect("the order is that of the host");
        let tensor = layout.place(shape, f16).expect("the layout fits");
        tensor.view()
    }

    #[test]
    fn rows_of_cores_are_areas_of_columns_of_sticks() {
        let rows = Part {
            digit: Some(Digit {
                divisor: 1,
                count: 4,
            }),
            size: 16,
            pieces: None,
        };
        let axes = axes(&view(&[64, 256]), &[rows, Part::whole(256)]);
        let axes = axes.expect("rows are an area");
        let counts: Vec<_> = axes.iter().map(|axis| (axis.count, axis.extent)).collect();
        assert_eq!(counts, [(4, 4), (16, 64), (64, 64)]);
        let starts: Vec<_> = axes.iter().map(|axis| axis.start.of(3)).collect();
        assert_eq!(starts, [0, 48, 0]);
    }

    #[test]
    fn sticks_of_cores_start_at_sticks() {
        let columns = Part {
            digit: Some(Digit {
                divisor: 2,
                count: 2,
            }),
            size: 128,
            pieces: None,
        };
        let axes = axes(&view(&[64, 256]), &[Part::whole(64), columns]);
        let axes = axes.expect("whole sticks are an area");
        let starts: Vec<_> = axes.iter().map(|axis| axis.start.of(2)).collect();
        assert_eq!(starts, [2, 0, 0]);
        assert_eq!(held(&axes, 1), 128);
    }

    #[test]
    fn parts_of_sticks_and_a_half_are_refused() {
        let columns = Part {
            digit: Some(Digit {
                divisor: 1,
                count: 2,
            }),
            size: 96,
            pieces: None,
        };
        let error = axes(&view(&[64, 192]), &[Part::whole(64), columns]);
        let error = error.expect_err("a part starts inside a stick");
        assert!(error.contains("from 96 of dimension 1"), "{error}");
    }
}
