//! Finds the groups that hints define: operations in a row that share their outermost scope.
//!
//! A block is read once, in order. An operation with hints joins the open group, if the scopes are compatible and it
//! depends on no operation that has to be after the loops. A view of a value of the group joins it too, if tiles of the
//! value have tiles of the view. All other operations are passed. Each scope of the group becomes a level, by the hint
//! of the first operation that has the dimension; a scope of one tile needs none.

use std::mem;
use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::DynamicDims;
use spyre_analysis::indexing::{Indexing, Indexings};
use spyre_analysis::kinds::is_carried;
use spyre_analysis::names::{
    self, DimName, DimNames, Followed, Follower, Name, Names, Visit, Wanted,
};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_dialects::names::SCOPES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_mlir_rt::pass::Failed;
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

use crate::coarse_tile::find::hints::{
    self, Hinted, Leader, ScopeCut, ScopeCuts, adopt_names, hint_of, leaders,
};
use crate::coarse_tile::find::open::{self, ClosedGroup, OpenGroup};
use crate::coarse_tile::find::splits::{GroupEnd, ScopeSplits};
use crate::coarse_tile::find::{Group, Level, LevelDim, LevelDims, Member};
use crate::coarse_tile::ids::{IdVec, Shared};
use crate::coarse_tile::{error, refused};

/// The key of operations for which hints mean the same: their names, iteration space and hints.
type CutsKey<'p> = (Shared<[DimName]>, Shared<Indexing<'p>>, Shared<[TileHint]>);

/// Finds the groups from the hints on operations (middle-end specification, section 3.3), in the function's block and
/// in the blocks of the loops in it.
///
/// # Errors
/// Hints or names contradict each other. The problems with names have been reported.
pub(crate) fn from_hints<'p>(
    function: Op<'p>,
    body: Blk<'p>,
    dynamic: &Rc<DynamicDims>,
    remarks: &Remarks,
) -> Result<Vec<Group<'p>>, Failed> {
    let mut finder = Finder {
        remarks,
        splits: ScopeSplits::new(remarks),
        followed: Followed {
            names: Names::of_function(function),
            indexings: Indexings::with(Rc::clone(dynamic)),
        },
        open: OpenGroup::default(),
        outer: Vec::new(),
        dynamic: Rc::clone(dynamic),
        hint_lists: FxHashMap::default(),
        wanted_names: FxHashSet::default(),
        groups: Vec::new(),
    };
    let result = finder.follow(body);
    let result = result.and_then(|()| finder.close_open(GroupEnd::Block));
    // Names are only checked if operations have hints.
    let named = if finder.hint_lists.is_empty() {
        Ok(())
    } else {
        finder
            .followed
            .names
            .report(&Wanted::Some(&finder.wanted_names))
    };
    result.inspect_err(|err| refused(remarks, err))?;
    named?;
    Ok(finder.groups)
}

struct Finder<'r, 'p> {
    remarks: &'r Remarks,
    splits: ScopeSplits<'r, 'p>,
    followed: Followed<'p>,
    /// The group that the next operation of the block may join.
    open: OpenGroup<'p>,
    /// The open groups of the enclosing blocks.
    outer: Vec<OpenGroup<'p>>,
    dynamic: Rc<DynamicDims>,
    /// Hints by the address of their attribute, which operations with the same hints share.
    hint_lists: FxHashMap<ir::AttributeKey, Rc<[TileHint]>>,
    /// The names that operations have hints for, but lack because a reshape has split them.
    wanted_names: FxHashSet<Name>,
    groups: Vec<Group<'p>>,
}

impl<'p> Follower<'p> for Finder<'_, 'p> {
    type Error = Diagnostic<'p>;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Diagnostic<'p>> {
        match visit {
            Visit::Device(op, indexing, names) => match self.hinted(op, indexing, names) {
                Some(next) => self.join(next),
                None => self.pass(op.op()),
            },
            Visit::Other(op) => {
                if !self.open.reads(op) || !is_carried(op) {
                    return self.pass(op);
                }
                match self.carry(op) {
                    Ok(view) => {
                        self.open.add(view);
                        Ok(())
                    }
                    Err(reason) => {
                        self.splits.not_carried(op, reason);
                        self.pass(op)
                    }
                }
            }
            Visit::Into(op) => {
                self.pass(op)?;
                if ir::has_discardable_attributes(op) && op.has_attribute(SCOPES) {
                    let message = format!(
                        "the loop has '{SCOPES}', which --spyre-assign-dim-hints has to turn into hints first"
                    );
                    return Err(error(op, message));
                }
                self.outer.push(mem::take(&mut self.open));
                Ok(())
            }
            Visit::OutOf(_) => {
                self.close_open(GroupEnd::Block)?;
                self.open = self.outer.pop().expect("the walk has come into the loop");
                Ok(())
            }
        }
    }
}

