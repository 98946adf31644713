//! Exact evaluation and linear analysis.

use std::fmt;

use thiserror::Error;

use super::{Expr, ExprKind, Symbol};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExprError {
    /// A symbol without a value.
    #[error("`{expr}`: symbol {symbol} has no value")]
    Unbound {
        /// The whole expression.
        expr: String,
        /// The symbol.
        symbol: Symbol,
    },
    /// A value read at run time.
    #[error("`{expr}`: indirect accesses have no value at compile time")]
    Indirect {
        /// The whole expression.
        expr: String,
    },
    /// Division or remainder by zero.
    #[error("`{expr}`: division by zero")]
    DivisionByZero {
        /// The whole expression.
        expr: String,
    },
    /// A result that does not fit.
    #[error("`{expr}`: the value does not fit 64 bits")]
    Overflow {
        /// The whole expression.
        expr: String,
    },
    /// A fraction where an integer is needed.
    #[error("`{expr}`: {value} is not an integer")]
    NotAnInteger {
        /// The whole expression.
        expr: String,
        /// The fraction.
        value: Rational,
    },
    /// A symbol that does not occur as `k*s` or `floor(k*s/d)`.
    #[error("`{expr}` is not linear in {symbol}")]
    NotLinear {
        /// The whole expression.
        expr: String,
        /// The symbol.
        symbol: Symbol,
    },
}

/// An exact fraction in lowest terms, with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

impl Rational {
    const ZERO: Self = Self::integer(0);

