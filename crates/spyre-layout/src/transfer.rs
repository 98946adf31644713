//! Copies between host and device memory.
//!
//! Host memory is strided, device memory follows a [`Layout`](crate::Layout). A transfer is a list of
//! strided loop nests with a conversion of each element (middle-end specification, section 2.3).

mod convert;
mod copy;
mod elements;
mod error;
mod host;
mod loops;
mod nest;
mod report;

pub use convert::{Conversion, UnsupportedConversion};
pub use error::TransferError;
pub use host::{HostTensor, HostTensorError};
pub use nest::Nest;
pub use report::{ConversionWarning, OutOfRange, TransferReport};

use crate::{
    coord::Coord,
    format::Arrangement,
    tensor::DeviceTensor,
    transfer::{
        copy::Copy,
        loops::{Direction, Loops, Widths},
    },
    units::{Bytes, Elements},
};

/// Most nests of a transfer. Tensors of six ragged dimensions with one level of tiles have 64.
const MAX_NESTS: u64 = 1 << 16;

/// A copy between a host tensor and a device tensor of the same shape, in both directions.
///
/// # Cutting a tensor into nests
///
/// A layout writes each host dimension as a mixed radix number, and each digit is one device
/// dimension. As long as every digit takes all its values, the digits run independently of each
/// other, so that one loop per device dimension visits all elements. An extent that does not fill
/// its digits is *ragged*: its last block is shorter than the others. The extent is then itself
/// written in the radices of its dimension. For each digit of it that is not zero there is a piece:
/// the digits above stay at their last value, this digit counts up to the extent's, and the digits
/// below take all values.
///
/// A transfer has one nest per combination of pieces: the product over all host dimensions of the
/// nonzero digits of their extents. With one level of tiles that is at most two pieces per
/// dimension, the full tiles and the remainder, so `k` ragged dimensions make `2^k` nests.
///
/// Padding is in no nest. It is neither read nor written.
///
/// # Example
///
/// ```
/// use spyre_layout::{DeviceFormat, DimOrder, HostTensor, HostType, Layout, Transfer};
///
/// // 3 rows of 5: a stick holds 32 elements, so each row is a stick with 27 elements of padding.
/// let format = DeviceFormat::IeeeInt32;
/// let layout = Layout::default_for(&DimOrder::host(2), format.elements_per_stick())?;
/// let host = HostTensor::contiguous(HostType::I64, vec![3, 5])?;
/// let transfer = Transfer::new(&host, &layout.place(&[3, 5], format)?)?;
///
/// let values: Vec<u8> = (0..15i64).flat_map(i64::to_le_bytes).collect();
/// let mut device = vec![0; 3 * 128];
/// let report = transfer.to_device(&values, &mut device)?;
/// assert_eq!(device[128..132], 5i32.to_le_bytes());
/// assert_eq!(
///     report.warning.unwrap().to_string(),
///     "i64 narrowed to IEEE_INT32: all elements are in range"
/// );
///
/// let mut back = vec![0; 15 * 8];
/// transfer.to_host(&device, &mut back)?;
/// assert_eq!(back, values);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    host: HostTensor,
    device: DeviceTensor,
    conversion: Conversion,
    nests: Vec<Nest>,
}

impl Transfer {
    /// The transfer between two tensors of the same shape.
    ///
    /// # Errors
    /// The shapes differ, the device format does not store the host type, the order of elements in
    /// the layout's arrangement is not documented, or there would be more than 65536 nests.
    pub fn new(host: &HostTensor, device: &DeviceTensor) -> Result<Self, TransferError> {
        if host.shape() != device.shape() {
            return Err(TransferError::Shape {
                host: host.shape().to_vec(),
                device: device.shape().to_vec(),
            });
        }
        let arrangement = device.layout().arrangement();
        match arrangement {
            Arrangement::Standard | Arrangement::Qfp8Wt => {}
            _ => return Err(TransferError::Arrangement(arrangement)),
        }
        let conversion = Conversion::between(host.host_type(), device.format())?;
        let limit = MAX_NESTS;
        let nests = nest::nests(host, device, limit)
            .map_err(|count| TransferError::TooManyNests { count, limit })?;
        Ok(Self {
            host: host.clone(),
            device: device.clone(),
            conversion,
            nests,
        })
    }

    /// The host tensor.
    #[must_use]
    pub fn host(&self) -> &HostTensor {
        &self.host
    }

