//! Conversions of one element.

use std::marker::PhantomData;

use half::{bf16, f16};

use crate::{
    dl16::{self, Dl16},
    transfer::copy::{Cast, Convert},
};

/// The same bits on both sides.
pub(super) struct Same;

impl<const N: usize> Convert<N, N> for Same {
    #[inline(always)]
    fn cast(bytes: [u8; N]) -> Cast<N> {
        Cast::exact(bytes)
    }
}

/// The low 32 bits of an `i64`.
pub(super) struct I64ToI32;

impl Convert<8, 4> for I64ToI32 {
    #[inline(always)]
    fn cast(bytes: [u8; 8]) -> Cast<4> {
        let value = i64::from_le_bytes(bytes);
        let low = value as i32;
        Cast::new(low.to_le_bytes(), i64::from(low) == value)
    }
}

/// An `i32` with its sign extended.
pub(super) struct I32ToI64;

impl Convert<4, 8> for I32ToI64 {
    #[inline(always)]
    fn cast(bytes: [u8; 4]) -> Cast<8> {
        Cast::exact(i64::from(i32::from_le_bytes(bytes)).to_le_bytes())
    }
}

/// The low 8 bits of a `u32`.
pub(super) struct U32ToU8;

impl Convert<4, 1> for U32ToU8 {
    #[inline(always)]
    fn cast(bytes: [u8; 4]) -> Cast<1> {
        let value = u32::from_le_bytes(bytes);
        let low = value as u8;
        Cast::new([low], u32::from(low) == value)
    }
}

/// A `u8` with zeros before it.
pub(super) struct U8ToU32;

impl Convert<1, 4> for U8ToU32 {
    #[inline(always)]
    fn cast([byte]: [u8; 1]) -> Cast<4> {
        Cast::exact(u32::from(byte).to_le_bytes())
    }
}

/// A way to read real numbers from `N` bytes, and to write them.
pub(super) trait RealCode<const N: usize> {
    /// The number, which every code has exactly in `f32`.
    fn read(bytes: [u8; N]) -> f32;
    /// The nearest number of this code.
    fn write(value: f32) -> Cast<N>;
}

pub(super) struct F16Code;
pub(super) struct Bf16Code;
pub(super) struct F32Code;
pub(super) struct Dl16Code;
pub(super) struct BoolCode;

impl RealCode<2> for F16Code {
    #[inline(always)]
    fn read(bytes: [u8; 2]) -> f32 {
        dl16::widen(f16::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn write(value: f32) -> Cast<2> {
        let cast = f16::from_f32(value);
        Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
    }
}

impl RealCode<2> for Bf16Code {
    #[inline(always)]
    fn read(bytes: [u8; 2]) -> f32 {
        bf16::from_le_bytes(bytes).to_f32()
    }

    #[inline(always)]
    fn write(value: f32) -> Cast<2> {
        let cast = bf16::from_f32(value);
        Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
    }
}

impl RealCode<4> for F32Code {
    #[inline(always)]
    fn read(bytes: [u8; 4]) -> f32 {
        f32::from_le_bytes(bytes)
    }

    #[inline(always)]
    fn write(value: f32) -> Cast<4> {
        Cast::exact(value.to_le_bytes())
    }
}

impl RealCode<2> for Dl16Code {
    #[inline(always)]
    fn read(bytes: [u8; 2]) -> f32 {
        Dl16::from_bits(u16::from_le_bytes(bytes)).to_f32()
    }

    #[inline(always)]
    fn write(value: f32) -> Cast<2> {
        let cast = Dl16::from_f32(value);
        // There is no infinity: one that becomes NaN is as much out of range as a number is.
        let fits = !cast.is_nan() || value.is_nan();
        Cast::new(cast.to_bits().to_le_bytes(), fits)
    }
}

impl RealCode<1> for BoolCode {
    #[inline(always)]
    fn read([byte]: [u8; 1]) -> f32 {
        f32::from(u8::from(byte != 0))
    }

    #[inline(always)]
    fn write(value: f32) -> Cast<1> {
        Cast::exact([u8::from(value != 0.0)])
    }
}

/// From code `A` to code `B`.
pub(super) struct Recode<A, B>(PhantomData<(A, B)>);

impl<A: RealCode<S>, B: RealCode<D>, const S: usize, const D: usize> Convert<S, D>
    for Recode<A, B>
{
    #[inline(always)]
    fn cast(bytes: [u8; S]) -> Cast<D> {
        B::write(A::read(bytes))
    }
}

/// The same as [`Recode`], in which all numbers but the infinities fit.
pub(super) struct F16ToDl16;

impl Convert<2, 2> for F16ToDl16 {
    #[inline(always)]
    fn cast(bytes: [u8; 2]) -> Cast<2> {
        let value = f16::from_le_bytes(bytes);
        let fits = !value.is_infinite();
        Cast::new(Dl16::from_f16(value).to_bits().to_le_bytes(), fits)
    }
}

/// The same as [`Recode`], without the way through `f32`.
pub(super) struct Dl16ToF16;

impl Convert<2, 2> for Dl16ToF16 {
    #[inline(always)]
    fn cast(bytes: [u8; 2]) -> Cast<2> {
        let value = Dl16::from_bits(u16::from_le_bytes(bytes));
        let cast = value.to_f16();
        Cast::new(cast.to_le_bytes(), !cast.is_infinite())
    }
}
