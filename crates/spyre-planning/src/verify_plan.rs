//! `--spyre-verify-plan`: checks a planned function without any code of planning.
//!
//! * `memory` records the last writer of each byte.
//! * `slices` computes the part of a tensor that a core works on.
//! * `reach` computes the span of a part in memory.
//! * `walk` interprets the function with these.

mod memory;
mod reach;
mod slices;
mod walk;

use melior::ir::operation::OperationLike;
use spyre_analysis::target::target_of;
use spyre_analysis::walk::device_ops;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

use self::walk::Walk;

const NAME: &str = "spyre-verify-plan";

/// `--spyre-verify-plan`
pub static VERIFY_PLAN: RustPass = RustPass {
    argument: NAME,
    summary: "Check the places and the divisions of a planned function",
    description: include_str!("verify_plan.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "reads",
        description: "Reads that were checked, reads in a loop twice",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    run.preserve_analyses();
    let Some(body) = ir::function_body(function) else {
        return Ok(());
    };
    if device_ops(body).is_empty() {
        return Ok(()); // It is no kernel, and has no plan.
    }
    let target = target_of(function)?.target;
    let reads = Walk::new(run.context(), target).function(function, body)?;
    run.count("reads", reads);
    Ok(())
}

/// A rule of the page of the pass.
#[derive(Clone, Copy)]
enum Rule {
    Place = 1,
    Alignment,
    Capacity,
    Contents,
    Slices,
    Spans,
    Carried,
    Moves,
    Split,
    InPlace,
    Relayout,
    Sticks,
}

/// Returns the error of a broken rule.
fn broken<'p>(rule: Rule, op: Op<'p>, message: impl std::fmt::Display) -> Diagnostic<'p> {
    let number = rule as u8;
    Diagnostic::error(op.location(), format!("{NAME}: P{number}: {message}"))
}
