//! Programs of front ends, as linalg on tensors, with their inputs and results.
//!
//! Each runs with its functions of the device on the simulated card and the rest on the CPU, and has to have the recorded results.
//! The table in `test/linalg-programs.txt` says how much of the work is the card's, and why not the rest. Only a command changes
//! it.

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
# All of them have the recorded results, but for those that are refused or differ. NAME@dl16 is a program of f32 with its
# floats in 16 bits.
#
# 100.0 %     the share of the elements that operations compute on the simulated card; then why others stay on the host
# nothing     nothing is computed when it runs: it depends on no input, or only moves elements
# refused     the reason, at the first operation that has one
# differs     by how much, from results of f32
";

const LIMIT: Duration = Duration::from_secs(300);

/// The share, in percent, from which a program counts as one of the card.
const ON_CARD: f64 = 95.0;

/// The most reasons that are told of a program.
const REASONS: usize = 3;

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
    let mut runs = Vec::new();
    for program in programs {
        let text = program.join("linalg.mlir");
        let source = fs::read_to_string(&text).map_err(Error::io(&text))?;
        if is_single(&source) {
            runs.push(Run::new(program.clone(), Float::Dl16, &source));
        }
        runs.push(Run::new(program, Float::Keep, &source));
    }
    let outcomes = process::parallel(&runs, |run| run.outcome(project));
    let mut found = BTreeMap::new();
    for (run, outcome) in runs.iter().zip(outcomes) {
        found.insert(run.name(), outcome?);
    }
    for (float, label) in [(Float::Keep, "run"), (Float::Dl16, "run, float=dl16")] {
        let is_it = |name: &str| name.ends_with(NARROW) == (float == Float::Dl16);
        let own = found.iter().filter(|(name, _)| is_it(name));
        let (count, shares) = (own.clone().count(), own.filter_map(|(_, own)| share(own)));
        let on_card = shares.filter(|share| *share >= ON_CARD).count();
        println!(
            "{:<20} {label:<20} {count:>6} {on_card:>7} with {ON_CARD} % of the work on the card",
            "linalg"
        );
    }
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

/// What becomes of floats of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Float {
    Keep,
    Dl16,
}

/// The end of the name of a program whose floats have 16 bits.
const NARROW: &str = "@dl16";

/// A program, in one of the formats.
struct Run {
    program: PathBuf,
    float: Float,
    tolerance: &'static str,
}

impl Run {
    fn new(program: PathBuf, float: Float, source: &str) -> Self {
        let tolerance = match float {
            Float::Keep => tolerance(source),
            Float::Dl16 => "2e-2",
        };
        Self {
            program,
            float,
            tolerance,
        }
    }

    fn name(&self) -> String {
        let end = match self.float {
            Float::Keep => "",
            Float::Dl16 => NARROW,
        };
        format!("{}{end}", name(&self.program))
    }

    /// Runs the program all the way, and returns what becomes of it.
    fn outcome(&self, project: &Project) -> Result<String, Error> {
        let program = &self.program;
        let text = program.join("linalg.mlir");
        let mut command = project.tool(Profile::Debug, "spyre-run");
        command.arg(&text).args(["--on", "card", "--stats"]);
        command.args(["--tolerance", self.tolerance]);
        if self.float == Float::Dl16 {
            command.args(["--float", "dl16"]);
        }
        for (flag, prefix) in [("--input", "in_"), ("--expect", "out_")] {
            for file in numbered(program, prefix) {
                command.arg(flag).arg(file);
            }
        }
        let finished = process::limited(&mut command, None, LIMIT)?;
        let said = String::from_utf8_lossy(&finished.stdout).into_owned();
        let messages = finished.stderr();
        if finished.success() {
            let line = messages
                .lines()
                .find_map(|line| line.strip_suffix(" of the work is the device's"));
            let Some(line) = line else {
                return Ok("nothing".to_owned());
            };
            return Ok(match reasons(project, &text)?.as_slice() {
                [] => line.to_owned(),
                reasons => format!("{line}: {}", reasons.join("; ")),
            });
        }
        let error = messages.lines().find_map(|line| line.split_once("error: "));
        let differs = said.lines().find(|line| line.contains("differ"));
        Ok(match (finished.status, error, differs) {
            (None, ..) => format!("refused: no answer within {} s", LIMIT.as_secs()),
            (_, Some((_, why)), _) => format!("refused: {why}"),
            (_, None, Some(line)) => format!("differs: {line}"),
            (_, None, None) => "refused: without a message".to_owned(),
        })
    }
}

/// Returns the share of the card in percent; `None` for a program without one.
fn share(outcome: &str) -> Option<f64> {
    let (share, _) = outcome.split_once(" %")?;
    share.parse().ok()
}

/// Returns why operations of a program stay on the host: the first reasons of its remarks.
fn reasons(project: &Project, text: &Path) -> Result<Vec<String>, Error> {
    let mut command = project.tool(Profile::Debug, "spyre-opt");
    command.arg(text).args([
        "--spyre-import-linalg=host=true",
        "--remarks-filter=convert-linalg-to-spyre",
        "--remark-format=emitRemark",
    ]);
    let finished = process::limited(&mut command, None, LIMIT)?;
    let messages = finished.stderr();
    let mut reasons: Vec<String> = Vec::new();
    // Numbers are no work.
    for line in messages.lines().filter(|line| line.contains("'linalg.")) {
        let reason = line.split_once("Reason=\"").map(|(_, rest)| rest);
        let reason = reason.and_then(|rest| rest.split_once("\", Remark="));
        let Some((reason, _)) = reason else { continue };
        if reasons.len() < REASONS && !reasons.iter().any(|known| known == reason) {
            reasons.push(reason.to_owned());
        }
    }
    Ok(reasons)
}

/// Returns whether the public function of a program has floats of 32 bits.
fn is_single(source: &str) -> bool {
    let signature = source.lines().find(|line| line.contains("func.func"));
    signature.is_some_and(|line| line.contains("f32"))
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
    use super::{name, share, tolerance};
    use std::path::Path;

    #[test]
    fn programs_are_named_by_their_front_end() {
        assert_eq!(name(Path::new("/data/linalg/onnx/sin")), "onnx/sin");
    }

    #[test]
    fn shares_come_first() {
        assert_eq!(share("98.9 %: no i64"), Some(98.9));
        assert_eq!(share("refused: 5 % of it"), None);
        assert_eq!(share("nothing"), None);
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
