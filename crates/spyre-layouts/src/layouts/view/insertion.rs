//! Candidates for insertions: a tensor with a window written has the layout of the tensor.

use std::rc::Rc;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::view::WINDOW_NEEDS;
use spyre_layout::{Arrangement, Elements};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use super::super::analysis::Candidate;
use super::super::fit::{Choice, OperandFit, StatedLayouts, copied, same_or_copy};
use super::super::restick;
use super::super::walk::Builder;
use super::change::Change;

/// Returns the choices for an insertion. A tensor with a window written keeps its layout, and the tile that is written has the
/// same one. If the window cannot be written in any layout that the tensor has, the tensor is copied to one where it can.
pub(super) fn choices<'p>(
    builder: &Builder<'_, 'p>,
    op: Op<'p>,
    stated_layouts: &StatedLayouts<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let error = |message: String| builder.error(op, message);
    let window = ir::window(op).ok_or_else(|| error(format!("the window {WINDOW_NEEDS}")))?;
    let operand = |index| op.operand(index).map_err(|err| error(err.to_string()));
    let (tile, into) = (operand(0)?, operand(1)?);
    let tiles = builder.candidates(op, tile)?;
    let tile_views = builder.views(op, tile)?;
    let candidates = builder.candidates(op, into)?;
    let views = builder.views(op, into)?;
    let unwritten = builder.unwritten(into);
    let shape = tiles.first().map_or(&[][..], |ty| ty.shape());
    let change = Change::Slice(window);
    change.check_rank(shape).map_err(error)?;
    let written = |ty: &Candidate<'p>, view: &spyre_layout::View| -> Result<_, String> {
        change.check_sticks(&ty.device)?;
        // The tensor may have to be copied first.
        view.operand_coords().map_err(|err| err.to_string())?;
        change
            .view(view, shape)?
            .check_result()
            .map_err(|err| err.to_string())?;
        let layout = change.layout(&ty.device, shape)?;
        Ok(builder.types.with_layout(shape, ty.element, &layout)?)
    };
    let choice = |ty: &Candidate<'p>, view: &spyre_layout::View, written: &Candidate<'p>| {
        Choice {
        ty: Rc::clone(ty),
        view: view.clone(),
        fits: vec![
            tiles
                .iter()
                .zip(tile_views)
                .map(|(tile, view)| same_or_copy(tile, view, written))
                .collect(),
            candidates
                .iter()
                .zip(views)
                .map(|(other, seen)| {
                    if other.ty == ty.ty && seen == view {
                        OperandFit::Met
                    } else if unwritten > Elements(0) {
                        OperandFit::Never(format!(
                            "has {unwritten} that no operation has written yet, and would have to be copied to another layout \
                             first; start from spyre.fill instead of spyre.empty, or leave its layout open"
                        ))
                    } else {
                        copied(other, seen, ty)
                    }
                })
                .collect(),
        ],
    }
    };
    let mut choices = Vec::new();
    let mut refused = None;
    for (ty, view) in candidates.iter().zip(views) {
        match written(ty, view) {
            Ok(written) if stated_layouts.allows(ty) => choices.push(choice(ty, view, &written)),
            Ok(_) => {}
            Err(err) => refused = refused.or(Some(format!("{err}; {}", change.help()))),
        }
    }
    let mut others: Vec<Candidate<'p>> = Vec::new();
    if let Some(types) = stated_layouts.types() {
        others.extend(types.iter().map(Rc::clone));
    } else if choices.is_empty()
        && let Some(first) = candidates.first()
    {
        let dims = first.shape().iter().enumerate();
        let dims = dims.filter_map(|(dim, extent)| (*extent > 1).then_some(dim));
        let laid = dims.map(Some).chain([None]).filter_map(|stick| {
            let laid = restick::with_stick(builder.types, first, stick, Arrangement::Standard);
            laid.ok()
        });
        others.extend(laid);
    }
    for ty in others {
        let view = ty.device.view();
        let is_known = choices
            .iter()
            .any(|other: &Choice<'p>| other.ty.ty == ty.ty);
        if !is_known && let Ok(written) = written(&ty, &view) {
            choices.push(choice(&ty, &view, &written));
        }
    }
    if choices.is_empty() {
        let reason = refused.unwrap_or_else(|| {
            "the result has a layout that the tensor which is inserted into cannot have".to_owned()
        });
        return Err(error(reason).note(
            into.location(),
            "the tensor that is inserted into is defined here",
        ));
    }
    Ok(choices)
}
