//! Small programs of earlier bug reports: each had wrong results, or was refused, or was slow.
//!
//! Each runs on the CPU and with its parts for the card, and both have the same numbers. If both had the same wrong
//! results, the program prints the right results.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{entries, name, programs};
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The folder of the data.
const FOLDER: &str = "reports";

const LIMIT: Duration = Duration::from_secs(60);

/// The inputs and the tolerance of a run.
const RUN: [&str; 6] = [
    "--random-seed",
    "1",
    "--largest",
    "0.25",
    "--tolerance",
    "1e-2",
];

/// Further options of programs that need them, by the beginning of their names.
const OPTIONS: [(&str, &[&str]); 2] = [
    ("breakit-10-", &["--size", "S=1"]),
    ("linalg-04", &["--float=dl16"]),
];

/// The first lines that the CPU prints for programs that were wrong on the CPU and on the card alike.
const RESULTS: [(&str, &str); 2] = [
    ("linalg-03.mlir", "result 0: tensor<i32> [3]\n"),
    ("linalg-03b.mlir", "result 0: tensor<1xi64> [0]\n"),
];

/// Runs the programs. Returns the programs that fail.
///
/// # Errors
/// The data cannot be read, or a tool cannot be started.
pub(super) fn programs(project: &Project, data: &Path) -> Result<Vec<String>, Error> {
    let folder = data.join(FOLDER);
    if !folder.is_dir() {
        println!("{} has no {FOLDER}", data.display());
        return Ok(Vec::new());
    }
    let mut files = entries(&folder)?;
    files.retain(|file| {
        let name = name(file);
        // StableHLO has to be lowered first; the same programs exist as linalg.
        let is_stablehlo = name.contains(".stablehlo.");
        !is_stablehlo && [".mlir", ".json"].iter().any(|end| name.ends_with(end))
    });
    let results = process::parallel(&files, |file| failure(project, file));
    let results: Vec<Option<String>> = results.into_iter().collect::<Result<_, _>>()?;
    let failures = files.iter().zip(results);
    let failures = failures
        .filter_map(|(file, reason)| Some(format!("  {FOLDER}/{}: {}", name(file), reason?)));
    let failures: Vec<String> = failures.collect();
    println!(
        "{FOLDER:<20} {:<20} {:>6} {:>7} {:>7}",
        "run",
        files.len(),
        files.len() - failures.len(),
        failures.len()
    );
    Ok(failures)
}

/// Returns why a program fails, if it does.
fn failure(project: &Project, file: &PathBuf) -> Result<Option<String>, Error> {
    let name = name(file);
    let options = OPTIONS.iter().find(|(start, _)| name.starts_with(start));
    let options = options.map_or(&[][..], |(_, options)| options);
    let mut command = project.tool(Profile::Debug, "spyre-run");
    command
        .arg(file)
        .arg("--on=card")
        .arg("--compare")
        .arg(file);
    let run = process::limited(command.args(RUN).args(options), None, LIMIT)?;
    if !run.success() {
        let Some(_) = run.status else {
            return Ok(Some(format!("no answer within {} s", LIMIT.as_secs())));
        };
        let output = String::from_utf8_lossy(&run.stdout);
        return Ok(Some(programs::failure(true, &output, &run.stderr())));
    }
    let Some((_, result)) = RESULTS.iter().find(|(result_name, _)| *result_name == name) else {
        return Ok(None);
    };
    let mut command = project.tool(Profile::Debug, "spyre-run");
    let run = process::limited(command.arg(file).args(&RUN[..4]), None, LIMIT)?;
    let is_right = run.success() && run.stdout.starts_with(result.as_bytes());
    Ok((!is_right).then(|| format!("it does not print {result:?}")))
}
