//! Element types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DType {
    /// A truth value.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A float of 16 bits with 10 fraction bits.
    F16,
    /// A float of 16 bits with 7 fraction bits.
    Bf16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// A signed integer for extents and positions. It has no size in memory; values have 64 bits.
    Index,
}

impl DType {
    /// All element types.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
        Self::Index,
    ];

    /// Returns the name, as it is in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Index => "index",
        }
    }

    /// Returns the element type of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Returns whether it is a float.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Returns whether it is an integer, including [`DType::Index`] but not truth values.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !self.is_float() && self != Self::Bool
    }

    /// Returns whether it is an integer that may be negative.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::Index
        )
    }

    /// Returns the bits of a value: 1 of a truth value, 64 of an index.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::I8 | Self::U8 => 8,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::I64 | Self::U64 | Self::F64 | Self::Index => 64,
        }
    }

    /// Returns the smallest and the largest value of an integer or a truth value.
    #[must_use]
    pub fn integer_range(self) -> Option<(i128, i128)> {
        if self.is_float() {
            return None;
        }
        let bits = self.bits();
        Some(if self.is_signed() {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            (0, (1 << bits) - 1)
        })
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_file() {
        for dtype in DType::ALL {
            assert_eq!(DType::of_name(dtype.name()), Some(dtype));
            let json = serde_json::to_string(&dtype).expect("a text");
            assert_eq!(json, format!("\"{dtype}\""));
        }
    }

    #[test]
    fn ranges_are_those_of_the_machine() {
        assert_eq!(DType::Bool.integer_range(), Some((0, 1)));
        assert_eq!(DType::I8.integer_range(), Some((-128, 127)));
        assert_eq!(DType::U64.integer_range(), Some((0, i128::from(u64::MAX))));
        assert_eq!(
            DType::Index.integer_range(),
            Some((i128::from(i64::MIN), i128::from(i64::MAX)))
        );
        assert_eq!(DType::F16.integer_range(), None);
    }
}
