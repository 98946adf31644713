//! Groups: runs of device operations that are tiled together.

use std::rc::Rc;

use melior::ir::AttributeLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::attr::TileHint;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};

use super::error;
use crate::indexing::{Indexing, Indexings};
use crate::names::{DimNames, Name, Names};
use crate::view;

/// One loop level of a group.
#[derive(Debug, Clone)]
pub struct Level {
    /// Number of tiles.
    pub count: u64,
    /// What the user wrote, for diagnostics: `dimension "A"`, `dimension 0`.
    pub label: String,
}

/// The iteration dimension that each level cuts; `None` where an operation has no such dimension.
pub type LevelDims = Rc<[Option<usize>]>;

/// One operation of a group.
#[derive(Debug, Clone)]
pub struct Member<'p> {
    /// The operation.
    pub op: DeviceOp<'p>,
    /// How it indexes its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// The iteration dimension that each level cuts; `None` where the operation has no such dimension.
    pub dims: Rc<[Option<usize>]>,
}

/// Operations of one block to tile together. What is between them uses nothing that they compute.
#[derive(Debug, Clone)]
pub struct Group<'p> {
    /// Outermost first; without levels nothing is tiled and only the hints are honoured.
    pub levels: Vec<Level>,
    /// In order; at least one.
    pub members: Vec<Member<'p>>,
}

/// An operation with its hints and the names of its iteration dimensions.
struct Hinted<'p> {
    op: DeviceOp<'p>,
    indexing: Rc<Indexing<'p>>,
    hints: Rc<[TileHint]>,
    names: DimNames,
}

/// Operations that are collected for a group.
#[derive(Default)]
pub struct Run {
    made: FxHashSet<usize>,
}

impl Run {
    /// Adds a member.
    pub fn add(&mut self, op: Op<'_>) {
        self.made.insert(ir::op_key(op));
    }

    /// Whether the members may move past an operation that is not one of them.
    pub fn may_pass(&self, op: Op<'_>) -> bool {
        // What a region uses is not looked at.
        op.region_count() == 0
            && !op.operands().any(|value| {
                ir::defining_op(value).is_some_and(|op| self.made.contains(&ir::op_key(op)))
            })
    }
}

/// Groups from the hints on operations (middle-end specification, section 3.3), in the function's block
/// and in those of the loops in it.
pub fn from_hints<'p>(function: Op<'p>, body: Blk<'p>) -> Result<Vec<Group<'p>>, Diagnostic<'p>> {
    let mut finder = Finder {
        names: Names::of_function(function),
        indexings: Indexings::default(),
        hint_lists: FxHashMap::default(),
        groups: Vec::new(),
    };
    finder.block(body)?;
    Ok(finder.groups)
}

struct Finder<'p> {
    names: Names,
    indexings: Indexings<'p>,
    /// Hints by attribute: operations of the same hints share it.
    hint_lists: FxHashMap<usize, Rc<[TileHint]>>,
    groups: Vec<Group<'p>>,
}

