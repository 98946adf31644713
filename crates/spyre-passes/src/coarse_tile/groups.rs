//! Groups: runs of device operations that are tiled together.

use std::rc::Rc;

use melior::ir::AttributeLike;
use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_mlir_rt::pass::Failed;
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use super::explain::{name as op_name, place};
use super::run::{Dependence, Run};
use super::{error, refused};
use crate::assign_hints::SCOPES;
use crate::indexing::{Indexing, Indexings};
use crate::names::{DimNames, Name, Names, Wanted};

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

/// Operations of one block to tile together. What is between them uses nothing that they compute, but for
/// what goes behind the loops.
#[derive(Debug, Clone)]
pub struct Group<'p> {
    /// Outermost first; without levels nothing is tiled and only the hints are honoured.
    pub levels: Vec<Level>,
    /// In order; at least one.
    pub members: Vec<Member<'p>>,
    /// What is between the members and has to go behind the loops, in order.
    pub behind: Vec<Op<'p>>,
    /// Why it is a group, for people.
    pub origin: String,
}

/// Where a run ended.
#[derive(Debug, Clone, Copy)]
struct Ended<'p> {
    /// Its last member.
    last: Op<'p>,
    why: End<'p>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy)]
enum End<'p> {
    /// With its block.
    Block,
    /// An operation of other scopes follows.
    Scopes(Op<'p>),
    /// The next operation needs something that needs a value of the run.
    Needed(Dependence<'p>),
    /// Something with effects needs a value of the run.
    Effects(Dependence<'p>),
}

/// An operation with its hints and the names of its iteration dimensions.
struct Hinted<'p> {
    op: DeviceOp<'p>,
    indexing: Rc<Indexing<'p>>,
    hints: Rc<[TileHint]>,
    names: DimNames,
}

/// What a hint means for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    /// The iteration dimension.
    dim: usize,
    /// The number of tiles.
    count: u64,
}

/// What each hint means for an operation; `None` where it lacks the dimension.
type Cuts = Rc<[Option<Cut>]>;

/// What operations have in common for which hints mean the same: names, iteration space and hints.
type Alike<'p> = (*const u8, *const Indexing<'p>, *const u8);

/// Groups from the hints on operations (middle-end specification, section 3.3), in the function's block
/// and in those of the loops in it.
///
/// # Errors
/// Hints or names contradict each other; what is wrong with names has been reported.
pub fn from_hints<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    remarks: &Remarks,
) -> Result<Vec<Group<'p>>, Failed> {
    let mut finder = Finder {
        remarks,
        ended: FxHashMap::default(),
        names: Names::of_function(function),
        indexings: Indexings::default(),
        hint_lists: FxHashMap::default(),
        wanted: FxHashSet::default(),
        groups: Vec::new(),
    };
    let found = finder.block(body);
    if !finder.hint_lists.is_empty() {
        finder.names.report(&Wanted::Some(&finder.wanted))?;
    }
    found.inspect_err(|why| refused(remarks, why))?;
    Ok(finder.groups)
}

struct Finder<'r, 'p> {
    remarks: &'r Remarks,
    /// Where the last run of each scope ended.
    ended: FxHashMap<i64, Ended<'p>>,
    names: Names<'p>,
    indexings: Indexings<'p>,
    /// Hints by attribute: operations of the same hints share it.
    hint_lists: FxHashMap<usize, Rc<[TileHint]>>,
    /// The names that operations lack which have hints for them, because a reshape has split them.
    wanted: FxHashSet<Name>,
    groups: Vec<Group<'p>>,
}