    const fn integer(value: i128) -> Self {
        Self {
            numerator: value,
            denominator: 1,
        }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator.checked_abs()?, denominator.checked_abs()?);
        let sign = if denominator < 0 { -1 } else { 1 };
        Some(Self {
            numerator: numerator.checked_div(divisor)?.checked_mul(sign)?,
            denominator: denominator.checked_div(divisor)?.checked_mul(sign)?,
        })
    }

    fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(
            left.checked_add(right)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    fn multiply(self, other: Self) -> Option<Self> {
        Self::new(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    /// `None` for a zero divisor as for overflow.
    fn divide(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        self.multiply(Self::new(other.denominator, other.numerator)?)
    }

    fn floor(self) -> Self {
        Self::integer(self.numerator.div_euclid(self.denominator))
    }

    /// True for zero.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The value, if it is an integer of 64 bits.
    pub fn to_integer(self) -> Option<i64> {
        if self.denominator == 1 {
            i64::try_from(self.numerator).ok()
        } else {
            None
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// The greatest common divisor; 1 of zeros, which every number divides.
fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

impl Expr {
    /// The integer value with symbols bound by `value_of`.
    ///
    /// # Errors
    /// Unbound symbols, indirect accesses, division by zero, fractions and values beyond 64 bits.
    pub fn eval(&self, value_of: impl Fn(&Symbol) -> Option<i64>) -> Result<i64, ExprError> {
        let value = self.eval_in(self, &value_of)?;
        match value.to_integer() {
            Some(integer) => Ok(integer),
            None if value.denominator == 1 => Err(self.overflow()),
            None => Err(ExprError::NotAnInteger {
                expr: self.to_string(),
                value,
            }),
        }
    }

    /// The coefficient of `symbol`, looking through one `floor` per term: `k/d` in `k*s/d + ...` and in
    /// `floor(k*s/d) + ...`; zero if it does not occur (SDSC bundle specification, section 3.4).
    ///
    /// # Errors
    /// `symbol` in any other position, and arithmetic errors.
    pub fn coefficient_of(&self, symbol: &str) -> Result<Rational, ExprError> {
        let terms = match self.kind() {
            ExprKind::Sum(terms) => terms.as_slice(),
            _ => std::slice::from_ref(self),
        };
        terms.iter().try_fold(Rational::ZERO, |total, term| {
            let inside = match term.kind() {
                ExprKind::Floor(operand) => operand,
                _ => term,
            };
            total
                .add(self.slope(inside, symbol)?)
                .ok_or_else(|| self.overflow())
        })
    }

    /// The sum of the terms that are integer literals: the slice offset of a device coordinate.
    ///
    /// # Errors
    /// A sum beyond 64 bits.
    pub fn constant_term(&self) -> Result<i64, ExprError> {
        match self.kind() {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Sum(terms) => terms
                .iter()
                .filter_map(Self::as_int)
                .try_fold(0_i64, i64::checked_add)
                .ok_or_else(|| self.overflow()),
            _ => Ok(0),
        }
    }

    fn overflow(&self) -> ExprError {
        ExprError::Overflow {
            expr: self.to_string(),
        }
    }

    /// The derivative of `part` by `symbol`; `self` is the whole expression, for messages.
    fn slope(&self, part: &Self, symbol: &str) -> Result<Rational, ExprError> {
        if !part.mentions(symbol) {
            return Ok(Rational::ZERO);
        }
        let not_linear = || ExprError::NotLinear {
            expr: self.to_string(),
            symbol: Symbol::new(symbol),
        };
        let overflow = || self.overflow();
        let constant = |part: &Self| {
            if part.symbols().is_empty() {
                self.eval_in(part, &|_: &Symbol| None)
            } else {
                Err(not_linear())
            }
        };
        match part.kind() {
            ExprKind::Symbol(_) => Ok(Rational::integer(1)),
            ExprKind::Sum(terms) => terms.iter().try_fold(Rational::ZERO, |total, term| {
                total.add(self.slope(term, symbol)?).ok_or_else(overflow)
            }),
            ExprKind::Product(factors) => {
                let mut slope = None;
                let mut scale = Rational::integer(1);
                for factor in factors {
                    if factor.mentions(symbol) {
                        if slope.replace(self.slope(factor, symbol)?).is_some() {
                            return Err(not_linear());
                        }
                    } else {
                        scale = scale.multiply(constant(factor)?).ok_or_else(overflow)?;
                    }
                }
                slope
                    .expect("a factor mentions the symbol")
                    .multiply(scale)
                    .ok_or_else(overflow)
            }
            ExprKind::Quotient(numerator, denominator) => {
                let divisor = constant(denominator)?;
                if divisor.is_zero() {
                    return Err(ExprError::DivisionByZero {
                        expr: self.to_string(),
                    });
                }
                self.slope(numerator, symbol)?
                    .divide(divisor)
                    .ok_or_else(overflow)
            }
            ExprKind::Int(_)
            | ExprKind::Floor(_)
            | ExprKind::Mod(..)
            | ExprKind::IndirectAccess(_) => Err(not_linear()),
        }
    }

    /// The value of `part`; `self` is the whole expression, for messages.
    fn eval_in(
        &self,
        part: &Self,
        value_of: &dyn Fn(&Symbol) -> Option<i64>,
    ) -> Result<Rational, ExprError> {
        let overflow = || self.overflow();
        let divide = |a: Rational, b: Rational| {
            if b.is_zero() {
                Err(ExprError::DivisionByZero {
                    expr: self.to_string(),
                })
            } else {
                a.divide(b).ok_or_else(overflow)
            }
        };
        match part.kind() {
            ExprKind::Int(value) => Ok(Rational::integer(i128::from(*value))),
            ExprKind::Symbol(symbol) => value_of(symbol)
                .map(|value| Rational::integer(i128::from(value)))
                .ok_or_else(|| ExprError::Unbound {
                    expr: self.to_string(),
                    symbol: symbol.clone(),
                }),
            ExprKind::IndirectAccess(_) => Err(ExprError::Indirect {
                expr: self.to_string(),
            }),
            ExprKind::Sum(terms) => terms.iter().try_fold(Rational::ZERO, |total, term| {
                total
                    .add(self.eval_in(term, value_of)?)
                    .ok_or_else(overflow)
            }),
            ExprKind::Product(factors) => {
                factors
                    .iter()
                    .try_fold(Rational::integer(1), |total, factor| {
                        total
                            .multiply(self.eval_in(factor, value_of)?)
                            .ok_or_else(overflow)
                    })
            }
            ExprKind::Quotient(a, b) => {
                divide(self.eval_in(a, value_of)?, self.eval_in(b, value_of)?)
            }
            ExprKind::Floor(a) => Ok(self.eval_in(a, value_of)?.floor()),
            ExprKind::Mod(a, b) => {
                let (a, b) = (self.eval_in(a, value_of)?, self.eval_in(b, value_of)?);
                let whole = divide(a, b)?.floor();
                let product = whole.multiply(b).ok_or_else(overflow)?;
                a.add(
                    Rational::integer(-1)
                        .multiply(product)
                        .ok_or_else(overflow)?,
                )
                .ok_or_else(overflow)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Expr {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn eval(text: &str, c1: i64) -> Result<i64, ExprError> {
        parse(text).eval(|symbol| (symbol.as_str() == "c1").then_some(c1))
    }

    #[test]
    fn values() {
        assert_eq!(eval("floor(c1/64)", 200), Ok(3));
        assert_eq!(eval("Mod(c1, 64)", 200), Ok(8));
        assert_eq!(eval("floor(c1/64)", -1), Ok(-1));
        assert_eq!(eval("Mod(c1, 64)", -1), Ok(63));
        assert_eq!(eval("FloorDiv(c1, 7) - 2*c1", 15), Ok(-28));
        assert_eq!(eval("1/2*c1", 6), Ok(3));
        assert!(matches!(
            eval("1/2*c1", 7),
            Err(ExprError::NotAnInteger { .. })
        ));
        assert!(matches!(
            eval("c1/(c1 - 5)", 5),
            Err(ExprError::DivisionByZero { .. })
        ));
        assert!(matches!(eval("c2", 5), Err(ExprError::Unbound { .. })));
        assert!(matches!(
            eval("IndirectAccess(buf)", 5),
            Err(ExprError::Indirect { .. })
        ));
        assert!(matches!(
            eval("9223372036854775807 + c1", 1),
            Err(ExprError::Overflow { .. })
        ));
    }

    #[test]
    fn coefficients_look_through_one_floor() {
        let advance = parse("floor(32768*a) + 1048576*b + floor(3*c/2)");
        let coefficient = |symbol: &str| advance.coefficient_of(symbol).map(|c| c.to_string());
        assert_eq!(coefficient("a"), Ok("32768".into()));
        assert_eq!(coefficient("b"), Ok("1048576".into()));
        assert_eq!(coefficient("c"), Ok("3/2".into()));
        assert_eq!(coefficient("d"), Ok("0".into()));
        for text in ["Mod(a, 2)", "a*a", "floor(floor(a/2)/2)", "1/a"] {
            assert!(
                matches!(
                    parse(text).coefficient_of("a"),
                    Err(ExprError::NotLinear { .. })
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn constant_terms() {
        for (text, expected) in [
            ("c0 + 3", 3),
            ("floor(c1/64) + 1", 1),
            ("7", 7),
            ("c0", 0),
            ("-2 + c0 + 5", 3),
        ] {
            assert_eq!(parse(text).constant_term(), Ok(expected), "{text}");
        }
    }
}
