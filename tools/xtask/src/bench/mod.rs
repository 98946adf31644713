//! `cargo xtask bench`: what the passes cost, as ratios that carry from machine to machine.

mod fit;
mod measure;
mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::process;
use crate::project::{Profile, Project, TOOLS};
use fit::growth_exponent;
use measure::{Cost, measure};

/// Runs of each command unless `--runs` says otherwise; the minimum counts.
pub const DEFAULT_RUNS: usize = 3;

/// Operations in the generated programs.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 200_000];
/// The whole pipeline is measured up to this size.
const PIPELINE_MAX: usize = 10_000;

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
pub fn bench(project: &Project, runs: usize, max: usize) -> Result<(), Error> {
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
        fs::write(&file, program::program(ops)).map_err(Error::io(&file))?;
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
        rows.push(Row { ops, costs });
    }
    report(&rows);
    Ok(())
}

struct Row {
    ops: usize,
    costs: [Option<Cost>; NAMES.len()],
}

impl Row {
    /// Of one command, by `by`.
    fn cost(&self, index: usize, by: fn(&Cost) -> f64) -> Option<f64> {
        self.costs[index].as_ref().map(by)
    }

    /// What a pass adds to parsing and printing; `None` where that is not measurable.
    fn share(&self, index: usize, by: fn(&Cost) -> f64) -> Option<f64> {
        Some(self.cost(index, by)? - self.cost(PARSE, by)?).filter(|s| *s > 0.0)
    }
}

/// The minimum of `runs` runs of each command; round robin, so that a busy moment hits all of them.
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
            let own = ratio(row.share(COARSE_TILE, by), row.share(CANONICALIZE, by));
            let total = ratio(row.cost(COARSE_TILE, by), row.cost(STOCK, by));
            println!("{:>8} {own:>26} {total:>26}", row.ops);
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
