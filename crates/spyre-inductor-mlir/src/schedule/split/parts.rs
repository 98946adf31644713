//! The reductions of the parts of a long reduction, and the reduction of their results.

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{AffineMap, Attribute, Block, Region, RegionLike, Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::affine;
use spyre_construct::build::element_type;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_inductor::schedule::layout::filled;
use spyre_inductor::schedule::nest::{Nest, Simpler};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{Arithmetic, CmpIPredicate, OpBuilder, inductor};

use super::super::super::copy::arguments;
use super::super::super::program::{self, result, text};
use super::super::{error, nests};

/// A reduction that is to be cut.
pub(super) struct Cut<'p> {
    pub(super) op: Op<'p>,
    pub(super) nest: Nest,
    /// The extents of its result, and of its reduced loops without loops of one iteration.
    pub(super) ranges: Vec<Expr>,
    pub(super) reduced: Vec<i64>,
    /// The number of parts, and the elements of one.
    pub(super) parts: i64,
    pub(super) block: i64,
}

impl Cut<'_> {
    /// Returns the number of elements that are reduced to one.
    fn elements(&self) -> i64 {
        self.reduced.iter().product()
    }

    /// Returns whether the last part has as many elements as the others.
    pub(super) fn is_even(&self) -> bool {
        self.parts * self.block == self.elements()
    }

    /// Returns the number of an element among all that are reduced, by the loops of its part.
    fn number(&self) -> Result<Expr, Overflow> {
        let parallel = self.nest.parallel;
        let number = var(parallel).scale(self.block)?;
        number.add(&var(parallel + 1))
    }
}

/// The condition, in the body of a part, that an element exists.
pub(super) struct Mask<'p> {
    /// The operations of the body that compute an element.
    pub(super) inner: Vec<Op<'p>>,
    /// Whether the element exists.
    pub(super) value: Val<'p>,
}

/// Builds the reduction of each part, before the whole one.
pub(super) fn first<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    (ty, identity): (Type<'p>, Attribute<'p>),
) -> Result<Op<'p>, Diagnostic<'p>> {
    let nest = part(context, cut, ty)?;
    if !cut.is_even() {
        let mask = mask(context, cut, nest)?;
        let end = end_of(nest);
        let value = ir::operand(end, 0).expect("it stores a value");
        let value = masked(context, nest, &mask.inner, (mask.value, value, identity));
        ir::set_operand(end, 0, value);
    }
    Ok(nest)
}

