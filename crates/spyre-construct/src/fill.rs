//! Constant tensors.

use melior::Context;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute};
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, Identifier, Location, ShapedTypeLike, Type};
use spyre_mlir_rt::ir::{self, At, Op, Val};

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
    let built = ir::build(
        At::Before(before),
        location,
        ir::Parts {
            name: "spyre.fill",
            operands: &[],
            results: &[ty],
            attributes: &[(Identifier::new(context, "value"), values.into())],
            regions: Vec::new(),
        },
    );
    ir::result(built, 0).expect("a constant has one result")
}
