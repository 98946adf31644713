//! `--spyre-raise-opfuncs`: finds expressions that one OpFunc computes.
//!
//! An expression is found at its last operation, by the rules of [`RULES`]. The first operation is visited first, and
//! an operation inside of another before that one, so that the rule of an outer expression finds the OpFunc of an inner
//! one. A rule of another crate begins at the last operation of its expression likewise ([`raise_opfuncs`]).
//!
//! * `pattern` matches expressions: products and sums in any order, numbers in the format of the elements.
//! * `functions` has the functions of one operand, `norm` the layer norm, `reductions` and `products` the
//!   operations between two casts.

mod functions;
mod norm;
mod pattern;
mod products;
mod reductions;

use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use spyre_analysis::dynamic::extents::Extents;
use spyre_construct::build::Build;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_mlir_rt::rules::{Order, Refusal, Rewriter, Rewritten, Rule, RuleSet, apply_rules};
use spyre_ods::{func, spyre};

/// The state of the rules: the extents of the function; `None` for a function of several blocks, where no dynamic
/// dimension is known.
pub type FunctionExtents = Option<Extents>;

/// `--spyre-raise-opfuncs`
pub static RAISE_OPFUNCS: RustPass = RustPass {
    argument: "spyre-raise-opfuncs",
    summary: "Replace expressions by the OpFunc that computes them",
    description: include_str!("raise.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "raised",
        description: "Expressions that were replaced",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect(), DialectHandle::tensor()],
    run: |run| raise_opfuncs(run, &[]),
};

/// The rules of `--spyre-raise-opfuncs`, each for the expressions of an OpFunc. Of rules that begin at one operation,
/// the one with the longer expression is first.
pub static RULES: &[Rule<FunctionExtents>] = &[
    Rule {
        name: "relu6fwd",
        operations: &[spyre::MINIMUM, spyre::MAXIMUM],
        summary: "`min(max(x, 0), 6)`, `max(min(x, 6), 0)`, of 16-bit floats",
        apply: |rewriter, op| raised(rewriter, op, functions::relu6),
    },
    Rule {
        name: "relufwd",
        operations: &[spyre::MAXIMUM, spyre::WHERE3],
        summary: "`max(x, 0)`; `x` where `x > 0` or `x >= 0` or is NaN, else 0",
        apply: |rewriter, op| raised(rewriter, op, functions::relu),
    },
    Rule {
        name: "clip",
        operations: &[spyre::MAXIMUM, spyre::MINIMUM],
        summary: "`min(max(x, a), b)`, `max(min(x, b), a)`, of constants `a <= b`",
        apply: |rewriter, op| raised(rewriter, op, functions::clip),
    },
    Rule {
        name: "rsqrt",
        operations: &[spyre::REALDIV, spyre::RECIPROCAL, spyre::SQRT, spyre::POW],
        summary: "`1 / sqrt(x)`, `sqrt(1 / x)`, `x ^ -0.5`",
        apply: |rewriter, op| raised(rewriter, op, functions::rsqrt),
    },
    Rule {
        name: "sigmoid",
        operations: &[spyre::REALDIV, spyre::RECIPROCAL, spyre::MUL],
        summary: "`1 / (1 + exp(-x))`, `(1 + tanh(x / 2)) / 2`",
        apply: |rewriter, op| raised(rewriter, op, functions::sigmoid),
    },
    Rule {
        name: "reciprocal",
        operations: &[spyre::REALDIV],
        summary: "`1 / x`",
        apply: |rewriter, op| raised(rewriter, op, functions::reciprocal),
    },
    Rule {
        name: "silu",
        operations: &[spyre::MUL, spyre::REALDIV],
        summary: "`x * sigmoid(x)`, `x / (1 + exp(-x))`",
        apply: |rewriter, op| raised(rewriter, op, functions::silu),
    },
    Rule {
        name: "gelufwd",
        operations: &[spyre::MUL, spyre::REALDIV],
        summary: "`x * (1 + erf(x * sqrt(1/2))) / 2`; of 16-bit floats also `x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2`",
        apply: |rewriter, op| raised(rewriter, op, functions::gelu),
    },
    Rule {
        name: "softplus",
        operations: &[spyre::LOG, spyre::LOG1P, spyre::ADD],
        summary: "`log1p(exp(x))`, `log(1 + exp(x))`, and `max(x, 0) + log1p(exp(-abs(x)))`",
        apply: |rewriter, op| raised(rewriter, op, functions::softplus),
    },
    Rule {
        name: "layernorm",
        operations: &[spyre::MUL, spyre::REALDIV, spyre::ADD],
        summary: "`exx2`, `layernormscale` and `layernormnorm` for `(x - mean) * rsqrt(var + eps) * weight + bias`, or a quotient by `sqrt(var + eps)`, without weight or bias too",
        apply: |rewriter, op| raised(rewriter, op, norm::layer_norm),
    },
    Rule {
        name: "reduction",
        operations: &[spyre::FP32TODL16, spyre::MUL, spyre::REALDIV],
        summary: "`sum`, `prod`, `max`, `min`, `absmax` in `f32`, of 16-bit floats that are cast to it, if the result is cast back; `mean` for a sum divided by the number of its terms, also before it is cast back",
        apply: |rewriter, op| raised(rewriter, op, reductions::reduction),
    },
    Rule {
        name: "absmax",
        operations: &[spyre::MAX],
        summary: "the maximum of absolute values without other uses, of 16-bit floats",
        apply: |rewriter, op| raised(rewriter, op, reductions::magnitude),
    },
    Rule {
        name: "batchmatmul",
        operations: &[spyre::FP32TODL16],
        summary: "the product in `f32`, of 16-bit floats that are cast to it, if the result is cast back",
        apply: |rewriter, op| raised(rewriter, op, products::product),
    },
];

