//! Sharing the iterations of one operation among cores.

/// An output dimension of an operation that can be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplitDim {
    /// The number of parts to share out: positions, or whole sticks for the dimension on the stick.
    pub units: u64,
    /// Whether the dimension may be split at all.
    pub splittable: bool,
}

/// Splits the output dimensions of an operation without reductions among `cores`
/// (middle-end specification, section 4.4): dimensions in decreasing order of units, the first one
/// first among equals, each take the largest divisor of their units that the remaining cores allow.
///
/// The result has one number of slices per dimension, in the order given. Their product, the number
/// of cores that get work, is at most `cores`; without cores, no dimension is split.
#[must_use]
pub fn distribute(dims: &[SplitDim], cores: u32) -> Vec<u32> {
    let mut splits = vec![1; dims.len()];
    let mut order: Vec<_> = dims
        .iter()
        .zip(&mut splits)
        .filter(|(dim, _)| dim.splittable)
        .collect();
    order.sort_by_key(|(dim, _)| std::cmp::Reverse(dim.units));
    let mut remaining = cores;
    for (dim, split) in order {
        *split = largest_divisor(dim.units, remaining);
        remaining /= *split;
    }
    splits
}

/// Returns the split of [`distribute`] if it `fits`. Otherwise, returns the split with the most cores that fits; among several,
/// dimensions with more units get more cores. If no split fits, returns the split of [`distribute`].
///
/// There are some hundreds of combinations for 32 cores: at most the number of products of divisors up to `cores`.
#[must_use]
pub fn distribute_within(dims: &[SplitDim], cores: u32, fits: impl Fn(&[u32]) -> bool) -> Vec<u32> {
    let greedy = distribute(dims, cores);
    if fits(&greedy) {
        return greedy;
    }
    let mut order: Vec<usize> = (0..dims.len()).collect();
    order.sort_by_key(|&dim| std::cmp::Reverse(dims[dim].units));
    // Divisions with more cores for the first dimensions come first, and stay among equals.
    let mut best: Option<(u32, Vec<u32>)> = None;
    let mut split = vec![1; dims.len()];
    each_split(dims, &order, cores, &mut split, &mut |split| {
        let used = split.iter().product();
        if best.as_ref().is_none_or(|(most, _)| used > *most) && fits(split) {
            best = Some((used, split.to_vec()));
        }
    });
    best.map_or(greedy, |(_, split)| split)
}

/// Calls `visit` with every split over at most `cores`. The splits come in lexicographic order of the dimensions in
/// `order`, larger numbers of slices first.
pub(crate) fn each_split(
    dims: &[SplitDim],
    order: &[usize],
    cores: u32,
    split: &mut Vec<u32>,
    visit: &mut impl FnMut(&[u32]),
) {
    let Some((&dim, rest)) = order.split_first() else {
        return visit(split);
    };
    let SplitDim { units, splittable } = dims[dim];
    let most = match u32::try_from(units) {
        _ if !splittable => 1,
        Ok(units) => cores.min(units.max(1)),
        Err(_) => cores,
    };
    for slices in (1..=most).rev() {
        if slices == 1 || (units > 0 && units.is_multiple_of(slices.into())) {
            split[dim] = slices;
            each_split(dims, rest, cores / slices, split, visit);
        }
    }
    split[dim] = 1;
}

/// Returns the largest divisor of `units` that is at most `limit`, and at least 1.
fn largest_divisor(units: u64, limit: u32) -> u32 {
    if units == 0 {
        return 1;
    }
    (2..=limit)
        .rev()
        .find(|&split| units.is_multiple_of(split.into()))
        .unwrap_or(1)
}

