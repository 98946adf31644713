//! The rule for operands: which views of device memory one operation can read and write.
//!
//! An operation addresses each tensor by one expression per device dimension, in its iteration dimensions. The format
//! reads one stride off it for each iteration dimension, counts the stick dimension in full sticks, and starts at a
//! whole stick. A view that needs more than that is no operand: it has to be copied first. Layout propagation applies
//! this rule when it chooses, and conversion to bundles applies it again to the buffers that are addressed.

use crate::{Arrangement, Coord, Elements, View};

/// One device coordinate of an operand: a digit of a dimension of the view, counted from `start`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandCoord {
    /// The digit; zero if no dimension runs along the coordinate.
    pub coord: Coord,
    /// The coordinate of the first element of the view.
    pub start: u64,
    /// The size of the coordinate in the buffer.
    pub size: u64,
}

/// A view that no operation can have for an operand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperandError {
    /// A dimension of several strides.
    #[error(
        "dimension {dim} runs along {places} device dimensions of the layout {layout}, and an OpSpec has one stride for \
         a dimension; use an operation over the dimensions before the reshape"
    )]
    SeveralStrides {
        /// The dimension.
        dim: usize,
        /// Device dimensions that it runs along, the stick included.
        places: usize,
        /// The layout.
        layout: String,
    },
    /// Sticks with fewer elements of their dimension than they have room for.
    #[error(
        "the layout {layout} has {held} of dimension {dim} in each stick of {elements_per_stick}, but an OpSpec \
         needs full sticks; use another layout, or an operation over the dimensions before the reshape"
    )]
    PartFilledSticks {
        /// The dimension on the stick.
        dim: usize,
        /// The number of its positions that share a stick.
        held: Elements,
        /// Elements of a stick.
        elements_per_stick: Elements,
        /// The layout.
        layout: String,
    },
    /// A view with a start that no device coordinate expresses.
    #[error(
        "the view starts at {start} of device dimension {coord}, which has size {size} and runs up to {last} from there; \
         no coordinate has this start"
    )]
    StartCarries {
        /// The device dimension.
        coord: usize,
        /// The coordinate at which the view starts.
        start: u64,
        /// The distance that it runs from there.
        last: u64,
        /// The size.
        size: u64,
    },
    /// A result with elements that are stored several times.
    #[error(
        "the layout {layout} stores each element {times} times, and an operation writes it once; give the result a \
         layout without repetitions"
    )]
    Repeats {
        /// The number of places of each element.
        times: u64,
        /// The layout.
        layout: String,
    },
}

impl View {
    /// The device coordinates of the view as an operand, outermost first.
    ///
    /// Coordinates along which the view does not move are [`Coord::Zero`]. Dimensions of extent 1 keep
    /// their digits, so that a start along them belongs to a dimension.
    ///
    /// # Errors
    /// No operation can read the view.
    pub fn operand_coords(&self) -> Result<Vec<OperandCoord>, OperandError> {
        self.check_strides()?;
        self.check_sticks()?;
        let mut rest = self.offset().get() / self.format().bytes_per_element().get();
        let sizes = self.device_size().iter();
        let strides = self.device_strides().iter();
        let coords = self.layout().coords().iter().zip(sizes).zip(strides);
        let rank = self.device_size().len();
        let mut operand_coords: Vec<OperandCoord> = Vec::with_capacity(rank);
        for (at, ((&coord, &size), &stride)) in coords.enumerate() {
            let (start, below) = (rest / stride, rest % stride);
            rest = below;
            let (coord, reach) = match coord {
                // One digit is enough for a single position.
                Coord::Digit { dim, .. }
                    if at + 1 != rank && self.stays_at(dim, &operand_coords) =>
                {
                    (Coord::Zero, 0)
                }
                _ => self.moving(coord),
            };
            if start + reach >= size {
                return Err(OperandError::StartCarries {
                    coord: at,
                    start,
                    last: reach,
                    size,
                });
            }
            operand_coords.push(OperandCoord { coord, start, size });
        }
        Ok(operand_coords)
    }

    /// Checks that an operation can write the view: it can read it, and the view has each element once.
    ///
    /// # Errors
    /// No operation can have it for a result.
    pub fn check_result(&self) -> Result<(), OperandError> {
        self.operand_coords()?;
        let layout = self.layout();
        let expanded = layout.expanded().iter();
        let mut sizes = expanded.map(|&at| self.device_size()[at]);
        match sizes.find(|&times| times > 1) {
            Some(times) => Err(OperandError::Repeats {
                times,
                layout: layout.to_string(),
            }),
            None => Ok(()),
        }
    }

    /// Returns how many elements of the dimension on the stick the buffer has room for, from the start of the view; the
    /// elements of one stick where no coordinate counts sticks.
    ///
    /// # Errors
    /// No operation can read the view.
    pub fn room_along_stick(&self) -> Result<Elements, OperandError> {
        let coords = self.operand_coords()?;
        let layout = self.layout();
        let counts = layout.stick_dim().and_then(|dim| {
            let mut places = layout.device_dims_of(dim);
            places.find(|at| at + 1 != coords.len())
        });
        // A view starts inside of the buffer.
        let sticks = counts.map_or(1, |at| coords[at].size - coords[at].start);
        Ok(Elements(sticks * self.format().elements_per_stick().get()))
    }