/// Builds the reduction of each part before the whole one, as if all parts had the same number of elements. `ty` is the
/// type of the reduced elements.
pub(super) fn part<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    ty: Type<'p>,
) -> Result<Op<'p>, Diagnostic<'p>> {
    let overflow = |err| error(cut.op, err);
    let copy = ir::build_clone(At::Before(cut.op), cut.op);
    for name in ["op", "buffer"] {
        let part_name = format!("{}_part", text(cut.op, name));
        ir::set_attribute(copy, name, StringAttribute::new(context, &part_name).into());
    }
    let mut ranges = cut.ranges.clone();
    ranges.push(Expr::constant(cut.parts));
    set_sizes(context, copy, "ranges", &ranges)?;
    set_sizes(
        context,
        copy,
        "reduction_ranges",
        &[Expr::constant(cut.block)],
    )?;
    let dense: Vec<usize> = (0..ranges.len()).rev().collect();
    let strides = filled(&dense, &ranges).map_err(overflow)?;
    let map = |exprs: &[Expr]| affine::sizes(context, exprs).map_err(|err| error(cut.op, err));
    let zero = map(&[Expr::constant(0)])?;
    let layout = Layout {
        kind: LayoutKind::Flexible,
        stride: map(&strides)?,
        size: None,
        offset: zero,
        base_offset: zero,
    };
    let layout = layout
        .attribute(context)
        .expect("dense strides are a layout");
    // Parts of 16-bit reductions keep the type in which they are computed.
    let extents = ranges
        .iter()
        .map(|extent| extent.as_constant().unwrap_or(0).cast_unsigned());
    let extents: Vec<u64> = extents.collect();
    let result_type = element_type(result(cut.op, 0).r#type());
    let element = if result_type.is_integer() {
        result_type
    } else {
        ty
    };
    result(copy, 0).set_type(RankedTensorType::new(&extents, element, Some(layout)).into());

    // The loops that were reduced are the digits of a number.
    let parallel = cut.nest.parallel;
    let number = cut.number().map_err(overflow)?;
    let mut loops: Vec<Expr> = (0..parallel).map(var).collect();
    let mut weight = cut.elements();
    for (place, extent) in cut.reduced.iter().enumerate() {
        weight /= extent;
        let divisor = Expr::constant(weight);
        loops.push(match (place, weight) {
            (0, 1) => number.clone(),
            (0, _) => number.clone().quotient(divisor),
            _ => number.clone().digit(divisor, Expr::constant(*extent)),
        });
    }
    let new = |var| match var {
        Var::Loop(number) => loops.get(number as usize).cloned(),
        _ => None,
    };
    let mut nest = cut.nest.clone();
    nest.numbers = nest
        .numbers
        .iter()
        .map(|expr| expr.substitute(&new))
        .collect::<Result<_, _>>()
        .map_err(overflow)?;
    nest.loops.truncate(parallel);
    nest.loops
        .extend([cut.parts, cut.block].map(Expr::constant));
    let kept = vec![true; loops.len()];
    let simpler = Simpler { nest, loops };
    nests::substitute(context, copy, &simpler, kept)?;

    let end = end_of(copy);
    let values = stored(end);
    let mut at = program::subscript(end, values.len(), &FxHashMap::default())?;
    at.push(var(parallel));
    let body = ir::body(copy).expect("a nest has a block");
    let place = At::Before(end);
    store(context, place, (copy, &values), (&at, &arguments(body)))?;
    ir::erase(end);
    Ok(copy)
}

/// Builds the reduction of the parts before the whole one, which it replaces. `first` has the operations that give the
/// values of each part, of type `ty`.
pub(super) fn last<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    (first, ty): (&[Op<'p>], Type<'p>),
) -> Result<Op<'p>, Diagnostic<'p>> {
    let copy = ir::build_clone(At::Before(cut.op), cut.op);
    set_sizes(
        context,
        copy,
        "reduction_ranges",
        &[Expr::constant(cut.parts)],
    )?;
    let body = ir::body(copy).expect("a nest has a block");
    let old: Vec<Op<'p>> = ir::operations(body).collect();
    let end = end_of(copy);
    let at = program::subscript(end, stored(end).len(), &FxHashMap::default())?;
    let before = body.argument_count();
    let parallel = cut.nest.parallel;
    let loops: Vec<Val<'p>> = (0..=parallel)
        .map(|_| body.add_argument(Type::index(context), copy.location()))
        .collect();
    let mut from = at.clone();
    from.push(var(parallel));
    let map = indices(context, copy, (&from, loops.len()))?;
    let mut values = Vec::new();
    for part in first {
        let build = OpBuilder {
            context,
            at: At::Before(end),
            location: copy.location(),
        };
        values.push(build.op(inductor::load(result(*part, 0), &loops, map), ty));
    }
    store(context, At::Before(end), (copy, &values), (&at, &loops))?;
    for op in old.into_iter().rev() {
        ir::erase(op);
    }
    for number in (0..before).rev() {
        ir::erase_argument(body, number);
    }
    ir::replace_all_uses(result(cut.op, 0), result(copy, 0));
    ir::erase(cut.op);
    Ok(copy)
}

/// Builds, at the end of the body of a part, whether it has the element of its loops.
pub(super) fn mask<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    nest: Op<'p>,
) -> Result<Mask<'p>, Diagnostic<'p>> {
    let body = ir::body(nest).expect("a nest has a block");
    let end = end_of(nest);
    let inner = ir::operations(body).filter(|op| ir::op_key(*op) != ir::op_key(end));
    let inner: Vec<Op<'p>> = inner.collect();
    let i64: Type<'p> = IntegerType::new(context, 64).into();
    let loops = arguments(body);
    let number = cut.number().map_err(|err| error(nest, err))?;
    let map = indices(context, nest, (&[number], loops.len()))?;
    let build = builder(context, nest);
    let number = build.op(inductor::index_expr(&loops, map), i64);
    let limit = build.integer(cut.elements(), i64);
    let value = build.cmpi(CmpIPredicate::Slt, number, limit);
    Ok(Mask { inner, value })
}

