//! Narrows the extents that may be chosen at run time to those that the loops can visit.
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

use crate::dynamic::{DynamicDims, SymbolId};
use crate::names::DIM_SIZES;

/// A dynamic dimension for which the loops allow fewer extents than the function declares.
#[derive(Debug)]
pub struct Narrowed {
    symbol: SymbolId,
    extent: DynamicExtent,
    /// The extents of the tiles that do not divide its granularity, in elements.
    tiles: Vec<u64>,
}

/// Returns the dynamic dimensions for which the tiles allow fewer extents than declared. Each tile divides the declared maximum,
/// so the least common multiple of the tiles does too.
pub fn narrow<'p>(dynamic: &DynamicDims<'p>, tiles: &[(SymbolId, u64)]) -> Vec<Narrowed> {
    let mut narrowed: Vec<Narrowed> = Vec::new();
    for (symbol, tile) in tiles {
        let known = narrowed.iter_mut().find(|found| found.symbol == *symbol);
        let before = known
            .as_ref()
            .map_or(dynamic.symbol(*symbol).extent, |found| found.extent);
        let Some(extent) = before.in_tiles_of(*tile).filter(|left| *left != before) else {
            continue;
        };
        match known {
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
    narrowed
}

/// Declares the narrowed extents on the function, and reports them in remarks.
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
