//! The dimensions that hints can name, and the tiles that hints make, for tools that show them.
//!
//! The names and the units are those of the analyses that the pass uses, and the tiles are those of its plan. So a tool
//! shows the numbers that the pass works with, and no others.

use std::convert::Infallible;
use std::rc::Rc;

use melior::Context;
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::DynamicDims;
use spyre_analysis::indexing::{Indexing, Indexings};
use spyre_analysis::names::{DYNAMIC, DimNames, Followed, Follower, Names, Visit, extent_of};
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::units;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::Failed;
use spyre_mlir_rt::remark::Remarks;

use crate::coarse_tile::check_hints;
use crate::coarse_tile::find::{Group, Member, groups};
use crate::coarse_tile::ids::{Id, IterDim};
use crate::coarse_tile::plan::trips::{Trip, Variant};
use crate::coarse_tile::plan::{Planner, TilePlan, TiledMember};

/// A name of a dimension, and the extent that it names: less than that of the dimension where several were merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedExtent {
    /// The name.
    pub name: String,
    /// The extent in elements, the largest one of a dynamic dimension; `None` for a dynamic extent without bounds.
    pub extent: Option<u64>,
    /// Whether the extent is dynamic.
    pub is_dynamic: bool,
}

/// A dimension of the iteration space of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpDim {
    /// The names by which a hint can request it; none for an unnamed dimension.
    pub names: Vec<NamedExtent>,
    /// The extent in elements, the largest one of a dynamic dimension; `None` for a dynamic extent without bounds.
    pub extent: Option<u64>,
    /// The number of elements that every extent of a dynamic dimension is a multiple of; `None` for a static one.
    pub granularity: Option<u64>,
    /// The smallest part that can be cut off, in elements: those of a stick for a dimension on a stick, otherwise 1.
    /// `None` if the operation has a tensor that passes cannot handle.
    pub unit: Option<u64>,
    /// Whether a loop can cut the dimension: none cuts one that is normalised, or that windows walk along.
    pub is_divisible: bool,
}

/// The tiles that a hint makes of a dimension of an operation. Extents are in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintTiles {
    /// The scope of the hint.
    pub scope: i64,
    /// The iteration dimension that the loop of the scope cuts.
    pub dim: usize,
    /// The extent of the dimension inside the outer loops, the largest one of a dynamic dimension.
    pub extent: u64,
    /// The number of tiles, the last one included.
    pub count: u64,
    /// The extent of a tile.
    pub tile: u64,
    /// The extent of the last tile, which may differ.
    pub last: u64,
}

/// Returns the device operations of a function in order, each with its dimensions.
///
/// # Errors
/// A dynamic extent of the function has no bounds.
pub fn op_dims<'p>(
    context: &'p Context,
    function: Op<'p>,
) -> Result<Vec<(Op<'p>, Vec<OpDim>)>, Diagnostic<'p>> {
    let Some(body) = ir::function_body(function) else {
        return Ok(Vec::new());
    };
    let dynamic = Rc::new(DynamicDims::of_function(function, body)?);
    let types = TensorTypes::new(context);
    let mut collector = DimCollector {
        followed: Followed {
            names: Names::of_function(function),
            indexings: Indexings::with(Rc::clone(&dynamic)),
        },
        dynamic,
        types: &types,
        dims: Vec::new(),
    };
    match collector.follow(body) {
        Ok(()) => Ok(collector.dims),
        Err(never) => match never {},
    }
}

/// Collects the dimensions of the operations that a walk visits.
struct DimCollector<'t, 'p> {
    followed: Followed<'p>,
    dynamic: Rc<DynamicDims>,
    types: &'t TensorTypes<'p>,
    dims: Vec<(Op<'p>, Vec<OpDim>)>,
}

impl<'p> Follower<'p> for DimCollector<'_, 'p> {
    type Error = Infallible;

    fn followed(&mut self) -> &mut Followed<'p> {
        &mut self.followed
    }

    fn visit(&mut self, visit: Visit<'p>) -> Result<(), Infallible> {
        if let Visit::Device(op, indexing, names) = visit {
            let dims = self.dims_of(&indexing, &names);
            self.dims.push((op.op(), dims));
        }
        Ok(())
    }
}

impl<'p> DimCollector<'_, 'p> {
    fn dims_of(&self, indexing: &Indexing<'p>, names: &DimNames) -> Vec<OpDim> {
        let units = units::units_of(self.types, indexing).ok();
        let dims = indexing.space.iter().enumerate();
        let op_dim = |(dim, extent): (usize, &i64)| {
            let extent = u64::try_from(*extent).ok();
            OpDim {
                names: self.named_extents(names, dim, extent),
                extent,
                granularity: indexing
                    .symbol(dim)
                    .map(|symbol| self.dynamic.symbol(symbol).extent.granularity()),
                unit: units.as_ref().map(|units| units[dim]),
                is_divisible: indexing.can_be_cut(dim),
            }
        };
        dims.map(op_dim).collect()
    }

    /// Returns the names of a dimension. `extent` is that of the dimension.
    fn named_extents(&self, names: &DimNames, dim: usize, extent: Option<u64>) -> Vec<NamedExtent> {
        let factors = names.get(dim).into_iter().flatten().flatten();
        let named = factors.filter_map(|factor| {
            let is_dynamic = factor.extent == DYNAMIC;
            Some(NamedExtent {
                name: self.followed.names.text(factor.name?).to_owned(),
                // A dynamic dimension is not merged with others, so its name is that of the complete dimension.
                extent: match is_dynamic {
                    true => extent,
                    false => Some(factor.extent),
                },
                is_dynamic,
            })
        });
        named.collect()
    }
}

