//! Known warnings: features of a source outside of the contract, and correct bundles that the
//! checker cannot tell from faults.

use spyre_verify::{Finding, Severity};

/// A known warning, with a name like an exception of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownWarning {
    /// The name.
    pub(super) name: &'static str,
    /// The rule, as findings show it.
    rule: &'static str,
    /// Words of the message.
    words: &'static str,
    /// The source, or the reason.
    pub(super) source: &'static str,
}

/// All known warnings. Errors are never in this list.
pub(super) static KNOWN_WARNINGS: [KnownWarning; 4] = [
    KnownWarning {
        name: "reference-opfuncs",
        rule: "K70",
        words: "the reference compiler writes it",
        source: "torch-spyre constants.py and superdsc.py; the rows of WRITTEN_BY_THE_REFERENCE in spyre_ops::contract have the places",
    },
    KnownWarning {
        name: "zero-mean-constant",
        rule: "K5",
        words: "'useZeroMean' is no constant of 'exx2'",
        source: "torch-spyre writes it with 'exx2'; the table lacks it",
    },
    KnownWarning {
        name: "only-in-the-table",
        rule: "K4a",
        words: "which the table has and the reference compiler never writes",
        source: "the published table has the operation in 'IEEE_FP32'; SPYRE_FP32_OPS of torch-spyre constants.py lacks it",
    },
    KnownWarning {
        name: "overlapping-windows",
        rule: "VB75",
        words: "which is no multiple of the window along any dimension",
        source: "windows of ragged tiles, and of a dimension that a tensor has twice, overlap (docs/Contract.md)",
    },
];

impl KnownWarning {
    /// Returns the known warning that matches a finding; `None` for any other finding.
    pub(super) fn matching(finding: &Finding) -> Option<&'static Self> {
        let rule = finding.rule.to_string();
        KNOWN_WARNINGS.iter().find(|entry| {
            finding.rule.severity == Severity::Warning
                && entry.rule == rule
                && finding.message.contains(entry.words)
        })
    }
}
