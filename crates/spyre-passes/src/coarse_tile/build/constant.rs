//! Tiles of tensors of one value, and of tensors without contents: a window of such a tensor is made as a new tensor.

use melior::Context;
use melior::ir::attribute::DenseElementsAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Identifier, Type};
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_dialects::spyre::EmptyOperation;
use spyre_mlir_rt::ir::{self, At, Op, Val};

use crate::layouts::is_fill;

/// Returns the operation that makes a tensor of one value or a tensor without contents. `None` for other values.
pub fn maker<'p>(value: Val<'p>) -> Option<Op<'p>> {
    ir::defining_op(value).filter(|op| is_fill(*op) || EmptyOp::cast(*op).is_some())
}

/// Builds a tile of the tensor that `maker` makes.
///
/// # Errors
/// The IR breaks a rule that the verifier of its dialect checks.
pub fn build<'p>(
    context: &'p Context,
    at: At<'p>,
    maker: Op<'p>,
    tile: Type<'p>,
) -> Result<Val<'p>, String> {
    let built = if is_fill(maker) {
        let value = maker.attribute("value").map_err(|why| why.to_string())?;
        let value = attr::splat(value).ok_or("the value is no splat")?;
        let value = DenseElementsAttribute::new(tile, &[value]).map_err(|why| why.to_string())?;
        OperationBuilder::new("spyre.fill", maker.location())
            .add_attributes(&[(Identifier::new(context, "value"), value.into())])
            .add_results(&[tile])
            .build()
            .map_err(|why| why.to_string())?
    } else {
        EmptyOperation::builder(context, maker.location())
            .result(tile)
            .sizes(&[])
            .build()
            .into()
    };
    let built = ir::insert(at, built).ok_or("operation is in no block")?;
    let result = built.result(0).map_err(|why| why.to_string())?;
    Ok(result.into())
}

/// Removes those of the operations whose results are not used any more.
pub fn erase_unused(makers: Vec<Op<'_>>) {
    let mut erased = rustc_hash::FxHashSet::default();
    for maker in makers {
        if !erased.contains(&ir::op_key(maker))
            && maker
                .results()
                .all(|result| ir::uses(result.into()).is_empty())
        {
            erased.insert(ir::op_key(maker));
            ir::erase(maker);
        }
    }
}
