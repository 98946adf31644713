//! `cargo xtask plan-table`: plans the graphs of `examples/plans`, and writes the table of docs/Planning.md.
//!
//! Each graph is planned without tiles, with the hints of the file next to it and copies of arguments, and by
//! `--spyre-plan`. The numbers come from `spyre-translate --emit-plan-json`, so they are the same on every machine, and
//! no program is executed. A second table compares graphs of PyTorch with the same programs of `spyre` operations.

mod pytorch;

use std::fs;
use std::path::{Path, PathBuf};

use spyre_checkout::error::Error;
use spyre_checkout::plan::{Plan, planned};
use spyre_checkout::process;
use spyre_checkout::project::Project;
use spyre_checkout::table::between;

/// The directory of the graphs.
const DIRECTORY: &str = "examples/plans";
/// The page with the table.
const PAGE: &str = "docs/Planning.md";
/// The line before the table, and the line after it.
const MARKS: [&str; 2] = [
    "<!-- The table is written by `cargo xtask plan-table --write`. -->",
    "<!-- The end of the table of plans. -->",
];
/// The suffix of a graph with hints.
const HINTS: &str = "_hints";

/// The options of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Print the table.
    Print,
    /// Write it into the page.
    Write,
    /// Fail if it is not the one of the page.
    Check,
}

/// Builds the tools in development mode, plans the graphs, and prints, writes or checks the table.
///
/// # Errors
/// When the build fails, a graph cannot be planned, a plan breaks a promise, or the page has another table.
pub(crate) fn plan_table(project: &Project, mode: Mode) -> Result<(), Error> {
    let mut build = project.cargo();
    build.args([
        "build",
        "--package",
        "spyre-translate",
        "--package",
        "spyre-opt",
    ]);
    process::run(&mut build)?;
    let mut rows = Vec::new();
    for name in graphs(&project.root.join(DIRECTORY))? {
        rows.push(measure(project, &name)?);
    }
    let pairs = pytorch::pairs(project)?;
    let tables = [
        (MARKS, table(&rows)),
        (pytorch::MARKS, pytorch::table(&pairs)),
    ];
    for (_, table) in &tables {
        println!("{table}");
    }
    let mut broken: Vec<String> = rows.iter().flat_map(Row::broken).collect();
    broken.extend(pairs.iter().filter_map(pytorch::Pair::broken));
    if !broken.is_empty() {
        return Err(Error::Verdict(broken.join("\n")));
    }
    if mode == Mode::Print {
        return Ok(());
    }
    let page = project.root.join(PAGE);
    let text = fs::read_to_string(&page).map_err(Error::io(&page))?;
    let mut new = text.clone();
    for (marks, table) in &tables {
        new = between(&new, *marks, table).ok_or_else(|| {
            let [first, last] = marks;
            Error::Verdict(format!("{PAGE} lacks the line `{first}` or `{last}`"))
        })?;
    }
    match mode {
        Mode::Write => fs::write(&page, new).map_err(Error::io(&page)),
        _ if new == text => Ok(()),
        _ => Err(Error::Verdict(format!(
            "a table of {PAGE} differs from the results of the planner; `cargo xtask plan-table --write` writes it"
        ))),
    }
}

/// Returns the graphs of a directory, in order, without the ones that have hints.
fn graphs(directory: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(Error::io(directory))? {
        let name = entry.map_err(Error::io(directory))?.file_name();
        let name = name.to_str().and_then(|name| name.strip_suffix(".mlir"));
        names.extend(
            name.filter(|name| !name.ends_with(HINTS))
                .map(str::to_owned),
        );
    }
    names.sort();
    Ok(names)
}

/// A graph and its plans.
#[derive(Debug)]
struct Row {
    name: String,
    untiled: Plan,
    hints: Plan,
    automatic: Plan,
}

/// Plans a graph in three ways.
fn measure(project: &Project, name: &str) -> Result<Row, Error> {
    let plain = PathBuf::from(DIRECTORY).join(format!("{name}.mlir"));
    let hints = PathBuf::from(DIRECTORY).join(format!("{name}{HINTS}.mlir"));
    let hints = match project.root.join(&hints).exists() {
        true => hints,
        false => plain.clone(),
    };
    let with = |graph: &Path, options: &str| planned(project, graph, name, options);
    Ok(Row {
        name: name.to_owned(),
        untiled: with(&plain, "plan=false")?,
        hints: with(&hints, "plan=false cache-arguments=true")?,
        automatic: with(&plain, "plan=true")?,
    })
}

impl Row {
    /// Returns the least of a number of the plans. A plan may add constants, such as the zeros that a sum over tiles
    /// starts from, and these are arguments when it is measured: the graph needs as much as the plan without them.
    fn least_of(&self, number: impl Fn(&Plan) -> u64) -> u64 {
        let plans = [&self.untiled, &self.hints, &self.automatic];
        plans.map(number).into_iter().min().expect("three plans")
    }

    /// Returns the bytes of the arguments and the results of the graph.
    fn compulsory(&self) -> u64 {
        self.least_of(|plan| plan.compulsory)
    }

    /// Returns the least bytes that a plan with the same layouts moves.
    fn unavoidable(&self) -> u64 {
        self.least_of(|plan| plan.unavoidable)
    }

