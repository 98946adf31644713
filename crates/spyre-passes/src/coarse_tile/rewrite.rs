//! Rewriting a planned group into loops.

use std::collections::HashMap;
use std::rc::Rc;

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Location, ValueLike};
use spyre_dialects::spyre::EmptyOperation;
use spyre_layout::Elements;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, ForOp, Offset, Op, Use, Val, Window};

use super::plan::{GroupPlan, Tiling};
use crate::tensor::TensorTypes;

/// A window along one dimension: the levels that move it, with their steps.
type Movement = Vec<(usize, Elements)>;

/// A tensor's window in the terms of its group: per dimension, movement and extent.
type Region = Vec<(Movement, u64)>;

/// Rewrites groups of one function.
pub struct Rewriter<'r, 'p> {
    context: &'p Context,
    types: &'r TensorTypes<'p>,
    entry: Blk<'p>,
    constants: HashMap<i64, Val<'p>>,
}

/// A value that is used outside its group.
struct Escape<'p> {
    member: usize,
    outside: Vec<Use<'p>>,
}

/// The innermost body of a group's loops.
struct Body<'p> {
    block: Blk<'p>,
    location: Location<'p>,
    induction: Vec<Val<'p>>,
    offsets: HashMap<Movement, Val<'p>>,
    slices: HashMap<(usize, Region), Val<'p>>,
}

impl<'r, 'p> Rewriter<'r, 'p> {
    /// A rewriter for a function with this entry block.
    pub fn new(context: &'p Context, entry: Blk<'p>, types: &'r TensorTypes<'p>) -> Self {
        Self { context, types, entry, constants: HashMap::new() }
    }

