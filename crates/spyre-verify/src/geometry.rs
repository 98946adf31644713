//! The place of an SDSC's tensor in memory, computed from its layout alone (SDSC bundle specification, sections 4.4 and 4.8).
//!
//! The order of a layout is innermost first, and sticks of the innermost dimension are next to each other. So the step along a
//! dimension is one stick for each index of the dimensions before it, gaps included.

use spyre_layout::{Bytes, STICK_BYTES, Sticks};

/// A dimension of a tensor, in indices: elements, or sticks where the dimension is along the stick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Axis {
    /// The dimension of the operation, as an index into the slices of a core.
    pub dim: usize,
    /// The extent that the operation works on.
    pub extent: u64,
    /// The extent in memory; more than `extent` if the operation works on a window.
    pub stored: u64,
    /// The number of cores that divide it.
    pub splits: u64,
    /// The number of indices of `stored` that may be padding. An operation pads the extent of a dimension to whole
    /// sticks if any of its tensors has the stick along that dimension. A tensor with the stick along another dimension
    /// may be stored without this padding (section 4.6).
    pub padding: u64,
    /// The windows that walk along it; `None` for nearly all dimensions.
    pub windows: Option<Steps>,
}

/// The windows along a dimension. The extent is their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Indices from one window to the next.
    pub stride: u64,
    /// Indices of a window after its first one.
    pub more: u64,
}

impl Steps {
    /// Returns the number of indices from the first to the last of `count` windows; `None` for no window, and above 64
    /// bits.
    pub(crate) fn span(self, count: u64) -> Option<u64> {
        let last_start = count.checked_sub(1)?.checked_mul(self.stride)?;
        last_start.checked_add(self.more)?.checked_add(1)
    }
}

impl Axis {
    /// Returns the number of indices of a part of the extent: the part itself, or the span of as many windows.
    fn reach(&self, part: u64) -> Option<u64> {
        match self.windows {
            None => Some(part),
            Some(steps) => steps.span(part),
        }
    }

    fn stride(&self) -> u64 {
        self.windows.map_or(1, |windows| windows.stride)
    }
}

/// The steps by which a loop moves the window of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Walk {
    /// Bytes from one window to the next.
    pub advance: u64,
    /// The number of windows.
    pub trips: u64,
}

/// The dimensions in which a tensor extends, innermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The dimensions.
    pub axes: Vec<Axis>,
}

