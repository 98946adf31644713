//! Checks of kernels in KTIR, for all cores and iterations.
//!
//! KTIR is the tile IR of Spyre's kernels: one function that all cores run, with views of memory, access tiles, loads
//! and stores. Neither the verifiers of the dialect nor an interpreter decide whether accesses are right: an index
//! past the end of a view reads what is there. Here they are decided: indices are expressions of the core and of the
//! counters of loops, and a claim such as "each tile is inside its view" holds for all of their values, or there is a
//! witness. [`spyre_isl`] decides what ranges do not. What is not affine is not decided, and reported as such.
//!
//! * `kernel` reads a function: `index` the values, `tiles` the coordinates;
//! * `views`, `memory`, `coverage`, `inits`, `flavour` and `upstream` have the rules of `docs/KtirChecks.md`; `solve` asks the
//!   solver;
//! * [`Report`] has the findings; [`scratchpad_peak`] is a model of the memory of a core.
//!
//! The check has no code of the conversion to KTIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod base;
mod check;
mod coverage;
mod flavour;
mod index;
mod inits;
mod kernel;
mod memory;
mod report;
mod rewrites;
mod rules;
mod schedulable;
mod scratchpad;
mod solve;
mod tiles;
mod upstream;
mod uses;
mod values;
mod views;
mod written;

pub use report::{Finding, Report, Schedulable};
pub use rules::{Rule, Severity};
pub use scratchpad::scratchpad_peak;

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::line_and_column;
use spyre_mlir_rt::ir::{self, Blk, Op};
use spyre_ods::{func, ktdp};

use crate::check::Check;
use crate::kernel::Kernel;
use crate::rules::{GRID, OLD_SPACE};
use crate::solve::Solver;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

/// The older spelling of memory spaces.
const OLD_SPELLING: &str = "#ktdp.spyre_memory_space";

/// The consumers that a kernel is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flavour {
    /// Interpreters, and every reader of the dialect.
    #[default]
    Portable,
    /// The scheduler of the published compiler.
    Upstream,
}

/// The unit of the base addresses of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Elements of the view.
    #[default]
    Element,
    /// Bytes.
    Byte,
}

/// Options of a check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The consumers that a kernel is for.
    pub flavour: Flavour,
    /// The unit of the base addresses of views.
    pub unit: Unit,
}

/// Checks all kernels of a module: the functions with a body that access memory by operations of `ktdp`.
/// `text` is the text of the module, in which spellings are looked for that the parser reads as current ones; it may be
/// empty.
#[must_use]
pub fn check<'p>(module: Op<'p>, text: &str, options: &Options) -> Report<'p> {
    let mut report = Report::default();
    let functions = ir::blocks(module).flat_map(ir::operations);
    let functions = functions.filter(|op| ir::name(*op) == func::FUNC);
    let kernels = functions.filter_map(|op| Some((op, ir::function_body(op)?)));
    let kernels: Vec<_> = kernels.filter(|(_, body)| has_accesses(*body)).collect();
    for program in programs(&kernels) {
        check_program(&program, options, &mut report);
    }
    old_spellings(module, text, &mut report);
    report
}

/// Reports memory spaces in an older spelling, at the view of the line or the last one before it.
fn old_spellings<'p>(module: Op<'p>, text: &str, report: &mut Report<'p>) {
    let mut views = Vec::new();
    collect_views(module, &mut views);
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if code.contains(OLD_SPELLING) {
            let before = views.iter().rfind(|view| {
                let place = line_and_column(view.location());
                place.is_some_and(|(line, _)| line <= number + 1)
            });
            let location = before.map_or(module.location(), |view| view.location());
            let message = format!(
                "the memory space in line {} has an older spelling, and an interpreter reads each as device memory; \
                 `#ktdp.memory_space<global>` and `#ktdp.memory_space<ct_local>` are the current ones",
                number + 1
            );
            report.add(Finding::new(OLD_SPACE, location, message));
        }
    }
}

fn collect_views<'p>(op: Op<'p>, views: &mut Vec<Op<'p>>) {
    for op in ir::blocks(op).flat_map(ir::operations) {
        if ir::name(op) == ktdp::CONSTRUCT_MEMORY_VIEW {
            views.push(op);
        }
        collect_views(op, views);
    }
}

