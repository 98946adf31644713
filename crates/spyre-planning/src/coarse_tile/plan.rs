//! Plans a group with all checks: the loops, the tile of every operation, and the tensors that the loops carry.
//!
//! A plan is data. All refusals are here, before the first change of the IR. `cuts` decides the extents of tiles,
//! `region` and `windows` their windows and whether loops can visit them, `reduce` and `search` the combination of
//! partial results, `nest` the loop of each operation, `flow` and `once` the iteration arguments of the loops and the
//! operations that a shorter last tile leaves out. `counts` computes the expected numbers of operations in the loops.

pub(crate) mod counts;
pub(crate) mod cuts;
pub(crate) mod flow;
pub(crate) mod narrow;
pub(crate) mod nest;
pub(crate) mod once;
pub(crate) mod reduce;
pub(crate) mod region;
pub(crate) mod search;
pub(crate) mod tile_kinds;
pub(crate) mod trips;
pub(crate) mod windows;

use std::rc::Rc;

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_analysis::indexing::Indexing;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_analysis::units;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ops::{Ranked, StickRule};

use self::cuts::{DecidedCuts, Units};
use self::flow::{DataFlow, FlowMember};
use self::nest::{LoopNest, NestMember};
use self::once::SkippedMembers;
use self::reduce::{Reduction, iter_dims};
use self::region::{Axis, INNERMOST, Regions, TileWindow, extents};
use self::search::{Comparison, Search};
use self::tile_kinds::{TileKind, TileKinds};
use self::trips::{Trips, Variant};
use self::windows::{BadWindow, check_windows};
use crate::coarse_tile::error;
use crate::coarse_tile::find::group_op::GroupOp;
use crate::coarse_tile::find::{Group, Level, LevelDims, Member};
use crate::coarse_tile::ids::{
    Id, IdVec, IterDim, LevelId, MemberId, NodeId, OperandId, RegionId, Shared, SinkId,
};

/// The window of one tensor of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TensorWindow<'p> {
    /// The type of the whole tensor. Dynamic extents have their maximum.
    pub(crate) whole: Type<'p>,
    /// The region that an iteration visits.
    pub(crate) region: RegionId,
    /// The type of the whole tile.
    pub(crate) tile: Type<'p>,
}

/// The windows of an operation's tensors.
#[derive(Debug)]
pub(crate) struct MemberWindows<'p> {
    /// The windows of the operands that are tensors.
    pub(crate) operands: IdVec<OperandId, TensorWindow<'p>>,
    /// The window of the result.
    pub(crate) result: TensorWindow<'p>,
    /// The extent of each level's tiles along the dimension that it cuts, in elements; `None` for a level that cuts none.
    pub(crate) steps: IdVec<LevelId, Option<u64>>,
}

/// One operation with its tile.
#[derive(Debug)]
pub(crate) struct TiledMember<'p> {
    /// The operation.
    pub(crate) op: GroupOp<'p>,
    /// The effect of each level on the operation. A level of one tile cuts no dimension.
    pub(crate) dims: Rc<LevelDims>,
    /// The windows of its tensors; operations that are alike share them.
    pub(crate) windows: Rc<MemberWindows<'p>>,
    /// The way in which its parts are combined; `None` if no level cuts a dimension that it reduces.
    pub(crate) reduction: Option<Reduction>,
    /// The member that computes each operand; `None` where no member does.
    pub(crate) operand_makers: IdVec<OperandId, Option<MemberId>>,
}

impl<'p> TiledMember<'p> {
    /// Returns the device operation of a member that reduces; a view never does.
    pub(crate) fn device(&self) -> DeviceOp<'p> {
        let device = self.op.device();
        device.expect("only device operations reduce")
    }

    /// Returns the members that compute operands.
    pub(crate) fn makers(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.operand_makers.iter().copied().flatten()
    }
}

/// The members of a group on tiles, and their ids by operation key.
type TiledMembers<'p> = (
    IdVec<MemberId, TiledMember<'p>>,
    FxHashMap<ir::OpKey, MemberId>,
);

