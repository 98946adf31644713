//! Optimisations: their results on the loops of an operation, and refused ones.

use spyre_uop::ids::{Id, IndexVec};
use spyre_uop::op::{AxisType, Combine};
use spyre_uop::opt::card::{self, Card, Padding, Plan};
use spyre_uop::opt::{AxisId, Fill, Kernel, LoopId, Opt, Place, Reduction, Term};

fn split(axis: u64, by: u64, to: AxisType, place: Place) -> Opt {
    Opt::Split {
        axis,
        by,
        to,
        place,
    }
}

/// An operation with parallel loops, and reductions inside of them.
fn loops(parallel: &[u64], reduced: &[u64], reduction: Option<Reduction>) -> Kernel {
    let parallel = parallel.iter().map(|extent| (*extent, AxisType::Loop));
    let reduced = reduced.iter().map(|extent| (*extent, AxisType::Reduce));
    let all: Vec<_> = parallel.chain(reduced).collect();
    Kernel::new(&all, reduction)
}

/// A split to a loop of tiles.
fn tiles(axis: u64, by: u64) -> Opt {
    split(axis, by, AxisType::Loop, Place::Top)
}

fn pad(axis: u64, multiple: u64) -> Opt {
    Opt::Padto { axis, multiple }
}

fn swap(axis: u64, with: u64) -> Opt {
    Opt::Swap { axis, with }
}

fn extents(kernel: &Kernel) -> Vec<u64> {
    kernel.axes().iter().map(|(_, axis)| axis.extent).collect()
}

/// A sum of elements of [rows, columns] along the columns.
fn sum(rows: u64, columns: u64, term: Term) -> Kernel {
    let reduction = Reduction {
        combine: Some(Combine::Add),
        term,
    };
    loops(&[rows], &[columns], Some(reduction))
}

#[test]
fn two_splits_are_the_tiles_of_the_worked_table() {
    let shape = [1024, 4096];
    let mut kernel = loops(&shape, &[], None);
    assert_eq!(extents(&kernel), [1024, 4096]);
    assert_eq!(kernel.index(&shape), "r0*4096 + r1");
    kernel.apply(tiles(0, 2)).expect("2 divides 1024");
    assert_eq!(extents(&kernel), [512, 4096, 2]);
    assert_eq!(kernel.index(&shape), "(r2*512 + r0)*4096 + r1");
    kernel.apply(tiles(1, 4)).expect("4 divides 4096");
    assert_eq!(extents(&kernel), [512, 1024, 2, 4]);
    assert_eq!(kernel.index(&shape), "(r2*512 + r0)*4096 + r3*1024 + r1");
    // The loops of tiles are outside, in the order of the splits.
    let nest: Vec<String> = kernel.nest().iter().map(ToString::to_string).collect();
    assert_eq!(nest, ["r2", "r3", "r0", "r1"]);
}

#[test]
fn a_split_inside_has_the_new_axis_step_by_one() {
    let mut kernel = loops(&[12], &[], None);
    let inner = split(0, 4, AxisType::Upcast, Place::Inner);
    kernel.apply(inner).expect("4 divides 12");
    assert_eq!(extents(&kernel), [3, 4]);
    assert_eq!(kernel.index(&[12]), "r0*4 + r1");
}

/// Calls with the position of every loop at each position of the axes, outermost axis slowest.
fn visit(kernel: &Kernel, mut at: impl FnMut(&[u64])) {
    let axes = kernel.axes();
    let count: u64 = axes.iter().map(|(_, axis)| axis.extent).product();
    for mut number in 0..count {
        let mut places: IndexVec<AxisId, u64> = IndexVec::repeat(0, axes.len());
        for id in kernel.nest().iter().rev() {
            places[*id] = number % axes[*id].extent;
            number /= axes[*id].extent;
        }
        let sums = kernel.positions().iter();
        let sums = sums.map(|(_, sum)| sum.iter().map(|(id, step)| places[*id] * step).sum());
        at(&sums.collect::<Vec<u64>>());
    }
}

