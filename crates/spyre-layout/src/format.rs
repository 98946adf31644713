//! Element formats: the formats that the device stores, and the host types that it can store.

use std::{fmt, str::FromStr};

use crate::units::{Bytes, Elements, STICK_BYTES};

/// The format in which the device stores one element.
///
/// Names and sizes follow the SDSC bundle specification, section 7.4. Only formats that tensors can
/// have are listed. Formats narrower than a byte are left out, since their elements have no byte address, and so are
/// formats without a published stick size; reading the name of one gives the reason (see [`FormatError`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum DeviceFormat {
    /// 16-bit "DL16" float: 1 sign, 6 exponent and 9 fraction bits, bias 31.
    Sen169Fp16,
    /// 32-bit IEEE float.
    IeeeFp32,
    /// 8-bit float: 1 sign, 4 exponent and 3 fraction bits.
    Sen143Fp8,
    /// 8-bit float: 1 sign, 5 exponent and 2 fraction bits.
    Sen152Fp8,
    /// 8-bit signed integer.
    SenInt8,
    /// 16-bit signed integer.
    SenInt16,
    /// 32-bit signed integer.
    IeeeInt32,
    /// 32-bit unsigned integer.
    SenUint32,
    /// 16-bit IEEE float.
    IeeeFp16,
    /// 16-bit brain float.
    Bfloat16,
}

impl DeviceFormat {
    /// Every format, in the order of their numbers in the bundle format.
    pub const ALL: [Self; 10] = [
        Self::Sen169Fp16,
        Self::IeeeFp32,
        Self::Sen143Fp8,
        Self::Sen152Fp8,
        Self::SenInt8,
        Self::SenInt16,
        Self::IeeeInt32,
        Self::SenUint32,
        Self::IeeeFp16,
        Self::Bfloat16,
    ];

    /// The name that SDSC files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sen169Fp16 => "SEN169_FP16",
            Self::IeeeFp32 => "IEEE_FP32",
            Self::Sen143Fp8 => "SEN143_FP8",
            Self::Sen152Fp8 => "SEN152_FP8",
            Self::SenInt8 => "SENINT8",
            Self::SenInt16 => "SENINT16",
            Self::IeeeInt32 => "IEEE_INT32",
            Self::SenUint32 => "SENUINT32",
            Self::IeeeFp16 => "IEEE_FP16",
            Self::Bfloat16 => "BFLOAT16",
        }
    }

    /// Bytes that one element takes in device memory.
    #[must_use]
    pub const fn bytes_per_element(self) -> Bytes {
        match self {
            Self::IeeeFp32 | Self::IeeeInt32 | Self::SenUint32 => Bytes(4),
            Self::Sen169Fp16 | Self::SenInt16 | Self::IeeeFp16 | Self::Bfloat16 => Bytes(2),
            Self::Sen143Fp8 | Self::Sen152Fp8 | Self::SenInt8 => Bytes(1),
        }
    }

    /// Elements that one stick holds: 128 bytes over the bytes of an element.
    #[must_use]
    pub const fn elements_per_stick(self) -> Elements {
        Elements(STICK_BYTES.0 / self.bytes_per_element().0)
    }
}

impl fmt::Display for DeviceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DeviceFormat {
    type Err = FormatError;

    /// Reads the name that SDSC files use.
    fn from_str(text: &str) -> Result<Self, FormatError> {
        if let Some(format) = Self::ALL.into_iter().find(|format| format.name() == text) {
            return Ok(format);
        }
        let unusable = UNUSABLE.into_iter().find(|(name, _)| *name == text);
        Err(match unusable {
            Some((name, Some(per_stick))) => FormatError::SubByte { name, per_stick },
            Some((name, None)) => FormatError::NoStickSize { name },
            None => FormatError::Unknown(UnknownName {
                what: "device format",
                name: text.to_owned(),
            }),
        })
    }
}

/// The formats of the bundle format that no tensor can have, with the elements per stick where they are known (SDSC
/// bundle specification, section 7.4).
const UNUSABLE: [(&str, Option<Elements>); 9] = [
    ("INVALID", None),
    ("SEN153_FP9", None),
    ("SENINT2", Some(Elements(512))),
    ("SENINT4", Some(Elements(256))),
    ("SENINT24", None),
    ("IEEE_INT64", None),
    ("SENUINT2", None),
    ("BOOL", None),
    ("SEN18F_FP24", None),
];

