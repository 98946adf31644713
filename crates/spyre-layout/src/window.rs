//! Windows: rectangular parts of a tensor that lie in memory like its first one.
//!
//! A tiled loop works on one window of each tensor after the other. Generated code gives every
//! window the same layout, that of the whole tensor, and only moves the base address. That is right
//! if and only if each element keeps its distance from the first element of its window, and the
//! base moves by the same distance in every iteration. These functions compute the distances and reject
//! all other cases.

use std::iter;

use crate::{
    error::PlaceError,
    format::DeviceFormat,
    layout::Layout,
    tensor::DeviceTensor,
    units::{Bytes, Elements},
};

/// Windows that cannot be reached by moving a base address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WindowError {
    /// A dimension that does not exist.
    #[error("d{dim} does not exist, the tensor has rank {rank}")]
    NoSuchDim {
        /// The dimension.
        dim: usize,
        /// Rank of the tensor.
        rank: usize,
    },
    /// Windows of no extent.
    #[error("windows along d{dim} have extent 0")]
    Empty {
        /// The dimension.
        dim: usize,
    },
    /// A window that reaches past the end.
    #[error("a window of {extent} at {offset} leaves d{dim}, which has extent {shape}")]
    Outside {
        /// The dimension.
        dim: usize,
        /// The position at which the window starts.
        offset: u64,
        /// The extent of the window.
        extent: u64,
        /// The extent of the tensor.
        shape: u64,
    },
    /// Windows that cut a stick.
    #[error(
        "windows of {tile} along d{dim} cut sticks of {elements_per_stick} (remainder {})",
        .tile.get() % .elements_per_stick.get().max(1)
    )]
    CutsSticks {
        /// The dimension.
        dim: usize,
        /// The extent of the window along it, or the distance between windows.
        tile: Elements,
        /// Elements of this dimension in each stick.
        elements_per_stick: Elements,
    },
    /// Windows that straddle two blocks of the layout.
    #[error(
        "windows of {tile} along d{dim} do not fit the layout, which breaks d{dim} every {block}: \
         they are not at equal distances in memory"
    )]
    NotAffine {
        /// The dimension.
        dim: usize,
        /// The extent of the window along it, or the distance between windows.
        tile: Elements,
        /// The block of the layout that the window does not fit.
        block: Elements,
    },
    /// An inner level that does not divide the window of the outer one.
    #[error("steps of {step} do not divide the enclosing window of {span} along d{dim}")]
    LevelsDoNotNest {
        /// The dimension.
        dim: usize,
        /// The distance between windows.
        step: Elements,
        /// The extent of the enclosing window.
        span: Elements,
    },
    /// The layout does not fit the tensor.
    #[error(transparent)]
    Place(#[from] PlaceError),
}

/// A range of a host dimension along which memory advances evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// Host positions per step of the run.
    pub(crate) divisor: u64,
    /// Device elements per step of the run.
    stride: u64,
}

impl DeviceTensor {
    /// Byte distance between neighbouring windows when the whole of dimension `dim` is cut every
    /// `step` elements: window `k` starts `k` times as far.
    ///
    /// # Errors
    /// The errors of [`DeviceTensor::level_step`].
    pub fn window_step(&self, dim: usize, step: Elements) -> Result<Bytes, WindowError> {
        let span = self.extent(dim)?;
        self.level_step(dim, step, Elements(span))
    }

    /// Byte distance between neighbouring windows of one loop level, which cuts an enclosing window
    /// of `span` elements of dimension `dim` every `step` elements.
    ///
    /// The enclosing windows start at multiples of `span`. In each of them, an element `x` of
    /// window `k`, `0 <= x < step` and `k * step + x < span`, lies exactly `k` times the result
    /// after element `x` of window 0. With a single window (`step >= span`) the result is zero.
    ///
    /// Distances that differ are always rejected. Equal ones are rejected only where a last window cut
    /// short happens to end before the break of the layout that a whole window would straddle.
    ///
    /// # Errors
    /// The windows cut sticks, are not at equal distances, or do not divide the enclosing window.
    pub fn level_step(
        &self,
        dim: usize,
        step: Elements,
        span: Elements,
    ) -> Result<Bytes, WindowError> {
        let distance = self.level_step_elements(dim, step, span)?;
        // Distances inside the tensor are below its size in bytes.
        Ok(Bytes(
            distance.get() * self.format().bytes_per_element().get(),
        ))
    }

    /// [`DeviceTensor::level_step`] in device elements.
    ///
    /// # Errors
    /// The errors of [`DeviceTensor::level_step`].
    pub fn level_step_elements(
        &self,
        dim: usize,
        step: Elements,
        span: Elements,
    ) -> Result<Elements, WindowError> {
        let extent = self.extent(dim)?;
        if step == Elements::ZERO || span == Elements::ZERO {
            return Err(WindowError::Empty { dim });
        }
        if span.get() > extent {
            let (offset, extent, shape) = (0, span.get(), extent);
            return Err(WindowError::Outside {
                dim,
                offset,
                extent,
                shape,
            });
        }
        self.check_whole_sticks(dim, span)?;
        if step >= span {
            return Ok(Elements::ZERO);
        }
        self.check_whole_sticks(dim, step)?;
        let whole = span.get() == extent;
        if !whole && !span.is_multiple_of(step) {
            return Err(WindowError::LevelsDoNotNest { dim, step, span });
        }
        let runs = self.runs(dim);
        let reached = runs.partition_point(|run| step.get().is_multiple_of(run.divisor));
        if let Some(&Stretch { divisor: block, .. }) = runs.get(reached) {
            // Windows stay inside one block: it holds the whole dimension, or the spans tile it.
            let fits = extent <= block || (!whole && block.is_multiple_of(span.get()));
            if !fits {
                return Err(WindowError::NotAffine {
                    dim,
                    tile: step,
                    block: Elements(block),
                });
            }
        }
        // A dimension of one position without digits has no distances.
        let run = runs[..reached].last();
        Ok(Elements(
            run.map_or(0, |run| step.get() / run.divisor * run.stride),
        ))
    }