impl<'p> Finder<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let mut hinted: Vec<Hinted<'p>> = Vec::new();
        let mut run = Run::default();
        for op in ir::operations(block) {
            let device = DeviceOp::cast(op);
            if let Some(next) = device.and_then(|device| self.hinted(device)) {
                while let Some(first) = hinted.first()
                    && let Some(why) = ends(first, &next, &run)
                {
                    let mut rest = (Vec::new(), Run::default());
                    if let End::Needed(_) = why {
                        let members: Vec<_> = hinted.iter().map(|member| member.op.op()).collect();
                        let (at, run) = run.split(&members);
                        rest = (hinted.split_off(at), run);
                    }
                    let rest_run = std::mem::replace(&mut run, rest.1);
                    self.close(std::mem::replace(&mut hinted, rest.0), rest_run, why)?;
                    if let Some(first) = hinted.first() {
                        self.opened(first);
                    }
                }
                if hinted.is_empty() {
                    self.opened(&next);
                }
                run.add(op);
                hinted.push(next);
                continue;
            }
            if !hinted.is_empty()
                && let Err(why) = run.pass(op)
            {
                let why = End::Effects(why);
                self.close(std::mem::take(&mut hinted), std::mem::take(&mut run), why)?;
            }
            if device.is_some() {
                continue;
            }
            if ir::kind(op) == OpKind::For
                && let Some(body) = ir::body(op)
            {
                if ir::has_discardable_attributes(op) && op.has_attribute(SCOPES) {
                    let message = format!(
                        "the loop has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
                    );
                    return Err(error(op, message));
                }
                self.names.into_loop(op, body);
                self.block(body)?;
                self.names.out_of_loop(op, body);
            } else {
                self.names.through(op);
            }
        }
        self.close(hinted, run, End::Block)
    }

    /// Says that a scope goes on in another nest of loops, and why.
    fn opened(&self, next: &Hinted<'p>) {
        let mut scopes = next.hints.iter().map(|hint| hint.scope);
        let ended = scopes.find_map(|scope| Some((scope, *self.ended.get(&scope)?)));
        let Some((scope, Ended { last, why })) = ended else {
            return;
        };
        let here = next.op.op();
        let at = |op: Op<'p>| format!("{} at {}", op_name(op), place(op.location()));
        self.remarks.emit(|| {
            let (reason, suggestion) = match why {
                End::Block => (
                    "the operations are in different blocks".to_owned(),
                    "operations of one loop body or of the function itself can be one group",
                ),
                End::Scopes(other) => (
                    format!("{} between them has other hint scopes", at(other)),
                    "give both the same scopes, or move one out of the way",
                ),
                End::Needed(Dependence { through, on }) => (
                    format!(
                        "{} needs the value of {}, which needs the value of {} in the first nest",
                        at(here),
                        at(through),
                        at(on)
                    ),
                    "give the operation between them the same hints, if it can have them",
                ),
                End::Effects(Dependence { through, on }) => (
                    format!(
                        "{} between them has effects and needs the value of {} in the first nest",
                        at(through),
                        at(on)
                    ),
                    "move the operation with effects behind the last operation of the scope",
                ),
            };
            Remark::new(Kind::Missed, here.location(), "ScopeSplit")
                .arg("Operation", op_name(here))
                .arg("Scope", scope)
                .arg("Before", at(last))
                .reason(reason)
                .suggestion(suggestion)
        });
    }

    /// The operation with its hints, if it has any. Its result gets its names either way.
    fn hinted(&mut self, op: DeviceOp<'p>) -> Option<Hinted<'p>> {
        let indexing = self.indexings.of(op);
        let names = self.names.through_device_op(op, &indexing);
        let attribute = op.hints_attribute()?;
        let key = attribute.to_raw().ptr as usize;
        let hints = match self.hint_lists.get(&key) {
            Some(known) => Rc::clone(known),
            None => {
                let hints: Rc<[TileHint]> = op.hints().into();
                for hint in hints.iter() {
                    let name = self.names.intern(&hint.dim);
                    self.names.check_hint(name, op.op().location());
                }
                self.hint_lists.insert(key, Rc::clone(&hints));
                hints
            }
        };
        (!hints.is_empty()).then_some(Hinted {
            op,
            indexing,
            hints,
            names,
        })
    }

    /// Makes a group of a run, if anything of it is left to tile.
    fn close(
        &mut self,
        mut hinted: Vec<Hinted<'p>>,
        run: Run<'p>,
        why: End<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        adopt_names(&mut hinted);
        let (Some(first), Some(last)) = (hinted.first(), hinted.last()) else {
            return Ok(());
        };
        if self.remarks.is_enabled() {
            let last = last.op.op();
            for hint in first.hints.iter() {
                self.ended.insert(hint.scope, Ended { last, why });
            }
        }
        // Members mostly share names, space and hints, so what hints mean is worked out once.
        let mut known: FxHashMap<Alike<'p>, Cuts> = FxHashMap::default();
        let mut cuts: Vec<Cuts> = Vec::with_capacity(hinted.len());
        for member in &hinted {
            let key = (
                member.names.as_ptr().cast(),
                Rc::as_ptr(&member.indexing),
                member.hints.as_ptr().cast(),
            );
            cuts.push(match known.get(&key) {
                Some(cuts) => Rc::clone(cuts),
                None => {
                    let cuts = self.cuts(member)?;
                    known.insert(key, Rc::clone(&cuts));
                    cuts
                }
            });
        }
        let best = best(&hinted, &cuts)?;
        let mut levels = Vec::new();
        let mut kept = Vec::new();
        for (level, (hint, best)) in first.hints.iter().zip(&best).enumerate() {
            match best {
                // One tile is no loop.
                Some((_, cut)) if cut.count <= 1 => {}
                Some((member, cut)) => {
                    let hint = hinted.get(*member).and_then(|best| best.hints.get(level));
                    levels.push(Level {
                        count: cut.count,
                        label: format!("dimension \"{}\"", hint.map_or("", |hint| &hint.dim)),
                    });
                    kept.push(level);
                }
                None if hint.tiles == Tiles::Count(1) => {}
                None => self.ignored(first, hint),
            }
        }
        let is_ignored = |(hint, best): (&TileHint, &Option<(usize, Cut)>)| {
            best.is_none() && hint.tiles != Tiles::Count(1)
        };
        let any_ignored = first.hints.iter().zip(&best).any(is_ignored);
        // Without levels, but not for want of names, every count is 1: there is nothing to do for the hints.
        if levels.is_empty() && any_ignored {
            return Ok(());
        }
        let mut dims: FxHashMap<*const Option<Cut>, LevelDims> = FxHashMap::default();
        let members = hinted.iter().zip(&cuts).map(|(member, cuts)| Member {
            op: member.op,
            indexing: Rc::clone(&member.indexing),
            dims: Rc::clone(dims.entry(cuts.as_ptr()).or_insert_with(|| {
                kept.iter()
                    .map(|level| cuts.get(*level).copied().flatten().map(|cut| cut.dim))
                    .collect()
            })),
        });
        let members = members.collect();
        self.groups.push(Group {
            levels,
            members,
            behind: run.into_behind(),
            origin: origin(first, hinted.len()),
        });
        Ok(())
    }

    /// Warns that a hint does nothing.
    fn ignored(&self, first: &Hinted<'p>, hint: &TileHint) {
        self.remarks.emit(|| {
            Remark::new(Kind::Missed, first.op.op().location(), "HintIgnored")
                .arg("Scope", hint.scope)
                .arg("Dimension", &hint.dim)
                .reason("no operation of the group has a dimension of this name with more than one element")
                .suggestion(
                    "look at the names with --spyre-propagate-named-dims; spyre.dims names those of an argument or a result",
                )
        });
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

    /// What each hint of an operation means for it.
    fn cuts(&mut self, member: &Hinted<'p>) -> Result<Cuts, Diagnostic<'p>> {
        // Elements of each name that are left to the next level.
        let mut left: FxHashMap<Name, u64> = FxHashMap::default();
        let hints = Rc::clone(&member.hints);
        let cuts = hints.iter().map(|hint| {
            let name = self.names.intern(&hint.dim);
            let Some(Found { dim, extent, merged }) = position(member, &hint.dim, name)? else {
                if self.names.is_lost(member.op.op(), name) {
                    self.wanted.insert(name);
                }
                return Ok(None);
            };
            if merged {
                self.remarks.emit(|| {
                    Remark::new(Kind::Analysis, member.op.op().location(), "MergedDimension")
                        .arg("Operation", op_name(member.op.op()))
                        .arg("Dimension", &hint.dim)
                        .reason(format!(
                            "it is merged into dimension {dim} of the operation, which is cut into as many tiles instead"
                        ))
                });
            }
            let left = left.entry(name).or_insert(extent);
            if let Tiles::Size(size) = hint.tiles
                && extent == 0
            {
                let message = format!(
                    "dimension {dim} has a dynamic extent, so it cannot be cut by {size}; a number of tiles would do"
                );
                return Err(error(member.op.op(), message));
            }
            let count = hint.tiles.count(*left);
            *left = left.div_ceil(count.max(1));
            Ok(Some(Cut { dim, count }))
        });
        cuts.collect()
    }
}

/// For each level the member with the best hint, which is the first that has the dimension, and what it means
/// there. All members that have the dimension agree.
fn best<'p>(
    hinted: &[Hinted<'p>],
    cuts: &[Cuts],
) -> Result<Vec<Option<(usize, Cut)>>, Diagnostic<'p>> {
    let levels = hinted.first().map_or(0, |first| first.hints.len());
    let mut best: Vec<Option<(usize, Cut)>> = vec![None; levels];
    for (index, (member, cuts)) in hinted.iter().zip(cuts).enumerate() {
        for (level, (cut, best)) in cuts.iter().zip(&mut best).enumerate() {
            let Some(cut) = *cut else { continue };
            let Some((taken, best)) = *best else {
                *best = Some((index, cut));
                continue;
            };
            let Some(leader) = hinted.get(taken) else {
                continue;
            };
            let (Some(a), Some(b)) = (leader.hints.get(level), member.hints.get(level)) else {
                continue;
            };
            if best.count == cut.count && a.dim == b.dim {
                continue;
            }
            let at = if taken == 0 {
                "at the start of the group"
            } else {
                "where the group takes it from"
            };
            let message = format!(
                "scope {} asks for \"{}\" in {} tiles here, but for \"{}\" in {} {at}",
                b.scope, b.dim, cut.count, a.dim, best.count
            );
            let note = if taken == 0 {
                "the group starts here"
            } else {
                "the group takes the hint from here"
            };
            return Err(error(member.op.op(), message)
                .note(leader.op.op().location(), note)
                .suggest("another scope id for one of them makes two groups"));
        }
    }
    Ok(best)
}

/// Gives dimensions that nobody has named the names by which the group reads them: what is computed from operands
/// without names is cut as its readers are.
fn adopt_names(hinted: &mut [Hinted<'_>]) {
    let is_unnamed = |member: &Hinted<'_>| {
        let mut dims = member.names.iter().zip(&member.indexing.space);
        dims.any(|(names, extent)| names.is_empty() && *extent != 1)
    };
    if !hinted.iter().any(is_unnamed) {
        return;
    }
    let positions: FxHashMap<usize, usize> = hinted
        .iter()
        .enumerate()
        .map(|(index, member)| (ir::op_key(member.op.op()), index))
        .collect();
    // Readers before what they read.
    for reader in (0..hinted.len()).rev() {
        let Some(member) = hinted.get(reader) else {
            continue;
        };
        let (indexing, names) = (Rc::clone(&member.indexing), Rc::clone(&member.names));
        let operands: Vec<_> = member.op.op().operands().collect();
        for (value, read) in operands.into_iter().zip(&indexing.tensors) {
            let made = ir::defining_op(value).and_then(|op| positions.get(&ir::op_key(op)));
            let Some(maker) = made.and_then(|made| hinted.get_mut(*made)) else {
                continue;
            };
            if !is_unnamed(maker) {
                continue;
            }
            let mut adopted = maker.names.to_vec();
            for (made, read) in maker.indexing.result().iter().zip(read) {
                if let Some(made) = made.and_then(|made| adopted.get_mut(made))
                    && made.is_empty()
                    && let Some(read) = read.and_then(|read| names.get(read))
                {
                    made.clone_from(read);
                }
            }
            maker.names = adopted.into();
        }
    }
}

/// Why an operation does not join a run, if it does not.
fn ends<'p>(first: &Hinted<'p>, next: &Hinted<'p>, run: &Run<'p>) -> Option<End<'p>> {
    if !same_scopes(&next.hints, &first.hints) {
        return Some(End::Scopes(next.op.op()));
    }
    run.blocked(next.op.op()).map(End::Needed)
}