#[test]
fn every_position_is_visited_once() {
    let mut state: u64 = 7;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let kinds = [
        (AxisType::Loop, Place::Top),
        (AxisType::Global, Place::Top),
        (AxisType::Thread, Place::Top),
        (AxisType::Local, Place::Inner),
        (AxisType::Upcast, Place::Inner),
        (AxisType::Reduce, Place::Top),
        (AxisType::GroupReduce, Place::Inner),
        (AxisType::GroupReduce, Place::Top),
        (AxisType::Unroll, Place::Inner),
    ];
    let mut applied = 0;
    for _ in 0..400 {
        let mut kernel = sum(12, 36, Term::Element);
        for _ in 0..6 {
            let axis = draw(kernel.axes().len() as u64);
            let (to, place) = kinds[usize::try_from(draw(kinds.len() as u64)).expect("few")];
            let opt = match draw(4) {
                0 => swap(axis, draw(kernel.axes().len() as u64)),
                _ => split(axis, 1 + draw(4), to, place),
            };
            // A random optimisation may be illegal, and then has no effect.
            let before = format!("{:?}", (kernel.axes(), kernel.nest()));
            match kernel.apply(opt) {
                Ok(()) => applied += 1,
                Err(_) => assert_eq!(before, format!("{:?}", (kernel.axes(), kernel.nest()))),
            }
        }
        let mut seen = vec![0; 12 * 36];
        visit(&kernel, |at| {
            seen[usize::try_from(at[0] * 36 + at[1]).expect("few")] += 1
        });
        assert!(seen.iter().all(|count| *count == 1), "{kernel:?}");
    }
    assert!(applied > 600, "{applied}");
}

#[test]
fn the_nest_runs_tiles_of_tiles_from_the_outside() {
    let mut kernel = loops(&[24], &[], None);
    // Six tiles of four, and then three groups of two of these tiles.
    kernel.apply(tiles(0, 6)).expect("6 divides 24");
    kernel.apply(tiles(1, 3)).expect("3 divides 6");
    let nest: Vec<String> = kernel.nest().iter().map(ToString::to_string).collect();
    assert_eq!(nest, ["r2", "r1", "r0"]);
    let mut visited = Vec::new();
    visit(&kernel, |at| visited.push(at[0]));
    assert_eq!(visited, (0..24).collect::<Vec<_>>());
}

#[test]
fn padding_adds_positions_behind_those_that_are_there() {
    let mut kernel = sum(10, 100, Term::KeepsZero);
    kernel.apply(pad(1, 64)).expect("a sum of zeros");
    assert_eq!(extents(&kernel), [10, 128]);
    kernel
        .apply(split(1, 2, AxisType::Reduce, Place::Top))
        .expect("2 divides 128");
    let [mask] = kernel.masks() else {
        panic!("one axis is padded: {:?}", kernel.masks());
    };
    assert_eq!((mask.below, mask.fill), (100, Fill::Zero));
    // The sum of the mask follows the split.
    let steps: Vec<u64> = mask.position.iter().map(|(_, step)| *step).collect();
    assert_eq!(steps, [64, 1]);
    // A multiple already.
    kernel.apply(pad(0, 5)).expect("nothing to add");
    assert_eq!(kernel.masks().len(), 1);
}

#[test]
fn a_maximum_is_padded_with_the_least() {
    let reduction = Reduction {
        combine: Some(Combine::Max),
        term: Term::Element,
    };
    let mut kernel = loops(&[4], &[100], Some(reduction));
    kernel.apply(pad(1, 64)).expect("a maximum of elements");
    assert_eq!(kernel.masks()[0].fill, Fill::Least);
    // Positions after the end of a loop that is not reduced are discarded, whichever elements are read there.
    kernel.apply(pad(0, 3)).expect("it is cut off");
    assert_eq!(kernel.masks()[1].fill, Fill::Zero);
}

/// A reduction, the optimisations, and the error of the last of them.
type Row = (Option<(Combine, Term)>, &'static [Opt], &'static str);

const fn s(axis: u64, by: u64, to: AxisType, place: Place) -> Opt {
    Opt::Split {
        axis,
        by,
        to,
        place,
    }
}

