//! `scheduleTree_`: the allocation of each tensor.

use rustc_hash::{FxHashMap, FxHashSet};

use spyre_bundle_files::json::{Json, Value};
use spyre_plan::Target;

use super::super::geometry::{Axis, Shape};
use super::super::reader::{Fixed, Reader};
use super::super::rules::{
    INDEPENDENT, KIND, LAYOUT_ORDER, LX_ADDRESS, PRESENT, PREVIOUS, Rule, TENSOR_DIMS,
    TENSOR_NUMBER,
};
use super::descriptors::{Descriptor, numbered};
use super::folds::Division;
use super::layouts::{Layout, distinct};
use super::links::{self, Link};
use super::root::Work;
use super::sizes::Extent;
use super::windows::{self, Windows};
use super::{Memory, Symbol, Tensor, folds, scratchpad, starts};

/// The parts of the file that nodes are checked against.
pub(super) struct Plan<'p, 'j> {
    /// The cores.
    pub work: &'p Work<'j>,
    /// The extents.
    pub extents: &'p [Extent<'j>],
    /// The windows.
    pub windows: &'p [Windows<'j>],
    /// The layouts.
    pub layouts: &'p [Layout<'j>],
    /// The card.
    pub target: &'p Target,
}

/// Largest number of elements of a stick.
const MOST_PER_STICK: u64 = 128;

impl<'j> Plan<'_, 'j> {
    /// Returns how many indices of a dimension may be padding: less than a stick, if a stick is along it.
    fn padding(&self, dim: &str) -> u64 {
        let sticks = self
            .layouts
            .iter()
            .filter(|layout| layout.stick.contains(&dim));
        let most = sticks.map(|layout| layout.elements_per_stick).max();
        most.unwrap_or(1).clamp(1, MOST_PER_STICK) - 1
    }

    /// Returns the extent of a dimension, by its name.
    pub(super) fn extent(&self, dim: &str) -> Option<Extent<'j>> {
        self.extents
            .iter()
            .find(|extent| extent.dim == dim)
            .copied()
    }
}

/// The nodes of a file.
pub(super) struct Nodes<'j> {
    /// The nodes by the numbers of their tensors; `None` for a node that is too broken.
    pub nodes: Vec<Option<Node<'j>>>,
    /// The tensors without faults.
    pub tensors: Vec<Tensor>,
    /// The symbols of addresses, if all nodes are without faults.
    pub symbols: Option<Vec<Symbol>>,
}

/// Reads the nodes.
pub(super) fn read<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    descriptors: Option<&[Descriptor<'j>]>,
    plan: &Plan<'_, 'j>,
) -> Option<Nodes<'j>> {
    let items = reader.array(json)?;
    if let Some(descriptors) = descriptors.filter(|list| list.len() != items.len()) {
        let message = format!(
            "there are {} nodes, but {} tensors",
            items.len(),
            descriptors.len()
        );
        reader.report(TENSOR_NUMBER, json.offset, message);
    }
    let mut tensors = Vec::new();
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    let mut nodes = Vec::with_capacity(items.len());
    let mut complete = true;
    for (number, item) in items.iter().enumerate() {
        let descriptor = descriptors.and_then(|list| list.get(number));
        let tensor = NodeTensor {
            number,
            descriptor,
            plan,
        };
        let Some(node) = node(reader, item, &tensor, &names) else {
            complete = false;
            nodes.push(None);
            continue;
        };
        if let Some(name) = node.name {
            names.insert(name, number);
        }
        if let (Some(starts), Some(memory)) = (node.starts.clone(), node.memory) {
            tensors.push(Tensor {
                number,
                is_output: number + 1 == items.len(),
                memory,
                starts,
                shape: node.shape.clone(),
                is_index: node.link.kind == "index_tensor",
                is_unified: node.is_unified,
                stick: descriptor.and_then(|descriptor| stick(descriptor, plan)),
            });
        } else {
            complete = false;
        }
        nodes.push(Some(node));
    }
    links::related(reader, &nodes, &names);
    scratchpad::overlaps(reader, json.offset, &tensors);
    let symbols = complete.then(|| {
        let mut seen = FxHashSet::default();
        tensors
            .iter()
            .filter(|tensor| tensor.memory == Memory::Symbolic)
            .flat_map(|tensor| &tensor.starts)
            .filter(|id| seen.insert(**id))
            .map(|id| Symbol {
                id: *id,
                is_size: false,
            })
            .collect()
    });
    Some(Nodes {
        nodes,
        tensors,
        symbols,
    })
}

