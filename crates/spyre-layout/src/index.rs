//! Coordinates from flat indices: `4096 * p0 + p1` as one coordinate for each dimension of a storage.
//!
//! A front end that knows tensors by host strides reads and writes them at a flat index, a sum of
//! loop variables times coefficients. Here that index is taken apart again, over the dimensions of
//! the host tensor or, with the stride map as strides, over those of device memory
//! (middle-end specification, section 2.4). The result is exact: the coordinates times the strides
//! add up to the index, and each stays inside its dimension. Everything else is an error.

use std::fmt;

use crate::units::Elements;

/// An index into a flat array of elements: the sum of its terms and an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FlatIndex {
    /// The terms. Several may have the same variable.
    pub terms: Vec<IndexTerm>,
    /// The index where all variables are 0, in elements.
    pub offset: i64,
}

/// `coefficient * p<var>`, or `coefficient * (p<var> mod modulus)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexTerm {
    /// The loop variable, a position in the list of ranges.
    pub var: usize,
    /// Elements per step of the variable.
    pub coefficient: i64,
    /// Where the variable starts over, if it does.
    pub modulus: Option<u64>,
}

impl FlatIndex {
    /// The index `coefficients[0] * p0 + coefficients[1] * p1 + ... + offset`.
    #[must_use]
    pub fn affine(coefficients: &[i64], offset: i64) -> Self {
        let term = |(var, &coefficient): (usize, &i64)| IndexTerm {
            var,
            coefficient,
            modulus: None,
        };
        Self {
            terms: coefficients.iter().enumerate().map(term).collect(),
            offset,
        }
    }
}

/// `((p<var> * factor) floordiv divisor) mod modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordTerm {
    /// The loop variable.
    pub var: usize,
    /// What it is multiplied with; at least 1, without common factor with the divisor.
    pub factor: u64,
    /// What the product is divided by, rounding down; at least 1.
    pub divisor: u64,
    /// Where the quotient starts over, if it does.
    pub modulus: Option<u64>,
}

impl CoordTerm {
    /// The value of the term where the variable is `value`; `None` if it does not fit in 64 bits.
    #[must_use]
    pub fn eval(self, value: u64) -> Option<u64> {
        let product = u128::from(value) * u128::from(self.factor);
        let quotient = product.checked_div(self.divisor.into())?;
        let term = match self.modulus {
            Some(modulus) => quotient.checked_rem(modulus.into())?,
            None => quotient,
        };
        u64::try_from(term).ok()
    }

    /// The largest value of the term where the variable stays below `range`; at least that, where
    /// factor, divisor and modulus do not divide each other.
    fn max(self, range: u64) -> u128 {
        let last = u128::from(range.saturating_sub(1)) * u128::from(self.factor);
        let last = last.checked_div(self.divisor.into()).unwrap_or(0);
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
        // All operators have the same precedence and none is ambiguous once nested ones are in
        // parentheses.
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
    /// What is added.
    pub constant: u64,
}

impl CoordExpr {
    /// The coordinate where the loop variables have the given values, missing ones being 0; `None` if
    /// it does not fit in 64 bits.
    #[must_use]
    pub fn eval(&self, values: &[u64]) -> Option<u64> {
        self.terms.iter().try_fold(self.constant, |sum, term| {
            let value = values.get(term.var).copied().unwrap_or(0);
            sum.checked_add(term.eval(value)?)
        })
    }

    /// The loop variables of the coordinate, ascending.
    pub fn vars(&self) -> impl Iterator<Item = usize> + '_ {
        self.terms.iter().map(|term| term.var)
    }

