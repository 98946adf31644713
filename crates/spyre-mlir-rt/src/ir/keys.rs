//! Keys for hash tables, as the pointers in MLIR's `DenseMap` are.
//!
//! Keys are typed, so the key of an operation does not match a value, and a number matches neither. Keys have no order,
//! since it would depend on addresses.

use melior::ir::block::BlockLike;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike, ValueLike};

use super::{Blk, Op, Val};

/// The key of an operation, until the operation is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpKey(usize);

/// The key of a value, until its operation or block is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ValueKey(usize);

/// The key of a block, until the block is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockKey(usize);

/// The key of a type. The context keeps each type once, so equal types have equal keys as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeKey(usize);

/// The key of an attribute. The context keeps each attribute once, so equal attributes have equal keys as long as it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttributeKey(usize);

/// Returns the key of an operation.
#[must_use]
pub fn op_key(op: Op<'_>) -> OpKey {
    OpKey(op.to_raw().ptr as usize)
}

/// Returns the key of a value.
#[must_use]
pub fn value_key(value: Val<'_>) -> ValueKey {
    ValueKey(value.to_raw().ptr as usize)
}

/// Returns the key of a block.
#[must_use]
pub fn block_key(block: Blk<'_>) -> BlockKey {
    BlockKey(block.to_raw().ptr as usize)
}

/// Returns the key of a type.
#[must_use]
pub fn type_key(ty: Type<'_>) -> TypeKey {
    TypeKey(ty.to_raw().ptr as usize)
}

/// Returns the key of an attribute.
#[must_use]
pub fn attribute_key(attribute: Attribute<'_>) -> AttributeKey {
    AttributeKey(attribute.to_raw().ptr as usize)
}
