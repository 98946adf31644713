//! The interface that all device operations share (`spyre::DeviceOpInterface`).

use std::ffi::c_void;
use std::marker::PhantomData;

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike, OperationRef, Type, TypeLike};
use melior::{Context, StringRef};
use mlir_sys::{MlirStringRef, MlirType};
use spyre_ops::{OpClass, OpFunc, StickRule};

use crate::attr::{Place, count as count_of, elements, optional, place, place_attribute};
use crate::ffi;
use crate::hint::{DivideHint, TileHint, divide_hint, tile_hint};

/// A dimension of an image that windows walk along. The coordinate is `stride` times one iteration dimension plus `dilation` times
/// another one, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkedDim {
    /// The dimension of the image.
    pub dim: usize,
    /// The iteration dimension of the windows.
    pub position: usize,
    /// The iteration dimension of the elements of a window.
    pub window: usize,
    /// Elements from one window to the next.
    pub stride: u64,
    /// Elements from one element of a window to the next.
    pub dilation: u64,
    /// Whether cores may divide the windows.
    pub is_divisible: bool,
}

/// A device operation: one OpFunc over an iteration space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceOp<'p> {
    op: OperationRef<'p, 'p>,
}

impl<'p> DeviceOp<'p> {
    /// Returns the operation as a device operation; `None` for another operation.
    #[must_use]
    pub fn cast(op: OperationRef<'p, 'p>) -> Option<Self> {
        // SAFETY: a live operation.
        unsafe { ffi::spyreOperationIsADeviceOp(op.to_raw()) }.then_some(Self { op })
    }

    /// Returns the operation.
    #[must_use]
    pub fn op(self) -> OperationRef<'p, 'p> {
        self.op
    }

