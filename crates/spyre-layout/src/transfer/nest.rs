//! Copy loop nests, and how a placed layout is cut into them.

use std::fmt;

use crate::{
    layout::{Digit, Layout},
    tensor::DeviceTensor,
    transfer::host::HostTensor,
    units::Elements,
};

/// One strided copy between host and device memory: a perfect loop nest with one loop per device
/// dimension, outermost first, so in order of decreasing device strides.
///
/// `{}` prints the three tuples `(extents, device strides, host strides)`, `{:#}` the loops.
///
/// ```
/// use spyre_layout::{DeviceFormat, DimOrder, Elements, HostTensor, HostType, Layout, Transfer};
///
/// let f16 = DeviceFormat::Sen169Fp16;
/// let layout = Layout::default_for(&DimOrder::host(2), f16.elements_per_stick())?;
/// let host = HostTensor::contiguous(HostType::F16, vec![1024, 256])?;
/// let transfer = Transfer::new(&host, &layout.place(&[1024, 256], f16)?)?;
/// let [nest] = transfer.nests() else { panic!("nothing is ragged") };
/// assert_eq!(nest.to_string(), "((4, 1024, 64), (65536, 64, 1), (64, 256, 1))");
/// assert_eq!(format!("{nest:#}"), "\
/// for i0 in range(4):
///   for i1 in range(1024):
///     for i2 in range(64):
///       device[i0*65536 + i1*64 + i2] = host[i0*64 + i1*256 + i2]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nest {
    extents: Vec<u64>,
    host_strides: Vec<u64>,
    device_strides: Vec<u64>,
    host_offset: Elements,
    device_offset: Elements,
}

impl Nest {
    /// Iterations of each loop, at least 1.
    #[must_use]
    pub fn extents(&self) -> &[u64] {
        &self.extents
    }

    /// Host elements that each loop moves by: the stride map of the layout, with 0 for a device
    /// dimension that has no host counterpart.
    #[must_use]
    pub fn host_strides(&self) -> &[u64] {
        &self.host_strides
    }

    /// Device elements that each loop moves by.
    #[must_use]
    pub fn device_strides(&self) -> &[u64] {
        &self.device_strides
    }

    /// The host element that the first iteration visits.
    #[must_use]
    pub fn host_offset(&self) -> Elements {
        self.host_offset
    }

    /// The device element that the first iteration visits.
    #[must_use]
    pub fn device_offset(&self) -> Elements {
        self.device_offset
    }

    /// Iterations of the whole nest: device elements that it visits.
    #[must_use]
    pub fn elements(&self) -> Elements {
        // No overflow: each iteration has a different device element.
        Elements(self.extents.iter().product())
    }

