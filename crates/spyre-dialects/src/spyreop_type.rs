//! The types of the `spyreop` dialect.

use melior::ir::{Type, TypeLike};

use crate::ffi;

/// Returns the type of a pair of moments of `f16`, `f32` or `!spyreop.df16`; `None` for any other type.
#[must_use]
pub fn fused_of(element: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: a live type.
    unsafe { Type::from_option_raw(ffi::spyreSpyreOpFusedOf(element.to_raw())) }
}

/// Returns the type of a float of a pair of moments; `None` for any other type.
#[must_use]
pub fn element_of(fused: Type<'_>) -> Option<Type<'_>> {
    // SAFETY: a live type.
    unsafe { Type::from_option_raw(ffi::spyreSpyreOpElementOf(fused.to_raw())) }
}

/// Returns whether a type is `!spyreop.df16`.
#[must_use]
pub fn is_df16(ty: Type<'_>) -> bool {
    // SAFETY: a live type.
    unsafe { ffi::spyreSpyreOpIsDF16(ty.to_raw()) }
}
