//! The other notation of a layout: device size and stride map.
//!
//! Entry `j` of a stride map is the number of host elements moved when device coordinate `j` grows
//! by one. It is -1 for a device dimension without host counterpart (synthetic, sparse, or of a
//! host dimension of size 1), and 0 for one that repeats the same values
//! (middle-end specification, section 2.1).

use crate::{
    coord::Coord,
    error::{LayoutError, PlaceError},
    layout::Layout,
    units::Elements,
};

/// The most device dimensions of a stride map: a sparse tensor of rank six has as many.
const MAX_DEVICE_RANK: usize = 8;

/// A device size and stride map that describe no layout of the given host tensor, or a layout that
/// has no stride map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StrideMapError {
    /// Lists that should have one entry per dimension differ in length.
    #[error("the {what} has {actual} entries, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// The length.
        actual: usize,
        /// The length it should have.
        expected: usize,
    },
    /// More device dimensions than the device takes.
    #[error("{actual} device dimensions are more than the {MAX_DEVICE_RANK} that are supported")]
    DeviceRankTooLarge {
        /// Device dimensions given.
        actual: usize,
    },
    /// A host stride below zero.
    #[error("d{dim} has host stride {stride}; reversed dimensions cannot be laid out")]
    NegativeHostStride {
        /// The host dimension.
        dim: usize,
        /// The stride.
        stride: i64,
    },
    /// A stride map entry below -1.
    #[error("entry {coord} of the stride map is {stride}; entries are -1, 0 or positive")]
    BadEntry {
        /// Position of the entry.
        coord: usize,
        /// The entry.
        stride: i64,
    },
    /// A stride map entry that is no multiple of any host stride.
    #[error(
        "entry {coord} of the stride map is {stride}, which is no multiple of any \
         of the host strides {host_strides:?}"
    )]
    NoDimMovesBy {
        /// Position of the entry.
        coord: usize,
        /// The entry.
        stride: i64,
        /// Strides of the host tensor.
        host_strides: Vec<i64>,
    },
    /// The entries can be assigned to host dimensions, but not so that all elements are held.
    #[error(
        "device size {device_size:?} with stride map {stride_map:?} does not hold a tensor of size \
         {host_size:?} and strides {host_strides:?}"
    )]
    NoLayout {
        /// Extents of the host dimensions.
        host_size: Vec<u64>,
        /// Strides of the host dimensions.
        host_strides: Vec<i64>,
        /// Extents of the device dimensions.
        device_size: Vec<u64>,
        /// Host elements per step of each device dimension.
        stride_map: Vec<i64>,
    },
    /// Two entries that are equal, and both ways to read them hold all elements.
    #[error(
        "entries {first} and {second} of the stride map {stride_map:?} are equal, and the device size \
         {device_size:?} does not tell them apart: {layout} and {other} both hold the tensor"
    )]
    Ambiguous {
        /// Position of the first entry.
        first: usize,
        /// Position of the second entry.
        second: usize,
        /// Extents of the device dimensions.
        device_size: Vec<u64>,
        /// Host elements per step of each device dimension.
        stride_map: Vec<i64>,
        /// One layout.
        layout: Box<Layout>,
        /// The other layout.
        other: Box<Layout>,
    },
    /// A stride that is not a 64-bit number.
    #[error("d{dim} has host stride {stride}; {divisor} times that does not fit in 64 bits")]
    TooLarge {
        /// The host dimension.
        dim: usize,
        /// The stride.
        stride: i64,
        /// The divisor of the digit.
        divisor: u64,
    },
    /// The layout is inconsistent.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The layout does not fit the tensor.
    #[error(transparent)]
    Place(#[from] PlaceError),
}

