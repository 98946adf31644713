//! Relayouts: values that are read in other slices than they are computed in.
//!
//! A value with a user that reads other slices goes through device memory: it is written once, and every user reads it.
//! Instead, a copy before the first such user may move it from scratchpad to scratchpad, where cores read from few
//! others (contract, K66 and K67) and the modelled time is less. Such copies are candidates for the scratchpad like
//! other values. A copy without a place there, or with a source without one, is dropped from the plan.

use melior::ir::ValueLike;
use spyre_analysis::division;
use spyre_analysis::relayout::{self, Relayout};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Arrangement, Bytes, DeviceFormat, Elements};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_plan::Picoseconds;
use spyre_plan::relayout::{Owners, moves};

use super::boundary::Outputs;
use super::carried::Carried;
use super::draft::{Draft, result_of};
use super::explain::{self, Obstacle};
use super::lifetime::Timeline;
use super::lx::Lx;
use super::uses::{Reader, Uses, uses_of};
use super::{Planner, error, slices};
use crate::accesses::{fan_out, needs_device_memory, read_dims};

/// The relayouts of a plan, each with the producer of its source.
#[derive(Default)]
pub(super) struct Relayouts<'p> {
    copies: Vec<(DeviceOp<'p>, Op<'p>)>,
}

/// A relayout that takes less time than device memory.
struct Wanted<'p> {
    relayout: Relayout,
    readers: Vec<Reader<'p>>,
}

impl<'p> Relayouts<'p> {
    /// Drops the relayouts that are not in the scratchpad, or have a source that is not. Returns whether there were
    /// any.
    pub(super) fn drop_without_place(
        &mut self,
        draft: &mut Draft<'p>,
        lx: &Lx,
    ) -> Result<bool, Diagnostic<'p>> {
        let is_placed = |op: Op<'p>| lx.places.contains_key(&ir::op_key(op));
        let (placed, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.copies)
            .into_iter()
            .partition(|(copy, source)| is_placed(copy.op()) && is_placed(*source));
        self.copies = placed;
        for (copy, _) in &others {
            draft.drop_copy(copy.op())?;
        }
        Ok(!others.is_empty())
    }

    /// Returns the number of relayouts.
    pub(super) fn count(&self) -> usize {
        self.copies.len()
    }
}

impl<'p> Planner<'p> {
    /// Plans relayouts of values that would go through device memory, where a relayout takes less time.
    pub(super) fn plan_relayouts(
        &self,
        draft: &mut Draft<'p>,
        body: Blk<'p>,
        outputs: &Outputs,
        carried: &Carried<'p>,
    ) -> Result<Relayouts<'p>, Diagnostic<'p>> {
        let mut relayouts = Relayouts::default();
        let timeline = Timeline::of(draft, body);
        for op in draft.device_ops(body) {
            if outputs.contains(op.op()) || carried.shares(op.op()) {
                continue; // The value is written to its place in a larger tensor.
            }
            let uses = uses_of(draft, op, carried, &timeline)?;
            for Wanted { relayout, readers } in self.wanted(draft, op, &uses)? {
                let value = result_of(op.op())?;
                let block = draft.block(op.op());
                let beside = readers
                    .iter()
                    .filter_map(|reader| draft.ancestor_in(reader.op.op(), block?));
                let first = beside.min_by_key(|reader| timeline.step(*reader));
                let first =
                    first.expect("readers are in the block of the value, or in loops of it");
                let copy = draft.build_copy(first, value)?;
                relayout.write(self.run.context(), copy);
                let users: Vec<_> = readers
                    .iter()
                    .map(|reader| (reader.op.op(), reader.operand))
                    .collect();
                draft.share((copy, value), first, &users)?;
                relayouts.copies.push((copy, op.op()));
            }
        }
        Ok(relayouts)
    }

