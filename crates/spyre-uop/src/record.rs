//! Programs with recorded results, and whether a graph has them.

use std::collections::BTreeMap;

use crate::dtype::DType;
use crate::file::{self, ImportError, Imported};
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::interpret::{self, Inputs, Limits, RunError};
use crate::op::TensorType;
use crate::place::{self, Misplaced};
use crate::schema::{Compare, Datum, Device, File, Output, Text};
use crate::tensor::{Tensor, TensorError};

/// A program with its inputs.
#[derive(Debug, Clone)]
pub struct Record {
    /// The graph.
    pub imported: Imported,
    /// The content of buffers.
    pub inputs: Inputs,
    /// The nodes of the results, in the order of the file.
    pub results: Vec<NodeId>,
}

/// A program does not match its record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A node is not valid in a graph.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The values of an input or of a result are not of its type.
    #[error("at {path}: {reason}")]
    Values {
        /// The place, from the root of the JSON.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The graph cannot be executed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The places of the sources of a node conflict.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
    /// A result differs from the recorded one.
    #[error("output {output}: {reason}")]
    Differs {
        /// The position of the result.
        output: usize,
        /// The reason.
        reason: String,
    },
}

/// Builds a program of a file.
///
/// # Errors
/// A node is not valid in a graph, or the values of an input are not of its type.
pub fn record(file: &File) -> Result<Record, RecordError> {
    let imported = file::import(&file.nodes)?;
    let mut inputs = Inputs::default();
    for (position, input) in file.inputs.iter().flatten().enumerate() {
        let path = format!("inputs[{position}]");
        let tensor = tensor(&path, &input.dtype, &input.shape, &input.data)?;
        if inputs.buffers.insert(input.slot, tensor).is_some() {
            let reason = format!("buffer {} has two contents", input.slot);
            return Err(RecordError::Values { path, reason });
        }
    }
    let mut results = Vec::new();
    for (position, output) in file.outputs.iter().flatten().enumerate() {
        results.push(
            imported
                .node(output.node)
                .ok_or_else(|| RecordError::Values {
                    path: format!("outputs[{position}].node"),
                    reason: format!("there is no node {}", output.node),
                })?,
        );
    }
    Ok(Record {
        imported,
        inputs,
        results,
    })
}

/// Returns the type of values in a file.
fn value_type(path: &str, dtype: &str, shape: &[u64]) -> Result<TensorType, RecordError> {
    let unknown = || RecordError::Values {
        path: format!("{path}.dtype"),
        reason: format!("{dtype:?} is no element type"),
    };
    Ok(TensorType {
        dtype: DType::of_name(dtype).ok_or_else(unknown)?,
        shape: shape.into(),
    })
}

/// Builds a tensor of values in a file.
fn tensor(path: &str, dtype: &str, shape: &[u64], data: &[Datum]) -> Result<Tensor, RecordError> {
    let ty = value_type(path, dtype, shape)?;
    Tensor::of_data(ty, data).map_err(|error| RecordError::Values {
        path: match error {
            TensorError::Value { position, .. } => format!("{path}.data[{position}]"),
            TensorError::Count { .. } => format!("{path}.data"),
        },
        reason: error.to_string(),
    })
}

/// Executes a program, and compares its results and their places with the record.
///
/// # Errors
/// [`RecordError`]: it is invalid, cannot be executed, or has other results.
pub fn check(file: &File) -> Result<(), RecordError> {
    let record = record(file)?;
    let graph = &record.imported.graph;
    let values = interpret::run(graph, &record.inputs, &record.results, Limits::default())?;
    compare(file, graph, &record.results, &values)
}

