//! Windows whose layout is changed: where no descriptor says where their rows are, they get a tensor of their own first.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::DeviceTensor;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, OpKind, Val};

use super::boundary::{CopyBefore, Outputs, operand};
use super::uses::result_of;
use crate::layouts::Rows;
use crate::tensor::TensorTypes;
use crate::view::{self, View};

/// Lets every change of layout read a window that a descriptor can say, or a copy of it.
///
/// # Errors
/// A tensor that cannot be placed.
pub fn copy_windows<'p>(
    outputs: &mut Outputs<'p>,
    types: &TensorTypes<'p>,
    ops: &[DeviceOp<'p>],
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for op in ops.iter().filter(|op| is_restickify(**op)) {
        let source = operand(op.op(), 0)?;
        let result = result_of(op.op())?;
        let is_window = window(types, source, result);
        if is_window.is_some_and(|rows| !rows.have_descriptor()) {
            outputs.copy(op.op(), 0, copy_before)?;
        }
    }
    Ok(())
}

/// Whether a change of layout reads the result of an operation that it could not read as a window of the tensor that the result is
/// inserted into.
pub fn cannot_be_read_in_window<'p>(types: &TensorTypes<'p>, op: DeviceOp<'p>) -> bool {
    let Ok(value) = result_of(op.op()) else {
        return false;
    };
    let uses = ir::uses(value);
    let inserts = uses
        .iter()
        .filter(|found| ir::kind(found.owner) == OpKind::InsertSlice && found.operand == 0);
    let wholes = inserts.filter_map(|found| {
        let into = found.owner.operand(1).ok()?;
        types.get(into.r#type()).ok()
    });
    let readers = || {
        let readers = uses.iter().filter_map(|found| DeviceOp::cast(found.owner));
        let readers = readers.filter(|reader| is_restickify(*reader));
        readers.filter_map(|reader| result_of(reader.op()).ok())
    };
    wholes.into_iter().any(|whole| {
        let mut rows = readers().filter_map(|result| rows(types, result, &whole.device, None));
        rows.any(|rows| !rows.have_descriptor())
    })
}

fn is_restickify(op: DeviceOp<'_>) -> bool {
    op.op_func() == "ReStickifyOpHBM"
}

/// What a change of layout reads of the tensor that its operand is a window of.
fn window<'p>(types: &TensorTypes<'p>, source: Val<'p>, result: Val<'p>) -> Option<Rows> {
    let mut value = source;
    // The dimension of `value` that each dimension of the operand is; `None` while they are the same.
    let mut dims: Option<Vec<usize>> = None;
    let mut is_window = false;
    while let Some(maker) = ir::defining_op(value) {
        if ir::kind(maker) == OpKind::ExtractSlice {
            is_window = true;
        } else if view::is_permute(maker) {
            let View::Permute(permutation) = View::of(maker).ok()? else {
                return None;
            };
            dims = Some(match dims {
                Some(dims) => dims
                    .iter()
                    .map(|dim| permutation.get(*dim).copied())
                    .collect::<Option<_>>()?,
                None => permutation,
            });
        } else {
            break;
        }
        value = maker.operand(0).ok()?;
    }
    if !is_window {
        return None;
    }
    let whole = types.get(value.r#type()).ok()?;
    rows(types, result, &whole.device, dims.as_deref())
}

/// The rows of a tensor that a change of layout brings onto the stick of its result.
fn rows<'p>(
    types: &TensorTypes<'p>,
    result: Val<'p>,
    whole: &DeviceTensor,
    dims: Option<&[usize]>,
) -> Option<Rows> {
    let result = types.get(result.r#type()).ok()?;
    let stick = result.device.layout().stick_dim()?;
    let dim = match dims {
        Some(dims) => *dims.get(stick)?,
        None => stick,
    };
    if whole.layout().stick_dim() == Some(dim) {
        return None;
    }
    let places = whole.layout().device_dims_of(dim);
    Some(Rows {
        extent: *result.shape().get(stick)?,
        whole: *whole.shape().get(dim)?,
        held: places
            .filter_map(|at| whole.device_size().get(at))
            .product(),
        per_stick: result.device.format().elements_per_stick().get(),
    })
}
