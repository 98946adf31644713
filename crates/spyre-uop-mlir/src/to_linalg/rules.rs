//! Rules of tinygrad that values depend on.
//!
//! tinygrad rewrites expressions before it computes them, and its numbers are the ones of the rewritten expression: the
//! gradient of a sigmoid is `e * (r * r)` of `r = 1 / (1 + e)`, which is NaN where `e` is infinite, and tinygrad
//! computes `r * (1 - r)`. These are the rules of tinygrad 0.14 that change more than the last place of a result. Rules
//! match expressions through movements: a term is the operation that computed a tensor, and its operands are read at
//! the coordinates at which the tensor is read.

use std::rc::Rc;

use spyre_index_expr::Expr;
use spyre_mlir_rt::ir;
use spyre_uop::dtype::DType;
use spyre_uop::element as bits;
use spyre_uop::op::Elementwise;

use super::view::{self, View};
use super::{Lowering, Outcome, Root, Value, number};

/// The most rules that are applied to the result of a rule. A longer chain of products is computed as it is written.
const MOST_RULES: u32 = 32;

/// The most constants of a product that are separated from its other factors.
const MOST_FACTORS: usize = 16;

/// The operations through which two expressions are compared.
const MOST_COMPARED: u32 = 16;

/// An elementwise operation that a tensor is the result of.
pub(super) struct Term<'p> {
    op: Elementwise,
    operands: Vec<Value<'p>>,
}

/// A product: one factor, and constants.
struct Product<'p> {
    factor: Value<'p>,
    constants: Vec<Value<'p>>,
}

