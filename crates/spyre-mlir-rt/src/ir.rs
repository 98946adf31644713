//! Building, reading and editing IR from a pass.
//!
//! `'p` is the lifetime of one pass run. Everything that a pass sees lives as long, unless the pass erases it.

use melior::StringRef;
use melior::ir::block::BlockLike;
use melior::ir::operation::{Operation, OperationBuilder, OperationLike};
use melior::ir::{
    AffineMap, Attribute, AttributeLike, BlockRef, Location, OperationRef, Type, TypeLike, Value,
    ValueLike,
};
use mlir_sys::{MlirOperation, MlirValue};

use crate::ffi;

/// An operation during a pass run.
pub type Op<'p> = OperationRef<'p, 'p>;
/// A value during a pass run.
pub type Val<'p> = Value<'p, 'p>;
/// A block during a pass run.
pub type Blk<'p> = BlockRef<'p, 'p>;

//===--- Reading ----------------------------------------------------------===//

/// The upstream operations that passes ask about.
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

/// Returns the name of an operation, with its dialect. Where a pass asks for every operation, [`kind`] is cheaper.
#[must_use]
pub fn name(op: Op<'_>) -> &str {
    // SAFETY: a live operation; its name is of its context, which outlives it.
    let name = unsafe { StringRef::from_raw(mlir_sys::mlirIdentifierStr(op.name().to_raw())) };
    name.as_str().expect("names of operations are ASCII")
}

/// Returns whether an operation has no memory effect.
#[must_use]
pub fn is_pure(op: Op<'_>) -> bool {
    // SAFETY: a live operation.
    unsafe { ffi::spyreOperationIsPure(op.to_raw()) }
}

/// Converts the operations of `math` in an operation for which LLVM has an intrinsic and the mathematical library has no
/// function. Returns `false` after an error, which has been reported.
#[must_use]
pub fn convert_math(op: Op<'_>) -> bool {
    // SAFETY: a live operation; the dialect of what is made has been loaded by the pass that asks.
    unsafe { ffi::spyreConvertMath(op.to_raw()) }
}

/// Makes the named operations of `linalg` in an operation generic, and those that are several structured ones these. Discardable
/// attributes stay, unlike with upstream's pass. What has no such form stays as it is.
pub fn generalize_named_ops(op: Op<'_>) {
    // SAFETY: a live operation; what is made is of dialects that the pass has loaded.
    unsafe { ffi::spyreGeneralizeNamedOps(op.to_raw()) }
}

/// Moves reshapes that merge dimensions of one of these extents, in elements, with others through structured operations, which then
/// iterate over each of them. Returns false where that does not come to an end. Operations with tile hints stay as they are.
#[must_use]
pub fn unmerge_extents(op: Op<'_>, extents: &[i64]) -> bool {
    // SAFETY: a live operation, and as many extents as said.
    unsafe { ffi::spyreUnmergeExtents(op.to_raw(), extents.len().cast_signed(), extents.as_ptr()) }
}

/// Makes the loops `scf.while` in an operation `scf.for` that count in integers, also in tensors of one element. Others stay.
pub fn uplift_loops(op: Op<'_>) {
    // SAFETY: a live operation; what is made is of dialects that the pass has loaded.
    unsafe { ffi::spyreUpliftLoops(op.to_raw()) }
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

/// Sets an attribute of an argument of a function that has a body; without effect on anything else.
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

/// Returns an operand; `None` if there are not so many. Melior's error would print the operation.
#[must_use]
pub fn operand<'p>(op: Op<'p>, number: usize) -> Option<Val<'p>> {
    (number < op.operand_count())
        .then(|| op.operand(number).expect("the number is below the count"))
}

/// Returns a result; `None` if there are not so many. Melior's error would print the operation.
#[must_use]
pub fn result<'p>(op: Op<'p>, number: usize) -> Option<Val<'p>> {
    (number < op.result_count()).then(|| {
        let result = op.result(number).expect("the number is below the count");
        result.into()
    })
}

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
    let mut found = Vec::new();
    for_each_use(value, |next| found.push(next));
    found
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
    // SAFETY: a live value, and each accessor is called on its own kind.
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
    // SAFETY: a live value, and the owner is asked of a result only.
    unsafe {
        mlir_sys::mlirValueIsAOpResult(raw)
            .then(|| OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(raw)))
    }
}