/// Of an operation with loops of 8 and 30 positions, of which the second is the reduced one, if there is a reduction.
const ILLEGAL: &[Row] = {
    use AxisType as A;
    use Place::{Inner, Top};
    const SUM: Option<(Combine, Term)> = Some((Combine::Add, Term::Element));
    &[
        (
            None,
            &[s(2, 2, A::Loop, Top)],
            "[U38] there is no axis 2 of 2",
        ),
        (
            None,
            &[Opt::Padto {
                axis: 9,
                multiple: 2,
            }],
            "[U38] there is no axis 9 of 2",
        ),
        (
            None,
            &[Opt::Swap { axis: 1, with: 1 }],
            "[U38] axis r1 is swapped with itself",
        ),
        (
            SUM,
            &[Opt::TensorCore { reduce: 1 }],
            "[U38] there is no reduction 1 of 1",
        ),
        (
            None,
            &[s(1, 4, A::Loop, Top)],
            "[U39] 4 does not divide the 30 positions of axis r1; pad it to a multiple first",
        ),
        (
            None,
            &[s(1, 0, A::Loop, Top)],
            "[U39] axis r1 of 30 positions is split by 0",
        ),
        (
            None,
            &[s(0, 2, A::Loop, Top), s(0, 8, A::Loop, Top)],
            "[U39] 8 does not divide the 4 positions of axis r0",
        ),
        (
            SUM,
            &[s(1, 2, A::Loop, Top)],
            "[U40] LOOP is not split from REDUCE, but from LOOP",
        ),
        (
            SUM,
            &[s(0, 2, A::Reduce, Top)],
            "[U40] REDUCE is not split from LOOP, but from REDUCE",
        ),
        (
            SUM,
            &[s(1, 2, A::Upcast, Inner)],
            "[U40] UPCAST is not split from REDUCE, but from GLOBAL or LOCAL or LOOP",
        ),
        (
            SUM,
            &[s(0, 2, A::Unroll, Inner)],
            "[U40] UNROLL is not split from LOOP, but from REDUCE or GROUP_REDUCE",
        ),
        (
            SUM,
            &[s(0, 2, A::GroupReduce, Top)],
            "[U40] GROUP_REDUCE is not split from LOOP, but from REDUCE",
        ),
        (
            SUM,
            &[s(1, 2, A::Thread, Top)],
            "[U40] THREAD is not split from REDUCE, but from GLOBAL or LOOP",
        ),
        (
            None,
            &[s(0, 2, A::Warp, Inner)],
            "[U40] a split does not make WARP; a tensor core does",
        ),
        (
            None,
            &[s(0, 2, A::Thread, Inner)],
            "[U40] a split to THREAD must be top, got inner",
        ),
        (
            None,
            &[s(0, 2, A::Loop, Inner)],
            "[U40] a split to LOOP must be top, got inner",
        ),
        (
            None,
            &[s(0, 2, A::Upcast, Top)],
            "[U40] a split to UPCAST must be inner, got top",
        ),
        (
            None,
            &[s(0, 2, A::Local, Top)],
            "[U40] a split to LOCAL must be inner, got top",
        ),
        (
            SUM,
            &[s(1, 2, A::Unroll, Top)],
            "[U40] a split to UNROLL must be inner, got top",
        ),
        (
            None,
            &[Opt::Padto {
                axis: 1,
                multiple: 0,
            }],
            "[U41] axis r1 of 30 positions is padded to a multiple of 0",
        ),
        (
            None,
            &[Opt::Padto {
                axis: 1,
                multiple: 120,
            }],
            "[U41] axis r1 of 30 positions would be padded to at least 4 times its size for a multiple of 120",
        ),
        (
            None,
            &[Opt::Padto {
                axis: 1,
                multiple: u64::MAX,
            }],
            "[U41] axis r1 of 30 positions would be padded to at least 4 times its size",
        ),
        (
            Some((Combine::Add, Term::Other)),
            &[Opt::Padto {
                axis: 1,
                multiple: 32,
            }],
            "[U41] REDUCE axis r1 is not padded: its reduction is Add, of terms that are not 0 where elements are 0",
        ),
        (
            Some((Combine::Max, Term::KeepsZero)),
            &[Opt::Padto {
                axis: 1,
                multiple: 32,
            }],
            "[U41] REDUCE axis r1 is not padded: its reduction is Max, of terms that are not the least",
        ),
        (
            Some((Combine::Mul, Term::Element)),
            &[Opt::Padto {
                axis: 1,
                multiple: 32,
            }],
            "[U41] REDUCE axis r1 is not padded: its reduction is Mul, and nothing is known that it skips",
        ),
        (
            Some((Combine::Add, Term::Other)),
            &[
                s(1, 2, A::Unroll, Inner),
                Opt::Padto {
                    axis: 2,
                    multiple: 3,
                },
            ],
            "[U41] UNROLL axis r2 is not padded",
        ),
        (
            SUM,
            &[Opt::Swap { axis: 0, with: 1 }],
            "[U42] LOOP axis r0 and REDUCE axis r1 cannot be swapped",
        ),
        (
            None,
            &[
                s(0, 2, A::Thread, Top),
                s(1, 2, A::Thread, Top),
                Opt::Swap { axis: 2, with: 3 },
            ],
            "[U42] THREAD axis r2 and THREAD axis r3 cannot be swapped",
        ),
        (
            SUM,
            &[s(0, 2, A::Loop, Top), Opt::TensorCore { reduce: 0 }],
            "[U43] a tensor core comes first",
        ),
        (
            None,
            &[s(0, 2, A::Local, Inner), Opt::Nolocals],
            "[U43] Nolocals comes after the split that made axis r2 LOCAL",
        ),
        (
            None,
            &[Opt::Nolocals, s(0, 2, A::Local, Inner)],
            "[U43] a split to LOCAL comes after Nolocals",
        ),
        (
            SUM,
            &[Opt::Nolocals, s(1, 2, A::GroupReduce, Top)],
            "[U43] a split to GROUP_REDUCE comes after Nolocals",
        ),
    ]
};

