//! One `sdsc_N.json`, as far as it says what is computed and where (SDSC bundle specification, section 5).

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::function::Function;

const RESTICKIFY: &str = "ReStickifyOpHBM";

/// One file.
pub struct Operation {
    pub name: String,
    pub function: Function,
    /// Whole extents, padded to whole sticks, and number of slices, of each dimension.
    pub extents: Vec<i64>,
    pub splits: Vec<i64>,
    /// The slice of each core.
    pub slices: Vec<Vec<i64>>,
    pub inputs: Vec<Tensor>,
    pub output: Tensor,
    /// Ranges of dimensions where a constant stands for the input.
    masks: Vec<(usize, std::ops::Range<i64>)>,
    mask_value: f32,
}

pub struct Tensor {
    pub lx: bool,
    /// Bytes of an element.
    pub bytes: i64,
    stick: (usize, i64),
    order: Vec<TensorDim>,
    /// For each core, an address or, when negative, a symbol.
    starts: Vec<i64>,
}

/// A dimension of a tensor; they are innermost first.
struct TensorDim {
    dim: usize,
    /// Whether the tensor has it. If not, it is one element there, or one element of its stick.
    has: bool,
    /// For each core, the elements behind the extent.
    gaps: Vec<i64>,
    /// The elements at the end of the extent that are not there: a change of layout runs over whole sticks of both
    /// its layouts (section 4.6).
    missing: i64,
}

impl Tensor {
    /// The start on each core.
    pub fn starts(&self, symbols: &HashMap<i64, i64>) -> Result<Vec<i64>, String> {
        let resolve = |start: &i64| match *start {
            symbol if symbol < 0 => symbols
                .get(&symbol)
                .copied()
                .ok_or(format!("symbol {symbol} has no value")),
            address => Ok(address),
        };
        self.starts.iter().map(resolve).collect()
    }

    /// Whether the tensor moves along a dimension.
    pub fn has(&self, dim: usize) -> bool {
        self.order.iter().any(|own| own.dim == dim && own.has)
    }

    /// How a core moves along each dimension of the tensor.
    pub fn steps(&self, operation: &Operation, core: usize) -> Vec<Steps> {
        let (stick, per_stick) = self.stick;
        let mut unit = per_stick;
        let own = self.order.iter().filter(|own| own.has);
        let steps = own.map(|own| {
            // A scratchpad holds the core's slice only.
            let covered = match self.lx {
                true => operation.part(own.dim),
                false => operation.extents[own.dim],
            };
            let per_unit = if own.dim == stick { per_stick } else { 1 };
            let steps = Steps {
                dim: own.dim,
                end: covered - own.missing,
                per_unit,
                unit,
            };
            unit *= (covered + own.gaps[core] - own.missing) / per_unit;
            steps
        });
        steps.collect()
    }
}

/// How a tensor moves along a dimension.
pub struct Steps {
    pub dim: usize,
    /// The first position that is not there.
    end: i64,
    /// Positions that follow each other, and the distance to the next ones.
    per_unit: i64,
    unit: i64,
}

impl Steps {
    /// Elements from the start to a position. `None` behind the end.
    pub fn to(&self, at: i64) -> Option<i64> {
        let within = if self.per_unit == 1 {
            0
        } else {
            at % self.per_unit
        };
        (at < self.end).then(|| at / self.per_unit * self.unit + within)
    }
}

impl Operation {
    /// Elements of a dimension on one core.
    pub fn part(&self, dim: usize) -> i64 {
        self.extents[dim] / self.splits[dim]
    }

