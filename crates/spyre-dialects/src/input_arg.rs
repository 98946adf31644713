//! The type `!sdscbundle.input_arg<index[, granularity=G][, max_value=M]>`.

use melior::Context;
use melior::ir::{Type, TypeLike};

use crate::ffi;

/// Bounds of a runtime dimension, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The dimension is a multiple of this.
    pub granularity: i64,
    /// The dimension is at most this.
    pub max_value: i64,
}

/// Returns the type of a bundle parameter; with bounds for a runtime dimension.
#[must_use]
pub fn input_arg_type(context: &Context, bounds: Option<Bounds>) -> Type<'_> {
    let Bounds {
        granularity,
        max_value,
    } = bounds.unwrap_or(Bounds {
        granularity: 0,
        max_value: 0,
    });
    // SAFETY: a live context, in which the dialect is loaded by whoever uses the type.
    unsafe {
        Type::from_raw(ffi::spyreSdscBundleInputArgTypeGet(
            Type::index(context).to_raw(),
            bounds.is_some(),
            granularity,
            bounds.is_some(),
            max_value,
        ))
    }
}

/// Returns whether a type is `!sdscbundle.input_arg`.
#[must_use]
pub fn is_input_arg(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { ffi::spyreSdscBundleTypeIsAInputArg(ty.to_raw()) }
}

/// Returns the granularity and the largest value of a `!sdscbundle.input_arg`, in elements, where it has them. `None` for any
/// other type.
#[must_use]
pub fn input_arg_bounds(ty: Type<'_>) -> Option<(Option<i64>, Option<i64>)> {
    if !is_input_arg(ty) {
        return None;
    }
    let raw = ty.to_raw();
    // SAFETY: a live type of the kind that the accessors are for.
    unsafe {
        let granularity = ffi::spyreSdscBundleInputArgTypeHasGranularity(raw)
            .then(|| ffi::spyreSdscBundleInputArgTypeGetGranularity(raw));
        let max_value = ffi::spyreSdscBundleInputArgTypeHasMaxValue(raw)
            .then(|| ffi::spyreSdscBundleInputArgTypeGetMaxValue(raw));
        Some((granularity, max_value))
    }
}

/// Returns the bounds of a runtime dimension; `None` for a type that is not `!sdscbundle.input_arg` or lacks one of them.
#[must_use]
pub fn bounds(ty: Type<'_>) -> Option<Bounds> {
    let (granularity, max_value) = input_arg_bounds(ty)?;
    Some(Bounds {
        granularity: granularity?,
        max_value: max_value?,
    })
}
