//! `--convert-linalg-to-spyre`: turns structured operations on tensors into device operations.
//!
//! * `table` has the rules, each for one operation of `arith`, `linalg` or `tensor`. They are applied by the walk of this
//!   file, which visits loops, and reports every refusal, or leaves the operation on the host.
//! * `nest` reads a `linalg.generic`: its loops, and the coordinates of its tensors, with `spyre_construct::access`.
//! * `view` builds a view of an operand's tensor for the elements that it reads; `scalars` converts the body to
//!   device operations. `truth` converts truth values, `index` indices, `shift` shifts of integers, and `bounds`
//!   proves that floats convert to integers of 32 bits.
//! * `loops` builds a result: element by element, reduced, or over the positions of a window; `contract` converts
//!   sums of products to matrix products, and `convolve` sums over windows to convolutions; `gather` reads a table by
//!   indices, and `search` converts searches for the largest element.
//! * `shapes` has the operations of `tensor`. The builders are in `spyre_construct::build`.
//! * Before all that, [`gather_scatter`] expands gathers and scatters of slices, [`generalize`] makes named
//!   operations generic, [`extents`] infers shapes that a program computes, [`name_loops`] names the dimensions of
//!   hints, [`hoist`] with `quasi` hoists computations on positions as tensors, and [`evaluate`] evaluates operations
//!   that depend on no input.

mod bounds;
pub mod chains;
mod contract;
mod convolve;
pub mod evaluate;
pub mod extents;
mod gather;
pub mod gather_scatter;
pub mod generalize;
pub mod hoist;
mod index;
mod loops;
pub mod name_loops;
pub mod narrow;
mod nest;
pub mod pipeline;
mod precision;
mod quasi;
pub mod scalars;
mod search;
mod shapes;
mod shift;
mod table;
mod term;
pub mod truth;
mod view;
pub mod widen;

use loops::Convolutions;
use melior::dialect::DialectHandle;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::dynamic::extents::Extents;
use spyre_construct::build::{Build, element_of};
use spyre_dialects::attr;
use spyre_dialects::names::{CONSTANT, DEVICE, DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_mlir_rt::rules::{Refusal, Rewriter, Rule, RuleSet};
use spyre_ods::{affine, arith, func, scf, spyre, tensor};

use crate::outline::side;

pub use table::{Conversion, RULES, builder};

const NAME: &str = "convert-linalg-to-spyre";

const PARTIAL: &str = "partial";

const DIRECT: &str = "direct-convolutions";

/// `--convert-linalg-to-spyre`
pub static CONVERT_LINALG_TO_SPYRE: RustPass = RustPass {
    argument: NAME,
    summary: "Convert linalg on tensors to device operations",
    description: include_str!("from_linalg.md"),
    anchor: func::FUNC,
    options: &[
        PassOption {
            name: PARTIAL,
            description: "leave operations that the device does not have as they are, each with a remark, and constants where they are",
            kind: OptionKind::Bool(false),
        },
        PassOption {
            name: DIRECT,
            description: "make a convolution one operation, which no recorded bundle shows, and not a product for each position of its window",
            kind: OptionKind::Bool(false),
        },
    ],
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Operations that were converted",
        },
        PassStatistic {
            name: "constants",
            description: "Constants that became arguments",
        },
    ],
    dialects: || {
        vec![
            spyre_dialects::spyre_dialect(),
            DialectHandle::tensor(),
            DialectHandle::arith(),
        ]
    },
    run: |run| convert_linalg(run, &[]),
};

/// Runs `--convert-linalg-to-spyre` with further rules, which are tried before those of [`RULES`]. It is the `run` of a
/// pass with the options and the statistics of [`CONVERT_LINALG_TO_SPYRE`].
///
/// # Errors
/// The device does not have an operation, and it may not stay on the host. Every such operation is reported.
pub fn convert_linalg<'p>(
    run: &'p PassRun<'p>,
    further: &'static [Rule<Conversion>],
) -> Result<(), Failed> {
    let function = run.operation();
    let remarks = Remarks::about(run.context(), function, run.argument());
    let rules = Rules::new(further);
    let Some(body) = ir::function_body(function) else {
        return without_branches(run, &rules, &remarks);
    };
    let is_outlined = function.attribute(DEVICE).is_ok();
    let is_partial = run.flag(PARTIAL);
    if !is_partial && !is_outlined && !rules.have_converted(body) {
        run.preserve_analyses();
        return Ok(());
    }
    let extents = Extents::of_function(function, body)?;
    extents.read_from_arguments(run.context(), body);
    let convolutions = match run.flag(DIRECT) {
        true => Convolutions::Direct,
        false => Convolutions::Windows,
    };
    let state = Conversion {
        extents,
        convolutions,
    };
    let converter = Converter {
        run,
        rewriter: Rewriter::new(run.context(), &state),
        rules: &rules,
        remarks: &remarks,
    };
    if is_partial {
        converter.convert_some(body);
        return Ok(());
    }
    if !converter.convert_all(body) {
        return Err(Failed);
    }
    if is_outlined {
        choose_alike((run, &state.extents), body);
    }
    pass_constants(run, function, body)
}