    /// Returns whether a dimension has one position, and a coordinate among the known ones.
    fn stays_at(&self, dim: usize, coords: &[OperandCoord]) -> bool {
        let is_of_dim = |coord: &OperandCoord| matches!(coord.coord, Coord::Digit { dim: coord_dim, .. } if coord_dim == dim);
        self.shape()[dim] == 1
            && self.layout().stick_dim() != Some(dim)
            && coords.iter().any(is_of_dim)
    }

    /// A coordinate without the digits that never change, and the most that it reaches.
    fn moving(&self, coord: Coord) -> (Coord, u64) {
        let Coord::Digit {
            dim,
            divisor,
            modulus,
        } = coord
        else {
            return (Coord::Zero, 0);
        };
        let extent = self.shape()[dim];
        let values = extent.div_ceil(divisor);
        let reached = modulus.map_or(values, |modulus| values.min(modulus));
        if reached <= 1 && extent > 1 {
            // A coordinate that counts sticks is kept even for a single stick: it records that there is one.
            let counts_sticks = self.layout().stick_dim() == Some(dim)
                && divisor == self.format().elements_per_stick().get();
            return (if counts_sticks { coord } else { Coord::Zero }, 0);
        }
        (coord, reached - 1)
    }

    /// Each dimension runs along one device dimension, or along the stick and one more.
    fn check_strides(&self) -> Result<(), OperandError> {
        let layout = self.layout();
        let last = layout.coords().len() - 1;
        for (dim, &extent) in self.shape().iter().enumerate() {
            let moves = |&at: &usize| self.moving(layout.coords()[at]).1 > 0;
            let places: Vec<usize> = layout.device_dims_of(dim).filter(moves).collect();
            let outer = places.iter().filter(|&&at| at != last).count();
            if extent > 1 && outer > 1 && layout.arrangement() != Arrangement::Qfp8Wt {
                return Err(OperandError::SeveralStrides {
                    dim,
                    places: places.len(),
                    layout: layout.to_string(),
                });
            }
        }
        Ok(())
    }

    /// Every stick but the last of its dimension is full.
    fn check_sticks(&self) -> Result<(), OperandError> {
        let layout = self.layout();
        let Some(Coord::Digit { dim, modulus, .. }) = layout.coords().last().copied() else {
            return Ok(());
        };
        if layout.arrangement() == Arrangement::Qfp8Wt {
            return Ok(());
        }
        let elements_per_stick = self.format().elements_per_stick();
        let extent = self.shape()[dim];
        match modulus {
            Some(held) if held < extent && held != elements_per_stick.get() => {
                Err(OperandError::PartFilledSticks {
                    dim,
                    held: Elements(held),
                    elements_per_stick,
                    layout: layout.to_string(),
                })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Coord, DeviceFormat, DimOrder, Elements, Layout, OperandError, View};

    const F16: DeviceFormat = DeviceFormat::Sen169Fp16;

    fn default(shape: &[u64]) -> View {
        let order = DimOrder::host(shape.len());
        let layout = Layout::default_for(&order, Elements(64)).expect("a layout");
        layout.place(shape, F16).expect("a tensor").view()
    }

    #[test]
    fn a_row_starts_at_its_coordinate() {
        let row = default(&[4, 128])
            .slice(&[2, 0], &[1, 128], &[1, 1])
            .expect("a row");
        let coords = row.operand_coords().expect("an operand");
        let starts: Vec<u64> = coords.iter().map(|coord| coord.start).collect();
        assert_eq!(starts, [0, 2, 0]);
    }

    #[test]
    fn dimensions_that_are_no_neighbours_have_several_strides() {
        let merged = default(&[4, 8, 128]).collapse_shape(&[vec![0, 1], vec![2]], &[32, 128]);
        let error = merged
            .expect("a view")
            .operand_coords()
            .expect_err("two strides");
        assert!(matches!(
            error,
            OperandError::SeveralStrides {
                dim: 0,
                places: 2,
                ..
            }
        ));
    }

    #[test]
    fn heads_shorter_than_a_stick_leave_sticks_part_filled() {
        let merged = default(&[16, 4, 32]).collapse_shape(&[vec![0], vec![1, 2]], &[16, 128]);
        let error = merged
            .expect("a view")
            .operand_coords()
            .expect_err("half sticks");
        assert!(matches!(
            error,
            OperandError::PartFilledSticks {
                dim: 1,
                held: Elements(32),
                ..
            }
        ));
    }

    #[test]
    fn a_reshaped_window_is_a_window() {
        let window = default(&[4, 64, 128]).slice(&[2, 0, 0], &[1, 64, 128], &[1, 1, 1]);
        let merged = window
            .expect("a window")
            .collapse_shape(&[vec![0, 1], vec![2]], &[64, 128]);
        let coords = merged
            .expect("a view")
            .operand_coords()
            .expect("an operand");
        let digits: Vec<Coord> = coords.iter().map(|coord| coord.coord).collect();
        let starts: Vec<u64> = coords.iter().map(|coord| coord.start).collect();
        assert_eq!(digits[0], Coord::dim(0));
        assert_eq!(starts, [0, 0, 2, 0]);
    }
}
