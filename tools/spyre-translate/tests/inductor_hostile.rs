//! Files of PyTorch Inductor with something wrong in them: an error with its place, or a program, and never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use spyre_inductor::schema::{self, ReadError};
use spyre_mlir_rt::ir::At;
use spyre_passes::inductor::import;

/// The files with something wrong.
const CASES: usize = 2_000;

/// What happens to graphs that are accepted.
const PIPELINE: &str =
    "builtin.module(inductor-schedule{policy=cpp},convert-inductor-to-linalg{sizes=hint})";

#[test]
fn hostile_files_are_errors_with_a_place() {
    spyre_all::register_passes();
    let seed = [7; 32];
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let text = include_str!("../../../examples/inductor/scores.json");
    let graph: Value = serde_json::from_str(text).expect("the example is JSON");
    let context = spyre_all::context();
    context.load_all_available_dialects();
    let mut counts = [0; 4];
    for case in 0..CASES {
        let mut mutated = graph.clone();
        let edits = 1 + below(runner.rng(), 2);
        for _ in 0..edits {
            edit(&mut mutated, runner.rng());
        }
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
    // What MLIR says goes to a handler, not to the terminal.
    let mut said = Vec::new();
    let handler = context.attach_diagnostic_handler(|diagnostic| {
        said.push(diagnostic.to_string());
        true
    });
    let imported = import::import(context, At::End(module.body()), location, graph, "graph");
    let outcome = match imported {
        Err(why) => {
            assert!(!why.to_string().is_empty(), "an error has a text");
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

/// Returns a number below another one.
fn below(rng: &mut TestRng, count: usize) -> usize {
    usize::try_from(rng.next_u32()).expect("it has 32 bits") % count
}

/// Changes something of a value, anywhere in it.
fn edit(value: &mut Value, rng: &mut TestRng) {
    let count = size(value);
    let target = below(rng, count);
    let mut seen = 0;
    change(value, target, &mut seen, rng);
}

/// Returns the number of values in a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(fields) => fields.values().map(size).sum::<usize>(),
        _ => 0,
    }
}

/// Changes the value of a number, counted from the outermost one.
fn change(value: &mut Value, target: usize, seen: &mut usize, rng: &mut TestRng) {
    if *seen == target {
        *value = wrong(value, rng);
        *seen += 1;
        return;
    }
    *seen += 1;
    match value {
        Value::Array(list) => {
            for element in list {
                change(element, target, seen, rng);
            }
        }
        Value::Object(fields) => {
            for (_, element) in fields.iter_mut() {
                change(element, target, seen, rng);
            }
        }
        _ => {}
    }
}

/// Returns something else than a value.
fn wrong(value: &Value, rng: &mut TestRng) -> Value {
    match (value, below(rng, 4)) {
        (Value::Number(_), 0..3) => {
            let numbers = [
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
            ];
            numbers[below(rng, numbers.len())].clone()
        }
        (Value::String(text), 0..3) => {
            let texts = [
                "", "buf0", "buf4", "arg0_1", "i0", "i1", "op1", "f32", "f16", "i64", "sum", "exp",
            ];
            match below(rng, texts.len() + 1) {
                number if number < texts.len() => json!(texts[number]),
                _ => json!(format!("{text}x")),
            }
        }
        (Value::Array(list), 0..3) => {
            let mut list = list.clone();
            if list.is_empty() {
                return json!([1]);
            }
            let at = below(rng, list.len());
            match below(rng, 3) {
                0 => {
                    list.remove(at);
                }
                1 => list.push(list[at].clone()),
                _ => list.reverse(),
            }
            list.into()
        }
        (Value::Object(fields), 0..3) => {
            let mut fields = fields.clone();
            let keys: Vec<String> = fields.keys().cloned().collect();
            if !keys.is_empty() {
                let key = &keys[below(rng, keys.len())];
                fields.remove(key);
            }
            fields.into()
        }
        _ => [
            json!(null),
            json!({}),
            json!([]),
            json!("x"),
            json!(true),
            json!(7),
        ][below(rng, 6)]
        .clone(),
    }
}
