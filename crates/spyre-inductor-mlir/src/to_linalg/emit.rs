//! Operations of the body of a structured operation.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type, TypeLike, ValueLike};
use spyre_mlir_rt::ir::{Blk, Val};
use spyre_ods::{Arithmetic, CmpFPredicate, CmpIPredicate, OpBuilder, OpParts, arith, linalg};

use super::super::functions::Class;
use super::super::types::width;

/// A comparison.
pub(super) use spyre_ods::Relation as Is;

/// A constructor of the parts of an operation on one operand.
pub(super) type Unary = for<'p> fn(Val<'p>) -> OpParts<'p>;

/// A constructor of the parts of an operation on two operands.
pub(super) type Binary = for<'p> fn(Val<'p>, Val<'p>) -> OpParts<'p>;

/// Builds operations at the end of a block.
#[derive(Clone, Copy)]
pub(super) struct Emit<'p> {
    pub(super) context: &'p Context,
    pub(super) block: Blk<'p>,
    pub(super) location: Location<'p>,
}

impl<'p> Emit<'p> {
    fn builder(&self) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, self.block, self.location)
    }

    /// Builds an operation with one result.
    pub(super) fn op(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        self.builder().op(parts, ty)
    }

    /// Builds an operation with a result of the type of its first operand.
    pub(super) fn same(&self, parts: OpParts<'p>) -> Val<'p> {
        self.builder().same(parts)
    }

    /// Builds an operation whose name is data.
    pub(super) fn named(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&'static str, Attribute<'p>)],
    ) -> Val<'p> {
        let mut parts = OpParts::named(name.to_owned(), operands);
        parts.attributes.extend_from_slice(attributes);
        self.op(parts, ty)
    }

    pub(super) fn constant(&self, value: Attribute<'p>, ty: Type<'p>) -> Val<'p> {
        self.op(arith::constant(value), ty)
    }

    /// Builds a small number of a type.
    pub(super) fn number(&self, value: f64, ty: Type<'p>) -> Val<'p> {
        self.constant(number(self.context, value, ty), ty)
    }

    pub(super) fn index(&self, value: i64) -> Val<'p> {
        let index = Type::index(self.context);
        self.constant(IntegerAttribute::new(index, value).into(), index)
    }

    /// Builds a sum of indices with factors.
    pub(super) fn sum(&self, terms: &[(Val<'p>, i64)], offset: i64) -> Val<'p> {
        let scaled = terms.iter().map(|(value, factor)| match factor {
            1 => *value,
            factor => self.same(arith::muli(*value, self.index(*factor))),
        });
        let mut scaled: Vec<Val<'p>> = scaled.collect();
        if offset != 0 || scaled.is_empty() {
            scaled.push(self.index(offset));
        }
        let sum = scaled
            .into_iter()
            .reduce(|a, b| self.same(arith::addi(a, b)));
        sum.expect("there is a term")
    }

    /// Builds the index of a loop of the structured operation.
    pub(super) fn loop_index(&self, number: usize) -> Val<'p> {
        let number = i64::try_from(number).expect("loops are few");
        let dim = IntegerAttribute::new(self.i64(), number).into();
        let index = Type::index(self.context);
        self.op(linalg::index(dim), index)
    }

    pub(super) fn i64(&self) -> Type<'p> {
        IntegerType::new(self.context, 64).into()
    }

    pub(super) fn i64_attribute(&self, value: i64) -> Attribute<'p> {
        IntegerAttribute::new(self.i64(), value).into()
    }

    pub(super) fn truth_type(&self) -> Type<'p> {
        IntegerType::new(self.context, 1).into()
    }

    /// Compares two numbers: `predicate` is that of `arith.cmpi`, signed, and of `arith.cmpf`, ordered but for `une`.
    pub(super) fn is(&self, predicate: Is, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        match class(a.r#type()) {
            Class::Float => self.builder().cmpf(predicate.of_floats(), a, b),
            _ => self.builder().cmpi(predicate.of_signed(), a, b),
        }
    }

    /// Builds whether an integer is below another one, neither with a sign.
    pub(super) fn below(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.builder().cmpi(CmpIPredicate::Ult, a, b)
    }

    /// Builds whether a number is not equal to itself.
    pub(super) fn is_nan(&self, value: Val<'p>) -> Val<'p> {
        self.builder().cmpf(CmpFPredicate::Uno, value, value)
    }

    pub(super) fn select(&self, mask: Val<'p>, then: Val<'p>, otherwise: Val<'p>) -> Val<'p> {
        self.builder().select(mask, then, otherwise)
    }

    /// Builds the opposite of a truth value.
    pub(super) fn not(&self, value: Val<'p>) -> Val<'p> {
        let truth = self.number(1.0, self.truth_type());
        self.same(arith::xori(value, truth))
    }

    /// Builds whether a number is not 0.
    pub(super) fn truth(&self, value: Val<'p>) -> Val<'p> {
        if value.r#type() == self.truth_type() {
            return value;
        }
        self.is(Is::NotEqual, value, self.number(0.0, value.r#type()))
    }

    /// Converts a number to another type, as PyTorch does: floats are truncated, and nonzero numbers are true. A float
    /// becomes a narrow integer by way of an integer of 32 bits, and its low bits are kept, as in PyTorch:
    /// `arith.fptosi` does not define the result for numbers outside of the narrow range.
    pub(super) fn converted(&self, value: Val<'p>, to: Type<'p>, unsigned: bool) -> Val<'p> {
        let from = value.r#type();
        if from == to {
            return value;
        }
        let parts = match (class(from), class(to)) {
            (_, Class::Truth) => return self.truth(value),
            (Class::Float, Class::Float) if width(from) < width(to) => arith::extf(value),
            (Class::Float, Class::Float) => arith::truncf(value),
            (Class::Float, _) if width(to) < 32 => {
                let wide = IntegerType::new(self.context, 32).into();
                let wide = self.op(arith::fptosi(value), wide);
                return self.op(arith::trunci(wide), to);
            }
            (Class::Float, _) => arith::fptosi(value),
            (Class::Integer, Class::Float) if !unsigned => arith::sitofp(value),
            (_, Class::Float) => arith::uitofp(value),
            (Class::Truth, _) => arith::extui(value),
            (_, _) if width(from) > width(to) => arith::trunci(value),
            (_, _) if unsigned => arith::extui(value),
            (_, _) => arith::extsi(value),
        };
        self.op(parts, to)
    }
}

/// Returns the class of a number's type.
fn class(ty: Type<'_>) -> Class {
    if ty.is_index() {
        Class::Integer
    } else {
        crate::functions::class(ty)
    }
}

/// Returns a small number of a type.
pub(super) fn number<'p>(context: &'p Context, value: f64, ty: Type<'p>) -> Attribute<'p> {
    match class(ty) {
        Class::Float => FloatAttribute::new(context, ty, value).into(),
        _ => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "callers ask for small integers"
            )]
            let value = value as i64;
            IntegerAttribute::new(ty, value).into()
        }
    }
}
