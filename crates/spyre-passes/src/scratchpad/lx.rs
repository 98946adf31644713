//! Decides which values are in the scratchpad (LX), and where.

use std::collections::HashMap;

use melior::ir::ValueLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_plan::{Buffer, place, spill_traffic};
use spyre_slips::Put;

use super::boundary::Outputs;
use super::carried::Carried;
use super::lifetime::Timeline;
use super::uses::{Uses, result_of, uses_of};
use super::{Planner, error, explain, slices};

/// The values that may be in the scratchpad, by the operations that make them.
#[derive(Default)]
pub struct Lx {
    pub places: HashMap<usize, Place>,
    /// The bytes that each core would have to hold of the values that do not fit.
    pub without_room: HashMap<usize, Bytes>,
    /// The bytes that those move on each core.
    pub spilled: Bytes,
    /// By how much it is more than what no addresses can avoid, as far as the solver knows.
    pub gap: Bytes,
}

impl<'p> Planner<'p> {
    /// Returns whether a value may be in the scratchpad, and is small enough for it.
    pub(super) fn fits_lx(
        &self,
        op: DeviceOp<'p>,
        carried: &Carried<'p>,
        timeline: &Timeline,
    ) -> bool {
        let uses = uses_of(op, carried, timeline);
        let buffer = uses.and_then(|uses| self.lx_buffer(op, &uses, carried, timeline));
        matches!(buffer, Ok(Some(buffer)) if buffer.size <= self.target.usable_lx())
    }

    /// Returns the buffer that a value needs in the scratchpad; `None` if it may not be there.
    fn lx_buffer(
        &self,
        op: DeviceOp<'p>,
        uses: &Uses<'p>,
        carried: &Carried<'p>,
        timeline: &Timeline,
    ) -> Result<Option<Buffer>, Diagnostic<'p>> {
        if carried.buffer_of(op.op()).is_some() || explain::obstacle(op, uses).is_some() {
            return Ok(None);
        }
        let updates = carried.updates_of(op.op());
        let writes = |update: &DeviceOp<'p>| {
            !slices::needs_device_memory(*update) && slices::write_alike(op, *update)
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
            .map_err(|why| error(op.op(), why))?;
        let bytes = ty.device.bytes();
        let size = slices::per_core(op, bytes)
            .round_up_to(self.target.stick_bytes)
            .ok_or_else(|| error(op.op(), format!("size of {bytes} is out of range")))?;
        let uses = uses.readers.len() + uses.inserts.len() + updates.len();
        let uses = u32::try_from(uses).unwrap_or(u32::MAX).saturating_add(1);
        Ok(Some(Buffer {
            uses,
            ..Buffer::new(size, live)
        }))
    }

    /// Finds the values that may be in the scratchpad and fit, with their addresses.
    pub(super) fn find_lx(
        &self,
        ops: &[(DeviceOp<'p>, Uses<'p>)],
        outputs: &Outputs<'p>,
        carried: &Carried<'p>,
        timeline: &Timeline,
    ) -> Result<Lx, Diagnostic<'p>> {
        let mut candidates = Vec::new();
        let mut buffers = Vec::new();
        for (op, uses) in ops {
            if outputs.contains(op.op()) {
                continue;
            }
            if let Some(buffer) = self.lx_buffer(*op, uses, carried, timeline)? {
                candidates.put(op.op());
                buffers.put(buffer);
            }
        }
        assert_eq!(
            candidates.len(),
            buffers.len(),
            "every candidate has a buffer"
        );
        let (capacity, align) = (self.target.usable_lx(), self.target.stick_bytes);
        let found = place(self.solver, &buffers, capacity, align);
        let mut lx = Lx {
            spilled: spill_traffic(&buffers, &found.placements),
            gap: found.gap(&buffers),
            ..Lx::default()
        };
        for ((op, buffer), placement) in candidates.into_iter().zip(buffers).zip(found.placements) {
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
