//! The planned form of one operation.

use crate::codegen::{CoreSlices, Dim, WindowPlan};
use crate::expr::Symbol;
use crate::model::{Allocation, DimBounds};
use crate::name::ShortName;
use crate::ordered::Json;
use crate::{Bytes, DeviceFormat, Elements};

/// Returns an address, or a part of one. Planning has rejected operations with one beyond 63 bits.
pub(crate) fn fits<T>(value: Option<T>) -> T {
    value.expect("planning has checked that addresses fit")
}

/// The contents of `sdsc_N.json` for one operation, except its number and its symbol identifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// The backend's function: the operation, with `nonstick` appended for reductions that keep the stick.
    pub opfunc: String,
    /// The unit that executes it.
    pub unit: ExecutionUnit,
    /// The format of the first operand that is not an index tensor.
    pub data_format: DeviceFormat,
    /// The iteration space, padded.
    pub dims: Vec<PlannedDim>,
    /// Which core works on which slices of `dims`.
    pub core_mapping: CoreSlices,
    /// The cores that the file schedules, if not all: the cores that have the source of a shuffle (contract, K68).
    pub scheduled: Vec<u32>,
    /// The ranges of padded dimensions to mask.
    pub masks: Vec<Mask>,
    /// The distinct layouts, in order of creation.
    pub layouts: Vec<Layout>,
    /// The operands, output last.
    pub tensors: Vec<PlannedTensor>,
    /// The constants, encoded.
    pub constants: Vec<Constant>,
    /// How many leading operands the function reads; index tensors among them are listed apart.
    pub input_count: usize,
    /// Provenance.
    pub debug_handle: Option<Json>,
    /// The windows of pools and convolutions.
    pub windows: Option<WindowPlan>,
}

impl Descriptor {
    /// Distance from the tensor's first element to the part of the core with these `slices`
    /// (SDSC bundle specification, section 4.8). Zero in the scratchpad, where every core uses one address.
    ///
    /// Along a runtime size, core parts are `size / slices` elements long, so their starts are proportional to the
    /// size. Strides do not depend on it: a buffer has the device size of its largest extent. Earlier generators
    /// print the start at the largest size instead, which is no address at any other (section 8, item 3).
    ///
    /// Planning has checked that the largest distance fits, and that every share is exact.
    ///
    /// # Panics
    /// If there is not one slice per dimension, or for numbers that planning refuses.
    pub fn core_offset(&self, tensor: &PlannedTensor, slices: &[u32]) -> CoreOffset {
        let mut offset = CoreOffset::default();
        if tensor.allocation.is_lx() {
            return offset;
        }
        let width = tensor.element_bytes.get();
        let product = |a: u64, b: u64| fits(a.checked_mul(b));
        for d in tensor.dims.iter().filter(|d| d.scale == Scale::Full) {
            let place = self.dims.iter().position(|planned| planned.dim == d.dim);
            let place = place.expect("a tensor has dimensions that are iterated over");
            let planned = &self.dims[place];
            let (slice, count) = (u64::from(slices[place]), planned.slices);
            match &planned.runtime {
                Some(runtime) if count > 1 => {
                    // An extent of 0 has no distances.
                    let per_element = d.stride.get() / planned.extent.max(1);
                    let bytes = product(product(slice, per_element), width) / count;
                    offset.add_size(&runtime.symbol, Bytes(bytes));
                }
                _ => {
                    let elements = product(slice, d.stride.get()) / count;
                    let bytes = Bytes(product(elements, width));
                    offset.bytes = fits(offset.bytes.checked_add(bytes));
                }
            }
        }
        offset
    }

    /// Returns the cores that the file schedules.
    pub fn scheduled_cores(&self) -> Vec<u32> {
        if self.scheduled.is_empty() {
            return (0..self.core_mapping.cores()).collect();
        }
        self.scheduled.clone()
    }

    /// True if the starts of the parts of `tensor` depend on a runtime size.
    pub fn is_split_at_run_time(&self, tensor: &PlannedTensor) -> bool {
        !tensor.allocation.is_lx()
            && self.dims.iter().any(|planned| {
                planned.is_split_at_run_time()
                    && tensor
                        .dim(planned.dim)
                        .is_some_and(|d| d.scale == Scale::Full)
            })
    }

    /// The dimensions with a dynamic extent.
    pub fn runtime_dims(&self) -> impl Iterator<Item = (Dim, &RuntimeDim)> {
        self.dims
            .iter()
            .filter_map(|dim| Some((dim.dim, dim.runtime.as_ref()?)))
    }

    /// The layout of a tensor.
    pub fn layout(&self, tensor: &PlannedTensor) -> Option<&Layout> {
        self.layouts
            .iter()
            .find(|layout| layout.label == tensor.label)
    }

    /// The planned dimension called `dim`.
    pub fn dim(&self, dim: Dim) -> Option<&PlannedDim> {
        self.dims.iter().find(|planned| planned.dim == dim)
    }

