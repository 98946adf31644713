//! Decides the extents of tiles: how far the levels of a group move along the dimensions of its operations.
//!
//! Operations that index their tensors alike and that the levels cut alike are one kind, which is decided once. Levels are decided
//! from the outermost in: a level cuts what those around it have left. If one tile of a level is the whole extent, the level cuts
//! nothing. Each level may have a shorter last tile, in each copy of the body around it; all kinds must agree on the tiles.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use rustc_hash::FxHashMap;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::find::{Level, LevelDim, LevelDims, Member};
use crate::coarse_tile::ids::{Id, IdVec, IterDim, KindId, LevelId, MemberId, Shared};
use crate::coarse_tile::plan::region::{Axis, INNERMOST, Movement};
use crate::coarse_tile::plan::trips::{
    CutDim, MOST_LEVELS, TileGrain, Trip, Trips, Variant, trips_of,
};
use crate::dynamic::{DynamicDims, Symbol, SymbolId, dynamic_table};
use crate::indexing::Indexing;
use crate::names::DIM_SIZES;

/// The smallest part of each iteration dimension that may be cut off, in elements.
pub(crate) type Units = IdVec<IterDim, u64>;

/// Operations of a group that are cut alike.
#[derive(Debug)]
pub(crate) struct TileKind<'p> {
    /// The first of the operations.
    pub(crate) op: GroupOp<'p>,
    /// The indexing of their tensors.
    pub(crate) indexing: Rc<Indexing<'p>>,
    /// The smallest part of each iteration dimension that may be cut off, in elements.
    pub(crate) units: Rc<Units>,
    /// The effect of each level on the operations. A level of one tile cuts nothing.
    pub(crate) dims: Rc<LevelDims>,
    /// Each iteration dimension, with the levels that cut it.
    axes: IdVec<IterDim, Axis>,
    /// The cut that each level was asked for.
    asked: Rc<LevelDims>,
}

impl TileKind<'_> {
    /// Returns an iteration dimension, with the levels that cut it.
    pub(crate) fn axis(&self, dim: IterDim) -> &Axis {
        &self.axes[dim]
    }

    /// Returns the movement of a window along dimension `host` of a tensor, which has extent `whole` and is indexed by iteration
    /// dimension `dim`. Without a dimension (`None`) the window does not move.
    pub(crate) fn axis_of(
        &self,
        tensor: usize,
        host: usize,
        dim: Option<IterDim>,
        whole: u64,
    ) -> Axis {
        let scale = self.indexing.scale(tensor, host);
        let scaled = |(level, step): &(LevelId, u64)| {
            let step = step.checked_mul(scale);
            let step = step.expect("a tile of a merged dimension is no longer than the dimension");
            (*level, step)
        };
        let axis = dim.map(|dim| self.axis(dim));
        Axis {
            movement: axis.map_or(Movement::new(), |axis| {
                axis.movement.iter().map(scaled).collect()
            }),
            whole,
            dynamic: axis.and_then(|axis| axis.dynamic),
        }
    }

    /// Returns the number of elements by which a level moves along the dimension that it cuts; `None` if it cuts none.
    pub(crate) fn step(&self, level: LevelId) -> Option<u64> {
        let mut movement = self.axes[self.dims.cut(level)?].movement.iter();
        let (_, step) = movement.find(|(own, _)| *own == level)?;
        Some(*step)
    }

    /// Returns the extent of a dimension, in elements, inside the levels that cut it so far, and its unit.
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
        movement.retain(|(own, _)| *own != level);
        Rc::make_mut(&mut self.dims)[level] = LevelDim::Lacks;
    }
}

