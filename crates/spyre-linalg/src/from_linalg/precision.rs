//! Remarks with the formats in which the device computes a structured operation.

use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_mlir_rt::ir::{self, Op};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

/// Reports the element types of the device operations that replace a structured operation, if they compute any element.
pub(super) fn report<'p>(remarks: &Remarks, op: Op<'p>, built: &[Op<'p>]) {
    if !remarks.is_enabled() {
        return;
    }
    let mut computed: Vec<String> = Vec::new();
    let mut adds_up = false;
    for device in built {
        if let Some(mnemonic) = ir::name(*device).strip_prefix("spyre.")
            && let Some(result) = ir::result(*device, 0)
            && device.operand_count() > 0
            && !moves(mnemonic)
        {
            let ty = element_of(result);
            adds_up |= is_sum(mnemonic) && (ty.is_f16() || ty.is_bf16() || ty.is_f32());
            let ty = ty.to_string();
            if !computed.contains(&ty) {
                computed.push(ty);
            }
        }
    }
    if computed.is_empty() {
        return;
    }
    remarks.emit(|| {
        let mut text = format!("computed in {}", computed.join(" and "));
        let mut remark = Remark::new(RemarkKind::Analysis, op.location(), "Precision");
        if adds_up && let Some(value) = ir::results(op).next() {
            let ty = element_type(value.r#type());
            text += &format!(", added up in f32; the program adds up in {ty}");
            remark = remark.arg("AddedUpIn", "f32").arg("ProgramAddsUpIn", ty);
        }
        remark
            .arg("ComputedIn", computed.join(", "))
            .arg("Remark", text)
    });
}

/// Returns whether a device operation moves elements, and computes none.
fn moves(mnemonic: &str) -> bool {
    matches!(mnemonic, "copy" | "gather" | "permute")
}

/// Returns whether a device operation adds up elements or products. It does so in `f32` for all formats of its
/// operands.
fn is_sum(mnemonic: &str) -> bool {
    matches!(mnemonic, "sum" | "mean" | "batchmatmul")
}
