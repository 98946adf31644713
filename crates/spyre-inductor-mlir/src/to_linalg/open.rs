//! Dimensions of a converted graph with dynamic sizes.
//!
//! A size that is left open is a dynamic extent, from the first operation on: the function declares it, and arguments name their
//! dimensions. After the conversion, structured operations get tiles of the granularity of each open size that they loop along, so that
//! one bundle serves every size.

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::attribute::{IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, ValueLike};
use spyre_analysis::dynamic::SymbolId;
use spyre_analysis::dynamic::extents::Extents;
use spyre_analysis::names::{FurtherNames, placeholder, set_dim_sizes};
use spyre_analysis::walk;
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent_attribute;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_dialects::names::{DIM_SIZES, DIMS, TILE};
use spyre_index_expr::{Expr, Var};
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_ods::linalg;
use spyre_plan::DynamicExtent;

use super::result;
use super::sizes::Symbol;

/// Declares the open sizes of a function, and names the dimensions of arguments that have them. `shapes` are the extents of the
/// arguments. Where one has a size twice, the later dimension has a further name.
pub(super) fn declare<'p>(
    context: &'p Context,
    function: Op<'p>,
    symbols: &[Symbol],
    shapes: &[Vec<Expr>],
) {
    let open = |extent: &Expr| match extent.as_var() {
        Some(Var::Symbol(number)) => symbols.get(number as usize).map(|it| it.name.clone()),
        _ => None,
    };
    let sizes = symbols.iter().filter_map(|symbol| {
        let extent = dynamic_extent_attribute(context, symbol.open()?);
        Some((symbol.name.clone(), extent))
    });
    set_dim_sizes(context, function, &sizes.collect::<Vec<_>>());
    let mut further = FurtherNames::of_function(function);
    for (number, shape) in shapes.iter().enumerate() {
        let mut names: Vec<Option<String>> = shape.iter().map(open).collect();
        if names.iter().all(Option::is_none) {
            continue;
        }
        further.distinct(&mut names);
        let names = names.into_iter().zip(shape).map(|(name, extent)| {
            let fixed = || extent.as_constant().expect("what is not open is fixed");
            let name = name.unwrap_or_else(|| placeholder(fixed()));
            StringAttribute::new(context, &name).into()
        });
        let names: Vec<Attribute<'p>> = names.collect();
        ir::set_argument_attribute(function, number, DIMS, attr::array(context, &names));
    }
    further.declare(context, function);
}

/// Gives the structured operations of a converted function tiles along open sizes, and declares the dimensions that hints name.
pub(super) fn finish<'p>(
    context: &'p Context,
    (function, body): (Op<'p>, Blk<'p>),
    symbols: &[Symbol],
    extents: &Extents,
) {
    let open = symbols.iter().filter_map(|symbol| {
        Some(Open {
            id: extents.named(&symbol.name)?,
            name: &symbol.name,
            extent: symbol.open()?,
        })
    });
    let opened = Opened {
        context,
        sizes: open.collect(),
        extents,
    };
    opened.share_sizes(body);
    let nests: Vec<Op<'p>> = ir::operations(body)
        .filter(|op| ir::name(*op) == linalg::GENERIC)
        .collect();
    // Where an operation has a size twice, names tell the loops apart: `--spyre-assign-dim-hints` gives both, and the tiles.
    if !nests.iter().any(|op| opened.repeats(*op)) {
        let scopes = opened.scopes(&nests);
        nests.iter().for_each(|op| opened.tile(*op, &scopes));
    }
    let hinted = opened.hinted(body);
    if !hinted.is_empty() {
        let declared = function.attribute(DIM_SIZES).map(attr::entries);
        let mut entries = declared.expect("open sizes are declared");
        entries.extend(hinted);
        set_dim_sizes(context, function, &entries);
    }
}

/// An open size.
struct Open<'a> {
    id: SymbolId,
    name: &'a str,
    extent: DynamicExtent,
}

struct Opened<'a, 'p> {
    context: &'p Context,
    sizes: Vec<Open<'a>>,
    /// The extents of the function's values.
    extents: &'a Extents,
}

