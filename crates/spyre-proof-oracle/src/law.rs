//! The laws of reductions, written for the oracle: neither the table of the operations nor that of the proofs.

/// How parts of a reduction become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Law {
    /// The name of the operation that adds up two parts.
    pub combiner: &'static str,
    /// The constants that change nothing, by the bits of their names.
    pub identities: &'static [&'static str],
    /// Whether a term may be added twice.
    pub is_idempotent: bool,
}

/// The name of a zero of f16.
pub const ZERO: &str = "0x0000";
/// The name of a negative zero of f16.
pub const NEGATIVE_ZERO: &str = "0x8000";
/// The name of a one of f16.
pub const ONE: &str = "0x3c00";
/// The name of the negative infinity of f16.
pub const LEAST: &str = "0xfc00";
/// The name of the positive infinity of f16.
pub const GREATEST: &str = "0x7c00";

const ADD: Law = Law {
    combiner: "add",
    identities: &[ZERO, NEGATIVE_ZERO],
    is_idempotent: false,
};
const MUL: Law = Law {
    combiner: "mul",
    identities: &[ONE],
    is_idempotent: false,
};
const MAXIMUM: Law = Law {
    combiner: "maximum",
    identities: &[LEAST],
    is_idempotent: true,
};
const MINIMUM: Law = Law {
    combiner: "minimum",
    identities: &[GREATEST],
    is_idempotent: true,
};
const ABSMAX: Law = Law {
    combiner: "maximum",
    identities: &[ZERO, NEGATIVE_ZERO, LEAST],
    is_idempotent: true,
};

/// Returns the law of a reduction, by its name; `None` for one whose parts cannot be added up.
#[must_use]
pub fn law(reduction: &str) -> Option<Law> {
    match reduction {
        "sum" | "batchmatmul" => Some(ADD),
        "prod" => Some(MUL),
        "max" => Some(MAXIMUM),
        "min" => Some(MINIMUM),
        "absmax" => Some(ABSMAX),
        _ => None,
    }
}

/// Returns the law of the operation that adds up two parts, by its name.
#[must_use]
pub fn law_of_combiner(name: &str) -> Option<Law> {
    [ADD, MUL, MAXIMUM, MINIMUM]
        .into_iter()
        .find(|law| law.combiner == name)
}

/// Returns whether the operands of an operation may be exchanged.
#[must_use]
pub fn commutes(name: &str) -> bool {
    matches!(
        name,
        "add" | "mul" | "maximum" | "minimum" | "equal" | "notequal"
    )
}
