//! Reports where values are and why, as remarks.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::diagnostic::place as location;
use spyre_mlir_rt::ir::{Op, name};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

use super::slices;
use super::uses::Uses;
use crate::accesses::needs_device_memory;

/// The reason that keeps a value out of the scratchpad (middle-end specification, section 5.2: the first reason counts).
#[derive(Debug, Clone, Copy)]
pub(super) enum Obstacle<'p> {
    /// The value has a user other than a device operation in its block.
    UsedBy(Op<'p>),
    /// No operation in its block reads it.
    Unread,
    /// The producer writes to device memory only.
    MadeInMemory,
    /// An operation that works in device memory reads it.
    ReadInMemory(Op<'p>),
    /// A gather reads the value as its table.
    Gathered(Op<'p>),
    /// A gather reads the value as its indices.
    Indices(Op<'p>),
    /// An operation cuts it over the cores in another way.
    OtherSlices(Op<'p>),
    /// The value does not fit together with the values that are live with it.
    Full {
        /// The bytes that it needs on each core.
        size: Bytes,
        /// The bytes that programs have on each core.
        capacity: Bytes,
    },
}

impl<'p> Obstacle<'p> {
    /// Returns the reason in words, for the producer of the value, and a way out.
    pub(super) fn reason(self, op: DeviceOp<'p>) -> (String, &'static str) {
        let at = |op: Op<'p>| format!("{} at {}", name(op), location(op.location()));
        let split = |op: DeviceOp<'p>| format!("{:?}", op.split().unwrap_or_default());
        match self {
            Self::UsedBy(user) => (
                format!(
                    "{}, which is no device operation of its block, uses it",
                    at(user)
                ),
                "tile the operations that use it together with this one (--coarse-tile)",
            ),
            Self::Unread => (
                "no operation of its block reads it".to_owned(),
                "nothing has to be done: it is written once, where it is needed",
            ),
            Self::MadeInMemory => (
                "it changes its layout, which goes through device memory".to_owned(),
                "layouts that agree need no change; --spyre-optimize-restickify looks for them",
            ),
            Self::ReadInMemory(reader) => (
                format!(
                    "{} changes its layout, which goes through device memory",
                    at(reader)
                ),
                "layouts that agree need no change; --spyre-optimize-restickify looks for them",
            ),
            Self::Gathered(reader) => (
                format!(
                    "{} chooses elements of it by indices, which it does in device memory",
                    at(reader)
                ),
                "nothing can be done: any core may need any of them",
            ),
            Self::Indices(reader) => (
                format!(
                    "{} takes indices from it, which it does in device memory",
                    at(reader)
                ),
                "nothing can be done: indices are in device memory",
            ),
            Self::OtherSlices(reader) => (
                format!(
                    "the cores compute it in slices of {}, but {} reads other slices, {}",
                    split(op),
                    at(reader),
                    split(DeviceOp::cast(reader).expect("a device operation reads slices"))
                ),
                "give both a split that cuts the value in the same way",
            ),
            Self::Full { size, capacity } => (
                format!(
                    "it needs {size} on each core in addition to the values that are live with it, and programs have {capacity}"
                ),
                "smaller tiles (--coarse-tile) or a split over more cores",
            ),
        }
    }
}

/// Returns the reason that keeps the result of an operation out of the scratchpad, apart from its size; `None` if there is none.
pub(super) fn obstacle<'p>(op: DeviceOp<'p>, uses: &Uses<'p>) -> Option<Obstacle<'p>> {
    if let Some(user) = uses.elsewhere {
        return Some(Obstacle::UsedBy(user));
    }
    if uses.readers.is_empty() {
        return Some(Obstacle::Unread);
    }
    if needs_device_memory(op) {
        return Some(Obstacle::MadeInMemory);
    }
    uses.readers.iter().find_map(|usage| {
        let (reader, operand) = (&usage.op, &usage.operand);
        if needs_device_memory(*reader) {
            Some(Obstacle::ReadInMemory(reader.op()))
        } else if slices::is_indirect(*reader, *operand) {
            Some(match operand {
                0 => Obstacle::Indices(reader.op()),
                _ => Obstacle::Gathered(reader.op()),
            })
        } else if slices::agree(op, usage) {
            None
        } else {
            Some(Obstacle::OtherSlices(reader.op()))
        }
    })
}

/// Reports the bytes that values without room move on each core, and how many of them other addresses might save.
pub(super) fn placement(remarks: &Remarks, function: Op<'_>, spilled: Bytes, gap: Bytes) {
    if spilled == Bytes::ZERO {
        return;
    }
    remarks.emit(|| {
        let reason = match gap {
            Bytes::ZERO => {
                format!("values without room move {spilled} on each core, which no addresses avoid")
            }
            gap => format!(
                "values without room move {spilled} on each core, at most {gap} more than other addresses would"
            ),
        };
        Remark::new(RemarkKind::Analysis, function.location(), "Placement").reason(reason)
    });
}

/// Reports where the result of an operation is and, if it is in device memory, the reason that keeps it out of the scratchpad.
pub(super) fn remark<'p>(
    remarks: &Remarks,
    op: DeviceOp<'p>,
    place: Place,
    obstacle: Option<Obstacle<'p>>,
) {
    let here = op.op().location();
    let start = |kind, title| {
        Remark::new(kind, here, title)
            .arg("Operation", name(op.op()))
            .arg("Place", place)
    };
    remarks.emit(|| match (place, obstacle) {
        (Place::Lx(_), _) => start(RemarkKind::Passed, "InScratchpad").reason(
            "all its readers are in its block, each core has the slice that it reads, and it fits",
        ),
        (Place::Arg(_), _) => {
            start(RemarkKind::Analysis, "Argument").reason("it is a result of the function")
        }
        (Place::Pool(_) | Place::Window, Some(obstacle)) => {
            let (reason, suggestion) = obstacle.reason(op);
            // The value is written once into the tensor that it belongs to, so the scratchpad would save no traffic.
            let kind = match (place, obstacle) {
                (Place::Window, Obstacle::Unread) => RemarkKind::Analysis,
                _ => RemarkKind::Missed,
            };
            let title = match place {
                Place::Window => "InWindow",
                _ => "Spilled",
            };
            start(kind, title).reason(reason).suggestion(suggestion)
        }
        (Place::Pool(_) | Place::Window, None) => start(RemarkKind::Analysis, "InMemory"),
    });
}
