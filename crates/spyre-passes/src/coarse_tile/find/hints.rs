//! The cuts that hints ask of the operations that have them (middle-end specification, sections 3.2 and 3.3).

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::plan::tile_kinds::undeclared;
use crate::coarse_tile::plan::trips::MOST_LEVELS;
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::names::{Ambiguous, DimNames, Name, Names, position};

/// An operation with its hints and the names of its iteration dimensions.
pub struct Hinted<'p> {
    /// The operation.
    pub op: GroupOp<'p>,
    /// The indexing of its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// Its hints, outermost scope first. A view has those of its group, once the group is known.
    pub hints: Rc<[TileHint]>,
    /// The names of its iteration dimensions.
    pub names: DimNames,
}

/// The cut that a hint asks of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The iteration dimension.
    pub dim: usize,
    /// The number of tiles.
    pub count: u64,
    /// The extent of a tile in elements, if the hint asks for an extent; `None` if it asks for a number of tiles.
    pub size: Option<u64>,
    /// The dynamic dimension that it cuts first, if there is one. `count` is then the largest number of tiles that there can be.
    pub dynamic: Option<SymbolId>,
}

impl Cut {
    /// Returns whether it asks for tiles of a fixed extent of a dynamic dimension. There may be one such tile.
    pub fn is_dynamic_tile(self) -> bool {
        self.dynamic.is_some() && self.size.is_some()
    }
}

/// The cut of each hint for an operation; `None` where it lacks the dimension.
pub type Cuts = Rc<[Option<Cut>]>;

/// The cuts of an operation, and the scopes of its group that it is not in.
#[derive(Debug, Clone)]
pub struct Told {
    /// The cut for each hint of the group.
    pub cuts: Cuts,
    /// The levels of the scopes that the operation is not in.
    pub apart: Levels,
}

/// A set of levels, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels(u64);

impl Levels {
    /// Returns whether a level is in the set.
    pub fn has(self, level: usize) -> bool {
        level < MOST_LEVELS && self.0 >> level & 1 == 1
    }

    /// Returns the set with a level added. A level that no group can have is left out.
    pub fn with(self, level: usize) -> Self {
        if level < MOST_LEVELS {
            Self(self.0 | 1 << level)
        } else {
            self
        }
    }

    /// Returns the levels of either set.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the levels of both sets.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the set under the numbers that levels have in `kept`. Levels that are not in `kept` are left out.
    pub fn of(self, kept: &[usize]) -> Self {
        let levels = kept.iter().enumerate();
        let levels = levels.filter(|(_, level)| self.has(**level));
        levels.fold(Self::default(), |set, (number, _)| set.with(number))
    }
}

/// Returns the scopes of a nest that has operations of both lists of hints; `None` if no nest has both. Operations of one list of
/// scopes are in one nest. So are operations that share the outermost scope, if they agree on all scopes that they share: each
/// operation is in the loops of its own scopes.
pub fn join(a: &[TileHint], b: &[TileHint]) -> Option<Vec<TileHint>> {
    if a.iter()
        .map(|hint| hint.scope)
        .eq(b.iter().map(|hint| hint.scope))
    {
        return Some(a.to_vec());
    }
    if a.first()? != b.first()? {
        return None;
    }
    let mut joined = a.to_vec();
    for hint in b {
        match a.iter().find(|known| known.scope == hint.scope) {
            Some(known) if known != hint => return None,
            Some(_) => {}
            None => joined.push(hint.clone()),
        }
    }
    joined.sort_by_key(|hint| hint.scope);
    (joined.len() <= MOST_LEVELS).then_some(joined)
}

/// Returns the cut of each hint of a group for an operation; `None` where the operation is not in that scope or lacks the
/// dimension. Adds to `wanted` the names that it lacks because a reshape has split them.
///
/// # Errors
/// A name is that of two dimensions, or a number of tiles is asked of a dynamic extent, or a dynamic extent is not declared.
pub fn cuts<'p>(
    member: &Hinted<'p>,
    scopes: &[TileHint],
    dynamic: &DynamicDims<'p>,
    names: &mut Names<'p>,
    wanted: &mut FxHashSet<Name>,
    remarks: &Remarks,
) -> Result<Told, Diagnostic<'p>> {
    // The extent along each name, in elements, that is left to the next level.
    let mut left: FxHashMap<Name, u64> = FxHashMap::default();
    let mut cuts = Vec::with_capacity(scopes.len());
    let mut apart = Levels::default();
    for (level, scope) in scopes.iter().enumerate() {
        let Some(hint) = hint_of(member, scope.scope) else {
            apart = apart.with(level);
            cuts.push(None);
            continue;
        };
        let name = names.intern(&hint.dim);
        let found = position(&member.names, &member.indexing.space, name)
            .map_err(|Ambiguous(a, b)| ambiguous(member, &hint.dim, a, b))?;
        let Some(found) = found else {
            if !member.op.is_view() && names.is_lost(member.op.op(), name) {
                wanted.insert(name);
            }
            cuts.push(None);
            continue;
        };
        // No level can cut this dimension of the view, so the view is taken of the complete value, behind the loop.
        if !member.indexing.can_be_cut(found.dim) {
            cuts.push(None);
            continue;
        }
        if found.merged {
            remarks.emit(|| merged(member, hint, found.dim));
        }
        let symbol = member.indexing.symbol(found.dim);
        let is_dynamic = member
            .indexing
            .space
            .get(found.dim)
            .is_some_and(|it| *it < 0);
        if is_dynamic {
            return Err(undeclared(member.op.op(), found.dim));
        }
        // Inside its first tiles, the extent is fixed.
        let symbol = symbol.filter(|_| !left.contains_key(&name));
        if let (Tiles::Count(count @ 2..), Some(symbol)) = (hint.tiles, symbol) {
            let dynamic = dynamic.symbol(symbol);
            let message = format!(
                "\"{}\" is chosen at run time, so {count} tiles of it have no fixed extent; give the extent of a tile, a \
                 divisor of {}, as in \"{}\" by {}",
                dynamic.name,
                dynamic.extent.max(),
                dynamic.name,
                dynamic.extent.granularity()
            );
            return Err(error(member.op.op(), message));
        }
        let extent = symbol.map_or(found.extent, |symbol| dynamic.symbol(symbol).extent.max());
        let left = left.entry(name).or_insert(extent);
        let count = hint.tiles.count(*left);
        // A size is that of the named dimension, and not of the one that it was merged into.
        let size = match hint.tiles {
            Tiles::Size(size) if !found.merged => Some(size),
            _ => None,
        };
        *left = size.unwrap_or(left.div_ceil(count.max(1)));
        cuts.push(Some(Cut {
            dim: found.dim,
            count,
            size,
            dynamic: symbol,
        }));
    }
    let cuts = cuts.into();
    Ok(Told { cuts, apart })
}

