//! Operands that are read by quotients and remainders of loops: `tensor.extract` at positions instead.
//!
//! The device reads views, with coordinates that are linear in the loops. In other maps, such as
//! `d0 mod 3`, the positions depend on loops alone, so they are constants, and the operand is a table that
//! they index.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, AffineMap, Type, ValueLike};
use spyre_construct::access;
use spyre_construct::build::element_of;
use spyre_construct::structured::{self, Mapped};
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, At, Op, OpBuilder, Val};
use spyre_ods::{linalg, tensor};

/// Replaces inputs of a structured operation with maps that are not linear by reads at positions in
/// its body. Returns the operation that replaces it; `None` if all maps are linear, or if no other
/// operand has the extent of a loop.
pub(super) fn read_at_positions<'p>(context: &'p Context, op: Op<'p>) -> Option<Op<'p>> {
    let outputs = op.result_count();
    let maps = attr::elements(ir::attribute(op, "indexing_maps")?);
    let mut ins: Vec<Mapped<'p>> = op.operands().zip(maps).collect();
    let outs = ins.split_off(ins.len() - outputs);
    let is_read_at = |(value, map): &Mapped<'p>| {
        let map_value = ir::affine_map_value(*map);
        ir::is_ranked_tensor(value.r#type())
            && access::read(*map).is_none()
            && map_value.is_some_and(|map| map.symbol_count() == 0)
    };
    if outputs == 0 || !ins.iter().any(is_read_at) {
        return None;
    }
    let kept: Vec<Mapped<'p>> = ins.iter().copied().filter(|it| !is_read_at(it)).collect();
    let loops = attr::elements(ir::attribute(op, "iterator_types")?);
    if !has_extents(kept.iter().chain(&outs), loops.len()) {
        return None;
    }
    let (built, body) = structured::generic(context, (op, op.location()), (&kept, &outs), &loops);
    structured::copy_hints(op, built);
    let old = ir::body(op)?;
    let reader = Reader { context, op: built };
    let mut place = 0;
    for (number, mapped) in ins.iter().chain(&outs).enumerate() {
        let element = if number < ins.len() && is_read_at(mapped) {
            let map = ir::affine_map_value(mapped.1).expect("its map has been read");
            reader.element(mapped.0, map)
        } else {
            place += 1;
            structured::argument(body, place - 1)
        };
        ir::replace_all_uses(structured::argument(old, number), element);
    }
    for inner in ir::operations(old) {
        ir::move_to_end(inner, body);
    }
    for (old, new) in ir::results(op).zip(ir::results(built)) {
        ir::replace_all_uses(old, new);
    }
    ir::erase(op);
    Some(built)
}

/// Returns whether each loop is a dimension of one of some tensors.
fn has_extents<'a, 'p: 'a>(tensors: impl Iterator<Item = &'a Mapped<'p>>, loops: usize) -> bool {
    let mut flags = vec![false; loops];
    for (_, map) in tensors {
        let Some(coordinates) = access::read(*map) else {
            return false;
        };
        for id in coordinates.iter().filter_map(access::Coordinate::as_index) {
            flags[id.0] = true;
        }
    }
    flags.into_iter().all(|flag| flag)
}

/// Builds the reads at the end of a body.
struct Reader<'p> {
    context: &'p Context,
    op: Op<'p>,
}

impl<'p> Reader<'p> {
    /// Builds the element of a tensor that a map gives.
    fn element(&self, tensor: Val<'p>, map: AffineMap<'p>) -> Val<'p> {
        let mut operands = vec![tensor];
        for result in 0..map.result_count() {
            let expr = map.result(result).expect("the number is below the count");
            let moving = (0..map.dim_count()).filter(|id| expr.is_function_of_dim(*id));
            let moving: Vec<usize> = moving.collect();
            // The map has the loops of the coordinate alone, so that the position depends on no other loop.
            let dim = |id| AffineExpr::dim(self.context, id);
            let all = AffineMap::new(self.context, map.dim_count(), 0, &[expr]);
            let renumbered = moving.iter().enumerate().fold(all, |map, (place, id)| {
                map.replace(dim(*id), dim(place), map.dim_count(), 0)
            });
            let expr = renumbered.result(0).expect("the map has one result");
            let one = AffineMap::new(self.context, moving.len(), 0, &[expr]);
            let loops: Vec<Val<'p>> = moving.iter().map(|id| self.index(*id)).collect();
            let body = ir::body(self.op).expect("the operation has a body");
            let (at, location) = (At::End(body), self.op.location());
            operands.push(ir::build_affine_apply(at, location, one, &loops));
        }
        let (tensor, positions) = operands.split_first().expect("the tensor is the first");
        self.build()
            .op(tensor::extract(*tensor, positions), element_of(*tensor))
    }

    fn index(&self, id: usize) -> Val<'p> {
        let number = IntegerAttribute::new(IntegerType::new(self.context, 64).into(), id as i64);
        let index = linalg::index(number.into());
        self.build().op(index, Type::index(self.context))
    }

    /// Returns the builder at the end of the body.
    fn build(&self) -> OpBuilder<'p> {
        let body = ir::body(self.op).expect("the operation has a body");
        OpBuilder::at_end(self.context, body, self.op.location())
    }
}
