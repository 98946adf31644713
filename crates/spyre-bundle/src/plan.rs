//! The facts of a module's plan.
//!
//! A module that is not planned yet is planned first, in place. `spyre-plan-view` shows the facts.

use melior::Context;
use spyre_analysis::walk::device_ops;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_plan_view::Plan;
use spyre_planning::plan::report::facts as plan_facts;

use crate::NoBundle;

/// The pipeline that plans a program without a bundle.
const PIPELINE: &str = "builtin.module(spyre-pipeline{bundle=false})";

/// Returns the facts of the planned functions of a module. If no device operation has a place, `--spyre-pipeline=bundle=false`
/// plans the module in place first.
///
/// # Errors
/// A pass failed, a device operation has no place or a dynamic extent, or no function has device operations.
pub fn facts<'p>(context: &'p Context, module: Op<'p>) -> Result<Plan, NoBundle<'p>> {
    if !is_planned(module) {
        run_pipeline(context, module, PIPELINE).map_err(NoBundle::PipelineFailed)?;
    }
    Ok(plan_facts(context, module)?)
}

/// Returns whether any device operation of a module has a place.
fn is_planned(module: Op<'_>) -> bool {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let mut bodies = functions.filter_map(ir::function_body);
    bodies.any(|body| device_ops(body).iter().any(|op| op.place().is_some()))
}
