//! Makes loops and insertions start from tensors that they may overwrite.

use melior::ir::ValueLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};

use super::super::buffers::from_empty;
use super::super::edits::{CopyBefore, Edits};
use super::super::lifetime::Timeline;
use super::super::operand;
use super::super::windows;
use super::overwrite::may_overwrite;
use super::parts::tile_of_parts;
use crate::tensor::TensorTypes;
use crate::walk;

/// Makes every loop and every insertion start from a tensor that it may overwrite.
pub(super) fn own<'p>(
    edits: &mut Edits<'p>,
    types: &TensorTypes<'p>,
    block: Blk<'p>,
    timeline: &mut Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    // In order: an operation with a separate tensor does not block the operations after it.
    for op in ir::operations(block) {
        match ir::kind(op) {
            OpKind::InsertSlice => own_start(edits, types, (op, 1), timeline, copy_before)?,
            OpKind::For => {
                for carried in walk::carried(op) {
                    let start = (op, carried.operand);
                    own_start(edits, types, start, timeline, copy_before)?;
                }
                if let Some(body) = ir::body(op) {
                    own(edits, types, body, timeline, copy_before)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Ensures that an operation may overwrite an operand that it writes into: copies the operand otherwise.
fn own_start<'p>(
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
    let made = match from_empty(value)? {
        Some(chain) if !windows::fill(&chain) => Some(edits.another(op, index, &chain)?),
        Some(_) => None,
        None => match tile_of_parts(types, value)? {
            Some(tile) => {
                let made = tile.build(op)?;
                edits.put_in_front(op, index, &made)?;
                Some(made)
            }
            None => None,
        },
    };
    let made = match made {
        Some(made) => made,
        None => vec![edits.copy(op, index, copy_before)?],
    };
    made.into_iter()
        .for_each(|made| timeline.add_before(made, op));
    Ok(())
}
