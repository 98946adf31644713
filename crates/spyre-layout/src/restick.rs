//! Other layouts of the same values: another stick, another element format, no padding.
//!
//! These are layouts of *copies*. Views, which share memory, are in `view`.

use crate::{
    coord::Coord,
    error::PlaceError,
    format::{Arrangement, DeviceFormat},
    layout::Layout,
    order::{DimOrder, OrderError},
    tensor::DeviceTensor,
    units::Elements,
};

/// A layout that cannot be rebuilt for another stick.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestickError {
    /// There is no default layout with this stick.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// Elements that are not in the order of the host.
    #[error("a tensor in arrangement {arrangement} has no layout with another stick")]
    Arrangement {
        /// The arrangement.
        arrangement: Arrangement,
    },
    /// A block of the dimension on the stick that is no whole number of new sticks.
    #[error(
        "the layout breaks d{dim} every {block}, which are no whole sticks of {elements_per_stick} \
         (remainder {})",
        .block.get() % .elements_per_stick.get().max(1)
    )]
    BlockIsNoSticks {
        /// The dimension on the stick.
        dim: usize,
        /// The block of the layout.
        block: Elements,
        /// Elements of the new stick.
        elements_per_stick: Elements,
    },
    /// A number that does not fit in 64 bits.
    #[error(
        "device coordinate {coord} of size {size} is too large for sticks of {elements_per_stick}"
    )]
    TooLarge {
        /// Position of the coordinate.
        coord: usize,
        /// The size.
        size: u64,
        /// Elements of the new stick.
        elements_per_stick: Elements,
    },
}

impl Layout {
    /// The layout in which a restickify leaves a tensor of this rank: the default layout with
    /// `stick_dim` last and the other dimensions in host order, or with sparse sticks if it is
    /// `None` (middle-end specification, sections 2.2 and 2.5).
    ///
    /// A format that this layout fixes stays fixed. `elements_per_stick` belongs to it, or to the
    /// element type.
    ///
    /// # Errors
    /// The dimension does not exist, the rank is too large for the default layout, or the elements
    /// are not in standard arrangement.
    pub fn restick(
        &self,
        stick_dim: Option<usize>,
        elements_per_stick: Elements,
    ) -> Result<Self, RestickError> {
        let rank = self.rank();
        let arrangement = self.arrangement();
        if arrangement != Arrangement::Standard {
            return Err(RestickError::Arrangement { arrangement });
        }
        let order = match stick_dim {
            Some(dim) => DimOrder::with_stick(rank, dim)?,
            None => DimOrder::sparse(rank),
        };
        let layout = Self::default_for(&order, elements_per_stick)?;
        Ok(match self.format_override() {
            Some(format) => layout.with_format(format),
            None => layout,
        })
    }

    /// This layout rebuilt for a format with `elements_per_stick`, as the result of a type conversion
    /// has it (middle-end specification, section 2.5): the dimension on the stick and the order of
    /// the others stay, and the sticks are counted anew.
    ///
    /// The stick holds consecutive positions up to the next break of the layout, so where it gets
    /// smaller and no coordinate counts the sticks, one that does is inserted right before it. An explicit
    /// device size pads each dimension to at least its earlier size. The result fixes no format.
    ///
    /// # Errors
    /// A block of the dimension on the stick is no whole number of new sticks, the stick would have 0
    /// elements, or the stick has two coordinates.
    pub fn with_elements_per_stick(
        &self,
        elements_per_stick: Elements,
    ) -> Result<Self, RestickError> {
        let arrangement = self.arrangement();
        if arrangement.stick_coords() != 1 {
            return Err(RestickError::Arrangement { arrangement });
        }
        let new = elements_per_stick.get();
        if new < 2 {
            return Err(OrderError::Stick(elements_per_stick).into());
        }
        let mut coords = self.coords().to_vec();
        let mut sizes = self.explicit_device_size().map(<[u64]>::to_vec);
        let last = coords.len() - 1;
        let old = sizes
            .as_mut()
            .map(|sizes| std::mem::replace(&mut sizes[last], new));

        if let Some(Sticks {
            dim,
            end,
            held,
            place,
        }) = self.sticks(old, new)
        {
            if let Some(end) = end.filter(|end| !end.is_multiple_of(new)) {
                return Err(RestickError::BlockIsNoSticks {
                    dim,
                    block: Elements(end),
                    elements_per_stick,
                });
            }
            let count = match end.map(|end| end / new) {
                Some(1) => Coord::Zero,
                modulus => Coord::Digit {
                    dim,
                    divisor: new,
                    modulus,
                },
            };
            coords[last] = Coord::modulo(dim, new);
            match place {
                Some((coord, per_count)) => {
                    coords[coord] = count;
                    if let Some(sizes) = &mut sizes {
                        let size = sizes[coord];
                        let held = size.checked_mul(per_count).ok_or(RestickError::TooLarge {
                            coord,
                            size,
                            elements_per_stick,
                        })?;
                        sizes[coord] = held.div_ceil(new);
                    }
                }
                None if held > new => {
                    // The count is inserted right before the stick, so that no repeated coordinate moves.
                    coords.insert(last, count);
                    if let Some(sizes) = &mut sizes {
                        sizes.insert(last, held.div_ceil(new));
                    }
                }
                None => {}
            }
        }
        let rebuild = || {
            let layout = Self::new(self.rank(), coords)?
                .with_arrangement(arrangement)?
                .with_expanded(self.expanded().to_vec())?;
            match sizes {
                Some(sizes) => layout.with_device_size(sizes),
                None => Ok(layout),
            }
        };
        Ok(rebuild().map_err(OrderError::from)?)
    }

