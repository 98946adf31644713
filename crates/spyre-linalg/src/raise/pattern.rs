//! Looking at expressions of device operations.

use melior::ir::TypeLike;
use spyre_construct::build::{element_of, splat};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{spyre, tensor};

/// Returns the operation that computes a value, if it has this name.
pub(super) fn defined<'p>(value: Val<'p>, name: &str) -> Option<Op<'p>> {
    ir::defining_op(value).filter(|op| ir::name(*op) == name)
}

/// Returns the operand of a function of one operand.
pub(super) fn argument<'p>(value: Val<'p>, name: &str) -> Option<Val<'p>> {
    ir::operand(defined(value, name)?, 0)
}

/// Returns the operands of an operation on two.
pub(super) fn operands<'p>(op: Op<'p>) -> Option<[Val<'p>; 2]> {
    Some([ir::operand(op, 0)?, ir::operand(op, 1)?])
}

/// Returns the number that a constant is everywhere.
pub(super) fn number(value: Val<'_>) -> Option<f64> {
    let mut op = ir::defining_op(value)?;
    while matches!(
        ir::name(op),
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE | spyre::PERMUTE | spyre::COPY
    ) {
        op = ir::defining_op(ir::operand(op, 0)?)?;
    }
    attr::number(splat(op)?)
}

/// Returns whether a number is a constant rounded to the format of a value's elements, or next to it: front ends
/// compute constants in that format. A constant that every format represents, such as 1 or a half, has to be equal.
pub(super) fn is_near(number: f64, constant: f64, like: Val<'_>) -> bool {
    let quarters = constant * 4.0;
    if quarters == quarters.round() {
        return number == constant;
    }
    let ty = element_of(like);
    let step = if ty.is_f16() {
        f64::powi(2.0, -10)
    } else if ty.is_bf16() {
        f64::powi(2.0, -7)
    } else {
        f64::powi(2.0, -23)
    };
    (number - constant).abs() <= step * constant.abs()
}

/// Returns whether a value is a constant, everywhere.
pub(super) fn is_constant(value: Val<'_>, constant: f64) -> bool {
    number(value).is_some_and(|number| is_near(number, constant, value))
}

/// If an operation has two operands and one of them is the constant, returns the other operand.
pub(super) fn with_constant<'p>(value: Val<'p>, name: &str, constant: f64) -> Option<Val<'p>> {
    let [a, b] = operands(defined(value, name)?)?;
    if is_constant(b, constant) {
        Some(a)
    } else if is_constant(a, constant) {
        Some(b)
    } else {
        None
    }
}

/// A product: a number, and factors that are no numbers.
pub(super) struct Product<'p> {
    pub(super) number: f64,
    pub(super) factors: Vec<Val<'p>>,
}

/// The most operations of a product that are visited, so that the walk is bounded for each operation of a long chain.
/// No OpFunc computes a product of more operations.
const MOST_OPERATIONS: usize = 16;

impl<'p> Product<'p> {
    /// Returns the factors of a value; a value that is no product is its only factor. A quotient by a number, a negation and
    /// a square root of a number are parts of a product, too.
    pub(super) fn of(value: Val<'p>) -> Self {
        let mut product = Self {
            number: 1.0,
            factors: Vec::new(),
        };
        let mut left = MOST_OPERATIONS;
        product.multiply(value, &mut left);
        product
    }

    /// Multiplies this product by the factors of a value. Visits at most `left` operations.
    fn multiply(&mut self, value: Val<'p>, left: &mut usize) {
        if let Some(number) = number(value) {
            self.number *= number;
            return;
        }
        if *left > 0 {
            *left -= 1;
            if let Some([a, b]) = defined(value, spyre::MUL).and_then(operands) {
                self.multiply(a, left);
                self.multiply(b, left);
                return;
            }
            if let Some([a, b]) = defined(value, spyre::REALDIV).and_then(operands)
                && let Some(divisor) = number(b)
            {
                self.number /= divisor;
                self.multiply(a, left);
                return;
            }
            if let Some(x) = argument(value, spyre::NEG) {
                self.number = -self.number;
                self.multiply(x, left);
                return;
            }
        }
        self.factors.push(value);
    }

    /// Removes one factor, if the product has it.
    pub(super) fn take(&mut self, value: Val<'p>) -> bool {
        let place = self.factors.iter().position(|factor| *factor == value);
        place.map(|place| self.factors.swap_remove(place)).is_some()
    }

    /// Removes the first factor for which `find` returns a value.
    pub(super) fn find<T>(&mut self, mut find: impl FnMut(Val<'p>) -> Option<T>) -> Option<T> {
        let factors = self.factors.iter().enumerate();
        let (place, result) = factors
            .filter_map(|(place, factor)| Some((place, find(*factor)?)))
            .next()?;
        self.factors.swap_remove(place);
        Some(result)
    }

    /// Returns whether only this number is left.
    pub(super) fn is_only(&self, number: f64, like: Val<'p>) -> bool {
        self.factors.is_empty() && is_near(self.number, number, like)
    }

    /// Returns the only factor, if its number is this.
    pub(super) fn single(&self, number: f64) -> Option<Val<'p>> {
        match *self.factors {
            [x] if is_near(self.number, number, x) => Some(x),
            _ => None,
        }
    }
}
