//! `cargo xtask proofs`: proves the plans and the bundles of all programs of the tree, and measures the time of proofs.
//!
//! Each program is planned from its source in one step, and `--spyre-prove` compares the plan with the source; then
//! `spyre-translate prove` compares the files with the plan. The figures of docs/Proofs.md are those that it prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use crate::bench::measure::least;

mod blocks;

/// The folders with programs.
const FOLDERS: [&str; 2] = ["examples", "test/Integration"];
/// The most that planning, or a proof, may take.
const LIMIT: Duration = Duration::from_secs(120);
/// The largest share of claims without an answer, in thousandths.
const MOST_UNDECIDED: usize = 30;
/// The transformer blocks of the programs whose proofs are measured.
const BLOCKS: [usize; 3] = [1, 4, 24];
/// Runs of each command; the minimum counts.
const RUNS: usize = 2;
/// The line of a report with its numbers.
const SUMMARY: &str = " not decided";

/// The numbers of claims by their answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    operations: usize,
    claims: usize,
    proved: usize,
    refuted: usize,
    undecided: usize,
}

/// Proves all programs of the tree, and prints the claims that do not hold, the reasons of those without an answer, and
/// the time of proofs.
///
/// # Errors
/// When the build fails, a claim does not hold, or more than 3 % of the claims have no answer.
pub(crate) fn proofs(project: &Project) -> Result<(), Error> {
    let mut build = project.cargo();
    build.args([
        "build",
        "--package",
        "spyre-opt",
        "--package",
        "spyre-translate",
    ]);
    process::run(&mut build)?;
    let directory = project.target.join("proofs");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    let mut programs = Vec::new();
    for folder in FOLDERS {
        collect(&project.root.join(folder), &mut programs)?;
    }
    programs.sort();
    let mut run = Run {
        project,
        directory,
        plans: Counts::default(),
        files: Counts::default(),
        planned: 0,
        reasons: BTreeMap::new(),
    };
    for program in &programs {
        run.program(program)?;
    }
    let undecided = run.report(programs.len());
    blocks::measured(project, &run.directory)?;
    let refuted = run.plans.refuted + run.files.refuted;
    match refuted {
        0 if undecided <= MOST_UNDECIDED => Ok(()),
        0 => Err(Error::Verdict(format!(
            "{undecided} of 1000 claims have no answer, more than {MOST_UNDECIDED}"
        ))),
        _ => Err(Error::Verdict(format!("{refuted} claims do not hold"))),
    }
}

/// Adds the programs of a folder, and of the folders in it.
fn collect(folder: &Path, programs: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.is_dir() {
            collect(&path, programs)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "mlir")
        {
            programs.push(path);
        }
    }
    Ok(())
}

struct Run<'p> {
    project: &'p Project,
    directory: PathBuf,
    plans: Counts,
    files: Counts,
    /// Programs that are planned: the others are no device programs, or are refused by the pipeline.
    planned: usize,
    /// How many claims have no answer, by the reason.
    reasons: BTreeMap<String, usize>,
}

impl Run<'_> {
    /// Plans a program, and proves the plan and the bundle.
    fn program(&mut self, source: &Path) -> Result<(), Error> {
        let planned = self.directory.join("planned.mlir");
        let mut plan = self.project.tool(Profile::Debug, "spyre-opt");
        plan.arg(source)
            .arg("--spyre-pipeline=plan=true bundle=false");
        plan.arg("-o").arg(&planned);
        if !process::limited(&mut plan, None, LIMIT)?.success() {
            return Ok(());
        }
        self.planned += 1;
        let mut prove = self.project.tool(Profile::Debug, "spyre-opt");
        prove
            .arg(&planned)
            .arg(format!("--spyre-prove=before={}", source.display()));
        prove.args(["-o", "/dev/null"]);
        let text = process::limited(&mut prove, None, LIMIT)?.stderr();
        let counts = self.counts(source, &text);
        self.plans.add(counts);

        let bundle = self.directory.join("bundle");
        // The folder of the program before, if there is one.
        let _ = fs::remove_dir_all(&bundle);
        let mut write = self.project.tool(Profile::Debug, "spyre-translate");
        write.arg("bundle").arg(&planned).arg("-o").arg(&bundle);
        if process::limited(&mut write, None, LIMIT)?.success() {
            let mut prove = self.project.tool(Profile::Debug, "spyre-translate");
            prove.arg("prove").arg(&bundle).arg(&planned);
            let text = process::limited(&mut prove, None, LIMIT)?.stderr();
            let counts = self.counts(source, &text);
            self.files.add(counts);
        }
        Ok(())
    }

    /// Returns the numbers of a report, prints its errors, and counts its reasons.
    fn counts(&mut self, source: &Path, report: &str) -> Counts {
        let mut counts = Counts::default();
        for line in report.lines() {
            if line.contains(" error: ") {
                println!("{}: {line}", source.display());
            } else if let Some((_, reason)) = line.split_once("not decided: ") {
                *self.reasons.entry(kind(reason)).or_default() += 1;
            } else if line.ends_with(SUMMARY) || line.contains(" not decided;") {
                counts.add(Counts::of(line));
            }
        }
        counts
    }

    /// Prints the numbers. Returns the share of claims without an answer, in thousandths.
    fn report(&self, programs: usize) -> usize {
        println!("\n{} of {programs} programs are planned", self.planned);
        for (what, counts) in [("plans", self.plans), ("files", self.files)] {
            let Counts {
                operations,
                claims,
                proved,
                refuted,
                undecided,
            } = counts;
            println!(
                "{what}: {operations} operations, {claims} claims: {proved} proved, {refuted} refuted, {undecided} not decided"
            );
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            println!("{count:>6}  {reason}");
        }
        let claims = self.plans.claims + self.files.claims;
        (self.plans.undecided + self.files.undecided) * 1000 / claims.max(1)
    }
}

impl Counts {
    /// Returns the numbers of a summary: `2 operations, 26 claims (...): 26 proved, 0 refuted, 0 not decided`.
    fn of(line: &str) -> Self {
        let before = |word: &str| {
            let (text, _) = line.split_once(word)?;
            text.rsplit([' ', '(']).next()?.parse().ok()
        };
        let number = |word| before(word).unwrap_or(0);
        Self {
            operations: number(" operation"),
            claims: number(" claim"),
            proved: number(" proved"),
            refuted: number(" refuted"),
            undecided: number(" not decided"),
        }
    }

    fn add(&mut self, other: Self) {
        self.operations += other.operations;
        self.claims += other.claims;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.undecided += other.undecided;
    }
}

/// Returns a reason without the names in it.
fn kind(reason: &str) -> String {
    let parts = reason.split('\'').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 1 { "..." } else { part });
    parts.collect::<Vec<_>>().join("'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_read() {
        let line = "p.mlir:5:3: remark: spyre-prove: 20 operations, 147 claims (P1 27, P2 16, P3 34, P4 70): 141 proved, \
                    1 refuted, 5 not decided; 3 reductions combine their terms in another order";
        let counts = Counts {
            operations: 20,
            claims: 147,
            proved: 141,
            refuted: 1,
            undecided: 5,
        };
        assert_eq!(Counts::of(line), counts);
    }

    #[test]
    fn reasons_have_no_names() {
        assert_eq!(
            kind("the program before has no 'where3' with its attributes"),
            "the program before has no '...' with its attributes"
        );
    }
}
