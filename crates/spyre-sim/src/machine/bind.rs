//! Arguments: from host arrays to device memory, and back.

use spyre_layout::{
    Bytes, DeviceTensor, HostTensor, HostType, PlaceError, STICK_BYTES, Transfer, TransferError,
};

use crate::memory::{Region, RegionId};
use crate::report::{Fault, FaultKind};

use super::{Argument, ArgumentId, Machine};

/// An argument that cannot be bound or fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The layout has no place for the tensor in the format that the rounding rule stores.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The tensor cannot be copied.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// Integers that the device does not have.
    #[error("the device has integers of 32 bits: {0}")]
    Integers(String),
    /// There is no such argument.
    #[error("argument {0} has not been bound")]
    Missing(usize),
    /// The argument is a size and has no memory.
    #[error("argument {0} is a number and not a tensor")]
    NotATensor(usize),
    /// The argument has another size than the tensor.
    #[error("argument {argument} has {found} bytes; the tensor has {expected}")]
    Size {
        /// The argument.
        argument: usize,
        /// Its size.
        found: Bytes,
        /// The size of the tensor.
        expected: Bytes,
    },
    /// Two arguments would share addresses.
    #[error("{size} bytes at address {base} do not fit beside the other arguments")]
    Occupied {
        /// The wanted address.
        base: i64,
        /// The size.
        size: Bytes,
    },
}

impl Machine {
    /// How a tensor is copied between a host array and device memory, under the machine's [rounding](crate::Rounding):
    /// where the layout's format is the device's 16-bit float, memory holds what the rule says.
    ///
    /// # Errors
    /// The shapes differ, or the device does not store the host's type.
    pub fn transfer(
        &self,
        host: &HostTensor,
        device: &DeviceTensor,
    ) -> Result<Transfer, BindError> {
        let format = self.rounding.stored(device.format());
        if format == device.format() {
            return Ok(Transfer::new(host, device)?);
        }
        let layout = device.layout().clone().with_format(format);
        Ok(Transfer::new(host, &layout.place(device.shape(), format)?)?)
    }

    /// Binds the next parameter to a tensor with the elements of a host array. Padding stays unwritten.
    ///
    /// # Errors
    /// As [`transfer`](Self::transfer), and if the host buffer is too short.
    pub fn add_input(
        &mut self,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &[u8],
    ) -> Result<ArgumentId, BindError> {
        let transfer = self.transfer(host, device)?;
        let bytes = to_device(&transfer, elements)?;
        let (id, region) = self.add_region(transfer.device().bytes());
        self.fill_elements(region, &transfer, &bytes);
        Ok(id)
    }

    /// Stores the elements of a tensor, and leaves its padding.
    fn fill_elements(&mut self, region: RegionId, transfer: &Transfer, bytes: &[u8]) {
        if let Some(region) = self.memory.region_mut(region) {
            each_run(transfer, |offset, len| {
                let end = offset.checked_add(len);
                let run = end.and_then(|end| bytes.get(offset..end));
                region.fill(offset as u64, run.unwrap_or(&[]));
            });
        }
    }

