//! Candidates for the results of device operations (middle-end specification, section 2.5).
//!
//! - `sticks` finds the dimensions that an operation may walk along,
//! - `plans` the types of the result that go with each of them, and their requirements on the operands,
//! - `operands` the change that each operand's layout needs to meet a plan.

mod operands;
mod plans;
mod sticks;

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::tensor;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::{Arrangement, DeviceFormat, Elements, View};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_ops::sticks::{Access, Stick};
use spyre_ops::{OpFunc, StickRule};

use super::analysis::Candidate;
use super::fit::{Choice, StatedLayouts};
use super::stick::accesses;
use super::walk::Builder;

/// Returns the candidates of a device operation's result that `stated_layouts` allow.
///
/// # Errors
/// The result is no tensor that passes can handle, or no layout goes with the operands.
pub(super) fn choices<'p>(
    builder: &Builder<'_, 'p>,
    device: DeviceOp<'p>,
    indexing: &Indexing<'p>,
    stated_layouts: &StatedLayouts<'p>,
) -> Result<Vec<Choice<'p>>, Diagnostic<'p>> {
    let op = device.op();
    let operands = op
        .operands()
        .map(|value| builder.candidates(op, value))
        .collect::<Result<Vec<_>, _>>()?;
    let views = op
        .operands()
        .map(|value| builder.views(op, value))
        .collect::<Result<Vec<_>, _>>()?;
    let result = op.result(0).map_err(|err| builder.error(op, err))?;
    let ty = builder
        .types
        .get(result.r#type())
        .map_err(|err| builder.error(op, err))?;
    let rule = device.facts().stick;
    let mut extents: Vec<Vec<u64>> = operands
        .iter()
        // Every value has a candidate.
        .map(|candidates| candidates[0].shape().to_vec())
        .collect();
    extents.push(ty.shape().to_vec());
    let ranks = extents.iter().map(Vec::len);
    let decision = Decision {
        builder,
        facts: device.facts(),
        rule,
        searched: searched(device, indexing),
        is_reduction: device.reduction_dims() > 0,
        accesses: accesses(rule, indexing, &extents),
        vars: indexing
            .space
            .len()
            .max(ranks.max().expect("an operation has a result")),
        operands,
        views,
        shape: ty.shape().to_vec(),
        element: ty.element,
        wanted_dims: builder.wanted_dims(result.into()),
    };
    let types = match stated_layouts.types() {
        Some(types) => types
            .iter()
            .map(|ty| decision.for_type(ty))
            .collect::<Vec<_>>(),
        None => decision.open().map_err(|err| {
            let operands = op.operands().enumerate();
            operands.fold(builder.error(op, err), |error, (operand, value)| {
                error.note(
                    value.location(),
                    format!("operand #{operand} is defined here"),
                )
            })
        })?,
    };
    Ok(types
        .into_iter()
        .map(|plan| decision.choice(plan))
        .collect())
}

/// Returns the dimension of the operand that an operation searches along; `None` if the operation does not search.
fn searched(device: DeviceOp<'_>, indexing: &Indexing<'_>) -> Option<usize> {
    let searched = device.searched_dim()?;
    let dims = indexing.tensors.first()?;
    dims.iter().position(|dim| *dim == Some(searched))
}

/// A layout of the result, and the layouts that it needs of the operands.
struct Plan<'p> {
    ty: Candidate<'p>,
    /// The sticks that the operation may walk along.
    sticks: Vec<Stick>,
    /// The number of elements that a stick of each operand must have, if the operation iterates along sticks; `None`
    /// for no requirement.
    elements: Option<Elements>,
    /// The arrangements that the operands may have; empty for no requirement.
    arrangements: Vec<Arrangement>,
}

/// An operation with a result that is to get a layout.
struct Decision<'b, 't, 'p> {
    builder: &'b Builder<'t, 'p>,
    facts: &'static OpFunc,
    rule: StickRule,
    /// The dimension of the operand that is searched along; `None` if the operation does not search.
    searched: Option<usize>,
    /// Whether it is a reduction, which combines elements.
    is_reduction: bool,
    /// The accesses of the operands, then that of the result.
    accesses: Vec<Access>,
    /// An upper bound of the number of iteration dimensions.
    vars: usize,
    operands: Vec<&'b [Candidate<'p>]>,
    /// The view of its buffer that each operand is, per candidate.
    views: Vec<&'b [View]>,
    shape: Vec<u64>,
    element: Type<'p>,
    wanted_dims: Vec<usize>,
}

impl<'p> Decision<'_, '_, 'p> {
    /// Returns the number of elements along the stick that an operation handles as one unit: the elements of a stick of
    /// the narrowest format (SDSC bundle specification, section 4.2), or of the two sticks in which a cast to 32 bits
    /// stores the elements of one.
    fn together(&self, ty: &Candidate<'p>) -> Elements {
        let device = &ty.device;
        let per_stick = device.format().elements_per_stick();
        let together = device.layout().arrangement().sticks_together();
        let unit = Elements(together * per_stick.get());
        if !matches!(self.rule, StickRule::Cast | StickRule::TopK) {
            return unit;
        }
        let operands = self.operands.iter().filter_map(|operand| operand.first());
        let formats = operands.map(|operand| operand.device.format());
        let result = self.format();
        let all = formats.chain(result);
        all.map(DeviceFormat::elements_per_stick)
            .fold(unit, Elements::max)
    }

    /// Returns a layout with room for a whole multiple of `most` elements along the stick.
    fn with_room(&self, ty: &Candidate<'p>, most: Elements) -> Result<Candidate<'p>, String> {
        match tensor::with_room(&ty.device, most)? {
            Some(layout) => {
                let types = self.builder.types;
                Ok(types.with_layout(ty.shape(), ty.element, &layout)?)
            }
            None => Ok(Rc::clone(ty)),
        }
    }

    /// Returns the access of the result.
    fn result(&self) -> &Access {
        self.accesses.last().expect("an operation has a result")
    }

    /// Returns whether all tensors have the same number of elements in a stick, in one arrangement.
    fn sticks_are_alike(&self) -> bool {
        matches!(
            self.rule,
            StickRule::Common | StickRule::LastDim | StickRule::Gather
        )
    }
}
