//! The errors of a transfer.

use crate::{
    format::Arrangement,
    transfer::{convert::UnsupportedConversion, host::HostTensor},
    units::Bytes,
};

/// A transfer that cannot be made, or buffers that do not fit it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// Host and device tensor have different extents.
    #[error("the host tensor has extents {host:?}, the device tensor {device:?}")]
    Shape {
        /// Extents of the host tensor.
        host: Vec<u64>,
        /// Extents of the device tensor.
        device: Vec<u64>,
    },
    /// The format of the device tensor cannot hold the type of the host tensor.
    #[error(transparent)]
    Conversion(#[from] UnsupportedConversion),
    /// An arrangement with an unpublished order of elements.
    #[error(
        "the order of elements in arrangement {0} is not documented: tensors in it cannot be copied \
         between host and device"
    )]
    Arrangement(Arrangement),
    /// A layout with very many digits, all of them ragged.
    #[error("the transfer needs {count} loop nests, more than {limit}")]
    TooManyNests {
        /// Nests needed.
        count: u64,
        /// Most that are made.
        limit: u64,
    },
    /// A host buffer that ends before the tensor does.
    #[error("the host buffer has {actual}, the host tensor reaches to {needed}")]
    HostBuffer {
        /// Bytes of the buffer.
        actual: Bytes,
        /// Bytes that it needs at least.
        needed: Bytes,
    },
    /// A device buffer of another size than the device tensor.
    #[error("the device buffer has {actual}, the device tensor takes {expected}")]
    DeviceBuffer {
        /// Bytes of the buffer.
        actual: Bytes,
        /// Bytes of the device tensor.
        expected: Bytes,
    },
    /// Elements would be written to a host tensor in which several share one place.
    #[error(
        "cannot write to a host tensor of extents {:?} and strides {:?}: elements may share places",
        .0.shape(), .0.strides()
    )]
    HostOverlap(Box<HostTensor>),
}
