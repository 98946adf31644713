//! Constant tensors.

use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Location, ShapedTypeLike, Type};
use spyre_mlir_rt::ir::{Op, OpBuilder, Val};
use spyre_ods::spyre;

/// Builds a tensor of floats with one value everywhere, before an operation.
///
/// # Panics
/// `ty` is no tensor of floats of static shape.
pub fn fill<'p>(
    context: &'p Context,
    before: Op<'p>,
    location: Location<'p>,
    ty: Type<'p>,
    value: f64,
) -> Val<'p> {
    let tensor = RankedTensorType::try_from(ty).expect("a constant is a tensor");
    let value: Attribute<'p> = FloatAttribute::new(context, tensor.element(), value).into();
    let values = DenseElementsAttribute::new(ty, &[value]).expect("a number fills a tensor");
    let build = OpBuilder {
        location,
        ..OpBuilder::before(context, before)
    };
    build.op(spyre::fill(values.into()), ty)
}
