//! Larger programs, at random.

use proptest::prelude::*;
use proptest::sample::Index;

use super::check::{check, check_unrolled, untiled};
use super::program::{Level, Program, STICK};

/// A count of tiles that cuts a dimension of `units` evenly, more than one if it can be.
fn divisor(units: u64, index: &Index, most: u64) -> u64 {
    let divisors = (2..=units.min(most)).filter(|count| units.is_multiple_of(*count));
    let divisors: Vec<u64> = divisors.collect();
    if divisors.is_empty() {
        1
    } else {
        *index.get(&divisors)
    }
}

/// A program that can be tiled, of at most some thousand sticks, on at most 32 cores.
fn programs() -> impl Strategy<Value = Program> {
    let orders = (1_usize..=4)
        .prop_flat_map(|rank| Just((0..rank).collect::<Vec<_>>()))
        .prop_shuffle();
    let extents = prop::collection::vec(prop::sample::select(vec![1, 2, 3, 4, 5, 6, 8, 12, 16]), 4);
    let ragged = prop::option::weighted(0.3, 1..STICK);
    let levels = prop::collection::vec(any::<(Index, Index)>(), 0..=4);
    let choices = any::<(Index, Index, [Index; 4])>();
    (orders, extents, ragged, levels, choices)
        .prop_filter("too many sticks", |(order, extents, ..)| {
            extents.iter().take(order.len()).product::<u64>() <= 1024
        })
        .prop_map(
            |(order, mut extents, ragged, levels, (stick, broadcast, splits))| {
                let rank = order.len();
                extents.truncate(rank);
                let stick = stick.index(rank);
                let mut program = Program {
                    shape: extents.clone(),
                    order,
                    stick: Some(stick),
                    broadcast: None,
                    levels: vec![],
                    splits: vec![],
                };
                program.shape[stick] = extents[stick] * STICK - ragged.unwrap_or(0);
                // Whole tiles of a dimension that ends inside a stick are not whole sticks.
                let mut units = extents;
                for (dim, count) in levels {
                    let dim = dim.index(rank);
                    if dim == stick && ragged.is_some() {
                        continue;
                    }
                    let count = divisor(units[dim], &count, u64::MAX);
                    units[dim] /= count;
                    program.levels.push(Level { dim, count });
                }
                let dims: Vec<usize> = (0..rank).filter(|dim| program.shape[*dim] > 1).collect();
                let broadcast = broadcast.index(dims.len() + 1);
                program.broadcast = dims.get(broadcast).copied();
                let mut cores = 32;
                for (units, index) in units.iter().zip(&splits) {
                    let parts = divisor(*units, index, cores);
                    cores /= parts;
                    program.splits.push(parts);
                }
                program
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Tiled and divided, a program visits the addresses of its layouts, with loops and without.
    #[test]
    fn tiled_programs_visit_the_addresses_of_untiled_ones(program in programs()) {
        let whole = untiled(&program).map_err(TestCaseError::fail)?;
        check(&program, &whole).map_err(TestCaseError::fail)?;
        let iterations: u64 = program.levels.iter().map(|level| level.count).product();
        if iterations <= 32 {
            check_unrolled(&program, &whole).map_err(TestCaseError::fail)?;
        }
    }
}