    /// Returns the promises that the automatic plan breaks.
    fn broken(&self) -> Vec<String> {
        let Self {
            name,
            untiled,
            hints,
            automatic,
        } = self;
        let (compulsory, unavoidable) = (self.compulsory(), self.unavoidable());
        let mut broken = Vec::new();
        // Other counts of tiles read small operands more or less often, which is below a thousandth.
        let fewest = untiled.distinct.min(hints.distinct);
        let few = compulsory + compulsory / 10;
        if automatic.distinct > few && unavoidable <= few {
            broken.push(format!(
                "{name}: the automatic plan moves {} bytes, more than 1.10 times the compulsory {compulsory}, without a reason",
                automatic.distinct
            ));
        }
        if automatic.distinct > few && automatic.in_memory == 0 {
            broken.push(format!(
                "{name}: the automatic plan moves {} bytes, more than 1.10 times the compulsory {compulsory}, and all values fit",
                automatic.distinct
            ));
        }
        if automatic.unavoidable > automatic.distinct {
            broken.push(format!(
                "{name}: the automatic plan moves {} bytes, below the bound of all plans, {}",
                automatic.distinct, automatic.unavoidable
            ));
        }
        if automatic.distinct > few.max(fewest + fewest / 1000) {
            broken.push(format!(
                "{name}: the automatic plan moves {} bytes, without tiles {} and with hints {}",
                automatic.distinct, untiled.distinct, hints.distinct
            ));
        }
        // A scan by hand finds tiles between the candidates, which save less than a hundredth of the time.
        let fastest = (untiled.picoseconds).min(hints.picoseconds + hints.picoseconds / 100);
        if automatic.picoseconds > fastest {
            broken.push(format!(
                "{name}: the automatic plan takes {} picoseconds, without tiles {}, with hints {}",
                automatic.picoseconds, untiled.picoseconds, hints.picoseconds
            ));
        }
        broken
    }
}

/// Returns how many times the whole a part is.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn times(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns the table in Markdown.
fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| graph | compulsory MiB | no less than | untiled | us | with hints | us | automatic | us | LX KiB | bound us | of it | least us | of it |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let (bound, least) = (
            row.least_of(|plan| plan.bound),
            row.least_of(|plan| plan.least),
        );
        let moved = |plan: Plan| {
            format!(
                "{:.2} | {:.1}",
                times(plan.distinct, row.compulsory()),
                times(plan.picoseconds, 1_000_000)
            )
        };
        text += &format!(
            "| [{0}](../{DIRECTORY}/{0}.mlir) | {1:.1} | {9:.2} | {2} | {3} | {4} | {10:.0} ({11}) | {5:.1} | {6:.2} | {7:.1} | {8:.2} |\n",
            row.name,
            times(row.compulsory(), 1 << 20),
            moved(row.untiled),
            moved(row.hints),
            moved(row.automatic),
            times(bound, 1_000_000),
            times(row.automatic.picoseconds, bound),
            times(least, 1_000_000),
            times(row.automatic.picoseconds, least),
            times(row.unavoidable(), row.compulsory()),
            times(row.automatic.lx, 1 << 10),
            row.automatic.in_memory,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            distinct: 300,
            all: 400,
            compulsory: 200,
            unavoidable: 300,
            lx: 2048,
            in_memory: 1,
            picoseconds: 5_000_000,
            bound: 4_000_000,
            least: 5_000_000,
        }
    }

    #[test]
    fn a_row_has_ratios_and_times() {
        let row = Row {
            name: "a".into(),
            untiled: plan(),
            hints: plan(),
            automatic: plan(),
        };
        assert_eq!(row.broken(), [""; 0]);
        let table = table(&[row]);
        let last = table.lines().last().unwrap();
        let cell = "1.50 | 5.0";
        let expected = format!(
            "| [a](../examples/plans/a.mlir) | 0.0 | 1.50 | {cell} | {cell} | {cell} | 2 (1) | 4.0 | 1.25 | 5.0 | 1.00 |"
        );
        assert_eq!(last, expected);
    }

    #[test]
    fn bytes_that_nothing_asks_for_are_told() {
        let row = Row {
            name: "a".into(),
            untiled: plan(),
            hints: plan(),
            automatic: Plan {
                unavoidable: 220,
                ..plan()
            },
        };
        assert_eq!(row.broken().len(), 1);
    }

    #[test]
    fn bytes_that_have_room_are_told() {
        let row = Row {
            name: "a".into(),
            untiled: plan(),
            hints: plan(),
            automatic: Plan {
                in_memory: 0,
                ..plan()
            },
        };
        assert_eq!(row.broken().len(), 1);
    }

    #[test]
    fn fewer_bytes_than_can_be_are_told() {
        let row = Row {
            name: "a".into(),
            untiled: plan(),
            hints: plan(),
            automatic: Plan {
                unavoidable: 301,
                ..plan()
            },
        };
        assert_eq!(row.broken().len(), 1);
    }

    #[test]
    fn more_bytes_than_with_hints_are_told() {
        let fewer = Plan {
            distinct: 200,
            picoseconds: 4_000_000,
            ..plan()
        };
        let row = Row {
            name: "a".into(),
            untiled: fewer,
            hints: plan(),
            automatic: plan(),
        };
        assert_eq!(row.broken().len(), 2);
    }
}