/// Compares results with the record.
///
/// # Errors
/// [`RecordError::Differs`], or the record has no values of the types of its results.
pub fn compare(
    file: &File,
    graph: &Graph,
    results: &[NodeId],
    values: &[Tensor],
) -> Result<(), RecordError> {
    let places = place::places(graph)?;
    for (position, output) in file.outputs.iter().flatten().enumerate() {
        let differs = |reason: String| RecordError::Differs {
            output: position,
            reason,
        };
        let path = format!("outputs[{position}]");
        let ty = &value_type(&path, &output.dtype, &output.shape)?;
        let value = &values[position];
        if value.ty != *ty {
            return Err(differs(format!("it is {}, and not {ty}", value.ty)));
        }
        if output.data.len() != value.elements.len() {
            let reason = format!(
                "there are {} values, but {ty} has another number of elements",
                output.data.len()
            );
            let path = format!("{path}.data");
            return Err(RecordError::Values { path, reason });
        }
        let expected = match &output.reference {
            Some(reference) if reference.len() == output.data.len() => reference,
            Some(reference) => {
                let reason = format!(
                    "{} values for {} elements",
                    reference.len(),
                    output.data.len()
                );
                let path = format!("{path}.ref");
                return Err(RecordError::Values { path, reason });
            }
            None => &output.data,
        };
        for (at, (actual, expected)) in value.data().into_iter().zip(expected).enumerate() {
            if !is_equal(output.compare, actual, *expected) {
                let show =
                    |datum: &Datum| serde_json::to_string(datum).expect("a number or a text");
                let (actual, expected) = (show(&actual), show(expected));
                return Err(differs(format!(
                    "element {at} is {actual}, and not {expected}"
                )));
            }
        }
        if let Some(axis) = output.axis {
            let place = &places[results[position]];
            let axis_number = place.axis.map(|axis| axis as u64);
            if axis_number != axis || place.device.as_deref() != output.device.as_ref() {
                return Err(differs(format!(
                    "its place is {place:?}, but the recorded one is axis {axis:?} of {:?}",
                    output.device
                )));
            }
        }
        if let Some(shards) = &output.shards {
            let axis = places[results[position]].axis;
            is_shared(output, shards, value, axis).map_err(differs)?;
        }
    }
    Ok(())
}

/// Returns the part of a value that each device of a tuple holds.
///
/// # Panics
/// The axis has no equal parts: U36.
fn shards(devices: &[Text], axis: Option<usize>, value: &Tensor) -> Vec<Tensor> {
    match axis {
        Some(axis) => value.parts(axis, devices.len()),
        None => vec![value.clone(); devices.len()],
    }
}

fn is_shared(
    output: &Output,
    recorded: &BTreeMap<Text, Vec<Datum>>,
    value: &Tensor,
    axis: Option<usize>,
) -> Result<(), String> {
    let devices = match &output.device {
        Some(Device::Many(devices)) => devices.clone(),
        Some(Device::One(device)) => vec![device.clone()],
        None => return Err("only a value on several devices may have shards".to_owned()),
    };
    if recorded.len() != devices.len() {
        return Err(format!(
            "{} devices have {} shards",
            devices.len(),
            recorded.len()
        ));
    }
    for (device, shard) in devices.iter().zip(shards(&devices, axis, value)) {
        let data = shard.data();
        let recorded = recorded
            .get(device)
            .ok_or_else(|| format!("device {device:?} has no shard"))?;
        let is_reproduced = data.len() == recorded.len()
            && data
                .iter()
                .zip(recorded)
                .all(|(datum, other)| is_equal(output.compare, *datum, *other));
        if !is_reproduced {
            return Err(format!("device {device:?} holds another shard"));
        }
    }
    Ok(())
}

/// Returns whether a value equals the expected one.
#[must_use]
pub fn is_equal(compare: Compare, value: Datum, expected: Datum) -> bool {
    let float = |datum: Datum| match datum {
        Datum::Float(value) => Some(value),
        // An integer that is expected of a float is exact.
        other => other.as_integer().map(|value| value as f64),
    };
    match (value, expected) {
        (Datum::Float(value), expected) => {
            let Some(expected) = float(expected) else {
                return false;
            };
            let is_same = value == expected || (value.is_nan() && expected.is_nan());
            match compare {
                Compare::Exact {} => is_same,
                Compare::Close { rtol, atol } => {
                    is_same || (value - expected).abs() <= atol + rtol * expected.abs()
                }
            }
        }
        (value, expected) => match compare {
            Compare::Exact {} => value == expected,
            Compare::Close { rtol, atol } => match (value.as_integer(), expected.as_integer()) {
                (Some(value), Some(expected)) => {
                    (value - expected).abs() as f64 <= atol + rtol * (expected as f64).abs()
                }
                _ => value == expected,
            },
        },
    }
}
