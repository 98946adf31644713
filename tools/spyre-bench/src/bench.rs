//! `cargo xtask bench`: the costs of passes and bundles, as ratios that carry from machine to machine.

mod bundle;
mod execution;
mod fit;
mod linalg;
pub(crate) mod measure;
mod planning;
mod program;
mod weights;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fit::growth_exponent;
use measure::{Cost, measure};
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project, TOOLS};

/// Default runs of each command; the minimum counts.
pub(crate) const DEFAULT_RUNS: usize = 3;

/// Operations in the generated programs.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 200_000];
/// Operations in all and in one group, in a program of few, large groups.
const LARGE_GROUPS: (usize, usize) = (100_000, 100);
/// The number of operations up to which programs are measured with the whole pipeline. The pipeline needs a module with
/// one function, since a bundle has one, and only programs of at most this size have one.
const PIPELINE_MAX: usize = 1_000;

/// The commands that are compared, in the order of the columns.
const STOCK: usize = 0;
const PARSE: usize = 1;
const CANONICALIZE: usize = 2;
const COARSE_TILE: usize = 3;
const PIPELINE: usize = 4;
const NAMES: [&str; 5] = [
    "stock",
    "spyre-opt",
    "canonicalize",
    "coarse-tile",
    "pipeline",
];

/// Measures every size up to `max` operations with `runs` runs each and prints the tables.
///
/// # Errors
/// When the build or a measured command fails.
pub(crate) fn bench(project: &Project, runs: usize, max: usize) -> Result<(), Error> {
    let sizes: Vec<usize> = SIZES.into_iter().filter(|n| *n <= max).collect();
    if sizes.is_empty() || runs == 0 {
        return Err(Error::Usage(format!(
            "--runs must be at least 1 and --max at least {}",
            SIZES[0]
        )));
    }
    let mut build = project.cargo();
    build.args(["build", "--release"]);
    process::run(build.args(TOOLS.iter().flat_map(|tool| ["--package", tool])))?;

    let directory = project.target.join("bench");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    println!("\nCPU seconds (user + system), minimum of {runs}; all with --mlir-disable-threading");
    println!(
        "stock = mlir-opt with the plugin, parse and print; spyre-opt = the same; then one pass each"
    );
    println!(
        "{:>8} {:>9} {:>9} {:>13} {:>12} {:>9}",
        "ops", NAMES[0], NAMES[1], NAMES[2], NAMES[3], NAMES[4]
    );
    let mut rows = Vec::new();
    for ops in sizes {
        let file = directory.join(format!("{ops}.mlir"));
        fs::write(&file, program::program(ops, program::GROUP)).map_err(Error::io(&file))?;
        let costs = interleaved(project, &file, ops, runs)?;
        let cell =
            |i: usize| costs[i].map_or_else(|| "-".into(), |c: Cost| format!("{:.3}", c.cpu));
        println!(
            "{ops:>8} {:>9} {:>9} {:>13} {:>12} {:>9}",
            cell(0),
            cell(1),
            cell(2),
            cell(3),
            cell(4)
        );
        rows.push(Row { ops, file, costs });
    }
    report(&rows);
    passes_alone(project, &rows, runs)?;
    let (ops, group) = LARGE_GROUPS;
    if ops <= max {
        let file = directory.join(format!("{ops}-{group}.mlir"));
        fs::write(&file, program::program(ops, group)).map_err(Error::io(&file))?;
        let costs = interleaved(project, &file, ops, runs)?;
        let row = Row { ops, file, costs };
        println!("\n{ops} operations in {} groups", ops / group);
        for (clock, by) in [("CPU", Cost::cpu as fn(&Cost) -> f64), ("wall", Cost::wall)] {
            let ratio_text = ratio(row.share(COARSE_TILE, by), row.share(CANONICALIZE, by));
            println!("coarse-tile/canonicalize, {clock} time: {ratio_text}");
        }
        passes_alone(project, &[row], runs)?;
    }
    planning::planning(project, runs, max)?;
    linalg::linalg(project, runs, max)?;
    println!(
        "\nGraphs of PyTorch Inductor, milliseconds; PyTorch: its scheduler alone, measured once on two cores"
    );
    let graphs = run_example(project, "inductor_speed");
    println!(
        "\nPrograms of tinyspec, milliseconds from JSON to linalg; tinygrad: to the text of kernels, measured once on two cores"
    );
    let programs = run_example(project, "uop_speed");
    weights::weights(project)?;
    bundle::bundle(project, max)?;
    bundle::through_tools(project, runs)?;
    execution::execution(project)?;
    // An example that was too slow fails the command only after everything is measured.
    graphs.and(programs)
}