/// The element type of a tensor as the program sees it.
///
/// Types that the device cannot store are listed too, so that refusing one can name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum HostType {
    /// IEEE half precision.
    F16,
    /// Brain float.
    Bf16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision; the device has no format for it.
    F64,
    /// 8-bit float with 4 exponent bits.
    F8E4M3,
    /// 8-bit float with 5 exponent bits.
    F8E5M2,
    /// Truth value, one byte on the host.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer; no host tensor of it is supported.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 64-bit signed integer; the device keeps its low 32 bits.
    I64,
    /// 8-bit unsigned integer.
    U8,
    /// Pair of single precision floats; the device has no format for it.
    Complex64,
    /// Pair of double precision floats; the device has no format for it.
    Complex128,
}

impl HostType {
    /// The name of the type, in MLIR's spelling where MLIR has one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F8E4M3 => "f8E4M3",
            Self::F8E5M2 => "f8E5M2",
            Self::Bool => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "ui8",
            Self::Complex64 => "complex<f32>",
            Self::Complex128 => "complex<f64>",
        }
    }

    /// Bytes that one element takes on the host.
    #[must_use]
    pub const fn host_bytes(self) -> Bytes {
        match self {
            Self::F8E4M3 | Self::F8E5M2 | Self::Bool | Self::I8 | Self::U8 => Bytes(1),
            Self::F16 | Self::Bf16 | Self::I16 => Bytes(2),
            Self::F32 | Self::I32 => Bytes(4),
            Self::F64 | Self::I64 | Self::Complex64 => Bytes(8),
            Self::Complex128 => Bytes(16),
        }
    }

    /// The format in which the device stores tensors of this type
    /// (middle-end specification, section 2.1, and SDSC bundle specification, section 7.4).
    ///
    /// # Errors
    /// The device has no format for the type.
    pub const fn device_format(self) -> Result<DeviceFormat, UnsupportedType> {
        match self {
            Self::F16 | Self::Bf16 | Self::Bool => Ok(DeviceFormat::Sen169Fp16),
            Self::F32 => Ok(DeviceFormat::IeeeFp32),
            Self::I32 | Self::I64 => Ok(DeviceFormat::IeeeInt32),
            Self::I8 => Ok(DeviceFormat::SenInt8),
            Self::U8 => Ok(DeviceFormat::SenUint32),
            Self::F8E4M3 => Ok(DeviceFormat::Sen143Fp8),
            Self::F8E5M2 => Ok(DeviceFormat::Sen152Fp8),
            Self::F64 | Self::I16 | Self::Complex64 | Self::Complex128 => {
                Err(UnsupportedType { host: self })
            }
        }
    }
}

impl fmt::Display for HostType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The order of elements inside and across sticks (middle-end specification, section 2.1).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Arrangement {
    /// In order.
    #[default]
    Standard,
    /// The staggered order that an on-device cast from 16 to 32 bits leaves.
    Dl16ToFp32,
    /// The staggered order that an on-device cast from 32 to 16 bits leaves.
    Fp32ToDl16,
    /// Activations quantized to 8 bits per channel.
    Qfp8Ch,
    /// Weights quantized to 8 bits; the last two device dims together make one stick.
    Qfp8Wt,
    /// Two values in each stick.
    Exx2,
}

impl Arrangement {
    /// Returns whether elements are in the order that a cast between 16 and 32 bits leaves: groups of four, the even ones in one stick
    /// and the odd ones in the next (contract, K33).
    #[must_use]
    pub const fn is_staggered(self) -> bool {
        matches!(self, Self::Dl16ToFp32 | Self::Fp32ToDl16)
    }

    /// Returns how many sticks hold the elements of one: a cast to 32 bits leaves the elements of a stick in two.
    #[must_use]
    pub const fn sticks_together(self) -> u64 {
        match self {
            Self::Dl16ToFp32 => 2,
            _ => 1,
        }
    }

    /// Every arrangement.
    pub const ALL: [Self; 6] = [
        Self::Standard,
        Self::Dl16ToFp32,
        Self::Fp32ToDl16,
        Self::Qfp8Ch,
        Self::Qfp8Wt,
        Self::Exx2,
    ];

