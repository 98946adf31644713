//! The plan of a group: the tile of every operation, checked.

use std::collections::HashSet;
use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Val};
use spyre_plan::{LevelStep, tile_nest};

use super::groups::{Group, Level, Member};
use crate::tensor::{TensorType, TensorTypes};
use crate::walk::tensors;

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
    pub levels: Vec<Option<LevelStep>>,
}

impl Tiling {
    /// The levels that move a window along an iteration dimension: level and step, outermost first.
    pub fn steps(&self, dim: usize) -> impl Iterator<Item = (usize, Elements)> + '_ {
        self.levels
            .iter()
            .enumerate()
            .filter_map(move |(level, step)| step.filter(|step| step.dim == dim).map(|step| (level, step.step)))
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
    /// In order.
    pub members: Vec<PlannedMember<'p>>,
}

/// Plans a group. `None` when nothing of it is tiled.
pub fn plan<'p>(types: &TensorTypes<'p>, group: Group<'p>) -> Result<Option<GroupPlan<'p>>, Diagnostic<'p>> {
    let mut members: Vec<PlannedMember<'p>> = Vec::with_capacity(group.members.len());
    // Types and tilings that have passed, by address: most members are alike.
    let mut checked: HashSet<(usize, *const Tiling, Vec<Option<usize>>)> = HashSet::new();
    for member in &group.members {
        let tiling = tiling(&group.levels, member, members.last().map(|last| &last.tiling))?;
        for (index, value) in tensors(member.op).into_iter().enumerate() {
            let dims = member.op.tensor_dims(index);
            let key = (value.r#type().to_raw().ptr as usize, Rc::as_ptr(&tiling), dims);
            if checked.contains(&key) {
                continue;
            }
            let ty = types.get(value.r#type()).map_err(|why| error(member.op, why))?;
            check_windows(member.op, index, value, &ty, &key.2, &tiling)?;
            checked.insert(key);
        }
        members.push(PlannedMember { op: member.op, tiling });
    }
    Ok(Some(GroupPlan { levels: group.levels, members }))
}

fn error<'p>(op: DeviceOp<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.op().location(), format!("coarse-tile: {message}"))
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
            u64::try_from(extent).map_err(|_| error(op, format!("dimension {dim} has a dynamic extent")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(previous) = previous
        && previous.space == space
        && previous.dims == member.dims
    {
        return Ok(Rc::clone(previous));
    }
    let parallel = space.len() - op.reduction_dims();
    let mut cuts = Vec::new();
    let mut extents = space.clone();
    for (level, dim) in levels.iter().zip(member.dims.iter()) {
        let Some(dim) = *dim else { continue };
        if dim >= parallel {
            return Err(error(
                op,
                format!("{} is reduced by this operation; tiling it needs an accumulator, which is not supported", level.label),
            ));
        }
        // Checked here and not by `tile_nest`, for the sake of the label.
        extents[dim] = spyre_plan::divide(extents[dim], level.count).map_err(|_| {
            let whole = if extents[dim] == space[dim] {
                String::new()
            } else {
                format!(" (a tile of {})", space[dim])
            };
            error(
                op,
                format!(
                    "{} of extent {}{whole} does not divide into {} tiles of equal extent",
                    level.label, extents[dim], level.count
                ),
            )
        })?;
        cuts.push(spyre_plan::Level { dim, count: level.count });
    }
    let nest = tile_nest(&space, &cuts).map_err(|why| error(op, why))?;
    let mut steps = nest.levels.into_iter();
    let levels = member.dims.iter().map(|dim| dim.and_then(|_| steps.next())).collect();
    Ok(Rc::new(Tiling { dims: Rc::clone(&member.dims), space, tile: nest.tile, levels }))
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
                let name = if index < op.op().operand_count() {
                    format!("operand #{index}")
                } else {
                    "result".to_owned()
                };
                let message = format!("{name} cannot be cut into {} tiles along its dimension {host}: {why}", step.count);
                let diagnostic = error(op, message);
                return Err(match ir::source(value) {
                    _ if index >= op.op().operand_count() => diagnostic,
                    _ => diagnostic.note(value.location(), format!("the value of type {} comes from here", ty.ty)),
                });
            }
        }
    }
    Ok(())
}
