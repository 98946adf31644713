//! Sums in loops: witnesses in the iteration that is at fault, and sums that both programs have next to equal ones.

use spyre_isl::Context;

use super::build::{Build, iv};
use super::{BUDGET, proved, refuted};
use crate::expr::{Expr, Var};
use crate::program::{Extent, Program, ValueId};
use crate::rewrite::prove_rewrite;

fn zero() -> Expr {
    Expr::zero()
}

/// Sums of rows of `a`, of four tiles of columns; `element` is what the loop adds a tile to.
fn sum_in_tiles(build: &mut Build, a: ValueId, element: &[i32]) -> ValueId {
    let zeros = build.fill("0x0000", &[64]);
    let (k, carried) = build.enter(Extent::Fixed(256), 64, &[zeros]);
    let tile = build.slice(a, &[zero(), iv(k, 64)], &[64, 64]);
    let part = build.reduce("sum", tile);
    let operands: [(ValueId, &[i32]); 2] = [(carried[0], element), (part, &[0])];
    let next = build.op("add", &operands, &[Extent::Fixed(64)], 0, false);
    build.leave(&[next])[0]
}

fn whole_sum() -> Build {
    let mut build = Build::default();
    let a = build.arg(&[64, 256]);
    let sum = build.reduce("sum", a);
    build.give(&[sum])
}

fn tiled_sum(element: &[i32]) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[64, 256]);
    let sum = sum_in_tiles(&mut build, a, element);
    build.give(&[sum])
}

#[test]
fn a_tile_that_is_added_to_another_row_is_wrong_in_the_iteration_that_is_returned() {
    // The first iteration adds to zeros, of which all rows are equal, and of the next ones row 0 alone is read again.
    let witness = refuted(whole_sum(), tiled_sum(&[-1]));
    assert_eq!(witness.counters[0].1, 3, "{witness:?}");
    assert_eq!(witness.point, [1], "row 0 is right");
}

#[test]
fn the_same_of_a_loop_of_both_programs() {
    let witness = refuted(tiled_sum(&[0]), tiled_sum(&[-1]));
    assert_eq!(witness.counters[0].1, 3, "{witness:?}");
    assert_eq!(witness.point, [1]);
}

#[test]
fn parts_of_two_rows_are_wrong_where_the_rows_differ() {
    let after = |second: &[i32]| {
        let mut build = Build::default();
        let a = build.arg(&[64, 256]);
        let parts = [0, 128].map(|first| {
            let tile = build.slice(a, &[zero(), Expr::from(first)], &[64, 128]);
            build.reduce("sum", tile)
        });
        let operands: [(ValueId, &[i32]); 2] = [(parts[0], &[0]), (parts[1], second)];
        let sum = build.op("add", &operands, &[Extent::Fixed(64)], 0, false);
        build.give(&[sum])
    };
    proved(whole_sum(), after(&[0]));
    let witness = refuted(whole_sum(), after(&[-1]));
    assert_eq!(witness.point, [1], "{witness:?}");
}

#[test]
fn tiles_with_terms_of_two_elements_are_wrong_and_the_first_is_not() {
    let rows = |step: i64| {
        let mut build = Build::default();
        let a = build.arg(&[1, 64]);
        let out = build.empty(&[4]);
        let (id, carried) = build.enter(Extent::Fixed(4), 1, &[out]);
        let tile = build.slice(a, &[zero(), iv(id, step)], &[1, 8]);
        let least = build.reduce("min", tile);
        let next = build.insert(least, carried[0], &[iv(id, 1)]);
        let out = build.leave(&[next]);
        build.give(&out)
    };
    let witness = refuted(rows(8), rows(12));
    assert_eq!(witness.counters[0].1, 1, "{witness:?}");
}

/// A whole sum, and an equal one in tiles, of which an operation reads one.
fn equal_sums(is_exchanged: bool) -> Build {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 256]), build.arg(&[64]));
    let whole = build.reduce("sum", a);
    let exp = build.pointwise("exp", &[whole]);
    let tiled = sum_in_tiles(&mut build, a, &[0]);
    let other = build.pointwise("exp", &[tiled]);
    let operands = if is_exchanged { [b, other] } else { [other, b] };
    let product = build.pointwise("mul", &operands);
    build.give(&[exp, product])
}

#[test]
fn a_sum_that_both_programs_cut_next_to_one_that_neither_cuts() {
    proved(equal_sums(false), equal_sums(false));
    proved(equal_sums(false), equal_sums(true));
}

/// The negative of the sum of a row, twice: `step` columns at a time, each added to the other of two sums.
fn exchanged_sums(step: Option<i64>) -> Program {
    let mut build = Build::default();
    let a = build.arg(&[64, 256]);
    let two = [Extent::Fixed(2)];
    let Some(step) = step else {
        let row = build.slice(a, &[zero(), zero()], &[1, 256]);
        let sum = build.reduce("sum", row);
        let out = build.op("neg", &[(sum, &[-1])], &two, 0, false);
        return build.give(&[out]).program;
    };
    let zeros = build.fill("0x0000", &[2]);
    let (k, carried) = build.enter(Extent::Fixed(256), step, &[zeros]);
    let other = Expr::from(1).minus(&Var::Element(0).into());
    let exchanged = build.view(carried[0], &[2], vec![other]);
    let tile = build.slice(a, &[zero(), iv(k, step)], &[1, step]);
    let part = build.reduce("sum", tile);
    let operands: [(ValueId, &[i32]); 2] = [(exchanged, &[0]), (part, &[-1])];
    let sum = build.op("add", &operands, &two, 0, false);
    let sum = build.leave(&[sum]);
    let out = build.pointwise("neg", &sum);
    build.give(&[out]).program
}

#[test]
fn a_sum_without_a_closed_form_is_unrolled_if_it_is_short() {
    let answer = |step| {
        let [before, after] = [None, Some(step)].map(exchanged_sums);
        prove_rewrite(&Context::new(BUDGET), &before, &after)
    };
    let report = answer(64);
    assert!(report.is_proved(), "{report:#?}");
    let report = answer(4);
    assert!(report.refuted().next().is_none(), "{report:#?}");
    assert!(
        !report.is_proved(),
        "64 iterations are too many, or their sets too large for the budget"
    );
}

#[test]
fn a_rest_of_one_term_is_a_sum_of_the_program_before_and_a_part_of_another() {
    // Columns of one row: sums of one term each, and the sum of all of them.
    let ends = |build: &mut Build| {
        let a = build.arg(&[1, 5]);
        let one = [Extent::Fixed(5), Extent::Fixed(1)];
        let single = build.op("sum", &[(a, &[1, 0])], &one, 1, false);
        (a, build.pointwise("exp", &[single]))
    };
    let mut before = Build::default();
    let (a, exp) = ends(&mut before);
    let sum = before.reduce("sum", a);
    let mut build = Build::default();
    let (a, other) = ends(&mut build);
    let parts = [(0, 4), (4, 1)].map(|(first, size)| {
        let tile = build.slice(a, &[zero(), Expr::from(first)], &[1, size]);
        build.reduce("sum", tile)
    });
    let added = build.pointwise("add", &parts);
    proved(before.give(&[exp, sum]), build.give(&[other, added]));
}