    /// Returns the relayouts that take less time than a value takes through device memory; none where one of its readers can have no
    /// slices in the scratchpad.
    fn wanted(
        &self,
        draft: &Draft<'p>,
        op: DeviceOp<'p>,
        uses: &Uses<'p>,
    ) -> Result<Vec<Wanted<'p>>, Diagnostic<'p>> {
        let others_alone = matches!(explain::obstacle(op, uses), Some(Obstacle::OtherSlices(_)));
        // All users of an iteration argument share one buffer.
        if !others_alone || !uses.loops.is_empty() {
            return Ok(Vec::new());
        }
        let Some(from) = relayout::written(op).filter(|_| self.has_whole_sticks(op)) else {
            return Ok(Vec::new());
        };
        let mut wanted: Vec<Wanted<'p>> = Vec::new();
        for reader in &uses.readers {
            if needs_device_memory(reader.op) || slices::is_indirect(reader.op, reader.operand) {
                return Ok(Vec::new());
            }
            if slices::agree(op, reader) {
                continue;
            }
            let Some(to) = owners_for(reader).filter(|to| moves(&from, to).is_ok()) else {
                return Ok(Vec::new());
            };
            let match_ = wanted
                .iter_mut()
                .find(|candidate| candidate.relayout.to.have(&to));
            match match_ {
                Some(entry) => entry.readers.push(reader.clone()),
                None => wanted.push(Wanted {
                    relayout: Relayout {
                        from: from.clone(),
                        to,
                    },
                    readers: vec![reader.clone()],
                }),
            }
        }
        let bytes = self.bytes(op)?;
        let fits = |wanted: &Wanted<'_>| {
            let digits = wanted.relayout.to.digits().iter();
            let parts = digits.filter(|digit| digit.dim.is_some());
            let parts: u64 = parts.map(|digit| u64::from(digit.slices)).product();
            // Source and result of the copy are live while it runs.
            let both = division::per_core(op, bytes).get() + bytes.get().div_ceil(parts);
            Bytes(both) <= self.target.usable_lx()
        };
        if !wanted.iter().all(fits) {
            return Ok(Vec::new());
        }
        let through_scratchpads = self.time_of(&wanted, bytes).times(executions(draft, op));
        let faster = through_scratchpads < self.time_through_memory(draft, op, uses, bytes);
        Ok(if faster { wanted } else { Vec::new() })
    }

    /// Returns the modelled time of relayouts in one execution.
    fn time_of(&self, wanted: &[Wanted<'p>], bytes: Bytes) -> Picoseconds {
        let rates = &self.target.rates;
        let mut time = Picoseconds::default();
        for Wanted { relayout, .. } in wanted {
            let sticks = relayout.busiest_sticks(bytes);
            time += rates.per_execution;
            time += rates.relayout(sticks.expect("the slices can move"));
        }
        time
    }

    /// Returns the modelled time in which the result of an operation is written to device memory and read there, all executions together.
    fn time_through_memory(
        &self,
        draft: &Draft<'p>,
        op: DeviceOp<'p>,
        uses: &Uses<'p>,
        bytes: Bytes,
    ) -> Picoseconds {
        let rates = &self.target.rates;
        let mut time = rates.memory(bytes, 1).times(executions(draft, op));
        for reader in &uses.readers {
            let split = reader.op.split_or_one_core();
            let cores = fan_out(&split, &reader.op.tensor_dims(reader.operand));
            time += rates
                .memory(bytes, cores)
                .times(executions(draft, reader.op));
        }
        time
    }

    fn bytes(&self, op: DeviceOp<'p>) -> Result<Bytes, Diagnostic<'p>> {
        let ty = self.types.get(result_of(op.op())?.r#type());
        Ok(ty.map_err(|err| error(op.op(), err))?.device.bytes())
    }

    /// Returns whether the result of an operation has no stick that is filled in part, in a format of the card's
    /// floats: the elements after the end of a tensor are not copied, and no document describes other formats.
    fn has_whole_sticks(&self, op: DeviceOp<'p>) -> bool {
        let ty = ir::result(op.op(), 0).and_then(|value| self.types.get(value.r#type()).ok());
        ty.is_some_and(|ty| {
            let format = ty.device.format();
            let stick = ty.device.layout().stick_dim();
            let extent = stick.and_then(|dim| ty.shape().get(dim).copied());
            let is_plain = ty.device.layout().arrangement() == Arrangement::Standard;
            is_plain
                && matches!(format, DeviceFormat::Sen169Fp16 | DeviceFormat::IeeeFp32)
                && extent.is_some_and(|extent| {
                    Elements(extent).is_multiple_of(format.elements_per_stick())
                })
        })
    }
}

/// Returns how often an operation runs in one execution of the function.
fn executions<'p>(draft: &Draft<'p>, op: DeviceOp<'p>) -> u64 {
    u64::from(draft.repeats(op.op(), None))
}

/// Returns the core that reads each slice of a value in one of its users. `None` if the cores do not read disjoint
/// slices, and for a user that reads through a view: the view would have to be rebuilt after the relayout.
fn owners_for(reader: &Reader<'_>) -> Option<Owners> {
    if !reader.views.is_empty() {
        return None;
    }
    let split = reader.op.split()?;
    let dims = read_dims(reader.op, reader.operand, &[], &split)?;
    relayout::read(reader.op, &dims)
}
