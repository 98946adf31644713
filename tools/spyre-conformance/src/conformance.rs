//! `cargo xtask conformance`: reference data against our tools.

mod inductor;
mod linalg;
mod programs;
mod releases;
mod reports;
mod uop;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::{contract, roads};
use spyre_checkout::error::Error;
use spyre_checkout::process::{self, Finished};
use spyre_checkout::project::{Profile, Project};

/// The time limit for one run of a tool on one file.
const LIMIT: Duration = Duration::from_secs(60);

/// The checks of each file, with their names.
const CHECKS: [(&str, Check); 3] = [
    ("text round trip", text_round_trip),
    ("bytecode round trip", bytecode_round_trip),
    ("stock mlir-opt", stock_mlir_opt),
];

type Check = fn(&Project, &Path) -> Result<(), String>;

/// Folders of the data that have cases.
const CASES: [&str; 2] = ["bundle", "bundle-more"];
/// The folder of the data that has functions as the interface document shows them.
const EXAMPLES: &str = "interface-examples";
/// The folder of the data that has programs of UOps.
const UOPS: &str = "uop";
/// The published table of OpFuncs.
const OP_FUNCS: &str = "contract/opfuncs.json";
/// The published schema of the files of operations.
const SCHEMA: &str = "contract/sdscbundle-schema.json";

/// Compares the rows of OpFuncs with the table in `data/contract`, and the SDSC generator with the cases in
/// `data/bundle` and `data/bundle-more`, runs their bundles, compares the road through MLIR with the direct one, and
/// feeds every reference bundle and the examples in `data/interface-examples` to `spyre-opt` and to stock `mlir-opt`.
/// Runs the programs of front ends in `data/linalg`, `data/inductor` and `data/uop`; with `write`, the tables of their
/// outcomes are written anew, and the tables of releases in `data/torch-2.15`, `data/tinygrad` and `data/jax-2026` as
/// well. Runs the programs in `data/reports`. Reads and executes the graphs in `data/uop`. Only `data/bundle` must be
/// there.
///
/// # Errors
/// When there is no data, or a case fails.
pub(crate) fn conformance(project: &Project, data: &Path, write: bool) -> Result<(), Error> {
    let data = fs::canonicalize(data).map_err(Error::io(data))?;
    let sets = [
        ("bundles", bundles(&data)?),
        ("interface examples", interface_examples(&data)?),
    ];
    for folder in CASES.iter().chain(&[EXAMPLES]) {
        if !data.join(folder).is_dir() {
            println!("{} has no {folder}", data.display());
        }
    }
    project.build_workspace()?;

    let op_funcs = op_funcs(project, &data);
    println!("\nSDSC generator:");
    let generated = run_examples(project, &data, &["--package", "spyre-sdsc"], "conformance");
    println!("\nRecorded bundles on the simulated card:");
    let simulated = run_examples(
        project,
        &data,
        &["--release", "--package", "spyre-sim"],
        "golden",
    );
    println!("\nPrograms of PyTorch Inductor:");
    let graphs = process::run(example(project, "inductor").arg(&data));
    let uops = uop_programs(project, &data);

    println!(
        "\n{:<20} {:<20} {:>6} {:>7} {:>7}",
        "set", "check", "cases", "passed", "failed"
    );
    let mut failures = run_checks(project, &data, &sets);
    failures.extend(checked_bundles(project, &data)?);
    let schema = data.join(SCHEMA);
    let schema = schema.is_file().then_some(schema.as_path());
    failures.extend(roads::compare(project, &cases(&data)?, schema)?);
    failures.extend(linalg::programs(project, &data, write)?);
    failures.extend(inductor::programs(project, &data, write)?);
    failures.extend(uop::programs(project, &data, write)?);
    failures.extend(releases::programs(project, &data, write)?);
    failures.extend(reports::programs(project, &data)?);
    let by_schema = by_schema(project, &data, schema);
    for failure in &failures {
        println!("{failure}");
    }
    op_funcs?;
    by_schema?;
    generated?;
    simulated?;
    graphs?;
    uops?;
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Error::Verdict(format!(
            "{} conformance checks failed",
            failures.len()
        )))
    }
}

/// Returns the command that runs an example of this package.
fn example(project: &Project, name: &str) -> Command {
    let mut command = project.cargo();
    command.args(["run", "--quiet", "--package", env!("CARGO_PKG_NAME")]);
    command.args(["--example", name, "--"]);
    command
}