    /// The variable that runs along the stick if this is the coordinate inside it, or `None` if
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

/// An index that has no coordinates in a storage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Sizes and strides of different lengths.
    #[error("the storage has {sizes} sizes and {strides} strides")]
    Length {
        /// Number of sizes.
        sizes: usize,
        /// Number of strides.
        strides: usize,
    },
    /// A variable without a range.
    #[error("the index uses p{var}, there are {vars} loop variables")]
    NoSuchVar {
        /// The variable.
        var: usize,
        /// Number of ranges.
        vars: usize,
    },
    /// A variable that takes no value, or a dimension that has no position.
    #[error("{what}{at} has extent 0")]
    Empty {
        /// `p` for a variable, `dimension ` for a dimension.
        what: &'static str,
        /// Which.
        at: usize,
    },
    /// A variable that runs backwards.
    #[error(
        "the index moves by {coefficient} along p{var}: reversed dimensions have no coordinates"
    )]
    Flip {
        /// The variable.
        var: usize,
        /// Elements per step.
        coefficient: i64,
    },
    /// An index below the storage.
    #[error("the index starts at {offset}, before the storage")]
    NegativeOffset {
        /// The offset.
        offset: i64,
    },
    /// A variable that starts over at two places that do not fit together.
    #[error("p{var} is taken mod {first} and mod {second}: it can start over in one way only")]
    TwoModuli {
        /// The variable.
        var: usize,
        /// One modulus.
        first: u64,
        /// The other one.
        second: u64,
    },
    /// A variable taken as it is and with a modulus.
    #[error("p{var} is taken both mod {modulus} and as it is: it can start over in one way only")]
    ModulusAndNone {
        /// The variable.
        var: usize,
        /// The modulus.
        modulus: u64,
    },
    /// A variable that moves by no multiple of a stride.
    #[error(
        "the index moves by {step} along p{var}, which is no multiple of the stride {stride} of dimension {dim}"
    )]
    NoMultiple {
        /// The variable.
        var: usize,
        /// Elements per step.
        step: u64,
        /// The dimension with the largest stride not above the step.
        dim: usize,
        /// Its stride.
        stride: u64,
    },
    /// An offset or a variable that moves by less than every stride.
    #[error("nothing in the storage moves by {step}: its smallest stride is {least}")]
    BelowEveryStride {
        /// Elements.
        step: u64,
        /// The smallest stride of a dimension of several positions; 0 without any.
        least: u64,
    },
    /// A variable that crosses from one dimension into the next where that one does not continue it.
    #[error(
        "p{var} crosses from dimension {dim} of stride {stride} into one of stride {next}, which is \
         no multiple of it (remainder {})",
        .next % (*.stride).max(1)
    )]
    StridesDoNotChain {
        /// The variable.
        var: usize,
        /// The dimension.
        dim: usize,
        /// Its stride.
        stride: u64,
        /// The next larger stride.
        next: u64,
    },
    /// A modulus of zero.
    #[error("p{var} is taken mod 0")]
    ZeroModulus {
        /// The variable.
        var: usize,
    },
    /// Coefficients whose sum is not a 64-bit number.
    #[error("the coefficients of p{var} add up to more than 64 bits hold")]
    TooLarge {
        /// The variable.
        var: usize,
    },
    /// Two dimensions that move alike.
    #[error(
        "dimensions {first} and {second} both have stride {stride}: the index does not tell them apart"
    )]
    SameStride {
        /// One dimension.
        first: usize,
        /// The other one.
        second: usize,
        /// Their stride.
        stride: u64,
    },
    /// A coordinate that leaves its dimension, so that it would have to carry into another.
    #[error("coordinate {coord} of dimension {dim} reaches {max}, its size is {size}")]
    LeavesDim {
        /// The dimension.
        dim: usize,
        /// Its coordinate.
        coord: CoordExpr,
        /// The largest value of the coordinate.
        max: u128,
        /// The size of the dimension.
        size: u64,
    },
    /// A coordinate that no stick can have.
    #[error(
        "the coordinate inside the stick is {coord}: it must be a variable, a variable mod \
         {elements_per_stick} or 0, plus a constant"
    )]
    Stick {
        /// The coordinate.
        coord: CoordExpr,
        /// Elements in a stick.
        elements_per_stick: Elements,
    },
}

/// Sizes and strides of an array in memory: a host tensor with its strides, or device memory with a
/// stride map.
///
/// Dimensions of size 1, and those whose stride is 0 (repeated) or -1 (without host counterpart), do
/// not move the index; their coordinate is always 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage<'a> {
    sizes: &'a [u64],
    /// The dimensions that move the index, by descending stride.
    moving: Vec<Moving>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moving {
    dim: usize,
    stride: u64,
}

