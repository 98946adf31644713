//! Tensor programs of tinyspec, as linalg on tensors.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::programs::{self, Program, Table, numbered};
use super::{entries, example, linalg, name};
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The folder of the data that has the programs.
const FOLDER: &str = "uop";

/// The folder of the build output that has the programs in linalg.
pub(super) const OUTPUT_FOLDER: &str = "uop-programs";

const TABLE: Table = Table {
    path: "test/uop-programs.txt",
    head: HEAD,
};

const HEAD: &str = "\
# What becomes of the programs in the data of `cargo xtask conformance`, folder `uop`.
# Made by `cargo xtask conformance --data DIR --write`.
#
# All of them have the recorded results on the CPU.
#
# 100.0 %     the share of the elements that operations compute on the simulated card; then why others stay on the host
# nothing     nothing is computed when it runs: it depends on no input, or only moves elements
# refused     the reason, at the first operation that has one
# differs     by how much
";

/// The tolerance of results on the CPU relative to tinygrad, in multiples of 1 + |expected|.
const TOLERANCE: &str = "1e-5";

const LIMIT: Duration = Duration::from_secs(60);

/// Imports and exports every program, runs programs with results on the CPU and on the card, and compares their
/// outcomes with the table, or writes the table. Returns the differences.
///
/// # Errors
/// The table or the data cannot be read.
pub(super) fn programs(project: &Project, data: &Path, write: bool) -> Result<Vec<String>, Error> {
    if !data.join(FOLDER).is_dir() {
        println!("there is no {}", data.join(FOLDER).display());
        return Ok(Vec::new());
    }
    let output = project.target.join(OUTPUT_FOLDER);
    // Files of an older run are of programs that may be gone.
    if output.is_dir() {
        fs::remove_dir_all(&output).map_err(Error::io(&output))?;
    }
    println!("\nPrograms of tinyspec:");
    process::run(example(project, "uop").arg(data).arg(&output))?;
    let mut imported = entries(&output)?;
    imported.retain(|file| file.to_string_lossy().ends_with(".uop.mlir"));
    let mut failures = Vec::new();
    let mut programs = Vec::new();
    for converted in process::parallel(&imported, |file| program(project, &output, file)) {
        match converted? {
            Ok(program) => programs.extend(program),
            Err(reason) => failures.push(reason),
        }
    }
    let mut failed = 0;
    for wrong in process::parallel(&programs, |program| program.on_cpu(project)) {
        if let Some(reason) = wrong? {
            failed += 1;
            failures.push(reason);
        }
    }
    println!(
        "{FOLDER:<20} {:<20} {:>6} {:>7} {failed:>7}",
        "run on the CPU",
        programs.len(),
        programs.len() - failed
    );
    for program in &mut programs {
        let text = &program.text;
        let source = fs::read_to_string(text).map_err(Error::io(text))?;
        program.tolerance = linalg::tolerance(&source).to_owned();
    }
    let outcomes = programs::outcomes(project, &programs)?;
    programs::report(FOLDER, "run", outcomes.values());
    failures.extend(TABLE.compare(project, &outcomes, write)?);
    Ok(failures)
}

/// Converts a program to linalg. Returns it, `None` if it has no results, or the failure.
fn program(
    project: &Project,
    output: &Path,
    imported: &Path,
) -> Result<Result<Option<Program>, String>, Error> {
    let name = name(imported);
    let name = name.trim_end_matches(".uop.mlir").to_owned();
    let outputs = files(output, &name, "out_");
    if outputs.is_empty() {
        return Ok(Ok(None));
    }
    let text = output.join(format!("{name}.mlir"));
    let mut command = project.tool(Profile::Debug, "spyre-opt");
    command.arg(imported).arg("--convert-uop-to-linalg");
    let finished = process::limited(command.arg("-o").arg(&text), None, LIMIT)?;
    if !finished.success() {
        return Ok(Err(format!("  {name}: {}", finished.stderr().trim())));
    }
    Ok(Ok(Some(Program {
        inputs: files(output, &name, "in_"),
        outputs,
        tolerance: TOLERANCE.to_owned(),
        is_narrow: false,
        text,
        name,
    })))
}

/// Returns the files of a program with some beginning, in the order of their numbers.
fn files(output: &Path, name: &str, prefix: &str) -> Vec<PathBuf> {
    numbered(output, &format!("{name}.{prefix}"))
}
