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

use super::group_op::{GroupOp, is_carried};
use super::hints::{self, Cut, Hinted, Levels, Told, adopt_names, best, hint_of};
use super::nests::{End, Nests};
use super::open::{Open, Settled};
use super::{error, refused};
use crate::assign_hints::SCOPES;
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::{Indexing, Indexings};
use crate::names::{self, Name, Names, Wanted};

/// One loop level of a group.
#[derive(Debug, Clone)]
pub struct Level {
    /// Number of tiles.
    pub count: u64,
    /// The extent of a tile, if that was asked for and not a number.
    pub size: Option<u64>,
    /// What the user wrote, for diagnostics: `dimension "A"`, `dimension 0`.
    pub label: String,
    /// The dynamic dimension that it cuts first: the loop runs up to its extent, and there are at most so many tiles.
    pub dynamic: Option<SymbolId>,
}

/// The iteration dimension that each level cuts; `None` where an operation has no such dimension.
pub type LevelDims = Rc<[Option<usize>]>;

/// One operation of a group.
#[derive(Debug, Clone)]
pub struct Member<'p> {
    /// The operation.
    pub op: GroupOp<'p>,
    /// How it indexes its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// The iteration dimension that each level cuts; `None` where the operation has no such dimension.
    pub dims: Rc<[Option<usize>]>,
    /// The levels whose loops it must not be in.
    pub apart: Levels,
}

/// Operations of one block to tile together. What is between them uses nothing that they compute, but for
/// what goes behind the loops.
#[derive(Debug, Clone)]
pub struct Group<'p> {
    /// Outermost first; without levels nothing is tiled and only the hints are honoured.
    pub levels: Vec<Level>,
    /// In order; at least one.
    pub members: Vec<Member<'p>>,
    /// What has to be behind the loops, in order, each with the number of members before it.
    pub behind: Vec<(Op<'p>, usize)>,
    /// Why it is a group, for people.
    pub origin: String,
}

impl<'p> Group<'p> {
    /// What is between the members and has to go behind the loops, in order.
    pub fn behind(&self) -> impl Iterator<Item = Op<'p>> + '_ {
        let members = self.members.len();
        let between = self
            .behind
            .iter()
            .filter(move |(_, before)| *before < members);
        between.map(|(op, _)| *op)
    }
}

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
    dynamic: &Rc<DynamicDims<'p>>,
    remarks: &Remarks,
) -> Result<Vec<Group<'p>>, Failed> {
    let mut finder = Finder {
        remarks,
        nests: Nests::new(remarks),
        names: Names::of_function(function),
        indexings: Indexings::with(Rc::clone(dynamic)),
        dynamic: Rc::clone(dynamic),
        hint_lists: FxHashMap::default(),
        wanted: FxHashSet::default(),
        groups: Vec::new(),
    };
    let found = finder.block(body);
    // Names matter to those who have hints.
    let named = if finder.hint_lists.is_empty() {
        Ok(())
    } else {
        finder.names.report(&Wanted::Some(&finder.wanted))
    };
    found.inspect_err(|why| refused(remarks, why))?;
    named?;
    Ok(finder.groups)
}

struct Finder<'r, 'p> {
    remarks: &'r Remarks,
    nests: Nests<'r, 'p>,
    names: Names<'p>,
    indexings: Indexings<'p>,
    dynamic: Rc<DynamicDims<'p>>,
    /// Hints by attribute: operations of the same hints share it.
    hint_lists: FxHashMap<usize, Rc<[TileHint]>>,
    /// The names that operations lack which have hints for them, because a reshape has split them.
    wanted: FxHashSet<Name>,
    groups: Vec<Group<'p>>,
}

