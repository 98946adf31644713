//! Decides which values are in the scratchpad (LX), and where.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::division;
use spyre_analysis::relayout::Relayout;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_plan::{Buffer, place, spill_traffic};

use super::boundary::Outputs;
use super::cache::Cached;
use super::carried::Carried;
use super::draft::{Draft, result_of};
use super::lifetime::Timeline;
use super::uses::{Uses, uses_of};
use super::{Planner, error, explain, slices};
use crate::accesses::{needs_device_memory, reads_elementwise};

/// The values that may be in the scratchpad, by their producers.
#[derive(Default)]
pub(super) struct Lx {
    pub places: FxHashMap<ir::OpKey, Place>,
    /// The bytes that each core would have to hold of the values that do not fit.
    pub without_room: FxHashMap<ir::OpKey, Bytes>,
    /// The bytes that the spilled values move on each core.
    pub spilled: Bytes,
    /// The bytes by which `spilled` may exceed the least possible, by the solver's bound.
    pub gap: Bytes,
}

impl<'p> Planner<'p> {
    /// Returns whether a value may be in the scratchpad, and is small enough for it.
    pub(super) fn fits_lx(
        &self,
        draft: &Draft<'p>,
        op: DeviceOp<'p>,
        carried: &Carried<'p>,
        timeline: &Timeline<'p>,
    ) -> bool {
        let uses = uses_of(draft, op, carried, timeline);
        let buffer = uses.and_then(|uses| self.lx_buffer(draft, op, &uses, carried, timeline));
        matches!(buffer, Ok(Some(buffer)) if buffer.size <= self.target.usable_lx())
    }

    /// Returns the buffer that a value needs in the scratchpad; `None` if it may not be there.
    fn lx_buffer(
        &self,
        draft: &Draft<'p>,
        op: DeviceOp<'p>,
        uses: &Uses<'p>,
        carried: &Carried<'p>,
        timeline: &Timeline<'p>,
    ) -> Result<Option<Buffer>, Diagnostic<'p>> {
        if carried.buffer_of(op.op()).is_some() || explain::obstacle(op, uses).is_some() {
            return Ok(None);
        }
        let updates = carried.updates_of(op.op());
        let writes = |update: &DeviceOp<'p>| {
            !needs_device_memory(*update) && slices::write_alike(op, *update)
        };
        if !updates.iter().all(writes) {
            return Ok(None);
        }
        let readers = uses.readers.iter().map(|reader| reader.op.op());
        let inserts = uses.inserts.iter().map(|insert| insert.owner);
        let users = readers.chain(inserts).chain(uses.loops.iter().copied());
        let Some(live) = timeline.life(op.op(), users) else {
            return Ok(None);
        };
        let ty = self
            .types
            .get(result_of(op.op())?.r#type())
            .map_err(|err| error(op.op(), err))?;
        let bytes = ty.device.bytes();
        let size = division::per_core(op, bytes)
            .round_up_to(self.target.stick_bytes)
            .ok_or_else(|| error(op.op(), format!("size of {bytes} is out of range")))?;
        let uses = uses.readers.len() + uses.inserts.len() + updates.len();
        let uses = u32::try_from(uses + 1).expect("fewer than 2^32 uses");
        Ok(Some(Buffer {
            uses,
            repeats: draft.repeats(op.op(), None),
            ..Buffer::new(size, live)
        }))
    }

    /// Finds the values that may be in the scratchpad and fit, with their addresses.
    pub(super) fn find_lx(
        &self,
        draft: &Draft<'p>,
        ops: &[(DeviceOp<'p>, Uses<'p>)],
        outputs: &Outputs,
        carried: &Carried<'p>,
        cached: &Cached<'_>,
        timeline: &Timeline<'p>,
    ) -> Result<Lx, Diagnostic<'p>> {
        let mut candidates = Vec::new();
        let mut buffers = Vec::new();
        // The number of each candidate, by its operation.
        let mut numbers = FxHashMap::default();
        for (op, uses) in ops {
            if outputs.contains(op.op()) {
                continue;
            }
            if let Some(mut buffer) = self.lx_buffer(draft, *op, uses, carried, timeline)? {
                if let Some(saved) = cached.saved(op.op()) {
                    buffer.uses = saved;
                }
                buffer.may_overwrite = overwritten(draft, *op, carried, &numbers);
                numbers.insert(ir::op_key(op.op()), buffers.len());
                candidates.push(op.op());
                buffers.push(buffer);
            }
        }
        let (capacity, align) = (self.target.usable_lx(), self.target.stick_bytes);
        // Values are written over others only where that saves room.
        let apart: Vec<Buffer> = buffers.iter().map(Buffer::apart).collect();
        let mut solution = place(self.solver, &apart, capacity, align);
        let spilled = spill_traffic(&buffers, &solution.placements);
        if spilled != Bytes::ZERO {
            let over = place(self.solver, &buffers, capacity, align);
            solution.bound = over.bound;
            if spill_traffic(&buffers, &over.placements) < spilled {
                solution = over;
            }
        }
        let mut lx = Lx {
            spilled: spill_traffic(&buffers, &solution.placements),
            gap: solution.gap(&buffers),
            ..Lx::default()
        };
        for ((op, buffer), placement) in
            candidates.into_iter().zip(buffers).zip(solution.placements)
        {
            match placement.address() {
                Some(address) => {
                    lx.places.insert(ir::op_key(op), Place::Lx(address));
                }
                None => {
                    lx.without_room.insert(ir::op_key(op), buffer.size);
                }
            }
        }
        Ok(lx)
    }
}

/// Returns the candidates in `numbers` that the result of an operation may be written over: it reads them element by
/// element, and they are of its type. The solver checks their live ranges.
fn overwritten<'p>(
    draft: &Draft<'p>,
    op: DeviceOp<'p>,
    carried: &Carried<'p>,
    numbers: &FxHashMap<ir::OpKey, usize>,
) -> Vec<usize> {
    // In a relayout, a core's slice may be read until all cores have their new slices.
    let is_simple =
        op.searched_dim().is_none() && op.gathered_dim().is_none() && Relayout::of(op).is_none();
    if !is_simple || carried.shares(op.op()) {
        return Vec::new();
    }
    let result = ir::result(op.op(), 0).expect("a device operation has a result");
    let old = (0..op.op().operand_count()).filter_map(|operand| {
        let value = draft.get(op.op(), operand)?;
        let maker = ir::defining_op(value).filter(|maker| !carried.shares(*maker))?;
        let fits = value.r#type() == result.r#type() && reads_elementwise(op, operand);
        numbers.get(&ir::op_key(maker)).copied().filter(|_| fits)
    });
    old.collect()
}
