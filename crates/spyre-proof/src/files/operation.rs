//! Dimensions, slices of cores, and tensors of an operation, from the keys of `sdsc_N.json`.

use super::constants::{Constant, constants};
use super::json::{Compute, Described, Dsc, Extent, Label, Node, Object, Sdsc, Windows};
use super::tensor::{Tensor, TensorDim, Walk};
use crate::memory::STICK;

/// The key of the windows among the extents.
pub(super) const WINDOWS: &str = "paddingSizes_";
/// The change of layout, which runs over whole sticks of both layouts: a gap can be elements that a tensor lacks.
const RESTICKIFY: &str = "ReStickifyOpHBM";
/// The copy between scratchpads that gives elements other cores.
const SHUFFLE: &str = "shuffle";

/// Why a file has no addresses that can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The value of a key is wrong, whatever the program is.
    Wrong {
        /// The path of the key in the descriptor of the operation.
        key: String,
        /// The fault, with the numbers that conflict.
        message: String,
    },
    /// A form that is not modelled: its name.
    Unmodelled(String),
}

pub(super) fn wrong<T>(key: impl Into<String>, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Wrong {
        key: key.into(),
        message: message.into(),
    })
}

/// One operation of the files.
#[derive(Debug)]
pub(super) struct Operation {
    /// The name of its function.
    pub function: String,
    /// The dimensions of its iteration space.
    pub dims: Vec<Dim>,
    /// The slice of each dimension, for each core.
    pub slices: Vec<Vec<i64>>,
    /// The tensors that it reads, in the order of its operands.
    pub inputs: Vec<Tensor>,
    /// The tensor that it writes.
    pub output: Tensor,
    /// The format that it computes in.
    pub format: String,
    /// Its constants, by their numbers.
    pub constants: Vec<Constant>,
    /// The first position and the number of those that are masked, for each dimension.
    pub masks: Object<Vec<Vec<i64>>>,
}

impl Operation {
    /// Returns the number of cores.
    pub(super) fn cores(&self) -> i64 {
        i64::try_from(self.slices.len()).expect("cores of a file")
    }

    /// Returns the tensors: inputs, then the output.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().chain([&self.output])
    }
}

/// A dimension of the iteration space.
#[derive(Debug)]
pub(super) struct Dim {
    pub name: String,
    /// The extent, padded to whole sticks.
    pub extent: i64,
    /// The number of parts that cores divide it into: a divisor of the extent.
    pub slices: i64,
}

impl Dim {
    /// Returns the number of positions of one core.
    pub(super) fn part(&self) -> i64 {
        self.extent / self.slices
    }
}

/// Returns the descriptor of the operation of a file.
pub(super) fn descriptor(sdsc: &Sdsc) -> Result<&Dsc, Fault> {
    match &sdsc.dscs[..] {
        [dsc] => dsc.only().map(|(_, dsc)| dsc),
        _ => None,
    }
    .map_or_else(|| wrong("dscs_", "there must be one operation"), Ok)
}

/// Reads the operation of a file.
pub(super) fn operation(sdsc: &Sdsc) -> Result<Operation, Fault> {
    let dsc = descriptor(sdsc)?;
    if let Some((name, _)) = dsc.symbolic_dims.0.first() {
        return Err(Fault::Unmodelled(format!(
            "dimToSymbolMapping_ of '{name}'"
        )));
    }
    let [compute] = &dsc.compute[..] else {
        return wrong("computeOp_", "there must be one computation");
    };
    if compute.function == SHUFFLE {
        return Err(Fault::Unmodelled(
            "a change of the cores of a tensor".to_owned(),
        ));
    }
    let dims = dims(sdsc, dsc)?;
    let slices = slices(sdsc, dsc, &dims)?;
    let reader = Reader {
        dsc,
        compute,
        dims: &dims,
        cores: slices.len(),
    };
    let [output] = &compute.outputs[..] else {
        return Err(Fault::Unmodelled(format!(
            "{} outputs",
            compute.outputs.len()
        )));
    };
    let output = reader.tensor(output)?;
    let names = compute.indices.iter().chain(&compute.inputs);
    let mut inputs = names
        .map(|name| reader.tensor(name))
        .collect::<Result<Vec<_>, _>>()?;
    if !inputs.is_sorted_by(|a, b| a.index < b.index) {
        return wrong(
            "computeOp_/0/inputLabeledDs",
            "tensors are not in ascending order",
        );
    }
    // A reduction lists what it writes among what it reads.
    inputs.retain(|input| input.index != output.index);
    reader.gather(&mut inputs)?;
    Ok(Operation {
        function: compute.function.clone(),
        format: compute.attributes.format.clone(),
        constants: constants(dsc)?,
        masks: dsc.masks.clone(),
        dims,
        slices,
        inputs,
        output,
    })
}

