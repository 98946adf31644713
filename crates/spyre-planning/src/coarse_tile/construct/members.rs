//! Builds the operations of a group on tiles, and inserts their results into the sinks.

use std::rc::Rc;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_analysis::names::OPERATION_ATTRIBUTES;
use spyre_analysis::tensor::TensorType;
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_dialects::names::CANDIDATES;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::spyre;
use spyre_ops::Ranked;

use crate::coarse_tile::construct::loops::NestBuilder;
use crate::coarse_tile::construct::parts::BuildSite;
use crate::coarse_tile::construct::search::ElementChoice;
use crate::coarse_tile::construct::views::build_view;
use crate::coarse_tile::ids::{Id, IdVec, MemberId, NodeId, OperandId, SinkId};
use crate::coarse_tile::plan::flow::SinkContents;
use crate::coarse_tile::plan::reduce::{Combination, Reduction};
use crate::coarse_tile::plan::region::{INNERMOST, TileWindow, extents};
use crate::coarse_tile::plan::search::Search;
use crate::coarse_tile::plan::trips::Variant;
use crate::coarse_tile::plan::{OperandSource, TensorWindow, TiledMember, result};

impl<'g, 'r: 'g, 'p> NestBuilder<'g, 'r, 'p> {
    /// Places an operation that is in no loop. An operation before the loops stays in place.
    pub(super) fn root_member(&mut self, index: MemberId) {
        let op = self.plan.members[index].op.op();
        if self.behind_loops {
            for operand in self.plan.members[index].windows.operands.ids() {
                set_operand(op, operand, self.source(index, operand).0);
            }
            ir::move_to(op, self.open.at());
        }
        self.tiles[index] = Some(result(op));
    }

    /// Builds an operation on tiles, and inserts its result into its sinks.
    pub(super) fn member(&mut self, node: NodeId, index: MemberId) {
        let member = &self.plan.members[index];
        let op = member.op.op();
        let tile = self.tile(member, &member.windows.result);
        let built = self.on_tiles(index, tile);
        if built != op && self.tiles[index].is_none() {
            self.replaced.push(op);
        }
        self.built.push(built);
        let value = result(built);
        value.set_type(tile);
        forget_whole(self.builder.context, built);
        self.tiles[index] = Some(value);
        if let Some(sink) = self.plan.flow.holding(index, SinkContents::Parts) {
            let reduction = member.reduction.as_ref();
            match reduction
                .expect("parts are those of a reduction")
                .combination
            {
                Combination::Search(search) => {
                    self.combine_search(index, sink, search, built, value);
                }
                Combination::Fold { fold, average } => self.update(sink, tile, |site, before| {
                    site.combine(fold, average, before, value)
                }),
            }
        }
        self.insert(index, node, value);
    }

    /// Builds an operation on the windows of its operands.
    fn on_tiles(&mut self, index: MemberId, tile: Type<'p>) -> Op<'p> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        // The windows are built first, so that they dominate the operation that reads them.
        let operands = member.windows.operands.ids();
        let operands: IdVec<OperandId, _> = operands
            .map(|operand| self.operand(index, operand))
            .collect();
        let has_own_parts = member
            .reduction
            .as_ref()
            .is_some_and(Reduction::has_own_parts);
        let (context, at) = (self.builder.context, self.open.at());
        if has_own_parts {
            return self.site(member).part(operands[OperandId::new(0)], tile);
        }
        if member.op.is_view() {
            return build_view(context, at, op, &member.windows, &operands, tile);
        }
        let built = if self.is_ragged {
            ir::build_clone(at, op)
        } else {
            ir::move_to(op, at);
            op
        };
        for (operand, value) in operands.pairs() {
            set_operand(built, operand, *value);
        }
        built
    }

    /// Returns the value that an operand of a member is a window of, and that window.
    fn source(&self, index: MemberId, operand: OperandId) -> (Val<'p>, TileWindow) {
        let (source, window) = self.plan.operand(index, operand, self.variant);
        let value = match source {
            OperandSource::Outside => {
                let op = self.plan.members[index].op.op();
                op.operand(operand.index()).ok()
            }
            OperandSource::Tile(maker) => self.tiles[maker],
            OperandSource::Complete(sink) => self.complete[sink],
        };
        let value = value.expect("an operand is computed before it is read");
        (value, window)
    }

    /// Returns the value of a member's operand in the member's body.
    fn operand(&mut self, index: MemberId, operand: OperandId) -> Val<'p> {
        let member = &self.plan.members[index];
        let (value, window) = self.source(index, operand);
        let tile = self.tile(member, &member.windows.operands[operand]);
        self.open.read(value, &window, tile)
    }

    /// Inserts a value that is ready in the body `source` into the tensors that need it further out.
    pub(super) fn insert(&mut self, index: MemberId, source: NodeId, value: Val<'p>) {
        let plan = self.plan;
        let location = plan.members[index].op.op().location();
        for id in plan.flow.of_member(index) {
            let sink = &plan.flow.sinks[*id];
            if sink.contents != SinkContents::Tiles || sink.source != source {
                continue;
            }
            let depth = plan.nest.depth(source);
            let window = plan.result_window(index, sink.home, depth, self.variant);
            let into = self.now(*id);
            let filled = self.open.insert(value, into, &window, location);
            self.current[*id] = Some(filled);
            if filled == value
                && let Some(maker) = ir::defining_op(into)
                && EmptyOp::cast(maker).is_some()
            {
                // The tensor that the value was to be inserted into is not needed.
                ir::erase(maker);
            }
        }
    }

    /// Combines the element or position that a search has found in a tile with the one that it has found before.
    fn combine_search(
        &mut self,
        index: MemberId,
        sink: SinkId,
        search: Search,
        built: Op<'p>,
        part: Val<'p>,
    ) {
        let (plan, flow) = (self.plan, &self.plan.flow);
        if search.result == Ranked::Value {
            let has_positions = flow.has_positions(index);
            if let Some(choice) = self.choose(sink, search, part, has_positions)
                && has_positions
            {
                self.choices.insert(index, choice);
            }
            return;
        }
        let member = &plan.members[index];
        let choice = match flow.elements.get(&index) {
            Some(elements) => self.choices.get(elements).copied(),
            None => {
                let site = self.site(member);
                let ty = site.elements(&site.tensor_type(part)).ty;
                let operand = built.operand(0).expect("a search has an operand");
                let elements = site.search(search, spyre::TOPKVALUE, operand, ty);
                let elements_sink = flow.holding(index, SinkContents::Elements);
                let elements_sink =
                    elements_sink.expect("a search for positions carries its elements");
                self.choose(elements_sink, search, elements, true)
            }
        };
        let choice = choice.expect("elements are searched before their positions");
        let operand = member.windows.operands[OperandId::new(0)].region;
        let operand = self.builder.regions.get(operand);
        let tile = extents(operand, &plan.trips, self.variant, INNERMOST)[search.dim];
        self.update(sink, part.r#type(), |site, before| {
            let positions = site.pick(choice, before, part);
            site.shift(spyre::SUB, positions, tile)
        });
        // The positions are chosen by the same truth values, so this comes after their choice.
        if let Some(unused) = self.unused.take() {
            self.erase_unused(unused);
        }
    }

    /// Combines the elements of a tile with the elements of earlier tiles. Returns the choice that positions follow,
    /// which may be `None` without positions.
    fn choose(
        &mut self,
        sink: SinkId,
        search: Search,
        part: Val<'p>,
        has_positions: bool,
    ) -> Option<ElementChoice<'p>> {
        let mut choice = None;
        let before = self.now(sink);
        self.update(sink, part.r#type(), |site, before| {
            let (element_choice, chosen) = site.choose(search, before, part, has_positions);
            choice = element_choice;
            chosen
        });
        let entry = &self.plan.flow.sinks[sink];
        if entry.contents == SinkContents::Elements && self.is_last(entry.member) {
            self.unused = self.current[sink].replace(before);
        }
        choice
    }

    /// Returns whether a body is for the last tile of the dimensions that a member reduces, so that no tile follows it.
    fn is_last(&self, member: MemberId) -> bool {
        let member = &self.plan.members[member];
        let kept = member.device().tensor_dims(member.windows.operands.len());
        let mut cuts = member.dims.cuts();
        cuts.all(|(level, dim)| {
            let is_reduced = !kept.contains(&Some(dim.index()));
            let trip = self.plan.trips.get(level, self.variant);
            !is_reduced || self.variant.is_rest(level) || trip.count() == 1 && trip.whole == 1
        })
    }

    /// Replaces the window of an accumulator that a body visits by the value that `build` returns for it.
    fn update(
        &mut self,
        id: SinkId,
        tile: Type<'p>,
        build: impl FnOnce(BuildSite<'r, 'p>, Val<'p>) -> Val<'p>,
    ) {
        let sink = &self.plan.flow.sinks[id];
        let member = &self.plan.members[sink.member];
        let window = self
            .plan
            .result_window(sink.member, sink.home, INNERMOST, self.variant);
        let whole = self.now(id);
        let before = self.open.read_again(whole, &window, tile);
        let after = build(self.site(member), before);
        self.current[id] = Some(if before == whole {
            after
        } else {
            let location = member.op.op().location();
            self.open.insert(after, whole, &window, location)
        });
    }

    /// Returns the type of one of a member's tensors in its body.
    fn tile(&self, member: &TiledMember<'p>, tensor: &TensorWindow<'p>) -> Type<'p> {
        if self.variant == Variant::default() {
            return tensor.tile;
        }
        self.type_at(member, tensor, INNERMOST)
    }

    /// Returns the type of one of a member's tensors inside the levels below `depth`. Dynamic extents have their maximum.
    fn type_at(
        &self,
        member: &TiledMember<'p>,
        tensor: &TensorWindow<'p>,
        depth: usize,
    ) -> Type<'p> {
        let (types, trips) = (self.builder.types, &self.plan.trips);
        let region = self.builder.regions.get(tensor.region);
        let extents = extents(region, trips, self.variant, depth);
        let whole = types.get(tensor.whole);
        let tile = whole.and_then(|whole| types.tile(&whole, &extents));
        tile.unwrap_or_else(|err| {
            panic!("a tile of {} has no type: {err}", ir::name(member.op.op()))
        })
    }

    /// Returns the type of a member's result inside the levels below `depth`.
    pub(super) fn result_type(&self, member: &TiledMember<'p>, depth: usize) -> Rc<TensorType<'p>> {
        let ty = self.type_at(member, &member.windows.result, depth);
        let ty = self.builder.types.get(ty);
        ty.expect("tiles of tensors are tensors")
    }
}

/// Sets an operand, if it is another value.
fn set_operand<'p>(op: Op<'p>, operand: OperandId, value: Val<'p>) {
    let before = op.operand(operand.index());
    if before.is_ok_and(|before| before != value) {
        ir::set_operand(op, operand.index(), value);
    }
}

/// Removes the attributes of an operation that do not hold for its tile: names with extents, and layouts with padding.
fn forget_whole<'p>(context: &'p Context, op: Op<'p>) {
    if !ir::has_discardable_attributes(op) {
        return;
    }
    for attribute in OPERATION_ATTRIBUTES {
        ir::remove_discardable_attribute(op, attribute);
    }
    let Ok(candidates) = op.attribute(CANDIDATES) else {
        return;
    };
    let mut candidates = attr::elements(candidates);
    candidates.retain(|candidate| {
        attr::layout(*candidate).is_some_and(|layout| layout.explicit_device_size().is_none())
    });
    if candidates.is_empty() {
        ir::remove_discardable_attribute(op, CANDIDATES);
    } else {
        let candidates = attr::array(context, &candidates);
        ir::set_discardable_attribute(op, CANDIDATES, candidates);
    }
}
