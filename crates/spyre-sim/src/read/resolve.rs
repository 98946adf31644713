//! From the keys of a file to an [`Operation`].

use rustc_hash::FxHashSet;

use spyre_layout::{DeviceFormat, Dl16};

use super::consistency;
use super::error::{Resolved, SdscError, error};
use super::gathers;
use super::json::{self, Constant, Constants, Dsc, Extent, Label, Node, Number, Object, Sdsc};
use super::operation::{Core, Dim, Mask, MemoryKind, Operation, Start, Tensor, TensorDim};
use super::relayouts;
use super::windows;

/// The change of layout, where gaps can mean missing elements.
const RESTICKIFY: &str = "ReStickifyOpHBM";
/// The name of the constant that masked elements read as.
const MASK_VALUE: &str = "samv-maskvalue";

/// Returns the item, if it is the only one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next();
    first.filter(|_| items.next().is_none())
}

/// Checks the fields of the file against each other.
pub(super) fn resolve(root: &Object<Sdsc>) -> Resolved<Operation> {
    let Some((key, sdsc)) = root.only() else {
        return error(
            "/",
            format!("the file has {} operations, expected one", root.0.len()),
        );
    };
    let dsc = match sdsc.dscs.as_slice() {
        [dsc] => dsc.only(),
        _ => None,
    };
    let Some((_, dsc)) = dsc else {
        return error(
            format!("{key}/dscs_"),
            "there must be exactly one operation",
        );
    };
    let resolver = Resolver { sdsc, dsc };
    resolver.operation()
}

/// A tensor of a computation in the file.
struct TensorPlace<'a> {
    /// The number.
    index: usize,
    described: &'a json::Tensor,
    node: &'a Node,
    memory: MemoryKind,
}

impl TensorPlace<'_> {
    /// Returns the place of a key of the node in the file.
    fn at(&self, key: &str) -> String {
        format!("scheduleTree_/{}/{key}", self.index)
    }

    /// Returns the start of the tensor on each core.
    fn starts(&self, cores: &[Core]) -> Resolved<Vec<Start>> {
        let starts = cores.iter().map(|core| {
            let key = format!("[{}, 0, 0]", core.number);
            let start = self.node.starts.data.get(&key).map(|Number(start)| *start);
            match start {
                Some(start) if self.node.symbolic.0 && self.memory == MemoryKind::Hbm => {
                    Ok(Start::Symbol(start))
                }
                Some(start) => Ok(Start::Address(start)),
                None => error(self.at("startAddressCoreCorelet_"), format!("no '{key}'")),
            }
        });
        starts.collect()
    }
}

/// The layout of a tensor with sticks along one dimension.
struct Sticks<'a> {
    label: &'a Label,
    /// The place of the layout in the file.
    info: String,
    /// The dimension of the sticks.
    dim: &'a String,
    /// The number of elements of a stick.
    per_stick: u64,
}

/// Returns the format of the elements of a tensor.
fn stored_format(index: usize, described: &json::Tensor) -> Resolved<DeviceFormat> {
    let here = format!("labeledDs_/{index}");
    let format: DeviceFormat = match described.format.parse() {
        Ok(format) => format,
        Err(err) => return error(format!("{here}/dataFormat_"), format!("{err}")),
    };
    let bytes = format.bytes_per_element().get();
    if described.bytes != bytes {
        let message = format!(
            "expected {bytes}, the bytes of an element, got {}",
            described.bytes
        );
        return error(format!("{here}/wordLength"), message);
    }
    Ok(format)
}

struct Resolver<'a> {
    sdsc: &'a Sdsc,
    dsc: &'a Dsc,
}

