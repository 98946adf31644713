//! `--inductor-split-reductions`: cuts long reductions into parts.

use melior::Context;
use melior::ir::attribute::{
    DenseI32ArrayAttribute, FloatAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{
    AffineMap, Attribute, Block, Identifier, Region, RegionLike, Type, TypeLike, ValueLike,
};
use rustc_hash::FxHashMap;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::schedule::layout::filled;
use spyre_inductor::schedule::nest::{Nest, Simpler};
use spyre_inductor::schedule::program::{BufferId, Program};
use spyre_inductor::schedule::split::{self, Machine};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};

use super::super::program::{result, text};
use super::super::{affine, program};
use super::{GRAPH, error, nests};
use crate::from_linalg::build::element_type;

/// `--inductor-split-reductions`
pub static INDUCTOR_SPLIT_REDUCTIONS: RustPass = RustPass {
    argument: "inductor-split-reductions",
    summary: "Cut long reductions into parts, so that there is work for all processors",
    description: include_str!("split.md"),
    anchor: GRAPH,
    options: &[
        PassOption {
            name: "processors",
            description: "the number of processors; 0 cuts nothing",
            kind: OptionKind::Int(0),
        },
        PassOption {
            name: "threads",
            description: "the threads of one processor",
            kind: OptionKind::Int(2048),
        },
    ],
    statistics: &[PassStatistic {
        name: "split",
        description: "Reductions that were cut",
    }],
    dialects: || vec![melior::dialect::DialectHandle::arith()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let machine = Machine {
        processors: run.int("processors"),
        threads: run.int("threads"),
    };
    if machine.processors <= 0 || machine.threads <= 0 {
        return Ok(());
    }
    let known = Program {
        symbols: program::symbols(run.operation()),
        ..Program::default()
    };
    let ops: Vec<Op<'p>> = super::nests_of(run.operation())
        .filter(|op| ir::name(*op) == "inductor.reduction")
        .collect();
    for op in ops {
        // A part may be long enough to be cut again.
        let mut next = Some(op);
        while let Some(op) = next {
            next = cut(run.context(), &known, machine, op)?;
            run.count("split", usize::from(next.is_some()));
        }
    }
    Ok(())
}

/// A reduction that is to be cut.
struct Cut<'p> {
    op: Op<'p>,
    nest: Nest,
    /// The extents of what it makes, and of what it reduces without those of one iteration.
    ranges: Vec<Expr>,
    reduced: Vec<i64>,
    /// The number of parts, and the elements of one.
    parts: i64,
    block: i64,
}

impl Cut<'_> {
    /// Returns the number of elements that are reduced to one.
    fn elements(&self) -> i64 {
        self.reduced.iter().product()
    }
}

/// Cuts a reduction, if it is long. Returns the reduction of the parts.
fn cut<'p>(
    context: &'p Context,
    known: &Program,
    machine: Machine,
    op: Op<'p>,
) -> Result<Option<Op<'p>>, Diagnostic<'p>> {
    let kind = text(op, "kind");
    let ty = ir::body(op).and_then(|body| body.terminator());
    let ty = ty
        .and_then(|store| ir::operand(store, 0))
        .map(|value| value.r#type());
    let ty = ty.expect("a reduction stores a value");
    let Some(identity) = identity(context, &kind, ty) else {
        return Ok(None);
    };
    let nest = program::nest(op, BufferId(u32::MAX), &|_| BufferId(0))?;
    let ranges = program::sizes(op, "ranges")?;
    let numbers =
        |list: &[Expr]| -> Option<Vec<i64>> { list.iter().map(Expr::as_constant).collect() };
    let (Some(outer), Some(reduced)) = (numbers(&ranges), numbers(&nest.loops[nest.parallel..]))
    else {
        return Ok(None);
    };
    if op.attribute("loops").is_ok() || op.attribute("output").is_ok() {
        return Ok(None);
    }
    let (elements, results) = (reduced.iter().product(), outer.iter().product());
    let is_inner = match results {
        1 => Some(true),
        _ => split::is_inner(known, &nest).map_err(|why| error(op, why))?,
    };
    let Some(is_inner) = is_inner else {
        return Ok(None);
    };
    let parts = split::parts(machine, elements, results, is_inner);
    if parts <= 1 {
        return Ok(None);
    }
    let cut = Cut {
        op,
        nest,
        ranges,
        reduced,
        parts,
        block: (elements + parts - 1) / parts,
    };
    let first = first(context, &cut, (ty, identity))?;
    let last = last(context, &cut, (first, ty))?;
    ir::replace_all_uses(result(op, 0), result(last, 0));
    ir::erase(op);
    Ok(Some(last))
}

/// Returns what a reduction starts from; `None` for one that is not cut.
fn identity<'p>(context: &'p Context, kind: &str, ty: Type<'p>) -> Option<Attribute<'p>> {
    let bits = ir::bits(ty)?;
    let integer = |value: i64| Some(IntegerAttribute::new(ty, value).into());
    let float = |value: f64| Some(FloatAttribute::new(context, ty, value).into());
    let least = || i64::MIN >> (64 - bits.min(64));
    match (kind, ty.is_integer()) {
        ("sum" | "xor_sum" | "any", true) => integer(0),
        ("prod", true) => integer(1),
        ("max", true) if bits > 1 => integer(least()),
        ("min", true) if bits > 1 => integer(!least()),
        ("sum", false) => float(0.0),
        ("prod", false) => float(1.0),
        ("max", false) => float(f64::NEG_INFINITY),
        ("min", false) => float(f64::INFINITY),
        _ => None,
    }
}

fn set_sizes<'p>(
    context: &'p Context,
    op: Op<'p>,
    name: &str,
    sizes: &[Expr],
) -> Result<(), Diagnostic<'p>> {
    let map = affine::sizes(context, sizes).map_err(|why| error(op, why))?;
    ir::set_attribute(op, name, ir::affine_map_attribute(map));
    Ok(())
}

