//! The tiles of operations, and the transfer of tiles from a piece to an equal one.

use std::fmt;

use melior::Context;
use melior::ir::Attribute;
use rustc_hash::FxHashMap;
use spyre_analysis::names::{self, Names};
use spyre_analysis::walk::device_ops;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{self, DimName as Written, TileHint};
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::ir::{self, Blk};

use crate::assign_hints::FIRST_SCOPE;

/// The tiles of a device operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpTiles {
    /// The number of the operation among the device operations of the function.
    pub(super) number: usize,
    hints: Vec<TileHint>,
    /// The names that its result declares; `None` if it declares none.
    dims: Option<Vec<Vec<Written>>>,
}

impl OpTiles {
    /// Reads the tiles of all device operations of a function that have some.
    pub(super) fn of_function(body: Blk<'_>) -> Vec<Self> {
        let of = |(number, op): (usize, DeviceOp<'_>)| {
            let hints = op.hints();
            let declared = ir::attribute(op.op(), DIMS).map(attr::elements);
            let read = |names: Vec<Attribute<'_>>| names.into_iter().map(hint::dim_names).collect();
            (!hints.is_empty()).then(|| Self {
                number,
                hints,
                dims: declared.and_then(read),
            })
        };
        let ops = device_ops(body).into_iter().enumerate();
        ops.filter_map(of).collect()
    }

    /// Writes tiles on the device operations of a function.
    pub(super) fn write<'p>(context: &'p Context, body: Blk<'p>, all: &[Self]) {
        let ops = device_ops(body);
        for tiles in all {
            let op = ops[tiles.number];
            let hints = tiles.hints.iter();
            let hints = hints.map(|hint| hint::tile_hint_attribute(context, hint));
            op.set_hints(attr::array(context, &hints.collect::<Vec<_>>()));
            if let Some(dims) = &tiles.dims {
                let dims = dims.iter();
                let dims = dims.map(|names| {
                    hint::dim_names_attribute(context, names)
                        .expect("what an operation declares is not empty")
                });
                let dims = attr::array(context, &dims.collect::<Vec<_>>());
                ir::set_discardable_attribute(op.op(), DIMS, dims);
            }
        }
    }
}

/// The most different tiles that a text lists.
const LISTED: usize = 4;

/// Writes the tiles that operations have, the most frequent ones first: `S in 4 of 20 operations`.
pub(super) fn write_all(all: &[OpTiles], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut counts: Vec<(String, usize)> = Vec::new();
    for tiles in all {
        let texts = tiles.hints.iter();
        let texts = texts.map(|hint| format!("{} {}", hint.dim, hint.tiles));
        let text = texts.collect::<Vec<_>>().join(", ");
        let number = *numbers.entry(text.clone()).or_insert_with(|| {
            counts.push((text, 0));
            counts.len() - 1
        });
        counts[number].1 += 1;
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (number, (text, count)) in counts.iter().take(LISTED).enumerate() {
        let comma = if number == 0 { "" } else { "; " };
        write!(f, "{comma}{text} of {count} operations")?;
    }
    match counts.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(f, "; {more} more"),
    }
}

/// Scopes and names that no piece has yet.
pub(super) struct Fresh<'n, 'p> {
    names: &'n Names<'p>,
    next_scope: i64,
    next_name: usize,
}

impl<'n, 'p> Fresh<'n, 'p> {
    pub(super) const fn new(names: &'n Names<'p>) -> Self {
        Self {
            names,
            next_scope: FIRST_SCOPE,
            next_name: 0,
        }
    }

    /// Returns the scopes and names in a piece for the scopes and names in an equal one.
    pub(super) fn piece(
        &mut self,
        from: Vec<String>,
        to: Vec<String>,
        tiles: &[OpTiles],
    ) -> Renamed<'_, 'n, 'p> {
        let mut scopes: Vec<i64> = tiles
            .iter()
            .flat_map(|tiles| tiles.hints.iter().map(|hint| hint.scope))
            .collect();
        scopes.sort_unstable();
        scopes.dedup();
        // The order of scopes is the order of loops.
        let first = self.next_scope;
        let scopes: FxHashMap<i64, i64> = scopes.into_iter().zip(first..).collect();
        self.next_scope += i64::try_from(scopes.len()).expect("fewer than 2^63 scopes");
        Renamed {
            fresh: self,
            scopes,
            names: from.into_iter().zip(to).collect(),
        }
    }

    fn name(&mut self) -> String {
        self.names.unused("piece", &mut self.next_name)
    }
}

/// The map from the scopes and names of a piece to the scopes and names of an equal piece.
pub(super) struct Renamed<'f, 'n, 'p> {
    fresh: &'f mut Fresh<'n, 'p>,
    scopes: FxHashMap<i64, i64>,
    names: FxHashMap<String, String>,
}

impl Renamed<'_, '_, '_> {
    pub(super) fn op(&mut self, tiles: &OpTiles, number: usize) -> OpTiles {
        let hints = tiles.hints.iter().map(|hint| TileHint {
            scope: self.scopes[&hint.scope],
            dim: self.name(&hint.dim),
            tiles: hint.tiles,
        });
        let hints = hints.collect();
        let dims = tiles.dims.as_ref().map(|dims| {
            let ways = |ways: &Vec<Written>| ways.iter().map(|way| self.way(way)).collect();
            dims.iter().map(ways).collect()
        });
        OpTiles {
            number,
            hints,
            dims,
        }
    }

    fn way(&mut self, way: &Written) -> Written {
        match way {
            Written::Whole(name) => Written::Whole(self.name(name)),
            Written::Merged(names) => {
                let names = names.iter();
                Written::Merged(
                    names
                        .map(|(name, extent)| (self.name(name), *extent))
                        .collect(),
                )
            }
        }
    }

    fn name(&mut self, name: &str) -> String {
        if names::is_placeholder(name) {
            return name.to_owned();
        }
        if let Some(new_name) = self.names.get(name) {
            return new_name.clone();
        }
        // Names that operations declare are the same in pieces that are equal.
        if self.fresh.names.is_known(name) {
            return name.to_owned();
        }
        let fresh = self.fresh.name();
        self.names.insert(name.to_owned(), fresh.clone());
        fresh
    }
}
