//! Element conversion between host types and device formats.

use half::{bf16, f16};

use crate::{
    dl16::{self, Dl16},
    format::{DeviceFormat, HostType},
    transfer::copy::{Cast, Direction, Misfits, StridedCopy},
};

/// How elements of a host type are stored in a device format, and read back
/// (middle-end specification, section 2.1, and SDSC bundle specification, section 7.4).
///
/// | host type | device formats |
/// |---|---|
/// | `f16`, `bf16`, `f32`, `i1` | `SEN169_FP16`, `IEEE_FP32`, `IEEE_FP16`, `BFLOAT16` |
/// | `i32`, `i64` | `IEEE_INT32` |
/// | `i8` | `SENINT8` |
/// | `ui8` | `SENUINT32` |
/// | `f8E4M3` | `SEN143_FP8` |
/// | `f8E5M2` | `SEN152_FP8` |
///
/// Floats are rounded to nearest, ties to even, and become infinity where the target has no larger
/// number; see [`Dl16`] for its limits. Formats that are the same on both sides keep every bit; so do
/// 8-bit floats. A truth value is 0 or 1 on the device, and everything that is not zero is true.
/// Integers keep their low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    host: HostType,
    format: DeviceFormat,
    kind: Kind,
}

/// A device format that does not store a host type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("elements of type {host} cannot be stored in device format {format}")]
pub struct UnsupportedConversion {
    /// The host type.
    pub host: HostType,
    /// The device format.
    pub format: DeviceFormat,
}

/// What happens to an element that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// It is cut to so many low bits.
    LowBits(u32),
    /// It becomes infinity.
    Infinity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// The same bits on both sides.
    Same,
    /// Two codes of real numbers.
    Float { host: Code, device: Code },
    /// `i64` and 32 bits of it.
    Int64To32,
    /// `ui8` in 32 bits.
    Uint8To32,
}

/// A code of real numbers; all of them are exact in `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Code {
    F16,
    Bf16,
    F32,
    Dl16,
    Bool,
}

impl Code {
    const fn of_host(host: HostType) -> Option<Self> {
        match host {
            HostType::F16 => Some(Self::F16),
            HostType::Bf16 => Some(Self::Bf16),
            HostType::F32 => Some(Self::F32),
            HostType::Bool => Some(Self::Bool),
            _ => None,
        }
    }

    const fn of_format(format: DeviceFormat) -> Option<Self> {
        match format {
            DeviceFormat::Sen169Fp16 => Some(Self::Dl16),
            DeviceFormat::IeeeFp32 => Some(Self::F32),
            DeviceFormat::IeeeFp16 => Some(Self::F16),
            DeviceFormat::Bfloat16 => Some(Self::Bf16),
            _ => None,
        }
    }
}

impl Conversion {
    /// The conversion between a host type and a device format.
    ///
    /// # Errors
    /// The format does not store the type.
    pub fn between(host: HostType, format: DeviceFormat) -> Result<Self, UnsupportedConversion> {
        let kind = match (host, format) {
            (HostType::I32, DeviceFormat::IeeeInt32)
            | (HostType::I8, DeviceFormat::SenInt8)
            | (HostType::F8E4M3, DeviceFormat::Sen143Fp8)
            | (HostType::F8E5M2, DeviceFormat::Sen152Fp8) => Kind::Same,
            (HostType::I64, DeviceFormat::IeeeInt32) => Kind::Int64To32,
            (HostType::U8, DeviceFormat::SenUint32) => Kind::Uint8To32,
            _ => match (Code::of_host(host), Code::of_format(format)) {
                (Some(host), Some(device)) if host == device => Kind::Same,
                (Some(host), Some(device)) => Kind::Float { host, device },
                _ => return Err(UnsupportedConversion { host, format }),
            },
        };
        Ok(Self { host, format, kind })
    }

    /// The host type.
    #[must_use]
    pub fn host_type(self) -> HostType {
        self.host
    }

    /// The device format.
    #[must_use]
    pub fn format(self) -> DeviceFormat {
        self.format
    }

    /// Whether copying drops bits of every element, which deserves a warning even if the numbers do
    /// not need them.
    pub(super) fn always_warns(self, direction: Direction) -> bool {
        self.kind == Kind::Int64To32 && direction == Direction::ToDevice
    }

    /// What happens to elements that the target of a copy cannot hold.
    pub(super) fn change(self, direction: Direction) -> Change {
        match (self.kind, direction) {
            (Kind::Int64To32, Direction::ToDevice) => Change::LowBits(32),
            (Kind::Uint8To32, Direction::ToHost) => Change::LowBits(8),
            // The other integers fit.
            _ => Change::Infinity,
        }
    }

    /// Runs copies from host to device.
    pub(super) fn store(self, copies: &[StridedCopy], host: &[u8], device: &mut [u8]) -> Misfits {
        match self.kind {
            Kind::Same => same(self.format, copies, host, device),
            Kind::Float {
                host: from,
                device: to,
            } => float(from, to, copies, host, device),
            Kind::Int64To32 => StridedCopy::run_all(copies, host, device, narrow_i64),
            Kind::Uint8To32 => StridedCopy::run_all(copies, host, device, widen_u8),
        }
    }

