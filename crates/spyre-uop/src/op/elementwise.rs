//! Operations that compute each element independently.

use crate::dtype::DType;

/// An operation that computes each element of its result from the elements at the same place. `Cast` has an argument, and is apart.
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
    /// Returns whether an element type is in it.
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

use Domain::{All, Bits, Bool, Floats, Integers, Numbers, U64};
use Elementwise as E;

/// Each operation with its name, the number of its operands, and the element types of the last of them.
const TABLE: [(Elementwise, &str, usize, Domain); 32] = [
    (E::Recip, "Recip", 1, Floats),
    (E::Trunc, "Trunc", 1, Floats),
    (E::Neg, "Neg", 1, Numbers),
    (E::Not, "Not", 1, Bool),
    (E::Exp2, "Exp2", 1, Floats),
    (E::Log2, "Log2", 1, Floats),
    (E::Sin, "Sin", 1, Floats),
    (E::Sqrt, "Sqrt", 1, Floats),
    (E::Add, "Add", 2, All),
    (E::Mul, "Mul", 2, All),
    (E::Max, "Max", 2, All),
    (E::Idiv, "Idiv", 2, Integers),
    (E::Mod, "Mod", 2, Integers),
    (E::CDiv, "CDiv", 2, Integers),
    (E::CMod, "CMod", 2, Integers),
    (E::Sub, "Sub", 2, Numbers),
    (E::Div, "Div", 2, Floats),
    (E::Pow, "Pow", 2, Floats),
    (E::CmpLt, "CmpLt", 2, All),
    (E::CmpNe, "CmpNe", 2, All),
    (E::CmpEq, "CmpEq", 2, All),
    (E::CmpGt, "CmpGt", 2, All),
    (E::CmpGe, "CmpGe", 2, All),
    (E::CmpLe, "CmpLe", 2, All),
    (E::Xor, "Xor", 2, Bits),
    (E::Or, "Or", 2, Bits),
    (E::And, "And", 2, Bits),
    (E::Shl, "Shl", 2, Integers),
    (E::Shr, "Shr", 2, Integers),
    (E::Threefry, "Threefry", 2, U64),
    (E::Where, "Where", 3, All),
    (E::Mulacc, "Mulacc", 3, All),
];

impl Elementwise {
    /// Returns all operations.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().map(|(op, ..)| op)
    }

    /// Returns the operation of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let mut rows = TABLE.into_iter();
        rows.find(|(_, mnemonic, ..)| *mnemonic == name)
            .map(|(op, ..)| op)
    }

    fn row(self) -> (Self, &'static str, usize, Domain) {
        let row = TABLE[self as usize];
        debug_assert_eq!(row.0, self, "the table is in the order of the operations");
        row
    }

    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the number of operands.
    #[must_use]
    pub fn arity(self) -> usize {
        self.row().2
    }

    /// Returns the element types that it takes. The first operand of [`Elementwise::Where`] is a truth value.
    #[must_use]
    pub fn domain(self) -> Domain {
        self.row().3
    }

    /// Returns whether the result is a truth value for all operands.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            E::CmpLt | E::CmpNe | E::CmpEq | E::CmpGt | E::CmpGe | E::CmpLe
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_operations() {
        for (position, (op, name, ..)) in TABLE.into_iter().enumerate() {
            assert_eq!(op as usize, position);
            assert_eq!(Elementwise::of_name(name), Some(op));
            assert_eq!(op.name(), format!("{op:?}"));
        }
    }
}
