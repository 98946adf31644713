//! What loops leave to choose of dimensions whose extents are chosen at run time.
//!
//! A loop over such a dimension visits whole tiles, so the extent is a multiple of the tile. With several loops it is a
//! multiple of the least common multiple of their tiles and of the granularity that the function declares.

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::dynamic::{dynamic_extent, dynamic_extent_attribute};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_plan::DynamicExtent;

use super::error;
use crate::dynamic::{DynamicDims, SymbolId};
use crate::names::DIM_SIZES;

/// A dynamic dimension of which loops leave less to choose than the function declares.
#[derive(Debug)]
pub struct Narrowed {
    symbol: SymbolId,
    extent: DynamicExtent,
    /// The tiles that do not divide its granularity.
    tiles: Vec<u64>,
}

/// What tiles leave to choose, given the extent of each with an operation that it is of.
///
/// # Errors
/// The declared maximum is none of it.
pub fn narrow<'p>(
    dynamic: &DynamicDims<'p>,
    tiles: &[(SymbolId, u64, Op<'p>)],
) -> Result<Vec<Narrowed>, Diagnostic<'p>> {
    let mut narrowed: Vec<Narrowed> = Vec::new();
    for (index, (symbol, tile, op)) in tiles.iter().enumerate() {
        let declared = dynamic.symbol(*symbol);
        let known = narrowed.iter().position(|found| found.symbol == *symbol);
        let before = known
            .and_then(|at| narrowed.get(at))
            .map_or(declared.extent, |found| found.extent);
        let Some(extent) = before.in_tiles_of(*tile) else {
            let message = format!(
                "\"{}\" is at most {} and a multiple of {} so far, of which none that is a multiple of a tile of {tile} is {}",
                declared.name,
                before.max(),
                before.granularity(),
                before.max()
            );
            let mut others = tiles.iter().take(index);
            let other = others.find(|(other, step, _)| other == symbol && step != tile);
            let why = error(*op, message);
            return Err(match other {
                Some((_, step, other)) => {
                    why.note(other.location(), format!("a loop over tiles of {step} is here"))
                }
                None => why,
            });
        };
        if extent == before {
            continue;
        }
        match known.and_then(|at| narrowed.get_mut(at)) {
            Some(found) => {
                found.extent = extent;
                found.tiles.push(*tile);
            }
            None => narrowed.push(Narrowed {
                symbol: *symbol,
                extent,
                tiles: vec![*tile],
            }),
        }
    }
    Ok(narrowed)
}

/// Declares it.
pub fn declare<'p>(
    context: &'p Context,
    function: Op<'p>,
    dynamic: &DynamicDims<'p>,
    narrowed: &[Narrowed],
) {
    if narrowed.is_empty() {
        return;
    }
    let Ok(declared) = function.attribute(DIM_SIZES) else {
        return;
    };
    let mut entries = attr::entries(declared);
    for found in narrowed {
        let symbol = dynamic.symbol(found.symbol);
        for (name, value) in &mut entries {
            if *name == symbol.name && dynamic_extent(*value).is_some() {
                *value = dynamic_extent_attribute(context, found.extent);
            }
        }
        let tiles: Vec<_> = found.tiles.iter().map(u64::to_string).collect();
        let message = format!(
            "coarse-tile: loops over tiles of {} leave multiples of {} of \"{}\" to choose, where the function declared \
             multiples of {}",
            tiles.join(" and "),
            found.extent.granularity(),
            symbol.name,
            symbol.extent.granularity()
        );
        Diagnostic::remark(function.location(), message).emit();
    }
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    ir::set_discardable_attribute(function, DIM_SIZES, attr::dictionary(context, &entries));
}