/// Returns a key for hash tables, which is equal for equal values.
#[must_use]
pub fn value_key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// Returns a key for hash tables, which is equal for equal operations.
#[must_use]
pub fn op_key(op: Op<'_>) -> usize {
    op.to_raw().ptr as usize
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
    let made = defining_op(op.operand(operand).ok()?)?;
    (kind(made) == OpKind::ConstantIndex).then(|| constant_index(made))
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
    // SAFETY: a live map, whose attribute lives as long as its context.
    unsafe { Attribute::from_raw(mlir_sys::mlirAffineMapAttrGet(map.to_raw())) }
}

/// Returns the map that an attribute holds; `None` for any other attribute.
#[must_use]
pub fn affine_map_value<'p>(attribute: Attribute<'p>) -> Option<AffineMap<'p>> {
    // SAFETY: a live attribute, and the accessor is called on its own kind.
    unsafe {
        let raw = attribute.to_raw();
        mlir_sys::mlirAttributeIsAAffineMap(raw)
            .then(|| AffineMap::from_raw(mlir_sys::mlirAffineMapAttrGetValue(raw)))
    }
}

/// An offset of a window along one dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offset<'p> {
    /// An offset that is known when the program is compiled.
    Static(i64),
    /// An offset that an index value has when the program runs.
    Value(Val<'p>),
}

/// The window that a slice operation takes: offsets and sizes in elements, all strides 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Window<'p> {
    /// One offset per dimension.
    pub offsets: Vec<Offset<'p>>,
    /// One size per dimension.
    pub sizes: Vec<i64>,
}

/// Returns the window of a `tensor.extract_slice` or `tensor.insert_slice`; `None` for any other operation, and for one with a
/// dynamic size or a stride other than 1.
#[must_use]
pub fn window<'p>(op: Op<'p>) -> Option<Window<'p>> {
    if !matches!(kind(op), OpKind::ExtractSlice | OpKind::InsertSlice) {
        return None;
    }
    let null = MlirValue {
        ptr: std::ptr::null(),
    };
    let mut capacity = 8;
    loop {
        let mut offsets = vec![null; capacity];
        let mut statics = vec![0; capacity];
        let mut sizes = vec![0; capacity];
        // SAFETY: the kind was checked and the buffers hold `capacity` entries.
        let rank = unsafe {
            ffi::spyreSliceGet(
                op.to_raw(),
                capacity.cast_signed(),
                offsets.as_mut_ptr(),
                statics.as_mut_ptr(),
                sizes.as_mut_ptr(),
            )
        };
        let rank = usize::try_from(rank).ok()?;
        if rank > capacity {
            capacity = rank;
            continue;
        }
        sizes.truncate(rank);
        let offsets = offsets[..rank]
            .iter()
            .zip(&statics)
            .map(|(value, fixed)| {
                if value.ptr.is_null() {
                    Offset::Static(*fixed)
                } else {
                    // SAFETY: a live operand of a live operation.
                    Offset::Value(unsafe { Value::from_raw(*value) })
                }
            })
            .collect();
        return Some(Window { offsets, sizes });
    }
}

/// Returns whether a type is a buffer.
#[must_use]
pub fn is_buffer(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsAMemRef(ty.to_raw()) }
}

/// Returns the number of bits of an integer or a float; `None` for any other type. Nothing is printed for it.
#[must_use]
pub fn bits(ty: Type<'_>) -> Option<u32> {
    let raw = ty.to_raw();
    // SAFETY: a live type; each accessor is called on its own kind.
    unsafe {
        if mlir_sys::mlirTypeIsAInteger(raw) {
            return Some(mlir_sys::mlirIntegerTypeGetWidth(raw));
        }
        mlir_sys::mlirTypeIsAFloat(raw).then(|| mlir_sys::mlirFloatTypeGetWidth(raw))
    }
}

/// Returns whether a type is `bf16`.
#[must_use]
pub fn is_bf16(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsABF16(ty.to_raw()) }
}

