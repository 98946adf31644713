//! The places of the elements of a tensor for one core.

use crate::memory::RegionId;
use crate::read::Tensor;

/// Why a byte of a view has a number: an execution starts only with views that their regions hold.
pub(super) const IS_INSIDE: &str = "a view is inside of its region";

/// One core's view of a tensor: its start, and the distance between its elements along each dimension of the iteration
/// space.
///
/// The JSON gives the order of the dimensions in memory, but no distances: memory is dense up to the gaps (SDSC bundle
/// specification, section 5). The innermost unit is a stick. The dimensions follow, innermost first; the stick dimension
/// counts in sticks.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub region: RegionId,
    /// The first byte, from the start of the region.
    pub start: i64,
    /// Bytes of an element.
    pub element: usize,
    /// Elements of a stick.
    pub per_stick: u64,
    /// For each dimension of the iteration space, unless the tensor lacks it.
    pub axes: Vec<Option<Axis>>,
}

/// The run of a dimension in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Bytes to the next element, or to the next stick of the stick dimension.
    pub unit: i64,
    /// Whether it is the stick dimension.
    pub stick: bool,
    /// The elements of the core's part that are in memory.
    pub held: u64,
}

impl View {
    /// Returns the distances of a tensor's dimensions for the core at a position among the cores that take part.
    ///
    /// `extents` and `parts` are the extents of the iteration space and of one core, and `rows` is the extent of the
    /// gathered dimension. `None` if a distance does not fit 64 bits.
    pub(super) fn axes(
        tensor: &Tensor,
        core: usize,
        extents: &[u64],
        parts: &[u64],
        rows: u64,
    ) -> Option<Vec<Option<Axis>>> {
        Self::layout(tensor, core, extents, parts, rows).map(|(axes, _)| axes)
    }

    /// Returns the bytes of the whole tensor, gaps included. `None` if they do not fit 64 bits.
    pub(super) fn volume(tensor: &Tensor, core: usize, extents: &[u64], rows: u64) -> Option<u64> {
        Self::layout(tensor, core, extents, extents, rows).map(|(_, volume)| volume)
    }

    fn layout(
        tensor: &Tensor,
        core: usize,
        extents: &[u64],
        parts: &[u64],
        rows: u64,
    ) -> Option<(Vec<Option<Axis>>, u64)> {
        let mut axes = vec![None; extents.len()];
        let mut unit = tensor.per_stick.checked_mul(tensor.element_bytes())?;
        for tensor_dim in &tensor.order {
            let part = if tensor_dim.gathered {
                rows
            } else {
                parts[tensor_dim.dim]
            };
            let covered = match tensor.is_in_parts() {
                _ if tensor_dim.gathered => rows,
                false => extents[tensor_dim.dim],
                true => part,
            };
            let covered = match tensor_dim.walk {
                Some(walk) => walk.span(covered)?,
                None => covered,
            };
            let end = covered
                .checked_add(tensor_dim.gaps[core])?
                .checked_sub(tensor_dim.missing)?;
            let stick = tensor_dim.dim == tensor.stick;
            let step = tensor_dim.walk.map_or(1, |walk| walk.stride);
            axes[tensor_dim.dim] = Some(Axis {
                unit: i64::try_from(unit.checked_mul(step)?).ok()?,
                stick,
                held: part.min(covered.checked_sub(tensor_dim.missing)?),
            });
            if let Some(walk) = tensor_dim.walk {
                axes[walk.window] = Some(Axis {
                    unit: i64::try_from(unit.checked_mul(walk.dilation)?).ok()?,
                    stick,
                    held: walk.kernel,
                });
            }
            let count = if stick {
                end.div_ceil(tensor.per_stick)
            } else {
                end
            };
            unit = unit.checked_mul(count)?;
        }
        Some((axes, unit))
    }

    fn offset_of(&self, axis: Axis, at: u64) -> Option<i64> {
        let (steps, rest) = match axis.stick {
            true => (
                at / self.per_stick,
                at % self.per_stick * self.element as u64,
            ),
            false => (at, 0),
        };
        let far = axis.unit.checked_mul(i64::try_from(steps).ok()?)?;
        far.checked_add(i64::try_from(rest).ok()?)
    }

    /// Returns the bytes from the start to the end of the last element. `None` if that does not fit 64 bits.
    pub(super) fn span(&self) -> Option<u64> {
        let mut last = 0_i64;
        for axis in self.axes.iter().flatten() {
            last = last.checked_add(self.offset_of(*axis, axis.held.checked_sub(1)?)?)?;
        }
        u64::try_from(last).ok()?.checked_add(self.element as u64)
    }

    /// Returns the bytes from the start to a point, leaving out one dimension. `None` if the point is not in memory: it is
    /// in the part that a change of layout lacks. Without a [`span`](Self::span), the number may also be one that does
    /// not fit.
    pub(super) fn offset(&self, point: &[u64], without: usize) -> Option<i64> {
        let mut offset = 0_i64;
        for (dim, (axis, at)) in self.axes.iter().zip(point).enumerate() {
            if let Some(axis) = axis
                && dim != without
            {
                if *at >= axis.held {
                    return None;
                }
                offset = offset.checked_add(self.offset_of(*axis, *at)?)?;
            }
        }
        Some(offset)
    }

    /// Returns the number of the first byte at a point, leaving out one dimension, in the region that holds the view; that of
    /// the view where the point is not in memory.
    pub(super) fn byte(&self, point: &[u64], without: usize) -> u64 {
        self.byte_at(self.offset(point, without).unwrap_or(0))
    }

    /// Returns the number of a byte of the view in the region that holds it.
    pub(super) fn byte_at(&self, offset: i64) -> u64 {
        u64::try_from(self.start + offset).expect(IS_INSIDE)
    }

    /// Returns the axis of a dimension, if the tensor has it.
    pub(super) fn axis(&self, dim: usize) -> Option<Axis> {
        self.axes.get(dim).copied().flatten()
    }

    /// Returns how many elements of a dimension that the tensor has are in memory.
    pub(super) fn held(&self, dim: usize) -> u64 {
        self.axis(dim).expect("the tensor has the dimension").held
    }

    /// Returns the number of sticks of the view, all of which are in its region.
    pub(super) fn sticks(&self) -> u64 {
        let axes = self.axes.iter().flatten();
        let counts = axes.map(|axis| match axis.stick {
            true => axis.held.div_ceil(self.per_stick),
            false => axis.held,
        });
        counts.product()
    }

    /// Returns the runs of consecutive elements along a dimension, for `lanes` of its elements.
    pub(super) fn runs(&self, dim: usize, lanes: usize) -> Runs {
        match self.axis(dim) {
            None => Runs::Repeat,
            Some(axis) => {
                let held = axis.held.min(lanes as u64) as usize;
                let step = match axis.stick {
                    true => self.per_stick as usize,
                    false => 1,
                };
                Runs::Steps {
                    unit: axis.unit,
                    step,
                    held,
                }
            }
        }
    }
}

/// The parts of a row of elements in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runs {
    /// One element for all.
    Repeat,
    /// `step` consecutive elements, then `unit` bytes from there to the next, up to `held` elements.
    Steps { unit: i64, step: usize, held: usize },
}
