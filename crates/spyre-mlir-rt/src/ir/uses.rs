//! The definitions and the users of values.

use melior::ir::{BlockRef, OperationRef, ValueLike};
use mlir_sys::MlirValue;

use super::{Blk, Op, Val};

/// One use of a value.
#[derive(Debug, Clone, Copy)]
pub struct Use<'p> {
    /// The operation that uses it.
    pub owner: Op<'p>,
    /// The number of the operand.
    pub operand: usize,
}

/// Returns the uses of a value at this moment, in no particular order.
#[must_use]
pub fn uses<'p>(value: Val<'p>) -> Vec<Use<'p>> {
    let mut list = Vec::new();
    for_each_use(value, |next| list.push(next));
    list
}

/// Calls `visit` with each use of a value, in no particular order. `visit` must not change uses.
pub fn for_each_use<'p>(value: Val<'p>, mut visit: impl FnMut(Use<'p>)) {
    // SAFETY: a live value, and each use is read before the callback can change it.
    unsafe {
        let mut next = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(next) {
            let owner = OperationRef::from_raw(mlir_sys::mlirOpOperandGetOwner(next));
            let operand = mlir_sys::mlirOpOperandGetOperandNumber(next) as usize;
            next = mlir_sys::mlirOpOperandGetNextUse(next);
            visit(Use { owner, operand });
        }
    }
}

/// The origin of a value.
#[derive(Debug, Clone, Copy)]
pub enum Source<'p> {
    /// A result of an operation.
    Result(Op<'p>, usize),
    /// An argument of a block.
    Argument(Blk<'p>, usize),
}

/// Returns the origin of a value.
#[must_use]
pub fn source<'p>(value: Val<'p>) -> Source<'p> {
    // SAFETY: a live value, and each accessor matches its kind.
    unsafe {
        let raw = value.to_raw();
        if mlir_sys::mlirValueIsAOpResult(raw) {
            let number = mlir_sys::mlirOpResultGetResultNumber(raw);
            Source::Result(
                OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(raw)),
                usize::try_from(number).unwrap_or(0),
            )
        } else {
            let number = mlir_sys::mlirBlockArgumentGetArgNumber(raw);
            Source::Argument(
                BlockRef::from_raw(mlir_sys::mlirBlockArgumentGetOwner(raw)),
                usize::try_from(number).unwrap_or(0),
            )
        }
    }
}

/// Returns the operation that defines a value; `None` if the value is no result.
#[must_use]
pub fn defining_op<'p>(value: Val<'p>) -> Option<Op<'p>> {
    let raw = value.to_raw();
    // SAFETY: a live value, and the owner is read of a result only.
    unsafe {
        mlir_sys::mlirValueIsAOpResult(raw)
            .then(|| OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(raw)))
    }
}

/// Replaces all uses of a value.
pub fn replace_all_uses<'p>(value: Val<'p>, with: Val<'p>) {
    // SAFETY: live values.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(value.to_raw(), with.to_raw()) }
}

pub(super) fn uses_none(value: MlirValue) -> bool {
    // SAFETY: a live value.
    unsafe { mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value)) }
}
