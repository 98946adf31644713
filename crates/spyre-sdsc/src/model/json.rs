//! The neutral JSON form of operations, and the checks that its looser shape needs.

use serde::{Deserialize, Serialize};
use spyre_layout::{FormatError, UnknownName};
use thiserror::Error;

use super::{Allocation, DimBounds, Direction, IterationDim, OpInfo, OpSpec, Ownership, TensorArg};
use crate::bundle::Segments;
use crate::expr::{Expr, Symbol};
use crate::ordered::{Json, Object};
use crate::{ArgIndex, Arrangement, Bytes};

/// A JSON operation that no [`OpSpec`] can represent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("op '{op}': args[{arg}].{field} {rule}")]
pub struct SpecError {
    /// The operation's name.
    pub op: String,
    /// Position of the operand.
    pub arg: usize,
    /// The field.
    pub field: &'static str,
    /// The rule, or the mistake, with the value found.
    pub rule: String,
}

#[derive(Clone, Serialize, Deserialize)]
struct RawOp {
    op: String,
    is_reduction: bool,
    iteration_space: Vec<IterationDim>,
    #[serde(default)]
    op_info: OpInfo,
    #[serde(default)]
    tiled_levels: Vec<Vec<Symbol>>,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    tiled_symbol_trip_counts: Object<u64, Symbol>,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    symbolic_dim_bounds: Object<DimBounds, Symbol>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    core_id_to_work_slice: Option<Object<Expr, Symbol>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    completed_producer_cores: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    node_output_ranges: Vec<Expr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    debug_handle: Option<Json>,
    args: Vec<RawArg>,
}

#[derive(Clone, Serialize, Deserialize)]
struct RawArg {
    is_input: bool,
    arg_index: i64,
    /// A [`DeviceFormat`](crate::DeviceFormat).
    device_dtype: String,
    device_size: Vec<u64>,
    device_coordinates: Vec<Expr>,
    allocation: RawAllocation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device_tile_advance_expr: Option<Expr>,
    /// An [`Arrangement`], if not the standard one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element_arrangement: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    work_division: Option<Ownership>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    non_unified_alloc_in_hbm: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    kernel_local: bool,
}

/// `{"hbm": n}`, where `n` is the argument's index plus the static offset, `{"lx": n}` or `{"hbm_pool": n}`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawAllocation {
    Hbm(u64),
    Lx(u64),
    HbmPool(u64),
}

impl TryFrom<RawOp> for OpSpec {
    type Error = SpecError;

    fn try_from(raw: RawOp) -> Result<Self, SpecError> {
        let args = raw.args.into_iter().enumerate().map(|(position, arg)| {
            arg.into_tensor().map_err(|(field, rule)| SpecError {
                op: raw.op.clone(),
                arg: position,
                field,
                rule,
            })
        });
        let args = args.collect::<Result<_, _>>()?;
        Ok(Self {
            args,
            op: raw.op,
            is_reduction: raw.is_reduction,
            iteration_space: raw.iteration_space,
            op_info: raw.op_info,
            tiled_levels: raw.tiled_levels,
            tiled_symbol_trip_counts: raw.tiled_symbol_trip_counts,
            symbolic_dim_bounds: raw.symbolic_dim_bounds,
            core_id_to_work_slice: raw.core_id_to_work_slice,
            completed_producer_cores: raw.completed_producer_cores,
            node_output_ranges: raw.node_output_ranges,
            debug_handle: raw.debug_handle,
        })
    }
}

/// Returns the offset in a kernel argument of a place in device memory: the argument's number plus the offset.
///
/// # Errors
/// A number that is less, or beyond every argument, such as an address of the first revision.
fn offset(value: u64, arg: u32) -> Result<u64, String> {
    let rule = "hbm must be arg_index plus an offset";
    let size = Segments::size().get();
    if value >= size {
        // Trees of the first revision have addresses, in this table unless they have a pool.
        let place = Segments::new(false)
            .range(arg)
            .map_or(String::new(), |(first, last)| {
                format!("; as an address, argument {arg} is at {first:#x} to {last:#x}")
            });
        return Err(format!(
            "{rule} below {size:#x}, got {value:#x}{place}; write {{\"hbm\": {arg}}} for its start"
        ));
    }
    value.checked_sub(u64::from(arg)).ok_or_else(|| {
        format!(
            "{rule}, got {value} < {arg}; write {{\"hbm\": {arg}}} for the start of argument {arg}"
        )
    })
}

