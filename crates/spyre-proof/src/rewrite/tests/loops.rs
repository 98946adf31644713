//! Loops that compute what the program before computes at once.

use super::build::{Build, iv};
use super::proved;
use crate::expr::{Expr, Var};
use crate::program::{Extent, ValueId};

fn zero() -> Expr {
    Expr::zero()
}

fn add_exp() -> Build {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[256, 64]), build.arg(&[256, 64]));
    let sum = build.pointwise("add", &[a, b]);
    let exp = build.pointwise("exp", &[sum]);
    build.give(&[exp])
}

#[test]
fn the_same_program() {
    let report = proved(add_exp(), add_exp());
    assert_eq!(report.operations, 2);
    assert_eq!(report.reassociated, 0);
}

#[test]
fn pointwise_in_tiles_with_operands_exchanged() {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[256, 64]), build.arg(&[256, 64]));
    let out = build.in_tiles([256, 64], 64, |build, at| {
        let tiles = [b, a].map(|of| build.slice(of, &[at.clone(), zero()], &[64, 64]));
        let sum = build.pointwise("add", &tiles);
        let sum = build.copy(sum);
        build.pointwise("exp", &[sum])
    });
    proved(add_exp(), build.give(&[out]));
}

#[test]
fn pointwise_in_two_loops_with_a_ragged_rest() {
    let before = || {
        let mut build = Build::default();
        let (a, b) = (build.arg(&[70, 96]), build.arg(&[1, 96]));
        let space = [70, 96].map(Extent::Fixed);
        let sum = build.op("add", &[(a, &[0, 1]), (b, &[-1, 1])], &space, 0, false);
        let exp = build.pointwise("exp", &[sum]);
        (build, exp)
    };
    let mut build = Build::default();
    let (a, b) = (build.arg(&[70, 96]), build.arg(&[1, 96]));
    let out = build.empty(&[70, 96]);
    let (rows, outer) = build.enter(Extent::Fixed(64), 16, &[out]);
    let (columns, inner) = build.enter(Extent::Fixed(96), 32, &[outer[0]]);
    let tile = |build: &mut Build, rows: Expr, columns: Expr, size: [i64; 2]| {
        let a = build.slice(a, &[rows, columns.clone()], &size);
        let b = build.slice(b, &[zero(), columns], &[1, size[1]]);
        let space = size.map(Extent::Fixed);
        let sum = build.op("add", &[(a, &[0, 1]), (b, &[-1, 1])], &space, 0, false);
        build.pointwise("exp", &[sum])
    };
    let whole = tile(&mut build, iv(rows, 16), iv(columns, 32), [16, 32]);
    let next = build.insert(whole, inner[0], &[iv(rows, 16), iv(columns, 32)]);
    let inner = build.leave(&[next]);
    let outer = build.leave(&inner);
    let rest = tile(&mut build, 64.into(), zero(), [6, 96]);
    let out = build.insert(rest, outer[0], &[64.into(), zero()]);
    let (first, exp) = before();
    proved(first.give(&[exp]), build.give(&[out]));
}

fn product(shape: [i64; 3]) -> Build {
    let mut build = Build::default();
    let (a, b) = (
        build.arg(&[shape[0], shape[1]]),
        build.arg(&[shape[1], shape[2]]),
    );
    let product = build.product(a, b);
    let exp = build.pointwise("exp", &[product]);
    build.give(&[exp])
}

/// A product with K in tiles of a loop: `upper` is where the loop ends.
pub(super) fn product_over_k(shape: [i64; 3], step: i64, upper: i64, start: &str) -> Build {
    let mut build = Build::default();
    let (a, b) = (
        build.arg(&[shape[0], shape[1]]),
        build.arg(&[shape[1], shape[2]]),
    );
    let zeros = build.fill(start, &[shape[0], shape[2]]);
    let (k, carried) = build.enter(Extent::Fixed(upper), step, &[zeros]);
    let left = build.slice(a, &[zero(), iv(k, step)], &[shape[0], step]);
    let right = build.slice(b, &[iv(k, step), zero()], &[step, shape[2]]);
    let part = build.product(left, right);
    let sum = build.pointwise("add", &[carried[0], part]);
    let sum = build.leave(&[sum])[0];
    let exp = build.pointwise("exp", &[sum]);
    build.give(&[exp])
}

