//! Destinations of loops and results of the function.

use std::collections::HashMap;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Source, Use, Val};

use super::{Planner, error, result_of};

/// Position of the first carried value among the operands of an `scf.for`.
const FIRST_INIT: usize = 3;

/// The operations whose result is a result of the function, with its place.
#[derive(Default)]
pub struct Outputs {
    places: HashMap<usize, Place>,
}

impl Outputs {
    /// Whether the operation makes a result of the function.
    pub fn contains(&self, op: Op<'_>) -> bool {
        self.places.contains_key(&ir::op_key(op))
    }

    /// Where the result of the operation lives, if it is a result of the function.
    pub fn place(&self, op: Op<'_>) -> Option<Place> {
        self.places.get(&ir::op_key(op)).copied()
    }
}

/// Every tensor that something is written into is written in place: it has no other use, and what a loop
/// yields is what it carried in.
pub fn check_destinations<'p>(block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        match ir::kind(op) {
            OpKind::InsertSlice => {
                check_destination(op, operand(op, 1)?)?;
                let source = operand(op, 0)?;
                if ir::defining_op(source).and_then(DeviceOp::cast).is_none_or(|made| made.op().block() != op.block()) {
                    return Err(error(op, "inserts a value that no device operation beside it makes; a spyre.copy does")
                        .note(source.location(), "the value comes from here"));
                }
            }
            OpKind::For => {
                let Some(body) = ir::body(op) else { continue };
                for carried in 0..op.result_count() {
                    check_destination(op, operand(op, FIRST_INIT + carried)?)?;
                    check_yield(op, body, carried)?;
                }
                check_destinations(body)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn operand<'p>(op: Op<'p>, index: usize) -> Result<Val<'p>, Diagnostic<'p>> {
    op.operand(index).map_err(|why| error(op, why))
}

fn check_destination<'p>(op: Op<'p>, value: Val<'p>) -> Result<(), Diagnostic<'p>> {
    let other = ir::uses(value).into_iter().find(|found| found.owner != op);
    if let Some(other) = other {
        return Err(error(op, "writes into a tensor that has another use, so it cannot be written in place")
            .note(other.owner.location(), "the other use is here"));
    }
    if let Source::Argument(block, index) = ir::source(value)
        && block.parent_operation().is_none_or(|parent| ir::kind(parent) != OpKind::For)
    {
        return Err(error(op, format!("writes into argument {index} of the function; a spyre.empty makes a tensor to write into")));
    }
    if let Some(made) = ir::defining_op(value).and_then(DeviceOp::cast) {
        return Err(error(op, "writes into the result of a device operation; a spyre.empty makes a tensor to write into")
            .note(made.op().location(), "the tensor is made here"));
    }
    Ok(())
}

/// What a loop yields is the tensor that it carried in, after insertions.
fn check_yield<'p>(op: Op<'p>, body: Blk<'p>, carried: usize) -> Result<(), Diagnostic<'p>> {
    let terminator = body.terminator().ok_or_else(|| error(op, "loop has no terminator"))?;
    let mut value = operand(terminator, carried)?;
    loop {
        match ir::source(value) {
            Source::Argument(block, index) if block == body && index == carried + 1 => return Ok(()),
            Source::Result(inner, _) if ir::kind(inner) == OpKind::InsertSlice => value = operand(inner, 1)?,
            Source::Result(inner, index) if ir::kind(inner) == OpKind::For => {
                value = operand(inner, FIRST_INIT + index)?;
            }
            _ => {
                let message = format!("loop-carried tensor {carried} is not updated in place; a bundle's loops carry nothing");
                return Err(error(op, message).note(terminator.location(), "another tensor is yielded here"));
            }
        }
    }
}

/// The operation that makes the buffer behind a value, when the value is that whole buffer.
fn root<'p>(value: Val<'p>) -> Option<Op<'p>> {
    let mut value = value;
    loop {
        match ir::source(value) {
            Source::Argument(block, index) => {
                let parent = block.parent_operation().filter(|parent| ir::kind(*parent) == OpKind::For)?;
                value = parent.operand(FIRST_INIT + index.checked_sub(1)?).ok()?;
            }
            Source::Result(op, index) => match ir::kind(op) {
                OpKind::For => value = op.operand(FIRST_INIT + index).ok()?,
                OpKind::InsertSlice => value = op.operand(1).ok()?,
                _ if DeviceOp::cast(op).is_some() || EmptyOp::cast(op).is_some() => return Some(op),
                _ => return None,
            },
        }
    }
}

/// Gives each result of the function its argument, inserting copies where a result is not a buffer of
/// its own.
pub fn outputs<'p>(planner: &Planner<'p>, function: Op<'p>, body: Blk<'p>) -> Result<Outputs, Diagnostic<'p>> {
    let mut outputs = Outputs::default();
    let Some(terminator) = body.terminator() else {
        return Err(error(function, "function has no terminator"));
    };
    let inputs = body.argument_count();
    for index in 0..terminator.operand_count() {
        let value = operand(terminator, index)?;
        if !ir::is_ranked_tensor(value.r#type()) {
            return Err(error(terminator, format!("result {index} of the function is not a tensor")));
        }
        let number = u32::try_from(inputs + index).map_err(|why| error(terminator, why))?;
        let maker = match root(value) {
            Some(maker) if !outputs.contains(maker) && !is_inserted(maker)? => maker,
            _ => {
                let copy = planner.copy_before_return(terminator, value)?;
                ir::set_operand(terminator, index, result_of(copy.op())?);
                copy.op()
            }
        };
        outputs.places.insert(ir::op_key(maker), Place::Arg(number));
    }
    Ok(outputs)
}

/// Whether a device operation's result also lives in a window.
fn is_inserted<'p>(maker: Op<'p>) -> Result<bool, Diagnostic<'p>> {
    if DeviceOp::cast(maker).is_none() {
        return Ok(false);
    }
    let uses: Vec<Use<'p>> = ir::uses(result_of(maker)?);
    Ok(uses.iter().any(|found| ir::kind(found.owner) == OpKind::InsertSlice && found.operand == 0))
}

/// The `spyre.empty` operations of a block and of the loops in it.
pub fn empties<'p>(block: Blk<'p>) -> Vec<EmptyOp<'p>> {
    let mut found = Vec::new();
    for op in ir::operations(block) {
        if let Some(empty) = EmptyOp::cast(op) {
            found.push(empty);
        } else if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            found.extend(empties(body));
        }
    }
    found
}

/// The operations that use the buffer behind a value, through loops, insertions and slices.
pub fn readers<'p>(value: Val<'p>) -> Vec<Op<'p>> {
    let mut found = Vec::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for Use { owner, operand } in ir::uses(value) {
            found.push(owner);
            match ir::kind(owner) {
                OpKind::For if operand >= FIRST_INIT => {
                    pending.extend(owner.result(operand - FIRST_INIT).map(Val::from));
                }
                OpKind::InsertSlice | OpKind::ExtractSlice => pending.extend(owner.result(0).map(Val::from)),
                _ => {}
            }
        }
    }
    found
}
