//! Programs that are equal, and programs that differ in one place.

mod build;
mod copies;
mod faults;
mod folds;
mod form;
mod iterations;
mod laws;
mod loops;
mod measure;
mod numbers;

use build::Build;
use spyre_isl::Context;

use super::prove_rewrite;
use crate::claim::{Report, Witness};

/// The budget of one claim: far above what any claim of these tests takes.
const BUDGET: u64 = 1_000_000;

fn proved(before: Build, after: Build) -> Report {
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    let open: Vec<_> = report
        .findings
        .iter()
        .filter(|finding| !matches!(finding.verdict, crate::claim::Verdict::Proved(_)))
        .collect();
    assert!(open.is_empty(), "{open:#?}");
    assert!(!report.findings.is_empty(), "claims about something");
    report
}

fn refuted(before: Build, after: Build) -> Witness {
    let report = prove_rewrite(&Context::new(BUDGET), &before.program, &after.program);
    let first = report.refuted().next();
    let (_, witness) = first.unwrap_or_else(|| panic!("refuted: {:#?}", report.findings));
    witness.clone()
}
