//! The same random graphs of tinyspec in every run of the tests.

use std::path::Path;
use std::{fs, thread};

use melior::Context;
use melior::ir::Module;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use spyre_fuzz::uop::{Case, Outcome, Runner};
use spyre_mlir_rt::ir;
use spyre_uop::schema::{self, Datum, File, Input, Slot};
use spyre_uop_mlir::export;

const SEED: u64 = 1;
/// The graphs that `cargo xtask ci` runs, and the first of them, which every run of the tests does.
const GRAPHS: u64 = 1500;
const FIRST: u64 = 150;
const THREADS: u64 = 2;

#[test]
fn first_graphs_compute_the_same_in_all_ways() {
    compute_the_same(FIRST);
}

#[test]
#[ignore = "minutes; `cargo xtask ci` runs it"]
fn graphs_compute_the_same_in_all_ways() {
    compute_the_same(GRAPHS);
}

fn compute_the_same(graphs: u64) {
    let optimised: u64 = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || run(thread, graphs)))
            .collect();
        let counts = workers.into_iter().map(|worker| worker.join());
        counts.map(|count| count.expect("no graph differs")).sum()
    });
    // Most of the optimisations that are drawn are not legal.
    assert!(optimised * 12 >= graphs, "only {optimised} optimised");
}

/// Runs the graphs of a thread. Returns how many were run with optimisations.
fn run(thread: u64, graphs: u64) -> u64 {
    let mut optimised = 0;
    let mut runner = Runner::new();
    let numbers = (0..graphs).filter(|number| number % THREADS == thread);
    for (at, number) in numbers.enumerate() {
        if at % 100 == 99 {
            // A context never frees its types and attributes.
            optimised += runner.optimised();
            runner = Runner::new();
        }
        match runner.run(&Case::new(SEED, number)) {
            Outcome::Same => {}
            Outcome::Failed(message) => panic!("number {number}: {message}"),
        }
    }
    optimised + runner.optimised()
}

/// Checks that linalg has the results that NumPy has computed. A test of `spyre-uop` checks the same of the interpreter.
#[test]
fn programs_have_their_results_in_linalg() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/uop-programs");
    let runner = Runner::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "json") {
            continue; // It is no program.
        }
        let file = schema::read(&fs::read(&path).expect("a file")).expect("a program");
        let name = file.name.to_string();
        match runner.run(&Case::recorded(file)) {
            Outcome::Same => count += 1,
            Outcome::Failed(message) => panic!("{name}: {message}"),
        }
    }
    assert_eq!(count, 27, "programs");
}

/// The programs of `examples/uop` are interpreted, and computed in all other ways.
#[test]
fn examples_are_the_same_in_all_ways() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/uop");
    let runner = Runner::new();
    let context = spyre_exec::context();
    context.load_all_available_dialects();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder is in the repository") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        let mut number = 0;
        // A file has one program: of a module with several, the others are private in turn.
        while let Some((name, file)) = program(&context, &text, number) {
            match runner.run(&Case::exported(&file)) {
                Outcome::Same => count += 1,
                Outcome::Failed(message) => panic!("{}, {name}: {message}", path.display()),
            }
            number += 1;
        }
    }
    assert_eq!(count, 15, "programs");
}

/// Returns the program of a number in a module, with its name and with inputs; `None` after the
/// last one.
fn program(context: &Context, text: &str, number: usize) -> Option<(String, File)> {
    let module = Module::parse(context, text).expect("an example is a module");
    let body = ir::body(module.as_operation()).expect("a module has a block");
    let functions = ir::operations(body);
    let public: Vec<_> = functions
        .filter(|op| op.attribute("sym_visibility").is_err())
        .collect();
    public.get(number)?;
    let private = StringAttribute::new(context, "private").into();
    for (_, function) in public.iter().enumerate().filter(|(at, _)| *at != number) {
        ir::set_attribute(*function, "sym_visibility", private);
    }
    let exported = export::export(module.as_operation()).map_err(|err| err.message().to_owned());
    let mut file = exported.expect("an example is a program");
    file.inputs = Some(inputs(&file));
    Some((file.name.to_string(), file))
}

/// Returns values for the buffers of a program: integers from 0 to 29, and floats near 0.
fn inputs(file: &File) -> Vec<Input> {
    let buffers = file.nodes.iter().filter(|node| node.op == "Buffer");
    let inputs = buffers.filter_map(|node| {
        let Some(Slot::Number(slot)) = node.arg.slot else {
            return None; // It is no argument.
        };
        let shape = node.shape.clone().expect("a buffer has a shape");
        let count = shape.iter().product::<u64>();
        let is_float = node.dtype.contains('f');
        let data = (0..count).map(|at| match is_float {
            true => Datum::Float((at * 7 % 31) as f64 / 16.0 - 1.0),
            false => Datum::Natural(at * 7 % 30),
        });
        Some(Input {
            slot,
            dtype: node.dtype.clone(),
            shape,
            data: data.collect(),
        })
    });
    inputs.collect()
}