impl Shape {
    /// Returns every shape that the file may mean, the one without padding first. Empty if the shapes are too many to check.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Self> {
        let padded: Vec<usize> = (self.axes.iter().enumerate())
            .filter_map(|(at, axis)| (axis.padding > 0).then_some(at))
            .collect();
        let most = match padded.as_slice() {
            [] => Some(0),
            [at] => self.axes.get(*at).map(|axis| axis.padding),
            _ => None,
        };
        let at = padded.first().copied();
        most.into_iter()
            .flat_map(|most| 0..=most)
            .map(move |missing| {
                let mut shape = self.clone();
                if let Some(axis) = at.and_then(|at| shape.axes.get_mut(at)) {
                    axis.stored = axis.stored.saturating_sub(missing).max(1);
                }
                shape
            })
    }

    /// Returns the smallest shape that the file may mean.
    pub(crate) fn least(&self) -> Self {
        let less = |size: u64, axis: &Axis| size.saturating_sub(axis.padding).max(1);
        let axes = self.axes.iter().map(|axis| Axis {
            extent: less(axis.extent, axis),
            stored: less(axis.stored, axis),
            ..*axis
        });
        Self {
            axes: axes.collect(),
        }
    }

    /// Returns the size in memory, in bytes. `None` beyond 64 bits, as in all functions below.
    pub(crate) fn stored(&self) -> Option<Bytes> {
        bytes(
            self.axes
                .iter()
                .try_fold(1, |sticks: u64, axis| sticks.checked_mul(axis.stored))?,
        )
    }

    /// Returns the size of the part of one core, in bytes, without gaps.
    pub(crate) fn compact(&self) -> Option<Bytes> {
        bytes(self.axes.iter().try_fold(1, |sticks: u64, axis| {
            sticks.checked_mul(axis.reach(axis.extent.div_ceil(axis.splits.max(1)))?)
        })?)
    }

    /// Returns the bytes from the first one of a core's part to the end of the last one, gaps included.
    pub(crate) fn span(&self) -> Option<Bytes> {
        let mut step = 1u64;
        let mut last = 0u64;
        for axis in &self.axes {
            let extent = axis.reach(axis.extent.div_ceil(axis.splits.max(1)))?;
            last = last.checked_add(step.checked_mul(extent.saturating_sub(1))?)?;
            step = step.checked_mul(axis.stored)?;
        }
        bytes(last.checked_add(1)?)
    }

    /// Returns the distance, in bytes, between the part of a core and the part of the core that has the first slice of every
    /// dimension.
    pub(crate) fn distance(&self, slices: &[u64]) -> Option<Bytes> {
        let mut step = 1u64;
        let mut sum = 0u64;
        for axis in &self.axes {
            let slice = *slices.get(axis.dim)?;
            let part = slice
                .checked_mul(step.checked_mul(axis.extent)?)?
                .checked_div(axis.splits)?
                .checked_mul(axis.stride())?;
            sum = sum.checked_add(part)?;
            step = step.checked_mul(axis.stored)?;
        }
        bytes(sum)
    }

    /// Returns whether `trips` windows that are `advance` bytes apart lie along one dimension. Their distance has to be a
    /// multiple of the window, and all of them have to be inside the dimension.
    pub(crate) fn is_walk(&self, advance: u64, trips: u64) -> bool {
        let mut step = Some(STICK_BYTES.get());
        self.axes.iter().any(|axis| {
            let here = step;
            step = here.and_then(|step| step.checked_mul(axis.stored));
            let windows = |step: u64| {
                let indices = advance
                    .checked_div(step)
                    .filter(|_| advance.is_multiple_of(step))?;
                let last = indices.checked_mul(trips.checked_sub(1)?)?;
                let fits = last.checked_add(axis.extent)? <= axis.stored;
                Some(fits && indices.is_multiple_of(axis.extent))
            };
            here.and_then(windows).unwrap_or(false)
        })
    }

    /// Returns whether a loop visits tiles of a dimension that are not a multiple of the window. There are two cases. Either the
    /// next loop inside, along the same dimension, leaves less than one of its steps of each tile. Or the window is this
    /// remainder, which ends where the tile ends. `inside` are the loops inside, outermost first. `start` is the distance of the
    /// window in the first iterations from the start of the tensor, in bytes, if it is known.
    pub(crate) fn is_ragged_walk(&self, walk: Walk, inside: &[Walk], start: Option<u64>) -> bool {
        let mut step = Some(STICK_BYTES.get());
        self.axes.iter().any(|axis| {
            let here = step;
            step = here.and_then(|step| step.checked_mul(axis.stored));
            let visits = |unit: u64| {
                let indices = |walk: &Walk| {
                    let indices = walk.advance.checked_div(unit)?;
                    let last = indices.checked_mul(walk.trips.checked_sub(1)?)?;
                    let fits = last.checked_add(axis.extent)? <= axis.stored;
                    (fits && walk.advance.is_multiple_of(unit) && indices > 0).then_some(indices)
                };
                let tile = indices(&walk)?;
                let windows = inside.iter().find_map(|inner| {
                    let window = indices(inner).filter(|window| *window < tile)?;
                    Some((window, window.checked_mul(inner.trips)?))
                });
                let (left, filled) = match windows {
                    Some((window, filled)) => (window - 1, filled),
                    None => (0, axis.extent),
                };
                Some(match start {
                    Some(start) => {
                        let end = (start / unit % axis.stored % tile).checked_add(filled)?;
                        (end..=end.saturating_add(left)).contains(&tile)
                    }
                    None => filled <= tile,
                })
            };
            here.and_then(visits).unwrap_or(false)
        })
    }

    /// Returns the slices that decide which part of the tensor a core has.
    pub(crate) fn part<'s>(&self, slices: &'s [u64]) -> Vec<Option<&'s u64>> {
        self.axes.iter().map(|axis| slices.get(axis.dim)).collect()
    }
}

