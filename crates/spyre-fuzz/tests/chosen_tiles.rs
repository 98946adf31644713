//! Random programs without hints, with tiles that `--spyre-choose-tiles` chooses.

use spyre_fuzz::{Checks, Runner, Size, Verdict, shrink};

const SEED: u64 = 2;
const PROGRAMS: u64 = 1000;

#[test]
fn programs_with_chosen_tiles_compute_the_same() {
    let runner = Runner::with_pass(
        "builtin.module(func.func(spyre-choose-tiles{goal=traffic},coarse-tile))",
    );
    let size = Size {
        operations: 9,
        ..Size::default()
    };
    let (mut passed, mut tiled_programs) = (0, 0);
    for number in 0..PROGRAMS {
        let mut program = shrink::program(size, SEED, number);
        for operation in &mut program.operations {
            operation.hints.clear();
        }
        // So little that values do not fit, and some tiles do; and few cores, so that runs cost little.
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
    println!("{passed} of {PROGRAMS} passed, {tiled_programs} of them with loops");
    assert!(passed * 100 >= PROGRAMS * 98, "{passed} passed");
    assert!(
        tiled_programs * 10 >= PROGRAMS,
        "only {tiled_programs} have loops"
    );
}
