//! `--spyre-raise-opfuncs`: finds expressions that one OpFunc computes.
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
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};
use spyre_ods::func;

const NAME: &str = "spyre-raise-opfuncs";

/// `--spyre-raise-opfuncs`
pub static RAISE_OPFUNCS: RustPass = RustPass {
    argument: NAME,
    summary: "Replace expressions by the OpFunc that computes them",
    description: include_str!("raise.md"),
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "raised",
        description: "Expressions that were replaced",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect(), DialectHandle::tensor()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let remarks = Remarks::about(run.context(), function, NAME);
    let Some(body) = ir::function_body(function) else {
        // Of several blocks, none has dynamic dimensions that are known.
        for block in ir::blocks(function) {
            raise((run, None), &remarks, block);
        }
        return Ok(());
    };
    let extents = Extents::of_function(function, body)?;
    raise((run, Some(&extents)), &remarks, body);
    Ok(())
}

/// Replaces expressions in a block. An inner one comes first, so that an outer one finds its OpFunc.
fn raise<'p>(
    (run, extents): (&'p PassRun<'p>, Option<&'p Extents>),
    remarks: &Remarks,
    block: Blk<'p>,
) {
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            raise((run, extents), remarks, inner);
        }
        let name = ir::name(op).to_owned();
        if !name.starts_with("spyre.") {
            continue;
        }
        let build = Build {
            context: run.context(),
            before: op,
            hints: ir::attribute(op, "tile"),
            divisions: ir::attribute(op, "divide"),
            extents,
        };
        let Some(output) = replacement(&build, op, &name) else {
            continue;
        };
        let result = ir::result(op, 0).expect("a device operation has a result");
        ir::replace_all_uses(result, output);
        crate::from_linalg::keep_names(op, output);
        remarks.emit(|| {
            let opfunc = ir::name(ir::defining_op(output).expect("an operation was built"));
            let remark = Remark::new(RemarkKind::Passed, op.location(), "Raised");
            remark.arg(
                "Remark",
                format!("'{opfunc}' computes the expression that ends here"),
            )
        });
        ir::erase(op);
        run.count("raised", 1);
    }
}

/// Builds the OpFunc that computes the result of an operation, of the same type; `None` if there is none.
fn replacement<'p>(build: &Build<'p>, op: Op<'p>, name: &str) -> Option<Val<'p>> {
    let result: Val<'p> = ir::result(op, 0)?;
    functions::raise(build, op, name, result)
        .or_else(|| norm::raise(build, op, name, result))
        .or_else(|| reductions::raise(build, op, name, result))
        .or_else(|| reductions::magnitude(build, op, name, result))
        .or_else(|| products::raise(build, op, name, result))
}