/// Returns whether a type is an unsigned integer.
#[must_use]
pub fn is_unsigned(ty: Type<'_>) -> bool {
    let raw = ty.to_raw();
    // SAFETY: a live type; the accessor is called on an integer.
    unsafe { mlir_sys::mlirTypeIsAInteger(raw) && mlir_sys::mlirIntegerTypeIsUnsigned(raw) }
}

/// Returns whether a type is a ranked tensor.
#[must_use]
pub fn is_ranked_tensor(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { mlir_sys::mlirTypeIsARankedTensor(ty.to_raw()) }
}

//===--- Building ---------------------------------------------------------===//

/// The place at which operations are built.
#[derive(Debug, Clone, Copy)]
pub enum At<'p> {
    /// Before an operation.
    Before(Op<'p>),
    /// At the end of a block.
    End(Blk<'p>),
}

impl At<'_> {
    fn to_raw(self) -> ffi::SpyreInsertionPoint {
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

/// Inserts an operation that was built; `None`, and nothing inserted, in front of an operation that is in no block.
#[must_use]
pub fn insert<'p>(at: At<'p>, op: Operation<'p>) -> Option<Op<'p>> {
    match at {
        At::Before(next) => Some(next.block()?.insert_operation_before(next, op)),
        At::End(block) => Some(block.append_operation(op)),
    }
}

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
    /// Its body.
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
        assert!(index < self.op.result_count(), "loop has no result {index}");
        // SAFETY: the index was checked.
        unsafe {
            Value::from_raw(mlir_sys::mlirOperationGetResult(
                self.op.to_raw(),
                index.cast_signed(),
            ))
        }
    }

    fn argument(self, index: usize) -> Val<'p> {
        assert!(
            index < self.body.argument_count(),
            "body of the loop has no argument {index}"
        );
        // SAFETY: the index was checked.
        unsafe {
            Value::from_raw(mlir_sys::mlirBlockGetArgument(
                self.body.to_raw(),
                index.cast_signed(),
            ))
        }
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

fn split_offsets(window: &Window<'_>) -> (Vec<MlirValue>, Vec<i64>) {
    assert_eq!(
        window.offsets.len(),
        window.sizes.len(),
        "a window has one offset and one size per dimension"
    );
    window
        .offsets
        .iter()
        .map(|offset| match offset {
            Offset::Static(value) => (
                MlirValue {
                    ptr: std::ptr::null(),
                },
                *value,
            ),
            Offset::Value(value) => (value.to_raw(), 0),
        })
        .unzip()
}

/// Builds a `tensor.extract_slice` with a result of `result_type`.
///
/// # Panics
/// When `result_type` is not a ranked tensor, or the window has not as many offsets as sizes.
pub fn build_extract_slice<'p>(
    at: At<'p>,
    location: Location<'p>,
    result_type: Type<'p>,
    tensor: Val<'p>,
    window: &Window<'p>,
) -> Val<'p> {
    assert!(
        is_ranked_tensor(result_type),
        "a window of a tensor is a ranked tensor"
    );
    let (offsets, statics) = split_offsets(window);
    // SAFETY: all arrays have one entry per dimension, and the result is a ranked tensor.
    unsafe {
        Value::from_raw(ffi::spyreBuildExtractSlice(
            at.to_raw(),
            location.to_raw(),
            result_type.to_raw(),
            tensor.to_raw(),
            window.sizes.len().cast_signed(),
            offsets.as_ptr(),
            statics.as_ptr(),
            window.sizes.as_ptr(),
        ))
    }
}

/// Builds a `tensor.insert_slice` of `tile` into `tensor`.
///
/// # Panics
/// When the window has not as many offsets as sizes.
pub fn build_insert_slice<'p>(
    at: At<'p>,
    location: Location<'p>,
    tile: Val<'p>,
    tensor: Val<'p>,
    window: &Window<'p>,
) -> Val<'p> {
    let (offsets, statics) = split_offsets(window);
    // SAFETY: all arrays have one entry per dimension.
    unsafe {
        Value::from_raw(ffi::spyreBuildInsertSlice(
            at.to_raw(),
            location.to_raw(),
            tile.to_raw(),
            tensor.to_raw(),
            window.sizes.len().cast_signed(),
            offsets.as_ptr(),
            statics.as_ptr(),
            window.sizes.as_ptr(),
        ))
    }
}

