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
//! * [`Report`] has the findings.
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
mod solve;
mod tiles;
mod upstream;
mod uses;
mod values;
mod views;
mod written;

pub use report::{Finding, Report, Schedulable};
pub use rules::{Rule, Severity};

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_ktir_kernel::{GRID, extents, grid, launch_errors, pools, programs};
use spyre_mlir_rt::diagnostic::line_and_column;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::ktdp;

use crate::check::Check;
use crate::kernel::Kernel;
use crate::rules::{ATTRIBUTES, CORES, OLD_SPACE};
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
    let programs = programs(module);
    for (kernel, err) in launch_errors(&programs) {
        report.add(Finding::new(ATTRIBUTES, kernel.location(), err.to_string()));
    }
    for program in &programs {
        check_program(&program.launches, options, &mut report);
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

/// Checks kernels that are launched one after the other on the same arguments.
fn check_program<'p>(functions: &[Op<'p>], options: &Options, report: &mut Report<'p>) {
    report.kernels += functions.len();
    let mut kernels = Vec::with_capacity(functions.len());
    for &function in functions {
        let body = ir::function_body(function).expect("a kernel has a body");
        check_attributes(function, report);
        let Some(grid) = grid_of(function, report) else {
            return; // claims are about cores
        };
        kernels.push(Kernel::read(function, body, grid, options));
    }
    let context = solve::context();
    for (number, kernel) in kernels.iter().enumerate() {
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
            let function = functions[number];
            let body = ir::function_body(function).expect("a kernel has a body");
            let name = ir::attribute(function, "sym_name").and_then(attr::string);
            report.schedulable.push(Schedulable {
                kernel: name.expect("a function has a name"),
                reason: schedulable::first_refusal(body),
            });
        }
    }
}

/// Reports attributes of a kernel that state no extents and no pools.
fn check_attributes<'p>(function: Op<'p>, report: &mut Report<'p>) {
    let errors = [
        extents(function).err().map(|err| err.to_string()),
        pools(function).err().map(|err| err.to_string()),
    ];
    for message in errors.into_iter().flatten() {
        report.add(Finding::new(ATTRIBUTES, function.location(), message));
    }
}

/// Returns the number of cores along each dimension, and reports a grid in another form than `[n]`; `None` for an
/// attribute that is no grid.
fn grid_of<'p>(function: Op<'p>, report: &mut Report<'p>) -> Option<Vec<i64>> {
    let read = grid(function);
    let message = match &read {
        Ok(None) => {
            "the kernel states no number of cores, and one core runs it; `grid = [n]` states it"
                .to_owned()
        }
        Err(err) => err.to_string(),
        Ok(Some(grid)) if !grid.is_plain => {
            let attribute = ir::attribute(function, GRID).expect("the grid was read");
            let cores = grid.cores();
            format!(
                "an interpreter runs one core of the grid {attribute}; `grid = [{cores}]` is {cores} cores"
            )
        }
        Ok(Some(_)) => String::new(),
    };
    match message.is_empty() {
        true => report.proved += 1,
        false => report.add(Finding::new(CORES, function.location(), message)),
    }
    read.ok()
        .map(|grid| grid.map_or_else(|| vec![1], |grid| grid.dims))
}