    /// Binds the next parameter to device bytes, all of which count as written.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> ArgumentId {
        self.add_written(bytes, &vec![true; bytes.len()])
    }

    /// Binds the next parameter to device bytes, of which those count as written that are marked: what
    /// [`bytes`](Self::bytes) returns.
    pub fn add_written(&mut self, bytes: &[u8], written: &[bool]) -> ArgumentId {
        let (id, region) = self.add_region(Bytes(bytes.len() as u64));
        self.fill(region, bytes, written);
        id
    }

    fn fill(&mut self, id: RegionId, bytes: &[u8], written: &[bool]) {
        let Some(region) = self.memory.region_mut(id) else {
            return;
        };
        let len = usize::try_from(region.size).unwrap_or(usize::MAX);
        let mut offset = 0_usize;
        for run in written
            .get(..len.min(written.len()))
            .unwrap_or(&[])
            .chunk_by(|a, b| a == b)
        {
            let end = offset.saturating_add(run.len());
            if run.first() == Some(&true) {
                region.fill(offset as u64, bytes.get(offset..end).unwrap_or(&[]));
            }
            offset = end;
        }
    }

    /// Binds the next parameter to unwritten memory: an output, or the pool where the caller provides it.
    pub fn add_output(&mut self, size: Bytes) -> ArgumentId {
        self.add_region(size).0
    }

    /// Binds the next parameter to a number: a runtime size.
    pub fn add_size(&mut self, size: i64) -> ArgumentId {
        self.arguments.push(Argument::Size(size));
        ArgumentId(self.arguments.len() - 1)
    }

    /// Puts unwritten memory at an address, for bundles whose addresses are numbers and not parameters (SDSC bundle
    /// specification, section 7.2). It is no parameter.
    ///
    /// # Errors
    /// Something else is there.
    pub fn add_segment(
        &mut self,
        name: &str,
        base: i64,
        size: Bytes,
    ) -> Result<SegmentId, BindError> {
        let occupied = BindError::Occupied { base, size };
        let end = |base: i64, size: u64| {
            i64::try_from(size)
                .ok()
                .and_then(|size| base.checked_add(size))
        };
        let Some(own_end) = end(base, size.get()).filter(|_| base >= 0) else {
            return Err(occupied);
        };
        let mut regions = self.memory.hbm().iter();
        if regions.any(|other| {
            base < end(other.base, other.size).unwrap_or(i64::MAX) && other.base < own_end
        }) {
            return Err(occupied);
        }
        let region = self.memory.add(Region::new(name, base, size));
        Ok(SegmentId(region))
    }

    /// Writes the device bytes that are marked into a segment, from its start. What does not fit is left out.
    pub fn fill_segment(&mut self, segment: SegmentId, bytes: &[u8], written: &[bool]) {
        self.fill(segment.0, bytes, written);
    }

    /// Copies a host array into a segment, from its start. Padding stays unwritten.
    ///
    /// # Errors
    /// As [`add_input`](Self::add_input).
    pub fn fill_segment_from(
        &mut self,
        segment: SegmentId,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &[u8],
    ) -> Result<(), BindError> {
        let transfer = self.transfer(host, device)?;
        let bytes = to_device(&transfer, elements)?;
        self.fill_elements(segment.0, &transfer, &bytes);
        Ok(())
    }

    /// Copies a tensor out of a segment, as [`fetch`](Self::fetch) does out of an argument.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub fn fetch_segment(
        &mut self,
        segment: SegmentId,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &mut [u8],
    ) -> Result<(), BindError> {
        self.fetch_region(segment.0, 0, host, device, elements)
    }

    /// The bytes of a segment, and which of them somebody has written.
    #[must_use]
    pub fn segment(&self, segment: SegmentId) -> Option<(Vec<u8>, Vec<bool>)> {
        self.memory.region(segment.0)?.contents()
    }

    /// The device bytes of an argument, and which of them somebody has written.
    ///
    /// # Errors
    /// There is no such tensor.
    pub fn bytes(&self, argument: ArgumentId) -> Result<(Vec<u8>, Vec<bool>), BindError> {
        let region = self.memory.region(self.region(argument)?);
        let contents = region.and_then(Region::contents);
        contents.ok_or(BindError::Missing(argument.0))
    }

    /// Copies a tensor out of an argument, and adds a fault to the report if nobody has written some of its elements.
    ///
    /// # Errors
    /// As [`transfer`](Self::transfer), and if the argument or the host buffer has another size.
    pub fn fetch(
        &mut self,
        argument: ArgumentId,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &mut [u8],
    ) -> Result<(), BindError> {
        let id = self.region(argument)?;
        self.fetch_region(id, argument.0, host, device, elements)
    }

    fn fetch_region(
        &mut self,
        id: RegionId,
        argument: usize,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &mut [u8],
    ) -> Result<(), BindError> {
        let transfer = self.transfer(host, device)?;
        let region = self.memory.region(id);
        let (bytes, defined) = region
            .and_then(Region::contents)
            .ok_or(BindError::Missing(argument))?;
        let expected = transfer.device().bytes();
        if bytes.len() as u64 != expected.get() {
            return Err(BindError::Size {
                argument,
                found: Bytes(bytes.len() as u64),
                expected,
            });
        }
        transfer.to_host(&bytes, elements)?;
        let holes = Holes::find(&transfer, &defined);
        if let Some(holes) = holes {
            let memory = self.memory.region(id).map(|region| region.name.clone());
            let dims = holes.first.iter().enumerate();
            let fault = Fault {
                kind: FaultKind::Incomplete,
                op: None,
                iteration: Vec::new(),
                core: None,
                tensor: None,
                memory: memory.clone(),
                address: i64::try_from(holes.byte).ok(),
                element: dims.map(|(dim, at)| (format!("d{dim}"), *at)).collect(),
                message: holes.message(transfer.device().shape()),
                count: 0,
            };
            self.report
                .add((FaultKind::Incomplete, None, memory), 1, || fault);
        }
        Ok(())
    }

    fn region(&self, argument: ArgumentId) -> Result<RegionId, BindError> {
        match self.arguments.get(argument.0) {
            Some(Argument::Tensor(region)) => Ok(*region),
            Some(Argument::Size(_)) => Err(BindError::NotATensor(argument.0)),
            None => Err(BindError::Missing(argument.0)),
        }
    }

    fn add_region(&mut self, size: Bytes) -> (ArgumentId, RegionId) {
        let argument = self.arguments.len();
        let base = self.next_base(size.get());
        let region = Region::new(format!("argument {argument}"), base, size);
        let region = self.memory.add(region);
        self.arguments.push(Argument::Tensor(region));
        (ArgumentId(argument), region)
    }
}

