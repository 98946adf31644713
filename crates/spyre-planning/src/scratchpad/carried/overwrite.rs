//! The values that an operation may write over.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use spyre_analysis::kinds::is_copy;
use spyre_analysis::view;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::ir::{self, Op, OpKind, Source, Use, Val};

use super::super::buffers::is_inserted;
use super::super::draft::Draft;
use super::super::lifetime::Timeline;
use crate::accesses::reads_elementwise;

/// Returns whether an operation may overwrite the value of one of its operands.
pub(super) fn may_overwrite<'p>(
    draft: &Draft<'p>,
    op: Op<'p>,
    index: usize,
    value: Val<'p>,
    timeline: &Timeline<'p>,
) -> bool {
    let beside = match ir::source(value) {
        Source::Argument(block, _) => {
            let around = block.parent_operation().map(ir::kind);
            around == Some(OpKind::For) && Some(block) == draft.block(op)
        }
        Source::Result(maker, _) if EmptyOp::cast(maker).is_some() => true,
        Source::Result(maker, _) => {
            // The result of a device operation may have a better place than the destination of an insertion. The result
            // of a copy has none, since its operand is in that place; but where it is inserted elsewhere, it is written
            // there.
            let is_buffer = match (ir::kind(maker), DeviceOp::cast(maker)) {
                (OpKind::For | OpKind::InsertSlice, _) => true,
                (_, Some(device)) => {
                    ir::kind(op) == OpKind::For || is_copy(device) && !is_inserted(draft, maker)
                }
                (_, None) => false,
            };
            is_buffer && draft.block(maker) == draft.block(op)
        }
    };
    // The uses of an argument are not searched, because their number is unbounded.
    let is_allowed = |usage: Use<'p>| usage.owner == op && usage.operand == index;
    beside && hindrance(draft, value, op, Writes::More, is_allowed, timeline).is_none()
}

/// The elements of a value's place that a writer overwrites.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// More of the same tensor, so it has to find the value there.
    More,
    /// Another tensor, so earlier insertions into the value do not matter.
    All,
}

/// Returns a use of a value that hinders `writer` from overwriting it; `None` if there is none. Uses that `is_allowed`
/// accepts, which are by the writer, and reads that end before are no hindrance.
fn hindrance<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
    writer: Op<'p>,
    writes: Writes,
    is_allowed: impl Fn(Use<'p>) -> bool,
    timeline: &Timeline<'p>,
) -> Option<Op<'p>> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for usage in draft.uses(value) {
            let Use { owner, operand } = usage;
            if is_allowed(usage) {
                continue;
            }
            match ir::kind(owner) {
                OpKind::ExtractSlice => pending.extend(ir::result(owner, 0)),
                _ if view::is_view(owner) => pending.extend(ir::result(owner, 0)),
                // The result is in the same buffer.
                OpKind::InsertSlice
                    if operand == 1
                        && writes == Writes::All
                        && timeline.is_before(owner, writer) =>
                {
                    pending.extend(ir::result(owner, 0));
                }
                OpKind::For if writes == Writes::All && timeline.is_before(owner, writer) => {
                    pending.extend(draft.carried_by(usage).map(|carried| carried.result));
                }
                kind => {
                    let reads = DeviceOp::cast(owner).is_some()
                        || kind == OpKind::InsertSlice && operand == 0;
                    if !reads || !timeline.is_before(owner, writer) {
                        return Some(owner);
                    }
                }
            }
        }
    }
    None
}

/// Returns whether an operation may write its result in the place of a carried tensor: no operation reads the tensor later, and
/// the operation itself reads only the element that it writes next.
pub(super) fn overwrites<'p>(
    draft: &Draft<'p>,
    op: DeviceOp<'p>,
    carried: Val<'p>,
    timeline: &Timeline<'p>,
) -> bool {
    let written = ir::result(op.op(), 0).expect("a device operation has a result");
    let is_allowed = |usage: Use<'p>| {
        usage.owner == op.op()
            && draft.get(op.op(), usage.operand) == Some(carried)
            && reads_elementwise(op, usage.operand)
    };
    written.r#type() == carried.r#type()
        && hindrance(draft, carried, op.op(), Writes::All, is_allowed, timeline).is_none()
}