impl<'p> Opened<'_, 'p> {
    /// Returns the open size that each dimension of a value is; `None` if it has none.
    fn of(&self, value: Val<'p>) -> Option<Vec<Option<usize>>> {
        let symbols = self.extents.symbols(value).into_iter();
        let place = |id: SymbolId| self.sizes.iter().position(|size| size.id == id);
        let dims: Vec<Option<usize>> = symbols.map(|symbol| place(symbol?)).collect();
        (!dims.is_empty()).then_some(dims)
    }

    /// Replaces the sizes that builders have read from arguments by the first read of each.
    fn share_sizes(&self, body: Blk<'p>) {
        let reads = walk::find(body, |op| {
            let is_read = ir::kind(op) == OpKind::TensorDim;
            let symbol = is_read.then(|| self.extents.of_index(result(op))).flatten();
            Some((op, symbol?))
        });
        for (number, (op, symbol)) in reads.iter().enumerate() {
            let mut before = reads[..number].iter();
            if let Some((first, _)) = before.find(|(_, other)| other == symbol) {
                let dim = ir::operand(*op, 1).and_then(ir::defining_op);
                ir::replace_all_uses(result(*op), result(*first));
                ir::erase(*op);
                let is_left = |dim: &Op<'p>| ir::uses(result(*dim)).is_empty();
                if let Some(dim) = dim.filter(is_left) {
                    ir::erase(dim);
                }
            }
        }
    }

    /// Returns the dimensions that hints of the program name, with their extents: a function that declares one declares all.
    fn hinted(&self, body: Blk<'p>) -> BTreeMap<String, Attribute<'p>> {
        let mut hinted = BTreeMap::new();
        for op in ir::operations(body) {
            let names = op.attribute(DIMS).map(attr::elements).unwrap_or_default();
            for (number, name) in names.into_iter().enumerate() {
                let name = attr::string(name).expect("a dimension has one name here");
                let extent = fixed_extent(result(op), number);
                if let Some(extent) = extent.filter(|extent| name != placeholder(*extent)) {
                    let i64 = IntegerType::new(self.context, 64).into();
                    hinted.insert(name, IntegerAttribute::new(i64, extent).into());
                }
            }
        }
        hinted
    }

    /// Returns the scope of the tiles along each open size. The loop over tiles of a reduced size is inside the loops
    /// over the parallel sizes of the same operation, so that the accumulator is one tile. Operations that reduce each
    /// other's parallel sizes cannot all have this order, and then some have none.
    fn scopes(&self, nests: &[Op<'p>]) -> Vec<i64> {
        // Pairs of a size that is kept and one that is reduced.
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for op in nests {
            let iterators = op.attribute("iterator_types").map(attr::elements);
            let iterators = iterators.expect("a structured operation has iterators");
            let is_reduced = |at: usize| iterators[at].to_string().contains("reduction");
            let (reduced, kept): (Vec<_>, Vec<_>) = self
                .loops(*op)
                .into_iter()
                .partition(|(_, at)| is_reduced(*at));
            for (reduced, _) in reduced {
                pairs.extend(kept.iter().map(|(kept, _)| (*kept, reduced)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut depths = vec![0; self.sizes.len()];
        // The number of sizes bounds the rounds: more are needed only by a cycle, where operations reduce each other's
        // sizes.
        for _ in 0..depths.len() {
            for (kept, reduced) in &pairs {
                depths[*reduced] = depths[*reduced].max(depths[*kept] + 1);
            }
        }
        let mut order: Vec<usize> = (0..depths.len()).collect();
        order.sort_by_key(|size| depths[*size]);
        let mut scopes = vec![0; order.len()];
        for (scope, size) in (0..).zip(order) {
            scopes[size] = scope;
        }
        scopes
    }

    /// Returns whether a structured operation has several loops along one open size.
    fn repeats(&self, op: Op<'p>) -> bool {
        let mut loops = self.loops(op);
        loops.sort_unstable();
        loops.dedup();
        loops.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }

    /// Returns the loops of a structured operation that are along open sizes: the size, and the loop.
    fn loops(&self, op: Op<'p>) -> Vec<(usize, usize)> {
        let maps = op.attribute("indexing_maps").map(attr::elements);
        let maps = maps.expect("a structured operation has maps").into_iter();
        let mut pairs = Vec::new();
        for (value, map) in op.operands().zip(maps) {
            let Some(dims) = self.of(value) else { continue };
            let map = ir::affine_map_value(map).expect("it is a map");
            for (dim, size) in dims.iter().enumerate() {
                let at = map.result(dim).expect("a dimension has a result");
                pairs.extend(
                    size.filter(|_| at.is_dim())
                        .map(|size| (size, at.dim_position())),
                );
            }
        }
        pairs
    }

    /// Gives a structured operation a tile for each loop along an open size, outside of its other tiles, and names the
    /// dimensions of its result.
    fn tile(&self, op: Op<'p>, scopes: &[i64]) {
        let mut along: Vec<usize> = self.loops(op).into_iter().map(|(size, _)| size).collect();
        along.sort_unstable_by_key(|size| scopes[*size]);
        along.dedup();
        if along.is_empty() {
            return;
        }
        let hint = |number: usize| {
            let size = &self.sizes[number];
            let hint = TileHint {
                scope: scopes[number],
                dim: size.name.to_owned(),
                tiles: Tiles::Size(size.extent.granularity()),
            };
            tile_hint_attribute(self.context, &hint)
        };
        let mut hints: Vec<Attribute<'p>> = along.into_iter().map(hint).collect();
        hints.extend(op.attribute(TILE).map(attr::elements).unwrap_or_default());
        ir::set_discardable_attribute(op, TILE, attr::array(self.context, &hints));
        let value = result(op);
        // A search has two results, and no attribute has the names of both: they follow from the names of its operands.
        if op.result_count() == 1
            && let Some(dims) = self.of(value)
        {
            let names = op.attribute(DIMS).map(attr::elements).unwrap_or_default();
            ir::set_discardable_attribute(op, DIMS, self.names(value, &dims, &names));
        }
    }

    /// Returns names of a value's dimensions: the names of open sizes, and the declared names, if any, of the other
    /// dimensions.
    fn names(
        &self,
        value: Val<'p>,
        dims: &[Option<usize>],
        old_names: &[Attribute<'p>],
    ) -> Attribute<'p> {
        let text = |name: &str| StringAttribute::new(self.context, name).into();
        let names: Vec<Attribute<'p>> = (0..dims.len())
            .map(|dim| match (dims[dim], old_names.get(dim)) {
                (Some(size), _) => text(self.sizes[size].name),
                (None, Some(name)) => *name,
                (None, None) => {
                    let extent = fixed_extent(value, dim);
                    text(&placeholder(extent.expect("what is not open is fixed")))
                }
            })
            .collect();
        attr::array(self.context, &names)
    }
}

/// Returns the extent of a dimension of a tensor, if it is a number.
fn fixed_extent(value: Val<'_>, dim: usize) -> Option<i64> {
    let tensor = RankedTensorType::try_from(value.r#type()).expect("names are of tensors");
    match tensor.dim_size(dim).ok()? {
        DimSize::Static(extent) => Some(extent.cast_signed()),
        DimSize::Dynamic => None,
    }
}
