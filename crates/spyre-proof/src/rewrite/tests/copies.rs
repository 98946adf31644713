//! Reductions of equal terms: how many copies of an element there are is no part of a maximum, and of a sum it is.

use spyre_isl::Context;

use super::build::Build;
use super::{BUDGET, proved, refuted};
use crate::expr::Expr;
use crate::program::{Extent, ValueId};
use crate::rewrite::prove_rewrite;

/// Reductions that are the same for any number of copies of their terms.
const IDEMPOTENT: [&str; 3] = ["max", "min", "absmax"];

/// Returns the exponentials of a reduction of `count` copies of each element, or of the elements.
fn of_copies(name: &str, count: Option<i64>) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[64]);
    let value = match count {
        Some(count) => {
            let space = [64, count].map(Extent::Fixed);
            build.op(name, &[(a, &[0])], &space, 1, false)
        }
        None => a,
    };
    let exp = build.pointwise("exp", &[value]);
    build.give(&[exp])
}

fn is_proved(before: &Build, after: &Build) -> bool {
    prove_rewrite(&Context::new(BUDGET), &before.program, &after.program).is_proved()
}

#[test]
fn the_largest_of_equal_numbers_is_the_number() {
    for name in ["max", "min"] {
        for before in [None, Some(1), Some(4), Some(8)] {
            for after in [None, Some(1), Some(4), Some(8)] {
                proved(of_copies(name, before), of_copies(name, after));
            }
        }
    }
}

#[test]
fn the_largest_magnitude_of_equal_numbers_is_no_number_of_them() {
    proved(of_copies("absmax", Some(8)), of_copies("absmax", Some(4)));
    refuted(of_copies("absmax", Some(8)), of_copies("absmax", None));
    assert!(!is_proved(
        &of_copies("absmax", None),
        &of_copies("absmax", Some(8))
    ));
}

#[test]
fn the_number_of_copies_is_a_part_of_sums_and_products() {
    for name in ["sum", "prod", "mean", "exx2"] {
        proved(of_copies(name, Some(8)), of_copies(name, Some(8)));
        for (before, after) in [(8, Some(4)), (4, Some(8)), (8, None)] {
            let (before, after) = (of_copies(name, Some(before)), of_copies(name, after));
            assert!(!is_proved(&before, &after), "{name}");
            assert!(!is_proved(&after, &before), "{name}");
        }
    }
}

/// Returns a reduction along the columns of `exp(a)`, of which each row is computed `copies` times; in tiles of `tile`
/// copies, which `combiner` combines, or in one step. The first row of the last tile is `last`.
fn of_rows(name: &str, [copies, tile]: [i64; 2], combiner: Option<&str>, last: i64) -> Build {
    let mut build = Build::default();
    let a = build.arg(&[4, 64]);
    let rows = |build: &mut Build, copies: i64, first: i64| -> ValueId {
        let rows = build.slice(a, &[first.into(), Expr::zero()], &[2, 64]);
        let space = [copies, 2, 64].map(Extent::Fixed);
        let exp = build.op("exp", &[(rows, &[1, 2])], &space, 0, false);
        let space = [64, copies, 2].map(Extent::Fixed);
        build.op(name, &[(exp, &[1, 2, 0])], &space, 2, false)
    };
    let Some(combiner) = combiner else {
        let result = rows(&mut build, copies, last);
        return build.give(&[result]);
    };
    let first = rows(&mut build, tile, 0);
    let (_, carried) = build.enter(Extent::Fixed(copies - 2 * tile), tile, &[first]);
    let part = rows(&mut build, tile, 0);
    let next = build.pointwise(combiner, &[carried[0], part]);
    let sum = build.leave(&[next])[0];
    let part = rows(&mut build, tile, last);
    let result = build.pointwise(combiner, &[sum, part]);
    build.give(&[result])
}

