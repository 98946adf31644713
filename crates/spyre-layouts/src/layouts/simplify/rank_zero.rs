//! Casts of tensors without dimensions.
//!
//! A cast between formats of different widths runs over whole sticks of both (contract, K36), along a dimension that both tensors
//! have on their sticks. A tensor without dimensions has none, so it is cast as a tensor of one dimension and one element.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::view::View;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, At, Val};
use spyre_ops::OpClass;

use super::super::relayout::build_reshape;
use super::{Simplifier, plain};

/// Casts a tensor without dimensions as one of a dimension. Returns whether the operation is such a cast, without layouts.
///
/// # Errors
/// A reshape cannot be built.
pub(super) fn cast<'p>(simplifier: &Simplifier<'p>, device: DeviceOp<'p>) -> Result<bool, String> {
    let op = device.op();
    if device.facts().class != OpClass::Cast || device.place().is_some() {
        return Ok(false);
    }
    let source = ir::operand(op, 0).expect("a cast has an operand");
    let result = ir::result(op, 0).expect("a cast has a result");
    let of = |value: Val<'p>| simplifier.types.get(value.r#type());
    let (Ok(from), Ok(to)) = (of(source), of(result)) else {
        // An extent is dynamic, so there is a dimension.
        return Ok(false);
    };
    if !to.shape().is_empty() || from.has_layout || to.has_layout {
        return Ok(false);
    }
    let (context, at) = (simplifier.run.context(), At::Before(op));
    let reshape =
        |view: &View, value, ty| build_reshape(context, at, op.location(), view, value, ty);
    let source = reshape(&View::Expand(Vec::new()), source, plain(&from, &[1]))?;
    let cast = ir::build_clone(at, op);
    ir::set_operand(cast, 0, source);
    let cast = ir::result(cast, 0).expect("a cast has a result");
    cast.set_type(plain(&to, &[1]));
    let whole = reshape(&View::Collapse(Vec::new()), cast, result.r#type())?;
    ir::replace_all_uses(result, whole);
    ir::erase(op);
    Ok(true)
}
