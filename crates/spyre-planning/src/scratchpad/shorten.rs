//! Copies of arguments that only some of their users read.
//!
//! A copy is alive from its first user to its last one. Meanwhile it may leave no room for results of operations, or
//! keep a result from being written over an operand. So users at the ends of its live range read device memory again,
//! as long as fewer bytes move that way. Each try changes a clone of the plan, which is kept only if it moves fewer.

use melior::ir::ValueLike;
use spyre_analysis::division;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op};

use super::boundary::Outputs;
use super::cache::Cached;
use super::carried::Carried;
use super::draft::{Draft, Shared, result_of};
use super::lifetime::Timeline;
use super::lx::Lx;
use super::uses::{Uses, uses_of};
use super::{Planner, error};

/// Functions of more operations are left as they are: each try places all values again.
const MOST_OPERATIONS: usize = 64;

/// The decisions that tries do not change.
pub(super) struct Prepared<'a, 'p> {
    pub(super) body: Blk<'p>,
    pub(super) outputs: &'a Outputs,
    pub(super) carried: &'a Carried<'p>,
}

/// The operations that a plan adds to a function, and the reads that its copies of arguments save.
#[derive(Clone)]
pub(super) struct Trial<'p> {
    pub(super) draft: Draft<'p>,
    pub(super) cached: Cached<'p>,
}

/// The addresses of a function.
pub(super) struct Placed<'p> {
    pub(super) ops: Vec<(DeviceOp<'p>, Uses<'p>)>,
    pub(super) timeline: Timeline<'p>,
    pub(super) lx: Lx,
}

impl<'p> Planner<'p> {
    /// Finds addresses for the values of a function.
    pub(super) fn place(
        &self,
        function: &Prepared<'_, 'p>,
        Trial { draft, cached }: &Trial<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        let Prepared {
            body,
            outputs,
            carried,
        } = *function;
        let timeline = Timeline::of(draft, body);
        let ops = draft
            .device_ops(body)
            .into_iter()
            .map(|op| Ok((op, uses_of(draft, op, carried, &timeline)?)))
            .collect::<Result<Vec<_>, Diagnostic<'p>>>()?;
        let lx = self.find_lx(draft, &ops, outputs, carried, cached, &timeline)?;
        Ok(Placed { ops, timeline, lx })
    }

    /// Lets readers at an end of copies read device memory again, where fewer bytes move then.
    pub(super) fn shorten(
        &self,
        function: &Prepared<'_, 'p>,
        plan: &mut Trial<'p>,
        mut placed: Placed<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        if placed.ops.len() > MOST_OPERATIONS {
            return Ok(placed);
        }
        for copy in plan.cached.copies() {
            for end in [End::Last, End::First] {
                if placed.lx.spilled.get() > 0 {
                    placed = self.shorten_at(end, copy, function, plan, placed)?;
                }
            }
        }
        Ok(placed)
    }

    /// Cuts off user after user at an end of a copy, and keeps the number of cuts that moves the fewest bytes.
    fn shorten_at(
        &self,
        end: End,
        copy: DeviceOp<'p>,
        function: &Prepared<'_, 'p>,
        plan: &mut Trial<'p>,
        mut placed: Placed<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        let (mut trial, mut moved) = (plan.clone(), 0_u64);
        while placed.lx.spilled.get() > 0 {
            let cut = Cut::of(&trial.draft, copy.op(), &placed.timeline, end)?;
            let Some((cut, left)) = cut.and_then(|cut| {
                let left = trial.cached.saved(copy.op())?.checked_sub(cut.reads)?;
                (left > 0).then_some((cut, left))
            }) else {
                break; // A copy for one read saves no bytes.
            };
            cut.carry_out(&mut trial.draft, copy.op());
            trial.cached.set_saved(copy.op(), left);
            moved = moved.saturating_add(self.bytes_of(&trial.draft, copy, cut.reads)?);
            let shorter = self.place(function, &trial)?;
            if shorter.lx.spilled.get().saturating_add(moved) < placed.lx.spilled.get() {
                placed = shorter;
                moved = 0;
                plan.clone_from(&trial);
            }
        }
        Ok(placed)
    }

    /// Returns the bytes of a core that `reads` reads of the copied tensor move.
    fn bytes_of(
        &self,
        draft: &Draft<'p>,
        copy: DeviceOp<'p>,
        reads: u32,
    ) -> Result<u64, Diagnostic<'p>> {
        let whole = self.types.get(result_of(copy.op())?.r#type());
        let whole = whole.map_err(|err| error(copy.op(), err))?.device.bytes();
        let reads = u64::from(reads).saturating_mul(u64::from(draft.repeats(copy.op(), None)));
        Ok(division::per_core(copy, whole).get().saturating_mul(reads))
    }
}

/// An end of the live range of a copy.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

/// Users of a copy that read device memory again.
struct Cut<'p> {
    readers: Vec<Shared<'p>>,
    /// How often they read in an execution of the block of the copy.
    reads: u32,
    /// The operation that the copy moves before.
    moves: Option<Op<'p>>,
}

impl<'p> Cut<'p> {
    /// Returns the cut of the operation that reads the copy first or last; `None` if no other one reads it.
    fn of(
        draft: &Draft<'p>,
        copy: Op<'p>,
        timeline: &Timeline<'p>,
        end: End,
    ) -> Result<Option<Self>, Diagnostic<'p>> {
        let mut readers = draft.readers_of(copy)?;
        readers.sort_by_key(|(reader, operand, _)| (timeline.step(*reader), *operand));
        let at_end = match end {
            End::First => readers.first(),
            End::Last => readers.last(),
        };
        let Some((cut, ..)) = at_end.copied() else {
            return Ok(None);
        };
        let (readers, others): (Vec<_>, Vec<_>) =
            readers.into_iter().partition(|(reader, ..)| *reader == cut);
        let block = draft.block(copy);
        let reads = readers
            .iter()
            .map(|(reader, ..)| draft.repeats(*reader, block));
        let reads = reads.fold(0_u32, u32::saturating_add);
        let Some((next, ..)) = others.first() else {
            return Ok(None);
        };
        let moves = match end {
            End::First => block.and_then(|block| draft.ancestor_in(*next, block)),
            End::Last => None,
        };
        Ok(Some(Self {
            readers,
            reads,
            moves,
        }))
    }

    fn carry_out(&self, draft: &mut Draft<'p>, copy: Op<'p>) {
        for (reader, operand, value) in &self.readers {
            draft.set_operand(*reader, *operand, *value);
        }
        if let Some(next) = self.moves {
            draft.move_before(copy, next);
        }
    }
}
