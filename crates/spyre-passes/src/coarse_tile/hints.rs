//! What hints mean for the operations that have them (middle-end specification, sections 3.2 and 3.3).

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::remark::{Kind, Remark, Remarks};

use super::cuts::undeclared;
use super::error;
use super::group_op::GroupOp;
use super::trips::MOST_LEVELS;
use crate::dynamic::{DynamicDims, SymbolId};
use crate::indexing::Indexing;
use crate::names::{Ambiguous, DimNames, Name, Names, position};

/// An operation with its hints and the names of its iteration dimensions.
pub struct Hinted<'p> {
    /// The operation.
    pub op: GroupOp<'p>,
    /// How it indexes its tensors.
    pub indexing: Rc<Indexing<'p>>,
    /// Its hints, outermost scope first; a view has those of its group, once it is known.
    pub hints: Rc<[TileHint]>,
    /// What its iteration dimensions are called.
    pub names: DimNames,
}

/// What a hint means for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The iteration dimension.
    pub dim: usize,
    /// The number of tiles.
    pub count: u64,
    /// The extent of a tile, if the hint asks for that and not for a number.
    pub size: Option<u64>,
    /// The dynamic dimension that it cuts first, so that the number of tiles is the most that there can be.
    pub dynamic: Option<SymbolId>,
}

impl Cut {
    /// Whether it asks for tiles of a fixed extent of a dynamic dimension, of which there may be one.
    pub fn is_dynamic_tile(self) -> bool {
        self.dynamic.is_some() && self.size.is_some()
    }
}

/// What each hint means for an operation; `None` where it lacks the dimension.
pub type Cuts = Rc<[Option<Cut>]>;

/// What hints mean for an operation and which ones it has, of those of its group.
#[derive(Debug, Clone)]
pub struct Told {
    /// What each means.
    pub cuts: Cuts,
    /// The hints of scopes that it is not in.
    pub apart: Levels,
}

/// A set of levels, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels(u64);

impl Levels {
    /// Whether a level is in the set.
    pub fn has(self, level: usize) -> bool {
        level < MOST_LEVELS && self.0 >> level & 1 == 1
    }

    /// The set with a level, if a group can have so many.
    pub fn with(self, level: usize) -> Self {
        if level < MOST_LEVELS {
            Self(self.0 | 1 << level)
        } else {
            self
        }
    }

    /// The levels of either set.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The levels of both sets.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The set under the numbers that levels have in `kept`.
    pub fn of(self, kept: &[usize]) -> Self {
        let levels = kept.iter().enumerate();
        let levels = levels.filter(|(_, level)| self.has(**level));
        levels.fold(Self::default(), |set, (number, _)| set.with(number))
    }
}

/// The scopes of a nest that has operations of both lists of hints; `None` if no nest has both. Operations of one list of
/// scopes are in one nest. So are operations that share the outermost scope, if they agree on all that they share: each is in
/// the loops of its own scopes.
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

/// What each hint of a group means for an operation; nothing, where the operation is not in that scope. Adds to `wanted` the
/// names that it lacks because a reshape has split them.
///
/// # Errors
/// A name is that of two dimensions, or a number of tiles is asked of a dynamic extent.
pub fn cuts<'p>(
    member: &Hinted<'p>,
    scopes: &[TileHint],
    dynamic: &DynamicDims<'p>,
    names: &mut Names<'p>,
    wanted: &mut FxHashSet<Name>,
    remarks: &Remarks,
) -> Result<Told, Diagnostic<'p>> {
    // Elements of each name that are left to the next level.
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
        // A view of all along the dimension is a view of what is complete behind the loop.
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
        // A size is that of the named dimension, and not of what it was merged into.
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

/// The hint of an operation for a scope.
pub fn hint_of<'h>(member: &'h Hinted<'_>, scope: i64) -> Option<&'h TileHint> {
    member.hints.iter().find(|hint| hint.scope == scope)
}

/// The error that a name is that of two dimensions.
fn ambiguous<'p>(member: &Hinted<'p>, name: &str, a: usize, b: usize) -> Diagnostic<'p> {
    let message = format!(
        "\"{name}\" names both dimension {a} and dimension {b} of this operation, so it does not say which one to cut; give one \
             of them another name where it is declared, with spyre.dims, or leave the operation out of the scope"
    );
    error(member.op.op(), message)
}

/// The remark that a hint cuts more than what it names.
fn merged<'p>(member: &Hinted<'p>, hint: &TileHint, dim: usize) -> Remark<'p> {
    let reason = format!(
        "it is merged into dimension {dim} of the operation, which is cut into as many tiles instead"
    );
    Remark::new(Kind::Analysis, member.op.op().location(), "MergedDimension")
        .arg("Operation", ir::name(member.op.op()))
        .arg("Dimension", &hint.dim)
        .reason(reason)
}

/// For each level the member with the best hint, which is the first that has the dimension, and what it means
/// there.
///
/// # Errors
/// Members that have the dimension disagree.
pub fn best<'p>(
    hinted: &[Hinted<'p>],
    scopes: &[TileHint],
    told: &[Told],
) -> Result<Vec<Option<(usize, Cut)>>, Diagnostic<'p>> {
    let mut best: Vec<Option<(usize, Cut)>> = vec![None; scopes.len()];
    // A view has the hints of others.
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

/// Gives dimensions that nobody has named the names by which the group reads them: what is computed from operands
/// without names is cut as its readers are.
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
    // Readers before what they read.
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
