//! Editing operations in place: moving, attributes, arguments, erasing.

use melior::StringRef;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, AttributeLike, Location, Type, TypeLike, Value, ValueLike};

use super::build::At;
use super::read::function_body;
use super::uses::uses_none;
use super::{Blk, Op, Val};
use crate::ffi;

/// Sets the location of an operation.
pub fn set_location<'p>(op: Op<'p>, location: Location<'p>) {
    // SAFETY: a live operation and location.
    unsafe { mlir_sys::mlirOperationSetLocation(op.to_raw(), location.to_raw()) }
}

/// Moves an operation to the end of a block.
pub fn move_to_end<'p>(op: Op<'p>, block: Blk<'p>) {
    // SAFETY: live operation and block.
    unsafe { ffi::spyreOperationMoveToEnd(op.to_raw(), block.to_raw()) }
}

/// Moves an operation.
pub fn move_to<'p>(op: Op<'p>, at: At<'p>) {
    match at {
        At::End(block) => move_to_end(op, block),
        // SAFETY: live operations, and the second is in a block.
        At::Before(next) => unsafe {
            mlir_sys::mlirOperationMoveBefore(op.to_raw(), next.to_raw());
        },
    }
}

/// Sets an operand.
///
/// # Panics
/// When there is no such operand.
pub fn set_operand<'p>(op: Op<'p>, index: usize, value: Val<'p>) {
    assert!(
        index < op.operand_count(),
        "operation has no operand {index}"
    );
    // SAFETY: the index was checked.
    unsafe { mlir_sys::mlirOperationSetOperand(op.to_raw(), index.cast_signed(), value.to_raw()) }
}

/// Sets an attribute that the operation defines.
pub fn set_attribute<'p>(op: Op<'p>, name: &str, attribute: Attribute<'p>) {
    // SAFETY: a live operation and attribute; the name is copied.
    unsafe {
        mlir_sys::mlirOperationSetInherentAttributeByName(
            op.to_raw(),
            StringRef::new(name).to_raw(),
            attribute.to_raw(),
        );
    }
}

/// Removes an attribute, inherent or discardable, if it exists.
pub fn remove_attribute(op: Op<'_>, name: &str) {
    // SAFETY: a live operation; the name is read.
    unsafe {
        mlir_sys::mlirOperationRemoveAttributeByName(op.to_raw(), StringRef::new(name).to_raw());
    }
}

/// Sets a discardable attribute.
pub fn set_discardable_attribute<'p>(op: Op<'p>, name: &str, attribute: Attribute<'p>) {
    // SAFETY: a live operation and attribute; the name is copied.
    unsafe {
        mlir_sys::mlirOperationSetDiscardableAttributeByName(
            op.to_raw(),
            StringRef::new(name).to_raw(),
            attribute.to_raw(),
        );
    }
}

/// Returns whether an operation has discardable attributes.
#[must_use]
pub fn has_discardable_attributes(op: Op<'_>) -> bool {
    // SAFETY: a live operation.
    unsafe { mlir_sys::mlirOperationGetNumDiscardableAttributes(op.to_raw()) > 0 }
}

/// Removes a discardable attribute, if it exists.
pub fn remove_discardable_attribute(op: Op<'_>, name: &str) {
    // SAFETY: a live operation.
    unsafe {
        mlir_sys::mlirOperationRemoveDiscardableAttributeByName(
            op.to_raw(),
            StringRef::new(name).to_raw(),
        );
    }
}

/// Sets an attribute of an argument of a function that has a body; without effect on other functions.
pub fn set_argument_attribute<'p>(
    function: Op<'p>,
    argument: usize,
    name: &str,
    attribute: Attribute<'p>,
) {
    if function_body(function).is_none_or(|body| argument >= body.argument_count()) {
        return;
    }
    // SAFETY: a function with that many arguments.
    unsafe {
        ffi::spyreFunctionSetArgAttr(
            function.to_raw(),
            argument.cast_signed(),
            StringRef::new(name).to_raw(),
            attribute.to_raw(),
        );
    }
}

/// Adds an argument with one attribute to a `func.func` of one block, after the others; `None` for any other
/// operation.
#[must_use]
pub fn add_argument<'p>(
    function: Op<'p>,
    ty: Type<'p>,
    name: &str,
    attribute: Attribute<'p>,
    location: Location<'p>,
) -> Option<Val<'p>> {
    // SAFETY: live handles of one context; the name is copied; null or a live value.
    unsafe {
        let raw = ffi::spyreFunctionAddArgument(
            function.to_raw(),
            ty.to_raw(),
            StringRef::new(name).to_raw(),
            attribute.to_raw(),
            location.to_raw(),
        );
        (!raw.ptr.is_null()).then(|| Value::from_raw(raw))
    }
}

/// Sets the type of a function to the types of its block arguments and the operands of its return; without
/// effect on other operations than a `func.func` of one block.
pub fn update_function_type(function: Op<'_>) {
    // SAFETY: a live operation.
    unsafe { ffi::spyreFunctionUpdateType(function.to_raw()) }
}

/// Erases an argument of a block.
///
/// # Panics
/// When there is no such argument, or when it is still used.
pub fn erase_argument(block: Blk<'_>, number: usize) {
    let argument = block.argument(number).expect("the block has the argument");
    assert!(
        uses_none(argument.to_raw()),
        "erased argument still has uses"
    );
    // SAFETY: the argument exists, and has no uses.
    unsafe { mlir_sys::mlirBlockEraseArgument(block.to_raw(), c_uint_of(number)) }
}

fn c_uint_of(number: usize) -> std::ffi::c_uint {
    std::ffi::c_uint::try_from(number).expect("arguments are few")
}

/// Erases an operation without uses. Neither it nor an operation in its regions may be used again.
///
/// # Panics
/// When a result still has uses: MLIR would crash.
pub fn erase(op: Op<'_>) {
    assert!(
        op.results().all(|result| uses_none(result.to_raw())),
        "erased operation still has uses"
    );
    // SAFETY: live and without uses.
    unsafe { ffi::spyreOperationErase(op.to_raw()) }
}
