//! Graphs of many operations, which test the choice of layouts for all of them at once.

use crate::draw;
use crate::program::Program;
use crate::vocabulary::Vocabulary;

/// The family of operations that a graph has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Views of all kinds, and operations element by element between them.
    Views,
    /// Permutations, sums element by element and products of matrices.
    Permutes,
}

/// Returns the graph of a seed and a number: 10 to 100 operations on tensors of 2 to 5 dimensions.
#[must_use]
pub fn graph(vocabulary: &'static Vocabulary, family: Family, seed: u64, number: u64) -> Program {
    draw::graph(vocabulary, family, seed, number)
}
