//! The plan of a group: the tile of every operation, checked.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_plan::{LevelStep, tile_nest};

use super::error;
use super::groups::{Group, Level, LevelDims, Member};
use super::region::{RegionId, Regions, extents, region, shape_text};
use crate::indexing::Indexing;
use crate::tensor::{TensorType, TensorTypes};
use crate::walk::tensors;
use crate::work_division;

/// How an iteration space is cut.
#[derive(Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Iteration dimension that each level cuts.
    dims: Rc<[Option<usize>]>,
    /// Extents of one tile.
    pub tile: Vec<u64>,
    /// What each level of the group moves by; `None` where the operation lacks the dimension.
    levels: Vec<Option<LevelStep>>,
}

impl Tiling {
    /// The levels that move a window along an iteration dimension: level and step, outermost first.
    pub fn steps(&self, dim: usize) -> impl Iterator<Item = (usize, Elements)> + '_ {
        self.levels
            .iter()
            .enumerate()
            .filter_map(move |(level, step)| {
                step.filter(|step| step.dim == dim)
                    .map(|step| (level, step.step))
            })
    }

    /// Whether every iteration does the same.
    fn is_fixed(&self) -> bool {
        self.levels.iter().all(Option::is_none)
    }
}

/// The windows of an operation's tensors, operands first, then the result.
#[derive(Debug)]
pub struct Windows<'p> {
    /// What is visited of each tensor.
    pub regions: Vec<RegionId>,
    /// The type of each tensor's tile.
    pub tiles: Vec<Type<'p>>,
}

/// One operation with its tile.
#[derive(Debug)]
pub struct PlannedMember<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// How it indexes its tensors; operations that are alike share it.
    indexing: Rc<Indexing<'p>>,
    /// Its tile; operations of the same extents share it.
    tiling: Rc<Tiling>,
    /// The windows of its tensors; operations that are alike share them.
    pub windows: Rc<Windows<'p>>,
}

impl PlannedMember<'_> {
    /// What each level of the group moves the operation by; `None` where it lacks the dimension.
    pub fn levels(&self) -> &[Option<LevelStep>] {
        &self.tiling.levels
    }
}

/// A group that can be rewritten without a further check.
#[derive(Debug)]
pub struct GroupPlan<'p> {
    /// Outermost first.
    pub levels: Vec<Level>,
    /// The operations that go into the loops, in order.
    pub members: Vec<PlannedMember<'p>>,
    /// The members by operation.
    pub positions: FxHashMap<usize, usize>,
    /// The operations that lack every dimension of the group: they stay in front of the loops.
    pub fixed: Vec<DeviceOp<'p>>,
    /// What is between the members and has to go behind the loops, in order.
    pub behind: Vec<Op<'p>>,
    /// Why it is a group, for people.
    pub origin: String,
}

impl<'p> GroupPlan<'p> {
    /// The member that makes a value, if one does.
    pub fn maker(&self, value: Val<'p>) -> Option<&PlannedMember<'p>> {
        self.members
            .get(*self.positions.get(&ir::op_key(ir::defining_op(value)?))?)
    }
}

/// Plans the groups of a function. Operations of one shape that are cut alike are checked once.
pub struct Planner<'t, 'p> {
    types: &'t TensorTypes<'p>,
    /// The windows of all groups.
    pub regions: Regions,
    tilings: FxHashMap<(Vec<i64>, LevelDims, Vec<u64>), Rc<Tiling>>,
    /// By the addresses of what is beside the windows, which keeps them alive.
    windows: FxHashMap<(*const Indexing<'p>, *const Tiling), (Alike<'p>, Rc<Windows<'p>>)>,
}

/// What operations have in common whose windows are the same.
type Alike<'p> = (Rc<Indexing<'p>>, Rc<Tiling>);

impl<'t, 'p> Planner<'t, 'p> {
    /// A planner that has planned nothing.
    pub fn new(types: &'t TensorTypes<'p>) -> Self {
        Self {
            types,
            regions: Regions::default(),
            tilings: FxHashMap::default(),
            windows: FxHashMap::default(),
        }
    }

