//! The tensor of a drawing or an explanation, built from a request and checked.

use spyre_layout::{
    DeviceTensor, DimOrder, Elements, Layout, OrderError, PlaceError, StrideMapError,
    UnsupportedType,
};
use thiserror::Error;

use super::element::{ElementType, supported_names};

/// The requested layout. An empty request means the default layout.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The order in which the default layout takes the dimensions, the one on the stick last; a trailing -1 means
    /// sparse sticks.
    pub order: Option<Vec<i64>>,
    /// Strides of the host tensor, in elements; without them it is contiguous.
    pub strides: Option<Vec<i64>>,
    /// The device size, in elements, which may pad any dimension.
    pub size: Option<Vec<i64>>,
    /// The stride map that, with the size, takes the place of the default layout.
    pub stride_map: Option<Vec<i64>>,
    /// The layout that takes the place of the default one.
    pub layout: Option<Layout>,
}

/// A host tensor and its place in device memory.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The element type on the host.
    pub element: ElementType,
    /// Host strides, in elements.
    pub strides: Vec<i64>,
    /// The tensor on the device, with its shape.
    pub tensor: DeviceTensor,
}

/// A tensor that has no place in device memory.
#[derive(Debug, Error)]
pub enum SubjectError {
    /// The device cannot store the elements.
    #[error("{0}; these have one: {names}", names = supported_names())]
    Type(#[from] UnsupportedType),
    /// The order is for another number of dimensions.
    #[error(
        "the order {order:?} is one of {dimensions} dimensions, the shape {shape:?} has {rank}"
    )]
    OrderRank {
        /// The order.
        order: Vec<i64>,
        /// Dimensions that it names.
        dimensions: usize,
        /// The shape.
        shape: Vec<u64>,
        /// The number of dimensions.
        rank: usize,
    },
    /// The order is no order, or the default layout does not go that far.
    #[error("{0}")]
    Order(#[from] OrderError),
    /// A device size with an entry below zero.
    #[error("entry {at} of the device size is {size}; device sizes are positive")]
    NegativeSize {
        /// Position of the entry.
        at: usize,
        /// The entry.
        size: i64,
    },
    /// The device size does not fit the layout.
    #[error("{0}")]
    Layout(#[from] spyre_layout::LayoutError),
    /// The layout does not fit the shape.
    #[error("{0}")]
    Place(#[from] PlaceError),
    /// The strides do not fit, or device size and stride map hold no such tensor.
    #[error("{0}")]
    StrideMap(#[from] StrideMapError),
    /// The end of the tensor exceeds 64-bit signed addresses.
    #[error("device size {device_size:?} is more than 2^63 - 1 bytes, the last address")]
    TooLarge {
        /// The device size.
        device_size: Vec<u64>,
    },
}

impl Subject {
    /// Lays a tensor out.
    ///
    /// # Errors
    /// The element type has no format on the device, or the layout does not fit.
    pub fn new(
        shape: &[u64],
        element: ElementType,
        request: &Request,
    ) -> Result<Self, SubjectError> {
        let format = element.host.device_format()?;
        let strides = request.strides.clone();
        let (layout, strides) = match (&request.layout, &request.stride_map, &request.size) {
            (Some(layout), _, _) => (layout.clone(), strides),
            (None, Some(stride_map), Some(size)) => {
                let strides = strides.map_or_else(|| contiguous(shape), Ok)?;
                let size = device_size(size)?;
                let layout =
                    Layout::from_device_size_and_stride_map(shape, &strides, &size, stride_map)?;
                (layout, Some(strides))
            }
            (None, _, size) => {
                let order = order(shape, request)?;
                let layout = Layout::default_for(&order, format.elements_per_stick())?;
                let layout = match size {
                    Some(size) => layout.with_device_size(device_size(size)?)?,
                    None => layout,
                };
                (layout, strides)
            }
        };
        let tensor = layout.place(shape, format)?;
        if i64::try_from(tensor.bytes().get()).is_err() {
            return Err(SubjectError::TooLarge {
                device_size: tensor.device_size().to_vec(),
            });
        }
        let strides = strides.map_or_else(|| contiguous(shape), Ok)?;
        Ok(Self {
            element,
            strides,
            tensor,
        })
    }

    /// Returns the extents of the host dimensions.
    pub fn shape(&self) -> &[u64] {
        self.tensor.shape()
    }

    /// Returns the type in MLIR's spelling, without layout: `1000x200xf16`.
    pub fn type_name(&self) -> String {
        let extents: String = self
            .shape()
            .iter()
            .map(|extent| format!("{extent}x"))
            .collect();
        format!("{extents}{}", self.element.name)
    }

    /// Returns how many elements are data, copies and padding.
    pub fn census(&self) -> Census {
        let layout = self.tensor.layout();
        let sizes = self.tensor.device_size();
        // No overflow: every factor divides the tensor's size, which has been checked.
        let data: u64 = self.shape().iter().product();
        let copies: u64 = layout
            .expanded()
            .iter()
            .filter_map(|&coord| sizes.get(coord))
            .product();
        let all: u64 = sizes.iter().product();
        let padding = all.saturating_sub(data.saturating_mul(copies));
        Census {
            data: Elements(data),
            copies,
            padding: Elements(padding),
        }
    }
}

/// The elements that a tensor stores, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// Elements of the host tensor.
    pub data: Elements,
    /// Number of times that each element is stored: 1 without expanded dimensions.
    pub copies: u64,
    /// Elements of device memory that are padding.
    pub padding: Elements,
}

/// Returns the order of the dimensions, which must be the dimensions of the shape.
fn order(shape: &[u64], request: &Request) -> Result<DimOrder, SubjectError> {
    let rank = shape.len();
    let Some(indices) = &request.order else {
        return Ok(DimOrder::host(rank));
    };
    let order = DimOrder::from_indices(indices)?;
    if order.rank() == rank {
        Ok(order)
    } else {
        let (order, order_rank) = (indices.clone(), order.rank());
        Err(SubjectError::OrderRank {
            order,
            dimensions: order_rank,
            shape: shape.to_vec(),
            rank,
        })
    }
}

/// Returns the strides of a row-major tensor, in elements. An extent of 0 counts as 1, as in PyTorch.
fn contiguous(shape: &[u64]) -> Result<Vec<i64>, SubjectError> {
    let mut strides = vec![1; shape.len()];
    let mut elements: i64 = 1;
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = elements;
        elements = i64::try_from(extent.max(1))
            .ok()
            .and_then(|extent| elements.checked_mul(extent))
            .ok_or_else(|| PlaceError::TooLarge {
                device_size: shape.to_vec(),
            })?;
    }
    Ok(strides)
}

fn device_size(size: &[i64]) -> Result<Vec<u64>, SubjectError> {
    let entry = |(at, &size): (usize, &i64)| {
        u64::try_from(size).map_err(|_| SubjectError::NegativeSize { at, size })
    };
    size.iter().enumerate().map(entry).collect()
}
