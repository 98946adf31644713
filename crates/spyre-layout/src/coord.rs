//! One device coordinate of an element.

use std::fmt;

/// One device coordinate as a function of the host (logical) coordinates `d0, d1, ...`.
///
/// Every device coordinate is a digit of one host coordinate, written in a mixed radix, or
/// constantly zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Coord {
    /// Constantly zero: a dimension that no host dimension runs along (synthetic, sparse stick,
    /// or size 1).
    Zero,
    /// `(d<dim> floordiv divisor) mod modulus`.
    Digit {
        /// The host dimension.
        dim: usize,
        /// Host positions that share one value of this digit; at least 1.
        divisor: u64,
        /// The number of values that the digit takes, at least 2; `None` for the most significant digit,
        /// which takes as many as the extent needs.
        modulus: Option<u64>,
    },
}

impl Coord {
    /// Returns the whole coordinate of host dimension `dim`.
    #[must_use]
    pub const fn dim(dim: usize) -> Self {
        Self::Digit {
            dim,
            divisor: 1,
            modulus: None,
        }
    }

    /// `d<dim> floordiv divisor`.
    #[must_use]
    pub const fn floor_div(dim: usize, divisor: u64) -> Self {
        Self::Digit {
            dim,
            divisor,
            modulus: None,
        }
    }

    /// `d<dim> mod modulus`.
    #[must_use]
    pub const fn modulo(dim: usize, modulus: u64) -> Self {
        Self::Digit {
            dim,
            divisor: 1,
            modulus: Some(modulus),
        }
    }

    /// Returns the host dimension that this coordinate is a digit of.
    #[must_use]
    pub const fn host_dim(self) -> Option<usize> {
        match self {
            Self::Zero => None,
            Self::Digit { dim, .. } => Some(dim),
        }
    }

    /// Returns the same digit of the host dimension that `rename` gives; zero where it gives none.
    pub(crate) fn with_dims(self, rename: impl FnOnce(usize) -> Option<usize>) -> Self {
        match self {
            Self::Zero => Self::Zero,
            Self::Digit {
                dim,
                divisor,
                modulus,
            } => match rename(dim) {
                Some(dim) => Self::Digit {
                    dim,
                    divisor,
                    modulus,
                },
                None => Self::Zero,
            },
        }
    }

    /// Returns the coordinate of the element at host coordinates `point`; zero where `point` is too short.
    ///
    /// # Panics
    /// The divisor or the modulus is 0, which a layout never has.
    #[must_use]
    pub fn eval(self, point: &[u64]) -> u64 {
        match self {
            Self::Zero => 0,
            Self::Digit {
                dim,
                divisor,
                modulus,
            } => {
                let quotient = point.get(dim).copied().unwrap_or(0) / divisor;
                modulus.map_or(quotient, |modulus| quotient % modulus)
            }
        }
    }
}

impl fmt::Display for Coord {
    /// Prints the coordinate in the syntax of MLIR's affine expressions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Zero => f.write_str("0"),
            Self::Digit {
                dim,
                divisor: 1,
                modulus: None,
            } => write!(f, "d{dim}"),
            Self::Digit {
                dim,
                divisor,
                modulus: None,
            } => write!(f, "d{dim} floordiv {divisor}"),
            Self::Digit {
                dim,
                divisor: 1,
                modulus: Some(modulus),
            } => {
                write!(f, "d{dim} mod {modulus}")
            }
            Self::Digit {
                dim,
                divisor,
                modulus: Some(modulus),
            } => {
                write!(f, "(d{dim} floordiv {divisor}) mod {modulus}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_affine_syntax() {
        assert_eq!(Coord::Zero.to_string(), "0");
        assert_eq!(Coord::dim(0).to_string(), "d0");
        assert_eq!(Coord::floor_div(1, 64).to_string(), "d1 floordiv 64");
        assert_eq!(Coord::modulo(1, 64).to_string(), "d1 mod 64");
        let middle = Coord::Digit {
            dim: 1,
            divisor: 4,
            modulus: Some(16),
        };
        assert_eq!(middle.to_string(), "(d1 floordiv 4) mod 16");
    }

    #[test]
    fn evaluates_digits() {
        let middle = Coord::Digit {
            dim: 1,
            divisor: 4,
            modulus: Some(16),
        };
        assert_eq!(middle.eval(&[7, 71]), (71 / 4) % 16);
        assert_eq!(Coord::floor_div(0, 64).eval(&[200]), 3);
        assert_eq!(Coord::Zero.eval(&[200]), 0);
    }
}
