//! The type `index` in bodies, and integers that change their type.
//!
//! An index is 64 bits wide, as on the host: where it does not fit into 32 bits, `--spyre-outline-device`
//! detects that as for any `i64`. An index that is only the position of a read of a table ([`is_address`])
//! is 32 bits wide from the start: its sums and products wrap, and the last one is a position of the
//! table, or the program reads outside of it.

use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike, ValueLike};
use spyre_construct::build::{Build, element_of, is_truth};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, cf, spyre, tensor};

/// Returns the type that the device has a value of the body in: of an index, `i64` or `i32`.
pub(super) fn stored<'p>(context: &'p Context, value: Val<'p>) -> Type<'p> {
    let ty = value.r#type();
    if !ty.is_index() {
        return ty;
    }
    let width = if is_address(value) { 32 } else { 64 };
    IntegerType::new(context, width).into()
}

/// Returns whether an index is only a position of reads of tables. Uses by assertions do not count: these
/// have no device operation.
pub(super) fn is_address(index: Val<'_>) -> bool {
    index.r#type().is_index()
        && ir::uses(index).iter().all(|user| {
            let reader = user.owner;
            match ir::name(reader) {
                tensor::EXTRACT => true,
                arith::ADDI | arith::SUBI | arith::MULI => {
                    ir::result(reader, 0).is_some_and(is_address)
                }
                _ => is_asserted(reader),
            }
        })
}

/// Returns whether an operation is an assertion, or only assertions depend on it.
fn is_asserted(op: Op<'_>) -> bool {
    let only_asserts = |op: Op<'_>| {
        let mut uses = ir::results(op).flat_map(ir::uses);
        uses.all(|user| is_asserted(user.owner))
    };
    match ir::name(op) {
        cf::ASSERT => true,
        arith::CMPI | arith::ANDI | arith::ORI => only_asserts(op),
        _ => false,
    }
}

/// Builds integers in another type, with a sign or without. The bits above the width of the new type are
/// lost.
///
/// # Errors
/// The device has no operation for it.
pub(super) fn resized<'p>(
    build: &Build<'p>,
    x: Val<'p>,
    ty: Type<'p>,
    is_signed: bool,
) -> Result<Val<'p>, String> {
    let from = element_of(x);
    if from == ty {
        return Ok(x);
    }
    match (width(from), width(ty)) {
        // Integers of 32 and of 64 bits have 32 bits in device memory.
        (Some(64), Some(32)) => Ok(build.pointwise(spyre::BITCAST, &[x], ty)),
        (Some(32), Some(64)) if is_signed => Ok(build.pointwise(spyre::BITCAST, &[x], ty)),
        (from_width, to_width) => Err(match (from_width, to_width) {
            (Some(32), Some(64)) => {
                format!("no device operation converts unsigned {from} to {ty}")
            }
            _ => format!("no device operation converts {from} to {ty}"),
        }),
    }
}

/// Returns the constant that a conversion of integers makes of a constant of type `from`.
///
/// # Errors
/// The constant is no integer.
pub(super) fn resized_constant<'p>(
    build: &Build<'p>,
    value: Attribute<'p>,
    to: Type<'p>,
    is_signed: bool,
) -> Result<Attribute<'p>, String> {
    let integer =
        IntegerAttribute::try_from(value).map_err(|_| format!("{value} is no integer"))?;
    let from = integer.r#type();
    let number = if is_truth(from) {
        // The only bit of an `i1` is its sign.
        let is_true = i64::from(integer.value() != 0);
        if is_signed { -is_true } else { is_true }
    } else {
        match width(from) {
            Some(bits @ 1..64) if !is_signed => integer.value() & ((1 << bits) - 1),
            _ => integer.value(),
        }
    };
    let to = if to.is_index() {
        IntegerType::new(build.context, 64).into()
    } else {
        to
    };
    Ok(IntegerAttribute::new(to, cut(number, width(to))).into())
}

/// Returns the integer that the low `width` bits of a number are, with a sign.
pub(super) fn cut(number: i64, width: Option<u32>) -> i64 {
    match width {
        Some(bits @ 2..64) => number << (64 - bits) >> (64 - bits),
        _ => number,
    }
}

/// Returns the width of a type of integers, in bits.
pub(super) fn width(ty: Type<'_>) -> Option<u32> {
    IntegerType::try_from(ty).ok().map(|ty| ty.width())
}
