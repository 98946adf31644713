//! The diagnostics of hints: those that `--coarse-tile` reports, at the hints.
//!
//! The pass itself runs, on the server's module of the document, so that there are no other rules for editors.

use std::ops::Range;

use melior::Context;
use serde_json::{Value, json};
use spyre_mlir_rt::diagnostic::{Reported, Severity, collect};
use spyre_mlir_rt::source::run_pipeline;

use crate::document::{Document, word_at};
use crate::hints::{HintList, HintText};
use crate::program::{Program, has_hints, with_program};

/// The passes on a function that read hints. Scopes become hints first.
const PASSES: &str = "func.func(spyre-assign-dim-hints,coarse-tile)";

/// Returns the diagnostics of the hints of a document, in the terms of the protocol. A program that does not parse
/// has none.
pub(crate) fn diagnostics(context: &Context, document: &Document) -> Vec<Value> {
    // Most documents of MLIR have no hints.
    if !document.text().contains("tile") {
        return Vec::new();
    }
    let mut diagnostics = Vec::new();
    for text in document.programs() {
        let reported = with_program(context, document.name(), &text, |program| {
            program_diagnostics(document, &text, program)
        });
        diagnostics.extend(reported.into_iter().flatten());
    }
    diagnostics
}

/// Returns the diagnostics of the passes that read the hints of a program, in the form of the protocol.
fn program_diagnostics(document: &Document, text: &str, program: &Program<'_>) -> Vec<Value> {
    let place = Place {
        document,
        text,
        hints: owned_hints(text, program),
    };
    let functions = program.functions.iter().copied();
    let mut diagnostics = Vec::new();
    for function in functions.filter(|function| has_hints(*function)) {
        // A failure has been reported.
        let (_, reported) = collect(program.context, || {
            run_pipeline(program.context, function, PASSES)
        });
        let in_protocol = |reported: &Reported| place.diagnostic(program, reported);
        diagnostics.extend(reported.iter().map(in_protocol));
    }
    diagnostics
}

/// Returns the hints of a program that has not been changed yet, each with the start of the name of its operation.
fn owned_hints(text: &str, program: &Program<'_>) -> Vec<(usize, HintText)> {
    let mut starts: Vec<usize> = program.ops().map(|(start, _)| start).collect();
    starts.sort_unstable();
    let mut hints = Vec::new();
    for list in HintList::all(text) {
        let after = starts.partition_point(|start| *start < list.start);
        let owner = after.checked_sub(1).map(|last| starts[last]);
        let of_list = list.hints(text).into_iter();
        hints.extend(of_list.filter_map(|hint| Some((owner?, hint))));
    }
    hints
}

/// A program of a document, with its hints.
struct Place<'d> {
    document: &'d Document,
    /// The text of the program.
    text: &'d str,
    /// The hints, each with the start of the name of its operation.
    hints: Vec<(usize, HintText)>,
}

impl Place<'_> {
    /// Returns a diagnostic of the pass in the terms of the protocol.
    fn diagnostic(&self, program: &Program<'_>, reported: &Reported) -> Value {
        let start = program.place_of(reported);
        let is_about = |(owner, hint): &&(usize, HintText)| {
            let names = |dim: &String| reported.message.contains(&format!("\"{dim}\""));
            Some(*owner) == start && hint.dim.as_ref().is_some_and(names)
        };
        let range = match self.hints.iter().find(is_about) {
            Some((_, hint)) => hint.range.clone(),
            None => self.word(start),
        };
        let notes = reported.notes.iter().map(|note| {
            let range = self.document.range(&self.word(program.place_of(note)));
            json!({"location": {"uri": self.document.uri(), "range": range}, "message": note.message})
        });
        let severity = match reported.severity {
            Some(Severity::Error) => 1,
            Some(Severity::Warning) => 2,
            Some(Severity::Remark) | None => 3,
        };
        json!({
            "range": self.document.range(&range),
            "severity": severity,
            "source": "spyre",
            "message": reported.message,
            "relatedInformation": notes.collect::<Vec<_>>(),
        })
    }

    /// Returns the range of the word at a start; the start of the document without one.
    fn word(&self, start: Option<usize>) -> Range<usize> {
        let start = start.filter(|start| *start <= self.text.len());
        start.map_or(0..0, |start| start..word_at(self.text, start).end)
    }
}