    /// Plans a group.
    ///
    /// # Errors
    /// An operation cannot be cut as the group asks, or reads a value of the group in other tiles than those
    /// in which it is computed.
    pub fn plan(&mut self, group: Group<'p>) -> Result<GroupPlan<'p>, Diagnostic<'p>> {
        let mut plan = GroupPlan {
            levels: group.levels,
            members: Vec::with_capacity(group.members.len()),
            positions: FxHashMap::default(),
            fixed: Vec::new(),
            behind: Vec::new(),
            origin: group.origin,
        };
        if plan.levels.is_empty() {
            plan.fixed = group.members.into_iter().map(|member| member.op).collect();
            return Ok(plan);
        }
        for member in group.members {
            let op = member.op;
            let tiling = self.tiling(&plan.levels, &member, plan.members.last())?;
            if op.place().is_some() {
                return Err(error(
                    op.op(),
                    "operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning",
                ));
            }
            check_split(self.types, op, &tiling)?;
            let windows = self.windows(&member, &tiling)?;
            plan.positions
                .insert(ir::op_key(op.op()), plan.members.len());
            plan.members.push(PlannedMember {
                op,
                indexing: member.indexing,
                tiling,
                windows,
            });
        }
        check_inside(&plan, &self.regions)?;
        // The loops are where the last operation is that goes into them.
        let last = plan
            .members
            .iter()
            .rposition(|member| !member.tiling.is_fixed());
        let between = group
            .behind
            .into_iter()
            .filter(|(_, before)| last.is_some_and(|last| *before <= last));
        plan.behind = between.map(|(op, _)| op).collect();
        if plan.members.iter().any(|member| member.tiling.is_fixed()) {
            let (fixed, members): (Vec<_>, Vec<_>) = plan
                .members
                .into_iter()
                .partition(|member| member.tiling.is_fixed());
            plan.fixed = fixed.into_iter().map(|member| member.op).collect();
            plan.positions = members
                .iter()
                .enumerate()
                .map(|(index, member)| (ir::op_key(member.op.op()), index))
                .collect();
            plan.members = members;
        }
        Ok(plan)
    }

    fn tiling(
        &mut self,
        levels: &[Level],
        member: &Member<'p>,
        previous: Option<&PlannedMember<'p>>,
    ) -> Result<Rc<Tiling>, Diagnostic<'p>> {
        if let Some(previous) = previous
            && previous.indexing.space == member.indexing.space
            && previous.tiling.dims == member.dims
            && previous.indexing.reduction_dims == member.indexing.reduction_dims
        {
            return Ok(Rc::clone(&previous.tiling));
        }
        // What reduces is cut differently from what does not, and is rare.
        if member.indexing.reduction_dims > 0 {
            return tiling(levels, member).map(Rc::new);
        }
        let counts = levels.iter().map(|level| level.count).collect();
        let key = (
            member.indexing.space.clone(),
            Rc::clone(&member.dims),
            counts,
        );
        if let Some(known) = self.tilings.get(&key) {
            return Ok(Rc::clone(known));
        }
        let tiling = Rc::new(tiling(levels, member)?);
        self.tilings.insert(key, Rc::clone(&tiling));
        Ok(tiling)
    }

