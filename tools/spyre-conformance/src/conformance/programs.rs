//! Programs as linalg on tensors, with their inputs and results, on the simulated card.
//!
//! Each runs with its functions of the device on the simulated card and the rest on the CPU, and has to have the
//! recorded results. A table in the repository has the card's share of the work, and the reasons for the rest. Only a
//! command changes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

const LIMIT: Duration = Duration::from_secs(300);

/// The share, in percent, from which a program counts as one of the card.
pub(super) const ON_CARD: f64 = 95.0;

/// The most reasons that are listed for a program.
const REASONS: usize = 3;

/// A program, with its expected results.
pub(super) struct Program {
    /// The name in the table.
    pub(super) name: String,
    /// The text.
    pub(super) text: PathBuf,
    /// The files of its arguments, in order.
    pub(super) inputs: Vec<PathBuf>,
    /// The files of its results, in order.
    pub(super) outputs: Vec<PathBuf>,
    /// By how much results may differ, in multiples of 1 + |expected|.
    pub(super) tolerance: String,
    /// Whether its floats of 32 bits have 16 bits.
    pub(super) is_narrow: bool,
}

impl Program {
    /// Returns the command that runs the program and compares its results.
    fn command(&self, project: &Project) -> std::process::Command {
        let mut command = project.tool(Profile::Debug, "spyre-run");
        command.arg(&self.text);
        command.args(["--tolerance", &self.tolerance]);
        for (flag, files) in [("--input", &self.inputs), ("--expect", &self.outputs)] {
            for file in files {
                command.arg(flag).arg(file);
            }
        }
        command
    }

    /// Runs the program on the CPU. Returns `None` if its results are the expected ones, and otherwise the text for the
    /// row of the table.
    ///
    /// # Errors
    /// The tool cannot be run.
    pub(super) fn outcome_on_cpu(&self, project: &Project) -> Result<Option<String>, Error> {
        let finished = process::limited(&mut self.command(project), None, LIMIT)?;
        let output = String::from_utf8_lossy(&finished.stdout);
        let failure = || failure(finished.status.is_some(), &output, &finished.stderr());
        Ok((!finished.success()).then(failure))
    }

    /// Runs the program on the CPU. Returns the failure, with the output of the tool.
    ///
    /// # Errors
    /// The tool cannot be run.
    pub(super) fn on_cpu(&self, project: &Project) -> Result<Option<String>, Error> {
        let finished = process::limited(&mut self.command(project), None, LIMIT)?;
        if finished.success() {
            return Ok(None);
        }
        let output = String::from_utf8_lossy(&finished.stdout).into_owned() + &finished.stderr();
        Ok(Some(format!(
            "  {} on the CPU: {}",
            self.name,
            output.trim()
        )))
    }

    /// Runs the program all the way, and returns its outcome.
    ///
    /// # Errors
    /// The tool cannot be run.
    pub(super) fn outcome(&self, project: &Project) -> Result<String, Error> {
        let mut command = self.command(project);
        command.args(["--on", "card", "--stats"]);
        if self.is_narrow {
            command.args(["--float", "dl16"]);
        }
        let finished = process::limited(&mut command, None, LIMIT)?;
        let output = String::from_utf8_lossy(&finished.stdout).into_owned();
        let messages = finished.stderr();
        if finished.success() {
            let line = messages
                .lines()
                .find_map(|line| line.strip_suffix(" of the work is the device's"));
            let Some(line) = line else {
                return Ok("nothing".to_owned());
            };
            return Ok(match reasons(project, &self.text)?.as_slice() {
                [] => line.to_owned(),
                reasons => format!("{line}: {}", reasons.join("; ")),
            });
        }
        Ok(failure(finished.status.is_some(), &output, &messages))
    }
}

/// Returns why a run failed: no result, its first error, or its first result with other numbers.
pub(super) fn failure(has_answer: bool, output: &str, messages: &str) -> String {
    let error = messages.lines().find_map(|line| line.split_once("error: "));
    let differs = output
        .lines()
        .find(|line| line.contains("differ") && !line.contains(": 0 of"));
    match (has_answer, error, differs) {
        (false, ..) => format!("refused: no answer within {} s", LIMIT.as_secs()),
        // A row of a table has no spaces at its end.
        (true, Some((_, reason)), _) => format!("refused: {}", reason.trim_end()),
        (true, None, Some(line)) => format!("differs: {line}"),
        (true, None, None) => "refused: without a message".to_owned(),
    }
}

