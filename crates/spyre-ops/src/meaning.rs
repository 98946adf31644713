//! The element of a result, in the form that is built for the CPU.
//!
//! Floats are computed in `f32` and rounded once, to the type of the result. A [`Formula`] is a tree of upstream operations on
//! `f32`, so that the lowering needs no code for a new function. Integers wrap.

use std::fmt::Write as _;

use crate::{DECOMPOSED, OP_FUNCS};

/// The definition of one element of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Meaning {
    /// The operand itself.
    Identity,
    /// The bits of the operand, in another type of as many.
    Bits,
    /// One of two operands, chosen by the first, bit by bit.
    Select,
    /// Element by element, floats in `f32`. An operand that is a pair counts as two, if there is no other operand, and
    /// otherwise as its mean.
    Float(Formula),
    /// Element by element, floats in `f32`, integers as an operation that wraps.
    Number(Formula, &'static str),
    /// Element by element, to a truth value.
    Compare(Comparison),
    /// The combined elements of the reduction dimensions, in ascending order and in `f32`.
    Reduce,
    /// A formula, in `f32`, of the largest absolute value over the reduction dimensions.
    OfMagnitude(Formula),
    /// A pair of the mean and the mean of squares of the last dimension: sums in ascending order and in `f32`.
    Moments,
    /// The sum of the products of two operands over the reduction dimensions, in ascending order and in `f32`.
    Contract,
    /// The first elements along a dimension in descending order.
    TopK(Ranked),
    /// The element of a table that an index chooses.
    Gather,
}

/// A computation of one float from others. Equal parts are computed once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Formula {
    /// The element of an operand.
    Operand(usize),
    /// A number, rounded to `f32`.
    Number(f64),
    /// A number among the attributes of the operation.
    Parameter(&'static str),
    /// The result of an upstream operation on floats.
    Apply(&'static str, &'static [Self]),
    /// The third where the comparison holds for the first two, otherwise the fourth.
    Where(Comparison, &'static [Self; 4]),
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
    #[must_use]
    pub const fn predicates(self) -> (i64, i64) {
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

/// The result of a search for the first elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranked {
    /// The element itself.
    Value,
    /// The position of the element along the dimension.
    Position,
}

/// Returns the definitions of the operations of the dialect, as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from("| operation | element of the result |\n|---|---|\n");
    for row in OP_FUNCS.iter().filter(|row| row.meaning.is_some()) {
        if let Some(mnemonic) = row.mnemonic {
            writeln!(table, "| `spyre.{mnemonic}` | {} |", row.definition)
                .expect("writing to a String cannot fail");
        }
    }
    for row in DECOMPOSED {
        writeln!(table, "| `spyre.{}` | {} |", row.mnemonic, row.definition)
            .expect("writing to a String cannot fail");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_has_this_table() {
        let page = include_str!("../../../docs/Execution.md");
        assert!(
            page.contains(&markdown()),
            "docs/Execution.md should contain\n{}",
            markdown()
        );
    }
}
