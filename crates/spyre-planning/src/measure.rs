//! The modelled time of a planned function, and the bytes that it moves.

pub(crate) mod buffers;

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_analysis::relayout::Relayout;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::walk::{device_ops, tensors};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_plan::cost::{self, Access, Arithmetic, Work};
use spyre_plan::{Picoseconds, Rates};

use self::buffers::{Root, root};
use crate::accesses::fan_out;
use crate::executions::{repeats, work_of};

/// The cost of a planned function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modelled {
    /// The modelled time.
    pub(crate) time: Picoseconds,
    /// Bytes of device memory, with bytes that several cores read in the same execution counted once.
    pub(crate) distinct: u128,
    /// The time in which one core would execute all operations.
    pub(crate) compute: Picoseconds,
}

/// The cost of an operation of a planned function.
pub(crate) struct Cost<'p> {
    /// The operation.
    pub(crate) op: DeviceOp<'p>,
    /// How often it is executed.
    pub(crate) executions: u64,
    /// Its tensors: operands, then the result.
    pub(crate) tensors: Vec<Tensor<'p>>,
    /// The work of the busiest core in an execution.
    pub(crate) busiest: Work,
    /// The work of all cores in an execution.
    pub(crate) whole: Work,
    /// The sticks that the busiest core gets or sends in an execution of a relayout; 0 of another operation.
    pub(crate) relayed: u64,
    /// How fast the machine is.
    pub(crate) rates: Rates,
}

/// A tensor of an operation of a planned function.
pub(crate) struct Tensor<'p> {
    /// The buffer that it is in.
    pub(crate) root: Root<'p>,
    /// Its bytes in an execution, with bytes that several cores read counted once.
    pub(crate) bytes: Bytes,
    /// The cores that read each of them; 1 for a result, which is written once.
    pub(crate) fan_out: u32,
}

impl Cost<'_> {
    /// Returns the modelled time of all executions.
    pub(crate) fn time(&self) -> Picoseconds {
        let accesses: Vec<Access> = self
            .in_memory()
            .map(|tensor| Access {
                bytes: tensor.bytes,
                cores: tensor.fan_out,
            })
            .collect();
        let mut time = cost::time(&self.rates, self.busiest, &accesses);
        time += self.rates.relayout(self.relayed);
        time.times(self.executions)
    }

    /// Returns the time in which one core alone would compute all executions.
    pub(crate) fn compute(&self) -> Picoseconds {
        self.whole.time(&self.rates).times(self.executions)
    }

    /// Returns the bytes of device memory in all executions, a broadcast counted once.
    pub(crate) fn distinct(&self) -> u128 {
        let bytes = self
            .in_memory()
            .map(|tensor| u128::from(tensor.bytes.get()));
        bytes.sum::<u128>() * u128::from(self.executions)
    }

    /// Returns the bytes of device memory in all executions, every core's reads counted.
    pub(crate) fn all(&self) -> u128 {
        let bytes = self
            .in_memory()
            .map(|tensor| u128::from(tensor.bytes.get()) * u128::from(tensor.fan_out));
        bytes.sum::<u128>() * u128::from(self.executions)
    }

    fn in_memory(&self) -> impl Iterator<Item = &Tensor<'_>> {
        self.tensors.iter().filter(|tensor| !tensor.root.is_in_lx())
    }
}

/// Returns the costs of the operations of a planned function, in their order; `None` if an extent is dynamic or a value
/// has no place.
pub(crate) fn costs<'p>(
    context: &'p Context,
    body: Blk<'p>,
    rates: Rates,
) -> Option<Vec<Cost<'p>>> {
    let types = TensorTypes::new(context);
    let of = |op: DeviceOp<'p>| {
        let split = op.split()?;
        let values = tensors(op);
        let result = values.len() - 1;
        let tensor = |(number, value): (usize, Val<'p>)| {
            Some(Tensor {
                root: root(value)?,
                bytes: types.get(value.r#type()).ok()?.device.bytes(),
                fan_out: match number == result {
                    true => 1,
                    false => fan_out(&split, &op.tensor_dims(number)),
                },
            })
        };
        let whole = values.last().copied();
        let tensors = values.into_iter().enumerate().map(tensor);
        let cost = Cost {
            op,
            executions: u64::from(repeats(op.op(), None)),
            tensors: tensors.collect::<Option<_>>()?,
            busiest: work_of(op, &split)?,
            whole: work_of(op, &vec![1; split.len()])?,
            relayed: 0,
            rates,
        };
        let Some(relayout) = Relayout::of(op) else {
            return Some(cost);
        };
        // The operation has no arithmetic.
        let nothing = Work {
            arithmetic: Arithmetic::Elements,
            points: 0,
            partials: 0,
        };
        let bytes = types.get(whole?.r#type()).ok()?.device.bytes();
        Some(Cost {
            busiest: nothing,
            whole: nothing,
            relayed: relayout.busiest_sticks(bytes)?,
            ..cost
        })
    };
    device_ops(body).into_iter().map(of).collect()
}

/// Computes the cost of a planned function; `None` if an extent is dynamic or a value has no place.
pub(crate) fn of<'p>(context: &'p Context, body: Blk<'p>, rates: Rates) -> Option<Modelled> {
    let mut total = Modelled {
        time: rates.per_iteration.times(loops(body)),
        distinct: 0,
        compute: Picoseconds::default(),
    };
    for cost in costs(context, body, rates)? {
        total.time += cost.time();
        total.distinct += cost.distinct();
        total.compute += cost.compute();
    }
    Some(total)
}

/// Returns the time in which device memory moves bytes, to one core each.
pub(crate) fn memory_time(bytes: u128, rates: &Rates) -> Picoseconds {
    // A larger number of bytes, which no memory has, saturates.
    let bytes = Bytes(u64::try_from(bytes).unwrap_or(u64::MAX));
    rates.memory(bytes, 1)
}

/// Returns the bytes that no plan avoids: every tensor argument that is used read once, every result written once. `None` if an
/// extent is dynamic.
pub(crate) fn compulsory<'p>(context: &'p Context, body: Blk<'p>) -> Option<u128> {
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
    let mut returned = FxHashSet::default();
    for value in body.terminator()?.operands() {
        if returned.insert(ir::value_key(value)) {
            add(value)?;
        }
    }
    Some(bytes)
}

/// Returns the iterations of all loops of a function.
pub(crate) fn loops(body: Blk<'_>) -> u64 {
    let ops = ir::operations(body);
    ops.filter(|op| ir::kind(*op) == OpKind::For)
        .map(iterations)
        .sum()
}

/// Returns the iterations of a loop and of the loops in it, in one execution of the function.
pub(crate) fn iterations(around: Op<'_>) -> u64 {
    let mut iterations = 0;
    let mut pending = vec![around];
    while let Some(op) = pending.pop() {
        if let Some(inner) = ir::body(op) {
            let end = inner.terminator().expect("a loop's body has a terminator");
            iterations += u64::from(repeats(end, None));
            let inner = ir::operations(inner);
            pending.extend(inner.filter(|op| ir::kind(*op) == OpKind::For));
        }
    }
    iterations
}
