//! Decides the extents of tiles: how far the levels of a group move along the dimensions of its operations.
//!
//! Levels are decided from the outermost in: a level cuts the tile that the outer levels have left. If one tile of a
//! level is the whole extent, the level has no effect. Each level may have a shorter last tile, in each copy of the
//! body around it; all kinds of operations must agree on the tiles.

use std::rc::Rc;

use spyre_analysis::dynamic::SymbolId;

use crate::coarse_tile::find::{Level, LevelDim, LevelDims};
use crate::coarse_tile::ids::{Id, IdVec, IterDim, KindId, LevelId};
use crate::coarse_tile::plan::region::Axis;
use crate::coarse_tile::plan::trips::{
    CutDim, MOST_LEVELS, TileGrain, Trip, Trips, Variant, trips_of,
};

/// The smallest part of each iteration dimension that may be cut off, in elements.
pub(crate) type Units = IdVec<IterDim, u64>;

/// How the levels of a group cut the dimensions of a kind of operations.
#[derive(Debug)]
pub(crate) struct KindCuts {
    /// The smallest part of each iteration dimension that may be cut off, in elements.
    pub(crate) units: Rc<Units>,
    /// The effect of each level on the operations. A level of one tile cuts no dimension.
    pub(crate) dims: Rc<LevelDims>,
    /// Each iteration dimension, with the levels that cut it.
    axes: IdVec<IterDim, Axis>,
}

/// The tiles of a group.
#[derive(Debug, Default)]
pub(crate) struct DecidedCuts {
    /// The trips of the levels.
    pub(crate) trips: Trips,
    /// The copies of the innermost body that are needed.
    pub(crate) variants: Vec<Variant>,
    /// The tiles of dynamic dimensions, each with its extent in elements.
    pub(crate) dynamic_tiles: Vec<(SymbolId, u64)>,
    /// The first kind of each level that has another number of tiles than requested.
    pub(crate) other_counts: Vec<OtherCount>,
}

/// A number of tiles that differs from the requested one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OtherCount {
    /// The level.
    pub(crate) level: LevelId,
    /// The kind that it cuts.
    pub(crate) kind: KindId,
    /// The extent that is cut, in elements.
    pub(crate) extent: u64,
    /// The extent of the tiles, in elements.
    pub(crate) tile: u64,
    /// The unit of the tiles, in elements.
    pub(crate) unit: u64,
    /// The number of tiles.
    pub(crate) count: u64,
}

/// The reason why the operations of a group cannot be cut. Extents are in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CutRefusal {
    /// There are more levels than [`MOST_LEVELS`].
    Levels,
    /// The dimension of the operation is static and the dimension of the level dynamic, or the reverse, or both are
    /// different dynamic dimensions.
    Dynamic {
        /// The level.
        level: LevelId,
        /// The kind of operations.
        kind: KindId,
        /// Their dimension.
        dim: IterDim,
        /// The extent.
        extent: u64,
        /// The dynamic dimension that it is.
        symbol: Option<SymbolId>,
    },
    /// There are no tiles of the extent.
    NoTiles {
        /// The level.
        level: LevelId,
        /// The kind of operations.
        kind: KindId,
        /// The extent.
        extent: u64,
    },
    /// The largest extent of a dynamic dimension is no multiple of a tile.
    NoMultiple {
        /// The level.
        level: LevelId,
        /// The kind of operations.
        kind: KindId,
        /// The extent.
        extent: u64,
        /// The extent of a tile.
        tile: u64,
        /// The unit of tiles.
        unit: u64,
    },
    /// Two kinds have other tiles.
    OtherTiles {
        /// The level.
        level: LevelId,
        /// The kinds, each with its extent and the number of its tiles.
        kinds: [(KindId, u64, u64); 2],
    },
}

impl KindCuts {
    /// Returns the cuts of operations with these dimensions before any level has cut them. `dims` has the dimension
    /// that each level cuts.
    pub(crate) fn new(axes: IdVec<IterDim, Axis>, units: Rc<Units>, dims: Rc<LevelDims>) -> Self {
        Self { units, dims, axes }
    }

    /// Returns an iteration dimension, with the levels that cut it.
    pub(crate) fn axis(&self, dim: IterDim) -> &Axis {
        &self.axes[dim]
    }

    /// Returns the iteration dimensions, with the levels that cut them.
    pub(crate) fn axes(&self) -> impl Iterator<Item = (IterDim, &Axis)> {
        self.axes.pairs()
    }

    /// Returns the number of elements by which a level moves along the dimension that it cuts; `None` if it cuts none.
    pub(crate) fn step(&self, level: LevelId) -> Option<u64> {
        let mut movement = self.axes[self.dims.cut(level)?].movement.iter();
        let (_, step) = movement.find(|(other, _)| *other == level)?;
        Some(*step)
    }

    /// Returns the extent of a dimension inside the levels that have cut it, in elements, and its unit.
    fn cut_dim(&self, dim: IterDim) -> CutDim {
        let axis = &self.axes[dim];
        CutDim {
            extent: axis.movement.last().map_or(axis.whole, |(_, step)| *step),
            unit: self.units[dim],
        }
    }

