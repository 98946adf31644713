//! Every program of the tests that runs on the CPU runs with the card, and computes the same there. So do programs of all generators.

mod programs;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use melior::Context;
use melior::ir::Module;
use spyre_bundle::import::uop_program;
use spyre_exec::bundle::SimulationOptions;
use spyre_exec::card::OnCard;
use spyre_exec::random::{Distribution, PowerOfTwo};
use spyre_exec::sizes::largest;
use spyre_exec::{Options, Program, Sizes, Tolerance, compare, graphs};
use spyre_fuzz::uop::Case;
use spyre_fuzz::{Size, shrink};
use spyre_generate::{inductor, linalg};
use spyre_uop::schema::{self, File};

use programs::{each_module_below, names};

/// Where programs are.
const DIRECTORIES: [&str; 2] = ["test", "examples"];

/// Most elements of a tensor. The large ones are run by tests of their own.
const MOST_ELEMENTS: usize = 1 << 14;

/// How far results may be apart: chains of 16 bits that are computed in `f32` on the CPU are rounded on the way.
const ALLOWED: Tolerance = Tolerance {
    ulps: 8,
    relative: 2e-2,
};

/// The numbers of programs.
#[derive(Debug, Default)]
struct Counts {
    /// Those that ran on the CPU.
    on_cpu: usize,
    /// Those with a part on the card.
    on_card: usize,
}

/// Programs that differ, and why.
const EXCEPTIONS: [(&str, &str); 3] = [
    // Rows of equal elements: the moments of `spyre.exx2` are rounded to 16 bits, as its page says.
    ("test/Integration/moments.mlir", "expression"),
    // Indices outside of the table, which have no element: NaN on the CPU, a fault on the card.
    ("test/Tools/spyre-run/indices-out-of-range.mlir", "f"),
    ("test/Transforms/scratchpad-planning/remarks.mlir", "gather"),
];

const THREADS: usize = 2;

#[test]
fn what_runs_on_the_cpu_runs_with_the_card() {
    let found = thread::scope(|scope| {
        let workers: [_; THREADS] =
            std::array::from_fn(|thread| scope.spawn(move || share(thread)));
        workers.map(|worker| worker.join().expect("a share of the programs"))
    });
    let mut failures = BTreeMap::new();
    let (mut on_cpu, mut on_card) = (0, 0);
    for (counts, failed) in found {
        on_cpu += counts.on_cpu;
        on_card += counts.on_card;
        failures.extend(failed);
    }
    println!("{on_cpu} ran on the CPU, {on_card} of them with a part on the card");
    for ((file, name), why) in &failures {
        println!("{file}: @{name}: {why}");
    }
    let failed: Vec<(&str, &str)> = failures
        .keys()
        .map(|(file, name)| (&**file, &**name))
        .collect();
    assert_eq!(failed, EXCEPTIONS);
    // Fewer than there were when this was written, so that none is left out by mistake.
    assert!(on_cpu >= 1050 && on_card >= 550, "{on_cpu}, {on_card}");
}

/// The programs of each generator that every run of the tests draws, and those of `cargo xtask ci`.
const FIRST: u64 = 60;
const DRAWN: u64 = 1500;

const SEED: u64 = 11;

