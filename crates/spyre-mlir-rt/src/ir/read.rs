//! Reading operations and blocks.

use melior::StringRef;
use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, AffineMap, Attribute, AttributeLike, BlockRef};

use super::uses::defining_op;
use super::{Blk, Op, Val};
use crate::ffi;

/// The kinds of upstream operations that passes distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    /// Any other operation.
    Other,
    /// `scf.for`
    For,
    /// `scf.yield`
    Yield,
    /// `func.return`
    Return,
    /// `tensor.extract_slice`
    ExtractSlice,
    /// `tensor.insert_slice`
    InsertSlice,
    /// `affine.apply`
    AffineApply,
    /// `arith.constant` of type `index`
    ConstantIndex,
    /// `arith.addi` of type `index`
    AddIndex,
    /// `tensor.expand_shape`
    ExpandShape,
    /// `tensor.collapse_shape`
    CollapseShape,
    /// `tensor.dim`
    TensorDim,
}

/// Returns the kind of an operation, by its class and not by its name.
#[must_use]
pub fn kind(op: Op<'_>) -> OpKind {
    // SAFETY: a live operation.
    match unsafe { ffi::spyreOperationGetKind(op.to_raw()) } {
        1 => OpKind::For,
        2 => OpKind::Yield,
        3 => OpKind::Return,
        4 => OpKind::ExtractSlice,
        5 => OpKind::InsertSlice,
        6 => OpKind::AffineApply,
        7 => OpKind::ConstantIndex,
        8 => OpKind::AddIndex,
        9 => OpKind::ExpandShape,
        10 => OpKind::CollapseShape,
        11 => OpKind::TensorDim,
        _ => OpKind::Other,
    }
}

/// Returns the name of an operation, with its dialect. For a test of every operation, [`kind`] is cheaper.
#[must_use]
pub fn name(op: Op<'_>) -> &str {
    // SAFETY: a live operation; its name is of its context, which outlives it.
    let name = unsafe { StringRef::from_raw(mlir_sys::mlirIdentifierStr(op.name().to_raw())) };
    name.as_str().expect("names of operations are ASCII")
}

/// Returns the text of an operation that a verifier has accepted, with attributes and types in place rather than as aliases.
/// Printing an operation verifies it otherwise, which takes longer than the text.
#[must_use]
pub fn verified_text(op: Op<'_>) -> String {
    let mut text = String::new();
    // SAFETY: a live operation and live flags; the callback gets the text as its data, and each part is read at once.
    unsafe {
        let flags = mlir_sys::mlirOpPrintingFlagsCreate();
        mlir_sys::mlirOpPrintingFlagsUseLocalScope(flags);
        mlir_sys::mlirOpPrintingFlagsAssumeVerified(flags);
        let data = (&raw mut text).cast();
        mlir_sys::mlirOperationPrintWithFlags(op.to_raw(), flags, Some(append), data);
        mlir_sys::mlirOpPrintingFlagsDestroy(flags);
    }
    text
}

/// Appends a part of a text to the `String` that is the data.
///
/// # Safety
/// The data is a `String`, and the part is live.
unsafe extern "C" fn append(part: mlir_sys::MlirStringRef, data: *mut std::ffi::c_void) {
    // SAFETY: as stated.
    let (text, part) = unsafe { (&mut *data.cast::<String>(), StringRef::from_raw(part)) };
    text.push_str(part.as_str().expect("MLIR prints UTF-8"));
}

/// Returns an attribute of an operation; `None` if it has none of this name.
///
/// Unlike [`OperationLike::attribute`], it formats no error message for a missing attribute.
#[must_use]
pub fn attribute<'p>(op: Op<'p>, name: &str) -> Option<Attribute<'p>> {
    let name = StringRef::new(name);
    // SAFETY: a live operation; the result is null or a live attribute of its context.
    unsafe {
        let raw_attribute = mlir_sys::mlirOperationGetAttributeByName(op.to_raw(), name.to_raw());
        Attribute::from_option_raw(raw_attribute)
    }
}

/// Returns whether an operation has no memory effect.
#[must_use]
pub fn is_pure(op: Op<'_>) -> bool {
    // SAFETY: a live operation.
    unsafe { ffi::spyreOperationIsPure(op.to_raw()) }
}

/// Returns the results of an operation.
pub fn results<'p>(op: Op<'p>) -> impl Iterator<Item = Val<'p>> {
    (0..op.result_count()).filter_map(move |number| result(op, number))
}

/// Returns the operations of a block, in order. The next one is read before the current one is handed out, so the current one may
/// be moved or erased.
pub fn operations<'p>(block: Blk<'p>) -> impl Iterator<Item = Op<'p>> {
    let mut next = block.first_operation();
    std::iter::from_fn(move || {
        let current = next?;
        next = current.next_in_block();
        Some(current)
    })
}

/// Returns the arguments of a block, in order.
pub fn arguments<'p>(block: Blk<'p>) -> impl Iterator<Item = Val<'p>> {
    (0..block.argument_count()).map(move |number| {
        let argument = block.argument(number);
        argument.expect("the number is below the count").into()
    })
}

/// Returns the blocks of the regions of an operation, in order.
pub fn blocks<'p>(op: Op<'p>) -> impl Iterator<Item = Blk<'p>> {
    use melior::ir::RegionLike;
    let regions = (0..op.region_count()).filter_map(move |number| op.region(number).ok());
    let firsts = regions.filter_map(|region| region.first_block());
    firsts.flat_map(|first| std::iter::successors(Some(first), |block| block.next_in_region()))
}