/// Why operations are a group, for people.
fn origin(first: &Hinted<'_>, members: usize) -> String {
    let scopes: Vec<_> = first
        .hints
        .iter()
        .map(|hint| hint.scope.to_string())
        .collect();
    let operations = if members == 1 {
        "1 operation".to_owned()
    } else {
        format!("{members} operations in a row")
    };
    let scope = if scopes.len() == 1 { "scope" } else { "scopes" };
    format!("{operations} with hint {scope} {}", scopes.join(", "))
}

fn same_scopes(a: &Rc<[TileHint]>, b: &Rc<[TileHint]>) -> bool {
    Rc::ptr_eq(a, b)
        || a.iter()
            .map(|hint| hint.scope)
            .eq(b.iter().map(|hint| hint.scope))
}

/// Where an operation has a name.
#[derive(Clone, Copy)]
struct Found {
    /// The iteration dimension.
    dim: usize,
    /// The extent of what is named.
    extent: u64,
    /// Whether the dimension holds others beside what is named.
    merged: bool,
}

/// The iteration dimension of a name, or the one that it was merged into. One element cannot be cut, so a
/// dimension of extent 1 is none.
fn position<'p>(
    hinted: &Hinted<'p>,
    text: &str,
    name: Name,
) -> Result<Option<Found>, Diagnostic<'p>> {
    let dims = hinted.names.iter().zip(&hinted.indexing.space).enumerate();
    let mut found = dims.filter_map(|(dim, (names, extent))| {
        let (factor, merged) = names.iter().find_map(|factors| {
            let factor = factors.iter().find(|factor| factor.name == Some(name))?;
            Some((factor, factors.len() > 1))
        })?;
        (*extent != 1 && factor.extent != 1).then_some(Found {
            dim,
            extent: factor.extent,
            merged,
        })
    });
    let first = found.next();
    if let (Some(a), Some(b)) = (first, found.next()) {
        return Err(error(
            hinted.op.op(),
            format!(
                "\"{text}\" names both dimension {} and dimension {} of this operation",
                a.dim, b.dim
            ),
        )
        .suggest("spyre.dims on the operation names its dimensions apart"));
    }
    Ok(first)
}
