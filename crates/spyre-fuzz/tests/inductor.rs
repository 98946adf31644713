//! The same random graphs of loop nests in every run of the tests: decisions of a scheduler, the choice of buffers and
//! symbolic sizes do not change the results.

use std::sync::{Arc, Mutex};
use std::thread;

use melior::Context;
use melior::ir::Module;
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, SimulationOptions, of_module, simulate};
use spyre_exec::card::OnCard;
use spyre_exec::random::Distribution;
use spyre_exec::{Array, Optimization, Options, Program, Sizes};
use spyre_fuzz::admission::is_refused;
use spyre_generate::inductor;
use spyre_mlir_rt::source::{PipelineError, run_pipeline};
use spyre_sim::Bundle;

const SEED: u64 = 1;
/// The graphs that `cargo xtask ci` runs. Every run of the tests runs the first tenth of these and of the others below.
const GRAPHS: u64 = 1500;
const TENTH: u64 = 10;
const THREADS: u64 = 2;

/// The passes that run on a graph before it is converted. Each graph has one of these, in turn.
const SCHEDULES: [&str; 7] = [
    "inductor.graph(inductor-decide-layout,inductor-simplify-index,inductor-simplify-loops)",
    // Loops that are merged are read again.
    "inductor.graph(inductor-decide-layout,inductor-simplify-loops),inductor-schedule{policy=cpp}",
    "inductor-schedule{policy=cpp}",
    "inductor-schedule{policy=simd}",
    "inductor-schedule{policy=spyre}",
    "inductor.graph(inductor-split-reductions{processors=1 threads=64}),inductor-schedule{policy=cpp}",
    "inductor.graph(inductor-split-reductions),inductor-schedule{policy=cpp}",
];

#[test]
fn schedules_change_no_number_of_the_first() {
    schedules(GRAPHS / TENTH);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn schedules_change_no_number() {
    let [
        kernels,
        merged,
        in_two_steps,
        in_place,
        stored,
        loaded,
        ordered,
        kinds @ ..,
    ] = schedules(GRAPHS);
    assert!(kernels * 5 >= GRAPHS, "only {kernels} graphs have kernels");
    assert!(
        merged * 4 >= GRAPHS,
        "only {merged} graphs have other loops"
    );
    assert!(
        in_two_steps * 100 >= GRAPHS,
        "only {in_two_steps} graphs have variances in two steps"
    );
    assert!(
        in_place * 20 >= GRAPHS,
        "only {in_place} graphs write over buffers"
    );
    assert!(
        stored * 20 >= GRAPHS,
        "only {stored} graphs store through views"
    );
    assert!(
        loaded * 4 >= GRAPHS,
        "only {loaded} graphs load through views"
    );
    assert!(ordered * 4 >= GRAPHS, "only {ordered} graphs scan and sort");
    for ((kind, least), count) in KINDS.iter().zip(kinds) {
        println!("{count} graphs with {kind}");
        assert!(
            count * least >= GRAPHS,
            "only {count} graphs have {kind}, fewer than one in {least}"
        );
    }
}

/// Texts of operations and constants, and the number of graphs of which one has the text at least.
const KINDS: [(&str, u64); 9] = [
    // Scans of integers.
    ("^bb0(%a: i64, %b: i64)", 40),
    ("xor_sum", 100),
    ("argmax", 100),
    ("inductor.masked", 20),
    ("math.powf", 20),
    ("beta = 0", 100),
    // The infinities, and NaN.
    ("0x7F800000", 6),
    ("0xFF800000", 6),
    ("0x7FC00000", 12),
];

/// The number of counts before the kinds.
const COUNTS: usize = 7;

/// Runs `graphs` graphs, and counts them as [`count`] does.
fn schedules(graphs: u64) -> [u64; COUNTS + KINDS.len()] {
    spyre_all::register_all_passes();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread, graphs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold([0; COUNTS + KINDS.len()], |sum, counts| {
            std::array::from_fn(|at| sum[at] + counts[at])
        })
    })
}

