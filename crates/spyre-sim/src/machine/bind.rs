//! Arguments: from host arrays to device memory, and back.

use spyre_layout::{
    Bytes, DeviceFormat, DeviceTensor, HostTensor, HostType, PlaceError, STICK_BYTES, Transfer,
    TransferError,
};

use crate::memory::{Region, RegionId};
use crate::report::{Fault, FaultKind, RangeLoss, RangeSource};

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
    #[error("argument {argument} has {actual} bytes; the tensor has {expected}")]
    Size {
        /// The argument.
        argument: usize,
        /// The size.
        actual: Bytes,
        /// The size of the tensor.
        expected: Bytes,
    },
    /// A segment is smaller than the tensor that it is to hold.
    #[error("{segment} has {actual}; the tensor has {expected}")]
    TooSmall {
        /// The name of the segment.
        segment: String,
        /// The size.
        actual: Bytes,
        /// The size of the tensor.
        expected: Bytes,
    },
    /// An argument with more bytes than there is memory.
    #[error("argument {argument} of {size} does not fit into memory")]
    TooLarge {
        /// The argument.
        argument: usize,
        /// The size.
        size: Bytes,
    },
    /// Two arguments would share addresses.
    #[error("{size} bytes at address {base} do not fit after the other arguments")]
    Occupied {
        /// The requested address.
        base: i64,
        /// The size.
        size: Bytes,
    },
}

impl Machine {
    /// Returns how a tensor is copied between a host array and device memory, under the machine's [rounding](crate::Rounding):
    /// where the layout's format is the device's 16-bit float, memory holds the rounded values.
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
    /// The errors of [`transfer`](Self::transfer), and a host buffer that is too short.
    pub fn add_input(
        &mut self,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &[u8],
    ) -> Result<ArgumentId, BindError> {
        let transfer = self.transfer(host, device)?;
        let (bytes, out_of_range) = to_device(&transfer, elements)?;
        let (id, region) = self.add_region(transfer.device().bytes());
        self.fill_elements(region, &transfer, &bytes);
        self.add_copied(region, out_of_range);
        Ok(id)
    }

    /// Stores the elements of a tensor, and leaves its padding.
    fn fill_elements(&mut self, region: RegionId, transfer: &Transfer, bytes: &[u8]) {
        let region = self.memory.region_mut(region);
        each_run(transfer, |offset, len| {
            region.fill(offset as u64, &bytes[offset..offset + len]);
        });
    }

    /// Puts the elements of a copy into a region that the card has no number for into the report.
    fn add_copied(&mut self, region: RegionId, elements: Option<spyre_layout::OutOfRange>) {
        if let Some(spyre_layout::OutOfRange { count, first }) = elements {
            let dims = first.into_iter().enumerate();
            self.report.add_range_loss(RangeLoss {
                source: RangeSource::Argument(self.memory.region(region).name.clone()),
                iteration: Vec::new(),
                core: None,
                element: dims.map(|(dim, at)| (format!("d{dim}"), at)).collect(),
                count: count.get(),
            });
        }
    }