/// The rules of a run.
struct Rules {
    /// The rules that a caller adds.
    further: RuleSet<Conversion>,
    /// All of them.
    all: RuleSet<Conversion>,
}

impl Rules {
    fn new(further: &'static [Rule<Conversion>]) -> Self {
        Self {
            further: RuleSet::new(&[further]),
            all: RuleSet::new(&[further, RULES]),
        }
    }

    /// Returns whether a block, or a loop in it, has operations that programs of device operations do not have.
    fn have_converted(&self, block: Blk<'_>) -> bool {
        ir::operations(block).any(|op| match ir::kind(op) {
            OpKind::For => ir::blocks(op).any(|body| self.have_converted(body)),
            _ => self.further.begins_at(op) || is_converted(op),
        })
    }
}

/// Reports that a function of several blocks has operations of linalg: the device has no branches.
fn without_branches<'p>(
    run: &'p PassRun<'p>,
    rules: &Rules,
    remarks: &Remarks,
) -> Result<(), Failed> {
    run.preserve_analyses();
    let function = run.operation();
    let count = ir::blocks(function).count();
    if !ir::blocks(function).any(|block| rules.have_converted(block)) {
        return Ok(());
    }
    let reason = format!(
        "the function has {count} blocks, and programs of the device have no branches; --lift-cf-to-scf before it makes \
         one block of them"
    );
    if !run.flag(PARTIAL) {
        return Err(error(function, reason).into());
    }
    remarks.emit(|| {
        let remark = Remark::new(RemarkKind::Missed, function.location(), "StaysOnHost");
        let text = format!("'{}' stays on the host", ir::name(function));
        remark.arg("Remark", text).reason(reason)
    });
    Ok(())
}

/// The conversion of the operations of a function.
struct Converter<'a, 'p> {
    run: &'p PassRun<'p>,
    rewriter: Rewriter<'p, Conversion>,
    rules: &'a Rules,
    remarks: &'a Remarks,
}

impl<'p> Converter<'_, 'p> {
    /// Converts the operations of a block and of the loops in it, and returns whether the device has all of them.
    fn convert_all(&self, block: Blk<'p>) -> bool {
        let mut all = true;
        // When one fails, the others may have something to report as well.
        for op in ir::operations(block) {
            let converted = match ir::kind(op) {
                // A loop of device operations was built by another front end.
                OpKind::For if !ir::blocks(op).any(|body| self.rules.have_converted(body)) => {
                    Ok(false)
                }
                OpKind::For => {
                    let body = ir::body(op).expect("a loop has a body");
                    if !self.convert_all(body) {
                        all = false;
                        continue;
                    }
                    side::check_loop(op).map(|()| false).map_err(Refusal::from)
                }
                _ => self.convert(op),
            };
            match converted {
                Ok(converted) => self.run.count("operations", converted.into()),
                Err(refusal) => {
                    let diagnostic = error(op, &refusal.reason);
                    refusal.annotate(diagnostic).emit();
                    all = false;
                }
            }
        }
        all
    }

    /// Converts the operations in a block, and in its control flow, that have device operations.
    fn convert_some(&self, block: Blk<'p>) {
        let mut ops = ir::operations(block).peekable();
        while let Some(op) = ops.next() {
            if ops.peek().is_none() {
                // The operation that ends a block stays with it.
                break;
            }
            let is_loop = ir::kind(op) == OpKind::For;
            if is_loop {
                for inner in ir::blocks(op) {
                    self.convert_some(inner);
                }
            }
            let converted = match is_loop {
                true => side::check_loop(op).map(|()| false).map_err(Refusal::from),
                false => self.convert(op),
            };
            let reason = match converted {
                Ok(converted) => {
                    self.run.count("operations", converted.into());
                    continue;
                }
                Err(refusal) => refusal.reason,
            };
            self.remarks.emit(|| {
                let remark = Remark::new(RemarkKind::Missed, op.location(), "StaysOnHost");
                remark
                    .arg("Remark", format!("'{}' stays on the host", ir::name(op)))
                    .reason(reason)
            });
            if is_loop || ir::name(op).starts_with("linalg.") {
                continue;
            }
            for inner in ir::blocks(op) {
                self.convert_some(inner);
            }
        }
    }

    /// Converts an operation by its rule, and returns whether there was anything to convert.
    fn convert(&self, op: Op<'p>) -> Result<bool, Refusal<'p>> {
        let extents = &self.rewriter.state().extents;
        if !self.rules.all.begins_at(op) {
            return match stays(op, extents) {
                true => Ok(false),
                false => Err(without_rule(op, extents)),
            };
        }
        let Some(replacement) = self.rules.all.rewrite(&self.rewriter, op)? else {
            return Ok(false);
        };
        if ir::name(op).starts_with("linalg.") {
            precision::report(self.remarks, op, &replacement.built);
        }
        replacement.replace_results(op);
        for value in replacement.values.into_iter().flatten() {
            keep_names(op, value);
        }
        ir::erase(op);
        Ok(true)
    }
}

