//! The walk over a function that follows the names of its dimensions.

use std::convert::Infallible;
use std::rc::Rc;

use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};

use super::{DimNames, Names};
use crate::indexing::{Indexing, Indexings};

/// A place that the walk comes to.
pub enum Visit<'p> {
    /// A device operation, the indexing of its tensors, and the names of its iteration dimensions.
    Device(DeviceOp<'p>, Rc<Indexing<'p>>, DimNames),
    /// Into the body of a loop.
    Into(Op<'p>),
    /// Out of the body of a loop.
    OutOf(Op<'p>),
    /// Any other operation. Its result has its names.
    Other(Op<'p>),
}

/// The facts that are followed: the names of values, and the indexings of operations.
pub struct Followed<'p> {
    /// The names of the values that were visited.
    pub names: Names<'p>,
    /// The indexings of the device operations that were visited.
    pub indexings: Indexings<'p>,
}

impl<'p> Followed<'p> {
    /// Begins with the names that a function declares on its arguments.
    pub fn of_function(function: Op<'p>) -> Self {
        Self {
            names: Names::of_function(function),
            indexings: Indexings::default(),
        }
    }
}

/// An analysis that needs the names of dimensions, in the order of the text.
pub trait Follower<'p> {
    /// The error that ends the walk.
    type Error;

    /// Returns the names that are followed.
    fn followed(&mut self) -> &mut Followed<'p>;

    /// Visits the next operation, or an end of the body of a loop.
    ///
    /// # Errors
    /// The walk ends here.
    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Self::Error>;

    /// Walks over a block, and over the bodies of the loops in it.
    ///
    /// # Errors
    /// The first error of [`Self::visit`].
    fn follow(&mut self, block: Blk<'p>) -> Result<(), Self::Error> {
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                let Followed { names, indexings } = self.followed();
                let indexing = indexings.of(device);
                let names = names.through_device_op(device, &indexing);
                self.visit(Visit::Device(device, indexing, names))?;
            } else if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                self.visit(Visit::Into(op))?;
                self.followed().names.enter_loop(op);
                self.follow(body)?;
                self.visit(Visit::OutOf(op))?;
                self.followed().names.out_of_loop(op);
            } else {
                self.followed().names.through(op);
                self.visit(Visit::Other(op))?;
            }
        }
        Ok(())
    }
}

/// A follower that only propagates names.
impl<'p> Follower<'p> for Followed<'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        self
    }

    fn visit(&mut self, _: Visit<'p>) -> Result<(), Infallible> {
        Ok(())
    }
}
