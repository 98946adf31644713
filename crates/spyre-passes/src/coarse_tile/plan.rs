//! The plan of a group: the tile of every operation, checked.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Val};
use spyre_plan::{LevelStep, tile_nest};

use super::error;
use super::groups::{Group, Level, Member};
use super::region::{extents, region, shape_text};
use crate::tensor::{TensorType, TensorTypes};
use crate::walk::tensors;
use crate::work_division;

/// How an iteration space is cut.
#[derive(Debug, PartialEq, Eq)]
pub struct Tiling {
    /// Iteration dimension that each level cuts.
    dims: Rc<[Option<usize>]>,
    /// Extents of the whole space.
    space: Vec<u64>,
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
            .filter_map(move |(level, step)| step.filter(|step| step.dim == dim).map(|step| (level, step.step)))
    }

    /// Whether every iteration does the same.
    fn is_fixed(&self) -> bool {
        self.levels.iter().all(Option::is_none)
    }
}

/// One operation with its tile.
#[derive(Debug)]
pub struct PlannedMember<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// Its tile; operations of the same extents share it.
    pub tiling: Rc<Tiling>,
}

/// A group that can be rewritten without a further check.
#[derive(Debug)]
pub struct GroupPlan<'p> {
    /// Outermost first.
    pub levels: Vec<Level>,
    /// The operations that go into the loops, in order.
    pub members: Vec<PlannedMember<'p>>,
    /// The operations that lack every dimension of the group: they stay in front of the loops.
    pub fixed: Vec<DeviceOp<'p>>,
}

