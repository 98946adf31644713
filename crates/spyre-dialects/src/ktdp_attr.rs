//! The types and attributes of the `ktdp` dialect.

use melior::Context;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};

use crate::ffi;

/// The memory of a view: `#ktdp.memory_space`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// Device memory, which all compute tiles share.
    Global,
    /// The scratchpad of the compute tile with this number; `None` for the tile that runs the operation.
    CtLocal(Option<u32>),
}

impl MemorySpace {
    /// Builds the attribute.
    #[must_use]
    pub fn attribute(self, context: &Context) -> Attribute<'_> {
        let (is_local, tile) = match self {
            Self::Global => (false, None),
            Self::CtLocal(tile) => (true, tile),
        };
        let tile = tile.map_or(-1, i64::from);
        // SAFETY: the context is live.
        unsafe {
            Attribute::from_raw(ffi::spyreKtdpMemorySpaceGet(
                context.to_raw(),
                is_local,
                tile,
            ))
        }
    }

    /// Reads the attribute; `None` for any other attribute, and for the number of a tile above `u32::MAX`.
    #[must_use]
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        let mut tile = -1;
        // SAFETY: a live attribute, and room for a number.
        match unsafe { ffi::spyreKtdpMemorySpaceGetKind(attribute.to_raw(), &raw mut tile) } {
            0 => Some(Self::Global),
            1 if tile < 0 => Some(Self::CtLocal(None)),
            1 => Some(Self::CtLocal(Some(u32::try_from(tile).ok()?))),
            _ => None,
        }
    }
}

/// A field of a runtime argument, which `ktdp.runtime_arg_extract` reads; in the order of `Ktdp.td`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeArgField {
    /// The value, known at launch.
    Value,
    /// The number of which the value is a multiple.
    Granularity,
    /// The largest value.
    Upperbound,
}

impl RuntimeArgField {
    /// Builds the attribute `kind` of `ktdp.runtime_arg_extract`.
    #[must_use]
    pub fn attribute(self, context: &Context) -> Attribute<'_> {
        // SAFETY: the context is live, and the dialect has the field.
        unsafe {
            Attribute::from_raw(ffi::spyreKtdpRuntimeArgFieldGet(
                context.to_raw(),
                self as i32,
            ))
        }
    }
}

/// Returns the type `!ktdp.access_tile` of extents in elements.
///
/// # Panics
/// When an extent is above `i64::MAX`.
#[must_use]
pub fn access_tile_type<'c>(context: &'c Context, shape: &[u64]) -> Type<'c> {
    let shape: Vec<i64> = shape
        .iter()
        .map(|extent| i64::try_from(*extent).expect("an extent is below 2^63"))
        .collect();
    // SAFETY: the context is live, and the shape has so many extents, none of them negative.
    unsafe {
        Type::from_raw(ffi::spyreKtdpAccessTileTypeGet(
            context.to_raw(),
            shape.as_ptr(),
            shape.len().cast_signed(),
        ))
    }
}

/// Returns the extents of a `!ktdp.access_tile` in elements, `None` for a dynamic one. `None` for any other type.
#[must_use]
pub fn access_tile_shape(ty: Type<'_>) -> Option<Vec<Option<u64>>> {
    let mut shape = std::ptr::null();
    // SAFETY: a live type, and room for a pointer.
    let rank = unsafe { ffi::spyreKtdpAccessTileTypeGetShape(ty.to_raw(), &raw mut shape) };
    let rank = usize::try_from(rank).ok()?;
    let extents = match rank {
        0 => &[],
        // SAFETY: the extents of the type, which lives as long as its context.
        _ => unsafe { std::slice::from_raw_parts(shape, rank) },
    };
    Some(extents.iter().map(|it| u64::try_from(*it).ok()).collect())
}

/// Bounds of a `!ktdp.runtime_arg`, in units of its value; `None` where the type has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuntimeBounds {
    /// The value is a multiple of this positive number.
    pub granularity: Option<i64>,
    /// The value is at most this positive number.
    pub upperbound: Option<i64>,
}

/// Returns the type `!ktdp.runtime_arg` of an underlying type; `None` where the dialect refuses it (KT3, KT4), and the
/// diagnostic handlers of the context get the reason.
#[must_use]
pub fn runtime_arg_type(underlying: Type<'_>, bounds: RuntimeBounds) -> Option<Type<'_>> {
    let pointer = |bound: Option<&i64>| bound.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: a live type, and pointers to numbers that outlive the call, or null.
    unsafe {
        Type::from_option_raw(ffi::spyreKtdpRuntimeArgTypeGet(
            underlying.to_raw(),
            pointer(bounds.granularity.as_ref()),
            pointer(bounds.upperbound.as_ref()),
        ))
    }
}

/// Returns the bounds of a `!ktdp.runtime_arg`; `None` for any other type.
#[must_use]
pub fn runtime_arg_bounds(ty: Type<'_>) -> Option<RuntimeBounds> {
    let (mut granularity, mut upperbound) = (0, 0);
    // SAFETY: a live type, and room for two numbers.
    let is_runtime_arg = unsafe {
        ffi::spyreKtdpRuntimeArgTypeGetBounds(
            ty.to_raw(),
            &raw mut granularity,
            &raw mut upperbound,
        )
    };
    let unless_zero = |number| (number != 0).then_some(number);
    is_runtime_arg.then(|| RuntimeBounds {
        granularity: unless_zero(granularity),
        upperbound: unless_zero(upperbound),
    })
}
