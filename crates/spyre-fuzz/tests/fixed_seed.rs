//! The same random programs in every run of the tests, and wrong passes that they must find.

use std::sync::Once;
use std::thread;

use melior::ir::operation::OperationLike as _;
use spyre_fuzz::{Checks, Phase, Runner, Size, Verdict, shrink};
use spyre_mlir_rt::ir::{self, Op, OpKind};
use spyre_mlir_rt::pass::{RustPass, register_pass};

const SEED: u64 = 1;
const PROGRAMS: u64 = 400;
const THREADS: u64 = 2;

/// Programs that may be refused, of a thousand: operations that the contract lacks, such as integer arithmetic and
/// products of `f32`, layouts that no copy changes, and tiles that would split sticks.
const REFUSED: u64 = 250;

#[test]
fn programs_compute_the_same_at_every_level() {
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .fold([0; 5], |sum: [u64; 5], counts| {
                std::array::from_fn(|at| sum[at] + counts[at])
            })
    });
    let [passed, tiled, refused, open, gathers] = counts;
    assert_eq!(passed + refused, PROGRAMS);
    assert!(refused * 1000 <= REFUSED * PROGRAMS, "{refused} refused");
    assert!(tiled * 8 >= PROGRAMS, "only {tiled} have loops");
    assert!(open * 16 >= PROGRAMS, "only {open} with an open dimension");
    assert!(gathers * 20 >= PROGRAMS, "only {gathers} with a gather");
}

/// The numbers of a thread's programs that passed, were tiled, were refused, ran with a dynamic dimension, and passed
/// with a gather.
fn count(thread: u64) -> [u64; 5] {
    let runner = Runner::new();
    let mut counts = [0; 5];
    for number in (0..PROGRAMS).filter(|number| number % THREADS == thread) {
        let checks = Checks {
            compile: number.is_multiple_of(8),
            unroll: true,
            open: true,
            plan: number.is_multiple_of(4),
            strict: false,
            prove: false,
        };
        let program = shrink::program(Size::default(), SEED, number);
        match runner.run(&program, number, checks) {
            Verdict::Passed { tiled, open, .. } => {
                counts[0] += 1;
                counts[1] += u64::from(tiled);
                counts[3] += u64::from(open > 0);
                counts[4] += u64::from(program.has_gathers());
            }
            Verdict::Refused { .. } => counts[2] += 1,
            Verdict::Failed(failure) => panic!("number {number}: {failure:?}\n{program}"),
        }
    }
    counts
}

const fn pass(argument: &'static str, run: RunFn) -> RustPass {
    RustPass {
        argument,
        summary: "A wrong pass",
        description: "",
        anchor: "func.func",
        options: &[],
        statistics: &[],
        dialects: Vec::new,
        run,
    }
}

type RunFn =
    for<'p> fn(&'p spyre_mlir_rt::pass::PassRun<'p>) -> Result<(), spyre_mlir_rt::pass::Failed>;

/// Exchanges the operands of every subtraction.
static SWAP: RustPass = pass("test-swap-subtraction", |run| {
    each(run.operation(), &mut |op| {
        if op.name().as_string_ref().as_str() == Ok("spyre.sub") {
            let operands: Vec<_> = op.operands().collect();
            ir::set_operand(op, 0, operands[1]);
            ir::set_operand(op, 1, operands[0]);
        }
    });
    Ok(())
});

/// Makes every loop one iteration shorter.
static SHORTEN: RustPass = pass("test-shorten-loops", |run| {
    let function = run.operation();
    each(function, &mut |op| {
        if ir::kind(op) == OpKind::For
            && let Some(count) = ir::constant_operand(op, 1)
            && let Some(body) = ir::function_body(function)
            && let Some(first) = ir::operations(body).next()
        {
            let at = ir::At::Before(first);
            let less = ir::build_index_constant(at, op.location(), count - 1);
            ir::set_operand(op, 1, less);
        }
    });
    Ok(())
});

fn each<'p>(op: Op<'p>, visit: &mut dyn FnMut(Op<'p>)) {
    visit(op);
    let Some(body) = ir::body(op) else { return };
    for inner in ir::operations(body) {
        each(inner, visit);
    }
}

#[test]
fn wrong_passes_are_found_and_the_programs_made_small() {
    static PASSES: Once = Once::new();
    let _context = spyre_exec::context();
    PASSES.call_once(|| [&SWAP, &SHORTEN].into_iter().for_each(register_pass));
    for pass in [&SWAP, &SHORTEN] {
        let argument = pass.argument;
        let runner = Runner::with_pass(&format!("builtin.module(func.func({argument}))"));
        let size = Size::default();
        let checks = Checks::default();
        let fails = |number: &u64| {
            let program = shrink::program(size, SEED, *number);
            matches!(runner.run(&program, *number, checks), Verdict::Failed(_))
        };
        let number = (0..400).find(fails).expect("a program that fails");
        let minimal = shrink::minimize(&runner, size, SEED, number, checks).expect("it fails");
        assert_eq!(minimal.failure.phase, Phase::Tile, "{argument}");
        let computed = minimal.program.operations.len();
        assert!(computed <= 2, "{argument}: {}", minimal.program);
    }
}
