//! Index expressions: where a loop nest reads and writes its tensors.
//!
//! An index expression is a polynomial of loops, of indices that a program has computed, and of symbolic sizes, with
//! integer coefficients. Its atoms are these variables and functions of other expressions: quotients, remainders,
//! digits, extremes and distances. Expressions are in normal form, so that equal polynomials are equal values, and
//! arithmetic is exact: a number that does not fit into 64 bits is an [`Overflow`], and no result is rounded. PyTorch has
//! the same expressions in SymPy, and the order and the text of SymPy are part of its decisions.
//!
//! * [`Expr`] is an expression, [`Var`] a variable, [`Atom`] a factor that is no number.
//! * [`Function`] has the functions of expressions by their names, and applies them.
//! * [`ranges`] bounds expressions by the ranges of their variables.
//! * [`sizes`] divides expressions, and proves relations of expressions of symbolic sizes.
//! * [`simplify()`] makes expressions simple, by the ranges of their variables.
//! * [`access`] finds where a view of memory is in its buffer.
//! * [`tree`] writes expressions in the order and with the text of SymPy.
//!
//! The crate knows no graph, no file and no operation: variables are numbers, and a caller gives names and ranges to
//! them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod access;
mod expr;
mod function;
pub mod ranges;
mod simplify;
pub mod sizes;
pub mod tree;

pub use expr::{Atom, Expr, Overflow, Var};
pub use function::Function;
pub use simplify::simplify;