fn dims(sdsc: &Sdsc, dsc: &Dsc) -> Result<Vec<Dim>, Fault> {
    let mut dims: Vec<Dim> = Vec::new();
    for (key, extent) in &dsc.extents.0 {
        let at = || format!("N_/{key}");
        if key == WINDOWS && !matches!(extent, Extent::Windows(_)) {
            return wrong(at(), "it has no windows of a known form");
        }
        if key == "name_" || key == WINDOWS {
            continue;
        }
        let (Some(name), Extent::Number(extent @ 1..)) = (key.strip_suffix('_'), extent) else {
            return wrong(at(), "it is not the positive extent of a dimension");
        };
        let slices = sdsc.slices.get(name).copied().unwrap_or(1);
        if slices < 1 || extent % slices != 0 {
            let message = format!("{extent} positions are not {slices} equal parts");
            return wrong(format!("numWkSlicesPerDim_/{name}"), message);
        }
        if dims.iter().any(|dim| dim.name == name) {
            return wrong(at(), "the dimension occurs twice");
        }
        dims.push(Dim {
            name: name.to_owned(),
            extent: *extent,
            slices,
        });
    }
    match sdsc
        .slices
        .0
        .iter()
        .find(|(name, _)| dims.iter().all(|dim| dim.name != *name))
    {
        Some((name, _)) => wrong(
            format!("numWkSlicesPerDim_/{name}"),
            "no dimension of N_ has this name",
        ),
        None => Ok(dims),
    }
}

/// Returns the slice of each dimension for each core: cores are numbered from 0.
fn slices(sdsc: &Sdsc, dsc: &Dsc, dims: &[Dim]) -> Result<Vec<Vec<i64>>, Fault> {
    let mut cores = Vec::new();
    for (at, id) in dsc.core_ids.iter().enumerate() {
        if usize::try_from(*id) != Ok(at) {
            return wrong(
                format!("coreIdsUsed_/{at}"),
                format!("it is {id}, not {at}"),
            );
        }
        let key = format!("coreIdToWkSlice_/{id}");
        let Some(of_core) = sdsc.core_slices.get(&id.to_string()) else {
            return wrong(key, "the core has no slices");
        };
        let mut slices = Vec::new();
        for dim in dims {
            let slice = of_core
                .get(&dim.name)
                .copied()
                .or((dim.slices == 1).then_some(0));
            let key = || format!("{key}/{}", dim.name);
            match slice {
                Some(slice) if (0..dim.slices).contains(&slice) => slices.push(slice),
                Some(slice) => return wrong(key(), format!("slice {slice} of {}", dim.slices)),
                None => return wrong(key(), "the core has no slice"),
            }
        }
        cores.push(slices);
    }
    Ok(cores)
}

/// Reads the tensors of an operation.
struct Reader<'f> {
    dsc: &'f Dsc,
    compute: &'f Compute,
    dims: &'f [Dim],
    cores: usize,
}

