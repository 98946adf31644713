//! Hints of the program, as tile hints of structured operations.
//!
//! A hint is about the dimensions of a tensor of the program. The operations that compute it, or a part of it, have it: those whose
//! results have the same extents there. Operations with equal hints are one scope, and get one number.

use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Kind, Remark};

use super::super::op as attribute;
use super::{Graph, extents, result};
use crate::from_linalg::name_loops::TILE;
use crate::names::DIMS;

/// A tile of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tile {
    /// The number of its loop among all that are asked for: a smaller one is an outer loop.
    scope: i64,
    /// The name of the dimension.
    name: String,
    /// The dimension, of a tensor of these extents.
    position: usize,
    shape: Vec<i64>,
    /// The size of a tile, in elements.
    size: u64,
}

/// Returns the tiles that the operations of a graph are to have, by their keys. The loop of the first one has the number `first`.
pub(super) fn all(graph: Op<'_>, first: usize) -> FxHashMap<usize, Vec<Tile>> {
    let mut tiles = FxHashMap::default();
    let mut scopes: Vec<String> = Vec::new();
    let body = ir::body(graph).expect("a graph has a block");
    let inner = |op: Op<'_>| ir::name(op) == "inductor.kernel";
    for op in ir::operations(body) {
        let ops = match inner(op) {
            true => ir::operations(ir::body(op).expect("a kernel has a block")).collect(),
            false => vec![op],
        };
        for op in ops {
            if let Ok(hints) = op.attribute(attribute::HINTS) {
                let hints = attr::elements(hints).into_iter();
                let own: Vec<Tile> = hints
                    .flat_map(|hint| read(hint, first, &mut scopes))
                    .collect();
                tiles.insert(ir::op_key(op), own);
            }
        }
    }
    tiles
}

/// Reads a hint: a tile for each dimension that it names.
fn read(hint: Attribute<'_>, first: usize, scopes: &mut Vec<String>) -> Vec<Tile> {
    let entries = attr::entries(hint);
    let field = |name: &str| {
        let entry = entries.iter().find(|(own, _)| own == name);
        entry.map(|(_, value)| *value)
    };
    let (Some(dims), Some(positions), Some(shape)) =
        (field("dims"), field("positions"), field("shape"))
    else {
        return Vec::new();
    };
    let shape: Option<Vec<i64>> = attr::elements(shape)
        .into_iter()
        .map(attr::integer)
        .collect();
    let positions = attr::entries(positions);
    let mut tiles = Vec::new();
    for (name, size) in attr::entries(dims) {
        let position = positions.iter().find(|(own, _)| *own == name);
        let position = position.and_then(|(_, at)| attr::integer(*at));
        let position = position.and_then(|at| usize::try_from(at).ok());
        let size = attr::integer(size).and_then(|size| u64::try_from(size).ok());
        let (Some(position), Some(size), Some(shape)) = (position, size, &shape) else {
            continue;
        };
        let key = format!("{name} {size} {position} {shape:?}");
        let known = scopes.iter().position(|own| *own == key);
        let scope = known.unwrap_or_else(|| {
            scopes.push(key);
            scopes.len() - 1
        });
        tiles.push(Tile {
            scope: i64::try_from(first + scope).expect("hints are counted"),
            name,
            position,
            shape: shape.clone(),
            size,
        });
    }
    tiles
}

impl<'p> Graph<'p> {
    /// Gives a structured operation the tiles of what it computes. `digit` has its loop along a dimension of the result of `of`, if it
    /// is one loop, and `order` the loops along the dimensions of its own result.
    pub(super) fn tile(
        &self,
        of: Op<'p>,
        (built, order): (Op<'p>, &[usize]),
        digit: &dyn Fn(usize) -> Option<usize>,
    ) {
        let Some(tiles) = self.tiles.get(&ir::op_key(of)) else {
            return;
        };
        let memory = self.memory(of, result(of).r#type());
        let Ok(size) = memory.map(|memory| memory.size) else {
            return;
        };
        let mut hints = Vec::new();
        let shape = extents(result(built));
        let mut names: Vec<String> = shape.iter().copied().map(unnamed).collect();
        for tile in tiles {
            let is_same = size.len() == tile.shape.len()
                && size.get(tile.position) == tile.shape.get(tile.position);
            let digit = is_same.then(|| digit(tile.position)).flatten();
            let Some(digit) = digit else {
                self.remarks.emit(|| {
                    let why = match is_same {
                        true => "it is no loop of its own",
                        false => "the result of the operation has another extent there",
                    };
                    Remark::new(Kind::Missed, of.location(), "HintWithoutLoop")
                        .arg("Dimension", &tile.name)
                        .reason(why)
                });
                continue;
            };
            if let Some(place) = order.iter().position(|own| *own == digit) {
                names[place] = tile.name.clone();
            }
            let hint = TileHint {
                scope: tile.scope,
                dim: tile.name.clone(),
                tiles: Tiles::Size(tile.size),
            };
            hints.push(tile_hint_attribute(self.context, &hint));
        }
        if hints.is_empty() {
            return;
        }
        let names: Vec<Attribute<'p>> = names
            .iter()
            .map(|name| StringAttribute::new(self.context, name).into())
            .collect();
        for (name, list) in [(DIMS, names), (TILE, hints)] {
            ir::set_discardable_attribute(built, name, attr::array(self.context, &list));
        }
    }
}

/// Returns the name of a dimension that nobody has named, of an extent.
pub(super) fn unnamed(extent: i64) -> String {
    format!("_untracked_{extent}")
}
