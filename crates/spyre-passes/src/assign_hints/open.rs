//! Tiles along dimensions whose extents are chosen at run time, which nothing asks for.
//!
//! The card works on tiles of such a dimension, so an operation that has it needs a hint for it. One that has none gets that of the
//! others, or a tile of the granularity.

use std::collections::BTreeSet;
use std::convert::Infallible;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

use super::{error, id};
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::names::{
    DIM_SIZES, DIMS, DimName, DimNames, Factor, Factors, Followed, Follower, FurtherNames, Names,
    REDUCTION_DIMS, Visit, extent_of, shape,
};

/// The dimensions that are chosen at run time, and what operations iterate over.
#[derive(Default)]
pub(super) struct Named<'p> {
    dims: DynamicDims<'p>,
    /// The operations that iterate over such dimensions. The dimensions are outermost first: those that an operation reduces are inside
    /// of the others, since what is put together of parts has a fixed extent.
    found: Vec<(DeviceOp<'p>, Vec<Along>)>,
    /// Whether an operation has got a name.
    pub(super) is_changed: bool,
}

/// Names the dimensions of operations apart, in a function that declares names: an operation that has one name for several of its
/// dimensions gets further ones, where the dimensions are chosen at run time or the operation is asked to be cut or divided along them.
/// `asked` has the names that each operation is asked for, by its key.
///
/// # Errors
/// A dynamic extent is none of the declared ones.
pub(super) fn name_apart<'p>(
    context: &'p Context,
    function: Op<'p>,
    body: Blk<'p>,
    asked: FxHashMap<usize, Vec<String>>,
) -> Result<Named<'p>, Diagnostic<'p>> {
    if !function.has_attribute(DIM_SIZES) {
        return Ok(Named::default());
    }
    let dims = DynamicDims::of_function(function, body)?;
    let mut apart = Apart {
        context,
        dims: &dims,
        followed: Followed::of_function(function),
        further: FurtherNames::of_function(function),
        asked,
        found: Vec::new(),
        is_changed: false,
    };
    let Ok(()) = apart.follow(body);
    apart.further.declare(context, function);
    let Apart {
        found, is_changed, ..
    } = apart;
    Ok(Named {
        dims,
        found,
        is_changed,
    })
}

