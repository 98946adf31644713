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

use crate::assign_hints::SCOPES;
use crate::coarse_tile::find::group_op::{GroupOp, is_carried};
use crate::coarse_tile::find::hints::{
    self, Cut, Hinted, Levels, Told, adopt_names, best, hint_of,
};
use crate::coarse_tile::find::open::{Open, Settled};
use crate::coarse_tile::find::splits::{End, Nests};
use crate::coarse_tile::{error, refused};
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::{Indexing, Indexings};
use crate::names::{self, Name, Names, Wanted};

/// One loop level of a group.
#[derive(Debug, Clone)]
pub struct Level {
    /// The number of tiles.
    pub count: u64,
    /// The extent of a tile in elements, if the hint asks for an extent; `None` if it asks for a number of tiles.
    pub size: Option<u64>,
    /// The name of the level in diagnostics, in the user's words: `dimension "A"`, `dimension 0`.
    pub label: String,
    /// The dynamic dimension that it cuts first, if there is one. The loop then runs up to the dimension's extent, and `count` is
    /// the largest number of tiles.
    pub dynamic: Option<SymbolId>,
}

/// The iteration dimension that each level cuts; `None` where an operation has no such dimension.
pub type LevelDims = Rc<[Option<usize>]>;

/// One operation of a group.
#[derive(Debug, Clone)]
pub struct Member<'p> {
    /// The operation.
    pub op: GroupOp<'p>,
    /// The indexing of its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// The iteration dimension that each level cuts; `None` where the operation has no such dimension.
    pub dims: Rc<[Option<usize>]>,
    /// The levels whose loops it must not be in.
    pub apart: Levels,
}

/// Operations of one block to tile together. The operations between them use none of their results, except those that go behind
/// the loops.
#[derive(Debug, Clone)]
pub struct Group<'p> {
    /// The levels, outermost first. Without levels nothing is tiled, and the hints are removed.
    pub levels: Vec<Level>,
    /// The operations, in order; at least one.
    pub members: Vec<Member<'p>>,
    /// Operations that have to be behind the loops, in order, each with the number of members before it.
    pub behind: Vec<(Op<'p>, usize)>,
    /// The reason why it is a group, for messages.
    pub origin: String,
}

impl<'p> Group<'p> {
    /// Returns the operations between the members that have to go behind the loops, in order.
    pub fn behind(&self) -> impl Iterator<Item = Op<'p>> + '_ {
        let members = self.members.len();
        let between = self
            .behind
            .iter()
            .filter(move |(_, before)| *before < members);
        between.map(|(op, _)| *op)
    }
}

/// The key of operations for which hints mean the same: the addresses of names, iteration space and hints.
type Alike<'p> = (*const u8, *const Indexing<'p>, *const u8);

/// Finds the groups from the hints on operations (middle-end specification, section 3.3), in the function's block and in those of
/// the loops in it.
///
/// # Errors
/// Hints or names contradict each other. The problems with names have been reported.
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
    // Names are only checked if operations have hints.
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
    /// Hints by the address of their attribute, which operations with the same hints share.
    hint_lists: FxHashMap<usize, Rc<[TileHint]>>,
    /// The names that operations have hints for, but lack because a reshape has split them.
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

    /// Makes a member of a view of values that members compute.
    ///
    /// # Errors
    /// The reason why a tile of the view is no view of a tile.
    fn carry(&mut self, open: &Open<'p>, op: Op<'p>) -> Result<Hinted<'p>, String> {
        let view = crate::coarse_tile::find::open::view(op, &self.dynamic, &self.names)?;
        for scope in &open.scopes {
            let name = self.names.intern(&scope.dim);
            open.check_scope(&view, scope, name)?;
        }
        Ok(view)
    }

    /// Returns the operation with its hints; `None` if it has none. Its result gets its names either way.
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

    /// Makes a group of the open operations, if anything is left to tile.
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
        // Members mostly share names, space and hints, so the cuts of equal members are worked out once.
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
                // A level of one tile is no loop, except along a dynamic dimension, which may have fewer tiles.
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
        // If there are no levels and no hint was ignored, every count is 1: the hints need no loops.
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

    /// Warns that a hint is ignored.
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

/// Returns the reason why operations are a group, for messages.
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
