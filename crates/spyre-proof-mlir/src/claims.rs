//! The calls of the proofs, and nothing else.

use spyre_bundle_files::Files;
use spyre_isl::Context;
use spyre_proof::claim::{Claim, Report};
use spyre_proof::files::{FilesError, prove_files};
use spyre_proof::places::{Limits, prove_places};
use spyre_proof::program::Program;
use spyre_proof::rewrite::{prove_coverage, prove_rewrite};

/// Returns the findings of some claims about a program. `before` is the program before a pass, for P2; `limits` are
/// those of the machine, for P3 and P4.
pub(crate) fn findings(
    context: &Context,
    claims: &[Claim],
    program: &Program,
    before: Option<&Program>,
    limits: Option<&Limits>,
) -> Report {
    let has = |claim| claims.contains(&claim);
    let mut report = match before {
        Some(before) if has(Claim::Correspondence) => prove_rewrite(context, before, program),
        _ if has(Claim::Coverage) => prove_coverage(context, program),
        _ => Report::default(),
    };
    if let Some(limits) = limits
        && (has(Claim::Order) || has(Claim::Place))
    {
        report.extend(prove_places(context, program, limits));
    }
    // Proofs of several claims go together: those that were not asked for are left out.
    report.findings.retain(|finding| has(finding.claim));
    report
}

/// Returns the findings about the files of a bundle and the planned program (P5), and about the places of the program
/// (P3 and P4), since files with the addresses of a wrong plan are wrong.
///
/// # Errors
/// A file is missing, or is malformed.
pub(crate) fn findings_of_files(
    context: &Context,
    program: &Program,
    files: &impl Files,
    limits: &Limits,
) -> Result<Report, FilesError> {
    let mut report = prove_files(context, program, files)?;
    report.extend(prove_places(context, program, limits));
    Ok(report)
}
