//! Finds the operations of explicit groups by their positions.

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use spyre_analysis::dynamic::DynamicDims;
use spyre_analysis::indexing::Indexings;
use spyre_analysis::walk::{self, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

use crate::coarse_tile::error;
use crate::coarse_tile::find::explicit::ExplicitGroup;
use crate::coarse_tile::find::run::MemberRun;
use crate::coarse_tile::find::{Group, Level, LevelDim, Member};
use crate::coarse_tile::ids::{Id, IdVec, IterDim, LevelId, MemberId};

/// Warns of groups for functions that do not exist. Only the first function of the block warns, for all functions.
pub(crate) fn warn_unknown_functions(function: Op<'_>, explicit: &[ExplicitGroup]) {
    if explicit.iter().all(|group| group.function.is_none()) {
        return;
    }
    let Some((module, block)) = function.parent_operation().zip(function.block()) else {
        return;
    };
    let mut functions = ir::operations(block).filter(|op| op.name() == function.name());
    if functions.next() != Some(function) {
        return;
    }
    let names: Vec<_> = ir::operations(block).filter_map(walk::symbol).collect();
    let named = explicit.iter().filter_map(|group| group.function.as_ref());
    for name in named.filter(|name| !names.contains(name)) {
        let message =
            format!("coarse-tile: groups= names the function @{name}, which is not there");
        Diagnostic::warning(module.location(), message).emit();
    }
}

/// Warns that the hints of a function are ignored because of explicit groups.
fn warn_hints<'p>(function: Op<'p>, ops: &[DeviceOp<'p>]) {
    let mut hinted = ops.iter().filter(|op| op.hints_attribute().is_some());
    let (location, hints) = match (hinted.next(), hinted.count()) {
        (Some(only), 0) => (only.op().location(), "the hints here".to_owned()),
        (Some(first), others) => (
            first.op().location(),
            format!("the hints here and on {others} more operations"),
        ),
        (None, _) if function.has_attribute(SCOPES) => {
            (function.location(), format!("'{SCOPES}' of the function"))
        }
        (None, _) => return,
    };
    let message = format!(
        "coarse-tile: groups= lists all operations to tile, so {hints} have no effect; leave groups= out, or name all groups there"
    );
    Diagnostic::warning(location, message).emit();
}

/// Returns the explicit groups of a function, found by the positions of operations, in the order of the program. A group that
/// names no function is meant for every function that has device operations.
pub(crate) fn from_explicit<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    explicit: &[ExplicitGroup],
    dynamic: &Rc<DynamicDims>,
) -> Result<Vec<Group<'p>>, Diagnostic<'p>> {
    let ops = device_ops(body);
    let mut indexings = Indexings::with(Rc::clone(dynamic));
    let name = walk::symbol(function);
    let mut groups: Vec<(usize, Group<'p>)> = Vec::new();
    let mut taken = vec![false; ops.len()];
    for group in explicit {
        let meant = match &group.function {
            Some(_) => group.function == name,
            None => !ops.is_empty(),
        };
        if !meant {
            continue;
        }
        let members = take(function, group, &ops, &mut taken)?;
        let first = members
            .first()
            .expect("a group ends after its first operation");
        let behind = check_together(group, members)?;
        let cuts: Vec<Cut> = group
            .levels
            .iter()
            .flat_map(|level| level.dims.iter().map(|dim| (level.count, *dim)))
            .filter(|(count, _)| *count > 1)
            .collect();
        if cuts.is_empty() {
            continue;
        }
        let members: IdVec<MemberId, Member<'p>> = members
            .iter()
            .map(|op| member(*op, &cuts, &mut indexings))
            .collect();
        check_cuts(*first, &cuts, &members)?;
        explain_levels(*first, group);
        let levels = cuts.into_iter().map(|(count, dim)| Level {
            count,
            size: None,
            label: format!("dimension {dim}"),
            scope: None,
            dynamic: None,
        });
        let tiled_group = Group {
            levels: levels.collect(),
            members,
            behind,
            origin: format!("operations {} to {} by request", group.first, group.last),
        };
        groups.push((group.first, tiled_group));
    }
    warn_hints(function, &ops);
    groups.sort_by_key(|(first, _)| *first);
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// A loop of a group: its number of iterations, and the dimension that it cuts.
type Cut = (u64, usize);

/// Returns the operations of a group, and marks them as taken.
fn take<'o, 'p>(
    function: Op<'p>,
    group: &ExplicitGroup,
    ops: &'o [DeviceOp<'p>],
    taken: &mut [bool],
) -> Result<&'o [DeviceOp<'p>], Diagnostic<'p>> {
    let (Some(members), Some(taken)) = (
        ops.get(group.first..=group.last),
        taken.get_mut(group.first..=group.last),
    ) else {
        let message = format!(
            "group names operations {} to {}, but the function has {} device operations",
            group.first,
            group.last,
            ops.len()
        );
        return Err(error(function, message));
    };
    if let Some(index) = taken.iter().position(|taken| *taken) {
        return Err(error(
            function,
            format!("operation {} is in two groups", group.first + index),
        ));
    }
    taken.fill(true);
    Ok(members)
}

