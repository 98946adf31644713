//! The names of operations element by element, which the caller gives.
//!
//! The generator has rules for kinds of operations and no list of their names. So it draws an operation that is new among its
//! kind as soon as the caller names it.

/// The name of an operation of one operand, and the text after the operand.
pub type Word = (&'static str, &'static str);

/// The operations element by element that are drawn, each list in the order of the draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// Operations of one operand with integer results for integers.
    pub exact: Vec<Word>,
    /// The other operations of one operand.
    pub inexact: Vec<Word>,
    /// Of two operands, integers of integers.
    pub exact_binary: Vec<&'static str>,
    /// All of two operands, but comparisons.
    pub binary: Vec<&'static str>,
    /// Comparisons of two operands.
    pub comparisons: Vec<&'static str>,
}

/// The scale of rows that are quantized, a reduction of the last dimension alone.
pub const SCALE_OF_ROWS: &str = "quantscalepertokenfp8";

/// Returns the text of a reduction after its dimensions. Its numbers are of every float format.
#[must_use]
pub fn constants(reduction: &str) -> &'static str {
    match reduction {
        SCALE_OF_ROWS => " min 0.5 max 4.0 factor 0.125",
        _ => "",
    }
}