    /// Checks that windows of extent `tile` along dimension `dim`, starting at multiples of `tile`,
    /// hold whole sticks. One window over the whole dimension always does.
    ///
    /// # Errors
    /// They do not, or the dimension does not exist.
    pub fn check_whole_sticks(&self, dim: usize, tile: Elements) -> Result<(), WindowError> {
        let extent = self.extent(dim)?;
        let per_stick = self.stick_extent(dim);
        if tile.get() >= extent || tile.is_multiple_of(per_stick) {
            Ok(())
        } else {
            Err(WindowError::CutsSticks {
                dim,
                tile,
                elements_per_stick: per_stick,
            })
        }
    }

    /// Returns how many neighbouring positions of dimension `dim` whole sticks cannot separate: the
    /// elements per stick for the dimension on the stick, fewer where the layout leaves sticks half
    /// full, 1 for all others. A cast from 16 to 32 bits leaves the elements of one 16-bit stick
    /// staggered over two sticks, which belong together.
    #[must_use]
    pub fn stick_extent(&self, dim: usize) -> Elements {
        let layout = self.layout();
        let sizes = self.device_size();
        let digits = layout.digits_of(dim).into_iter();
        let in_stick = digits.filter(|digit| layout.is_in_stick(digit.coord));
        let shared: u64 = in_stick
            .map(|digit| digit.modulus.unwrap_or(sizes[digit.coord]))
            .product();
        let together = if shared > 1 {
            layout.arrangement().sticks_together()
        } else {
            1
        };
        Elements(together * shared)
    }

    /// Byte address of the window of extents `sizes` from host coordinates `offsets` on.
    ///
    /// Each element of the window lies as far from this address as the element at the same place
    /// of the window at the origin lies from the start of the tensor.
    ///
    /// # Errors
    /// The window leaves the tensor, cuts sticks, or straddles a break of the layout.
    pub fn window_offset(&self, offsets: &[u64], sizes: &[u64]) -> Result<Bytes, WindowError> {
        self.layout()
            .check_rank("list of window sizes", sizes.len())?;
        let address = self.address(offsets)?;
        for (dim, (&offset, &size)) in offsets.iter().zip(sizes).enumerate() {
            let extent = self.extent(dim)?;
            if size == 0 {
                return Err(WindowError::Empty { dim });
            }
            let end = offset.checked_add(size).filter(|&end| end <= extent);
            let Some(end) = end else {
                return Err(WindowError::Outside {
                    dim,
                    offset,
                    extent: size,
                    shape: extent,
                });
            };
            let per_stick = self.stick_extent(dim);
            for edge in iter::once(offset).chain(Some(end).filter(|&end| end < extent)) {
                let edge = Elements(edge);
                if !edge.is_multiple_of(per_stick) {
                    let elements_per_stick = per_stick;
                    return Err(WindowError::CutsSticks {
                        dim,
                        tile: edge,
                        elements_per_stick,
                    });
                }
            }
            let runs = self.runs(dim);
            let reached = runs.partition_point(|run| offset.is_multiple_of(run.divisor));
            if let Some(&Stretch { divisor: block, .. }) = runs.get(reached)
                && offset % block + size > block
            {
                let (tile, block) = (Elements(size), Elements(block));
                return Err(WindowError::NotAffine { dim, tile, block });
            }
        }
        Ok(address)
    }

    fn extent(&self, dim: usize) -> Result<u64, WindowError> {
        let rank = self.shape().len();
        self.shape()
            .get(dim)
            .copied()
            .ok_or(WindowError::NoSuchDim { dim, rank })
    }

    /// Returns the digits of `dim`, lowest first, where neighbours that continue each other in memory are
    /// one run.
    pub(crate) fn runs(&self, dim: usize) -> Vec<Stretch> {
        let mut runs: Vec<Stretch> = Vec::new();
        for digit in self.layout().digits_of(dim) {
            let stride = self.device_strides()[digit.coord];
            let even = runs.last().is_some_and(|low| {
                low.stride.checked_mul(digit.divisor / low.divisor) == Some(stride)
            });
            if !even {
                runs.push(Stretch {
                    divisor: digit.divisor,
                    stride,
                });
            }
        }
        runs
    }
}

impl Layout {
    /// [`DeviceTensor::window_step`] of a tensor of the given shape.
    ///
    /// # Errors
    /// The layout does not fit the shape, or the windows are not at equal distances.
    pub fn window_step(
        &self,
        shape: &[u64],
        dim: usize,
        step: Elements,
        format: DeviceFormat,
    ) -> Result<Bytes, WindowError> {
        self.place(shape, format)?.window_step(dim, step)
    }
}
