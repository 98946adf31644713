//! Hints of the program, as tile hints of structured operations.
//!
//! A hint names dimensions of a tensor of the program. It applies to the operations that compute the tensor, or a part
//! of it, with the same extents in these dimensions. Operations with equal hints are one scope, and get one number. An
//! open size has a loop already, with tiles of its granularity: a hint cuts these tiles again.

use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::names::placeholder;
use spyre_dialects::attr;
use spyre_dialects::hint::{TileHint, Tiles, tile_hint_attribute};
use spyre_dialects::names::{DIMS, TILE};
use spyre_index_expr::{Expr, Var};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Remark, RemarkKind};
use spyre_ods::inductor;

use super::super::import::own_layout;
use super::super::{op as attribute, program};
use super::sizes::{Size, Symbol};
use super::{Graph, result};

/// A tile of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tile {
    /// The number of its loop among all that are asked for: a smaller one is an outer loop.
    scope: i64,
    /// The name of the dimension.
    name: String,
    /// The position of the dimension in a tensor with the extents `shape`.
    position: usize,
    shape: Vec<Extent>,
    /// The size of a tile, in elements.
    size: u64,
}

/// An extent of a tensor of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Extent {
    Number(i64),
    /// The size of a symbol.
    Symbol(String),
}

impl Extent {
    fn read(attribute: Attribute<'_>) -> Option<Self> {
        let number = attr::integer(attribute).map(Self::Number);
        number.or_else(|| attr::string(attribute).map(Self::Symbol))
    }
}

/// Returns the tiles that the operations of a graph are to have, by their keys. The loop of the first one has the number `first`.
pub(super) fn all(graph: Op<'_>, first: usize) -> FxHashMap<ir::OpKey, Vec<Tile>> {
    let mut tiles = FxHashMap::default();
    let mut scopes: Vec<String> = Vec::new();
    let body = ir::body(graph).expect("a graph has a block");
    let inner = |op: Op<'_>| ir::name(op) == inductor::KERNEL;
    for op in ir::operations(body) {
        let ops = match inner(op) {
            true => ir::operations(ir::body(op).expect("a kernel has a block")).collect(),
            false => vec![op],
        };
        for op in ops {
            if let Ok(hints) = op.attribute(attribute::HINTS) {
                let hints = attr::elements(hints).into_iter();
                let op_tiles: Vec<Tile> = hints
                    .flat_map(|hint| read(hint, first, &mut scopes))
                    .collect();
                tiles.insert(ir::op_key(op), op_tiles);
            }
        }
    }
    tiles
}