fn var(number: usize) -> Expr {
    Expr::var(Var::Loop(u32::try_from(number).expect("loops are few")))
}

/// Builds the reduction of each part, in front of the whole one.
fn first<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    (ty, identity): (Type<'p>, Attribute<'p>),
) -> Result<Op<'p>, Diagnostic<'p>> {
    let overflow = |why| error(cut.op, why);
    let made = ir::build_copy(At::Before(cut.op), cut.op);
    for name in ["op", "buffer"] {
        let own = format!("{}_part", text(cut.op, name));
        ir::set_attribute(made, name, StringAttribute::new(context, &own).into());
    }
    let mut ranges = cut.ranges.clone();
    ranges.push(Expr::constant(cut.parts));
    set_sizes(context, made, "ranges", &ranges)?;
    set_sizes(
        context,
        made,
        "reduction_ranges",
        &[Expr::constant(cut.block)],
    )?;
    let dense: Vec<usize> = (0..ranges.len()).rev().collect();
    let strides = filled(&dense, &ranges).map_err(overflow)?;
    let map = |exprs: &[Expr]| affine::sizes(context, exprs).map_err(|why| error(cut.op, why));
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
    // Parts of 16 bits stay as they are computed.
    let extents = ranges
        .iter()
        .map(|extent| extent.as_constant().unwrap_or(0).cast_unsigned());
    let extents: Vec<u64> = extents.collect();
    let own = element_type(result(cut.op, 0).r#type());
    let element = if own.is_integer() { own } else { ty };
    result(made, 0).set_type(RankedTensorType::new(&extents, element, Some(layout)).into());

    // The loops that were reduced are the digits of a number.
    let parallel = cut.nest.parallel;
    let number = var(parallel).scale(cut.block).map_err(overflow)?;
    let number = number.add(&var(parallel + 1)).map_err(overflow)?;
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
    nests::substitute(context, made, &simpler, kept)?;

    let body = ir::body(made).expect("a nest has a block");
    let store = body.terminator().expect("a nest ends with a store");
    let mut at = program::subscript(store, 1, &FxHashMap::default())?;
    at.push(var(parallel));
    let value = ir::operand(store, 0).expect("it stores a value");
    let value = match cut.parts * cut.block == cut.elements() {
        true => value,
        false => masked(
            context,
            (made, body),
            (cut.elements(), &number),
            (value, identity),
        )?,
    };
    let arguments: Vec<Val<'p>> = arguments(body);
    store_at(context, store, value, (&at, &arguments))?;
    ir::erase(store);
    Ok(made)
}

fn arguments<'p>(body: Blk<'p>) -> Vec<Val<'p>> {
    let all = (0..body.argument_count()).map(|number| body.argument(number));
    all.map(|argument| argument.expect("the number is below the count").into())
        .collect()
}

/// Builds a store of a value in front of another one.
fn store_at<'p>(
    context: &'p Context,
    before: Op<'p>,
    value: Val<'p>,
    (at, arguments): (&[Expr], &[Val<'p>]),
) -> Result<(), Diagnostic<'p>> {
    let map = indices(context, before, (at, arguments.len()))?;
    let mut operands = vec![value];
    operands.extend(arguments);
    let count = i32::try_from(arguments.len()).expect("loops are few");
    let segments = DenseI32ArrayAttribute::new(context, &[1, count]);
    let built = OperationBuilder::new("inductor.store", before.location())
        .add_operands(&operands)
        .add_attributes(&[
            (Identifier::new(context, "map"), map),
            (
                Identifier::new(context, "operandSegmentSizes"),
                segments.into(),
            ),
        ])
        .build()
        .expect("every part of the operation is given");
    ir::insert(At::Before(before), built).expect("the store is in a block");
    Ok(())
}

