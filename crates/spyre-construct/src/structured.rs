//! Builds `linalg.generic`.

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{
    AffineExpr, AffineMap, Attribute, Block, Location, Region, RegionLike, ShapedTypeLike, Type,
    ValueLike,
};
use spyre_analysis::dynamic::slices::DYNAMIC;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, Val};
use spyre_ods::{linalg, tensor};

use super::access::LoopId;
use super::build::element_of;

/// The attributes that are parts of a `linalg.generic`.
const PARTS: [&str; 3] = ["indexing_maps", "iterator_types", "operandSegmentSizes"];

/// A tensor that a structured operation reads or writes, and the map from the loops to its elements.
pub type Mapped<'p> = (Val<'p>, Attribute<'p>);

/// Returns the map of a tensor that moves along some of the loops.
pub fn map<'p>(context: &'p Context, loops: usize, places: &[usize]) -> Attribute<'p> {
    let results = places.iter().map(|place| AffineExpr::dim(context, *place));
    map_of(context, loops, &results.collect::<Vec<_>>())
}

/// Returns the map of a tensor to some expressions of the loops.
pub fn map_of<'p>(context: &'p Context, loops: usize, results: &[AffineExpr<'p>]) -> Attribute<'p> {
    ir::affine_map_attribute(AffineMap::new(context, loops, 0, results))
}

/// Returns whether the elements of an operation's results do not depend on each other: it has loops, and no reduced one.
pub fn is_elementwise(op: Op<'_>) -> bool {
    let iterators = op.attribute("iterator_types").map(attr::elements);
    iterators.is_ok_and(|all| !all.iter().any(|one| one.to_string().contains("reduction")))
}

/// Returns the kinds of loops: parallel ones, and then reduced ones.
pub fn loops<'p>(context: &'p Context, parallel: usize, reduced: usize) -> Vec<Attribute<'p>> {
    let kind = |text| Attribute::parse(context, text).expect("the dialect is loaded");
    let mut kinds = vec![kind("#linalg.iterator_type<parallel>"); parallel];
    kinds.resize(parallel + reduced, kind("#linalg.iterator_type<reduction>"));
    kinds
}

/// Builds a `linalg.generic` before an operation. Its body has an argument for each tensor, and no operations yet.
pub fn generic<'p>(
    context: &'p Context,
    (before, location): (Op<'p>, Location<'p>),
    (ins, outs): (&[Mapped<'p>], &[Mapped<'p>]),
    iterators: &[Attribute<'p>],
) -> (Op<'p>, Blk<'p>) {
    let (values, maps): (Vec<Val<'p>>, Vec<_>) = ins.iter().chain(outs).copied().unzip();
    let results: Vec<Type<'p>> = outs.iter().map(|(value, _)| value.r#type()).collect();
    let arguments: Vec<_> = values
        .iter()
        .map(|value| (element_of(*value), location))
        .collect();
    let region = Region::new();
    region.append_block(Block::new(&arguments));
    let (inputs, outputs) = values.split_at(ins.len());
    let maps = ArrayAttribute::new(context, &maps).into();
    let iterators = ArrayAttribute::new(context, iterators).into();
    let generic = linalg::generic(inputs, outputs, maps, iterators).region(region);
    let op = builder(context, before, location).insert(generic, &results);
    (op, ir::body(op).expect("the operation has a body"))
}

/// Builds a `linalg.fill` of a tensor before an operation.
pub fn fill<'p>(
    context: &'p Context,
    (before, location): (Op<'p>, Location<'p>),
    value: Val<'p>,
    tensor: Val<'p>,
) -> Val<'p> {
    let ty = value.r#type();
    let region = Region::new();
    region.append_block(Block::new(&[(ty, location), (ty, location)]));
    let fill = linalg::fill(&[value], &[tensor]).region(region);
    let op = builder(context, before, location).insert(fill, &[tensor.r#type()]);
    let body = ir::body(op).expect("the operation has a body");
    end(body, location, &[argument(body, 0)]);
    ir::result(op, 0).expect("the operation has a result")
}

/// Builds a `tensor.pad` of a tensor before an operation: `low` elements before it and `high` after it along each dimension, none along
/// a dynamic one, and the value of the padding.
pub fn pad<'p>(
    context: &'p Context,
    (before, location): (Op<'p>, Location<'p>),
    tensor: Val<'p>,
    (low, high): (&[i64], &[i64]),
    value: Val<'p>,
) -> Val<'p> {
    let source = RankedTensorType::try_from(tensor.r#type()).expect("a tensor is padded");
    let extents = low.iter().zip(high).enumerate();
    let extents = extents.map(|(axis, (low, high))| match source.dim_size(axis) {
        Ok(DimSize::Static(extent)) => extent + (low + high).cast_unsigned(),
        _ => DYNAMIC.cast_unsigned(),
    });
    let extents: Vec<u64> = extents.collect();
    let region = Region::new();
    let index = Type::index(context);
    region.append_block(Block::new(&vec![(index, location); low.len()]));
    let numbers = |numbers: &[i64]| DenseI64ArrayAttribute::new(context, numbers).into();
    let ty = RankedTensorType::new(&extents, element_of(tensor), None);
    let pad = tensor::pad(tensor, &[], &[], numbers(low), numbers(high)).region(region);
    let op = builder(context, before, location).insert(pad, &[ty.into()]);
    let block = ir::body(op).expect("it has a block");
    OpBuilder::at_end(context, block, location).insert(tensor::yield_(value), &[]);
    ir::result(op, 0).expect("it has a result")
}