/// Returns by how much results of a program of linalg may differ, of the numbers for `f32`, `f16` and `bf16`: that of
/// the narrowest floats in its signature.
pub(super) fn tolerance(source: &str, [single, half, brain]: [&'static str; 3]) -> &'static str {
    let signature = source.lines().find(|line| line.contains("func.func"));
    let has = |ty: &str| signature.is_some_and(|line| line.contains(ty));
    if has("xbf16") {
        brain
    } else if has("xf16") {
        half
    } else {
        single
    }
}

/// Returns the share of the card in percent; `None` for a program without one.
pub(super) fn share(outcome: &str) -> Option<f64> {
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
        if reasons.len() < REASONS && !reasons.iter().any(|other| other == reason) {
            reasons.push(reason.to_owned());
        }
    }
    Ok(reasons)
}

/// A table of the outcomes of programs.
pub(super) struct Table {
    /// Where it is, from the root of the repository.
    pub(super) path: &'static str,
    /// The text at its start, which describes it.
    pub(super) head: &'static str,
}

impl Table {
    /// Compares the table with the outcomes of the programs, or writes it. Returns the differences.
    ///
    /// # Errors
    /// It cannot be read, or written.
    pub(super) fn compare(
        &self,
        project: &Project,
        outcomes: &BTreeMap<String, String>,
        write: bool,
    ) -> Result<Vec<String>, Error> {
        let path = project.root.join(self.path);
        if write {
            let width = outcomes.keys().map(String::len).max().unwrap_or(0);
            let rows = outcomes.iter();
            let rows: String = rows
                .map(|(name, outcome)| format!("{name:<width$}  {outcome}\n"))
                .collect();
            fs::write(&path, format!("{}\n{rows}", self.head)).map_err(Error::io(&path))?;
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
        for (name, outcome) in outcomes {
            let recorded = expected.remove(name.as_str()).unwrap_or("not in the table");
            if recorded != outcome {
                differing.push(format!(
                    "  {name}: {outcome}, and {} has {recorded}; --write changes the table",
                    self.path
                ));
            }
        }
        let gone = expected
            .keys()
            .map(|name| format!("  {name}: in {}, but not in the data", self.path));
        differing.extend(gone);
        Ok(differing)
    }
}

/// Runs programs on the card, and returns their outcomes by name.
///
/// # Errors
/// The tool cannot be run.
pub(super) fn outcomes(
    project: &Project,
    programs: &[Program],
) -> Result<BTreeMap<String, String>, Error> {
    let outcomes = process::parallel(programs, |program| program.outcome(project));
    let pairs = programs.iter().zip(outcomes);
    pairs
        .map(|(program, outcome)| Ok((program.name.clone(), outcome?)))
        .collect()
}

/// Prints how many of some programs are on the card.
pub(super) fn report<'a>(
    set: &str,
    label: &str,
    outcomes: impl Iterator<Item = &'a String> + Clone,
) {
    let shares = outcomes.clone().filter_map(|outcome| share(outcome));
    let on_card = shares.filter(|share| *share >= ON_CARD).count();
    println!(
        "{set:<20} {label:<20} {:>6} {on_card:>7} with {ON_CARD} % of the work on the card",
        outcomes.count()
    );
}

/// Returns `PREFIX0.npy`, `PREFIX1.npy` and so on, as far as they exist.
pub(super) fn numbered(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let files = (0..).map(|number| folder.join(format!("{prefix}{number}.npy")));
    files.take_while(|file| file.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::{failure, share, tolerance};

    #[test]
    fn tolerances_are_of_the_narrowest_floats() {
        let result_types = |types: &str| {
            let source = format!("module {{\nfunc.func @f({types})");
            tolerance(&source, ["1e-4", "1e-2", "4e-2"])
        };
        assert_eq!(result_types("%a: tensor<4xf32>"), "1e-4");
        assert_eq!(result_types("%a: tensor<4xf32>, %b: tensor<4xf16>"), "1e-2");
        assert_eq!(
            result_types("%a: tensor<4xf16>, %b: tensor<4xbf16>"),
            "4e-2"
        );
    }

    #[test]
    fn failures_name_the_result_that_differs() {
        let output = "result 0: 0 of 4 elements differ\nresult 1: 2 of 4 elements differ\n";
        assert_eq!(
            failure(true, output, ""),
            "differs: result 1: 2 of 4 elements differ"
        );
        let message = "f.mlir:1:1: error: no \n";
        assert_eq!(failure(true, output, message), "refused: no");
    }

    #[test]
    fn shares_come_first() {
        assert_eq!(share("98.9 %: no i64"), Some(98.9));
        assert_eq!(share("refused: 5 % of it"), None);
        assert_eq!(share("nothing"), None);
    }
}