    /// The device tensor.
    #[must_use]
    pub fn device(&self) -> &DeviceTensor {
        &self.device
    }

    /// Returns how each element is converted.
    #[must_use]
    pub fn conversion(&self) -> Conversion {
        self.conversion
    }

    /// The loop nests from host to device: nests over full tiles first.
    ///
    /// Together they visit every device element that is not padding exactly once. To the host, source
    /// and target are swapped, and a device dimension that repeats the same values is read at its
    /// first position only.
    #[must_use]
    pub fn nests(&self) -> &[Nest] {
        &self.nests
    }

    /// Copies the tensor from a host buffer to a device buffer. Padding is not written.
    ///
    /// All numbers are little endian.
    ///
    /// # Errors
    /// The host buffer is too short, or the device buffer does not have the size of the device tensor.
    pub fn to_device(
        &self,
        host: &[u8],
        device: &mut [u8],
    ) -> Result<TransferReport, TransferError> {
        self.check_buffers(host.len(), device.len())?;
        let direction = Direction::ToDevice;
        let mut misfits = self.conversion.store(&self.copy(direction), host, device);
        // Repeated elements were counted once for each repetition.
        misfits.count /= self.repeats();
        let place = misfits.first.map(|at| at.device);
        Ok(self.report(direction, misfits.count, place))
    }

    /// Copies the tensor from a device buffer to a host buffer. Bytes between the elements of the host
    /// tensor are not written.
    ///
    /// All numbers are little endian.
    ///
    /// # Errors
    /// The host buffer is too short, the device buffer does not have the size of the device tensor, or
    /// elements of the host tensor may share places, as the elements of an expanded one do.
    pub fn to_host(&self, device: &[u8], host: &mut [u8]) -> Result<TransferReport, TransferError> {
        if self.host.may_overlap() {
            return Err(TransferError::HostOverlap(Box::new(self.host.clone())));
        }
        self.check_buffers(host.len(), device.len())?;
        let direction = Direction::ToHost;
        let misfits = self.conversion.load(&self.copy(direction), device, host);
        let place = misfits.first.map(|at| at.device);
        Ok(self.report(direction, misfits.count, place))
    }

    fn check_buffers(&self, host: usize, device: usize) -> Result<(), TransferError> {
        let (actual, needed) = (Bytes(host as u64), self.host.bytes());
        if actual < needed {
            return Err(TransferError::HostBuffer { actual, needed });
        }
        let (actual, expected) = (Bytes(device as u64), self.device.bytes());
        if actual != expected {
            return Err(TransferError::DeviceBuffer { actual, expected });
        }
        Ok(())
    }

    fn copy(&self, direction: Direction) -> Copy {
        let widths = Widths {
            host: self.host.host_type().host_bytes(),
            device: self.device.format().bytes_per_element(),
        };
        let loops = |nest| Loops::from_nest(nest, widths, direction);
        Copy {
            direction,
            loops: self.nests.iter().flat_map(loops).collect(),
        }
    }

    /// Returns how many copies of each element are in device memory.
    fn repeats(&self) -> u64 {
        let sizes = self.device.device_size();
        let repeated = self.device.layout().expanded().iter();
        repeated.map(|&coord| sizes[coord]).product()
    }

    /// Returns the report when `count` elements did not fit, the first of which is at byte `place` of device
    /// memory.
    fn report(&self, direction: Direction, count: u64, place: Option<usize>) -> TransferReport {
        let conversion = self.conversion;
        let out_of_range = place.map(|byte| OutOfRange {
            count: Elements(count),
            first: self.point_at(byte),
        });
        let warns = conversion.always_warns(direction) || out_of_range.is_some();
        TransferReport {
            elements: Elements(self.device.shape().iter().product()),
            warning: warns.then_some(ConversionWarning {
                conversion,
                direction,
                out_of_range,
            }),
        }
    }

    /// Returns the host coordinates of the element at a byte of device memory.
    fn point_at(&self, byte: usize) -> Vec<u64> {
        let mut rest = byte as u64 / self.device.format().bytes_per_element().get();
        let mut point = vec![0u64; self.device.shape().len()];
        let strides = self.device.device_strides();
        for (coord, &stride) in self.device.layout().coords().iter().zip(strides) {
            if let Coord::Digit { dim, divisor, .. } = *coord {
                point[dim] += rest / stride * divisor;
            }
            rest %= stride;
        }
        point
    }
}