fn kernel(reduction: Option<(Combine, Term)>) -> Kernel {
    match reduction {
        None => loops(&[8, 30], &[], None),
        Some((combine, term)) => {
            let combine = Some(combine);
            loops(&[8], &[30], Some(Reduction { combine, term }))
        }
    }
}

#[test]
fn what_is_illegal_is_refused_by_its_rule() {
    for (reduction, opts, reason) in ILLEGAL {
        let mut kernel = kernel(*reduction);
        let (last, before) = opts.split_last().expect("one that is refused");
        for opt in before {
            kernel.apply(*opt).expect("the last one is refused");
        }
        let error = kernel.apply(*last).expect_err(reason).to_string();
        assert!(error.starts_with(reason), "{error}\n{reason}");
    }
    for rule in 38..=43 {
        let rule = format!("[U{rule}]");
        assert!(
            ILLEGAL
                .iter()
                .any(|(.., message)| message.starts_with(&rule))
        );
    }
}

#[test]
fn every_split_of_the_table_is_legal() {
    let mut splits = 0;
    for (to, _) in AxisType::ALL {
        for place in [Place::Inner, Place::Top] {
            // The axes to split: LOOP, GLOBAL, LOCAL, REDUCE and GROUP_REDUCE.
            let sources = [
                (0, None),
                (0, Some(s(0, 2, AxisType::Global, Place::Top))),
                (0, Some(s(0, 2, AxisType::Local, Place::Inner))),
                (1, None),
                (1, Some(s(1, 2, AxisType::GroupReduce, Place::Top))),
            ];
            for (axis, before) in sources {
                let mut kernel = loops(
                    &[8],
                    &[8],
                    Some(Reduction {
                        combine: Some(Combine::Add),
                        term: Term::Element,
                    }),
                );
                let axis = match before {
                    Some(opt) => {
                        kernel.apply(opt).expect("a source");
                        2
                    }
                    None => axis,
                };
                splits += usize::from(kernel.apply(s(axis, 2, to, place)).is_ok());
            }
        }
    }
    // LOCAL of g and L, THREAD of g and L, GROUP_REDUCE of R both ways, UPCAST of g, l and L, UNROLL of R and G, LOOP
    // and GLOBAL of L, and REDUCE of R.
    assert_eq!(splits, 2 + 2 + 2 + 3 + 2 + 3);
}

const CARD: Card = Card {
    stick: Some(64),
    last: None,
};

fn loop_id(number: usize) -> LoopId {
    LoopId::of(number)
}

