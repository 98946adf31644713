//! Builds the operations of a group on tiles, and puts their results where they are needed.

use std::rc::Rc;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::device_op::EmptyOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ops::Ranked;

use super::flow::Holds;
use super::group_op::build_view;
use super::nest::{NodeId, ROOT};
use super::plan::{PlannedMember, internal};
use super::reduce::Reduction;
use super::region::{RegionId, extents};
use super::rewrite::GroupRewriter;
use super::scope::Slicing;
use super::search::{Choice, Search, Site};
use super::trips::Variant;
use crate::dynamic::SymbolId;
use crate::layouts::CANDIDATES;
use crate::names::OPERATION_ATTRIBUTES;
use crate::tensor::TensorType;

impl<'g, 'r, 'p> GroupRewriter<'g, 'r, 'p> {
    /// Places an operation that is in no loop. An operation in front of the loops stays where it is.
    pub fn root_member(&mut self, index: usize) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        member.op.remove_hints();
        if self.behind_loops {
            self.operands(ROOT, index, op)?;
            ir::move_to(op, self.scopes.at());
        }
        self.tiles[index] = Some(op.result(0).map_err(|why| internal(op, &why))?.into());
        Ok(())
    }

    /// Builds an operation on tiles, and puts its result where it is needed.
    pub fn member(&mut self, node: NodeId, index: usize) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        member.op.remove_hints();
        let operands = member.operands();
        let tile = self.tile(member, operands)?;
        let own_parts = member
            .reduction
            .as_ref()
            .filter(|reduction| reduction.has_own_parts());
        let built = if let Some(reduction) = own_parts {
            let operand = self.operand(node, index, 0)?;
            let at = self.scopes.at();
            reduction
                .part(self.rewriter.context, at, member.device(), operand, tile)?
                .op()
        } else if self.is_ragged || member.op.is_view() {
            // The windows are built first, so that they are in front of the operation that reads them.
            let windows = (0..operands)
                .map(|operand| self.operand(node, index, operand))
                .collect::<Result<Vec<_>, _>>()?;
            if member.op.is_view() {
                let at = self.scopes.at();
                build_view(
                    self.rewriter.context,
                    at,
                    op,
                    &member.windows.types,
                    &windows,
                    tile,
                )?
            } else {
                let copy = ir::build_copy(self.scopes.at(), op);
                for (operand, window) in windows.into_iter().enumerate() {
                    ir::set_operand(copy, operand, window);
                }
                copy
            }
        } else {
            self.operands(node, index, op)?;
            ir::move_to(op, self.scopes.at());
            op
        };
        if built != op && self.tiles[index].is_none() {
            self.replaced.push(op);
        }
        let result: Val<'p> = built.result(0).map_err(|why| internal(op, &why))?.into();
        result.set_type(tile);
        forget_whole(self.rewriter.context, built);
        self.tiles[index] = Some(result);
        if let Some(sink) = self.flow.holding(index, Holds::Parts) {
            match member.reduction.as_ref().and_then(Reduction::search) {
                Some(search) => self.found(index, sink, search, built, result)?,
                None => self.accumulate(sink, result)?,
            }
        }
        self.insert(index, node, result)
    }

    /// Sets the operands of an operation to their values in a body.
    fn operands(&mut self, node: NodeId, index: usize, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        for operand in 0..op.operand_count() {
            let before = op.operand(operand).map_err(|why| internal(op, &why))?;
            let value = self.operand(node, index, operand)?;
            if value != before {
                ir::set_operand(op, operand, value);
            }
        }
        Ok(())
    }

    /// Returns the value of a member's operand in the member's body.
    fn operand(
        &mut self,
        node: NodeId,
        index: usize,
        operand: usize,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let op = member.op.op();
        let nest = &self.plan.nest;
        let (value, base) = match self.plan.maker(index, operand) {
            None => (op.operand(operand).map_err(|why| internal(op, &why))?, 0),
            Some(maker) => {
                let source = nest.home(maker);
                let common = nest.common(source, node);
                let value = match self.flow.complete_in(maker, common) {
                    Some(sink) => self.complete[sink],
                    None => self.tiles[maker],
                };
                let value = value.ok_or_else(|| internal(op, &"operand is not computed yet"))?;
                (value, nest.depth(common))
            }
        };
        if node == ROOT {
            return Ok(value);
        }
        let region = member.windows.regions[operand];
        let tile = self.tile(member, operand)?;
        let slicing = self.slicing(region, base, usize::MAX);
        let slice = self.scopes.slice(value, &slicing, tile);
        slice.map_err(|why| internal(op, &why))
    }

    /// Inserts a value that is ready in the body `source` into the tensors that need it further out.
    pub fn insert(
        &mut self,
        index: usize,
        source: NodeId,
        value: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[index];
        let region = result_region(member)?;
        for at in self.flow.of_member(index) {
            let sink = &self.flow.sinks[at];
            if sink.holds != Holds::Tiles || sink.source != source {
                continue;
            }
            let depth = self.plan.nest.depth(source);
            let base = self.plan.nest.depth(sink.home);
            let slicing = self.slicing(region, base, depth);
            let into = self.now(at)?;
            let location = member.op.op().location();
            let filled = self.scopes.insert(value, into, &slicing, location);
            self.current[at] = Some(filled);
            if filled == value {
                // The tensor that the value was to be inserted into is not needed.
                ir::defining_op(into)
                    .filter(|maker| EmptyOp::cast(*maker).is_some())
                    .into_iter()
                    .for_each(ir::erase);
            }
        }
        Ok(())
    }

    /// Combines a part with the accumulator of a reduction.
    fn accumulate(&mut self, sink: usize, part: Val<'p>) -> Result<(), Diagnostic<'p>> {
        let member = &self.plan.members[self.flow.sinks[sink].member];
        let Some(reduction) = &member.reduction else {
            return Ok(());
        };
        let context = self.rewriter.context;
        self.update(sink, part.r#type(), |site, before| {
            reduction.combine(context, site.at, site.op, before, part)
        })
    }

    /// Combines the element or position that a search has found in a tile with the one that it has found before.
    fn found(
        &mut self,
        index: usize,
        sink: usize,
        search: Search,
        built: Op<'p>,
        part: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        if search.told == Ranked::Value {
            let has_positions = self.flow.has_positions(index);
            if let Some(choice) = self.choose(sink, search, part, has_positions)? {
                self.choices.insert(index, choice);
            }
            return Ok(());
        }
        let member = &self.plan.members[index];
        let fail = |why: &dyn std::fmt::Display| internal(member.op.op(), why);
        let choice = match self.flow.elements.get(&index) {
            Some(elements) => self.choices.get(elements).copied(),
            None => {
                let positions = self.rewriter.types.get(part.r#type());
                let site = self.site(member);
                let ty = search.elements(site, &*positions.map_err(|why| fail(&why))?)?;
                let operand = built.operand(0).map_err(|why| fail(&why))?;
                let elements = search.elements_of(site, operand, ty)?;
                let own = self.flow.holding(index, Holds::Elements);
                let own = own.ok_or_else(|| fail(&"its elements are not carried"))?;
                self.choose(own, search, elements, true)?
            }
        };
        let choice = choice.ok_or_else(|| fail(&"its elements are not searched yet"))?;
        let operand = member.windows.regions.first().copied();
        let operand = operand.ok_or_else(|| fail(&"operation has no operand"))?;
        let operand = self.rewriter.regions.get(operand);
        let tile = extents(operand, &self.plan.trips, self.variant, usize::MAX);
        self.update(sink, part.r#type(), |site, before| {
            let positions = choice.pick(site, before, part)?;
            search.advance(site, positions, search.tile(&tile))
        })?;
        // The positions are chosen by the same truth values, so this comes after their choice.
        if let Some(unused) = self.unused.take() {
            self.erase_unused(unused);
        }
        Ok(())
    }

    /// Combines the elements of a tile with those before. Returns the choice that positions follow, which may be `None` without
    /// positions.
    fn choose(
        &mut self,
        sink: usize,
        search: Search,
        part: Val<'p>,
        has_positions: bool,
    ) -> Result<Option<Choice<'p>>, Diagnostic<'p>> {
        let mut choice = None;
        let before = self.current[sink];
        self.update(sink, part.r#type(), |site, before| {
            let (made, chosen) = search.choose(site, before, part, has_positions)?;
            choice = made;
            Ok(chosen)
        })?;
        if self.flow.sinks[sink].holds == Holds::Elements
            && self.is_last(self.flow.sinks[sink].member)
            && let Some(after) = std::mem::replace(&mut self.current[sink], before)
        {
            self.unused = Some(after);
        }
        Ok(choice)
    }

    /// Returns whether a body is for the last tile of the dimensions that a member reduces, so that no tile follows it.
    fn is_last(&self, member: usize) -> bool {
        let member = &self.plan.members[member];
        let result = member.operands();
        let kept = member.device().tensor_dims(result);
        let mut levels = member.dims.iter().enumerate();
        levels.all(|(level, dim)| {
            let is_reduced = dim.is_some() && !kept.contains(dim);
            let trip = self.plan.trips.get(level, self.variant);
            !is_reduced || self.variant.is_rest(level) || trip.whole == 1 && !trip.rest
        })
    }

    /// Replaces the window of an accumulator that a body visits by the value that `build` makes of it.
    fn update(
        &mut self,
        index: usize,
        tile: Type<'p>,
        build: impl FnOnce(Site<'r, 'p>, Val<'p>) -> Result<Val<'p>, Diagnostic<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        let sink = &self.flow.sinks[index];
        let member = &self.plan.members[sink.member];
        let base = self.plan.nest.depth(sink.home);
        let slicing = self.slicing(result_region(member)?, base, usize::MAX);
        let whole = self.now(index)?;
        let before = self.scopes.fresh_slice(whole, &slicing, tile);
        let after = build(self.site(member), before)?;
        let location = member.op.op().location();
        self.current[index] = Some(if before == whole {
            after
        } else {
            self.scopes.insert(after, whole, &slicing, location)
        });
        Ok(())
    }

    /// Returns the window that the levels from `base` to `depth` leave of a region.
    fn slicing(&self, region: RegionId, base: usize, depth: usize) -> Slicing<'g>
    where
        'r: 'g,
    {
        Slicing::new(
            self.rewriter.regions.get(region),
            region,
            &self.plan.trips,
            self.variant,
            base..depth,
        )
    }

    /// Returns the type of one of a member's tensors in its body.
    fn tile(&self, member: &PlannedMember<'p>, tensor: usize) -> Result<Type<'p>, Diagnostic<'p>> {
        if self.variant == Variant::default() {
            return Ok(member.windows.tiles[tensor]);
        }
        let whole = self.original_type(member, tensor)?;
        let region = self.rewriter.regions.get(member.windows.regions[tensor]);
        let extents = extents(region, &self.plan.trips, self.variant, usize::MAX);
        self.rewriter
            .types
            .tile(&whole, &extents)
            .map_err(|why| internal(member.op.op(), &why))
    }

    /// Returns the type of a member's result in a body that is around the member. Dynamic extents have their maximum.
    pub fn type_in(
        &self,
        member: &PlannedMember<'p>,
        home: NodeId,
    ) -> Result<Rc<TensorType<'p>>, Diagnostic<'p>> {
        let fail = |why: String| internal(member.op.op(), &why);
        let whole = self.original_type(member, member.operands())?;
        let region = self.rewriter.regions.get(result_region(member)?);
        let depth = self.plan.nest.depth(home);
        let extents = extents(region, &self.plan.trips, self.variant, depth);
        let ty = self.rewriter.types.tile(&whole, &extents).map_err(fail)?;
        self.rewriter.types.get(ty).map_err(fail)
    }

    /// Returns the dynamic dimensions of a member's result in a body that is around the member; `None` for static extents.
    pub fn symbols_in(
        &self,
        member: &PlannedMember<'p>,
        home: NodeId,
    ) -> Result<Vec<Option<SymbolId>>, Diagnostic<'p>> {
        let region = self.rewriter.regions.get(result_region(member)?);
        let depth = self.plan.nest.depth(home);
        Ok(region
            .iter()
            .map(|axis| axis.dynamic_inside(depth))
            .collect())
    }

    /// Returns the type of one of a member's tensors before the rewriting.
    fn original_type(
        &self,
        member: &PlannedMember<'p>,
        tensor: usize,
    ) -> Result<Rc<TensorType<'p>>, Diagnostic<'p>> {
        let ty = member.windows.types[tensor];
        self.rewriter
            .types
            .get(ty)
            .map_err(|why| internal(member.op.op(), &why))
    }
}

/// Returns the region of a member's result.
fn result_region<'p>(member: &PlannedMember<'p>) -> Result<RegionId, Diagnostic<'p>> {
    let region = member.windows.regions.last().copied();
    region.ok_or_else(|| internal(member.op.op(), &"operation has no result"))
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