    fn write_tuple(f: &mut fmt::Formatter<'_>, entries: &[u64]) -> fmt::Result {
        f.write_str("(")?;
        for (at, entry) in entries.iter().enumerate() {
            write!(f, "{}{entry}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }

    /// `offset + i0*stride0 + ...` without the terms that are always zero.
    fn write_index(&self, f: &mut fmt::Formatter<'_>, offset: u64, strides: &[u64]) -> fmt::Result {
        let terms = strides.iter().zip(&self.extents).enumerate();
        let mut terms = terms.filter(|&(_, (&stride, &extent))| stride > 0 && extent > 1);
        if offset > 0 {
            write!(f, "{offset}")?;
        } else {
            match terms.next() {
                None => f.write_str("0")?,
                Some((at, (1, _))) => write!(f, "i{at}")?,
                Some((at, (stride, _))) => write!(f, "i{at}*{stride}")?,
            }
        }
        for (at, (&stride, _)) in terms {
            match stride {
                1 => write!(f, " + i{at}")?,
                _ => write!(f, " + i{at}*{stride}")?,
            }
        }
        Ok(())
    }

    fn write_loops(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut depth = 0;
        for (at, extent) in self.extents.iter().enumerate().filter(|(_, e)| **e > 1) {
            writeln!(f, "{:depth$}for i{at} in range({extent}):", "")?;
            depth += 2;
        }
        write!(f, "{:depth$}device[", "")?;
        self.write_index(f, self.device_offset.get(), &self.device_strides)?;
        f.write_str("] = host[")?;
        self.write_index(f, self.host_offset.get(), &self.host_strides)?;
        f.write_str("]")
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.write_loops(f);
        }
        f.write_str("(")?;
        Self::write_tuple(f, &self.extents)?;
        f.write_str(", ")?;
        Self::write_tuple(f, &self.device_strides)?;
        f.write_str(", ")?;
        Self::write_tuple(f, &self.host_strides)?;
        f.write_str(")")?;
        let (host, device) = (self.host_offset.get(), self.device_offset.get());
        if (host, device) != (0, 0) {
            write!(f, " from host {host} to device {device}")?;
        }
        Ok(())
    }
}

/// The values that one digit takes in a piece of its host dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DigitRange {
    coord: usize,
    divisor: u64,
    first: u64,
    count: u64,
}

/// Part of a host dimension in which the digits run independently of each other.
type Piece = Vec<DigitRange>;

/// Cuts the positions `0..extent` of a host dimension into as few pieces as there are nonzero digits
/// in `extent`.
///
/// The first piece has as many values of the highest digit as are full, with all values of the lower
/// digits. In the rest the highest digit stays at one value, and the next digit is handled in the
/// same way.
fn pieces(layout: &Layout, dim: usize, extent: u64) -> Vec<Piece> {
    let mut digits = layout.digits_of(dim);
    digits.reverse();
    if digits.is_empty() {
        return vec![Piece::new()];
    }
    let mut pieces = Vec::new();
    let mut fixed = Piece::new();
    let mut rest = extent;
    let mut lower = digits.as_slice();
    while let Some((digit, below)) = lower.split_first() {
        lower = below;
        let (coord, divisor) = (digit.coord, digit.divisor);
        let count = rest / divisor;
        if count > 0 {
            let mut piece = fixed.clone();
            let first = 0;
            piece.push(DigitRange {
                coord,
                divisor,
                first,
                count,
            });
            let full = |digit: &Digit| digit.modulus.expect("only the highest digit is unbounded");
            piece.extend(below.iter().map(|digit| DigitRange {
                coord: digit.coord,
                divisor: digit.divisor,
                first: 0,
                count: full(digit),
            }));
            pieces.push(piece);
        }
        fixed.push(DigitRange {
            coord,
            divisor,
            first: count,
            count: 1,
        });
        rest %= divisor;
    }
    pieces
}

/// Returns the nests of a transfer, or how many there would be if that is more than `limit`.
///
/// Host and device tensor have the same shape.
pub(super) fn nests(
    host: &HostTensor,
    device: &DeviceTensor,
    limit: u64,
) -> Result<Vec<Nest>, u64> {
    let layout = device.layout();
    let per_dim: Vec<Vec<Piece>> = (0..)
        .zip(device.shape())
        .map(|(dim, &extent)| pieces(layout, dim, extent))
        .collect();
    // The count may saturate, since it is only compared with the limit.
    let count = per_dim.iter().fold(1u64, |count, pieces| {
        count.saturating_mul(pieces.len() as u64)
    });
    if count > limit {
        return Err(count);
    }

    let mut nests = vec![base_nest(host, device)];
    for ((dim, pieces), &stride) in per_dim.iter().enumerate().zip(host.strides()) {
        let stride = if device.shape()[dim] > 1 { stride } else { 0 };
        nests = nests
            .iter()
            .flat_map(|nest| pieces.iter().map(|piece| with_piece(nest, piece, stride)))
            .collect();
    }
    Ok(nests)
}

/// Returns the nest before any host dimension is added: only repeated coordinates run.
fn base_nest(host: &HostTensor, device: &DeviceTensor) -> Nest {
    let layout = device.layout();
    let sizes = device.device_size();
    let extent = |(at, &size)| {
        if layout.expanded().contains(&at) {
            size
        } else {
            1
        }
    };
    Nest {
        extents: sizes.iter().enumerate().map(extent).collect(),
        host_strides: vec![0; sizes.len()],
        device_strides: device.device_strides().to_vec(),
        host_offset: host.offset(),
        device_offset: Elements::ZERO,
    }
}

/// Returns the nest with loops over a piece of one more host dimension, with stride `stride`.
///
/// No overflow: all elements are inside the host tensor and the device tensor. A stride may be too
/// large only where it is not used, in a loop of one iteration.
fn with_piece(nest: &Nest, piece: &Piece, stride: u64) -> Nest {
    let mut nest = nest.clone();
    for range in piece {
        nest.extents[range.coord] = range.count;
        let moved = range.divisor.saturating_mul(stride);
        nest.host_strides[range.coord] = moved;
        nest.host_offset.0 += range.first * moved;
        nest.device_offset.0 += range.first * nest.device_strides[range.coord];
    }
    nest
}
