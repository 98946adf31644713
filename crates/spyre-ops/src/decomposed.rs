//! Operations of the dialect that no OpFunc computes.
//!
//! A program may have them up to `--spyre-decompose`, which writes each with operations that have an OpFunc. So they have a
//! meaning, but no formats, no sticks and no plan.

/// An operation, element by element, that no OpFunc computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decomposed {
    /// The name without `spyre.`.
    pub mnemonic: &'static str,
    /// The number of operands.
    pub operands: usize,
    /// The upstream operation on floats that computes it.
    pub upstream: &'static str,
    /// The element of the result, in words.
    pub definition: &'static str,
}

impl Decomposed {
    /// Returns the row of an operation, by its name without `spyre.`.
    #[must_use]
    pub fn of_mnemonic(mnemonic: &str) -> Option<&'static Self> {
        DECOMPOSED.iter().find(|row| row.mnemonic == mnemonic)
    }

    /// Returns the row of an upstream operation on floats.
    #[must_use]
    pub fn of_upstream(upstream: &str) -> Option<&'static Self> {
        DECOMPOSED.iter().find(|row| row.upstream == upstream)
    }

    /// Returns whether the operation casts between integers and floats. All others compute floats from floats.
    #[must_use]
    pub fn is_cast(&self) -> bool {
        matches!(self.mnemonic, "sitofp" | "fptosi")
    }
}

const fn binary(
    mnemonic: &'static str,
    upstream: &'static str,
    definition: &'static str,
) -> Decomposed {
    Decomposed {
        operands: 2,
        ..unary(mnemonic, upstream, definition)
    }
}

const fn unary(
    mnemonic: &'static str,
    upstream: &'static str,
    definition: &'static str,
) -> Decomposed {
    Decomposed {
        mnemonic,
        operands: 1,
        upstream,
        definition,
    }
}

/// The rows.
pub const DECOMPOSED: &[Decomposed] = &[
    unary("sin", "math.sin", "sin(x)"),
    unary("cos", "math.cos", "cos(x)"),
    unary("tan", "math.tan", "tan(x)"),
    unary("asin", "math.asin", "asin(x), from -pi/2 to pi/2"),
    unary("acos", "math.acos", "acos(x), from 0 to pi"),
    unary("atan", "math.atan", "atan(x), from -pi/2 to pi/2"),
    unary("sinh", "math.sinh", "sinh(x)"),
    unary("cosh", "math.cosh", "cosh(x)"),
    unary("asinh", "math.asinh", "asinh(x)"),
    unary("acosh", "math.acosh", "acosh(x), from 0 on"),
    unary("atanh", "math.atanh", "atanh(x)"),
    unary("erf", "math.erf", "erf(x)"),
    unary("exp2", "math.exp2", "2^x"),
    unary(
        "expm1",
        "math.expm1",
        "e^x - 1, without the error of the difference",
    ),
    unary("log2", "math.log2", "log2(x)"),
    unary(
        "log1p",
        "math.log1p",
        "ln(1 + x), without the error of the sum",
    ),
    unary(
        "trunc",
        "math.trunc",
        "the integer nearest to x whose magnitude is not larger",
    ),
    unary("ceil", "math.ceil", "the smallest integer not below x"),
    unary(
        "round",
        "math.roundeven",
        "the integer nearest to x, the even one of two",
    ),
    unary(
        "roundaway",
        "math.round",
        "the integer nearest to x, of two the one away from 0",
    ),
    unary("cbrt", "math.cbrt", "the cubic root of x"),
    unary(
        "fptosi",
        "arith.fptosi",
        "the integer nearest to x whose magnitude is not larger, if 32 bits hold it",
    ),
    unary(
        "sitofp",
        "arith.sitofp",
        "the f32 nearest to x, the even one of two",
    ),
    binary(
        "atan2",
        "math.atan2",
        "the angle of (b, a), from -pi to pi, as C's `atan2`",
    ),
    binary(
        "copysign",
        "math.copysign",
        "the magnitude of a with the sign of b",
    ),
    binary(
        "fmod",
        "arith.remf",
        "what is left of a by the multiples of b, with the sign of a, as C's `fmod`",
    ),
    binary("pow", "math.powf", "a^b as C's `pow`"),
];
