//! Known warnings: features of a source outside of the contract, and correct bundles that the
//! checker cannot tell from faults.

use spyre_verify::{Finding, Severity};

/// A known warning, with a name like an exception of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
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
pub(super) static KNOWN: [Known; 4] = [
    Known {
        name: "reference-opfuncs",
        rule: "K70",
        words: "the reference compiler writes it",
        source: "torch-spyre constants.py and superdsc.py; the rows of WRITTEN_BY_THE_REFERENCE in spyre_ops::contract say where",
    },
    Known {
        name: "zero-mean-constant",
        rule: "K5",
        words: "'useZeroMean' is no constant of 'exx2'",
        source: "torch-spyre writes it with 'exx2'; the table lacks it",
    },
    Known {
        name: "only-in-the-table",
        rule: "K4a",
        words: "which the table has and the reference compiler never writes",
        source: "the published table has the operation in 'IEEE_FP32'; SPYRE_FP32_OPS of torch-spyre constants.py lacks it",
    },
    Known {
        name: "overlapping-windows",
        rule: "VB75",
        words: "by whole windows along no dimension of it",
        source: "windows of ragged tiles, and of a dimension that a tensor has twice, overlap (docs/VerifyBundle.md)",
    },
];

impl Known {
    /// Returns the known warning that matches a finding; `None` for any other finding.
    pub(super) fn of(finding: &Finding) -> Option<&'static Self> {
        let rule = finding.rule.to_string();
        KNOWN.iter().find(|known| {
            finding.rule.severity == Severity::Warning
                && known.rule == rule
                && finding.message.contains(known.words)
        })
    }
}
