//! The JSON form `uop-graph-1`, as it is in a file.
//!
//! A field has the contents of the file: numbers of nodes are not resolved, and no rule of an operation is checked. The
//! fields of [`Arg`] that an operation needs, and its rules, are checked when the file is imported as a graph.
//! tinygrad's records of the program (intervals, values, indices) are kept, so that reading and writing a file does not
//! change it.

mod datum;

use std::collections::BTreeMap;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

pub use datum::Datum;

/// The value of `format`.
pub const FORMAT: &str = "uop-graph-1";

/// A name. Short names need no allocation.
pub type Text = smol_str::SmolStr;

/// One program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// [`FORMAT`].
    pub format: Text,
    /// The name of the program.
    pub name: Text,
    /// The category that it is an example of.
    pub category: Text,
    /// The description, for people.
    pub description: String,
    /// The origin of its results. The value is kept but not interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<serde_json::Value>,
    /// The devices that hold sharded values, in their order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<Text>>,
    /// The nodes. A node comes after the nodes that it reads.
    pub nodes: Vec<Node>,
    /// The values of the inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<Input>>,
    /// The results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<Output>>,
    /// The node with the recorded range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<u64>,
    /// The range of `result` after tinygrad's simplifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simplified_mm: Option<[Datum; 2]>,
    /// The text of `result` after tinygrad's simplifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simplified_text: Option<String>,
    /// The simplified index of a program that moves elements. The value is kept but not interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rangeify: Option<serde_json::Value>,
}

/// One device, or a tuple of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Device {
    /// One device.
    One(Text),
    /// A tuple of devices; each has a part of a value, or all of it.
    Many(Vec<Text>),
}

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The number, unique in the file; a written file has positions as numbers.
    pub id: u64,
    /// The operation.
    pub op: Text,
    /// The element type of its result, or `void`.
    pub dtype: Text,
    /// The extents of its result, in elements; `null` where there is no tensor.
    pub shape: Option<Vec<u64>>,
    /// The numbers of the nodes that it reads.
    pub src: Vec<u64>,
    /// The arguments that are no nodes.
    pub arg: Arg,
    /// The smallest and the largest value, as tinygrad derives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mm: Option<[Datum; 2]>,
    /// The smallest and the largest value on the inputs of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obs: Option<[Datum; 2]>,
    /// Whether the value is NaN somewhere on the inputs of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obs_nan: Option<bool>,
    /// The smallest and the largest value over all values of ranges and parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#true: Option<[Datum; 2]>,
    /// Whether `mm` does not contain values that there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mm_unsound: Option<bool>,
    /// Where the result is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// The axis along which the devices of a tuple share the result.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub axis: Option<Option<u64>>,
}

impl Node {
    /// Returns a node without recorded data.
    #[must_use]
    pub fn new(
        id: u64,
        op: impl Into<Text>,
        dtype: impl Into<Text>,
        shape: Option<Vec<u64>>,
        src: Vec<u64>,
        arg: Arg,
    ) -> Self {
        Self {
            id,
            op: op.into(),
            dtype: dtype.into(),
            shape,
            src,
            arg,
            mm: None,
            obs: None,
            obs_nan: None,
            r#true: None,
            mm_unsound: None,
            device: None,
            axis: None,
        }
    }

    /// Returns the node without its recorded data.
    #[must_use]
    pub fn without_record(&self) -> Self {
        let Self {
            id,
            op,
            dtype,
            shape,
            src,
            arg,
            ..
        } = self.clone();
        Self::new(id, op, dtype, shape, src, arg)
    }
}

/// The arguments of a node that are no nodes. The operation determines which of them exist.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arg {
    /// The number of a buffer or of a parameter, or the name of a symbolic integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The smallest value of a symbolic integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The largest value of a symbolic integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// A constant, which is not rounded yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Datum>,
    /// Bytes, each as two digits of base 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Where a tensor begins in a larger one, per axis, in elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<Vec<u64>>,
    /// Extents, in elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Vec<u64>>,
    /// The axis of the source for each axis of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perm: Option<Vec<u64>>,
    /// The combination of a reduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<Text>,
    /// The reduced axes, or a truth value for each axis that may be reversed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<Datum>>,
    /// An element type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Text>,
    /// The position in a tuple.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// The trip count of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    /// The number of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis_id: Option<u64>,
    /// The purpose of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis_type: Option<Text>,
    /// The place of a value, or its destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// The kind of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addrspace: Option<Text>,
    /// The axis that is no longer there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<u64>,
}

