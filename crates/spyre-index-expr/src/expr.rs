//! Index expressions: sums of products of loop variables, indirect indices, symbols, quotients and remainders.
//!
//! An [`Expr`] is in normal form, so that equal polynomials are equal values. Quotients and remainders are atoms with
//! operands in normal form.

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};
use smol_str::format_smolstr;

use crate::function::Function;
use crate::tree;

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
    Quotient(Box<[Expr; 2]>),
    /// `(base floordiv divisor) mod modulus`.
    Digit(Box<[Expr; 3]>),
    /// The remainder of two expressions.
    Remainder(Box<[Expr; 2]>),
    /// The largest of some expressions.
    Max(Box<[Expr]>),
    /// The smallest of some expressions.
    Min(Box<[Expr]>),
    /// The distance of an expression from 0.
    Abs(Box<[Expr; 1]>),
}

/// A product of atoms, in order, with repetitions. Most products have one variable.
type Product = SmallVec<[Atom; 1]>;

/// A product with its coefficient.
type Term = (Product, i64);

/// A sum of products. Equal expressions of variables are equal values.
///
/// Copies share the products: programs have many equal expressions, and change few.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Expr {
    constant: i64,
    /// Products, which are not empty, with their coefficients, which are not 0; in the order of the products. A number has none, and
    /// no list either.
    terms: Option<Rc<[Term]>>,
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
            terms: None,
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
            terms: Some(Rc::new([(smallvec![atom], 1)])),
        }
    }

    /// Returns the value of a constant expression.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_none().then_some(self.constant)
    }

    /// Returns the variable, if the expression is a single variable.
    #[must_use]
    pub fn as_var(&self) -> Option<Var> {
        match (self.constant, self.products()) {
            (0, [(product, 1)]) => match product.as_slice() {
                [Atom::Var(var)] => Some(*var),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether the expression has no variables other than symbolic sizes.
    #[must_use]
    pub fn is_of_sizes(&self) -> bool {
        let mut is_of_sizes = true;
        self.visit(&mut |var| is_of_sizes &= matches!(var, Var::Symbol(_)));
        is_of_sizes
    }

    /// Returns the number that is added to the products.
    #[must_use]
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// Returns the products with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        let terms = self.products().iter();
        terms.map(|(product, factor)| (product.as_slice(), *factor))
    }

    fn products(&self) -> &[Term] {
        self.terms.as_deref().unwrap_or_default()
    }

    /// Returns a number and products, which are in order and none of which has the coefficient 0.
    fn from_terms(constant: i64, terms: impl Into<Rc<[Term]>>) -> Self {
        let terms: Rc<[Term]> = terms.into();
        Self {
            constant,
            terms: (!terms.is_empty()).then_some(terms),
        }
    }

    /// Returns the sum.
    ///
    /// # Errors
    /// A number is too large.
    pub fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let constant = self.constant.checked_add(other.constant);
        let constant = constant.ok_or(Overflow)?;
        let terms = match (&self.terms, &other.terms) {
            (terms, None) | (None, terms) => terms.clone(),
            (Some(left_terms), Some(others)) => {
                return Ok(Self::from_terms(constant, sum(left_terms, others)?));
            }
        };
        Ok(Self { constant, terms })
    }

    /// Returns the expression times a number.
    ///
    /// # Errors
    /// A number is too large.
    pub fn scale(&self, factor: i64) -> Result<Self, Overflow> {
        match factor {
            0 => return Ok(Self::default()),
            1 => return Ok(self.clone()),
            _ => {}
        }
        let scaled = |coefficient: i64| coefficient.checked_mul(factor).ok_or(Overflow);
        let terms = self.terms.as_ref().map(|terms| {
            let terms = terms.iter();
            terms
                .map(|(product, coefficient)| Ok((product.clone(), scaled(*coefficient)?)))
                .collect::<Result<Rc<[Term]>, Overflow>>()
        });
        Ok(Self {
            constant: scaled(self.constant)?,
            terms: terms.transpose()?,
        })
    }

    /// Returns the difference.
    ///
    /// # Errors
    /// A number is too large.
    pub fn sub(&self, other: &Self) -> Result<Self, Overflow> {
        self.add(&other.scale(-1)?)
    }

    /// Returns the product of some expressions.
    ///
    /// # Errors
    /// A number is too large.
    pub fn product<'e>(exprs: impl IntoIterator<Item = &'e Self>) -> Result<Self, Overflow> {
        let mut exprs = exprs.into_iter();
        exprs.try_fold(Self::constant(1), |product, expr| product.mul(expr))
    }

    /// Returns the product.
    ///
    /// # Errors
    /// A number is too large.
    pub fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        if let Some(factor) = self.as_constant() {
            return other.scale(factor);
        }
        let mut product = self.scale(other.constant)?;
        for (atoms, factor) in other.products() {
            let scaled = self.scale(*factor)?;
            if scaled.constant != 0 {
                let term = (atoms.clone(), scaled.constant);
                product = product.add(&Self::from_terms(0, [term]))?;
            }
            for (left_product, factor) in scaled.products() {
                let mut all = left_product.clone();
                all.extend(atoms.iter().cloned());
                all.sort();
                product = product.add(&Self::from_terms(0, [(all, *factor)]))?;
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
            _ => Self::atom(Atom::Quotient(Box::new([self, divisor]))),
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
            _ => Self::atom(Atom::Digit(Box::new([self, divisor, modulus]))),
        }
    }

    /// Returns the expression with other expressions in place of variables.
    ///
    /// # Errors
    /// A number is too large.
    pub fn substitute(&self, with: &impl Fn(Var) -> Option<Self>) -> Result<Self, Overflow> {
        let mut sum = Self::constant(self.constant);
        for (product, factor) in self.products() {
            let mut term = Self::constant(*factor);
            for atom in product {
                term = atom.substitute(with)?.mul(&term)?;
            }
            sum = sum.add(&term)?;
        }
        Ok(sum)
    }

    /// Calls a function for each variable of the expression, as often as it occurs.
    pub fn visit(&self, call: &mut impl FnMut(Var)) {
        for atom in self.products().iter().flat_map(|(product, _)| product) {
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
        self.visit(&mut |var| {
            has |= matches!(var, Var::Loop(loop_number) if loop_number as usize == number)
        });
        has
    }
}

