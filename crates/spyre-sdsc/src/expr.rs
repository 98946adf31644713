//! Exact integer expressions over iteration and loop symbols.
//!
//! An [`Expr`] is built without evaluating anything, so building cannot fail; evaluation is exact and reports
//! overflow, division by zero and unbound symbols as [`ExprError`]. [`Display`](std::fmt::Display) prints the infix form that
//! [`FromStr`](std::str::FromStr) reads: `floor(c1/64)`, `Mod(c1, 64)`, `32768*i + 1048576*j`.

mod display;
mod eval;
mod parse;

use std::borrow::Borrow;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

pub use eval::{ExprError, Rational};
pub use parse::ParseError;

/// A name in an expression: an iteration dimension, a loop level or a runtime size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// A symbol of this name. Names that are not identifiers cannot be read back from text.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Symbol {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Symbol {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// An expression. See the [module](self) for its forms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr(ExprKind);

/// The outermost form of an [`Expr`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// An integer.
    Int(i64),
    /// A symbol.
    Symbol(Symbol),
    /// A sum of at least two terms, none of which is a sum.
    Sum(Vec<Expr>),
    /// A product of at least two factors, none of which is a product.
    Product(Vec<Expr>),
    /// An exact (rational) quotient.
    Quotient(Box<Expr>, Box<Expr>),
    /// The largest integer not above the operand.
    Floor(Box<Expr>),
    /// The remainder with the sign of the divisor.
    Mod(Box<Expr>, Box<Expr>),
    /// A value read at run time from the argument of this name.
    IndirectAccess(Symbol),
}

impl Expr {
    /// An integer.
    pub const fn int(value: i64) -> Self {
        Self(ExprKind::Int(value))
    }

    /// A symbol.
    pub fn symbol(name: impl Into<Symbol>) -> Self {
        Self(ExprKind::Symbol(name.into()))
    }

    /// `IndirectAccess(name)`: a value read at run time from the argument called `name`.
    pub fn indirect_access(name: impl Into<Symbol>) -> Self {
        Self(ExprKind::IndirectAccess(name.into()))
    }

    /// `self / divisor`, a rational number. A zero divisor is an error when evaluated.
    pub fn divided_by(self, divisor: impl Into<Self>) -> Self {
        Self(ExprKind::Quotient(Box::new(self), Box::new(divisor.into())))
    }

    /// `floor(self)`.
    pub fn floor(self) -> Self {
        Self(ExprKind::Floor(Box::new(self)))
    }

    /// `floor(self / divisor)`. A zero divisor is an error when evaluated.
    pub fn floor_div(self, divisor: impl Into<Self>) -> Self {
        self.divided_by(divisor).floor()
    }

    /// `Mod(self, divisor)`. A zero divisor is an error when evaluated.
    pub fn modulo(self, divisor: impl Into<Self>) -> Self {
        Self(ExprKind::Mod(Box::new(self), Box::new(divisor.into())))
    }

    /// The outermost form.
    pub const fn kind(&self) -> &ExprKind {
        &self.0
    }

