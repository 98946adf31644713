//! The types and attributes of the `uop` dialect.

use melior::Context;
use melior::ir::{Attribute, AttributeLike, Type};
use spyre_uop::op::AxisType;
use spyre_uop::opt::{Opt, Place};

use crate::ffi;

/// A list of keywords of the dialect. Keywords are numbered in the order of `Uop.td`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// How a `uop.reduce` combines elements: `add`, `max`, `mul`.
    ReduceKind,
    /// A kind of memory: `global`, `local`, `reg`.
    AddressSpace,
    /// The purpose of a `uop.range`: `global`, `local`, `warp`, `thread`, `loop`, `reduce`, `group_reduce`, `upcast`, `unroll`.
    AxisType,
}

impl Keyword {
    /// Builds the attribute of a keyword by its number.
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

/// Returns the axis type of a number of [`Keyword::AxisType`]: `Uop.td` has them in the order of [`AxisType::ALL`].
fn axis_type(number: u64) -> AxisType {
    let number = usize::try_from(number).expect("keywords are few");
    AxisType::ALL[number].0
}

/// Reads an optimisation; `None` for any other attribute.
#[must_use]
pub fn opt(attribute: Attribute<'_>) -> Option<Opt> {
    let mut numbers = [0_i64; 4];
    // SAFETY: a live attribute, and room for four numbers.
    let kind = unsafe { ffi::spyreUopOptGetNumbers(attribute.to_raw(), numbers.as_mut_ptr()) };
    let numbers = numbers.map(|number| u64::try_from(number).expect("no number is negative"));
    Some(match kind {
        0 => Opt::Split {
            axis: numbers[0],
            by: numbers[1],
            to: axis_type(numbers[2]),
            place: match numbers[3] {
                1 => Place::Top,
                _ => Place::Inner,
            },
        },
        1 => Opt::Padto {
            axis: numbers[0],
            multiple: numbers[1],
        },
        2 => Opt::Swap {
            axis: numbers[0],
            with: numbers[1],
        },
        3 => Opt::Nolocals,
        4 => Opt::TensorCore { reduce: numbers[0] },
        _ => return None,
    })
}

/// Builds a `#uop.axis`: an extent in positions, the number of a [`Keyword::AxisType`], a loop, and
/// a step in positions of the loop.
#[must_use]
pub fn axis(
    context: &Context,
    extent: u64,
    kind: usize,
    loop_number: usize,
    step: u64,
) -> Attribute<'_> {
    let kind = i32::try_from(kind).expect("keywords are few");
    let loop_number = i64::try_from(loop_number).expect("loops are few");
    // SAFETY: the context is live.
    unsafe {
        Attribute::from_raw(ffi::spyreUopAxisGet(
            context.to_raw(),
            extent.cast_signed(),
            kind,
            loop_number,
            step.cast_signed(),
        ))
    }
}

/// Returns the type `!uop.effect`.
#[must_use]
pub fn effect_type(context: &Context) -> Type<'_> {
    // SAFETY: the context is live.
    unsafe { Type::from_raw(ffi::spyreUopEffectTypeGet(context.to_raw())) }
}

/// Returns the elements of a dense array of truth values; an empty list for any other attribute.
#[must_use]
pub fn flags(attribute: Attribute<'_>) -> Vec<bool> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind, below its size.
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