/// Runs all checks on the files of some sets, and prints the numbers of each. Returns the failures.
fn run_checks(project: &Project, data: &Path, sets: &[(&str, Vec<PathBuf>)]) -> Vec<String> {
    let mut failures = Vec::new();
    for (set, files) in sets {
        for (name, check) in CHECKS {
            let results = process::parallel(files, |file| check(project, file));
            let failed = results.iter().filter(|r| r.is_err()).count();
            println!(
                "{set:<20} {name:<20} {:>6} {:>7} {failed:>7}",
                files.len(),
                files.len() - failed
            );
            for (file, result) in files.iter().zip(results) {
                if let Err(reason) = result {
                    let file = file.strip_prefix(data).unwrap_or(file);
                    failures.push(format!("  {} ({name}): {reason}", file.display()));
                }
            }
        }
    }
    failures
}

/// Compares the rows of `spyre_ops::contract` with the published table, if it exists.
fn op_funcs(project: &Project, data: &Path) -> Result<(), Error> {
    let table = data.join(OP_FUNCS);
    if !table.is_file() {
        println!("{} has no {OP_FUNCS}", data.display());
        return Ok(());
    }
    println!("\nPublished table of OpFuncs:");
    let mut command = project.cargo();
    command.args(["run", "--quiet", "--package", "spyre-ops"]);
    command.args(["--example", "contract", "--"]);
    process::run(command.arg(table))
}

/// Builds the bundles of the programs of front ends, and checks them by the rules of the contract and against the
/// published schema, if it is there. The programs of Inductor and of UOps are the ones that were built from the data
/// before.
fn by_schema(project: &Project, data: &Path, schema: Option<&Path>) -> Result<(), Error> {
    let Some(schema) = schema else {
        println!("{} has no {SCHEMA}", data.display());
        return Ok(());
    };
    println!("\nBundles of programs, by the rules of the contract and its schema:");
    let mut paths = vec![data.join(linalg::FOLDER)];
    for folder in [inductor::OUTPUT_FOLDER, uop::OUTPUT_FOLDER] {
        let folder = project.target.join(folder);
        if folder.is_dir() {
            paths.extend(entries(&folder)?.into_iter().filter(|path| is_linalg(path)));
        }
    }
    let paths: Vec<_> = paths.iter().filter(|path| path.exists()).collect();
    let paths: Vec<_> = paths.iter().map(|path| path.as_os_str()).collect();
    contract::check(project, &paths, 0, Some(schema))
}

/// Returns the name of an entry of a directory.
fn name(path: &Path) -> Cow<'_, str> {
    let name = path
        .file_name()
        .expect("an entry of a directory has a name");
    name.to_string_lossy()
}

/// Returns whether a file has a program in linalg as it is converted from the data: no other dialect, no other
/// schedule.
fn is_linalg(path: &Path) -> bool {
    let name = name(path);
    let stem = name.strip_suffix(".mlir");
    stem.is_some_and(|stem| !stem.contains(['.', '+']))
}

/// Reads, writes, derives and executes the programs of UOps, if they exist.
fn uop_programs(project: &Project, data: &Path) -> Result<(), Error> {
    let folder = data.join(UOPS);
    if !folder.is_dir() {
        println!("{} has no {UOPS}", data.display());
        return Ok(());
    }
    println!("\nPrograms of UOps:");
    let mut command = project.cargo();
    command.args(["run", "--quiet", "--package", "spyre-uop"]);
    command.args(["--example", "uop_conformance", "--"]);
    process::run(command.arg(folder))
}

/// Runs an example of a crate on each folder of cases. The last error is returned.
fn run_examples(
    project: &Project,
    data: &Path,
    arguments: &[&str],
    example: &str,
) -> Result<(), Error> {
    let mut outcome = Ok(());
    for folder in case_folders(data) {
        let mut command = project.cargo();
        command.args(["run", "--quiet"]).args(arguments);
        command.args(["--example", example, "--"]);
        let run = process::run(command.arg(folder));
        outcome = run.and(outcome);
    }
    outcome
}

/// Returns the folders of cases that exist.
fn case_folders(data: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = CASES.iter().map(|folder| data.join(folder));
    folders.filter(|folder| folder.is_dir())
}