/// The kinds of a group's members.
#[derive(Debug, Default)]
pub(crate) struct TileKinds<'p> {
    /// The kinds.
    pub(crate) kinds: IdVec<KindId, TileKind<'p>>,
    /// The kind of each member.
    pub(crate) of_member: IdVec<MemberId, KindId>,
    /// The copies of the innermost body that are needed.
    pub(crate) variants: Vec<Variant>,
    /// The tiles of dynamic dimensions, each with its extent in elements.
    pub(crate) dynamic_tiles: Vec<(SymbolId, u64)>,
    known: FxHashMap<(Shared<Indexing<'p>>, Rc<LevelDims>), KindId>,
    /// The first kind of each level that has another number of tiles than was asked for.
    other_counts: Vec<OtherCount>,
}

/// A number of tiles that was not asked for.
#[derive(Debug)]
struct OtherCount {
    level: LevelId,
    kind: KindId,
    /// The extent that is cut, that of its tiles and their unit, in elements.
    extent: u64,
    tile: u64,
    unit: u64,
    /// The number of tiles.
    count: u64,
}

impl<'p> TileKinds<'p> {
    /// Adds the next member.
    ///
    /// # Errors
    /// A dynamic extent is not declared, or a tensor is not one that passes can handle.
    pub(crate) fn add(
        &mut self,
        member: &Member<'p>,
        units: impl FnOnce(&Rc<Indexing<'p>>) -> Result<Rc<Units>, Diagnostic<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        // Members are mostly like the one before.
        if let Some(last) = self.of_member.last().copied()
            && Rc::ptr_eq(&self.kinds[last].indexing, &member.indexing)
            && self.kinds[last].dims == member.dims
        {
            self.of_member.push(last);
            return Ok(());
        }
        let key = (Shared::of(&member.indexing), Rc::clone(&member.dims));
        if let Some(known) = self.known.get(&key) {
            self.of_member.push(*known);
            return Ok(());
        }
        let axes = member.indexing.space.iter().enumerate();
        let axes = axes.map(|(dim, extent)| {
            let whole = u64::try_from(*extent).map_err(|_| undeclared(member.op.op(), dim))?;
            Ok(Axis {
                movement: Movement::new(),
                whole,
                dynamic: member.indexing.symbol(dim),
            })
        });
        let kind = self.kinds.push(TileKind {
            op: member.op,
            axes: axes.collect::<Result<_, Diagnostic<'p>>>()?,
            units: units(&member.indexing)?,
            indexing: Rc::clone(&member.indexing),
            dims: Rc::clone(&member.dims),
            asked: Rc::clone(&member.dims),
        });
        self.known.insert(key, kind);
        self.of_member.push(kind);
        Ok(())
    }

    /// Decides the tiles of each level.
    ///
    /// # Errors
    /// Operations would have different numbers of tiles, or there are too many levels.
    pub(crate) fn decide(
        &mut self,
        levels: &IdVec<LevelId, Level>,
        dynamic: &DynamicDims<'p>,
    ) -> Result<Trips, Diagnostic<'p>> {
        if levels.len() > MOST_LEVELS {
            let message = format!("{} loop levels, but at most {MOST_LEVELS}", levels.len());
            let first = self.kinds.first().expect("a group has members");
            return Err(error(first.op.op(), message));
        }
        let mut trips = Trips::default();
        // Copies of the body around a level, and whether anything runs in them.
        let mut around = vec![(Variant::default(), true)];
        for (level, asked) in levels.pairs() {
            if self.cut_level(level, asked, dynamic)? {
                for kind in self.kinds.iter_mut() {
                    kind.drop_level(level);
                }
                for (variant, _) in &around {
                    trips.set(level, *variant, Trip::ONCE);
                }
                continue;
            }
            let mut inside = Vec::with_capacity(around.len());
            for (variant, runs) in around {
                let trip = self.trip(level, asked, variant, runs, &trips)?;
                trips.set(level, variant, trip);
                // A level may have no whole tiles, so that nothing runs in this copy. It stays, because loops without the level
                // are looked up there.
                inside.push((variant, runs && trip.whole > 0));
                if trip.rest {
                    inside.push((variant.rest(level), runs));
                }
            }
            around = inside;
        }
        self.check_dynamic(dynamic)?;
        let run = around.into_iter().filter(|(_, runs)| *runs);
        self.variants = run.map(|(variant, _)| variant).collect();
        Ok(trips)
    }