/// A group that can be built without a further check.
#[derive(Debug)]
pub(crate) struct TilePlan<'p> {
    /// The levels, outermost first.
    pub(crate) levels: IdVec<LevelId, Level>,
    /// The operations, in order.
    pub(crate) members: IdVec<MemberId, TiledMember<'p>>,
    /// The members, by operation key.
    pub(crate) positions: FxHashMap<ir::OpKey, MemberId>,
    /// The trips of each level: the number of its whole tiles, and whether a shorter one follows.
    pub(crate) trips: Trips,
    /// The extent of each level's tiles, in elements; `None` for a level without a loop.
    pub(crate) steps: IdVec<LevelId, Option<u64>>,
    /// The loops and their items.
    pub(crate) nest: LoopNest,
    /// The tensors that the loops carry.
    pub(crate) flow: DataFlow,
    /// The members that copies of the bodies leave out.
    pub(crate) skipped: SkippedMembers,
    /// The views in loops that are used outside as well, in order. Copies of them view the full tensors.
    pub(crate) copied_views: Vec<MemberId>,
    /// The remarks for the user.
    pub(crate) remarks: Vec<Diagnostic<'p>>,
}

/// The value that an operand is a window of, in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OperandSource {
    /// A value that no member computes.
    Outside,
    /// The tile that a member computes in the same iteration.
    Tile(MemberId),
    /// The tensor of a sink, which is complete.
    Complete(SinkId),
}

impl<'p> TilePlan<'p> {
    /// Returns the member that computes an operand of a member; `None` if no member does.
    pub(crate) fn maker(&self, member: MemberId, operand: OperandId) -> Option<MemberId> {
        self.members[member].operand_makers[operand]
    }

    /// Returns the value that an operand of a member is a window of, and the window.
    pub(crate) fn operand(
        &self,
        member: MemberId,
        operand: OperandId,
        variant: Variant,
    ) -> (OperandSource, TileWindow) {
        let (source, base) = match self.maker(member, operand) {
            None => (OperandSource::Outside, 0),
            Some(maker) => {
                let common = self
                    .nest
                    .common(self.nest.home(maker), self.nest.home(member));
                let source = match self.flow.complete_in(maker, common) {
                    Some(sink) => OperandSource::Complete(sink),
                    None => OperandSource::Tile(maker),
                };
                (source, self.nest.depth(common))
            }
        };
        let region = self.members[member].windows.operands[operand].region;
        (
            source,
            TileWindow {
                region,
                variant,
                depths: base..INNERMOST,
            },
        )
    }

    /// Returns the window of a member's result that is visited at a depth, in the tensor of a body.
    pub(crate) fn result_window(
        &self,
        member: MemberId,
        home: NodeId,
        depth: usize,
        variant: Variant,
    ) -> TileWindow {
        TileWindow {
            region: self.members[member].windows.result.region,
            variant,
            depths: self.nest.depth(home)..depth,
        }
    }
}

/// The key of operations that index their tensors alike and are cut alike: their windows are the same.
type WindowsKey<'p> = (Shared<Indexing<'p>>, Rc<LevelDims>, Vec<Option<u64>>);

/// The planning of the groups of a function. Operations of one shape that are cut alike are checked once.
pub(crate) struct Planner<'t, 'p> {
    types: &'t TensorTypes<'p>,
    dynamic: &'t DynamicDims,
    /// The tiles of dynamic dimensions, each with its extent in elements.
    pub(crate) dynamic_tiles: Vec<(SymbolId, u64)>,
    /// The windows of all groups.
    pub(crate) regions: Regions,
    units: FxHashMap<Shared<Indexing<'p>>, Rc<Units>>,
    windows: FxHashMap<WindowsKey<'p>, Rc<MemberWindows<'p>>>,
}

impl<'t, 'p> Planner<'t, 'p> {
    /// Returns a planner without plans.
    pub(crate) fn new(types: &'t TensorTypes<'p>, dynamic: &'t DynamicDims) -> Self {
        Self {
            types,
            dynamic,
            dynamic_tiles: Vec::new(),
            regions: Regions::default(),
            units: FxHashMap::default(),
            windows: FxHashMap::default(),
        }
    }