    /// Binds the next parameter to device bytes, all of which count as written.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> ArgumentId {
        self.add_written(bytes, &vec![true; bytes.len()])
    }

    /// Binds the next parameter to device bytes, of which only the marked ones count as written: the result of
    /// [`bytes`](Self::bytes). There is a mark for each byte.
    pub fn add_written(&mut self, bytes: &[u8], written: &[bool]) -> ArgumentId {
        let (id, region) = self.add_region(Bytes(bytes.len() as u64));
        self.fill(region, bytes, written);
        id
    }

    fn fill(&mut self, id: RegionId, bytes: &[u8], written: &[bool]) {
        let region = self.memory.region_mut(id);
        assert_eq!(bytes.len(), written.len(), "there is a mark for each byte");
        let len = region.size.min(bytes.len() as u64) as usize;
        let mut offset = 0_usize;
        for run in written[..len].chunk_by(|a, b| a == b) {
            let end = offset + run.len();
            if run[0] {
                region.fill(offset as u64, &bytes[offset..end]);
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

    /// Puts unwritten memory at an address, for bundles with numbers and not parameters as addresses (SDSC bundle
    /// specification, section 7.2). It is no parameter.
    ///
    /// # Errors
    /// The addresses are occupied.
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
        let Some(end_address) = end(base, size.get()).filter(|_| base >= 0) else {
            return Err(occupied);
        };
        let mut regions = self.memory.hbm().iter();
        // A region without an end has all addresses from its base on.
        if regions.any(|other| {
            base < end(other.base, other.size).unwrap_or(i64::MAX) && other.base < end_address
        }) {
            return Err(occupied);
        }
        let region = self.memory.add(Region::new(name, base, size));
        Ok(SegmentId(region))
    }

    /// Writes the device bytes that are marked into a segment, from its start. There is a mark for each byte. Bytes
    /// beyond the end of the segment are left out.
    pub fn fill_segment(&mut self, segment: SegmentId, bytes: &[u8], written: &[bool]) {
        self.fill(segment.0, bytes, written);
    }

    /// Copies a host array into a segment, from its start. Padding stays unwritten.
    ///
    /// # Errors
    /// The errors of [`add_input`](Self::add_input), and a tensor that is larger than the segment.
    pub fn fill_segment_from(
        &mut self,
        segment: SegmentId,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &[u8],
    ) -> Result<(), BindError> {
        let transfer = self.transfer(host, device)?;
        let (bytes, out_of_range) = to_device(&transfer, elements)?;
        let region = self.memory.region(segment.0);
        if region.size < bytes.len() as u64 {
            return Err(BindError::TooSmall {
                segment: region.name.clone(),
                actual: Bytes(region.size),
                expected: Bytes(bytes.len() as u64),
            });
        }
        self.fill_elements(segment.0, &transfer, &bytes);
        self.add_copied(segment.0, out_of_range);
        Ok(())
    }

    /// Copies a tensor out of a segment, as [`fetch`](Self::fetch) does out of an argument.
    ///
    /// # Errors
    /// The errors of [`fetch`](Self::fetch).
    pub fn fetch_segment(
        &mut self,
        segment: SegmentId,
        host: &HostTensor,
        device: &DeviceTensor,
        elements: &mut [u8],
    ) -> Result<(), BindError> {
        self.fetch_region(segment.0, 0, host, device, elements)
    }

    /// Returns the bytes of a segment, with a flag for each byte that has been written; `None` if they do not fit into
    /// memory.
    #[must_use]
    pub fn segment(&self, segment: SegmentId) -> Option<(Vec<u8>, Vec<bool>)> {
        self.memory.region(segment.0).contents()
    }

    /// Returns the device bytes of an argument, with a flag for each byte that has been written.
    ///
    /// # Errors
    /// There is no such tensor, or its bytes do not fit into memory.
    pub fn bytes(&self, argument: ArgumentId) -> Result<(Vec<u8>, Vec<bool>), BindError> {
        self.contents(self.region(argument)?, argument.0)
    }

    fn contents(&self, id: RegionId, argument: usize) -> Result<(Vec<u8>, Vec<bool>), BindError> {
        let region = self.memory.region(id);
        region.contents().ok_or(BindError::TooLarge {
            argument,
            size: Bytes(region.size),
        })
    }

    /// Copies a tensor out of an argument, and adds a fault to the report if some of its elements were never written.
    ///
    /// # Errors
    /// The errors of [`transfer`](Self::transfer), and an argument or a host buffer of another size.
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
        let (bytes, defined) = self.contents(id, argument)?;
        let expected = transfer.device().bytes();
        if bytes.len() as u64 != expected.get() {
            return Err(BindError::Size {
                argument,
                actual: Bytes(bytes.len() as u64),
                expected,
            });
        }
        transfer.to_host(&bytes, elements)?;
        let holes = Holes::find(&transfer, &defined);
        if let Some(holes) = holes {
            let memory = Some(self.memory.region(id).name.clone());
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
        // Without addresses it starts at the last one, which starts no stick: an operation that uses it is a fault.
        let base = self.next_base(size.get()).unwrap_or(i64::MAX);
        let region = Region::new(format!("argument {argument}"), base, size);
        let region = self.memory.add(region);
        self.arguments.push(Argument::Tensor(region));
        (ArgumentId(argument), region)
    }
}

/// A segment at a fixed address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentId(RegionId);

/// Returns the device bytes of a host array, padding zero, and the elements that the card has no number for.
fn to_device(
    transfer: &Transfer,
    elements: &[u8],
) -> Result<(Vec<u8>, Option<spyre_layout::OutOfRange>), BindError> {
    let size = transfer.device().bytes().get();
    let mut bytes =
        vec![0; usize::try_from(size).expect("a tensor that is copied fits into memory")];
    let report = transfer.to_device(elements, &mut bytes)?;
    let out_of_range = report.warning.as_ref().and_then(|it| it.out_of_range());
    let out_of_range = out_of_range.cloned();
    // A float that is too large becomes NaN on the card, and the report has it; an integer would become another
    // integer.
    if let Some(warning) = report.warning
        && transfer.host().host_type() == HostType::I64
        && out_of_range.is_some()
    {
        return Err(BindError::Integers(warning.to_string()));
    }
    // Other formats have infinities.
    let is_card = transfer.device().format() == DeviceFormat::Sen169Fp16;
    Ok((bytes, out_of_range.filter(|_| is_card)))
}

/// Why a nest has an innermost loop: a stick is a dimension in memory.
const HAS_LOOPS: &str = "a nest has a loop for each device dimension";

/// Calls `with` for each run of consecutive device elements of a transfer: the first byte and the number of bytes.
fn each_run(transfer: &Transfer, mut with: impl FnMut(usize, usize)) {
    let width = transfer.device().format().bytes_per_element().get();
    for nest in transfer.nests() {
        let (inner, outer) = nest.extents().split_last().expect(HAS_LOOPS);
        let (inner_stride, strides) = nest.device_strides().split_last().expect(HAS_LOOPS);
        let mut point = vec![0_u64; outer.len()];
        loop {
            let moved: u64 = point
                .iter()
                .zip(strides)
                .map(|(at, stride)| at * stride)
                .sum();
            let first = nest.device_offset().get() + moved;
            // The bytes of the tensor are in memory.
            let mut run = |element: u64, count: u64| {
                with((element * width) as usize, (count * width) as usize);
            };
            match *inner_stride {
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

/// Elements of a tensor that were never written.
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
        let width = device.format().bytes_per_element().get() as usize;
        let mut holes: Option<Self> = None;
        let mut total = 0_u64;
        let mut last_stick = None;
        each_run(transfer, |offset, len| {
            let elements = defined[offset..offset + len].chunks(width);
            for (at, element) in elements.enumerate() {
                total += 1;
                if element.iter().all(|byte| *byte) {
                    continue;
                }
                let byte = (offset + at * width) as u64;
                let point = point_of(device, byte / width as u64);
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
            "no operation has written {} of {} elements ({} sticks), all inside [{}]",
            self.count,
            self.total,
            self.sticks,
            ranges.join(", ")
        )
    }
}

/// Returns the host coordinates of a device element.
fn point_of(device: &DeviceTensor, element: u64) -> Vec<u64> {
    let mut rest = element;
    let mut point = vec![0_u64; device.shape().len()];
    for (coord, stride) in device.layout().coords().iter().zip(device.device_strides()) {
        if let spyre_layout::Coord::Digit { dim, divisor, .. } = *coord {
            point[dim] += rest / stride * divisor;
        }
        rest %= stride;
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyre_layout::{DimOrder, HostType, Layout};

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
