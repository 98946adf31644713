//! Tiles along dimensions whose extents are chosen at run time, which nothing asks for.
//!
//! The card works on tiles of such a dimension, so an operation that has it needs a hint for it. One that has none gets that of the
//! others, or a tile of the granularity.

use std::collections::BTreeSet;

use melior::Context;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op};

use super::{error, id};
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::walk::device_ops;

/// Gives the operations of a function a hint for each dimension that is chosen at run time, and returns how many have got one.
///
/// # Errors
/// A scope id of a hint that is there does not fit into 63 bits any more.
pub(super) fn assign<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
) -> Result<usize, Diagnostic<'p>> {
    let dims = DynamicDims::of_function(function, body)?;
    if dims.is_empty() {
        return Ok(0);
    }
    let ops: Vec<(DeviceOp<'p>, BTreeSet<SymbolId>)> = device_ops(body)
        .into_iter()
        .map(|op| (op, along(op, &dims)))
        .filter(|(_, symbols)| !symbols.is_empty())
        .collect();
    let hints: Vec<Vec<TileHint>> = ops.iter().map(|(op, _)| op.hints()).collect();
    // What is asked for a dimension somewhere is so everywhere.
    let mut known: FxHashMap<&str, &TileHint> = FxHashMap::default();
    for hint in hints.iter().flatten() {
        known.entry(&hint.dim).or_insert(hint);
    }
    let wanted: BTreeSet<SymbolId> = ops
        .iter()
        .flat_map(|(_, symbols)| symbols)
        .copied()
        .collect();
    let fresh: Vec<SymbolId> = wanted
        .into_iter()
        .filter(|symbol| !known.contains_key(dims.symbol(*symbol).name.as_str()))
        .collect();
    let mut changes = Vec::new();
    for ((op, symbols), own) in ops.iter().zip(&hints) {
        let location = op.op();
        let mut all = Vec::with_capacity(own.len() + symbols.len());
        for symbol in symbols {
            let symbol_dim = dims.symbol(*symbol);
            if own.iter().any(|hint| hint.dim == symbol_dim.name) {
                continue;
            }
            // The loops over what is chosen are outermost, where nothing says otherwise.
            let hint = match fresh.iter().position(|fresh| fresh == symbol) {
                Some(scope) => TileHint {
                    scope: id(location, scope)?,
                    dim: symbol_dim.name.clone(),
                    tiles: Tiles::Size(symbol_dim.extent.granularity()),
                },
                None => raised(location, known[symbol_dim.name.as_str()], fresh.len())?,
            };
            all.push(hint);
        }
        if all.is_empty() && fresh.is_empty() {
            continue;
        }
        for hint in own {
            all.push(raised(location, hint, fresh.len())?);
        }
        all.sort_by_key(|hint| hint.scope);
        let attributes: Vec<_> = all
            .iter()
            .map(|hint| tile_hint_attribute(context, hint))
            .collect();
        changes.push((
            *op,
            attr::array(context, &attributes),
            all.len() > own.len(),
        ));
    }
    let count = changes.iter().filter(|(.., is_more)| *is_more).count();
    for (op, hints, _) in changes {
        op.set_hints(hints);
    }
    Ok(count)
}

/// Returns the dimensions that are chosen at run time and that an operation iterates over.
fn along<'p>(op: DeviceOp<'p>, dims: &DynamicDims<'p>) -> BTreeSet<SymbolId> {
    let indexing = Indexing::dynamic(op, dims);
    (0..indexing.space.len())
        .filter_map(|dim| indexing.symbol(dim))
        .collect()
}

/// Returns a hint inside of `by` scopes more.
fn raised<'p>(op: Op<'p>, hint: &TileHint, by: usize) -> Result<TileHint, Diagnostic<'p>> {
    let scope = hint.scope.checked_add(id(op, by)?).ok_or_else(|| {
        let message = format!(
            "scope {} cannot be raised by the {by} scopes around",
            hint.scope
        );
        error(op, message)
    })?;
    Ok(TileHint {
        scope,
        ..hint.clone()
    })
}
