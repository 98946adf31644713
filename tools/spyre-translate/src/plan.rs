//! `--emit-plan-json`, `--emit-plan-html` and `--emit-plan-trace`: the decisions of planning, as data, as a page and as a
//! timeline.

use clap::Args;
use spyre_bundle::plan;
use spyre_plan_view::{Plan, page, trace};

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

    /// Write the modelled time of a planned program as a timeline for ui.perfetto.dev: executions on each class of cores,
    /// loops, transfers of device memory, and the bytes that values take in the scratchpads.
    #[arg(long, group = "translation")]
    emit_plan_trace: bool,
}

/// Returns a plan as text.
type Form = fn(&Plan) -> String;

impl PlanOptions {
    /// Shows the plan of a module if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        let forms: [(bool, Form); 3] = [
            (self.emit_plan_json, Plan::to_json),
            (self.emit_plan_html, page),
            (self.emit_plan_trace, trace),
        ];
        let (_, text) = forms.into_iter().find(|(is_requested, _)| *is_requested)?;
        Some(io.with_module(|module| io.write(text(&plan::facts(io.context, module)?))))
    }
}
