//! `cargo xtask proofs`: proves the plans and the bundles of all programs of the tree, and measures the time of proofs.
//!
//! Each program is planned from its source in one step, and `--spyre-prove` compares the plan with the source; then
//! `spyre-translate prove` compares the files with the plan. `--write` writes the figures of docs/Proofs.md: the numbers
//! of claims are the same on every machine, the times are not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};
use spyre_checkout::table::between;

use crate::bench::measure::{least, peak};

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
/// The end of the line of a report with its numbers.
const SUMMARY: &str = " not decided";
/// The text of a report about a module without functions of the device.
const NOTHING: &str = "nothing is proved";
/// The file that a directory has if it is one bundle, and not those of a program of host and device.
const FUNCTION: &str = "bundle.mlir";
/// The page with the figures.
const PAGE: &str = "docs/Proofs.md";
/// The line before the figures, and the line after them.
const MARKS: [&str; 2] = [
    "<!-- The figures are written by `cargo xtask proofs --write`. -->",
    "<!-- The end of the figures of proofs. -->",
];

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
/// the time of proofs; with `write`, into the page of proofs as well.
///
/// # Errors
/// When the build fails, a claim does not hold, a proof has no report, or more than 3 % of the claims have no answer.
pub(crate) fn proofs(project: &Project, write: bool) -> Result<(), Error> {
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
        silent: Vec::new(),
    };
    for program in &programs {
        run.program(program)?;
    }
    let mut figures = run.table(programs.len());
    figures.push_str(&blocks::measured(project, &run.directory)?);
    println!("\n{figures}");
    run.verdict()?;
    if !write {
        return Ok(());
    }
    let page = project.root.join(PAGE);
    let text = fs::read_to_string(&page).map_err(Error::io(&page))?;
    let new = between(&text, MARKS, &figures).ok_or_else(|| {
        let [first, last] = MARKS;
        Error::Verdict(format!("{PAGE} lacks the line `{first}` or `{last}`"))
    })?;
    fs::write(&page, new).map_err(Error::io(&page))
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
    /// Proofs that ended without a report: they failed, or took too long.
    silent: Vec<String>,
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
        let counts = self.counts(source, "plan", &mut prove)?;
        self.plans.add(counts);

        let bundle = self.directory.join("bundle");
        // The folder of the program before, if there is one.
        let _ = fs::remove_dir_all(&bundle);
        let mut write = self.project.tool(Profile::Debug, "spyre-translate");
        write.arg("bundle").arg(&planned).arg("-o").arg(&bundle);
        if process::limited(&mut write, None, LIMIT)?.success() {
            let mut prove = self.project.tool(Profile::Debug, "spyre-translate");
            prove.arg("prove").arg(&bundle).arg(&planned);
            if bundle.join(FUNCTION).exists() {
                let counts = self.counts(source, "files", &mut prove)?;
                self.files.add(counts);
            }
        }
        Ok(())
    }

    /// Returns the numbers of the report of a proof, prints its errors, and counts its reasons.
    fn counts(&mut self, source: &Path, what: &str, prove: &mut Command) -> Result<Counts, Error> {
        let report = process::limited(prove, None, LIMIT)?.stderr();
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
        if counts == Counts::default() && !report.contains(NOTHING) {
            self.silent.push(format!("{} ({what})", source.display()));
        }
        Ok(counts)
    }

    /// Returns the numbers as tables: of claims, and of the reasons why some have no answer.
    fn table(&self, programs: usize) -> String {
        let mut table = format!(
            "{} of {programs} programs of `{}` are planned by `--spyre-pipeline=plan=true`; the others are no programs of the \
             device, or are refused.\n\n",
            self.planned,
            FOLDERS.join("` and `")
        );
        table.push_str("| proofs | operations | claims | proved | refuted | not decided |\n|---|---:|---:|---:|---:|---:|\n");
        for (what, counts) in [
            ("source to plan", self.plans),
            ("plan to files", self.files),
        ] {
            let numbers = [
                counts.operations,
                counts.claims,
                counts.proved,
                counts.refuted,
                counts.undecided,
            ];
            let numbers = numbers.map(grouped);
            let share = percent(counts.undecided, counts.claims);
            table.push_str(&format!(
                "| {what} | {} ({share} %) |\n",
                numbers.join(" | ")
            ));
        }
        table.push_str("\n| claims | not decided, because |\n|---:|---|\n");
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            table.push_str(&format!("| {} | {reason} |\n", grouped(*count)));
        }
        table.push('\n');
        table
    }

    /// Fails if a claim does not hold, a proof has no report, or too many claims have no answer.
    fn verdict(&self) -> Result<(), Error> {
        let mut all = self.plans;
        all.add(self.files);
        let failure = if all.refuted > 0 {
            format!("{} claims do not hold", all.refuted)
        } else if !self.silent.is_empty() {
            format!("proofs without a report: {}", self.silent.join(", "))
        } else if all.undecided * 1000 > all.claims * MOST_UNDECIDED {
            let share = percent(all.undecided, all.claims);
            let most = percent(MOST_UNDECIDED, 1000);
            format!("{share} % of the claims have no answer, more than {most} %")
        } else {
            return Ok(());
        };
        Err(Error::Verdict(failure))
    }
}

/// Returns a share in percent, with one digit after the point, rounded up: a share of the limit is never above it.
fn percent(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).div_ceil(whole.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Returns a number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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
    fn numbers_are_readable() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(123_456), "123,456");
        assert_eq!(percent(30, 1000), "3.0");
        assert_eq!(percent(31, 1001), "3.1");
        assert_eq!(percent(0, 0), "0.0");
    }

    #[test]
    fn reasons_have_no_names() {
        assert_eq!(
            kind("the program before has no 'where3' with its attributes"),
            "the program before has no '...' with its attributes"
        );
    }
}