/// A card with sticks along a loop.
fn sticks(last: usize) -> Card {
    Card {
        last: Some(loop_id(last)),
        ..CARD
    }
}

#[test]
fn the_card_has_tiles_cores_and_sticks() {
    let mut kernel = loops(&[1024, 4000], &[], None);
    let opts = [
        pad(1, 64),
        split(1, 64, AxisType::Upcast, Place::Inner),
        tiles(0, 2),
        tiles(1, 7),
        swap(3, 4),
        split(0, 32, AxisType::Thread, Place::Top),
    ];
    let plan = card::plan(&mut kernel, &opts, sticks(1)).expect("a plan");
    let paddings = vec![Padding {
        loop_id: loop_id(1),
        extent: 4032,
        fill: Fill::Zero,
    }];
    let expected = Plan {
        paddings,
        // The swap has moved the second one outside.
        tiles: vec![(loop_id(1), 7), (loop_id(0), 2)],
        divisions: vec![(loop_id(0), 32)],
    };
    assert_eq!(plan, expected);
    assert_eq!(
        kernel.index(&[1024, 4032]),
        "(r3*512 + r5*16 + r0)*4032 + r4*576 + r1*64 + r2"
    );
}

/// The optimisations that the card refuses for an operation with loops of 8 and 128 positions, of which the second is
/// the reduced one, if there is a reduction.
const WITHOUT_MEANING: &[(bool, &[Opt], usize, &str)] = {
    use AxisType as A;
    use Place::{Inner, Top};
    &[
        (
            false,
            &[s(0, 2, A::Local, Inner)],
            0,
            "a core of the card has no threads",
        ),
        (
            true,
            &[s(1, 2, A::GroupReduce, Top)],
            0,
            "GROUP_REDUCE is a reduction that threads share",
        ),
        (
            true,
            &[s(1, 2, A::Unroll, Inner)],
            0,
            "an operation of the card reduces a whole tile",
        ),
        (
            false,
            &[Opt::Nolocals],
            0,
            "the card has no memory of groups of threads",
        ),
        (
            true,
            &[Opt::TensorCore { reduce: 0 }],
            0,
            "a matrix product is one operation already",
        ),
        (
            false,
            &[s(1, 32, A::Upcast, Inner)],
            0,
            "a stick has 64 elements of the result, not 32",
        ),
        (
            false,
            &[s(0, 8, A::Upcast, Inner)],
            0,
            "axis r0 is no innermost part of the loop along the last dimension of the result, d1",
        ),
        (
            false,
            &[Opt::Swap { axis: 0, with: 1 }],
            0,
            "axis r0 is no loop of tiles",
        ),
        (
            false,
            &[
                s(1, 2, A::Loop, Top),
                Opt::Padto {
                    axis: 1,
                    multiple: 48,
                },
            ],
            1,
            "axis r1 is a part of loop d1; pad the whole loop, before it is split",
        ),
        (
            false,
            &[
                s(1, 4, A::Loop, Top),
                s(1, 2, A::Loop, Top),
                Opt::Swap { axis: 2, with: 3 },
            ],
            0,
            "axis r3 is outside of axis r2 and visits parts of its tiles of loop d1",
        ),
        (
            false,
            &[s(1, 2, A::Thread, Top), s(1, 2, A::Global, Top)],
            1,
            "axis r2 divides loop d1 over cores already",
        ),
        (
            false,
            &[s(1, 2, A::Thread, Top), s(1, 2, A::Loop, Top)],
            0,
            "axis r3 tiles the part of loop d1 that a core has",
        ),
    ]
};

#[test]
fn what_has_no_meaning_on_the_card_is_refused_with_the_reason() {
    for (is_sum, opts, number, reason) in WITHOUT_MEANING {
        let mut kernel = match is_sum {
            true => sum(8, 128, Term::Element),
            false => loops(&[8, 128], &[], None),
        };
        let refused = card::plan(&mut kernel, opts, sticks(1)).expect_err(reason);
        assert_eq!(
            (refused.opt, refused.broken.rule),
            (*number, 44),
            "{refused}"
        );
        assert!(
            refused.broken.reason.contains(reason),
            "{refused}\n{reason}"
        );
    }
}