    /// Plans a group that has levels.
    ///
    /// # Errors
    /// An operation cannot be cut as the group requires, or its parts cannot be combined.
    pub(crate) fn plan(&mut self, group: &Group<'p>) -> Result<TilePlan<'p>, Diagnostic<'p>> {
        let mut kinds = self.kinds(group)?;
        let DecidedCuts {
            trips,
            variants,
            dynamic_tiles,
            other_counts,
        } = kinds.decide(&group.levels, self.dynamic)?;
        self.dynamic_tiles.extend(dynamic_tiles);
        let (members, positions) = self.members(group, &kinds, &trips, &variants)?;
        let nest = LoopNest::new(&nest_members(&members), &self.regions);
        let (is_used_outside, copied_views) = outside_uses(&members, &positions, &nest);
        let flow_members = flow_members(&members, &is_used_outside);
        let flow = DataFlow::new(&flow_members, &nest);
        for (id, member) in members.pairs() {
            if let Some(reduction) = &member.reduction
                && let Some(search) = reduction.search()
            {
                let has_positions = search.result == Ranked::Position || flow.has_positions(id);
                self.check_search(
                    member,
                    reduction.outer,
                    search,
                    has_positions,
                    &trips,
                    &variants,
                )
                .map_err(|err| error(member.op.op(), err))?;
            }
        }
        let skipped = SkippedMembers::new(&flow_members, &nest, &trips, &flow);
        let mut remarks = kinds.remarks(&other_counts, &group.levels);
        remarks.extend(second_loops(&nest, &members, &group.levels));
        let step = |level| kinds.kinds.iter().find_map(|kind| kind.cuts.step(level));
        Ok(TilePlan {
            steps: group.levels.ids().map(step).collect(),
            levels: group.levels.clone(),
            members,
            positions,
            trips,
            nest,
            flow,
            skipped,
            copied_views,
            remarks,
        })
    }

    /// Sorts the members of a group into kinds.
    fn kinds(&mut self, group: &Group<'p>) -> Result<TileKinds<'p>, Diagnostic<'p>> {
        let mut kinds = TileKinds::default();
        for member in group.members.iter() {
            let op = member.op.op();
            if member.op.place().is_some() {
                return Err(error(
                    op,
                    "operation already has a place; --coarse-tile comes before --spyre-scratchpad-planning",
                ));
            }
            kinds.add(member, |indexing| self.units(op, indexing))?;
        }
        Ok(kinds)
    }

    /// Plans the windows and the parts of each member. Returns the members, and their ids by operation key.
    fn members(
        &mut self,
        group: &Group<'p>,
        kinds: &TileKinds<'p>,
        trips: &Trips,
        variants: &[Variant],
    ) -> Result<TiledMembers<'p>, Diagnostic<'p>> {
        let mut windows = IdVec::default();
        for kind in kinds.kinds.iter() {
            windows.push(self.windows(kind, trips, variants)?);
        }
        let mut members = IdVec::default();
        let mut positions = FxHashMap::default();
        for (member, id) in group.members.iter().zip(kinds.of_member.iter()) {
            let (kind, windows): (_, &Rc<MemberWindows<'p>>) = (&kinds.kinds[*id], &windows[*id]);
            let op = member.op.op();
            if let Some(device) = member.op.device() {
                check_split(device, kind, trips, variants)?;
                check_rows(device, kind, &group.levels, trips, variants)?;
            }
            let of_tile = reduced_by_tile(kind, member, trips, variants);
            let reduction = self.reduction(group, member, kind, windows, of_tile)?;
            let values = op.operands().take(windows.operands.len());
            let operand_makers =
                values.map(|value| positions.get(&ir::op_key(ir::defining_op(value)?)).copied());
            let operand_makers = operand_makers.collect();
            let id = members.push(TiledMember {
                op: member.op,
                dims: Rc::clone(&kind.cuts.dims),
                windows: Rc::clone(windows),
                reduction,
                operand_makers,
            });
            positions.insert(ir::op_key(op), id);
        }
        Ok((members, positions))
    }

    /// Returns the way to combine the parts of a member; `None` if no level cuts a dimension that it reduces.
    fn reduction(
        &self,
        group: &Group<'p>,
        member: &Member<'p>,
        kind: &TileKind<'p>,
        windows: &MemberWindows<'p>,
        of_tile: Option<u64>,
    ) -> Result<Option<Reduction>, Diagnostic<'p>> {
        let result = self.read(windows.result.whole, member.op)?;
        let reduction = Reduction::of(&group.levels, member, &kind.cuts.dims, &result, of_tile)?;
        if let Some(reduction) = &reduction {
            check_accumulator(member.op.op(), reduction, kind, self.dynamic)?;
            if let Some(limit) = reduction.largest_mean(result.element) {
                let message = format!(
                    "coarse-tile: the parts of this mean are sums, which exceed {} if the mean is above {limit:.1}; with tiles of equal size, \
                     and powers of two for the size and for the number of tiles, the parts are means",
                    result.element
                );
                Diagnostic::warning(member.op.op().location(), message).emit();
            }
        }
        Ok(reduction)
    }

