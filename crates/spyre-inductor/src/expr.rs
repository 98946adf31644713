//! Index expressions: sums of products of loop variables, indirect indices, symbols, quotients and remainders.
//!
//! An [`Expr`] is in normal form, so that equal polynomials are equal values. Quotients and remainders are atoms whose operands are
//! in normal form as well.

use std::collections::BTreeMap;
use std::fmt;

/// A variable of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// The index of a loop.
    Loop(u32),
    /// An index that the program has computed.
    Indirect(u32),
    /// A symbolic size of the graph.
    Symbol(u32),
}

/// A factor that is no number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// The quotient of two expressions, rounded down.
    Quotient(Box<Expr>, Box<Expr>),
    /// `(base floordiv divisor) mod modulus`.
    Digit(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The remainder of two expressions.
    Remainder(Box<Expr>, Box<Expr>),
    /// The largest of some expressions.
    Max(Vec<Expr>),
    /// The smallest of some expressions.
    Min(Vec<Expr>),
}

/// A product of atoms, in order, with repetitions.
pub type Product = Vec<Atom>;

/// A sum of products. Equal expressions of variables are equal values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Expr {
    constant: i64,
    /// Coefficients that are not 0, by their products, which are not empty.
    terms: BTreeMap<Product, i64>,
}

/// A number of an expression does not fit into 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a number of an index expression does not fit into 64 bits")]
pub struct Overflow;

impl Expr {
    /// Returns a number.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        Self {
            constant: value,
            terms: BTreeMap::new(),
        }
    }

    /// Returns a variable.
    #[must_use]
    pub fn var(var: Var) -> Self {
        Self::atom(Atom::Var(var))
    }

    /// Returns one atom.
    #[must_use]
    pub fn atom(atom: Atom) -> Self {
        Self {
            constant: 0,
            terms: BTreeMap::from([(vec![atom], 1)]),
        }
    }

    /// Returns the number that the expression is, if it is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Returns the variable that the expression is, if it is one.
    #[must_use]
    pub fn as_var(&self) -> Option<Var> {
        let mut terms = self.terms.iter();
        match (self.constant, terms.next(), terms.next()) {
            (0, Some((product, 1)), None) => match product.as_slice() {
                [Atom::Var(var)] => Some(*var),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the number that is added to the products.
    #[must_use]
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// Returns the products with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms
            .iter()
            .map(|(product, factor)| (product.as_slice(), *factor))
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// A number is too large.
    pub fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant).ok_or(Overflow)?;
        for (product, factor) in &other.terms {
            sum.add_term(product.clone(), *factor)?;
        }
        Ok(sum)
    }

    /// Returns the expression times a number.
    ///
    /// # Errors
    /// A number is too large.
    pub fn scale(&self, factor: i64) -> Result<Self, Overflow> {
        if factor == 0 {
            return Ok(Self::default());
        }
        let times = |value: i64| value.checked_mul(factor).ok_or(Overflow);
        Ok(Self {
            constant: times(self.constant)?,
            terms: self
                .terms
                .iter()
                .map(|(product, own)| Ok((product.clone(), times(*own)?)))
                .collect::<Result<_, Overflow>>()?,
        })
    }

    /// Returns the product.
    ///
    /// # Errors
    /// A number is too large.
    pub fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        let mut product = self.scale(other.constant)?;
        for (atoms, factor) in &other.terms {
            let scaled = self.scale(*factor)?;
            product.add_term(atoms.clone(), scaled.constant)?;
            for (own, factor) in scaled.terms {
                let mut all = own;
                all.extend(atoms.iter().cloned());
                all.sort();
                product.add_term(all, factor)?;
            }
        }
        Ok(product)
    }

    /// Returns the quotient, rounded down.
    #[must_use]
    pub fn quotient(self, divisor: Self) -> Self {
        match (self.as_constant(), divisor.as_constant()) {
            (_, Some(1)) => self,
            (Some(base), Some(divisor)) if divisor > 0 => Self::constant(base.div_euclid(divisor)),
            _ => Self::atom(Atom::Quotient(Box::new(self), Box::new(divisor))),
        }
    }

    /// Returns `(self floordiv divisor) mod modulus`.
    #[must_use]
    pub fn digit(self, divisor: Self, modulus: Self) -> Self {
        let numbers = (
            self.as_constant(),
            divisor.as_constant(),
            modulus.as_constant(),
        );
        match numbers {
            (Some(base), Some(divisor), Some(modulus)) if divisor > 0 && modulus > 0 => {
                Self::constant(base.div_euclid(divisor).rem_euclid(modulus))
            }
            _ => Self::atom(Atom::Digit(
                Box::new(self),
                Box::new(divisor),
                Box::new(modulus),
            )),
        }
    }

    /// Returns the expression with other expressions in place of variables.
    ///
    /// # Errors
    /// A number is too large.
    pub fn substitute(&self, with: &impl Fn(Var) -> Option<Self>) -> Result<Self, Overflow> {
        let mut sum = Self::constant(self.constant);
        for (product, factor) in &self.terms {
            let mut term = Self::constant(*factor);
            for atom in product {
                term = term.mul(&atom.substitute(with)?)?;
            }
            sum = sum.add(&term)?;
        }
        Ok(sum)
    }

    /// Calls a function for each variable of the expression, as often as it occurs.
    pub fn visit(&self, call: &mut impl FnMut(Var)) {
        for atom in self.terms.keys().flatten() {
            atom.visit(call);
        }
    }

    /// Returns whether the expression has an index that the program has computed.
    #[must_use]
    pub fn is_indirect(&self) -> bool {
        let mut is_indirect = false;
        self.visit(&mut |var| is_indirect |= matches!(var, Var::Indirect(_)));
        is_indirect
    }

    /// Returns whether the expression has a loop.
    #[must_use]
    pub fn has_loop(&self, number: usize) -> bool {
        let mut has = false;
        self.visit(&mut |var| has |= matches!(var, Var::Loop(own) if own as usize == number));
        has
    }

    fn add_term(&mut self, product: Product, factor: i64) -> Result<(), Overflow> {
        if product.is_empty() {
            self.constant = self.constant.checked_add(factor).ok_or(Overflow)?;
            return Ok(());
        }
        if factor == 0 {
            return Ok(());
        }
        let entry = self.terms.entry(product);
        match entry {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(factor);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                let sum = entry.get().checked_add(factor).ok_or(Overflow)?;
                if sum == 0 {
                    entry.remove();
                } else {
                    entry.insert(sum);
                }
            }
        }
        Ok(())
    }
}

