//! `--emit-plan-json` and `--emit-plan-html`: the decisions of planning, as data and as a page.

use clap::Args;
use spyre_bundle::plan;
use spyre_plan_view::{Plan, page};

use crate::io::Io;

/// Options of the views of plans.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Plans")]
pub(crate) struct PlanOptions {
    /// Print the facts of a planned program as JSON (`spyre-plan-1`): the places and live ranges of values, the traffic
    /// of each operation, and the modelled time. A program that is not planned yet goes through
    /// `--spyre-pipeline=bundle=false` first.
    #[arg(long, group = "translation")]
    emit_plan_json: bool,

    /// Write a page of HTML that shows the facts of a planned program.
    #[arg(long, group = "translation")]
    emit_plan_html: bool,
}

impl PlanOptions {
    /// Shows the plan of a module if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        let text: fn(&Plan) -> String = match (self.emit_plan_json, self.emit_plan_html) {
            (true, _) => Plan::to_json,
            (_, true) => page,
            (false, false) => return None,
        };
        Some(io.with_module(|module| io.write(text(&plan::facts(io.context, module)?))))
    }
}