/// Returns the hint of an operation for a scope; `None` if it has none.
pub fn hint_of<'h>(member: &'h Hinted<'_>, scope: i64) -> Option<&'h TileHint> {
    member.hints.iter().find(|hint| hint.scope == scope)
}

/// Returns the error that a name is that of two dimensions.
fn ambiguous<'p>(member: &Hinted<'p>, name: &str, a: usize, b: usize) -> Diagnostic<'p> {
    let message = format!(
        "\"{name}\" names both dimension {a} and dimension {b} of this operation, so it does not say which one to cut; give one \
             of them another name where it is declared, with spyre.dims, or leave the operation out of the scope"
    );
    error(member.op.op(), message)
}

/// Returns the remark that a hint cuts more than it names.
fn merged<'p>(member: &Hinted<'p>, hint: &TileHint, dim: usize) -> Remark<'p> {
    let reason = format!(
        "it is merged into dimension {dim} of the operation, which is cut into as many tiles instead"
    );
    Remark::new(Kind::Analysis, member.op.op().location(), "MergedDimension")
        .arg("Operation", ir::name(member.op.op()))
        .arg("Dimension", &hint.dim)
        .reason(reason)
}

/// Returns for each level the first member that has the dimension of the hint, and the cut of the hint there; `None` if no member
/// has it.
///
/// # Errors
/// Members that have the dimension disagree.
pub fn best<'p>(
    hinted: &[Hinted<'p>],
    scopes: &[TileHint],
    told: &[Told],
) -> Result<Vec<Option<(usize, Cut)>>, Diagnostic<'p>> {
    let mut best: Vec<Option<(usize, Cut)>> = vec![None; scopes.len()];
    // Views have no hints of their own.
    let own = hinted.iter().zip(told).enumerate();
    for (index, (member, told)) in own.filter(|(_, (member, _))| !member.op.is_view()) {
        for ((scope, cut), best) in scopes.iter().zip(told.cuts.iter()).zip(&mut best) {
            let Some(cut) = *cut else { continue };
            let Some((taken, best)) = *best else {
                *best = Some((index, cut));
                continue;
            };
            let leader = &hinted[taken];
            let hints = hint_of(leader, scope.scope).zip(hint_of(member, scope.scope));
            let (a, b) = hints.expect("operations have the hints that say how they are cut");
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

/// Gives dimensions without names the names by which the group reads them. So a value that is computed from operands without
/// names is cut as its readers are.
pub fn adopt_names(hinted: &mut [Hinted<'_>]) {
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
    // Readers come before the operations that they read.
    for reader in (0..hinted.len()).rev() {
        let member = &hinted[reader];
        let (indexing, names) = (Rc::clone(&member.indexing), Rc::clone(&member.names));
        let operands: Vec<_> = member.op.op().operands().collect();
        for (operand, (value, read)) in operands.into_iter().zip(&indexing.tensors).enumerate() {
            let made = ir::defining_op(value).and_then(|op| positions.get(&ir::op_key(op)));
            let Some(maker) = made.and_then(|made| hinted.get_mut(*made)) else {
                continue;
            };
            if !is_unnamed(maker) {
                continue;
            }
            let mut adopted = maker.names.to_vec();
            let result = maker.indexing.tensors.len() - 1;
            for (dim, (made, read)) in maker.indexing.result().iter().zip(read).enumerate() {
                if let Some(made) = made.and_then(|made| adopted.get_mut(made))
                    && made.is_empty()
                    // A part of a merged dimension has another extent.
                    && indexing.scale(operand, dim) == maker.indexing.scale(result, dim)
                    && let Some(read) = read.and_then(|read| names.get(read))
                {
                    made.clone_from(read);
                }
            }
            maker.names = adopted.into();
        }
    }
}
