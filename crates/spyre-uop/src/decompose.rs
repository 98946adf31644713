//! Operations in terms of others: the decompositions of tinyspec.
//!
//! They are written once, over [`Emit`], a builder of operations. A graph is rewritten with an emitter that adds nodes,
//! tests compute elements directly, and a pass can build operations of MLIR. The operations that a target has are kept;
//! the rest becomes primitives: sums, products, comparisons, bits, selections and conversions. The formulas follow the
//! specification, part 2, with its corrections: floats of 16 bits are computed in 32 bits and rounded once, the
//! argument of a sine is reduced by three constants in their order, and the remainder of a large one is centred. Sums
//! are evaluated in the order of the formulas; a target that changes this order has other results.

mod exact;
mod exp2;
mod graph;
mod log2;
mod pow;
mod sin;

pub use graph::{Rewritten, rewrite};

use crate::dtype::DType;
use crate::op::Elementwise;
use crate::schema::Datum;

/// A builder of operations on tensors, or on elements.
pub trait Emit {
    /// A tensor, or an element.
    type Value: Clone;
    /// Why an operation cannot be built.
    type Error;

    /// Returns the element type of a value.
    fn dtype(&self, value: &Self::Value) -> DType;

    /// Returns the value of all elements, if they are a known constant.
    fn constant_of(&self, value: &Self::Value) -> Option<Datum>;

    /// Builds a constant with the shape of another value.
    ///
    /// # Errors
    /// It cannot be built.
    fn constant(
        &mut self,
        dtype: DType,
        value: Datum,
        like: &Self::Value,
    ) -> Result<Self::Value, Self::Error>;

    /// Builds an elementwise operation.
    ///
    /// # Errors
    /// It cannot be built.
    fn elementwise(
        &mut self,
        op: Elementwise,
        operands: &[Self::Value],
    ) -> Result<Self::Value, Self::Error>;

    /// Builds a conversion.
    ///
    /// # Errors
    /// It cannot be built.
    fn cast(&mut self, to: DType, value: &Self::Value) -> Result<Self::Value, Self::Error>;