impl Layout {
    /// The stride map of this layout for a host tensor of the given extents and strides, in
    /// elements (middle-end specification, section 2.2).
    ///
    /// # Errors
    /// Shape or strides have another rank, or a stride is negative or too large.
    pub fn stride_map(
        &self,
        shape: &[u64],
        host_strides: &[i64],
    ) -> Result<Vec<i64>, StrideMapError> {
        self.check_rank("shape", shape.len())?;
        self.check_rank("list of host strides", host_strides.len())?;
        check_host_strides(host_strides)?;
        let entry = |(at, coord): (usize, &Coord)| match *coord {
            Coord::Zero if self.expanded().contains(&at) => Ok(0),
            Coord::Zero => Ok(-1),
            Coord::Digit { dim, .. } if shape[dim] == 1 => Ok(-1),
            Coord::Digit { dim, divisor, .. } => {
                let stride = host_strides[dim];
                i64::try_from(divisor)
                    .ok()
                    .and_then(|divisor| stride.checked_mul(divisor))
                    .ok_or(StrideMapError::TooLarge {
                        dim,
                        stride,
                        divisor,
                    })
            }
        };
        self.coords().iter().enumerate().map(entry).collect()
    }

    /// The layout that a device size and stride map describe for a host tensor.
    ///
    /// Its [`Layout::device_size`] and [`Layout::stride_map`] for this tensor equal the arguments. Dimensions of
    /// size 1 leave no trace in a stride map, so they come back as constantly zero. In particular a dimension of
    /// size 1 on the stick is lost: [`Layout::stick_dim`] of the result is `None`, though [`Layout::same_placement`]
    /// holds. A caller that needs it keeps it with the stride map. Where padding leaves open which host dimension a
    /// device dimension belongs to, one that moves by exactly a host stride starts that dimension, and the next one
    /// that fits continues the dimension on the stick (middle-end specification, section 2.3, rule 1). Two device
    /// dimensions of equal stride that the sizes do not distinguish are an error.
    ///
    /// # Errors
    /// The lists disagree in length, there are more than eight device dimensions, no assignment
    /// of device dimensions to host dimensions holds all elements, or equal entries are interchangeable.
    pub fn from_device_size_and_stride_map(
        host_size: &[u64],
        host_strides: &[i64],
        device_size: &[u64],
        stride_map: &[i64],
    ) -> Result<Self, StrideMapError> {
        let length = |what, actual, expected| {
            if actual == expected {
                Ok(())
            } else {
                Err(StrideMapError::Length {
                    what,
                    actual,
                    expected,
                })
            }
        };
        length("list of host strides", host_strides.len(), host_size.len())?;
        length("stride map", stride_map.len(), device_size.len())?;
        if device_size.len() > MAX_DEVICE_RANK {
            return Err(StrideMapError::DeviceRankTooLarge {
                actual: device_size.len(),
            });
        }
        check_host_strides(host_strides)?;
        check_entries(host_size, host_strides, stride_map)?;

        // The search assigns low digits first; among equal strides, the ones nearest the stick.
        let mut pending: Vec<usize> = (0..stride_map.len())
            .rev()
            .filter(|&coord| stride_map[coord] >= 0)
            .collect();
        pending.sort_by_key(|&coord| stride_map[coord]);
        let mut search = Search {
            host_size,
            host_strides,
            device_size,
            stride_map,
            pending,
            assigned: vec![None; stride_map.len()],
        };
        let layout = search.run(0).ok_or_else(|| StrideMapError::NoLayout {
            host_size: host_size.to_vec(),
            host_strides: host_strides.to_vec(),
            device_size: device_size.to_vec(),
            stride_map: stride_map.to_vec(),
        })?;
        match search.exchanged(&layout) {
            None => Ok(layout),
            Some((first, second, other)) => Err(StrideMapError::Ambiguous {
                first,
                second,
                device_size: device_size.to_vec(),
                stride_map: stride_map.to_vec(),
                layout: Box::new(layout),
                other: Box::new(other),
            }),
        }
    }
}

fn check_host_strides(host_strides: &[i64]) -> Result<(), StrideMapError> {
    match (0..).zip(host_strides).find(|(_, stride)| **stride < 0) {
        Some((dim, &stride)) => Err(StrideMapError::NegativeHostStride { dim, stride }),
        None => Ok(()),
    }
}

