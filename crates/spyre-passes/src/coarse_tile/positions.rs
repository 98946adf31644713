//! Explicit groups: from positions to operations.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Blk, Op};

use super::error;
use super::explicit::ExplicitGroup;
use super::groups::{Group, Level, Member, Run};
use crate::indexing::Indexings;
use crate::walk::device_ops;

/// Groups that the user spelled out, by the positions of operations, in the order of the program. A group
/// that names no function is meant for every function that has device operations.
pub fn from_explicit<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    explicit: &[ExplicitGroup],
) -> Result<Vec<Group<'p>>, Diagnostic<'p>> {
    let ops = device_ops(body);
    let mut indexings = Indexings::default();
    let name = function
        .attribute("sym_name")
        .ok()
        .and_then(spyre_dialects::attr::string);
    let mut groups: Vec<(usize, Group<'p>)> = Vec::new();
    let mut taken = vec![false; ops.len()];
    for group in explicit {
        let meant = match &group.function {
            Some(function) => Some(function) == name.as_ref(),
            None => !ops.is_empty(),
        };
        if !meant {
            continue;
        }
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
                format!(
                    "operation {} is in two groups",
                    group.first.saturating_add(index)
                ),
            ));
        }
        taken.fill(true);
        let [first, ..] = members else { continue };
        check_together(group, members)?;
        let levels: Vec<(u64, usize)> = group
            .levels
            .iter()
            .flat_map(|level| level.dims.iter().map(|dim| (level.count, *dim)))
            .filter(|(count, _)| *count > 1)
            .collect();
        if levels.is_empty() {
            continue;
        }
        let members: Vec<Member<'p>> = members
            .iter()
            .map(|op| {
                let indexing = indexings.of(*op);
                let space = &indexing.space;
                // One element cannot be cut, so a dimension of extent 1 is none.
                let has = |dim: usize| space.get(dim).is_some_and(|extent| *extent != 1);
                let dims = levels
                    .iter()
                    .map(|(_, dim)| has(*dim).then_some(*dim))
                    .collect();
                Member {
                    op: *op,
                    indexing,
                    dims,
                }
            })
            .collect();
        for (level, (_, dim)) in levels.iter().enumerate() {
            if !members
                .iter()
                .any(|member| member.dims.get(level).is_some_and(Option::is_some))
            {
                let message = format!(
                    "no operation of the group has a dimension {dim} of more than one element"
                );
                return Err(error(first.op(), message));
            }
        }
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
        }
        let levels = levels
            .into_iter()
            .map(|(count, dim)| Level {
                count,
                label: format!("dimension {dim}"),
            })
            .collect();
        groups.push((group.first, Group { levels, members }));
    }
    groups.sort_by_key(|(first, _)| *first);
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// The operations of a group are in one block, and nothing between them uses what they compute.
fn check_together<'p>(
    group: &ExplicitGroup,
    members: &[DeviceOp<'p>],
) -> Result<(), Diagnostic<'p>> {
    let mut run = Run::default();
    for (index, pair) in members.windows(2).enumerate() {
        let &[member, next] = pair else { continue };
        run.add(member.op());
        let refused = |why: &str, at: Op<'p>, note: &str| {
            let position = group.first.saturating_add(index).saturating_add(1);
            let message =
                format!("operation {position} cannot be in one group with those before it: {why}");
            Err(error(next.op(), message).note(at.location(), note.to_owned()))
        };
        if member.op().block() != next.op().block() {
            return refused(
                "it is in another block",
                member.op(),
                "the operation before is here",
            );
        }
        let mut between = member.op().next_in_block();
        while let Some(stranger) = between.filter(|op| *op != next.op()) {
            if stranger.region_count() > 0 {
                return refused(
                    "there is a region between them",
                    stranger,
                    "the region is here",
                );
            }
            if !run.may_pass(stranger) {
                return refused(
                    "a value of the group is used between them",
                    stranger,
                    "the use is here",
                );
            }
            between = stranger.next_in_block();
        }
    }
    Ok(())
}