impl Resolver<'_> {
    fn operation(&self) -> Resolved<Operation> {
        let [compute] = self.dsc.compute.as_slice() else {
            let actual = self.dsc.compute.len();
            return error(
                "computeOp_",
                format!("there are {actual} computations, expected one"),
            );
        };
        consistency::order_of_inputs(compute)?;
        let dims = self.dims()?;
        let cores = self.cores(&dims)?;
        let restickify = compute.function == RESTICKIFY;
        let relayout = relayouts::resolve(self.dsc, compute, &dims)?;
        let (sources, destinations) = match &relayout {
            Some(relayout) => (&relayout.source.cores, &relayout.destination.cores),
            None => (&cores, &cores),
        };
        let tensor = |name: &String| self.tensor(name, &dims, sources, restickify);
        let [output] = compute.outputs.as_slice() else {
            let actual = compute.outputs.len();
            return error(
                "computeOp_/0/outputLabeledDs",
                format!("there are {actual} outputs, expected one"),
            );
        };
        let output = self.tensor(output, &dims, destinations, restickify)?;
        let inputs = compute.indices.iter().chain(&compute.inputs).map(tensor);
        let mut inputs: Vec<Tensor> = inputs.collect::<Resolved<_>>()?;
        let gather = gathers::resolve(self.dsc, compute, cores.len(), &mut inputs)?;
        if gather.is_some() && inputs.iter().any(|input| input.index == output.index) {
            let message = "indirect access in place is not simulated";
            return error("computeOp_/0/outputLabeledDs", message);
        }
        consistency::order_of_layouts(self.dsc)?;
        if relayout.is_some() {
            consistency::same_sticks(&inputs, &output)?;
        }
        // A reduction lists its output among its inputs (section 4.9); an operation in place names another tensor.
        let inputs = inputs
            .into_iter()
            .filter(|input| input.index != output.index);
        let constants = self.constants()?;
        let masks = self.masks(&dims)?;
        let mask_value = self.mask_value(&constants, masks.is_empty())?;
        if !masks.is_empty() {
            consistency::mask_of(&compute.function, mask_value)?;
        }
        Ok(Operation {
            function: compute.function.clone(),
            inputs: inputs.collect(),
            gather,
            output,
            mask_value,
            masks,
            constants: constants
                .into_iter()
                .filter(|(_, name, _)| name != MASK_VALUE)
                .map(|(_, name, value)| (name, value))
                .collect(),
            dims,
            cores,
            relayout,
        })
    }

    fn dims(&self) -> Resolved<Vec<Dim>> {
        let mut dims: Vec<Dim> = Vec::new();
        for (key, extent) in &self.dsc.extents.0 {
            if key == "name_" || key == windows::KEY {
                continue;
            }
            let at = || format!("N_/{key}");
            let Some(name) = key.strip_suffix('_') else {
                return error(at(), "the key of a dimension ends with '_'");
            };
            let extent = match *extent {
                Extent::Number(extent) if extent > 0 => extent,
                Extent::Number(_) | Extent::Windows(_) | Extent::Other(_) => {
                    return error(at(), "not a positive number");
                }
            };
            // A dimension that is not named there is not divided.
            let slices = self.sdsc.slices.get(name).copied().unwrap_or(1);
            if slices == 0 || extent % slices != 0 {
                let message = format!("{extent} elements are not {slices} equal slices");
                return error(format!("numWkSlicesPerDim_/{name}"), message);
            }
            if dims.iter().any(|dim| dim.name == name) {
                return error(at(), "the dimension occurs twice");
            }
            dims.push(Dim {
                name: name.to_owned(),
                extent,
                slices,
                symbol: None,
            });
        }
        for (name, ids) in &self.dsc.runtime_dims.0 {
            let at = || format!("dimToSymbolMapping_/{name}");
            let dim = self.dim(&dims, name, at)?;
            let [Number(id)] = ids.as_slice() else {
                return error(
                    at(),
                    format!("there are {} symbols, expected one", ids.len()),
                );
            };
            dims[dim].symbol = Some(*id);
        }
        Ok(dims)
    }

    fn dim(&self, dims: &[Dim], name: &str, at: impl Fn() -> String) -> Resolved<usize> {
        let position = dims.iter().position(|dim| dim.name == name);
        position.ok_or_else(|| SdscError::new(at(), format!("'{name}' is not a dimension of N_")))
    }

    fn cores(&self, dims: &[Dim]) -> Resolved<Vec<Core>> {
        let mut cores: Vec<Core> = Vec::new();
        for number in &self.dsc.cores {
            let at = format!("coreIdToWkSlice_/{number}");
            // The largest number means several cores in the history of memory.
            let (Some(number), Some(core_slices)) = (
                u16::try_from(*number).ok().filter(|core| *core < u16::MAX),
                self.sdsc.core_slices.get(&number.to_string()),
            ) else {
                return error(at, "the core has no slices");
            };
            if cores.iter().any(|core| core.number == number) {
                return error("coreIdsUsed_", format!("core {number} occurs twice"));
            }
            let mut slices = Vec::new();
            for dim in dims {
                let slice = match core_slices.get(&dim.name) {
                    Some(slice) => *slice,
                    // The only one.
                    None if dim.slices == 1 => 0,
                    None => {
                        let message =
                            format!("no slice of '{}', which has {}", dim.name, dim.slices);
                        return error(at, message);
                    }
                };
                if slice >= dim.slices {
                    let message = format!("slice {slice} of {}", dim.slices);
                    return error(format!("{at}/{}", dim.name), message);
                }
                slices.push(slice);
            }
            cores.push(Core { number, slices });
        }
        Ok(cores)
    }

    fn tensor(
        &self,
        name: &str,
        dims: &[Dim],
        cores: &[Core],
        restickify: bool,
    ) -> Resolved<Tensor> {
        let place = self.tensor_place(name)?;
        let TensorPlace {
            index,
            described,
            node,
            memory,
        } = place;
        let format = stored_format(index, described)?;
        let sticks = self.sticks(index, described, format)?;
        let stick = self.dim(dims, sticks.dim, || {
            format!("{}/stickDimOrder_", sticks.info)
        })?;
        let mut order: Vec<TensorDim> = Vec::new();
        for name in &node.dims {
            let at = || place.at("layoutDimOrder_");
            let dim = self.dim(dims, name, at)?;
            // Scales are in the order of the layout, not of the tensor.
            let Some(scale) = sticks.label.dims.iter().position(|dim| dim == name) else {
                return error(at(), format!("'{name}' is not in {}", sticks.info));
            };
            // Not in memory: one element, or one element of each stick.
            if described.scales[scale] <= 0 {
                continue;
            }
            if order.iter().any(|tensor_dim| tensor_dim.dim == dim) {
                return error(at(), format!("'{name}' occurs twice"));
            }
            let gaps = self.gaps(node, name, memory, cores, || place.at("backGapCore_"))?;
            let missing = match restickify {
                true => self.missing(name, &gaps, &sticks, || place.at("backGapCore_"))?,
                false => 0,
            };
            let is_walked = node.walked.get(name).is_some();
            let walk = is_walked.then(|| windows::along(self.dsc, dims, name));
            order.push(TensorDim {
                walk: walk.transpose()?.flatten(),
                dim,
                gathered: false,
                gaps: if missing > 0 {
                    vec![0; gaps.len()]
                } else {
                    gaps
                },
                missing,
            });
        }
        Ok(Tensor {
            index,
            memory,
            is_separate: memory == MemoryKind::Hbm && node.separate.0,
            format,
            stick,
            per_stick: sticks.per_stick,
            starts: place.starts(cores)?,
            order,
        })
    }

    /// Returns the description and the place of a tensor, by its name in `computeOp_`.
    fn tensor_place(&self, name: &str) -> Resolved<TensorPlace<'_>> {
        let index = name.rsplit_once("idx").and_then(|(_, at)| at.parse().ok());
        let Some(index) = index else {
            return error("computeOp_/0", format!("no tensor is named '{name}'"));
        };
        let described = only(
            self.dsc
                .tensors
                .iter()
                .filter(|tensor| tensor.tensor == index),
        );
        let node = only(
            self.dsc
                .nodes
                .iter()
                .filter(|candidate| candidate.tensor == index),
        );
        let (Some(described), Some(node)) = (described, node) else {
            return error(
                "labeledDs_",
                format!("'{name}' has not exactly one description and one place"),
            );
        };
        let memory = match node.component.as_str() {
            "hbm" => MemoryKind::Hbm,
            "lx" => MemoryKind::Lx,
            other => {
                let at = format!("scheduleTree_/{index}/component_");
                return error(at, format!("'{other}' is not a memory"));
            }
        };
        Ok(TensorPlace {
            index,
            described,
            node,
            memory,
        })
    }

    /// Returns the layout of a tensor, with its sticks along one dimension.
    fn sticks(
        &self,
        index: usize,
        described: &json::Tensor,
        format: DeviceFormat,
    ) -> Resolved<Sticks<'_>> {
        let here = format!("labeledDs_/{index}");
        let Some(label) = self.dsc.labels.get(&described.label) else {
            return error(
                format!("{here}/dsType_"),
                format!("no layout '{}'", described.label),
            );
        };
        let info = format!("primaryDsInfo_/{}", described.label);
        let ([dim], [per_stick]) = (label.stick.as_slice(), label.stick_size.as_slice()) else {
            return error(info, "sticks of several dimensions are not simulated");
        };
        let expected = format.elements_per_stick().get();
        if *per_stick != expected {
            let message = format!("sticks of {per_stick} elements; {format} has {expected}");
            return error(format!("{info}/stickSize_"), message);
        }
        if described.scales.len() != label.dims.len() {
            let message = format!(
                "there are {} scales, but {} dimensions",
                described.scales.len(),
                label.dims.len()
            );
            return error(format!("{here}/scale_"), message);
        }
        Ok(Sticks {
            label,
            info,
            dim,
            per_stick: *per_stick,
        })
    }

    /// Returns how many elements a tensor of a change of layout lacks along a dimension.
    ///
    /// Along the stick dimension of another layout, the gap of a change of layout is the number of elements that the
    /// tensor lacks, less than a stick. Otherwise the gap is the distance to the end of the tensor around the window.
    fn missing(
        &self,
        name: &String,
        gaps: &[u64],
        sticks: &Sticks<'_>,
        at: impl Fn() -> String,
    ) -> Resolved<u64> {
        let other_stick = |label: &Label| label.stick.contains(name);
        let mut labels = self.dsc.labels.0.iter();
        let lacks = name != sticks.dim && labels.any(|(_, label)| other_stick(label));
        // Without cores, there is no work.
        let first = gaps.first().copied().unwrap_or(0);
        if !lacks || first >= sticks.per_stick {
            return Ok(0);
        }
        if first > 0 && gaps.iter().any(|gap| *gap != first) {
            let message = format!("cores lack other numbers of elements along '{name}': {gaps:?}");
            return error(at(), message);
        }
        Ok(first)
    }

    fn gaps(
        &self,
        node: &Node,
        dim: &str,
        memory: MemoryKind,
        cores: &[Core],
        at: impl Fn() -> String,
    ) -> Resolved<Vec<u64>> {
        let Some(gaps) = node.gaps.get(dim) else {
            return Ok(vec![0; cores.len()]);
        };
        let gap = |core: &Core| {
            let core_key = core.number.to_string();
            let key = match memory {
                MemoryKind::Lx => core_key,
                // The page has "-1" for device memory; separate parts may have other gaps.
                MemoryKind::Hbm if node.separate.0 && gaps.get(&core_key).is_some() => core_key,
                MemoryKind::Hbm => "-1".to_owned(),
            };
            let gap = gaps.get(&key).map(|Number(gap)| u64::try_from(*gap));
            match gap {
                Some(Ok(gap)) => Ok(gap),
                Some(Err(_)) => error(at(), format!("a negative gap along '{dim}'")),
                None => error(at(), format!("no '{key}' for '{dim}'")),
            }
        };
        cores.iter().map(gap).collect()
    }

    /// Reads position, name and value of each constant.
    fn constants(&self) -> Resolved<Vec<(i64, String, f32)>> {
        let entries = match &self.dsc.constants {
            Constants::None(text) if text == "{}" => return Ok(Vec::new()),
            Constants::None(_) => return error("constantInfo_", "neither constants nor \"{}\""),
            Constants::Some(entries) => entries,
        };
        let entry = |(key, constant): &(String, Constant)| {
            let at = format!("constantInfo_/{key}");
            let Ok(position) = key.parse() else {
                return error(at, "the key is not a position");
            };
            let codes = constant.value.data.get("[0, 0, 0]");
            let Some([code]) = codes.map(Vec::as_slice) else {
                return error(format!("{at}/data_"), "there must be exactly one value");
            };
            match decode(&constant.format, *code) {
                Some(value) => Ok((position, constant.name.clone(), value)),
                None => error(
                    format!("{at}/data_"),
                    format!("{code} has more than 16 bits"),
                ),
            }
        };
        let constants: Vec<_> = entries.0.iter().map(entry).collect::<Resolved<_>>()?;
        let mut names = FxHashSet::default();
        match constants.iter().find(|(_, name, _)| !names.insert(name)) {
            Some((_, name, _)) => error(
                "constantInfo_",
                format!("two constants have the name '{name}'"),
            ),
            None => Ok(constants),
        }
    }

    fn masks(&self, dims: &[Dim]) -> Resolved<Vec<Mask>> {
        let mut masks = Vec::new();
        for (name, ranges) in &self.dsc.masks.0 {
            let at = || format!("coordinateMasking_/{name}");
            let dim = self.dim(dims, name, at)?;
            for [start, length] in ranges {
                let extent = dims[dim].extent;
                let end = start.checked_add(*length);
                let Some(end) = end.filter(|end| *end <= extent) else {
                    let message = format!(
                        "the mask covers {length} elements from {start}, but the extent is {extent}"
                    );
                    return error(at(), message);
                };
                masks.push(Mask {
                    dim,
                    range: *start..end,
                });
            }
        }
        let mut sorted: Vec<&Mask> = masks.iter().filter(|mask| !mask.range.is_empty()).collect();
        sorted.sort_by_key(|mask| (mask.dim, mask.range.start));
        let mut pairs = sorted.array_windows();
        match pairs.find(|[a, b]| a.dim == b.dim && a.range.end > b.range.start) {
            Some([a, b]) => error(
                format!("coordinateMasking_/{}", dims[a.dim].name),
                format!("{:?} and {:?} are over each other", a.range, b.range),
            ),
            None => Ok(masks),
        }
    }

    /// Returns the mask's value: the constant of that name, since files exist that have the number of another constant
    /// (section 8).
    fn mask_value(&self, constants: &[(i64, String, f32)], unmasked: bool) -> Resolved<f32> {
        let id = self.dsc.mask_constant;
        let named = constants.iter().find(|(_, name, _)| name == MASK_VALUE);
        let numbered = || constants.iter().find(|(position, ..)| *position == id);
        match named.or_else(numbered) {
            _ if unmasked => Ok(0.0),
            Some((_, _, value)) => Ok(*value),
            None => error("maskingConstId_", format!("no constant {id} for the mask")),
        }
    }
}

/// Returns the value of an encoded constant. All formats but one are encoded as DL16 (section 7.4).
fn decode(format: &str, code: u32) -> Option<f32> {
    if format == DeviceFormat::IeeeFp32.name() {
        return Some(f32::from_bits(code));
    }
    let code = u16::try_from(code).ok()?;
    Some(Dl16::from_bits(code).to_f32())
}