    /// The position of the mask constant, if the operation masks.
    ///
    /// Earlier generators always print 0, which is wrong when the operation has other constants (SDSC bundle
    /// specification, section 8, item 4).
    pub fn mask_constant(&self) -> Option<usize> {
        if self.masks.is_empty() {
            return None;
        }
        let mut constants = self.constants.iter();
        let position = constants.position(|constant| constant.name == super::MASK_CONSTANT);
        Some(position.expect("an operation with masks has their constant"))
    }
}

/// The unit that executes an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionUnit {
    /// The matrix array.
    Pt,
    /// The special-function unit.
    Sfp,
}

impl ExecutionUnit {
    /// The name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pt => "pt",
            Self::Sfp => "sfp",
        }
    }
}

/// How far a core's part is from the start of a tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreOffset {
    /// The part that is known.
    pub bytes: Bytes,
    /// The bytes to add for each runtime size.
    pub per_size: Vec<SizeStep>,
}

impl CoreOffset {
    fn add_size(&mut self, size: &Symbol, bytes: Bytes) {
        if bytes == Bytes::ZERO {
            return;
        }
        match self.per_size.iter_mut().find(|step| step.size == *size) {
            Some(step) => step.bytes = fits(step.bytes.checked_add(bytes)),
            None => self.per_size.push(SizeStep {
                size: size.clone(),
                bytes,
            }),
        }
    }
}

/// Bytes per element of a runtime size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SizeStep {
    /// The runtime size.
    pub size: Symbol,
    /// Bytes to add for each element of it.
    pub bytes: Bytes,
}

/// One dimension of the planned iteration space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedDim {
    /// The name.
    pub dim: Dim,
    /// Extent in elements, padded; the maximum for runtime sizes.
    pub extent: u64,
    /// Slices over which cores divide it; divides `extent`.
    pub slices: u64,
    /// Set if the extent is dynamic.
    pub runtime: Option<RuntimeDim>,
}

impl PlannedDim {
    /// True if cores divide it and its extent is dynamic.
    pub const fn is_split_at_run_time(&self) -> bool {
        self.slices > 1 && self.runtime.is_some()
    }
}

/// A runtime size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeDim {
    /// The name.
    pub symbol: Symbol,
    /// The bounds.
    pub bounds: DimBounds,
}

/// How a tensor dimension relates to the iteration dimension of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The tensor has it.
    Full,
    /// The tensor does not have it: broadcast or reduced.
    Reduced,
    /// Like [`Reduced`](Self::Reduced), and it would be the stick: one element per stick.
    StickReduced,
}

impl Scale {
    /// The code in the file (SDSC bundle specification, section 4.4).
    pub const fn code(self) -> i64 {
        match self {
            Self::Full => 1,
            Self::Reduced => -1,
            Self::StickReduced => -2,
        }
    }
}

/// One dimension of a planned tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorDim {
    /// The name.
    pub dim: Dim,
    /// The relation to the iteration space.
    pub scale: Scale,
    /// Device elements from one end of the dimension to the other: the distance that all slices together cover.
    pub stride: Elements,
    /// Device elements before the first element used.
    pub offset: Elements,
    /// Elements of the dimension in memory that the operation does not use.
    pub back_gap: Elements,
    /// True if an index tensor chooses the positions along it, from more than are iterated over.
    pub gathered: bool,
}

/// The part of a tensor in indirect access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// None.
    Plain,
    /// The tensor has the positions at which another tensor is read.
    Index {
        /// The position of that tensor among the operands.
        value: usize,
    },
    /// The tensor is read at the positions that another tensor has.
    Value {
        /// The position of that tensor among the operands.
        index: usize,
    },
}

/// Bytes by which a tensor moves per iteration of one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelStep {
    /// The enclosing loop, outermost 0.
    pub level: usize,
    /// Bytes per iteration.
    pub bytes: Bytes,
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTensor {
    /// Which of the operation's layouts it has.
    pub label: LayoutLabel,
    /// The dimensions in the order of the tensor, innermost first.
    pub dims: Vec<TensorDim>,
    /// The format printed.
    pub format: DeviceFormat,
    /// The dimension along the stick; `None` if the tensor does not have the dimension in memory.
    pub stick: Option<Dim>,
    /// Elements in one of its sticks.
    pub per_stick: Elements,
    /// Width of one element.
    pub element_bytes: Bytes,
    /// Where it lives.
    pub allocation: Allocation,
    /// The part in indirect access.
    pub role: Role,
    /// How it moves, outermost loop first; empty if it stays.
    pub steps: Vec<LevelStep>,
    /// Which core owns which part, in a shuffle; otherwise the division of the operation defines it.
    pub ownership: Option<CoreOwnership>,
    /// How its elements follow each other along the stick.
    pub packing: Packing,
    /// True if each core's part is a separate tensor in device memory.
    pub separate_parts: bool,
}

