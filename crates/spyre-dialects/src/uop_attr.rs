//! The types and attributes of the `uop` dialect.

use melior::Context;
use melior::ir::{Attribute, AttributeLike, Type};

use crate::ffi;

/// A list of keywords of the dialect. Keywords are numbered in the order of `Uop.td`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// How a `uop.reduce` combines elements: `add`, `max`, `mul`.
    ReduceKind,
    /// A kind of memory: `global`, `local`, `reg`.
    AddressSpace,
    /// What a `uop.range` is for: `global`, `local`, `warp`, `thread`, `loop`, `reduce`, `group_reduce`, `upcast`, `unroll`.
    AxisType,
}

impl Keyword {
    /// Makes the attribute of a keyword by its number.
    #[must_use]
    pub fn attribute(self, context: &Context, number: usize) -> Attribute<'_> {
        let number = i32::try_from(number).expect("keywords are few");
        // SAFETY: the context is live.
        unsafe {
            Attribute::from_raw(ffi::spyreUopKeywordGet(
                context.to_raw(),
                self as i32,
                number,
            ))
        }
    }

    /// Returns the number of a keyword; `None` for any other attribute.
    #[must_use]
    pub fn number(self, attribute: Attribute<'_>) -> Option<usize> {
        // SAFETY: a live attribute.
        let number = unsafe { ffi::spyreUopKeywordNumber(attribute.to_raw(), self as i32) };
        usize::try_from(number).ok()
    }
}

/// Returns the type `!uop.effect`.
#[must_use]
pub fn effect_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is live.
    unsafe { Type::from_raw(ffi::spyreUopEffectTypeGet(context.to_raw())) }
}

/// Returns the truth values of a dense array of them; none for any other attribute.
#[must_use]
pub fn flags(attribute: Attribute<'_>) -> Vec<bool> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors are called on their own kind, below its size.
    unsafe {
        if !mlir_sys::mlirAttributeIsADenseBoolArray(raw) {
            return Vec::new();
        }
        let count = mlir_sys::mlirDenseArrayGetNumElements(raw);
        (0..count)
            .map(|number| mlir_sys::mlirDenseBoolArrayGetElement(raw, number))
            .collect()
    }
}
