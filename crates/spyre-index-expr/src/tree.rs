//! Expressions with names, in the order and with the text of PyTorch.
//!
//! PyTorch keeps expressions in SymPy. The operands of its sums and products are ordered by `Basic.compare`, and a text
//! has the terms of a sum in the order of their monomials; this module implements both orders.

use std::cmp::Ordering;

use smol_str::SmolStr;

use crate::expr::{Atom, Expr, Var};
use crate::function::Function;

/// An expression as SymPy has it: sums of products of powers, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// A number.
    Number(i64),
    /// A variable by its name.
    Symbol(SmolStr),
    /// A base with its exponent.
    Pow(Box<Tree>, i64),
    /// A product.
    Mul(Vec<Tree>),
    /// A sum.
    Add(Vec<Tree>),
    /// A function of its operands.
    Function(Function, Vec<Tree>),
}

/// Returns the text of an expression as PyTorch prints it. `name` has the names of variables.
#[must_use]
pub fn text(expr: &Expr, name: &impl Fn(Var) -> SmolStr) -> String {
    tree(expr, name).text()
}

/// Returns an expression as a tree in the order of SymPy. `name` has the names of variables.
#[must_use]
pub fn tree(expr: &Expr, name: &impl Fn(Var) -> SmolStr) -> Tree {
    let mut terms: Vec<Tree> = expr
        .terms()
        .map(|(atoms, factor)| product(atoms, factor, name))
        .collect();
    if expr.offset() != 0 || terms.is_empty() {
        terms.push(Tree::Number(expr.offset()));
    }
    if terms.len() == 1 {
        return terms.swap_remove(0);
    }
    terms.sort_by(Tree::compare);
    Tree::Add(terms)
}

fn product(atoms: &[Atom], factor: i64, name: &impl Fn(Var) -> SmolStr) -> Tree {
    let mut factors = Vec::new();
    for same in atoms.chunk_by(|a, b| a == b) {
        let base = factor_of(&same[0], name);
        factors.push(match same.len() {
            1 => base,
            count => Tree::Pow(Box::new(base), i64::try_from(count).unwrap_or(i64::MAX)),
        });
    }
    factors.sort_by(Tree::compare);
    if factor != 1 {
        factors.insert(0, Tree::Number(factor));
    }
    if factors.len() == 1 {
        return factors.swap_remove(0);
    }
    Tree::Mul(factors)
}

fn factor_of(atom: &Atom, name: &impl Fn(Var) -> SmolStr) -> Tree {
    match (atom, atom.function()) {
        (Atom::Var(var), _) => Tree::Symbol(name(*var)),
        (_, function) => {
            let operands = atom.operands().iter().map(|it| tree(it, name));
            let function = function.expect("an atom is a variable or a function");
            Tree::Function(function, operands.collect())
        }
    }
}

impl Tree {
    /// Returns the rank of the class of a tree in SymPy's order of classes.
    fn class(&self) -> (usize, &'static str) {
        match self {
            Self::Number(0) => (0, ""),
            Self::Number(1) => (1, ""),
            Self::Number(-1) => (2, ""),
            Self::Number(_) => (3, ""),
            Self::Symbol(_) => (4, ""),
            Self::Pow(..) => (5, ""),
            Self::Mul(_) => (6, ""),
            Self::Add(_) => (7, ""),
            Self::Function(function, _) => (8, function.class()),
        }
    }