/// Runs the graphs of a thread. Returns how many of them have kernels, how many have other loops than before, in how many variances are
/// computed in two steps, how many write over buffers, store through views, load through views, and scan or sort, and how
/// many have each of [`KINDS`].
fn count(thread: u64, graphs: u64) -> [u64; COUNTS + KINDS.len()] {
    let context = spyre_exec::context();
    context.enable_multi_threading(false);
    let mut counts = [0; COUNTS + KINDS.len()];
    for number in (thread..graphs).step_by(usize::try_from(THREADS).unwrap()) {
        let text = inductor::graph(SEED, number);
        let schedule = SCHEDULES[usize::try_from(number).unwrap() % SCHEDULES.len()];
        let module = parse(&context, &text, number);
        let plain = run(&context, &module, number);
        let module = parse(&context, &text, number);
        let pipeline = format!("builtin.module({schedule})");
        run_pipeline(&context, module.as_operation(), &pipeline)
            .unwrap_or_else(|err| panic!("graph {number}, {schedule}: {err}\n{text}"));
        let scheduled = module.as_operation().to_string();
        counts[0] += u64::from(scheduled.contains("inductor.kernel"));
        counts[1] += u64::from(scheduled.contains(" loops ["));
        let has = |text: &str| text.contains("welford_reduce");
        counts[2] += u64::from(has(&text) && !has(&scheduled));
        counts[3] += u64::from(text.contains(" into "));
        let in_view = |op: &str| {
            let mut lines = text.lines();
            lines.any(|line| line.contains(op) && line.contains(" view "))
        };
        counts[4] += u64::from(in_view("inductor.store"));
        counts[5] += u64::from(in_view("inductor.load"));
        counts[6] += u64::from(text.contains("inductor.scan") || text.contains("inductor.sort"));
        for (at, (kind, _)) in KINDS.iter().enumerate() {
            counts[COUNTS + at] += u64::from(text.contains(kind));
        }
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

/// The graphs of expressions.
const UNREALIZED: u64 = 600;

/// The passes that run on a graph of expressions before it is converted. Each graph has one of these, in turn.
const REALIZATIONS: [&str; 4] = [
    "inductor.graph(inductor-realize{policy=cpp})",
    "inductor.graph(inductor-realize{policy=simd})",
    "inductor.graph(inductor-realize{policy=cpp}),inductor-schedule{policy=cpp}",
    "inductor.graph(inductor-realize,inductor-split-reductions),inductor-schedule{policy=simd}",
];

#[test]
fn buffers_change_no_number_of_the_first() {
    buffers(UNREALIZED / TENTH);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn buffers_change_no_number() {
    buffers(UNREALIZED);
}

fn buffers(graphs: u64) {
    spyre_all::register_all_passes();
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count_nests(thread, graphs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold([0; 2], |sum, counts| {
            [sum[0] + counts[0], sum[1] + counts[1]]
        })
    });
    let [before, after] = counts;
    println!("{before} nests, {after} of them left");
    // Most are expressions, and some that are no outputs are buffers.
    assert!(after * 2 <= before, "{after} of {before} nests are left");
    assert!(after >= graphs * 2, "only {after} nests are left");
}

/// Runs the graphs of expressions of a thread. Returns how many nests there were, and how many are left.
fn count_nests(thread: u64, graphs: u64) -> [u64; 2] {
    let context = spyre_exec::context();
    context.enable_multi_threading(false);
    let mut counts = [0; 2];
    let nests = |text: &str| {
        let all = text.matches("inductor.pointwise").count();
        u64::try_from(all + text.matches("inductor.reduction").count()).unwrap()
    };
    for number in (thread..graphs).step_by(usize::try_from(THREADS).unwrap()) {
        let text = inductor::unrealized_graph(SEED, number);
        let realization = REALIZATIONS[usize::try_from(number).unwrap() % REALIZATIONS.len()];
        let plain = run(&context, &parse(&context, &text, number), number);
        let module = parse(&context, &text, number);
        let pipeline = format!("builtin.module({realization})");
        run_pipeline(&context, module.as_operation(), &pipeline)
            .unwrap_or_else(|err| panic!("graph {number}, {realization}: {err}\n{text}"));
        let realized = module.as_operation().to_string();
        counts[0] += nests(&text);
        counts[1] += nests(&realized);
        let results = run(&context, &module, number);
        assert!(
            plain == results,
            "graph {number}, {realization}: other numbers\n{text}\n{realized}"
        );
    }
    counts
}

/// The graphs with a symbolic size.
const OPEN_GRAPHS: u64 = 600;

/// Every graph with a number that this divides runs on the card.
const TO_CARD: u64 = 5;

#[test]
fn open_sizes_change_no_number_of_the_first() {
    let counts = open_sizes(OPEN_GRAPHS / TENTH);
    assert_eq!(counts.same, OPEN_GRAPHS / TENTH, "{counts:?}");
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn open_sizes_change_no_number() {
    let counts = open_sizes(OPEN_GRAPHS);
    println!("{counts:?}");
    assert_eq!(counts.same, OPEN_GRAPHS, "{counts:?}");
    let admitted = OPEN_GRAPHS - counts.not_admitted * TO_CARD;
    // Most are computed in `f32`, which has no copies of other sticks.
    assert!(counts.on_card * TO_CARD * 25 >= admitted, "{counts:?}");
    assert!(counts.reshaped * 40 >= OPEN_GRAPHS, "{counts:?}");
    assert!(counts.numbers * 10 >= OPEN_GRAPHS, "{counts:?}");
    // Most are no whole sticks.
    assert!(counts.split_once * 8 >= counts.split, "{counts:?}");
}

/// Runs `graphs` graphs with a symbolic size, and counts their outcomes.
fn open_sizes(graphs: u64) -> Open {
    spyre_all::register_all_passes();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count_open(thread, graphs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join().unwrap());
        counts.fold(Open::default(), |sum, count| Open {
            same: sum.same + count.same,
            on_card: sum.on_card + count.on_card,
            not_admitted: sum.not_admitted + count.not_admitted,
            reshaped: sum.reshaped + count.reshaped,
            numbers: sum.numbers + count.numbers,
            split: sum.split + count.split,
            split_once: sum.split_once + count.split_once,
            untiled: sum.untiled + count.untiled,
        })
    })
}

/// The numbers of graphs with a symbolic size, by their outcome.
#[derive(Debug, Default)]
struct Open {
    /// Graphs with the results of the graph with a static size.
    same: u64,
    /// Graphs with these results from one bundle as well.
    on_card: u64,
    /// Graphs that were tried on the card, with operations that its contract lacks.
    not_admitted: u64,
    /// Graphs that reshape the size with others.
    reshaped: u64,
    /// Graphs that compute a number from the size.
    numbers: u64,
    /// Graphs that ran on host and card, for two sizes of a range each.
    split: u64,
    /// Graphs that are counted in `split` and had bundles for every size.
    split_once: u64,
    /// Sizes for which the tiles of hints were left out.
    untiled: u64,
}

fn count_open(thread: u64, graphs: u64) -> Open {
    let context = spyre_exec::context();
    context.enable_multi_threading(false);
    let told = Arc::new(Mutex::new(Vec::new()));
    let messages = Arc::clone(&told);
    context.attach_diagnostic_handler(move |diagnostic| {
        messages.lock().unwrap().push(diagnostic.to_string());
        true
    });
    let mut counts = Open::default();
    for number in (thread..graphs).step_by(usize::try_from(THREADS).unwrap()) {
        let graph = OpenGraph {
            context: &context,
            number,
            text: inductor::open_graph(SEED, number),
            told: &told,
        };
        graph.count(&mut counts);
    }
    counts
}

/// A graph with a symbolic size.
struct OpenGraph<'c> {
    context: &'c Context,
    number: u64,
    text: String,
    /// The diagnostics of the context.
    told: &'c Mutex<Vec<String>>,
}