fn has_accesses(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        let is_access = ktdp::OPERATIONS.iter().any(|it| it.name == ir::name(op));
        is_access || ir::blocks(op).any(has_accesses)
    })
}

/// Functions with their bodies.
type Functions<'p> = Vec<(Op<'p>, Blk<'p>)>;

/// Returns kernels by the programs that they are launches of, the launches in order. A kernel without the attribute
/// `program` is alone.
fn programs<'p>(kernels: &[(Op<'p>, Blk<'p>)]) -> Vec<Functions<'p>> {
    let name = |op: Op<'p>| ir::attribute(op, "program").and_then(attr::string);
    let launch = |op: Op<'p>| ir::attribute(op, "launch").and_then(attr::integer);
    let mut programs: Vec<(Option<String>, Functions<'p>)> = Vec::new();
    for &(op, body) in kernels {
        let of = name(op);
        let same = programs.iter_mut().find(|it| of.is_some() && it.0 == of);
        match same {
            Some((_, launches)) => launches.push((op, body)),
            None => programs.push((of, vec![(op, body)])),
        }
    }
    let launches = programs.into_iter().map(|(_, mut launches)| {
        launches.sort_by_key(|(op, _)| launch(*op));
        launches
    });
    launches.collect()
}

/// Checks kernels that are launched one after the other on the same arguments.
fn check_program<'p>(functions: &[(Op<'p>, Blk<'p>)], options: &Options, report: &mut Report<'p>) {
    let mut kernels = Vec::with_capacity(functions.len());
    for &(function, body) in functions {
        let grid = grid(function, report);
        kernels.push(Kernel::read(function, body, grid, options));
    }
    let context = solve::context();
    for (number, kernel) in kernels.iter().enumerate() {
        report.kernels += 1;
        report.views += kernel.views.len();
        report.accesses += kernel.accesses.len();
        let mut check = Check {
            kernel,
            solver: Solver::new(&context, kernel.indices.ranges.clone()),
            report,
            program: &kernels,
            number,
            flavour: options.flavour,
        };
        check.views();
        check.accesses();
        check.inits(options.flavour);
        check.flavour(options.flavour);
        if options.flavour == Flavour::Upstream {
            let (function, body) = functions[number];
            let name = ir::attribute(function, "sym_name").and_then(attr::string);
            report.schedulable.push(Schedulable {
                kernel: name.expect("a function has a name"),
                reason: schedulable::first_refusal(body),
            });
        }
    }
}

/// Returns the number of cores along each dimension, and reports a grid in another form than `[n]`.
fn grid<'p>(function: Op<'p>, report: &mut Report<'p>) -> Vec<i64> {
    let attribute = ir::attribute(function, "grid");
    let read = attribute.and_then(flavour::grid);
    let count = |grid: &[i64]| {
        let mut cores = grid.iter();
        cores.try_fold(1_i64, |product, cores| product.checked_mul(*cores))
    };
    let is_grid = |grid: &[i64]| !grid.is_empty() && grid.iter().all(|cores| *cores > 0);
    // Products of the grid are computed below: more than 2^32 cores are no machine.
    let read = read.filter(|(grid, _)| {
        is_grid(grid) && count(grid).is_some_and(|cores| cores <= i64::from(u32::MAX))
    });
    let message = match (attribute, &read) {
        (None, _) => {
            "the kernel states no number of cores, and one core runs it; `grid = [n]` states it"
                .to_owned()
        }
        (Some(attribute), None) => {
            format!("the grid {attribute} is no number of cores; `grid = [n]` is one")
        }
        (Some(attribute), Some((grid, false))) => {
            let cores: i64 = grid.iter().product();
            format!(
                "an interpreter runs one core of the grid {attribute}; `grid = [{cores}]` is {cores} cores"
            )
        }
        (Some(_), Some((_, true))) => String::new(),
    };
    match message.is_empty() {
        true => report.proved += 1,
        false => report.add(Finding::new(GRID, function.location(), message)),
    }
    read.map_or_else(|| vec![1], |(grid, _)| grid)
}
