//! Copies windows that an operation cannot read in place into separate tensors: operands of changes of layout, of
//! gathers, and of convolutions and pools, which read whole tensors.
//!
//! No descriptor can describe the rows of some windows with a change of layout, or the start and end of a table that is
//! a window along the dimension that is indexed.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::kinds::is_restickify;
use spyre_analysis::rows::Rows;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view::{self, View};
use spyre_dialects::device_op::DeviceOp;
use spyre_layout::DeviceTensor;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Use, Val};

use super::draft::{Divide, Draft, result_of};

/// Replaces the windows that an operation reads and no descriptor can describe by copies.
///
/// # Errors
/// A tensor cannot be placed.
pub(super) fn copy_windows<'p>(
    draft: &mut Draft<'p>,
    types: &TensorTypes<'p>,
    ops: &[DeviceOp<'p>],
    divide: &Divide<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for op in ops {
        if walks(*op) {
            for index in 0..op.op().operand_count() {
                if is_window(draft, types, draft.operand(op.op(), index)?) {
                    draft.copy(op.op(), index, divide)?;
                }
            }
            continue;
        }
        let (index, readable) = if is_restickify(*op) {
            let result = result_of(op.op())?;
            let source = draft.operand(op.op(), 0)?;
            let rows = window(draft, types, source, result);
            let is_readable = rows.is_none_or(Rows::have_descriptor);
            (
                0,
                is_readable && !is_ragged_reshape(draft, types, source, result),
            )
        } else if let Some(dim) = op.gathered_dim() {
            (1, !is_cut(draft, types, draft.operand(op.op(), 1)?, dim))
        } else {
            continue;
        };
        if !readable {
            draft.copy(op.op(), index, divide)?;
        }
    }
    Ok(())
}

/// Returns whether windows walk along an operand of an operation. The format cannot state gaps in an operand of a
/// convolution (SDSC bundle specification, section 4.4) or after the last window of a pool, and a pool has no dimension
/// for a fixed position.
fn walks(op: DeviceOp<'_>) -> bool {
    !op.walked_dims().is_empty()
}

/// Returns whether an operation reads a value in another shape, which no descriptor can describe for a window.
pub(super) fn is_reshaped<'p>(draft: &Draft<'p>, op: DeviceOp<'p>) -> bool {
    is_seen(draft, op, |user| {
        matches!(ir::kind(user), OpKind::ExpandShape | OpKind::CollapseShape)
    })
}

/// Returns whether an operation that is wanted uses a value, or a window or a permutation of it.
fn is_seen<'p>(draft: &Draft<'p>, op: DeviceOp<'p>, is_wanted: impl Fn(Op<'p>) -> bool) -> bool {
    let mut pending: Vec<Op<'p>> = vec![op.op()];
    while let Some(maker) = pending.pop() {
        for usage in ir::results(maker).flat_map(|result| draft.uses(result)) {
            match ir::kind(usage.owner) {
                _ if is_wanted(usage.owner) => return true,
                OpKind::ExtractSlice => pending.push(usage.owner),
                _ if view::is_permute(usage.owner) => pending.push(usage.owner),
                _ => {}
            }
        }
    }
    false
}

/// Returns whether the result of an operation cannot be in a window of the tensor that it is inserted into. A change of
/// layout, a convolution and a pool read and write whole tensors, a gather reads a whole table, and the result of a
/// cast may need more room than the window has.
pub(super) fn cannot_be_in_window<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    op: DeviceOp<'p>,
) -> bool {
    let needs_whole = |op: DeviceOp<'_>| walks(op) || op.gathered_dim().is_some();
    if walks(op)
        || is_seen(draft, op, |user| {
            DeviceOp::cast(user).is_some_and(needs_whole)
        })
    {
        return true;
    }
    let value = ir::result(op.op(), 0).expect("a device operation has a result");
    let uses = draft.uses(value);
    let mut inserted = uses.iter();
    let lacks = |usage: &Use<'p>| {
        let is_inserted = ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0;
        is_inserted && lacks_room(draft, types, value, usage.owner) == Some(true)
    };
    if inserted.any(lacks) {
        return true;
    }
    let inserts = uses
        .iter()
        .filter(|usage| ir::kind(usage.owner) == OpKind::InsertSlice && usage.operand == 0);
    let wholes = inserts.filter_map(|usage| {
        let into = draft.get(usage.owner, 1)?;
        types.get(into.r#type()).ok()
    });
    // The other side of each change of layout.
    let others = || {
        let readers = uses.iter().filter_map(|usage| DeviceOp::cast(usage.owner));
        let readers = readers.filter(|reader| is_restickify(*reader));
        let source = is_restickify(op).then(|| draft.get(op.op(), 0)).flatten();
        readers
            .filter_map(|reader| result_of(reader.op()).ok())
            .chain(source)
    };
    wholes.into_iter().any(|whole| {
        let mut rows = others().filter_map(|other| rows(types, other, &whole.device, None));
        rows.any(|rows| !rows.have_descriptor())
    })
}