/// The number of a buffer or a parameter, or the name of a symbolic integer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Slot {
    /// A number.
    Number(u32),
    /// A name.
    Name(Text),
}

/// The values of an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The number of its buffer.
    pub slot: u32,
    /// The element type.
    pub dtype: Text,
    /// The extents, in elements.
    pub shape: Vec<u64>,
    /// The elements, the last axis the fastest.
    pub data: Vec<Datum>,
}

/// A result, with its expected value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The number of its node.
    pub node: u64,
    /// The element type.
    pub dtype: Text,
    /// The extents, in elements.
    pub shape: Vec<u64>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
    /// The axis along which the devices of a tuple share it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub axis: Option<Option<u64>>,
    /// The elements, the last axis the fastest.
    pub data: Vec<Datum>,
    /// The elements that each device holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shards: Option<BTreeMap<Text, Vec<Datum>>>,
    /// The elements with every node computed in 64 bits and rounded once.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ref")]
    pub reference: Option<Vec<Datum>>,
    /// The distance of `data` and `ref`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_abs_diff: Option<Datum>,
    /// The rule by which values are equal.
    pub compare: Compare,
}

/// The rule by which values are equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Compare {
    /// Equal values. NaN equals NaN, and 0.0 equals -0.0.
    Exact {},
    /// Values that are at most `atol + rtol * |expected|` apart.
    Close {
        /// The relative part.
        rtol: f64,
        /// The absolute part.
        atol: f64,
    },
}

/// Reads a field that exists, even if it is `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A file is no program of this format.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON of this form.
    #[error("at {path}: {reason}")]
    Json {
        /// The place, from the root of the JSON.
        path: String,
        /// The reason.
        reason: serde_json::Error,
    },
    /// It has another format.
    #[error("at format: expected \"{FORMAT}\", got {0:?}")]
    Format(String),
}

/// Reads a program.
///
/// # Errors
/// [`ReadError`], with the path in the JSON.
pub fn read(text: &[u8]) -> Result<File, ReadError> {
    // Tracking paths costs as much as reading, so they are computed only for an error.
    let file = serde_json::from_slice::<File>(text).map_err(|err| located(text, err))?;
    if file.format != FORMAT {
        return Err(ReadError::Format(file.format.to_string()));
    }
    Ok(file)
}

/// Returns the place of an error in JSON.
fn located(text: &[u8], err: serde_json::Error) -> ReadError {
    let mut json = serde_json::Deserializer::from_slice(text);
    let read: Result<File, _> = serde_path_to_error::deserialize(&mut json);
    match read {
        Err(error) => ReadError::Json {
            path: error.path().to_string(),
            reason: error.into_inner(),
        },
        // The error is after the program.
        Ok(_) => ReadError::Json {
            path: ".".to_owned(),
            reason: err,
        },
    }
}

/// Writes a program: a line for each node, input and output, as tinygrad's records are.
#[must_use]
pub fn write(file: &File) -> String {
    let fields = [
        Some(("format", json(&file.format))),
        Some(("name", json(&file.name))),
        Some(("category", json(&file.category))),
        Some(("description", json(&file.description))),
        file.oracle.as_ref().map(|field| ("oracle", json(field))),
        file.devices.as_ref().map(|field| ("devices", json(field))),
        Some(("nodes", rows(&file.nodes))),
        file.inputs.as_ref().map(|field| ("inputs", rows(field))),
        file.outputs.as_ref().map(|field| ("outputs", rows(field))),
        file.result.map(|field| ("result", json(&field))),
        file.simplified_mm
            .map(|field| ("simplified_mm", json(&field))),
        file.simplified_text
            .as_ref()
            .map(|field| ("simplified_text", json(field))),
        file.rangeify
            .as_ref()
            .map(|field| ("rangeify", json(field))),
    ];
    let lines = fields.into_iter().flatten();
    let lines: Vec<String> = lines
        .map(|(name, text)| format!(" \"{name}\": {text}"))
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn rows<T: Serialize>(list: &[T]) -> String {
    if list.is_empty() {
        return "[]".to_owned();
    }
    let rows: Vec<String> = list.iter().map(|row| format!("  {}", json(row))).collect();
    format!("[\n{}\n ]", rows.join(",\n"))
}

fn json(part: &impl Serialize) -> String {
    serde_json::to_string(part).expect("the keys of all tables are texts")
}