impl Reader<'_> {
    fn dim(&self, name: &str, key: impl Fn() -> String) -> Result<usize, Fault> {
        let at = self.dims.iter().position(|dim| dim.name == name);
        at.map_or_else(|| wrong(key(), format!("N_ has no '{name}'")), Ok)
    }

    fn tensor(&self, name: &str) -> Result<Tensor, Fault> {
        let index = name
            .rsplit_once("idx")
            .and_then(|(_, number)| number.parse().ok());
        let Some(index) = index else {
            return wrong("computeOp_/0", format!("'{name}' names no tensor"));
        };
        let described = self
            .dsc
            .tensors
            .iter()
            .find(|tensor| tensor.tensor == index);
        let node = self.dsc.nodes.iter().find(|node| node.tensor == index);
        let (Some(described), Some(node)) = (described, node) else {
            return wrong(
                "scheduleTree_",
                format!("'{name}' has no place or no description"),
            );
        };
        let is_device = match &node.component[..] {
            "hbm" => true,
            "lx" => false,
            other => {
                return wrong(
                    format!("scheduleTree_/{index}/component_"),
                    format!("'{other}' is no memory"),
                );
            }
        };
        let label = self.label(described)?;
        Ok(Tensor {
            index,
            is_device,
            is_part: !is_device || node.separate.0,
            width: described.width,
            format: described.format.clone(),
            per_stick: label.stick_size[0],
            order: self.order(node, described, label, is_device)?,
            starts: self.starts(node, is_device)?,
        })
    }

    /// Returns the layout of a tensor, which has sticks along one dimension.
    fn label(&self, described: &Described) -> Result<&Label, Fault> {
        let index = described.tensor;
        let Some(label) = self.dsc.labels.get(&described.label) else {
            let message = format!("primaryDsInfo_ has no '{}'", described.label);
            return wrong(format!("labeledDs_/{index}/dsType_"), message);
        };
        let ([_], [per_stick]) = (&label.stick[..], &label.stick_size[..]) else {
            return Err(Fault::Unmodelled(
                "sticks along several dimensions".to_owned(),
            ));
        };
        if per_stick.checked_mul(described.width) != Some(STICK) {
            let message = format!(
                "{per_stick} elements of {} bytes are no stick of {STICK} bytes",
                described.width
            );
            return wrong(
                format!("primaryDsInfo_/{}/stickSize_", described.label),
                message,
            );
        }
        if described.scales.len() != label.dims.len() {
            let message = format!(
                "{} numbers for {} dimensions",
                described.scales.len(),
                label.dims.len()
            );
            return wrong(format!("labeledDs_/{index}/scale_"), message);
        }
        Ok(label)
    }

    fn order(
        &self,
        node: &Node,
        described: &Described,
        label: &Label,
        is_device: bool,
    ) -> Result<Vec<TensorDim>, Fault> {
        let index = node.tensor;
        let key = || format!("scheduleTree_/{index}/layoutDimOrder_");
        let mut order: Vec<TensorDim> = Vec::new();
        for name in &node.dims {
            let dim = self.dim(name, key)?;
            let Some(at) = label.dims.iter().position(|of_label| of_label == name) else {
                return wrong(
                    key(),
                    format!("'{name}' is not in primaryDsInfo_/{}", described.label),
                );
            };
            // One element for all positions, or one in each stick.
            if described.scales[at] <= 0 {
                continue;
            }
            if order.iter().any(|tensor_dim| tensor_dim.dim == dim) {
                return wrong(key(), format!("'{name}' occurs twice"));
            }
            let gap = self.gap(node, name, is_device)?;
            let missing = if self.lacks(name, label, gap) { gap } else { 0 };
            let walk = node.walked.get(name).map(|_| self.walk(name)).transpose()?;
            order.push(TensorDim {
                dim,
                is_stick: *name == label.stick[0],
                gap: gap - missing,
                missing,
                walk: walk.flatten(),
                is_gathered: false,
            });
        }
        let used = node
            .gaps
            .0
            .iter()
            .find(|(name, _)| !node.dims.contains(name));
        match used {
            Some((name, _)) => wrong(
                format!("scheduleTree_/{index}/backGapCore_/{name}"),
                "the tensor has no such dimension",
            ),
            None => Ok(order),
        }
    }

    /// Returns whether the gap of a change of layout is what the tensor lacks: less than a stick, along the stick of
    /// another tensor.
    fn lacks(&self, name: &str, label: &Label, gap: i64) -> bool {
        let mut labels = self.dsc.labels.0.iter();
        self.compute.function == RESTICKIFY
            && label.stick[0] != name
            && gap < label.stick_size[0]
            && labels.any(|(_, other)| other.stick.iter().any(|stick| stick == name))
    }

    /// Returns the elements after the extent of a dimension, the same for all cores.
    fn gap(&self, node: &Node, name: &str, is_device: bool) -> Result<i64, Fault> {
        let Some(gaps) = node.gaps.get(name) else {
            return Ok(0);
        };
        let key = |core: &str| format!("scheduleTree_/{}/backGapCore_/{name}/{core}", node.tensor);
        let of = |core: &str| match gaps.get(core) {
            Some(gap) if gap.0 >= 0 => Ok(gap.0),
            Some(gap) => wrong(key(core), format!("a gap of {}", gap.0)),
            None => wrong(key(core), "there is no gap of this core"),
        };
        if is_device {
            return of("-1");
        }
        let first = of("0")?;
        for core in 1..self.cores {
            let core = core.to_string();
            let gap = of(&core)?;
            if gap != first {
                return wrong(
                    key(&core),
                    format!("core 0 has a gap of {first}, core {core} one of {gap}"),
                );
            }
        }
        Ok(first)
    }

    /// Returns the windows along a dimension; `None` for windows of one element.
    fn walk(&self, name: &str) -> Result<Option<Walk>, Fault> {
        let key = || format!("N_/{WINDOWS}/{name}");
        let windows = match self.dsc.extents.get(WINDOWS) {
            Some(Extent::Windows(windows)) => windows.get(name),
            _ => None,
        };
        let Some(Windows {
            front,
            back,
            total,
            stride,
            dilation,
            window,
        }) = windows
        else {
            return Ok(None);
        };
        if *front != 0 || *back != 0 {
            // No operation of a program reads beyond its tensors.
            let message =
                format!("a padding of {front} and {back} elements, and the program has none");
            return wrong(key(), message);
        }
        if *stride < 1 || *dilation < 1 {
            return wrong(key(), format!("stride {stride} and dilation {dilation}"));
        }
        let (dim, window) = (self.dim(name, key)?, self.dim(window, key)?);
        let walk = Walk {
            window,
            kernel: self.dims[window].extent,
            stride: *stride,
            dilation: *dilation,
        };
        if self.dims[window].slices > 1 {
            return wrong(key(), "cores divide the elements of a window");
        }
        if walk.span(self.dims[dim].extent) != Some(*total) {
            let extent = self.dims[dim].extent;
            return wrong(
                key(),
                format!(
                    "{extent} windows of {} do not reach over {total}",
                    walk.kernel
                ),
            );
        }
        Ok(Some(walk))
    }

    fn starts(&self, node: &Node, is_device: bool) -> Result<Vec<i64>, Fault> {
        let index = node.tensor;
        if node.symbolic.0 != is_device {
            let message = match is_device {
                true => "starts in device memory are numbers, not symbols",
                false => "starts in scratchpads are symbols, not numbers",
            };
            return wrong(
                format!("scheduleTree_/{index}/isStartAddrSymbolic_"),
                message,
            );
        }
        let starts = (0..self.cores).map(|core| {
            let core = format!("[{core}, 0, 0]");
            let start = node.starts.data.get(&core).map(|start| start.0);
            let key = || format!("scheduleTree_/{index}/startAddressCoreCorelet_/data_/{core}");
            start.map_or_else(|| wrong(key(), "the core has no start"), Ok)
        });
        starts.collect()
    }

    /// Replaces the dimensions that a table shares with its indices by the one that the indices select from.
    fn gather(&self, inputs: &mut [Tensor]) -> Result<(), Fault> {
        let is_indirect = |node: &&Node| {
            node.indirect
                .as_deref()
                .is_some_and(|kind| kind != "no_indirection")
        };
        let indirect: Vec<&Node> = self.dsc.nodes.iter().filter(is_indirect).collect();
        let kind = |wanted: &str| {
            indirect
                .iter()
                .find(|node| node.indirect.as_deref() == Some(wanted))
        };
        let (index, table) = match (&indirect[..], kind("index_tensor"), kind("value_tensor")) {
            ([], ..) if self.compute.indices.is_empty() => return Ok(()),
            ([_, _], Some(index), Some(table)) => (index, table),
            _ => {
                return wrong(
                    "scheduleTree_",
                    "an indirect access has one index_tensor and one value_tensor",
                );
            }
        };
        for (node, other) in [(index, table), (table, index)] {
            if node.related.as_ref() != Some(&other.name) {
                let key = format!("scheduleTree_/{}/relatedIndirectAccessAlloc_", node.tensor);
                return wrong(key, format!("it is not '{}'", other.name));
            }
        }
        let position = |node: &Node| inputs.iter().position(|input| input.index == node.tensor);
        let (Some(index_at), Some(table_at)) = (position(index), position(table)) else {
            return Err(Fault::Unmodelled("a scatter".to_owned()));
        };
        let shared: Vec<usize> = inputs[index_at]
            .order
            .iter()
            .map(|tensor_dim| tensor_dim.dim)
            .collect();
        let table = &mut inputs[table_at];
        let is_shared = |tensor_dim: &TensorDim| shared.contains(&tensor_dim.dim);
        let first = table.order.iter().position(is_shared);
        let group = first.and_then(|first| table.order.get(first..first + shared.len()));
        let (Some(first), true) = (
            first,
            group.is_some_and(|group| group.iter().all(is_shared)),
        ) else {
            let key = format!("scheduleTree_/{}/layoutDimOrder_", table.index);
            return wrong(
                key,
                "the dimensions of the indices are not next to each other",
            );
        };
        table.order.drain(first + 1..first + shared.len());
        let gathered = &mut table.order[first];
        gathered.is_gathered = true;
        if gathered.is_stick {
            return Err(Fault::Unmodelled("a gather along sticks".to_owned()));
        }
        Ok(())
    }
}
