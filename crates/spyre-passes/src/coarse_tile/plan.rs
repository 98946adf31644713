//! The plan of a group, with all checks: the loops, the tile of every operation, and the loop that each operation is in.

pub mod flow;
pub mod narrow;
pub mod nest;
pub mod once;
pub mod reduce;
pub mod region;
pub mod tile_kinds;
pub mod trips;
pub mod windows;

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::find::groups::{Group, Level, LevelDims};
use crate::coarse_tile::find::hints::Levels;
use crate::coarse_tile::plan::nest::Nest;
use crate::coarse_tile::plan::reduce::Reduction;
use crate::coarse_tile::plan::region::{Axis, RegionId, Regions, extents};
use crate::coarse_tile::plan::tile_kinds::{Cuts, Kind};
use crate::coarse_tile::plan::trips::{Trips, Variant};
use crate::coarse_tile::plan::windows::check_windows;
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::tensor::TensorTypes;
use crate::work_division;

/// The windows of an operation's tensors, operands first, then the result.
#[derive(Debug)]
pub struct Windows<'p> {
    /// The types of the whole tensors.
    pub types: Vec<Type<'p>>,
    /// The region of each tensor that an iteration visits.
    pub regions: Vec<RegionId>,
    /// The type of each tensor's whole tile.
    pub tiles: Vec<Type<'p>>,
}

/// One operation with its tile.
#[derive(Debug)]
pub struct PlannedMember<'p> {
    /// The operation.
    pub op: GroupOp<'p>,
    /// The iteration dimension that each level cuts; `None` where the operation does not depend on the level.
    pub dims: LevelDims,
    /// The levels whose loops it must not be in.
    pub apart: Levels,
    /// The windows of its tensors; operations that are alike share them.
    pub windows: Rc<Windows<'p>>,
    /// The way in which its parts are combined; `None` if no level cuts a dimension that it reduces.
    pub reduction: Option<Reduction>,
}

impl<'p> PlannedMember<'p> {
    /// Returns the number of its operands that are tensors.
    pub fn operands(&self) -> usize {
        self.windows.regions.len() - 1
    }

    /// Returns the device operation of a member that reduces; a view never does.
    pub fn device(&self) -> DeviceOp<'p> {
        let device = self.op.device();
        device.expect("only device operations reduce")
    }
}

/// A group that can be rewritten without a further check.
#[derive(Debug)]
pub struct GroupPlan<'p> {
    /// The levels, outermost first.
    pub levels: Vec<Level>,
    /// The operations, in order.
    pub members: Vec<PlannedMember<'p>>,
    /// The index of each member, by operation key.
    pub positions: FxHashMap<usize, usize>,
    /// The trips of each level: the number of its whole tiles, and whether a shorter one follows.
    pub trips: Trips,
    /// The extent of each level's tiles, in elements; 1 for a level that makes no loop.
    pub steps: Vec<u64>,
    /// The loops and their items.
    pub nest: Nest,
    /// The remarks for the user.
    pub remarks: Vec<Diagnostic<'p>>,
    makers: Makers,
}

impl GroupPlan<'_> {
    /// Returns the member that computes an operand of a member; `None` if no member does.
    pub fn maker(&self, member: usize, operand: usize) -> Option<usize> {
        self.makers.get(member, operand)
    }
}

/// The members that compute operands of members.
#[derive(Debug, Default)]
struct Makers {
    makers: Vec<Option<usize>>,
    /// For each member, the index of its first operand in `makers`.
    first: Vec<usize>,
}

impl Makers {
    /// Adds the next member, whose operands members before it may compute.
    fn add(&mut self, op: Op<'_>, positions: &FxHashMap<usize, usize>) {
        self.first.push(self.makers.len());
        self.makers.extend(op.operands().map(|value| {
            let made = ir::defining_op(value)?;
            positions.get(&ir::op_key(made)).copied()
        }));
    }

    fn get(&self, member: usize, operand: usize) -> Option<usize> {
        let at = self.first.get(member)?.checked_add(operand)?;
        self.makers.get(at).copied().flatten()
    }
}

