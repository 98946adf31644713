//! Tensor types as passes see them: shape, layout, place in device memory.

use spyre_mlir_rt::rules::Refusal;
use std::cell::RefCell;
use std::rc::Rc;

use melior::Context;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_layout::{
    DeviceFormat, DeviceTensor, DimOrder, Elements, Layout, LayoutError, OrderError, PlaceError,
    ViewError,
};
use spyre_mlir_rt::ir;
use spyre_ops::contract::{Contract, NotAdmitted};

/// A ranked tensor type of static shape, with its layout in device memory. A type without a layout has
/// the default one of its rank and element type.
#[derive(Debug)]
pub struct TensorType<'p> {
    /// The type.
    pub ty: Type<'p>,
    /// The element type.
    pub element: Type<'p>,
    /// Whether the type carries the layout.
    pub has_layout: bool,
    /// The layout, placed for shape and format.
    pub device: DeviceTensor,
    /// The reason why no operation of the card brings another dimension onto its stick (contract, K35); `None` if one does.
    pub keeps_stick: Option<NotAdmitted>,
}

impl TensorType<'_> {
    /// Returns the extents in elements.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        self.device.shape()
    }
}

/// The reason why a type is no tensor of the device, or a tensor has no such layout. Types are texts, as MLIR prints
/// them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The type is not a ranked tensor.
    #[error("{ty} is not a ranked tensor")]
    NotRanked {
        /// The type.
        ty: String,
    },
    /// The tensor has a dynamic extent.
    #[error(
        "{ty} has a dynamic extent in dimension {dim}; where it has a name that 'spyre.dim_sizes' of the function declares \
         #spyre.dynamic, --coarse-tile cuts it into tiles, and behind it --spyre-bound-dynamic-dims gives it its largest \
         extent"
    )]
    DynamicExtent {
        /// The type.
        ty: String,
        /// The dimension.
        dim: usize,
    },
    /// The element type has no device format.
    #[error("element type {element} has no format in device memory")]
    Element {
        /// The element type.
        element: String,
    },
    /// The encoding of the tensor is no layout.
    #[error("{ty} has an encoding that is not a #spyre.layout")]
    Encoding {
        /// The type.
        ty: String,
    },
    /// The layout of a type does not fit its shape.
    #[error("{ty}: {error}")]
    Place {
        /// The type.
        ty: String,
        /// The reason.
        error: PlaceError,
    },
    /// A layout does not fit a shape.
    #[error(transparent)]
    Shape(#[from] PlaceError),
    /// A layout cannot be built.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// No layout is the default one of a rank.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// No layout describes a view of the tensor.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The extent along the stick, in whole sticks, does not fit into 64 bits.
    #[error("the extent along the stick is out of range")]
    OutOfRange,
    /// A layout of one stick has no room for all elements of an operation.
    #[error(
        "the operation runs over {needed} elements of dimension {dim}, whole sticks of {most}, and the layout {layout} has \
         room for {held}; a layout that counts its sticks has more"
    )]
    OneStick {
        /// The elements of the dimension that the operation runs over.
        needed: u64,
        /// The dimension.
        dim: usize,
        /// The elements of the longest stick of the operation.
        most: Elements,
        /// The layout.
        layout: Box<Layout>,
        /// The elements of the dimension that the layout has room for.
        held: u64,
    },
}

/// The text, for the reasons of a pass, which are of many kinds and end in its diagnostics.
impl From<TensorError> for String {
    fn from(error: TensorError) -> Self {
        error.to_string()
    }
}

impl From<TensorError> for Refusal<'_> {
    fn from(error: TensorError) -> Self {
        error.to_string().into()
    }
}

/// Returns where a tensor is in device memory: its layout, placed for its shape in elements and its format.
///
/// # Errors
/// The type is not a ranked tensor of static shape, its element type has no device format, or its layout does not fit.
pub fn device_tensor(ty: Type<'_>) -> Result<DeviceTensor, TensorError> {
    Ok(read(ty)?.device)
}

/// A table of tensor types, each read once.
pub struct TensorTypes<'p> {
    context: &'p Context,
    contract: Contract,
    types: RefCell<FxHashMap<ir::TypeKey, Rc<TensorType<'p>>>>,
    tiles: RefCell<FxHashMap<(ir::TypeKey, Vec<u64>), Type<'p>>>,
}