/// Returns whether a cost is within its limit, for a row of a table.
fn verdict(value: f64, limit: f64) -> String {
    if value <= limit {
        format!("at most {limit}")
    } else {
        format!("MORE THAN {limit}")
    }
}

/// Measures programs that come as JSON, in a separate process: an example of this package.
///
/// # Errors
/// When one takes longer than it may.
fn run_example(project: &Project, example: &str) -> Result<(), Error> {
    process::run(&mut crate::example(project, example))
}

/// Prints the times that MLIR reports for the passes themselves, each with the verification after it. The canonicalizer
/// runs on the program before and after tiling. After tiling it has as much to canonicalize as coarse-tile has made.
fn passes_alone(project: &Project, rows: &[Row], runs: usize) -> Result<(), Error> {
    println!(
        "\nSeconds in the pass, by --mlir-timing, minimum of {runs}, verification after the pass included"
    );
    println!(
        "{:>8} {:>12} {:>20} {:>19} {:>14} {:>13}",
        "ops",
        "coarse-tile",
        "canonicalize before",
        "canonicalize after",
        "ratio before",
        "ratio after"
    );
    for row in rows {
        let time = |passes: &[&str], name: &str| -> Result<Option<f64>, Error> {
            let mut best: Option<f64> = None;
            for _ in 0..runs {
                let mut command = project.tool(Profile::Release, "spyre-opt");
                command
                    .args(passes)
                    .args([
                        "--mlir-disable-threading",
                        "--mlir-timing",
                        "-o",
                        "/dev/null",
                    ])
                    .arg(&row.file);
                let report = process::errors(&mut command)?;
                let seconds = pass_seconds(&report, name);
                best = match (best, seconds) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
            Ok(best)
        };
        let tile = time(&["--coarse-tile"], "coarse-tile")?;
        let before = time(&["--canonicalize"], "Canonicalizer")?;
        let after = time(&["--coarse-tile", "--canonicalize"], "Canonicalizer")?;
        let cell = |seconds: Option<f64>| {
            seconds.map_or_else(|| "-".into(), |seconds| format!("{seconds:.4}"))
        };
        println!(
            "{:>8} {:>12} {:>20} {:>19} {:>14} {:>13}",
            row.ops,
            cell(tile),
            cell(before),
            cell(after),
            ratio(tile, before),
            ratio(tile, after)
        );
    }
    Ok(())
}

/// Returns the seconds of a pass in a report of `--mlir-timing`: `    0.2395 ( 24.3%)    coarse-tile`.
fn pass_seconds(report: &str, name: &str) -> Option<f64> {
    report
        .lines()
        .find(|line| {
            line.split(')')
                .next_back()
                .is_some_and(|last| last.trim() == name)
        })
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
}

struct Row {
    ops: usize,
    file: PathBuf,
    costs: [Option<Cost>; NAMES.len()],
}

impl Row {
    /// Returns the cost of one command, by `by`; `None` if it was not measured.
    fn cost(&self, index: usize, by: fn(&Cost) -> f64) -> Option<f64> {
        self.costs[index].as_ref().map(by)
    }

    /// Returns the cost that a pass adds to parsing and printing, in seconds; `None` where that is not measurable.
    fn share(&self, index: usize, by: fn(&Cost) -> f64) -> Option<f64> {
        Some(self.cost(index, by)? - self.cost(PARSE, by)?).filter(|s| *s > 0.0)
    }
}

/// Returns the minimum of `runs` runs of each command. The commands run alternately, so that other load on the machine
/// affects all of them.
fn interleaved(
    project: &Project,
    file: &Path,
    ops: usize,
    runs: usize,
) -> Result<[Option<Cost>; NAMES.len()], Error> {
    let mut costs = [None; NAMES.len()];
    for _ in 0..runs {
        for (index, best) in costs.iter_mut().enumerate() {
            if index == PIPELINE && ops > PIPELINE_MAX {
                continue;
            }
            let cost = measure(
                command(project, index)
                    .arg(file)
                    .args(["--mlir-disable-threading"]),
            )?;
            *best = Some(best.map_or(cost, |b: Cost| b.min(cost)));
        }
    }
    Ok(costs)
}

fn command(project: &Project, index: usize) -> Command {
    let spyre_opt = || project.tool(Profile::Release, "spyre-opt");
    let mut command = if index == STOCK {
        project.stock_mlir_opt(Profile::Release)
    } else {
        spyre_opt()
    };
    match index {
        CANONICALIZE => command.arg("--canonicalize"),
        COARSE_TILE => command.arg("--coarse-tile"),
        PIPELINE => command.arg("--spyre-pipeline"),
        _ => &mut command,
    };
    command
}

fn report(rows: &[Row]) {
    for (clock, by) in [("CPU", Cost::cpu as fn(&Cost) -> f64), ("wall", Cost::wall)] {
        println!("\nRatios of {clock} time");
        println!(
            "{:>8} {:>26} {:>26}",
            "ops", "coarse-tile/canonicalize", "coarse-tile total/stock"
        );
        for row in rows {
            let ratio_text = ratio(row.share(COARSE_TILE, by), row.share(CANONICALIZE, by));
            let total = ratio(row.cost(COARSE_TILE, by), row.cost(STOCK, by));
            println!("{:>8} {ratio_text:>26} {total:>26}", row.ops);
        }
        let exponent = |points: Vec<(f64, f64)>| {
            growth_exponent(&points)
                .map_or_else(|| "- (too few points)".into(), |e| format!("{e:.3}"))
        };
        let points = |value: &dyn Fn(&Row) -> Option<f64>| {
            rows.iter()
                .filter_map(|r| Some((r.ops as f64, value(r)?)))
                .collect::<Vec<_>>()
        };
        println!(
            "growth exponent, coarse-tile total: {}",
            exponent(points(&|r| r.cost(COARSE_TILE, by)))
        );
        println!(
            "growth exponent, coarse-tile alone: {}",
            exponent(points(&|r| r.share(COARSE_TILE, by)))
        );
    }
    println!(
        "\ncoarse-tile/canonicalize compares what each pass adds to spyre-opt's parsing and printing; - where"
    );
    println!(
        "that is too small to measure. 1.0 is linear growth (least squares on the logarithms of all sizes)."
    );
}

fn ratio(a: Option<f64>, b: Option<f64>) -> String {
    match (a, b) {
        (Some(a), Some(b)) if b > 0.0 => format!("{:.2}", a / b),
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::pass_seconds;

    #[test]
    fn seconds_of_a_pass_are_found_in_a_timing_report() {
        let report = "  Total Execution Time: 1.2125 seconds\n\n  ----Wall Time----  ----Name----\n    \
                      0.3130 ( 25.8%)  Parser\n    0.4160 ( 34.3%)  'func.func' Pipeline\n    \
                      0.4159 ( 34.3%)    coarse-tile\n    0.4260 ( 35.1%)  Output\n";
        assert_eq!(pass_seconds(report, "coarse-tile"), Some(0.4159));
        assert_eq!(pass_seconds(report, "Parser"), Some(0.313));
        assert_eq!(pass_seconds(report, "Canonicalizer"), None);
    }
}