/// Plans a group.
///
/// # Errors
/// An operation cannot be cut as the group asks, or reads a value of the group in other tiles than those
/// in which it is computed.
pub fn plan<'p>(types: &TensorTypes<'p>, group: Group<'p>) -> Result<GroupPlan<'p>, Diagnostic<'p>> {
    if group.levels.is_empty() {
        let fixed = group.members.into_iter().map(|member| member.op).collect();
        return Ok(GroupPlan { levels: Vec::new(), members: Vec::new(), fixed });
    }
    let mut planned: Vec<PlannedMember<'p>> = Vec::with_capacity(group.members.len());
    // Types and tilings that have passed, by address: most members are alike. The tilings stay alive in
    // `planned`.
    let mut checked: HashSet<(usize, *const Tiling, Vec<Option<usize>>)> = HashSet::new();
    for member in &group.members {
        let tiling = tiling(&group.levels, member, planned.last().map(|last| &last.tiling))?;
        if member.op.place().is_some() {
            return Err(error(member.op.op(), "operation already has a place; tiling comes before planning"));
        }
        check_split(types, member.op, &tiling)?;
        for (index, value) in tensors(member.op).into_iter().enumerate() {
            let dims = member.op.tensor_dims(index);
            let key = (value.r#type().to_raw().ptr as usize, Rc::as_ptr(&tiling), dims);
            if checked.contains(&key) {
                continue;
            }
            let ty = types.get(value.r#type()).map_err(|why| error(member.op.op(), why))?;
            check_windows(member.op, index, value, &ty, &key.2, &tiling)?;
            // The rewrite asks for the same tile again.
            types
                .tile(&ty, &extents(&region(&key.2, &tiling, ty.shape())))
                .map_err(|why| error(member.op.op(), why))?;
            checked.insert(key);
        }
        planned.push(PlannedMember { op: member.op, tiling });
    }
    check_inside(types, &planned)?;
    let (fixed, members): (Vec<_>, Vec<_>) = planned.into_iter().partition(|member| member.tiling.is_fixed());
    let fixed = fixed.into_iter().map(|member| member.op).collect();
    Ok(GroupPlan { levels: group.levels, members, fixed })
}

fn tiling<'p>(
    levels: &[Level],
    member: &Member<'p>,
    previous: Option<&Rc<Tiling>>,
) -> Result<Rc<Tiling>, Diagnostic<'p>> {
    let op = member.op;
    let space = op
        .iteration_space()
        .into_iter()
        .enumerate()
        .map(|(dim, extent)| {
            u64::try_from(extent).map_err(|_| error(op.op(), format!("dimension {dim} has a dynamic extent")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(previous) = previous
        && previous.space == space
        && previous.dims == member.dims
    {
        return Ok(Rc::clone(previous));
    }
    let parallel = space.len().saturating_sub(op.reduction_dims());
    let mut cuts = Vec::new();
    let mut tile = space.clone();
    for (level, dim) in levels.iter().zip(member.dims.iter()) {
        let Some(dim) = *dim else { continue };
        if dim >= parallel {
            return Err(error(
                op.op(),
                format!("{} is reduced by this operation; tiling it needs an accumulator, which is not supported", level.label),
            ));
        }
        let (Some(whole), Some(extent)) = (space.get(dim), tile.get_mut(dim)) else { continue };
        // Checked here and not by `tile_nest`, for the sake of the label.
        *extent = spyre_plan::divide(*extent, level.count).map_err(|_| {
            let part = if extent == whole { String::new() } else { format!(" (a tile of {whole})") };
            let message = format!(
                "{} of extent {extent}{part} does not divide into {} tiles of equal extent",
                level.label, level.count
            );
            error(op.op(), message)
        })?;
        cuts.push(spyre_plan::Level { dim, count: level.count });
    }
    let nest = tile_nest(&space, &cuts).map_err(|why| error(op.op(), why))?;
    let mut steps = nest.levels.into_iter();
    let levels = member.dims.iter().map(|dim| dim.and_then(|_| steps.next())).collect();
    Ok(Rc::new(Tiling { dims: Rc::clone(&member.dims), space, tile: nest.tile, levels }))
}

/// A split that is already there must fit the tile.
fn check_split<'p>(types: &TensorTypes<'p>, op: DeviceOp<'p>, tiling: &Tiling) -> Result<(), Diagnostic<'p>> {
    let Some(split) = op.split() else { return Ok(()) };
    if tiling.is_fixed() {
        return Ok(());
    }
    let units = work_division::units(types, op).map_err(|why| error(op.op(), why))?;
    for (dim, ((cores, unit), tile)) in split.iter().zip(units).zip(&tiling.tile).enumerate() {
        if !tile.div_ceil(unit).is_multiple_of(u64::from(*cores)) {
            let unit = if unit == 1 { String::new() } else { format!(" in sticks of {unit}") };
            let message = format!(
                "split of dimension {dim} over {cores} cores does not divide the tile's extent {tile}{unit}"
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
        for step in tiling.levels.iter().flatten().filter(|step| step.dim == dim) {
            if let Err(why) = ty.device.level_step(host, step.step, step.span) {
                let is_operand = index < op.op().operand_count();
                let name = if is_operand { format!("operand #{index}") } else { "result".to_owned() };
                let message = format!("{name} cannot be cut into {} tiles along its dimension {host}: {why}", step.count);
                let diagnostic = error(op.op(), message);
                return Err(if is_operand {
                    diagnostic.note(value.location(), format!("the value of type {} comes from here", ty.ty))
                } else {
                    diagnostic
                });
            }
        }
    }
    Ok(())
}

/// Values that the group computes are read in the tiles in which they are computed.
fn check_inside<'p>(types: &TensorTypes<'p>, members: &[PlannedMember<'p>]) -> Result<(), Diagnostic<'p>> {
    let makers: HashMap<usize, &PlannedMember<'p>> =
        members.iter().map(|member| (ir::op_key(member.op.op()), member)).collect();
    for member in members {
        let op = member.op;
        for (operand, value) in op.op().operands().enumerate() {
            let Some(maker) = ir::defining_op(value).and_then(|maker| makers.get(&ir::op_key(maker))) else { continue };
            let computed = maker.op.tensor_dims(maker.op.op().operand_count());
            let read = op.tensor_dims(operand);
            if Rc::ptr_eq(&member.tiling, &maker.tiling) && read == computed {
                continue;
            }
            let ty = types.get(value.r#type()).map_err(|why| error(op.op(), why))?;
            let read = region(&read, &member.tiling, ty.shape());
            let computed = region(&computed, &maker.tiling, ty.shape());
            if read != computed {
                let (computed, read) = (shape_text(&computed), shape_text(&read));
                let message = if computed == read {
                    format!("operand #{operand} is computed in this group in tiles of {computed} that other loops move, than those by which it is read here")
                } else {
                    format!("operand #{operand} is computed in this group in tiles of {computed}, but read here in tiles of {read}")
                };
                return Err(error(op.op(), message).note(maker.op.op().location(), "computed here"));
            }
        }
    }
    Ok(())
}
