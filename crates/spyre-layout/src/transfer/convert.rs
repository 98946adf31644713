//! Element conversion between host types and device formats.

use crate::{
    format::{DeviceFormat, HostType},
    transfer::{
        copy::{Copy, Misfits},
        elements::{
            Bf16Code, BoolCode, Dl16Code, Dl16ToF16, F16Code, F16ToDl16, F32Code, I32ToI64,
            I64ToI32, RealCode, Recode, Same, U8ToU32, U32ToU8,
        },
        loops::Direction,
    },
};

/// The conversion of elements of a host type to a device format, and back (middle-end specification, section 2.1, and
/// SDSC bundle specification, section 7.4).
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
/// number. `SEN169_FP16` has no infinity: a number above its largest one becomes its NaN code on the device, infinities
/// too, and the NaN code becomes NaN on the host; see [`Dl16`](crate::Dl16). Formats that are the same on both sides
/// keep every bit; so do 8-bit floats. A truth value is 0 or 1 on the device, and everything that is not zero is true.
/// Integers keep their low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    host: HostType,
    format: DeviceFormat,
    kind: NumberConversion,
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

/// The fate of an element that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// It is truncated to this many low bits.
    LowBits(u32),
    /// It becomes infinity.
    Infinity,
    /// It becomes NaN, where the target has no infinity.
    Nan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NumberConversion {
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
            | (HostType::F8E5M2, DeviceFormat::Sen152Fp8) => NumberConversion::Same,
            (HostType::I64, DeviceFormat::IeeeInt32) => NumberConversion::Int64To32,
            (HostType::U8, DeviceFormat::SenUint32) => NumberConversion::Uint8To32,
            _ => match (Code::of_host(host), Code::of_format(format)) {
                (Some(host), Some(device)) if host == device => NumberConversion::Same,
                (Some(host), Some(device)) => NumberConversion::Float { host, device },
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

    /// Returns whether copying drops bits of every element, which deserves a warning even if the numbers do
    /// not need them.
    pub(super) fn always_warns(self, direction: Direction) -> bool {
        self.kind == NumberConversion::Int64To32 && direction == Direction::ToDevice
    }

    /// Returns the change of elements that the target of a copy cannot hold.
    pub(super) fn change(self, direction: Direction) -> Change {
        match (self.kind, direction) {
            (NumberConversion::Int64To32, Direction::ToDevice) => Change::LowBits(32),
            (NumberConversion::Uint8To32, Direction::ToHost) => Change::LowBits(8),
            (
                NumberConversion::Float {
                    device: Code::Dl16, ..
                },
                Direction::ToDevice,
            ) => Change::Nan,
            // The other integers fit.
            _ => Change::Infinity,
        }
    }

    /// Runs a copy from host to device.
    pub(super) fn store(self, copy: &Copy, host: &[u8], device: &mut [u8]) -> Misfits {
        match self.kind {
            NumberConversion::Same => same(self.format, copy, host, device),
            NumberConversion::Float {
                host: from,
                device: to,
            } => float(from, to, copy, host, device),
            NumberConversion::Int64To32 => copy.run::<I64ToI32, 8, 4>(host, device),
            NumberConversion::Uint8To32 => copy.run::<U8ToU32, 1, 4>(host, device),
        }
    }

    /// Runs a copy from device to host.
    pub(super) fn load(self, copy: &Copy, device: &[u8], host: &mut [u8]) -> Misfits {
        match self.kind {
            NumberConversion::Same => same(self.format, copy, device, host),
            NumberConversion::Float {
                host: to,
                device: from,
            } => float(from, to, copy, device, host),
            NumberConversion::Int64To32 => copy.run::<I32ToI64, 4, 8>(device, host),
            NumberConversion::Uint8To32 => copy.run::<U32ToU8, 4, 1>(device, host),
        }
    }
}

/// Moves elements as they are.
fn same(format: DeviceFormat, copy: &Copy, source: &[u8], target: &mut [u8]) -> Misfits {
    match format.bytes_per_element().get() {
        4 => copy.run::<Same, 4, 4>(source, target),
        2 => copy.run::<Same, 2, 2>(source, target),
        1 => copy.run::<Same, 1, 1>(source, target),
        bytes => unreachable!("no format has elements of {bytes} bytes"),
    }
}

/// Moves real numbers from one code to another.
fn float(from: Code, to: Code, copy: &Copy, source: &[u8], target: &mut [u8]) -> Misfits {
    match (from, to) {
        // Nearly all tensors are of this pair.
        (Code::F16, Code::Dl16) => copy.run::<F16ToDl16, 2, 2>(source, target),
        (Code::Dl16, Code::F16) => copy.run::<Dl16ToF16, 2, 2>(source, target),
        (Code::F16, _) => float_from::<F16Code, 2>(to, copy, source, target),
        (Code::Bf16, _) => float_from::<Bf16Code, 2>(to, copy, source, target),
        (Code::F32, _) => float_from::<F32Code, 4>(to, copy, source, target),
        (Code::Dl16, _) => float_from::<Dl16Code, 2>(to, copy, source, target),
        (Code::Bool, _) => float_from::<BoolCode, 1>(to, copy, source, target),
    }
}

/// Moves real numbers from code `A` to another.
fn float_from<A: RealCode<S>, const S: usize>(
    to: Code,
    copy: &Copy,
    source: &[u8],
    target: &mut [u8],
) -> Misfits {
    match to {
        Code::F16 => copy.run::<Recode<A, F16Code>, S, 2>(source, target),
        Code::Bf16 => copy.run::<Recode<A, Bf16Code>, S, 2>(source, target),
        Code::F32 => copy.run::<Recode<A, F32Code>, S, 4>(source, target),
        Code::Dl16 => copy.run::<Recode<A, Dl16Code>, S, 2>(source, target),
        Code::Bool => copy.run::<Recode<A, BoolCode>, S, 1>(source, target),
    }
}