impl<'c> OpenGraph<'c> {
    /// Compares the results of the graph for some sizes, and counts.
    fn count(&self, counts: &mut Open) {
        let (number, text) = (self.number, &self.text);
        let [least, most] = inductor::OPEN_SIZES;
        self.told.lock().unwrap().clear();
        let open = self
            .convert(&format!("s77={least}:{most}"))
            .unwrap_or_else(|_| {
                let reason = self.told.lock().unwrap().concat();
                panic!("graph {number}: {reason}\n{text}")
            });
        counts.same += 1;
        let converted = open.as_operation().to_string();
        counts.reshaped += u64::from(converted.contains("tensor.reshape"));
        counts.numbers += u64::from(text.contains("%size ="));
        let card = (number % TO_CARD == 0)
            .then(|| card(self.context, &open, number))
            .flatten();
        counts.on_card += u64::from(card.is_some());
        if number % TO_CARD == 0 && card.is_none() {
            let told = self.told.lock().unwrap();
            counts.not_admitted += u64::from(told.iter().any(|message| is_refused(message)));
        }
        for size in [least, most] {
            let (inputs, expected) = self.reference(size);
            let program = self.program(&open, size);
            let results = executed(self.context, program, &inputs, number);
            assert!(
                expected == results,
                "graph {number} of size {size}: other numbers\n{text}\n{}",
                open.as_operation()
            );
            if let Some((device, bundle)) = &card {
                self.compare_on_card(device, bundle, size, &inputs, &expected);
            }
        }
        if number % TO_CARD == 1 || converted.contains("tensor.reshape") {
            for range in [inductor::OPEN_SIZES, IN_STICKS] {
                self.compare_split(range, counts);
            }
        }
    }

