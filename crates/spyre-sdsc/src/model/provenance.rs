//! The provenance of an operation: its line, its operation in the front end, and the transforms since.
//!
//! A specification holds a handle as the front end wrote it. Files of the contract hold every field (contract, K56), and the
//! identifier as text, since JavaScript rounds a number of 63 bits. A field that a front end cannot fill has the
//! default of the published schema: null, an empty list, or column 0, which torch-spyre writes as well.

use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::ordered::Json;

/// A handle in the published form (contract, K56).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebugHandle {
    /// The identifier: a decimal number as text (contract, K77). Also read from a number.
    #[serde(deserialize_with = "decimal")]
    pub id: String,
    /// The place in the source; `None` if the operation comes from several.
    #[serde(default)]
    pub source: Option<SourceLoc>,
    /// The operation of ATen; `None` if the operation comes from several.
    #[serde(default)]
    pub aten_op: Option<String>,
    /// The earlier names of the operation, outermost first.
    #[serde(default)]
    pub ir_chain: Vec<String>,
    /// The handles of the operations that it derives from.
    #[serde(default)]
    pub fused_from: Vec<DebugHandle>,
    /// The rewrites of the operation.
    #[serde(default)]
    pub transform_history: Vec<Transform>,
}

/// A range of a source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceLoc {
    /// The file.
    pub file: String,
    /// The first line, from 1.
    pub start_line: i64,
    /// The first column; 0 if it is not known.
    #[serde(default)]
    pub start_col: i64,
    /// The last line, if it is known.
    #[serde(default)]
    pub end_line: Option<i64>,
    /// The last column, if it is known.
    #[serde(default)]
    pub end_col: Option<i64>,
}

/// A rewrite of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// The kind of the transform.
    pub kind: TransformKind,
    /// The pass.
    pub pass_name: String,
    /// The reason, if the pass gives one.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The kinds of rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // names of the contract
pub enum TransformKind {
    Rewrite,
    Fusion,
    Decomposition,
    Clone,
    Remap,
}

/// Why a handle has no published form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("debug_handle: {problem}")]
pub struct HandleError {
    /// The field, and the problem with it.
    problem: String,
}

impl DebugHandle {
    /// Reads a handle as a front end wrote it.
    ///
    /// # Errors
    /// A field that is missing, of another type, or unknown.
    pub fn read(handle: &Json) -> Result<Self, HandleError> {
        let wrong = |err: serde_json::Error| {
            // Line and column refer to a text that the user does not have.
            let mut problem = err.to_string();
            problem.truncate(problem.find(" at line ").unwrap_or(problem.len()));
            HandleError { problem }
        };
        let text = serde_json::to_string(handle).map_err(wrong)?;
        serde_json::from_str(&text).map_err(wrong)
    }

    /// Returns the handle as files hold it.
    pub fn json(&self) -> Json {
        let text = serde_json::to_string(self).expect("a handle has a JSON form");
        serde_json::from_str(&text).expect("what was written is JSON")
    }
}

/// Reads an identifier: an integer, or a decimal number as text.
fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let id = Json::deserialize(deserializer)?;
    match &id {
        Json::Number(number) if number.is_i64() || number.is_u64() => Ok(number.to_string()),
        Json::String(text)
            if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            Ok(text.clone())
        }
        other => Err(serde::de::Error::custom(format!(
            "id must be a decimal number, got {}",
            serde_json::to_string(other).map_err(serde::de::Error::custom)?
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let handle = DebugHandle::read(&json).map_err(|error| error.to_string())?;
        serde_json::to_string(&handle.json()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_known_has_its_published_value() {
        let text =
            r#"{"id":7969214884449307410,"source":{"file":"m.py","start_line":4},"aten_op":null}"#;
        let expected = concat!(
            r#"{"id":"7969214884449307410","source":{"file":"m.py","start_line":4,"start_col":0,"end_line":null,"#,
            r#""end_col":null},"aten_op":null,"ir_chain":[],"fused_from":[],"transform_history":[]}"#
        );
        assert_eq!(read(text), Ok(expected.to_owned()));
        // The published form is read as it is written.
        assert_eq!(read(expected), Ok(expected.to_owned()));
    }

    #[test]
    fn handles_nest_and_rewrites_are_kept() {
        let text = concat!(
            r#"{"id":"1","source":null,"aten_op":null,"ir_chain":["add","buf0"],"fused_from":[{"id":"2","source":null,"#,
            r#""aten_op":"aten.add.Tensor","ir_chain":[],"fused_from":[],"transform_history":[]}],"transform_history":"#,
            r#"[{"kind":"rewrite","pass_name":"split_multi_ops","reason":null}]}"#
        );
        assert_eq!(read(text), Ok(text.to_owned()));
    }

    #[test]
    fn what_has_no_published_form_is_an_error() {
        for (text, part) in [
            ("{}", "missing field `id`"),
            (r#"{"id":1.5}"#, "id must be a decimal number, got 1.5"),
            (r#"{"id":"x1"}"#, r#"id must be a decimal number, got "x1""#),
            (r#"{"id":1,"note":2}"#, "unknown field `note`"),
            (
                r#"{"id":1,"source":{"file":"m.py"}}"#,
                "missing field `start_line`",
            ),
            (
                r#"{"id":1,"transform_history":[{"kind":"magic","pass_name":"p"}]}"#,
                "unknown variant `magic`",
            ),
            ("[]", "debug_handle: "),
        ] {
            let message = read(text);
            assert!(
                message.as_ref().is_err_and(|m| m.contains(part)),
                "{text}: {message:?}"
            );
        }
    }
}
