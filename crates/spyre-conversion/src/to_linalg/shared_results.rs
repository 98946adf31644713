//! `--spyre-copy-shared-results`: gives every operand of a terminator a separate buffer.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, bufferization, func, scf, tensor};

/// `--spyre-copy-shared-results`
pub static COPY_SHARED_RESULTS: RustPass = RustPass {
    argument: "spyre-copy-shared-results",
    summary: "Copy tensors that a loop, a branch or a function hands over twice",
    description: r#"
One-Shot Bufferize of MLIR 22.1.8 gives two results of a loop or of a call the same buffer
where its body yields one tensor for both, and an operation after it that writes in the
place of the first result changes the second one. So the second of two operands of a
terminator that are the same tensor, or views of it, becomes a copy. Run it before
`--one-shot-bufferize`.

```mlir
// before
scf.yield %v, %v : tensor<3xi32>, tensor<3xi32>
// after
%w = bufferization.alloc_tensor() copy(%v) : tensor<3xi32>
scf.yield %v, %w : tensor<3xi32>, tensor<3xi32>
```
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "copies",
        description: "Tensors that are copied",
    }],
    dialects: || vec![ir::bufferization_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let mut shared = Vec::new();
    for block in ir::blocks(run.operation()) {
        collect(block, &mut shared);
    }
    if shared.is_empty() {
        run.preserve_analyses();
        return Ok(());
    }
    for (end, number) in shared {
        copy(run, end, number);
        run.count("copies", 1);
    }
    Ok(())
}

/// Collects the operands of terminators that share a tensor with an earlier operand: the terminator and the number of
/// the operand.
fn collect<'p>(block: Blk<'p>, shared: &mut Vec<(Op<'p>, usize)>) {
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            collect(inner, shared);
        }
        let hands_over = matches!(ir::kind(op), OpKind::Yield | OpKind::Return)
            || ir::name(op) == scf::CONDITION;
        if !hands_over {
            continue;
        }
        let mut seen = FxHashSet::default();
        for (number, value) in op.operands().enumerate() {
            if ir::is_ranked_tensor(value.r#type()) && !seen.insert(ir::value_key(viewed(value))) {
                shared.push((op, number));
            }
        }
    }
}

/// Returns the tensor that a value is a view of, through all views.
fn viewed<'p>(mut value: Val<'p>) -> Val<'p> {
    let is_view = |op: &Op<'p>| {
        matches!(
            ir::name(*op),
            tensor::CAST
                | tensor::COLLAPSE_SHAPE
                | tensor::EXPAND_SHAPE
                | tensor::EXTRACT_SLICE
                | tensor::RESHAPE
        )
    };
    while let Some(source) = ir::defining_op(value).filter(is_view) {
        value = ir::operand(source, 0).expect("a view has a source");
    }
    value
}

/// Copies an operand of a terminator.
fn copy<'p>(run: &'p PassRun<'p>, end: Op<'p>, number: usize) {
    let context = run.context();
    let value = ir::operand(end, number).expect("the operand was found");
    let parts = bufferization::alloc_tensor(&[], Some(value), None);
    let copied = OpBuilder::before(context, end).op(parts, value.r#type());
    ir::set_operand(end, number, copied);
}