/// Returns the sum of two lists of products.
fn sum(terms: &[Term], others: &[Term]) -> Result<Vec<Term>, Overflow> {
    let mut all = Vec::with_capacity(terms.len() + others.len());
    let (mut left, mut others) = (terms.iter().peekable(), others.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), others.peek()) {
        match a.0.cmp(&b.0) {
            Ordering::Less => all.extend(left.next().cloned()),
            Ordering::Greater => all.extend(others.next().cloned()),
            Ordering::Equal => {
                let factor = a.1.checked_add(b.1).ok_or(Overflow)?;
                if factor != 0 {
                    all.push((a.0.clone(), factor));
                }
                left.next();
                others.next();
            }
        }
    }
    all.extend(left.chain(others).cloned());
    Ok(all)
}

impl Atom {
    /// Returns the function that an atom is; `None` for a variable.
    #[must_use]
    pub fn function(&self) -> Option<Function> {
        match self {
            Self::Var(_) => None,
            Self::Quotient(_) => Some(Function::Quotient),
            Self::Digit(_) => Some(Function::Digit),
            Self::Remainder(_) => Some(Function::Remainder),
            Self::Max(_) => Some(Function::Max),
            Self::Min(_) => Some(Function::Min),
            Self::Abs(_) => Some(Function::Abs),
        }
    }

    /// Returns the operands of an atom that is no variable.
    #[must_use]
    pub fn operands(&self) -> &[Expr] {
        match self {
            Self::Var(_) => &[],
            Self::Quotient(operands) | Self::Remainder(operands) => operands.as_slice(),
            Self::Digit(operands) => operands.as_slice(),
            Self::Max(operands) | Self::Min(operands) => operands,
            Self::Abs(operand) => operand.as_slice(),
        }
    }

    fn substitute(&self, with: &impl Fn(Var) -> Option<Expr>) -> Result<Expr, Overflow> {
        let all = |operands: &[Expr]| -> Result<Box<[Expr]>, Overflow> {
            let new = operands.iter().map(|operand| operand.substitute(with));
            new.collect()
        };
        Ok(match self {
            Self::Var(var) => with(*var).unwrap_or_else(|| Expr::var(*var)),
            Self::Quotient(operands) => {
                let [base, divisor] = &**operands;
                base.substitute(with)?.quotient(divisor.substitute(with)?)
            }
            Self::Digit(operands) => {
                let [base, divisor, modulus] = &**operands;
                let base = base.substitute(with)?;
                base.digit(divisor.substitute(with)?, modulus.substitute(with)?)
            }
            Self::Remainder(operands) => {
                let [base, divisor] = &**operands;
                let operands = [base.substitute(with)?, divisor.substitute(with)?];
                Expr::atom(Self::Remainder(Box::new(operands)))
            }
            Self::Max(operands) => Expr::atom(Self::Max(all(operands)?)),
            Self::Min(operands) => Expr::atom(Self::Min(all(operands)?)),
            Self::Abs(operand) => {
                let [operand] = &**operand;
                Expr::atom(Self::Abs(Box::new([operand.substitute(with)?])))
            }
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

impl From<i64> for Expr {
    fn from(number: i64) -> Self {
        Self::constant(number)
    }
}

impl PartialEq<i64> for Expr {
    fn eq(&self, number: &i64) -> bool {
        self.as_constant() == Some(*number)
    }
}

/// Writes the expression as PyTorch does.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&tree::text(self, &|var| format_smolstr!("{var}")))
    }
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

impl Function {
    /// Returns the function of some expressions; `None` if it takes another number of operands.
    #[must_use]
    pub fn apply(self, operands: &[Expr]) -> Option<Expr> {
        let operand = |number: usize| operands[number].clone();
        Some(match (self, operands.len()) {
            (Self::Quotient, 2) => operand(0).quotient(operand(1)),
            (Self::Digit, 3) => operand(0).digit(operand(1), operand(2)),
            (Self::Remainder, 2) => Expr::atom(Atom::Remainder(Box::new([operand(0), operand(1)]))),
            (Self::Max, 2..) => Expr::atom(Atom::Max(operands.into())),
            (Self::Min, 2..) => Expr::atom(Atom::Min(operands.into())),
            (Self::Abs, 1) => Expr::atom(Atom::Abs(Box::new([operand(0)]))),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_atom_is_its_function_of_its_operands() {
        let operands = [0, 1, 2].map(|number| Expr::var(Var::Loop(number)));
        for function in Function::ALL {
            let counts: Vec<usize> = (0..=3)
                .filter(|count| {
                    let Some(expr) = function.apply(&operands[..*count]) else {
                        return false;
                    };
                    let (atoms, _) = expr.terms().next().expect("it is an atom");
                    assert_eq!(atoms[0].function(), Some(function));
                    assert_eq!(atoms[0].operands(), &operands[..*count]);
                    true
                })
                .collect();
            let expected: &[usize] = match function {
                Function::Quotient | Function::Remainder => &[2],
                Function::Digit => &[3],
                Function::Max | Function::Min => &[2, 3],
                Function::Abs => &[1],
            };
            assert_eq!(counts, expected, "{function:?}");
        }
    }
}