/// The contents of a node.
pub(super) struct Node<'j> {
    /// The place, in bytes from the beginning of the text.
    pub offset: usize,
    /// The name.
    pub name: Option<&'j str>,
    /// The role in indirect access.
    pub link: Link<'j>,
    /// The memory.
    pub memory: Option<Memory>,
    /// The start of the tensor on each core.
    starts: Option<Vec<i64>>,
    /// The shape of the tensor in memory.
    pub shape: Option<Shape>,
    /// The dimensions with gaps, and the place of all gaps in bytes from the beginning of the text.
    pub gaps: Option<(Vec<&'j str>, usize)>,
    /// The place of `padding_`, unless it is empty.
    pub padding: Option<usize>,
    /// Whether device memory has the tensor as one for all cores.
    is_unified: bool,
    /// The division that the coordinates have for themselves.
    pub division: Option<Division>,
}

/// The members of a node in the file.
struct Members<'j> {
    name: Option<&'j Json<'j>>,
    component: Option<&'j Json<'j>>,
    symbolic: Option<&'j Json<'j>>,
    independent: Option<&'j Json<'j>>,
    order: Option<&'j Json<'j>>,
    max_sizes: Option<&'j Json<'j>>,
    kind: Option<&'j Json<'j>>,
    related: Option<&'j Json<'j>>,
    index_type: Option<&'j Json<'j>>,
    starts: Option<&'j Json<'j>>,
    padding: Option<&'j Json<'j>>,
    gaps: Option<&'j Json<'j>>,
    coordinates: Option<&'j Json<'j>>,
}

impl<'j> Members<'j> {
    /// Reads the members, and checks the ones that do not depend on a tensor.
    fn read(
        reader: &mut Reader,
        json: &'j Json<'j>,
        number: usize,
        names: &FxHashMap<&str, usize>,
    ) -> Option<Self> {
        let mut fields = reader.fields(json)?;
        if let Some(value) = fields.required(reader, "nodeType_") {
            reader.fixed(value, &Fixed::Text("allocate"));
        }
        let name = fields.required(reader, "name_");
        if let Some(value) = fields.required(reader, "prev_")
            && let Some(previous) = reader.text(value)
            && !previous.is_empty()
            && !names.contains_key(previous)
        {
            let message = format!("no node before this one is '{}'", previous.escape_default());
            reader.report(PREVIOUS, value.offset, message);
        }
        numbered(reader, &mut fields, number);
        let component = fields.required(reader, "component_");
        // The input of a depthwise convolution has it here, others have it after their addresses.
        let padding_in_front = fields.if_next("padding_");
        let symbolic = fields.optional("isStartAddrSymbolic_");
        let independent = match reader.is_contract() {
            true => fields.optional("nonUnifiedAllocInHBM_"),
            false => None,
        };
        let order = fields.required(reader, "layoutDimOrder_");
        let max_sizes = fields.required(reader, "maxDimSizes_");
        let kind = fields.required(reader, "indirectAllocType_");
        let related = fields.optional("relatedIndirectAccessAlloc_");
        let index_type = fields.optional("indexTensorType_");
        let starts = fields.required(reader, "startAddressCoreCorelet_");
        let padding = padding_in_front.or_else(|| fields.if_next("padding_"));
        let gaps = fields.optional("backGapCore_");
        let padding = padding.or_else(|| fields.optional("padding_"));
        let coordinates = fields.required(reader, "coordinates_");
        fields.finish(reader);
        Some(Self {
            name,
            component,
            symbolic,
            independent,
            order,
            max_sizes,
            kind,
            related,
            index_type,
            starts,
            padding,
            gaps,
            coordinates,
        })
    }

