//! Building operations at a place.

use melior::StringRef;
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::{
    AffineMap, Attribute, AttributeLike, BlockRef, Identifier, Location, OperationRef, Region,
    Type, TypeLike, Value, ValueLike,
};
use mlir_sys::{MlirNamedAttribute, MlirOperation, MlirValue};
use smallvec::SmallVec;

use super::read::result;
use super::{Blk, Op, Val};
use crate::ffi;

/// The place at which operations are built.
#[derive(Debug, Clone, Copy)]
pub enum At<'p> {
    /// Before an operation.
    Before(Op<'p>),
    /// At the end of a block.
    End(Blk<'p>),
}

impl At<'_> {
    pub(super) fn to_raw(self) -> ffi::SpyreInsertionPoint {
        match self {
            At::Before(op) => ffi::SpyreInsertionPoint {
                block: mlir_sys::MlirBlock {
                    ptr: std::ptr::null_mut(),
                },
                before: op.to_raw(),
            },
            At::End(block) => ffi::SpyreInsertionPoint {
                block: block.to_raw(),
                before: MlirOperation {
                    ptr: std::ptr::null_mut(),
                },
            },
        }
    }
}

/// Inserts a detached operation; `None`, without an insertion, before an operation that is in no
/// block.
#[must_use]
pub fn insert<'p>(at: At<'p>, op: Operation<'p>) -> Option<Op<'p>> {
    match at {
        At::Before(next) => Some(next.block()?.insert_operation_before(next, op)),
        At::End(block) => Some(block.append_operation(op)),
    }
}

/// The parts of an operation.
#[derive(Debug)]
pub struct Parts<'a, 'p> {
    /// The name of a registered operation.
    pub name: &'a str,
    /// The operands.
    pub operands: &'a [Val<'p>],
    /// The types of the results.
    pub results: &'a [Type<'p>],
    /// The attributes.
    pub attributes: &'a [(Identifier<'p>, Attribute<'p>)],
    /// The regions.
    pub regions: Vec<Region<'p>>,
}

/// Builds an operation.
pub fn build<'p>(at: At<'p>, location: Location<'p>, parts: Parts<'_, 'p>) -> Op<'p> {
    let operands: Few<_> = parts.operands.iter().map(ValueLike::to_raw).collect();
    let results: Few<_> = parts.results.iter().map(TypeLike::to_raw).collect();
    let attributes = parts.attributes.iter();
    let attributes: Few<_> = attributes
        .map(|(name, attribute)| MlirNamedAttribute {
            name: name.to_raw(),
            attribute: attribute.to_raw(),
        })
        .collect();
    let regions = parts.regions.into_iter();
    let regions: Few<_> = regions.map(Region::into_raw).collect();
    // SAFETY: a live insertion point and live parts; the operation takes the regions.
    unsafe {
        OperationRef::from_raw(ffi::spyreBuild(
            at.to_raw(),
            location.to_raw(),
            StringRef::new(parts.name).to_raw(),
            operands.as_ptr(),
            operands.len().cast_signed(),
            results.as_ptr(),
            results.len().cast_signed(),
            attributes.as_ptr(),
            attributes.len().cast_signed(),
            regions.as_ptr(),
            regions.len().cast_signed(),
        ))
    }
}

/// Parts of an operation, such as its operands; most operations have few of each kind.
type Few<T> = SmallVec<[T; 8]>;

fn raw_values(values: &[Val<'_>]) -> Vec<MlirValue> {
    values.iter().map(ValueLike::to_raw).collect()
}

/// Builds an `arith.constant` of type `index`.
pub fn build_index_constant<'p>(at: At<'p>, location: Location<'p>, value: i64) -> Val<'p> {
    // SAFETY: a live insertion point and location.
    unsafe {
        Value::from_raw(ffi::spyreBuildIndexConstant(
            at.to_raw(),
            location.to_raw(),
            value,
        ))
    }
}

/// Builds an `arith.index_cast` of an integer to another type, unless it has that type.
///
/// # Panics
/// If the value is no integer or index.
pub fn build_index_cast<'p>(
    at: At<'p>,
    location: Location<'p>,
    value: Val<'p>,
    ty: Type<'p>,
) -> Val<'p> {
    if value.r#type() == ty {
        return value;
    }
    let built = OperationBuilder::new("arith.index_cast", location)
        .add_operands(&[value])
        .add_results(&[ty])
        .build()
        .expect("every part of the operation is given");
    let built = insert(at, built).expect("the place is in a block");
    result(built, 0).expect("a cast has a result")
}