    /// Removes a level: it cuts no dimension any more.
    fn drop_level(&mut self, level: LevelId) {
        let Some(dim) = self.dims.cut(level) else {
            return;
        };
        let movement = &mut self.axes[dim].movement;
        movement.retain(|(other, _)| *other != level);
        Rc::make_mut(&mut self.dims)[level] = LevelDim::Lacks;
    }
}

/// Decides the tiles of each level.
///
/// # Errors
/// Operations would have different numbers of tiles, or there are too many levels.
pub(crate) fn decide(
    kinds: &mut IdVec<KindId, &mut KindCuts>,
    levels: &IdVec<LevelId, Level>,
) -> Result<DecidedCuts, CutRefusal> {
    if levels.len() > MOST_LEVELS {
        return Err(CutRefusal::Levels);
    }
    let mut decided = DecidedCuts::default();
    // Copies of the body around a level, and whether they have iterations.
    let mut around = vec![(Variant::default(), true)];
    for (level, asked) in levels.pairs() {
        if cut_level(kinds, level, asked, &mut decided)? {
            for kind in kinds.iter_mut() {
                kind.drop_level(level);
            }
            for (variant, _) in &around {
                decided.trips.set(level, *variant, Trip::ONCE);
            }
            continue;
        }
        let mut inside = Vec::with_capacity(around.len());
        for (variant, runs) in around {
            let trip = trip(kinds, level, variant, runs, &decided.trips)?;
            decided.trips.set(level, variant, trip);
            // A level may have no whole tiles, so that no iteration runs in this copy. It stays, because loops without
            // the level are looked up there.
            inside.push((variant, runs && trip.whole > 0));
            if trip.rest {
                inside.push((variant.rest(level), runs));
            }
        }
        around = inside;
    }
    let run = around.into_iter().filter(|(_, runs)| *runs);
    decided.variants = run.map(|(variant, _)| variant).collect();
    Ok(decided)
}

/// Cuts the dimensions of a level. Returns whether one tile is the whole extent of one of them.
fn cut_level(
    kinds: &mut IdVec<KindId, &mut KindCuts>,
    level: LevelId,
    asked: &Level,
    decided: &mut DecidedCuts,
) -> Result<bool, CutRefusal> {
    let dims = |kind: &&mut KindCuts| Some(kind.cut_dim(kind.dims.cut(level)?));
    let cut: Vec<CutDim> = kinds.iter().filter_map(dims).collect();
    let grain = TileGrain::of(&cut);
    let mut is_whole = false;
    for kind in kinds.ids() {
        if let Some(dim) = kinds[kind].dims.cut(level) {
            let cut = (kind, dim);
            is_whole |= cut_kind(kinds[kind], cut, (level, asked), grain, decided)?;
        }
    }
    Ok(is_whole)
}

/// Cuts the dimension of a kind at a level. Returns whether one tile is the whole extent.
fn cut_kind(
    cuts: &mut KindCuts,
    (kind, dim): (KindId, IterDim),
    (level, asked): (LevelId, &Level),
    grain: TileGrain,
    decided: &mut DecidedCuts,
) -> Result<bool, CutRefusal> {
    let CutDim { extent, .. } = cuts.cut_dim(dim);
    let axis = &mut cuts.axes[dim];
    let symbol = axis.dynamic.filter(|_| axis.movement.is_empty());
    if symbol != asked.dynamic {
        return Err(CutRefusal::Dynamic {
            level,
            kind,
            dim,
            extent,
            symbol,
        });
    }
    let tiles = grain.unit_of(extent);
    let tiles = tiles.zip(grain.tile(extent, asked.count, asked.size));
    let Some((unit, (tile, parts))) = tiles else {
        return Err(CutRefusal::NoTiles {
            level,
            kind,
            extent,
        });
    };
    let count = parts.count();
    if count != asked.count && !decided.other_counts.iter().any(|by| by.level == level) {
        decided.other_counts.push(OtherCount {
            level,
            kind,
            extent,
            tile,
            unit,
            count,
        });
    }
    if let Some(symbol) = symbol {
        if !extent.is_multiple_of(tile) {
            return Err(CutRefusal::NoMultiple {
                level,
                kind,
                extent,
                tile,
                unit,
            });
        }
        decided.dynamic_tiles.push((symbol, tile));
    } else if tile == extent {
        return Ok(true);
    }
    axis.movement.push((level, tile));
    Ok(false)
}

