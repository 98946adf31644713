//! Decides the extents of tiles: how far the levels of a group move along the dimensions of its operations.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use rustc_hash::FxHashMap;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;
use spyre_plan::{Parts, lcm, tile_extent};

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::find::groups::{Level, LevelDims, Member};
use crate::coarse_tile::plan::region::{Axis, Movement};
use crate::coarse_tile::plan::trips::{MOST_LEVELS, Trip, Trips, Variant};
use crate::dynamic::{DynamicDims, Symbol, SymbolId, dynamic_table};
use crate::indexing::Indexing;
use crate::names::DIM_SIZES;

/// Operations of a group that are cut alike.
#[derive(Debug)]
pub struct Kind<'p> {
    /// The first of the operations.
    pub op: GroupOp<'p>,
    /// The indexing of their tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// The smallest part of each iteration dimension that may be cut off, in elements.
    pub units: Rc<[u64]>,
    /// The iteration dimension that each level cuts; `None` where there is none or a tile would be all of it.
    pub dims: LevelDims,
    /// Each iteration dimension, with the levels that cut it.
    axes: Vec<Axis>,
    /// Whether each level was asked to cut a dimension, by level.
    is_cut: Vec<bool>,
}

impl Kind<'_> {
    /// Returns an iteration dimension, with the levels that cut it.
    pub fn axis(&self, dim: usize) -> &Axis {
        &self.axes[dim]
    }

    /// Returns the movement of a window along dimension `host` of a tensor, which has extent `whole` and is indexed by iteration
    /// dimension `dim`. Without a dimension (`None`) the window does not move.
    pub fn axis_of(&self, tensor: usize, host: usize, dim: Option<usize>, whole: u64) -> Axis {
        let scale = self.indexing.scale(tensor, host);
        let movement = dim.map(|dim| self.axis(dim).movement.iter());
        let movement = movement.into_iter().flatten();
        Axis {
            movement: movement
                .map(|(level, step)| (*level, step.saturating_mul(scale)))
                .collect(),
            whole,
            dynamic: dim.and_then(|dim| self.indexing.symbol(dim)),
        }
    }

    /// Returns the number of elements by which a level moves along the dimension that it cuts; `None` if it cuts none.
    pub fn step(&self, level: usize) -> Option<u64> {
        let axis = self.axes.get(*self.dims.get(level)?.as_ref()?)?;
        let movement = axis.movement.iter();
        movement
            .filter(|(own, _)| *own == level)
            .map(|(_, step)| *step)
            .next()
    }

    /// Returns whether no level cuts a dimension, so that every iteration computes the same.
    pub fn is_fixed(&self) -> bool {
        self.dims.iter().all(Option::is_none)
    }

    /// Returns the extent of a dimension, in elements, inside the levels that cut it so far.
    fn extent(&self, dim: usize) -> u64 {
        let axis = &self.axes[dim];
        axis.movement.last().map_or(axis.whole, |(_, step)| *step)
    }
}

/// The kinds of a group's members.
#[derive(Debug, Default)]
pub struct Cuts<'p> {
    /// The kinds.
    pub kinds: Vec<Kind<'p>>,
    /// The index in `kinds` of each member.
    pub of_member: Vec<usize>,
    /// The copies of the innermost body that are needed.
    pub variants: Vec<Variant>,
    known: FxHashMap<(*const Indexing<'p>, LevelDims), usize>,
    /// Levels that make another number of tiles than they were asked for, with the kind and its extent.
    other_counts: Vec<OtherCount>,
    /// The tiles of dynamic dimensions, each with its extent in elements.
    pub dynamic_tiles: Vec<(SymbolId, u64)>,
}

#[derive(Debug)]
struct OtherCount {
    level: usize,
    kind: usize,
    extent: u64,
    tile: u64,
    unit: u64,
    count: u64,
}

