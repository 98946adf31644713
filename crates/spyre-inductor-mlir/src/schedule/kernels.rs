//! Kernels: operations that run together, as an operation.

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, Identifier, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashSet;
use spyre_analysis::walk::ancestor_in;
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::fuse::{Fused, Kernel};
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{OpBuilder, inductor};

use super::super::op as attribute;
use super::super::program::result;
use super::{GraphProgram, end_of};

/// Moves an operation to the end of a graph, after the views that it reads.
pub(super) fn place<'p>(op: Op<'p>, end: Op<'p>) {
    for view in views(op) {
        ir::move_to(view, At::Before(end));
    }
    ir::move_to(op, At::Before(end));
    // An operation that reads a view of the buffer has been moved after the buffer's producer, or will be moved.
    for result in ir::results(op) {
        move_views(result, end);
    }
}

fn move_views<'p>(value: Val<'p>, end: Op<'p>) {
    for view in ir::uses(value).into_iter().map(|user| user.owner) {
        if ir::name(view) == inductor::VIEW {
            ir::move_to(view, At::Before(end));
            move_views(result(view, 0), end);
        }
    }
}

/// Returns the views of inputs and constants that an operation reads, each after the views that it is a view of.
fn views<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    let mut chain: Vec<Op<'p>> = Vec::new();
    let mut open: Vec<Op<'p>> = op.operands().filter_map(ir::defining_op).collect();
    while let Some(view) = open.pop() {
        if ir::name(view) == inductor::VIEW {
            chain.push(view);
            open.extend(view.operands().filter_map(ir::defining_op));
        }
    }
    chain.reverse();
    chain
}

/// Puts the operations of a graph in the order of its kernels, and builds kernels of operations that run together.
/// Returns the number of kernels.
pub(super) fn make<'p>(
    context: &'p Context,
    graph: Op<'p>,
    read: &GraphProgram<'p>,
    fused: &Fused,
    policy: Policy,
) -> usize {
    let end = end_of(graph);
    let mut count = 0;
    for kernel in &fused.kernels {
        let ops: Vec<Op<'p>> = kernel
            .nodes
            .iter()
            .map(|id| read.ops[id.0 as usize])
            .collect();
        let is_scope = policy == Policy::Spyre && read.program[kernel.nodes[0]].scope.is_some();
        for op in &ops {
            place(*op, end);
        }
        if ops.len() > 1 || is_scope {
            wrap(context, (graph, end), read, kernel, &ops);
            count += 1;
        }
    }
    count
}

/// Builds one kernel of operations that are before the end of a graph.
fn wrap<'p>(
    context: &'p Context,
    (graph, end): (Op<'p>, Op<'p>),
    read: &GraphProgram<'p>,
    kernel: &Kernel,
    ops: &[Op<'p>],
) {
    let hints = ops[0].attribute(attribute::HINTS).ok();
    let ops: Vec<Op<'p>> = ops
        .iter()
        .flat_map(|op| localized(*op).into_iter().chain([*op]))
        .collect();
    let inside: FxHashSet<ir::OpKey> = ops.iter().map(|op| ir::op_key(*op)).collect();
    let body = ir::body(graph).expect("a graph has a block");
    let top = |op: Op<'p>| ancestor_in(op, body).expect("what uses a buffer is in the graph");
    let outputs: Vec<Val<'p>> = ops
        .iter()
        .flat_map(|op| ir::results(*op))
        .filter(|value| {
            let uses = ir::uses(*value);
            let is_outside = |user: &ir::Use<'p>| !inside.contains(&ir::op_key(top(user.owner)));
            uses.iter().any(is_outside)
        })
        .collect();
    let types: Vec<Type<'p>> = outputs.iter().map(|value| value.r#type()).collect();
    let names: Vec<&str> = kernel
        .nodes
        .iter()
        .map(|id| read.program[*id].name.as_str())
        .collect();
    let region = Region::new();
    region.append_block(Block::new(&[]));
    let named = |name, value: Attribute<'p>| (Identifier::new(context, name), value);
    let mut attributes = vec![named(
        "name",
        StringAttribute::new(context, &names.join("_")).into(),
    )];
    if let Some(outer) = &kernel.outer {
        let i64 = IntegerType::new(context, 64).into();
        let number = |count: usize| i64::try_from(count).expect("loops are few");
        let depth = IntegerAttribute::new(i64, number(outer.depth));
        let parts: Vec<i64> = outer.parts.iter().map(|part| number(part.len())).collect();
        attributes.push(named("outer", depth.into()));
        attributes.push(named(
            "parts",
            DenseI64ArrayAttribute::new(context, &parts).into(),
        ));
    }
    attributes.extend(hints.map(|hints| named(attribute::HINTS, hints)));
    let built = OperationBuilder::new(inductor::KERNEL, ops[0].location())
        .add_results(&types)
        .add_attributes(&attributes)
        .add_regions([region])
        .build()
        .expect("every part of the operation is given");
    let built = ir::insert(At::Before(end), built).expect("the graph has an end");
    let block = ir::body(built).expect("a kernel has a block");
    for op in &ops {
        ir::move_to_end(*op, block);
    }
    for (inner, outer) in outputs.iter().zip(ir::results(built)) {
        for user in ir::uses(*inner) {
            if ir::op_key(top(user.owner)) != ir::op_key(built) {
                ir::set_operand(user.owner, user.operand, outer);
            }
        }
    }
    let build = OpBuilder::at_end(context, block, ops[0].location());
    build.insert(inductor::yield_(&outputs), &[]);
    // The views of the kernel's results are moved after the kernel.
    for result in ir::results(built) {
        move_views(result, end);
    }
}

/// Gives an operation separate copies of the views that it reads, before it. Returns them.
fn localized<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    let mut copies = Vec::new();
    for number in 0..op.operand_count() {
        let value = ir::operand(op, number).expect("the number is below the count");
        let mut chain: Vec<Op<'p>> = Vec::new();
        let mut source = ir::defining_op(value);
        while let Some(view) = source.filter(|op| ir::name(*op) == inductor::VIEW) {
            chain.push(view);
            source = ir::operand(view, 0).and_then(ir::defining_op);
        }
        let mut last = None;
        for view in chain.into_iter().rev() {
            let copy = ir::build_clone(At::Before(op), view);
            if let Some(last) = last {
                ir::set_operand(copy, 0, last);
            }
            last = Some(result(copy, 0));
            copies.push(copy);
        }
        if let Some(last) = last {
            ir::set_operand(op, number, last);
            super::erase_views(value, &mut FxHashSet::default());
        }
    }
    copies
}