/// Puts operations of the body of a part, which compute a value, into a block that is computed where it has an element. Returns the
/// value of the block.
pub(super) fn masked<'p>(
    context: &'p Context,
    nest: Op<'p>,
    inner: &[Op<'p>],
    (mask, value, identity): (Val<'p>, Val<'p>, Attribute<'p>),
) -> Val<'p> {
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let parts = inductor::masked(mask, identity).region(region);
    let built = builder(context, nest).insert(parts, &[value.r#type()]);
    let block = ir::body(built).expect("it has a block");
    for op in inner {
        ir::move_to_end(*op, block);
    }
    let build = OpBuilder::at_end(context, block, nest.location());
    build.insert(inductor::yield_(&[value]), &[]);
    result(built, 0)
}

/// Returns the builder before the store of a nest.
pub(super) fn builder<'p>(context: &'p Context, nest: Op<'p>) -> OpBuilder<'p> {
    OpBuilder {
        context,
        at: At::Before(end_of(nest)),
        location: nest.location(),
    }
}

/// Builds the store of a nest. Errors are at `of`.
pub(in super::super) fn store<'p>(
    context: &'p Context,
    place: At<'p>,
    (of, values): (Op<'p>, &[Val<'p>]),
    (at, arguments): (&[Expr], &[Val<'p>]),
) -> Result<(), Diagnostic<'p>> {
    let map = indices(context, of, (at, arguments.len()))?;
    let parts = inductor::store(values, arguments, map);
    parts.insert(place, &[], of.location(), context);
    Ok(())
}

/// Returns the store of a nest.
pub(super) fn end_of(nest: Op<'_>) -> Op<'_> {
    let body = ir::body(nest).expect("a nest has a block");
    body.terminator().expect("IN9: a nest ends with a store")
}

/// Returns the values of a store.
pub(super) fn stored(store: Op<'_>) -> Vec<Val<'_>> {
    let values = program::accessed_from(store);
    store.operands().take(values).collect()
}

fn set_sizes<'p>(
    context: &'p Context,
    op: Op<'p>,
    name: &str,
    sizes: &[Expr],
) -> Result<(), Diagnostic<'p>> {
    let map = affine::sizes(context, sizes).map_err(|err| error(op, err))?;
    ir::set_attribute(op, name, ir::affine_map_attribute(map));
    Ok(())
}

fn var(number: usize) -> Expr {
    Expr::var(Var::Loop(u32::try_from(number).expect("loops are few")))
}

/// Returns the map of expressions of loops.
pub(super) fn indices<'p>(
    context: &'p Context,
    op: Op<'p>,
    (at, count): (&[Expr], usize),
) -> Result<Attribute<'p>, Diagnostic<'p>> {
    let dim = |var: Var| match var {
        Var::Loop(number) => Some(number as usize),
        _ => None,
    };
    let results: Vec<_> = at
        .iter()
        .map(|expr| affine::affine(context, expr, &dim))
        .collect::<Result<_, _>>()
        .map_err(|err| error(op, err))?;
    let map = AffineMap::new(context, count, affine::symbols(at), &results);
    Ok(ir::affine_map_attribute(map))
}
