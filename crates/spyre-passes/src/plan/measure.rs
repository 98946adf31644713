//! The modelled time of a planned function, and the bytes that it moves.

use std::collections::HashSet;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr::Place;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::ir::{self, Blk, OpKind, Source, Val};
use spyre_plan::cost::{self, Access, Work};
use spyre_plan::{Picoseconds, Rates};

use crate::scratchpad::repeats;
use crate::tensor::TensorTypes;
use crate::view;
use crate::walk::{FIRST_INIT, device_ops, tensors};

/// What a planned function costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Modelled {
    /// The modelled time.
    pub(super) time: Picoseconds,
    /// Bytes of device memory, those that several cores read in the same execution counted once.
    pub(super) distinct: u128,
}

/// Works out the cost of a planned function; `None` if an extent is dynamic or a value has no place.
pub(super) fn of<'p>(context: &'p Context, body: Blk<'p>) -> Option<Modelled> {
    let types = TensorTypes::new(context);
    let mut total = Modelled {
        time: Picoseconds::default(),
        distinct: 0,
    };
    for op in device_ops(body) {
        let executions = u64::from(repeats(op.op(), None));
        let split = op.split()?;
        let mut accesses = Vec::new();
        let values = tensors(op);
        let result = values.len() - 1;
        for (tensor, value) in values.into_iter().enumerate() {
            if is_in_lx(value)? {
                continue;
            }
            let bytes = types.get(value.r#type()).ok()?.device.bytes();
            let dims = op.tensor_dims(tensor);
            let others = split.iter().enumerate();
            let others = others.filter(|(dim, _)| !dims.contains(&Some(*dim)));
            // A result is written once.
            let cores = if tensor == result {
                1
            } else {
                others.map(|(_, slices)| *slices).product()
            };
            accesses.push(Access { bytes, cores });
            total.distinct += u128::from(bytes.get()) * u128::from(executions);
        }
        let work = work_of(op, &split)?;
        total.time += cost::time(&Rates::CARD, work, &accesses).times(executions);
    }
    total.time += Rates::CARD.per_iteration.times(loops(body));
    Some(total)
}

/// Returns the bytes that no plan avoids: every tensor argument that is used read once, every result written once. `None` if an
/// extent is dynamic.
pub(super) fn compulsory<'p>(context: &'p Context, body: Blk<'p>) -> Option<u128> {
    let types = TensorTypes::new(context);
    let mut bytes = 0;
    let mut add = |value: Val<'p>| {
        bytes += u128::from(types.get(value.r#type()).ok()?.device.bytes().get());
        Some(())
    };
    for number in 0..body.argument_count() {
        let argument: Val<'p> = body.argument(number).ok()?.into();
        if ir::is_ranked_tensor(argument.r#type()) && !ir::uses(argument).is_empty() {
            add(argument)?;
        }
    }
    let mut returned = HashSet::new();
    for value in body.terminator()?.operands() {
        if returned.insert(ir::value_key(value)) {
            add(value)?;
        }
    }
    Some(bytes)
}

/// Returns what the busiest core computes in an execution.
fn work_of(op: DeviceOp<'_>, split: &[u32]) -> Option<Work> {
    let mut points = 1_u64;
    for (extent, slices) in op.iteration_space().into_iter().zip(split) {
        let extent = u64::try_from(extent).ok()?;
        points = points.checked_mul(extent.div_ceil(u64::from(*slices)))?;
    }
    // A reduction of two operands adds up their products.
    let is_product = op.reduction_dims() > 0 && op.op().operand_count() > 1;
    Some(if is_product {
        Work::Products(points)
    } else {
        Work::Elements(points)
    })
}

/// Returns the iterations of all loops of a function.
fn loops(body: Blk<'_>) -> u64 {
    let mut iterations = 0;
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        for op in ir::operations(block) {
            if ir::kind(op) == OpKind::For
                && let Some(inner) = ir::body(op)
            {
                if let Some(end) = inner.terminator() {
                    iterations += u64::from(repeats(end, None));
                }
                pending.push(inner);
            }
        }
    }
    iterations
}

/// Returns whether the buffer that a value is in, or is a window of, is in the scratchpad; `None` if it has no place.
fn is_in_lx(value: Val<'_>) -> Option<bool> {
    let mut value = value;
    loop {
        value = match ir::source(value) {
            Source::Argument(block, number) => {
                let parent = block.parent_operation()?;
                if ir::kind(parent) != OpKind::For {
                    return Some(false);
                }
                // The first argument counts the iterations.
                ir::operand(parent, FIRST_INIT + number.checked_sub(1)?)?
            }
            Source::Result(op, number) => {
                if let Some(device) = DeviceOp::cast(op) {
                    match device.place()? {
                        Place::Lx(_) => return Some(true),
                        Place::Arg(_) | Place::Pool(_) => return Some(false),
                        Place::Window => {
                            let mut target = None;
                            ir::for_each_use(value, |found| {
                                if ir::kind(found.owner) == OpKind::InsertSlice
                                    && found.operand == 0
                                {
                                    target = ir::operand(found.owner, 1);
                                }
                            });
                            target?
                        }
                    }
                } else if let Some(empty) = EmptyOp::cast(op) {
                    return Some(matches!(empty.place()?, Place::Lx(_)));
                } else {
                    match ir::kind(op) {
                        OpKind::For => ir::operand(op, FIRST_INIT + number)?,
                        OpKind::InsertSlice => ir::operand(op, 1)?,
                        OpKind::ExtractSlice => ir::operand(op, 0)?,
                        _ if view::is_view(op) => ir::operand(op, 0)?,
                        _ => return None,
                    }
                }
            }
        };
    }
}
