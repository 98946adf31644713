//! Operations in formats that the contract of the target does not have (contract, K4, K70).
//!
//! The table of the contract has the formats in which the card's compiler supports an OpFunc. An operation without an
//! OpFunc is admitted if all operations of its decomposition by `--spyre-decompose` are. Truth values have the format
//! of the compared or chosen elements, so they are not checked.

use melior::Context;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_construct::build::{element_of, is_truth};
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::DeviceFormat;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ops::contract::{Contract, NotAdmitted};

use crate::decompose;

/// Returns the reason why an operation with a known OpFunc cannot be in a bundle: the table requires two rows of 64
/// columns in each stick of the second operand of a product of 8 bits (contract, K22), and sources differ in their
/// order. A tree with an explicit arrangement of such weights is written. `None` for other operations.
pub fn unpublished_order(op: DeviceOp<'_>) -> Option<String> {
    let facts = op.facts();
    facts.is_quantized.then(|| {
        format!(
            "'{}' reads its second operand in sticks of two rows of 64 columns (K22), and sources differ in their order; compute it \
             on the host, or as spyre.batchmatmul of 16-bit floats",
            facts.name
        )
    })
}

/// Returns the reason why the card's compiler does not take an operation in its formats; `None` for one that it takes, and for
/// operations of other dialects.
///
/// The decomposition of an operation without an OpFunc is built before it temporarily, to check its parts.
pub fn refusal<'p>(context: &'p Context, contract: &Contract, op: Op<'p>) -> Option<NotAdmitted> {
    if let Some(device) = DeviceOp::cast(op) {
        return refusal_of_device_op(contract, device);
    }
    decompose::parts(context, op, |part| {
        DeviceOp::cast(part).and_then(|part| refusal_of_device_op(contract, part))
    })
}

/// Returns the reason for an operation with an OpFunc.
fn refusal_of_device_op(contract: &Contract, op: DeviceOp<'_>) -> Option<NotAdmitted> {
    // Indices are SENUINT32 in every file (K45), so only the indexed tensor has a format of the table.
    let indices = usize::from(op.gathered_dim().is_some());
    let operation = op.op();
    let tensors = operation.operands().skip(indices);
    let tensors = tensors.chain(ir::results(operation));
    let elements = tensors
        .filter(|tensor| ir::is_ranked_tensor(tensor.r#type()))
        .map(element_of)
        .filter(|element| !is_truth(*element));
    let formats: Vec<DeviceFormat> = elements.filter_map(attr::device_format).collect();
    contract.admit(op.op_func(), &formats).err()
}
