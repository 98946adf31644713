//! The slice of a value that each core holds.

use melior::ir::operation::OperationLike;
use spyre_analysis::division;
use spyre_analysis::relayout::{self, Relayout};
use spyre_dialects::device_op::DeviceOp;
use spyre_plan::{TensorSlices, slices_agree, splits_only};

use super::uses::Reader;
use crate::accesses::read_dims;

/// Returns whether an operand holds coordinates of another one or is read at such coordinates. Both are read from device memory
/// (middle-end specification, section 5.2; SDSC bundle specification, section 4.2).
pub(super) fn is_indirect(reader: DeviceOp<'_>, operand: usize) -> bool {
    reader.gathered_dim().is_some() && operand < reader.op().operand_count()
}

/// Returns whether each core of the reader reads exactly the slice that the same core of the writer leaves in its
/// scratchpad.
pub(super) fn agree<'p>(writer: DeviceOp<'p>, usage: &Reader<'p>) -> bool {
    let reader = usage.op;
    if Relayout::of(writer).is_some() || Relayout::of(reader).is_some() {
        return agree_on_owners(writer, usage);
    }
    let result = writer.op().operand_count();
    let (Some(written), Some(read)) = (writer.split(), reader.split()) else {
        // Without work division all slices are on one core.
        return writer.split().is_none() && reader.split().is_none();
    };
    let Some(read_dims) = read_dims(usage.op, usage.operand, &usage.views, &read) else {
        return false;
    };
    let written_dims = writer.tensor_dims(result);
    let written = division::slices(writer, &written, &written_dims);
    slices_agree(written, division::slices(reader, &read, &read_dims))
}

/// Returns the same where the writer or the reader is a relayout, which has different slices on its two sides.
fn agree_on_owners<'p>(writer: DeviceOp<'p>, usage: &Reader<'p>) -> bool {
    let read = match Relayout::of(usage.op) {
        // The slices of a relayout are slices of its operand, and not of the source of a view.
        Some(relayout) => usage.views.is_empty().then_some(relayout.from),
        None => {
            let split = usage.op.split_or_one_core();
            read_dims(usage.op, usage.operand, &usage.views, &split)
                .and_then(|dims| relayout::read(usage.op, &dims))
        }
    };
    let written = relayout::written(writer);
    written.is_some_and(|written| read.is_some_and(|read| written.have(&read)))
}

/// Returns whether each core writes the same slice of the results of two operations.
pub(super) fn write_alike(one: DeviceOp<'_>, other: DeviceOp<'_>) -> bool {
    if [one, other]
        .into_iter()
        .any(|op| Relayout::of(op).is_some())
    {
        return false; // Cores write slices that other cores have computed.
    }
    let (Some(first), Some(second)) = (one.split(), other.split()) else {
        return one.split().is_none() && other.split().is_none();
    };
    let dims = one.tensor_dims(one.op().operand_count());
    let others = other.tensor_dims(other.op().operand_count());
    let first = division::slices(one, &first, &dims);
    splits_only(&second, &others) && slices_agree(first, division::slices(other, &second, &others))
}

/// Returns the slices of an operation's result along each of its dimensions, if its cores write them in the order in
/// which the cores of a copy read them; `None` otherwise.
pub(super) fn of_result(op: DeviceOp<'_>) -> Option<Vec<u32>> {
    if Relayout::of(op).is_some() {
        return None;
    }
    let split = op.split()?;
    let dims = op.tensor_dims(op.op().operand_count());
    let counts: Vec<u32> = dims
        .iter()
        .map(|dim| dim.map_or(1, |dim| split[dim]))
        .collect();
    let all: Vec<Option<usize>> = (0..counts.len()).map(Some).collect();
    let copied = TensorSlices {
        splits: &counts,
        k_fast: None,
        dims: &all,
    };
    let is_same =
        splits_only(&split, &dims) && slices_agree(division::slices(op, &split, &dims), copied);
    is_same.then_some(counts)
}
