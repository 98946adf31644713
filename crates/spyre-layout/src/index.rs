//! Coordinates from flat indices: `4096 * p0 + p1` as one coordinate for each dimension of a storage.
//!
//! A front end that knows tensors by host strides reads and writes them at a flat index, a sum of
//! loop variables times coefficients. Here that index is taken apart again, over the dimensions of
//! the host tensor or, with the stride map as strides, over those of device memory
//! (middle-end specification, section 2.4). The result is exact: the coordinates times the strides
//! add up to the index, and each stays inside its dimension. Everything else is an error.

mod error;
mod expr;

pub use error::IndexError;
pub use expr::{CoordExpr, CoordTerm};

use expr::gcd;

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
    /// The value at which the variable starts over, if it does.
    pub modulus: Option<u64>,
}

impl FlatIndex {
    /// Returns the index `coefficients[0] * p0 + coefficients[1] * p1 + ... + offset`.
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
    /// Returns the storage of the given sizes, with strides in elements of the flat array that is indexed.
    ///
    /// # Errors
    /// The lists differ in length, a size is 0, a dimension of several positions has a stride below -1, or
    /// two of them have the same stride.
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
        let mut moving: Vec<Moving> = Vec::new();
        for (dim, (&size, &stride)) in sizes.iter().zip(strides).enumerate() {
            match u64::try_from(stride) {
                _ if size == 1 => {}
                Ok(0) => {}
                Ok(stride) => moving.push(Moving { dim, stride }),
                Err(_) if stride == -1 => {}
                Err(_) => return Err(IndexError::Reversed { dim, stride }),
            }
        }
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

    /// Returns the coordinates that `index` visits while each variable `p<i>` runs from 0 to `ranges[i]`
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
            let terms = coord.terms.iter();
            let terms = terms.map(|term| term.max(ranges[term.var]));
            // No size is as large as what does not fit.
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
            coords[*dim].constant = rest / stride;
            rest %= stride;
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
            coords[*dim].terms.push(term);
        }
        Ok(())
    }

    fn below_every_stride(&self, step: u64) -> IndexError {
        // Without a dimension that moves, as the message says.
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

/// Returns one run for each variable that moves the index, by variable.
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
                Some((_, first)) => {
                    return Err(match (first, modulus) {
                        (Some(first), Some(second)) => IndexError::TwoModuli { var, first, second },
                        (Some(modulus), None) | (None, Some(modulus)) => {
                            IndexError::ModulusAndNone { var, modulus }
                        }
                        (None, None) => unreachable!("coefficients of one modulus are added up"),
                    });
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

/// Returns the modulus of `term` if its variable starts over at `wrap`.
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
    // A modulus is what the stride of the next dimension has of this one's, so the product is no more than that.
    let second = modulus.map_or(divisor, |modulus| modulus * divisor / factor);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_starts_over_does_so_in_one_way() {
        let term = |factor, divisor, modulus| CoordTerm {
            var: 0,
            factor,
            divisor,
            modulus,
        };
        for (term, wrap, modulus) in [
            (term(1, 1, None), None, None),
            (term(1, 1, Some(64)), None, Some(64)),
            (term(1, 1, None), Some(64), Some(64)),
            (term(1, 64, None), Some(128), Some(2)),
            (term(3, 4, None), Some(8), Some(6)),
            (term(1, 1, Some(64)), Some(128), Some(64)),
        ] {
            assert_eq!(started_over(term, wrap), Ok(modulus));
            for value in 0..400 {
                let wrapped = wrap.map_or(value, |wrap| value % wrap);
                assert_eq!(
                    CoordTerm { modulus, ..term }.eval(value),
                    term.eval(wrapped)
                );
            }
        }
        for (term, wrap, second) in [
            (term(1, 64, None), 96, 64),
            (term(1, 1, Some(64)), 96, 64),
            (term(3, 1, None), u64::MAX, 0),
        ] {
            let error = started_over(term, Some(wrap)).unwrap_err();
            let IndexError::TwoModuli {
                first,
                second: found,
                ..
            } = error
            else {
                panic!("{error}");
            };
            assert_eq!(first, wrap);
            assert!(second == 0 || second == found);
        }
    }
}