    /// The windows of an operation's tensors, checked.
    fn windows(
        &mut self,
        member: &Member<'p>,
        tiling: &Rc<Tiling>,
    ) -> Result<Rc<Windows<'p>>, Diagnostic<'p>> {
        let key = (Rc::as_ptr(&member.indexing), Rc::as_ptr(tiling));
        if let Some((_, known)) = self.windows.get(&key) {
            return Ok(Rc::clone(known));
        }
        let op = member.op;
        let mut windows = Windows {
            regions: Vec::new(),
            tiles: Vec::new(),
        };
        for (index, (value, dims)) in tensors(op)
            .into_iter()
            .zip(&member.indexing.tensors)
            .enumerate()
        {
            let ty = self
                .types
                .get(value.r#type())
                .map_err(|why| error(op.op(), why))?;
            check_windows(op, index, value, &ty, dims, tiling)?;
            let region = region(dims, tiling, ty.shape());
            windows.tiles.push(
                self.types
                    .tile(&ty, &extents(&region))
                    .map_err(|why| error(op.op(), why))?,
            );
            windows.regions.push(self.regions.intern(region));
        }
        let windows = Rc::new(windows);
        let alike = (Rc::clone(&member.indexing), Rc::clone(tiling));
        self.windows.insert(key, (alike, Rc::clone(&windows)));
        Ok(windows)
    }
}

fn tiling<'p>(levels: &[Level], member: &Member<'p>) -> Result<Tiling, Diagnostic<'p>> {
    let op = member.op;
    let space = member
        .indexing
        .space
        .iter()
        .enumerate()
        .map(|(dim, extent)| {
            u64::try_from(*extent)
                .map_err(|_| error(op.op(), format!("dimension {dim} has a dynamic extent")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let parallel = space.len().saturating_sub(member.indexing.reduction_dims);
    let mut cuts = Vec::new();
    let mut tile = space.clone();
    for (level, dim) in levels.iter().zip(member.dims.iter()) {
        let Some(dim) = *dim else { continue };
        if dim >= parallel {
            return Err(error(
                op.op(),
                format!(
                    "{} is reduced by this operation; tiling it needs an accumulator, which is not supported",
                    level.label
                ),
            ));
        }
        let (Some(whole), Some(extent)) = (space.get(dim), tile.get_mut(dim)) else {
            continue;
        };
        // Checked here and not by `tile_nest`, for the sake of the label.
        *extent = spyre_plan::divide(*extent, level.count).map_err(|_| {
            let part = if extent == whole {
                String::new()
            } else {
                format!(" (a tile of {whole})")
            };
            let message = format!(
                "{} of extent {extent}{part} does not divide into {} tiles of equal extent",
                level.label, level.count
            );
            error(op.op(), message)
        })?;
        cuts.push(spyre_plan::Level {
            dim,
            count: level.count,
        });
    }
    let nest = tile_nest(&space, &cuts).map_err(|why| error(op.op(), why))?;
    let mut steps = nest.levels.into_iter();
    let levels = member
        .dims
        .iter()
        .map(|dim| dim.and_then(|_| steps.next()))
        .collect();
    Ok(Tiling {
        dims: Rc::clone(&member.dims),
        tile: nest.tile,
        levels,
    })
}

/// A split that is already there must fit the tile.
fn check_split<'p>(
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
    tiling: &Tiling,
) -> Result<(), Diagnostic<'p>> {
    let Some(split) = op.split() else {
        return Ok(());
    };
    if tiling.is_fixed() {
        return Ok(());
    }
    let units = work_division::units(types, op).map_err(|why| error(op.op(), why))?;
    for (dim, ((cores, unit), tile)) in split.iter().zip(units).zip(&tiling.tile).enumerate() {
        if !tile.div_ceil(unit).is_multiple_of(u64::from(*cores)) {
            let unit = if unit == 1 {
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

/// The windows of a tensor are whole sticks and a constant distance apart.
fn check_windows<'p>(
    op: DeviceOp<'p>,
    index: usize,
    value: Val<'p>,
    ty: &TensorType<'p>,
    dims: &[Option<usize>],
    tiling: &Tiling,
) -> Result<(), Diagnostic<'p>> {
    for (host, dim) in dims.iter().enumerate() {
        let Some(dim) = *dim else { continue };
        for step in tiling
            .levels
            .iter()
            .flatten()
            .filter(|step| step.dim == dim)
        {
            if let Err(why) = ty.device.level_step(host, step.step, step.span) {
                let is_operand = index < op.op().operand_count();
                let name = if is_operand {
                    format!("operand #{index}")
                } else {
                    "result".to_owned()
                };
                let message = format!(
                    "{name} cannot be cut into {} tiles along its dimension {host}: {why}",
                    step.count
                );
                let diagnostic = error(op.op(), message);
                return Err(if is_operand {
                    diagnostic.note(
                        value.location(),
                        format!("the value of type {} comes from here", ty.ty),
                    )
                } else {
                    diagnostic
                });
            }
        }
    }
    Ok(())
}

/// Values that the group computes are read in the tiles in which they are computed.
fn check_inside<'p>(plan: &GroupPlan<'p>, regions: &Regions) -> Result<(), Diagnostic<'p>> {
    for member in &plan.members {
        let op = member.op;
        for (operand, (value, read)) in op.op().operands().zip(&member.windows.regions).enumerate()
        {
            let Some(maker) = plan.maker(value) else {
                continue;
            };
            let Some(computed) = maker
                .windows
                .regions
                .last()
                .filter(|computed| *computed != read)
            else {
                continue;
            };
            let (computed, read) = (
                shape_text(regions.get(*computed)),
                shape_text(regions.get(*read)),
            );
            let message = if computed == read {
                format!(
                    "operand #{operand} is computed in this group in tiles of {computed} that other loops move, than \
                     those by which it is read here"
                )
            } else {
                format!(
                    "operand #{operand} is computed in this group in tiles of {computed}, but read here in tiles of {read}"
                )
            };
            return Err(error(op.op(), message).note(maker.op.op().location(), "computed here"));
        }
    }
    Ok(())
}
