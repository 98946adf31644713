//! The decisions of PyTorch's scheduler, one pass each.
//!
//! * `--inductor-simplify-index` simplifies subscripts, and `--inductor-simplify-loops` loops (`nests`).
//! * `--inductor-split-reductions` cuts long reductions ([`split`]) and unrolls short ones (`unroll`).
//! * `--inductor-deps` reports dependences (`report`), `--inductor-toposort` orders operations, `--inductor-dce`
//!   removes dead ones.
//! * `--inductor-fuse` builds kernels (`kernels`).
//!
//! `spyre_inductor::schedule` decides; these modules read and change graphs.

mod kernels;
mod nests;
mod report;
pub mod split;
mod unroll;

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_inductor::schedule::Policy;
use spyre_inductor::schedule::fuse::fuse;
use spyre_inductor::schedule::graph::Graph;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::pipeline::{PipelineOption, PipelineOptionKind, PipelineRun, RustPipeline};
use spyre_mlir_rt::remark::Remarks;
use spyre_ods::inductor;

use super::errors::error;
use super::program::{self, GraphProgram};

/// `--inductor-simplify-index`
pub static INDUCTOR_SIMPLIFY_INDEX: RustPass = RustPass {
    argument: "inductor-simplify-index",
    summary: "Make subscripts of loop nests simple, by the ranges of their loops",
    description: include_str!("schedule/simplify_index.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[PassStatistic {
        name: "simplified",
        description: "Subscripts that became simpler",
    }],
    dialects: Vec::new,
    run: |run| {
        let graph = run.operation();
        let symbols = program::symbols(graph);
        let mut count = 0;
        for op in nests_of(graph) {
            count += nests::simplify(run.context(), &symbols, op)?;
        }
        run.count("simplified", count);
        Ok(())
    },
};

/// `--inductor-simplify-loops`
pub static INDUCTOR_SIMPLIFY_LOOPS: RustPass = RustPass {
    argument: "inductor-simplify-loops",
    summary: "Put loops in the order in which memory is accessed, and merge loops that are one",
    description: include_str!("schedule/simplify_loops.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[PassStatistic {
        name: "changed",
        description: "Loop nests that have other loops",
    }],
    dialects: Vec::new,
    run: |run| {
        let read = program::read(run.operation())?;
        let graph = scheduled(run.operation(), &read)?;
        let changed = nests::set_all(run.context(), &read, &graph)?;
        run.count("changed", changed);
        Ok(())
    },
};

/// `--inductor-deps`
pub static INDUCTOR_DEPS: RustPass = RustPass {
    argument: "inductor-deps",
    summary: "Report the reads, writes and users of every operation in remarks",
    description: include_str!("schedule/deps.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[PassStatistic {
        name: "dependences",
        description: "What operations read",
    }],
    dialects: Vec::new,
    run: |run| {
        let read = program::read(run.operation())?;
        let graph = scheduled(run.operation(), &read)?;
        let count = graph.nodes.iter().map(|node| node.reads.len()).sum();
        run.count("dependences", count);
        let remarks = Remarks::about(run.context(), run.operation(), "inductor-deps");
        report::dependences(&remarks, run.operation(), &read, &graph);
        run.preserve_analyses();
        Ok(())
    },
};