/// Returns the builder before an operation, with a location that may be another one.
fn builder<'p>(context: &'p Context, before: Op<'p>, location: Location<'p>) -> OpBuilder<'p> {
    OpBuilder {
        location,
        ..OpBuilder::before(context, before)
    }
}

/// Replaces a `linalg.generic` by one that reads tensors in place of values in its body, and returns that. Each value comes with its
/// tensor and the loops along the tensor's dimensions.
pub fn read_tensors<'p>(
    context: &'p Context,
    op: Op<'p>,
    tensors: &[(Val<'p>, Val<'p>, &[LoopId])],
) -> Op<'p> {
    let from = ir::body(op).expect("a generic operation has a body");
    let operands: Vec<Val<'p>> = op.operands().collect();
    let outputs = op.result_count();
    let inputs = operands.len() - outputs;
    let maps = attr::elements(op.attribute("indexing_maps").expect("checked by MLIR"));
    let iterators = op.attribute("iterator_types").expect("checked by MLIR");
    let iterators = attr::elements(iterators);
    let mut ins: Vec<Mapped<'p>> = operands.into_iter().zip(maps).collect();
    let outs = ins.split_off(inputs);
    for (_, tensor, loops) in tensors {
        let places: Vec<usize> = loops.iter().map(|id| id.0).collect();
        let map = map(context, iterators.len(), &places);
        ins.push((*tensor, map));
    }
    let (built, body) = generic(context, (op, op.location()), (&ins, &outs), &iterators);
    copy_hints(op, built);
    for inner in ir::operations(from) {
        ir::move_to_end(inner, body);
    }
    for number in 0..inputs + outs.len() {
        let moved = if number < inputs { 0 } else { tensors.len() };
        let old = argument(from, number);
        ir::replace_all_uses(old, argument(body, number + moved));
    }
    let first = body.first_operation().expect("the body has an end");
    for (number, (value, ..)) in tensors.iter().enumerate() {
        let read = argument(body, inputs + number);
        let read = match value.r#type() == read.r#type() {
            true => read,
            false => ir::build_index_cast(At::Before(first), op.location(), read, value.r#type()),
        };
        for user in ir::uses(*value) {
            // A use outside of the body is not replaced: the value also builds the tensor there.
            if user.owner.block() != built.block() {
                ir::set_operand(user.owner, user.operand, read);
            }
        }
    }
    for (old, new) in ir::results(op).zip(ir::results(built)) {
        ir::replace_all_uses(old, new);
    }
    ir::erase(op);
    built
}

/// Copies attributes such as hints to an operation from the one that it replaces.
pub fn copy_hints<'p>(from: Op<'p>, to: Op<'p>) {
    for (name, value) in from.attributes() {
        let name = name.as_string_ref();
        let name = name.as_str().expect("names of attributes are UTF-8");
        if !PARTS.contains(&name) {
            ir::set_discardable_attribute(to, name, value);
        }
    }
}

/// Ends the body of a structured operation.
pub fn end<'p>(body: Blk<'p>, location: Location<'p>, values: &[Val<'p>]) {
    // The block may be in no operation yet, so the context comes from the location.
    let end = OperationBuilder::new(linalg::YIELD, location).add_operands(values);
    let end = end.build().expect("every part of the operation is given");
    ir::insert(At::End(body), end).expect("the body is a block");
}

/// Returns an argument of a body: the element of a tensor.
pub fn argument<'p>(body: Blk<'p>, number: usize) -> Val<'p> {
    let argument = body.argument(number);
    argument
        .expect("an operand is an argument of the body")
        .into()
}