    /// Returns the name, which must have the number of the tensor and its memory.
    fn name(&self, reader: &mut Reader, number: usize, component: Option<&str>) -> Option<&'j str> {
        let name = self.name.and_then(|value| reader.text(value));
        if let (Some(json), Some(name), Some(component)) = (self.name, name, component) {
            let expected = format!("allocate-Tensor{number}_{component}");
            if name != expected {
                let message = format!("is '{}', but must be '{expected}'", name.escape_default());
                reader.report(TENSOR_NUMBER, json.offset, message);
            }
        }
        name
    }

    /// Returns whether the addresses are symbols, which they are not in the scratchpad.
    fn is_symbolic(&self, reader: &mut Reader, component: Option<&str>) -> bool {
        let is_symbolic = self
            .symbolic
            .is_some_and(|json| match reader.is_contract() {
                true => flag(reader, json, KIND),
                false => {
                    reader.fixed(json, &Fixed::Int(1));
                    true
                }
            });
        let in_scratchpad = is_symbolic && component == Some("lx");
        if let Some(value) = self.symbolic.filter(|_| in_scratchpad) {
            let message = "addresses in the scratchpad are no symbols";
            reader.report(LX_ADDRESS, value.offset, message);
        }
        is_symbolic
    }

    /// Returns whether device memory has the tensor as one for all cores.
    fn is_unified(&self, reader: &mut Reader, component: Option<&str>) -> bool {
        let independent = self.independent;
        let is_independent = independent.is_some_and(|json| flag(reader, json, INDEPENDENT));
        // The key does not apply to a tensor in the scratchpad (K62).
        !is_independent || component == Some("lx")
    }

    /// Returns the order of the dimensions, which must be the ones of the layout.
    fn order(&self, reader: &mut Reader, tensor: &NodeTensor<'_, 'j>) -> Option<Vec<&'j str>> {
        let json = self.order?;
        let order = distinct(reader, json, tensor.plan.work)?;
        if let Some(max_sizes) = self.max_sizes {
            largest(reader, max_sizes, order.len());
        }
        if let Some(descriptor) = tensor.descriptor {
            check_order(reader, json.offset, tensor.number, &order, descriptor);
        }
        Some(order)
    }

    /// Returns the role of the tensor in indirect access. Without one in the file, its place is that of the node.
    fn link(&self, reader: &mut Reader, offset: usize) -> Link<'j> {
        let kind = self.kind;
        Link {
            kind: kind.and_then(|json| reader.text(json)).unwrap_or_default(),
            related: self
                .related
                .and_then(|json| Some((reader.text(json)?, json.offset))),
            offset: kind.map_or(offset, |json| json.offset),
        }
    }
}

/// Checks the dimensions of a tensor against its layout. `offset` is the place of the order.
fn check_order(
    reader: &mut Reader,
    offset: usize,
    number: usize,
    order: &[&str],
    descriptor: &Descriptor<'_>,
) {
    let layout = &descriptor.layout;
    // Both lists have to have the same dimensions, each once.
    if order.len() != layout.order.len() || order.iter().any(|dim| !layout.order.contains(dim)) {
        let message = format!(
            "has dimensions {}, but '{}' has {}",
            order.join(", "),
            layout.label,
            layout.order.join(", ")
        );
        reader.report(TENSOR_DIMS, offset, message);
    } else if descriptor.is_first_of_layout && *order != layout.order {
        let message = format!(
            "is {}, but tensor {number}, the first with this layout, has {}",
            layout.order.join(", "),
            order.join(", ")
        );
        reader.report(LAYOUT_ORDER, layout.order_offset, message);
    }
}

/// The tensor of a node, as other parts of the file have it.
struct NodeTensor<'p, 'j> {
    number: usize,
    descriptor: Option<&'p Descriptor<'j>>,
    plan: &'p Plan<'p, 'j>,
}

fn node<'j>(
    reader: &mut Reader,
    json: &'j Json<'j>,
    tensor: &NodeTensor<'_, 'j>,
    names: &FxHashMap<&str, usize>,
) -> Option<Node<'j>> {
    let NodeTensor {
        number,
        descriptor,
        plan,
    } = *tensor;
    let members = Members::read(reader, json, number, names)?;
    let cores = plan.work.cores;
    let component = members
        .component
        .and_then(|value| component(reader, value, descriptor));
    let name = members.name(reader, number, component);
    let is_symbolic = members.is_symbolic(reader, component);
    let is_unified = members.is_unified(reader, component);
    let memory = component.map(|component| match (component, is_symbolic) {
        ("lx", _) => Memory::Lx,
        (_, true) => Memory::Symbolic,
        (_, false) => Memory::Concrete,
    });
    let order = members.order(reader, tensor);
    let starts = match (members.starts, memory) {
        (Some(json), Some(memory)) => starts::addresses(reader, json, memory, cores),
        _ => None,
    };
    if let (Some(Memory::Lx), Some(starts), false) = (memory, &starts, plan.work.is_shuffle) {
        scratchpad::same_start(reader, json.offset, starts);
    }
    let gaps = members
        .gaps
        .and_then(|json| starts::gaps(reader, json, component?, order.as_deref()?, cores));
    let gap_dims = gaps.as_ref().map(|gaps| gaps.keys().copied().collect());
    let padding = members.padding;
    let padding_offset =
        padding.filter(|json| !matches!(&json.value, Value::Object(members) if members.is_empty()));
    let walked = match &order {
        Some(order) => windows::walked(reader, padding, (number, json.offset), order, plan.windows),
        // The fault has been reported already.
        None => Vec::new(),
    };
    let division = match (members.coordinates, descriptor) {
        (Some(json), Some(descriptor)) => {
            folds::coordinates(reader, json, descriptor, plan, &walked)
        }
        _ => None,
    };
    let link = members.link(reader, json.offset);
    links::indirection(reader, &link, members.index_type);
    let is_direct = link.kind == "no_indirection" && !plan.work.is_shuffle && is_unified;
    let shape = match (descriptor, order) {
        (Some(descriptor), Some(order)) if is_direct => {
            shape(descriptor, &order, &gaps.unwrap_or_default(), plan, &walked)
        }
        _ => None,
    };
    if let (Some(Memory::Lx), Some(starts), Some(shape)) = (memory, &starts, &shape) {
        scratchpad::end(reader, json.offset, number, starts, shape, plan.target);
    }
    Some(Node {
        offset: json.offset,
        name,
        link,
        memory,
        starts,
        shape,
        gaps: gap_dims.zip(members.gaps.map(|json| json.offset)),
        padding: padding_offset.map(|json| json.offset),
        is_unified,
        division,
    })
}

