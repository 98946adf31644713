//! The places of values: the device, the memory space, and the axis along which a tuple of devices shards them.
//!
//! A tuple of n devices holds a value either as n equal parts along an axis, one on each, or as a whole on each. The
//! rules propagate this axis through a graph. An operation with unequal or reordered parts as its result is refused.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::calls::{Calls, Returned};
use crate::graph::{Broken, Graph, Node, check};
use crate::ids::{IndexVec, NodeId};
use crate::op::{AddressSpace, Op, TensorType};
use crate::schema::{Device, Slot};
use crate::shape::Shape;

/// The devices and the buffer of a value. A constant has neither.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The device, or the tuple of devices.
    pub device: Option<Arc<Device>>,
    /// The kind of memory.
    pub space: Option<AddressSpace>,
    /// The axis along which a tuple of devices shares it. Without one, each device has all of it.
    pub axis: Option<usize>,
}

impl Place {
    /// Returns the number of parts that the value is in.
    fn parts(&self) -> u64 {
        match (self.device.as_deref(), self.axis) {
            (Some(Device::Many(list)), Some(_)) => list.len() as u64,
            _ => 1,
        }
    }
}

/// The places of the sources of a node conflict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {node}: {broken}")]
pub struct Misplaced {
    /// The node.
    pub node: NodeId,
    /// The rule.
    pub broken: Broken,
}

/// Returns the place of each value.
///
/// # Errors
/// Operands are on different devices, or the axis of a tuple of devices is lost: U35, U36.
pub fn places(graph: &Graph) -> Result<IndexVec<NodeId, Place>, Misplaced> {
    let mut places = IndexVec::new();
    let mut state = Facts {
        devices: Devices::default(),
        calls: Calls::from_graph(graph),
    };
    for (id, _) in graph.nodes().iter() {
        let place = checked(graph, (&places, &[]), &mut state, id);
        places.push(place.map_err(|broken| Misplaced { node: id, broken })?);
    }
    Ok(places)
}

type Places = IndexVec<NodeId, Place>;

/// The state of the analysis other than places.
struct Facts {
    devices: Devices,
    calls: Calls,
}

/// Returns the place of a node, after a check that its parts are equal.
fn checked(
    graph: &Graph,
    places: (&Places, &[Place]),
    state: &mut Facts,
    id: NodeId,
) -> Result<Place, Broken> {
    let place = place(graph, places, state, id)?;
    if let (Some(axis), crate::graph::Type::Tensor(ty)) = (place.axis, &graph.node(id).ty) {
        parts(ty, axis, place.parts())?;
    }
    Ok(place)
}

/// Returns the place of a result of a call: its place in the body, with the places of the arguments.
fn returned(
    graph: &Graph,
    places: &Places,
    (call, index): (&Node, usize),
    state: &mut Facts,
) -> Result<Place, Broken> {
    let Some(Returned { node, needed }) = state.calls.result(graph, call, index) else {
        return Err(Broken::new(
            36,
            "where a call has its result is not followed: there are too many calls in calls",
        ));
    };
    let arguments: Vec<Place> = call.sources[1..]
        .iter()
        .map(|id| places[*id].clone())
        .collect();
    let mut all: Places = IndexVec::repeat(Place::default(), graph.nodes().len());
    for id in needed {
        all[id] = checked(graph, (&all, &arguments), state, id)?;
    }
    Ok(all[node].clone())
}

/// The devices of a graph. Equal tuples share one allocation, so that long tuples are compared by their address.
#[derive(Default)]
struct Devices(FxHashMap<Device, Arc<Device>>);

impl Devices {
    fn get(&mut self, device: &Device) -> Arc<Device> {
        if let Some(shared) = self.0.get(device) {
            return Arc::clone(shared);
        }
        let new_device = Arc::new(device.clone());
        self.0.insert(device.clone(), Arc::clone(&new_device));
        new_device
    }
}

/// Checks that an axis has equal parts.
fn parts(ty: &TensorType, axis: usize, count: u64) -> Result<(), Broken> {
    let divides = ty
        .shape
        .get(axis)
        .is_some_and(|extent| extent.is_multiple_of(count));
    check(36, divides, || {
        format!(
            "axis {axis} of {} has no equal parts for {count} devices",
            ty.shape
        )
    })
}

