//! The table of rules: an operation of `arith`, `linalg` or `tensor` to device operations.
//!
//! A rule reads the operation, the operations that its operands come from, and the extents of the function. It does not
//! apply to an operation that functions of the device have as it is.

use melior::ir::operation::OperationLike as _;
use melior::ir::{TypeLike as _, ValueLike as _};
use spyre_analysis::dynamic::extents::Extents;
use spyre_construct::build::{Build, element_of};
use spyre_dialects::attr;
use spyre_dialects::names::{DIVIDE, TILE};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::rules::{Refusal, Rewriter, Rewritten, Rule};
use spyre_ods::{arith, linalg, tensor};

use super::loops::{self, Convolutions};
use super::shapes;

/// The state of the rules of `--convert-linalg-to-spyre`.
pub struct Conversion {
    /// The extents of the function.
    pub extents: Extents,
    /// The form that convolutions get.
    pub(super) convolutions: Convolutions,
}

/// The rules of `--convert-linalg-to-spyre`.
pub static RULES: &[Rule<Conversion>] = &[
    Rule {
        name: "fill",
        operations: &[arith::CONSTANT],
        summary: "of one value everywhere: `spyre.fill`",
        apply: |rewriter, op| Ok(fill(builder(rewriter, op), op).into()),
    },
    Rule {
        name: "generic",
        operations: &[linalg::GENERIC],
        summary: "an operation for each of the body, with reductions, products, convolutions and reads of tables",
        apply: generic,
    },
    Rule {
        name: "empty",
        operations: &[tensor::EMPTY],
        summary: "`spyre.empty`",
        apply: |rewriter, op| match have_formats(op) {
            Ok(()) => converted(rewriter, op, shapes::empty),
            // Both sides make these.
            Err(_) => Ok(Rewritten::No),
        },
    },
    Rule {
        name: "window",
        operations: &[tensor::EXTRACT_SLICE],
        summary: "with steps, or of fewer dimensions: windows of a reshape",
        apply: |rewriter, op| converted(rewriter, op, shapes::extract),
    },
    Rule {
        name: "insertion",
        operations: &[tensor::INSERT_SLICE],
        summary: "with steps, or of fewer dimensions: insertions of a reshape",
        apply: |rewriter, op| converted(rewriter, op, shapes::insert),
    },
    Rule {
        name: "pad",
        operations: &[tensor::PAD],
        summary: "an insertion into a tensor of the constant",
        apply: |rewriter, op| converted(rewriter, op, shapes::pad),
    },
    Rule {
        name: "concat",
        operations: &[tensor::CONCAT],
        summary: "an insertion for each part",
        apply: |rewriter, op| converted(rewriter, op, shapes::concat),
    },
    Rule {
        name: "reshape",
        operations: &[tensor::EXPAND_SHAPE, tensor::COLLAPSE_SHAPE],
        summary: "stays, if its extents are those of the function",
        apply: |rewriter, op| converted(rewriter, op, shapes::reshape),
    },
];

/// Returns the builder of operations before `op`, with its tiling hints and divisions and with the extents of the
/// function.
#[must_use]
pub fn builder<'p>(rewriter: &Rewriter<'p, Conversion>, op: Op<'p>) -> Build<'p> {
    Build {
        context: rewriter.context(),
        before: op,
        hints: ir::attribute(op, TILE),
        divisions: ir::attribute(op, DIVIDE),
        extents: Some(&rewriter.state().extents),
    }
}

/// Converts an operation of `tensor` by a function that returns `None` for an operation that stays.
fn converted<'p>(
    rewriter: &Rewriter<'p, Conversion>,
    op: Op<'p>,
    convert: fn(Build<'p>, Op<'p>) -> Result<Option<Val<'p>>, String>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    have_formats(op)?;
    Ok(convert(builder(rewriter, op), op)?.into())
}

/// Converts a structured operation.
fn generic<'p>(
    rewriter: &Rewriter<'p, Conversion>,
    op: Op<'p>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    have_no_buffer(op)?;
    have_formats(op)?;
    let convolutions = rewriter.state().convolutions;
    loops::convert(builder(rewriter, op), op, convolutions).map(Rewritten::By)
}

/// Checks that an operation is one before bufferization.
pub(super) fn have_no_buffer(op: Op<'_>) -> Result<(), String> {
    let mut types = op.operands().map(|value| value.r#type());
    match types.find(|ty| ir::is_buffer(*ty)) {
        Some(buffer) => Err(format!("{buffer} is a buffer; run it before bufferization")),
        None => Ok(()),
    }
}

/// Checks that the device has a format for every tensor of an operation.
pub(super) fn have_formats(op: Op<'_>) -> Result<(), String> {
    let results = ir::results(op);
    let values: Vec<Val<'_>> = op.operands().chain(results).collect();
    for value in values {
        let ty = value.r#type();
        if ir::is_ranked_tensor(ty) && attr::device_format(element_of(value)).is_none() {
            let help = match element_of(value).is_f64() {
                true => "; float=dl16 of --spyre-import-linalg computes f64 in f32",
                false => "",
            };
            return Err(format!("{ty} has no format in device memory{help}"));
        }
    }
    Ok(())
}

/// Builds a constant tensor of one value; `None` for another constant.
fn fill<'p>(build: Build<'p>, op: Op<'p>) -> Option<Val<'p>> {
    let result: Val<'p> = ir::result(op, 0)?;
    if !ir::is_ranked_tensor(result.r#type()) {
        return None;
    }
    let value = attr::splat(ir::attribute(op, "value")?)?;
    let shape = build.shape_of(result).ok()?;
    let element = element_of(result);
    attr::device_format(element)?;
    Some(build.fill(value, &shape, element))
}