    /// Returns the digits of the stick dimension that are to be divided into sticks of `new` elements. `size` is the
    /// number of elements of a stick now, where the caller knows it. `None` if the stick needs no change.
    fn sticks(&self, size: Option<u64>, new: u64) -> Option<Sticks> {
        let dim = self.stick_dim()?;
        let digits = self.digits_of(dim);
        let bound = digits.first()?.modulus;
        // A stick that ends at a break of the layout before it is full.
        if let (Some(bound), Some(size)) = (bound, size)
            && bound < size
        {
            let (end, held, place) = (Some(bound), bound, None);
            return (bound > new).then_some(Sticks {
                dim,
                end,
                held,
                place,
            });
        }
        let counts = digits.get(1);
        // A break beyond 64 bits is never reached.
        let end = counts.and_then(|digit| digit.divisor.checked_mul(digit.modulus?));
        // Without a bound or a size, one stick holds the whole dimension.
        let held = size.or(bound).unwrap_or(u64::MAX);
        let place = counts.map(|digit| (digit.coord, digit.divisor));
        Some(Sticks {
            dim,
            end,
            held,
            place,
        })
    }

    /// This layout without an explicit device size: the layout of the same kind for a tensor of
    /// another shape (middle-end specification, section 3.4), or without padding. The coordinates,
    /// and with them the dimension on the stick, stay.
    #[must_use]
    pub fn without_device_size(&self) -> Self {
        self.clone().with_size_of_shape()
    }

    /// Returns whether both layouts put every element of a tensor of the given shape at the same address, in
    /// the same arrangement and in the same device size.
    ///
    /// Layouts may differ and still do: in coordinates of dimensions of extent 1, in digits that
    /// never count, or in an explicit device size that is the one that follows from the shape.
    /// Conversion through a stride map loses just that
    /// ([`Layout::from_device_size_and_stride_map`]).
    ///
    /// # Errors
    /// A layout does not fit the shape.
    pub fn same_placement(
        &self,
        other: &Self,
        shape: &[u64],
        format: DeviceFormat,
    ) -> Result<bool, PlaceError> {
        let (one, other) = (self.place(shape, format)?, other.place(shape, format)?);
        // The longest even stretches of a dimension are the same however they are written.
        let runs = |tensor: &DeviceTensor, dim: usize, extent: u64| {
            let mut runs = tensor.runs(dim);
            runs.retain(|run| run.divisor < extent);
            runs
        };
        let same_runs =
            |(dim, &extent): (usize, &u64)| runs(&one, dim, extent) == runs(&other, dim, extent);
        Ok(one.device_size() == other.device_size()
            && one.format() == other.format()
            && one.layout().arrangement() == other.layout().arrangement()
            && shape.iter().enumerate().all(same_runs))
    }
}

/// The dimension on the stick, to be cut into new sticks.
struct Sticks {
    dim: usize,
    /// The position at which the layout starts a new block; `None` for a layout of one block.
    end: Option<u64>,
    /// Elements that one stick holds now.
    held: u64,
    /// The coordinate that counts sticks, if there is one, and the number of positions in each stick.
    place: Option<(usize, u64)>,
}
