//! Where the elements of a tensor live in the memory of a Spyre accelerator.
//!
//! Spyre reads and writes device memory in *sticks* of 128 bytes. A [`Layout`] maps the host
//! coordinates of an element to device coordinates; memory is row-major over the device coordinates,
//! and the last one runs inside the stick. A layout that is [placed](Layout::place) for a shape and
//! a format is a [`DeviceTensor`], which has sizes, addresses and the distances between windows. A
//! [`Transfer`] copies it from and to a [`HostTensor`], a strided view of a host buffer.
//!
//! Further: [`View`]s share the bytes of a tensor under other host coordinates;
//! [`Layout::restick`] and [`Layout::with_elements_per_stick`] give the layouts of copies;
//! [stride maps](Layout::stride_map) write a layout down in other words.
//!
//! ```
//! use spyre_layout::{Bytes, DeviceFormat, DimOrder, Elements, Layout};
//!
//! let f16 = DeviceFormat::Sen169Fp16;
//! let layout = Layout::default_for(&DimOrder::host(2), f16.elements_per_stick())?;
//! assert_eq!(layout.to_string(), "(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)");
//!
//! let tensor = layout.place(&[1024, 4096], f16)?;
//! assert_eq!(tensor.device_size(), [64, 1024, 64]);
//! assert_eq!(layout.stride_map(&[1024, 4096], &[4096, 1])?, [64, 4096, 1]);
//! // Two windows 512 rows apart, and two windows 1024 columns apart.
//! assert_eq!(tensor.window_step(0, Elements(512))?, Bytes(65536));
//! assert_eq!(tensor.window_step(1, Elements(1024))?, Bytes(2097152));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod coord;
mod dl16;
mod error;
mod format;
mod layout;
mod operand;
mod order;
mod restick;
mod stride_map;
mod tensor;
mod transfer;
mod units;
mod view;
mod window;

pub use coord::Coord;
pub use dl16::Dl16;
pub use error::{LayoutError, PlaceError};
pub use format::{Arrangement, DeviceFormat, FormatError, HostType, UnknownName, UnsupportedType};
pub use layout::Layout;
pub use operand::{OperandCoord, OperandError};
pub use order::{DimOrder, MAX_RANK, OrderError};
pub use restick::RestickError;
pub use stride_map::StrideMapError;
pub use tensor::DeviceTensor;
pub use transfer::{
    Conversion, ConversionWarning, HostTensor, HostTensorError, Nest, OutOfRange, Transfer,
    TransferError, TransferReport, UnsupportedConversion,
};
pub use units::{Bytes, Elements, STICK_BYTES, Sticks};
pub use view::{View, ViewError};
pub use window::WindowError;