/// Each positive entry must be a multiple of the stride of a host dimension that moves.
fn check_entries(
    host_size: &[u64],
    host_strides: &[i64],
    stride_map: &[i64],
) -> Result<(), StrideMapError> {
    for (coord, &stride) in stride_map.iter().enumerate() {
        if stride < -1 {
            return Err(StrideMapError::BadEntry { coord, stride });
        }
        let moves = |(&size, &host): (&u64, &i64)| size > 1 && host > 0 && stride % host == 0;
        if stride > 0 && !host_size.iter().zip(host_strides).any(moves) {
            return Err(StrideMapError::NoDimMovesBy {
                coord,
                stride,
                host_strides: host_strides.to_vec(),
            });
        }
    }
    Ok(())
}

/// The fit of a device dimension as a digit of a host dimension, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// It moves by the stride of the host dimension, which has no digit yet.
    Starts,
    /// It follows the digits of the dimension on the stick.
    ContinuesStick,
    /// It follows the digits of another dimension.
    Continues,
    /// It would follow if the digit below it were padded.
    ContinuesPadded,
}

/// Depth-first assignment of device dimensions to digits of host dimensions.
///
/// Almost always the first choice is right. Padding can make it wrong: host `[40, 64]` with device
/// size `[40, 1, 64]` has two entries of stride 64, and only the sizes distinguish row and tile.
struct Search<'a> {
    host_size: &'a [u64],
    host_strides: &'a [i64],
    device_size: &'a [u64],
    stride_map: &'a [i64],
    /// Device dimensions with a stride, in the order in which they are assigned.
    pending: Vec<usize>,
    /// Host dimension and divisor of each device dimension so far.
    assigned: Vec<Option<(usize, u64)>>,
}