/// Runs `--spyre-raise-opfuncs` with further rules, which are tried before those of [`RULES`]. It is the `run` of a pass
/// with the statistic of [`RAISE_OPFUNCS`].
///
/// # Errors
/// The dynamic dimensions of the function cannot be found ([`Extents::of_function`]); and as [`apply_rules`].
pub fn raise_opfuncs<'p>(
    run: &'p PassRun<'p>,
    further: &'static [Rule<FunctionExtents>],
) -> Result<(), Failed> {
    let function = run.operation();
    let body = ir::function_body(function);
    let extents: FunctionExtents = body
        .map(|body| Extents::of_function(function, body))
        .transpose()?;
    raise((run, &extents), further)
}

fn raise<'p>(
    (run, extents): (&'p PassRun<'p>, &'p FunctionExtents),
    further: &'static [Rule<FunctionExtents>],
) -> Result<(), Failed> {
    let remarks = Remarks::about(run.context(), run.operation(), run.argument());
    let rules = RuleSet::new(&[further, RULES]);
    apply_rules(
        run,
        extents,
        &rules,
        Order::FirstToLast,
        |op, replacement| {
            let outputs = replacement.values.iter().flatten();
            for output in outputs {
                crate::from_linalg::keep_names(op, *output);
                remarks.emit(|| {
                    let opfunc = ir::defining_op(*output).map_or("a value", ir::name);
                    let remark = Remark::new(RemarkKind::Passed, op.location(), "Raised");
                    remark.arg("Remark", format!("'{opfunc}' computes what ends here"))
                });
            }
            run.count("raised", 1);
        },
    )?;
    Ok(())
}

/// Returns the builder of operations before `op`, with its tiling hints and divisions and with the extents of the
/// function.
#[must_use]
pub fn builder<'p>(rewriter: &Rewriter<'p, FunctionExtents>, op: Op<'p>) -> Build<'p> {
    Build {
        context: rewriter.context(),
        before: op,
        hints: ir::attribute(op, "tile"),
        divisions: ir::attribute(op, "divide"),
        extents: rewriter.state().as_ref(),
    }
}

/// Builds the OpFunc that computes the result of an operation, of the same type, by a function that returns `None` if
/// the operation does not end its expression.
fn raised<'p>(
    rewriter: &Rewriter<'p, FunctionExtents>,
    op: Op<'p>,
    opfunc: fn(&Build<'p>, Op<'p>, Val<'p>) -> Option<Val<'p>>,
) -> Result<Rewritten<'p>, Refusal<'p>> {
    let result: Val<'p> = ir::result(op, 0).expect("a device operation has a result");
    Ok(opfunc(&builder(rewriter, op), op, result).into())
}
