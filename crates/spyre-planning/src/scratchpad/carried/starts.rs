//! Makes loops and insertions start from tensors that they may overwrite.

use melior::ir::ValueLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};

use super::super::buffers::from_empty;
use super::super::edits::{CopyBefore, Edits};
use super::super::lifetime::Timeline;
use super::super::{operand, windows};
use super::overwrite::may_overwrite;
use super::parts::tile_of_parts;

/// Makes every loop and every insertion start from a tensor that it may overwrite.
pub(super) fn separate<'p>(
    edits: &mut Edits<'p>,
    types: &TensorTypes<'p>,
    block: Blk<'p>,
    timeline: &mut Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    // In order: an operation with a separate tensor does not block the operations after it.
    for op in ir::operations(block) {
        match ir::kind(op) {
            OpKind::InsertSlice => separate_start(edits, types, (op, 1), timeline, copy_before)?,
            OpKind::For => {
                for carried in walk::carried(op) {
                    let start = (op, carried.operand);
                    separate_start(edits, types, start, timeline, copy_before)?;
                }
                if let Some(body) = ir::body(op) {
                    separate(edits, types, body, timeline, copy_before)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Ensures that an operation may overwrite an operand that it writes into: copies the operand otherwise.
fn separate_start<'p>(
    edits: &mut Edits<'p>,
    types: &TensorTypes<'p>,
    (op, index): (Op<'p>, usize),
    timeline: &mut Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    let value = operand(op, index)?;
    if !ir::is_ranked_tensor(value.r#type()) || may_overwrite(op, index, value, timeline) {
        return Ok(());
    }
    // An uninitialised tensor is not copied.
    let replacement = match from_empty(value)? {
        Some(chain) if !windows::fill(&chain) => Some(edits.another(op, index, &chain)?),
        Some(_) => None,
        None => match tile_of_parts(types, value)? {
            Some(tile) => {
                let parts = tile.build(op)?;
                edits.put_in_front(op, index, &parts)?;
                Some(parts)
            }
            None => None,
        },
    };
    let ops = match replacement {
        Some(ops) => ops,
        None => vec![edits.copy(op, index, copy_before)?],
    };
    ops.into_iter()
        .for_each(|op_of_copy| timeline.add_before(op_of_copy, op));
    Ok(())
}
