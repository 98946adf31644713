//! The three tuples of a copy between host and device: a layout as a loop nest.
//!
//! "Tensors with Device-Specific Layouts" writes the layout of a `[1024, 256]` tensor as
//! `((4, 1024, 64), (65536, 64, 1), (64, 256, 1))`. Its text calls the tuples loop ranges, host
//! strides and device strides, but the example and the loop nest below it have the device strides
//! second (middle-end specification, trap T5). Here they have names, and the order of the example.

use std::fmt;

use crate::{layout::Layout, stride_map::StrideMapError, tensor::DeviceTensor};

/// A layout as a loop nest, outermost loop first: iteration `(i, j, ...)` visits the device element
/// `i * device_strides[0] + j * device_strides[1] + ...` and the host element with the same sum of
/// host strides.
///
/// The loops run over the whole buffer, padding included: iterations whose host element lies
/// outside the tensor visit padding. A host stride of -1 marks a loop along which the host does not
/// move because there is nothing to visit but its first iteration (a synthetic dimension, one of
/// extent 1, a sparse stick), and 0 one that repeats the same values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopTuples {
    /// Iterations of each loop: the device size.
    pub ranges: Vec<u64>,
    /// Device elements per iteration of each loop, decreasing.
    pub device_strides: Vec<u64>,
    /// Host elements per iteration of each loop: the stride map.
    pub host_strides: Vec<i64>,
}

/// Tuples that are no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopTuplesError {
    /// Tuples of different lengths.
    #[error(
        "there are {ranges} loop ranges, {device_strides} device strides and {host_strides} host strides"
    )]
    Length {
        /// Number of loop ranges.
        ranges: usize,
        /// Number of device strides.
        device_strides: usize,
        /// Number of host strides.
        host_strides: usize,
    },
    /// A loop that never runs.
    #[error("loop {at} has range 0")]
    EmptyLoop {
        /// Position of the loop.
        at: usize,
    },
    /// Device strides that are not those of a row-major array: memory would have holes, or two
    /// iterations would visit one element.
    #[error(
        "loop {at} has device stride {found}; the loops inside it visit {expected} elements, so that \
         it must be {expected}"
    )]
    NotNested {
        /// Position of the loop.
        at: usize,
        /// Its device stride.
        found: u64,
        /// The product of the ranges of the loops inside it.
        expected: u64,
    },
    /// More elements than 64 bits count.
    #[error("the loops {ranges:?} visit more than 2^64 - 1 elements")]
    TooLarge {
        /// The loop ranges.
        ranges: Vec<u64>,
    },
    /// Ranges and host strides that are not those of a layout of the host tensor.
    #[error(transparent)]
    StrideMap(#[from] StrideMapError),
}

impl LoopTuples {
    /// The layout that the tuples describe, for a host tensor of the given extents and strides.
    ///
    /// The layout has the device size, device strides and stride map of the tuples. As in every
    /// stride map, dimensions of extent 1 leave no trace in them
    /// ([`Layout::from_device_size_and_stride_map`]).
    ///
    /// # Errors
    /// The tuples differ in length, the device strides are not those of a row-major array of the
    /// ranges, or the host strides are not the stride map of a layout.
    pub fn to_layout(
        &self,
        host_size: &[u64],
        host_strides: &[i64],
    ) -> Result<Layout, LoopTuplesError> {
        self.check_nested()?;
        Ok(Layout::from_device_size_and_stride_map(
            host_size,
            host_strides,
            &self.ranges,
            &self.host_strides,
        )?)
    }

    /// Each device stride must be the number of iterations of the loops inside.
    fn check_nested(&self) -> Result<(), LoopTuplesError> {
        let lengths = [self.device_strides.len(), self.host_strides.len()];
        if lengths.iter().any(|&length| length != self.ranges.len()) {
            return Err(LoopTuplesError::Length {
                ranges: self.ranges.len(),
                device_strides: self.device_strides.len(),
                host_strides: self.host_strides.len(),
            });
        }
        let mut expected: u64 = 1;
        let loops = self.ranges.iter().zip(&self.device_strides).enumerate();
        for (at, (&range, &found)) in loops.rev() {
            if range == 0 {
                return Err(LoopTuplesError::EmptyLoop { at });
            }
            if found != expected {
                return Err(LoopTuplesError::NotNested {
                    at,
                    found,
                    expected,
                });
            }
            expected = expected
                .checked_mul(range)
                .ok_or_else(|| LoopTuplesError::TooLarge {
                    ranges: self.ranges.clone(),
                })?;
        }
        Ok(())
    }
}

impl DeviceTensor {
    /// The loop nest that visits this tensor in device memory and in a host tensor of the given
    /// strides, in elements.
    ///
    /// # Errors
    /// The strides are of another rank, negative or too large.
    pub fn loop_tuples(&self, host_strides: &[i64]) -> Result<LoopTuples, StrideMapError> {
        Ok(LoopTuples {
            ranges: self.device_size().to_vec(),
            device_strides: self.device_strides().to_vec(),
            host_strides: self.layout().stride_map(self.shape(), host_strides)?,
        })
    }
}

impl fmt::Display for LoopTuples {
    /// Prints `((ranges), (device strides), (host strides))`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn tuple<T: fmt::Display>(f: &mut fmt::Formatter<'_>, list: &[T]) -> fmt::Result {
            f.write_str("(")?;
            for (at, entry) in list.iter().enumerate() {
                write!(f, "{}{entry}", if at == 0 { "" } else { ", " })?;
            }
            f.write_str(")")
        }
        f.write_str("(")?;
        tuple(f, &self.ranges)?;
        f.write_str(", ")?;
        tuple(f, &self.device_strides)?;
        f.write_str(", ")?;
        tuple(f, &self.host_strides)?;
        f.write_str(")")
    }
}