fn error<'p>(op: Op<'p>, reason: impl std::fmt::Display) -> Diagnostic<'p> {
    Diagnostic::error(op.location(), format!("{NAME}: {reason}"))
}

/// Returns whether an operation is one that programs of device operations do not have.
fn is_converted(op: Op<'_>) -> bool {
    match ir::name(op) {
        tensor::PAD | tensor::CONCAT | tensor::EMPTY => true,
        tensor::EXTRACT_SLICE | tensor::INSERT_SLICE => {
            let steps = attr::dense_signed_integers(ir::attribute(op, "static_strides"));
            steps.is_some_and(|steps| steps.iter().any(|step| *step != 1))
        }
        name => name.starts_with("linalg."),
    }
}

/// Returns whether functions of the device have an operation without a rule as it is.
fn stays(op: Op<'_>, extents: &Extents) -> bool {
    match ir::name(op) {
        func::RETURN | affine::APPLY | scf::YIELD => true,
        // A `tensor.dim` is a size operand of operations that are built.
        tensor::DIM => is_extent(op, extents),
        name => name.starts_with("spyre."),
    }
}

/// Returns whether an operation reads the extent of a dynamic dimension.
fn is_extent(op: Op<'_>, extents: &Extents) -> bool {
    ir::results(op).any(|result| extents.of_index(result).is_some())
}

/// Returns the refusal of an operation that the device does not have.
fn without_rule<'p>(op: Op<'p>, extents: &Extents) -> Refusal<'p> {
    let name = ir::name(op);
    let is_named = name.starts_with("linalg.");
    if is_named && let Err(reason) = table::have_no_buffer(op) {
        return reason.into();
    }
    if (is_named || name.starts_with("tensor."))
        && let Err(reason) = table::have_formats(op)
    {
        return reason.into();
    }
    if is_named {
        let reason = format!(
            "'{name}' is converted as a linalg.generic; run --spyre-generalize-named-ops first"
        );
        return reason.into();
    }
    let mut read = op.operands();
    let read = read.find_map(|operand| Some((operand, extents.of_index(operand)?)));
    match read.filter(|_| !name.starts_with("tensor.")) {
        Some((extent, symbol)) => {
            let reason = format!(
                "'{name}' computes with the extent of \"{}\", which is dynamic",
                extents.name(symbol)
            );
            Refusal::from(reason).note(extent, "the extent is read here")
        }
        None => format!("'{name}' has no device operation").into(),
    }
}

/// Copies the names that an operation declares for its only result to the value that replaces it.
pub(crate) fn keep_names<'p>(op: Op<'p>, value: Val<'p>) {
    if let Ok(dims) = op.attribute(DIMS)
        && let Source::Result(defining, 0) = ir::source(value)
        && defining.result_count() == 1
        && !defining.has_attribute(DIMS)
    {
        ir::set_discardable_attribute(defining, DIMS, dims);
    }
}

/// Converts the conditions of selects between numbers of another width. In a function of the device, a truth value
/// that was compared elsewhere is an argument.
fn choose_alike<'p>((run, extents): (&'p PassRun<'p>, &'p Extents), body: Blk<'p>) {
    for op in ir::operations(body).filter(|op| ir::name(*op) == spyre::WHERE3) {
        let build = Build {
            extents: Some(extents),
            ..Build::new(run.context(), op)
        };
        let (Ok(truth), Ok(chosen)) = (op.operand(0), op.operand(1)) else {
            unreachable!("the verifier has counted the operands of spyre.where3");
        };
        let alike = truth::convert_to_choose(&build, truth, element_of(chosen));
        ir::set_operand(op, 0, alike);
    }
}

/// Replaces constants with several values by arguments, which the launcher fills once.
fn pass_constants<'p>(run: &'p PassRun<'p>, function: Op<'p>, body: Blk<'p>) -> Result<(), Failed> {
    let constants: Vec<Op<'p>> = ir::operations(body)
        .filter(|op| ir::name(*op) == arith::CONSTANT)
        .collect();
    for op in constants {
        let result = ir::result(op, 0).expect("a constant has a result");
        if ir::uses(result).is_empty() {
            ir::erase(op);
            continue;
        }
        // Bounds of loops.
        if !ir::is_ranked_tensor(result.r#type()) {
            continue;
        }
        let value = op.attribute("value").map_err(|err| error(op, err))?;
        let argument = ir::add_argument(function, result.r#type(), CONSTANT, value, op.location());
        let argument = argument.ok_or_else(|| error(op, "the function takes no more arguments"))?;
        ir::replace_all_uses(result, argument);
        ir::erase(op);
        run.count("constants", 1);
    }
    Ok(())
}