//===--- Editing ----------------------------------------------------------===//

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

/// Builds a copy of an operation, with the same operands and with copies of its regions.
///
/// # Panics
/// When it is to be built before an operation that is in no block.
pub fn build_copy<'p>(at: At<'p>, op: Op<'p>) -> Op<'p> {
    // SAFETY: live operations and blocks; the block takes the copy.
    unsafe {
        let copy = mlir_sys::mlirOperationClone(op.to_raw());
        match at {
            At::End(block) => mlir_sys::mlirBlockAppendOwnedOperation(block.to_raw(), copy),
            At::Before(next) => {
                let block = mlir_sys::mlirOperationGetBlock(next.to_raw());
                assert!(!block.ptr.is_null(), "operation is in no block");
                mlir_sys::mlirBlockInsertOwnedOperationBefore(block, next.to_raw(), copy);
            }
        }
        OperationRef::from_raw(copy)
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

/// Removes an attribute, whether it is the operation's own or not, if it is there.
pub fn remove_attribute(op: Op<'_>, name: &str) {
    // SAFETY: a live operation; the name is read.
    unsafe {
        mlir_sys::mlirOperationRemoveAttributeByName(op.to_raw(), StringRef::new(name).to_raw());
    }
}

/// Sets an attribute that is not one of the operation's own.
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

/// Returns whether an operation has attributes that are not its own.
#[must_use]
pub fn has_discardable_attributes(op: Op<'_>) -> bool {
    // SAFETY: a live operation.
    unsafe { mlir_sys::mlirOperationGetNumDiscardableAttributes(op.to_raw()) > 0 }
}

/// Removes an attribute that is not one of the operation's own, if it is there.
pub fn remove_discardable_attribute(op: Op<'_>, name: &str) {
    // SAFETY: a live operation.
    unsafe {
        mlir_sys::mlirOperationRemoveDiscardableAttributeByName(
            op.to_raw(),
            StringRef::new(name).to_raw(),
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

/// Makes the type of a function agree with the arguments of its block and the operands of its return;
/// without effect on anything but a `func.func` of one block.
pub fn update_function_type(function: Op<'_>) {
    // SAFETY: a live operation.
    unsafe { ffi::spyreFunctionUpdateType(function.to_raw()) }
}

/// Replaces an `scf.for` by its iterations, one after the other; nothing of it may be used again. Returns
/// false, and changes nothing, for any other operation and for a loop whose bounds or step are not constant.
#[must_use]
pub fn unroll(op: Op<'_>) -> bool {
    // SAFETY: a live loop.
    kind(op) == OpKind::For && unsafe { ffi::spyreUnrollFor(op.to_raw()) }
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
    // SAFETY: the argument is there, and has no uses.
    unsafe { mlir_sys::mlirBlockEraseArgument(block.to_raw(), c_uint_of(number)) }
}

fn c_uint_of(number: usize) -> std::ffi::c_uint {
    std::ffi::c_uint::try_from(number).expect("arguments are few")
}

/// Replaces all uses of a value.
pub fn replace_all_uses<'p>(value: Val<'p>, with: Val<'p>) {
    // SAFETY: live values.
    unsafe { mlir_sys::mlirValueReplaceAllUsesOfWith(value.to_raw(), with.to_raw()) }
}

/// Erases an operation without uses. Neither it nor anything inside it may be used again.
///
/// # Panics
/// When a result is still used, which MLIR would answer with a crash.
pub fn erase(op: Op<'_>) {
    assert!(
        op.results().all(|result| uses_none(result.to_raw())),
        "erased operation still has uses"
    );
    // SAFETY: live and without uses.
    unsafe { ffi::spyreOperationErase(op.to_raw()) }
}

fn uses_none(value: MlirValue) -> bool {
    // SAFETY: a live value.
    unsafe { mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value)) }
}
