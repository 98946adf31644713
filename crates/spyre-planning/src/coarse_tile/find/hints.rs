//! The cuts that hints request for the operations that have them (middle-end specification, sections 3.2 and 3.3).

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::{DynamicDims, Symbol, SymbolId};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::names::{Ambiguous, DimNames, Name, Names, position};
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, Tiles};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::ids::{Id, IterDim};
use crate::coarse_tile::plan::tile_kinds::undeclared;
use crate::coarse_tile::plan::trips::MOST_LEVELS;

/// An operation with its hints and the names of its iteration dimensions.
pub(crate) struct Hinted<'p> {
    /// The operation.
    pub(crate) op: GroupOp<'p>,
    /// The indexing of its tensors.
    pub(crate) indexing: Rc<Indexing<'p>>,
    /// The hints, outermost scope first. A view has the hints of its group, once the group is known.
    pub(crate) hints: Rc<[TileHint]>,
    /// The names of its iteration dimensions.
    pub(crate) names: DimNames,
}

/// The cut that a hint requests for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HintCut {
    /// The iteration dimension.
    pub(crate) dim: IterDim,
    /// The number of tiles.
    pub(crate) count: u64,
    /// The extent of a tile in elements, if the hint gives an extent; `None` if it gives a number of tiles.
    pub(crate) size: Option<u64>,
    /// The dynamic dimension that it cuts first, if there is one. `count` is then the largest number of tiles that there can be.
    pub(crate) dynamic: Option<SymbolId>,
}

impl HintCut {
    /// Returns whether the level requests tiles of a fixed extent along a dynamic dimension. The number of these tiles
    /// may be 1.
    pub(crate) fn is_dynamic_tile(self) -> bool {
        self.dynamic.is_some() && self.size.is_some()
    }
}

/// The effect of a scope of a group on an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeCut {
    /// The operation is not in the scope.
    Apart,
    /// The operation lacks the dimension.
    Lacks,
    /// The hint of the scope cuts a dimension.
    Cuts(HintCut),
}

/// The effect of each scope of a group on an operation.
pub(crate) type ScopeCuts = Rc<[ScopeCut]>;

/// Returns the scopes of a nest that has operations of both lists of hints; `None` if no nest has both. Operations of
/// one list of scopes are in one nest. Operations that share the outermost scope are as well, if they agree on all
/// scopes that they share: each operation is in the loops of its scopes.
pub(crate) fn join(a: &[TileHint], b: &[TileHint]) -> Option<Vec<TileHint>> {
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
        match a.iter().find(|other| other.scope == hint.scope) {
            Some(other) if other != hint => return None,
            Some(_) => {}
            None => joined.push(hint.clone()),
        }
    }
    joined.sort_by_key(|hint| hint.scope);
    (joined.len() <= MOST_LEVELS).then_some(joined)
}