/// Returns whether a value takes more room along the stick than there is after the start of its window, as where a cast
/// needs whole sticks of its operand.
fn lacks_room<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    value: Val<'p>,
    insert: Op<'p>,
) -> Option<bool> {
    let ty = types.get(value.r#type()).ok()?;
    let whole = types.get(draft.get(insert, 1)?.r#type()).ok()?;
    let dim = ty.device.layout().stick_dim()?;
    if ty.shape().len() != whole.shape().len() {
        return None; // The window lacks dimensions of one element.
    }
    let held = |device: &DeviceTensor| -> u64 {
        let places = device.layout().device_dims_of(dim);
        places.map(|place| device.device_size()[place]).product()
    };
    match ir::window(insert)?.offsets[dim] {
        Offset::Static(offset) => {
            Some(u64::try_from(offset).ok()? + held(&ty.device) > held(&whole.device))
        }
        Offset::Value(_) => None, // Tiles have the room that the whole tensor has for the last one.
    }
}

/// Returns the rows of a tensor that a change of layout reads through a window; `None` if the operand is no window.
fn window<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    source: Val<'p>,
    result: Val<'p>,
) -> Option<Rows> {
    let origin = Origin::of(draft, source)?;
    let whole = types.get(origin.whole.r#type()).ok()?;
    rows(types, result, &whole.device, origin.dims.as_deref())
}

/// Returns whether a change of layout reads a reshaped window and does not bring whole sticks of it onto the stick. The
/// rows of the tensor of such a window do not follow from one dimension.
fn is_ragged_reshape<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    source: Val<'p>,
    result: Val<'p>,
) -> bool {
    let (mut is_window, mut is_reshaped) = (false, false);
    let mut value = source;
    while let Some(maker) = ir::defining_op(value) {
        match ir::kind(maker) {
            OpKind::ExtractSlice => is_window = true,
            OpKind::ExpandShape | OpKind::CollapseShape => is_reshaped = true,
            _ if view::is_permute(maker) => {}
            _ => break,
        }
        let Some(of) = draft.get(maker, 0) else { break };
        value = of;
    }
    let is_ragged = || {
        let ty = types.get(result.r#type()).ok()?;
        let extent = *ty.shape().get(ty.device.layout().stick_dim()?)?;
        Some(!extent.is_multiple_of(ty.device.format().elements_per_stick().get()))
    };
    is_window && is_reshaped && is_ragged().unwrap_or(false)
}

/// Returns whether a value is a part of a tensor.
fn is_window<'p>(draft: &Draft<'p>, types: &TensorTypes<'p>, value: Val<'p>) -> bool {
    let part = types.get(value.r#type());
    part.is_ok_and(|part| (0..part.shape().len()).any(|dim| is_cut(draft, types, value, dim)))
}

/// Returns whether a value is a part of a tensor along a dimension.
fn is_cut<'p>(draft: &Draft<'p>, types: &TensorTypes<'p>, value: Val<'p>, dim: usize) -> bool {
    let extents = || {
        let origin = Origin::of(draft, value)?;
        let whole = types.get(origin.whole.r#type()).ok()?;
        let of_whole = *whole.shape().get(origin.dim(dim)?)?;
        let part = types.get(value.r#type()).ok()?;
        Some((of_whole, *part.shape().get(dim)?))
    };
    extents().is_some_and(|(whole, part)| whole != part)
}

/// The tensor that a window is a part of.
struct Origin<'p> {
    whole: Val<'p>,
    /// The dimension of the tensor that each dimension of the window is; `None` where they are the same.
    dims: Option<Vec<usize>>,
}

impl<'p> Origin<'p> {
    /// Finds the tensor of a chain of windows and permutations; `None` if there is no window.
    fn of(draft: &Draft<'p>, value: Val<'p>) -> Option<Self> {
        let mut origin = Self {
            whole: value,
            dims: None,
        };
        let mut is_window = false;
        while let Some(maker) = ir::defining_op(origin.whole) {
            if ir::kind(maker) == OpKind::ExtractSlice {
                is_window = true;
            } else if view::is_permute(maker) {
                let Ok(View::Permute(permutation)) = View::of(maker) else {
                    unreachable!("a verified spyre.permute has a permutation");
                };
                origin.dims = Some(match origin.dims {
                    Some(dims) => dims
                        .iter()
                        .map(|dim| permutation.get(*dim).copied())
                        .collect::<Option<_>>()?,
                    None => permutation,
                });
            } else {
                break;
            }
            origin.whole = draft.get(maker, 0)?;
        }
        is_window.then_some(origin)
    }

    fn dim(&self, dim: usize) -> Option<usize> {
        match &self.dims {
            Some(dims) => dims.get(dim).copied(),
            None => Some(dim),
        }
    }
}

/// Returns the rows of a tensor that are on the stick of the other side of a change of layout; `None` if both sides have the same
/// dimension on the stick, or the other side has none.
fn rows<'p>(
    types: &TensorTypes<'p>,
    other: Val<'p>,
    whole: &DeviceTensor,
    dims: Option<&[usize]>,
) -> Option<Rows> {
    let other = types.get(other.r#type()).ok()?;
    let stick = other.device.layout().stick_dim()?;
    let dim = match dims {
        Some(dims) => *dims.get(stick)?,
        None => stick,
    };
    if whole.layout().stick_dim() == Some(dim) {
        return None;
    }
    let places = whole.layout().device_dims_of(dim);
    Some(Rows {
        extent: *other.shape().get(stick)?,
        whole: *whole.shape().get(dim)?,
        held: places
            .filter_map(|at| whole.device_size().get(at))
            .product(),
        per_stick: other.device.format().elements_per_stick().get(),
    })
}