/// Returns the operations of a function that loops cut by its hints, each with the tiles of its hints, outermost
/// first. A hint that makes no loop has no tiles. Groups that the pass refuses are left out, after their diagnostics.
///
/// # Errors
/// The hints of the function contradict each other, or scopes have not been turned into hints. Diagnostics have been
/// emitted.
pub fn hint_tiles<'p>(
    context: &'p Context,
    function: Op<'p>,
) -> Result<Vec<(Op<'p>, Vec<HintTiles>)>, Failed> {
    check_hints(function)?;
    let Some(body) = ir::function_body(function) else {
        return Ok(Vec::new());
    };
    let dynamic = Rc::new(DynamicDims::of_function(function, body)?);
    let types = TensorTypes::new(context);
    let groups = groups::from_hints(function, body, &dynamic, &Remarks::none())?;
    let mut planner = Planner::new(&types, &dynamic);
    let mut tiles = Vec::new();
    for group in groups.iter().filter(|group| !group.levels.is_empty()) {
        match planner.plan(group) {
            Ok(plan) => {
                let members = group.members.iter().zip(plan.members.iter());
                tiles.extend(members.map(|(member, tiled)| {
                    (member.op.op(), member_tiles(group, &plan, member, tiled))
                }));
            }
            Err(refusal) => refusal.emit(),
        }
    }
    Ok(tiles)
}

/// Returns the tiles of the hints of a member.
fn member_tiles<'p>(
    group: &Group<'p>,
    plan: &TilePlan<'p>,
    member: &Member<'p>,
    tiled: &TiledMember<'p>,
) -> Vec<HintTiles> {
    // The extent along each dimension that the outer levels leave, in elements.
    let mut left: FxHashMap<IterDim, u64> = FxHashMap::default();
    let cuts = member.dims.cuts().filter_map(|(level, dim)| {
        let scope = group.levels[level].scope?;
        let whole = extent_of(member.indexing.space[dim.index()]);
        let extent = *left.get(&dim).unwrap_or(&whole);
        // A level of one tile cuts nothing, and has no step.
        let (tile, trip) = match tiled.windows.steps[level] {
            Some(step) => (step, plan.trips.get(level, Variant::default())),
            None => (extent, Trip::ONCE),
        };
        left.insert(dim, tile);
        let last = match trip.rest {
            true => {
                let last = extent.checked_sub(trip.whole * tile);
                last.expect("the whole tiles of a dimension are inside of its extent")
            }
            false => tile,
        };
        Some(HintTiles {
            scope,
            dim: dim.index(),
            extent,
            count: trip.count(),
            tile,
            last,
        })
    });
    cuts.collect()
}
