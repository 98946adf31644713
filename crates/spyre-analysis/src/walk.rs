//! Walks the device operations of a function, loops included.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::CANDIDATES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Use, Val};

/// The position of the first carried value among the operands of an `scf.for`.
pub const FIRST_INIT: usize = 3;

/// A value that a loop carries, under the names that it has around and in the loop.
#[derive(Debug, Clone, Copy)]
pub struct Carried<'p> {
    /// The position of `init` among the operands of the loop.
    pub operand: usize,
    /// The value that the loop starts from.
    pub init: Val<'p>,
    /// The argument of the body.
    pub inside: Val<'p>,
    /// The value that the body yields.
    pub yielded: Val<'p>,
    /// The result of the loop.
    pub result: Val<'p>,
}

/// Returns the values that a loop carries, in the order of its results.
pub fn carried<'p>(op: Op<'p>) -> impl Iterator<Item = Carried<'p>> {
    let body = ir::body(op).expect("a loop has a body");
    let results = ir::results(op).enumerate();
    results.map(move |(index, result)| carried_at(op, body, index, result))
}

/// Returns the iteration argument of a loop with this use as its initial value; `None` if the user is no loop, or uses
/// the value as a bound.
#[must_use]
pub fn carried_by<'p>(usage: Use<'p>) -> Option<Carried<'p>> {
    let Use { owner, operand } = usage;
    if ir::kind(owner) != OpKind::For {
        return None;
    }
    let index = operand.checked_sub(FIRST_INIT)?;
    let body = ir::body(owner).expect("a loop has a body");
    let result = ir::result(owner, index);
    let result = result.expect("a loop has a result for each value that it starts from");
    Some(carried_at(owner, body, index, result))
}

fn carried_at<'p>(op: Op<'p>, body: Blk<'p>, index: usize, result: Val<'p>) -> Carried<'p> {
    let end = body.terminator().expect("a loop's body has a terminator");
    let operand = FIRST_INIT + index;
    let inside = body.argument(1 + index);
    let inside = inside.expect("a body has an argument for each result of the loop");
    let yielded = ir::operand(end, index);
    Carried {
        operand,
        init: ir::operand(op, operand).expect("a loop starts from a value for each of its results"),
        inside: inside.into(),
        yielded: yielded.expect("a loop yields a value for each of its results"),
        result,
    }
}

/// Returns the initial value of the loop that carries a value: a block argument of its body, or its result. `None` for
/// any other value, and for the induction variable.
#[must_use]
pub fn started_from<'p>(value: Val<'p>) -> Option<Val<'p>> {
    let (op, number) = match ir::source(value) {
        Source::Argument(body, number) => (body.parent_operation()?, number.checked_sub(1)?),
        Source::Result(op, number) => (op, number),
    };
    let is_loop = ir::kind(op) == OpKind::For;
    let init = || ir::operand(op, FIRST_INIT + number);
    is_loop.then(|| init().expect("a loop starts from a value for each that it carries"))
}

/// Returns how often a loop from `lower` to `upper` in steps of `step` runs; `None` if it does not count up, or if the numbers
/// overflow.
pub fn iterations(lower: i64, upper: i64, step: i64) -> Option<i64> {
    let span = upper.checked_sub(lower)?.max(0);
    (step > 0).then(|| span / step + i64::from(span % step > 0))
}

/// Returns how often the body of an `scf.for` runs; `None` if a bound or the step is no constant, if the loop does not count up, or if
/// the numbers overflow.
#[must_use]
pub fn trip_count(op: Op<'_>) -> Option<i64> {
    let bounds = [0, 1, 2].map(|number| ir::constant_operand(op, number));
    let [Some(lower), Some(upper), Some(step)] = bounds else {
        return None;
    };
    iterations(lower, upper, step)
}

/// Returns the device operations of a block and of the loops in it, in order of execution.
#[must_use]
pub fn device_ops<'p>(block: Blk<'p>) -> Vec<DeviceOp<'p>> {
    let mut ops = Vec::new();
    collect(block, &mut ops);
    ops
}

/// Returns the name of a symbol, such as a function; `None` for any other operation.
pub fn symbol(op: Op<'_>) -> Option<String> {
    ir::attribute(op, "sym_name").and_then(attr::string)
}