#[test]
fn first_drawn_programs_run_with_the_card() {
    drawn_with_card(FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn drawn_programs_run_with_the_card() {
    drawn_with_card(DRAWN);
}

/// The generators, and the modules that they draw.
const GENERATORS: [(&str, Generator); 4] = [
    ("spyre", |number| {
        shrink::program(Size::default(), SEED, number).to_mlir(true)
    }),
    ("linalg", |number| linalg::program(SEED, number).text),
    ("inductor", |number| inductor::graph(SEED, number)),
    ("uop", |number| uop_module(&Case::new(SEED, number).file)),
];

type Generator = fn(u64) -> String;

/// Returns the module of a tensor program.
fn uop_module(file: &File) -> String {
    let context = spyre_exec::context();
    context.load_all_available_dialects();
    let text = schema::write(file);
    let module =
        uop_program(&context, "drawn", text.as_bytes()).expect("the generator draws graphs");
    module.as_operation().to_string()
}

/// Draws so many programs of each generator, and runs those that run on the CPU with the card.
fn drawn_with_card(programs: u64) {
    thread::scope(|scope| {
        for thread in 0..THREADS as u64 {
            scope.spawn(move || {
                for (generator, draw) in GENERATORS {
                    let mut counts = Counts::default();
                    for number in (thread..programs).step_by(THREADS) {
                        run_drawn(generator, number, &draw(number), &mut counts);
                    }
                    println!("{generator}: {counts:?}");
                    let count = usize::try_from(programs).expect("programs are few") / THREADS;
                    assert!(counts.on_cpu * 2 >= count, "{generator}: {counts:?}");
                    assert!(counts.on_card > 0, "{generator}: {counts:?}");
                }
            });
        }
    });
}

fn run_drawn(generator: &str, number: u64, text: &str, counts: &mut Counts) {
    let context = spyre_exec::context();
    context.attach_diagnostic_handler(|_| true);
    let module = Module::parse(&context, text);
    let module = module.unwrap_or_else(|| panic!("{generator} {number}:\n{text}"));
    graphs::convert(&context, module.as_operation(), &Sizes::new(), &[])
        .unwrap_or_else(|why| panic!("{generator} {number}: {why}\n{text}"));
    // Further functions are called by the first one.
    let name = names(&module).swap_remove(0);
    if let Some(Err(why)) = outcome(&context, &module, &name, counts) {
        panic!("{generator} {number}: {why}\n{text}");
    }
}

/// The programs that differ, by file and function, and why.
type Failures = BTreeMap<(String, String), String>;

/// Runs a thread's share of the programs.
fn share(thread: usize) -> (Counts, Failures) {
    let (mut counts, mut failures) = (Counts::default(), Failures::new());
    let mut number = 0;
    each_module_below(&DIRECTORIES, |context, module, file| {
        number += 1;
        // What passes refuse may be endless.
        if number % THREADS != thread || file.file_stem().is_some_and(|stem| stem == "invalid") {
            return;
        }
        if graphs::convert(context, module.as_operation(), &Sizes::new(), &[]).is_err() {
            return;
        }
        for name in names(module) {
            if let Some(Err(why)) = outcome(context, module, &name, &mut counts) {
                failures.insert((place(file), name), why);
            }
        }
    });
    (counts, failures)
}

/// Returns the path of a file from the root of the project.
fn place(file: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = file.strip_prefix(&root).unwrap_or(file);
    file.display().to_string()
}

/// Runs a function on the CPU and with the card. `None` for one that does not run on the CPU, and for a large one.
fn outcome(
    context: &Context,
    module: &Module<'_>,
    name: &str,
    counts: &mut Counts,
) -> Option<Result<(), String>> {
    let sizes = largest(module.as_operation());
    let select = || Program::select_sized(context, module.as_operation(), Some(name), &sizes).ok();
    let program = select()?;
    let signature = program.signature();
    let mut tensors = signature.inputs.iter().chain(&signature.outputs);
    if tensors.any(|ty| ty.element_count().is_none_or(|count| count > MOST_ELEMENTS)) {
        return None;
    }
    let quarter = PowerOfTwo::new(0.25).expect("a power of two");
    let inputs = program
        .random_inputs(Distribution::Within(quarter), 1)
        .ok()?;
    let run = |poison| {
        let options = Options {
            poison,
            ..Options::default()
        };
        let compiled = select()?.compile(context, options).ok()?;
        compiled.run(&inputs).ok()
    };
    let expected = run(false)?;
    // What reads memory that nothing has written may have any number.
    if format!("{expected:?}") != format!("{:?}", run(true)?) {
        return None;
    }
    counts.on_cpu += 1;
    let compiled = OnCard::compile(
        context,
        module.as_operation(),
        Some(name),
        program.sizes(),
        Options::default(),
        SimulationOptions::default(),
    );
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(why) => return Some(Err(why.to_string())),
    };
    counts.on_card += usize::from(!compiled.functions().is_empty());
    let found = match compiled.run(&inputs) {
        Ok(found) => found.results,
        Err(why) => return Some(Err(why.to_string())),
    };
    let comparisons = expected.iter().zip(&found).map(|(expected, found)| {
        match compare(expected, found, ALLOWED) {
            Ok(comparison) if comparison.agrees() => Ok(()),
            Ok(comparison) => Err(comparison.to_string()),
            Err(why) => Err(why.to_string()),
        }
    });
    Some(comparisons.collect())
}
