//! Groups: runs of consecutive device operations that are tiled together.

use std::collections::HashMap;
use std::rc::Rc;

use melior::ir::AttributeLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::TileHint;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};

use super::explicit::ExplicitGroup;
use crate::names::{DimNames, Name, Names};

/// One loop level of a group.
#[derive(Debug, Clone)]
pub struct Level {
    /// Number of tiles.
    pub count: u64,
    /// What the user wrote, for diagnostics: `dimension "A"`, `dimension 0`.
    pub label: String,
}

/// One operation of a group.
#[derive(Debug, Clone)]
pub struct Member<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// The iteration dimension that each level cuts; `None` where the operation has no such dimension.
    pub dims: Rc<[Option<usize>]>,
}

/// A run of operations to tile together.
#[derive(Debug, Clone)]
pub struct Group<'p> {
    /// Outermost first.
    pub levels: Vec<Level>,
    /// In order.
    pub members: Vec<Member<'p>>,
}

/// An operation with its hints and the names of its iteration dimensions.
struct Hinted<'p> {
    op: DeviceOp<'p>,
    hints: Rc<[TileHint]>,
    names: DimNames,
}

/// Groups from the hints on operations (middle-end specification, section 3.3).
pub fn from_hints<'p>(function: Op<'p>, body: Blk<'p>) -> Result<Vec<Group<'p>>, Diagnostic<'p>> {
    let mut names = Names::of_function(function);
    let mut hint_lists: HashMap<usize, Rc<[TileHint]>> = HashMap::new();
    let mut groups = Vec::new();
    let mut run: Vec<Hinted<'p>> = Vec::new();
    for op in ir::operations(body) {
        let device = DeviceOp::cast(op);
        let hinted = device.and_then(|op| {
            let dims = names.propagate(op, op.iteration_space().len());
            let attribute = op.hints_attribute()?;
            let hints = hint_lists.entry(attribute.to_raw().ptr as usize).or_insert_with(|| op.hints().into());
            (!hints.is_empty()).then(|| Hinted { op, hints: Rc::clone(hints), names: dims })
        });
        let continues = match (&hinted, run.first()) {
            (Some(next), Some(first)) => same_scopes(&next.hints, &first.hints),
            _ => false,
        };
        if !continues {
            close(&mut run, &mut names, &mut groups)?;
        }
        run.extend(hinted);
    }
    close(&mut run, &mut names, &mut groups)?;
    Ok(groups)
}

fn same_scopes(a: &Rc<[TileHint]>, b: &Rc<[TileHint]>) -> bool {
    Rc::ptr_eq(a, b) || a.iter().map(|hint| hint.scope).eq(b.iter().map(|hint| hint.scope))
}

/// Makes a group of the run, if anything of it is left to tile.
fn close<'p>(
    run: &mut Vec<Hinted<'p>>,
    names: &mut Names,
    groups: &mut Vec<Group<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let run = std::mem::take(run);
    let Some(first) = run.first() else { return Ok(()) };
    for other in &run {
        agree(first, other)?;
    }
    // Levels of one tile are no loops.
    let hints: Vec<(&TileHint, Name)> = first
        .hints
        .iter()
        .filter(|hint| hint.count > 1)
        .map(|hint| (hint, names.intern(&hint.dim)))
        .collect();
    // Members mostly share their names, so the positions are worked out once.
    let mut known: HashMap<*const Vec<Name>, Rc<[Option<usize>]>> = HashMap::new();
    let mut members = Vec::with_capacity(run.len());
    for hinted in &run {
        let key = hinted.names.as_ptr();
        let dims = match known.get(&key) {
            Some(dims) => Rc::clone(dims),
            None => {
                let dims = hints
                    .iter()
                    .map(|(hint, name)| position(hinted, &hint.dim, *name))
                    .collect::<Result<Rc<[_]>, _>>()?;
                known.insert(key, Rc::clone(&dims));
                dims
            }
        };
        members.push(Member { op: hinted.op, dims });
    }
    let used: Vec<bool> =
        (0..hints.len()).map(|level| members.iter().any(|member| member.dims[level].is_some())).collect();
    for ((hint, _), used) in hints.iter().zip(&used) {
        if !used {
            Diagnostic::warning(
                first.op.op().location(),
                format!(
                    "coarse-tile: no operation of this group has a dimension named \"{}\"; hint scope {} is ignored",
                    hint.dim, hint.scope
                ),
            )
            .emit();
        }
    }
    if used.iter().any(|used| !used) {
        for member in &mut members {
            member.dims =
                member.dims.iter().zip(&used).filter(|(_, used)| **used).map(|(dim, _)| *dim).collect();
        }
    }
    let levels: Vec<Level> = hints
        .iter()
        .zip(&used)
        .filter(|(_, used)| **used)
        .map(|((hint, _), _)| Level { count: hint.count, label: format!("dimension \"{}\"", hint.dim) })
        .collect();
    if !levels.is_empty() {
        groups.push(Group { levels, members });
    } else if hints.is_empty() {
        // Every count is 1: nothing to do, and the hints have been honoured.
        members.iter().for_each(|member| member.op.remove_hints());
    }
    Ok(())
}