    /// Runs copies from device to host.
    pub(super) fn load(self, copies: &[StridedCopy], device: &[u8], host: &mut [u8]) -> Misfits {
        match self.kind {
            Kind::Same => same(self.format, copies, device, host),
            Kind::Float {
                host: to,
                device: from,
            } => float(from, to, copies, device, host),
            Kind::Int64To32 => StridedCopy::run_all(copies, device, host, widen_i32),
            Kind::Uint8To32 => StridedCopy::run_all(copies, device, host, narrow_u32),
        }
    }
}

// The functions on one element are inlined into the loops over runs, or those are no vector code.

#[inline(always)]
fn narrow_i64(bytes: [u8; 8]) -> Cast<4> {
    let value = i64::from_le_bytes(bytes);
    let low = value as i32;
    Cast::new(low.to_le_bytes(), i64::from(low) == value)
}

#[inline(always)]
fn widen_i32(bytes: [u8; 4]) -> Cast<8> {
    Cast::exact(i64::from(i32::from_le_bytes(bytes)).to_le_bytes())
}

#[inline(always)]
fn narrow_u32(bytes: [u8; 4]) -> Cast<1> {
    let value = u32::from_le_bytes(bytes);
    let low = value as u8;
    Cast::new([low], u32::from(low) == value)
}

#[inline(always)]
fn widen_u8([byte]: [u8; 1]) -> Cast<4> {
    Cast::exact(u32::from(byte).to_le_bytes())
}

/// Moves elements as they are.
fn same(format: DeviceFormat, copies: &[StridedCopy], source: &[u8], target: &mut [u8]) -> Misfits {
    match format.bytes_per_element().get() {
        4 => StridedCopy::run_all(copies, source, target, Cast::<4>::exact),
        2 => StridedCopy::run_all(copies, source, target, Cast::<2>::exact),
        _ => StridedCopy::run_all(copies, source, target, Cast::<1>::exact),
    }
}

/// How real numbers are read from `N` bytes, and written.
trait RealCode<const N: usize> {
    fn read(bytes: [u8; N]) -> f32;
    fn write(value: f32) -> Cast<N>;
}

struct F16Code;
struct Bf16Code;
struct F32Code;
struct Dl16Code;
struct BoolCode;

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
        let fits = cast.is_finite() || !value.is_finite();
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

#[inline(always)]
fn recode<A: RealCode<S>, B: RealCode<D>, const S: usize, const D: usize>(
    bytes: [u8; S],
) -> Cast<D> {
    B::write(A::read(bytes))
}

/// `recode` from `f16` to DL16, in which all numbers fit.
#[inline(always)]
fn f16_to_dl16(bytes: [u8; 2]) -> Cast<2> {
    let cast = Dl16::from_f16(f16::from_le_bytes(bytes));
    Cast::exact(cast.to_bits().to_le_bytes())
}

/// `recode` from DL16 to `f16`, without the way through `f32`.
#[inline(always)]
fn dl16_to_f16(bytes: [u8; 2]) -> Cast<2> {
    let value = Dl16::from_bits(u16::from_le_bytes(bytes));
    let cast = value.to_f16();
    Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
}

/// Moves real numbers from one code to another.
fn float(
    from: Code,
    to: Code,
    copies: &[StridedCopy],
    source: &[u8],
    target: &mut [u8],
) -> Misfits {
    match (from, to) {
        // Nearly all tensors are of this pair.
        (Code::F16, Code::Dl16) => StridedCopy::run_all(copies, source, target, f16_to_dl16),
        (Code::Dl16, Code::F16) => StridedCopy::run_all(copies, source, target, dl16_to_f16),
        (Code::F16, _) => float_from::<F16Code, 2>(to, copies, source, target),
        (Code::Bf16, _) => float_from::<Bf16Code, 2>(to, copies, source, target),
        (Code::F32, _) => float_from::<F32Code, 4>(to, copies, source, target),
        (Code::Dl16, _) => float_from::<Dl16Code, 2>(to, copies, source, target),
        (Code::Bool, _) => float_from::<BoolCode, 1>(to, copies, source, target),
    }
}

/// Moves real numbers from code `A` to another.
fn float_from<A: RealCode<S>, const S: usize>(
    to: Code,
    copies: &[StridedCopy],
    source: &[u8],
    target: &mut [u8],
) -> Misfits {
    match to {
        Code::F16 => StridedCopy::run_all(copies, source, target, recode::<A, F16Code, S, 2>),
        Code::Bf16 => StridedCopy::run_all(copies, source, target, recode::<A, Bf16Code, S, 2>),
        Code::F32 => StridedCopy::run_all(copies, source, target, recode::<A, F32Code, S, 4>),
        Code::Dl16 => StridedCopy::run_all(copies, source, target, recode::<A, Dl16Code, S, 2>),
        Code::Bool => StridedCopy::run_all(copies, source, target, recode::<A, BoolCode, S, 1>),
    }
}
