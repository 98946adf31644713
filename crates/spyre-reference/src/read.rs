//! Attributes of operations.

use melior::ir::Attribute;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::ir::Op;

use crate::TensorType;
use crate::tensor::{Tensor, is_float};

/// Returns the attribute of this name.
fn attribute<'p>(op: Op<'p>, name: &str) -> Result<Attribute<'p>, String> {
    op.attribute(name)
        .map_err(|_| format!("it lacks its attribute '{name}'"))
}

/// Reads an array of dimensions.
pub(crate) fn dims(op: Op<'_>, name: &str) -> Result<Vec<usize>, String> {
    let attr = attribute(op, name)?;
    let wrong = || format!("'{name}' is no list of dimensions: {attr}");
    let list = DenseI64ArrayAttribute::try_from(attr).map_err(|_| wrong())?;
    let entries = (0..list.len()).map(|at| {
        let entry = list.element(at).map_err(|_| wrong())?;
        usize::try_from(entry).map_err(|_| wrong())
    });
    entries.collect()
}

/// Reads a number that is not negative.
pub(crate) fn integer(op: Op<'_>, name: &str) -> Result<usize, String> {
    let attr = attribute(op, name)?;
    let number = IntegerAttribute::try_from(attr).ok();
    let number = number.and_then(|number| usize::try_from(number.value()).ok());
    number.ok_or_else(|| format!("'{name}' is no number from 0 on: {attr}"))
}

/// Reads a constant of a computation, as `f32`.
pub(crate) fn number(op: Op<'_>, name: &str) -> Result<f32, String> {
    let attr = attribute(op, name)?;
    let number = FloatAttribute::try_from(attr);
    let number = number.map_err(|_| format!("'{name}' is no number: {attr}"))?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "constants are computed with in f32"
    )]
    Ok(number.value() as f32)
}

/// Returns the tensor of `spyre.fill`, or of an `arith.constant` of one value.
pub(crate) fn constant(op: Op<'_>, ty: TensorType) -> Result<Tensor, String> {
    let value = attribute(op, "value").map_err(|_| "it has no meaning here".to_owned())?;
    let wrong = || format!("not one value: {value}");
    let dense = DenseElementsAttribute::try_from(value).map_err(|_| wrong())?;
    if !dense.is_splat() {
        return Err(wrong());
    }
    let value = dense.splat_value();
    if is_float(ty.element) {
        let value = FloatAttribute::try_from(value)
            .map_err(|_| wrong())?
            .value();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a value of the type, which f32 holds"
        )]
        Tensor::repeat(ty, value as f32, 0)
    } else {
        let value = IntegerAttribute::try_from(value).map_err(|_| wrong())?;
        Tensor::repeat(ty, 0.0, value.value())
    }
}
