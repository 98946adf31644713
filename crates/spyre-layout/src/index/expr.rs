//! Coordinates as functions of loop variables.

use std::fmt;

use crate::{index::IndexError, units::Elements};

/// `((p<var> * factor) floordiv divisor) mod modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordTerm {
    /// The loop variable.
    pub var: usize,
    /// The factor of the variable; at least 1, without common factor with the divisor.
    pub factor: u64,
    /// The divisor of the product, which rounds down; at least 1.
    pub divisor: u64,
    /// The quotient at which it starts over, if it does; at least 1.
    pub modulus: Option<u64>,
}

impl CoordTerm {
    /// Returns the value of the term where the variable is `value`; `None` if it does not fit in 64 bits.
    ///
    /// # Panics
    /// The divisor or the modulus is 0.
    #[must_use]
    pub fn eval(self, value: u64) -> Option<u64> {
        let product = u128::from(value) * u128::from(self.factor);
        let quotient = product / u128::from(self.divisor);
        let term = self
            .modulus
            .map_or(quotient, |modulus| quotient % u128::from(modulus));
        u64::try_from(term).ok()
    }

    /// Returns the largest value of the term where the variable stays below `range`; at least that, where
    /// factor, divisor and modulus do not divide each other.
    pub(super) fn max(self, range: u64) -> u128 {
        let last = u128::from(range - 1) * u128::from(self.factor) / u128::from(self.divisor);
        match self.modulus {
            Some(modulus) if u128::from(modulus) <= last => {
                // Multiples of a common factor only, if nothing is rounded down.
                let grain = if self.divisor == 1 {
                    gcd(self.factor, modulus)
                } else {
                    1
                };
                u128::from(modulus - grain)
            }
            _ => last,
        }
    }
}

impl fmt::Display for CoordTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            var,
            factor,
            divisor,
            modulus,
        } = *self;
        // `*`, `floordiv` and `mod` bind alike; where two meet, parentheses say which goes first.
        let product = if factor == 1 {
            format!("p{var}")
        } else {
            format!("p{var} * {factor}")
        };
        let quotient = match (divisor, factor) {
            (1, _) => product,
            (_, 1) => format!("{product} floordiv {divisor}"),
            _ => format!("({product}) floordiv {divisor}"),
        };
        match modulus {
            None => f.write_str(&quotient),
            Some(modulus) if divisor == 1 && factor == 1 => write!(f, "{quotient} mod {modulus}"),
            Some(modulus) => write!(f, "({quotient}) mod {modulus}"),
        }
    }
}

/// One coordinate as a function of loop variables: a sum of terms and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CoordExpr {
    /// The terms, by variable; each variable occurs once.
    pub terms: Vec<CoordTerm>,
    /// The number that is added to the terms.
    pub constant: u64,
}

impl CoordExpr {
    /// Returns the coordinate where the loop variables have the given values, missing ones being 0; `None`
    /// if it does not fit in 64 bits.
    #[must_use]
    pub fn eval(&self, values: &[u64]) -> Option<u64> {
        self.terms.iter().try_fold(self.constant, |sum, term| {
            let value = values.get(term.var).copied().unwrap_or(0);
            sum.checked_add(term.eval(value)?)
        })
    }

    /// Returns the loop variables of the coordinate, ascending.
    pub fn vars(&self) -> impl Iterator<Item = usize> + '_ {
        self.terms.iter().map(|term| term.var)
    }

    /// Returns the variable that runs along the stick if this is the coordinate inside it, or `None` if
    /// nothing does: the coordinate is `p`, `p mod elements_per_stick` or 0, perhaps plus a constant
    /// (middle-end specification, section 2.4).
    ///
    /// # Errors
    /// The coordinate is of another form. No stick holds, for example, every 128th position.
    pub fn stick_var(&self, elements_per_stick: Elements) -> Result<Option<usize>, IndexError> {
        match self.terms.as_slice() {
            [] => Ok(None),
            &[
                CoordTerm {
                    var,
                    factor: 1,
                    divisor: 1,
                    modulus,
                },
            ] if modulus.is_none_or(|modulus| modulus == elements_per_stick.get()) => Ok(Some(var)),
            _ => Err(IndexError::Stick {
                coord: self.clone(),
                elements_per_stick,
            }),
        }
    }
}

impl fmt::Display for CoordExpr {
    /// Prints the coordinate in the syntax of MLIR's affine expressions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = self.terms.len() + usize::from(self.constant > 0) > 1;
        for (at, term) in self.terms.iter().enumerate() {
            let plus = if at == 0 { "" } else { " + " };
            // `*` binds tighter than `+`, and so do `floordiv` and `mod`; parentheses for readers.
            let divides = term.divisor > 1 || term.modulus.is_some();
            if several && divides {
                write!(f, "{plus}({term})")?;
            } else {
                write!(f, "{plus}{term}")?;
            }
        }
        match (self.terms.len(), self.constant) {
            (0, constant) => write!(f, "{constant}"),
            (_, 0) => Ok(()),
            (_, constant) => write!(f, " + {constant}"),
        }
    }
}

/// Returns the greatest common divisor; that of 0 and `a` is `a`.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
