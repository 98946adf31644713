//! Reads, writes, analyses and executes recorded programs, and compares with the records:
//! `conformance FOLDER`.
//!
//! Each check is a row: the number of programs that it applies to, and the number that pass.
//! Failures are listed with the reason.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use spyre_uop::decompose;
use spyre_uop::file;
use spyre_uop::interpret::{self, Limits};
use spyre_uop::range;
use spyre_uop::record;
use spyre_uop::schema::{self, Datum, File, Node};

/// A check of a program: `None` if it does not apply, else the result.
type Check = fn(&File) -> Option<Result<(), String>>;

const CHECKS: [(&str, Check); 5] = [
    ("read and written", written),
    ("graph exported", exported),
    ("ranges", ranges),
    ("interpreted", interpreted),
    ("in primitives", primitives),
];

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: conformance FOLDER");
        return ExitCode::FAILURE;
    };
    match run(&folder) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Runs all checks. Returns whether there are programs and all of them pass.
fn run(folder: &Path) -> std::io::Result<bool> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut failures = Vec::new();
    let mut files = Vec::new();
    for path in &paths {
        let name = path.file_stem().expect("a file of a folder has a name");
        let name = name.to_string_lossy().into_owned();
        match schema::read(&fs::read(path)?) {
            Ok(file) => files.push((name, file)),
            Err(error) => failures.push(format!("  {name} (read): {error}")),
        }
    }
    println!(
        "{:<20} {:>6} {:>7} {:>7}",
        "check", "cases", "passed", "failed"
    );
    for (check, run) in CHECKS {
        let (mut cases, mut failed) = (0, 0);
        for (name, file) in &files {
            let Some(result) = run(file) else {
                continue; // It is not about this program.
            };
            cases += 1;
            if let Err(reason) = result {
                failed += 1;
                failures.push(format!("  {name} ({check}): {reason}"));
            }
        }
        println!("{check:<20} {cases:>6} {:>7} {failed:>7}", cases - failed);
    }
    for failure in &failures {
        println!("{failure}");
    }
    Ok(failures.is_empty() && !files.is_empty())
}

fn written(file: &File) -> Option<Result<(), String>> {
    let again = schema::read(schema::write(file).as_bytes());
    Some(match again {
        Ok(again) if again == *file => Ok(()),
        Ok(_) => Err("the written program differs from the program that was read".to_owned()),
        Err(error) => Err(error.to_string()),
    })
}

fn exported(file: &File) -> Option<Result<(), String>> {
    let bare = |(id, node): (u64, &Node)| Node {
        id,
        ..node.without_record()
    };
    Some(match file::import(&file.nodes) {
        Ok(imported) => {
            let recorded: Vec<Node> = (0..).zip(&file.nodes).map(bare).collect();
            let is_same = file::export(&imported.graph) == recorded;
            is_same
                .then_some(())
                .ok_or_else(|| "the exported nodes differ".to_owned())
        }
        Err(error) => Err(error.to_string()),
    })
}

fn bound(datum: Datum) -> f64 {
    match datum {
        Datum::Bool(value) => f64::from(u8::from(value)),
        Datum::Negative(value) => value as f64,
        Datum::Natural(value) => value as f64,
        Datum::Float(value) => value,
    }
}

/// Compares ranges with recorded values, and in programs about ranges with tinygrad's ranges.
fn ranges(file: &File) -> Option<Result<(), String>> {
    let imported = match file::import(&file.nodes) {
        Ok(imported) => imported,
        Err(error) => return Some(Err(error.to_string())),
    };
    let ranges = range::ranges(&imported.graph);
    for node in &file.nodes {
        let id = imported.node(node.id)?;
        let interval = ranges[id].map(|interval| (interval.low as f64, interval.high as f64));
        let Some((low, high)) = interval else {
            continue; // Any value is within.
        };
        for recorded in [node.obs, node.r#true].into_iter().flatten() {
            let [first, last] = recorded.map(bound);
            if first < low || high < last {
                return Some(Err(format!(
                    "node {}: {first} to {last} is not within {low} to {high}",
                    node.id
                )));
            }
        }
        if let (Some(recorded), None, "min_max") = (node.mm, node.mm_unsound, &*file.category) {
            let [first, last] = recorded.map(bound);
            if low < first || last < high {
                return Some(Err(format!(
                    "node {}: {low} to {high} is wider than {first} to {last}",
                    node.id
                )));
            }
        }
    }
    Some(Ok(()))
}

fn interpreted(file: &File) -> Option<Result<(), String>> {
    file.outputs.as_ref()?;
    Some(record::check(file).map_err(|error| error.to_string()))
}

fn primitives(file: &File) -> Option<Result<(), String>> {
    file.outputs.as_ref()?;
    let run = || -> Result<(), record::RecordError> {
        let record_of_file = record::record(file)?;
        let graph = decompose::rewrite(&record_of_file.imported.graph, &decompose::nothing);
        let results: Vec<_> = record_of_file
            .results
            .iter()
            .map(|id| graph.nodes[*id])
            .collect();
        let values = interpret::run(
            &graph.graph,
            &record_of_file.inputs,
            &results,
            Limits::default(),
        )?;
        record::compare(file, &graph.graph, &results, &values)
    };
    Some(run().map_err(|error| error.to_string()))
}