/// Returns the map of expressions of loops.
fn indices<'p>(
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
        .map_err(|why| error(op, why))?;
    let map = AffineMap::new(context, count, affine::symbols(at), &results);
    Ok(ir::affine_map_attribute(map))
}

/// Puts the operations of a body into a block that is computed where a number is below the number of elements.
fn masked<'p>(
    context: &'p Context,
    (op, body): (Op<'p>, Blk<'p>),
    (elements, number): (i64, &Expr),
    (value, identity): (Val<'p>, Attribute<'p>),
) -> Result<Val<'p>, Diagnostic<'p>> {
    let store = body.terminator().expect("a nest ends with a store");
    let inner: Vec<Op<'p>> = ir::operations(body)
        .filter(|op| ir::op_key(*op) != ir::op_key(store))
        .collect();
    let location = op.location();
    let i64: Type<'p> = IntegerType::new(context, 64).into();
    let truth: Type<'p> = IntegerType::new(context, 1).into();
    let build =
        |name: &str, operands: &[Val<'p>], ty: Type<'p>, attributes: &[(&str, Attribute<'p>)]| {
            let attributes: Vec<_> = attributes
                .iter()
                .map(|(name, value)| (Identifier::new(context, name), *value))
                .collect();
            let built = OperationBuilder::new(name, location)
                .add_operands(operands)
                .add_results(&[ty])
                .add_attributes(&attributes)
                .build()
                .expect("every part of the operation is given");
            result(
                ir::insert(At::Before(store), built).expect("the store is in a block"),
                0,
            )
        };
    let loops = arguments(body);
    let map = indices(context, op, (std::slice::from_ref(number), loops.len()))?;
    let number = build("inductor.index_expr", &loops, i64, &[("map", map)]);
    let limit: Attribute<'p> = IntegerAttribute::new(i64, elements).into();
    let limit = build("arith.constant", &[], i64, &[("value", limit)]);
    let less: Attribute<'p> = IntegerAttribute::new(i64, 2).into();
    let mask = build(
        "arith.cmpi",
        &[number, limit],
        truth,
        &[("predicate", less)],
    );
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let built = OperationBuilder::new("inductor.masked", location)
        .add_operands(&[mask])
        .add_results(&[value.r#type()])
        .add_attributes(&[(Identifier::new(context, "other"), identity)])
        .add_regions([region])
        .build()
        .expect("every part of the operation is given");
    let built = ir::insert(At::Before(store), built).expect("the store is in a block");
    let block = ir::body(built).expect("it has a block");
    for op in inner {
        ir::move_to_end(op, block);
    }
    let end = OperationBuilder::new("inductor.yield", location)
        .add_operands(&[value])
        .build()
        .expect("every part of the operation is given");
    ir::insert(At::End(block), end).expect("the block is in an operation");
    Ok(result(built, 0))
}

/// Builds the reduction of the parts, in front of the whole one.
fn last<'p>(
    context: &'p Context,
    cut: &Cut<'p>,
    (parts, ty): (Op<'p>, Type<'p>),
) -> Result<Op<'p>, Diagnostic<'p>> {
    let made = ir::build_copy(At::Before(cut.op), cut.op);
    set_sizes(
        context,
        made,
        "reduction_ranges",
        &[Expr::constant(cut.parts)],
    )?;
    let body = ir::body(made).expect("a nest has a block");
    let old: Vec<Op<'p>> = ir::operations(body).collect();
    let store = body.terminator().expect("a nest ends with a store");
    let at = program::subscript(store, 1, &FxHashMap::default())?;
    let before = body.argument_count();
    let parallel = cut.nest.parallel;
    let loops: Vec<Val<'p>> = (0..=parallel)
        .map(|_| body.add_argument(Type::index(context), made.location()))
        .collect();
    let source = result(parts, 0);
    let mut from = at.clone();
    from.push(var(parallel));
    let map = indices(context, made, (&from, loops.len()))?;
    let mut operands = vec![source];
    operands.extend(&loops);
    let load = OperationBuilder::new("inductor.load", made.location())
        .add_operands(&operands)
        .add_results(&[ty])
        .add_attributes(&[(Identifier::new(context, "map"), map)])
        .build()
        .expect("every part of the operation is given");
    let load = ir::insert(At::Before(store), load).expect("the store is in a block");
    store_at(context, store, result(load, 0), (&at, &loops))?;
    for op in old.into_iter().rev() {
        ir::erase(op);
    }
    for number in (0..before).rev() {
        ir::erase_argument(body, number);
    }
    Ok(made)
}
