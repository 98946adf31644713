//! Operations outside of the program.

use melior::ir::block::BlockLike;
use melior::ir::{Block, BlockRef, Location, Type};

use super::{Blk, Val};

/// A block that is in no region. Operations are built in it before a pass decides whether they move into the program.
///
/// The block ends with this value, and with it the operations that have not moved: no handle to one of them, to its
/// results or to an argument of the block may be used any more. As for [`erase`](super::erase), the caller ensures that.
pub struct DetachedBlock<'p>(Block<'p>);

impl Default for DetachedBlock<'_> {
    fn default() -> Self {
        Self(Block::new(&[]))
    }
}

impl<'p> DetachedBlock<'p> {
    /// Returns the block.
    #[must_use]
    pub fn block(&self) -> Blk<'p> {
        // SAFETY: a live block; the caller does not use it after the end of `self`.
        unsafe { BlockRef::from_raw(self.0.to_raw()) }
    }

    /// Adds an argument of a type, an operand for operations that have no operands of the program yet.
    #[must_use]
    pub fn add_argument(&self, ty: Type<'p>, location: Location<'p>) -> Val<'p> {
        self.block().add_argument(ty, location)
    }
}