/// Returns the place of a node from the places of earlier nodes; in the body of a call with the places of its
/// arguments.
fn place(
    graph: &Graph,
    (places, arguments): (&Places, &[Place]),
    state: &mut Facts,
    id: NodeId,
) -> Result<Place, Broken> {
    let devices = &mut state.devices;
    let node = graph.node(id);
    let first = node.sources.first();
    let first_place = || first.map_or_else(Place::default, |source| places[*source].clone());
    let shape = |id: NodeId| &graph.tensor(id).shape;
    Ok(match &node.op {
        Op::Buffer { device, space, .. } => Place {
            device: device.as_ref().map(|device| devices.get(device)),
            space: Some(*space),
            axis: matches!(device, Some(Device::Many(_))).then_some(0),
        },
        Op::Copy(device) => Place {
            device: Some(devices.get(device)),
            space: Some(AddressSpace::Global),
            axis: matches!(device, Device::Many(_)).then_some(0),
        },
        Op::Load { device, space } => {
            let mut place = first_place();
            if let Some(device) = device {
                place.axis = matches!(device, Device::Many(_)).then_some(0);
                place.device = Some(devices.get(device));
            }
            place.space = Some(space.unwrap_or_default());
            place
        }
        Op::Param {
            slot: Slot::Number(slot),
            ..
        } => arguments.get(*slot as usize).cloned().unwrap_or_default(),
        Op::Const { .. } | Op::Param { .. } | Op::Binary(_) | Op::Range { .. } => Place::default(),
        Op::Tuple | Op::End | Op::Collect(_) => Place::default(),
        Op::Elementwise(_) | Op::Stack => {
            let mut place = common(&node.op, places, &node.sources)?;
            if node.op == Op::Stack {
                place.axis = place.axis.map(|axis| axis + 1);
            }
            place
        }
        Op::Call(_) => effect(node, places)?,
        Op::GetTuple(index) => {
            let source = graph.node(node.sources[0]);
            match source.op {
                Op::Tuple => places[source.sources[*index]].clone(),
                _ => returned(graph, places, (source, *index), state)?,
            }
        }
        op => {
            let mut place = first_place();
            let parts = place.parts();
            if let (Some(axis), Some(source)) = (place.axis, first) {
                place.axis = moved(op, axis, parts, graph, &node.sources, shape(*source))?;
            }
            place
        }
    })
}

/// Returns the place that operands have in common.
fn common(op: &Op, places: &IndexVec<NodeId, Place>, sources: &[NodeId]) -> Result<Place, Broken> {
    let mut common = Place::default();
    let mut spaces = true;
    for source in sources {
        let Place {
            device,
            space,
            axis,
        } = &places[*source];
        if let (Some(current), Some(other)) = (&common.device, device) {
            check(35, Arc::ptr_eq(current, other), || {
                let show = |device: &Device| serde_json::to_string(device).expect("texts");
                let (text, other) = (show(current), show(other));
                format!("the operands of {} are on {text} and on {other}", op.name())
            })?;
        }
        if let (Some(current), Some(other)) = (common.axis, axis) {
            check(35, current == *other, || {
                format!(
                    "the operands of {} are shared along axes {current} and {other}",
                    op.name()
                )
            })?;
        }
        if let (Some(current), Some(other)) = (common.space, space) {
            spaces &= current == *other;
        }
        common.device = common.device.or_else(|| device.clone());
        common.axis = common.axis.or(*axis);
        common.space = common.space.or(*space);
    }
    if !spaces {
        common.space = None;
    }
    Ok(common)
}

/// Checks a call that is an effect, which is nowhere itself; one with results is where these are.
fn effect(call: &Node, places: &Places) -> Result<Place, Broken> {
    let is_effect = call.ty == crate::graph::Type::Void;
    for argument in call.sources[1..].iter().filter(|_| is_effect) {
        let axis = places[*argument].axis;
        check(36, axis.is_none(), || {
            "the argument of a call is shared along an axis, and what its body writes is not followed"
                .to_owned()
        })?;
    }
    Ok(Place::default())
}

/// Returns the axis of the result that corresponds to the shared axis of a source; `None` if each device has a copy.
fn moved(
    op: &Op,
    axis: usize,
    count: u64,
    graph: &Graph,
    sources: &[NodeId],
    from: &Shape,
) -> Result<Option<usize>, Broken> {
    let lost = |reason: &str| {
        let reason = format!(
            "{} {reason} axis {axis}, along which {count} devices share it",
            op.name()
        );
        Err(Broken::new(36, reason))
    };
    Ok(match op {
        Op::Permute(perm) => perm.iter().position(|perm_axis| *perm_axis == axis),
        Op::Flip(flags) if flags[axis] => return lost("reverses"),
        Op::Reshape(to) => {
            let before = |shape: &[u64], axis: usize| shape[..axis].iter().product::<u64>();
            let boundary = before(from, axis);
            let mut last = (0..to.len()).rev();
            match last.find(|cut| before(to, *cut) == boundary && to[*cut].is_multiple_of(count)) {
                Some(cut) => Some(cut),
                None => return lost("cuts"),
            }
        }
        Op::Pad { shape, .. } if shape[axis] != from[axis] => return lost("adds to"),
        // The parts that are left are gathered.
        Op::Shrink { shape, .. } if shape[axis] != from[axis] => None,
        Op::Reduce { axes, .. } if axes.contains(&axis) => None,
        Op::Replicated(dropped) if *dropped == axis => None,
        Op::Replicated(dropped) => Some(axis - usize::from(*dropped < axis)),
        Op::Index => {
            let indices = &sources[1..];
            if axis < indices.len() {
                None
            } else {
                let ranks = indices.iter().map(|index| graph.tensor(*index).shape.len());
                Some(axis - indices.len() + ranks.sum::<usize>())
            }
        }
        _ => Some(axis),
    })
}
