//! Operations of the body of a structured operation.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Location, Type, TypeLike, ValueLike};
use spyre_analysis::insert::OpBuilder;
use spyre_mlir_rt::ir::{At, Blk, Val};

use super::super::functions::Class;
use super::super::import;
use super::super::types::width;

/// Builds operations at the end of a block.
#[derive(Clone, Copy)]
pub(super) struct Emit<'p> {
    pub(super) context: &'p Context,
    pub(super) block: Blk<'p>,
    pub(super) location: Location<'p>,
}

impl<'p> Emit<'p> {
    /// Builds an operation with one result.
    pub(super) fn op_with(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Val<'p> {
        let builder = OpBuilder {
            context: self.context,
            at: At::End(self.block),
            location: self.location,
        };
        builder.op(name, operands, ty, attributes)
    }

    pub(super) fn op(&self, name: &str, operands: &[Val<'p>], ty: Type<'p>) -> Val<'p> {
        self.op_with(name, operands, ty, &[])
    }

    /// Builds an operation with the type of its first operand as result type.
    pub(super) fn same(&self, name: &str, operands: &[Val<'p>]) -> Val<'p> {
        self.op(name, operands, operands[0].r#type())
    }

    pub(super) fn constant(&self, value: Attribute<'p>, ty: Type<'p>) -> Val<'p> {
        self.op_with("arith.constant", &[], ty, &[("value", value)])
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
            factor => self.same("arith.muli", &[*value, self.index(*factor)]),
        });
        let mut scaled: Vec<Val<'p>> = scaled.collect();
        if offset != 0 || scaled.is_empty() {
            scaled.push(self.index(offset));
        }
        let sum = scaled
            .into_iter()
            .reduce(|a, b| self.same("arith.addi", &[a, b]));
        sum.expect("there is a term")
    }

    /// Builds the index of a loop of the structured operation.
    pub(super) fn loop_index(&self, number: usize) -> Val<'p> {
        let number = i64::try_from(number).expect("loops are few");
        let dim = IntegerAttribute::new(self.i64(), number).into();
        let index = Type::index(self.context);
        self.op_with("linalg.index", &[], index, &[("dim", dim)])
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

    fn compare(&self, name: &str, predicate: i64, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let predicate = IntegerAttribute::new(self.i64(), predicate).into();
        self.op_with(
            name,
            &[a, b],
            self.truth_type(),
            &[("predicate", predicate)],
        )
    }

    /// Compares two numbers: `predicate` is that of `arith.cmpi`, signed, and of `arith.cmpf`, ordered but for `une`.
    pub(super) fn is(&self, predicate: Is, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        match class(a.r#type()) {
            Class::Float => self.compare("arith.cmpf", predicate.of_floats(), a, b),
            _ => self.compare("arith.cmpi", predicate.of_integers(), a, b),
        }
    }

    /// Builds whether an integer is below another one, neither with a sign.
    pub(super) fn below(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.compare("arith.cmpi", 6, a, b)
    }

    /// Builds whether a number is not equal to itself.
    pub(super) fn is_nan(&self, value: Val<'p>) -> Val<'p> {
        self.compare("arith.cmpf", 14, value, value)
    }

    pub(super) fn select(&self, mask: Val<'p>, then: Val<'p>, otherwise: Val<'p>) -> Val<'p> {
        self.op("arith.select", &[mask, then, otherwise], then.r#type())
    }

    /// Builds the opposite of a truth value.
    pub(super) fn not(&self, value: Val<'p>) -> Val<'p> {
        let truth = self.number(1.0, self.truth_type());
        self.same("arith.xori", &[value, truth])
    }

    /// Builds whether a number is not 0.
    pub(super) fn truth(&self, value: Val<'p>) -> Val<'p> {
        if value.r#type() == self.truth_type() {
            return value;
        }
        self.is(Is::NotEqual, value, self.number(0.0, value.r#type()))
    }

    /// Converts a number to another type, as PyTorch does: floats are truncated, and nonzero numbers are true. A
    /// narrow integer has the low bits of one of 32: numbers outside of its range are not defined in `arith`, and are
    /// the low bits in PyTorch.
    pub(super) fn converted(&self, value: Val<'p>, to: Type<'p>, unsigned: bool) -> Val<'p> {
        let from = value.r#type();
        if from == to {
            return value;
        }
        let name = match (class(from), class(to)) {
            (_, Class::Truth) => return self.truth(value),
            (Class::Float, Class::Float) if width(from) < width(to) => "arith.extf",
            (Class::Float, Class::Float) => "arith.truncf",
            (Class::Float, _) if width(to) < 32 => {
                let wide = IntegerType::new(self.context, 32).into();
                let wide = self.op("arith.fptosi", &[value], wide);
                return self.op("arith.trunci", &[wide], to);
            }
            (Class::Float, _) => "arith.fptosi",
            (Class::Integer, Class::Float) if !unsigned => "arith.sitofp",
            (_, Class::Float) => "arith.uitofp",
            (Class::Truth, _) => "arith.extui",
            (_, _) if width(from) > width(to) => "arith.trunci",
            (_, _) if unsigned => "arith.extui",
            (_, _) => "arith.extsi",
        };
        self.op(name, &[value], to)
    }
}

/// A comparison.
#[derive(Clone, Copy)]
pub(super) enum Is {
    Equal,
    NotEqual,
    Less,
    Greater,
    GreaterEqual,
}

impl Is {
    const fn of_floats(self) -> i64 {
        match self {
            Self::Equal => 1,
            Self::Greater => 2,
            Self::GreaterEqual => 3,
            Self::Less => 4,
            Self::NotEqual => 13,
        }
    }

    const fn of_integers(self) -> i64 {
        match self {
            Self::Equal => 0,
            Self::NotEqual => 1,
            Self::Less => 2,
            Self::Greater => 4,
            Self::GreaterEqual => 5,
        }
    }
}

/// Returns the class of a number's type.
fn class(ty: Type<'_>) -> Class {
    if ty.is_index() {
        Class::Integer
    } else {
        import::class(ty)
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
