//! All programs of a small scope.
//!
//! | rank | orders, sticks | stick dimension | others | loops | nests | programs | unrolled | refused |
//! |---|---|---|---|---|---|---|---|---|
//! | 0 | 1 | | | 0 | 1 | 1 | 1 | |
//! | 1 | 2 | 1 to 8 sticks | 1, 2, 6 | 3 | 174 | 587 | 587 | 550 |
//! | 2 | 6 | 1 to 8 sticks | 1, 4 | 3 | 884 | 5914 | 369 | 6196 |
//! | 3 | 18 | 1 to 8 sticks | 1, 2 | 3 | 7308 | 7308 | 456 | 68,940 |
//! | 4 | 96 | 1, 2, 4, 8 sticks | 2 | 2 | 8256 | 8256 | 516 | 51,264 |
//! | 4 | 96 | 3 sticks less 24 elements | 1, 2 | 2 | 3072 | 3072 | 192 | 35,328 |
//!
//! These 25,138 programs, and 162,278 that have to be refused, take 20 seconds of one core in a debug build. For each row
//! they are:
//!
//! * every order of the dimensions in memory, with each dimension on the stick; up to rank 2 also with none there;
//! * every extent of the stick dimension that is listed. Up to rank 3, 3 sticks less 24 elements are one more;
//! * every combination of the extents of the other dimensions. With 1 a dimension is left out of the iteration space; 2,
//!   4 and 6 are cut once, twice, and by different counts;
//! * every nest of up to a fixed number of loops, including several loops over one dimension, each by every count from
//!   2 to 8; for rank 1 from 1. A count that does not divide, or that cuts sticks, has to be rejected: [`is_legal`] is
//!   an independent definition;
//! * `c` broadcast along each dimension or not at all, and the cores dividing the tile along one dimension, by each of
//!   its divisors, or along all. For ranks 3 and 4 not each: a nest has the broadcast and the division that come after
//!   the previous nest's.
//!
//! The wider scope has larger extents, all broadcasts and divisions up to rank 3, three loops and all sticks for rank 4,
//! and unrolls more: 704,378 programs and 1,629,360 to be refused, in a few minutes.
//!
//! ```sh
//! cargo test --release -p spyre-sdsc --test address_maps -- --ignored
//! ```

use super::check::{check, check_refused, check_unrolled, untiled};
use super::program::{Level, Program, STICK};

/// Extents up to 8 sticks, and one of 3 sticks less 24 elements.
const STICKS: &[u64] = &[64, 128, 168, 192, 256, 320, 384, 448, 512];

/// Counts of tiles.
const COUNTS: &[u64] = &[2, 3, 4, 5, 6, 7, 8];

/// The bounds of an enumeration.
struct Scope {
    rank: usize,
    /// Extents of the stick dimension.
    on_stick: &'static [u64],
    /// Extents of the other dimensions.
    others: &'static [u64],
    counts: &'static [u64],
    /// The most loops.
    loops: usize,
    /// Whether a nest is checked with all broadcasts and divisions, and not with the next ones in turn.
    all: bool,
    /// One in this number of programs is also unrolled.
    unrolled: usize,
}

/// How many there were.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    layouts: usize,
    nests: usize,
    programs: usize,
    unrolled: usize,
    refused: usize,
}

fn permutations(rank: usize) -> Vec<Vec<usize>> {
    if rank == 0 {
        return vec![vec![]];
    }
    let smaller = permutations(rank - 1).into_iter();
    smaller
        .flat_map(|order| {
            (0..rank).map(move |at| {
                let mut order = order.clone();
                order.insert(at, rank - 1);
                order
            })
        })
        .collect()
}

