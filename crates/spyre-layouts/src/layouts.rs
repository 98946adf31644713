//! Chooses layouts for programs that have none, or have them in part.
//!
//! Three passes share one analysis of a function ([`analysis`]). It gives every tensor value the layouts that it may
//! have, its *candidates*, and decides for every operand whether a combination of candidates needs no copy, needs a
//! `spyre.restickify`, or is impossible.
//!
//! * [`propagate`] writes the candidates into the IR and reports impossible combinations.
//! * [`optimize`] keeps the candidates with the cheapest copies in total.
//! * [`insert`] gives every value its layout and inserts the copies.
//!
//! The analysis reads candidates that are in the IR already, so each pass also runs alone.
//!
//! * [`stick`] has the rules of the operation classes, shared with the verifier.
//! * `relayout` builds copies to other layouts.
//! * `walk` walks over a function and builds its nodes, from the layouts that `fit` allows for results and operands.
//! * `decide` builds candidates for device operations, `view` for slices, insertions, reshapes and permutations.
//! * `wants` finds the dimensions that users want on the stick.
//! * [`merge_batches`], [`pad_gathers`], [`pad_matmul`] and [`simplify`] are further passes.

pub mod analysis;
mod decide;
mod fit;
pub mod insert;
pub mod merge_batches;
pub mod optimize;
pub mod pad_gathers;
pub mod pad_matmul;
pub mod propagate;
mod relayout;
mod restick;
pub mod simplify;
pub mod stick;
mod view;
mod walk;
mod wants;

use melior::ir::operation::OperationLike;
use spyre_analysis::target::target_of;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_reachable, device_ops};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun};
use spyre_ops::OpClass;
use spyre_plan::restickify::{DeadEnd, Graph};

use self::analysis::Analysis;

pub(crate) use insert::reader_beside;
pub(crate) use restick::default_with_stick;

/// A function and its analysis.
struct Function<'p> {
    analysis: Analysis<'p>,
    types: TensorTypes<'p>,
    pass: &'static str,
}

impl<'p> Function<'p> {
    /// Analyses the function that a pass runs on. Returns `None` if there are no layouts to decide: the function has no
    /// body, or its values have places.
    fn analyse(run: &'p PassRun<'p>, pass: &'static str) -> Result<Option<Self>, Failed> {
        let function = run.operation();
        check_reachable(function, pass, |_| true)?;
        let Some(body) = ir::function_body(function) else {
            return Ok(None);
        };
        let ops = device_ops(body);
        if ops.is_empty() || ops.iter().any(|op| op.place().is_some()) {
            run.preserve_analyses();
            return Ok(None);
        }
        let contract = target_of(function)?.contract;
        for op in &ops {
            check_batches(*op, pass)?;
        }
        let types = TensorTypes::under(run.context(), contract);
        let analysis = Analysis::of_function(pass, &types, function, body)?;
        Ok(Some(Self {
            analysis,
            types,
            pass,
        }))
    }

    fn error(&self, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
        Diagnostic::error(op.location(), format!("{}: {message}", self.pass))
    }

    fn graph(&self, function: Op<'p>) -> Result<Graph, Diagnostic<'p>> {
        self.analysis
            .graph()
            .map_err(|err| self.error(function, err))
    }

    /// Returns the error for a node at which every choice of candidates fails.
    fn dead_end(&self, end: DeadEnd) -> Diagnostic<'p> {
        let reason = optimize::explain(end);
        let nodes = &self.analysis.nodes;
        let node = &nodes[end.node.index()];
        let diagnostic = self.error(node.op, reason);
        node.reads.iter().fold(diagnostic, |diagnostic, read| {
            diagnostic.note(
                nodes[read.producer].op.location(),
                format!("operand #{} is defined here", read.operand),
            )
        })
    }
}

/// Most dimensions that all tensors of a product have, and most that only its left operand and the result have (contract, K23).
const MOST_OF_A_ROLE: usize = 2;

/// Checks that a product has no more dimensions of several elements in a role than the backend supports.
fn check_batches<'p>(op: DeviceOp<'p>, pass: &str) -> Result<(), Diagnostic<'p>> {
    if op.facts().class != OpClass::Matmul {
        return Ok(());
    }
    let [left, right, result] = [0, 1, 2].map(|tensor| op.tensor_dims(tensor));
    let extents = op.iteration_space();
    let count = |of_right: bool| {
        let dims = (0..extents.len()).filter(|dim| extents[*dim] != 1);
        dims.filter(|dim| {
            let has = |dims: &[Option<usize>]| dims.contains(&Some(*dim));
            has(&left) && has(&result) && has(&right) == of_right
        })
        .count()
    };
    for (of_right, words) in [
        (true, "all tensors have"),
        (false, "only the left operand and the result have"),
    ] {
        let count = count(of_right);
        if count > MOST_OF_A_ROLE {
            let message = format!(
                "{pass}: the product has {count} dimensions that {words}, and the card has at most {MOST_OF_A_ROLE}; \
                 collapse some of them, or run the product in a loop over one"
            );
            return Err(Diagnostic::error(op.op().location(), message));
        }
    }
    Ok(())
}
