//! The names of operations element by element, which the caller gives.
//!
//! The generator has rules for kinds of operations and no list of their names. So it draws an operation that is new among its
//! kind as soon as the caller names it.

/// The name of an operation of one operand, and the text after the operand.
pub type Word = (&'static str, &'static str);

/// The operations element by element that are drawn, each list in the order of the draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// Of one operand, integers of integers.
    pub exact: Vec<Word>,
    /// Of one operand, the others.
    pub inexact: Vec<Word>,
    /// Of two operands, integers of integers.
    pub exact_binary: Vec<&'static str>,
    /// All of two operands, but comparisons.
    pub binary: Vec<&'static str>,
    /// Comparisons of two operands.
    pub comparisons: Vec<&'static str>,
}
