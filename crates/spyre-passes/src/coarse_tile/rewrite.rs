//! Rewriting a planned group into loops.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Location, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::spyre::EmptyOperation;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, ForOp, Offset, Op, Use, Val, Window};

use super::error;
use super::plan::GroupPlan;
use super::region::{Movement, Region, RegionId, Regions};
use crate::layouts::CANDIDATES;
use crate::names::OPERATION_ATTRIBUTES;

/// Rewrites groups of one function.
pub struct Rewriter<'r, 'p> {
    regions: &'r Regions,
    context: &'p Context,
    entry: Blk<'p>,
    constants: FxHashMap<i64, Val<'p>>,
}

/// A value that is used outside its group.
struct Escape<'p> {
    member: usize,
    value: Val<'p>,
    outside: Vec<Use<'p>>,
}

/// The innermost body of a group's loops.
struct Body<'p> {
    block: Blk<'p>,
    location: Location<'p>,
    induction: Vec<Val<'p>>,
    offsets: FxHashMap<Movement, Val<'p>>,
    slices: FxHashMap<(usize, RegionId), Val<'p>>,
}

impl<'r, 'p> Rewriter<'r, 'p> {
    /// A rewriter for a function with this entry block.
    pub fn new(context: &'p Context, entry: Blk<'p>, regions: &'r Regions) -> Self {
        Self {
            regions,
            context,
            entry,
            constants: FxHashMap::default(),
        }
    }