impl<'p> TensorTypes<'p> {
    /// Returns an empty table for the published contract.
    #[must_use]
    pub fn new(context: &'p Context) -> Self {
        Self::under(context, Contract::default())
    }

    /// Returns an empty table for the contract of a target.
    #[must_use]
    pub fn under(context: &'p Context, contract: Contract) -> Self {
        Self {
            context,
            contract,
            types: RefCell::default(),
            tiles: RefCell::default(),
        }
    }

    /// Returns the context of the types.
    #[must_use]
    pub fn context(&self) -> &'p Context {
        self.context
    }

    /// Reads a type.
    ///
    /// # Errors
    /// The reason why passes cannot handle it: it is not a ranked tensor of static shape, its element type has no device format,
    /// or its layout does not fit.
    pub fn get(&self, ty: Type<'p>) -> Result<Rc<TensorType<'p>>, TensorError> {
        let key = ir::type_key(ty);
        if let Some(entry) = self.types.borrow().get(&key) {
            return Ok(Rc::clone(entry));
        }
        let mut read = read(ty)?;
        let formats = [read.device.format(); 2];
        read.keeps_stick = self.contract.admit("ReStickifyOpHBM", &formats).err();
        let read = Rc::new(read);
        self.types.borrow_mut().insert(key, Rc::clone(&read));
        Ok(read)
    }

    /// Returns the tensor type of a shape and an element type that carries `layout`.
    ///
    /// # Errors
    /// The reason why the layout does not fit.
    pub fn with_layout(
        &self,
        shape: &[u64],
        element: Type<'p>,
        layout: &Layout,
    ) -> Result<Rc<TensorType<'p>>, TensorError> {
        let format = device_format(element)?;
        layout.place(shape, format)?;
        let encoding = attr::layout_attribute(self.context, layout);
        self.get(RankedTensorType::new(shape, element, Some(encoding)).into())
    }

    /// Returns the type of a tile of `tensor`: the same layout on other extents. Explicit padding belongs to the whole tensor, so
    /// the tile drops it; repetitions in device memory stay.
    ///
    /// # Errors
    /// The reason why the layout cannot be rebuilt.
    pub fn tile(&self, tensor: &TensorType<'p>, shape: &[u64]) -> Result<Type<'p>, TensorError> {
        if tensor.shape() == shape {
            return Ok(tensor.ty);
        }
        let key = (ir::type_key(tensor.ty), shape.to_vec());
        if let Some(entry) = self.tiles.borrow().get(&key) {
            return Ok(*entry);
        }
        let encoding = if tensor.has_layout {
            Some(attr::layout_attribute(
                self.context,
                &tile_layout(&tensor.device, shape)?,
            ))
        } else {
            None
        };
        let ty: Type<'p> = RankedTensorType::new(shape, tensor.element, encoding).into();
        self.tiles.borrow_mut().insert(key, ty);
        Ok(ty)
    }
}

/// The number of elements that stay together where formats of 16 and of 32 bits meet: the elements of a 16-bit stick.
const TOGETHER: u64 = 64;

/// Returns the layout of a tile of `shape`: that of the tensor, without explicit padding, which belongs to the whole tensor. If
/// the tensor has room for whole sticks of 16 bits, as a cast needs it, the tile has it too.
///
/// # Errors
/// The reason why the layout cannot be rebuilt.
pub fn tile_layout(tensor: &DeviceTensor, shape: &[u64]) -> Result<Layout, TensorError> {
    let layout = tensor.layout();
    let mut tile = Layout::new(layout.rank(), layout.coords().to_vec())?;
    if let Some(format) = layout.format_override() {
        tile = tile.with_format(format);
    }
    tile = tile.with_arrangement(layout.arrangement())?;
    tile = tile.with_expanded(layout.expanded().to_vec())?;
    // Only the device size determines how often a dimension repeats its elements.
    let repetitions = layout
        .expanded()
        .iter()
        .filter_map(|at| Some((*at, *tensor.device_size().get(*at)?)));
    let repetitions: Vec<(usize, u64)> = repetitions.filter(|(_, count)| *count > 1).collect();
    let room = room(tensor);
    if repetitions.is_empty() && room.is_none() {
        return Ok(tile);
    }
    let mut size = tile.device_size(shape, tensor.format().elements_per_stick())?;
    let natural = size.clone();
    for (at, count) in repetitions {
        if let Some(entry) = size.get_mut(at) {
            *entry = count;
        }
    }
    if let Some((at, unit)) = room
        && let Some(entry) = size.get_mut(at)
    {
        *entry = entry.next_multiple_of(unit);
    }
    if size == natural {
        return Ok(tile);
    }
    Ok(tile.with_device_size(size)?)
}