/// Returns the trip of a level in one copy of the body around it. The trip must be the same for all operations, if the
/// copy has iterations.
fn trip(
    kinds: &IdVec<KindId, &mut KindCuts>,
    level: LevelId,
    variant: Variant,
    runs: bool,
    trips: &Trips,
) -> Result<Trip, CutRefusal> {
    let mut cut_kinds = Vec::new();
    let mut cut = Vec::new();
    let mut steps = Vec::new();
    for (id, kind) in kinds.pairs() {
        let Some(dim) = kind.dims.cut(level) else {
            continue;
        };
        cut_kinds.push(id);
        cut.push(CutDim {
            extent: kind.axis(dim).extent(trips, variant, level.index()),
            unit: kind.units[dim],
        });
        steps.push(kind.step(level).expect("a level that cuts has a step"));
    }
    let level_trips = trips_of(&cut, &steps);
    let Some(first) = level_trips.first() else {
        return Ok(Trip::ONCE);
    };
    match level_trips.iter().position(|trip| trip != first) {
        Some(other) if runs => {
            let of = |at: usize, count| (cut_kinds[at], cut[at].extent, count);
            let others = cut[other].extent.div_ceil(steps[other]);
            Err(CutRefusal::OtherTiles {
                level,
                kinds: [of(other, others), of(0, first.count())],
            })
        }
        _ => Ok(*first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coarse_tile::find::LevelDim::{Cuts, Lacks};
    use crate::coarse_tile::plan::region::Movement;

    /// Returns the cuts of a kind with dimensions of these extents and units, and the dimension that each level cuts.
    fn kind(dims: &[(u64, u64)], cuts: &[Option<usize>]) -> KindCuts {
        let axis = |(whole, _): &(u64, u64)| Axis {
            movement: Movement::new(),
            whole: *whole,
            dynamic: None,
        };
        let of_level = |dim: &Option<usize>| dim.map_or(Lacks, |dim| Cuts(IterDim::new(dim)));
        KindCuts::new(
            dims.iter().map(axis).collect(),
            Rc::new(dims.iter().map(|(_, unit)| *unit).collect()),
            Rc::new(cuts.iter().map(of_level).collect()),
        )
    }

    fn level(count: u64) -> Level {
        Level {
            count,
            size: None,
            label: "dimension \"A\"".to_owned(),
            scope: None,
            dynamic: None,
        }
    }

    fn decided(kinds: &mut [KindCuts], counts: &[u64]) -> Result<DecidedCuts, CutRefusal> {
        let levels = counts.iter().copied().map(level).collect();
        decide(&mut kinds.iter_mut().collect(), &levels)
    }

    #[test]
    fn an_inner_level_cuts_what_the_outer_one_has_left() {
        let mut kinds = [kind(&[(512, 1), (256, 64)], &[Some(0), Some(0), Some(1)])];
        let cuts = decided(&mut kinds, &[4, 2, 2]).expect("it is cut");
        let [outer, inner, columns] = [0, 1, 2].map(LevelId::new);
        let axis = kinds[0].axis(IterDim::new(0));
        assert_eq!(axis.movement.to_vec(), [(outer, 128), (inner, 64)]);
        assert_eq!(kinds[0].step(columns), Some(128));
        assert_eq!(cuts.variants, [Variant::default()]);
        assert!(cuts.other_counts.is_empty());
    }

    #[test]
    fn a_level_of_one_tile_cuts_nothing() {
        let mut kinds = [kind(&[(64, 64)], &[Some(0)]), kind(&[(4, 1)], &[None])];
        let cuts = decided(&mut kinds, &[2]).expect("it stays whole");
        let only = LevelId::new(0);
        assert_eq!(kinds[0].dims.cut(only), None);
        assert!(kinds[0].axis(IterDim::new(0)).movement.is_empty());
        assert_eq!(cuts.trips.get(only, Variant::default()), Trip::ONCE);
        // Two tiles were requested, and a stick cannot be cut.
        let other = cuts.other_counts.first().expect("another number");
        assert_eq!((other.count, other.tile, other.unit), (1, 64, 64));
    }

    #[test]
    fn tiles_are_whole_sticks_of_all_kinds_and_the_last_is_shorter() {
        let mut kinds = [
            kind(&[(320, 1)], &[Some(0)]),
            kind(&[(320, 64)], &[Some(0)]),
        ];
        let cuts = decided(&mut kinds, &[2]).expect("it is cut");
        let only = LevelId::new(0);
        assert_eq!(kinds.each_ref().map(|kind| kind.step(only)), [Some(192); 2]);
        let trip = Trip {
            whole: 1,
            rest: true,
        };
        assert_eq!(cuts.trips.get(only, Variant::default()), trip);
        let shorter = Variant::default().rest(only);
        assert_eq!(cuts.variants, [Variant::default(), shorter]);
    }

    #[test]
    fn kinds_of_other_numbers_of_tiles_are_refused() {
        let mut kinds = [kind(&[(100, 1)], &[Some(0)]), kind(&[(7, 1)], &[Some(0)])];
        let [first, second] = [0, 1].map(KindId::new);
        let refused = decided(&mut kinds, &[50]).expect_err("7 rows are no 50 tiles");
        let refusal = CutRefusal::OtherTiles {
            level: LevelId::new(0),
            kinds: [(second, 7, 7), (first, 100, 50)],
        };
        assert_eq!(refused, refusal);
    }

    #[test]
    fn more_levels_than_bits_are_refused() {
        let levels = MOST_LEVELS + 1;
        let mut kinds = [kind(&[(1 << 20, 1)], &vec![None; levels])];
        let refused = decided(&mut kinds, &vec![2; levels]);
        assert_eq!(refused.expect_err("too many"), CutRefusal::Levels);
    }
}