#[test]
fn a_product_with_k_in_tiles() {
    let report = proved(
        product([64, 256, 128]),
        product_over_k([64, 256, 128], 64, 256, "0x0000"),
    );
    assert_eq!(report.reassociated, 1);
}

#[test]
fn a_product_with_one_tile_of_k() {
    proved(
        product([64, 64, 128]),
        product_over_k([64, 64, 128], 64, 64, "0x0000"),
    );
}

#[test]
fn an_accumulator_of_both_programs() {
    let shape = [64, 256, 128];
    let before = product_over_k(shape, 64, 256, "0x0000");
    proved(before, product_over_k(shape, 64, 256, "0x0000"));
}

/// A sum over two loops, whose inner one starts from the tensor of the outer one.
#[test]
fn a_product_with_k_in_tiles_of_two_loops() {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 256]), build.arg(&[256, 128]));
    let zeros = build.fill("0x0000", &[64, 128]);
    let (outer, first) = build.enter(Extent::Fixed(256), 128, &[zeros]);
    let (inner, second) = build.enter(Extent::Fixed(128), 32, &[first[0]]);
    let at = iv(outer, 128).plus(&iv(inner, 32));
    let left = build.slice(a, &[zero(), at.clone()], &[64, 32]);
    let right = build.slice(b, &[at, zero()], &[32, 128]);
    let part = build.product(left, right);
    let sum = build.pointwise("add", &[second[0], part]);
    let inner = build.leave(&[sum]);
    let sum = build.leave(&inner)[0];
    let exp = build.pointwise("exp", &[sum]);
    let report = proved(product([64, 256, 128]), build.give(&[exp]));
    assert_eq!(report.reassociated, 1);
}

/// The sum stays in windows of a carried tensor: K outside, rows inside.
fn product_in_windows() -> Build {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 256]), build.arg(&[256, 128]));
    let zeros = build.fill("0x0000", &[64, 128]);
    let (k, outer) = build.enter(Extent::Fixed(256), 64, &[zeros]);
    let (rows, inner) = build.enter(Extent::Fixed(64), 16, &[outer[0]]);
    let left = build.slice(a, &[iv(rows, 16), iv(k, 64)], &[16, 64]);
    let right = build.slice(b, &[iv(k, 64), zero()], &[64, 128]);
    let part = build.product(left, right);
    let old = build.slice(inner[0], &[iv(rows, 16), zero()], &[16, 128]);
    let sum = build.pointwise("add", &[old, part]);
    let next = build.insert(sum, inner[0], &[iv(rows, 16), zero()]);
    let inner = build.leave(&[next]);
    let sum = build.leave(&inner)[0];
    let exp = build.pointwise("exp", &[sum]);
    build.give(&[exp])
}

#[test]
fn a_product_in_windows_of_a_carried_tensor() {
    proved(product([64, 256, 128]), product_in_windows());
    proved(product_in_windows(), product_in_windows());
}

#[test]
fn parts_that_are_added_without_a_loop() {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 96]), build.arg(&[96, 128]));
    let parts = [(0, 64), (64, 32)].map(|(at, size)| {
        let left = build.slice(a, &[zero(), at.into()], &[64, size]);
        let right = build.slice(b, &[at.into(), zero()], &[size, 128]);
        build.product(left, right)
    });
    let sum = build.pointwise("add", &parts);
    let exp = build.pointwise("exp", &[sum]);
    proved(product([64, 96, 128]), build.give(&[exp]));
}

#[test]
fn the_maximum_of_rows_in_tiles() {
    let mut before = Build::default();
    let a = before.arg(&[64, 256]);
    let max = before.reduce("max", a);
    let mut build = Build::default();
    let a = build.arg(&[64, 256]);
    let least = build.fill("0xfc00", &[64]);
    let (id, carried) = build.enter(Extent::Fixed(256), 64, &[least]);
    let tile = build.slice(a, &[zero(), iv(id, 64)], &[64, 64]);
    let part = build.reduce("max", tile);
    let next = build.pointwise("maximum", &[part, carried[0]]);
    let after = build.leave(&[next])[0];
    proved(before.give(&[max]), build.give(&[after]));
}