/// Returns the member of a group with some loops.
fn member<'p>(op: DeviceOp<'p>, cuts: &[Cut], indexings: &mut Indexings<'p>) -> Member<'p> {
    let indexing = indexings.of(op);
    // A dimension of extent 1 cannot be cut, so it counts as missing.
    let has = |dim: usize| indexing.space.get(dim).is_some_and(|extent| *extent != 1);
    let dims = cuts.iter().map(|(_, dim)| {
        if has(*dim) {
            LevelDim::Cuts(IterDim::new(*dim))
        } else {
            LevelDim::Lacks
        }
    });
    Member {
        op: op.into(),
        dims: Rc::new(dims.collect()),
        indexing,
    }
}

/// Checks that each loop cuts a dimension of an operation. `first` is the first operation of the group.
fn check_cuts<'p>(
    first: DeviceOp<'p>,
    cuts: &[Cut],
    members: &IdVec<MemberId, Member<'p>>,
) -> Result<(), Diagnostic<'p>> {
    for (level, (_, dim)) in LevelId::first(cuts.len()).zip(cuts) {
        if members
            .iter()
            .all(|member| member.dims.cut(level).is_none())
        {
            let message =
                format!("no operation of the group has a dimension {dim} of more than one element");
            return Err(error(first.op(), message));
        }
    }
    Ok(())
}

/// Reports the loops of levels of several dimensions. `first` is the first operation of the group.
fn explain_levels(first: DeviceOp<'_>, group: &ExplicitGroup) {
    for level in group
        .levels
        .iter()
        .filter(|level| level.dims.len() > 1 && level.count > 1)
    {
        let message = format!(
            "coarse-tile: {} dimensions by {} become one loop each; a single loop would visit only the \
             tiles on the diagonal",
            level.dims.len(),
            level.count
        );
        Diagnostic::remark(first.op().location(), message).emit();
        for (index, dim) in level.dims.iter().enumerate() {
            if level.dims[..index].contains(dim) {
                let message = format!(
                    "coarse-tile: dimension {dim} is given twice for one level, with {}; give it once, or use two levels, separated \
                     by '/'",
                    level.count
                );
                Diagnostic::warning(first.op().location(), message).emit();
            }
        }
    }
}

/// Checks that the operations of a group are in one block, and that the operations between them can move before the
/// loops or after them. Returns the ones that move after the loops.
fn check_together<'p>(
    group: &ExplicitGroup,
    members: &[DeviceOp<'p>],
) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
    let mut run = MemberRun::default();
    if let [only] = members {
        run.add(only.op());
    }
    for (index, pair) in members.windows(2).enumerate() {
        let (member, next) = (pair[0].op(), pair[1].op());
        run.add(member);
        let position = group.first + index + 1;
        let refused = |reason: &str| {
            let message = format!(
                "operation {position} cannot be in a group with the operations before it: {reason}"
            );
            error(next, message)
        };
        if member.block() != next.block() {
            return Err(refused("it is in another block")
                .note(member.location(), "the operation before is here")
                .suggest("a group for each block"));
        }
        let mut between = member.next_in_block();
        while let Some(stranger) = between.filter(|op| *op != next) {
            if let Err(dependence) = run.pass(stranger) {
                return Err(refused(
                    "an operation with effects between them needs a value of the group",
                )
                .note(
                    dependence.through.location(),
                    "the operation with effects is here",
                )
                .note(dependence.on.location(), "the value is computed here")
                .suggest("end the group before it, or move it after the group"));
            }
            between = stranger.next_in_block();
        }
        if let Some(dependence) = run.blocked(next) {
            return Err(refused(
                "it needs a value that an operation between them computes from a value of the group",
            )
            .note(
                dependence.through.location(),
                "the value that it needs is defined here",
            )
            .note(
                dependence.on.location(),
                "the value of the group is computed here",
            )
            .suggest("two groups, one before the operation between them and one after it"));
        }
        run.add(next);
    }
    // Operations after the last member are after the loops already.
    let behind = run.into_behind().into_iter();
    let between = behind.filter(|(_, before)| *before < members.len());
    Ok(between.map(|(op, _)| op).collect())
}
