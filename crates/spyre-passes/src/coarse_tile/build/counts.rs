//! Compares the loops of a group with the plan: nothing is lost on the way, and nothing is there twice.
//!
//! The operations between the first member of the group and the place behind its loops are counted before and after, by a walk
//! that knows nothing of how loops are built. The difference must be what the plan says. Otherwise there is a mistake in this
//! pass, so that the error blames no input.

use melior::ir::Location;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind};

use crate::coarse_tile::plan::TilePlan;
use crate::coarse_tile::plan::counts::NestCounts;

/// What was built of a plan.
#[derive(Debug)]
pub(crate) struct BuiltNest<'p> {
    /// The members in the bodies, of all copies.
    pub(crate) members: Vec<Op<'p>>,
    /// The number of constants in place of windows.
    pub(crate) constants: usize,
}

/// The operations from the first member of a group to the place behind its loops.
pub(crate) struct Span<'p> {
    location: Location<'p>,
    block: Blk<'p>,
    /// The operation in front of them; `None` if they start the block.
    before: Option<Op<'p>>,
    /// The operation behind them; `None` if they end the block.
    behind: Option<Op<'p>>,
    /// What there is beside the members.
    strangers: NestCounts,
}

impl<'p> Span<'p> {
    /// Returns the operations from the first member of a group to `at`, before loops are built.
    pub(crate) fn new(plan: &TilePlan<'p>, at: At<'p>) -> Self {
        let first = plan.members.first().expect("a group has members").op.op();
        let behind = match at {
            At::Before(op) => Some(op),
            At::End(_) => None,
        };
        let members = plan.positions.keys().copied().collect();
        Self {
            location: first.location(),
            block: first.block().expect("an operation is in a block"),
            before: first.previous_in_block(),
            behind,
            strangers: count(Some(first), behind, &FxHashSet::default(), &members),
        }
    }

    /// Checks that the loops are what the plan says. `copies` are views that are no members. Returns what was built.
    ///
    /// # Errors
    /// They are not.
    pub(crate) fn check(
        &self,
        plan: &TilePlan<'p>,
        built: &BuiltNest<'p>,
        copies: &[Op<'p>],
        expected: NestCounts,
    ) -> Result<NestCounts, Diagnostic<'p>> {
        let first = match self.before {
            Some(before) => before.next_in_block(),
            None => self.block.first_operation(),
        };
        let members = built.members.iter().copied().map(ir::op_key).collect();
        let outside = plan.members.pairs();
        let outside = outside.filter(|(id, _)| !plan.nest.is_in_loops(*id));
        let outside = outside.map(|(_, member)| member.op.op());
        let outside = outside.chain(copies.iter().copied()).map(ir::op_key);
        let found = count(first, self.behind, &members, &outside.collect());
        let before = self.strangers;
        let found = NestCounts {
            loops: found.loops - before.loops,
            members: found.members,
            carried: found.carried - before.carried,
            windows: found.windows - before.windows + built.constants,
        };
        if found == expected {
            return Ok(found);
        }
        let message =
            format!("coarse-tile: internal error: the plan is {expected}, and {found} were built");
        Err(Diagnostic::error(self.location, message))
    }
}

/// Counts the operations from `first` to the one in front of `behind`, and those in loops. `outside` are not counted.
fn count<'p>(
    first: Option<Op<'p>>,
    behind: Option<Op<'p>>,
    members: &FxHashSet<usize>,
    outside: &FxHashSet<usize>,
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
