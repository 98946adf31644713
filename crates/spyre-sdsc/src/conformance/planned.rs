//! A recorded operation that is planned already, with all fields spelled out: stage `sdsc`.

use serde::Deserialize;
use spyre_plan::CoreMapping;

use super::result::Levels;
use crate::bundle::{SdscFile, SymbolBase};
use crate::codegen::{
    Constant, Descriptor, Dim, ExecutionUnit, Layout, LayoutLabel, LevelStep, MASK_CONSTANT, Mask,
    Packing, PlannedDim, PlannedTensor, Role, Scale, StickDim, TensorDim, level_steps,
};
use crate::expr::{Expr, Symbol};
use crate::model::Allocation;
use crate::ordered::{Json, Object};
use crate::revision::Revision;
use crate::{ArgIndex, Bytes, DeviceFormat, Elements, encode_constant};

#[derive(Deserialize)]
pub(super) struct PlannedCase {
    opfunc: String,
    execution_unit: String,
    #[serde(with = "crate::by_name")]
    data_format: DeviceFormat,
    num_inputs: usize,
    iteration_space: Object<u64>,
    num_cores: u32,
    work_slices: Object<u32>,
    core_id_to_work_slice: Object<Expr>,
    layouts: Object<PlannedLayout>,
    args: Vec<PlannedArg>,
    #[serde(deserialize_with = "crate::model::numbers_and_truths")]
    constants: Object<f64>,
    coordinate_masking: Object<Vec<[u64; 2]>>,
    symbolic_dims: Object<Json>,
}

#[derive(Deserialize)]
struct PlannedLayout {
    dim_order: Vec<String>,
    stick_dim_order: Vec<String>,
    stick_size: Vec<u64>,
}

#[derive(Deserialize)]
struct PlannedArg {
    layout: String,
    dim_order: Vec<String>,
    #[serde(with = "crate::by_name")]
    data_format: DeviceFormat,
    scales: Object<i64>,
    strides: Object<u64>,
    offsets: Object<u64>,
    max_dim_sizes: Object<i64>,
    allocation: Object<u64>,
    start_address: u64,
    #[serde(rename = "backGap")]
    back_gap: Object<u64>,
    arg_index: i64,
    is_index_tensor: bool,
    related_value_tensor_idx: i64,
    device_tile_advance_expr: Option<Expr>,
}

impl PlannedCase {
    /// True if extents are dynamic. Their recorded form is unknown.
    pub(super) fn has_runtime_sizes(&self) -> bool {
        !self.symbolic_dims.is_empty()
    }

    /// The file, and the levels of its operation.
    pub(super) fn file(
        &self,
        number: usize,
        base: SymbolBase,
        revision: Revision,
        levels: &[Vec<Symbol>],
    ) -> Result<(SdscFile, Levels), String> {
        let descriptor = self.descriptor(levels)?;
        let levels = Levels {
            symbols: levels.to_vec(),
            advances: self
                .args
                .iter()
                .map(|arg| arg.device_tile_advance_expr.clone())
                .collect(),
        };
        let file = SdscFile::with_symbols(descriptor, number, base, revision);
        Ok((file, levels))
    }

    fn descriptor(&self, levels: &[Vec<Symbol>]) -> Result<Descriptor, String> {
        let dims = self.iteration_space.iter().map(|(name, extent)| {
            Ok(PlannedDim {
                dim: dim(name)?,
                extent: *extent,
                slices: self
                    .work_slices
                    .get(name.as_str())
                    .copied()
                    .unwrap_or(1)
                    .into(),
                runtime: None,
            })
        });
        let dims = dims.collect::<Result<Vec<_>, String>>()?;
        let layouts = self.layouts()?;
        let mut tensors = Vec::with_capacity(self.args.len());
        for (operand, arg) in self.args.iter().enumerate() {
            let mut tensor = self.tensor(arg, operand, &layouts)?;
            if let Some(advance) = &arg.device_tile_advance_expr {
                tensor.steps = level_steps(levels, advance, &tensor, operand)
                    .map_err(|error| error.to_string())?;
            }
            tensors.push(tensor);
        }
        let masks = self.masks()?;
        Ok(Descriptor {
            opfunc: self.opfunc.clone(),
            unit: match self.execution_unit.as_str() {
                "pt" => ExecutionUnit::Pt,
                "sfp" => ExecutionUnit::Sfp,
                other => return Err(format!("execution unit {other}")),
            },
            data_format: self.data_format,
            core_mapping: self.core_mapping(&dims)?.into(),
            scheduled: Vec::new(),
            dims,
            masks,
            layouts,
            tensors,
            constants: self
                .constants
                .iter()
                .map(|(name, value)| Constant {
                    name: name.clone(),
                    code: encode_constant(*value, self.data_format),
                })
                .collect(),
            input_count: self.num_inputs,
            debug_handle: None,
            windows: None,
        })
    }