/// Returns the body of a function with one block; `None` for a declaration or another operation.
#[must_use]
pub fn function_body<'p>(op: Op<'p>) -> Option<Blk<'p>> {
    // SAFETY: a live operation; null or a live block.
    unsafe { BlockRef::from_option_raw(ffi::spyreFunctionGetEntryBlock(op.to_raw())) }
}

/// Returns an attribute of an argument of a function that has a body; `None` if there is none.
#[must_use]
pub fn argument_attribute<'p>(
    function: Op<'p>,
    argument: usize,
    name: &str,
) -> Option<Attribute<'p>> {
    if argument >= function_body(function)?.argument_count() {
        return None;
    }
    // SAFETY: a function with that many arguments; null or a live attribute.
    unsafe {
        let raw = ffi::spyreFunctionGetArgAttr(
            function.to_raw(),
            argument.cast_signed(),
            StringRef::new(name).to_raw(),
        );
        Attribute::from_option_raw(raw)
    }
}

/// Returns the single block of an operation's first region; `None` if it has none.
#[must_use]
pub fn body<'p>(op: Op<'p>) -> Option<Blk<'p>> {
    use melior::ir::RegionLike;
    // Melior's error holds the text of the operation, which costs more than most passes.
    if op.region_count() == 0 {
        return None;
    }
    op.region(0).ok()?.first_block()
}

/// Returns an operand; `None` if `index` is out of range. Melior's error would print the operation.
#[must_use]
pub fn operand<'p>(op: Op<'p>, number: usize) -> Option<Val<'p>> {
    (number < op.operand_count())
        .then(|| op.operand(number).expect("the number is below the count"))
}

/// Returns a result; `None` if `index` is out of range. Melior's error would print the operation.
#[must_use]
pub fn result<'p>(op: Op<'p>, number: usize) -> Option<Val<'p>> {
    (number < op.result_count()).then(|| {
        let result = op.result(number).expect("the number is below the count");
        result.into()
    })
}

/// Returns the value of a constant index operation; 0 for any other operation.
#[must_use]
pub fn constant_index(op: Op<'_>) -> i64 {
    debug_assert_eq!(kind(op), OpKind::ConstantIndex);
    if kind(op) != OpKind::ConstantIndex {
        return 0;
    }
    // SAFETY: the kind was checked.
    unsafe { ffi::spyreConstantIndexGetValue(op.to_raw()) }
}

/// Returns the value of an operand that a constant index operation defines, such as a bound of a loop; `None` for any other
/// operand and past the last one.
#[must_use]
pub fn constant_operand(op: Op<'_>, operand: usize) -> Option<i64> {
    let producer = defining_op(op.operand(operand).ok()?)?;
    (kind(producer) == OpKind::ConstantIndex).then(|| constant_index(producer))
}

/// Returns the map of an `affine.apply`, or `None` for any other operation.
#[must_use]
pub fn affine_map<'p>(op: Op<'p>) -> Option<AffineMap<'p>> {
    if kind(op) != OpKind::AffineApply {
        return None;
    }
    // SAFETY: the kind was checked.
    Some(unsafe { AffineMap::from_raw(ffi::spyreAffineApplyGetMap(op.to_raw())) })
}

/// Returns the attribute that holds a map.
pub fn affine_map_attribute(map: AffineMap<'_>) -> Attribute<'_> {
    // SAFETY: a live map; its attribute lives as long as its context.
    unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map.to_raw())) }
}

/// Returns the map that an attribute holds; `None` for any other attribute.
#[must_use]
pub fn affine_map_value<'p>(attribute: Attribute<'p>) -> Option<AffineMap<'p>> {
    // SAFETY: a live attribute, and the accessor matches its kind.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAAffineMap(raw)
            .then(|| AffineMap::from_raw(mlir_sys::mlirAffineMapAttrGetValue(raw)))
    }
}

/// A conjunction of affine constraints, `affine_set`: the points for which every expression is zero or not negative.
#[derive(Debug, Clone)]
pub struct IntegerSet<'p> {
    /// The number of dimensions.
    pub dims: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// The expressions, each with whether it is zero; otherwise it is not negative.
    pub constraints: Vec<(AffineExpr<'p>, bool)>,
}

/// Returns the set that an attribute holds; `None` for any other attribute.
#[must_use]
pub fn integer_set_value<'p>(attribute: Attribute<'p>) -> Option<IntegerSet<'p>> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors are called on the set that it holds, with positions below its size, and
    // expressions live as long as the context.
    unsafe {
        if !mlir_sys::mlirAttributeIsAIntegerSet(raw) {
            return None;
        }
        let set = mlir_sys::mlirIntegerSetAttrGetValue(raw);
        let constraints = (0..mlir_sys::mlirIntegerSetGetNumConstraints(set)).map(|at| {
            let expr = AffineExpr::from_raw(mlir_sys::mlirIntegerSetGetConstraint(set, at));
            (expr, mlir_sys::mlirIntegerSetIsConstraintEq(set, at))
        });
        Some(IntegerSet {
            dims: mlir_sys::mlirIntegerSetGetNumDims(set).cast_unsigned(),
            symbols: mlir_sys::mlirIntegerSetGetNumSymbols(set).cast_unsigned(),
            constraints: constraints.collect(),
        })
    }
}