/// Returns a layout with room for a whole multiple of `most` elements along the stick; `None` if the tensor has the room.
///
/// # Errors
/// No coordinate counts the sticks, so there is one stick, or the extent is out of range.
pub fn with_room(device: &DeviceTensor, most: Elements) -> Result<Option<Layout>, TensorError> {
    let layout = device.layout();
    let Some(dim) = layout.stick_dim() else {
        return Ok(None);
    };
    let extent = device.shape().get(dim).copied().unwrap_or(1);
    let padded = extent.checked_next_multiple_of(most.get());
    let padded = padded.ok_or(TensorError::OutOfRange)?;
    let places: Vec<usize> = layout.device_dims_of(dim).collect();
    let mut sizes = device.device_size().to_vec();
    let held: u64 = places.iter().map(|place| sizes[*place]).product();
    if held >= padded {
        return Ok(None);
    }
    // The count of sticks is the outermost; without one there is one stick.
    let [count, _] = places.as_slice() else {
        return Err(TensorError::OneStick {
            needed: padded,
            dim,
            most,
            layout: Box::new(layout.clone()),
            held,
        });
    };
    sizes[*count] = padded / device.format().elements_per_stick().get();
    Ok(Some(layout.clone().with_device_size(sizes)?))
}

/// Returns the coordinate that counts the sticks of a tensor with room for whole 16-bit sticks, and the number of its
/// sticks with as many elements as a 16-bit stick. `None` if the tensor has no such room, or one of its sticks is a
/// stick of 16 bits.
fn room(tensor: &DeviceTensor) -> Option<(usize, u64)> {
    let layout = tensor.layout();
    let per_stick = tensor.format().elements_per_stick().get();
    let unit = TOGETHER.checked_div(per_stick).filter(|unit| *unit > 1)?;
    let is_paired = layout.arrangement().sticks_together() > 1;
    if !is_paired && layout.explicit_device_size().is_none() {
        return None;
    }
    let dim = layout.stick_dim()?;
    let extent = *tensor.shape().get(dim)?;
    let places: Vec<usize> = layout.device_dims_of(dim).collect();
    let [count, _] = places.as_slice() else {
        return None;
    };
    let held = *tensor.device_size().get(*count)?;
    (held >= extent.div_ceil(TOGETHER) * unit).then_some((*count, unit))
}

/// Returns the device format that follows from an element type.
///
/// # Errors
/// The element type has no device format.
pub fn device_format(element: Type<'_>) -> Result<DeviceFormat, TensorError> {
    attr::device_format(element).ok_or_else(|| TensorError::Element {
        element: element.to_string(),
    })
}

fn read<'p>(ty: Type<'p>) -> Result<TensorType<'p>, TensorError> {
    let text = || ty.to_string();
    let tensor =
        RankedTensorType::try_from(ty).map_err(|_| TensorError::NotRanked { ty: text() })?;
    let mut shape = Vec::new();
    for dim in 0..tensor.rank() {
        let extent = tensor.dim_size(dim);
        match extent.expect("the dimension is below the rank") {
            DimSize::Static(extent) => shape.push(extent),
            DimSize::Dynamic => return Err(TensorError::DynamicExtent { ty: text(), dim }),
        }
    }
    let element = tensor.element();
    let format = device_format(element)?;
    let encoding = tensor.encoding();
    let (layout, has_layout) = match encoding.and_then(attr::layout) {
        Some(layout) => (layout, true),
        None if encoding.is_some() => {
            return Err(TensorError::Encoding { ty: text() });
        }
        None => {
            let order = DimOrder::host(shape.len());
            let layout = Layout::default_for(&order, format.elements_per_stick());
            (layout?, false)
        }
    };
    let device = layout
        .place(&shape, format)
        .map_err(|error| TensorError::Place { ty: text(), error })?;
    Ok(TensorType {
        ty,
        element,
        has_layout,
        device,
        keeps_stick: None,
    })
}
