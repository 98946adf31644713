//! Element types by their names.

use std::str::FromStr;

use spyre_layout::HostType;
use thiserror::Error;

/// An element type and the name that MLIR gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementType {
    /// The type.
    pub host: HostType,
    /// The name in MLIR.
    pub name: &'static str,
}

/// A name that no element type has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "there is no such element type; those with a device format are {}",
    supported_names()
)]
pub struct ElementTypeError;

/// Host types, each with its name in MLIR and other names it goes by.
const ELEMENT_TYPES: [(HostType, &str, &[&str]); 14] = [
    (HostType::F16, "f16", &["float16", "half"]),
    (HostType::Bf16, "bf16", &["bfloat16"]),
    (HostType::F32, "f32", &["float32", "float"]),
    (HostType::F64, "f64", &["float64", "double"]),
    (HostType::F8E4M3, "f8E4M3FN", &["f8E4M3", "float8_e4m3fn"]),
    (HostType::F8E5M2, "f8E5M2", &["float8_e5m2"]),
    (HostType::Bool, "i1", &["bool"]),
    (HostType::I8, "i8", &["int8"]),
    (HostType::I16, "i16", &["int16", "short"]),
    (HostType::I32, "i32", &["int32", "int"]),
    (HostType::I64, "i64", &["int64", "long"]),
    (HostType::U8, "ui8", &["uint8"]),
    (HostType::Complex64, "complex<f32>", &["complex64"]),
    (HostType::Complex128, "complex<f64>", &["complex128"]),
];

impl FromStr for ElementType {
    type Err = ElementTypeError;

    fn from_str(text: &str) -> Result<Self, ElementTypeError> {
        let text = text.strip_prefix("torch.").unwrap_or(text);
        ELEMENT_TYPES
            .into_iter()
            .find(|(_, name, others)| *name == text || others.contains(&text))
            .map(|(host, name, _)| Self { host, name })
            .ok_or(ElementTypeError)
    }
}

/// Returns the names of the types that the device has a format for.
pub(crate) fn supported_names() -> String {
    let supported =
        |(host, name, _): (HostType, &'static str, _)| host.device_format().is_ok().then_some(name);
    ELEMENT_TYPES
        .into_iter()
        .filter_map(supported)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_one_meaning() {
        let mut names: Vec<&str> = Vec::new();
        for (host, name, others) in ELEMENT_TYPES {
            for text in others.iter().copied().chain([name]) {
                assert_eq!(text.parse(), Ok(ElementType { host, name }), "{text}");
                names.push(text);
            }
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "a name stands for two types");
        assert_eq!(
            "torch.float16".parse::<ElementType>().map(|t| t.host),
            Ok(HostType::F16)
        );
        assert_eq!("f17".parse::<ElementType>(), Err(ElementTypeError));
        let message = ElementTypeError.to_string();
        assert!(
            message.ends_with("f16, bf16, f32, f8E4M3FN, f8E5M2, i1, i8, i32, i64, ui8"),
            "{message}"
        );
    }
}
