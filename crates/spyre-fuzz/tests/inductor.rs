//! The same random graphs of loop nests in every run of the tests: what a scheduler decides changes no number.

use std::thread;

use melior::Context;
use melior::ir::Module;
use spyre_exec::random::Distribution;
use spyre_exec::{Array, Optimization, Options, Program};
use spyre_generate::inductor;
use spyre_mlir_rt::source::run_pipeline;

const SEED: u64 = 1;
const GRAPHS: u64 = 1500;
const THREADS: u64 = 2;

/// What happens to a graph before it is converted. Each graph has one of these, in turn.
const SCHEDULES: [&str; 5] = [
    "inductor.graph(inductor-decide-layout,inductor-simplify-index,inductor-simplify-loops)",
    "inductor-schedule{policy=cpp}",
    "inductor-schedule{policy=simd}",
    "inductor-schedule{policy=spyre}",
    "inductor.graph(inductor-split-reductions{processors=1 threads=64}),inductor-schedule{policy=cpp}",
];

#[test]
fn schedules_change_no_number() {
    spyre_all::register_all_passes();
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold([0; 2], |sum, counts| {
            [sum[0] + counts[0], sum[1] + counts[1]]
        })
    });
    let [kernels, merged] = counts;
    assert!(kernels * 5 >= GRAPHS, "only {kernels} graphs have kernels");
    assert!(
        merged * 4 >= GRAPHS,
        "only {merged} graphs have other loops"
    );
}

/// Runs the graphs of a thread. Returns how many of them have kernels, and how many have other loops than before.
fn count(thread: u64) -> [u64; 2] {
    let context = spyre_exec::context();
    context.enable_multi_threading(false);
    let mut counts = [0; 2];
    for number in (thread..GRAPHS).step_by(usize::try_from(THREADS).unwrap()) {
        let text = inductor::graph(SEED, number);
        let schedule = SCHEDULES[usize::try_from(number).unwrap() % SCHEDULES.len()];
        let module = parse(&context, &text, number);
        let plain = run(&context, &module, number);
        let module = parse(&context, &text, number);
        let pipeline = format!("builtin.module({schedule})");
        run_pipeline(&context, module.as_operation(), &pipeline)
            .unwrap_or_else(|why| panic!("graph {number}, {schedule}: {why}\n{text}"));
        let scheduled = module.as_operation().to_string();
        counts[0] += u64::from(scheduled.contains("inductor.kernel"));
        counts[1] += u64::from(scheduled.contains(" loops ["));
        let results = run(&context, &module, number);
        assert_eq!(plain.len(), results.len(), "graph {number}");
        for (plain, result) in plain.iter().zip(&results) {
            assert!(
                plain == result,
                "graph {number}, {schedule}: other numbers\n{text}\n{scheduled}"
            );
        }
    }
    counts
}

fn parse<'c>(context: &'c Context, text: &str, number: u64) -> Module<'c> {
    Module::parse(context, text).unwrap_or_else(|| panic!("graph {number} is not parsed\n{text}"))
}

/// Converts a graph and runs it.
fn run(context: &Context, module: &Module<'_>, number: u64) -> Vec<Array> {
    let text = module.as_operation().to_string();
    let pipeline = "builtin.module(convert-inductor-to-linalg)";
    run_pipeline(context, module.as_operation(), pipeline)
        .unwrap_or_else(|why| panic!("graph {number}: {why}\n{text}"));
    let program = Program::select(context, module.as_operation(), Some("f"));
    let program = program.unwrap_or_else(|why| panic!("graph {number}: {why}"));
    let inputs = program
        .random_inputs(Distribution::Integers(inductor::INPUT), number)
        .expect("inputs are small");
    let options = Options {
        optimization: Optimization::None,
        ..Options::default()
    };
    let executable = program.compile(context, options);
    let executable = executable.unwrap_or_else(|why| panic!("graph {number}: {why}\n{text}"));
    executable
        .run(&inputs)
        .unwrap_or_else(|why| panic!("graph {number}: {why}"))
}
