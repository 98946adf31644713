//! `--spyre-insert-tensor-copies`: inserts the copies that the assignment of buffers needs, before work is divided.

use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{check_decided, check_reachable, device_ops};
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

use super::draft::{Divide, Draft};
use super::{carried, reads};

const NAME: &str = "spyre-insert-tensor-copies";

/// `--spyre-insert-tensor-copies`
pub static INSERT_TENSOR_COPIES: RustPass = RustPass {
    argument: NAME,
    summary: "Copy tensors that loops and insertions may not overwrite",
    description: r#"
A tensor that a loop carries is one buffer, and so is the destination of an insertion. Where the
program starts from a tensor with other uses (an argument, a constant, a value that is read later), a
`spyre.copy` builds one that may be overwritten. Copied are also the next value of a loop that cannot
be written over the previous one, an inserted value without a producer in the block of the insertion,
and a window that an operation cannot read in place.

```mlir
// before
%r = scf.for ... iter_args(%sum = %zero) -> (!t) { ... }   // %zero is an argument
// after
%start = spyre.copy %zero : !t
%r = scf.for ... iter_args(%sum = %start) -> (!t) { ... }
```

`--spyre-scratchpad-planning` inserts the same copies where they are missing. Run this pass before
`--spyre-work-division`, as `--spyre-pipeline` does, and the copies are divided with the operations that
read them: a carried tensor is in the scratchpad only where all have the same slices.

Left alone: functions with places. Refused: a loop that carries a value that is no tensor.
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "copies",
        description: "Copies that were inserted",
    }],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    check_reachable(function, NAME, |_| true)?;
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    check_decided(body, NAME)?;
    let ops = device_ops(body);
    if ops.iter().any(|op| op.place().is_some()) {
        // Planned, with the copies that it needs; or in part, which planning refuses.
        run.preserve_analyses();
        return Ok(());
    }
    let mut draft = Draft::new(NAME);
    let types = TensorTypes::new(run.context());
    // Work is divided later.
    let divide: &Divide<'_, '_> = &|_, _, _| Ok(());
    reads::copy_windows(&mut draft, &types, &ops, divide)?;
    carried::separate(&mut draft, &types, body, divide)?;
    carried::copy_sources(&mut draft, body, divide)?;
    run.count("copies", draft.copies());
    if draft.is_unchanged() {
        run.preserve_analyses();
    }
    draft.apply(&[]);
    Ok(())
}