    /// Builds the loops of a group and moves its operations into them.
    pub fn rewrite(&mut self, plan: &GroupPlan<'p>) -> Result<(), Diagnostic<'p>> {
        let Some(first) = plan.members.first() else { return Ok(()) };
        let first = first.op.op();
        let location = first.location();
        let members: HashMap<usize, usize> =
            plan.members.iter().enumerate().map(|(index, member)| (ir::op_key(member.op.op()), index)).collect();
        self.check_inside(plan, &members)?;
        let escapes = escapes(plan, &members);

        let inits = escapes.iter().map(|escape| self.empty(first, plan, escape)).collect::<Result<Vec<_>, _>>()?;
        let loops = self.nest(plan, first, location, &inits);
        let Some(innermost) = loops.last() else { return Ok(()) };
        let mut body = Body {
            block: innermost.body,
            location,
            induction: loops.iter().map(|level| level.induction_variable()).collect(),
            offsets: HashMap::new(),
            slices: HashMap::new(),
        };
        let mut carried: Vec<Val<'p>> = (0..escapes.len()).map(|index| innermost.carried(index)).collect();
        let mut next_escape = 0;
        for (index, member) in plan.members.iter().enumerate() {
            let op = member.op;
            let results = op.op().operand_count();
            for operand in 0..results {
                let value = op.op().operand(operand).map_err(|why| internal(op.op(), &why))?;
                if defining_member(value, &members).is_some() {
                    continue;
                }
                let region = region(&op.tensor_dims(operand), &member.tiling, &self.shape(value)?);
                let slice = self.slice(&mut body, value, &region)?;
                ir::set_operand(op.op(), operand, slice);
            }
            let result: Val<'p> = op.op().result(0).map_err(|why| internal(op.op(), &why))?.into();
            let shape = self.shape(result)?;
            let region = region(&op.tensor_dims(results), &member.tiling, &shape);
            let full = self.types.get(result.r#type()).map_err(|why| error(op.op(), why))?;
            let extents: Vec<u64> = region.iter().map(|(_, extent)| *extent).collect();
            result.set_type(self.types.tile(&full, &extents).map_err(|why| error(op.op(), why))?);
            op.remove_hints();
            ir::move_to_end(op.op(), body.block);
            if escapes.get(next_escape).is_some_and(|escape| escape.member == index) {
                let window = self.window(&mut body, &region);
                let at = At::End(body.block);
                carried[next_escape] =
                    ir::build_insert_slice(at, op.op().location(), result, carried[next_escape], &window);
                next_escape += 1;
            }
        }
        close(&loops, location, &carried);
        for (index, escape) in escapes.iter().enumerate() {
            for outside in &escape.outside {
                ir::set_operand(outside.owner, outside.operand, loops[0].result(index));
            }
        }
        Ok(())
    }

    /// Values that the group computes are read in the tiles in which they are computed.
    fn check_inside(&self, plan: &GroupPlan<'p>, members: &HashMap<usize, usize>) -> Result<(), Diagnostic<'p>> {
        for member in &plan.members {
            let op = member.op;
            for operand in 0..op.op().operand_count() {
                let value = op.op().operand(operand).map_err(|why| internal(op.op(), &why))?;
                let Some(producer) = defining_member(value, members) else { continue };
                let producer = &plan.members[producer];
                let computed = producer.op.tensor_dims(producer.op.op().operand_count());
                let read = op.tensor_dims(operand);
                if Rc::ptr_eq(&member.tiling, &producer.tiling) && read == computed {
                    continue;
                }
                let shape = self.shape(value)?;
                let (read, computed) =
                    (region(&read, &member.tiling, &shape), region(&computed, &producer.tiling, &shape));
                if read != computed {
                    let message = format!(
                        "operand #{operand} is computed in this group in tiles of {}, but read here in tiles of {}",
                        extents(&computed),
                        extents(&read)
                    );
                    return Err(error(op.op(), message).note(producer.op.op().location(), "computed here"));
                }
            }
        }
        Ok(())
    }

    fn shape(&self, value: Val<'p>) -> Result<Vec<u64>, Diagnostic<'p>> {
        let ty = self.types.get(value.r#type()).map_err(|why| Diagnostic::error(value.location(), why))?;
        Ok(ty.shape().to_vec())
    }

    /// The full tensor that a loop fills.
    fn empty(&self, before: Op<'p>, plan: &GroupPlan<'p>, escape: &Escape<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = plan.members[escape.member].op.op();
        let result = op.result(0).map_err(|why| internal(op, &why))?;
        let empty = EmptyOperation::builder(self.context, op.location()).result(result.r#type()).build();
        let block = before.block().unwrap_or(self.entry);
        let empty = block.insert_operation_before(before, empty.into());
        Ok(empty.result(0).map_err(|why| internal(op, &why))?.into())
    }

    /// A constant at the start of the function, made once.
    fn constant(&mut self, value: i64) -> Val<'p> {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let at = self.entry.first_operation().map_or(At::End(self.entry), At::Before);
        let location = Location::unknown(self.context);
        let location = self.entry.parent_operation().map_or(location, |function| function.location());
        let constant = ir::build_index_constant(at, location, value);
        self.constants.insert(value, constant);
        constant
    }

    fn nest(
        &mut self,
        plan: &GroupPlan<'p>,
        before: Op<'p>,
        location: Location<'p>,
        inits: &[Val<'p>],
    ) -> Vec<ForOp<'p>> {
        let (zero, one) = (self.constant(0), self.constant(1));
        let mut loops: Vec<ForOp<'p>> = Vec::with_capacity(plan.levels.len());
        let mut inits = inits.to_vec();
        for level in &plan.levels {
            let count = self.constant(level.count.cast_signed());
            let at = loops.last().map_or(At::Before(before), |outer| At::End(outer.body));
            let level = ir::build_for(at, location, zero, count, one, &inits);
            inits = (0..inits.len()).map(|index| level.carried(index)).collect();
            loops.push(level);
        }
        loops
    }

    /// The window of a full tensor, made once for each tensor and window.
    fn slice(&self, body: &mut Body<'p>, value: Val<'p>, region: &Region) -> Result<Val<'p>, Diagnostic<'p>> {
        if region.iter().all(|(movement, _)| movement.is_empty()) {
            return Ok(value);
        }
        let key = (ir::value_key(value), region.clone());
        if let Some(known) = body.slices.get(&key) {
            return Ok(*known);
        }
        let error = |why| Diagnostic::error(value.location(), format!("coarse-tile: {why}"));
        let full = self.types.get(value.r#type()).map_err(error)?;
        let extents: Vec<u64> = region.iter().map(|(_, extent)| *extent).collect();
        let tile = self.types.tile(&full, &extents).map_err(error)?;
        let window = self.window(body, region);
        let slice = ir::build_extract_slice(At::End(body.block), body.location, tile, value, &window);
        body.slices.insert(key, slice);
        Ok(slice)
    }

    fn window(&self, body: &mut Body<'p>, region: &Region) -> Window<'p> {
        let offsets = region
            .iter()
            .map(|(movement, _)| {
                if movement.is_empty() { Offset::Static(0) } else { Offset::Value(self.offset(body, movement)) }
            })
            .collect();
        Window { offsets, sizes: region.iter().map(|(_, extent)| extent.cast_signed()).collect() }
    }

    /// The offset of a window along one dimension: the sum of what each level moves it by.
    fn offset(&self, body: &mut Body<'p>, movement: &Movement) -> Val<'p> {
        if let Some(known) = body.offsets.get(movement) {
            return *known;
        }
        let mut sum: Option<AffineExpr<'p>> = None;
        for (dim, (_, step)) in movement.iter().enumerate() {
            let term =
                AffineExpr::dim(self.context, dim) * AffineExpr::constant(self.context, step.get().cast_signed());
            sum = Some(sum.map_or(term, |sum| sum + term));
        }
        let sum = sum.unwrap_or_else(|| AffineExpr::constant(self.context, 0));
        let map = AffineMap::new(self.context, movement.len(), 0, &[sum]);
        let operands: Vec<Val<'p>> = movement.iter().map(|(level, _)| body.induction[*level]).collect();
        let offset = ir::build_affine_apply(At::End(body.block), body.location, map, &operands);
        body.offsets.insert(movement.clone(), offset);
        offset
    }
}

/// The window of a tensor that one iteration visits.
fn region(dims: &[Option<usize>], tiling: &Tiling, shape: &[u64]) -> Region {
    dims.iter()
        .zip(shape)
        .map(|(dim, extent)| match dim {
            Some(dim) => (tiling.steps(*dim).collect(), tiling.tile[*dim]),
            None => (Vec::new(), *extent),
        })
        .collect()
}

fn extents(region: &Region) -> String {
    region.iter().map(|(_, extent)| extent.to_string()).collect::<Vec<_>>().join("x")
}

fn defining_member(value: Val<'_>, members: &HashMap<usize, usize>) -> Option<usize> {
    members.get(&ir::op_key(ir::defining_op(value)?)).copied()
}

/// The values that are used outside the group, in the order of the operations.
fn escapes<'p>(plan: &GroupPlan<'p>, members: &HashMap<usize, usize>) -> Vec<Escape<'p>> {
    let mut escapes = Vec::new();
    for (index, member) in plan.members.iter().enumerate() {
        let outside: Vec<Use<'p>> = member
            .op
            .op()
            .results()
            .flat_map(|result| ir::uses(result.into()))
            .filter(|found| !members.contains_key(&ir::op_key(found.owner)))
            .collect();
        if !outside.is_empty() {
            escapes.push(Escape { member: index, outside });
        }
    }
    escapes
}

/// Ends the bodies of the loops: the innermost yields the filled tensors, the others what is inside.
fn close<'p>(loops: &[ForOp<'p>], location: Location<'p>, carried: &[Val<'p>]) {
    for (index, level) in loops.iter().enumerate() {
        let values = match loops.get(index + 1) {
            Some(inner) => (0..carried.len()).map(|result| inner.result(result)).collect(),
            None => carried.to_vec(),
        };
        ir::build_yield(level.body, location, &values);
    }
}

fn error<'p>(op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("coarse-tile: {message}"))
}

/// A property that the verifier of the dialect guarantees does not hold.
fn internal<'p>(op: Op<'p>, why: &dyn std::fmt::Display) -> Diagnostic<'p> {
    error(op, format!("malformed operation: {why}"))
}