    /// Builds a bitcast between types of equal width.
    ///
    /// # Errors
    /// It cannot be built.
    fn bitcast(&mut self, to: DType, value: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// Returns whether an operation can be decomposed on elements of a type. A sine of 64 bits cannot: the remainder of a
/// large angle needs 1200 bits of 2/pi.
#[must_use]
pub fn is_decomposable(op: Elementwise, dtype: DType) -> bool {
    use Elementwise as E;
    match op {
        E::Recip
        | E::Trunc
        | E::Add
        | E::Mul
        | E::Max
        | E::Idiv
        | E::Mod
        | E::CDiv
        | E::CMod
        | E::CmpLt
        | E::CmpNe
        | E::Xor
        | E::Or
        | E::And
        | E::Shl
        | E::Shr
        | E::Where => false,
        E::Sin => dtype != DType::F64,
        E::Neg
        | E::Not
        | E::Exp2
        | E::Log2
        | E::Sqrt
        | E::Sub
        | E::Div
        | E::Pow
        | E::CmpEq
        | E::CmpGt
        | E::CmpGe
        | E::CmpLe
        | E::Threefry
        | E::Mulacc => true,
    }
}

/// Returns whether a target has an operation: it is kept.
pub type Keep<'k> = &'k dyn Fn(Elementwise, DType) -> bool;

/// The [`Keep`] of a target without any decomposable operation.
#[must_use]
pub fn nothing(_: Elementwise, _: DType) -> bool {
    false
}

/// Builds an operation, or its decomposition.
///
/// # Errors
/// An operation cannot be built.
pub fn emit<E: Emit>(
    emit: &mut E,
    keep: Keep<'_>,
    op: Elementwise,
    operands: &[E::Value],
) -> Result<E::Value, E::Error> {
    Formulas { emit, keep }.op(op, operands)
}

/// Writes formulas.
struct Formulas<'e, 'k, E> {
    emit: &'e mut E,
    keep: Keep<'k>,
}

type Made<E> = Result<<E as Emit>::Value, <E as Emit>::Error>;

impl<E: Emit> Formulas<'_, '_, E> {
    fn op(&mut self, op: Elementwise, operands: &[E::Value]) -> Made<E> {
        use Elementwise as O;
        let last = &operands[operands.len() - 1];
        let dtype = self.emit.dtype(last);
        if !is_decomposable(op, dtype) || (self.keep)(op, dtype) {
            return self.emit.elementwise(op, operands);
        }
        let is_of_floats = matches!(op, O::Exp2 | O::Log2 | O::Sin | O::Sqrt | O::Pow | O::Div);
        if is_of_floats && dtype.bits() == 16 {
            let wide: Vec<E::Value> = operands
                .iter()
                .map(|operand| self.emit.cast(DType::F32, operand))
                .collect::<Result<_, _>>()?;
            let result = match op {
                O::Pow => self.pow(operands, &wide)?,
                _ => self.op(op, &wide)?,
            };
            return self.emit.cast(dtype, &result);
        }
        match op {
            O::Exp2 => self.exp2(last),
            O::Log2 => self.log2(last),
            O::Sin => self.sin(last),
            O::Sqrt => self.sqrt(last),
            O::Pow => self.pow(operands, operands),
            O::Threefry => self.threefry(&operands[0], last),
            _ => self.exact(op, operands),
        }
    }

    fn float(&mut self, value: f64, like: &E::Value) -> Made<E> {
        let dtype = self.emit.dtype(like);
        self.emit.constant(dtype, Datum::Float(value), like)
    }

    fn integer(&mut self, dtype: DType, value: i64, like: &E::Value) -> Made<E> {
        self.emit.constant(dtype, Datum::integer(value), like)
    }

    fn truth(&mut self, value: bool, like: &E::Value) -> Made<E> {
        self.emit.constant(DType::Bool, Datum::Bool(value), like)
    }

    fn one(&mut self, op: Elementwise, a: &E::Value) -> Made<E> {
        self.op(op, std::slice::from_ref(a))
    }

    fn two(&mut self, op: Elementwise, a: &E::Value, b: &E::Value) -> Made<E> {
        self.op(op, &[a.clone(), b.clone()])
    }

    fn add(&mut self, a: &E::Value, b: &E::Value) -> Made<E> {
        self.two(Elementwise::Add, a, b)
    }

    fn mul(&mut self, a: &E::Value, b: &E::Value) -> Made<E> {
        self.two(Elementwise::Mul, a, b)
    }

    fn less(&mut self, a: &E::Value, b: &E::Value) -> Made<E> {
        self.two(Elementwise::CmpLt, a, b)
    }

    fn differs(&mut self, a: &E::Value, b: &E::Value) -> Made<E> {
        self.two(Elementwise::CmpNe, a, b)
    }

    fn select(&mut self, predicate: &E::Value, then: &E::Value, other: &E::Value) -> Made<E> {
        self.op(
            Elementwise::Where,
            &[predicate.clone(), then.clone(), other.clone()],
        )
    }

    /// Returns the product of a value and a float.
    fn times(&mut self, a: &E::Value, by: f64) -> Made<E> {
        let by = self.float(by, a)?;
        self.mul(a, &by)
    }

    /// Returns the sum of a value and a float.
    fn plus(&mut self, a: &E::Value, by: f64) -> Made<E> {
        let by = self.float(by, a)?;
        self.add(a, &by)
    }

    /// Returns whether a value is less than a float.
    fn below(&mut self, a: &E::Value, bound: f64) -> Made<E> {
        let bound = self.float(bound, a)?;
        self.less(a, &bound)
    }

    /// Returns an operation on an integer and a number.
    fn with(&mut self, op: Elementwise, a: &E::Value, number: i64) -> Made<E> {
        let dtype = self.emit.dtype(a);
        let number = self.integer(dtype, number, a)?;
        self.two(op, a, &number)
    }

    /// Returns a polynomial, the highest coefficient first, by Horner's rule.
    fn polynomial(&mut self, x: &E::Value, coefficients: &[f64]) -> Made<E> {
        let (first, rest) = coefficients
            .split_first()
            .expect("a polynomial has a coefficient");
        let mut sum = self.float(*first, x)?;
        for coefficient in rest {
            let product = self.mul(&sum, x)?;
            sum = self.plus(&product, *coefficient)?;
        }
        Ok(sum)
    }

    /// Returns the integer next to a float, away from 0 between two, as a float.
    fn nearest(&mut self, x: &E::Value) -> Made<E> {
        let is_negative = self.below(x, 0.0)?;
        let (up, down) = (self.float(0.5, x)?, self.float(-0.5, x)?);
        let half = self.select(&is_negative, &down, &up)?;
        let sum = self.add(x, &half)?;
        self.op(Elementwise::Trunc, &[sum])
    }
}

/// The bits of a float type.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// The number that is added to an exponent.
    bias: i64,
    /// The bits of the fraction.
    fraction: i64,
    /// A signed integer with as many bits.
    integer: DType,
}

/// Returns how a float of 32 or 64 bits is in bits.
fn layout(dtype: DType) -> Layout {
    match dtype {
        DType::F32 => Layout {
            bias: 127,
            fraction: 23,
            integer: DType::I32,
        },
        DType::F64 => Layout {
            bias: 1023,
            fraction: 52,
            integer: DType::I64,
        },
        other => unreachable!("{other} is computed in 32 bits"),
    }
}
