//! Makes loops and insertions start from tensors that they may overwrite.

use melior::ir::ValueLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};

use super::super::boxes::fill;
use super::super::buffers::from_empty;
use super::super::draft::{Divide, Draft, result_of};
use super::super::lifetime::Timeline;
use super::overwrite::may_overwrite;
use super::parts::tile_of_parts;

/// Makes every loop and every insertion start from a tensor that it may overwrite.
pub(super) fn separate<'p>(
    draft: &mut Draft<'p>,
    types: &TensorTypes<'p>,
    block: Blk<'p>,
    timeline: &mut Timeline<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    // In order: an operation with a separate tensor does not block the operations after it.
    for op in draft.operations(block) {
        match ir::kind(op) {
            OpKind::InsertSlice => separate_start(draft, types, (op, 1), timeline, divide)?,
            OpKind::For => {
                for carried in draft.carried(op) {
                    let start = (op, carried.operand);
                    separate_start(draft, types, start, timeline, divide)?;
                }
                if let Some(body) = ir::body(op) {
                    separate(draft, types, body, timeline, divide)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Ensures that an operation may overwrite an operand that it writes into: copies the operand otherwise.
fn separate_start<'p>(
    draft: &mut Draft<'p>,
    types: &TensorTypes<'p>,
    (op, index): (Op<'p>, usize),
    timeline: &mut Timeline<'p>,
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    let value = draft.operand(op, index)?;
    if !ir::is_ranked_tensor(value.r#type()) || may_overwrite(draft, op, index, value, timeline) {
        return Ok(());
    }
    // An uninitialised tensor is not copied.
    let replacement = match from_empty(draft, value)? {
        Some(chain) if !fill(draft, &chain) => Some(draft.another(op, index, &chain)?),
        Some(_) => None,
        None => match tile_of_parts(draft, types, value)? {
            Some(tile) => {
                let parts = tile.build(draft, op)?;
                let last = parts.last().expect("a tile starts from a spyre.empty");
                draft.set_operand(op, index, result_of(*last)?);
                Some(parts)
            }
            None => None,
        },
    };
    let ops = match replacement {
        Some(ops) => ops,
        None => vec![draft.copy(op, index, divide)?],
    };
    ops.into_iter()
        .for_each(|op_of_copy| timeline.add_before(op_of_copy, op));
    Ok(())
}
