//! The operations of a graph, with their arguments that are no nodes. `table` has their names.

mod elementwise;

use std::sync::Arc;

use smallvec::SmallVec;

pub use elementwise::{Domain, Elementwise};

use crate::dtype::DType;
use crate::schema::{Datum, Device, Slot};
use crate::shape::Shape;

/// The type of a tensor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// The type of its elements.
    pub dtype: DType,
    /// The extents, in elements.
    pub shape: Shape,
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

/// The kind of memory that a buffer is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum AddressSpace {
    /// The memory of the device, with the inputs.
    #[default]
    Global,
    /// The memory of a group of threads.
    Local,
    /// Registers.
    Register,
}

impl AddressSpace {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Global, Self::Local, Self::Register];

    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "GLOBAL",
            Self::Local => "LOCAL",
            Self::Register => "REG",
        }
    }
}

/// The operation by which a reduction combines two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combine {
    /// The sum; of truth values, whether one is true.
    Add,
    /// The larger one.
    Max,
    /// The product; of truth values, whether both are true.
    Mul,
}

impl Combine {
    /// All combinations.
    pub const ALL: [Self; 3] = [Self::Add, Self::Max, Self::Mul];

    /// Returns the elementwise operation of two elements.
    #[must_use]
    pub fn elementwise(self) -> Elementwise {
        match self {
            Self::Add => Elementwise::Add,
            Self::Max => Elementwise::Max,
            Self::Mul => Elementwise::Mul,
        }
    }
}

/// The purpose of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AxisType {
    /// A dimension of the groups of threads.
    Global,
    /// A dimension of the threads of a group.
    Local,
    /// The lanes of a warp.
    Warp,
    /// Threads of a CPU.
    Thread,
    /// Iterations run in order.
    Loop,
    /// A reduction.
    Reduce,
    /// A reduction that a group of threads shares.
    GroupReduce,
    /// A vector.
    Upcast,
    /// Written out.
    Unroll,
}

impl AxisType {
    /// All kinds, with their names in the file.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Global, "GLOBAL"),
        (Self::Local, "LOCAL"),
        (Self::Warp, "WARP"),
        (Self::Thread, "THREAD"),
        (Self::Loop, "LOOP"),
        (Self::Reduce, "REDUCE"),
        (Self::GroupReduce, "GROUP_REDUCE"),
        (Self::Upcast, "UPCAST"),
        (Self::Unroll, "UNROLL"),
    ];

    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        let entry = all.find(|(axis_type, _)| *axis_type == self);
        entry.expect("the list has all kinds").1
    }
}

/// The way in which a call uses its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// The parameters of the body are substituted.
    Function,
    /// The body is a kernel that is compiled separately.
    Call,
}

/// An identity on data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// The result is dense in memory.
    Contiguous,
    /// The gradient is dense in memory.
    ContiguousBackward,
    /// There is no gradient.
    Detach,
}

/// A node that collects effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collect {
    /// Effects without an order among them.
    Group,
    /// The effects of a program.
    Sink,
    /// Effects in their order.
    Linear,
}

/// Numbers of axes.
pub type Axes = SmallVec<[usize; 4]>;

/// An operation. The node has its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A buffer: its content before the program runs.
    Buffer {
        /// The number. Buffers of one kind of memory with the same number are the same buffer.
        slot: u32,
        /// The type of its content.
        ty: TensorType,
        /// Where it is.
        device: Option<Device>,
        /// The kind of memory.
        space: AddressSpace,
    },
    /// A parameter of a function, or a symbolic integer.
    Param {
        /// The number, or the name of a symbolic integer.
        slot: Slot,
        /// The type of the value that is passed.
        ty: TensorType,
        /// The smallest and the largest value of a symbolic integer.
        bounds: Option<[i64; 2]>,
    },
    /// A scalar. It is rounded to the element type; integers wrap.
    Const {
        /// The value, which is not rounded.
        value: Datum,
        /// The element type.
        dtype: DType,
    },
    /// Bytes.
    Binary(Arc<[u8]>),
    /// Orders the axes: an axis of the result is this axis of the source.
    Permute(Axes),
    /// Reverses the axes that are flagged.
    Flip(SmallVec<[bool; 4]>),
    /// Changes the shape, with elements in the same order.
    Reshape(Shape),
    /// Repeats the source along axes with one element.
    Expand(Shape),
    /// Pads the source with zeros.
    Pad {
        /// The offset for each axis, in elements.
        offset: Shape,
        /// The shape of the result.
        shape: Shape,
    },
    /// Extracts a part of the source.
    Shrink {
        /// The offset for each axis, in elements.
        offset: Shape,
        /// The shape of the result.
        shape: Shape,
    },
    /// Gathers elements at positions, from the first axis on. A scalar position drops its axis;
    /// several vectors are an outer product.
    Index,
    /// Joins tensors along a new first axis.
    Stack,
    /// Reads the same bytes as another element type.
    Bitcast(DType),
    /// Combines elements along axes, which have extent 1 in the result, and over ranges.
    Reduce {
        /// The operation on two elements.
        combine: Combine,
        /// The axes, ascending.
        axes: Axes,
    },
    /// Computes each element independently.
    Elementwise(Elementwise),
    /// Converts elements.
    Cast(DType),
    /// An identity on data.
    Marker(Marker),
    /// Moves a value to a device. To a tuple, it is sharded along the first axis.
    Copy(Device),
    /// Drops an axis along which all slices are equal.
    Replicated(usize),
    /// Several values.
    Tuple,
    /// Computes a body with arguments for its parameters.
    Call(CallKind),
    /// A value of several.
    GetTuple(usize),
    /// Reads a buffer into a new one, where the gate is true; the alternative elsewhere.
    Load {
        /// Where the new one is.
        device: Option<Device>,
        /// The kind of memory of the new one.
        space: Option<AddressSpace>,
    },
    /// Writes a value to a buffer, where the gate is true.
    Store,
    /// The buffer when all other sources have been executed.
    After,
    /// The number of an iteration, from 0.
    Range {
        /// The trip count.
        bound: u64,
        /// The number of the loop.
        axis_id: u64,
        /// The purpose.
        axis_type: AxisType,
    },
    /// Executes an effect for every value of a range.
    End,
    /// Executes effects.
    Collect(Collect),
}

impl Op {
    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.row().name
    }
}