/// Splits that no set of cores can carry out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoreMappingError {
    /// A dimension in no slices.
    #[error("dimension {dim} is split into 0 slices")]
    NoSlices {
        /// The dimension.
        dim: usize,
    },
    /// More slices than core numbers.
    #[error("splits {splits:?} need more than 2^32 - 1 cores")]
    TooManyCores {
        /// The splits.
        splits: Vec<u32>,
    },
    /// A fast dimension that does not exist.
    #[error("dimension {dim} cannot be the fastest of {rank} dimensions")]
    NoSuchDim {
        /// The dimension.
        dim: usize,
        /// The number of dimensions.
        rank: usize,
    },
}

/// The slice of each dimension that each core works on.
///
/// Core numbers are written in mixed radix over the splits, the first dimension fastest
/// (middle-end specification, section 4.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreMapping {
    splits: Vec<u32>,
    /// Dimensions from the fastest to the slowest.
    order: Vec<usize>,
    cores: u32,
}

impl CoreMapping {
    /// Returns the mapping for the given slices per dimension. With `k_fast`, that dimension becomes the
    /// fastest, so that partial sums of a split reduction travel to the neighbouring core.
    ///
    /// # Errors
    /// A dimension has no slices, the fast one does not exist, or there are too many slices.
    pub fn new(splits: &[u32], k_fast: Option<usize>) -> Result<Self, CoreMappingError> {
        if let Some(dim) = splits.iter().position(|&split| split == 0) {
            return Err(CoreMappingError::NoSlices { dim });
        }
        let rank = splits.len();
        if let Some(dim) = k_fast.filter(|&dim| dim >= rank) {
            return Err(CoreMappingError::NoSuchDim { dim, rank });
        }
        let cores = splits
            .iter()
            .try_fold(1u32, |product, &split| product.checked_mul(split))
            .ok_or_else(|| CoreMappingError::TooManyCores {
                splits: splits.to_vec(),
            })?;
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by_key(|&dim| Some(dim) != k_fast);
        Ok(Self {
            splits: splits.to_vec(),
            order,
            cores,
        })
    }

    /// Cores that get work: the product of the splits.
    #[must_use]
    pub fn cores(&self) -> u32 {
        self.cores
    }

    /// Slices per dimension.
    #[must_use]
    pub fn splits(&self) -> &[u32] {
        &self.splits
    }

    /// Dimensions from the fastest to the slowest.
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the slice of each dimension that `core` works on, or `None` for a core without work.
    #[must_use]
    pub fn slices_of(&self, core: u32) -> Option<Vec<u32>> {
        if core >= self.cores {
            return None;
        }
        let mut slices = vec![0; self.splits.len()];
        let mut rest = core;
        for &dim in &self.order {
            let split = self.splits[dim];
            slices[dim] = rest % split;
            rest /= split;
        }
        Some(slices)
    }
}

/// Returns the slices of every working core in order of core numbers; see [`CoreMapping`].
///
/// # Errors
/// The errors of [`CoreMapping::new`].
pub fn core_slices(
    splits: &[u32],
    k_fast: Option<usize>,
) -> Result<Vec<Vec<u32>>, CoreMappingError> {
    let mapping = CoreMapping::new(splits, k_fast)?;
    let slices = |core| mapping.slices_of(core).expect("the core has work");
    Ok((0..mapping.cores()).map(slices).collect())
}

/// The slices of a tensor that the cores of an operation work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorSlices<'a> {
    /// Slices per iteration dimension of the operation.
    pub splits: &'a [u32],
    /// The iteration dimension that is the fastest digit of core numbers, if it is not the first one.
    pub k_fast: Option<usize>,
    /// The iteration dimension that indexes each dimension of the tensor; `None` where it is broadcast.
    pub dims: &'a [Option<usize>],
}

impl<'a> TensorSlices<'a> {
    /// Slices of an operation with cores numbered with the first dimension fastest.
    #[must_use]
    pub fn in_order(splits: &'a [u32], dims: &'a [Option<usize>]) -> Self {
        Self {
            splits,
            k_fast: None,
            dims,
        }
    }
}