/// All shapes: one of `stick` for the stick dimension, `others` for the others.
fn shapes(rank: usize, stick: Option<usize>, on_stick: &[u64], others: &[u64]) -> Vec<Vec<u64>> {
    let mut shapes = vec![vec![]];
    for dim in 0..rank {
        let extents = if stick == Some(dim) { on_stick } else { others };
        shapes = shapes
            .into_iter()
            .flat_map(|shape: Vec<u64>| {
                extents
                    .iter()
                    .map(move |extent| [&shape[..], &[*extent]].concat())
            })
            .collect();
    }
    shapes
}

/// Returns whether a nest cuts all dimensions evenly, without the code under test: each count divides the remaining
/// extent, and tiles along the stick are whole sticks.
fn is_legal(program: &Program) -> bool {
    let mut left = program.shape.clone();
    program.levels.iter().all(|level| {
        let extent = left[level.dim];
        left[level.dim] = extent / level.count;
        let whole = program.stick != Some(level.dim) || left[level.dim].is_multiple_of(STICK);
        extent.is_multiple_of(level.count) && (level.count == 1 || whole)
    })
}

/// Calls `each` for the program and for it in every further loop, legal or not.
fn nests(scope: &Scope, program: &Program, each: &mut impl FnMut(&Program)) {
    each(program);
    if program.levels.len() == scope.loops || !is_legal(program) {
        return;
    }
    for dim in (0..scope.rank).filter(|dim| program.shape[*dim] > 1) {
        for &count in scope.counts {
            let mut deeper = program.clone();
            deeper.levels.push(Level { dim, count });
            nests(scope, &deeper, each);
        }
    }
}

/// How cores can divide a tile with `units` sticks and positions: not at all, along one dimension, along all.
fn splits(units: &[u64]) -> Vec<Vec<u64>> {
    let mut splits = vec![vec![1; units.len()]];
    let mut add = |split: Vec<u64>| {
        if split.iter().product::<u64>() <= 32 && !splits.contains(&split) {
            splits.push(split);
        }
    };
    for (dim, unit) in units.iter().enumerate() {
        for parts in (2..=*unit).filter(|parts| unit.is_multiple_of(*parts)) {
            let mut split = vec![1; units.len()];
            split[dim] = parts;
            add(split);
        }
    }
    add(units.to_vec());
    splits
}

/// All of a list, or the next one in turn.
fn some<T: Clone>(scope: &Scope, turn: usize, all: Vec<T>) -> Vec<T> {
    match scope.all {
        true => all,
        false => vec![all[turn % all.len()].clone()],
    }
}

fn run(scope: &Scope) -> Counts {
    let mut counts = Counts::default();
    let sparse = (scope.rank <= 2).then_some(None);
    for stick in (0..scope.rank).map(Some).chain(sparse) {
        for order in permutations(scope.rank) {
            counts.layouts += 1;
            for shape in shapes(scope.rank, stick, scope.on_stick, scope.others) {
                run_shape(scope, shape, &order, stick, &mut counts);
            }
        }
    }
    counts
}

fn run_shape(
    scope: &Scope,
    shape: Vec<u64>,
    order: &[usize],
    stick: Option<usize>,
    counts: &mut Counts,
) {
    let dims = (0..scope.rank).filter(|dim| shape[*dim] > 1);
    let broadcasts: Vec<Option<usize>> = dims.map(Some).chain([None]).collect();
    let program = |broadcast| Program {
        shape: shape.clone(),
        order: order.to_vec(),
        stick,
        broadcast,
        levels: vec![],
        splits: vec![],
    };
    let fail = |program: &Program, message: String| -> ! { panic!("{program:?}: {message}") };
    let untiled: Vec<_> = broadcasts
        .iter()
        .map(|broadcast| {
            let program = program(*broadcast);
            untiled(&program).unwrap_or_else(|message| fail(&program, message))
        })
        .collect();
    nests(scope, &program(None), &mut |nest| {
        if !is_legal(nest) {
            counts.refused += 1;
            check_refused(nest).unwrap_or_else(|message| fail(nest, message));
            return;
        }
        counts.nests += 1;
        let turn = counts.nests;
        let tile = nest
            .nest()
            .unwrap_or_else(|err| fail(nest, format!("{err:?}")))
            .tile;
        for broadcast in some(scope, turn, (0..broadcasts.len()).collect()) {
            for splits in some(scope, turn / broadcasts.len(), splits(&nest.units(&tile))) {
                let broadcast_of = broadcasts[broadcast];
                let program = Program {
                    splits,
                    broadcast: broadcast_of,
                    ..nest.clone()
                };
                counts.programs += 1;
                check(&program, &untiled[broadcast])
                    .unwrap_or_else(|message| fail(&program, message));
                if counts.programs.is_multiple_of(scope.unrolled) {
                    counts.unrolled += 1;
                    check_unrolled(&program, &untiled[broadcast])
                        .unwrap_or_else(|message| fail(&program, message));
                }
            }
        }
    });
}

