//! Sorts the operations of a group into kinds, and reports the reason why their tiles cannot be decided.
//!
//! A kind is the operations with the same indexing of their tensors that the levels cut in the same dimensions.
//! [`super::cuts`] decides the tiles.

use std::rc::Rc;

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::{DynamicDims, Symbol, dynamic_table};
use spyre_analysis::indexing::Indexing;
use spyre_dialects::names::DIM_SIZES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::find::{Level, LevelDims, Member};
use crate::coarse_tile::ids::{IdVec, IterDim, KindId, LevelId, MemberId, Shared};
use crate::coarse_tile::plan::cuts::{self, CutRefusal, DecidedCuts, KindCuts, OtherCount, Units};
use crate::coarse_tile::plan::region::{Axis, INNERMOST, Movement};
use crate::coarse_tile::plan::trips::MOST_LEVELS;

/// Operations of a group that are cut alike.
#[derive(Debug)]
pub(crate) struct TileKind<'p> {
    /// The first of the operations.
    pub(crate) op: GroupOp<'p>,
    /// The indexing of their tensors.
    pub(crate) indexing: Rc<Indexing<'p>>,
    /// The cuts of their dimensions.
    pub(crate) cuts: KindCuts,
    /// The requested cut of each level.
    asked: Rc<LevelDims>,
}

impl TileKind<'_> {
    /// Returns the movement of a window along dimension `host` of a tensor, which has extent `whole` and is indexed by iteration
    /// dimension `dim`. Without a dimension (`None`) the window does not move.
    pub(crate) fn axis_of(
        &self,
        tensor: usize,
        host: usize,
        dim: Option<IterDim>,
        whole: u64,
    ) -> Axis {
        let scale = self.indexing.scale(tensor, host);
        let scaled = |(level, step): &(LevelId, u64)| {
            let step = step.checked_mul(scale);
            let step = step.expect("a tile of a merged dimension is no longer than the dimension");
            (*level, step)
        };
        let axis = dim.map(|dim| self.cuts.axis(dim));
        Axis {
            movement: axis.map_or(Movement::new(), |axis| {
                axis.movement.iter().map(scaled).collect()
            }),
            whole,
            dynamic: axis.and_then(|axis| axis.dynamic),
        }
    }
}

/// The kinds of a group's members.
#[derive(Debug, Default)]
pub(crate) struct TileKinds<'p> {
    /// The kinds.
    pub(crate) kinds: IdVec<KindId, TileKind<'p>>,
    /// The kind of each member.
    pub(crate) of_member: IdVec<MemberId, KindId>,
    ids: FxHashMap<(Shared<Indexing<'p>>, Rc<LevelDims>), KindId>,
}

impl<'p> TileKinds<'p> {
    /// Adds the next member.
    ///
    /// # Errors
    /// A dynamic extent is not declared, or a tensor is not one that passes can handle.
    pub(crate) fn add(
        &mut self,
        member: &Member<'p>,
        units: impl FnOnce(&Rc<Indexing<'p>>) -> Result<Rc<Units>, Diagnostic<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        // Members are mostly like the one before.
        if let Some(last) = self.of_member.last().copied()
            && Rc::ptr_eq(&self.kinds[last].indexing, &member.indexing)
            && self.kinds[last].cuts.dims == member.dims
        {
            self.of_member.push(last);
            return Ok(());
        }
        let key = (Shared::of(&member.indexing), Rc::clone(&member.dims));
        if let Some(kind) = self.ids.get(&key) {
            self.of_member.push(*kind);
            return Ok(());
        }
        let axes = member.indexing.space.iter().enumerate();
        let axes = axes.map(|(dim, extent)| {
            let whole = u64::try_from(*extent).map_err(|_| undeclared(member.op.op(), dim))?;
            Ok(Axis {
                movement: Movement::new(),
                whole,
                dynamic: member.indexing.symbol(dim),
            })
        });
        let kind = self.kinds.push(TileKind {
            op: member.op,
            cuts: KindCuts::new(
                axes.collect::<Result<_, Diagnostic<'p>>>()?,
                units(&member.indexing)?,
                Rc::clone(&member.dims),
            ),
            indexing: Rc::clone(&member.indexing),
            asked: Rc::clone(&member.dims),
        });
        self.ids.insert(key, kind);
        self.of_member.push(kind);
        Ok(())
    }

    /// Decides the tiles of each level.
    ///
    /// # Errors
    /// Operations would have different numbers of tiles, or there are too many levels.
    pub(crate) fn decide(
        &mut self,
        levels: &IdVec<LevelId, Level>,
        dynamic: &DynamicDims,
    ) -> Result<DecidedCuts, Diagnostic<'p>> {
        let mut cuts = self.kinds.iter_mut().map(|kind| &mut kind.cuts).collect();
        let decided = cuts::decide(&mut cuts, levels);
        let decided = decided.map_err(|refusal| self.refused(refusal, levels, dynamic))?;
        self.check_dynamic(dynamic)?;
        Ok(decided)
    }