    fn convert(&self, sizes: &str) -> Result<Module<'c>, PipelineError> {
        let module = parse(self.context, &self.text, self.number);
        let pipeline = format!("builtin.module(convert-inductor-to-linalg{{sizes={sizes}}})");
        run_pipeline(self.context, module.as_operation(), &pipeline).map(|()| module)
    }

    /// Returns the inputs of the graph with a number for the size, and its results.
    fn reference(&self, size: u64) -> (Vec<Array>, Vec<Array>) {
        let fixed = self.convert(&format!("s77={size}"));
        let fixed = fixed.expect("a number is given");
        let fixed = Program::select(self.context, fixed.as_operation(), Some("f")).unwrap();
        let inputs = fixed.random_inputs(Distribution::Integers(inductor::INPUT), self.number);
        let inputs = inputs.expect("inputs are small");
        let expected = executed(self.context, fixed, &inputs, self.number);
        (inputs, expected)
    }

    /// Returns the program of a module for a size.
    fn program(&self, module: &Module<'_>, size: u64) -> Program<'c> {
        let (number, text) = (self.number, &self.text);
        let sizes = Sizes::from([("s77".to_owned(), size)]);
        let program = Program::select_sized(self.context, module.as_operation(), Some("f"), &sizes);
        program.unwrap_or_else(|err| panic!("graph {number}: {err}\n{text}"))
    }

    /// Compares the results of a bundle for a size, if it has the inputs of the graph.
    fn compare_on_card(
        &self,
        device: &Module<'c>,
        bundle: &Bundle,
        size: u64,
        inputs: &[Array],
        expected: &[Array],
    ) {
        let (number, text) = (self.number, &self.text);
        let program = self.program(device, size);
        let given = program.random_inputs(Distribution::Integers(0), 0);
        if given.expect("inputs are small").len() != inputs.len() {
            // Positions that it gathers by are arguments as well.
            return;
        }
        let interface = Interface::of_program(self.context, &program).expect("an interface");
        let simulation = simulate(bundle, &interface, inputs, SimulationOptions::default());
        let simulation = match simulation {
            Ok(simulation) => simulation,
            // Loops of several steps need a coarser granularity, and the bundle reports it.
            Err(err) => {
                let is_said = err.to_string().contains("not a positive multiple of");
                assert!(
                    is_said && size < inductor::OPEN_SIZES[1],
                    "graph {number} of size {size}: {err}"
                );
                return;
            }
        };
        assert!(
            simulation.report.is_clean(),
            "graph {number}: {}",
            simulation.report
        );
        assert!(
            expected == simulation.results,
            "graph {number} of size {size}: other numbers on the card\n{text}"
        );
    }

    /// Compares the results on host and card for both sizes of a range.
    fn compare_split(&self, range: [u64; 2], counts: &mut Open) {
        let (number, text) = (self.number, &self.text);
        self.told.lock().unwrap().clear();
        let [least, most] = range;
        let open = self.convert(&format!("s77={least}:{most}"));
        let open = open.expect("it was converted before");
        for size in range {
            let (inputs, expected) = self.reference(size);
            let sizes = Sizes::from([("s77".to_owned(), size)]);
            let actual = split(self.context, &open, &sizes, &inputs).unwrap_or_else(|reason| {
                let told = self.told.lock().unwrap().join("\n");
                panic!("graph {number} of size {size}: {reason}\n{told}\n{text}")
            });
            assert!(
                expected == actual,
                "graph {number} of size {size}: other numbers on host and card\n{text}"
            );
        }
        let told = self.told.lock().unwrap().concat();
        let is_once = !told.contains("and not for all");
        // The tiles are for all sizes, or along a size that a reshape merges.
        counts.untiled += told.matches("left out for these extents").count() as u64;
        // The host runs operations that the contract lacks, which may leave little for the card.
        let is_lacking = is_refused(&told) || told.contains("nothing of them is worth sending");
        counts.split += u64::from(is_once || !is_lacking);
        counts.split_once += u64::from(is_once);
    }
}