impl<'p> Finder<'_, 'p> {
    fn block(&mut self, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
        let mut open = Open::default();
        for op in ir::operations(block) {
            let device = DeviceOp::cast(op);
            if let Some(next) = device.and_then(|device| self.hinted(device)) {
                while let Some(why) = open.ends(&next) {
                    let rest = match why {
                        End::Needed(_) => open.split(),
                        _ => Open::default(),
                    };
                    self.close(std::mem::replace(&mut open, rest), why)?;
                    if let Some(first) = open.first() {
                        self.nests.opened(first);
                    }
                }
                if open.is_empty() {
                    self.nests.opened(&next);
                }
                open.add(next);
                continue;
            }
            let is_loop = ir::kind(op) == OpKind::For;
            if device.is_none() && !is_loop {
                self.names.through(op);
            }
            if open.reads(op) && is_carried(op) {
                match self.carry(&open, op) {
                    Ok(view) => {
                        open.add(view);
                        continue;
                    }
                    Err(why) => self.nests.not_carried(op, why),
                }
            }
            if let Err(why) = open.pass(op) {
                self.close(std::mem::take(&mut open), End::Effects(why))?;
            }
            if is_loop && let Some(body) = ir::body(op) {
                if ir::has_discardable_attributes(op) && op.has_attribute(SCOPES) {
                    let message = format!(
                        "the loop has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
                    );
                    return Err(error(op, message));
                }
                self.names.into_loop(op, body);
                self.block(body)?;
                self.names.out_of_loop(op, body);
            }
        }
        self.close(open, End::Block)
    }

    /// A view of what members compute, as a member.
    ///
    /// # Errors
    /// Why a tile of it is no view of a tile.
    fn carry(&mut self, open: &Open<'p>, op: Op<'p>) -> Result<Hinted<'p>, String> {
        let view = super::open::view(op, &self.dynamic, &self.names)?;
        for scope in &open.scopes {
            let name = self.names.intern(&scope.dim);
            open.check_scope(&view, scope, name)?;
        }
        Ok(view)
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
            op: op.into(),
            indexing,
            hints,
            names,
        })
    }

    /// Makes a group of operations, if anything of it is left to tile.
    fn close(&mut self, open: Open<'p>, why: End<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(Settled {
            mut hinted,
            behind,
            scopes,
        }) = open.settle()
        else {
            return Ok(());
        };
        adopt_names(&mut hinted);
        if let Some(last) = hinted.last() {
            self.nests.closed(last.op.op(), &scopes, why);
        }
        // Members mostly share names, space and hints, so what hints mean is worked out once.
        let mut known: FxHashMap<Alike<'p>, Told> = FxHashMap::default();
        let mut told: Vec<Told> = Vec::with_capacity(hinted.len());
        for member in &hinted {
            let key = (
                member.names.as_ptr().cast(),
                Rc::as_ptr(&member.indexing),
                member.hints.as_ptr().cast(),
            );
            told.push(match known.get(&key) {
                Some(told) => told.clone(),
                None => {
                    let told = hints::cuts(
                        member,
                        &scopes,
                        &self.dynamic,
                        &mut self.names,
                        &mut self.wanted,
                        self.remarks,
                    )?;
                    known.insert(key, told.clone());
                    told
                }
            });
        }
        let best = best(&hinted, &scopes, &told)?;
        let mut levels = Vec::new();
        let mut kept = Vec::new();
        let mut any_ignored = false;
        for (level, (scope, best)) in scopes.iter().zip(&best).enumerate() {
            match best {
                // One tile is no loop, unless there may be none.
                Some((_, cut)) if cut.count <= 1 && !cut.is_dynamic_tile() => {}
                Some((member, cut)) => {
                    let hint = hinted.get(*member);
                    let hint = hint.and_then(|best| hint_of(best, scope.scope));
                    levels.push(Level {
                        count: cut.count,
                        size: cut.size,
                        label: format!("dimension \"{}\"", hint.map_or("", |hint| &hint.dim)),
                        dynamic: cut.dynamic,
                    });
                    kept.push(level);
                }
                None => {
                    let first = hinted
                        .iter()
                        .find_map(|member| Some((member, hint_of(member, scope.scope)?)));
                    let (first, hint) = first.expect("a scope is that of some operation");
                    if hint.tiles != Tiles::Count(1) {
                        any_ignored = true;
                        self.ignored(first, hint);
                    }
                }
            }
        }
        // Without levels, but not for want of names, every count is 1: there is nothing to do for the hints.
        if levels.is_empty() && any_ignored {
            return Ok(());
        }
        let mut dims: FxHashMap<*const Option<Cut>, LevelDims> = FxHashMap::default();
        let members = hinted.iter().zip(&told).map(|(member, told)| Member {
            op: member.op,
            indexing: Rc::clone(&member.indexing),
            dims: Rc::clone(dims.entry(told.cuts.as_ptr()).or_insert_with(|| {
                kept.iter()
                    .map(|level| told.cuts[*level].map(|cut| cut.dim))
                    .collect()
            })),
            apart: told.apart.of(&kept),
        });
        let members = members.collect();
        self.groups.push(Group {
            levels,
            members,
            behind,
            origin: origin(&scopes, &hinted),
        });
        Ok(())
    }

    /// Warns that a hint does nothing.
    fn ignored(&self, first: &Hinted<'p>, hint: &TileHint) {
        let (reason, way_out) = if names::is_placeholder(&hint.dim) {
            (
                "this stands for dimensions that have no name",
                "spyre.dims names those of an argument or a result; hints can then ask for the name",
            )
        } else {
            (
                "no operation of the group has a dimension of this name with more than one element",
                "look at the names with --spyre-propagate-named-dims; spyre.dims names those of an argument or a result",
            )
        };
        self.remarks.emit(|| {
            Remark::new(Kind::Missed, first.op.op().location(), "HintIgnored")
                .arg("Scope", hint.scope)
                .arg("Dimension", &hint.dim)
                .reason(reason)
                .suggestion(way_out)
        });
        let dim = &hint.dim;
        let why = if names::is_placeholder(dim) {
            format!("\"{dim}\" stands for dimensions that have no name, which spyre.dims can give")
        } else {
            format!(
                "no operation of this group has a dimension named \"{dim}\" of more than one element"
            )
        };
        Diagnostic::warning(
            first.op.op().location(),
            format!("coarse-tile: {why}; hint scope {} is ignored", hint.scope),
        )
        .emit();
    }
}

/// Why operations are a group, for people.
fn origin(scopes: &[TileHint], hinted: &[Hinted<'_>]) -> String {
    let scopes: Vec<_> = scopes.iter().map(|hint| hint.scope.to_string()).collect();
    let views = hinted.iter().filter(|member| member.op.is_view()).count();
    let operations = match hinted.len() - views {
        1 => "1 operation".to_owned(),
        operations => format!("{operations} operations in a row"),
    };
    let views = match views {
        0 => String::new(),
        1 => " and a view between them".to_owned(),
        views => format!(" and {views} views between them"),
    };
    let scope = if scopes.len() == 1 { "scope" } else { "scopes" };
    format!(
        "{operations}{views} with hint {scope} {}",
        scopes.join(", ")
    )
}
