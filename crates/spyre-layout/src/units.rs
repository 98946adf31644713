//! Quantities with their units.
//!
//! Bytes, elements and sticks are different quantities that are all small integers. Each has a type
//! here, so that one cannot be passed for another, and only arithmetic that keeps the unit meaningful
//! exists. All arithmetic that can overflow is checked.

use std::fmt;

/// Bytes in one stick, the unit in which device memory is read and written
/// (middle-end specification, section 2.1).
pub const STICK_BYTES: Bytes = Bytes(128);

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $one:literal, $many:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);

            /// The bare number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// Sum, or `None` when it does not fit in 64 bits.
            #[must_use]
            pub const fn checked_add(self, other: Self) -> Option<Self> {
                match self.0.checked_add(other.0) {
                    Some(sum) => Some(Self(sum)),
                    None => None,
                }
            }

            /// Difference, or `None` when `other` is larger.
            #[must_use]
            pub const fn checked_sub(self, other: Self) -> Option<Self> {
                match self.0.checked_sub(other.0) {
                    Some(difference) => Some(Self(difference)),
                    None => None,
                }
            }

            /// `count` times as much, or `None` when it does not fit in 64 bits.
            #[must_use]
            pub const fn checked_mul(self, count: u64) -> Option<Self> {
                match self.0.checked_mul(count) {
                    Some(product) => Some(Self(product)),
                    None => None,
                }
            }

            /// Returns whether this is a whole number of `unit`. Only zero is a multiple of zero.
            #[must_use]
            pub const fn is_multiple_of(self, unit: Self) -> bool {
                self.0.is_multiple_of(unit.0)
            }

            /// The smallest multiple of `unit` that is not below this, or `None` when that does
            /// not fit in 64 bits or `unit` is zero.
            #[must_use]
            pub const fn round_up_to(self, unit: Self) -> Option<Self> {
                match self.0.checked_next_multiple_of(unit.0) {
                    Some(rounded) => Some(Self(rounded)),
                    None => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let unit = if self.0 == 1 { $one } else { $many };
                write!(f, "{} {unit}", self.0)
            }
        }
    };
}

quantity!(
    /// A number of bytes, or a byte address.
    Bytes, "byte", "bytes"
);
quantity!(
    /// A number of tensor elements, or a position counted in elements.
    Elements, "element", "elements"
);
quantity!(
    /// A number of sticks of [`STICK_BYTES`] each.
    Sticks, "stick", "sticks"
);

impl Bytes {
    /// This many bytes as sticks, or `None` when the last stick would be broken.
    #[must_use]
    pub const fn to_sticks(self) -> Option<Sticks> {
        if self.is_multiple_of(STICK_BYTES) {
            Some(Sticks(self.0 / STICK_BYTES.0))
        } else {
            None
        }
    }
}

impl Elements {
    /// The bytes this many elements take when each takes `each`, or `None` on overflow.
    #[must_use]
    pub const fn to_bytes(self, each: Bytes) -> Option<Bytes> {
        each.checked_mul(self.0)
    }
}

impl Sticks {
    /// The bytes in this many sticks, or `None` on overflow.
    #[must_use]
    pub const fn to_bytes(self) -> Option<Bytes> {
        STICK_BYTES.checked_mul(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_printed_and_agree_in_number() {
        assert_eq!(Bytes(1).to_string(), "1 byte");
        assert_eq!(Elements(64).to_string(), "64 elements");
        assert_eq!(Sticks(0).to_string(), "0 sticks");
    }

    #[test]
    fn conversions_refuse_broken_sticks_and_overflow() {
        assert_eq!(Bytes(256).to_sticks(), Some(Sticks(2)));
        assert_eq!(Bytes(130).to_sticks(), None);
        assert_eq!(Sticks(3).to_bytes(), Some(Bytes(384)));
        assert_eq!(Sticks(u64::MAX).to_bytes(), None);
        assert_eq!(Elements(64).to_bytes(Bytes(2)), Some(STICK_BYTES));
        assert_eq!(Elements(u64::MAX).to_bytes(Bytes(2)), None);
    }

    #[test]
    fn rounding_up_is_exact_and_never_divides_by_zero() {
        assert_eq!(
            Bytes(1_625_292).round_up_to(STICK_BYTES),
            Some(Bytes(1_625_344))
        );
        assert_eq!(Bytes(128).round_up_to(STICK_BYTES), Some(Bytes(128)));
        assert_eq!(Bytes(u64::MAX).round_up_to(STICK_BYTES), None);
        assert_eq!(Bytes(5).round_up_to(Bytes::ZERO), None);
        assert!(!Bytes(5).is_multiple_of(Bytes::ZERO));
    }
}
