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

/// The type of a bundle parameter; with bounds for a runtime dimension.
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

/// Whether a type is `!sdscbundle.input_arg`.
#[must_use]
pub fn is_input_arg(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { ffi::spyreSdscBundleTypeIsAInputArg(ty.to_raw()) }
}

/// The bounds of a runtime dimension; `None` for a type that is not `!sdscbundle.input_arg` or lacks one of them.
#[must_use]
pub fn bounds(ty: Type<'_>) -> Option<Bounds> {
    if !is_input_arg(ty) {
        return None;
    }
    let raw = ty.to_raw();
    // SAFETY: the kind was checked.
    unsafe {
        (ffi::spyreSdscBundleInputArgTypeHasGranularity(raw)
            && ffi::spyreSdscBundleInputArgTypeHasMaxValue(raw))
        .then(|| Bounds {
            granularity: ffi::spyreSdscBundleInputArgTypeGetGranularity(raw),
            max_value: ffi::spyreSdscBundleInputArgTypeGetMaxValue(raw),
        })
    }
}