/// The key of operations that index their tensors alike and are cut alike: their windows are the same.
type Alike = (*const Indexing<'static>, LevelDims, Vec<Option<u64>>);

/// The planning of the groups of a function. Operations of one shape that are cut alike are checked once.
pub struct Planner<'t, 'p> {
    types: &'t TensorTypes<'p>,
    dynamic: &'t DynamicDims<'p>,
    /// The tiles of dynamic dimensions, each with its extent in elements.
    pub dynamic_tiles: Vec<(SymbolId, u64)>,
    /// The windows of all groups.
    pub regions: Regions,
    units: FxHashMap<*const Indexing<'p>, Rc<[u64]>>,
    windows: FxHashMap<Alike, Rc<Windows<'p>>>,
    /// The indexings that the keys above point to, kept alive.
    indexings: Vec<Rc<Indexing<'p>>>,
}

impl<'t, 'p> Planner<'t, 'p> {
    /// Returns a planner that has planned nothing.
    pub fn new(types: &'t TensorTypes<'p>, dynamic: &'t DynamicDims<'p>) -> Self {
        Self {
            types,
            dynamic,
            dynamic_tiles: Vec::new(),
            regions: Regions::default(),
            units: FxHashMap::default(),
            windows: FxHashMap::default(),
            indexings: Vec::new(),
        }
    }

    /// Plans a group that has levels.
    ///
    /// # Errors
    /// An operation cannot be cut as the group asks, or its parts cannot be combined.
    pub fn plan(&mut self, group: &Group<'p>) -> Result<GroupPlan<'p>, Diagnostic<'p>> {
        let mut cuts = Cuts::default();
        for member in &group.members {
            let op = member.op.op();
            if member.op.place().is_some() {
                return Err(error(
                    op,
                    "operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning",
                ));
            }
            cuts.add(member, |indexing| self.units(op, indexing))?;
        }
        let trips = cuts.decide(&group.levels, self.dynamic)?;
        self.dynamic_tiles.append(&mut cuts.dynamic_tiles);
        let mut windows = Vec::with_capacity(cuts.kinds.len());
        for kind in &cuts.kinds {
            windows.push(self.windows(kind, &trips, &cuts.variants)?);
        }
        let mut plan = GroupPlan {
            levels: group.levels.clone(),
            members: Vec::with_capacity(group.members.len()),
            positions: FxHashMap::default(),
            remarks: cuts.remarks(&group.levels),
            trips,
            steps: (0..group.levels.len())
                .map(|level| cuts.kinds.iter().find_map(|kind| kind.step(level)))
                .map(|step| step.unwrap_or(1))
                .collect(),
            nest: Nest::default(),
            makers: Makers::default(),
        };
        for (member, kind) in group.members.iter().zip(&cuts.of_member) {
            let (kind, windows) = (&cuts.kinds[*kind], &windows[*kind]);
            if let Some(op) = member.op.device() {
                check_split(op, kind, &plan.trips, &cuts.variants)?;
            }
            let reduction = if member.indexing.reduction_dims > 0 {
                let result = member.indexing.types.last().copied();
                let result = result.ok_or_else(|| internal(member.op.op(), &"no result"))?;
                let result = self
                    .types
                    .get(result)
                    .map_err(|why| error(member.op.op(), why))?;
                let reduction = Reduction::of(&group.levels, member, &kind.dims, &result)?;
                if let Some(reduction) = &reduction {
                    check_accumulator(member.op.op(), reduction, kind, self.dynamic)?;
                }
                reduction
            } else {
                None
            };
            plan.makers.add(member.op.op(), &plan.positions);
            plan.positions
                .insert(ir::op_key(member.op.op()), plan.members.len());
            plan.members.push(PlannedMember {
                op: member.op,
                dims: Rc::clone(&kind.dims),
                apart: member.apart,
                windows: Rc::clone(windows),
                reduction,
            });
        }
        plan.nest = Nest::new(&plan.members, &self.regions, |member, operand| {
            plan.makers.get(member, operand)
        });
        explain_splits(&mut plan);
        Ok(plan)
    }

    /// Returns the smallest parts of an operation's iteration dimensions that may be cut off, in elements.
    fn units(
        &mut self,
        op: Op<'p>,
        indexing: &Rc<Indexing<'p>>,
    ) -> Result<Rc<[u64]>, Diagnostic<'p>> {
        if let Some(known) = self.units.get(&Rc::as_ptr(indexing)) {
            return Ok(Rc::clone(known));
        }
        let units = work_division::units_of(self.types, indexing).map_err(|why| error(op, why))?;
        let units: Rc<[u64]> = units.into();
        self.indexings.push(Rc::clone(indexing));
        self.units.insert(Rc::as_ptr(indexing), Rc::clone(&units));
        Ok(units)
    }

    /// Returns the windows of an operation's tensors, and checks them.
    fn windows(
        &mut self,
        kind: &Kind<'p>,
        trips: &Trips,
        variants: &[Variant],
    ) -> Result<Rc<Windows<'p>>, Diagnostic<'p>> {
        let steps = (0..kind.dims.len()).map(|level| kind.step(level)).collect();
        let key = (
            Rc::as_ptr(&kind.indexing).cast(),
            Rc::clone(&kind.dims),
            steps,
        );
        // Shorter tiles have types of their own, which are made below.
        if variants.len() == 1
            && let Some(known) = self.windows.get(&key)
        {
            return Ok(Rc::clone(known));
        }
        let op = kind.op;
        let fail = |why: String| error(op.op(), why);
        let mut windows = Windows {
            types: kind.indexing.types.clone(),
            regions: Vec::new(),
            tiles: Vec::new(),
        };
        for (index, (value, dims)) in op
            .tensors()
            .into_iter()
            .zip(&kind.indexing.tensors)
            .enumerate()
        {
            // A dynamic extent has its maximum here.
            let ty = kind.indexing.types[index];
            let ty = self.types.get(ty).map_err(fail)?;
            let axes = dims.iter().zip(ty.shape()).enumerate();
            let axes = axes.map(|(host, (dim, extent))| kind.axis_of(index, host, *dim, *extent));
            let region: Vec<Axis> = axes.collect();
            check_windows(op, index, value, &ty, &region)?;
            for variant in variants {
                let extents = extents(&region, trips, *variant, usize::MAX);
                let tile = self.types.tile(&ty, &extents).map_err(fail)?;
                if *variant == Variant::default() {
                    windows.tiles.push(tile);
                }
            }
            windows.regions.push(self.regions.intern(region));
        }
        let windows = Rc::new(windows);
        self.indexings.push(Rc::clone(&kind.indexing));
        self.windows.insert(key, Rc::clone(&windows));
        Ok(windows)
    }
}

