//! The number of parts of a long reduction, such that all processors have work.
//!
//! The rules are PyTorch's for GPUs (`InductorChoices.reduction_split_factor`). Numbers of elements are at the sizes
//! that a program was traced with.

use spyre_index_expr::Overflow;

use super::nest::{Nest, stride_hints, vars};
use super::program::Program;

/// The machine that parts are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The number of processors.
    pub processors: i64,
    /// The threads of one processor.
    pub threads: i64,
}

/// The threads that run in step.
const WARP: i64 = 32;

/// The threads of a block.
const BLOCK: i64 = 8 * WARP;

/// The elements that a thread of a filled machine reduces.
const MOST_PER_THREAD: i64 = 512;

/// The longest inner reduction that is not split.
const SHORT: i64 = 8192;

/// The elements of an outer reduction that a thread reduces at once, and the results of a block.
const ROWS: i64 = 4;
const COLUMNS: i64 = 128;

/// The replacement for a reduction of few elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// The start value of the reduction, which has no elements.
    Constant,
    /// Its only element.
    Element,
    /// The elements of the reduction, combined one after the other.
    Unrolled,
}

/// Returns the replacement for a reduction of `elements` elements to each of `results` results; `None` to keep it. A
/// reduction of less than `most` elements is unrolled (PyTorch: `config.unroll_reductions_threshold`, 8), on a CPU only
/// where it has several results.
#[must_use]
pub fn short(elements: i64, results: i64, most: i64, is_cpu: bool) -> Option<Short> {
    match elements {
        0 => Some(Short::Constant),
        1 => Some(Short::Element),
        _ if elements < most && (results != 1 || !is_cpu) => Some(Short::Unrolled),
        _ => None,
    }
}

/// The most elements for which mean and variance are computed in two steps: on a CPU, and elsewhere.
const TWO_STEPS_ON_CPU: i64 = 1024;
const TWO_STEPS: i64 = 8;

/// Returns whether `results` means and variances of `elements` elements each are computed in two steps: the sum, then
/// the squares of the deviations from the mean (PyTorch: `use_two_step_variance`).
#[must_use]
pub fn is_two_steps(elements: i64, results: i64, is_cpu: bool) -> bool {
    let most = if is_cpu { TWO_STEPS_ON_CPU } else { TWO_STEPS };
    (1..=most).contains(&elements) && results != 1
}

/// Returns the number of parts for a reduction of `reduced` elements to each of `results` results; 1 where it is not
/// split. The reduction is an inner one if its elements are adjacent in memory.
#[must_use]
pub fn parts(machine: Machine, reduced: i64, results: i64, is_inner: bool) -> i64 {
    if results != 1 && (reduced <= WARP || results >= machine.processors * 2 * 32) {
        return 1;
    }
    let all = machine.processors.saturating_mul(machine.threads);
    let elements = reduced.saturating_mul(results);
    let few = WARP.saturating_mul(all);
    let many = MOST_PER_THREAD.saturating_mul(all);
    if is_inner {
        if results >= 2 * machine.processors || reduced <= SHORT {
            return 1;
        }
        let size = if elements <= few {
            WARP
        } else if elements < many {
            let blocks = ceil(all / (2 * BLOCK), results);
            even(reduced, ceil(reduced, BLOCK * blocks), 30)
        } else {
            near(reduced, MOST_PER_THREAD, 50).unwrap_or(MOST_PER_THREAD)
        };
        return ceil(reduced, size * BLOCK);
    }
    let size = if elements < few {
        WARP
    } else if elements < many {
        let blocks = ceil(all / BLOCK, ceil(results, COLUMNS));
        even(reduced, ceil(reduced, ROWS * blocks), 20)
    } else {
        near(reduced, MOST_PER_THREAD, 50).unwrap_or(MOST_PER_THREAD)
    };
    ceil(reduced, ROWS * size)
}

fn ceil(a: i64, b: i64) -> i64 {
    (a + b - 1) / b
}

/// Returns a number of elements for a thread: the divisor of all that is nearest to some number, but not too few, if it is nearer than
/// a distance; that number otherwise.
fn even(all: i64, size: i64, distance: i64) -> i64 {
    near(all, size, distance).map_or(size, |size| size.max(WARP))
}

