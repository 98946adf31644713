//! Slices: windows, every n-th position, and dimensions at one index.

use crate::{
    coord::Coord,
    layout::Layout,
    units::Elements,
    view::{
        ViewError,
        slots::{Slot, Slots},
    },
};

impl Layout {
    /// The layout of a tensor in which each of `dims` is fixed at one index and disappears, as in a
    /// rank-reducing `tensor.extract_slice`.
    ///
    /// The device coordinates of these dimensions become constantly zero: the index moves the base
    /// address instead. `shape` is the shape of this tensor and `elements_per_stick` belongs to its
    /// format, as for [`Layout::check`]. The result states its device size where the remaining shape does
    /// not give it. Dimensions may be listed in any order.
    ///
    /// # Errors
    /// The layout does not fit `shape`, or a dimension does not exist.
    pub fn drop_dims(
        &self,
        shape: &[u64],
        dims: &[usize],
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        check_dims(dims, self.rank())?;
        let kept: Vec<usize> = (0..self.rank()).filter(|dim| !dims.contains(dim)).collect();
        let slots = Slots::new(self, shape, elements_per_stick)?;
        let slots = slots.rewrite(|_, slot| {
            let coord = slot
                .coord
                .with_dims(|dim| kept.iter().position(|&kept| kept == dim));
            Ok(vec![Slot { coord, ..slot }])
        })?;
        let shape = without(shape, dims);
        slots.into_layout(self, &shape, elements_per_stick)
    }

    /// The layout of the first window of extents `sizes` of a tensor of the given shape: the
    /// coordinates and device size of that tensor.
    ///
    /// # Errors
    /// The layout does not fit `shape`, or the window does not fit in it.
    pub fn window_layout(
        &self,
        shape: &[u64],
        sizes: &[u64],
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        let slots = Slots::new(self, shape, elements_per_stick)?;
        self.check_rank("list of window sizes", sizes.len())?;
        for (dim, (&extent, &shape)) in sizes.iter().zip(shape).enumerate() {
            if extent > shape {
                let offset = 0;
                return Err(crate::WindowError::Outside {
                    dim,
                    offset,
                    extent,
                    shape,
                }
                .into());
            }
        }
        slots.into_layout(self, sizes, elements_per_stick)
    }

    /// The layout of every `step`-th position of dimension `dim`, from position 0 on. The dimension
    /// has extent `ceil(extent / step)` in the result.
    ///
    /// # Errors
    /// The layout does not fit `shape`, the step is 0, or it neither divides a block of the layout nor
    /// is a whole number of them. Along the stick it is a whole number of sticks.
    pub fn every_nth(
        &self,
        shape: &[u64],
        dim: usize,
        step: u64,
        elements_per_stick: Elements,
    ) -> Result<Self, ViewError> {
        check_dims(&[dim], self.rank())?;
        if step == 0 {
            return Err(ViewError::ZeroStep { dim });
        }
        let slots = Slots::new(self, shape, elements_per_stick)?;
        let extent = shape[dim];
        let mut result_shape = shape.to_vec();
        result_shape[dim] = extent.div_ceil(step);
        // A single position is the first one, whatever the step.
        let step = if step < extent { step } else { 1 };
        let steps = Steps { dim, extent, step };
        let attempt = |slots: &Slots| {
            slots
                .rewrite(|at, slot| steps.coords(slots, at, slot))?
                .into_layout(self, &result_shape, elements_per_stick)
        };
        attempt(&slots).or_else(|error| attempt(&slots.simplified(shape)).map_err(|_| error))
    }
}

/// Checks that the dimensions exist.
pub(super) fn check_dims(dims: &[usize], rank: usize) -> Result<(), ViewError> {
    match dims.iter().find(|&&dim| dim >= rank) {
        Some(&dim) => Err(crate::WindowError::NoSuchDim { dim, rank }.into()),
        None => Ok(()),
    }
}

/// Returns the entries of `list` at positions that are not in `dims`.
pub(super) fn without(list: &[u64], dims: &[usize]) -> Vec<u64> {
    (0..)
        .zip(list)
        .filter(|(dim, _)| !dims.contains(dim))
        .map(|(_, &entry)| entry)
        .collect()
}

/// Every `step`-th position of a dimension, from position 0 on.
#[derive(Clone, Copy)]
struct Steps {
    dim: usize,
    /// The extent before the steps.
    extent: u64,
    step: u64,
}

impl Steps {
    /// Returns the coordinate at `at` as coordinates of `x`. If it is a digit of the sliced dimension, it is a digit of
    /// `x` times the step.
    fn coords(self, slots: &Slots, at: usize, slot: Slot) -> Result<Vec<Slot>, ViewError> {
        let Coord::Digit {
            dim,
            divisor,
            modulus,
        } = slot.coord
        else {
            return Ok(vec![slot]);
        };
        if dim != self.dim || self.step == 1 {
            return Ok(vec![slot]);
        }
        if divisor < self.step {
            return self.split(slots, at, slot, (divisor, modulus));
        }
        if !divisor.is_multiple_of(self.step) {
            return Err(self.disagree(divisor));
        }
        let coord = Coord::Digit {
            dim,
            divisor: divisor / self.step,
            modulus,
        };
        Ok(vec![Slot { coord, ..slot }])
    }

    fn disagree(self, block: u64) -> ViewError {
        ViewError::BreaksDisagree {
            dim: self.dim,
            block: Elements(block),
            unit: Elements(self.step),
        }
    }

    /// Returns the coordinates of a digit that begins below the step: the digit of whole steps, and a coordinate below
    /// the step that is always zero.
    fn split(
        self,
        slots: &Slots,
        at: usize,
        slot: Slot,
        (divisor, modulus): (u64, Option<u64>),
    ) -> Result<Vec<Slot>, ViewError> {
        let Self { dim, extent, step } = self;
        // A bound that the extent does not reach is ignored.
        let end = modulus
            .and_then(|modulus| divisor.checked_mul(modulus))
            .filter(|&end| end < extent);
        if let Some(end) = end
            && end <= step
        {
            // Below the step: always zero.
            return Ok(vec![slot.zero()]);
        }
        if slots.in_stick(at) {
            return Err(ViewError::SplitsStick {
                dim,
                unit: Elements(step),
                elements_per_stick: Elements(slot.size),
            });
        }
        if !step.is_multiple_of(divisor) {
            return Err(self.disagree(divisor));
        }
        if let Some(end) = end
            && !end.is_multiple_of(step)
        {
            return Err(self.disagree(end));
        }
        let part = step / divisor;
        if !slot.size.is_multiple_of(part) {
            return Err(ViewError::SplitsPadding {
                coord: at,
                size: slot.size,
                part,
            });
        }
        let coord = Coord::Digit {
            dim,
            divisor: 1,
            modulus: end.map(|end| end / step),
        };
        let size = slot.size / part;
        let inner = Slot {
            size: part,
            ..slot.zero()
        };
        Ok(vec![
            Slot {
                coord,
                size,
                ..slot
            },
            inner,
        ])
    }
}
