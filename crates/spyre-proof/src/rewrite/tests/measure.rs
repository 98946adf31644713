//! The time of chains of operations: linear in their number.

use std::time::{Duration, Instant};

use super::build::Build;
use super::proved;
use crate::expr::Expr;
use crate::program::ValueId;

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
