//! `verify-tiling`: a proof that the tiled function computes the same elements as the function before.

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, DetachedBlock, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, PassRun};
use spyre_proof_mlir::prove::{Options, prove_function};

/// Tiles the function of a run by `tile`, and proves the claims P1 and P2 about it.
pub(super) fn tile<'p>(
    run: &'p PassRun<'p>,
    tile: impl FnOnce(&'p PassRun<'p>) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let function = run.operation();
    let outside = DetachedBlock::default();
    let before = ir::build_clone(At::End(outside.block()), function);
    tile(run)?;
    let built = loops(function) - loops(before);
    let message = format!("coarse-tile: verify-tiling: {built} loops");
    Diagnostic::remark(function.location(), message).emit();
    let options = Options {
        name: "coarse-tile: verify-tiling",
        ..Options::default()
    };
    let counts = prove_function(run.context(), function, Some(before), &options);
    match counts.is_failure(options.undecided) {
        true => Err(Failed),
        false => Ok(()),
    }
}

/// Returns the number of loops in an operation.
fn loops(op: Op<'_>) -> usize {
    let inner = ir::blocks(op).flat_map(ir::operations);
    inner
        .map(|inner| usize::from(ir::kind(inner) == OpKind::For) + loops(inner))
        .sum()
}