    /// Returns the error of operations that cannot be cut.
    fn refused(
        &self,
        refusal: CutRefusal,
        levels: &IdVec<LevelId, Level>,
        dynamic: &DynamicDims,
    ) -> Diagnostic<'p> {
        let op = |kind: KindId| self.kinds[kind].op.op();
        match refusal {
            CutRefusal::Levels => {
                let message = format!("{} loop levels, but at most {MOST_LEVELS}", levels.len());
                let first = self.kinds.first().expect("a group has members");
                error(first.op.op(), message)
            }
            CutRefusal::Dynamic {
                level,
                kind,
                dim,
                extent,
                symbol,
            } => {
                let message = match symbol.map(|symbol| dynamic.symbol(symbol)) {
                    Some(Symbol { name, extent, .. }) => format!(
                        "dimension {dim} is \"{name}\", which is dynamic, so tiles of it are requested by their \
                         extent, with a hint such as \"{name}\" by {}",
                        extent.granularity()
                    ),
                    None => format!(
                        "dimension {dim} has extent {extent} here, but {} of another operation of the group is \
                         dynamic",
                        levels[level].label
                    ),
                };
                error(op(kind), message)
            }
            CutRefusal::NoTiles {
                level,
                kind,
                extent,
            } => {
                let Level { label, count, .. } = &levels[level];
                error(
                    op(kind),
                    format!("{label} of extent {extent} has no {count} tiles"),
                )
            }
            CutRefusal::NoMultiple {
                level,
                kind,
                extent,
                tile,
                unit,
            } => {
                let message = format!(
                    "{} is dynamic, with an extent of at most {extent}, which is no multiple of a tile of {tile}{}",
                    levels[level].label,
                    in_sticks(unit)
                );
                error(op(kind), message)
            }
            CutRefusal::OtherTiles { level, kinds } => {
                let [(kind, extent, count), (other, other_extent, other_count)] = kinds;
                let message = format!(
                    "{} of extent {extent} is {count} tiles here, but of extent {other_extent} {other_count} tiles at another \
                     operation of the group, or with another last tile",
                    levels[level].label,
                );
                error(op(kind), message).note(op(other).location(), "the other operation")
            }
        }
    }

    /// Checks that every dynamic dimension is cut, because operations in the loops have fixed extents.
    fn check_dynamic(&self, dynamic: &DynamicDims) -> Result<(), Diagnostic<'p>> {
        for kind in self.kinds.iter() {
            let op = kind.op.op();
            if let Some(reason) = kind.op.device().and_then(dynamic_table) {
                return Err(error(op, reason));
            }
            let symbols = kind.cuts.axes();
            let mut left =
                symbols.filter_map(|(dim, axis)| Some((dim, axis.dynamic_inside(INNERMOST)?)));
            if let Some((dim, symbol)) = left.next() {
                let Symbol { name, extent, .. } = dynamic.symbol(symbol);
                let message = format!(
                    "dimension {dim} is \"{name}\", which is dynamic, but no loop cuts it into tiles of a fixed \
                     extent; a hint such as \"{name}\" by {} does",
                    extent.granularity()
                );
                return Err(error(op, message));
            }
        }
        Ok(())
    }

    /// Returns whether all tensors of the operations that a level was to cut have layouts.
    fn have_layouts(&self, level: LevelId) -> bool {
        let has_layout = |ty: &Type<'p>| {
            let ty = RankedTensorType::try_from(*ty);
            ty.is_ok_and(|ty| ty.encoding().is_some())
        };
        let mut cut = self
            .kinds
            .iter()
            .filter(|kind| kind.asked.cut(level).is_some());
        cut.all(|kind| kind.indexing.types.iter().all(has_layout))
    }

    /// Returns remarks on the levels with another number of tiles than requested.
    pub(crate) fn remarks(
        &self,
        other_counts: &[OtherCount],
        levels: &IdVec<LevelId, Level>,
    ) -> Vec<Diagnostic<'p>> {
        let remark = |by: &OtherCount| {
            let OtherCount {
                extent,
                tile,
                unit,
                count,
                ..
            } = *by;
            let level = &levels[by.level];
            let label = &level.label;
            let asked = match level.size {
                Some(size) => format!("tiles of {size}"),
                None => format!("{} tiles", level.count),
            };
            let message = if unit > 1 && !self.have_layouts(by.level) {
                format!(
                    "coarse-tile: {label} of extent {extent} is cut into tiles of {tile}, which make {count}, and not into \
                     {asked}: without layouts, the stick is taken to be the last dimension of each tensor, and has {unit}; \
                     after the passes that choose layouts, other tiles may be possible"
                )
            } else {
                format!(
                    "coarse-tile: {label} of extent {extent} cannot be cut into {asked}{}; tiles of {tile} make {count}",
                    in_sticks(unit)
                )
            };
            Diagnostic::remark(self.kinds[by.kind].op.op().location(), message)
        };
        other_counts.iter().map(remark).collect()
    }
}

/// Returns the error that a dynamic extent is not declared.
pub(crate) fn undeclared<'p>(op: Op<'p>, dim: usize) -> Diagnostic<'p> {
    let message = format!(
        "dimension {dim} has a dynamic extent, but 'spyre.dims' of the arguments gives it no name that '{DIM_SIZES}' of the \
         function declares #spyre.dynamic"
    );
    error(op, message)
}

/// Returns the words for messages about tiles of whole sticks of `unit` elements; empty for a unit of one element.
fn in_sticks(unit: u64) -> String {
    match unit {
        1 => String::new(),
        unit => format!(" in whole sticks of {unit}"),
    }
}
