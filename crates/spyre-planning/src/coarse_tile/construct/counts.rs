//! Compares the loops of a group with the plan, to detect operations that were lost or built twice.
//!
//! The operations between a marker and the end of the loops are counted by a walk that is independent of the
//! construction of loops. The counts must equal the counts of the plan. Otherwise there is a bug in this pass, and the
//! error does not blame the input.

use melior::ir::Location;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, OpKind};

use crate::coarse_tile::plan::TilePlan;
use crate::coarse_tile::plan::counts::NestCounts;

/// The nest that was built of a plan.
#[derive(Debug)]
pub(crate) struct BuiltNest<'p> {
    /// The members in the bodies, of all copies.
    pub(crate) members: Vec<Op<'p>>,
    /// The number of constants in place of windows.
    pub(crate) constants: usize,
}

/// The place at which the loops of a group are built.
pub(crate) struct NestSpan<'p> {
    /// An operation before the loops.
    marker: Op<'p>,
    /// The operation after the loops; `None` if the loops end the block.
    behind: Option<Op<'p>>,
}

impl<'p> NestSpan<'p> {
    /// Marks the place, before loops are built.
    pub(crate) fn new(at: At<'p>, location: Location<'p>) -> Self {
        let marker = ir::build_index_constant(at, location, 0);
        Self {
            marker: ir::defining_op(marker).expect("a constant is a result"),
            behind: match at {
                At::Before(op) => Some(op),
                At::End(_) => None,
            },
        }
    }

    /// Checks that the loops match the plan, and removes the marker. `moved` are operations after the loops that are no
    /// members. Returns the counts.
    ///
    /// # Errors
    /// The counts differ.
    pub(crate) fn check(
        self,
        plan: &TilePlan<'p>,
        built: &BuiltNest<'p>,
        moved: &[Op<'p>],
        expected: NestCounts,
    ) -> Result<NestCounts, Diagnostic<'p>> {
        let members = built.members.iter().copied().map(ir::op_key).collect();
        let outside = plan.members.pairs();
        let outside = outside.filter(|(id, _)| !plan.nest.is_in_loops(*id));
        let outside = outside.map(|(_, member)| member.op.op());
        let outside = outside.chain(moved.iter().copied()).map(ir::op_key);
        let first = self.marker.next_in_block();
        let mut counts = count(first, self.behind, &members, &outside.collect());
        counts.windows += built.constants;
        let location = self.marker.location();
        ir::erase(self.marker);
        if counts == expected {
            return Ok(counts);
        }
        let message =
            format!("coarse-tile: internal error: the plan is {expected}, but {counts} were built");
        Err(Diagnostic::error(location, message))
    }
}

/// Counts the operations from `first` to the one before `behind`, and the operations in loops. `outside` are not
/// counted.
fn count<'p>(
    first: Option<Op<'p>>,
    behind: Option<Op<'p>>,
    members: &FxHashSet<ir::OpKey>,
    outside: &FxHashSet<ir::OpKey>,
) -> NestCounts {
    let mut counts = NestCounts::default();
    let mut next = first;
    while let Some(op) = next.filter(|op| Some(*op) != behind) {
        next = op.next_in_block();
        let key = ir::op_key(op);
        if members.contains(&key) {
            counts.members += 1;
            continue;
        }
        if outside.contains(&key) {
            continue;
        }
        if ir::kind(op) == OpKind::ExtractSlice {
            counts.windows += 1;
        }
        if ir::kind(op) == OpKind::For {
            let body = ir::body(op).and_then(|body| body.first_operation());
            let inside = count(body, None, members, outside);
            counts.loops += 1 + inside.loops;
            counts.members += inside.members;
            counts.carried += op.result_count() + inside.carried;
            counts.windows += inside.windows;
        }
    }
    counts
}
