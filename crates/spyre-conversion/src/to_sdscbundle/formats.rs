//! Refuses OpFuncs in formats that the contract does not have (contract, K4, K70).

use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_ops::contract::{Contract, NotAdmitted};
use spyre_sdsc::OpSpec;

use super::error;

/// Checks that the contract of the target has the OpFunc of an operation in the formats of its data tensors.
///
/// # Errors
/// A diagnostic at the operation, with a note about an alternative.
pub(super) fn check<'p>(
    contract: &Contract,
    op: DeviceOp<'p>,
    spec: &OpSpec,
) -> Result<(), Diagnostic<'p>> {
    // Indices are SENUINT32 in every file (K45), so only the indexed tensor has a format of the table.
    let indices = usize::from(op.gathered_dim().is_some());
    let data = spec.args.iter().skip(indices);
    let formats: Vec<_> = data.map(|arg| arg.format).collect();
    let Err(refused) = contract.admit(&spec.op, &formats) else {
        return Ok(());
    };
    let instead = match refused {
        NotAdmitted::Format { .. } | NotAdmitted::Mixed { .. } => {
            "compute it in a format that the card has, or on the host"
        }
        NotAdmitted::Unknown { .. } | NotAdmitted::Doubtful { .. } => "compute it on the host",
    };
    let way_out = match refused.exception() {
        Some(exception) => format!(
            "{instead}; `exceptions = [\"{}\"]` of #spyre.target allows it (source: {})",
            exception.name, exception.source
        ),
        None => instead.to_owned(),
    };
    Err(error(op.op(), refused).note(op.op().location(), way_out))
}
