//! The rules of ranges for the operations of the `uop` dialect, which `dialects/uop/RangeRules.h` declares.

use std::ffi::c_char;

use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::{Combine, Elementwise};
use spyre_uop::range::{self, Interval};

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SpyreUopType {
    kind: u8,
    bits: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SpyreUopRange {
    is_bounded: bool,
    low: u64,
    high: u64,
}

const UNKNOWN: SpyreUopRange = SpyreUopRange {
    is_bounded: false,
    low: 0,
    high: 0,
};

/// Returns an element type.
fn dtype(ty: SpyreUopType) -> DType {
    match (ty.kind, ty.bits) {
        (b'b', 1) => DType::Bool,
        (b'x', _) => DType::Index,
        (b'i', 8) => DType::I8,
        (b'i', 16) => DType::I16,
        (b'i', 32) => DType::I32,
        (b'i', 64) => DType::I64,
        (b'u', 8) => DType::U8,
        (b'u', 16) => DType::U16,
        (b'u', 32) => DType::U32,
        (b'u', 64) => DType::U64,
        (b'f', 16) => DType::F16,
        (b'f', 32) => DType::F32,
        (b'f', 64) => DType::F64,
        (b'g', _) => DType::Bf16,
        (kind, bits) => panic!("the dialect has no element type {kind}{bits}"),
    }
}

/// Returns the interval of integers of a type, if the range is known.
fn interval(dtype: DType, range: SpyreUopRange) -> Option<Interval> {
    let is_known = range.is_bounded && !dtype.is_float();
    is_known.then(|| {
        Interval::new(
            element::integer(dtype, range.low),
            element::integer(dtype, range.high),
        )
    })
}

/// Returns the bounds of an interval as elements; unknown for bounds outside of the type.
fn ends(dtype: DType, interval: Option<Interval>) -> SpyreUopRange {
    let (Some(whole), Some((least, most))) = (interval, dtype.integer_range()) else {
        return UNKNOWN;
    };
    if whole.is_empty() || whole.low < least || whole.high > most {
        return UNKNOWN;
    }
    SpyreUopRange {
        is_bounded: true,
        low: element::wrapped(dtype, whole.low),
        high: element::wrapped(dtype, whole.high),
    }
}

/// Returns the range of an elementwise operation; see `RangeRules.h`.
///
/// # Safety
/// The arrays have the given lengths.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn spyreUopElementwiseRange(
    name: *const c_char,
    length: usize,
    operand: SpyreUopType,
    ty: SpyreUopType,
    operands: *const SpyreUopRange,
    count: usize,
) -> SpyreUopRange {
    // SAFETY: as the caller promises.
    let (name, operands) = unsafe {
        (
            std::slice::from_raw_parts(name.cast::<u8>(), length),
            std::slice::from_raw_parts(operands, count),
        )
    };
    let name = std::str::from_utf8(name).expect("names of operations are ASCII");
    let op = Elementwise::of_mnemonic(name).expect("an elementwise operation has its name");
    let (operand, ty) = (dtype(operand), dtype(ty));
    let operands: Vec<Option<Interval>> = operands
        .iter()
        .enumerate()
        .map(|(number, range)| match (op, number) {
            (Elementwise::Where, 0) => interval(DType::Bool, *range),
            _ => interval(operand, *range),
        })
        .collect();
    ends(ty, range::elementwise(op, ty, &operands))
}

/// Returns the range of a conversion; see `RangeRules.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn spyreUopCastRange(
    from: SpyreUopType,
    to: SpyreUopType,
    operand: SpyreUopRange,
) -> SpyreUopRange {
    let (from, to) = (dtype(from), dtype(to));
    ends(to, range::cast(from, to, interval(from, operand)))
}

/// Returns the range of a reduction; see `RangeRules.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn spyreUopReduceRange(
    kind: u32,
    ty: SpyreUopType,
    count: u64,
    operand: SpyreUopRange,
) -> SpyreUopRange {
    let combine = match kind {
        0 => Combine::Add,
        1 => Combine::Max,
        2 => Combine::Mul,
        other => panic!("the dialect has no kind {other} of reductions"),
    };
    let ty = dtype(ty);
    let count = (count != u64::MAX).then_some(count.into());
    ends(ty, range::reduce(combine, ty, count, interval(ty, operand)))
}
