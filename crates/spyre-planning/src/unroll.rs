//! `--spyre-unroll-loops`: replaces loops by their iterations.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

const NAME: &str = "spyre-unroll-loops";

/// `--spyre-unroll-loops`
pub static UNROLL_LOOPS: RustPass = RustPass {
    argument: NAME,
    summary: "Replace loops with constant bounds by their iterations",
    description: r#"
Every `scf.for` around device operations becomes its iterations, one after the
other, with the offsets of their windows as constants. Other loops stay. A bundle of such a function has no
loops: each operation of each iteration has a separate OpSpec, and its addresses are exact, computed from
the layout of the tensor that it addresses.

It runs anywhere before the conversion to a bundle. After planning, the iterations
use the same places one after the other, as in the loop. Before planning, each has
separate values.

```mlir
// before
%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %init) -> (!t) {
  %row = affine.apply affine_map<(d0) -> (d0 * 512)>(%i)
  %ta = tensor.extract_slice %a[%row, 0] [512, 4096] [1, 1] : !t to !tile
  %y = spyre.exp %ta : !tile
  %n = tensor.insert_slice %y into %acc[%row, 0] [512, 4096] [1, 1] : !tile into !t
  scf.yield %n : !t
}
// after
%ta = tensor.extract_slice %a[%c0, 0] [512, 4096] [1, 1] : !t to !tile
%y = spyre.exp %ta : !tile
%n = tensor.insert_slice %y into %init[%c0, 0] [512, 4096] [1, 1] : !tile into !t
%ta1 = tensor.extract_slice %a[%c512, 0] [512, 4096] [1, 1] : !t to !tile
%y1 = spyre.exp %ta1 : !tile
%r = tensor.insert_slice %y1 into %n[%c512, 0] [512, 4096] [1, 1] : !tile into !t
```

Refused, before the first change: such a loop with bounds that are not constant,
one with an induction variable that overflows, and a function that would have
more than `max-operations` operations.
"#,
    anchor: func::FUNC,
    options: &[PassOption {
        name: "max-operations",
        description: "operations that the loops of the function may become",
        kind: OptionKind::Int(1_000_000),
    }],
    statistics: &[PassStatistic {
        name: "loops",
        description: "Loops that were unrolled, inner loops counted once",
    }],
    dialects: || vec![melior::dialect::DialectHandle::arith()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let Some(body) = ir::function_body(run.operation()) else {
        return Ok(());
    };
    let mut loops = Vec::new();
    let size = size(body, &mut loops)?;
    let Some(first) = loops.last() else {
        run.preserve_analyses();
        return Ok(());
    };
    let most = u64::try_from(run.int("max-operations")).unwrap_or(0);
    if size > most {
        let message = format!(
            "{NAME}: the function would have {size} operations, more than the {most} of max-operations"
        );
        return Err(Diagnostic::error(run.operation().location(), message)
            .note(first.location(), "the last loop is here")
            .into());
    }
    // Inner loops come first, so each is unrolled once and its iterations are copied.
    for loop_op in loops {
        let (location, numbers) = (loop_op.location(), bounds(loop_op));
        if !ir::unroll(loop_op) {
            return Err(refused(location, numbers).into());
        }
        run.count("loops", 1);
    }
    Ok(())
}

/// Returns the bounds and the step of a loop; `None` for one that is no constant.
fn bounds(op: Op<'_>) -> [Option<i64>; 3] {
    [0, 1, 2].map(|operand| ir::constant_operand(op, operand))
}

/// Returns the refusal of a loop with these bounds and this step.
fn refused(location: melior::ir::Location<'_>, bounds: [Option<i64>; 3]) -> Diagnostic<'_> {
    let show = |number: Option<i64>| number.map_or("?".to_owned(), |number| number.to_string());
    let [lower, upper, step] = bounds.map(show);
    Diagnostic::error(
        location,
        format!(
            "{NAME}: the bounds and the step of the loop must be constants, the step positive, got {lower} to {upper} by {step}"
        ),
    )
}

/// Returns the number of operations of a block after unrolling. Adds the loops around device operations in it to
/// `loops`, inner ones before outer ones.
fn size<'p>(block: Blk<'p>, loops: &mut Vec<Op<'p>>) -> Result<u64, Diagnostic<'p>> {
    let mut total: u64 = 0;
    for op in ir::operations(block) {
        let mut count = 1;
        if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
            && has_device_op(body)
        {
            count = size(body, loops)?.saturating_mul(trips(op)?);
            loops.push(op);
        }
        total = total.saturating_add(count);
    }
    Ok(total)
}

/// Returns whether there is a device operation in a block or in the loops in it. Visits each operation once for each
/// loop around it.
fn has_device_op(block: Blk<'_>) -> bool {
    ir::operations(block).any(|op| {
        DeviceOp::cast(op).is_some()
            || (ir::kind(op) == OpKind::For && ir::body(op).is_some_and(has_device_op))
    })
}

/// Returns the number of iterations of a loop.
fn trips<'p>(op: Op<'p>) -> Result<u64, Diagnostic<'p>> {
    match bounds(op) {
        [Some(lower), Some(upper), Some(step)] if step > 0 => {
            let span = i128::from(upper) - i128::from(lower);
            let trips = (span.max(0) + i128::from(step) - 1) / i128::from(step);
            // A loop that runs leaves with the first value that is not below its bound.
            let last = i128::from(lower) + trips * i128::from(step);
            if i64::try_from(last).is_err() {
                let message = format!(
                    "{NAME}: the induction variable of the loop, from {lower} to {upper} by {step}, becomes {last}, \
                     which is more than 64 bits hold; the loop would never end"
                );
                return Err(Diagnostic::error(op.location(), message));
            }
            Ok(u64::try_from(trips).expect("less than 2^64 steps between two numbers of 64 bits"))
        }
        numbers => Err(refused(op.location(), numbers)),
    }
}
