//! Copies of arguments that only some of their users read.
//!
//! A copy is alive from its first user to its last one. Meanwhile it may leave no room for results of operations, or
//! keep a result from being written over an operand. So users at the ends of its live range read device memory again,
//! as long as fewer bytes move that way.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::division;
use spyre_analysis::walk::{ancestor_in, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op};

use super::boundary::Outputs;
use super::cache::{Cached, repeats};
use super::carried::Carried;
use super::edits::{Edits, Shared};
use super::lifetime::Timeline;
use super::lx::Lx;
use super::uses::{Uses, result_of, uses_of};
use super::{Planner, error};

/// Functions of more operations are left as they are: each try places all values again.
const MOST_OPERATIONS: usize = 64;

/// A function with values that are to be placed.
pub(super) struct Prepared<'a, 'p> {
    pub(super) body: Blk<'p>,
    pub(super) edits: &'a Edits<'p>,
    pub(super) outputs: &'a Outputs,
    pub(super) carried: &'a Carried<'p>,
}

/// The addresses of a function.
pub(super) struct Placed<'p> {
    pub(super) ops: Vec<(DeviceOp<'p>, Uses<'p>)>,
    pub(super) timeline: Timeline,
    pub(super) lx: Lx,
}

impl<'p> Planner<'p> {
    /// Finds addresses for the values of a function.
    pub(super) fn place(
        &self,
        function: &Prepared<'_, 'p>,
        cached: &Cached<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        let Prepared {
            body,
            outputs,
            carried,
            ..
        } = *function;
        let timeline = Timeline::new(body);
        let ops = device_ops(body)
            .into_iter()
            .map(|op| Ok((op, uses_of(op, carried, &timeline)?)))
            .collect::<Result<Vec<_>, Diagnostic<'p>>>()?;
        let lx = self.find_lx(&ops, outputs, carried, cached, &timeline)?;
        Ok(Placed { ops, timeline, lx })
    }

    /// Lets readers at an end of copies read device memory again, where fewer bytes move then.
    pub(super) fn shorten(
        &self,
        function: &Prepared<'_, 'p>,
        cached: &mut Cached<'p>,
        mut placed: Placed<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        if placed.ops.len() > MOST_OPERATIONS {
            return Ok(placed);
        }
        for copy in cached.copies() {
            for end in [End::Last, End::First] {
                placed = self.shorten_at(end, copy, function, cached, placed)?;
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
        cached: &mut Cached<'p>,
        mut placed: Placed<'p>,
    ) -> Result<Placed<'p>, Diagnostic<'p>> {
        let (mut moved, mut pending) = (0_u64, Vec::new());
        while placed.lx.spilled.get() > 0 {
            let cut = Cut::of(function.edits, copy.op(), &placed.timeline, end)?;
            let Some((cut, left)) = cut.and_then(|cut| {
                let left = cached.saved(copy.op())?.checked_sub(cut.reads)?;
                (left > 0).then_some((cut, left))
            }) else {
                break; // A copy for one read saves no bytes.
            };
            cut.carry_out(copy.op());
            cached.set_saved(copy.op(), left);
            moved = moved.saturating_add(self.bytes_of(copy, cut.reads)?);
            pending.push(cut);
            let shorter = self.place(function, cached)?;
            if shorter.lx.spilled.get().saturating_add(moved) < placed.lx.spilled.get() {
                placed = shorter;
                moved = 0;
                pending.clear();
            }
        }
        for cut in pending.into_iter().rev() {
            cut.undo(copy.op())?;
            let saved = cached.saved(copy.op()).expect("a copy saves reads");
            cached.set_saved(copy.op(), saved + cut.reads);
        }
        Ok(placed)
    }

    /// Returns the bytes of a core that `reads` reads of the copied tensor move.
    fn bytes_of(&self, copy: DeviceOp<'p>, reads: u32) -> Result<u64, Diagnostic<'p>> {
        let whole = self.types.get(result_of(copy.op())?.r#type());
        let whole = whole.map_err(|err| error(copy.op(), err))?.device.bytes();
        let reads = u64::from(reads).saturating_mul(u64::from(repeats(copy.op(), None)));
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
    /// The operation that the copy moves before, and the one that it was before.
    moves: Option<(Op<'p>, Op<'p>)>,
}

impl<'p> Cut<'p> {
    /// Returns the cut of the operation that reads the copy first or last; `None` if no other one reads it.
    fn of(
        edits: &Edits<'p>,
        copy: Op<'p>,
        timeline: &Timeline,
        end: End,
    ) -> Result<Option<Self>, Diagnostic<'p>> {
        let mut readers = edits.readers_of(copy)?;
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
        let block = copy.block();
        let reads = readers.iter().map(|(reader, ..)| repeats(*reader, block));
        let reads = reads.fold(0_u32, u32::saturating_add);
        let before = |reader: Op<'p>| ancestor_in(reader, block?);
        let Some((next, ..)) = others.first() else {
            return Ok(None);
        };
        let moves = match end {
            End::First => before(*next).zip(before(cut)),
            End::Last => None,
        };
        Ok(Some(Self {
            readers,
            reads,
            moves,
        }))
    }

    fn carry_out(&self, copy: Op<'p>) {
        for (reader, operand, value) in &self.readers {
            ir::set_operand(*reader, *operand, *value);
        }
        if let Some((next, _)) = self.moves {
            ir::move_to(copy, At::Before(next));
        }
    }

    fn undo(&self, copy: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if let Some((_, old)) = self.moves {
            ir::move_to(copy, At::Before(old));
        }
        for (reader, operand, _) in &self.readers {
            ir::set_operand(*reader, *operand, result_of(copy)?);
        }
        Ok(())
    }
}
