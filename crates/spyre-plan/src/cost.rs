//! The time that an operation takes on the card, as a model.
//!
//! A plan is chosen before it can run, so its time is computed from the known facts: how many cores share the work, how
//! many bytes they read and write of device memory, and how often the operation is executed. Bytes that several cores
//! read in the same execution count once, since the card broadcasts them, but a broadcast to more than
//! [`Rates::broadcast_cores`] cores is slower. Matrix products have a separate formula, fitted to measured products
//! ([`Product::microseconds`]). All constants are in [`Rates`], each with its source or marked as an assumption.
//!
//! Times order plans, and are not promises.

use spyre_layout::Bytes;

use crate::time::{Picoseconds, Rates, float};
use crate::work_division::{SplitDim, each_split};

/// The kind of work of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Operations on single elements, reductions included.
    Elements,
    /// Products that are added up.
    Products {
        /// The rows of the left operand. Few rows leave a part of the array idle.
        rows: u64,
    },
}

/// The work of one core on an operation in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The kind.
    pub arithmetic: Arithmetic,
    /// Points of the iteration space.
    pub points: u64,
    /// Elements that a core gets from its neighbours where a reduced dimension is split: one for each of its results from every
    /// other slice.
    pub partials: u64,
}

impl Work {
    /// Returns the time in which one core computes it.
    #[must_use]
    pub fn time(self, rates: &Rates) -> Picoseconds {
        match self.arithmetic {
            Arithmetic::Elements => rates.elements(self.points, self.partials),
            Arithmetic::Products { rows } => rates.product(self.points, rows, self.partials),
        }
    }
}

/// The reads or writes of one tensor by an operation in an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Distinct bytes in device memory; 0 for a tensor in the scratchpad.
    pub bytes: Bytes,
    /// The number of cores that read each byte.
    pub cores: u32,
}

/// Returns the modelled time of one execution of an operation: the compute time of the busiest core, the traffic of all
/// cores, and the constant for an execution. The terms are added, as in the formula for products.
#[must_use]
pub fn time(rates: &Rates, work: Work, accesses: &[Access]) -> Picoseconds {
    let mut time = work.time(rates);
    for access in accesses {
        time += rates.memory(access.bytes, access.cores);
    }
    time += rates.per_execution;
    time
}

/// A dimension of an operation for the list of its divisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Divisible {
    /// The parts: positions, or whole sticks for a dimension on the stick of a tensor; and whether it may be split.
    pub dim: SplitDim,
    /// Whether the operation reduces it.
    pub is_reduced: bool,
}

/// Returns every legal division of an operation among at most `cores` cores: the slices of a dimension divide its units, at
/// most one reduced dimension is divided, and `fits` admits the division (spans within the limit). The order is fixed: the
/// division with most slices of the first dimension comes first.
///
/// There are some hundreds of divisions for 32 cores: at most the number of products of divisors up to `cores`.
#[must_use]
pub fn divisions(dims: &[Divisible], cores: u32, fits: impl Fn(&[u32]) -> bool) -> Vec<Vec<u32>> {
    let split: Vec<SplitDim> = dims.iter().map(|dim| dim.dim).collect();
    let order: Vec<usize> = (0..dims.len()).collect();
    let mut splits = Vec::new();
    each_split(
        &split,
        &order,
        cores,
        &mut vec![1; dims.len()],
        &mut |split| {
            let reduced = dims.iter().zip(split);
            let reduced = reduced.filter(|(dim, slices)| dim.is_reduced && **slices > 1);
            if reduced.count() <= 1 && fits(split) {
                splits.push(split.to_vec());
            }
        },
    );
    splits
}

/// A matrix product: `batches` times `[rows, inner] x [inner, columns]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Products, B.
    pub batches: u64,
    /// Rows of the left operand and of the result, M.
    pub rows: u64,
    /// Columns of the right operand and of the result, N.
    pub columns: u64,
    /// The extent that is summed over, K.
    pub inner: u64,
    /// Whether all batches have the same right operand: a weight.
    pub is_shared: bool,
}

/// Slices of each dimension of a [`Product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductDivision {
    /// Slices of the batches, b.
    pub batches: u32,
    /// Slices of the rows, m.
    pub rows: u32,
    /// Slices of the columns, n.
    pub columns: u32,
    /// Slices of the extent that is summed over, k.
    pub inner: u32,
}

