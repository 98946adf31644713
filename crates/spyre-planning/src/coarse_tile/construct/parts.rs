//! Builds the combination of parts of a reduction: its identity, the next step, and the last one.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, TypeLike, ValueLike};
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{At, Op, Val};
use spyre_ods::{OpBuilder, OpParts, spyre};
use spyre_ops::Ranked;

use crate::coarse_tile::construct::with_attributes_of;
use crate::coarse_tile::plan::reduce::{Average, Combination, Fold, Reduction};
use crate::coarse_tile::plan::result;

/// The position at which operations are built, and the operation that they replace.
#[derive(Clone, Copy)]
pub(crate) struct BuildSite<'s, 'p> {
    pub(crate) context: &'p Context,
    pub(crate) types: &'s TensorTypes<'p>,
    pub(crate) at: At<'p>,
    pub(crate) op: DeviceOp<'p>,
}

impl<'p> BuildSite<'_, 'p> {
    /// Builds an operation at the site.
    pub(crate) fn build(&self, parts: OpParts<'p>, ty: Type<'p>) -> Op<'p> {
        let build = OpBuilder {
            context: self.context,
            at: self.at,
            location: self.op.op().location(),
        };
        build.insert(parts, &[ty])
    }

    /// Builds an operation on tensors like the result, divided over the cores like the result.
    pub(crate) fn elementwise(
        &self,
        name: &'static str,
        operands: &[Val<'p>],
        ty: Type<'p>,
    ) -> Val<'p> {
        let split = self.op.split().map(|split| {
            // The dimensions of the result come first.
            let rank = self.op.tensor_dims(self.op.op().operand_count()).len();
            let split = split.iter().take(rank).map(|cores| i64::from(*cores));
            let split: Vec<i64> = split.collect();
            DenseI64ArrayAttribute::new(self.context, &split).into()
        });
        let parts = OpParts::named(name, operands).with_optional("split", split);
        result(self.build(parts, ty))
    }

    /// Builds a tensor of one number. For an integer element type, the number must be whole.
    pub(crate) fn fill(&self, ty: &TensorType<'p>, value: f64) -> Val<'p> {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
        let value: Attribute<'p> = if ty.element.is_integer() {
            IntegerAttribute::new(ty.element, value as i64).into()
        } else {
            FloatAttribute::new(self.context, ty.element, value).into()
        };
        let values = DenseElementsAttribute::new(ty.ty, &[value]);
        let values = values.expect("a number of the element type fills a tensor");
        result(self.build(spyre::fill(values.into()), ty.ty))
    }

    /// Builds the tensor that an accumulator starts from.
    pub(crate) fn start(&self, reduction: &Reduction, ty: &TensorType<'p>) -> Val<'p> {
        let value = match reduction.combination {
            Combination::Fold { fold, .. } => fold.identity,
            // Positions start from 0.
            Combination::Search(search) if search.result == Ranked::Position => 0.0,
            Combination::Search(_) => f64::NEG_INFINITY,
        };
        self.fill(ty, value)
    }

    /// Builds the operation that computes a part, for a reduction with a different operation for parts.
    pub(crate) fn part(&self, operand: Val<'p>, ty: Type<'p>) -> Op<'p> {
        let parts = OpParts::named(spyre::SUM, &[operand]);
        let names = ["dims", "keepdim", "split"];
        self.build(with_attributes_of(parts, self.op.op(), &names), ty)
    }

    /// Builds the combination of an accumulator with a part. If the parts of a mean are means, the part is multiplied
    /// by its weight first.
    pub(crate) fn combine(
        &self,
        fold: Fold,
        average: Option<Average>,
        accumulator: Val<'p>,
        part: Val<'p>,
    ) -> Val<'p> {
        let part = match average {
            Some(Average::OfMeans(weight)) => {
                let ty = self.types.get(part.r#type()).expect("a tile has a type");
                let weight = self.fill(&ty, weight);
                self.elementwise(spyre::MUL, &[part, weight], ty.ty)
            }
            Some(Average::OfSums(_)) | None => part,
        };
        self.elementwise(fold.combine, &[accumulator, part], accumulator.r#type())
    }

    /// Builds the last step, after all parts are combined: the division of a mean, or the position of a search. For other
    /// reductions the accumulator is the result.
    pub(crate) fn finish(
        &self,
        reduction: &Reduction,
        accumulator: Val<'p>,
        ty: &TensorType<'p>,
    ) -> Val<'p> {
        match reduction.combination {
            Combination::Fold {
                average: Some(Average::OfSums(count)),
                ..
            } => {
                let count = self.fill(ty, count);
                self.elementwise(spyre::REALDIV, &[accumulator, count], ty.ty)
            }
            Combination::Search(search) if search.result == Ranked::Position => {
                self.shift(spyre::ADD, accumulator, search.extent)
            }
            _ => accumulator,
        }
    }
}
