//! Serde of values that files hold by name, through [`Display`] and [`FromStr`].

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serializer, de::Error};

pub(crate) fn serialize<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(deserializer)?
        .parse()
        .map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use crate::DeviceFormat;
    use crate::sdsc::ComputeAttributes;

    #[test]
    fn names_are_written_and_read_back() -> Result<(), serde_json::Error> {
        let text = r#"{"dataFormat_":"SEN143_FP8","fidelity_":"regular"}"#;
        let attributes: ComputeAttributes = serde_json::from_str(text)?;
        assert_eq!(attributes.data_format, DeviceFormat::Sen143Fp8);
        assert_eq!(serde_json::to_string(&attributes)?, text);
        Ok(())
    }

    #[test]
    fn a_name_that_stands_for_nothing_usable_says_why() {
        let text = r#"{"dataFormat_":"SEN153_FP9","fidelity_":"regular"}"#;
        let message = serde_json::from_str::<ComputeAttributes>(text)
            .map(|_| ())
            .map_err(|error| error.to_string());
        assert!(
            message
                .as_ref()
                .is_err_and(|m| m.contains("SEN153_FP9 has no documented stick size")),
            "{message:?}"
        );
    }
}
