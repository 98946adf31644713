//! Programs of front ends, as linalg on tensors, with their inputs and results.
//!
//! Each runs as it is on the CPU, after every pass to a bundle, and as a bundle on the simulated card; every run has to have the
//! recorded results. The table in `test/linalg-programs.txt` says what becomes of each, and only a command changes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::entries;
use crate::error::Error;
use crate::process;
use crate::project::{Profile, Project};

/// The folder of the data that has the programs, and its folders, one for each front end.
const FOLDER: &str = "linalg";
const FRONT_ENDS: [&str; 2] = ["jax", "onnx"];

/// The table, from the root of the repository.
const TABLE: &str = "test/linalg-programs.txt";

const HEAD: &str = "\
# What becomes of the programs in the data of `cargo xtask conformance`, folder `linalg`.
# Made by `cargo xtask conformance --data DIR --write`.
#
# card        all of it runs on the simulated card, with the recorded results
# constant    it depends on no input, and is computed while it is compiled
# refused     the reason, at the first operation that has one
";

const LIMIT: Duration = Duration::from_secs(300);

const PIPELINE: &str = "builtin.module(spyre-import-linalg,spyre-pipeline)";

/// Runs every program and compares what becomes of it with the table, or writes the table. Returns the differences.
///
/// # Errors
/// The table or the data cannot be read.
pub(super) fn programs(project: &Project, data: &Path, write: bool) -> Result<Vec<String>, Error> {
    let mut programs = Vec::new();
    for front_end in FRONT_ENDS {
        let folder = data.join(FOLDER).join(front_end);
        if folder.is_dir() {
            programs.extend(entries(&folder)?);
        }
    }
    if programs.is_empty() {
        println!("{} has no {FOLDER}", data.display());
        return Ok(Vec::new());
    }
    let outcomes = process::parallel(&programs, |program| run(project, program));
    let mut found = BTreeMap::new();
    for (program, outcome) in programs.iter().zip(outcomes) {
        found.insert(name(program), outcome?);
    }
    let on_card = found.values().filter(|outcome| *outcome == "card").count();
    println!(
        "{:<20} {:<20} {:>6} {on_card:>7} on the card",
        "linalg",
        "run",
        found.len()
    );
    let path = project.root.join(TABLE);
    if write {
        let width = found.keys().map(String::len).max().unwrap_or(0);
        let rows = found.iter();
        let rows: String = rows
            .map(|(name, outcome)| format!("{name:<width$}  {outcome}\n"))
            .collect();
        fs::write(&path, format!("{HEAD}\n{rows}")).map_err(Error::io(&path))?;
        return Ok(Vec::new());
    }
    let table = fs::read_to_string(&path).map_err(Error::io(&path))?;
    let mut expected: BTreeMap<&str, &str> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(char::is_whitespace))
        .map(|(name, outcome)| (name, outcome.trim()))
        .collect();
    let mut differing = Vec::new();
    for (name, outcome) in &found {
        let recorded = expected.remove(name.as_str()).unwrap_or("not in the table");
        if recorded != outcome {
            differing.push(format!(
                "  {name} (linalg): {outcome}, and {TABLE} says {recorded}; --write changes the table"
            ));
        }
    }
    let gone = expected
        .keys()
        .map(|name| format!("  {name} (linalg): in {TABLE}, but not in the data"));
    differing.extend(gone);
    Ok(differing)
}

/// Returns the front end and the name of a program.
fn name(program: &Path) -> String {
    let parts: Vec<_> = program
        .iter()
        .rev()
        .take(2)
        .map(|part| part.to_string_lossy())
        .collect();
    format!("{}/{}", parts[1], parts[0])
}

/// Runs a program all the way, and returns what becomes of it.
fn run(project: &Project, program: &Path) -> Result<String, Error> {
    let text = program.join("linalg.mlir");
    let source = fs::read_to_string(&text).map_err(Error::io(&text))?;
    let mut command = project.tool(Profile::Debug, "spyre-run");
    command.arg(&text).args(["--check-pipeline", PIPELINE]);
    command.args(["--tolerance", tolerance(&source)]);
    for (flag, prefix) in [("--input", "in_"), ("--expect", "out_")] {
        for file in numbered(program, prefix) {
            command.arg(flag).arg(file);
        }
    }
    let finished = process::limited(&mut command, None, LIMIT)?;
    let said = String::from_utf8_lossy(&finished.stdout).into_owned();
    if finished.success() {
        return Ok(
            if said.contains("a bundle, same results on the simulated card") {
                "card".to_owned()
            } else {
                "constant".to_owned()
            },
        );
    }
    let messages = finished.stderr();
    let error = messages.lines().find_map(|line| line.split_once("error: "));
    let differs = said
        .lines()
        .find(|line| line.contains("DIFFER") || line.contains("FAULTY"));
    Ok(match (finished.status, error, differs) {
        (None, ..) => format!("refused: no answer within {} s", LIMIT.as_secs()),
        (_, Some((_, why)), _) => format!("refused: {why}"),
        (_, None, Some(line)) => format!("refused: {line}"),
        (_, None, None) => "refused: without a message".to_owned(),
    })
}

/// Returns by how much results may differ, in multiples of 1 + |expected|. Sums of products of f16 are rounded often.
fn tolerance(source: &str) -> &'static str {
    let signature = source.lines().find(|line| line.contains("func.func"));
    let is_half = signature.is_some_and(|line| line.contains("f16"));
    let has_products = ["matmul", "conv_"].iter().any(|name| source.contains(name));
    match (is_half, has_products) {
        (true, true) => "3e-2",
        (true, false) => "1e-2",
        (false, _) => "2e-4",
    }
}

/// Returns `PREFIX0.npy`, `PREFIX1.npy` and so on, as far as they are there.
fn numbered(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let files = (0..).map(|number| folder.join(format!("{prefix}{number}.npy")));
    files.take_while(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::{name, tolerance};
    use std::path::Path;

    #[test]
    fn programs_are_named_by_their_front_end() {
        assert_eq!(name(Path::new("/data/linalg/onnx/sin")), "onnx/sin");
    }

    #[test]
    fn tolerances_are_of_the_signature() {
        assert_eq!(
            tolerance("func.func @f(%a: tensor<4xf32>)\n arith.truncf to f16"),
            "2e-4"
        );
        assert_eq!(
            tolerance("module {\nfunc.func @f(%a: tensor<4xf16>)"),
            "1e-2"
        );
        assert_eq!(
            tolerance("func.func @f(%a: tensor<4xf16>)\nlinalg.matmul"),
            "3e-2"
        );
    }
}
