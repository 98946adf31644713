//! Imports every tensor program in a folder, and exports it again.
//!
//! `uop DATA OUTPUT` takes the programs in `DATA/uop`. A module has to verify, and the graph that is exported from its
//! text is the graph of the file, up to the numbers of nodes. The positions that movements read take no more operations
//! than recorded. The module goes to `OUTPUT/NAME.uop.mlir`. Of a program with results, its inputs go to
//! `OUTPUT/NAME.in_0.npy` and so on, in the order of the function's arguments, and its results to
//! `OUTPUT/NAME.out_0.npy`. Integers have no sign there, as in linalg.

mod npy;

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use rustc_hash::FxHashMap;
use serde_json::Value;
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::file;
use spyre_uop::schema::{self, Arg, Datum, File, Node};
use spyre_uop_mlir::positions::Reads;
use spyre_uop_mlir::{export, import};

fn main() -> ExitCode {
    spyre_all::register_passes();
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(data), Some(output)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: uop DATA OUTPUT");
        return ExitCode::FAILURE;
    };
    match run(&data.join("uop"), &output) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path, output: &Path) -> Result<bool, Box<dyn Error>> {
    if !folder.is_dir() {
        println!("there is no {}", folder.display());
        return Ok(true);
    }
    fs::create_dir_all(output)?;
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let mut failed = 0;
    for file in &files {
        if let Err(err) = check(file, output) {
            failed += 1;
            println!("  {}: {err}", file.display());
        }
    }
    println!("{} tensor programs, {failed} failed", files.len());
    Ok(failed == 0 && !files.is_empty())
}

fn check(path: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let file = schema::read(&fs::read(path)?)?;
    let context = spyre_all::context();
    context.load_all_available_dialects();
    let text = text_of(&context, &file)?;
    let module = Module::parse(&context, &text).ok_or("its text is not read back")?;
    if module.as_operation().to_string() != text {
        return Err("the module printed after parsing its text differs from that text".into());
    }
    let exported = export::export(module.as_operation()).map_err(|err| err.message().to_owned())?;
    // The exported nodes are a program.
    file::import(&exported.nodes)?;
    let (imported, again) = (graph(&file), graph(&exported));
    if let Some(node) = imported.nodes.difference(&again.nodes).next() {
        return Err(format!("a node is not exported as it was: {node}").into());
    }
    if imported.nodes.len() != again.nodes.len() || imported.results != again.results {
        return Err("other nodes or results are exported".into());
    }
    positions(&file)?;
    let name = path.file_stem().ok_or("it has no name")?.to_string_lossy();
    fs::write(output.join(format!("{name}.uop.mlir")), &text)?;
    values(&file, output, &name)
}

/// Checks that the indices of movements take no more operations than tinygrad's simplifier has left.
fn positions(file: &File) -> Result<(), Box<dyn Error>> {
    let recorded = file.rangeify.as_ref().and_then(|all| all.get("op_counts"));
    let Some(recorded) = recorded.and_then(Value::as_object) else {
        return Ok(()); // It only moves elements of one tensor, or has no recorded counts.
    };
    let recorded: u64 = recorded.values().filter_map(Value::as_u64).sum();
    let imported = file::import(&file.nodes)?;
    let output = file.outputs.as_deref().and_then(|all| all.first());
    let result = output.and_then(|output| imported.node(output.node));
    let result = result.ok_or("it has positions, and no result")?;
    let reads = Reads::of(&imported.graph, result)?.ok_or("its result is no movement")?;
    let operations = reads.operations();
    if u64::try_from(operations)? > recorded {
        return Err(
            format!("positions take {operations} operations, and {recorded} are recorded").into(),
        );
    }
    Ok(())
}

/// Imports a program. Returns the text of its module.
fn text_of(context: &Context, file: &File) -> Result<String, Box<dyn Error>> {
    let location = Location::unknown(context);
    let module = Module::new(location);
    import::import(context, module.body(), location, file)?;
    let op = module.as_operation();
    if !op.verify() {
        return Err("the module does not verify".into());
    }
    Ok(op.to_string())
}

