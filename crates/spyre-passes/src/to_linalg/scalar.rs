//! Builds the computation of one element, inside the body of a `linalg.generic`.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Location, Type, TypeLike, ValueLike};
use spyre_mlir_rt::ir::{Blk, Op, Val};

/// A scalar, or the reason why it cannot be built.
pub type Scalar<'p> = Result<Val<'p>, String>;

/// The computation of one element from its operands.
#[derive(Debug, Clone, Copy)]
pub enum Formula {
    /// A computation with one operand.
    Of1(for<'p> fn(&Body<'p>, Val<'p>) -> Scalar<'p>),
    /// A computation with two operands.
    Of2(for<'p> fn(&Body<'p>, Val<'p>, Val<'p>) -> Scalar<'p>),
    /// A computation with five operands.
    Of5(for<'p> fn(&Body<'p>, [Val<'p>; 5]) -> Scalar<'p>),
}

impl Formula {
    /// Builds the computation.
    pub fn build<'p>(self, body: &Body<'p>, operands: &[Val<'p>]) -> Scalar<'p> {
        match (self, operands) {
            (Self::Of1(build), [x]) => build(body, *x),
            (Self::Of2(build), [a, b]) => build(body, *a, *b),
            (Self::Of5(build), [a, b, c, d, e]) => build(body, [*a, *b, *c, *d, *e]),
            _ => Err(format!("unexpected number of operands: {}", operands.len())),
        }
    }
}

/// A comparison of two elements. Integers are signed; a NaN is unequal to everything and otherwise compares false.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// a == b
    Equal,
    /// a != b
    NotEqual,
    /// a > b
    Greater,
    /// a >= b
    GreaterEqual,
    /// a < b
    Less,
    /// a <= b
    LessEqual,
}

impl Comparison {
    /// Returns the predicates of `arith.cmpf` and `arith.cmpi`.
    fn predicates(self) -> (i64, i64) {
        match self {
            Self::Equal => (1, 0),
            Self::NotEqual => (13, 1),
            Self::Greater => (2, 4),
            Self::GreaterEqual => (3, 5),
            Self::Less => (4, 2),
            Self::LessEqual => (5, 3),
        }
    }
}

/// The body of a structured operation under construction.
pub struct Body<'p> {
    context: &'p Context,
    location: Location<'p>,
    block: Blk<'p>,
    source: Op<'p>,
}

impl<'p> Body<'p> {
    /// Returns a body that is built at the end of `block` for the operation `source`.
    pub fn new(context: &'p Context, block: Blk<'p>, source: Op<'p>) -> Self {
        Self {
            context,
            location: source.location(),
            block,
            source,
        }
    }