/// Reads a flag of the contract: true or 1, false or 0.
fn flag(reader: &mut Reader, json: &Json<'_>, rule: Rule) -> bool {
    match &json.value {
        Value::Bool(flag) => *flag,
        Value::Number(text) if matches!(&**text, "0" | "1") => *text == "1",
        _ => {
            let message = format!("expected true, false, 1 or 0, found {}", json.value.kind());
            reader.report(rule, json.offset, message);
            false
        }
    }
}

fn component<'j>(
    reader: &mut Reader,
    json: &'j Json<'_>,
    descriptor: Option<&Descriptor<'_>>,
) -> Option<&'j str> {
    let component = reader.text(json)?;
    if !matches!(component, "hbm" | "lx") {
        let message = format!("'{}' is no memory", component.escape_default());
        reader.report(PRESENT, json.offset, message);
        return None;
    }
    if descriptor.is_some_and(|descriptor| !descriptor.present.contains(&component)) {
        let message =
            format!("is in '{component}', but memOrg_ states that it is not present there");
        reader.report(PRESENT, json.offset, message);
    }
    Some(component)
}

/// Checks `maxDimSizes_`: -1 or a size for each dimension.
fn largest(reader: &mut Reader, json: &Json<'_>, rank: usize) {
    let Some(sizes) = reader.ints(json) else {
        return;
    };
    if sizes.len() != rank {
        let message = format!("there are {} sizes, but {rank} dimensions", sizes.len());
        reader.report(TENSOR_DIMS, json.offset, message);
    }
    for (size, offset) in sizes.iter().filter(|(size, _)| *size != -1 && *size < 1) {
        let message = format!("{size} is no size, and not -1");
        reader.report(TENSOR_DIMS, *offset, message);
    }
}

/// Returns the dimension along the sticks and the number of elements of a stick; `None` if the tensor does not have the dimension
/// in memory.
fn stick(descriptor: &Descriptor<'_>, plan: &Plan<'_, '_>) -> Option<(usize, u64)> {
    let [stick] = descriptor.layout.stick.as_slice() else {
        return None;
    };
    let elements = descriptor.sticks?.per_stick;
    (descriptor.scale(stick) > 0).then_some((plan.extent(stick)?.index, elements))
}

/// Returns the tensor's shape in memory; `None` if it is unknown.
fn shape(
    descriptor: &Descriptor<'_>,
    order: &[&str],
    gaps: &FxHashMap<&str, u64>,
    plan: &Plan<'_, '_>,
    walked: &[&Windows<'_>],
) -> Option<Shape> {
    // The two sticks of weights in fp8 are interleaved.
    let [stick] = descriptor.layout.stick.as_slice() else {
        return None;
    };
    let per_stick = descriptor.sticks?.per_stick;
    let mut axes = Vec::new();
    for dim in order.iter().filter(|dim| descriptor.scale(dim) > 0) {
        let extent = plan.extent(dim)?;
        let gap = gaps.get(dim).copied().unwrap_or(0);
        let windows = walked.iter().find(|windows| windows.dim == *dim);
        let (reached, steps) = match windows {
            // Other operations' inputs have forms that section 4.11 does not give.
            Some(windows) if !windows.is_known => return None,
            Some(windows) => (windows.total, Some(windows.steps()?)),
            None => (extent.extent, None),
        };
        let stored = reached.checked_add(gap)?;
        let (unit, padding) = if dim == stick {
            (per_stick, 0)
        } else {
            (1, plan.padding(dim))
        };
        axes.push(Axis {
            dim: extent.index,
            extent: extent.extent.div_ceil(unit),
            stored: stored.div_ceil(unit),
            splits: extent.splits,
            // A restickify has the padding as a gap, which is then not in memory either.
            padding: if gap > 0 { 2 * padding } else { padding },
            windows: steps,
        });
    }
    Some(Shape { axes })
}