impl<'p> Lowering<'_, 'p> {
    /// Records the operation and operands that computed a tensor.
    pub(super) fn note(&mut self, value: &Value<'p>, op: Elementwise, operands: &[Value<'p>]) {
        if let Root::Tensor(tensor) = value.root
            && self.has_rules
            && value.dtype.is_float()
        {
            let operands = operands.to_vec();
            let term = Rc::new(Term { op, operands });
            self.terms.insert(ir::value_key(tensor), term);
        }
    }

    /// Returns the value by which a rule replaces an operation on floats; `None` where no rule applies.
    pub(super) fn by_rule(
        &mut self,
        op: Elementwise,
        operands: &[Value<'p>],
    ) -> Outcome<'p, Option<Value<'p>>> {
        let can_apply = self.has_rules && self.opts.get().is_none() && self.rules < MOST_RULES;
        if !can_apply || !operands.iter().all(|operand| operand.dtype.is_float()) {
            return Ok(None);
        }
        self.rules += 1;
        let result = match (op, operands) {
            (Elementwise::Mul, [a, b]) => self.product(a, b),
            (Elementwise::Add, [a, b]) => self.sum(a, b, 1.0),
            (Elementwise::Sub, [a, b]) => self.sum(a, b, -1.0),
            (Elementwise::Recip, [a]) => self.reciprocal(a),
            _ => Ok(None),
        };
        self.rules -= 1;
        result
    }

    /// `x * 0` is 0, `x / x` is 1, `(x * y) / y` is `x`, and `x / (1 + x)` is `1 - 1 / (1 + x)`. Constants are multiplied into one
    /// factor, after the other ones.
    fn product(&mut self, a: &Value<'p>, b: &Value<'p>) -> Outcome<'p, Option<Value<'p>>> {
        if let Some(zero) = [a, b].into_iter().find(|value| is_number(value, 0.0)) {
            return Ok(Some(number(zero.dtype, 0, &zero.view.shape)));
        }
        for (x, by) in [(a, b), (b, a)] {
            if is_number(by, 1.0) {
                return Ok(Some(x.clone()));
            }
            if is_known(by) {
                return self.with_one_constant(Elementwise::Mul, x, by);
            }
        }
        let (a, b) = (self.stripped(a), self.stripped(b));
        let mut constants = [a.constants, b.constants].concat();
        for (x, other) in [(&a.factor, &b.factor), (&b.factor, &a.factor)] {
            let mut result = self.quotient(x, other);
            if result.is_none() {
                result = self.of_one_plus(x, other, &mut constants)?;
            }
            if let Some(result) = result {
                return self.scaled(result, &constants).map(Some);
            }
        }
        Ok(None)
    }

    /// `(x * c) * d` is `x * (c * d)`, and `(x + c) + d` is `x + (c + d)`.
    fn with_one_constant(
        &mut self,
        of: Elementwise,
        a: &Value<'p>,
        by: &Value<'p>,
    ) -> Outcome<'p, Option<Value<'p>>> {
        let Some([x, constant]) = self.operands(a, of) else {
            return Ok(None);
        };
        let (x, constant) = if is_known(&x) {
            (constant, x)
        } else {
            (x, constant)
        };
        if !is_known(&constant) {
            return Ok(None);
        }
        let by = self.elementwise(of, &[constant, by.clone()])?;
        self.elementwise(of, &[x, by]).map(Some)
    }

    /// `x * (1 / x)` is 1, and `(x * y) * (1 / y)` is `x`.
    fn quotient(&self, x: &Value<'p>, inverse: &Value<'p>) -> Option<Value<'p>> {
        let divisor = self.inverse_of(inverse)?;
        if self.is_same(x, &divisor) {
            let one = bits::rounded(x.dtype, 1.0);
            return Some(number(x.dtype, one, &x.view.shape));
        }
        let [a, b] = self.operands(x, Elementwise::Mul)?;
        if self.is_same(&b, &divisor) {
            return Some(a);
        }
        self.is_same(&a, &divisor).then_some(b)
    }

    /// Simplifies the product of `x` and `other`, where `other` contains `d = 1 / (1 + x)`: `x * d` is `1 - d`,
    /// `x * (d * y)` is `y * (1 - d)`, and `x * (d + y)` is `(1 - d) + x * y`. Constant factors of `d * y` are moved to
    /// `constants`. Returns `None` if `other` has none of these forms.
    fn of_one_plus(
        &mut self,
        x: &Value<'p>,
        other: &Value<'p>,
        constants: &mut Vec<Value<'p>>,
    ) -> Outcome<'p, Option<Value<'p>>> {
        if self.is_inverse_of_one_plus(other, x) {
            return self.rest_of_one(other).map(Some);
        }
        for op in [Elementwise::Mul, Elementwise::Add] {
            let Some([a, b]) = self.operands(other, op) else {
                continue; // It is another operation.
            };
            for (inner, y) in [(&a, &b), (&b, &a)] {
                let product = match op {
                    Elementwise::Mul => self.stripped(inner),
                    _ => Product {
                        factor: inner.clone(),
                        constants: Vec::new(),
                    },
                };
                if !self.is_inverse_of_one_plus(&product.factor, x) {
                    continue;
                }
                constants.extend(product.constants);
                let rest = self.rest_of_one(&product.factor)?;
                return match op {
                    Elementwise::Mul => self.elementwise(op, &[y.clone(), rest]).map(Some),
                    _ => {
                        let factors = [x.clone(), y.clone()];
                        let inner_product = self.elementwise(Elementwise::Mul, &factors)?;
                        self.elementwise(op, &[rest, inner_product]).map(Some)
                    }
                };
            }
        }
        Ok(None)
    }

    /// The sum of `x + c` and a constant has one constant; the sums of `x * c` and `x * d`, and of `y + x * c` and `x *
    /// d`, have one product.
    fn sum(&mut self, a: &Value<'p>, b: &Value<'p>, sign: f64) -> Outcome<'p, Option<Value<'p>>> {
        if sign > 0.0 {
            for (x, by) in [(a, b), (b, a)] {
                if is_number(by, 0.0) {
                    return Ok(Some(x.clone()));
                }
                if is_known(by) {
                    return self.with_one_constant(Elementwise::Add, x, by);
                }
            }
        }
        let term = self.multiple(b, sign);
        let Some((x, times)) = term else {
            return Ok(None);
        };
        // `x + x` is `x * 2` in the last place as well.
        let one = bits::rounded(x.dtype, 1.0);
        let count_of = |lowering: &Self, value: &Value<'p>| {
            let (factor, count) = lowering.multiple(value, 1.0)?;
            let is_more = count != one || times != one;
            (is_more && lowering.is_same(&factor, &x)).then_some(count)
        };
        if let Some(count) = count_of(self, a) {
            return self.times(&x, count, times).map(Some);
        }
        let Some([p, q]) = self.operands(a, Elementwise::Add) else {
            return Ok(None);
        };
        for (y, other) in [(&p, &q), (&q, &p)] {
            if let Some(count) = count_of(self, other) {
                let times = self.times(&x, count, times)?;
                let sum = [y.clone(), times];
                return self.elementwise(Elementwise::Add, &sum).map(Some);
            }
        }
        Ok(None)
    }

    /// `1 / (x * x)` is `(1 / x) * (1 / x)`, of three factors as well, and `1 / (x * c)` is `(1 / x) * (1 / c)`.
    fn reciprocal(&mut self, a: &Value<'p>) -> Outcome<'p, Option<Value<'p>>> {
        let Product { factor, constants } = self.stripped(a);
        let inverse = |lowering: &mut Self, x: &Value<'p>| {
            lowering.elementwise(Elementwise::Recip, std::slice::from_ref(x))
        };
        let squared = self.operands(&factor, Elementwise::Mul);
        let power = squared.and_then(|[x, y]| {
            if self.is_same(&x, &y) {
                return Some((x, 2));
            }
            [(&x, &y), (&y, &x)].into_iter().find_map(|(x, y)| {
                let [a, b] = self.operands(y, Elementwise::Mul)?;
                (self.is_same(x, &a) && self.is_same(x, &b)).then(|| (x.clone(), 3))
            })
        });
        let (x, count) = match power {
            Some(power) => power,
            None if constants.is_empty() => return Ok(None),
            None => (factor, 1),
        };
        let one = inverse(self, &x)?;
        let mut result = one.clone();
        for _ in 1..count {
            let both = [result, one.clone()];
            result = self.elementwise(Elementwise::Mul, &both)?;
        }
        let inverses = constants.iter().map(|constant| match constant.root {
            Root::Number(scalar) => {
                let scalar = bits::apply(Elementwise::Recip, constant.dtype, &[scalar]);
                Ok(number(constant.dtype, scalar, &constant.view.shape))
            }
            Root::Tensor(_) | Root::Position => inverse(self, constant),
        });
        let inverses = inverses.collect::<Outcome<'p, Vec<_>>>()?;
        self.scaled(result, &inverses).map(Some)
    }

    /// Returns a value times constants, which are multiplied first.
    fn scaled(&mut self, value: Value<'p>, constants: &[Value<'p>]) -> Outcome<'p, Value<'p>> {
        let Some((first, rest)) = constants.split_first() else {
            return Ok(value);
        };
        let mut by = first.clone();
        for constant in rest {
            by = self.elementwise(Elementwise::Mul, &[by, constant.clone()])?;
        }
        self.elementwise(Elementwise::Mul, &[value, by])
    }

    /// Returns a value times the sum of two numbers.
    fn times(&mut self, x: &Value<'p>, one: u64, other: u64) -> Outcome<'p, Value<'p>> {
        let times = bits::apply(Elementwise::Add, x.dtype, &[one, other]);
        let times = number(x.dtype, times, &x.view.shape);
        self.elementwise(Elementwise::Mul, &[x.clone(), times])
    }

    /// Returns a value as a multiple of another value.
    fn multiple(&self, value: &Value<'p>, sign: f64) -> Option<(Value<'p>, u64)> {
        let Product { factor, constants } = self.stripped(value);
        let mut times = bits::rounded(value.dtype, sign);
        for constant in constants {
            let Root::Number(scalar) = constant.root else {
                return None;
            };
            times = bits::apply(Elementwise::Mul, value.dtype, &[times, scalar]);
        }
        Some((factor, times))
    }

    /// Returns `1 - d`.
    fn rest_of_one(&mut self, d: &Value<'p>) -> Outcome<'p, Value<'p>> {
        let one = number(d.dtype, bits::rounded(d.dtype, 1.0), &d.view.shape);
        self.elementwise(Elementwise::Sub, &[one, d.clone()])
    }

    /// Returns whether a value is `1 / (1 + x)`.
    fn is_inverse_of_one_plus(&self, value: &Value<'p>, x: &Value<'p>) -> bool {
        let sum = self.inverse_of(value);
        let terms = sum.and_then(|sum| self.operands(&sum, Elementwise::Add));
        terms.is_some_and(|[a, b]| {
            let pairs = [(&a, &b), (&b, &a)];
            let mut pairs = pairs.into_iter();
            pairs.any(|(one, other)| is_number(one, 1.0) && self.is_same(other, x))
        })
    }

    /// Returns `x` for a value `1 / x`; `None` for other values.
    fn inverse_of(&self, value: &Value<'p>) -> Option<Value<'p>> {
        if let Some([of]) = self.operands(value, Elementwise::Recip) {
            return Some(of);
        }
        let [one, of] = self.operands(value, Elementwise::Div)?;
        is_number(&one, 1.0).then_some(of)
    }

    /// Returns a product without its constants, and these. `x + x` is twice `x`.
    fn stripped(&self, value: &Value<'p>) -> Product<'p> {
        let mut product = Product {
            factor: value.clone(),
            constants: Vec::new(),
        };
        while product.constants.len() < MOST_FACTORS {
            let base = &product.factor;
            let (factor, constant) = if let Some([a]) = self.operands(base, Elementwise::Neg) {
                let minus = bits::rounded(a.dtype, -1.0);
                let minus = number(a.dtype, minus, &a.view.shape);
                (a, minus)
            } else if let Some([a, b]) = self.operands(base, Elementwise::Mul) {
                match (self.is_constant(&a), self.is_constant(&b)) {
                    (false, true) => (a, b),
                    (true, false) => (b, a),
                    _ => break,
                }
            } else if let Some([a, b]) = self.operands(base, Elementwise::Add)
                && self.is_same(&a, &b)
            {
                let two = bits::rounded(a.dtype, 2.0);
                let two = number(a.dtype, two, &a.view.shape);
                (a, two)
            } else {
                break;
            };
            product.factor = factor;
            product.constants.push(constant);
        }
        product
    }

    /// Returns whether a value is a number, or the inverse of one.
    fn is_constant(&self, value: &Value<'p>) -> bool {
        let inverse = || self.operands(value, Elementwise::Recip);
        is_known(value) || inverse().is_some_and(|[of]| is_known(&of))
    }

    /// Returns the factors of a value of floats after the rules were applied: `Some(None)` if the value is no product
    /// any more. Returns `None` without rules and for other element types.
    pub(super) fn factors_by_rule(&self, value: &Value<'p>) -> Option<Option<[Value<'p>; 2]>> {
        (self.has_rules && value.dtype.is_float()).then(|| self.operands(value, Elementwise::Mul))
    }

    /// Returns the operands of an operation that a value is the result of, where it is read.
    fn operands<const N: usize>(
        &self,
        value: &Value<'p>,
        op: Elementwise,
    ) -> Option<[Value<'p>; N]> {
        let term = self.term(value).filter(|term| term.op == op)?;
        self.read_operands(&term, value)?.try_into().ok()
    }

    /// Returns the operation that a value is the result of. Where a value is padding, it is the result of none.
    fn term(&self, value: &Value<'p>) -> Option<Rc<Term<'p>>> {
        match value.root {
            Root::Tensor(tensor) if value.view.valid.is_empty() => {
                self.terms.get(&ir::value_key(tensor)).cloned()
            }
            _ => None,
        }
    }

    fn read_operands(&self, term: &Term<'p>, value: &Value<'p>) -> Option<Vec<Value<'p>>> {
        let (shape, at) = (&value.view.shape, &value.view.at);
        if value.view == View::whole(shape) {
            return Some(term.operands.clone());
        }
        let operands = term.operands.iter().map(|operand| {
            // A number that is too large for an index expression ends the way.
            let view = operand.view.read(shape, at).ok()?;
            let operand = operand.clone();
            Some(Value { view, ..operand })
        });
        operands.collect()
    }

    /// Returns whether two values are the same expression.
    fn is_same(&self, a: &Value<'p>, b: &Value<'p>) -> bool {
        self.is_same_within(a, b, &mut { MOST_COMPARED })
    }

    fn is_same_within(&self, a: &Value<'p>, b: &Value<'p>, left: &mut u32) -> bool {
        if a.dtype != b.dtype || *left == 0 {
            return false;
        }
        *left -= 1;
        let is_one_root = match (&a.root, &b.root) {
            (Root::Tensor(a), Root::Tensor(b)) => ir::value_key(*a) == ir::value_key(*b),
            (Root::Number(a), Root::Number(b)) => a == b,
            (Root::Position, Root::Position) => true,
            _ => false,
        };
        if is_one_root && is_same_view(&a.view, &b.view) {
            return true;
        }
        let (Some(one), Some(other)) = (self.term(a), self.term(b)) else {
            return false;
        };
        if one.op != other.op {
            return false;
        }
        let both = self
            .read_operands(&one, a)
            .zip(self.read_operands(&other, b));
        both.is_some_and(|(a, b)| {
            let mut pairs = a.iter().zip(&b);
            pairs.all(|(a, b)| self.is_same_within(a, b, left))
        })
    }
}

/// Returns whether two views read the same elements.
fn is_same_view(a: &View, b: &View) -> bool {
    // Coordinates with a single possible value are replaced by the value.
    let simple = |view: &View| -> Option<Vec<Expr>> {
        let at = view.at.iter().map(|at| view::simple(at, &view.shape).ok());
        at.collect()
    };
    let is_outside = a.shape != b.shape || a.valid != b.valid;
    !is_outside && (a.at == b.at || simple(a).is_some_and(|at| Some(at) == simple(b)))
}

/// Returns whether a value is a number that is the same everywhere.
fn is_known(value: &Value<'_>) -> bool {
    matches!(value.root, Root::Number(_)) && value.view.valid.is_empty()
}

/// Returns whether a value is a given number everywhere.
fn is_number(value: &Value<'_>, of: f64) -> bool {
    let number = |dtype: DType, bits: u64| bits::float(dtype, bits) == of;
    matches!(value.root, Root::Number(bits) if is_known(value) && number(value.dtype, bits))
}