    /// Returns `f32`, the type in which floats are computed.
    pub fn f32(&self) -> Type<'p> {
        Type::float32(self.context)
    }

    /// Appends an operation with one result.
    pub fn op(
        &self,
        name: &str,
        operands: &[Val<'p>],
        ty: Type<'p>,
        attributes: &[(&str, Attribute<'p>)],
    ) -> Scalar<'p> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        let op = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(&[ty])
            .add_attributes(&attributes)
            .build()
            .map_err(|why| why.to_string())?;
        Ok(self
            .block
            .append_operation(op)
            .result(0)
            .map_err(|why| why.to_string())?
            .into())
    }

    /// Appends an operation whose result has the type of its first operand, for example `math.exp`.
    pub fn apply(&self, name: &str, operands: &[Val<'p>]) -> Scalar<'p> {
        let first = operands
            .first()
            .ok_or_else(|| format!("'{name}' needs an operand"))?;
        self.op(name, operands, first.r#type(), &[])
    }

    /// Appends a constant of type `f32`, rounded from `value`.
    pub fn constant(&self, value: f64) -> Scalar<'p> {
        let value = FloatAttribute::new(self.context, self.f32(), value);
        self.op(
            "arith.constant",
            &[],
            self.f32(),
            &[("value", value.into())],
        )
    }

    /// Appends an integer constant.
    pub fn integer(&self, ty: Type<'p>, value: i64) -> Scalar<'p> {
        let value = IntegerAttribute::new(ty, value);
        self.op("arith.constant", &[], ty, &[("value", value.into())])
    }

    /// Appends the position of the element along a dimension of the iteration space, of type `index`.
    pub fn position(&self, dim: usize) -> Scalar<'p> {
        let dim = i64::try_from(dim).map_err(|why| why.to_string())?;
        let dim = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), dim);
        let index = Type::index(self.context);
        self.op("linalg.index", &[], index, &[("dim", dim.into())])
    }

    /// Returns a number among the attributes of the operation that is lowered.
    pub fn parameter(&self, name: &str) -> Result<f64, String> {
        let value = self.source.attribute(name).map_err(|why| why.to_string())?;
        Ok(FloatAttribute::try_from(value)
            .map_err(|why| why.to_string())?
            .value())
    }

    /// Appends `a + b`.
    pub fn add(&self, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        self.apply("arith.addf", &[a, b])
    }

    /// Appends `a - b`.
    pub fn sub(&self, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        self.apply("arith.subf", &[a, b])
    }

    /// Appends `a * b`.
    pub fn mul(&self, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        self.apply("arith.mulf", &[a, b])
    }

    /// Appends `a / b`.
    pub fn div(&self, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        self.apply("arith.divf", &[a, b])
    }

    /// Appends `e^x`.
    pub fn exp(&self, x: Val<'p>) -> Scalar<'p> {
        self.apply("math.exp", &[x])
    }

    /// Appends `1 + e^-x`.
    pub fn one_plus_exp_of_minus(&self, x: Val<'p>) -> Scalar<'p> {
        let minus = self.apply("arith.negf", &[x])?;
        self.add(self.constant(1.0)?, self.exp(minus)?)
    }

    /// Appends `condition ? a : b`.
    pub fn select(&self, condition: Val<'p>, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        self.op("arith.select", &[condition, a, b], a.r#type(), &[])
    }

    /// Appends a comparison, whose result is `i1`.
    pub fn compare(&self, how: Comparison, a: Val<'p>, b: Val<'p>) -> Scalar<'p> {
        let (float, integer) = how.predicates();
        let (name, predicate) = if a.r#type().is_integer() {
            ("arith.cmpi", integer)
        } else {
            ("arith.cmpf", float)
        };
        let predicate = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), predicate);
        self.op(
            name,
            &[a, b],
            IntegerType::new(self.context, 1).into(),
            &[("predicate", predicate.into())],
        )
    }

    /// Converts a float to `f32`, exactly.
    pub fn widen(&self, x: Val<'p>) -> Scalar<'p> {
        self.check_float(x.r#type())?;
        if x.r#type() == self.f32() {
            Ok(x)
        } else {
            self.op("arith.extf", &[x], self.f32(), &[])
        }
    }

    /// Rounds an `f32` to an element type, to nearest and ties to even.
    pub fn round(&self, x: Val<'p>, ty: Type<'p>) -> Scalar<'p> {
        self.check_float(ty)?;
        if x.r#type() == ty {
            Ok(x)
        } else {
            self.op("arith.truncf", &[x], ty, &[])
        }
    }

    /// Converts an element for a comparison: a float to `f32`, a truth value to 0 or 1. Any other integer stays as it is.
    pub fn comparable(&self, x: Val<'p>) -> Scalar<'p> {
        match IntegerType::try_from(x.r#type()) {
            Ok(integer) if integer.width() == 1 => self.op(
                "arith.extui",
                &[x],
                IntegerType::new(self.context, 32).into(),
                &[],
            ),
            Ok(_) => Ok(x),
            Err(_) => self.widen(x),
        }
    }

    fn check_float(&self, ty: Type<'p>) -> Result<(), String> {
        let known = [
            Type::float16(self.context),
            Type::bfloat16(self.context),
            self.f32(),
        ];
        if known.contains(&ty) {
            Ok(())
        } else {
            Err(format!(
                "this operation is not defined on elements of type '{ty}'"
            ))
        }
    }

    /// Ends the body with a value.
    pub fn finish(&self, value: Val<'p>) -> Result<(), String> {
        let end = OperationBuilder::new("linalg.yield", self.location)
            .add_operands(&[value])
            .build();
        self.block
            .append_operation(end.map_err(|why| why.to_string())?);
        Ok(())
    }
}