impl RawArg {
    fn into_tensor(self) -> Result<TensorArg, (&'static str, String)> {
        let index = self.arg_index;
        let allocation = match self.allocation {
            RawAllocation::Hbm(value) => {
                let arg = u32::try_from(index).map_err(|_| {
                    (
                        "arg_index",
                        format!("must be a non-negative 32-bit integer, got arg_index={index}"),
                    )
                })?;
                let offset = offset(value, arg).map_err(|rule| ("allocation", rule))?;
                Allocation::Hbm {
                    arg: ArgIndex::new(arg),
                    offset: Bytes(offset),
                }
            }
            RawAllocation::Lx(address) => Allocation::lx(address),
            RawAllocation::HbmPool(_) if index >= 0 => {
                return Err((
                    "arg_index",
                    format!("must be negative for a pool tensor, got arg_index={index}"),
                ));
            }
            RawAllocation::HbmPool(offset) => Allocation::pool(offset),
        };
        let format = self
            .device_dtype
            .parse()
            .map_err(|error: FormatError| ("device_dtype", error.to_string()))?;
        let arrangement = match self.element_arrangement {
            Some(name) => name
                .parse()
                .map_err(|error: UnknownName| ("element_arrangement", error.to_string()))?,
            None => Arrangement::Standard,
        };
        Ok(TensorArg {
            direction: if self.is_input {
                Direction::Input
            } else {
                Direction::Output
            },
            format,
            device_size: self.device_size,
            device_coordinates: self.device_coordinates,
            allocation,
            name: self.name,
            advance: self.device_tile_advance_expr,
            arrangement,
            ownership: self.work_division,
            separate_parts: self.non_unified_alloc_in_hbm,
            kernel_local: self.kernel_local,
        })
    }

    fn from_tensor(tensor: &TensorArg) -> Self {
        let (arg_index, allocation) = match tensor.allocation {
            // The sum saturates only beyond any address the format can hold.
            Allocation::Hbm { arg, offset } => (
                i64::from(arg.get()),
                RawAllocation::Hbm(u64::from(arg.get()).saturating_add(offset.get())),
            ),
            Allocation::Lx { address } => (-1, RawAllocation::Lx(address.get())),
            Allocation::HbmPool { offset } => (-1, RawAllocation::HbmPool(offset.get())),
        };
        Self {
            is_input: tensor.direction == Direction::Input,
            arg_index,
            device_dtype: tensor.format.to_string(),
            device_size: tensor.device_size.clone(),
            device_coordinates: tensor.device_coordinates.clone(),
            allocation,
            name: tensor.name.clone(),
            device_tile_advance_expr: tensor.advance.clone(),
            element_arrangement: (tensor.arrangement != Arrangement::Standard)
                .then(|| tensor.arrangement.to_string()),
            work_division: tensor.ownership.clone(),
            non_unified_alloc_in_hbm: tensor.separate_parts,
            kernel_local: tensor.kernel_local,
        }
    }
}