/// Returns the divisor of `number` nearest to `to`, the smaller of two equally near ones; `None` if it is not nearer
/// than `distance`.
fn near(number: i64, to: i64, distance: i64) -> Option<i64> {
    let divisors = (1..).take_while(|low| low * low <= number);
    let divisors = divisors.filter(|low| number % low == 0);
    let all = divisors.flat_map(|low| [low, number / low]);
    let best = all.min_by_key(|divisor| ((divisor - to).abs(), *divisor));
    best.filter(|best| (best - to).abs() < distance)
}

/// Returns whether the elements of a reduction are adjacent in memory, for the majority of the loads that depend on all
/// loops. `None` if there are no such loads.
///
/// # Errors
/// A number is too large.
pub fn is_inner(program: &Program, nest: &Nest) -> Result<Option<bool>, Overflow> {
    let all = vars(nest.loops.len());
    let reduced = &all[nest.parallel..];
    let (mut inner, mut outer) = (0, 0);
    for load in &nest.loads {
        if !(0..nest.loops.len()).all(|number| load.index.has_loop(number)) {
            continue;
        }
        let strides = stride_hints(program, &load.index, reduced, &all)?;
        if strides.iter().all(|stride| *stride == 0 || *stride > 1) {
            outer += 1;
        } else {
            inner += 1;
        }
    }
    Ok((inner + outer > 0).then_some(inner > outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: Machine = Machine {
        processors: 108,
        threads: 2048,
    };

    #[test]
    fn few_elements_are_no_reduction() {
        assert_eq!(short(0, 5, 8, true), Some(Short::Constant));
        assert_eq!(short(1, 1, 8, true), Some(Short::Element));
        assert_eq!(short(7, 2, 8, true), Some(Short::Unrolled));
        assert_eq!(short(8, 2, 8, true), None);
        assert_eq!(short(7, 1, 8, true), None);
        assert_eq!(short(7, 1, 8, false), Some(Short::Unrolled));
        assert_eq!(short(2, 2, 0, false), None);
        // (10, 384000, 5).sum(2)
        assert_eq!(short(5, 3_840_000, 8, false), Some(Short::Unrolled));
    }

    #[test]
    fn few_elements_have_their_variance_in_two_steps() {
        assert!(is_two_steps(1024, 2, true));
        assert!(!is_two_steps(1025, 2, true));
        assert!(!is_two_steps(1024, 1, true));
        assert!(is_two_steps(8, 2, false));
        assert!(!is_two_steps(9, 2, false));
        assert!(!is_two_steps(0, 2, true));
    }

    #[test]
    fn rows_are_cut() {
        // 10 rows of 384,000 elements: 47 parts of 8,171.
        assert_eq!(parts(MACHINE, 384_000, 10, true), 47);
        assert_eq!(ceil(384_000, 47), 8_171);
    }

    #[test]
    fn columns_are_cut() {
        // 10 * 5 columns of 384,000 elements: 800 parts of 480.
        assert_eq!(parts(MACHINE, 384_000, 50, false), 800);
    }

    #[test]
    fn all_elements_are_cut() {
        assert_eq!(parts(MACHINE, 1_000_003, 1, true), 123);
        assert_eq!(ceil(1_000_003, 123), 8_131);
    }

    #[test]
    fn each_threshold_has_two_sides() {
        assert_eq!(parts(MACHINE, 8192, 1, true), 1);
        assert!(parts(MACHINE, 8193, 1, true) > 1);
        assert_eq!(parts(MACHINE, 32, 50, false), 1);
        assert_eq!(parts(MACHINE, 100_000, 64 * 108, true), 1);
        assert_eq!(parts(MACHINE, 100_000, 64 * 108, false), 1);
        assert!(parts(MACHINE, 100_000, 64 * 108 - 1, false) > 1);
        assert_eq!(parts(MACHINE, 100_000, 216, true), 1);
        assert!(parts(MACHINE, 100_000, 215, true) > 1);
    }
}