#[test]
fn views_and_restickifies() {
    let transposed = |build: &mut Build, a: ValueId| {
        let e = |at: u32| Expr::from(Var::Element(at));
        let view = build.view(a, &[64, 256], vec![e(1), e(0)]);
        // Split of rows, and back again.
        let split = build.view(view, &[4, 16, 256], vec![e(0).times(16).plus(&e(1)), e(2)]);
        let whole = vec![e(0).floor_div(16), e(0).modulo(16), e(1)];
        (split, whole)
    };
    let mut before = Build::default();
    let a = before.arg(&[256, 64]);
    let (split, whole) = transposed(&mut before, a);
    let exp = before.pointwise("exp", &[split]);
    let back = before.view(exp, &[64, 256], whole);
    let mut build = Build::default();
    let a = build.arg(&[256, 64]);
    let out = build.in_tiles([64, 256], 16, |build, at| {
        let rows = build.slice(a, &[zero(), at], &[256, 16]);
        let space = [16, 256].map(Extent::Fixed);
        let moved = build.op("restickify", &[(rows, &[1, 0])], &space, 0, true);
        build.pointwise("exp", &[moved])
    });
    proved(before.give(&[back]), build.give(&[out]));
}

/// Attention with carried maxima and sums, as written by hand: `steps` copies of each tile, rows in tiles or at once.
fn flash(tile: Option<i64>) -> Build {
    let mut build = Build::default();
    let (scores, values) = (build.arg(&[64, 256]), build.arg(&[256, 64]));
    let least = build.fill("0xfc00", &[64]);
    let none = build.fill("0x0000", &[64, 64]);
    let (id, carried) = build.enter(Extent::Fixed(256), 64, &[least, none]);
    let keys = build.slice(scores, &[zero(), iv(id, 64)], &[64, 64]);
    let keys = if tile.is_some() {
        build.copy(keys)
    } else {
        keys
    };
    let largest = build.reduce("max", keys);
    let next = build.pointwise("maximum", &[carried[0], largest]);
    let space = [64, 64].map(Extent::Fixed);
    let scale = |build: &mut Build, tile: ValueId, by: ValueId| {
        build.op("sub", &[(tile, &[0, 1]), (by, &[0])], &space, 0, false)
    };
    let weights = match tile {
        None => {
            let shifted = scale(&mut build, keys, next);
            build.pointwise("exp", &[shifted])
        }
        Some(step) => build.in_tiles([64, 64], step, |build, at| {
            let rows = build.slice(keys, &[at.clone(), zero()], &[step, 64]);
            let by = build.slice(next, &[at], &[step]);
            let space = [step, 64].map(Extent::Fixed);
            let shifted = build.op("sub", &[(rows, &[0, 1]), (by, &[0])], &space, 0, false);
            build.pointwise("exp", &[shifted])
        }),
    };
    let tile = build.slice(values, &[iv(id, 64), zero()], &[64, 64]);
    let part = build.product(weights, tile);
    let old = scale(&mut build, carried[1], next);
    let sum = build.pointwise("add", &[old, part]);
    let after = build.leave(&[next, sum]);
    let out = scale(&mut build, after[1], after[0]);
    build.give(&[out])
}

#[test]
fn loops_of_both_programs_are_equal_by_induction() {
    proved(flash(None), flash(Some(16)));
}

#[test]
fn padding_of_k_with_zeros_is_absorbed() {
    let mut build = Build::default();
    let (a, b) = (build.arg(&[64, 96]), build.arg(&[96, 128]));
    let zeros = build.fill("0x0000", &[64, 128]);
    let padded = build.insert(a, zeros, &[zero(), zero()]);
    let zeros = build.fill("0x0000", &[128, 128]);
    let right = build.insert(b, zeros, &[zero(), zero()]);
    let product_ = build.product(padded, right);
    let exp = build.pointwise("exp", &[product_]);
    let report = proved(product([64, 96, 128]), build.give(&[exp]));
    assert!(
        report
            .assumptions
            .contains(&crate::claim::Assumption::FiniteTerms)
    );
}