/// Asserts that the scope has its documented size.
#[track_caller]
fn assert_counts(scope: &Scope, [layouts, nests, programs, unrolled, refused]: [usize; 5]) {
    let expected = Counts {
        layouts,
        nests,
        programs,
        unrolled,
        refused,
    };
    assert_eq!(run(scope), expected);
}

/// The part of the bounds that is the same for all ranks.
const SCOPE: Scope = Scope {
    rank: 0,
    on_stick: STICKS,
    others: &[],
    counts: COUNTS,
    loops: 3,
    all: true,
    unrolled: 1,
};

#[test]
fn rank_0_and_1() {
    assert_counts(&SCOPE, [1, 1, 1, 1, 0]);
    let scope = Scope {
        rank: 1,
        others: &[1, 2, 6],
        counts: &[1, 2, 3, 4, 5, 6, 7, 8],
        ..SCOPE
    };
    assert_counts(&scope, [2, 174, 587, 587, 550]);
}

#[test]
fn rank_2() {
    let scope = Scope {
        rank: 2,
        others: &[1, 4],
        unrolled: 16,
        ..SCOPE
    };
    assert_counts(&scope, [6, 884, 5914, 369, 6196]);
}

#[test]
fn rank_3() {
    let scope = Scope {
        rank: 3,
        others: &[1, 2],
        all: false,
        unrolled: 16,
        ..SCOPE
    };
    assert_counts(&scope, [18, 7308, 7308, 456, 68_940]);
}

#[test]
fn rank_4() {
    let scope = Scope {
        rank: 4,
        on_stick: &[64, 128, 256, 512],
        others: &[2],
        loops: 2,
        all: false,
        unrolled: 16,
        ..SCOPE
    };
    assert_counts(&scope, [96, 8256, 8256, 516, 51_264]);
}

#[test]
fn rank_4_with_unit_dimensions() {
    let scope = Scope {
        rank: 4,
        on_stick: &[168],
        others: &[1, 2],
        loops: 2,
        all: false,
        unrolled: 16,
        ..SCOPE
    };
    assert_counts(&scope, [96, 3072, 3072, 192, 35_328]);
}

#[test]
#[ignore = "the wider scope: minutes, in release"]
fn wide_rank_2() {
    let scope = Scope {
        rank: 2,
        others: &[1, 2, 3, 4, 6, 8],
        ..SCOPE
    };
    assert_counts(&scope, [6, 5428, 40_310, 40_310, 36_048]);
}

#[test]
#[ignore = "the wider scope: minutes, in release"]
fn wide_rank_3() {
    let scope = Scope {
        rank: 3,
        others: &[1, 2, 4],
        unrolled: 4,
        ..SCOPE
    };
    assert_counts(&scope, [18, 43_416, 526_788, 131_697, 308_448]);
}

#[test]
#[ignore = "the wider scope: minutes, in release"]
fn wide_rank_4() {
    let scope = Scope {
        rank: 4,
        others: &[1, 2],
        all: false,
        unrolled: 4,
        ..SCOPE
    };
    assert_counts(&scope, [96, 137_280, 137_280, 34_320, 1_284_864]);
}