    /// Cuts the dimensions of a level. Returns whether one tile is the whole extent of one of them.
    fn cut_level(
        &mut self,
        level: LevelId,
        asked: &Level,
        dynamic: &DynamicDims<'p>,
    ) -> Result<bool, Diagnostic<'p>> {
        let dims = |kind: &TileKind<'p>| Some(kind.cut_dim(kind.dims.cut(level)?));
        let cut: Vec<CutDim> = self.kinds.iter().filter_map(dims).collect();
        let grain = TileGrain::of(&cut);
        let mut is_whole = false;
        for kind in self.kinds.ids() {
            if let Some(dim) = self.kinds[kind].dims.cut(level) {
                is_whole |= self.cut(kind, dim, level, asked, grain, dynamic)?;
            }
        }
        Ok(is_whole)
    }

    /// Cuts the dimension of a kind at a level. Returns whether one tile is the whole extent.
    fn cut(
        &mut self,
        id: KindId,
        dim: IterDim,
        level: LevelId,
        asked: &Level,
        grain: TileGrain,
        dynamic: &DynamicDims<'p>,
    ) -> Result<bool, Diagnostic<'p>> {
        let kind = &mut self.kinds[id];
        let CutDim { extent, .. } = kind.cut_dim(dim);
        let axis = &mut kind.axes[dim];
        let symbol = axis.dynamic.filter(|_| axis.movement.is_empty());
        if symbol != asked.dynamic {
            let message = match symbol.map(|symbol| dynamic.symbol(symbol)) {
                Some(Symbol { name, extent, .. }) => format!(
                    "dimension {dim} is \"{name}\", which is chosen at run time, so tiles of it are asked for by their extent, \
                     with a hint such as \"{name}\" by {}",
                    extent.granularity()
                ),
                None => format!(
                    "dimension {dim} has extent {extent} here, but {} of another operation of the group is chosen at run time",
                    asked.label
                ),
            };
            return Err(error(kind.op.op(), message));
        }
        let tiles = grain.unit_of(extent);
        let tiles = tiles.zip(grain.tile(extent, asked.count, asked.size));
        let Some((unit, (tile, parts))) = tiles else {
            let message = format!(
                "{} of extent {extent} has no {} tiles",
                asked.label, asked.count
            );
            return Err(error(kind.op.op(), message));
        };
        if parts.count() != asked.count && !self.other_counts.iter().any(|by| by.level == level) {
            self.other_counts.push(OtherCount {
                level,
                kind: id,
                extent,
                tile,
                unit,
                count: parts.count(),
            });
        }
        if let Some(symbol) = symbol {
            if !extent.is_multiple_of(tile) {
                let message = format!(
                    "{} is chosen at run time as one of at most {extent}, which is no multiple of a tile of {tile}{}",
                    asked.label,
                    in_sticks(unit)
                );
                return Err(error(kind.op.op(), message));
            }
            self.dynamic_tiles.push((symbol, tile));
        } else if tile == extent {
            return Ok(true);
        }
        axis.movement.push((level, tile));
        Ok(false)
    }

    /// Checks that every dynamic dimension is cut, because operations in the loops have fixed extents.
    fn check_dynamic(&self, dynamic: &DynamicDims<'p>) -> Result<(), Diagnostic<'p>> {
        for kind in self.kinds.iter() {
            let op = kind.op.op();
            if let Some(why) = kind.op.device().and_then(dynamic_table) {
                return Err(error(op, why));
            }
            let symbols = kind.axes.pairs();
            let mut left =
                symbols.filter_map(|(dim, axis)| Some((dim, axis.dynamic_inside(INNERMOST)?)));
            if let Some((dim, symbol)) = left.next() {
                let Symbol { name, extent, .. } = dynamic.symbol(symbol);
                let message = format!(
                    "dimension {dim} is \"{name}\", which is chosen at run time, but no loop cuts it into tiles of a fixed \
                     extent; a hint such as \"{name}\" by {} does",
                    extent.granularity()
                );
                return Err(error(op, message));
            }
        }
        Ok(())
    }

    /// Returns the trip of a level in one copy of the body around it. The trip must be the same for all operations, if anything
    /// runs in the copy.
    fn trip(
        &self,
        level: LevelId,
        asked: &Level,
        variant: Variant,
        runs: bool,
        trips: &Trips,
    ) -> Result<Trip, Diagnostic<'p>> {
        let mut kinds = Vec::new();
        let mut cut = Vec::new();
        let mut steps = Vec::new();
        for kind in self.kinds.iter() {
            let Some(dim) = kind.dims.cut(level) else {
                continue;
            };
            kinds.push(kind);
            cut.push(CutDim {
                extent: kind.axis(dim).extent(trips, variant, level.index()),
                unit: kind.units[dim],
            });
            steps.push(kind.step(level).expect("a level that cuts has a step"));
        }
        let found = trips_of(&cut, &steps);
        let Some(first) = found.first() else {
            return Ok(Trip::ONCE);
        };
        match found.iter().position(|trip| trip != first) {
            Some(other) if runs => {
                let message = format!(
                    "{} of extent {} is {} tiles here, but of extent {} {} tiles at another operation of the group, or with \
                     another last tile",
                    asked.label,
                    cut[other].extent,
                    cut[other].extent.div_ceil(steps[other]),
                    cut[0].extent,
                    first.count()
                );
                Err(error(kinds[other].op.op(), message)
                    .note(kinds[0].op.op().location(), "the other operation"))
            }
            _ => Ok(*first),
        }
    }

    /// Returns whether all tensors of the operations that a level was to cut have layouts.
    fn have_layouts(&self, level: LevelId) -> bool {
        let has_layout = |ty: &Type<'p>| {
            let ty = RankedTensorType::try_from(*ty);
            ty.is_ok_and(|ty| ty.encoding().is_some())
        };
        let mut cut = self
            .kinds
            .iter()
            .filter(|kind| kind.asked.cut(level).is_some());
        cut.all(|kind| kind.indexing.types.iter().all(has_layout))
    }

    /// Returns remarks on the levels that make another number of tiles than they were asked for.
    pub(crate) fn remarks(&self, levels: &IdVec<LevelId, Level>) -> Vec<Diagnostic<'p>> {
        let remark = |by: &OtherCount| {
            let OtherCount {
                extent,
                tile,
                unit,
                count,
                ..
            } = *by;
            let level = &levels[by.level];
            let label = &level.label;
            let asked = match level.size {
                Some(size) => format!("tiles of {size}"),
                None => format!("{} tiles", level.count),
            };
            let message = if unit > 1 && !self.have_layouts(by.level) {
                format!(
                    "coarse-tile: {label} of extent {extent} is cut into tiles of {tile}, which make {count}, and not into \
                     {asked}: without layouts, the stick is taken to be the last dimension of each tensor, and has {unit}; \
                     behind the passes that choose layouts there may be others"
                )
            } else {
                format!(
                    "coarse-tile: {label} of extent {extent} cannot be cut into {asked}{}; tiles of {tile} make {count}",
                    in_sticks(unit)
                )
            };
            Diagnostic::remark(self.kinds[by.kind].op.op().location(), message)
        };
        self.other_counts.iter().map(remark).collect()
    }
}

/// Returns the error that a dynamic extent is not declared.
pub(crate) fn undeclared<'p>(op: Op<'p>, dim: usize) -> Diagnostic<'p> {
    let message = format!(
        "dimension {dim} has a dynamic extent, but 'spyre.dims' of the arguments gives it no name that '{DIM_SIZES}' of the \
         function declares #spyre.dynamic"
    );
    error(op, message)
}

/// Returns the words for messages that say that tiles are whole sticks of `unit` elements; empty for a unit of one element.
fn in_sticks(unit: u64) -> String {
    match unit {
        1 => String::new(),
        unit => format!(" in whole sticks of {unit}"),
    }
}
