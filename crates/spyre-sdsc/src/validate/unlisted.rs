//! OpFuncs that front ends write and the published table does not list (contract, K70).
//!
//! An unknown name is only a warning. These names are known, with their origin and their state in the backend.

/// The state of the backend's code for an OpFunc outside of the published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Public threads report that it runs on the card.
    Runs,
    /// A draft of the interface describes it.
    Draft,
    /// A front end writes it; no document states that the backend has it.
    Written,
    /// A front end writes it, and a remark in that front end states that the backend does not have it.
    Doubtful,
}

/// An OpFunc outside of the published table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlisted {
    /// The name in files.
    pub name: &'static str,
    /// The state in the backend.
    pub status: Status,
    /// The number of tensors that are read, if it is known.
    pub inputs: Option<usize>,
    /// The result, or its origin.
    pub note: &'static str,
}

const fn row(
    name: &'static str,
    status: Status,
    inputs: Option<usize>,
    note: &'static str,
) -> Unlisted {
    Unlisted {
        name,
        status,
        inputs,
        note,
    }
}

/// Every OpFunc that a front end writes and the table lacks (contract, K70).
pub static UNLISTED: &[Unlisted] = &[
    row(
        "keepbyindex",
        Status::Runs,
        Some(2),
        "keeps the values at listed positions; the table has `maskbyindex`",
    ),
    row(
        "fp32toint32",
        Status::Runs,
        Some(1),
        "FP32 to INT32, rounded towards minus infinity",
    ),
    row("int32tofp32", Status::Runs, Some(1), "INT32 to FP32"),
    row(
        "shuffle",
        Status::Draft,
        Some(1),
        "a copy between scratchpads, by other owners",
    ),
    row("greaterthan", Status::Written, Some(2), "a > b"),
    row("lesserthan", Status::Written, Some(2), "a < b"),
    row(
        "prod",
        Status::Doubtful,
        None,
        "a product over the stick, which the front end itself refuses",
    ),
    row(
        "prodnonstick",
        Status::Doubtful,
        None,
        "a product off the stick",
    ),
];

impl Unlisted {
    /// Returns the row of an OpFunc, by its name in files.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        UNLISTED.iter().find(|row| row.name == name)
    }
}
