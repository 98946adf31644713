//! `--uop-compose-movements`: removes movements that keep the order of elements.
//!
//! The movements of a value compose to index expressions. If the composition reads each element of the value once and
//! in order, the last movement is replaced by a reshape of the value, or by the value.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;
use spyre_construct::build::shape_of;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::pipeline::{PipelineRun, RustPipeline};
use spyre_ods::{OpBuilder, builtin};
use spyre_uop::graph::Graph;
use spyre_uop::ids::NodeId;
use spyre_uop::op;
use spyre_uop::table::Class;

use super::to_linalg::view::View;
use super::{attributes, program};

const NAME: &str = "uop-compose-movements";

/// `--uop-compose-movements`
pub static UOP_COMPOSE_MOVEMENTS: RustPass = RustPass {
    argument: NAME,
    summary: "Replace movements of a tensor that keep the order of its elements",
    description: include_str!("compose.md"),
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[PassStatistic {
        name: "replaced",
        description: "Movements that were replaced",
    }],
    dialects: || vec![spyre_dialects::uop_dialect()],
    run,
};

/// `--uop-canonicalize`
pub static UOP_CANONICALIZE: RustPipeline = RustPipeline {
    argument: "uop-canonicalize",
    summary: "Simplify tensor programs of tinyspec: compose movements, fold integers, and remove unused operations",
    options: &[],
    passes: |_: &PipelineRun| format!("canonicalize,{NAME},canonicalize,cse"),
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let functions = program::functions(module);
    let block = ir::body(module).expect("a module has a block");
    for function in ir::operations(block).filter(|op| program::is_program(*op, &functions)) {
        let read = program::read(function, &functions)?;
        let replaced = compose(run, function, &read)?;
        run.count("replaced", replaced);
    }
    Ok(())
}

/// Replaces movements of a function. Returns how many.
fn compose<'p>(
    run: &'p PassRun<'p>,
    function: Op<'p>,
    program: &program::Program<'p>,
) -> Result<usize, Diagnostic<'p>> {
    let block = ir::function_body(function).expect("a program has a body");
    let mut views: FxHashMap<ir::ValueKey, (Val<'p>, View)> = FxHashMap::default();
    let mut replaced = 0;
    let mut unused = Vec::new();
    for op in ir::operations(block) {
        let Some(result) = ir::result(op, 0) else {
            continue; // The end of the function.
        };
        let Some(node) = program.nodes.get(&ir::value_key(result)) else {
            continue; // A call.
        };
        let node = program.graph.node(*node);
        let Some(source) = ir::operand(op, 0).filter(|_| is_movement(&node.op)) else {
            continue; // It reads elements, or none.
        };
        let (root, view) = match views.get(&ir::value_key(source)) {
            Some(entry) => entry.clone(),
            None => {
                let shape = shape(&program.graph, node.sources[0]);
                (source, View::whole(&shape))
            }
        };
        let too_large = |err| Diagnostic::error(op.location(), format!("{NAME}: {err}"));
        let view = view.moved(&node.op).map_err(too_large)?;
        let of = shape_of(root).expect("the graph has known extents");
        let entry = (root, view.clone());
        views.insert(ir::value_key(result), entry.clone());
        let is_reshape_of_root = matches!(node.op, op::Op::Reshape(_)) && source == root;
        if view.is_reshape(&of).map_err(too_large)? && !is_reshape_of_root {
            let with = if root.r#type() == result.r#type() {
                root
            } else {
                reshaped(run, op, root, result, &view.shape)
            };
            ir::replace_all_uses(result, with);
            // Operations that have read the result read the new value.
            views.insert(ir::value_key(with), entry);
            unused.push(op);
            replaced += 1;
        }
    }
    for op in unused.into_iter().rev() {
        ir::erase(op);
    }
    Ok(replaced)
}

pub(super) fn is_movement(op: &op::Op) -> bool {
    op.row().class == Class::Movement
}

pub(super) fn shape(graph: &Graph, node: NodeId) -> Vec<i64> {
    let shape = &graph.tensor(node).shape;
    shape.iter().map(|extent| extent.cast_signed()).collect()
}

/// Builds a reshape of a value before an operation, and replaces the operation's result by it.
fn reshaped<'p>(
    run: &'p PassRun<'p>,
    op: Op<'p>,
    root: Val<'p>,
    result: Val<'p>,
    shape: &[i64],
) -> Val<'p> {
    let context = run.context();
    let shape = shape.iter().map(|extent| extent.cast_unsigned());
    let reshape = op::Op::Reshape(shape.collect());
    let parts = attributes::parts(context, &reshape, &[root]);
    OpBuilder::before(context, op).op(parts, result.r#type())
}
