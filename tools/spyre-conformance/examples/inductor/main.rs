//! Imports every graph of PyTorch Inductor in a folder, and exports it again: `cargo xtask conformance` runs it.
//!
//! A graph has to verify, to come back through text, and to be exported as it was, down to the order of operands and
//! the text of index expressions. Then its layouts are decided, and it is scheduled; the decisions have to match
//! PyTorch's.

mod decisions;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use melior::pass::PassManager;
use melior::utility::parse_pass_pipeline;
use serde_json::Value;
use spyre_inductor::schema;
use spyre_inductor_mlir::{export, import, program};
use spyre_mlir_rt::ir::{self, At};

/// The fields of a file that are results of scheduling.
const DECIDED: [&str; 6] = [
    "pre",
    "post",
    "post_changed",
    "fusion",
    "layout_decisions",
    "removed_ops",
];

fn main() -> ExitCode {
    spyre_all::register_passes();
    let Some(data) = std::env::args_os().nth(1) else {
        eprintln!("usage: inductor DATA");
        return ExitCode::FAILURE;
    };
    match run(&Path::new(&data).join("inductor")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> Result<bool, Box<dyn Error>> {
    if !folder.is_dir() {
        println!("there is no {}", folder.display());
        return Ok(true);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for case in fs::read_dir(folder)? {
        for file in ["loopir.json", "loopir_simd.json"] {
            let file = case
                .as_ref()
                .map_err(ToString::to_string)?
                .path()
                .join(file);
            files.extend(file.is_file().then_some(file));
        }
    }
    files.sort();
    let mut failed = 0;
    for file in &files {
        if let Err(err) = check(file) {
            failed += 1;
            println!("  {}: {err}", file.display());
        }
    }
    println!(
        "{} graphs of PyTorch Inductor, {failed} failed",
        files.len()
    );
    Ok(failed == 0)
}

fn check(file: &Path) -> Result<(), Box<dyn Error>> {
    let graph = schema::read(&fs::read(file)?)?;
    let context = spyre_all::context();
    context.load_all_available_dialects();
    let text = text_of(&context, &graph)?;
    let module = Module::parse(&context, &text).ok_or("its text is not read back")?;
    if module.as_operation().to_string() != text {
        return Err("the module printed after parsing its text differs from that text".into());
    }
    let op = ir::operations(module.body())
        .next()
        .ok_or("the module is empty")?;
    let exported = export::export(op).map_err(|err| err.message().to_owned())?;
    let mut expected: Value = serde_json::from_slice(&fs::read(file)?)?;
    let fields = expected.as_object_mut().ok_or("it is no object")?;
    for field in DECIDED {
        fields.remove(field);
    }
    for buffer in fields
        .get_mut("buffers")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(buffer) = buffer.as_object_mut() {
            buffer.remove("fixed");
        }
    }
    if let Some(difference) = difference(&expected, &serde_json::to_value(exported)?, String::new())
    {
        return Err(difference.into());
    }
    let file = serde_json::from_slice(&fs::read(file)?)?;
    let mut differences = layouts(&context, module, &graph, &file)?;
    differences.dedup();
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} decisions differ\n    {}",
        differences.len(),
        differences.join("\n    ")
    )
    .into())
}

/// Decides the layouts of a graph, and compares them and the schedule with the recorded ones.
fn layouts(
    context: &Context,
    mut module: Module<'_>,
    graph: &schema::Graph,
    file: &Value,
) -> Result<Vec<String>, Box<dyn Error>> {
    let passes = PassManager::new(context);
    let pipeline = "builtin.module(inductor.graph(inductor-decide-layout))";
    parse_pass_pipeline(passes.as_operation_pass_manager(), pipeline)?;
    passes.run(&mut module)?;
    let op = ir::operations(module.body())
        .next()
        .ok_or("the module is empty")?;
    let mut differences = Vec::new();
    let decided = export::export(op).map_err(|err| err.message().to_owned())?;
    for (buffer, recorded) in decided
        .buffers
        .iter()
        .zip(file["buffers"].as_array().into_iter().flatten())
    {
        let actual = serde_json::to_value(&buffer.lowered)?;
        if let Some(difference) = difference(&recorded["fixed"], &actual, String::new()) {
            differences.push(format!("the layout of {}{difference}", buffer.name));
        }
    }
    let read = program::read(op).map_err(|err| err.message().to_owned())?;
    let symbols: Vec<schema::Text> = graph
        .symbols
        .iter()
        .map(|symbol| symbol.name.clone())
        .collect();
    differences.extend(decisions::compare(&read.program, &symbols, file));
    Ok(differences)
}

fn text_of(context: &Context, graph: &schema::Graph) -> Result<String, Box<dyn Error>> {
    let location = Location::unknown(context);
    let module = Module::new(location);
    import::import(
        context,
        At::End(module.body()),
        location,
        graph.clone(),
        "graph",
    )?;
    let op = module.as_operation();
    if !op.verify() {
        return Err("the module does not verify".into());
    }
    Ok(op.to_string())
}

/// Returns the first place where two values differ.
fn difference(expected: &Value, actual: &Value, path: String) -> Option<String> {
    match (expected, actual) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = a.keys().find(|key| !b.contains_key(*key));
            let extra = b.keys().find(|key| !a.contains_key(*key));
            if let Some(key) = missing.or(extra) {
                return Some(format!("{path}.{key} is on one side only"));
            }
            a.iter()
                .find_map(|(key, value)| difference(value, &b[key], format!("{path}.{key}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let pairs = a.iter().zip(b).enumerate();
            pairs
                .map(|(number, (a, b))| difference(a, b, format!("{path}[{number}]")))
                .find_map(|first| first)
        }
        _ if expected == actual => None,
        _ => Some(format!("{path} is {actual}, and was {expected}")),
    }
}