impl Atom {
    /// Returns the operands of an atom that is no variable.
    #[must_use]
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Self::Var(_) => Vec::new(),
            Self::Quotient(base, divisor) | Self::Remainder(base, divisor) => vec![base, divisor],
            Self::Digit(base, divisor, modulus) => vec![base, divisor, modulus],
            Self::Max(operands) | Self::Min(operands) => operands.iter().collect(),
        }
    }

    fn substitute(&self, with: &impl Fn(Var) -> Option<Expr>) -> Result<Expr, Overflow> {
        let boxed = |operand: &Expr| operand.substitute(with).map(Box::new);
        Ok(match self {
            Self::Var(var) => with(*var).unwrap_or_else(|| Expr::var(*var)),
            Self::Quotient(base, divisor) => {
                base.substitute(with)?.quotient(divisor.substitute(with)?)
            }
            Self::Digit(base, divisor, modulus) => base
                .substitute(with)?
                .digit(divisor.substitute(with)?, modulus.substitute(with)?),
            Self::Remainder(base, divisor) => {
                Expr::atom(Self::Remainder(boxed(base)?, boxed(divisor)?))
            }
            Self::Max(operands) => Expr::atom(Self::Max(all(operands, with)?)),
            Self::Min(operands) => Expr::atom(Self::Min(all(operands, with)?)),
        })
    }

    fn visit(&self, call: &mut impl FnMut(Var)) {
        match self {
            Self::Var(var) => call(*var),
            _ => {
                for operand in self.operands() {
                    operand.visit(call);
                }
            }
        }
    }
}

fn all(operands: &[Expr], with: &impl Fn(Var) -> Option<Expr>) -> Result<Vec<Expr>, Overflow> {
    operands
        .iter()
        .map(|operand| operand.substitute(with))
        .collect()
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop(number) => write!(f, "d{number}"),
            Self::Indirect(number) => write!(f, "indirect{number}"),
            Self::Symbol(number) => write!(f, "s{number}"),
        }
    }
}