#[test]
fn dynamic_rows_in_tiles() {
    let start = || {
        let mut build = Build::default();
        let rows = build.param(64, 2048);
        let a = build.arg_of(vec![rows, Extent::Fixed(64)]);
        (build, rows, a)
    };
    let (mut before, _, a) = start();
    let exp = before.pointwise("exp", &[a]);
    let (mut build, rows, a) = start();
    let out = build.empty_of(vec![rows, Extent::Fixed(64)]);
    let (id, carried) = build.enter(rows, 64, &[out]);
    let tile = build.slice(a, &[iv(id, 64), zero()], &[64, 64]);
    let tile = build.pointwise("exp", &[tile]);
    let next = build.insert(tile, carried[0], &[iv(id, 64), zero()]);
    let out = build.leave(&[next]);
    proved(before.give(&[exp]), build.give(&out));
}

#[test]
fn equal_operations_of_the_program_before_are_one() {
    let mut before = Build::default();
    let a = before.arg(&[64, 64]);
    let twice = [0, 1].map(|_| before.pointwise("exp", &[a]));
    let sum = before.pointwise("add", &twice);
    let mut build = Build::default();
    let a = build.arg(&[64, 64]);
    let exp = build.pointwise("exp", &[a]);
    let sum_after = build.pointwise("add", &[exp, exp]);
    proved(before.give(&[sum]), build.give(&[sum_after]));
}

/// All columns of the broadcast operation are equal, so either column may be read.
#[test]
fn equal_elements_of_one_operation_are_one() {
    let program = |column: i32| {
        let mut build = Build::default();
        let (a, b) = (build.arg(&[64, 1]), build.arg(&[64, 64]));
        let space = [64, 64].map(Extent::Fixed);
        let wide = build.op("exp", &[(a, &[0, -1])], &space, 0, false);
        let sum = build.op(
            "add",
            &[(wide, &[0, column]), (b, &[0, 1])],
            &space,
            0,
            false,
        );
        build.give(&[sum])
    };
    proved(program(1), program(-1));
    proved(program(-1), program(1));
}

#[test]
fn what_no_result_depends_on_may_differ() {
    let mut before = Build::default();
    let a = before.arg(&[64, 64]);
    let exp = before.pointwise("exp", &[a]);
    let mut build = Build::default();
    let a = build.arg(&[64, 64]);
    let unused = build.pointwise("log", &[a]);
    build.pointwise("tanh", &[unused]);
    let after = build.pointwise("exp", &[a]);
    let report = proved(before.give(&[exp]), build.give(&[after]));
    assert_eq!(
        report.unused, 2,
        "no claim about operations that nothing depends on"
    );
}

/// Both operations of the program before compute the first 64 rows: either one is an answer.
#[test]
fn operations_that_are_equal_in_part_are_one_there() {
    let program = |is_tiled: bool| {
        let mut build = Build::default();
        let a = build.arg(&[128, 64]);
        let rows = build.slice(a, &[zero(), zero()], &[64, 64]);
        let first = build.pointwise("exp", &[rows]);
        let all = match is_tiled {
            false => build.pointwise("exp", &[a]),
            true => build.in_tiles([128, 64], 32, |build, at| {
                let rows = build.slice(a, &[at, zero()], &[32, 64]);
                build.pointwise("exp", &[rows])
            }),
        };
        build.give(&[first, all])
    };
    proved(program(false), program(true));
}

