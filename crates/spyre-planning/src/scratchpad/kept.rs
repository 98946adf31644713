//! The buffers of a planned function, for reports.

use std::ops::Range;

use melior::ir::ValueLike;
use spyre_analysis::division;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{device_ops, handed_on_from};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op};

use super::carried::Carried;
use super::draft::{Draft, result_of};
use super::explain::{self, Obstacle};
use super::lifetime::Timeline;
use super::uses::{users, uses_of};
use super::{NAME, buffers, error};

/// A buffer of a planned function: in LX or in the pool.
pub(crate) struct Kept<'p> {
    /// The operation that defines it.
    pub(crate) op: Op<'p>,
    /// Where it is.
    pub(crate) place: Place,
    /// The bytes there; in LX, the bytes on each core.
    pub(crate) bytes: Bytes,
    /// The number of cores that have a part of it, from the first on; 0 in device memory.
    pub(crate) cores: u32,
    /// The steps of the timeline in which it is alive.
    pub(crate) life: Range<u32>,
    /// The reason why it is not in LX.
    pub(crate) reason: Option<String>,
}

/// Returns the buffers of a planned function.
///
/// # Errors
/// An operation has no place, or a type without a layout.
pub(crate) fn kept<'p>(
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    timeline: &Timeline<'p>,
) -> Result<Vec<Kept<'p>>, Diagnostic<'p>> {
    let (draft, mut values) = (Draft::new(NAME), Vec::new());
    for op in device_ops(body) {
        let place = op.place();
        let place = place.ok_or_else(|| error(op.op(), "operation has no place"))?;
        // A value that a loop yields is in the buffer of the loop's initial value.
        let is_own = handed_on_from(result_of(op.op())?).is_none();
        if matches!(place, Place::Lx(_) | Place::Pool(_)) && is_own {
            values.push(Kept {
                reason: reason(&draft, types, op, place, timeline)?,
                cores: match place {
                    Place::Lx(_) => op.split().unwrap_or_default().iter().product(),
                    _ => 0,
                },
                ..buffer(&draft, types, op.op(), place, timeline)?
            });
        }
    }
    for empty in buffers::empties(&draft, body) {
        let place = empty.place();
        let place = place.ok_or_else(|| error(empty.op(), "operation has no place"))?;
        if matches!(place, Place::Lx(_) | Place::Pool(_)) {
            let reason = "it is a tensor that others are inserted into".to_owned();
            values.push(Kept {
                reason: matches!(place, Place::Pool(_)).then_some(reason),
                ..buffer(&draft, types, empty.op(), place, timeline)?
            });
        }
    }
    values.sort_by_key(|kept| timeline.step(kept.op));
    Ok(values)
}

/// Returns a buffer without cores and without a reason.
fn buffer<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    op: Op<'p>,
    place: Place,
    timeline: &Timeline<'p>,
) -> Result<Kept<'p>, Diagnostic<'p>> {
    let value = result_of(op)?;
    let ty = types.get(value.r#type()).map_err(|err| error(op, err))?;
    let in_window = |op| DeviceOp::cast(op).and_then(DeviceOp::place) == Some(Place::Window);
    let life = timeline.life(op, users(draft, value, in_window).into_iter());
    let bytes = ty.device.bytes();
    let device = DeviceOp::cast(op).filter(|_| matches!(place, Place::Lx(_)));
    Ok(Kept {
        op,
        place,
        bytes: device.map_or(bytes, |device| division::per_core(device, bytes)),
        cores: 0,
        // A value that is read after the block that defines it is live until the end of the
        // function.
        life: life.unwrap_or(timeline.step(op)..u32::MAX),
        reason: None,
    })
}

/// Returns the reason that keeps the result of an operation out of LX, if it is not there.
fn reason<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
    place: Place,
    timeline: &Timeline<'p>,
) -> Result<Option<String>, Diagnostic<'p>> {
    if matches!(place, Place::Lx(_)) {
        return Ok(None);
    }
    let uses = uses_of(draft, op, &Carried::default(), timeline)?;
    let full = || {
        let ty = types.get(result_of(op.op())?.r#type());
        let bytes = ty.map_err(|err| error(op.op(), err))?.device.bytes();
        Ok::<_, Diagnostic<'p>>(Obstacle::Full {
            size: division::per_core(op, bytes),
            capacity: target_of(op.op())?.target.usable_lx(),
        })
    };
    let obstacle = explain::obstacle(op, &uses).map_or_else(full, Ok)?;
    Ok(Some(obstacle.reason(op).0))
}
