//! Builds pairs of moments: the mean of a row and the mean of its squares, side by side in one stick (contract, K30).
//!
//! A pair is the last dimension of its tensor, of two elements, and no operation runs along it.

use melior::ir::Type;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{Offset, Val};
use spyre_ods::arith;
use spyre_ops::{Combiner, Pairs};

use crate::compute::Computation;
use crate::emit::{Emitter, element, shape};
use crate::structured;

/// Returns whether a tensor of an operation, operands first, then the result, has pairs.
pub(crate) fn is_pair(device: DeviceOp<'_>, tensor: usize) -> bool {
    match device.facts().pairs {
        Some(Pairs::Reads(operand)) => tensor == operand,
        Some(Pairs::Makes) => tensor == 1,
        None => false,
    }
}

/// Builds the first or the second elements of pairs.
pub(crate) fn half<'p>(emit: &Emitter<'p>, pairs: Val<'p>, number: i64) -> Val<'p> {
    let mut sizes = shape(pairs);
    let last = sizes.len() - 1;
    sizes[last] = 1;
    let mut offsets = vec![Offset::Static(0); sizes.len()];
    offsets[last] = Offset::Static(number);
    let half = emit.slice(pairs, offsets, &sizes);
    match last {
        0 => half,
        _ => emit.reshape(half, &sizes[..last]),
    }
}

/// Builds the pairs of rows: sums in 32 bits, divided by the number of elements and rounded once.
///
/// # Errors
/// The rows are in another order in the result.
pub(crate) fn moments<'p>(
    emit: &Emitter<'p>,
    computation: &Computation<'_, 'p>,
) -> Result<Val<'p>, String> {
    let device = computation.device;
    let space = device.iteration_space();
    let parallel = space.len() - device.reduction_dims();
    let dims = computation.dims(0)?;
    let rows: Vec<usize> = dims.iter().copied().filter(|dim| *dim < parallel).collect();
    if rows != computation.dims(1)? {
        return Err("it reorders the dimensions that it keeps".to_owned());
    }
    let value = emit.convert(computation.inputs[0].value, Type::float32(emit.context));
    let squares = emit.build().same(arith::mulf(value, value));
    let count: i64 = space.iter().skip(parallel).product();
    let pairs = computation.result_shape();
    let mut sizes = pairs.clone();
    let last = sizes.len() - 1;
    sizes[last] = 1;
    let mut result = emit.empty(&pairs, computation.element());
    for (number, terms) in [value, squares].into_iter().enumerate() {
        let sum = row_sums(emit, terms, &dims, parallel);
        // Exact below 2^24, as on the CPU.
        let count = emit.splat(count as f64, &shape(sum), element(sum));
        let mean = emit.build().same(arith::divf(sum, count));
        let mean = emit.convert(mean, computation.element());
        let mean = emit.reshape(mean, &sizes);
        let mut offsets = vec![Offset::Static(0); sizes.len()];
        offsets[last] = Offset::Static(i64::from(number == 1));
        result = emit.insert(mean, result, offsets, &sizes);
    }
    Ok(result)
}

/// Builds the sums of rows, of at least one dimension.
fn row_sums<'p>(emit: &Emitter<'p>, terms: Val<'p>, dims: &[usize], parallel: usize) -> Val<'p> {
    let mut extents = shape(terms);
    let mut reduced: Vec<usize> = (0..dims.len()).filter(|at| dims[*at] >= parallel).collect();
    if reduced.is_empty() {
        return terms; // rows of one element
    }
    let mut value = terms;
    if reduced.len() == dims.len() {
        extents.insert(0, 1);
        reduced.iter_mut().for_each(|place| *place += 1);
        value = emit.reshape(value, &extents);
    }
    let left = (0..extents.len()).filter(|place| !reduced.contains(place));
    let left: Vec<u64> = left.map(|place| extents[place]).collect();
    let init = emit.splat(Combiner::Add.identity(), &left, element(value));
    let (_, combine) = Combiner::Add.operations();
    structured::reduce(emit, value, init, &reduced, combine)
}
