//! A program, as input of the scheduler: buffers, and the nodes that compute them.

use std::ops::Index;
use std::rc::Rc;

use spyre_index_expr::ranges::Range;
use spyre_index_expr::{Expr, Var};

use super::nest::Nest;
use crate::schema::Text;

/// The assumed upper bound of an index without a known bound.
const UNBOUNDED: i64 = 1 << 40;

/// A buffer of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

/// The work of loop nests that are alike, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopsId(pub u32);

/// A node of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A program: its nodes in program order.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The symbolic sizes.
    pub symbols: Vec<Symbol>,
    /// The buffers, by their numbers.
    pub buffers: Vec<Buffer>,
    /// The work of loop nests, by its number.
    pub loops: Vec<Loops>,
    /// The nodes, by their numbers. Each reads only results of earlier nodes.
    pub nodes: Vec<Node>,
    /// The buffers that the program returns.
    pub outputs: Vec<BufferId>,
    /// The last values of inputs that the program writes.
    pub written: Vec<BufferId>,
}

/// A symbolic size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbol {
    /// The size that the program was traced with.
    pub hint: Option<i64>,
    /// The smallest size.
    pub min: i64,
}

/// A buffer: a tensor with separate memory, or a new value in the memory of another buffer.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// The name.
    pub name: Text,
    /// The size of an element, in bytes.
    pub bytes: i64,
    /// The extents, in elements.
    pub size: Rc<[Expr]>,
    /// The node that computes it; `None` for inputs and constants.
    pub maker: Option<NodeId>,
    /// The buffers that contain its memory.
    pub aliases: Vec<BufferId>,
    /// The buffer that it overwrites.
    pub overwrites: Option<BufferId>,
}

/// The work of loop nests that differ only in their buffers: the layers of a model are alike, as are most operations of a chain.
#[derive(Debug, Clone)]
pub struct Loops {
    /// The nest, without loops of one iteration.
    pub nest: Nest,
    /// The extents of the result, with extents of 1.
    pub ranges: Vec<Expr>,
    /// Whether the last loops are along the reduced, scanned or sorted dimensions.
    pub is_reduction: bool,
}

/// An operation that computes buffers.
#[derive(Debug, Clone)]
pub struct Node {
    /// The name.
    pub name: Text,
    /// The kind.
    pub kind: NodeKind,
    /// The buffers that it computes.
    pub makes: Vec<BufferId>,
    /// The hint scope that it is in.
    pub scope: Option<u32>,
}

/// The kind of a node.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// A loop nest.
    Loops {
        /// The work of the nest.
        loops: LoopsId,
        /// The buffer of each load. The stores are to the one buffer that the node computes.
        reads: Vec<BufferId>,
    },
    /// An external kernel.
    Extern {
        /// The buffers that it reads.
        reads: Vec<BufferId>,
        /// Whether it has effects other than writing its buffers.
        has_effects: bool,
        /// The place in memory of each element, for one result of several: the extents, and an expression of them as loops.
        writes: Option<(Vec<Expr>, Expr)>,
    },
    /// No work: buffers that are in place already.
    Nothing {
        /// The buffers that it consists of.
        reads: Vec<BufferId>,
    },
}

impl Program {
    /// Returns the value of an expression of symbols at the sizes that the program was traced with; `None` if one is not known.
    #[must_use]
    pub fn hint(&self, expr: &Expr) -> Option<i64> {
        if let Some(number) = expr.as_constant() {
            return Some(number);
        }
        let value_of = |var| match var {
            Var::Symbol(number) => self.symbols.get(number as usize)?.hint.map(Expr::constant),
            _ => None,
        };
        expr.substitute(&value_of).ok()?.as_constant()
    }

    /// Returns the range of a variable, if it is known: a loop is below its extent, and an index is
    /// not negative.
    #[must_use]
    pub fn range(&self, loops: &[Expr], var: Var) -> Option<Range> {
        match var {
            Var::Loop(number) => {
                let extent = loops.get(number as usize)?.as_constant();
                Some((0, extent.map_or(UNBOUNDED, |extent| (extent - 1).max(0))))
            }
            Var::Indirect(_) => Some((0, UNBOUNDED)),
            Var::Symbol(number) => {
                let symbol = self.symbols.get(number as usize)?;
                Some((symbol.min, UNBOUNDED))
            }
        }
    }

    /// Returns the number of elements of a buffer.
    #[must_use]
    pub fn elements(&self, buffer: BufferId) -> Option<i64> {
        let mut sizes = self[buffer].size.iter().map(|size| self.hint(size));
        sizes.try_fold(1_i64, |product, size| product.checked_mul(size?))
    }

    /// Returns the loops of a node; `None` if it has none.
    #[must_use]
    pub fn loops_of(&self, node: NodeId) -> Option<&Loops> {
        match &self[node].kind {
            NodeKind::Loops { loops, .. } => Some(&self[*loops]),
            NodeKind::Extern { .. } | NodeKind::Nothing { .. } => None,
        }
    }

    /// Returns the numbers of all nodes.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..u32::try_from(self.nodes.len()).expect("nodes are counted")).map(NodeId)
    }

    /// Returns the buffer that owns the memory of a buffer, through all overwrites.
    #[must_use]
    pub fn memory(&self, mut buffer: BufferId) -> BufferId {
        while let Some(target) = self[buffer].overwrites {
            buffer = target;
        }
        buffer
    }
}

impl Index<BufferId> for Program {
    type Output = Buffer;

    fn index(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }
}

impl Index<LoopsId> for Program {
    type Output = Loops;

    fn index(&self, id: LoopsId) -> &Loops {
        &self.loops[id.0 as usize]
    }
}

impl Index<NodeId> for Program {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}
