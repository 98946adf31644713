//! Operations by their parts.

use melior::Context;
use melior::ir::operation::OperationBuilder;
use melior::ir::{Attribute, Identifier, Location, Type};
use spyre_mlir_rt::ir::{self, At, Op, Val};

/// The parts of an operation without regions: its name, operands, types of results and attributes.
pub type Parts<'a, 'p> = (
    &'a str,
    &'a [Val<'p>],
    &'a [Type<'p>],
    &'a [(&'a str, Attribute<'p>)],
);

/// Builds an operation at a place, which is in a block.
pub fn insert<'p>(
    at: At<'p>,
    location: Location<'p>,
    (name, operands, results, attributes): Parts<'_, 'p>,
    context: &'p Context,
) -> Op<'p> {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(name, value)| (Identifier::new(context, name), *value))
        .collect();
    let built = OperationBuilder::new(name, location)
        .add_operands(operands)
        .add_results(results)
        .add_attributes(&attributes)
        .build()
        .expect("every part of the operation is given");
    ir::insert(at, built).expect("the place is in a block")
}

/// Builds operations with one result at a place, which is in a block.
#[derive(Clone, Copy)]
pub struct OpBuilder<'p> {
    /// The context of the operations.
    pub context: &'p Context,
    /// Where.
    pub at: At<'p>,
    /// The location of new operations.
    pub location: Location<'p>,
}

impl<'p> OpBuilder<'p> {
    /// Builds an operation. Returns its result, of type `ty`.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Val<'p> {
        let parts = (name, operands, &[ty][..], attributes);
        let built = insert(self.at, self.location, parts, self.context);
        ir::result(built, 0).expect("it is built with a result")
    }
}
