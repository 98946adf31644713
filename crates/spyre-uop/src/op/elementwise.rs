//! Operations that compute each element independently.

use super::Op;
use crate::dtype::DType;
use crate::table::{Class, Row, TABLE};

/// An operation that computes each element of its result from the elements at the same place. `Cast` has an argument,
/// and is apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Elementwise {
    /// `1 / x`.
    Recip,
    /// The float without its fraction.
    Trunc,
    /// `-x`.
    Neg,
    /// Whether the operand is false.
    Not,
    /// 2 to the power of the operand.
    Exp2,
    /// The logarithm to the base 2.
    Log2,
    /// The sine of an angle in radians.
    Sin,
    /// The square root.
    Sqrt,
    /// The sum; of truth values, whether one is true.
    Add,
    /// The product; of truth values, whether both are true.
    Mul,
    /// The second operand if the first is less, else the first.
    Max,
    /// The quotient, rounded down; 0 for a divisor of 0.
    Idiv,
    /// The remainder of [`Elementwise::Idiv`], with the sign of the divisor.
    Mod,
    /// The quotient, rounded toward 0; 0 for a divisor of 0.
    CDiv,
    /// The remainder of [`Elementwise::CDiv`].
    CMod,
    /// The difference.
    Sub,
    /// The quotient of floats.
    Div,
    /// The first operand to the power of the second.
    Pow,
    /// Whether the first operand is less.
    CmpLt,
    /// Whether the operands differ.
    CmpNe,
    /// Whether the operands are equal.
    CmpEq,
    /// Whether the first operand is greater.
    CmpGt,
    /// Whether the first operand is not less: true for NaN.
    CmpGe,
    /// Whether the second operand is not less: true for NaN.
    CmpLe,
    /// The bits that differ.
    Xor,
    /// The bits of either operand.
    Or,
    /// The bits of both operands.
    And,
    /// The bits of the first operand, further up by the second.
    Shl,
    /// The bits of the first operand, further down by the second; the sign comes in at the top.
    Shr,
    /// Random bits of a counter and a key, by 20 rounds of Threefry 2x32.
    Threefry,
    /// The second operand where the first is true, else the third.
    Where,
    /// The product of the first two operands, plus the third, with two roundings.
    Mulacc,
}

/// The element types that an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// All.
    All,
    /// All but truth values.
    Numbers,
    /// Floats.
    Floats,
    /// Integers.
    Integers,
    /// Integers and truth values.
    Bits,
    /// Truth values.
    Bool,
    /// Unsigned integers of 64 bits.
    U64,
}

impl Domain {
    /// Returns whether an element type belongs to the class.
    #[must_use]
    pub fn contains(self, dtype: DType) -> bool {
        match self {
            Self::All => true,
            Self::Numbers => dtype != DType::Bool,
            Self::Floats => dtype.is_float(),
            Self::Integers => dtype.is_integer(),
            Self::Bits => !dtype.is_float(),
            Self::Bool => dtype == DType::Bool,
            Self::U64 => dtype == DType::U64,
        }
    }

    /// Returns the name of the class of types, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "elements",
            Self::Numbers => "numbers",
            Self::Floats => "floats",
            Self::Integers => "integers",
            Self::Bits => "integers and truth values",
            Self::Bool => "truth values",
            Self::U64 => "u64",
        }
    }
}

impl Elementwise {
    /// Returns all operations.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().filter_map(Row::elementwise)
    }

    /// Returns the operation of a name in the dialect, such as `cmplt`.
    #[must_use]
    pub fn of_mnemonic(name: &str) -> Option<Self> {
        let mnemonic = |row: &&Row| row.operation?.strip_prefix("uop.");
        let mut rows = TABLE.iter();
        rows.find(|row| mnemonic(row) == Some(name))?.elementwise()
    }

    fn row(self) -> &'static Row {
        Op::Elementwise(self).row()
    }

    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the number of operands.
    #[must_use]
    pub fn arity(self) -> usize {
        self.row().sources.1
    }

    /// Returns the element types that it takes. The first operand of [`Elementwise::Where`] is a truth value.
    #[must_use]
    pub fn domain(self) -> Domain {
        match self.row().class {
            Class::Elementwise(domain) => domain,
            Class::Comparison => Domain::All,
            class => unreachable!("{class:?} is no class of elementwise operations"),
        }
    }

    /// Returns whether the result is a truth value for all operands.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        self.row().class == Class::Comparison
    }
}