/// Reads a hint: a tile for each dimension that it names.
fn read(hint: Attribute<'_>, first: usize, scopes: &mut Vec<String>) -> Vec<Tile> {
    let entries = attr::entries(hint);
    let field = |name: &str| {
        let entry = entries.iter().find(|(other, _)| other == name);
        entry.map(|(_, value)| *value)
    };
    let (Some(dims), Some(positions), Some(shape)) =
        (field("dims"), field("positions"), field("shape"))
    else {
        return Vec::new();
    };
    let shape: Option<Vec<Extent>> = attr::elements(shape)
        .into_iter()
        .map(Extent::read)
        .collect();
    let positions = attr::entries(positions);
    let mut tiles = Vec::new();
    for (name, size) in attr::entries(dims) {
        let position = positions.iter().find(|(other, _)| *other == name);
        let position = position.and_then(|(_, at)| attr::integer(*at));
        let position = position.and_then(|at| usize::try_from(at).ok());
        let size = attr::integer(size).and_then(|size| u64::try_from(size).ok());
        let (Some(position), Some(size), Some(shape)) = (position, size, &shape) else {
            continue;
        };
        let key = format!("{name} {size} {position} {shape:?}");
        let index = scopes.iter().position(|other| *other == key);
        let scope = index.unwrap_or_else(|| {
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
    /// Gives a structured operation the tiles of the hints of `of`. `digit` returns the loop along
    /// a dimension of the result of `of`, if it is one loop, and `order` has the loops along the
    /// dimensions of the structured operation's result.
    pub(super) fn tile(
        &self,
        of: Op<'p>,
        (built, order): (Op<'p>, &[usize]),
        digit: &dyn Fn(usize) -> Option<usize>,
    ) {
        let Some(tiles) = self.tiles.get(&ir::op_key(of)) else {
            return;
        };
        if built.result_count() != 1 {
            for tile in tiles {
                self.remarks.emit(|| {
                    Remark::new(RemarkKind::Missed, of.location(), "HintWithoutLoop")
                        .arg("Dimension", &tile.name)
                        .reason(
                            "it computes several values at once, whose dimensions have no names",
                        )
                });
            }
            return;
        }
        let memory = self.memory(of, result(of).r#type());
        let Ok(size) = memory.map(|memory| memory.size) else {
            return;
        };
        let mut hints = Vec::new();
        let shape = self.shape(result(built)).into_iter();
        let names = shape.map(|extent| match (extent.as_constant(), extent.as_var()) {
            (None, Some(Var::Symbol(number))) => self.declared[number as usize].name.clone(),
            (number, _) => placeholder(number.expect("a tensor has numbers and open sizes")),
        });
        let mut names: Vec<String> = names.collect();
        for tile in tiles {
            let target = self.loop_of(of, tile, &size, digit);
            let (digit, dim) = match target {
                Ok(target) => target,
                Err(reason) => {
                    self.remarks.emit(|| {
                        Remark::new(RemarkKind::Missed, of.location(), "HintWithoutLoop")
                            .arg("Dimension", &tile.name)
                            .reason(reason)
                    });
                    continue;
                }
            };
            if let Some(place) = order.iter().position(|other| *other == digit) {
                names[place] = dim.to_owned();
            }
            let hint = TileHint {
                scope: tile.scope,
                dim: dim.to_owned(),
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

impl<'p> Graph<'p> {
    /// Returns the loop of a tile and the name of its dimension, or the reason why there is no such loop. `size` are the extents of
    /// the result of `of`, and `digit` has its loop along each of them.
    fn loop_of<'t>(
        &'t self,
        of: Op<'p>,
        tile: &'t Tile,
        size: &[Expr],
        digit: &dyn Fn(usize) -> Option<usize>,
    ) -> Result<(usize, &'t str), String> {
        let elsewhere = || "the result of the operation has another extent there".to_owned();
        let at = tile.position;
        let (Some(extent), Some(actual)) = (tile.shape.get(at), size.get(at)) else {
            return Err(elsewhere());
        };
        if size.len() != tile.shape.len() {
            return Err(elsewhere());
        }
        let open = self.open_at(of, at);
        let fixed = |symbol: &Symbol| match symbol.size {
            Size::Fixed(size) => Some(size),
            Size::Open(_) => None,
        };
        let is_same = match (extent, open) {
            (Extent::Number(extent), None) => *actual == *extent,
            (Extent::Number(extent), Some((symbol, _))) => symbol.hint == Some(*extent),
            (Extent::Symbol(name), Some((symbol, _))) => symbol.name == *name,
            (Extent::Symbol(name), None) => self
                .declared
                .iter()
                .any(|symbol| symbol.name == *name && fixed(symbol) == actual.as_constant()),
        };
        if !is_same {
            return Err(elsewhere());
        }
        let digit = digit(at).ok_or_else(|| "it is no loop of its own".to_owned())?;
        let Some((symbol, granularity)) = open else {
            return Ok((digit, &tile.name));
        };
        let (size, name) = (tile.size, &symbol.name);
        if size == granularity {
            return Err(format!(
                "'{name}' is open, and the loop over it has tiles of {granularity} elements, which it asks for"
            ));
        }
        match granularity.checked_rem(size) == Some(0) {
            true => Ok((digit, name)),
            false => Err(format!(
                "'{name}' is open, in tiles of {granularity} elements, which {size} elements do not divide"
            )),
        }
    }

    /// Returns the open size that a dimension of an operation's result has, with its granularity.
    fn open_at(&self, of: Op<'p>, dim: usize) -> Option<(&Symbol, u64)> {
        let ty = result(of).r#type();
        let layout = own_layout(ty)?;
        let sizes = program::size_of(of, ty, &layout).ok()?;
        let Some(Var::Symbol(number)) = sizes.get(dim)?.as_var() else {
            return None;
        };
        let symbol = self.declared.get(number as usize)?;
        Some((symbol, symbol.open()?.granularity()))
    }
}