    /// SymPy's `Basic.compare`: by class, by the number of operands, operand by operand.
    fn compare(&self, other: &Self) -> Ordering {
        let classes = self.class().cmp(&other.class());
        classes.then_with(|| match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::Symbol(a), Self::Symbol(b)) => a.cmp(b),
            (Self::Pow(a, n), Self::Pow(b, m)) => {
                let exponents = || Self::Number(*n).compare(&Self::Number(*m));
                a.compare(b).then_with(exponents)
            }
            (Self::Mul(a), Self::Mul(b))
            | (Self::Add(a), Self::Add(b))
            | (Self::Function(_, a), Self::Function(_, b)) => {
                let by_operand = || {
                    let mut pairs = a.iter().zip(b).map(|(a, b)| a.compare(b));
                    pairs
                        .find(|ordering| ordering.is_ne())
                        .unwrap_or(Ordering::Equal)
                };
                a.len().cmp(&b.len()).then_with(by_operand)
            }
            _ => Ordering::Equal,
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Number(value) => value.to_string(),
            Self::Symbol(name) => name.to_string(),
            Self::Pow(base, exponent) => format!("{}**{exponent}", base.grouped()),
            Self::Mul(factors) => {
                let (sign, factors) = match factors.as_slice() {
                    [Self::Number(-1), rest @ ..] => ("-", rest.to_vec()),
                    [Self::Number(value), rest @ ..] if *value < 0 => {
                        let mut all = vec![Self::Number(value.wrapping_neg())];
                        all.extend_from_slice(rest);
                        ("-", all)
                    }
                    all => ("", all.to_vec()),
                };
                let texts: Vec<String> = factors.iter().map(Self::grouped).collect();
                format!("{sign}{}", texts.join("*"))
            }
            Self::Add(terms) => {
                let mut text = String::new();
                for (at, term) in ordered(terms).into_iter().enumerate() {
                    let term = term.part();
                    match (at, term.strip_prefix('-')) {
                        (0, _) => text.push_str(&term),
                        (_, Some(positive)) => {
                            text.push_str(" - ");
                            text.push_str(positive);
                        }
                        (_, None) => {
                            text.push_str(" + ");
                            text.push_str(&term);
                        }
                    }
                }
                text
            }
            Self::Function(Function::Quotient, operands) => match operands.as_slice() {
                [base, divisor] => format!("({}//{})", base.operand(), divisor.operand()),
                _ => unreachable!("a quotient has two operands"),
            },
            Self::Function(function, operands) => {
                let operands: Vec<String> = operands.iter().map(Self::text).collect();
                format!("{}({})", function.class(), operands.join(", "))
            }
        }
    }

    /// Whether PyTorch's printer binds a function less than a sum does.
    fn is_loose(&self) -> bool {
        matches!(
            self,
            Self::Function(
                Function::Quotient | Function::Digit | Function::Remainder,
                _
            )
        )
    }

    /// The text as a term of a sum.
    fn part(&self) -> String {
        match self.is_loose() {
            true => format!("({})", self.text()),
            false => self.text(),
        }
    }

    /// The text as a factor of a product.
    fn grouped(&self) -> String {
        match self {
            Self::Add(_) => format!("({})", self.text()),
            _ => self.part(),
        }
    }

    /// The text as an operand of a quotient.
    fn operand(&self) -> String {
        match self {
            Self::Mul(_) | Self::Pow(..) => format!("({})", self.text()),
            Self::Number(value) if *value < 0 => format!("({value})"),
            _ => self.grouped(),
        }
    }

    /// SymPy's `default_sort_key`: by class, operands, exponent and number.
    fn order(&self, other: &Self) -> Ordering {
        let (left, exponent, number) = self.parts();
        let (others, other_exponent, other_number) = other.parts();
        let (own_operands, other_operands) = (left.sorted(), others.sorted());
        let by_operand = || {
            let mut pairs = own_operands.iter().zip(&other_operands);
            let differs = pairs.find_map(|(a, b)| Some(a.order(b)).filter(|order| order.is_ne()));
            differs.unwrap_or(Ordering::Equal)
        };
        let by_name = || match (&left, &others) {
            (Self::Symbol(a), Self::Symbol(b)) => a.cmp(b),
            _ => Ordering::Equal,
        };
        left.rank()
            .cmp(&others.rank())
            .then_with(|| own_operands.len().cmp(&other_operands.len()))
            .then_with(by_name)
            .then_with(by_operand)
            .then(exponent.cmp(&other_exponent))
            .then(number.cmp(&other_number))
    }

    /// Splits a tree into base, exponent and integer coefficient.
    fn parts(&self) -> (Self, i64, i64) {
        let (rest, number) = match self {
            Self::Number(value) => return (self.clone(), 1, *value),
            Self::Mul(factors) => match factors.as_slice() {
                [Self::Number(number), factor] => (factor.clone(), *number),
                [Self::Number(number), rest @ ..] => (Self::Mul(rest.to_vec()), *number),
                _ => (self.clone(), 1),
            },
            _ => (self.clone(), 1),
        };
        match rest {
            Self::Pow(base, exponent) => (*base, exponent, number),
            rest => (rest, 1, number),
        }
    }

    /// Returns the operands in the order of a text.
    fn sorted(&self) -> Vec<Self> {
        match self {
            Self::Number(_) | Self::Symbol(_) => Vec::new(),
            Self::Pow(base, exponent) => vec![(**base).clone(), Self::Number(*exponent)],
            Self::Add(terms) => ordered(terms).into_iter().cloned().collect(),
            Self::Mul(factors) => {
                let mut factors = factors.clone();
                factors.sort_by(Self::order);
                factors
            }
            Self::Function(_, operands) => operands.clone(),
        }
    }

    /// Returns the rank of the class of a tree in `default_sort_key`.
    fn rank(&self) -> (usize, usize, &'static str) {
        match self {
            Self::Number(_) => (1, 0, ""),
            Self::Symbol(_) => (2, 0, ""),
            Self::Pow(..) => (3, 2, ""),
            Self::Mul(_) => (3, 0, ""),
            Self::Add(_) => (3, 1, ""),
            Self::Function(function @ (Function::Max | Function::Min), _) => {
                (5, 0, function.class())
            }
            Self::Function(function, _) => (4, 0, function.class()),
        }
    }

    /// Returns the powers of the factors of a term, and its coefficient.
    fn monomial(&self) -> (Vec<(&Self, i64)>, i64) {
        match self {
            Self::Number(value) => (Vec::new(), *value),
            Self::Pow(base, exponent) => (vec![(base, *exponent)], 1),
            Self::Mul(factors) => {
                let mut powers = Vec::new();
                let mut number = 1;
                for factor in factors {
                    let (more, coefficient) = factor.monomial();
                    powers.extend(more);
                    number *= coefficient;
                }
                (powers, number)
            }
            other => (vec![(other, 1)], 1),
        }
    }
}

/// Returns the terms of a sum in the order of a text: by the powers of its generators, the first generator first.
fn ordered(terms: &[Tree]) -> Vec<&Tree> {
    // A positive number minus a multiple of one factor keeps that order.
    if let [Tree::Number(number), Tree::Mul(factors)] = terms
        && *number > 0
        && let [Tree::Number(factor), _] = factors.as_slice()
        && *factor < 0
    {
        return terms.iter().collect();
    }
    let mut generators: Vec<&Tree> = Vec::new();
    for term in terms {
        for (generator, _) in term.monomial().0 {
            if !generators.contains(&generator) {
                generators.push(generator);
            }
        }
    }
    generators.sort_by(|a, b| a.order(b));
    let powers = |term: &Tree| -> Vec<i64> {
        let (powers, _) = term.monomial();
        generators
            .iter()
            .map(|generator| {
                let power = powers.iter().find(|(base, _)| base == generator);
                power.map_or(0, |(_, exponent)| *exponent)
            })
            .collect()
    };
    let mut ordered: Vec<&Tree> = terms.iter().collect();
    ordered.sort_by_key(|term| std::cmp::Reverse(powers(term)));
    ordered
}
