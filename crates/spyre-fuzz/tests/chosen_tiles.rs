//! Random programs without hints, with tiles that `--spyre-choose-tiles` chooses.

use spyre_fuzz::{Checks, Runner, Size, Verdict, shrink};

const SEED: u64 = 2;
/// The programs that `cargo xtask ci` runs, and the first of them, which every run of the tests does.
const PROGRAMS: u64 = 1000;
const FIRST: u64 = 100;

#[test]
fn first_programs_with_chosen_tiles_compute_the_same() {
    compute_the_same(FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn programs_with_chosen_tiles_compute_the_same() {
    compute_the_same(PROGRAMS);
}

fn compute_the_same(programs: u64) {
    let runner = Runner::with_pass(
        "builtin.module(func.func(spyre-choose-tiles{goal=traffic},coarse-tile))",
    );
    let size = Size {
        operations: 9,
        ..Size::default()
    };
    let (mut passed, mut tiled_programs) = (0, 0);
    for number in 0..programs {
        let mut program = shrink::program(size, SEED, number);
        for operation in &mut program.operations {
            operation.hints.clear();
        }
        // A scratchpad too small for values, but not for some tiles; and few cores, so that runs
        // are fast.
        program.lx_bytes = Some(256 << (number % 4));
        program.cores = 1 + number % 3;
        match runner.run(&program, number, Checks::default()) {
            Verdict::Passed { tiled, .. } => {
                passed += 1;
                tiled_programs += u64::from(tiled);
            }
            Verdict::Refused { message, .. } => {
                assert!(
                    !message.starts_with("coarse-tile: "),
                    "number {number}: {message}"
                );
            }
            Verdict::Failed(failure) => panic!("number {number}: {failure:?}\n{program:?}"),
        }
    }
    println!("{passed} of {programs} passed, {tiled_programs} of them with loops");
    // The others have operations that the contract lacks: integers, products of f32.
    assert!(passed * 100 >= programs * 60, "{passed} passed");
    assert!(
        tiled_programs * 20 >= programs,
        "only {tiled_programs} have loops"
    );
}
