//! The definition of every OpFunc on values.
//!
//! [`SEMANTICS`] is the one place with these definitions: the lowering is made from it, and the table in `docs/Execution.md` is
//! [`markdown`].

use std::fmt::Write as _;

use super::scalar::Comparison;
use super::scalar::Formula::{self, Of1, Of2, Of5};

/// The definition of one OpFunc.
#[derive(Debug, Clone, Copy)]
pub struct Semantics {
    /// The name of the operation, without `spyre.`.
    pub mnemonic: &'static str,
    /// The definition in words, for readers of the table.
    pub definition: &'static str,
    /// The definition in the form that is built.
    pub(super) meaning: Meaning,
}

/// The definition of an OpFunc in the form that is built.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    /// The operand itself.
    Identity,
    /// One of two operands, chosen by the first, bit by bit.
    Select,
    /// Element by element, floats in `f32`.
    Float(Formula),
    /// Element by element, floats in `f32`, integers as an operation that wraps.
    Number(Formula, &'static str),
    /// Element by element, to a truth value.
    Compare(Comparison),
    /// Over the reduction dimensions, in ascending order and in `f32`.
    Reduce(Reduction),
    /// The sum of the products of two operands over the reduction dimension, in ascending order and in `f32`.
    Contract,
    /// The first elements along a dimension in descending order.
    TopK(Ranked),
    /// The element of a table that an index chooses.
    Gather,
}

/// The result of a search for the first elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranked {
    /// The element itself.
    Value,
    /// The position of the element along the dimension.
    Position,
}

/// A reduction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduction {
    /// The value that it starts from.
    pub start: f64,
    /// The operation that adds an element, for example `arith.addf`.
    pub combine: &'static str,
    /// Whether the result is divided by the number of elements.
    pub average: bool,
}

const fn reduction(start: f64, combine: &'static str, average: bool) -> Meaning {
    Meaning::Reduce(Reduction {
        start,
        combine,
        average,
    })
}

const fn float(mnemonic: &'static str, definition: &'static str, formula: Formula) -> Semantics {
    Semantics {
        mnemonic,
        definition,
        meaning: Meaning::Float(formula),
    }
}

const fn number(
    mnemonic: &'static str,
    definition: &'static str,
    formula: Formula,
    integers: &'static str,
) -> Semantics {
    Semantics {
        mnemonic,
        definition,
        meaning: Meaning::Number(formula, integers),
    }
}

const fn compare(mnemonic: &'static str, definition: &'static str, how: Comparison) -> Semantics {
    Semantics {
        mnemonic,
        definition,
        meaning: Meaning::Compare(how),
    }
}

const fn other(mnemonic: &'static str, definition: &'static str, meaning: Meaning) -> Semantics {
    Semantics {
        mnemonic,
        definition,
        meaning,
    }
}