impl Search<'_> {
    fn run(&mut self, depth: usize) -> Option<Layout> {
        let Some(&coord) = self.pending.get(depth) else {
            return self.finish();
        };
        if !self.can_succeed(depth) {
            return None;
        }
        for choice in self.choices(coord) {
            self.assigned[coord] = choice;
            if let Some(layout) = self.run(depth + 1) {
                return Some(layout);
            }
        }
        self.assigned[coord] = None;
        None
    }

    /// Two device dimensions of equal stride, and a layout other than `layout` in which they are exchanged.
    fn exchanged(&mut self, layout: &Layout) -> Option<(usize, usize, Layout)> {
        for second in 0..self.stride_map.len() {
            for first in 0..second {
                let equal = self.stride_map[first] == self.stride_map[second];
                // A dimension that repeats holds the same wherever it is.
                if !equal || self.stride_map[first] <= 0 {
                    continue;
                }
                self.assigned.swap(first, second);
                let other = self.finish();
                self.assigned.swap(first, second);
                if let Some(other) = other.filter(|other| other != layout) {
                    return Some((first, second, other));
                }
            }
        }
        None
    }

    /// Returns whether the pending device dimensions are enough for the needs of the host dimensions, in number and
    /// in size. Without this bound, hopeless input would take exponential time. Products that do not fit in 128 bits
    /// count as enough: the search then goes on.
    fn can_succeed(&self, depth: usize) -> bool {
        let pending = &self.pending[depth..];
        let mut missing = 0;
        let mut needed: u128 = 1;
        for (dim, &size) in self
            .host_size
            .iter()
            .enumerate()
            .filter(|(_, size)| **size > 1)
        {
            let (full, highest) = self.chain(dim);
            missing += usize::from(highest.is_none());
            // A device size may have zeros; no layout has it.
            needed = needed.saturating_mul(size.div_ceil(full.max(1)).into());
        }
        let sizes = pending.iter().map(|&coord| self.device_size[coord]);
        let offered = sizes.fold(1u128, |product, size| product.saturating_mul(size.into()));
        missing <= pending.len() && needed <= offered
    }

    /// Returns the host dimensions and divisors that device dimension `coord` may belong to, best first.
    fn choices(&self, coord: usize) -> Vec<Option<(usize, u64)>> {
        let stride = self.stride_map[coord];
        let stick_dim = self.assigned.last().copied().flatten().map(|(dim, _)| dim);
        let mut choices = Vec::new();
        for (dim, (&size, &host)) in self.host_size.iter().zip(self.host_strides).enumerate() {
            // A repeated dimension has stride 0 everywhere, so only the chain gives its divisor.
            if size <= 1 || (host == 0) != (stride == 0) {
                continue;
            }
            let (full, highest) = self.chain(dim);
            let divisor = if host == 0 {
                full
            } else if stride % host == 0 {
                u64::try_from(stride / host).expect("neither stride is negative")
            } else {
                continue;
            };
            // `highest` is the divisor of the highest digit so far, `full` that of an unpadded next
            // one. A repeated dimension gets no more digits than it needs.
            let worth = match highest {
                None if divisor == 1 => Worth::Starts,
                Some(_) if host == 0 && full >= size => continue,
                Some(low) if divisor <= low || !divisor.is_multiple_of(low) => continue,
                Some(_) if divisor == full && stick_dim == Some(dim) => Worth::ContinuesStick,
                Some(_) if divisor == full => Worth::Continues,
                Some(_) if divisor < full => Worth::ContinuesPadded,
                _ => continue,
            };
            choices.push((worth, std::cmp::Reverse(host), dim, divisor));
        }
        choices.sort_unstable();
        let mut choices: Vec<_> = choices
            .into_iter()
            .map(|(_, _, dim, divisor)| Some((dim, divisor)))
            .collect();
        if stride == 0 {
            choices.push(None); // repeats values along no host dimension
        }
        choices
    }

    /// Returns how many positions the digits of `dim` distinguish so far, padding counted, and the divisor of the
    /// highest of them, if there is one. More than 2^64 - 1 positions count as 2^64 - 1; no layout continues them.
    fn chain(&self, dim: usize) -> (u64, Option<u64>) {
        let digits = self.assigned.iter().zip(self.device_size);
        digits
            .filter_map(|(assigned, &size)| {
                assigned
                    .filter(|&(d, _)| d == dim)
                    .map(|(_, divisor)| (divisor, size))
            })
            .max()
            .map_or((1, None), |(divisor, size)| {
                (divisor.saturating_mul(size), Some(divisor))
            })
    }

    /// Returns the layout of a complete assignment, if it is one and fits the tensor.
    fn finish(&self) -> Option<Layout> {
        let last = self.device_size.len().checked_sub(1)?;
        let coords = (0..=last).zip(&self.assigned).zip(self.device_size);
        let coords: Vec<Coord> = coords
            .map(|((at, assigned), &size)| match *assigned {
                None => Coord::Zero,
                Some((dim, divisor)) => {
                    let next = self.next_divisor(dim, divisor);
                    let modulus = match next {
                        Some(next) => Some(next / divisor),
                        None => (at == last && size > 1).then_some(size),
                    };
                    Coord::Digit {
                        dim,
                        divisor,
                        modulus,
                    }
                }
            })
            .collect();
        let expanded = (0..)
            .zip(&coords)
            .zip(self.stride_map)
            .filter(|((_, coord), stride)| **coord == Coord::Zero && **stride == 0)
            .map(|((at, _), _)| at)
            .collect();
        let per_stick = Elements(*self.device_size.last()?);
        let layout = Layout::new(self.host_size.len(), coords)
            .ok()?
            .with_expanded(expanded)
            .ok()?;
        // Without padding the layout needs no explicit size.
        if layout
            .device_size(self.host_size, per_stick)
            .is_ok_and(|it| it == self.device_size)
        {
            return Some(layout);
        }
        let padded = layout.with_device_size(self.device_size.to_vec()).ok()?;
        padded.check(self.host_size, per_stick).ok()?;
        Some(padded)
    }

    fn next_divisor(&self, dim: usize, divisor: u64) -> Option<u64> {
        let digits = self.assigned.iter().flatten();
        digits
            .filter(|&&(d, next)| d == dim && next > divisor)
            .map(|&(_, next)| next)
            .min()
    }
}