impl ProductDivision {
    /// Returns the cores that get work.
    #[must_use]
    pub fn cores(self) -> u32 {
        self.batches * self.rows * self.columns * self.inner
    }
}

/// Elements of a stick of 16-bit elements, in which products are fitted.
const STICK: u64 = 64;

/// Returns the binary logarithm of a ratio, and 0 of one below 1.
fn octaves(ratio: f64) -> f64 {
    ratio.log2().max(0.0)
}

impl Product {
    /// Returns the modelled time of the product under a division, in microseconds (middle-end specification, section 4.3, the
    /// newest formula): computing, with rows that fill the pipeline worse the fewer there are; moving distinct bytes; passing
    /// partial sums to the neighbour; and terms for shapes of slices that the card is measured to be slow at.
    #[must_use]
    #[expect(clippy::cast_precision_loss)] // A model: the 53rd bit of a count does not matter.
    pub fn microseconds(&self, division: ProductDivision, rates: &Rates, cores: u32) -> f64 {
        let [batches, rows, columns, inner] =
            [self.batches, self.rows, self.columns, self.inner].map(|extent| extent as f64);
        let [b, m, n, k] = [
            division.batches,
            division.rows,
            division.columns,
            division.inner,
        ]
        .map(f64::from);
        let (used, all) = (f64::from(division.cores()), f64::from(cores));
        let (slice_rows, slice_columns) = (rows / m, columns / n);
        let passes = (slice_rows / float(rates.rows_per_pass)).max(1.0);
        let efficiency = rates.efficiency(passes);
        let compute =
            batches * rows * columns * inner / used / (float(rates.products_per_us) * efficiency);
        let weights = if self.is_shared { 1.0 } else { batches };
        let elements =
            batches * rows * inner + weights * inner * columns + batches * rows * columns;
        let fan_out = if self.is_shared {
            division.rows.max(division.columns)
        } else {
            division.columns
        };
        let memory = 2.0 * elements / float(rates.bytes_per_us) * rates.fan_out(fan_out.into());
        let partial = match self.is_shared {
            true => rates.per_shared_partial,
            false => rates.per_partial,
        };
        let partial = partial.microseconds();
        let sums = (k - 1.0) * (batches * rows * columns / (b * m * n)) * partial;
        let target_rows = (rows / 32.0).min(all / 2.0).max(4.0);
        let slices = 10.0 * octaves(target_rows / m)
            + 30.0 * octaves(16.0 / slice_rows)
            + 25.0 * octaves(slice_columns / 512.0);
        let is_tall = slice_rows >= 16.0;
        let mut shape = 0.0;
        if !self.is_shared {
            shape += 10.0 * b.log2();
            if is_tall {
                shape += 20.0 * octaves(inner / columns) * n.log2();
            }
        } else {
            shape += 10.0 * octaves(inner / columns) * n.log2();
            if is_tall {
                shape += 5.0 * octaves(4096.0 / columns) * octaves(slice_columns / 128.0);
            }
        }
        compute + memory + sums + slices + shape + 150.0 * octaves(all / used)
    }

    /// Returns the legal divisions of the product, columns and the inner extent in whole sticks. One without slices of the inner
    /// extent is among them.
    #[must_use]
    pub fn divisions(&self, cores: u32) -> Vec<ProductDivision> {
        let dim = |extent: u64, unit: u64, is_reduced| Divisible {
            dim: SplitDim {
                units: extent.div_ceil(unit),
                splittable: extent.is_multiple_of(unit),
            },
            is_reduced,
        };
        let dims = [
            dim(self.batches, 1, false),
            dim(self.rows, 1, false),
            dim(self.columns, STICK, false),
            dim(self.inner, STICK, true),
        ];
        divisions(&dims, cores, |_| true)
            .into_iter()
            .map(|slices| ProductDivision {
                batches: slices[0],
                rows: slices[1],
                columns: slices[2],
                inner: slices[3],
            })
            .collect()
    }

