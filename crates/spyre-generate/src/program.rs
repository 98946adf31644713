//! A program: nodes in order, each an input, a constant or an operation on nodes before it.

use crate::view::{Head, View};

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `i8`
    I8,
    /// `i32`
    I32,
    /// `i64`, of values that 32 bits have
    I64,
    /// `i1`
    Bool,
}

impl Element {
    /// Returns the largest integer such that the element type has every integer from 0 to it.
    #[must_use]
    pub const fn integers(self) -> u64 {
        match self {
            Self::F16 => 1 << 11,
            Self::Bf16 => 1 << 8,
            Self::F32 => 1 << 24,
            Self::I8 => 1 << 7,
            Self::I32 | Self::I64 => 1 << 30,
            Self::Bool => 1,
        }
    }

    /// Returns the name of the type in MLIR.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::I8 => "i8",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Bool => "i1",
        }
    }

    /// Returns whether elements are floats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32)
    }
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// The type of its elements.
    pub element: Element,
    /// The extents.
    pub shape: Vec<u64>,
}

impl Tensor {
    /// Returns the number of its elements.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.shape.iter().product()
    }
}

/// A name of a dimension, and the extent that it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The number of the name.
    pub name: usize,
    /// The extent, at least 2.
    pub extent: u64,
}

/// The names of a dimension, outermost first. The list is empty for an extent of 1.
pub type Dim = Vec<Part>;

/// An operation over windows of an image. Numbers are along height and width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// The mnemonic.
    pub mnemonic: &'static str,
    /// The elements of a window.
    pub kernel: [u64; 2],
    /// From one window to the next.
    pub strides: [u64; 2],
    /// From one element of a window to the next.
    pub dilations: [u64; 2],
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKind {
    /// An argument. With a number, its elements are indices from 0 to this bound, exclusive.
    Input(Option<u64>),
    /// A constant with the same number everywhere, in units of one half.
    Fill(i8),
    /// An operation element by element with broadcasting: the mnemonic, and the text after the operands.
    Pointwise(&'static str, &'static str),
    /// A reduction of these dimensions by the mnemonic; the last field is whether the dimensions are kept, with one
    /// element.
    Reduce(&'static str, Vec<usize>, bool),
    /// The pair of moments of each row along the last dimension. The pair is the last dimension of the result.
    Moments,
    /// A product of matrices, by the mnemonic.
    Matmul(&'static str),
    /// A convolution or a pool.
    Windows(Windows),
    /// A search for the first elements along a dimension, or for their positions: the mnemonic, the dimension and the number of
    /// elements.
    TopK(&'static str, usize, u64),
    /// The elements of the second operand at the indices in the first, along a dimension.
    Gather(usize),
    /// A loop over windows along a dimension: the dimension, the extent of a window, and whether the last two dimensions
    /// change places in the body and back.
    Loop(usize, u64, bool),
    /// A loop that carries two values and yields them swapped: the trip count, and the operation on both that is
    /// yielded in place of the second.
    Exchange(u64, Option<&'static str>),
    /// The concatenation of the operands along a dimension, inserted in this order. With a fork, a second tensor has
    /// the same insertions, except for the last operand in place of the last inserted one, and the result is the
    /// elementwise maximum of both.
    Join {
        /// The dimension.
        dim: usize,
        /// The numbers of the parts.
        order: Vec<usize>,
        /// Whether there is a second tensor.
        forks: bool,
    },
    /// A permutation of the dimensions.
    Permute(Vec<usize>),
    /// A reshape with more dimensions, of these groups.
    Expand(Vec<Vec<usize>>),
    /// A reshape with fewer dimensions, of these groups.
    Collapse(Vec<Vec<usize>>),
    /// A window: its offsets and its sizes. Where the result lacks a dimension, the size is 1.
    Extract(Vec<u64>, Vec<u64>),
    /// The second operand with the first inserted: offsets and sizes as in `Extract`.
    Insert(Vec<u64>, Vec<u64>),
}

impl NodeKind {
    /// Returns whether it is a device operation, which can have hints.
    #[must_use]
    pub const fn is_computed(&self) -> bool {
        matches!(
            self,
            Self::Pointwise(..)
                | Self::Reduce(..)
                | Self::Moments
                | Self::Matmul(_)
                | Self::Windows(_)
                | Self::TopK(..)
                | Self::Gather(_)
        )
    }

    /// Returns whether it is a view of a tensor.
    #[must_use]
    pub const fn is_view(&self) -> bool {
        matches!(
            self,
            Self::Permute(_)
                | Self::Expand(_)
                | Self::Collapse(_)
                | Self::Extract(..)
                | Self::Insert(..)
        )
    }
}

/// The tiles of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiles {
    /// This number of tiles.
    Count(u64),
    /// Tiles of this extent, in elements.
    Size(u64),
}

/// A hint: the name of a dimension and its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// The number of its scope.
    pub scope: usize,
    /// The name of the dimension.
    pub name: usize,
    /// The tiles of the dimension.
    pub tiles: Tiles,
}

/// A value and the operation that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The kind of the node.
    pub kind: NodeKind,
    /// The nodes that it uses, all of them before it.
    pub operands: Vec<usize>,
    /// The type.
    pub tensor: Tensor,
    /// The largest magnitude of its elements, if all are integers.
    pub bound: Option<u64>,
    /// The names of its dimensions.
    pub dims: Vec<Dim>,
    /// Whether the text has the names of the dimensions, because they do not follow from the operands.
    pub is_named: bool,
    /// The hints, outermost scope first.
    pub hints: Vec<Hint>,
    /// The cores along each dimension of its iteration space; empty where passes choose.
    pub split: Vec<u64>,
    /// The dimension on the stick of the layout in its type; `None` where passes choose a layout.
    pub stick: Option<usize>,
    /// The view that it was drawn as; `None` if it was not drawn as a view.
    pub view: Option<(View, Head)>,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Inputs and operations, in order.
    pub nodes: Vec<Node>,
    /// The nodes that are returned.
    pub results: Vec<usize>,
    /// The number of cores of the card.
    pub cores: u64,
    /// The bytes of a core's scratchpad, if not the card's.
    pub lx_bytes: Option<u64>,
    /// Whether inputs of unbounded numbers have special values among them.
    pub special_values: bool,
}

impl Program {
    /// Returns the inputs, in the order of the arguments.
    pub fn inputs(&self) -> impl Iterator<Item = (usize, &Node)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| matches!(node.kind, NodeKind::Input(_)))
    }

    /// Returns whether an operation has a hint.
    #[must_use]
    pub fn has_hints(&self) -> bool {
        self.nodes.iter().any(|node| !node.hints.is_empty())
    }

    /// Returns the views that were drawn, and where they are.
    pub fn views(&self) -> impl Iterator<Item = (usize, View, Head)> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(at, node)| node.view.map(|(view, head)| (at, view, head)))
    }

    /// Returns whether the compiled program may differ: `erf` comes from another library.
    #[must_use]
    pub fn is_approximate(&self) -> bool {
        let is_gelu = |node: &Node| matches!(node.kind, NodeKind::Pointwise("gelufwd", _));
        self.nodes.iter().any(is_gelu)
    }

    /// Returns the number of uses of each node. Being a result is a use.
    #[must_use]
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(|node| &node.operands);
        for at in operands.chain(&self.results) {
            uses[*at] += 1;
        }
        uses
    }

    /// Returns the number of operations.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.nodes.len() - self.inputs().count()
    }
}