/// A segment at an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentId(RegionId);

/// The device bytes of a host array, padding zero.
fn to_device(transfer: &Transfer, elements: &[u8]) -> Result<Vec<u8>, BindError> {
    let size = transfer.device().bytes().get();
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    let report = transfer.to_device(elements, &mut bytes)?;
    // Floats that are too large are infinite on the device as well; integers would be others.
    if let Some(warning) = report.warning
        && transfer.host().host_type() == HostType::I64
        && warning.out_of_range().is_some()
    {
        return Err(BindError::Integers(warning.to_string()));
    }
    Ok(bytes)
}

/// Calls `with` for each run of consecutive device elements of a transfer: the first byte and the number of bytes.
fn each_run(transfer: &Transfer, mut with: impl FnMut(usize, usize)) {
    let width = transfer.device().format().bytes_per_element().get();
    for nest in transfer.nests() {
        let Some((inner, outer)) = nest.extents().split_last() else {
            continue;
        };
        let (inner_stride, strides) = match nest.device_strides().split_last() {
            Some((inner, strides)) => (*inner, strides),
            None => (1, &[][..]),
        };
        let mut point = vec![0_u64; outer.len()];
        loop {
            let moved: u64 = point
                .iter()
                .zip(strides)
                .map(|(at, stride)| at * stride)
                .sum();
            let first = nest.device_offset().get() + moved;
            let mut run = |element: u64, count: u64| {
                let bytes = usize::try_from(element * width)
                    .ok()
                    .zip(usize::try_from(count * width).ok());
                if let Some((offset, len)) = bytes {
                    with(offset, len);
                }
            };
            match inner_stride {
                1 => run(first, *inner),
                stride => (0..*inner).for_each(|at| run(first + at * stride, 1)),
            }
            let mut dims = point.iter_mut().zip(outer).rev();
            let stepped = dims.any(|(at, extent)| {
                *at = if *at + 1 < *extent { *at + 1 } else { 0 };
                *at != 0
            });
            if !stepped {
                break;
            }
        }
    }
}

