//! The operations of a module as graphs, for the page of its plan.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_analysis::walk::{started_from, symbol};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::place;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKey, OpKind, Source, Val};
use spyre_ods::{affine, arith, func, scf, spyre, tensor};
use spyre_plan_view::{Graph, Level, Node};

/// Operations that are no nodes: they compute no tensor, or only indices.
const LEFT_OUT: [&str; 6] = [
    arith::CONSTANT,
    affine::APPLY,
    tensor::EMPTY,
    spyre::EMPTY,
    scf::YIELD,
    func::RETURN,
];

/// Returns the graphs of the functions of a module. `name` is the name of the level. If the module is planned, its device
/// operations have their steps.
pub(super) fn level(name: &str, module: Op<'_>, is_planned: bool) -> Level {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let graphs = functions.filter_map(|function| {
        let body = ir::function_body(function)?;
        let mut graph = Builder {
            graph: Graph {
                function: symbol(function).expect("a function has a name"),
                nodes: Vec::new(),
            },
            of_operations: FxHashMap::default(),
            steps: is_planned.then_some(0),
        };
        graph.arguments(body);
        graph.operations(body, 0);
        Some(graph.graph)
    });
    Level {
        name: name.to_owned(),
        graphs: graphs.collect(),
    }
}

/// A graph under construction.
struct Builder {
    graph: Graph,
    of_operations: FxHashMap<OpKey, usize>,
    /// The steps of the device operations so far, in a planned function.
    steps: Option<usize>,
}

impl Builder {
    fn arguments(&mut self, body: Blk<'_>) {
        for number in 0..body.argument_count() {
            let argument = body.argument(number).expect("the block has so many");
            self.graph.nodes.push(Node {
                name: format!("argument {number}"),
                ty: argument.r#type().to_string(),
                location: String::new(),
                depth: 0,
                inputs: Vec::new(),
                step: None,
            });
        }
    }

    fn operations(&mut self, block: Blk<'_>, depth: usize) {
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For {
                let body = ir::body(op).expect("a loop has a body");
                self.operations(body, depth + 1);
                if let Some(end) = ir::operations(body).last() {
                    self.results_of_loop(op, end);
                }
            } else if !LEFT_OUT.contains(&ir::name(op)) {
                self.operation(op, depth);
            }
        }
    }

    /// The results of a loop are those of the operation that computes the first value that it yields.
    fn results_of_loop(&mut self, op: Op<'_>, end: Op<'_>) {
        if let Some(node) = ir::operand(end, 0).and_then(|value| self.node(value)) {
            self.of_operations.insert(ir::op_key(op), node);
        }
    }

    fn operation(&mut self, op: Op<'_>, depth: usize) {
        let operands = (0..op.operand_count()).filter_map(|number| ir::operand(op, number));
        let mut inputs: Vec<usize> = operands.filter_map(|value| self.node(value)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let is_device = DeviceOp::cast(op).is_some();
        let step = self.steps.filter(|_| is_device);
        if let Some(next) = self.steps.as_mut().filter(|_| is_device) {
            *next += 1;
        }
        let ty = ir::results(op).next().map(|result| result.r#type());
        self.of_operations
            .insert(ir::op_key(op), self.graph.nodes.len());
        self.graph.nodes.push(Node {
            name: ir::name(op).to_owned(),
            ty: ty.map(|ty| ty.to_string()).unwrap_or_default(),
            location: place(op.location()),
            depth,
            inputs,
            step,
        });
    }

    /// Returns the node that computes a value, the initial one of a value that a loop carries; `None` for a constant and
    /// for an index.
    fn node(&self, value: Val<'_>) -> Option<usize> {
        match ir::source(value) {
            Source::Result(op, _) => self.of_operations.get(&ir::op_key(op)).copied(),
            Source::Argument(block, number) => {
                let is_of_function = block
                    .parent_operation()
                    .is_some_and(|op| ir::function_body(op).is_some());
                match is_of_function {
                    true => Some(number),
                    false => self.node(started_from(value)?),
                }
            }
        }
    }
}
