//! The kinds of views that are counted, and the heads that they have.

use std::fmt;

use crate::program::{NodeKind, Program};

/// A kind of view. Each is drawn as often as every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// A dimension becomes several, of which the last has the extent of the head.
    Split,
    /// A dimension before the last one becomes several.
    SplitRows,
    /// Dimensions of one element appear.
    ExpandUnit,
    /// Several dimensions become one; the last of them has the extent of the head.
    Merge,
    /// Dimensions before the last one become one; the last is kept.
    MergeRows,
    /// Dimensions of one element are dropped.
    CollapseUnit,
    /// All dimensions become one, or one becomes all.
    Flat,
    /// Dimensions change their order.
    Permute,
    /// A part of the dimensions before the last one.
    SliceRows,
    /// One element of the dimension before the last one.
    SliceOneRow,
    /// A part of the last dimension, between multiples of 64.
    SliceSticks,
    /// Another part of the last dimension.
    SliceInside,
    /// Rows that are inserted into a tensor.
    InsertRows,
    /// One row that is inserted into a tensor.
    InsertOneRow,
    /// A part of the last dimension, between multiples of 64, that is inserted into a tensor.
    InsertSticks,
    /// Another part of the last dimension that is inserted into a tensor.
    InsertInside,
}

impl View {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::Split,
        Self::SplitRows,
        Self::ExpandUnit,
        Self::Merge,
        Self::MergeRows,
        Self::CollapseUnit,
        Self::Flat,
        Self::Permute,
        Self::SliceRows,
        Self::SliceOneRow,
        Self::SliceSticks,
        Self::SliceInside,
        Self::InsertRows,
        Self::InsertOneRow,
        Self::InsertSticks,
        Self::InsertInside,
    ];
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Split => "expand a head",
            Self::SplitRows => "expand rows",
            Self::ExpandUnit => "expand by 1",
            Self::Merge => "collapse a head",
            Self::MergeRows => "collapse rows",
            Self::CollapseUnit => "collapse a 1",
            Self::Flat => "flat",
            Self::Permute => "permute",
            Self::SliceRows => "slice rows",
            Self::SliceOneRow => "slice one row",
            Self::SliceSticks => "slice at 64",
            Self::SliceInside => "slice inside 64",
            Self::InsertRows => "insert rows",
            Self::InsertOneRow => "insert one row",
            Self::InsertSticks => "insert at 64",
            Self::InsertInside => "insert inside 64",
        })
    }
}

/// The extent of the dimension that a view is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Head {
    /// The size of a head of attention, in elements.
    Of(u64),
    /// Any other extent.
    Other,
}

impl Head {
    /// All heads that are counted.
    pub const ALL: [Self; 6] = [
        Self::Of(32),
        Self::Of(64),
        Self::Of(80),
        Self::Of(96),
        Self::Of(128),
        Self::Other,
    ];
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(extent) => f.pad(&extent.to_string()),
            Self::Other => f.pad("other"),
        }
    }
}

/// A property that a program has in addition to its views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// The program returns a view.
    ReturnedView,
    /// The program returns a view of an argument.
    ReturnedArgument,
    /// A view is between two operations that compute.
    Between,
    /// A view is of a view.
    Chain,
    /// A view is of a constant.
    Constant,
    /// An operation reads a tensor with an inserted one.
    ReadsInsert,
    /// A product with one row in the right operand.
    OneProduct,
    /// A product or reduction reads a view.
    Contraction,
    /// The last dimension of a result has one element.
    OneColumn,
    /// A cast of a last dimension that is no multiple of 64.
    RaggedCast,
    /// A slice without some of the dimensions of its source.
    LowerRank,
}

impl Trait {
    /// All traits.
    pub const ALL: [Self; 11] = [
        Self::ReturnedView,
        Self::ReturnedArgument,
        Self::Between,
        Self::Chain,
        Self::Constant,
        Self::ReadsInsert,
        Self::OneProduct,
        Self::Contraction,
        Self::OneColumn,
        Self::RaggedCast,
        Self::LowerRank,
    ];
}

impl fmt::Display for Trait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ReturnedView => "a returned view",
            Self::ReturnedArgument => "a returned view of an argument",
            Self::Between => "a view between operations",
            Self::Chain => "a view of a view",
            Self::Constant => "a view of a constant",
            Self::ReadsInsert => "a read of what was put together",
            Self::OneProduct => "a product with K = 1",
            Self::Contraction => "a product or reduction of a view",
            Self::OneColumn => "a result of one column",
            Self::RaggedCast => "a cast inside 64",
            Self::LowerRank => "a slice of lower rank",
        })
    }
}

impl Program {
    /// Returns the traits of the program, each once.
    #[must_use]
    pub fn traits(&self) -> Vec<Trait> {
        let has = |feature: &Trait| match feature {
            Trait::ReturnedView => self.results.iter().any(|at| self.nodes[*at].kind.is_view()),
            Trait::ReturnedArgument => self.results.iter().any(|at| {
                let node = &self.nodes[*at];
                let is_input = |at: &usize| matches!(self.nodes[*at].kind, NodeKind::Input(_));
                node.kind.is_view() && node.operands.iter().all(is_input)
            }),
            _ => (0..self.nodes.len()).any(|at| self.node_has(at, *feature)),
        };
        Trait::ALL.into_iter().filter(has).collect()
    }

    fn node_has(&self, at: usize, feature: Trait) -> bool {
        let node = &self.nodes[at];
        let operands = || node.operands.iter().map(|at| &self.nodes[*at]);
        let shape = |operand: usize| &self.nodes[node.operands[operand]].tensor.shape;
        match feature {
            Trait::Between => {
                let is_read = |at: usize| {
                    let mut nodes = self.nodes.iter();
                    nodes.any(|node| node.kind.is_computed() && node.operands.contains(&at))
                };
                node.kind.is_view() && is_read(at) && operands().any(|node| node.kind.is_computed())
            }
            Trait::Chain => node.kind.is_view() && operands().any(|node| node.kind.is_view()),
            Trait::Constant => {
                node.kind.is_view() && operands().any(|node| matches!(node.kind, NodeKind::Fill(_)))
            }
            Trait::ReadsInsert => operands().any(|node| matches!(node.kind, NodeKind::Insert(..))),
            Trait::OneProduct => {
                matches!(node.kind, NodeKind::Matmul(_)) && shape(0).last() == Some(&1)
            }
            Trait::Contraction => {
                matches!(node.kind, NodeKind::Matmul(_) | NodeKind::Reduce(..))
                    && operands().any(|node| node.kind.is_view())
            }
            Trait::OneColumn => self.results.contains(&at) && node.tensor.shape.last() == Some(&1),
            Trait::RaggedCast => {
                matches!(
                    node.kind,
                    NodeKind::Pointwise("dl16tofp32" | "fp32todl16", _)
                ) && node
                    .tensor
                    .shape
                    .last()
                    .is_some_and(|extent| extent % 64 != 0)
            }
            Trait::LowerRank => {
                matches!(&node.kind, NodeKind::Extract(_, sizes) if sizes.len() > node.tensor.shape.len())
            }
            Trait::ReturnedView | Trait::ReturnedArgument => false,
        }
    }
}