    fn read(&self, ty: Type<'p>, op: GroupOp<'p>) -> Result<Rc<TensorType<'p>>, Diagnostic<'p>> {
        self.types.get(ty).map_err(|err| error(op.op(), err))
    }

    /// Checks that there are types for the tensors that the loops of a search compute with.
    fn check_search(
        &self,
        member: &TiledMember<'p>,
        outer: LevelId,
        search: Search,
        has_positions: bool,
        trips: &Trips,
        variants: &[Variant],
    ) -> Result<(), String> {
        let TensorWindow { whole, region, .. } = member.windows.result;
        let whole = self.types.get(whole)?;
        for variant in variants {
            for depth in [outer.index(), INNERMOST] {
                let extents = extents(self.regions.get(region), trips, *variant, depth);
                let tile = self.types.get(self.types.tile(&whole, &extents)?)?;
                let elements = Search::elements(self.types, member.device(), &tile)?;
                if depth == INNERMOST && (has_positions || search.comparison == Comparison::Truth) {
                    search.decisions(self.types.context(), self.types, &elements)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the smallest parts of an operation's iteration dimensions that may be cut off, in elements.
    fn units(
        &mut self,
        op: Op<'p>,
        indexing: &Rc<Indexing<'p>>,
    ) -> Result<Rc<Units>, Diagnostic<'p>> {
        let key = Shared::of(indexing);
        if let Some(units) = self.units.get(&key) {
            return Ok(Rc::clone(units));
        }
        let units = units::units_of(self.types, indexing).map_err(|err| error(op, err))?;
        let units: Rc<Units> = Rc::new(units.into_iter().collect());
        self.units.insert(key, Rc::clone(&units));
        Ok(units)
    }

    /// Returns the windows of an operation's tensors, and checks them.
    fn windows(
        &mut self,
        kind: &TileKind<'p>,
        trips: &Trips,
        variants: &[Variant],
    ) -> Result<Rc<MemberWindows<'p>>, Diagnostic<'p>> {
        let steps = kind.cuts.dims.ids().map(|level| kind.cuts.step(level));
        let steps: IdVec<LevelId, Option<u64>> = steps.collect();
        let key = (
            Shared::of(&kind.indexing),
            Rc::clone(&kind.cuts.dims),
            steps.to_vec(),
        );
        // Shorter tiles have other types, which are built below.
        if variants.len() == 1
            && let Some(windows) = self.windows.get(&key)
        {
            return Ok(Rc::clone(windows));
        }
        let tensors = kind.op.tensors();
        let mut windows = Vec::with_capacity(tensors.len());
        for (index, value) in tensors.iter().enumerate() {
            let is_operand = index + 1 < tensors.len();
            windows.push(self.window(kind, index, *value, is_operand, trips, variants)?);
        }
        let (result, operands) = windows.split_last().expect("an operation has a result");
        let windows = Rc::new(MemberWindows {
            operands: operands.iter().copied().collect(),
            result: *result,
            steps,
        });
        self.windows.insert(key, Rc::clone(&windows));
        Ok(windows)
    }

    /// Returns the window of one tensor of an operation, and checks it.
    fn window(
        &mut self,
        kind: &TileKind<'p>,
        index: usize,
        value: Val<'p>,
        is_operand: bool,
        trips: &Trips,
        variants: &[Variant],
    ) -> Result<TensorWindow<'p>, Diagnostic<'p>> {
        let ty = self.read(kind.indexing.types[index], kind.op)?;
        let axes = iter_dims(&kind.indexing.tensors[index])
            .zip(ty.shape())
            .enumerate();
        let axes = axes.map(|(host, (dim, extent))| kind.axis_of(index, host, dim, *extent));
        let region: Vec<Axis> = axes.collect();
        if ty.has_layout {
            check_windows(&ty.device, &region)
                .map_err(|bad| bad_window(kind.op.op(), index, is_operand, value, ty.ty, &bad))?;
        }
        // Shorter tiles may have no layout, so the types of all are built.
        let mut whole_tile = None;
        for variant in variants {
            let extents = extents(&region, trips, *variant, INNERMOST);
            let tile = self.types.tile(&ty, &extents);
            let tile = tile.map_err(|err| error(kind.op.op(), err))?;
            if *variant == Variant::default() {
                whole_tile = Some(tile);
            }
        }
        Ok(TensorWindow {
            whole: ty.ty,
            region: self.regions.intern(region),
            tile: whole_tile.expect("whole tiles run in some copy"),
        })
    }
}

/// Returns the error that loops cannot visit the windows of a tensor.
fn bad_window<'p>(
    op: Op<'p>,
    index: usize,
    is_operand: bool,
    value: Val<'p>,
    ty: Type<'p>,
    BadWindow { dim, tile, reason }: &BadWindow,
) -> Diagnostic<'p> {
    let cut = format!("cannot be cut into tiles of {tile} along its dimension {dim}: {reason}");
    if !is_operand {
        return error(op, format!("result {cut}"));
    }
    let origin = format!("the value of type {ty} comes from here");
    error(op, format!("operand #{index} {cut}")).note(value.location(), origin)
}

/// Returns the facts that the places of members depend on.
fn nest_members<'m>(
    members: &'m IdVec<MemberId, TiledMember<'_>>,
) -> IdVec<MemberId, NestMember<'m>> {
    let nest_member = |member: &'m TiledMember<'_>| {
        let operands = member.windows.operands.iter().map(|window| window.region);
        NestMember {
            dims: &member.dims,
            operands: operands
                .zip(member.operand_makers.iter().copied())
                .collect(),
            result: member.windows.result.region,
            complete_behind: member.reduction.map(|by| by.outer),
        }
    };
    members.iter().map(nest_member).collect()
}

