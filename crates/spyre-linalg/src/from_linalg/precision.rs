//! Remarks with the formats in which the device computes a structured operation.

use melior::ir::operation::OperationLike;
use melior::ir::{TypeLike, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_mlir_rt::ir::{self, At, Op};
use spyre_mlir_rt::remark::{Remark, RemarkKind, Remarks};

/// The place before a structured operation. The operations that replace it follow.
pub(super) struct Mark<'p> {
    /// A constant without uses; `None` if remarks are not enabled.
    constant: Option<Op<'p>>,
}

impl<'p> Mark<'p> {
    /// Marks the place before a structured operation.
    pub(super) fn set(remarks: &Remarks, op: Op<'p>) -> Self {
        let constant = remarks.is_enabled().then(|| {
            let constant = ir::build_index_constant(At::Before(op), op.location(), 0);
            ir::defining_op(constant).expect("a constant is an operation")
        });
        Self { constant }
    }

    /// Reports the formats of the device operations between the mark and the operation, if it has become some.
    pub(super) fn report(self, remarks: &Remarks, op: Op<'p>, is_converted: bool) {
        let Some(constant) = self.constant else {
            return;
        };
        if is_converted {
            report(remarks, constant, op);
        }
        ir::erase(constant);
    }
}

/// Reports the element types of the device operations after `mark` and before `op`, if they compute any element.
fn report<'p>(remarks: &Remarks, mark: Op<'p>, op: Op<'p>) {
    let mut computed: Vec<String> = Vec::new();
    let mut adds_up = false;
    let mut next = mark.next_in_block();
    while let Some(device) = next.filter(|other| *other != op) {
        let name = ir::name(device);
        if let Some(mnemonic) = name.strip_prefix("spyre.")
            && let Some(result) = ir::result(device, 0)
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
        next = device.next_in_block();
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