    /// Returns the legal divisions with their modelled times, the fastest first; the smallest division first among equals.
    #[must_use]
    pub fn ranked(&self, rates: &Rates, cores: u32) -> Vec<(f64, ProductDivision)> {
        let mut ranked: Vec<(f64, ProductDivision)> = self
            .divisions(cores)
            .into_iter()
            .map(|division| (self.microseconds(division, rates, cores), division))
            .collect();
        ranked.sort_by(|(a, first), (b, second)| a.total_cmp(b).then(first.cmp(second)));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(extents: [u64; 4], is_shared: bool) -> Product {
        let [batches, rows, columns, inner] = extents;
        Product {
            batches,
            rows,
            columns,
            inner,
            is_shared,
        }
    }

    fn best(extents: [u64; 4], is_shared: bool) -> [u32; 4] {
        let (_, division) = product(extents, is_shared).ranked(&Rates::CARD, 32)[0];
        [
            division.batches,
            division.rows,
            division.columns,
            division.inner,
        ]
    }

    #[test]
    fn products_are_divided_as_the_specification_lists() {
        assert_eq!(best([1, 8, 1024, 1024], true), [1, 1, 8, 4]);
        assert_eq!(best([1, 512, 4096, 4096], true), [1, 4, 8, 1]);
        assert_eq!(best([32, 512, 512, 128], false), [1, 16, 2, 1]);
        assert_eq!(best([32, 512, 128, 512], false), [1, 32, 1, 1]);
    }

    #[test]
    fn one_division_has_the_time_of_its_terms() {
        let division = ProductDivision {
            batches: 1,
            rows: 4,
            columns: 8,
            inner: 1,
        };
        let time = product([1, 512, 4096, 4096], true).microseconds(division, &Rates::CARD, 32);
        // 512 * 4096 * 4096 / 32 / 1536000 products, 2 * (2 + 16 + 2) Mi bytes over 204800, and 4 of 16 rows' slices.
        let expected = 8_589_934_592.0 / 32.0 / 1_536_000.0 + 41_943_040.0 / 204_800.0 + 20.0;
        assert!((time - expected).abs() < 1e-6, "{time} and {expected}");
    }

    #[test]
    fn divisions_divide_and_split_one_reduction() {
        let dim = |units, is_reduced| Divisible {
            dim: SplitDim {
                units,
                splittable: true,
            },
            is_reduced,
        };
        let all = divisions(&[dim(6, false), dim(4, true), dim(4, true)], 8, |_| true);
        let mut expected = Vec::new();
        for a in [1_u32, 2, 3, 6] {
            for b in [1_u32, 2, 4] {
                for c in [1_u32, 2, 4] {
                    if a * b * c <= 8 && (b == 1 || c == 1) {
                        expected.push(vec![a, b, c]);
                    }
                }
            }
        }
        let mut sorted = all.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
        assert_eq!(all[0], [6, 1, 1]);
        // A span that is too wide with fewer than three slices of the first dimension.
        let narrow = divisions(&[dim(6, false), dim(4, true)], 8, |split| split[0] >= 3);
        assert_eq!(narrow, [[6, 1], [3, 2], [3, 1]]);
        let fixed = Divisible {
            dim: SplitDim {
                units: 4,
                splittable: false,
            },
            is_reduced: false,
        };
        assert_eq!(divisions(&[fixed], 8, |_| true), [[1]]);
    }

    #[test]
    fn wide_broadcasts_are_slower() {
        let rates = Rates::CARD;
        assert_eq!(
            (rates.weighted(1000, 1), rates.weighted(1000, 8)),
            (1000, 1000)
        );
        // 4^0.75 is 2.8284.
        assert_eq!(rates.weighted(1024, 32), 2896);
        assert!(rates.fan_out(16) < rates.fan_out(32));
    }

    #[test]
    fn an_operation_computes_moves_and_starts() {
        let access = |bytes, cores| Access {
            bytes: Bytes(bytes),
            cores,
        };
        let check = |(arithmetic, points), accesses: &[Access], executions, expected| {
            let work = Work {
                arithmetic,
                points,
                partials: 0,
            };
            let time = time(&Rates::CARD, work, accesses);
            assert_eq!(time.times(executions), Picoseconds(expected));
        };
        let products = Arithmetic::Products { rows: 40 };
        check((Arithmetic::Elements, 192_000), &[], 1, 2_020_000);
        check((products, 1_536_000), &[], 3, 3_060_000);
        let moved = [access(204_800, 1), access(102_400, 8)];
        check((Arithmetic::Elements, 0), &moved, 1, 1_520_000);
        // In the scratchpad: no traffic.
        check((Arithmetic::Elements, 0), &[access(0, 32)], 2, 40_000);
    }
}