/// Returns the facts that the flow of data depends on.
fn flow_members<'m>(
    members: &'m IdVec<MemberId, TiledMember<'_>>,
    is_used_outside: &IdVec<MemberId, bool>,
) -> IdVec<MemberId, FlowMember<'m, ir::ValueKey>> {
    let flow_member = |(id, member): (MemberId, &'m TiledMember<'_>)| {
        let search = member.reduction.as_ref().and_then(Reduction::search);
        let searched = search.map(|_| {
            let operand = ir::operand(member.op.op(), 0);
            ir::value_key(operand.expect("a search has an operand"))
        });
        FlowMember {
            dims: &member.dims,
            makers: member.makers().collect(),
            reduction: member.reduction,
            searched,
            is_used_outside: is_used_outside[id],
        }
    };
    members.pairs().map(flow_member).collect()
}

/// Returns whether operations outside of the group read each member, and the views in loops that they read. Copies of these views
/// are built outside, so the tensors that they view are read outside instead.
fn outside_uses(
    members: &IdVec<MemberId, TiledMember<'_>>,
    positions: &FxHashMap<ir::OpKey, MemberId>,
    nest: &LoopNest,
) -> (IdVec<MemberId, bool>, Vec<MemberId>) {
    let mut is_used: IdVec<MemberId, bool> = members.iter().map(|_| false).collect();
    let mut copied = Vec::new();
    // Readers come before the views that they read, because a copy is a use outside as well.
    for (index, member) in members.pairs().rev() {
        ir::for_each_use(result(member.op.op()), |user| {
            is_used[index] |= !positions.contains_key(&ir::op_key(user.owner));
        });
        if is_used[index] && member.op.is_view() && nest.is_in_loops(index) {
            copied.push(index);
            is_used[index] = false;
            member.makers().for_each(|maker| is_used[maker] = true);
        }
    }
    copied.reverse();
    (is_used, copied)
}

/// Checks that an accumulator has fixed extents: levels around the reduction must cut the dynamic dimensions of the result.
fn check_accumulator<'p>(
    op: Op<'p>,
    reduction: &Reduction,
    kind: &TileKind<'p>,
    dynamic: &DynamicDims,
) -> Result<(), Diagnostic<'p>> {
    let outside = reduction.outer.index();
    for dim in iter_dims(kind.indexing.result()).flatten() {
        let Some(symbol) = kind.cuts.axis(dim).dynamic_inside(outside) else {
            continue;
        };
        let name = &dynamic.symbol(symbol).name;
        let message = format!(
            "the parts of this reduction are put together in a tensor with dimension {} of the operation, whose extent \"{name}\" is \
             dynamic; a scope for it outside of that for the reduced dimension makes tiles of it",
            dim.index()
        );
        return Err(error(op, message));
    }
    Ok(())
}