/// Sizes of whole sticks of `f32`.
const IN_STICKS: [u64; 2] = [32, 64];

/// Runs a program on host and card.
fn split(
    context: &Context,
    open: &Module<'_>,
    sizes: &Sizes,
    inputs: &[Array],
) -> Result<Vec<Array>, String> {
    let options = Options {
        optimization: Some(Optimization::None),
        ..Options::default()
    };
    let (module, simulation) = (open.as_operation(), SimulationOptions::default());
    let compiled = OnCard::compile(context, module, Some("f"), sizes, options, simulation);
    let outcome = compiled.map_err(|err| err.to_string())?.run(inputs);
    outcome
        .map(|outcome| outcome.results)
        .map_err(|err| err.to_string())
}

/// Returns the device operations of a program of linalg, and its bundle; `None` if it is not for the card alone.
fn card<'c>(context: &'c Context, open: &Module<'_>, number: u64) -> Option<(Module<'c>, Bundle)> {
    let device = parse(context, &open.as_operation().to_string(), number);
    let import = "builtin.module(spyre-import-linalg)";
    run_pipeline(context, device.as_operation(), import).ok()?;
    let planned = parse(context, &device.as_operation().to_string(), number);
    run_pipeline(
        context,
        planned.as_operation(),
        "builtin.module(spyre-pipeline)",
    )
    .ok()?;
    let bundle = of_module(context, planned.as_operation(), Addresses::Symbolic).ok()?;
    Some((device, bundle))
}

fn parse<'c>(context: &'c Context, text: &str, number: u64) -> Module<'c> {
    Module::parse(context, text).unwrap_or_else(|| panic!("graph {number} is not parsed\n{text}"))
}

/// Converts a graph and runs it.
fn run(context: &Context, module: &Module<'_>, number: u64) -> Vec<Array> {
    let text = module.as_operation().to_string();
    let pipeline = "builtin.module(convert-inductor-to-linalg)";
    run_pipeline(context, module.as_operation(), pipeline)
        .unwrap_or_else(|err| panic!("graph {number}: {err}\n{text}"));
    let program = Program::select(context, module.as_operation(), Some("f"));
    let program = program.unwrap_or_else(|err| panic!("graph {number}: {err}"));
    let inputs = program
        .random_inputs(Distribution::Integers(inductor::INPUT), number)
        .expect("inputs are small");
    executed(context, program, &inputs, number)
}

/// Compiles a program and runs it.
fn executed(context: &Context, program: Program<'_>, inputs: &[Array], number: u64) -> Vec<Array> {
    let options = Options {
        optimization: Some(Optimization::None),
        ..Options::default()
    };
    let executable = program.compile(context, options);
    let executable = executable.unwrap_or_else(|err| panic!("graph {number}: {err}"));
    executable
        .run(inputs)
        .unwrap_or_else(|err| panic!("graph {number}: {err}"))
}