/// An `scf.for` under construction: its body still needs [`build_yield`].
#[derive(Debug, Clone, Copy)]
pub struct ForOp<'p> {
    /// The operation.
    pub op: Op<'p>,
    /// The body.
    pub body: Blk<'p>,
}

impl<'p> ForOp<'p> {
    /// Returns the induction variable.
    #[must_use]
    pub fn induction_variable(self) -> Val<'p> {
        self.argument(0)
    }

    /// Returns carried value `index` inside the body.
    ///
    /// # Panics
    /// When the loop carries no such value.
    #[must_use]
    pub fn carried(self, index: usize) -> Val<'p> {
        self.argument(1 + index)
    }

    /// Returns result `index` of the loop.
    ///
    /// # Panics
    /// When the loop has no such result.
    #[must_use]
    pub fn result(self, index: usize) -> Val<'p> {
        result(self.op, index).unwrap_or_else(|| panic!("loop has no result {index}"))
    }

    fn argument(self, index: usize) -> Val<'p> {
        let argument = self.body.argument(index);
        argument
            .unwrap_or_else(|_| panic!("body of the loop has no argument {index}"))
            .into()
    }
}

/// Builds an `scf.for` with an empty body.
pub fn build_for<'p>(
    at: At<'p>,
    location: Location<'p>,
    lower: Val<'p>,
    upper: Val<'p>,
    step: Val<'p>,
    inits: &[Val<'p>],
) -> ForOp<'p> {
    let inits = raw_values(inits);
    // SAFETY: live values; the new loop has one region with one block.
    unsafe {
        let op = ffi::spyreBuildFor(
            at.to_raw(),
            location.to_raw(),
            lower.to_raw(),
            upper.to_raw(),
            step.to_raw(),
            inits.as_ptr(),
            inits.len().cast_signed(),
        );
        let body = mlir_sys::mlirRegionGetFirstBlock(mlir_sys::mlirOperationGetRegion(op, 0));
        ForOp {
            op: OperationRef::from_raw(op),
            body: BlockRef::from_raw(body),
        }
    }
}

/// Ends the body of a loop.
pub fn build_yield<'p>(body: Blk<'p>, location: Location<'p>, values: &[Val<'p>]) {
    let values = raw_values(values);
    // SAFETY: live values.
    unsafe {
        ffi::spyreBuildYield(
            body.to_raw(),
            location.to_raw(),
            values.as_ptr(),
            values.len().cast_signed(),
        );
    }
}

/// Builds an `affine.apply`: the dimensions of `map` first in `operands`, then its symbols.
pub fn build_affine_apply<'p>(
    at: At<'p>,
    location: Location<'p>,
    map: AffineMap<'p>,
    operands: &[Val<'p>],
) -> Val<'p> {
    let operands = raw_values(operands);
    // SAFETY: live values and map.
    unsafe {
        Value::from_raw(ffi::spyreBuildAffineApply(
            at.to_raw(),
            location.to_raw(),
            map.to_raw(),
            operands.as_ptr(),
            operands.len().cast_signed(),
        ))
    }
}

/// Builds a clone of an operation, with the same operands and with clones of its regions.
///
/// # Panics
/// If `at` is before an operation that is in no block.
pub fn build_clone<'p>(at: At<'p>, op: Op<'p>) -> Op<'p> {
    insert(at, Operation::clone(&op)).expect("operation is in no block")
}