/// All members of a group ask for the same dimension and count in each scope.
fn agree<'p>(first: &Hinted<'p>, other: &Hinted<'p>) -> Result<(), Diagnostic<'p>> {
    if Rc::ptr_eq(&first.hints, &other.hints) {
        return Ok(());
    }
    for (a, b) in first.hints.iter().zip(other.hints.iter()) {
        if a != b {
            let message = format!(
                "coarse-tile: scope {} asks for \"{}\" in {} tiles here, but for \"{}\" in {} at the start of the group",
                b.scope, b.dim, b.count, a.dim, a.count
            );
            return Err(Diagnostic::error(other.op.op().location(), message)
                .note(first.op.op().location(), "the group starts here"));
        }
    }
    Ok(())
}

/// The iteration dimension of a name.
fn position<'p>(hinted: &Hinted<'p>, text: &str, name: Name) -> Result<Option<usize>, Diagnostic<'p>> {
    let mut found =
        hinted.names.iter().enumerate().filter(|(_, names)| names.contains(&name)).map(|(dim, _)| dim);
    let first = found.next();
    if let (Some(a), Some(b)) = (first, found.next()) {
        return Err(Diagnostic::error(
            hinted.op.op().location(),
            format!("coarse-tile: \"{text}\" names both dimension {a} and dimension {b} of this operation"),
        ));
    }
    Ok(first)
}

/// Groups that the user spelled out, by the positions of operations.
pub fn from_explicit<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    explicit: &[ExplicitGroup],
) -> Result<Vec<Group<'p>>, Diagnostic<'p>> {
    let ops: Vec<DeviceOp<'p>> = ir::operations(body).filter_map(DeviceOp::cast).collect();
    let name = function.attribute("sym_name").ok().and_then(spyre_dialects::attr::string);
    let error = |message: String| Diagnostic::error(function.location(), format!("coarse-tile: {message}"));
    let mut groups: Vec<Group<'p>> = Vec::new();
    let mut taken = vec![false; ops.len()];
    for group in explicit {
        if group.function.is_some() && group.function != name {
            continue;
        }
        let Some(members) = ops.get(group.first..=group.last) else {
            return Err(error(format!(
                "group names operations {} to {}, but the function has {} device operations",
                group.first,
                group.last,
                ops.len()
            )));
        };
        for (index, member) in members.iter().enumerate() {
            if std::mem::replace(&mut taken[group.first + index], true) {
                return Err(error(format!("operation {} is in two groups", group.first + index)));
            }
            let next = members.get(index + 1).map(|next| next.op());
            if next.is_some() && member.op().next_in_block() != next {
                let message = "coarse-tile: the operations of a group must be consecutive, but another follows this one";
                let stranger = member.op().next_in_block().unwrap_or(member.op());
                return Err(Diagnostic::error(member.op().location(), message)
                    .note(stranger.location(), "this operation is between two operations of the group"));
            }
        }
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
                let rank = op.iteration_space().len();
                let dims = levels.iter().map(|(_, dim)| (*dim < rank).then_some(*dim)).collect();
                Member { op: *op, dims }
            })
            .collect();
        for (level, (_, dim)) in levels.iter().enumerate() {
            if members.iter().all(|member| member.dims[level].is_none()) {
                return Err(error(format!("no operation of the group has a dimension {dim}")));
            }
        }
        for level in &group.levels {
            if let [_, _, ..] = level.dims.as_slice() {
                let message = format!(
                    "coarse-tile: {} dimensions by {} become one loop each; a single loop would visit only the \
                     tiles on the diagonal",
                    level.dims.len(),
                    level.count
                );
                Diagnostic::remark(members[0].op.op().location(), message).emit();
            }
        }
        let levels =
            levels.into_iter().map(|(count, dim)| Level { count, label: format!("dimension {dim}") }).collect();
        groups.push(Group { levels, members });
    }
    // The rewrite goes through the body from front to back.
    groups.sort_by_key(|group| ops.iter().position(|op| *op == group.members[0].op));
    Ok(groups)
}