/// A graph without numbers of nodes.
struct Graph {
    /// The forms of nodes as texts: operation, arguments, type, and the forms of the operands. Equal nodes have the
    /// same form.
    nodes: BTreeSet<String>,
    /// The forms of the results.
    results: Vec<String>,
}

/// Returns the graph of a file. Forms are numbered in the order of the file, equal forms with the same number, so that
/// texts are short.
fn graph(file: &File) -> Graph {
    let mut forms = FxHashMap::<u64, String>::default();
    let mut nodes = BTreeSet::new();
    for node in &file.nodes {
        let sources: Vec<&str> = node.src.iter().map(|id| forms[id].as_str()).collect();
        let arg = serde_json::to_string(&argument(node)).expect("arguments are texts and numbers");
        let whole = format!(
            "{} {} {:?} {arg} ({})",
            node.op,
            node.dtype,
            node.shape,
            sources.join(", ")
        );
        // A short form for long texts: their operands are in the hash.
        let form = format!("{} #{:016x}", node.op, hash(&whole));
        if !is_result_tuple(file, node) {
            nodes.insert(whole);
        }
        forms.insert(node.id, form);
    }
    let results = match (&file.outputs, file.result) {
        (Some(outputs), _) => outputs.iter().map(|output| output.node).collect(),
        (None, Some(result)) => {
            let node = file.nodes.iter().find(|node| node.id == result);
            match node.filter(|node| node.op == "Tuple") {
                Some(tuple) => tuple.src.clone(),
                None => vec![result],
            }
        }
        (None, None) => Vec::new(),
    };
    let results = results.iter().map(|id| forms[id].clone()).collect();
    Graph { nodes, results }
}

/// Returns whether a node is the tuple that holds the results of a file without outputs, which is no part of the
/// program.
fn is_result_tuple(file: &File, node: &Node) -> bool {
    let is_result = file.outputs.is_none() && file.result == Some(node.id) && node.op == "Tuple";
    is_result && !file.nodes.iter().any(|other| other.src.contains(&node.id))
}

fn hash(text: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the arguments of a node, with defaults filled in: a constant is rounded, and a buffer is in the memory of
/// the device.
fn argument(node: &Node) -> Arg {
    let mut arg = node.arg.clone();
    if let (Some(value), Some(dtype)) = (arg.value, DType::of_name(&node.dtype)) {
        arg.value = Some(element::datum(dtype, element::constant(dtype, value)));
    }
    if node.op == "Buffer" && arg.addrspace.is_none() {
        arg.addrspace = Some("GLOBAL".into());
    }
    arg
}

/// Writes the inputs and the results of a program, if it has results.
fn values(file: &File, output_folder: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let Some(outputs) = &file.outputs else {
        return Ok(());
    };
    let mut inputs: Vec<_> = file.inputs.iter().flatten().collect();
    inputs.sort_by_key(|input| input.slot);
    for (number, input) in inputs.iter().enumerate() {
        let to = output_folder.join(format!("{name}.in_{number}.npy"));
        write(&to, &input.dtype, &input.shape, &input.data)?;
    }
    for (number, output) in outputs.iter().enumerate() {
        let data = output.reference.as_ref().unwrap_or(&output.data);
        let to = output_folder.join(format!("{name}.out_{number}.npy"));
        write(&to, &output.dtype, &output.shape, data)?;
    }
    Ok(())
}

fn write(to: &Path, dtype: &str, shape: &[u64], data: &[Datum]) -> Result<(), Box<dyn Error>> {
    let dtype = DType::of_name(dtype).ok_or("an element type is not known")?;
    let elements = data.iter().map(|datum| element::constant(dtype, *datum));
    let elements: Vec<u64> = elements.collect();
    Ok(fs::write(to, npy::file(dtype, shape, &elements))?)
}
