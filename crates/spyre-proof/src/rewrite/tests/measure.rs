//! The time of chains of operations: linear in their number.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use spyre_isl::Context;

use super::build::{Build, iv};
use super::{BUDGET, proved};
use crate::expr::Expr;
use crate::program::{Extent, ValueId};
use crate::rewrite::prove_rewrite;

/// A chain of pointwise operations and products, whole or in tiles of rows.
fn chain(operations: usize, is_tiled: bool) -> Build {
    let mut build = Build::default();
    let (mut a, weights) = (build.arg(&[256, 64]), build.arg(&[64, 64]));
    let step = |build: &mut Build, at: usize, rows: ValueId| match at % 3 {
        0 => build.pointwise("exp", &[rows]),
        1 => build.product(rows, weights),
        _ => build.pointwise("add", &[rows, rows]),
    };
    for at in 0..operations {
        a = match is_tiled {
            false => step(&mut build, at, a),
            true => build.in_tiles([256, 64], 64, |build, offset| {
                let rows = build.slice(a, &[offset, Expr::zero()], &[64, 64]);
                step(build, at, rows)
            }),
        };
    }
    build.give(&[a])
}

#[test]
fn time_is_linear_in_operations() {
    let time = |operations: usize| {
        let (before, after) = (chain(operations, false), chain(operations, true));
        let start = Instant::now();
        let report = proved(before, after);
        assert_eq!(report.operations, operations);
        let time = start.elapsed();
        println!("{operations} operations: {time:?}");
        time
    };
    let times: Vec<Duration> = [30, 120, 480].map(time).to_vec();
    // Sixteen times as many operations: quadratic time would be 256 times as long.
    assert!(times[2] < times[0] * 64, "{times:?}");
}

/// Returns the questions that the solver answers, and does not look up.
fn questions(operations: usize) -> usize {
    let context = Context::new(BUDGET);
    let count = Rc::new(Cell::new(0));
    let counted = Rc::clone(&count);
    context.listen(move |_| counted.set(counted.get() + 1));
    let (before, after) = (chain(operations, false), chain(operations, true));
    let report = prove_rewrite(&context, &before.program, &after.program);
    assert!(report.is_proved());
    count.get()
}

#[test]
fn equal_operations_are_proved_once() {
    let (some, many) = (questions(6), questions(60));
    assert!(some > 0);
    assert_eq!(
        many, some,
        "the questions of layers that differ in their tensors alone"
    );
}

/// Two layers, equal but for the windows of rows that they read: `windows` are the steps of their offsets.
fn layers(windows: [i64; 2]) -> Build {
    let mut build = Build::default();
    let mut rows = build.arg(&[256, 64]);
    for window in windows {
        let out = build.empty(&[256, 64]);
        let (id, carried) = build.enter(Extent::Fixed(256), 64, &[out]);
        let tile = build.slice(rows, &[iv(id, window), Expr::zero()], &[64, 64]);
        let tile = build.pointwise("exp", &[tile]);
        let next = build.insert(tile, carried[0], &[iv(id, 64), Expr::zero()]);
        rows = build.leave(&[next])[0];
    }
    build.give(&[rows])
}

#[test]
fn a_fault_in_one_of_two_equal_operations_is_refuted() {
    let whole = || {
        let mut build = Build::default();
        let a = build.arg(&[256, 64]);
        let first = build.pointwise("exp", &[a]);
        let second = build.pointwise("exp", &[first]);
        build.give(&[second])
    };
    proved(whole(), layers([64, 64]));
    for windows in [[32, 64], [64, 32]] {
        let context = Context::new(BUDGET);
        // What is right has been answered by the same context before.
        let right = prove_rewrite(&context, &whole().program, &layers([64, 64]).program);
        assert!(right.is_proved());
        let report = prove_rewrite(&context, &whole().program, &layers(windows).program);
        assert!(
            report.refuted().next().is_some(),
            "{windows:?}: {:#?}",
            report.findings
        );
    }
}