/// Returns all entries of the folders of cases.
fn case_entries(data: &Path) -> Result<Vec<PathBuf>, Error> {
    let folders: Vec<_> = case_folders(data)
        .map(|folder| entries(&folder))
        .collect::<Result<_, _>>()?;
    Ok(folders.concat())
}

/// Cases with bundles that break rules of `--verify-bundle`, with the rules. They were captured from unit tests of the
/// reference compiler with invented addresses.
const BROKEN: [(&str, &[&str]); 1] = [(
    "r2_t_TestGenerateBundleMlirWithAffineStrides__test_tiled_snapshot_via_device_tile_advance_expr",
    // The second tensor is at an odd address, and the windows are outside of both.
    &["VB20", "VB32"],
)];

/// Runs `spyre-translate --verify-bundle` on every reference bundle that has its JSON files, prints a row for it and
/// the warnings by their rules, and returns the failures.
fn checked_bundles(project: &Project, data: &Path) -> Result<Vec<String>, Error> {
    let (complete, alone): (Vec<_>, Vec<_>) = bundles(data)?
        .into_iter()
        .filter_map(|file| file.parent().map(Path::to_owned))
        .partition(|directory| directory.join("sdsc_0.json").is_file());
    let results = process::parallel(&complete, |directory| verify_bundle(project, directory));
    let failed = results.iter().filter(|result| result.is_err()).count();
    println!(
        "{:<20} {:<20} {:>6} {:>7} {failed:>7}",
        "bundle directories",
        "--verify-bundle",
        complete.len(),
        complete.len() - failed
    );
    let mut warnings = BTreeMap::<String, usize>::new();
    let mut failures = Vec::new();
    for (directory, result) in complete.iter().zip(results) {
        match result {
            Ok(rules) => {
                for rule in rules {
                    *warnings.entry(rule).or_default() += 1;
                }
            }
            Err(reason) => {
                let directory = directory.strip_prefix(data).unwrap_or(directory);
                failures.push(format!(
                    "  {} (--verify-bundle): {reason}",
                    directory.display()
                ));
            }
        }
    }
    let warnings: Vec<_> = warnings
        .iter()
        .map(|(rule, count)| format!("{rule}: {count}"))
        .collect();
    println!(
        "{} bundles have no JSON files; {} has errors that are known; warnings: {}",
        alone.len(),
        BROKEN.len(),
        warnings.join(", ")
    );
    Ok(failures)
}

/// Returns the rules of the warnings about a bundle, or the first error. VB4 is about files of the test case.
fn verify_bundle(project: &Project, directory: &Path) -> Result<Vec<String>, String> {
    let mut command = project.tool(Profile::Debug, "spyre-translate");
    command.arg("--verify-bundle").arg(directory);
    command.args(["--contract", "r3"]);
    let finished = process::limited(&mut command, None, LIMIT).map_err(|e| e.to_string())?;
    let messages = finished.stderr();
    let rule = |line: &str| {
        let (_, rest) = line.rsplit_once(" [VB")?;
        let (number, _) = rest.split_once(']')?;
        Some(format!("VB{number}"))
    };
    let rules = |severity: &str| {
        let lines = messages.lines().filter(|line| line.contains(severity));
        lines.filter_map(rule).collect::<Vec<_>>()
    };
    let case = directory.parent().and_then(Path::file_name);
    if let Some((_, expected)) = BROKEN.iter().find(|(name, _)| case == Some(name.as_ref())) {
        let broken_rules: BTreeSet<_> = rules(": error: ").into_iter().collect();
        return if finished.success() || !broken_rules.iter().eq(expected.iter()) {
            Err(format!(
                "breaks {broken_rules:?}, but is known to break {expected:?}"
            ))
        } else {
            Ok(Vec::new())
        };
    }
    if !finished.success() {
        let first = messages.lines().find(|line| line.contains("error: "));
        return Err(first.unwrap_or("no message").to_owned());
    }
    let warnings = rules(": warning: ")
        .into_iter()
        .filter(|rule| rule != "VB4");
    Ok(warnings.collect())
}

/// Returns the folders of the recorded cases.
fn cases(data: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(case_entries(data)?
        .into_iter()
        .filter(|folder| folder.join("case.json").is_file())
        .collect())
}

