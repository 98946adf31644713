//! Files of PyTorch Inductor with something wrong in them: an error with its place, or a program, and never a panic.

mod hostile;

use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use serde_json::{Value, json};
use spyre_inductor::schema::{self, ReadError};
use spyre_inductor_mlir::import;
use spyre_mlir_rt::ir::At;

use hostile::Mutations;

/// The files with something wrong.
const CASES: usize = 2_000;

/// The passes that run on graphs that are accepted.
const PIPELINE: &str =
    "builtin.module(inductor-schedule{policy=cpp},convert-inductor-to-linalg{sizes=hint})";

/// Texts that mean something in a file.
const TEXTS: [&str; 12] = [
    "", "buf0", "buf4", "arg0_1", "i0", "i1", "op1", "f32", "f16", "i64", "sum", "exp",
];

/// Returns replacements of a number: other numbers, and expressions.
fn numbers() -> Vec<Value> {
    vec![
        json!(-1),
        json!(0),
        json!(3),
        json!(1_i64 << 40),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1.5),
        json!(["floordiv", "i0", 0]),
        json!(["mul", "i0", "i1"]),
        json!(["add", "i0", "nowhere"]),
    ]
}

#[test]
fn hostile_files_are_errors_with_a_place() {
    spyre_all::register_passes();
    let mut mutations = Mutations::of_json(numbers(), &TEXTS);
    let text = include_str!("../../../examples/inductor/scores.json");
    let graph: Value = serde_json::from_str(text).expect("the example is JSON");
    let context = spyre_all::context();
    context.load_all_available_dialects();
    let mut counts = [0; 4];
    for case in 0..CASES {
        let mut mutated = graph.clone();
        mutations.edit(&mut mutated);
        let text = mutated.to_string();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&context, &text)));
        match outcome {
            Ok(outcome) => counts[outcome as usize] += 1,
            Err(_) => panic!("case {case} panics: {text}"),
        }
    }
    println!("not read, not imported, not scheduled, scheduled: {counts:?}");
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// How far a file comes.
#[derive(Debug, Clone, Copy)]
enum Outcome {
    NotRead,
    NotImported,
    NotScheduled,
    Scheduled,
}

fn run(context: &Context, text: &str) -> Outcome {
    let graph = match schema::read(text.as_bytes()) {
        Ok(graph) => graph,
        Err(ReadError::Json { path, .. }) => {
            assert!(!path.is_empty(), "an error of JSON has a place");
            return Outcome::NotRead;
        }
        Err(_) => return Outcome::NotRead,
    };
    let location = Location::unknown(context);
    let mut module = Module::new(location);
    // Messages of MLIR go to a handler, not to the terminal.
    let mut said = Vec::new();
    let handler = context.attach_diagnostic_handler(|diagnostic| {
        said.push(diagnostic.to_string());
        true
    });
    let imported = import::import(context, At::End(module.body()), location, graph, "graph");
    let outcome = match imported {
        Err(err) => {
            assert!(!err.to_string().is_empty(), "an error has a text");
            Outcome::NotImported
        }
        Ok(()) if !module.as_operation().verify() => Outcome::NotImported,
        Ok(()) => {
            let passes = PassManager::new(context);
            parse_pass_pipeline(passes.as_operation_pass_manager(), PIPELINE)
                .expect("the pipeline is one");
            match passes.run(&mut module) {
                Ok(()) => Outcome::Scheduled,
                Err(_) => Outcome::NotScheduled,
            }
        }
    };
    context.detach_diagnostic_handler(handler);
    let internal = said.iter().find(|text| text.contains("internal error"));
    assert!(internal.is_none(), "{internal:?}");
    outcome
}
