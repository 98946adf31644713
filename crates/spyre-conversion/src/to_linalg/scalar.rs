//! Builds the computation of one element, inside the body of a `linalg.generic`.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, Type, TypeLike, ValueLike};
use spyre_mlir_rt::ir::{Blk, Op, Val};
use spyre_ods::{Arithmetic, OpBuilder, OpParts, arith, linalg};
use spyre_ops::{Comparison, Formula};

/// A scalar, or the reason why it cannot be built.
pub(super) type Scalar<'p> = Result<Val<'p>, String>;

/// The body of a structured operation under construction.
pub(super) struct Body<'p> {
    context: &'p Context,
    location: Location<'p>,
    block: Blk<'p>,
    source: Op<'p>,
}

impl<'p> Body<'p> {
    /// Returns a body that is built at the end of `block` for the operation `source`.
    pub(super) fn new(context: &'p Context, block: Blk<'p>, source: Op<'p>) -> Self {
        Self {
            context,
            location: source.location(),
            block,
            source,
        }
    }

    /// Returns `f32`, the type in which floats are computed.
    pub(super) fn f32(&self) -> Type<'p> {
        Type::float32(self.context)
    }

    /// Appends an operation with one result.
    pub(super) fn emit(&self, parts: OpParts<'p>, ty: Type<'p>) -> Val<'p> {
        self.builder().op(parts, ty)
    }

    /// Appends an operation with a result of the type of its first operand, for example `math.exp`.
    pub(super) fn same(&self, parts: OpParts<'p>) -> Val<'p> {
        self.builder().same(parts)
    }

    /// Appends the position of the element along a dimension of the iteration space, of type `index`.
    pub(super) fn position(&self, dim: usize) -> Val<'p> {
        let dim = i64::try_from(dim).expect("ranks are small");
        let dim = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), dim);
        self.emit(linalg::index(dim.into()), Type::index(self.context))
    }

    /// Appends a formula of operands of type `f32`. Equal parts are appended once.
    pub(super) fn formula(&self, formula: &Formula, operands: &[Val<'p>]) -> Scalar<'p> {
        self.part(formula, operands, &mut Vec::new())
    }

    fn part(
        &self,
        formula: &Formula,
        operands: &[Val<'p>],
        values: &mut Vec<(Formula, Val<'p>)>,
    ) -> Scalar<'p> {
        if let Some((_, value)) = values.iter().find(|(part, _)| part == formula) {
            return Ok(*value);
        }
        let mut parts = |parts: &[Formula]| {
            let parts = parts.iter().map(|part| self.part(part, operands, values));
            parts.collect::<Result<Vec<_>, _>>()
        };
        let value = match formula {
            Formula::Operand(at) => *operands
                .get(*at)
                .ok_or_else(|| format!("operand {at} of {} is computed with", operands.len()))?,
            Formula::Number(value) => self.float(*value, self.f32()),
            Formula::Parameter(name) => self.float(self.parameter(name)?, self.f32()),
            Formula::Apply(name, of) => self.same(OpParts::named(*name, &parts(of)?)),
            Formula::Where(how, of) => match parts(*of)?.as_slice() {
                [left, right, a, b] => self.select(self.compare(*how, *left, *right), *a, *b),
                _ => unreachable!("there are four parts"),
            },
        };
        values.push((*formula, value));
        Ok(value)
    }

    /// Returns a number among the attributes of the operation that is lowered.
    fn parameter(&self, name: &str) -> Result<f64, String> {
        let value = self.source.attribute(name).map_err(|err| err.to_string())?;
        Ok(FloatAttribute::try_from(value)
            .map_err(|err| err.to_string())?
            .value())
    }

    /// Appends `a / b`.
    pub(super) fn div(&self, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.same(arith::divf(a, b))
    }

    /// Appends a comparison with a result of `i1`.
    pub(super) fn compare(&self, how: Comparison, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        let (float, integer) = how.predicates();
        let number = |predicate| {
            IntegerAttribute::new(IntegerType::new(self.context, 64).into(), predicate).into()
        };
        let parts = if a.r#type().is_integer() || a.r#type().is_index() {
            arith::cmpi(a, b, number(integer))
        } else {
            arith::cmpf(a, b, number(float))
        };
        self.emit(parts, IntegerType::new(self.context, 1).into())
    }

    /// Returns the 32 bits that device memory has of a number as a number of another type.
    pub(super) fn bits(&self, x: Val<'p>, ty: Type<'p>) -> Val<'p> {
        let word: Type<'p> = IntegerType::new(self.context, 32).into();
        let from = x.r#type();
        let x = match (from.is_f32(), from == word) {
            (true, _) => self.emit(arith::bitcast(x), word),
            (_, true) => x,
            _ => self.emit(arith::trunci(x), word),
        };
        match (ty.is_f32(), ty == word) {
            (true, _) => self.emit(arith::bitcast(x), ty),
            (_, true) => x,
            _ => self.emit(arith::extsi(x), ty),
        }
    }

    /// Converts a float to `f32`, exactly.
    pub(super) fn widen(&self, x: Val<'p>) -> Scalar<'p> {
        self.check_float(x.r#type())?;
        if x.r#type() == self.f32() {
            Ok(x)
        } else {
            Ok(self.emit(arith::extf(x), self.f32()))
        }
    }

    /// Rounds an `f32` to an element type, to nearest and ties to even.
    pub(super) fn round(&self, x: Val<'p>, ty: Type<'p>) -> Scalar<'p> {
        self.check_float(ty)?;
        if x.r#type() == ty {
            Ok(x)
        } else {
            Ok(self.emit(arith::truncf(x), ty))
        }
    }

    /// Converts an element for a comparison: a float to `f32`, a truth value to 0 or 1. Any other integer stays as it is.
    pub(super) fn comparable(&self, x: Val<'p>) -> Scalar<'p> {
        match IntegerType::try_from(x.r#type()) {
            Ok(integer) if integer.width() == 1 => {
                let wide = IntegerType::new(self.context, 32).into();
                Ok(self.emit(arith::extui(x), wide))
            }
            Ok(_) => Ok(x),
            Err(_) => self.widen(x),
        }
    }

    fn check_float(&self, ty: Type<'p>) -> Result<(), String> {
        let types = [
            Type::float16(self.context),
            Type::bfloat16(self.context),
            self.f32(),
        ];
        if types.contains(&ty) {
            Ok(())
        } else {
            Err(format!(
                "this operation is not defined on elements of type '{ty}'"
            ))
        }
    }

    /// Ends the body with a value.
    pub(super) fn finish(&self, value: Val<'p>) {
        self.builder().insert(linalg::yield_(&[value]), &[]);
    }
}

impl<'p> Arithmetic<'p> for Body<'p> {
    fn builder(&self) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, self.block, self.location)
    }
}
