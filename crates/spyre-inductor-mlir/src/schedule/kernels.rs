//! Kernels: operations that run together, as an operation.

use std::collections::hash_map::Entry;

use melior::Context;
use melior::ir::attribute::{DenseI64ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Block, Identifier, Region, RegionLike, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};
use spyre_analysis::walk::ancestor_in;
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::fuse::{Fused, Kernel};
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::{OpBuilder, inductor};

use super::super::op as attribute;
use super::super::program::result;
use super::{GraphProgram, end_of};

/// An order of the operations of a graph that is put together from the front: each operation moves to the end of the graph,
/// after the views that it reads.
pub(super) struct Order<'p> {
    /// The operation that ends the graph.
    end: Op<'p>,
    /// The views that have their place. A view that several operations read stays before the first of them.
    placed: FxHashSet<ir::OpKey>,
}

impl<'p> Order<'p> {
    /// Returns an order without operations of a graph.
    pub(super) fn of(graph: Op<'p>) -> Self {
        Self {
            end: end_of(graph),
            placed: FxHashSet::default(),
        }
    }

    /// Appends an operation, with the views that it reads before it and the views of its results after it.
    pub(super) fn append(&mut self, op: Op<'p>) {
        for view in views(op) {
            if !self.placed.contains(&ir::op_key(view)) {
                self.move_to_end(view);
            }
        }
        ir::move_to(op, At::Before(self.end));
        self.append_views_of_results(op);
    }

    /// Moves the views of the results of an operation after it: some are read by the end of the graph alone, and those of a
    /// kernel's results were before the kernel.
    fn append_views_of_results(&mut self, op: Op<'p>) {
        for result in ir::results(op) {
            for view in ir::uses(result).into_iter().map(|user| user.owner) {
                if ir::name(view) == inductor::VIEW {
                    self.move_to_end(view);
                    self.append_views_of_results(view);
                }
            }
        }
    }

    fn move_to_end(&mut self, view: Op<'p>) {
        self.placed.insert(ir::op_key(view));
        ir::move_to(view, At::Before(self.end));
    }
}

/// An operand of an operation, or of one in its regions, that is the result of a view outside of it.
struct ViewUse<'p> {
    owner: Op<'p>,
    operand: usize,
    value: Val<'p>,
    view: Op<'p>,
}

/// Returns the operands of an operation and of its regions that are views outside of it: kernels have views as operands,
/// and nests load from them.
fn view_uses<'p>(op: Op<'p>) -> Vec<ViewUse<'p>> {
    let mut uses = Vec::new();
    let mut open = vec![op];
    while let Some(owner) = open.pop() {
        for operand in 0..owner.operand_count() {
            let value = ir::operand(owner, operand).expect("the number is below the count");
            let view = ir::defining_op(value).filter(|op| ir::name(*op) == inductor::VIEW);
            uses.extend(view.map(|view| ViewUse {
                owner,
                operand,
                value,
                view,
            }));
        }
        open.extend(ir::blocks(owner).flat_map(ir::operations));
    }
    uses
}

/// Returns a view and the views that it is a view of, from the last to the first.
fn sources<'p>(view: Op<'p>) -> Vec<Op<'p>> {
    let source = |view: &Op<'p>| {
        let source = ir::operand(*view, 0).and_then(ir::defining_op)?;
        (ir::name(source) == inductor::VIEW).then_some(source)
    };
    std::iter::successors(Some(view), source).collect()
}

/// Returns the views that an operation reads, each after the views that it is a view of.
fn views<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    let uses = view_uses(op).into_iter();
    uses.flat_map(|used| sources(used.view).into_iter().rev())
        .collect()
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
    let mut order = Order::of(graph);
    let mut count = 0;
    for kernel in &fused.kernels {
        let ops: Vec<Op<'p>> = kernel
            .nodes
            .iter()
            .map(|id| read.ops[id.0 as usize])
            .collect();
        let is_scope = policy == Policy::Spyre && read.program[kernel.nodes[0]].scope.is_some();
        for op in &ops {
            order.append(*op);
        }
        if ops.len() > 1 || is_scope {
            let built = wrap(context, graph, read, kernel, &ops);
            order.append_views_of_results(built);
            count += 1;
        }
    }
    count
}

/// Builds one kernel of operations that are before the end of a graph, and returns it.
fn wrap<'p>(
    context: &'p Context,
    graph: Op<'p>,
    read: &GraphProgram<'p>,
    kernel: &Kernel,
    ops: &[Op<'p>],
) -> Op<'p> {
    let end = end_of(graph);
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
    built
}

/// Gives an operation separate copies of the views that it reads, its regions included, before it. Returns them.
fn localized<'p>(op: Op<'p>) -> Vec<Op<'p>> {
    let mut copies = Vec::new();
    let mut copy_of: FxHashMap<ir::OpKey, Op<'p>> = FxHashMap::default();
    let uses = view_uses(op);
    for used in &uses {
        for view in sources(used.view).into_iter().rev() {
            let Entry::Vacant(entry) = copy_of.entry(ir::op_key(view)) else {
                continue;
            };
            let copy = *entry.insert(ir::build_clone(At::Before(op), view));
            copies.push(copy);
            let source = ir::operand(view, 0).and_then(ir::defining_op);
            if let Some(source) = source.and_then(|source| copy_of.get(&ir::op_key(source))) {
                ir::set_operand(copy, 0, result(*source, 0));
            }
        }
        let copy = copy_of[&ir::op_key(used.view)];
        ir::set_operand(used.owner, used.operand, result(copy, 0));
    }
    // Erased after all copies are built, since a new operation may have the key of an erased one.
    let mut erased = FxHashSet::default();
    for used in &uses {
        super::erase_views(used.value, &mut erased);
    }
    copies
}
