//! Element conversion between host types and device formats.

use half::{bf16, f16};

use crate::{
    dl16::Dl16,
    format::{DeviceFormat, HostType},
    transfer::copy::{Cast, Misfits, StridedCopy},
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

    /// Whether storing on the device drops bits of every element, which deserves a warning even if
    /// none of them was set.
    pub(super) fn narrows(self) -> bool {
        self.kind == Kind::Int64To32
    }

    /// What happens to elements that the device format cannot hold.
    pub(super) fn change_on_device(self) -> Change {
        match self.kind {
            Kind::Int64To32 | Kind::Uint8To32 => Change::LowBits(32),
            Kind::Same | Kind::Float { .. } => Change::Infinity,
        }
    }

    /// What happens to elements that the host type cannot hold.
    pub(super) fn change_on_host(self) -> Change {
        match self.kind {
            Kind::Uint8To32 => Change::LowBits(8),
            Kind::Int64To32 | Kind::Same | Kind::Float { .. } => Change::Infinity,
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
            Kind::Int64To32 => StridedCopy::run_all(copies, host, device, |bytes| {
                let value = i64::from_le_bytes(bytes);
                let low = value as i32;
                Cast::new(low.to_le_bytes(), i64::from(low) == value)
            }),
            Kind::Uint8To32 => StridedCopy::run_all(copies, host, device, |[byte]: [u8; 1]| {
                Cast::exact(u32::from(byte).to_le_bytes())
            }),
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
            Kind::Int64To32 => StridedCopy::run_all(copies, device, host, |bytes| {
                Cast::exact(i64::from(i32::from_le_bytes(bytes)).to_le_bytes())
            }),
            Kind::Uint8To32 => StridedCopy::run_all(copies, device, host, |bytes| {
                let value = u32::from_le_bytes(bytes);
                let low = value as u8;
                Cast::new([low], u32::from(low) == value)
            }),
        }
    }
}

/// Moves elements as they are.
fn same(format: DeviceFormat, copies: &[StridedCopy], source: &[u8], target: &mut [u8]) -> Misfits {
    match format.bytes_per_element().get() {
        4 => StridedCopy::run_all(copies, source, target, Cast::<4>::exact),
        2 => StridedCopy::run_all(copies, source, target, Cast::<2>::exact),
        _ => StridedCopy::run_all(copies, source, target, Cast::<1>::exact),
    }
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
        // The pair of nearly all tensors has a short way.
        (Code::F16, Code::Dl16) => StridedCopy::run_all(copies, source, target, |bytes| {
            Cast::exact(
                Dl16::from_f16(f16::from_le_bytes(bytes))
                    .to_bits()
                    .to_le_bytes(),
            )
        }),
        (Code::Dl16, Code::F16) => StridedCopy::run_all(copies, source, target, |bytes| {
            let value = Dl16::from_bits(u16::from_le_bytes(bytes));
            let cast = value.to_f16();
            Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
        }),
        (Code::F16, _) => float_to(
            |b| f16::from_le_bytes(b).to_f32(),
            to,
            copies,
            source,
            target,
        ),
        (Code::Bf16, _) => float_to(
            |b| bf16::from_le_bytes(b).to_f32(),
            to,
            copies,
            source,
            target,
        ),
        (Code::F32, _) => float_to(f32::from_le_bytes, to, copies, source, target),
        (Code::Dl16, _) => {
            let read = |b| Dl16::from_bits(u16::from_le_bytes(b)).to_f32();
            float_to(read, to, copies, source, target)
        }
        (Code::Bool, _) => {
            let read = |[byte]: [u8; 1]| f32::from(u8::from(byte != 0));
            float_to(read, to, copies, source, target)
        }
    }
}

/// Moves real numbers that `read` understands to another code.
fn float_to<const S: usize>(
    read: impl Fn([u8; S]) -> f32,
    to: Code,
    copies: &[StridedCopy],
    source: &[u8],
    target: &mut [u8],
) -> Misfits {
    // Only a finite number can be out of range.
    match to {
        Code::F16 => StridedCopy::run_all(copies, source, target, |bytes| {
            let value = read(bytes);
            let cast = f16::from_f32(value);
            Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
        }),
        Code::Bf16 => StridedCopy::run_all(copies, source, target, |bytes| {
            let value = read(bytes);
            let cast = bf16::from_f32(value);
            Cast::new(cast.to_le_bytes(), cast.is_finite() || !value.is_finite())
        }),
        Code::F32 => StridedCopy::run_all(copies, source, target, |bytes| {
            Cast::exact(read(bytes).to_le_bytes())
        }),
        Code::Dl16 => StridedCopy::run_all(copies, source, target, |bytes| {
            let value = read(bytes);
            let cast = Dl16::from_f32(value);
            let fits = cast.is_finite() || !value.is_finite();
            Cast::new(cast.to_bits().to_le_bytes(), fits)
        }),
        Code::Bool => StridedCopy::run_all(copies, source, target, |bytes| {
            Cast::exact([u8::from(read(bytes) != 0.0)])
        }),
    }
}