impl<'p> Finder<'_, 'p> {
    /// Adds an operation with hints to the open group, or begins the next group with it.
    fn join(&mut self, next: Hinted<'p>) -> Result<(), Diagnostic<'p>> {
        while let Some(end) = self.open.ends(&next) {
            let rest = match end {
                GroupEnd::Needed(_) => self.open.split(),
                _ => OpenGroup::default(),
            };
            self.close_open(end)?;
            self.open = rest;
            if let Some(first) = self.open.first() {
                self.splits.opened(first);
            }
        }
        if self.open.is_empty() {
            self.splits.opened(&next);
        }
        self.open.add(next);
        Ok(())
    }

    /// Leaves an operation where it is, which the open group may not go over.
    fn pass(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        match self.open.pass(op) {
            Ok(()) => Ok(()),
            Err(dependence) => self.close_open(GroupEnd::Effects(dependence)),
        }
    }

    /// Closes the open group.
    fn close_open(&mut self, end: GroupEnd<'p>) -> Result<(), Diagnostic<'p>> {
        let open = mem::take(&mut self.open);
        self.close(open, end)
    }

    /// Builds a member for a view of values that members compute.
    ///
    /// # Errors
    /// The reason why a tile of the view is no view of a tile.
    fn carry(&mut self, op: Op<'p>) -> Result<Hinted<'p>, String> {
        let names = &mut self.followed.names;
        let view = open::view(op, &self.dynamic, names)?;
        for scope in &self.open.scopes {
            let name = names.intern(&scope.dim);
            self.open.check_scope(&view, scope, name)?;
        }
        Ok(view)
    }

    /// Returns the operation with its hints; `None` if it has none.
    fn hinted(
        &mut self,
        op: DeviceOp<'p>,
        indexing: Rc<Indexing<'p>>,
        names: DimNames,
    ) -> Option<Hinted<'p>> {
        let attribute = op.hints_attribute()?;
        let key = ir::attribute_key(attribute);
        let hints = match self.hint_lists.get(&key) {
            Some(hints) => Rc::clone(hints),
            None => {
                let hints: Rc<[TileHint]> = op.hints().into();
                for hint in hints.iter() {
                    let all = &mut self.followed.names;
                    let name = all.intern(&hint.dim);
                    all.check_hint(name, op.op().location());
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

    /// Builds a group of the open operations; none if no operation is left to tile.
    fn close(&mut self, open: OpenGroup<'p>, end: GroupEnd<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(ClosedGroup {
            mut hinted,
            behind,
            scopes,
        }) = open.close()
        else {
            return Ok(());
        };
        adopt_names(&mut hinted);
        let last = hinted.last().expect("a group has members");
        self.splits.closed(last.op.op(), &scopes, end);
        let cuts = self.cuts(&hinted, &scopes)?;
        let leaders = leaders(&hinted, &scopes, &cuts)?;
        let mut levels = IdVec::default();
        let mut kept = Vec::new();
        let mut any_ignored = false;
        for (scope, leader) in leaders.iter().enumerate() {
            match leader {
                // A level of one tile is no loop, except along a dynamic dimension, which may have fewer tiles.
                Some(Leader { cut, .. }) if cut.count <= 1 && !cut.is_dynamic_tile() => {}
                Some(Leader { cut, hint, .. }) => {
                    levels.push(Level {
                        count: cut.count,
                        size: cut.size,
                        label: format!("dimension \"{}\"", hint.dim),
                        scope: Some(hint.scope),
                        dynamic: cut.dynamic,
                    });
                    kept.push(scope);
                }
                None => any_ignored |= self.ignored(&hinted, &scopes[scope]),
            }
        }
        // If there are no levels and no hint was ignored, every count is 1, and the hints need no loops.
        if levels.is_empty() && any_ignored {
            return Ok(());
        }
        // Members that share cuts share the effects of levels.
        let mut dims: FxHashMap<Shared<[ScopeCut]>, Rc<LevelDims>> = FxHashMap::default();
        let members = hinted.iter().zip(&cuts).map(|(member, cuts)| Member {
            op: member.op,
            indexing: Rc::clone(&member.indexing),
            dims: Rc::clone(
                dims.entry(Shared::of(cuts))
                    .or_insert_with(|| Rc::new(level_dims(cuts, &kept))),
            ),
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

    /// Returns the effect of each scope on each operation. Operations mostly share names, space and hints, so the cuts
    /// of equal ones are computed once.
    fn cuts(
        &mut self,
        hinted: &[Hinted<'p>],
        scopes: &[TileHint],
    ) -> Result<Vec<ScopeCuts>, Diagnostic<'p>> {
        let mut cuts_by_key: FxHashMap<CutsKey<'p>, ScopeCuts> = FxHashMap::default();
        let mut all_cuts = Vec::with_capacity(hinted.len());
        for member in hinted {
            let (names, indexing) = (Shared::of(&member.names), Shared::of(&member.indexing));
            let key = (names, indexing, Shared::of(&member.hints));
            if let Some(cuts) = cuts_by_key.get(&key) {
                all_cuts.push(Rc::clone(cuts));
                continue;
            }
            let (names, wanted_names) = (&mut self.followed.names, &mut self.wanted_names);
            let cuts = hints::cuts(
                member,
                scopes,
                &self.dynamic,
                names,
                wanted_names,
                self.remarks,
            )?;
            cuts_by_key.insert(key, Rc::clone(&cuts));
            all_cuts.push(cuts);
        }
        Ok(all_cuts)
    }

    /// Warns that the hint of a scope is ignored, unless it requests one tile. Returns whether it is ignored.
    fn ignored(&self, hinted: &[Hinted<'p>], scope: &TileHint) -> bool {
        let mut members = hinted.iter();
        let first = members.find_map(|member| Some((member, hint_of(member, scope.scope)?)));
        let (first, hint) = first.expect("a scope is that of some operation");
        if hint.tiles == Tiles::Count(1) {
            return false;
        }
        let (reason, way_out) = if names::is_placeholder(&hint.dim) {
            (
                "this is a placeholder for dimensions without a name",
                "spyre.dims names those of an argument or a result; hints can then ask for the name",
            )
        } else {
            (
                "no operation of the group has a dimension of this name with more than one element",
                "look at the names with --spyre-propagate-named-dims; spyre.dims names those of an argument or a result",
            )
        };
        self.remarks.emit(|| {
            Remark::new(RemarkKind::Missed, first.op.op().location(), "HintIgnored")
                .arg("Scope", hint.scope)
                .arg("Dimension", &hint.dim)
                .reason(reason)
                .suggestion(way_out)
        });
        let dim = &hint.dim;
        let message = if names::is_placeholder(dim) {
            format!(
                "\"{dim}\" is a placeholder for dimensions without a name, which spyre.dims can give"
            )
        } else {
            format!(
                "no operation of this group has a dimension named \"{dim}\" of more than one element"
            )
        };
        let location = first.op.op().location();
        let message = format!(
            "coarse-tile: {message}; hint scope {} is ignored",
            hint.scope
        );
        Diagnostic::warning(location, message)
            .note(location, self.dims_of(hinted))
            .emit();
        true
    }

    /// Returns the names by which hints can request dimensions of a group, for a note.
    fn dims_of(&self, hinted: &[Hinted<'p>]) -> String {
        let factors = hinted
            .iter()
            .flat_map(|member| member.names.iter().flatten().flatten());
        // A dimension of extent 1 cannot be cut, and a placeholder is no name.
        let named = factors.filter_map(|factor| Some((factor.name?, factor.extent)));
        let mut dims: Vec<String> = Vec::new();
        for (name, extent) in named.filter(|(_, extent)| *extent != 1) {
            let name = self.followed.names.text(name);
            let dim = match extent {
                names::DYNAMIC => format!("\"{name}\" of a dynamic extent"),
                extent => format!("\"{name}\" of {extent}"),
            };
            if !dims.contains(&dim) {
                dims.push(dim);
            }
        }
        match dims.is_empty() {
            true => "no dimension of the group has a name".to_owned(),
            false => format!("dimensions of the group: {}", dims.join(", ")),
        }
    }
}

/// Returns the effect of each of the kept scopes on an operation.
fn level_dims(cuts: &[ScopeCut], kept: &[usize]) -> LevelDims {
    let dim = |scope: &usize| match cuts[*scope] {
        ScopeCut::Apart => LevelDim::Apart,
        ScopeCut::Lacks => LevelDim::Lacks,
        ScopeCut::Cuts(cut) => LevelDim::Cuts(cut.dim),
    };
    kept.iter().map(dim).collect()
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