    /// Returns the properties of the operation.
    ///
    /// # Panics
    /// The operation has no row in the table of OpFuncs. A test checks that each operation of the dialect has one.
    #[must_use]
    pub fn facts(self) -> &'static OpFunc {
        let name = self.op.name();
        let name = name.as_string_ref();
        let name = name.as_str().expect("our operations have ASCII names");
        let mnemonic = name.trim_start_matches("spyre.");
        OpFunc::of_mnemonic(mnemonic).expect("every device operation has a row")
    }

    /// Returns the OpFunc name in the bundle format.
    #[must_use]
    pub fn op_func(self) -> &'static str {
        self.facts().name
    }

    /// Returns the extents of the iteration space, in elements: result dimensions, then reduction dimensions. A negative extent
    /// is dynamic.
    #[must_use]
    pub fn iteration_space(self) -> Vec<i64> {
        // SAFETY: a device operation.
        fill(|out, capacity| unsafe {
            ffi::spyreDeviceOpGetIterationSpace(self.op.to_raw(), out, capacity)
        })
    }

    /// Returns the number of trailing iteration dimensions that are reduced.
    #[must_use]
    pub fn reduction_dims(self) -> usize {
        // SAFETY: a device operation.
        let count = unsafe { ffi::spyreDeviceOpGetNumReductionDims(self.op.to_raw()) };
        count_of(count)
    }

    /// Returns the dimension of the iteration space that the operation searches along for its largest elements; `None` if it does
    /// not search.
    #[must_use]
    pub fn searched_dim(self) -> Option<usize> {
        let searched = self
            .iteration_space()
            .len()
            .checked_sub(self.reduction_dims());
        searched.filter(|_| self.facts().class == OpClass::TopK)
    }

    /// Returns the dimension of the iteration space that the operation normalises as a whole; `None` if it normalises
    /// none, as a reduction with parts that combine.
    #[must_use]
    pub fn normalised_dim(self) -> Option<usize> {
        let facts = self.facts();
        let normalises = facts.stick == StickRule::LastDim && facts.combiner.is_none();
        normalises.then(|| self.iteration_space().len().checked_sub(1))?
    }

    /// Returns the dimension of operand #1, the table, that the elements of operand #0 are coordinates of; `None` if the
    /// operation has no such indices.
    #[must_use]
    pub fn gathered_dim(self) -> Option<usize> {
        // SAFETY: a device operation.
        usize::try_from(unsafe { ffi::spyreDeviceOpGetGatheredDim(self.op.to_raw()) }).ok()
    }

    /// Returns the dimensions of operand #0, an image, that windows walk along; none for nearly all operations.
    #[must_use]
    pub fn walked_dims(self) -> Vec<WalkedDim> {
        // Most operations have none, so no memory is allocated for them.
        let mut numbers = [0; 6 * MOST_WALKED];
        // SAFETY: a device operation; the buffer has the length given.
        let count = unsafe {
            ffi::spyreDeviceOpGetWalkedDims(
                self.op.to_raw(),
                numbers.as_mut_ptr(),
                numbers.len().cast_signed(),
            )
        };
        let count = count_of(count);
        let numbers = numbers.get(..count).expect("an image has two dimensions");
        let (walks, _) = numbers.as_chunks();
        let walk = |[dim, position, window, stride, dilation, is_divisible]: [i64; 6]| {
            let place = |number: i64| usize::try_from(number).expect("a place in a list");
            WalkedDim {
                dim: place(dim),
                position: place(position),
                window: place(window),
                stride: stride.unsigned_abs(),
                dilation: dilation.unsigned_abs(),
                is_divisible: is_divisible != 0,
            }
        };
        walks.iter().copied().map(walk).collect()
    }

    /// Returns the iteration dimension that indexes each dimension of a tensor, `None` where the tensor is broadcast, gathered or
    /// walked along by windows. Tensors are numbered operands first, then the result.
    #[must_use]
    pub fn tensor_dims(self, tensor: usize) -> Vec<Option<usize>> {
        // SAFETY: a device operation.
        let dims: Vec<i64> = fill(|out, capacity| unsafe {
            ffi::spyreDeviceOpGetTensorDims(self.op.to_raw(), tensor.cast_signed(), out, capacity)
        });
        dims.into_iter()
            .map(|dim| usize::try_from(dim).ok())
            .collect()
    }

    /// Returns the types of the tensors, operands first, then the result.
    #[must_use]
    pub fn tensor_types(self) -> TensorTypes<'p> {
        let mut types = TensorTypes {
            first: [NO_TYPE; FEW],
            more: Vec::new(),
            count: 0,
            lifetime: PhantomData,
        };
        // SAFETY: a device operation; the buffer holds `FEW` entries.
        let count = unsafe {
            ffi::spyreDeviceOpGetTensorTypes(
                self.op.to_raw(),
                types.first.as_mut_ptr(),
                FEW.cast_signed(),
            )
        };
        types.count = count_of(count);
        if types.count > FEW {
            types.more.resize(types.count, NO_TYPE);
            // SAFETY: the buffer holds `count` entries.
            unsafe {
                ffi::spyreDeviceOpGetTensorTypes(self.op.to_raw(), types.more.as_mut_ptr(), count)
            };
        }
        types
    }

    /// Returns the named constants of the OpFunc, as a dictionary.
    #[must_use]
    pub fn constants(self) -> Attribute<'p> {
        // SAFETY: a device operation always has a dictionary, perhaps an empty one.
        unsafe { Attribute::from_raw(ffi::spyreDeviceOpGetConstants(self.op.to_raw())) }
    }

    /// Returns the hints as an attribute. Operations of the same scopes and counts share it.
    #[must_use]
    pub fn hints_attribute(self) -> Option<Attribute<'p>> {
        // SAFETY: a device operation; null or live.
        unsafe { optional(ffi::spyreDeviceOpGetTileHints(self.op.to_raw())) }
    }

    /// Returns the hints of the tiling scopes around the operation, outermost first.
    #[must_use]
    pub fn hints(self) -> Vec<TileHint> {
        self.hints_attribute()
            .map(|hints| elements(hints).into_iter().filter_map(tile_hint).collect())
            .unwrap_or_default()
    }

    /// Sets the hints: an array of `#spyre.tile_hint`, scopes ascending.
    pub fn set_hints(self, hints: Attribute<'p>) {
        // SAFETY: a device operation and an array.
        unsafe { ffi::spyreDeviceOpSetTileHints(self.op.to_raw(), hints.to_raw()) }
    }

    /// Removes the hints.
    pub fn remove_hints(self) {
        // SAFETY: a device operation.
        unsafe { ffi::spyreDeviceOpRemoveTileHints(self.op.to_raw()) }
    }

    /// Returns the hints for dividing dimensions over cores, as an attribute.
    #[must_use]
    pub fn divisions_attribute(self) -> Option<Attribute<'p>> {
        // SAFETY: a device operation; null or live.
        unsafe { optional(ffi::spyreDeviceOpGetDivideHints(self.op.to_raw())) }
    }

    /// Returns the hints for dividing dimensions over cores.
    #[must_use]
    pub fn divisions(self) -> Vec<DivideHint> {
        self.divisions_attribute()
            .map(|hints| {
                elements(hints)
                    .into_iter()
                    .filter_map(divide_hint)
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Sets the hints for dividing dimensions over cores: an array of `#spyre.divide_hint`.
    pub fn set_divisions(self, hints: Attribute<'p>) {
        // SAFETY: a device operation and an array.
        unsafe { ffi::spyreDeviceOpSetDivideHints(self.op.to_raw(), hints.to_raw()) }
    }

    /// Removes the hints which dimensions are divided over cores.
    pub fn remove_divisions(self) {
        // SAFETY: a device operation.
        unsafe { ffi::spyreDeviceOpRemoveDivideHints(self.op.to_raw()) }
    }

    /// Returns the number of cores per iteration dimension; all 1 before work division, and for an operation on one
    /// core.
    #[must_use]
    pub fn split_or_one_core(self) -> Vec<u32> {
        self.split()
            .unwrap_or_else(|| vec![1; self.iteration_space().len()])
    }

    /// Returns the number of cores per iteration dimension; `None` before work division.
    #[must_use]
    pub fn split(self) -> Option<Vec<u32>> {
        let mut data = std::ptr::null();
        // SAFETY: a device operation; the array belongs to an attribute.
        unsafe {
            let length =
                usize::try_from(ffi::spyreDeviceOpGetSplit(self.op.to_raw(), &raw mut data))
                    .ok()?;
            if length == 0 {
                return Some(Vec::new());
            }
            let split = std::slice::from_raw_parts(data, length).iter();
            let cores = split.map(|cores| u32::try_from(*cores).expect("S5: below 2^32"));
            Some(cores.collect())
        }
    }

    /// Sets the cores per iteration dimension.
    pub fn set_split(self, split: &[u32]) {
        let split: Vec<i64> = split.iter().map(|cores| i64::from(*cores)).collect();
        // SAFETY: a device operation; the array has the length given.
        unsafe {
            ffi::spyreDeviceOpSetSplit(self.op.to_raw(), split.as_ptr(), split.len().cast_signed())
        }
    }

    /// Returns the place of the result; `None` before planning.
    #[must_use]
    pub fn place(self) -> Option<Place> {
        // SAFETY: a device operation; null or live.
        place(unsafe { optional(ffi::spyreDeviceOpGetPlace(self.op.to_raw())) }?)
    }

    /// Sets the place of the result.
    pub fn set_place(self, place: Place) {
        let context = self.op.context();
        // SAFETY: the context outlives the operation; `context` is used only inside this function.
        let context = unsafe { context.to_ref() };
        let attribute = place_attribute(context, place);
        // SAFETY: a device operation and a place.
        unsafe { ffi::spyreDeviceOpSetPlace(self.op.to_raw(), attribute.to_raw()) }
    }
}

/// Returns the device operations of the dialect, which is loaded in the context: the name without `spyre.`, and the OpFunc.
#[must_use]
pub fn device_ops(context: &Context) -> Vec<(String, String)> {
    unsafe extern "C" fn visit(mnemonic: MlirStringRef, op_func: MlirStringRef, data: *mut c_void) {
        // SAFETY: `data` is the list below, and both texts live during the call.
        unsafe {
            let list = &mut *data.cast::<Vec<(String, String)>>();
            let text = |text| {
                let text = StringRef::from_raw(text).as_str();
                text.expect("our operations have ASCII names").to_owned()
            };
            list.push((text(mnemonic), text(op_func)));
        }
    }
    let mut list: Vec<(String, String)> = Vec::new();
    // SAFETY: a live context; the list outlives the call.
    unsafe { ffi::spyreDeviceOps(context.to_raw(), visit, (&raw mut list).cast()) };
    list
}

/// The number of dimensions that windows walk along at most: a height and a width.
const MOST_WALKED: usize = 2;

/// The number of tensors that nearly every device operation has at most.
const FEW: usize = 4;
const NO_TYPE: MlirType = MlirType {
    ptr: std::ptr::null(),
};

/// The types of an operation's tensors, without an allocation for the usual operation.
#[derive(Debug)]
pub struct TensorTypes<'p> {
    first: [MlirType; FEW],
    more: Vec<MlirType>,
    count: usize,
    lifetime: PhantomData<Type<'p>>,
}

impl<'p> TensorTypes<'p> {
    fn raw(&self) -> &[MlirType] {
        if self.more.is_empty() {
            self.first.get(..self.count).unwrap_or_default()
        } else {
            &self.more
        }
    }

    /// Returns the types.
    pub fn iter(&self) -> impl Iterator<Item = Type<'p>> + '_ {
        // SAFETY: types of a live operation.
        self.raw().iter().map(|raw| unsafe { Type::from_raw(*raw) })
    }

    /// Returns whether these are the same types.
    #[must_use]
    pub fn are(&self, types: &[Type<'p>]) -> bool {
        self.count == types.len()
            && self
                .raw()
                .iter()
                .zip(types)
                .all(|(raw, ty)| raw.ptr == ty.to_raw().ptr)
    }
}

/// A `spyre.empty`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmptyOp<'p> {
    op: OperationRef<'p, 'p>,
}

impl<'p> EmptyOp<'p> {
    /// Returns the operation as a `spyre.empty`; `None` for another operation.
    #[must_use]
    pub fn cast(op: OperationRef<'p, 'p>) -> Option<Self> {
        // SAFETY: a live operation.
        unsafe { ffi::spyreOperationIsAEmpty(op.to_raw()) }.then_some(Self { op })
    }

    /// Returns the operation.
    #[must_use]
    pub fn op(self) -> OperationRef<'p, 'p> {
        self.op
    }

    /// Returns its place; `None` before planning.
    #[must_use]
    pub fn place(self) -> Option<Place> {
        // SAFETY: a `spyre.empty`; null or live.
        place(unsafe { optional(ffi::spyreEmptyGetPlace(self.op.to_raw())) }?)
    }

    /// Sets its place.
    pub fn set_place(self, place: Place) {
        let context = self.op.context();
        // SAFETY: the context outlives the operation; `context` is used only inside this function.
        let context = unsafe { context.to_ref() };
        // SAFETY: a `spyre.empty` and a place.
        unsafe {
            ffi::spyreEmptySetPlace(self.op.to_raw(), place_attribute(context, place).to_raw())
        }
    }
}

/// Calls a C function that writes at most `capacity` numbers and returns their number.
fn fill(get: impl Fn(*mut i64, isize) -> isize) -> Vec<i64> {
    let mut values = vec![0; 8];
    let length = get(values.as_mut_ptr(), values.len().cast_signed());
    let length = count_of(length);
    if length > values.len() {
        values.resize(length, 0);
        get(values.as_mut_ptr(), length.cast_signed());
    }
    values.truncate(length);
    values
}
