//! Finds the groups of operations to tile, and the levels that cut them.
//!
//! Hints give them by names of dimensions, the option `groups` by positions of operations. Both lead to the same
//! groups: operations of one block in order, and for each of them and each level the dimension that the level cuts.
//! Operations between them stay before the loops or move after them; where neither is possible, the group ends. The IR
//! is not changed here.

pub(crate) mod explicit;
pub(crate) mod group_op;
pub(crate) mod groups;
pub(crate) mod hints;
pub(crate) mod open;
pub(crate) mod positions;
pub(crate) mod run;
pub(crate) mod splits;

use std::rc::Rc;

use spyre_analysis::dynamic::SymbolId;
use spyre_analysis::indexing::Indexing;
use spyre_mlir_rt::ir::Op;

use self::group_op::GroupOp;
use crate::coarse_tile::ids::{IdVec, IterDim, LevelId, MemberId};

/// One loop level of a group.
#[derive(Debug, Clone)]
pub(crate) struct Level {
    /// The number of tiles.
    pub(crate) count: u64,
    /// The extent of a tile in elements, if the hint gives an extent; `None` if it gives a number of tiles.
    pub(crate) size: Option<u64>,
    /// The name of the level in diagnostics, in the user's words: `dimension "A"`, `dimension 0`.
    pub(crate) label: String,
    /// The hint scope that it is the loop of; `None` for a level that no hint requests.
    pub(crate) scope: Option<i64>,
    /// The dynamic dimension that it cuts first, if there is one. The loop then runs up to the dimension's extent, and `count` is
    /// the largest number of tiles.
    pub(crate) dynamic: Option<SymbolId>,
}

/// The effect of a level on an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LevelDim {
    /// The level cuts this dimension.
    Cuts(IterDim),
    /// The operation lacks the dimension. The level's loop repeats it, if it is inside.
    Lacks,
    /// The operation is not in the scope of the level, so it must not be in the level's loop.
    Apart,
}

/// The effect of each level of a group on an operation.
pub(crate) type LevelDims = IdVec<LevelId, LevelDim>;

impl LevelDims {
    /// Returns the dimension that a level cuts; `None` if it cuts none.
    pub(crate) fn cut(&self, level: LevelId) -> Option<IterDim> {
        match self[level] {
            LevelDim::Cuts(dim) => Some(dim),
            LevelDim::Lacks | LevelDim::Apart => None,
        }
    }

    /// Returns the levels that cut a dimension, each with the dimension.
    pub(crate) fn cuts(&self) -> impl DoubleEndedIterator<Item = (LevelId, IterDim)> {
        self.ids()
            .filter_map(|level| Some((level, self.cut(level)?)))
    }

    /// Returns whether the operation must not be in the loop of a level.
    pub(crate) fn is_apart(&self, level: LevelId) -> bool {
        self[level] == LevelDim::Apart
    }

    /// Returns the number of levels around the operation, down to the innermost that cuts a dimension.
    pub(crate) fn depth(&self) -> usize {
        let innermost = self.cuts().next_back();
        innermost.map_or(0, |(level, _)| level.depth_inside())
    }
}

/// One operation of a group.
#[derive(Debug, Clone)]
pub(crate) struct Member<'p> {
    /// The operation.
    pub(crate) op: GroupOp<'p>,
    /// The indexing of its tensors.
    pub(crate) indexing: Rc<Indexing<'p>>,
    /// The effect of each level on the operation.
    pub(crate) dims: Rc<LevelDims>,
}

/// Operations of one block to tile together. The operations between them use none of their results, except the ones
/// that move after the loops.
#[derive(Debug, Clone)]
pub(crate) struct Group<'p> {
    /// The levels, outermost first. Without levels the operations are not tiled, and the hints are removed.
    pub(crate) levels: IdVec<LevelId, Level>,
    /// The operations, in order; at least one.
    pub(crate) members: IdVec<MemberId, Member<'p>>,
    /// The operations between the members that have to move after the loops, in order.
    pub(crate) behind: Vec<Op<'p>>,
    /// The reason why it is a group, for messages.
    pub(crate) origin: String,
}