    /// The name that SDSC files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "STANDARD",
            Self::Dl16ToFp32 => "DL16_TO_FP32",
            Self::Fp32ToDl16 => "FP32_TO_DL16",
            Self::Qfp8Ch => "QFP8CH",
            Self::Qfp8Wt => "QFP8WT",
            Self::Exx2 => "EXX2",
        }
    }

    /// Returns how many of the last device dims make up one stick.
    #[must_use]
    pub const fn stick_coords(self) -> usize {
        match self {
            Self::Qfp8Wt => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for Arrangement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Arrangement {
    type Err = UnknownName;

    /// Reads the name that SDSC files use.
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .into_iter()
            .find(|arrangement| arrangement.name() == text)
            .ok_or_else(|| UnknownName {
                what: "element arrangement",
                name: text.to_owned(),
            })
    }
}

/// A host element type that the device has no format for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device has no format for elements of type {host}")]
pub struct UnsupportedType {
    /// The type.
    pub host: HostType,
}

/// A name of no format that tensors can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// No format has the name.
    #[error(transparent)]
    Unknown(UnknownName),
    /// An element takes less than a byte, so that byte addresses cannot express where it is.
    #[error("{name} has {per_stick} per stick: sub-byte data formats are not supported")]
    SubByte {
        /// The format.
        name: &'static str,
        /// The elements of a stick of it.
        per_stick: Elements,
    },
    /// A format with an unpublished number of elements per stick.
    #[error("{name} has no documented stick size")]
    NoStickSize {
        /// The format.
        name: &'static str,
    },
}

/// An unknown name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} `{name}`")]
pub struct UnknownName {
    /// The kind of the name.
    pub what: &'static str,
    /// The name.
    pub name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_types_map_as_in_the_table() {
        let rows = [
            (HostType::F16, DeviceFormat::Sen169Fp16, 64, 2),
            (HostType::Bf16, DeviceFormat::Sen169Fp16, 64, 2),
            (HostType::Bool, DeviceFormat::Sen169Fp16, 64, 2),
            (HostType::F32, DeviceFormat::IeeeFp32, 32, 4),
            (HostType::I64, DeviceFormat::IeeeInt32, 32, 4),
            (HostType::I32, DeviceFormat::IeeeInt32, 32, 4),
            (HostType::I8, DeviceFormat::SenInt8, 128, 1),
            (HostType::F8E4M3, DeviceFormat::Sen143Fp8, 128, 1),
            (HostType::F8E5M2, DeviceFormat::Sen152Fp8, 128, 1),
        ];
        for (host, format, per_stick, bytes) in rows {
            assert_eq!(host.device_format(), Ok(format), "{host}");
            assert_eq!(format.elements_per_stick(), Elements(per_stick), "{host}");
            assert_eq!(format.bytes_per_element(), Bytes(bytes), "{host}");
        }
    }

    #[test]
    fn types_without_a_format_are_refused_by_name() {
        for host in [
            HostType::F64,
            HostType::I16,
            HostType::Complex64,
            HostType::Complex128,
        ] {
            let error = host.device_format().unwrap_err();
            assert!(error.to_string().ends_with(host.name()), "{error}");
        }
    }

    #[test]
    fn names_round_trip() {
        for format in DeviceFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        for arrangement in Arrangement::ALL {
            assert_eq!(arrangement.name().parse(), Ok(arrangement));
        }
    }

    #[test]
    fn names_of_unusable_formats_say_why() {
        for (name, message) in [
            (
                "SENINT4",
                "SENINT4 has 256 elements per stick: sub-byte data formats are not supported",
            ),
            ("BOOL", "BOOL has no documented stick size"),
            ("senint8", "unknown device format `senint8`"),
        ] {
            let error = name.parse::<DeviceFormat>().unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let error = "standard".parse::<Arrangement>().unwrap_err();
        assert_eq!(error.to_string(), "unknown element arrangement `standard`");
    }

    #[test]
    fn each_format_of_the_table_is_listed_once() {
        let usable = DeviceFormat::ALL.map(DeviceFormat::name);
        let unusable = UNUSABLE.map(|(name, _)| name);
        let names: std::collections::BTreeSet<_> = usable.into_iter().chain(unusable).collect();
        // The bundle format numbers them 0 to 18.
        assert_eq!(names.len(), 19);
        for (name, per_stick) in UNUSABLE {
            assert!(
                per_stick.is_none_or(|count| count.get() > STICK_BYTES.get()),
                "{name} has whole bytes"
            );
        }
    }
}