/// Returns the effect of each scope of a group on an operation. Adds to `wanted_names` the names that it lacks because a
/// reshape has split them.
///
/// # Errors
/// A name is that of two dimensions, or a hint gives a number of tiles for a dynamic extent, or a dynamic extent is not
/// declared.
pub(crate) fn cuts<'p>(
    member: &Hinted<'p>,
    scopes: &[TileHint],
    dynamic: &DynamicDims,
    names: &mut Names<'p>,
    wanted_names: &mut FxHashSet<Name>,
    remarks: &Remarks,
) -> Result<ScopeCuts, Diagnostic<'p>> {
    // The extent along each name, in elements, that is left to the next level.
    let mut left: FxHashMap<Name, u64> = FxHashMap::default();
    let mut cut = |scope: &TileHint| -> Result<ScopeCut, Diagnostic<'p>> {
        let Some(hint) = hint_of(member, scope.scope) else {
            return Ok(ScopeCut::Apart);
        };
        let name = names.intern(&hint.dim);
        let dim_position = position(&member.names, &member.indexing.space, name)
            .map_err(|Ambiguous(a, b)| ambiguous(member, &hint.dim, a, b))?;
        let Some(dim_position) = dim_position else {
            if !member.op.is_view() && names.is_lost(member.op.op(), name) {
                wanted_names.insert(name);
            }
            return Ok(ScopeCut::Lacks);
        };
        // No level can cut this dimension, so the view is built of the complete value, outside of the loop, and the loop reads
        // windows of the view.
        if !member.indexing.can_be_cut(dim_position.dim) {
            if !member.op.is_view() {
                remarks.emit(|| whole(member, hint, dim_position.dim));
            }
            return Ok(ScopeCut::Lacks);
        }
        if dim_position.merged {
            remarks.emit(|| merged(member, hint, dim_position.dim));
        }
        if member.indexing.space[dim_position.dim] < 0 {
            return Err(undeclared(member.op.op(), dim_position.dim));
        }
        // Inside its first tiles, the extent is fixed.
        let symbol = member.indexing.symbol(dim_position.dim);
        let symbol = symbol.filter(|_| !left.contains_key(&name));
        let declared = symbol.map(|symbol| dynamic.symbol(symbol));
        if let (Tiles::Count(count @ 2..), Some(declared)) = (hint.tiles, declared) {
            return Err(counted(member, count, declared));
        }
        let extent = declared.map_or(dim_position.extent, |declared| declared.extent.max());
        let left = left.entry(name).or_insert(extent);
        let count = hint.tiles.count(*left);
        // A size is that of the named dimension, and not of the one that it was merged into.
        let size = match hint.tiles {
            Tiles::Size(size) if !dim_position.merged => Some(size),
            _ => None,
        };
        *left = size.unwrap_or_else(|| left.div_ceil(count.max(1)));
        Ok(ScopeCut::Cuts(HintCut {
            dim: IterDim::new(dim_position.dim),
            count,
            size,
            dynamic: symbol,
        }))
    };
    scopes.iter().map(&mut cut).collect()
}

/// Returns the hint of an operation for a scope; `None` if it has none.
pub(crate) fn hint_of<'h>(member: &'h Hinted<'_>, scope: i64) -> Option<&'h TileHint> {
    member.hints.iter().find(|hint| hint.scope == scope)
}

/// Returns the error that a name is that of two dimensions.
fn ambiguous<'p>(member: &Hinted<'p>, name: &str, a: usize, b: usize) -> Diagnostic<'p> {
    let message = format!(
        "\"{name}\" names both dimension {a} and dimension {b} of this operation, so the dimension to cut is ambiguous; give one \
             of them another name where it is declared, with spyre.dims, or leave the operation out of the scope"
    );
    error(member.op.op(), message)
}

/// Returns the error of a hint with a number of tiles for a dynamic extent.
fn counted<'p>(member: &Hinted<'p>, count: u64, declared: &Symbol) -> Diagnostic<'p> {
    let (name, extent) = (&declared.name, declared.extent);
    let message = format!(
        "\"{name}\" is dynamic, so {count} tiles of it have no fixed extent; give the extent of a tile, a divisor of \
         {}, as in \"{name}\" by {}",
        extent.max(),
        extent.granularity(),
    );
    error(member.op.op(), message)
}

/// Returns the remark that no loop cuts a dimension which windows walk along, or which is normalised.
fn whole<'p>(member: &Hinted<'p>, hint: &TileHint, dim: usize) -> Remark<'p> {
    let normalised = member.op.device().and_then(DeviceOp::normalised_dim);
    let (name, reason) = if normalised == Some(dim) {
        (
            "NormalisedDimension",
            "its rows are normalised as a whole, and no operation combines moments of parts; the operation is whole",
        )
    } else {
        (
            "OverlappingWindows",
            "windows overlap along it, so tiles of it would read parts of each other; the operation is whole",
        )
    };
    Remark::new(RemarkKind::Missed, member.op.op().location(), name)
        .arg("Operation", ir::name(member.op.op()))
        .arg("Dimension", &hint.dim)
        .reason(reason)
}

/// Returns the remark that a hint cuts a dimension of which its name is only a part.
fn merged<'p>(member: &Hinted<'p>, hint: &TileHint, dim: usize) -> Remark<'p> {
    let reason = format!(
        "it is merged into dimension {dim} of the operation, which is cut into as many tiles instead"
    );
    Remark::new(
        RemarkKind::Analysis,
        member.op.op().location(),
        "MergedDimension",
    )
    .arg("Operation", ir::name(member.op.op()))
    .arg("Dimension", &hint.dim)
    .reason(reason)
}