    /// The value of an integer literal.
    pub const fn as_int(&self) -> Option<i64> {
        match self.0 {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The symbol, if the expression is just one.
    pub const fn as_symbol(&self) -> Option<&Symbol> {
        match &self.0 {
            ExprKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// True if any part is read at run time from another argument.
    pub fn has_indirect_access(&self) -> bool {
        match &self.0 {
            ExprKind::Int(_) | ExprKind::Symbol(_) => false,
            ExprKind::Sum(parts) | ExprKind::Product(parts) => {
                parts.iter().any(Self::has_indirect_access)
            }
            ExprKind::Quotient(a, b) | ExprKind::Mod(a, b) => {
                a.has_indirect_access() || b.has_indirect_access()
            }
            ExprKind::Floor(a) => a.has_indirect_access(),
            ExprKind::IndirectAccess(_) => true,
        }
    }

    /// The distinct symbols, in alphabetical order. Names of indirect accesses are not among them.
    pub fn symbols(&self) -> Vec<&Symbol> {
        let mut symbols = Vec::new();
        self.collect_symbols(&mut symbols);
        symbols.sort();
        symbols.dedup();
        symbols
    }

    /// True if `symbol` occurs.
    pub fn mentions(&self, symbol: &str) -> bool {
        match &self.0 {
            ExprKind::Int(_) | ExprKind::IndirectAccess(_) => false,
            ExprKind::Symbol(name) => name.as_str() == symbol,
            ExprKind::Sum(parts) | ExprKind::Product(parts) => {
                parts.iter().any(|part| part.mentions(symbol))
            }
            ExprKind::Quotient(a, b) | ExprKind::Mod(a, b) => {
                a.mentions(symbol) || b.mentions(symbol)
            }
            ExprKind::Floor(a) => a.mentions(symbol),
        }
    }

    fn collect_symbols<'a>(&'a self, symbols: &mut Vec<&'a Symbol>) {
        match &self.0 {
            ExprKind::Int(_) | ExprKind::IndirectAccess(_) => {}
            ExprKind::Symbol(symbol) => symbols.push(symbol),
            ExprKind::Sum(parts) | ExprKind::Product(parts) => {
                parts.iter().for_each(|part| part.collect_symbols(symbols));
            }
            ExprKind::Quotient(a, b) | ExprKind::Mod(a, b) => {
                a.collect_symbols(symbols);
                b.collect_symbols(symbols);
            }
            ExprKind::Floor(a) => a.collect_symbols(symbols),
        }
    }

    /// The factors, flattening a product.
    fn into_factors(self) -> Vec<Self> {
        match self.0 {
            ExprKind::Product(factors) => factors,
            other => vec![Self(other)],
        }
    }

    /// The terms, flattening a sum.
    fn into_terms(self) -> Vec<Self> {
        match self.0 {
            ExprKind::Sum(terms) => terms,
            other => vec![Self(other)],
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::int(value)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Self(ExprKind::Symbol(symbol))
    }
}

impl Add for Expr {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let mut terms = self.into_terms();
        terms.extend(other.into_terms());
        Self(ExprKind::Sum(terms))
    }
}

impl Sub for Expr {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let mut terms = self.into_terms();
        terms.extend(other.into_terms().into_iter().map(Neg::neg));
        Self(ExprKind::Sum(terms))
    }
}

impl Mul for Expr {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut factors = self.into_factors();
        factors.extend(other.into_factors());
        Self(ExprKind::Product(factors))
    }
}

/// Negates a literal in place and multiplies anything else by `-1`.
impl Neg for Expr {
    type Output = Self;
    fn neg(self) -> Self {
        match self.0 {
            ExprKind::Int(value) => match value.checked_neg() {
                Some(negated) => Self::int(negated),
                None => Self::int(-1) * Self::int(value),
            },
            ExprKind::Quotient(numerator, denominator) => {
                Self(ExprKind::Quotient(Box::new(-*numerator), denominator))
            }
            ExprKind::Product(mut factors) => {
                // `-(3*x)` is `-3*x`: the sign belongs to the first factor when that is a number.
                match factors.first().map(|first| &first.0) {
                    Some(ExprKind::Int(-1)) => {
                        factors.remove(0);
                        match factors.pop() {
                            Some(last) if factors.is_empty() => last,
                            last => {
                                factors.extend(last);
                                Self(ExprKind::Product(factors))
                            }
                        }
                    }
                    Some(ExprKind::Int(_) | ExprKind::Quotient(..)) => {
                        let first = factors.remove(0);
                        let mut negated = (-first).into_factors();
                        negated.extend(factors);
                        Self(ExprKind::Product(negated))
                    }
                    _ => {
                        factors.insert(0, Self::int(-1));
                        Self(ExprKind::Product(factors))
                    }
                }
            }
            other => Self::int(-1) * Self(other),
        }
    }
}

impl Serialize for Expr {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the infix text form, or a bare integer.
impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Form {
            Int(i64),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Int(value) => Ok(Self::int(value)),
            Form::Text(text) => text.parse().map_err(D::Error::custom),
        }
    }
}
