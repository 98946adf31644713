//! The uses of values.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_analysis::view;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpKind, Use, Val};

use super::carried::Carried;
use super::draft::{Draft, result_of};
use super::lifetime::Timeline;

/// An operation that reads a value.
#[derive(Debug, Clone)]
pub(super) struct Reader<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// The operand that is the value, or a view of it.
    pub operand: usize,
    /// The views on the way, the first one of the value itself.
    pub views: Vec<Op<'p>>,
}

/// The uses of an operation's result.
pub(super) struct Uses<'p> {
    /// Operations that read the whole of it, in its block or in loops there, also through views and where loops carry
    /// it.
    pub readers: Vec<Reader<'p>>,
    /// Insertions into larger tensors in its block, in the order of the program.
    pub inserts: Vec<Use<'p>>,
    /// Loops that carry it.
    pub loops: Vec<Op<'p>>,
    /// An operation that is no device operation of the block and uses the value, such as a slice; `None` if there is
    /// none.
    pub elsewhere: Option<Op<'p>>,
}

/// Finds the uses of an operation's result.
pub(super) fn uses_of<'p>(
    draft: &Draft<'p>,
    op: DeviceOp<'p>,
    carried: &Carried<'p>,
    timeline: &Timeline<'p>,
) -> Result<Uses<'p>, Diagnostic<'p>> {
    let mut uses = Uses {
        readers: Vec::new(),
        inserts: Vec::new(),
        loops: Vec::new(),
        elsewhere: None,
    };
    let result = result_of(op.op())?;
    let updates = carried.updates_of(op.op()).iter();
    let mut pending = updates
        .map(|update| Ok((result_of(update.op())?, Vec::new())))
        .collect::<Result<Vec<_>, Diagnostic<'p>>>()?;
    pending.push((result, Vec::new()));
    while let Some((value, views)) = pending.pop() {
        for usage in draft.uses(value) {
            let Use { owner, operand } = usage;
            if let Some(reader) = DeviceOp::cast(owner) {
                uses.readers.push(Reader {
                    op: reader,
                    operand,
                    views: views.clone(),
                });
                continue;
            }
            match ir::kind(owner) {
                OpKind::InsertSlice if operand == 0 && value == result => uses.inserts.push(usage),
                // A copy is inserted, which is divided like the update.
                OpKind::InsertSlice if operand == 0 => {}
                OpKind::For if views.is_empty() => {
                    uses.loops.push(owner);
                    let carried = draft
                        .carried_by(usage)
                        .expect("bounds and steps are no tensors");
                    let names = [carried.result, carried.inside];
                    pending.extend(names.map(|value| (value, Vec::new())));
                }
                // The value that a loop yields is in the buffer of the tensor that it carries.
                OpKind::Yield => {}
                // A result of the function has its place already, or is copied there.
                OpKind::Return => {}
                _ if view::is_view(owner) => {
                    let views = views.iter().copied().chain([owner]).collect();
                    pending.push((result_of(owner)?, views));
                }
                _ => uses.elsewhere = Some(owner),
            }
        }
    }
    uses.inserts
        .sort_by_key(|insert| timeline.step(insert.owner));
    Ok(uses)
}

/// Returns the operations that use the buffer of a value: through loops that carry it, insertions into it, slices of
/// it, and all other operations that may pass it on. An operation that `is_direct` writes straight into a window of the
/// buffer, so readers of its result read the buffer.
pub(super) fn users<'p>(
    draft: &Draft<'p>,
    value: Val<'p>,
    is_direct: impl Fn(Op<'p>) -> bool,
) -> Vec<Op<'p>> {
    let mut ops = Vec::new();
    let mut seen = FxHashSet::from_iter([ir::value_key(value)]);
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for usage in draft.uses(value) {
            let Use { owner, operand } = usage;
            ops.push(owner);
            let handed_on: Vec<Val<'p>> = match ir::kind(owner) {
                OpKind::For => draft
                    .carried_by(usage)
                    .into_iter()
                    .map(|by| by.result)
                    .collect(),
                // The tile that is inserted is written into the other tensor.
                OpKind::InsertSlice if operand == 0 => Vec::new(),
                OpKind::InsertSlice => {
                    let tile = draft.get(owner, 0);
                    let is_there = |tile: &Val<'p>| ir::defining_op(*tile).is_some_and(&is_direct);
                    let results = owner.results().map(Val::from);
                    results.chain(tile.filter(is_there)).collect()
                }
                // A loop yields the value that it carries, which is followed from the value that the loop starts from.
                OpKind::Yield => match owner.parent_operation() {
                    Some(parent) if ir::kind(parent) != OpKind::For => {
                        parent.results().map(Val::from).collect()
                    }
                    _ => Vec::new(),
                },
                _ if DeviceOp::cast(owner).is_some() => Vec::new(),
                _ => owner.results().map(Val::from).collect(),
            };
            pending.extend(
                handed_on
                    .into_iter()
                    .filter(|value| seen.insert(ir::value_key(*value))),
            );
        }
    }
    ops
}
