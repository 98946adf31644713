//! Tiles along dynamic dimensions without hints.
//!
//! The card works on tiles of a dynamic dimension, so an operation needs a hint for it. An operation without a hint
//! gets the hint of other operations for the dimension, or tiles of the granularity.

use std::collections::BTreeSet;

use melior::Context;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use super::apart::{Along, Named, OpenDim};
use super::{error, id};

/// Gives operations a hint for each dynamic dimension, and returns the number of operations that got one.
///
/// # Errors
/// A raised scope id of an existing hint does not fit into 63 bits.
pub(super) fn assign<'p>(context: &'p Context, named: Named<'p>) -> Result<usize, Diagnostic<'p>> {
    let Named {
        dims, dynamic_ops, ..
    } = named;
    let dynamic_ops = dynamic_ops.into_iter();
    let ops: Vec<(DeviceOp<'p>, Vec<TileHint>, Vec<Along>)> = dynamic_ops
        .map(|(op, along)| (op, op.hints(), along))
        .collect();
    // A hint for a dimension of one operation holds for all that have the dimension.
    let asked = ops.iter().flat_map(|(_, hints, _)| hints);
    let mut hints_by_name: FxHashMap<String, TileHint> = FxHashMap::default();
    for hint in asked {
        let entry = hints_by_name.entry(hint.dim.clone());
        entry.or_insert_with(|| hint.clone());
    }
    let orders: Vec<[Vec<OpenDim>; 2]> = ops
        .iter()
        .map(|(.., all)| order(all, &hints_by_name))
        .collect();
    let nests = Nests::of(orders.iter().map(|[outer, _]| outer));
    let inners: BTreeSet<&OpenDim> = orders.iter().flat_map(|[_, inner]| inner).collect();
    let last = hints_by_name
        .values()
        .map(|hint| hint.scope)
        .max()
        .unwrap_or(0);
    let mut changes = Vec::new();
    for ((op, op_hints, all_along), [outer, inner]) in ops.iter().zip(&orders) {
        let location = op.op();
        let mut all = Vec::with_capacity(op_hints.len() + all_along.len());
        let tile = |dim: &OpenDim, scope: i64| TileHint {
            scope,
            dim: dim.name.clone(),
            tiles: Tiles::Size(dims.symbol(dim.symbol).extent.granularity()),
        };
        for (dim, scope) in outer.iter().zip(nests.scopes(outer)) {
            // The loops over dynamic dimensions are outermost, unless hints order them.
            all.push(tile(dim, id(location, scope)?));
        }
        for (place, dim) in inners.iter().enumerate() {
            if inner.contains(dim) {
                let behind = nests.count + 1 + place;
                all.push(raised(location, &tile(dim, last), behind)?);
            }
        }
        for along in all_along {
            let name = &along.dim.name;
            let missing = hints_by_name.get(name);
            let missing = missing.filter(|_| op_hints.iter().all(|hint| hint.dim != *name));
            if let Some(hint) = missing {
                all.push(raised(location, hint, nests.count)?);
            }
        }
        let is_more = !all.is_empty();
        if !is_more && nests.count == 0 {
            continue;
        }
        for hint in op_hints {
            all.push(raised(location, hint, nests.count)?);
        }
        all.sort_by_key(|hint| hint.scope);
        let attributes: Vec<_> = all
            .iter()
            .map(|hint| tile_hint_attribute(context, hint))
            .collect();
        changes.push((*op, attr::array(context, &attributes), is_more));
    }
    let count = changes.iter().filter(|(.., is_more)| *is_more).count();
    for (op, hints, _) in changes {
        op.set_hints(hints);
    }
    Ok(count)
}

/// Returns the dimensions of an operation without hints: the ones with outer loops, and the ones with inner loops.
fn order(all: &[Along], hints_by_name: &FxHashMap<String, TileHint>) -> [Vec<OpenDim>; 2] {
    let is_fresh = |along: &Along| !hints_by_name.contains_key(&along.dim.name);
    // The loop over a reduced dimension is inside of the hinted loops over the dimensions of the result.
    let is_inner = |along: &&Along| {
        let is_asked = |other: &Along| !other.is_reduced && !is_fresh(other);
        along.is_reduced && all.iter().any(is_asked)
    };
    let fresh = all.iter().filter(|along| is_fresh(along));
    let (inner, outer): (Vec<&Along>, Vec<&Along>) = fresh.partition(is_inner);
    [outer, inner].map(|part| part.into_iter().map(|along| along.dim.clone()).collect())
}

/// The nests of loops over dynamic dimensions. Operations along the dimensions in the usual order share the loops of
/// the outer ones; each other order is a separate nest.
struct Nests {
    /// All dimensions, in the usual order.
    usual: Vec<OpenDim>,
    /// The orders other than the usual one.
    others: Vec<Vec<OpenDim>>,
    /// The number of scopes.
    count: usize,
}

impl Nests {
    fn of<'a>(orders: impl Iterator<Item = &'a Vec<OpenDim>> + Clone) -> Self {
        let usual: BTreeSet<OpenDim> = orders.clone().flatten().cloned().collect();
        let mut nests = Self {
            count: usual.len(),
            usual: usual.into_iter().collect(),
            others: Vec::new(),
        };
        for order in orders {
            if !order.is_sorted() && !nests.others.contains(order) {
                nests.others.push(order.clone());
                nests.count += order.len();
            }
        }
        nests
    }

    /// Returns the scope of each dimension of an order.
    fn scopes(&self, order: &[OpenDim]) -> Vec<usize> {
        if order.is_sorted() {
            let place = |dim: &OpenDim| self.usual.iter().position(|usual| usual == dim);
            return order.iter().filter_map(place).collect();
        }
        let before = self.others.iter().take_while(|other| *other != order);
        let first = self.usual.len() + before.map(Vec::len).sum::<usize>();
        (first..first + order.len()).collect()
    }
}

/// Returns a hint inside of `by` scopes more.
fn raised<'p>(op: Op<'p>, hint: &TileHint, by: usize) -> Result<TileHint, Diagnostic<'p>> {
    let scope = hint.scope.checked_add(id(op, by)?).ok_or_else(|| {
        let message = format!(
            "the number of scope {} overflows when the {by} scopes around it are added",
            hint.scope
        );
        error(op, message)
    })?;
    Ok(TileHint {
        scope,
        ..hint.clone()
    })
}
