//! Formats of elements (SDSC bundle specification, section 7.4).

use spyre_layout::{Bytes, STICK_BYTES};

/// A format with known sticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// Elements in a stick.
    pub per_stick: u64,
    /// Size of an element.
    pub bytes: Bytes,
}

/// Formats with a name only: either no source states how many elements a stick has, or a stick has more elements than
/// bytes.
const OPAQUE: [&str; 9] = [
    "INVALID",
    "SEN153_FP9",
    "SENINT2",
    "SENINT4",
    "SENINT24",
    "IEEE_INT64",
    "SENUINT2",
    "BOOL",
    "SEN18F_FP24",
];

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A format for tensors.
    Format(Format),
    /// A format that no tensor can have.
    Opaque,
    /// A name that is no format.
    Unknown,
}

/// Returns the format of a name.
pub(super) fn named(name: &str) -> Named {
    let per_stick = match name {
        "SEN169_FP16" | "SENINT16" | "IEEE_FP16" | "BFLOAT16" => 64,
        "IEEE_FP32" | "IEEE_INT32" | "SENUINT32" => 32,
        "SEN143_FP8" | "SEN152_FP8" | "SENINT8" => 128,
        _ if OPAQUE.contains(&name) => return Named::Opaque,
        _ => return Named::Unknown,
    };
    Named::Format(Format {
        per_stick,
        bytes: Bytes(STICK_BYTES.get() / per_stick),
    })
}

#[cfg(test)]
mod tests {
    use spyre_layout::DeviceFormat;

    use super::*;

    #[test]
    fn agrees_with_the_layouts() {
        for format in DeviceFormat::ALL {
            assert_eq!(
                named(format.name()),
                Named::Format(Format {
                    per_stick: format.elements_per_stick().get(),
                    bytes: format.bytes_per_element(),
                }),
                "{}",
                format.name()
            );
        }
        assert_eq!(named("BOOL"), Named::Opaque);
        assert_eq!(named("fp16"), Named::Unknown);
    }
}