    fn layouts(&self) -> Result<Vec<Layout>, String> {
        let layouts = self.layouts.iter().map(|(label, layout)| {
            if layout.stick_dim_order.len() != layout.stick_size.len() {
                return Err(format!(
                    "layout {label} has another number of sticks and sizes"
                ));
            }
            let sticks = layout.stick_dim_order.iter().zip(&layout.stick_size);
            Ok(Layout {
                label: LayoutLabel::named(label).ok_or_else(|| format!("label {label}"))?,
                dim_order: layout
                    .dim_order
                    .iter()
                    .map(|d| dim(d))
                    .collect::<Result<_, _>>()?,
                sticks: sticks
                    .map(|(name, size)| {
                        let size = Elements(*size);
                        Ok(StickDim {
                            dim: dim(name)?,
                            size,
                        })
                    })
                    .collect::<Result<_, String>>()?,
            })
        });
        layouts.collect()
    }

    fn masks(&self) -> Result<Vec<Mask>, String> {
        let masks = self.coordinate_masking.iter().flat_map(|(name, ranges)| {
            ranges.iter().map(move |[start, len]| {
                Ok(Mask {
                    dim: dim(name)?,
                    start: *start,
                    len: *len,
                })
            })
        });
        let masks = masks.collect::<Result<Vec<Mask>, String>>()?;
        if !masks.is_empty() && self.constants.get(MASK_CONSTANT).is_none() {
            return Err(format!(
                "elements are masked, but the constant {MASK_CONSTANT} is missing"
            ));
        }
        Ok(masks)
    }

    /// The mapping of cores with the slices of the recorded expressions.
    fn core_mapping(&self, dims: &[PlannedDim]) -> Result<CoreMapping, String> {
        let splits: Result<Vec<u32>, _> = dims.iter().map(|d| u32::try_from(d.slices)).collect();
        let splits = splits.expect("recorded slices are numbers of 32 bits");
        let last = splits.len().checked_sub(1);
        for fastest in [None, last] {
            let mapping = CoreMapping::new(&splits, fastest).map_err(|error| error.to_string())?;
            if mapping.cores() == self.num_cores && self.is_recorded(&mapping, dims)? {
                return Ok(mapping);
            }
        }
        Err(format!(
            "{} cores with slices {:?} are no mixed-radix number",
            self.num_cores, self.core_id_to_work_slice
        ))
    }