/// Which core owns which part of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreOwnership {
    /// Slices per dimension, in the order of the iteration space.
    pub slices: Vec<(Dim, u64)>,
    /// The cores that own a part, with their slice of each of these dimensions.
    pub of_cores: Vec<(u32, Vec<u64>)>,
}

impl CoreOwnership {
    /// The slices of a dimension.
    ///
    /// # Panics
    /// If the dimension is not iterated over.
    pub fn slices_of(&self, dim: Dim) -> u64 {
        let slice = self.slices.iter().find(|(slice_dim, _)| *slice_dim == dim);
        slice.expect("every dimension has slices").1
    }
}

/// Elements that [`Packing::Fp8Rows`] and [`Packing::Fp8Weights`] reorder along a dimension.
pub const FP8_BLOCK: u64 = 128;

/// Elements of the first of two stick dimensions in a stick of [`Packing::Fp8Weights`].
pub const FP8_PAIR: u64 = 2;

/// How the elements of a tensor follow each other along the stick (SDSC bundle specification, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// One after the other.
    #[default]
    Linear,
    /// In groups of 8 out of [`FP8_BLOCK`] elements, alternating between the first half and the second half: the rows
    /// of an fp8 matrix multiplication.
    Fp8Rows,
    /// In pairs along the dimension before the stick: a stick has 2 elements of that dimension, and half as many of its
    /// stick dimension as a stick of the format. The weights of an fp8 matrix multiplication.
    Fp8Weights,
}

impl PlannedTensor {
    /// True for index tensors of indirect access.
    pub fn is_index(&self) -> bool {
        matches!(self.role, Role::Index { .. })
    }

    /// The dimension called `dim`.
    pub fn dim(&self, dim: Dim) -> Option<&TensorDim> {
        self.dims.iter().find(|d| d.dim == dim)
    }

    /// The dimensions along the stick in memory, in the order of the tensor: two of weights that are packed in pairs
    /// (SDSC bundle specification, section 4.5).
    pub fn packed_dims(&self) -> impl Iterator<Item = Dim> {
        let pairs = self.packing == Packing::Fp8Weights;
        let first = if pairs { self.dims.len() - 2 } else { 0 };
        let dims = self.dims.iter().skip(first).map(|d| d.dim);
        dims.filter(move |dim| pairs || self.stick == Some(*dim))
    }

    /// Device elements before the first element used, over all dimensions (SDSC bundle specification, section 4.8).
    /// Planning refuses tensors for which the sum would saturate.
    pub fn slice_offset(&self) -> Elements {
        let offsets = self.dims.iter().map(|d| d.offset.get());
        Elements(offsets.fold(0, u64::saturating_add))
    }
}

/// The names of layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutLabel {
    /// `OUTPUT`.
    Output,
    /// `KERNEL`.
    Kernel,
    /// `INPUT`.
    Input,
    /// `KERNEL_IDX`.
    KernelIdx,
    /// A label of a planned descriptor that is not one that planning gives.
    Other(ShortName),
}

impl LayoutLabel {
    /// The labels that planning gives.
    const PLANNED: [Self; 4] = [Self::Output, Self::Kernel, Self::Input, Self::KernelIdx];

    /// The label of this name, if the name is short enough.
    pub fn named(name: &str) -> Option<Self> {
        let planned_label = Self::PLANNED
            .into_iter()
            .find(|label| label.as_str() == name);
        planned_label.or_else(|| ShortName::new(name).map(Self::Other))
    }

    /// The name in the file.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Output => "OUTPUT",
            Self::Kernel => "KERNEL",
            Self::Input => "INPUT",
            Self::KernelIdx => "KERNEL_IDX",
            Self::Other(name) => name.as_str(),
        }
    }
}

/// A dimension order with its stick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name.
    pub label: LayoutLabel,
    /// The dimensions, innermost first.
    pub dim_order: Vec<Dim>,
    /// The dimensions along the stick, outermost first; more than one only in weights that are packed in two
    /// dimensions.
    pub sticks: Vec<StickDim>,
}

impl Layout {
    /// True if `dim` runs along the stick.
    pub fn is_stick(&self, dim: Dim) -> bool {
        self.sticks.iter().any(|stick| stick.dim == dim)
    }

    /// Elements in a stick: the product over all its stick dimensions.
    pub fn stick_volume(&self) -> Elements {
        Elements(self.sticks.iter().map(|stick| stick.size.get()).product())
    }
}

/// A dimension along the stick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StickDim {
    /// The name.
    pub dim: Dim,
    /// Elements of it in one stick.
    pub size: Elements,
}

/// A range of a padded dimension that must not contribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask {
    /// The dimension.
    pub dim: Dim,
    /// The first padded position: the extent before padding.
    pub start: u64,
    /// The number of padded positions.
    pub len: u64,
}

/// A named constant in device encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name.
    pub name: String,
    /// The bits.
    pub code: u32,
}
