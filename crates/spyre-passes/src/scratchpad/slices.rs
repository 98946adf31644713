//! Which slice of a value each core holds.

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::Bytes;
use spyre_plan::{slices_agree, splits_only};

use crate::layouts::is_restickify;

/// Whether an operation works in device memory (HBM) alone. A restickify moves data from core to core through it: neither
/// side can be in the scratchpad.
pub fn needs_device_memory(op: DeviceOp<'_>) -> bool {
    is_restickify(op)
}

/// Whether an operand says coordinates of another one or is read at such coordinates: both are read from device memory
/// (middle-end specification, section 5.2; SDSC bundle specification, section 4.2).
pub fn is_indirect(reader: DeviceOp<'_>, operand: usize) -> bool {
    reader.gathered_dim().is_some() && operand < reader.op().operand_count()
}

/// Whether the reader's cores find in their own scratchpad just the slice that they need, when each core
/// of the writer leaves its slice there.
pub fn agree(writer: DeviceOp<'_>, reader: DeviceOp<'_>, operand: usize) -> bool {
    let result = writer.op().operand_count();
    let (Some(written), Some(read)) = (writer.split(), reader.split()) else {
        // Without work division everything is on one core.
        return writer.split().is_none() && reader.split().is_none();
    };
    let (written_dims, read_dims) = (writer.tensor_dims(result), reader.tensor_dims(operand));
    slices_agree((&written, &written_dims), (&read, &read_dims))
}

/// Whether each core writes the same slice of the results of two operations.
pub fn write_alike(one: DeviceOp<'_>, other: DeviceOp<'_>) -> bool {
    let (Some(first), Some(second)) = (one.split(), other.split()) else {
        return one.split().is_none() && other.split().is_none();
    };
    let dims = one.tensor_dims(one.op().operand_count());
    let others = other.tensor_dims(other.op().operand_count());
    splits_only(&second, &others) && slices_agree((&first, &dims), (&second, &others))
}

/// Bytes of a value of `bytes` that one core of its writer holds.
pub fn per_core(writer: DeviceOp<'_>, bytes: Bytes) -> Bytes {
    let dims = writer.tensor_dims(writer.op().operand_count());
    let cores: u64 = writer
        .split()
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(dim, _)| dims.contains(&Some(*dim)))
        .map(|(_, cores)| u64::from(*cores))
        .product();
    Bytes(bytes.get().div_ceil(cores.max(1)))
}