/// The unit of the tiles of a level, chosen so that all operations have the same number of tiles. Where the dimension is merged
/// with others, an operation has a multiple of its extent.
#[derive(Debug, Clone, Copy)]
struct Grain {
    /// The least extent of the dimension among the operations, in elements. `None` if it does not divide the others.
    of: Option<u64>,
    /// The unit of tiles of the least extent, in elements: such tiles are multiples of it.
    unit: u64,
}

impl Grain {
    /// Returns how many times the least extent an extent is; 1 if the least extent does not divide all of them.
    fn scale(self, extent: u64) -> u64 {
        self.of.map_or(1, |least| extent / least)
    }
}

impl<'p> Cuts<'p> {
    /// Adds the next member.
    pub fn add(
        &mut self,
        member: &Member<'p>,
        units: impl FnOnce(&Rc<Indexing<'p>>) -> Result<Rc<[u64]>, Diagnostic<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        // Members are mostly like the one before.
        if let Some(last) = self.of_member.last().copied()
            && let Some(kind) = self.kinds.get(last)
            && Rc::ptr_eq(&kind.indexing, &member.indexing)
            && kind.dims == member.dims
        {
            self.of_member.push(last);
            return Ok(());
        }
        let key = (Rc::as_ptr(&member.indexing), Rc::clone(&member.dims));
        if let Some(known) = self.known.get(&key) {
            self.of_member.push(*known);
            return Ok(());
        }
        let op = member.op;
        let axes = member.indexing.space.iter().enumerate();
        let axes = axes.map(|(dim, extent)| {
            let whole = u64::try_from(*extent).map_err(|_| undeclared(op.op(), dim))?;
            Ok(Axis {
                movement: Movement::new(),
                whole,
                dynamic: member.indexing.symbol(dim),
            })
        });
        let kind = Kind {
            op,
            axes: axes.collect::<Result<_, Diagnostic<'p>>>()?,
            units: units(&member.indexing)?,
            indexing: Rc::clone(&member.indexing),
            dims: Rc::clone(&member.dims),
            is_cut: member.dims.iter().map(Option::is_some).collect(),
        };
        self.known.insert(key, self.kinds.len());
        self.of_member.push(self.kinds.len());
        self.kinds.push(kind);
        Ok(())
    }

    /// Decides the tiles of each level.
    ///
    /// # Errors
    /// Operations would have different numbers of tiles, or there are too many levels.
    pub fn decide(
        &mut self,
        levels: &[Level],
        dynamic: &DynamicDims<'p>,
    ) -> Result<Trips, Diagnostic<'p>> {
        let mut trips = Trips::default();
        if let Some(first) = self.kinds.first()
            && levels.len() > MOST_LEVELS
        {
            let message = format!("{} loop levels, but at most {MOST_LEVELS}", levels.len());
            return Err(error(first.op.op(), message));
        }
        // Copies of the body around a level, and whether anything runs in them.
        let mut around = vec![(Variant::default(), true)];
        for (level, asked) in levels.iter().enumerate() {
            let grain = self.grain(level);
            let mut dropped = false;
            for index in 0..self.kinds.len() {
                dropped |= self.cut(index, level, asked, grain, dynamic)?;
            }
            if dropped {
                for kind in &mut self.kinds {
                    kind.drop_level(level);
                }
                around
                    .iter()
                    .for_each(|(variant, _)| trips.set(level, *variant, ONCE));
                continue;
            }
            let mut inside = Vec::with_capacity(around.len());
            for (variant, runs) in &around {
                let trip = self.trip(level, *variant, *runs, &trips, levels)?;
                trips.set(level, *variant, trip);
                // A level may have no whole tiles, so that nothing runs in this copy. It stays, because loops without the level
                // are looked up there.
                inside.push((*variant, *runs && trip.whole > 0));
                if trip.rest {
                    inside.push((variant.rest(level), *runs));
                }
            }
            around = inside;
        }
        self.check_dynamic(dynamic)?;
        let run = around.into_iter().filter(|(_, runs)| *runs);
        self.variants = run.map(|(variant, _)| variant).collect();
        Ok(trips)
    }