/// Returns the results of `pick` for the operations of a block and of all blocks inside, in order.
pub fn find<'p, T>(block: Blk<'p>, mut pick: impl FnMut(Op<'p>) -> Option<T>) -> Vec<T> {
    let mut results = Vec::new();
    visit(block, &mut |op| results.extend(pick(op)));
    results
}

fn visit<'p>(block: Blk<'p>, each: &mut impl FnMut(Op<'p>)) {
    for op in ir::operations(block) {
        each(op);
        for inner in ir::blocks(op) {
            visit(inner, each);
        }
    }
}

/// Returns the tensors of a device operation: operands, then the result.
#[must_use]
pub fn tensors<'p>(op: DeviceOp<'p>) -> Vec<Val<'p>> {
    let mut values: Vec<Val<'p>> = op.op().operands().collect();
    values.extend(op.op().results().map(Val::from));
    values
}

/// Returns the initial value of a loop-carried tensor, from the value that the loop yields for it. Both are in one
/// buffer.
#[must_use]
pub fn handed_on_from<'p>(value: Val<'p>) -> Option<Val<'p>> {
    let mut start = None;
    ir::for_each_use(value, |usage| {
        if ir::kind(usage.owner) == OpKind::Yield {
            let parent = usage.owner.parent_operation();
            start = parent.and_then(|parent| ir::operand(parent, FIRST_INIT + usage.operand));
        }
    });
    start
}

/// Returns the operation of `block` that contains an operation, or is it; `None` if it is elsewhere.
#[must_use]
pub fn ancestor_in<'p>(op: Op<'p>, block: Blk<'p>) -> Option<Op<'p>> {
    let mut op = op;
    loop {
        let op_block = op.block()?;
        if op_block == block {
            return Some(op);
        }
        op = op_block.parent_operation()?;
    }
}

/// Checks that [`device_ops`] of a function's body finds every device operation that `concerns` the
/// caller: a bundle has loops, but no branches.
///
/// # Errors
/// Such an operation is in a function of several blocks, or in a region that is not the body of an `scf.for`.
pub fn check_reachable<'p>(
    function: Op<'p>,
    pass: &str,
    concerns: impl Fn(DeviceOp<'p>) -> bool,
) -> Result<(), Diagnostic<'p>> {
    let Some(body) = ir::function_body(function) else {
        let Some(stray) = first_inside(function, &concerns) else {
            return Ok(());
        };
        let message = format!(
            "{pass}: operation is in a function of several blocks, but a bundle has no branches"
        );
        return Err(Diagnostic::error(stray.op().location(), message)
            .note(function.location(), "the function is here"));
    };
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For {
                pending.extend(ir::body(op));
            } else if let Some(stray) = first_inside(op, &concerns) {
                let message = format!(
                    "{pass}: operation is in a region that is not the body of a loop, but a bundle has no branches"
                );
                return Err(Diagnostic::error(stray.op().location(), message)
                    .note(op.location(), "the region is here"));
            }
        }
    }
    Ok(())
}

/// Checks that the layout of every value is chosen: a value without one has the default layout from here on.
///
/// # Errors
/// An operation still has `spyre.layout_candidates`.
pub fn check_decided<'p>(block: Blk<'p>, pass: &str) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        if ir::has_discardable_attributes(op) && op.has_attribute(CANDIDATES) {
            let message = format!(
                "{pass}: the layout of this value is not chosen yet; --spyre-insert-restickify comes first"
            );
            return Err(Diagnostic::error(op.location(), message));
        }
        if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            check_decided(body, pass)?;
        }
    }
    Ok(())
}

fn collect<'p>(block: Blk<'p>, ops: &mut Vec<DeviceOp<'p>>) {
    for op in ir::operations(block) {
        if let Some(device) = DeviceOp::cast(op) {
            ops.push(device);
        } else if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            collect(body, ops);
        }
    }
}

/// Returns the first device operation anywhere inside an operation that is `wanted`; `None` if there is none.
fn first_inside<'p>(op: Op<'p>, wanted: &impl Fn(DeviceOp<'p>) -> bool) -> Option<DeviceOp<'p>> {
    for block in ir::blocks(op) {
        for op in ir::operations(block) {
            let device = DeviceOp::cast(op)
                .filter(|op| wanted(*op))
                .or_else(|| first_inside(op, wanted));
            if device.is_some() {
                return device;
            }
        }
    }
    None
}