impl Serialize for OpSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawOp {
            op: self.op.clone(),
            is_reduction: self.is_reduction,
            iteration_space: self.iteration_space.clone(),
            op_info: self.op_info.clone(),
            tiled_levels: self.tiled_levels.clone(),
            tiled_symbol_trip_counts: self.tiled_symbol_trip_counts.clone(),
            symbolic_dim_bounds: self.symbolic_dim_bounds.clone(),
            core_id_to_work_slice: self.core_id_to_work_slice.clone(),
            completed_producer_cores: self.completed_producer_cores.clone(),
            node_output_ranges: self.node_output_ranges.clone(),
            debug_handle: self.debug_handle.clone(),
            args: self.args.iter().map(RawArg::from_tensor).collect(),
        };
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OpSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(RawOp::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Node;

    const ADD: &str = r#"{"kind":"op","op":"add","is_reduction":false,
        "iteration_space":[{"symbol":"c0","range":"64","work_division":2}],
        "op_info":{"constants":{"zeta":1.5,"alpha":2.0},"note":[1]},
        "tiled_levels":[["c0"],[]],
        "args":[{"is_input":true,"arg_index":3,"device_dtype":"IEEE_FP32","device_size":[2,32],
                 "device_coordinates":["floor(c0/32)","Mod(c0, 32)"],"allocation":{"hbm":259}},
                {"is_input":false,"arg_index":-1,"device_dtype":"IEEE_FP32","device_size":[2,32],
                 "device_coordinates":["floor(c0/32)","Mod(c0, 32)"],"allocation":{"lx":128},
                 "device_tile_advance_expr":"64*t"}]}"#;

    fn read(text: &str) -> Result<Node, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn reads_and_writes_the_neutral_form() -> Result<(), serde_json::Error> {
        let node = read(ADD)?;
        let Node::Op(op) = &node else {
            panic!("not an op: {node:?}")
        };
        // hbm is the argument's index plus the offset.
        assert_eq!(
            op.args[0].allocation,
            Allocation::Hbm {
                arg: ArgIndex::new(3),
                offset: Bytes(256)
            }
        );
        assert_eq!(op.args[1].allocation, Allocation::lx(128));
        let names: Vec<_> = op.op_info.constants.keys().map(String::as_str).collect();
        assert_eq!(names, ["zeta", "alpha"]);
        assert_eq!(op.op_info.other.len(), 1);
        assert_eq!(read(&serde_json::to_string(&node)?)?, node);
        Ok(())
    }

    #[test]
    fn truth_values_are_constants() -> Result<(), serde_json::Error> {
        let constants = |text: &str| -> Result<Vec<f64>, serde_json::Error> {
            let node = read(&ADD.replace(r#"{"zeta":1.5,"alpha":2.0}"#, text))?;
            let Node::Op(op) = node else {
                panic!("not an op: {node:?}")
            };
            Ok(op
                .op_info
                .constants
                .iter()
                .map(|(_, value)| *value)
                .collect())
        };
        assert_eq!(
            constants(r#"{"a":false,"b":true,"c":-2}"#)?,
            [0.0, 1.0, -2.0]
        );
        let message = constants(r#"{"a":"1"}"#).map_err(|error| error.to_string());
        assert!(
            message
                .as_ref()
                .is_err_and(|m| m.contains("a number or a truth value")),
            "{message:?}"
        );
        Ok(())
    }

    #[test]
    fn arrangements_are_written_unless_standard() -> Result<(), serde_json::Error> {
        let standard = read(ADD)?;
        assert!(!serde_json::to_string(&standard)?.contains("element_arrangement"));
        let staggered = r#""allocation":{"lx":128},"element_arrangement":"DL16_TO_FP32""#;
        let node = read(&ADD.replacen(r#""allocation":{"lx":128}"#, staggered, 1))?;
        let Node::Op(op) = &node else {
            panic!("not an op: {node:?}")
        };
        assert_eq!(op.args[1].arrangement, Arrangement::Dl16ToFp32);
        assert_eq!(read(&serde_json::to_string(&node)?)?, node);
        Ok(())
    }

    #[test]
    fn contradictions_and_unusable_formats_are_refused() {
        for (from, to, part) in [
            (
                r#""arg_index":3"#,
                r#""arg_index":-1"#,
                "op 'add': args[0].arg_index must be a non-negative",
            ),
            (
                r#"{"hbm":259}"#,
                r#"{"hbm":2}"#,
                "args[0].allocation hbm must be arg_index plus an offset, got 2 < 3",
            ),
            (
                r#"{"hbm":259}"#,
                r#"{"hbm":51539607552}"#,
                r#"got 0xc00000000; as an address, argument 3 is at 0xc00000000 to 0xfffffffff; write {"hbm": 3} for its start"#,
            ),
            (
                r#"{"hbm":259}"#,
                r#"{"hbm_pool":0}"#,
                "args[0].arg_index must be negative for a pool tensor",
            ),
            (
                "IEEE_FP32",
                "SENINT4",
                "op 'add': args[0].device_dtype SENINT4 has 256 elements per stick: sub-byte",
            ),
            (
                "IEEE_FP32",
                "FLOAT",
                "args[0].device_dtype unknown device format `FLOAT`",
            ),
            (
                r#"{"lx":128}"#,
                r#"{"lx":128},"element_arrangement":"ODD""#,
                "op 'add': args[1].element_arrangement unknown element arrangement `ODD`",
            ),
            (r#"{"hbm":259}"#, r#"{"hbm":3,"lx":0}"#, ""),
            (r#"{"hbm":259}"#, "{}", ""),
        ] {
            let message = read(&ADD.replacen(from, to, 1))
                .map(|_| ())
                .map_err(|error| error.to_string());
            assert!(
                message.as_ref().is_err_and(|m| m.contains(part)),
                "{to}: {message:?}"
            );
        }
    }
}