/// Returns for each scope the first member that has the dimension of the hint, and the cut of the hint there; `None` if no member
/// has it.
///
/// # Errors
/// Members that have the dimension disagree.
pub(crate) fn leaders<'h, 'p>(
    hinted: &'h [Hinted<'p>],
    scopes: &[TileHint],
    cuts: &[ScopeCuts],
) -> Result<Vec<Option<Leader<'h, 'p>>>, Diagnostic<'p>> {
    let mut leaders = vec![None; scopes.len()];
    // Views have the hints of the group.
    let members = hinted.iter().zip(cuts).enumerate();
    for (index, (member, cuts)) in members.filter(|(_, (member, _))| !member.op.is_view()) {
        for ((scope, cut), leader) in scopes.iter().zip(cuts.iter()).zip(&mut leaders) {
            let ScopeCut::Cuts(cut) = *cut else { continue };
            let hint = hint_of(member, scope.scope);
            let hint = hint.expect("an operation that is cut has the hint");
            match leader {
                None => {
                    *leader = Some(Leader {
                        member,
                        is_first: index == 0,
                        hint,
                        cut,
                    });
                }
                Some(leader) if leader.cut.count == cut.count && leader.hint.dim == hint.dim => {}
                Some(leader) => return Err(leader.disagreement(member, hint, cut)),
            }
        }
    }
    Ok(leaders)
}

/// The member with the hint that determines the loop of a scope.
#[derive(Clone, Copy)]
pub(crate) struct Leader<'h, 'p> {
    member: &'h Hinted<'p>,
    /// Whether it starts the group.
    is_first: bool,
    /// The hint.
    pub(crate) hint: &'h TileHint,
    /// The cut that the hint requests.
    pub(crate) cut: HintCut,
}

impl<'p> Leader<'_, 'p> {
    /// Returns the error that a member requests other tiles.
    fn disagreement(&self, member: &Hinted<'p>, hint: &TileHint, cut: HintCut) -> Diagnostic<'p> {
        let (at, note) = if self.is_first {
            ("at the start of the group", "the group starts here")
        } else {
            (
                "where the group takes it from",
                "the group takes the hint from here",
            )
        };
        let message = format!(
            "scope {} asks for \"{}\" in {} tiles here, but for \"{}\" in {} {at}",
            hint.scope, hint.dim, cut.count, self.hint.dim, self.cut.count
        );
        error(member.op.op(), message)
            .note(self.member.op.op().location(), note)
            .suggest("another scope id for one of them makes two groups")
    }
}

/// Gives dimensions without names the names by which the group reads them. So a value that is computed from operands without
/// names is cut as its readers are.
pub(crate) fn adopt_names(hinted: &mut [Hinted<'_>]) {
    let is_unnamed = |member: &Hinted<'_>| {
        let mut dims = member.names.iter().zip(&member.indexing.space);
        dims.any(|(names, extent)| names.is_empty() && *extent != 1)
    };
    if !hinted.iter().any(is_unnamed) {
        return;
    }
    let positions: FxHashMap<ir::OpKey, usize> = hinted
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
            let index = ir::defining_op(value).and_then(|op| positions.get(&ir::op_key(op)));
            let Some(maker) = index.map(|index| &mut hinted[*index]) else {
                continue;
            };
            if !is_unnamed(maker) {
                continue;
            }
            let mut adopted = maker.names.to_vec();
            let result = maker.indexing.tensors.len() - 1;
            for (dim, (result_dim, read)) in maker.indexing.result().iter().zip(read).enumerate() {
                // A part of a merged dimension has another extent.
                if let (Some(result_dim), Some(read)) = (*result_dim, *read)
                    && adopted[result_dim].is_empty()
                    && indexing.scale(operand, dim) == maker.indexing.scale(result, dim)
                {
                    adopted[result_dim].clone_from(&names[read]);
                }
            }
            maker.names = adopted.into();
        }
    }
}