fn bytes(sticks: u64) -> Option<Bytes> {
    STICK_BYTES.checked_mul(Sticks(sticks).get())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tensor of the documented example: a window of 512 x 1024 in 1024 x 4096, rows over 4 cores.
    fn window() -> Shape {
        let axis = |dim, extent, stored, splits| Axis {
            dim,
            extent,
            stored,
            splits,
            padding: 0,
            windows: None,
        };
        Shape {
            axes: vec![axis(0, 512, 1024, 4), axis(1, 16, 64, 1)],
        }
    }

    #[test]
    fn numbers_of_the_documented_example() {
        let shape = window();
        assert_eq!(shape.stored(), Some(Bytes(1024 * 4096 * 2)));
        assert_eq!(shape.compact(), Some(Bytes(128 * 1024 * 2)));
        // 128 rows of the sixteenth column of sticks, after fifteen whole columns of 1024 sticks.
        assert_eq!(shape.span(), Some(Bytes((15 * 1024 + 128) * 128)));
        assert_eq!(shape.distance(&[3, 0]), Some(Bytes(49152)));
    }

    #[test]
    fn walks_of_the_documented_example() {
        let shape = window();
        // Two windows of rows and four of columns.
        assert!(shape.is_walk(65536, 2) && shape.is_walk(2_097_152, 4));
        assert!(!shape.is_walk(65536, 3) && !shape.is_walk(2_097_152, 5));
        // Half a window, twice the stride, the stride of the tensor of the host.
        for advance in [32768, 131_072, 4_194_304, 2048] {
            assert!(!shape.is_walk(advance, 4), "{advance}");
        }
    }

    #[test]
    fn walks_over_tiles_that_windows_do_not_fill() {
        // 250 rows in tiles of 64, which are 6 windows of 10 and one of 4.
        let rows = |extent| Shape {
            axes: vec![Axis {
                dim: 0,
                extent,
                stored: 250,
                splits: 1,
                padding: 0,
                windows: None,
            }],
        };
        let walk = |indices: u64, trips| Walk {
            advance: indices * 128,
            trips,
        };
        let tiles = walk(64, 3);
        assert!(!rows(10).is_walk(tiles.advance, tiles.trips));
        assert!(rows(10).is_ragged_walk(tiles, &[walk(10, 6)], Some(0)));
        // At an unknown start in memory.
        assert!(rows(10).is_ragged_walk(tiles, &[walk(10, 6)], None));
        // One window is missing, or one is too many; windows of one tile in the next one.
        assert!(!rows(10).is_ragged_walk(tiles, &[walk(10, 5)], Some(0)));
        assert!(!rows(10).is_ragged_walk(tiles, &[walk(10, 7)], Some(0)));
        assert!(!rows(10).is_ragged_walk(tiles, &[walk(10, 7)], None));
        // The rest is at the end of the tile, and only there.
        assert!(rows(6).is_ragged_walk(walk(70, 3), &[], Some(64 * 128)));
        assert!(!rows(6).is_ragged_walk(walk(70, 3), &[], Some(63 * 128)));
        assert!(!rows(6).is_ragged_walk(walk(70, 3), &[], Some(0)));
        // Three levels: 100 is 2 tiles of 40, each 6 windows of 6 and one of 4, and a tile of 20, 3 windows after the
        // 80.
        let (outer, middle) = (walk(100, 2), walk(40, 2));
        assert!(rows(6).is_ragged_walk(outer, &[middle, walk(6, 6)], Some(0)));
        assert!(rows(6).is_ragged_walk(middle, &[walk(6, 6)], Some(0)));
        assert!(rows(6).is_ragged_walk(outer, &[walk(6, 3)], Some(80 * 128)));
    }

    #[test]
    fn padding_may_be_there_or_not() {
        let mut shape = window();
        assert_eq!(shape.candidates().collect::<Vec<_>>(), [window()]);
        assert_eq!(shape.least(), window());
        shape.axes[0].padding = 2;
        let stored: Vec<u64> = shape.candidates().map(|s| s.axes[0].stored).collect();
        assert_eq!(stored, [1024, 1023, 1022]);
        assert_eq!(shape.least().axes[0].extent, 510);
        shape.axes[1].padding = 1;
        assert_eq!(shape.candidates().count(), 0);
    }

    #[test]
    fn sizes_that_fit_nowhere_are_none() {
        let mut shape = window();
        shape.axes[1].stored = u64::MAX;
        assert_eq!(shape.stored(), None);
        shape.axes[0].extent = u64::MAX;
        assert_eq!(shape.span(), None);
        assert_eq!(shape.distance(&[3, 0]), None);
        // A dimension that the core has no slice of.
        assert_eq!(window().distance(&[3]), None);
    }
}