    /// Returns the unit of the tiles of a level.
    fn grain(&self, level: usize) -> Grain {
        let cut = self.kinds.iter().filter_map(|kind| {
            let dim = kind.dims.get(level).copied().flatten()?;
            Some((kind.extent(dim), *kind.units.get(dim)?))
        });
        let least = cut.clone().map(|(extent, _)| extent).min();
        let grain = Grain {
            unit: 1,
            of: least.filter(|least| {
                *least > 0 && cut.clone().all(|(extent, _)| extent.is_multiple_of(*least))
            }),
        };
        let units = cut.map(|(extent, unit)| {
            let scale = grain.scale(extent);
            lcm(unit, scale) / scale
        });
        Grain {
            unit: units.fold(1, lcm),
            ..grain
        }
    }

    /// Cuts the dimension of a kind at a level. Returns whether one tile is the whole extent.
    fn cut(
        &mut self,
        index: usize,
        level: usize,
        asked: &Level,
        grain: Grain,
        dynamic: &DynamicDims<'p>,
    ) -> Result<bool, Diagnostic<'p>> {
        let Some(kind) = self.kinds.get_mut(index) else {
            return Ok(false);
        };
        let Some(dim) = kind.dims.get(level).copied().flatten() else {
            return Ok(false);
        };
        let extent = kind.extent(dim);
        let symbol = kind.axes[dim]
            .dynamic
            .filter(|_| kind.axes[dim].movement.is_empty());
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
        let scale = grain.scale(extent);
        let unit = grain.unit.saturating_mul(scale);
        let tile = match asked.size {
            Some(size) => size.saturating_mul(scale).checked_next_multiple_of(unit),
            None => tile_extent(extent, asked.count, unit),
        };
        let parts = tile
            .map(|tile| tile.min(extent))
            .and_then(|tile| Some((tile, Parts::of(extent, tile)?)));
        let Some((tile, parts)) = parts else {
            let message = format!(
                "{} of extent {extent} has no {} tiles",
                asked.label, asked.count
            );
            return Err(error(kind.op.op(), message));
        };
        if parts.count() != asked.count && !self.other_counts.iter().any(|by| by.level == level) {
            self.other_counts.push(OtherCount {
                level,
                kind: index,
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
        if let Some(axis) = kind.axes.get_mut(dim) {
            axis.movement.push((level, tile));
        }
        Ok(false)
    }

    /// Checks that every dynamic dimension is cut, because operations in the loops have fixed extents.
    fn check_dynamic(&self, dynamic: &DynamicDims<'p>) -> Result<(), Diagnostic<'p>> {
        for kind in &self.kinds {
            if let Some(why) = kind.op.device().and_then(dynamic_table) {
                return Err(error(kind.op.op(), why));
            }
            for (dim, axis) in kind.axes.iter().enumerate() {
                let Some(symbol) = axis.dynamic_inside(usize::MAX) else {
                    continue;
                };
                return Err(not_cut(kind.op.op(), dim, dynamic.symbol(symbol)));
            }
        }
        Ok(())
    }

    /// Returns the trip of a level in one copy of the body around it. The trip must be the same for all operations.
    fn trip(
        &self,
        level: usize,
        variant: Variant,
        runs: bool,
        trips: &Trips,
        levels: &[Level],
    ) -> Result<Trip, Diagnostic<'p>> {
        let mut agreed: Option<(Trip, &Kind<'p>, u64)> = None;
        let cut = self.kinds.iter().filter_map(|kind| {
            let dim = kind.dims.get(level).copied().flatten()?;
            let extent = kind.axis(dim).extent(trips, variant, level);
            let parts = Parts::of(extent, kind.step(level)?)?;
            // A rest of one element along a stick does not have a stick of its own in every layout, so the last whole tile takes
            // it in. This needs several whole tiles: with one, no whole tile would be left.
            let is_lonely = parts.rest == 1 && parts.whole > 1 && kind.units[dim] > 1;
            Some((kind, extent, parts, is_lonely))
        });
        let takes_in = cut.clone().any(|(.., is_lonely)| is_lonely);
        for (kind, extent, parts, _) in cut {
            let trip = Trip {
                whole: parts.whole - u64::from(takes_in && parts.whole > 0),
                rest: parts.rest > 0,
            };
            match agreed {
                None => agreed = Some((trip, kind, extent)),
                Some((other, first, at_first)) if other != trip && runs => {
                    let label = levels.get(level).map_or("a level", |level| &level.label);
                    let message = format!(
                        "{label} of extent {extent} is {} tiles here, but of extent {at_first} {} tiles at another \
                         operation of the group, or with another last tile",
                        parts.count(),
                        other.whole + u64::from(other.rest)
                    );
                    return Err(error(kind.op.op(), message)
                        .note(first.op.op().location(), "the other operation"));
                }
                Some(_) => {}
            }
        }
        Ok(agreed.map_or(ONCE, |(trip, ..)| trip))
    }

    /// Returns whether all tensors of the operations that a level was to cut have layouts.
    fn have_layouts(&self, level: usize) -> bool {
        let has_layout = |ty: &Type<'p>| {
            let ty = RankedTensorType::try_from(*ty);
            ty.is_ok_and(|ty| ty.encoding().is_some())
        };
        let mut cut = self.kinds.iter().filter(|kind| kind.is_cut[level]);
        cut.all(|kind| kind.indexing.types.iter().all(has_layout))
    }

    /// Returns remarks on the levels that make another number of tiles than they were asked for.
    pub fn remarks(&self, levels: &[Level]) -> Vec<Diagnostic<'p>> {
        let remark = |by: &OtherCount| {
            let (level, kind) = (levels.get(by.level)?, self.kinds.get(by.kind)?);
            let asked = match level.size {
                Some(size) => format!("tiles of {size}"),
                None => format!("{} tiles", level.count),
            };
            let is_undecided = by.unit > 1 && !self.have_layouts(by.level);
            let message = if is_undecided {
                format!(
                    "coarse-tile: {} of extent {} is cut into tiles of {}, which make {}, and not into {asked}: without layouts, the \
                     stick is taken to be the last dimension of each tensor, and has {}; behind the passes that choose layouts \
                     there may be others",
                    level.label, by.extent, by.tile, by.count, by.unit
                )
            } else {
                format!(
                    "coarse-tile: {} of extent {} cannot be cut into {asked}{}; tiles of {} make {}",
                    level.label,
                    by.extent,
                    in_sticks(by.unit),
                    by.tile,
                    by.count
                )
            };
            Some(Diagnostic::remark(kind.op.op().location(), message))
        };
        self.other_counts.iter().filter_map(remark).collect()
    }
}

/// Returns the error that a dynamic dimension of an operation is not cut into tiles.
pub fn not_cut<'p>(op: Op<'p>, dim: usize, symbol: &Symbol<'p>) -> Diagnostic<'p> {
    let (name, granularity) = (&symbol.name, symbol.extent.granularity());
    let message = format!(
        "dimension {dim} is \"{name}\", which is chosen at run time, but no loop cuts it into tiles of a fixed extent; a \
         hint such as \"{name}\" by {granularity} does"
    );
    error(op, message)
}

/// Returns the error that a dynamic extent is not declared.
pub fn undeclared<'p>(op: Op<'p>, dim: usize) -> Diagnostic<'p> {
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

/// The trip of a level that makes no loop: one whole tile.
const ONCE: Trip = Trip {
    whole: 1,
    rest: false,
};

impl Kind<'_> {
    /// Removes a level: it cuts no dimension any more.
    fn drop_level(&mut self, level: usize) {
        let mut dims = self.dims.to_vec();
        if let Some(dim) = dims.get_mut(level) {
            *dim = None;
        }
        self.dims = dims.into();
        for axis in &mut self.axes {
            axis.movement.retain(|(own, _)| *own != level);
        }
    }
}