/// Checks that an accumulator has fixed extents: levels around the reduction must cut the dynamic dimensions of the result.
fn check_accumulator<'p>(
    op: Op<'p>,
    reduction: &Reduction,
    kind: &Kind<'p>,
    dynamic: &DynamicDims<'p>,
) -> Result<(), Diagnostic<'p>> {
    for dim in kind.indexing.result().iter().flatten() {
        let Some(symbol) = kind.axis(*dim).dynamic_inside(reduction.outer) else {
            continue;
        };
        let name = &dynamic.symbol(symbol).name;
        let message = format!(
            "the parts of this reduction are put together in a tensor with dimension \"{name}\", which is chosen at run \
             time; a scope for \"{name}\" outside of that for the reduced dimension makes tiles of it"
        );
        return Err(error(op, message));
    }
    Ok(())
}

/// Checks that the `split` of an operation, if it has one, fits all tiles.
fn check_split<'p>(
    op: DeviceOp<'p>,
    kind: &Kind<'p>,
    trips: &Trips,
    variants: &[Variant],
) -> Result<(), Diagnostic<'p>> {
    if op.divisions_attribute().is_some() {
        let message = "'divide' names dimensions, which --spyre-assign-dim-hints has to find first";
        return Err(error(op.op(), message));
    }
    let Some(split) = op.split() else {
        return Ok(());
    };
    if kind.is_fixed() {
        return Ok(());
    }
    for variant in variants {
        for (dim, (cores, unit)) in split.iter().zip(kind.units.iter()).enumerate() {
            let tile = kind.axis(dim).extent(trips, *variant, usize::MAX);
            if tile.div_ceil(*unit).is_multiple_of(u64::from(*cores)) {
                continue;
            }
            let unit = if *unit == 1 {
                String::new()
            } else {
                format!(" in sticks of {unit}")
            };
            let message = format!(
                "split of dimension {dim} over {cores} cores does not divide the tile's extent {tile}{unit}; without a \
                 split, --spyre-work-division finds one behind --coarse-tile"
            );
            return Err(error(op.op(), message));
        }
    }
    Ok(())
}

/// Adds remarks on the places where a group continues in another loop over the same tiles.
fn explain_splits(plan: &mut GroupPlan<'_>) {
    for split in plan.nest.splits() {
        let (reader, maker) = (&plan.members[split.reader], &plan.members[split.maker]);
        let level = &plan.levels[split.level];
        let message = format!(
            "coarse-tile: operand #{} is complete only after the loop over {}, so a second loop over it follows",
            split.operand, level.label
        );
        plan.remarks.push(
            Diagnostic::remark(reader.op.op().location(), message)
                .note(maker.op.op().location(), "computed here"),
        );
    }
}

/// Returns the error that a property does not hold that the verifier of the dialect guarantees.
pub fn internal<'p>(op: Op<'p>, why: &dyn std::fmt::Display) -> Diagnostic<'p> {
    error(op, format!("malformed operation: {why}"))
}
