//! The time of proofs, by the number of operations.

use std::time::Instant;

use super::build::{Builder, ROWS};
use super::prove;
use crate::expr::{Expr, Var};
use crate::program::{Place, Program};

/// Blocks of a loop over windows with a chain of ten operations through the scratchpad, each block over the result of
/// the one before, in two tensors of the pool in turns.
fn blocks(operations: usize) -> Program {
    let mut of = Builder::new();
    let mut x = of.argument(0, [64, 64]);
    let count = operations / 10;
    for block in 0..count {
        let place = match (block + 1 == count, block % 2) {
            (true, _) => Place::Argument(1),
            (false, 0) => Place::Pool(0),
            (false, _) => Place::Pool(8192),
        };
        let full = of.empty([64, 64], place);
        let (id, carried) = of.begin(4, &[full]);
        let at = [Expr::from(Var::Counter(id)).times(16), 0.into()];
        let w = of.slice(x, at.clone(), [ROWS, 64]);
        let k = of.split(&[2, 1]).unary("exp", w, Place::Scratchpad(0));
        let mut y = k;
        for at in 0..8 {
            let place = Place::Scratchpad(1024 + 1024 * (at % 2));
            y = of.split(&[2, 1]).elementwise("add", &[y, k], place);
        }
        let last = of.split(&[2, 1]).unary("neg", y, Place::Window);
        let m = of.insert(last, carried[0], at);
        x = of.end(&[m])[0];
    }
    of.returns(&[x])
}

#[test]
fn a_long_program_takes_no_solver() {
    let report = prove(&blocks(480));
    assert!(report.is_proved());
    assert_eq!(report.operations, 480);
}

#[test]
#[ignore = "a measurement: cargo test --release -p spyre-proof -- --ignored --nocapture time_of"]
fn time_of_proofs() {
    for operations in [30, 120, 480, 2000, 8000] {
        let program = blocks(operations);
        let start = Instant::now();
        let report = prove(&program);
        let elapsed = start.elapsed();
        assert!(report.is_proved());
        println!(
            "{operations} operations: {elapsed:?}, {} answers",
            report.findings.len()
        );
    }
}
