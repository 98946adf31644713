//! Places of the results of the function.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view;
use spyre_dialects::attr::Place;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};

use super::buffers::{is_inserted, root};
use super::draft::{Divide, Draft};
use super::error;
use super::lifetime::Timeline;

/// The operations with a result that is a result of the function, with its place.
#[derive(Default)]
pub(super) struct Outputs {
    places: FxHashMap<ir::OpKey, Place>,
}

impl Outputs {
    /// Returns whether the operation computes a result of the function.
    pub(super) fn contains(&self, op: Op<'_>) -> bool {
        self.places.contains_key(&ir::op_key(op))
    }

    /// Returns the place of the operation's result; `None` if it is not a result of the function.
    pub(super) fn place(&self, op: Op<'_>) -> Option<Place> {
        self.places.get(&ir::op_key(op)).copied()
    }
}

/// Checks that the results of the function are tensors, and that 32 bits can number arguments and results.
pub(super) fn check_results<'p>(function: Op<'p>, body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let terminator = body
        .terminator()
        .ok_or_else(|| error(function, "function has no terminator"))?;
    let inputs = body.argument_count();
    if u32::try_from(inputs + terminator.operand_count()).is_err() {
        return Err(error(
            function,
            "function has more than 2^32 - 1 arguments and results",
        ));
    }
    for (index, value) in terminator.operands().enumerate() {
        if !ir::is_ranked_tensor(value.r#type()) {
            return Err(error(
                terminator,
                format!("result {index} of the function is not a tensor"),
            ));
        }
    }
    Ok(())
}

/// Returns the operation that writes the elements of a result of the function as the result has them: also where
/// reshapes are between, such as ones that add a dimension of one element, if they leave every element where the layout
/// of the result has it.
fn maker<'p>(draft: &Draft<'p>, types: &TensorTypes<'p>, result: Val<'p>) -> Option<Op<'p>> {
    let mut steps = Vec::new();
    let mut value = result;
    while let Some(op) = ir::defining_op(value).filter(|op| view::is_view(*op)) {
        steps.push((view::View::of(op).ok()?, types.get(value.r#type()).ok()?));
        value = draft.get(op, 0)?;
    }
    let maker = root(draft, value)?;
    if steps.is_empty() {
        return Some(maker);
    }
    let whole = types.get(value.r#type()).ok()?;
    let seen = steps
        .iter()
        .rev()
        .try_fold(whole.device.view(), |view, (step, ty)| {
            step.of_view(&view, ty.shape()).ok()
        });
    let result_type = types.get(result.r#type()).ok()?;
    (seen? == result_type.device.view()).then_some(maker)
}

/// Places each result of the function in the buffer of its kernel argument. An operation writes the buffer directly, or
/// a copy is inserted: for a value that is returned twice or is no whole buffer, and for one that is `better_copied`,
/// since it stays in the scratchpad until the loops that update it end.
pub(super) fn place_results<'p>(
    draft: &mut Draft<'p>,
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    timeline: &mut Timeline<'p>,
    better_copied: &dyn Fn(&Draft<'p>, Op<'p>, &Timeline<'p>) -> bool,
    divide: &Divide<'_, 'p>,
) -> Result<Outputs, Diagnostic<'p>> {
    let mut outputs = Outputs::default();
    let terminator = body.terminator();
    let terminator = terminator.expect("a function with checked results has a terminator");
    let inputs = body.argument_count();
    for index in 0..terminator.operand_count() {
        let number = u32::try_from(inputs + index).map_err(|err| error(terminator, err))?;
        let maker = match maker(draft, types, draft.operand(terminator, index)?) {
            Some(maker)
                if !outputs.contains(maker)
                    && !is_inserted(draft, maker)
                    && !better_copied(draft, maker, timeline) =>
            {
                maker
            }
            _ => {
                let copy = draft.copy(terminator, index, divide)?;
                timeline.add_before(copy, terminator);
                copy
            }
        };
        outputs.places.insert(ir::op_key(maker), Place::Arg(number));
    }
    assert_eq!(
        outputs.places.len(),
        terminator.operand_count(),
        "every result of the function has an argument"
    );
    Ok(outputs)
}