impl<'p> Finder<'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let mut hinted: Vec<Hinted<'p>> = Vec::new();
        let mut run = Run::default();
        for op in ir::operations(block) {
            if let Some(next) = DeviceOp::cast(op).and_then(|device| self.hinted(device)) {
                if hinted
                    .first()
                    .is_some_and(|first| !same_scopes(&next.hints, &first.hints))
                {
                    self.close(std::mem::take(&mut hinted))?;
                    run = Run::default();
                }
                run.add(op);
                hinted.push(next);
                continue;
            }
            if !hinted.is_empty() && !run.may_pass(op) {
                self.close(std::mem::take(&mut hinted))?;
                run = Run::default();
            }
            match ir::kind(op) {
                OpKind::ExtractSlice | OpKind::InsertSlice => self.names.through_slice(op),
                _ if view::is_view(op) => self.names.through_view(op),
                OpKind::For => {
                    let Some(body) = ir::body(op) else { continue };
                    self.names.into_loop(op, body);
                    self.block(body)?;
                    self.names.out_of_loop(op, body);
                }
                _ => {}
            }
        }
        self.close(hinted)
    }

    /// The operation with its hints, if it has any. Its result gets its names either way.
    fn hinted(&mut self, op: DeviceOp<'p>) -> Option<Hinted<'p>> {
        let indexing = self.indexings.of(op);
        let names = self.names.propagate(op, &indexing);
        let attribute = op.hints_attribute()?;
        let hints = self
            .hint_lists
            .entry(attribute.to_raw().ptr as usize)
            .or_insert_with(|| op.hints().into());
        (!hints.is_empty()).then(|| Hinted {
            op,
            indexing,
            hints: Rc::clone(hints),
            names,
        })
    }

    /// Makes a group of the run, if anything of it is left to tile.
    fn close(&mut self, run: Vec<Hinted<'p>>) -> Result<(), Diagnostic<'p>> {
        let Some(first) = run.first() else {
            return Ok(());
        };
        for other in &run {
            agree(first, other)?;
        }
        // Levels of one tile are no loops.
        let hints: Vec<(&TileHint, Name)> = first
            .hints
            .iter()
            .filter(|hint| hint.count > 1)
            .map(|hint| (hint, self.names.intern(&hint.dim)))
            .collect();
        // Members mostly share names and space, so the positions are worked out once.
        let mut known: FxHashMap<(*const Vec<Name>, *const Indexing<'p>), LevelDims> =
            FxHashMap::default();
        let mut members = Vec::with_capacity(run.len());
        for hinted in &run {
            let key = (hinted.names.as_ptr(), Rc::as_ptr(&hinted.indexing));
            let dims = match known.get(&key) {
                Some(dims) => Rc::clone(dims),
                None => {
                    let dims = hints
                        .iter()
                        .map(|(hint, name)| {
                            position(hinted, &hinted.indexing.space, &hint.dim, *name)
                        })
                        .collect::<Result<Rc<[_]>, _>>()?;
                    known.insert(key, Rc::clone(&dims));
                    dims
                }
            };
            members.push(Member {
                op: hinted.op,
                indexing: Rc::clone(&hinted.indexing),
                dims,
            });
        }
        let used = used(&members, hints.len());
        for ((hint, _), used) in hints.iter().zip(&used) {
            if !used {
                Diagnostic::warning(
                    first.op.op().location(),
                    format!(
                        "coarse-tile: no operation of this group has a dimension named \"{}\" of more than one element; \
                         hint scope {} is ignored",
                        hint.dim, hint.scope
                    ),
                )
                .emit();
            }
        }
        if used.contains(&false) {
            for member in &mut members {
                member.dims = keep(member.dims.iter(), &used).copied().collect();
            }
        }
        let levels: Vec<Level> = keep(hints.iter(), &used)
            .map(|(hint, _)| Level {
                count: hint.count,
                label: format!("dimension \"{}\"", hint.dim),
            })
            .collect();
        // Without levels, but not for want of names, every count is 1: there is nothing to do for the hints.
        if !levels.is_empty() || hints.is_empty() {
            self.groups.push(Group { levels, members });
        }
        Ok(())
    }
}

fn same_scopes(a: &Rc<[TileHint]>, b: &Rc<[TileHint]>) -> bool {
    Rc::ptr_eq(a, b)
        || a.iter()
            .map(|hint| hint.scope)
            .eq(b.iter().map(|hint| hint.scope))
}

/// Which levels any member has a dimension for.
fn used(members: &[Member<'_>], levels: usize) -> Vec<bool> {
    let mut used = vec![false; levels];
    for member in members {
        for (used, dim) in used.iter_mut().zip(member.dims.iter()) {
            *used |= dim.is_some();
        }
    }
    used
}

fn keep<T>(items: impl Iterator<Item = T>, wanted: &[bool]) -> impl Iterator<Item = T> {
    items
        .zip(wanted)
        .filter(|(_, wanted)| **wanted)
        .map(|(item, _)| item)
}

/// All members of a group ask for the same dimension and count in each scope.
fn agree<'p>(first: &Hinted<'p>, other: &Hinted<'p>) -> Result<(), Diagnostic<'p>> {
    if Rc::ptr_eq(&first.hints, &other.hints) {
        return Ok(());
    }
    for (a, b) in first.hints.iter().zip(other.hints.iter()) {
        if a != b {
            let message = format!(
                "scope {} asks for \"{}\" in {} tiles here, but for \"{}\" in {} at the start of the group",
                b.scope, b.dim, b.count, a.dim, a.count
            );
            return Err(error(other.op.op(), message)
                .note(first.op.op().location(), "the group starts here"));
        }
    }
    Ok(())
}

/// The iteration dimension of a name. One element cannot be cut, so a dimension of extent 1 is none.
fn position<'p>(
    hinted: &Hinted<'p>,
    space: &[i64],
    text: &str,
    name: Name,
) -> Result<Option<usize>, Diagnostic<'p>> {
    let mut found = hinted
        .names
        .iter()
        .zip(space)
        .enumerate()
        .filter(|(_, (names, extent))| **extent != 1 && names.contains(&name))
        .map(|(dim, _)| dim);
    let first = found.next();
    if let (Some(a), Some(b)) = (first, found.next()) {
        return Err(error(
            hinted.op.op(),
            format!("\"{text}\" names both dimension {a} and dimension {b} of this operation"),
        ));
    }
    Ok(first)
}