    /// Builds the loops of a group behind its last operation and moves its operations into them. What
    /// is between the operations uses nothing of the group, so it stays in front.
    ///
    /// # Errors
    /// The IR breaks a rule that the verifier of its dialect checks.
    pub fn rewrite(&mut self, plan: &GroupPlan<'p>) -> Result<(), Diagnostic<'p>> {
        for op in &plan.fixed {
            op.remove_hints();
        }
        let (Some(first), Some(last)) = (plan.members.first(), plan.members.last()) else {
            return Ok(());
        };
        let location = first.op.op().location();
        let last = last.op.op();
        let at = match (last.next_in_block(), last.block()) {
            (Some(next), _) => At::Before(next),
            (None, Some(block)) => At::End(block),
            (None, None) => return Err(internal(last, &"operation is in no block")),
        };
        let escapes = escapes(plan)?;

        let inits = escapes
            .iter()
            .map(|escape| self.empty(at, escape))
            .collect::<Result<Vec<_>, _>>()?;
        let loops = self.nest(plan, at, location, &inits);
        let (Some(outermost), Some(innermost)) = (loops.first(), loops.last()) else {
            return Ok(());
        };
        let mut body = Body {
            block: innermost.body,
            location,
            induction: loops
                .iter()
                .map(|level| level.induction_variable())
                .collect(),
            offsets: FxHashMap::default(),
            slices: FxHashMap::default(),
        };
        let mut carried: Vec<Val<'p>> = (0..escapes.len())
            .map(|index| innermost.carried(index))
            .collect();
        let mut next_escape = escapes.iter().zip(&mut carried).peekable();
        for (index, member) in plan.members.iter().enumerate() {
            let op = member.op;
            let mut windows = member
                .windows
                .regions
                .iter()
                .copied()
                .zip(member.windows.tiles.iter().copied());
            for (operand, (region, tile)) in
                windows.by_ref().take(op.op().operand_count()).enumerate()
            {
                let value = op
                    .op()
                    .operand(operand)
                    .map_err(|why| internal(op.op(), &why))?;
                if plan.maker(value).is_none() {
                    let slice = self.slice(&mut body, value, region, tile);
                    ir::set_operand(op.op(), operand, slice);
                }
            }
            let (Ok(result), Some((region, tile))) = (op.op().result(0), windows.next()) else {
                return Err(internal(op.op(), &"operation has no result"));
            };
            let result: Val<'p> = result.into();
            result.set_type(tile);
            op.remove_hints();
            self.forget_whole(op.op());
            ir::move_to_end(op.op(), body.block);
            if let Some((_, into)) = next_escape.next_if(|(escape, _)| escape.member == index) {
                let window = self.window(&mut body, self.regions.get(region));
                *into = ir::build_insert_slice(
                    At::End(body.block),
                    op.op().location(),
                    result,
                    *into,
                    &window,
                );
            }
        }
        close(&loops, location, &carried);
        for op in &plan.behind {
            match at {
                At::Before(next) => ir::move_before(*op, next),
                At::End(block) => ir::move_to_end(*op, block),
            }
        }
        for (index, escape) in escapes.iter().enumerate() {
            for outside in &escape.outside {
                ir::set_operand(outside.owner, outside.operand, outermost.result(index));
            }
        }
        Ok(())
    }

    /// The full tensor that a loop fills.
    fn empty(&self, at: At<'p>, escape: &Escape<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let location = escape.value.location();
        let empty = EmptyOperation::builder(self.context, location)
            .result(escape.value.r#type())
            .build();
        let empty = match at {
            At::Before(next) => match next.block() {
                Some(block) => block.insert_operation_before(next, empty.into()),
                None => return Err(internal(next, &"operation is in no block")),
            },
            At::End(block) => block.append_operation(empty.into()),
        };
        Ok(empty.result(0).map_err(|why| internal(empty, &why))?.into())
    }

    /// A constant at the start of the function, made once.
    fn constant(&mut self, value: i64) -> Val<'p> {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let at = self
            .entry
            .first_operation()
            .map_or(At::End(self.entry), At::Before);
        let location = Location::unknown(self.context);
        let location = self
            .entry
            .parent_operation()
            .map_or(location, |function| function.location());
        let constant = ir::build_index_constant(at, location, value);
        self.constants.insert(value, constant);
        constant
    }

    fn nest(
        &mut self,
        plan: &GroupPlan<'p>,
        at: At<'p>,
        location: Location<'p>,
        inits: &[Val<'p>],
    ) -> Vec<ForOp<'p>> {
        let (zero, one) = (self.constant(0), self.constant(1));
        let mut loops: Vec<ForOp<'p>> = Vec::with_capacity(plan.levels.len());
        let mut inits = inits.to_vec();
        for level in &plan.levels {
            let count = self.constant(level.count.cast_signed());
            let at = loops.last().map_or(at, |outer| At::End(outer.body));
            let level = ir::build_for(at, location, zero, count, one, &inits);
            inits = (0..inits.len()).map(|index| level.carried(index)).collect();
            loops.push(level);
        }
        loops
    }

    /// The window of a full tensor, made once for each tensor and window.
    fn slice(&self, body: &mut Body<'p>, value: Val<'p>, id: RegionId, tile: Type<'p>) -> Val<'p> {
        let region = self.regions.get(id);
        if region.iter().all(|(movement, _)| movement.is_empty()) {
            return value;
        }
        let key = (ir::value_key(value), id);
        if let Some(known) = body.slices.get(&key) {
            return *known;
        }
        let window = self.window(body, region);
        let slice =
            ir::build_extract_slice(At::End(body.block), body.location, tile, value, &window);
        body.slices.insert(key, slice);
        slice
    }

    /// What is said about a whole operation is not true of its tile: names with extents, and layouts with padding.
    fn forget_whole(&self, op: Op<'p>) {
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
            let candidates = attr::array(self.context, &candidates);
            ir::set_discardable_attribute(op, CANDIDATES, candidates);
        }
    }

    fn window(&self, body: &mut Body<'p>, region: &Region) -> Window<'p> {
        let offsets = region
            .iter()
            .map(|(movement, _)| {
                if movement.is_empty() {
                    Offset::Static(0)
                } else {
                    Offset::Value(self.offset(body, movement))
                }
            })
            .collect();
        Window {
            offsets,
            sizes: region
                .iter()
                .map(|(_, extent)| extent.cast_signed())
                .collect(),
        }
    }

    /// The offset of a window along one dimension: the sum of what each level moves it by.
    fn offset(&self, body: &mut Body<'p>, movement: &Movement) -> Val<'p> {
        if let Some(known) = body.offsets.get(movement) {
            return *known;
        }
        let mut sum: Option<AffineExpr<'p>> = None;
        for (dim, (_, step)) in movement.iter().enumerate() {
            let term = AffineExpr::dim(self.context, dim)
                * AffineExpr::constant(self.context, step.get().cast_signed());
            sum = Some(sum.map_or(term, |sum| sum + term));
        }
        let sum = sum.unwrap_or_else(|| AffineExpr::constant(self.context, 0));
        let map = AffineMap::new(self.context, movement.len(), 0, &[sum]);
        let operands: Vec<Val<'p>> = movement
            .iter()
            .filter_map(|(level, _)| body.induction.get(*level))
            .copied()
            .collect();
        let offset = ir::build_affine_apply(At::End(body.block), body.location, map, &operands);
        body.offsets.insert(movement.clone(), offset);
        offset
    }
}

/// The values that are used outside the loops, in the order of the operations.
fn escapes<'p>(plan: &GroupPlan<'p>) -> Result<Vec<Escape<'p>>, Diagnostic<'p>> {
    let mut escapes = Vec::new();
    for (index, member) in plan.members.iter().enumerate() {
        let op = member.op.op();
        let value: Val<'p> = op.result(0).map_err(|why| internal(op, &why))?.into();
        let mut outside = Vec::new();
        ir::for_each_use(value, |found| {
            if !plan.positions.contains_key(&ir::op_key(found.owner)) {
                outside.push(found);
            }
        });
        if !outside.is_empty() {
            escapes.push(Escape {
                member: index,
                value,
                outside,
            });
        }
    }
    Ok(escapes)
}

/// Ends the bodies of the loops: the innermost yields the filled tensors, the others what is inside.
fn close<'p>(loops: &[ForOp<'p>], location: Location<'p>, carried: &[Val<'p>]) {
    for (index, level) in loops.iter().enumerate() {
        let values = match loops.get(index + 1) {
            Some(inner) => (0..carried.len())
                .map(|result| inner.result(result))
                .collect(),
            None => carried.to_vec(),
        };
        ir::build_yield(level.body, location, &values);
    }
}

/// A property that the verifier of the dialect guarantees does not hold.
fn internal<'p>(op: Op<'p>, why: &dyn std::fmt::Display) -> Diagnostic<'p> {
    error(op, format!("malformed operation: {why}"))
}
