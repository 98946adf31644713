//! Passes that break programs.

use melior::ir::operation::OperationLike as _;
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass};
use spyre_ods::spyre;

/// Returns a pass on functions.
pub(crate) const fn pass(
    argument: &'static str,
    run: for<'p> fn(&'p PassRun<'p>) -> Result<(), Failed>,
) -> RustPass {
    RustPass {
        argument,
        summary: "A pass of the tests",
        description: "",
        anchor: "func.func",
        options: &[],
        statistics: &[],
        dialects: Vec::new,
        run,
    }
}

/// Returns a pass that exchanges the operands of every subtraction.
pub(crate) const fn swap(argument: &'static str) -> RustPass {
    pass(argument, |run| {
        each(run.operation(), &mut |op| {
            if ir::name(op) == spyre::SUB {
                let operands: Vec<_> = op.operands().collect();
                ir::set_operand(op, 0, operands[1]);
                ir::set_operand(op, 1, operands[0]);
            }
        });
        Ok(())
    })
}

/// Calls `visit` with an operation, and with those in it.
pub(crate) fn each<'p>(op: Op<'p>, visit: &mut dyn FnMut(Op<'p>)) {
    visit(op);
    let Some(body) = ir::body(op) else { return };
    for inner in ir::operations(body) {
        each(inner, visit);
    }
}
