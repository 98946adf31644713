//! The iteration symbols that each loop moves, for an operation of the first revision.
//!
//! A loop may list the symbols that it moves. Other front ends list the symbols at the operation, for all loops around
//! it, outermost first (SDSC bundle specification, section 3.1): with as many loops as symbols, each loop moves one of
//! them.

use super::model::{R1Loop, R1Op};
use super::unroll::R1Error;
use crate::expr::Symbol;

/// A loop around the node being lowered.
pub(super) struct Level<'a> {
    /// The name of its level symbol.
    pub(super) name: Symbol,
    /// The loop.
    pub(super) spec: &'a R1Loop,
    /// The number of iterations.
    pub(super) count: u64,
}

/// Returns the symbols that each loop around an operation advances, outermost loop first. Symbols that the operation
/// lists and no loop lists belong to the loops without a list: all of them to the only such loop, or one to each.
///
/// # Errors
/// Several loops have no list, and there are more or fewer symbols for them.
pub(super) fn symbols_of(op: &R1Op, levels: &[Level<'_>]) -> Result<Vec<Vec<Symbol>>, R1Error> {
    let mut symbols: Vec<Vec<Symbol>> = levels
        .iter()
        .map(|level| level.spec.tiled_symbols.clone())
        .collect();
    let silent = symbols.iter().filter(|said| said.is_empty()).count();
    // Without tiled symbols, an operation has the symbols of the first operation in its loop (section 7.1).
    let listed = match levels.last() {
        Some(inner) if op.tiled_symbols.is_empty() => inner.spec.level_symbols(&inner.spec.body),
        _ => &op.tiled_symbols,
    };
    let said = |symbol: &&Symbol| symbols.iter().flatten().any(|said| said == *symbol);
    let left: Vec<Symbol> = listed
        .iter()
        .filter(|symbol| !said(symbol))
        .cloned()
        .collect();
    // A symbol that none of the loops moves: recorded trees have such, with the loop left out.
    if left.is_empty() || silent == 0 {
        return Ok(symbols);
    }
    if silent > 1 && silent != left.len() {
        let names: Vec<String> = left.iter().map(Symbol::to_string).collect();
        return Err(R1Error::WhichLoop {
            op: op.op.clone(),
            symbols: names.join(", "),
            loops: silent,
        });
    }
    let mut left = left.into_iter();
    for level_names in symbols.iter_mut().filter(|said| said.is_empty()) {
        // One loop moves all that is left.
        let count = if silent == 1 { usize::MAX } else { 1 };
        level_names.extend(left.by_ref().take(count));
    }
    Ok(symbols)
}
