//! Reading, building and editing IR from a pass.
//!
//! `'p` is the lifetime of one pass run. All IR under the operation of a pass lives as long, unless
//! the pass erases it.

mod build;
mod definition;
mod detached;
mod edit;
mod keys;
mod parts;
mod read;
mod types;
mod upstream;
mod uses;
mod window;

use melior::ir::{BlockRef, OperationRef, Value};

pub use build::{
    At, ForOp, Parts, build, build_affine_apply, build_clone, build_for, build_index_cast,
    build_index_constant, build_yield, insert,
};
pub use definition::{OpDefinition, Slot, SlotNumber, Slots, required_attribute};
pub use detached::DetachedBlock;
pub use edit::{
    add_argument, erase, erase_argument, has_discardable_attributes, move_to, move_to_end,
    remove_attribute, remove_discardable_attribute, set_argument_attribute, set_attribute,
    set_discardable_attribute, set_location, set_operand, update_function_type,
};
pub use keys::{
    AttributeKey, BlockKey, OpKey, TypeKey, ValueKey, attribute_key, block_key, op_key, type_key,
    value_key,
};
pub use parts::{OpBuilder, OpParts};
pub use read::{
    IntegerSet, OpKind, affine_map, affine_map_attribute, affine_map_value, argument_attribute,
    arguments, attribute, blocks, body, constant_index, constant_operand, function_body,
    integer_set_value, is_pure, kind, name, operand, operations, result, results, verified_text,
};
pub use types::{bits, complex, complex_part, is_bf16, is_buffer, is_ranked_tensor, is_unsigned};
pub use upstream::{
    bufferization_dialect, convert_math, generalize_named_ops, structured_op_iterations, unroll,
    uplift_loops,
};
pub use uses::{Source, Use, defining_op, for_each_use, replace_all_uses, source, uses};
pub use window::{Offset, Window, build_extract_slice, build_insert_slice, window};

/// An operation during a pass run.
pub type Op<'p> = OperationRef<'p, 'p>;
/// A value during a pass run.
pub type Val<'p> = Value<'p, 'p>;
/// A block during a pass run.
pub type Blk<'p> = BlockRef<'p, 'p>;
