//! Positions that are added to the loops of a structured operation.
//!
//! Tensors that move along such a loop are padded at the end, the operation is built again over the longer loops, and
//! the original part of its result is cut out. Elements that are read at the new positions change no result: they are
//! cut off, or a reduction ignores them.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, TypeLike};
use spyre_construct::build::{Build, element_of, shape_of};
use spyre_construct::structured;
use spyre_dialects::attr;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, linalg, tensor};
use spyre_uop::ids::Id;
use spyre_uop::opt::Fill;
use spyre_uop::opt::card::Padding;

use super::{Nest, type_of};

/// Pads the loops of an operation. Returns the one that has taken its place.
///
/// # Errors
/// A tensor does not move along a loop as one of its dimensions, or the body reads tensors at positions.
pub(super) fn pad<'p>(
    context: &'p Context,
    nest: &Nest<'p>,
    paddings: &[Padding],
) -> Result<Op<'p>, String> {
    let op = nest.op;
    if paddings.is_empty() {
        return Ok(op);
    }
    for inner in ir::operations(nest.body) {
        let name = ir::name(inner);
        if matches!(name, tensor::EXTRACT | linalg::INDEX) {
            return Err(format!(
                "the body has '{name}', and after the loop there are no positions to read or to count"
            ));
        }
    }
    let shapes = shapes(nest, paddings)?;
    let build = Build::new(context, op);
    let least = paddings.iter().any(|padding| padding.fill == Fill::Least);
    let mut tensors = Vec::new();
    for (number, ((value, _), shape)) in nest.accesses.iter().zip(&shapes).enumerate() {
        let is_result = number >= nest.inputs;
        tensors.push(match shape {
            None => *value,
            Some(shape) if is_result => begin(build, *value, shape),
            Some(shape) => padded(build, *value, shape, fill(context, nest, *value, least)),
        });
    }
    let maps = op.attribute("indexing_maps").map(attr::elements);
    let maps = maps.expect("a structured operation has maps");
    let mapped: Vec<_> = tensors.into_iter().zip(maps).collect();
    let (ins, outs) = mapped.split_at(nest.inputs);
    let iterators = op.attribute("iterator_types").map(attr::elements);
    let iterators = iterators.expect("a structured operation has loops");
    let at = (op, op.location());
    let (new, body) = structured::generic(context, at, (ins, outs), &iterators);
    for number in 0..mapped.len() {
        let old = structured::argument(nest.body, number);
        ir::replace_all_uses(old, structured::argument(body, number));
    }
    let moved: Vec<Op<'p>> = ir::operations(nest.body).collect();
    for inner in moved {
        ir::move_to_end(inner, body);
    }
    for name in [spyre_dialects::names::TILE, spyre_dialects::names::DIMS] {
        if let Ok(value) = op.attribute(name) {
            ir::set_discardable_attribute(new, name, value);
        }
    }
    for (number, shape) in shapes[nest.inputs..].iter().enumerate() {
        let old = ir::result(op, number).expect("an output is a result");
        let result = ir::result(new, number).expect("an output is a result");
        let result = match shape {
            None => result,
            Some(_) => {
                let extents = shape_of(old)?;
                build.slice_fixed(result, &vec![0; extents.len()], &extents)
            }
        };
        ir::replace_all_uses(old, result);
    }
    ir::erase(op);
    Ok(new)
}

/// Returns the shape of each tensor over the longer loops; none if it is unchanged.
fn shapes(nest: &Nest<'_>, paddings: &[Padding]) -> Result<Vec<Option<Vec<i64>>>, String> {
    let mut shapes = Vec::new();
    for (value, coordinates) in &nest.accesses {
        let old_shape = shape_of(*value)?;
        let mut shape = old_shape.clone();
        for padding in paddings {
            let of = padding.loop_id.position();
            for (dim, at) in coordinates.iter().enumerate() {
                if !at.terms.iter().any(|(id, _)| id.0 == of) {
                    continue; // It does not move along this loop.
                }
                if at.as_index().is_none() {
                    return Err(format!(
                        "{} moves along loop {} with other loops, so that it has no positions after the end of that loop",
                        type_of(*value),
                        padding.loop_id
                    ));
                }
                shape[dim] = padding.extent.cast_signed();
            }
        }
        shapes.push((shape != old_shape).then_some(shape));
    }
    Ok(shapes)
}

/// Returns the initial value of a result, in another shape.
fn begin<'p>(build: Build<'p>, value: Val<'p>, shape: &[i64]) -> Val<'p> {
    let element = element_of(value);
    let maker = ir::defining_op(value);
    match maker.map(ir::name) {
        Some(tensor::EMPTY) => build.emit(tensor::empty(&[]), build.tensor(shape, element)),
        Some(linalg::FILL) => {
            let with = maker.and_then(|fill| ir::operand(fill, 0));
            let empty = build.emit(tensor::empty(&[]), build.tensor(shape, element));
            let at = (build.before, build.before.location());
            let with = with.expect("a fill has a value");
            structured::fill(build.context, at, with, empty)
        }
        _ => padded(build, value, shape, zero(build.context, element)),
    }
}

fn padded<'p>(build: Build<'p>, value: Val<'p>, shape: &[i64], with: Attribute<'p>) -> Val<'p> {
    let with = build.emit(arith::constant(with), element_of(value));
    let at = (build.before, build.before.location());
    let low = vec![0; shape.len()];
    let extents = shape_of(value).expect("loops that are cut have numbers as extents");
    let high: Vec<i64> = shape
        .iter()
        .zip(extents)
        .map(|(to, from)| to - from)
        .collect();
    structured::pad(build.context, at, value, (&low, &high), with)
}

/// Returns the padding value of a tensor.
fn fill<'p>(context: &'p Context, nest: &Nest<'p>, value: Val<'p>, least: bool) -> Attribute<'p> {
    let element = element_of(value);
    if !least {
        return zero(context, element);
    }
    let combiner = nest.term().map(|(combiner, _)| ir::name(combiner));
    match combiner {
        Some(arith::MAXSI) => {
            let bits = ir::bits(element).expect("an integer has bits");
            IntegerAttribute::new(element, i64::MIN >> (64 - bits)).into()
        }
        Some(arith::MAXUI) => zero(context, element),
        _ => FloatAttribute::new(context, element, f64::NEG_INFINITY).into(),
    }
}

fn zero<'p>(context: &'p Context, element: Type<'p>) -> Attribute<'p> {
    if IntegerType::try_from(element).is_ok() || element.is_index() {
        IntegerAttribute::new(element, 0).into()
    } else {
        FloatAttribute::new(context, element, 0.0).into()
    }
}
