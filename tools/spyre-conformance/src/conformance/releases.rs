//! Programs of this year's releases of front ends, with their results there: graphs of PyTorch Inductor, kernels of
//! tinygrad, and programs of JAX as linalg.
//!
//! Each runs on the CPU, then with its functions of the device on the simulated card. Not all of them are equal, and
//! the table lists the others with the reasons. It may change to the better only: another outcome than the table's is a
//! failure until it is written anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::entries;
use super::programs::{self, Program, Table};
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The folder of the build output that has the programs in linalg.
const OUTPUT_FOLDER: &str = "release-programs";

const LIMIT: Duration = Duration::from_secs(60);

const TABLE: Table = Table {
    path: "test/release-programs.txt",
    head: HEAD,
};

const HEAD: &str = "\
# What becomes of the programs of releases in the data of `cargo xtask conformance`: torch-2.15, tinygrad, and jax-2026.
# Made by `cargo xtask conformance --data DIR --write`.
#
# 100.0 %        equal on the CPU and with the simulated card; the share of the elements that the card computes
# nothing        equal, and nothing is computed when it runs
# CPU ...        it does not run on the CPU, or has other numbers there
# refused ...    it runs on the CPU, and not with the card
# differs ...    it has other numbers with the card
";

/// A set of programs.
struct Set {
    /// The folder in the data, and the beginning of its programs' names.
    folder: &'static str,
    /// The file of a program in its folder.
    file: &'static str,
    /// The flag of `spyre-translate` that imports a program, and the pass that converts it to linalg; `None` for
    /// programs of linalg.
    conversion: Option<(&'static str, &'static str)>,
    /// The beginning of the names of files with results.
    results: &'static str,
    /// The tolerances of results, in multiples of 1 + |expected|: of programs with f32, f16 and bf16.
    tolerances: [&'static str; 3],
}

const SETS: [Set; 3] = [
    Set {
        folder: "torch-2.15",
        file: "g.json",
        conversion: Some((
            "--import-inductor",
            "--convert-inductor-to-linalg=sizes=hint",
        )),
        results: "out_",
        tolerances: ["1e-4", "1e-2", "4e-2"],
    },
    Set {
        folder: "tinygrad",
        file: "p.json",
        conversion: Some(("--import-uop", "--convert-uop-to-linalg")),
        results: "want_",
        tolerances: ["1e-4", "1e-2", "4e-2"],
    },
    Set {
        folder: "jax-2026",
        file: "linalg.mlir",
        conversion: None,
        results: "out_",
        tolerances: ["1e-3", "3e-2", "8e-2"],
    },
];

/// Runs every program and compares the outcome with the table, or writes the table. Returns the differences.
///
/// # Errors
/// The table or the data cannot be read.
pub(super) fn programs(project: &Project, data: &Path, write: bool) -> Result<Vec<String>, Error> {
    let output = project.target.join(OUTPUT_FOLDER);
    if output.is_dir() {
        fs::remove_dir_all(&output).map_err(Error::io(&output))?;
    }
    fs::create_dir_all(&output).map_err(Error::io(&output))?;
    let mut outcomes = BTreeMap::new();
    for set in &SETS {
        let folder = data.join(set.folder);
        if !folder.is_dir() {
            println!("{} has no {}", data.display(), set.folder);
            continue;
        }
        let mut folders = entries(&folder)?;
        folders.retain(|folder| folder.join(set.file).is_file());
        let results = process::parallel(&folders, |folder| outcome(project, &output, set, folder));
        let results: Vec<(String, String)> = results.into_iter().collect::<Result<_, _>>()?;
        report(set.folder, &results);
        outcomes.extend(results);
    }
    if outcomes.is_empty() {
        return Ok(Vec::new());
    }
    TABLE.compare(project, &outcomes, write)
}

/// Prints how many programs of a set are equal.
fn report(set: &str, outcomes: &[(String, String)]) {
    let count =
        |is: &dyn Fn(&str) -> bool| outcomes.iter().filter(|(_, outcome)| is(outcome)).count();
    let on_cpu = count(&|outcome| !outcome.starts_with("CPU"));
    let on_card = count(&|outcome| outcome == "nothing" || programs::share(outcome).is_some());
    let count = outcomes.len();
    println!(
        "{set:<20} {:<20} {count:>6} {on_cpu:>7} equal on the CPU, {on_card} with the card",
        "run"
    );
}

/// Returns the name of a program, and its outcome.
fn outcome(
    project: &Project,
    output: &Path,
    set: &Set,
    folder: &Path,
) -> Result<(String, String), Error> {
    let folder_name = super::name(folder);
    let name = format!("{}/{folder_name}", set.folder);
    let source = folder.join(set.file);
    let text = match set.conversion {
        None => source,
        Some(conversion) => {
            let file = output.join(format!("{}.{folder_name}.mlir", set.folder));
            if let Some(failure) = convert(project, conversion, &source, &file)? {
                return Ok((name, format!("CPU {failure}")));
            }
            file
        }
    };
    let program = program(name.clone(), text, folder, set)?;
    if let Some(failure) = program.outcome_on_cpu(project)? {
        return Ok((name, format!("CPU {failure}")));
    }
    let outcome = program.outcome(project)?;
    // Reasons of parts that stay on the host are listed for other sets.
    let outcome = match programs::share(&outcome) {
        Some(share) => format!("{share:.1} %"),
        None => outcome,
    };
    Ok((name, outcome))
}

/// Makes linalg of a program. Returns why it does not become linalg.
fn convert(
    project: &Project,
    (import, pass): (&str, &str),
    source: &Path,
    file: &Path,
) -> Result<Option<String>, Error> {
    let imported = file.with_extension("imported.mlir");
    let mut commands =
        ["spyre-translate", "spyre-opt"].map(|tool| project.tool(Profile::Debug, tool));
    commands[0].arg(import).arg(source).arg("-o").arg(&imported);
    commands[1].arg(&imported).arg(pass).arg("-o").arg(file);
    for mut command in commands {
        let finished = process::limited(&mut command, None, LIMIT)?;
        if !finished.success() {
            let has_answer = finished.status.is_some();
            return Ok(Some(programs::failure(has_answer, "", &finished.stderr())));
        }
    }
    Ok(None)
}

/// Returns a program with its files.
fn program(name: String, text: PathBuf, folder: &Path, set: &Set) -> Result<Program, Error> {
    let source = fs::read_to_string(&text).map_err(Error::io(&text))?;
    Ok(Program {
        name,
        inputs: programs::numbered(folder, "in_"),
        outputs: programs::numbered(folder, set.results),
        tolerance: programs::tolerance(&source, set.tolerances).to_owned(),
        is_narrow: false,
        text,
    })
}
