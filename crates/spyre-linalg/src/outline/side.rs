//! The side of an operation: host or device.

use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, ValueLike};
use spyre_analysis::dynamic::declared;
use spyre_analysis::dynamic::slices::{DYNAMIC, Slice};
use spyre_analysis::walk::trip_count;
use spyre_construct::build::{element_of, shape_of};
use spyre_dialects::attr;
use spyre_dialects::names::{NOT_ADMITTED, WIDE};
use spyre_layout::Bytes;
use spyre_mlir_rt::ir::{self, Blk, Offset, Op, OpKind, Source, Val};
use spyre_ods::{affine, arith, scf, spyre, tensor};

use crate::from_linalg::extents::known_extents;

/// The side of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Of the device.
    Device,
    /// Of the host.
    Host,
    /// A view of a tensor, which is where its tensor is.
    View,
    /// A constant or a tensor without contents, which both sides make.
    Constant,
}

impl Side {
    /// Returns the side of an operation.
    pub(crate) fn of(op: Op<'_>) -> Self {
        if op.has_attribute(WIDE) || op.has_attribute(NOT_ADMITTED) {
            return Self::Host;
        }
        let name = ir::name(op);
        match name {
            arith::CONSTANT | tensor::EMPTY | spyre::FILL | spyre::EMPTY
                if op.operands().all(is_extent) =>
            {
                Self::Constant
            }
            tensor::DIM if ir::results(op).all(is_extent) => Self::Constant,
            spyre::PERMUTE
            | tensor::EXPAND_SHAPE
            | tensor::COLLAPSE_SHAPE
            | tensor::EXTRACT_SLICE
                if op.operands().skip(1).all(is_extent)
                    && are_on_device(op)
                    && is_at_numbers(op) =>
            {
                Self::View
            }
            tensor::INSERT_SLICE
                if op.operands().skip(2).all(is_extent)
                    && are_on_device(op)
                    && is_at_numbers(op) =>
            {
                Self::Device
            }
            scf::FOR if check_loop(op).is_ok() => Self::Device,
            name if name.starts_with("spyre.") => Self::Device,
            _ => Self::Host,
        }
    }
}

/// Checks that the device can execute a loop: its bounds are constants, it carries tensors, and the device has all operations
/// in it.
///
/// # Errors
/// The reason why the device cannot execute the loop.
pub(crate) fn check_loop(op: Op<'_>) -> Result<(), String> {
    if op.has_attribute(WIDE) {
        return Err("the loop carries integers that may not fit into 32 bits".into());
    }
    if trip_count(op).is_none() {
        return Err("the number of iterations of the loop is computed at run time".into());
    }
    if op.result_count() == 0 {
        return Err("the loop has no results".into());
    }
    if let Some(result) = ir::results(op).find(|result| !is_on_device(*result)) {
        return Err(format!(
            "the loop carries {}, for which the device has no place",
            result.r#type()
        ));
    }
    let body = ir::body(op).expect("a loop has a body");
    ir::operations(body).try_for_each(check_in_loop)
}