#[test]
fn a_sum_over_dynamic_k_in_tiles() {
    let start = || {
        let mut build = Build::default();
        let k = build.param(64, 1024);
        let a = build.arg_of(vec![Extent::Fixed(64), k]);
        (build, k, a)
    };
    let (mut before, _, a) = start();
    let sum = before.reduce("sum", a);
    let (mut build, k, a) = start();
    let zeros = build.fill("0x0000", &[64]);
    let (id, carried) = build.enter(k, 64, &[zeros]);
    let tile = build.slice(a, &[zero(), iv(id, 64)], &[64, 64]);
    let part = build.reduce("sum", tile);
    let next = build.pointwise("add", &[carried[0], part]);
    let out = build.leave(&[next]);
    proved(before.give(&[sum]), build.give(&out));
}

/// The last window overlaps the one before: its rows are computed again, through two operations.
#[test]
fn rows_that_are_computed_again_are_no_fault() {
    let mut build = Build::default();
    let a = build.arg(&[96, 64]);
    let out = build.empty(&[96, 64]);
    let (id, carried) = build.enter(Extent::Fixed(96), 32, &[out]);
    // Windows of 64 rows at 0, 32 and, since the tensor ends, at 32 again.
    let at = iv(id, 32).minus(&Expr::from(Var::Counter(id)).floor_div(2).times(32));
    let rows = build.slice(a, &[at.clone(), zero()], &[64, 64]);
    let exp = build.pointwise("exp", &[rows]);
    let sum = build.reduce("sum", exp);
    let space = [64, 64].map(Extent::Fixed);
    let scaled = build.op("mul", &[(exp, &[0, 1]), (sum, &[0])], &space, 0, false);
    let next = build.insert(scaled, carried[0], &[at, zero()]);
    let out = build.leave(&[next]);
    let after = build.give(&out);
    let report =
        crate::rewrite::prove_coverage(&spyre_isl::Context::new(super::BUDGET), &after.program);
    assert!(report.is_proved(), "{report:#?}");
    let mut before = Build::default();
    let a = before.arg(&[96, 64]);
    let exp = before.pointwise("exp", &[a]);
    let sum = before.reduce("sum", exp);
    let space = [96, 64].map(Extent::Fixed);
    let scaled = before.op("mul", &[(exp, &[0, 1]), (sum, &[0])], &space, 0, false);
    proved(before.give(&[scaled]), after);
}

/// The larger one of a number and itself is the number, but the program before has the operation.
#[test]
fn a_whole_maximum_that_is_combined_with_itself() {
    let program = |is_tiled: bool| {
        let mut build = Build::default();
        let a = build.arg(&[64, 256]);
        let max = match is_tiled {
            false => build.reduce("max", a),
            true => {
                let least = build.fill("0xfc00", &[64]);
                let (id, carried) = build.enter(Extent::Fixed(256), 64, &[least]);
                let tile = build.slice(a, &[zero(), iv(id, 64)], &[64, 64]);
                let part = build.reduce("max", tile);
                let next = build.pointwise("maximum", &[part, carried[0]]);
                build.leave(&[next])[0]
            }
        };
        let twice = build.pointwise("maximum", &[max, max]);
        build.give(&[twice])
    };
    proved(program(false), program(true));
}

/// A mean in tiles: means of tiles times one over their number, or a sum that is divided at the end.
#[test]
fn a_mean_in_tiles() {
    let program = |tile: Option<&str>| {
        let mut build = Build::default();
        let a = build.arg(&[64, 256]);
        let Some(name) = tile else {
            let mean = build.reduce("mean", a);
            return build.give(&[mean]);
        };
        let zeros = build.fill("0x0000", &[64]);
        // 1/4, and 256.
        let (quarter, count) = (build.fill("0x3400", &[64]), build.fill("0x5c00", &[64]));
        let (id, carried) = build.enter(Extent::Fixed(256), 64, &[zeros]);
        let rows = build.slice(a, &[zero(), iv(id, 64)], &[64, 64]);
        let mut part = build.reduce(name, rows);
        if name == "mean" {
            part = build.pointwise("mul", &[part, quarter]);
        }
        let next = build.pointwise("add", &[carried[0], part]);
        let mut out = build.leave(&[next])[0];
        if name == "sum" {
            out = build.pointwise("realdiv", &[out, count]);
        }
        build.give(&[out])
    };
    proved(program(None), program(Some("mean")));
    proved(program(None), program(Some("sum")));
}
