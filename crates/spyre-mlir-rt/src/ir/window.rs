//! Windows: the slices that `tensor.extract_slice` and `tensor.insert_slice` take.

use melior::ir::{Location, Type, TypeLike, Value, ValueLike};
use mlir_sys::MlirValue;

use super::build::At;
use super::read::{OpKind, kind};
use super::types::is_ranked_tensor;
use super::{Op, Val};
use crate::ffi;

/// An offset of a window along one dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Offset<'p> {
    /// A static offset.
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
/// When `result_type` is not a ranked tensor, or the window has different numbers of offsets and sizes.
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
/// When the window has different numbers of offsets and sizes.
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