/// Returns the body of an operation that is a loop of the device; `None` for every other operation.
pub(crate) fn loop_body(op: Op<'_>) -> Option<Blk<'_>> {
    (ir::kind(op) == OpKind::For && check_loop(op).is_ok())
        .then(|| ir::body(op))
        .flatten()
}

fn check_in_loop(op: Op<'_>) -> Result<(), String> {
    let name = ir::name(op);
    match name {
        affine::APPLY | scf::YIELD => Ok(()),
        scf::FOR => check_loop(op),
        tensor::EXTRACT_SLICE | tensor::INSERT_SLICE => check_window(op),
        _ if Side::of(op) == Side::Host => Err(format!("the host computes '{name}' in it")),
        _ => Ok(()),
    }
}

/// Checks that a window of a loop is at constants, induction variables and affine functions of these.
///
/// # Errors
/// The reason why the device has no such window.
pub(crate) fn check_window(op: Op<'_>) -> Result<(), String> {
    let window = ir::window(op).ok_or("a window in it has steps")?;
    let is_affine = |offset: &Offset<'_>| match offset {
        Offset::Static(_) => true,
        Offset::Value(value) => match ir::source(*value) {
            Source::Argument(block, 0) => {
                let owner = block.parent_operation();
                owner.is_some_and(|owner| ir::kind(owner) == OpKind::For)
            }
            Source::Argument(..) => false,
            Source::Result(maker, _) => ir::affine_map(maker).is_some(),
        },
    };
    if !window.offsets.iter().all(is_affine) {
        return Err("an offset in it is computed at run time".into());
    }
    let mut tensors = op.operands().chain(ir::results(op));
    match tensors.find(|value| ir::is_ranked_tensor(value.r#type()) && !is_on_device(*value)) {
        Some(value) => Err(format!("the device has no place for {}", value.r#type())),
        None => Ok(()),
    }
}

/// Returns whether a view merges or splits the last dimension into parts that are not whole sticks, for
/// elements of other than 16 bits. With a last dimension of one element, the dimension before it may be on the
/// stick as before.
pub(super) fn changes_wide_sticks(view: Op<'_>) -> bool {
    if !matches!(
        ir::name(view),
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE
    ) {
        return false;
    }
    let source = ir::operand(view, 0).expect("a view has a tensor");
    let result = ir::result(view, 0).expect("a view has a result");
    let format =
        attr::device_format(element_of(source)).expect("a view is of a tensor with a place");
    let last = |value: Val<'_>| {
        let shape = known_extents(value.r#type()).expect("a view is of a tensor");
        shape.last().copied().unwrap_or(Some(1))
    };
    let (from, to) = (last(source), last(result));
    let stick = i64::try_from(format.elements_per_stick().0).expect("a stick has few elements");
    // A reshape neither splits nor merges a dynamic dimension, so both shapes have the same one here.
    let is_whole = |extent: Option<i64>| extent.is_some_and(|extent| extent % stick == 0);
    let are_whole = is_whole(from) && is_whole(to);
    format.bytes_per_element() != Bytes(2) && from != to && to != Some(1) && !are_whole
}

/// Returns whether an operation is no slice, or one of elements next to each other at offsets that are numbers.
fn is_at_numbers(op: Op<'_>) -> bool {
    Slice::cast(op).is_none_or(|slice| {
        let has_steps = slice.strides().iter().any(|step| *step != 1);
        !has_steps && !slice.offsets().contains(&DYNAMIC)
    })
}

/// Returns whether a value is the extent of a dynamic dimension of the function.
pub(super) fn is_extent(value: Val<'_>) -> bool {
    let read = ir::defining_op(value).filter(|op| ir::kind(*op) == OpKind::TensorDim);
    read.is_some_and(|op| {
        let extents = ir::operand(op, 0).and_then(|of| known_extents(of.r#type()));
        let dim = ir::constant_operand(op, 1).and_then(|dim| usize::try_from(dim).ok());
        let is_dynamic = extents
            .zip(dim)
            .is_some_and(|(extents, dim)| extents.get(dim) == Some(&None));
        is_dynamic && is_declared(op)
    })
}

/// Returns whether the device has a place for every tensor of an operation.
fn are_on_device(op: Op<'_>) -> bool {
    let tensors = op.operands().filter(|value| !is_extent(*value));
    tensors.chain(ir::results(op)).all(is_on_device)
}

/// Returns whether a value is a tensor for which the device has a place: its extents are numbers, or its function declares the dynamic
/// ones.
fn is_on_device(value: Val<'_>) -> bool {
    let has_format = || attr::device_format(element_of(value)).is_some();
    let is_declared = || match ir::source(value) {
        Source::Result(op, _) => is_declared(op),
        Source::Argument(block, _) => block.parent_operation().is_some_and(is_declared),
    };
    ir::is_ranked_tensor(value.r#type())
        && has_format()
        && (shape_of(value).is_ok() || is_declared())
}

/// Returns whether the function around an operation, or the operation itself, declares dynamic dimensions.
fn is_declared(op: Op<'_>) -> bool {
    let mut around = Some(op);
    while let Some(op) = around {
        if ir::function_body(op).is_some() {
            return declared(op).next().is_some();
        }
        around = op.parent_operation();
    }
    false
}