#[test]
fn copies_of_several_terms_are_one_each() {
    for (name, combiner) in [
        ("max", "maximum"),
        ("min", "minimum"),
        ("absmax", "maximum"),
    ] {
        let whole = |copies| of_rows(name, [copies, copies], None, 0);
        proved(whole(6), whole(8));
        proved(whole(8), of_rows(name, [8, 2], Some(combiner), 0));
        proved(whole(2), of_rows(name, [8, 2], Some(combiner), 0));
        // Row 2 is no row before.
        refuted(whole(8), of_rows(name, [8, 8], None, 1));
        assert!(!is_proved(
            &whole(8),
            &of_rows(name, [8, 2], Some(combiner), 1)
        ));
    }
    let whole = |copies| of_rows("sum", [copies, copies], None, 0);
    assert!(!is_proved(&whole(6), &whole(8)));
    assert!(!is_proved(
        &whole(6),
        &of_rows("sum", [8, 2], Some("add"), 0)
    ));
}

#[test]
fn the_largest_of_different_numbers_is_none_of_them() {
    let program = |name: Option<&str>, first: i64| {
        let mut build = Build::default();
        let a = build.arg(&[64, 2]);
        let column = build.slice(a, &[Expr::zero(), first.into()], &[64, 1]);
        let value = match name {
            Some(name) => build.reduce(name, a),
            None => build.op(
                "copy",
                &[(column, &[0, -1])],
                &[64].map(Extent::Fixed),
                0,
                true,
            ),
        };
        let exp = build.pointwise("exp", &[value]);
        build.give(&[exp])
    };
    for name in IDEMPOTENT {
        for column in [0, 1] {
            refuted(program(Some(name), 0), program(None, column));
        }
    }
}

#[test]
fn copies_that_a_loop_computes_again_are_one() {
    // The tile is the same in each iteration.
    let program = |name: &str, count: i64| {
        let mut build = Build::default();
        let a = build.arg(&[64]);
        let least = build.fill("0xfc00", &[64]);
        let (_, carried) = build.enter(Extent::Fixed(count), 1, &[least]);
        let exp = build.pointwise("exp", &[a]);
        let space = [64, 4].map(Extent::Fixed);
        let part = build.op("max", &[(exp, &[0])], &space, 1, false);
        let next = build.pointwise(name, &[carried[0], part]);
        let result = build.leave(&[next]);
        build.give(&result)
    };
    let whole = |count: i64| {
        let mut build = Build::default();
        let a = build.arg(&[64]);
        let exp = build.pointwise("exp", &[a]);
        let space = [64, count].map(Extent::Fixed);
        let result = build.op("max", &[(exp, &[0])], &space, 1, false);
        build.give(&[result])
    };
    proved(whole(12), program("maximum", 3));
    proved(whole(5), program("maximum", 3));
    assert!(!is_proved(&whole(12), &program("add", 3)));
}

#[test]
fn parts_of_a_sum_of_copies_are_not_refuted() {
    // Each tile has some of the copies, and which ones is not determined.
    let program = |tiles: i64| {
        let mut build = Build::default();
        let a = build.arg(&[64]);
        let space = [64, 6 / tiles].map(Extent::Fixed);
        let zeros = build.fill("0x0000", &[64]);
        let (_, carried) = build.enter(Extent::Fixed(tiles), 1, &[zeros]);
        let part = build.op("sum", &[(a, &[0])], &space, 1, false);
        let next = build.pointwise("add", &[carried[0], part]);
        let result = build.leave(&[next]);
        build.give(&result)
    };
    let mut whole = Build::default();
    let a = whole.arg(&[64]);
    let space = [64, 6].map(Extent::Fixed);
    let sum = whole.op("sum", &[(a, &[0])], &space, 1, false);
    let whole = whole.give(&[sum]);
    for tiles in [2, 3, 6] {
        let program = program(tiles).program;
        let report = prove_rewrite(&Context::new(BUDGET), &whole.program, &program);
        assert!(!report.is_proved());
        assert!(report.refuted().next().is_none(), "{:#?}", report.findings);
    }
}