    /// The inputs and the output.
    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().chain([&self.output])
    }

    /// Steps to the next point of a slice, the first dimension fastest.
    pub fn next(&self, point: &mut [i64]) -> bool {
        for (dim, at) in point.iter_mut().enumerate() {
            *at += 1;
            if *at < self.part(dim) {
                return true;
            }
            *at = 0;
        }
        false
    }

    /// A point of a core's slice in the whole.
    pub fn whole(&self, core: usize, point: &[i64]) -> Vec<i64> {
        let slices = self.slices[core].iter();
        let dims = slices.zip(point).enumerate();
        dims.map(|(dim, (slice, at))| slice * self.part(dim) + at)
            .collect()
    }

    /// The number of a point of a slice in a result without some dimensions.
    pub fn index(&self, lacking: &[usize], point: &[i64]) -> i64 {
        let dims = point.iter().enumerate();
        let own = dims.filter(|(dim, _)| !lacking.contains(dim));
        own.fold(0, |index, (dim, at)| index * self.part(dim) + at)
    }

    /// What stands for the input at a point of a core's slice.
    pub fn mask(&self, core: usize, point: &[i64]) -> Option<f32> {
        let mut masks = self.masks.iter();
        let is_masked = masks.any(|(dim, range)| {
            range.contains(&(self.slices[core][*dim] * self.part(*dim) + point[*dim]))
        });
        is_masked.then_some(self.mask_value)
    }

    pub fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|why| why.to_string())?;
        let root: Value = serde_json::from_str(&text).map_err(|why| why.to_string())?;
        let sdsc = only(&root).ok_or("no operation")?;
        let dsc = only(&sdsc["dscs_"][0]).ok_or("no descriptor")?;
        let cores = sdsc["numCoresUsed_"].as_u64().ok_or("no cores")? as usize;
        let sizes = dsc["N_"].as_object().ok_or("no extents")?.iter();
        let (dims, extents): (Vec<&str>, Vec<i64>) = sizes
            .filter(|(name, _)| *name != "name_")
            .map(|(name, size)| (name.trim_end_matches('_'), integer(size)))
            .unzip();
        let of_dims = |object: &Value| -> Vec<i64> {
            dims.iter().map(|dim| integer(&object[*dim])).collect()
        };
        let compute = &dsc["computeOp_"][0];
        let name = compute["opFuncName"].as_str().unwrap_or_default();
        let numbers = |key: &str| {
            let names = list(&compute[key]).into_iter();
            let number = |name: Value| name.as_str()?.rsplit_once("idx")?.1.parse::<usize>().ok();
            names.map(number).collect::<Option<Vec<_>>>()
        };
        let outputs = numbers("outputLabeledDs").ok_or("no outputs")?;
        let [output] = outputs[..] else {
            return Err(format!("{} outputs", outputs.len()));
        };
        let tensor = |number: usize| Tensor::read(&dsc, number, &dims, cores, name == RESTICKIFY);
        let inputs = numbers("inputLabeledDs").ok_or("no inputs")?.into_iter();
        // The output of a reduction is among its inputs (section 4.9).
        let inputs = inputs.filter(|number| *number != output).map(tensor);
        let dim = |name: &str| dims.iter().position(|dim| *dim == name);
        let mut masks = Vec::new();
        for (name, ranges) in dsc["coordinateMasking_"].as_object().into_iter().flatten() {
            for range in list(ranges) {
                let (start, length) = (integer(&range[0]), integer(&range[1]));
                masks.push((
                    dim(name).ok_or("unknown masked dimension")?,
                    start..start + length,
                ));
            }
        }
        let mask_value = match integer(&dsc["maskingConstId_"]) {
            -1 => 0.0,
            id => constant(&dsc["constantInfo_"][id.to_string()]).ok_or("no mask constant")?,
        };
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let function = Function::of(name).filter(|function| function.operands == inputs.len());
        Ok(Self {
            function: function.ok_or(format!("{name} of {} operands", inputs.len()))?,
            inputs,
            output: tensor(output)?,
            slices: (0..cores)
                .map(|core| of_dims(&sdsc["coreIdToWkSlice_"][core.to_string()]))
                .collect(),
            splits: of_dims(&sdsc["numWkSlicesPerDim_"]),
            name: name.to_owned(),
            extents,
            masks,
            mask_value,
        })
    }
}

impl Tensor {
    fn read(
        dsc: &Value,
        number: usize,
        dims: &[&str],
        cores: usize,
        restickify: bool,
    ) -> Result<Self, String> {
        let place = |name: &Value| {
            let mut dims = dims.iter();
            dims.position(|dim| Some(*dim) == name.as_str())
                .ok_or("unknown dimension")
        };
        let (node, described) = (&dsc["scheduleTree_"][number], &dsc["labeledDs_"][number]);
        let label = described["dsType_"].as_str().ok_or("no label")?;
        let label = &dsc["primaryDsInfo_"][label];
        let labelled = list(&label["layoutDimOrder_"]);
        let sticks = dsc["primaryDsInfo_"].as_object().into_iter().flatten();
        let sticks: Vec<&Value> = sticks.map(|(_, info)| &info["stickDimOrder_"][0]).collect();
        let lx = node["component_"] == "lx";
        let mut order = Vec::new();
        for dim in list(&node["layoutDimOrder_"]) {
            // Scales are in the order of the label, not of the tensor.
            let scale = labelled.iter().position(|labelled| *labelled == dim);
            let scale = scale.map_or(&Value::Null, |at| &described["scale_"][at]);
            let gaps = &node["backGapCore_"][dim.as_str().unwrap_or_default()];
            let key = |core: usize| match lx {
                true => core.to_string(),
                false => "-1".to_owned(),
            };
            let gaps: Vec<i64> = (0..cores).map(|core| integer(&gaps[key(core)])).collect();
            // Along what another layout has on its stick, a change of layout says what it lacks, which is less than
            // a stick. Otherwise the tensor is a window, and the gap is what follows it in memory.
            let lacks = restickify
                && dim != label["stickDimOrder_"][0]
                && sticks.contains(&&dim)
                && gaps[0] < integer(&label["stickSize_"][0]);
            order.push(TensorDim {
                dim: place(&dim)?,
                has: integer(scale) > 0,
                missing: if lacks { gaps[0] } else { 0 },
                gaps: if lacks { vec![0; cores] } else { gaps },
            });
        }
        let starts = &node["startAddressCoreCorelet_"]["data_"];
        Ok(Self {
            lx,
            bytes: integer(&described["wordLength"]),
            stick: (
                place(&label["stickDimOrder_"][0])?,
                integer(&label["stickSize_"][0]),
            ),
            order,
            starts: (0..cores)
                .map(|core| integer(&starts[format!("[{core}, 0, 0]")]))
                .collect(),
        })
    }
}

/// The value of an encoded constant (section 7.4).
fn constant(info: &Value) -> Option<f32> {
    let bits = u32::try_from(integer(&info["data_"]["data_"]["[0, 0, 0]"][0])).ok()?;
    if info["dataFormat_"] == "IEEE_FP32" {
        return Some(f32::from_bits(bits));
    }
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = ((bits >> 9 & 63) as i32 - 31, (bits & 511) as f32);
    let magnitude = match bits & 0x7FFF {
        0 => 0.0,
        0x7FFF => f32::INFINITY,
        _ => (1.0 + mantissa / 512.0) * 2f32.powi(exponent),
    };
    Some(sign * magnitude)
}

/// The value of the one key of an object.
fn only(value: &Value) -> Option<Value> {
    value.as_object()?.values().next().cloned()
}

/// A number or a decimal string; 0 for nothing.
fn integer(value: &Value) -> i64 {
    value
        .as_i64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap_or(0)
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