/// `--inductor-toposort`
pub static INDUCTOR_TOPOSORT: RustPass = RustPass {
    argument: "inductor-toposort",
    summary: "Order the operations of a graph as PyTorch does",
    description: include_str!("schedule/toposort.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[],
    dialects: Vec::new,
    run: |run| {
        let read = program::read(run.operation())?;
        let graph = scheduled(run.operation(), &read)?;
        let mut order = kernels::Order::of(run.operation());
        for id in &graph.sorted {
            order.append(read.ops[id.0 as usize]);
        }
        Ok(())
    },
};

/// `--inductor-dce`
pub static INDUCTOR_DCE: RustPass = RustPass {
    argument: "inductor-dce",
    summary: "Remove operations with unused buffers",
    description: include_str!("schedule/dce.md"),
    anchor: inductor::GRAPH,
    options: &[],
    statistics: &[PassStatistic {
        name: "removed",
        description: "Operations that were removed",
    }],
    dialects: Vec::new,
    run: |run| {
        let read = program::read(run.operation())?;
        let graph = scheduled(run.operation(), &read)?;
        run.count("removed", graph.removed.len());
        remove(&read, &graph);
        Ok(())
    },
};

/// `--inductor-fuse`
pub static INDUCTOR_FUSE: RustPass = RustPass {
    argument: "inductor-fuse",
    summary: "Make kernels of operations that run together",
    description: include_str!("schedule/fuse.md"),
    anchor: inductor::GRAPH,
    options: &[PassOption {
        name: "policy",
        description: "the rules: cpp and simd are PyTorch's for C++ and for Triton, spyre makes a kernel of each hint scope",
        kind: OptionKind::Str("spyre"),
    }],
    statistics: &[
        PassStatistic {
            name: "kernels",
            description: "Kernels of several operations, or of a hint scope",
        },
        PassStatistic {
            name: "removed",
            description: "Dead operations that were removed",
        },
    ],
    dialects: Vec::new,
    run: run_fuse,
};

/// `--inductor-schedule`
pub static INDUCTOR_SCHEDULE: RustPipeline = RustPipeline {
    argument: "inductor-schedule",
    summary: "All decisions of PyTorch's scheduler about graphs with buffers for expressions, as PyTorch exports them",
    options: &[PipelineOption {
        name: "policy",
        description: "as --inductor-fuse takes it; empty: spyre",
        kind: PipelineOptionKind::Str(""),
    }],
    passes: |run: &PipelineRun| {
        let policy = match run.text("policy") {
            "" => "spyre",
            policy => policy,
        };
        format!(
            "inductor.graph(inductor-decide-layout,inductor-simplify-index,inductor-toposort,inductor-dce,inductor-fuse{{policy={policy}}})"
        )
    },
};

fn run_fuse<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let op = run.operation();
    let policy = policy(run)?;
    let read = program::read(op)?;
    let mut graph = scheduled(op, &read)?;
    let fused = fuse(&mut graph, policy).map_err(|err| error(op, err))?;
    let remarks = Remarks::about(run.context(), op, "inductor-fuse");
    report::rounds(&remarks, &read, &fused);
    if policy != Policy::Spyre {
        // Operations of a hint scope keep their loops, since the tiles of the scope are along these loops.
        nests::set_all(run.context(), &read, &graph)?;
    }
    run.count("removed", graph.removed.len());
    remove(&read, &graph);
    let count = kernels::make(run.context(), op, &read, &fused, policy);
    run.count("kernels", count);
    Ok(())
}

/// Returns the policy that a pass is to follow.
pub(super) fn policy<'p>(run: &'p PassRun<'p>) -> Result<Policy, Diagnostic<'p>> {
    match run.text("policy").as_str() {
        "cpp" => Ok(Policy::Cpp),
        "simd" => Ok(Policy::Simd),
        "spyre" => Ok(Policy::Spyre),
        other => {
            let message = format!("there is no policy '{other}'; there are cpp, simd and spyre");
            Err(error(run.operation(), message))
        }
    }
}

/// Returns the loop nests of a graph.
fn nests_of<'p>(graph: Op<'p>) -> impl Iterator<Item = Op<'p>> {
    let body = ir::body(graph).expect("a graph has a block");
    ir::operations(body).filter(|op| program::is_nest(*op))
}

/// Returns the operation that ends a graph.
fn end_of<'p>(graph: Op<'p>) -> Op<'p> {
    let body = ir::body(graph).expect("a graph has a block");
    ir::operations(body)
        .last()
        .expect("IN5: a graph ends with its outputs")
}

fn scheduled<'a, 'p>(op: Op<'p>, read: &'a GraphProgram<'p>) -> Result<Graph<'a>, Diagnostic<'p>> {
    Graph::new(&read.program).map_err(|err| error(op, err))
}

/// Erases dead operations, and the views that only they have read.
fn remove<'p>(read: &GraphProgram<'p>, graph: &Graph<'_>) {
    let mut erased = FxHashSet::default();
    for id in &graph.removed {
        let op = read.ops[id.0 as usize];
        // The operations that read a view of the buffer have been erased.
        for result in ir::results(op) {
            let views = ir::uses(result).into_iter().map(|user| user.owner);
            for view in views.collect::<Vec<_>>() {
                erase_views(program::result(view, 0), &mut erased);
            }
        }
        let operands: Vec<Val<'p>> = op.operands().collect();
        ir::erase(op);
        for operand in operands {
            erase_views(operand, &mut erased);
        }
    }
}

/// Erases the operation of a value if it is a view without uses, and then the views that it reads. `erased` has the values of
/// erased operations.
fn erase_views<'p>(value: Val<'p>, erased: &mut FxHashSet<ir::ValueKey>) {
    if erased.contains(&ir::value_key(value)) {
        return;
    }
    let Some(op) = ir::defining_op(value).filter(|op| ir::name(*op) == inductor::VIEW) else {
        return;
    };
    if ir::uses(value).is_empty() {
        let source = ir::operand(op, 0).expect("a view has a source");
        erased.insert(ir::value_key(value));
        ir::erase(op);
        erase_views(source, erased);
    }
}
