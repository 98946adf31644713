//! One operation, as its file describes it.

use spyre_layout::DeviceFormat;

/// The computation of one `sdsc_N.json`, and the places of its tensors.
///
/// Extents are in elements. Positions of dimensions refer to [`dims`](Self::dims).
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The operation function, `opFuncName`.
    pub function: String,
    /// The iteration space, in the order of `N_`.
    pub dims: Vec<Dim>,
    /// The cores that take part, with the slice of each dimension that each works on.
    pub cores: Vec<Core>,
    /// The tensors that are read, in order. Indices come first.
    pub inputs: Vec<Tensor>,
    /// The input that has the coordinates at which another input is read, if there is one.
    pub gather: Option<Gather>,
    /// The tensor that is written.
    pub output: Tensor,
    /// Ranges of the iteration space where a constant replaces the inputs.
    pub masks: Vec<Mask>,
    /// The constant that stands there.
    pub mask_value: f32,
    /// Named constants of the operation, without the mask's.
    pub constants: Vec<(String, f32)>,
    /// The owners of both tensors of a copy between scratchpads. Starts and gaps are in the order of their cores then.
    pub relayout: Option<Relayout>,
}

impl Operation {
    /// Returns the numbers of all cores that take part, and of all that have a part of a tensor.
    pub fn core_numbers(&self) -> impl Iterator<Item = u16> {
        let relayout = self.relayout.iter();
        let owners =
            relayout.flat_map(|part| part.source.cores.iter().chain(&part.destination.cores));
        self.cores.iter().chain(owners).map(|core| core.number)
    }
}

/// A copy between scratchpads that gives the elements of a tensor other owners (contract, K66).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relayout {
    /// The cores that have the elements.
    pub source: Distribution,
    /// The cores that get the elements.
    pub destination: Distribution,
}

/// The owners of a tensor's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// The number of equal parts of each dimension of the iteration space.
    pub slices: Vec<u64>,
    /// The cores, with the slice of each dimension that each has.
    pub cores: Vec<Core>,
}

/// A dimension of the iteration space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The name, such as `mb` or `out`.
    pub name: String,
    /// The extent, padded to whole sticks.
    pub extent: u64,
    /// The number of equal parts into which the cores divide it; at least 1, and a divisor of the extent.
    pub slices: u64,
    /// The symbol of its size, if the size is known when the bundle runs.
    pub symbol: Option<i64>,
}

impl Dim {
    /// Returns the part that one core works on.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.extent / self.slices
    }
}

/// A core that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// The number.
    pub number: u16,
    /// The slice of each dimension that it works on.
    pub slices: Vec<u64>,
}

/// A tensor, as one operation sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The position among the operation's tensors.
    pub index: usize,
    /// The memory that it is in.
    pub memory: MemoryKind,
    /// Whether each core's part is a separate tensor in device memory, of the size of the part and anywhere (contract,
    /// K62).
    pub is_separate: bool,
    /// The format of its elements.
    pub format: DeviceFormat,
    /// The dimension that runs inside sticks.
    pub stick: usize,
    /// Elements of a stick.
    pub per_stick: u64,
    /// The dimensions that the tensor has in memory, innermost first. Without its stick dimension, it has one element
    /// in each stick.
    pub order: Vec<TensorDim>,
    /// The start of each core, in the order of [`Operation::cores`].
    pub starts: Vec<Start>,
}

impl Tensor {
    /// Returns whether memory holds a core's part, and not the whole tensor: in a scratchpad, and where parts are separate.
    #[must_use]
    pub fn is_in_parts(&self) -> bool {
        self.memory == MemoryKind::Lx || self.is_separate
    }

    /// Returns the bytes of an element.
    #[must_use]
    pub fn element_bytes(&self) -> u64 {
        self.format.bytes_per_element().get()
    }

    /// Returns whether the tensor has a dimension of the iteration space in memory.
    #[must_use]
    pub fn has(&self, dim: usize) -> bool {
        self.order.iter().any(|tensor_dim| tensor_dim.dim == dim)
    }

    /// Returns whether the place of an element depends on a dimension of the iteration space: a dimension of the tensor, or the
    /// dimension of a window along another one.
    #[must_use]
    pub fn moves_along(&self, dim: usize) -> bool {
        let mut walks = self.order.iter().filter_map(|tensor_dim| tensor_dim.walk);
        self.has(dim) || walks.any(|walk| walk.window == dim)
    }
}

/// An input with coordinates of another input as its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gather {
    /// The position of the indices among the inputs.
    pub indices: usize,
    /// The position among the inputs of the table from which the indices select.
    pub table: usize,
    /// The gathered dimension of the table: the first of the dimensions that it shares with the indices in the file.
    pub dim: usize,
}

/// A dimension of a tensor in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorDim {
    /// The dimension of the iteration space.
    pub dim: usize,
    /// Whether indices are the coordinates along it. The file then lacks its extent, which follows from the size in
    /// memory.
    pub gathered: bool,
    /// Elements that follow the extent in memory, for each core in the order of [`Operation::cores`].
    pub gaps: Vec<u64>,
    /// Elements at the end of the extent that are not in memory: a change of layout runs over whole sticks of both
    /// its layouts (SDSC bundle specification, section 4.6).
    pub missing: u64,
    /// The windows that walk along it; `None` for nearly all dimensions.
    pub walk: Option<Walk>,
}

/// The windows that walk along a dimension. Elements of a window are `dilation` elements apart, and windows `stride`
/// elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The dimension of the iteration space with the elements of a window.
    pub window: usize,
    /// How many elements a window has.
    pub kernel: u64,
    /// Elements from one window to the next.
    pub stride: u64,
    /// Elements from one element of a window to the next.
    pub dilation: u64,
}

impl Walk {
    /// Returns how many elements this many windows reach over. `None` if they do not fit 64 bits.
    #[must_use]
    pub fn span(&self, windows: u64) -> Option<u64> {
        let first = self.kernel.checked_sub(1)?.checked_mul(self.dilation)?;
        let last_start = windows.checked_sub(1)?.checked_mul(self.stride)?;
        first.checked_add(last_start)?.checked_add(1)
    }
}

/// The memory of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Device memory: an argument or the pool.
    Hbm,
    /// The scratchpad of each core, which holds the core's slice.
    Lx,
}

/// The start of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At a byte address.
    Address(i64),
    /// At the value of a symbol.
    Symbol(i64),
}

/// A masked range of the iteration space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    /// The dimension.
    pub dim: usize,
    /// The range of elements; the end is not included.
    pub range: std::ops::Range<u64>,
}
