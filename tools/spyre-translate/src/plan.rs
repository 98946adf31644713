//! `--emit-plan-json` and `--emit-plan-html`: what planning has decided, as data and as a page.

use std::path::Path;

use clap::Args;
use melior::Context;
use spyre_mlir_rt::diagnostic::shortened;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::source::run_pipeline;
use spyre_passes::device_ops;
use spyre_passes::plan_facts;

/// Options of the views of plans.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Plans")]
pub(crate) struct PlanOptions {
    /// Print the facts of a planned program as JSON (`spyre-plan-1`): where values are and how long, what each operation moves, and
    /// the modelled time. What is not planned yet goes through `--spyre-pipeline=bundle=false` first.
    #[arg(long, group = "translation")]
    emit_plan_json: bool,

    /// Write a page of HTML that shows them.
    #[arg(long, group = "translation")]
    emit_plan_html: bool,
}

/// What a plan is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Data.
    Json,
    /// A page.
    Html,
}

impl PlanOptions {
    /// Returns what a plan is to be shown as, if one is to be shown.
    pub(crate) const fn form(&self) -> Option<Form> {
        match (self.emit_plan_json, self.emit_plan_html) {
            (true, _) => Some(Form::Json),
            (false, true) => Some(Form::Html),
            (false, false) => None,
        }
    }
}

/// Shows the plan of a module. Returns `false` if there is none; the reason has been printed.
pub(crate) fn emit<'p>(
    context: &'p Context,
    module: Op<'p>,
    form: Form,
    output: Option<&Path>,
) -> bool {
    let pipeline = "builtin.module(spyre-pipeline{bundle=false})";
    // The pass that fails has said why.
    if !is_planned(module) && run_pipeline(context, module, pipeline).is_err() {
        return false;
    }
    let plan = match plan_facts(context, module) {
        Ok(plan) => plan,
        Err(why) => {
            why.emit();
            return false;
        }
    };
    let text = match form {
        Form::Json => plan.to_json(),
        Form::Html => spyre_plan_view::page(&plan),
    };
    let written = crate::module::write(&text, output);
    written.map_or_else(
        |why| {
            eprintln!("{}", shortened(&why));
            false
        },
        |()| true,
    )
}

/// Returns whether any device operation of a module has a place.
fn is_planned(module: Op<'_>) -> bool {
    let functions = ir::body(module).into_iter().flat_map(ir::operations);
    let mut bodies = functions.filter_map(ir::function_body);
    bodies.any(|body| device_ops(body).iter().any(|op| op.place().is_some()))
}