/// Returns whether each core that writes a tensor writes the slice that the core of the same number reads of it.
///
/// A sum over cores leaves partial results, and a broadcast needs the slice of another core: then the slices never agree.
#[must_use]
pub fn slices_agree(written: TensorSlices<'_>, read: TensorSlices<'_>) -> bool {
    if !splits_only(written.splits, written.dims) {
        return false;
    }
    if written == read {
        return true;
    }
    let mapping = |tensor_slices: TensorSlices<'_>| {
        CoreMapping::new(tensor_slices.splits, tensor_slices.k_fast)
    };
    // A program with splits that no set of cores can carry out is rejected later.
    let (Ok(writer), Ok(reader)) = (mapping(written), mapping(read)) else {
        return false;
    };
    (0..reader.cores()).all(|core| {
        let read_slice = reader.slices_of(core).expect("the core has work");
        // A core that reads and does not write has no slice of the writer.
        let Some(written_slice) = writer.slices_of(core) else {
            return false;
        };
        written.dims.iter().zip(read.dims).all(|(from, to)| {
            let slice = |slices: &[u32], splits: &[u32], dim: Option<usize>| {
                dim.map_or((0, 1), |dim| (slices[dim], splits[dim]))
            };
            slice(&written_slice, writer.splits(), *from)
                == slice(&read_slice, reader.splits(), *to)
        })
    })
}