    fn is_recorded(&self, mapping: &CoreMapping, dims: &[PlannedDim]) -> Result<bool, String> {
        for core in 0..mapping.cores() {
            let slices = mapping
                .slices_of(core)
                .expect("a core that works has slices");
            let core = i64::from(core);
            for (dim, slice) in dims.iter().zip(slices) {
                let Some(recorded) = self.core_id_to_work_slice.get(dim.dim.as_str()) else {
                    return Ok(false);
                };
                let recorded = recorded
                    .eval(|symbol| (symbol.as_str() == "core_id").then_some(core))
                    .map_err(|error| error.to_string())?;
                if recorded != i64::from(slice) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// An address after the parts of all cores, if it fits.
    fn end(&self, arg: &PlannedArg, dims: &[TensorDim]) -> Option<i64> {
        let elements = dims.iter().try_fold(Elements::ZERO, |sum, d| {
            sum.checked_add(d.offset)?.checked_add(d.stride)
        })?;
        let bytes = elements.to_bytes(arg.data_format.bytes_per_element())?;
        let bytes = bytes.checked_mul(self.num_cores.into())?;
        i64::try_from(bytes.checked_add(Bytes(arg.start_address))?.get()).ok()
    }

    fn tensor(
        &self,
        arg: &PlannedArg,
        operand: usize,
        layouts: &[Layout],
    ) -> Result<PlannedTensor, String> {
        let label =
            LayoutLabel::named(&arg.layout).ok_or_else(|| format!("label {}", arg.layout))?;
        let layout = layouts.iter().find(|layout| layout.label == label);
        let layout = layout.ok_or_else(|| format!("no layout {}", arg.layout))?;
        let dims = arg.dim_order.iter().map(|name| {
            let elements_of =
                |values: &Object<u64>| values.get(name.as_str()).copied().map(Elements);
            Ok(TensorDim {
                dim: dim(name)?,
                scale: match arg.scales.get(name.as_str()) {
                    Some(1) => Scale::Full,
                    Some(-1) => Scale::Reduced,
                    Some(-2) => Scale::StickReduced,
                    other => return Err(format!("scale {other:?} of {name}")),
                },
                stride: elements_of(&arg.strides).ok_or_else(|| format!("no stride of {name}"))?,
                offset: elements_of(&arg.offsets).unwrap_or(Elements::ZERO),
                back_gap: elements_of(&arg.back_gap).unwrap_or(Elements::ZERO),
                gathered: arg.max_dim_sizes.get(name.as_str()) == Some(&1),
            })
        });
        let dims = dims.collect::<Result<Vec<TensorDim>, String>>()?;
        // Planning guarantees these invariants.
        let mut in_memory = dims.iter().filter(|d| d.scale == Scale::Full);
        let is_iterated = |d: &&TensorDim| self.iteration_space.get(d.dim.as_str()).is_some();
        if let Some(d) = in_memory.find(|d| !is_iterated(d)) {
            return Err(format!("{} is not iterated over", d.dim));
        }
        let has = |dim: &&Dim| dims.iter().any(|d| d.dim == **dim);
        if let Some(dim) = layout.dim_order.iter().find(|dim| !has(dim)) {
            return Err(format!("no dimension {dim} of layout {}", arg.layout));
        }
        if self.end(arg, &dims).is_none() {
            return Err("an address does not fit 63 bits".to_owned());
        }
        let value_of_index = |index: usize| {
            let related = self.args.get(index).filter(|arg| arg.is_index_tensor);
            related.and_then(|arg| usize::try_from(arg.related_value_tensor_idx).ok())
        };
        let role = match value_of_index(operand) {
            Some(value) if value >= self.args.len() => {
                return Err(format!("no operand {value} that is related"));
            }
            Some(value) => Role::Index { value },
            None => (0..self.args.len())
                .find(|index| value_of_index(*index) == Some(operand))
                .map_or(Role::Plain, |index| Role::Value { index }),
        };
        let in_memory = |d: &&TensorDim| d.scale == Scale::Full;
        Ok(PlannedTensor {
            label,
            stick: dims
                .iter()
                .filter(in_memory)
                .map(|d| d.dim)
                .find(|dim| layout.is_stick(*dim)),
            dims,
            format: arg.data_format,
            per_stick: arg.data_format.elements_per_stick(),
            element_bytes: arg.data_format.bytes_per_element(),
            allocation: arg.allocation()?,
            role,
            steps: Vec::<LevelStep>::new(),
            separate_parts: false,
            ownership: None,
            packing: Packing::Linear,
        })
    }
}

impl PlannedArg {
    /// The place of the tensor. In device memory, the recorded start is the index of the kernel argument plus an
    /// offset.
    fn allocation(&self) -> Result<Allocation, String> {
        let start = self.start_address;
        match self.allocation.keys().next().map(String::as_str) {
            Some("lx") => Ok(Allocation::lx(start)),
            Some("pool" | "hbm_pool") => Ok(Allocation::pool(start)),
            Some("hbm") => {
                let arg = u32::try_from(self.arg_index)
                    .map_err(|_| format!("argument {}", self.arg_index))?;
                let offset = start
                    .checked_sub(arg.into())
                    .ok_or_else(|| format!("start {start} of argument {arg}"))?;
                Ok(Allocation::Hbm {
                    arg: ArgIndex::new(arg),
                    offset: Bytes(offset),
                })
            }
            other => Err(format!("allocation {other:?}")),
        }
    }
}

fn dim(name: &str) -> Result<Dim, String> {
    Dim::named(name).ok_or_else(|| format!("dimension {name} has too long a name"))
}
