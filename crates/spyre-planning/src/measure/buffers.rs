//! The buffers of a planned function.

use melior::ir::block::BlockLike;
use spyre_analysis::view;
use spyre_analysis::walk::{handed_on_from, started_from};
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::ir::{self, Op, OpKind, Source, Val};

/// The buffer that a value of a planned function is in, or is a window of.
#[derive(Clone, Copy)]
pub(crate) enum Root<'p> {
    /// An argument or a result of the function.
    Argument,
    /// The buffer of a result of a device operation or of a `spyre.empty`, at its place.
    Made(Op<'p>, Place),
}

impl Root<'_> {
    /// Returns whether it is in the scratchpad.
    pub(crate) const fn is_in_lx(self) -> bool {
        matches!(self, Self::Made(_, Place::Lx(_)))
    }
}

/// Returns the buffer of a value; `None` if it has no place.
pub(crate) fn root(value: Val<'_>) -> Option<Root<'_>> {
    let mut value = value;
    loop {
        if let Some(start) = started_from(value) {
            value = start;
            continue;
        }
        value = match ir::source(value) {
            Source::Argument(block, _) => {
                let parent = block.parent_operation()?;
                // The induction variable is no buffer.
                return (ir::kind(parent) != OpKind::For).then_some(Root::Argument);
            }
            Source::Result(op, _) => {
                let place = DeviceOp::cast(op).map(DeviceOp::place);
                match place.or_else(|| EmptyOp::cast(op).map(EmptyOp::place)) {
                    Some(None) => return None,
                    Some(Some(Place::Window)) => window_of(value)?,
                    Some(Some(Place::Arg(_))) => return Some(Root::Argument),
                    Some(Some(place)) => match handed_on_from(value) {
                        Some(carried) => carried,
                        None => return Some(Root::Made(op, place)),
                    },
                    None => match ir::kind(op) {
                        OpKind::InsertSlice => ir::operand(op, 1)?,
                        OpKind::ExtractSlice => ir::operand(op, 0)?,
                        _ if view::is_view(op) => ir::operand(op, 0)?,
                        _ => return None,
                    },
                }
            }
        };
    }
}

/// Returns the tensor that a value is inserted into.
fn window_of(value: Val<'_>) -> Option<Val<'_>> {
    let mut target = None;
    ir::for_each_use(value, |usage| {
        if ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0 {
            target = ir::operand(usage.owner, 1);
        }
    });
    target
}