/// Returns whether only dimensions of a tensor are split that these iteration dimensions index.
#[must_use]
pub fn splits_only(split: &[u32], dims: &[Option<usize>]) -> bool {
    split
        .iter()
        .enumerate()
        .all(|(dim, cores)| *cores == 1 || dims.contains(&Some(dim)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(units: &[u64], cores: u32) -> Vec<u32> {
        let dims: Vec<_> = units
            .iter()
            .map(|&units| SplitDim {
                units,
                splittable: true,
            })
            .collect();
        distribute(&dims, cores)
    }

    #[test]
    fn the_largest_dimension_goes_first() {
        // 512 rows and 16 sticks of columns: all cores go to the rows.
        assert_eq!(split(&[512, 16], 32), [32, 1]);
        assert_eq!(split(&[16, 512], 32), [1, 32]);
        assert_eq!(split(&[8, 8], 32), [8, 4]);
        // 7 of 32 cores, then 4 of the remaining 4.
        assert_eq!(split(&[7, 4], 32), [7, 4]);
        assert_eq!(split(&[31, 2, 6], 32), [31, 1, 1]);
        // 12 allows 12 of 32, leaving 2; 10 allows 2.
        assert_eq!(split(&[10, 12], 32), [2, 12]);
    }

    #[test]
    fn a_limit_moves_cores_to_another_dimension() {
        let dim = |units| SplitDim {
            units,
            splittable: true,
        };
        let dims = [dim(64), dim(8)];
        // Without a limit all cores go to the rows.
        assert_eq!(distribute_within(&dims, 32, |_| true), [32, 1]);
        // At least four slices of columns: the rows get the other cores.
        assert_eq!(distribute_within(&dims, 32, |split| split[1] >= 4), [8, 4]);
        assert_eq!(distribute_within(&dims, 32, |split| split[1] >= 5), [4, 8]);
        // More cores before more rows.
        let odd = [dim(7), dim(4)];
        assert_eq!(distribute_within(&odd, 8, |split| split[0] < 7), [1, 4]);
        // Where no division is within the limit, the choice is the one without a limit.
        assert_eq!(distribute_within(&dims, 32, |_| false), [32, 1]);
        let fixed = [
            SplitDim {
                units: 64,
                splittable: false,
            },
            dim(8),
        ];
        assert_eq!(distribute_within(&fixed, 32, |split| split[1] < 8), [1, 4]);
    }

    #[test]
    fn what_cannot_be_split_is_not() {
        assert_eq!(split(&[1, 37], 32), [1, 1]);
        assert_eq!(split(&[64], 1), [1]);
        assert_eq!(split(&[64], 0), [1]);
        assert_eq!(split(&[0, 64], 32), [1, 32]);
        let blocked = SplitDim {
            units: 4096,
            splittable: false,
        };
        let free = SplitDim {
            units: 6,
            splittable: true,
        };
        assert_eq!(distribute(&[blocked, free], 32), [1, 6]);
    }

    #[test]
    fn slices_follow_core_numbers() {
        let plain = core_slices(&[2, 4, 4], None).unwrap();
        let k_fast = core_slices(&[2, 4, 4], Some(2)).unwrap();
        assert_eq!((plain.len(), k_fast.len()), (32, 32));
        for (core, (plain, fast)) in (0..).zip(plain.iter().zip(&k_fast)) {
            assert_eq!(
                *plain,
                [core % 2, (core / 2) % 4, (core / 8) % 4],
                "core {core}"
            );
            assert_eq!(
                *fast,
                [(core / 4) % 2, (core / 8) % 4, core % 4],
                "core {core}"
            );
        }
    }

    #[test]
    fn cores_without_work_have_no_slices() {
        let mapping = CoreMapping::new(&[7], None).unwrap();
        assert_eq!((mapping.cores(), mapping.slices_of(6)), (7, Some(vec![6])));
        assert_eq!(mapping.slices_of(7), None);
        assert_eq!(core_slices(&[], None), Ok(vec![vec![]]));
    }

    #[test]
    fn impossible_splits_are_refused() {
        assert_eq!(
            core_slices(&[2, 0], None),
            Err(CoreMappingError::NoSlices { dim: 1 })
        );
        let error = CoreMapping::new(&[2], Some(1)).unwrap_err();
        assert_eq!(error, CoreMappingError::NoSuchDim { dim: 1, rank: 1 });
        let error = CoreMapping::new(&[1 << 31, 2], None).unwrap_err();
        assert!(matches!(error, CoreMappingError::TooManyCores { .. }));
    }

    #[test]
    fn slices_agree_where_every_core_finds_its_own() {
        let agree = |(written, dims): (&[u32], &[Option<usize>]),
                     (read, by): (&[u32], &[Option<usize>])| {
            slices_agree(
                TensorSlices::in_order(written, dims),
                TensorSlices::in_order(read, by),
            )
        };
        let rows: &[Option<usize>] = &[Some(0), Some(1)];
        assert!(agree((&[4, 2], rows), (&[4, 2], rows)));
        assert!(!agree((&[4, 2], rows), (&[2, 4], rows)));
        // A reader with its iteration dimensions the other way round numbers its cores differently.
        let turned: &[Option<usize>] = &[Some(1), Some(0)];
        assert!(!agree((&[4, 2], rows), (&[2, 4], turned)));
        assert!(agree((&[4, 1], rows), (&[1, 4], turned)));
        // A reduced dimension after the others changes nothing while it is not split.
        assert!(agree((&[4, 1], rows), (&[4, 1, 1], rows)));
        // Parts of a sum, and the slice of another core.
        assert!(!agree((&[4, 1, 2], rows), (&[4, 1], rows)));
        assert!(!agree((&[4, 2], &[Some(0), None]), (&[4, 1], rows)));
    }

    #[test]
    fn a_split_sum_finds_its_operand_in_its_own_order() {
        // `[rows, columns, K]` in 2 slices of rows and 4 of K, and its left operand.
        let left: &[Option<usize>] = &[Some(0), Some(2)];
        let product = |k_fast| TensorSlices {
            splits: &[2, 1, 4],
            k_fast,
            dims: left,
        };
        let rows: &[Option<usize>] = &[Some(0), Some(1)];
        let turned: &[Option<usize>] = &[Some(1), Some(0)];
        let rows_fast = TensorSlices::in_order(&[2, 4], rows);
        let columns_fast = TensorSlices::in_order(&[4, 2], turned);
        assert!(slices_agree(rows_fast, product(None)));
        assert!(!slices_agree(rows_fast, product(Some(2))));
        assert!(slices_agree(columns_fast, product(Some(2))));
    }
}