/// 1 / sqrt(2), the factor inside the exact GELU.
const SQRT_HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Every operation that has a definition on values.
pub const SEMANTICS: &[Semantics] = &[
    number(
        "add",
        "a + b; integers wrap",
        Of2(|s, a, b| s.add(a, b)),
        "arith.addi",
    ),
    number(
        "sub",
        "a - b; integers wrap",
        Of2(|s, a, b| s.sub(a, b)),
        "arith.subi",
    ),
    number(
        "mul",
        "a * b; integers wrap",
        Of2(|s, a, b| s.mul(a, b)),
        "arith.muli",
    ),
    float(
        "realdiv",
        "a / b, IEEE division",
        Of2(|s, a, b| s.div(a, b)),
    ),
    number(
        "maximum",
        "max(a, b), NaN if either is",
        Of2(|s, a, b| s.apply("arith.maximumf", &[a, b])),
        "arith.maxsi",
    ),
    number(
        "minimum",
        "min(a, b), NaN if either is",
        Of2(|s, a, b| s.apply("arith.minimumf", &[a, b])),
        "arith.minsi",
    ),
    compare("equal", "a == b, false for NaN", Comparison::Equal),
    compare("notequal", "a != b, true for NaN", Comparison::NotEqual),
    compare("greaterthan", "a > b, false for NaN", Comparison::Greater),
    compare(
        "greaterequal",
        "a >= b, false for NaN",
        Comparison::GreaterEqual,
    ),
    compare("lesserthan", "a < b, false for NaN", Comparison::Less),
    compare(
        "lesserequal",
        "a <= b, false for NaN",
        Comparison::LessEqual,
    ),
    other("where3", "condition ? a : b, bit by bit", Meaning::Select),
    float(
        "abs",
        "the absolute value of x",
        Of1(|s, x| s.apply("math.absf", &[x])),
    ),
    float("exp", "e^x", Of1(|s, x| s.exp(x))),
    float(
        "floor",
        "the largest integer not above x",
        Of1(|s, x| s.apply("math.floor", &[x])),
    ),
    float(
        "gelufwd",
        "x * (0.5 * (1 + erf(x * sqrt(1/2)))), the exact form",
        Of1(|s, x| {
            let erf = s.apply("math.erf", &[s.mul(x, s.constant(SQRT_HALF)?)?])?;
            s.mul(x, s.mul(s.constant(0.5)?, s.add(s.constant(1.0)?, erf)?)?)
        }),
    ),
    float("log", "ln(x)", Of1(|s, x| s.apply("math.log", &[x]))),
    float("neg", "-x", Of1(|s, x| s.apply("arith.negf", &[x]))),
    float(
        "reciprocal",
        "1 / x",
        Of1(|s, x| s.div(s.constant(1.0)?, x)),
    ),
    float(
        "relufwd",
        "max(x, 0), NaN if x is",
        Of1(|s, x| s.apply("arith.maximumf", &[x, s.constant(0.0)?])),
    ),
    float(
        "rsqrt",
        "1 / sqrt(x)",
        Of1(|s, x| s.div(s.constant(1.0)?, s.apply("math.sqrt", &[x])?)),
    ),
    float(
        "sigmoid",
        "1 / (1 + e^-x)",
        Of1(|s, x| s.div(s.constant(1.0)?, s.one_plus_exp_of_minus(x)?)),
    ),
    float(
        "silu",
        "x / (1 + e^-x)",
        Of1(|s, x| s.div(x, s.one_plus_exp_of_minus(x)?)),
    ),
    float("sqrt", "sqrt(x)", Of1(|s, x| s.apply("math.sqrt", &[x]))),
    float("tanh", "tanh(x)", Of1(|s, x| s.apply("math.tanh", &[x]))),
    float(
        "clip",
        "min(max(x, `min`), `max`), NaN if x is",
        Of1(|s, x| {
            let above = s.apply("arith.maximumf", &[x, s.constant(s.parameter("min")?)?])?;
            s.apply("arith.minimumf", &[above, s.constant(s.parameter("max")?)?])
        }),
    ),
    float(
        "softplus",
        "x where `beta` * x > `threshold`, else ln(1 + e^(`beta` * x)) / `beta`",
        Of1(|s, x| {
            let beta = s.constant(s.parameter("beta")?)?;
            let scaled = s.mul(beta, x)?;
            let curved = s.div(s.apply("math.log1p", &[s.exp(scaled)?])?, beta)?;
            let linear = s.compare(
                Comparison::Greater,
                scaled,
                s.constant(s.parameter("threshold")?)?,
            )?;
            s.select(linear, x, curved)
        }),
    ),
    float(
        "layernormnorm",
        "(x - mean) * scale * weight + bias, from left to right",
        Of5(|s, [x, mean, scale, weight, bias]| {
            s.add(s.mul(s.mul(s.sub(x, mean)?, scale)?, weight)?, bias)
        }),
    ),
    float("dl16tofp32", "x, exactly", Of1(|_, x| Ok(x))),
    float(
        "fp32todl16",
        "x, rounded to the element type of the result",
        Of1(|_, x| Ok(x)),
    ),
    other("copy", "x", Meaning::Identity),
    other("restickify", "x", Meaning::Identity),
    other(
        "sum",
        "the sum, from 0, in ascending order",
        reduction(0.0, "arith.addf", false),
    ),
    other(
        "prod",
        "the product, from 1, in ascending order",
        reduction(1.0, "arith.mulf", false),
    ),
    other(
        "max",
        "the maximum, NaN if any element is",
        reduction(f64::NEG_INFINITY, "arith.maximumf", false),
    ),
    other(
        "min",
        "the minimum, NaN if any element is",
        reduction(f64::INFINITY, "arith.minimumf", false),
    ),
    other(
        "mean",
        "the sum as above, divided by the number of elements",
        reduction(0.0, "arith.addf", true),
    ),
    other(
        "batchmatmul",
        "the sum of a * b over K, from 0, in ascending order",
        Meaning::Contract,
    ),
    other(
        "topkvalue",
        "the first `k` elements along `dim` in descending order",
        Meaning::TopK(Ranked::Value),
    ),
    other(
        "topkindex",
        "where those are along `dim`, counted from 0",
        Meaning::TopK(Ranked::Position),
    ),
    other(
        "gather",
        "the element of the table where the index stands in `dim`, NaN if there is none",
        Meaning::Gather,
    ),
];

/// Returns the definition of the operation with a mnemonic; `None` if it has no definition on values.
#[must_use]
pub fn of(mnemonic: &str) -> Option<&'static Semantics> {
    SEMANTICS.iter().find(|entry| entry.mnemonic == mnemonic)
}

/// Returns the definitions as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from("| operation | element of the result |\n|---|---|\n");
    for Semantics {
        mnemonic,
        definition,
        ..
    } in SEMANTICS
    {
        // Writing to a String cannot fail.
        let _ = writeln!(table, "| `spyre.{mnemonic}` | {definition} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_one_definition() {
        for (index, entry) in SEMANTICS.iter().enumerate() {
            assert!(
                SEMANTICS[..index]
                    .iter()
                    .all(|before| before.mnemonic != entry.mnemonic),
                "{}",
                entry.mnemonic
            );
        }
    }

    #[test]
    fn the_manual_has_this_table() {
        let page = include_str!("../../../../docs/Execution.md");
        assert!(
            page.contains(&markdown()),
            "docs/Execution.md should contain\n{}",
            markdown()
        );
    }
}