impl<'a> Storage<'a> {
    /// The storage of the given sizes, with strides in elements of the flat array that is indexed.
    ///
    /// # Errors
    /// The lists differ in length, a size is 0, or two dimensions of several positions have the same
    /// stride.
    pub fn new(sizes: &'a [u64], strides: &[i64]) -> Result<Self, IndexError> {
        if sizes.len() != strides.len() {
            return Err(IndexError::Length {
                sizes: sizes.len(),
                strides: strides.len(),
            });
        }
        if let Some(at) = sizes.iter().position(|&size| size == 0) {
            let what = "dimension ";
            return Err(IndexError::Empty { what, at });
        }
        let mut moving: Vec<Moving> = (0..)
            .zip(sizes.iter().zip(strides))
            .filter(|(_, (size, _))| **size > 1)
            .filter_map(|(dim, (_, &stride))| {
                let stride = u64::try_from(stride).ok().filter(|&stride| stride > 0)?;
                Some(Moving { dim, stride })
            })
            .collect();
        moving.sort_by_key(|dim| std::cmp::Reverse(dim.stride));
        for (first, second) in moving.iter().zip(moving.iter().skip(1)) {
            if first.stride == second.stride {
                return Err(IndexError::SameStride {
                    first: first.dim,
                    second: second.dim,
                    stride: first.stride,
                });
            }
        }
        Ok(Self { sizes, moving })
    }

    /// The coordinates that `index` visits while each variable `p<i>` runs from 0 to `ranges[i]`
    /// (exclusive), one for each dimension.
    ///
    /// An offset goes to the dimensions greedily, by descending stride. A variable goes to the
    /// dimension with the largest stride that is not above its step, and on to those with larger
    /// strides that it reaches (middle-end specification, section 2.4).
    ///
    /// # Errors
    /// The index runs backwards, starts over in two ways, moves by no multiple of a stride, crosses
    /// into a dimension that does not continue it, or leaves a dimension.
    pub fn coordinates(
        &self,
        index: &FlatIndex,
        ranges: &[u64],
    ) -> Result<Vec<CoordExpr>, IndexError> {
        let mut coords = vec![CoordExpr::default(); self.sizes.len()];
        let offset = index.offset;
        let offset = u64::try_from(offset).map_err(|_| IndexError::NegativeOffset { offset })?;
        self.add_offset(&mut coords, offset)?;
        for var in merge(&index.terms, ranges)? {
            self.add_var(&mut coords, var)?;
        }
        for (dim, (coord, &size)) in coords.iter().zip(self.sizes).enumerate() {
            let range = |var: usize| ranges.get(var).copied().unwrap_or(1);
            let terms = coord.terms.iter().map(|term| term.max(range(term.var)));
            let max = terms.fold(u128::from(coord.constant), u128::saturating_add);
            if max >= size.into() {
                let coord = coord.clone();
                return Err(IndexError::LeavesDim {
                    dim,
                    coord,
                    max,
                    size,
                });
            }
        }
        Ok(coords)
    }

    fn add_offset(&self, coords: &mut [CoordExpr], offset: u64) -> Result<(), IndexError> {
        let mut rest = offset;
        for Moving { dim, stride } in &self.moving {
            if let Some(coord) = coords.get_mut(*dim) {
                coord.constant = rest / stride;
                rest %= stride;
            }
        }
        if rest == 0 {
            Ok(())
        } else {
            Err(self.below_every_stride(rest))
        }
    }

    fn add_var(&self, coords: &mut [CoordExpr], run: Run) -> Result<(), IndexError> {
        let Run {
            var,
            step,
            values,
            modulus: wrap,
        } = run;
        // The index that the variable would reach next.
        let limit = u128::from(step) * u128::from(values);
        let below = self.moving.partition_point(|dim| dim.stride > step);
        let Some(primary) = self.moving.get(below) else {
            return Err(self.below_every_stride(step));
        };
        if !step.is_multiple_of(primary.stride) {
            return Err(IndexError::NoMultiple {
                var,
                step,
                dim: primary.dim,
                stride: primary.stride,
            });
        }
        // From the primary dimension outwards, while there is something left to count.
        let outwards = self.moving.iter().take(below + 1).rev();
        let nexts = outwards.clone().skip(1).map(|dim| Some(dim.stride));
        for (Moving { dim, stride }, next) in outwards.zip(nexts.chain([None])) {
            if u128::from(*stride) >= limit && *stride > step {
                break;
            }
            let next = next.filter(|&next| u128::from(next) < limit);
            if let Some(next) = next.filter(|next| !next.is_multiple_of(*stride)) {
                return Err(IndexError::StridesDoNotChain {
                    var,
                    dim: *dim,
                    stride: *stride,
                    next,
                });
            }
            let common = gcd(step, *stride);
            let mut term = CoordTerm {
                var,
                factor: step / common,
                divisor: stride / common,
                modulus: next.map(|next| next / stride),
            };
            term.modulus = started_over(term, wrap)?;
            if let Some(coord) = coords.get_mut(*dim) {
                coord.terms.push(term);
            }
        }
        Ok(())
    }

