//! Formats that a source outside of the table shows, against the table or where it is silent.

use spyre_layout::DeviceFormat;

use super::admit::violation;
use super::{Precision, Published};

/// A format of an OpFunc that a source outside of the table shows, against the table or where the table is silent.
///
/// It holds only for a target that lists its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exception {
    /// The name in `#spyre.target`.
    pub name: &'static str,
    /// The OpFuncs that it is about.
    pub op_funcs: &'static [&'static str],
    /// The format of all their tensors; `None` for the formats of the row.
    pub precision: Option<Precision>,
    /// The source that contradicts the table, or is all that is known.
    pub source: &'static str,
}

/// Every exception that a target can list.
pub static EXCEPTIONS: &[Exception] = &[
    Exception {
        name: "fp32-roots",
        op_funcs: &["sqrt", "rsqrt"],
        precision: Some(Precision::Float32),
        source: "torch-spyre constants.py, SPYRE_FP32_OPS, September 2026",
    },
    Exception {
        name: "fp32-restickify",
        op_funcs: &["ReStickifyOpHBM"],
        precision: Some(Precision::Float32),
        source: "torch-spyre #2560 and #2544, which ask for it; #2542 refuses it",
    },
    Exception {
        name: "int32-arithmetic",
        op_funcs: &["add", "mul"],
        precision: Some(Precision::Int32),
        source: "torch-spyre constants.py, SPYRE_INT32_OPS, for another output format than bundles",
    },
    Exception {
        name: "product-reduction",
        op_funcs: &["prod", "prodnonstick"],
        precision: None,
        source: "torch-spyre superdsc.py writes prodnonstick; its constants.py states that the backend has no product",
    },
];

impl Exception {
    /// Returns the exception of a name; `None` if there is none.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        EXCEPTIONS.iter().find(|exception| exception.name == name)
    }

    /// Returns whether it is about an OpFunc with tensors of these formats.
    pub(super) fn covers(&self, row: &'static Published, formats: &[DeviceFormat]) -> bool {
        self.op_funcs.contains(&row.name)
            && match self.precision {
                Some(precision) => formats.iter().all(|format| precision.is_of(*format)),
                None => violation(row, formats).is_none(),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_exception() {
        let page = include_str!("../../../../docs/Contract.md");
        for exception in EXCEPTIONS {
            let row = page
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", exception.name)));
            assert!(
                row.is_some_and(|row| row.contains(exception.source)),
                "{}",
                exception.name
            );
        }
    }
}