/// Returns the `expected/bundle.mlir` of every case that has one.
fn bundles(data: &Path) -> Result<Vec<PathBuf>, Error> {
    let files = case_entries(data)?
        .into_iter()
        .map(|c| c.join("expected/bundle.mlir"));
    let files: Vec<_> = files.filter(|f| f.is_file()).collect();
    // No data must not look like success.
    if files.is_empty() {
        let data = data.display();
        return Err(Error::Verdict(format!(
            "{data} must have bundle/<case>/expected/bundle.mlir"
        )));
    }
    Ok(files)
}

/// Returns the functions of the interface document, if they exist.
fn interface_examples(data: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = data.join(EXAMPLES);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let files = entries(&folder)?.into_iter();
    Ok(files
        .filter(|f| f.extension().is_some_and(|e| e == "mlir"))
        .collect())
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = fs::read_dir(directory)
        .map_err(Error::io(directory))?
        .map(|entry| entry.map(|e| e.path()).map_err(Error::io(directory)))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

/// Parses, verifies, prints, parses again and compares; MLIR does that itself.
fn text_round_trip(project: &Project, file: &Path) -> Result<(), String> {
    let mut command = project.tool(Profile::Debug, "spyre-opt");
    succeed(
        command
            .arg(file)
            .args(["--verify-roundtrip", "-o", "/dev/null"]),
        None,
    )
    .map(drop)
}

/// Checks that the text printed from the bytecode is the text printed from the file.
fn bytecode_round_trip(project: &Project, file: &Path) -> Result<(), String> {
    let spyre_opt = || project.tool(Profile::Debug, "spyre-opt");
    let text = succeed(spyre_opt().arg(file), None)?;
    let bytecode = succeed(spyre_opt().arg(file).arg("--emit-bytecode"), None)?;
    let again = succeed(&mut spyre_opt(), Some(&bytecode.stdout))?;
    if text.stdout == again.stdout {
        Ok(())
    } else {
        Err("the text after bytecode differs".into())
    }
}

/// Checks that stock `mlir-opt` prints the same with the plugin.
fn stock_mlir_opt(project: &Project, file: &Path) -> Result<(), String> {
    let ours = succeed(project.tool(Profile::Debug, "spyre-opt").arg(file), None)?;
    let mut stock = project.stock_mlir_opt(Profile::Debug);
    let stock = succeed(stock.arg(file).arg("--verify-roundtrip"), None)?;
    if ours.stdout == stock.stdout {
        Ok(())
    } else {
        Err("stock mlir-opt prints another text".into())
    }
}

/// Runs a command. Returns the finished program, or the first line of its error.
fn succeed(command: &mut Command, stdin: Option<&[u8]>) -> Result<Finished, String> {
    let finished = process::limited(command, stdin, LIMIT).map_err(|e| e.to_string())?;
    if finished.success() {
        return Ok(finished);
    }
    let stderr = finished.stderr();
    let first = stderr
        .lines()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("no message");
    match finished.status {
        Some(status) => Err(format!("{status}: {first}")),
        None => Err(format!("no answer within {} s", LIMIT.as_secs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_linalg_have_one_ending() {
        for (name, expected) in [
            ("sum.mlir", true),
            ("sum@simd.mlir", true),
            ("sum+cpp.mlir", false),
            ("sum.inductor.mlir", false),
            ("sum.in_0.npy", false),
        ] {
            assert_eq!(is_linalg(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn folders_that_are_not_there_are_left_out() {
        let data =
            std::env::temp_dir().join(format!("spyre-conformance-test-{}", std::process::id()));
        let case = data.join("bundle/a/expected");
        fs::create_dir_all(&case).unwrap();
        assert!(matches!(bundles(&data), Err(Error::Verdict(_))));
        fs::write(case.join("bundle.mlir"), "").unwrap();
        assert_eq!(bundles(&data).unwrap(), [case.join("bundle.mlir")]);
        assert_eq!(
            interface_examples(&data).unwrap(),
            [""; 0].map(PathBuf::from)
        );
        // The second folder of cases is read like the first.
        let more = data.join("bundle-more/b/expected");
        fs::create_dir_all(&more).unwrap();
        fs::write(more.join("bundle.mlir"), "").unwrap();
        assert_eq!(bundles(&data).unwrap().len(), 2);
        fs::remove_dir_all(&data).unwrap();
    }
}