/// Checks that the `split` of an operation, if it has one, fits all tiles.
fn check_split<'p>(
    op: DeviceOp<'p>,
    kind: &TileKind<'p>,
    trips: &Trips,
    variants: &[Variant],
) -> Result<(), Diagnostic<'p>> {
    if op.divisions_attribute().is_some() {
        let message = "'divide' names dimensions, which --spyre-assign-dim-hints has to find first";
        return Err(error(op.op(), message));
    }
    let Some(split) = op.split() else {
        return Ok(());
    };
    if kind.cuts.dims.cuts().next().is_none() {
        return Ok(());
    }
    let split: IdVec<IterDim, u32> = split.into_iter().collect();
    for variant in variants {
        for (dim, cores) in split.pairs() {
            let unit = kind.cuts.units[dim];
            let tile = kind.cuts.axis(dim).extent(trips, *variant, INNERMOST);
            if tile.div_ceil(unit).is_multiple_of(u64::from(*cores)) {
                continue;
            }
            let unit = if unit == 1 {
                String::new()
            } else {
                format!(" in sticks of {unit}")
            };
            let message = format!(
                "split of dimension {dim} over {cores} cores does not divide the tile's extent {tile}{unit}; without a \
                 split, --spyre-work-division chooses one after --coarse-tile"
            );
            return Err(error(op.op(), message));
        }
    }
    Ok(())
}

/// Returns the number of elements that a tile of an operation reduces to one, if all tiles have equally many.
fn reduced_by_tile<'p>(
    kind: &TileKind<'p>,
    member: &Member<'p>,
    trips: &Trips,
    variants: &[Variant],
) -> Option<u64> {
    let reduced = member.indexing.parallel_dims()..member.indexing.space.len();
    let counts = variants.iter().map(|variant| {
        let axes = reduced.clone().map(|dim| kind.cuts.axis(IterDim::new(dim)));
        axes.map(|axis| axis.extent(trips, *variant, INNERMOST))
            .product::<u64>()
    });
    let counts: FxHashSet<u64> = counts.collect();
    let mut counts = counts.into_iter();
    counts.next().filter(|_| counts.next().is_none())
}

/// Checks that no tile of an operation that reads rows or channels on the stick has a single one, which is on no stick.
fn check_rows<'p>(
    op: DeviceOp<'p>,
    kind: &TileKind<'p>,
    levels: &IdVec<LevelId, Level>,
    trips: &Trips,
    variants: &[Variant],
) -> Result<(), Diagnostic<'p>> {
    if op.facts().stick != StickRule::LastDim {
        return Ok(());
    }
    // The windows of a pool are dimensions after it.
    let last = op.tensor_dims(0).last().copied().flatten();
    let mut cuts = kind.cuts.dims.cuts();
    let Some((level, dim)) = cuts.rfind(|(_, dim)| Some(dim.index()) == last) else {
        return Ok(());
    };
    let axis = kind.cuts.axis(dim);
    let has_one = |variant: &Variant| axis.extent(trips, *variant, INNERMOST) == 1;
    if variants.iter().any(has_one) {
        let message = format!(
            "a tile of {} would have one element, but this operation reads rows of several elements on the stick; use another \
             size of tiles, or another dimension",
            levels[level].label
        );
        return Err(error(op.op(), message));
    }
    Ok(())
}

/// Returns remarks on the places where a group continues in another loop over the same tiles.
fn second_loops<'p>(
    nest: &LoopNest,
    members: &IdVec<MemberId, TiledMember<'p>>,
    levels: &IdVec<LevelId, Level>,
) -> Vec<Diagnostic<'p>> {
    let remark = |second: &nest::SecondLoop| {
        let (reader, maker) = (&members[second.reader], &members[second.maker]);
        let message = format!(
            "coarse-tile: operand #{} is complete only after the loop over {}, so a second loop over it follows",
            second.operand, levels[second.level].label
        );
        Diagnostic::remark(reader.op.op().location(), message)
            .note(maker.op.op().location(), "computed here")
    };
    nest.second_loops().map(remark).collect()
}

/// Returns the only result of an operation.
pub(crate) fn result(op: Op<'_>) -> Val<'_> {
    op.result(0).expect("the operation has a result").into()
}