/// Gives operations a hint for each dimension that is chosen at run time, and returns how many have got one.
///
/// # Errors
/// A scope id of a hint that is there does not fit into 63 bits any more.
pub(super) fn assign<'p>(context: &'p Context, named: Named<'p>) -> Result<usize, Diagnostic<'p>> {
    let Named { dims, found, .. } = named;
    let found = found.into_iter();
    let ops: Vec<(DeviceOp<'p>, Vec<TileHint>, Vec<Along>)> =
        found.map(|(op, along)| (op, op.hints(), along)).collect();
    // What is asked for a dimension somewhere is so everywhere.
    let asked = ops.iter().flat_map(|(_, hints, _)| hints);
    let mut known: FxHashMap<String, TileHint> = FxHashMap::default();
    for hint in asked {
        let entry = known.entry(hint.dim.clone());
        entry.or_insert_with(|| hint.clone());
    }
    let is_fresh = |along: &Along| !known.contains_key(&along.dim.name);
    // Inside of what is asked for a dimension that an operation keeps is one that it reduces.
    let is_inner = |along: &Along, all: &[Along]| {
        let is_asked = |other: &Along| !other.is_reduced && !is_fresh(other);
        along.is_reduced && all.iter().any(is_asked)
    };
    let orders: Vec<[Vec<OpenDim>; 2]> = ops
        .iter()
        .map(|(.., all)| {
            let fresh = all.iter().filter(|along| is_fresh(along));
            let (inner, outer): (Vec<&Along>, Vec<&Along>) =
                fresh.partition(|along| is_inner(along, all));
            [outer, inner].map(|part| part.into_iter().map(|along| along.dim.clone()).collect())
        })
        .collect();
    let nests = Nests::of(orders.iter().map(|[outer, _]| outer));
    let inners: BTreeSet<&OpenDim> = orders.iter().flat_map(|[_, inner]| inner).collect();
    let last = known.values().map(|hint| hint.scope).max().unwrap_or(0);
    let mut changes = Vec::new();
    for ((op, own, all_along), [outer, inner]) in ops.iter().zip(&orders) {
        let location = op.op();
        let mut all = Vec::with_capacity(own.len() + all_along.len());
        let tile = |dim: &OpenDim, scope: i64| TileHint {
            scope,
            dim: dim.name.clone(),
            tiles: Tiles::Size(dims.symbol(dim.symbol).extent.granularity()),
        };
        for (dim, scope) in outer.iter().zip(nests.scopes(outer)) {
            // The loops over what is chosen are outermost, where nothing says otherwise.
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
            let missing = known.get(name);
            let missing = missing.filter(|_| own.iter().all(|hint| hint.dim != *name));
            if let Some(hint) = missing {
                all.push(raised(location, hint, nests.count)?);
            }
        }
        let is_more = !all.is_empty();
        if !is_more && nests.count == 0 {
            continue;
        }
        for hint in own {
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

/// A dimension of operations whose extent is chosen at run time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct OpenDim {
    symbol: SymbolId,
    /// Whether these operations call it by a further name of the extent.
    is_further: bool,
    /// What these operations call it.
    name: String,
}

/// A dimension that is chosen at run time and that an operation iterates over.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Along {
    /// Whether the operation reduces it.
    is_reduced: bool,
    dim: OpenDim,
}

/// Finds what operations iterate over, and names their dimensions apart.
struct Apart<'d, 'p> {
    context: &'p Context,
    dims: &'d DynamicDims<'p>,
    followed: Followed<'p>,
    further: FurtherNames,
    /// The names that each operation is asked for, by its key.
    asked: FxHashMap<usize, Vec<String>>,
    found: Vec<(DeviceOp<'p>, Vec<Along>)>,
    is_changed: bool,
}

impl<'p> Follower<'p> for Apart<'_, 'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        let Visit::Device(op, indexing, names) = visit else {
            return Ok(());
        };
        let symbols = Indexing::dynamic(op, self.dims);
        let asked = self.asked.remove(&ir::op_key(op.op()));
        let asked = asked.unwrap_or_default();
        let extents: Vec<Option<String>> = (0..symbols.space.len())
            .map(|dim| match symbols.symbol(dim) {
                Some(symbol) => Some(self.dims.symbol(symbol).name.clone()),
                None => self.extent_asked(&asked, &names[dim]),
            })
            .collect();
        let mut taken: Vec<String> = Vec::new();
        let mut along = BTreeSet::new();
        let mut declared = None;
        for (dim, extent) in extents.iter().enumerate() {
            let Some(extent) = extent else { continue };
            let name = self.name_apart(&names[dim], extent, (&asked, &taken));
            taken.push(name.clone());
            if self.is_unclear(&names, dim, (&name, extent)) {
                let name = Some(self.followed.names.intern(&name));
                let extent = extent_of(indexing.space[dim]);
                let declared = declared.get_or_insert_with(|| vec![DimName::new(); names.len()]);
                declared[dim] = vec![vec![Factor { name, extent }]];
            }
            if let Some(symbol) = symbols.symbol(dim) {
                along.insert(Along {
                    is_reduced: !indexing.result().contains(&Some(dim)),
                    dim: OpenDim {
                        symbol,
                        is_further: name != *extent,
                        name,
                    },
                });
            }
        }
        if let Some(declared) = declared {
            self.is_changed = true;
            declare(self.context, op, &indexing, &declared, &self.followed.names);
            self.followed.names.through_device_op(op, &indexing);
        }
        if !along.is_empty() {
            self.found.push((op, along.into_iter().collect()));
        }
        Ok(())
    }
}

impl Apart<'_, '_> {
    /// Returns the name that has the extent of a dimension, where the function declares one and the operation is asked for it.
    fn extent_asked(&self, asked: &[String], names: &DimName) -> Option<String> {
        let own = names.iter().find_map(|factors| self.single(factors))?;
        let own = self.further.first(own);
        let is_asked = asked.iter().any(|asked| self.further.first(asked) == own);
        (is_asked && self.further.is_declared(own)).then(|| own.to_owned())
    }

    /// Returns the name of a dimension that is merged of no others.
    fn single(&self, factors: &Factors) -> Option<&str> {
        match **factors {
            [factor] => factor.name.map(|name| self.followed.names.text(name)),
            _ => None,
        }
    }

    /// Returns a name for an extent that is none of `taken`: one that the dimension has, if it can be, and that is asked for.
    fn name_apart(
        &mut self,
        names: &DimName,
        extent: &str,
        (asked, taken): (&[String], &[String]),
    ) -> String {
        let own = names.iter().filter_map(|factors| self.single(factors));
        let own = own.filter(|name| {
            self.further.first(name) == extent && !taken.iter().any(|taken| taken == name)
        });
        let own: Vec<&str> = own.collect();
        let is_asked = |name: &&&str| asked.iter().any(|asked| asked == **name);
        match own.iter().find(is_asked).or(own.first()) {
            Some(name) => (*name).to_owned(),
            None => self.further.apart(extent, taken),
        }
    }

    /// Returns whether a dimension is not called `name` yet, has another name of the same extent, or one that another dimension of the
    /// operation has.
    fn is_unclear(&self, names: &DimNames, dim: usize, (name, extent): (&str, &str)) -> bool {
        let others = names.iter().enumerate().filter(|(other, _)| *other != dim);
        let mut others = others.flat_map(|(_, names)| names);
        let own = names[dim].iter().filter_map(|factors| self.single(factors));
        let mut own = own.filter(|own| self.further.first(own) == extent);
        own.next() != Some(name)
            || own.next().is_some()
            || others.any(|other| names[dim].contains(other))
    }
}

/// Declares names of an operation's dimensions on it; those without a name in `space` keep what they are called.
fn declare<'p>(
    context: &'p Context,
    op: DeviceOp<'p>,
    indexing: &Indexing<'p>,
    space: &[DimName],
    names: &Names<'p>,
) {
    let op = op.op();
    let (kept, reduced) = space.split_at(indexing.parallel_dims());
    if kept.iter().any(|names| !names.is_empty()) {
        let result = ir::result(op, 0).expect("a device operation has a result");
        let own = indexing.result().iter();
        let own: Vec<DimName> = own
            .map(|dim| dim.map_or_else(DimName::new, |dim| kept[dim].clone()))
            .collect();
        let shape = shape(result.r#type()).expect("a device operation makes a tensor");
        ir::set_discardable_attribute(op, DIMS, names.attribute(context, &own, &shape));
    }
    if reduced.iter().any(|names| !names.is_empty()) {
        let extents = indexing.space[kept.len()..].iter();
        let extents: Vec<u64> = extents.copied().map(extent_of).collect();
        let reduced = names.attribute(context, reduced, &extents);
        ir::set_discardable_attribute(op, REDUCTION_DIMS, reduced);
    }
}

/// The nests of loops over dimensions that are chosen at run time. Operations along the dimensions in the usual order share the loops
/// of the outer ones; each other order is a nest of its own.
struct Nests {
    /// All dimensions, in the usual order.
    usual: Vec<OpenDim>,
    /// The other orders.
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