/// Elements of a tensor that nobody has written.
struct Holes {
    count: u64,
    total: u64,
    /// The first byte of the first one in device memory, and its coordinates.
    byte: u64,
    first: Vec<u64>,
    /// The smallest box that holds them all: first and last coordinate of each dimension.
    bounds: Vec<(u64, u64)>,
    sticks: u64,
}

impl Holes {
    fn find(transfer: &Transfer, defined: &[bool]) -> Option<Self> {
        let device = transfer.device();
        let width = usize::try_from(device.format().bytes_per_element().get()).ok()?;
        let mut holes: Option<Self> = None;
        let mut total = 0_u64;
        let mut last_stick = None;
        each_run(transfer, |offset, len| {
            let bytes = offset
                .checked_add(len)
                .and_then(|end| defined.get(offset..end));
            for (at, element) in bytes.unwrap_or(&[]).chunks(width.max(1)).enumerate() {
                total += 1;
                if element.iter().all(|byte| *byte) {
                    continue;
                }
                let byte = (offset + at * width) as u64;
                let point = point_of(device, byte / width.max(1) as u64);
                let stick = byte / STICK_BYTES.get();
                let holes = holes.get_or_insert_with(|| Self {
                    count: 0,
                    total: 0,
                    byte,
                    first: point.clone(),
                    bounds: point.iter().map(|at| (*at, *at)).collect(),
                    sticks: 0,
                });
                holes.count += 1;
                if last_stick != Some(stick) {
                    last_stick = Some(stick);
                    holes.sticks += 1;
                }
                for ((low, high), at) in holes.bounds.iter_mut().zip(&point) {
                    (*low, *high) = ((*low).min(*at), (*high).max(*at));
                }
            }
        });
        if let Some(holes) = &mut holes {
            holes.total = total;
        }
        holes
    }

    fn message(&self, shape: &[u64]) -> String {
        let ranges: Vec<String> = self
            .bounds
            .iter()
            .zip(shape)
            .map(|((low, high), extent)| match (low, high) {
                (0, high) if high + 1 == *extent => "all".to_owned(),
                (low, high) if low == high => low.to_string(),
                (low, high) => format!("{low} to {high}"),
            })
            .collect();
        format!(
            "nobody has written {} of {} elements ({} sticks), all inside [{}]",
            self.count,
            self.total,
            self.sticks,
            ranges.join(", ")
        )
    }
}

/// Host coordinates of a device element.
fn point_of(device: &DeviceTensor, element: u64) -> Vec<u64> {
    let mut rest = element;
    let mut point = vec![0_u64; device.shape().len()];
    for (coord, stride) in device.layout().coords().iter().zip(device.device_strides()) {
        let at = rest.checked_div(*stride).unwrap_or(0);
        rest = rest.checked_rem(*stride).unwrap_or(0);
        if let spyre_layout::Coord::Digit { dim, divisor, .. } = *coord
            && let Some(position) = point.get_mut(dim)
        {
            *position += at * divisor;
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyre_layout::{DeviceFormat, DimOrder, HostType, Layout};

    #[test]
    fn runs_are_the_elements() {
        let format = DeviceFormat::IeeeFp32;
        let layout = Layout::default_for(&DimOrder::host(2), format.elements_per_stick()).unwrap();
        let device = layout.place(&[3, 40], format).unwrap();
        let host = HostTensor::contiguous(HostType::F32, vec![3, 40]).unwrap();
        let transfer = Transfer::new(&host, &device).unwrap();
        let mut runs = Vec::new();
        each_run(&transfer, |offset, len| runs.push((offset, len)));
        // Full sticks of three rows, then 8 elements of each.
        let full = [(0, 128), (128, 128), (256, 128)];
        let tails = [(384, 32), (512, 32), (640, 32)];
        assert_eq!(runs, [full, tails].concat());
        assert_eq!(point_of(&device, 160 + 7), [2, 39]);
    }
}