    fn below_every_stride(&self, step: u64) -> IndexError {
        let least = self.moving.last().map_or(0, |dim| dim.stride);
        IndexError::BelowEveryStride { step, least }
    }
}

/// A variable of an index: all its terms as one.
#[derive(Clone, Copy, Debug)]
struct Run {
    var: usize,
    /// Elements per step.
    step: u64,
    /// Values that it takes before it starts over, if it does.
    values: u64,
    modulus: Option<u64>,
}

/// One run for each variable that moves the index, by variable.
fn merge(terms: &[IndexTerm], ranges: &[u64]) -> Result<Vec<Run>, IndexError> {
    if let Some(at) = ranges.iter().position(|&range| range == 0) {
        return Err(IndexError::Empty { what: "p", at });
    }
    let vars = ranges.len();
    if let Some(term) = terms.iter().find(|term| term.var >= vars) {
        return Err(IndexError::NoSuchVar {
            var: term.var,
            vars,
        });
    }
    if let Some(term) = terms.iter().find(|term| term.modulus == Some(0)) {
        return Err(IndexError::ZeroModulus { var: term.var });
    }
    let mut runs = Vec::new();
    for (var, &range) in ranges.iter().enumerate() {
        let mut sum: Option<(i64, Option<u64>)> = None;
        // A modulus that the variable does not reach is none. One of 1 leaves nothing to move.
        let modulus_of = |term: &IndexTerm| term.modulus.filter(|&modulus| modulus < range);
        let moves = |term: &&IndexTerm| {
            term.var == var && term.coefficient != 0 && modulus_of(term).is_none_or(|it| it > 1)
        };
        for term in terms.iter().filter(moves) {
            let coefficient = term.coefficient;
            let modulus = modulus_of(term);
            sum = Some(match sum {
                None => (coefficient, modulus),
                Some((total, first)) if first == modulus => {
                    let total = total.checked_add(coefficient);
                    (total.ok_or(IndexError::TooLarge { var })?, first)
                }
                Some((_, Some(first))) => {
                    return Err(match modulus {
                        Some(second) => IndexError::TwoModuli { var, first, second },
                        None => IndexError::ModulusAndNone {
                            var,
                            modulus: first,
                        },
                    });
                }
                Some((_, None)) => {
                    let modulus = modulus.unwrap_or(range);
                    return Err(IndexError::ModulusAndNone { var, modulus });
                }
            });
        }
        // A variable that takes one value does not move.
        let Some((coefficient, modulus)) = sum.filter(|_| range > 1) else {
            continue;
        };
        let step = u64::try_from(coefficient).map_err(|_| IndexError::Flip { var, coefficient })?;
        if step > 0 {
            let values = modulus.unwrap_or(range);
            runs.push(Run {
                var,
                step,
                values,
                modulus,
            });
        }
    }
    Ok(runs)
}

/// The modulus of `term` if its variable starts over at `wrap`.
///
/// `((p mod w) * f floordiv d) mod m` is `(p * f floordiv d) mod (w * f / d)` where `d` divides
/// `w * f`, and `m` then has to divide the new modulus.
fn started_over(term: CoordTerm, wrap: Option<u64>) -> Result<Option<u64>, IndexError> {
    let CoordTerm {
        var,
        factor,
        divisor,
        modulus,
    } = term;
    let Some(first) = wrap else {
        return Ok(modulus);
    };
    let two = |second: u64| IndexError::TwoModuli { var, first, second };
    // Positions of the variable after which the term starts over by itself.
    let second = modulus.map_or(divisor, |modulus| {
        modulus.saturating_mul(divisor) / factor.max(1)
    });
    let product = first.checked_mul(factor).ok_or_else(|| two(second))?;
    if !product.is_multiple_of(divisor) {
        return Err(two(second));
    }
    let wrapped = product / divisor;
    match modulus {
        None => Ok(Some(wrapped)),
        Some(modulus) if wrapped.is_multiple_of(modulus) => Ok(Some(modulus)),
        Some(_) => Err(two(second)),
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
