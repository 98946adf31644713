//! Buffers: before the program, and as it changes them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Reason;
use super::machine::{Frame, Machine};
use super::movement::{self, NOWHERE};
use crate::element;
use crate::graph::Node;
use crate::ids::NodeId;
use crate::op::{AddressSpace, Op, TensorType};
use crate::schema::Slot;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// The kind of memory and the number of a buffer.
type Key = (AddressSpace, u32);

/// The content of buffers.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Before the program.
    before: FxHashMap<Key, Arc<Vec<u64>>>,
    /// Now.
    now: FxHashMap<Key, Arc<Vec<u64>>>,
}

/// A view of a buffer.
#[derive(Debug, Clone)]
pub(super) struct Place {
    key: Key,
    /// The shape of the view.
    shape: Shape,
    /// The position in the buffer of each element of the view; `None` for the whole buffer.
    positions: Option<Arc<Vec<u64>>>,
    /// The positions in the slices of a tuple of devices after the first, which hold the same.
    others: Vec<Arc<Vec<u64>>>,
}

impl Memory {
    /// Returns the elements of a view as they are now.
    pub(super) fn read(&self, place: &Place) -> Arc<Vec<u64>> {
        let content = &self.now[&place.key];
        match &place.positions {
            None => Arc::clone(content),
            Some(positions) => Arc::new(gather(content, positions)),
        }
    }
}

fn gather(content: &[u64], positions: &[u64]) -> Vec<u64> {
    positions
        .iter()
        .map(|position| content[*position as usize])
        .collect()
}

/// Returns how far each slice along an axis is from the first one. Without elements, one slice is as good as all.
fn slices(shape: &Shape, axis: usize) -> Vec<u64> {
    if shape.contains(&0) {
        return vec![0];
    }
    let stride = shape.strides()[axis];
    (0..shape[axis]).map(|slice| slice * stride).collect()
}

/// Returns positions in a slice of a view, as positions in its buffer.
fn positions_at(first: &[u64], outer: Option<&Arc<Vec<u64>>>, offset: u64) -> Vec<u64> {
    let first = first.iter();
    first
        .map(|position| match (*position, outer) {
            (NOWHERE, _) => NOWHERE,
            (position, None) => position + offset,
            (position, Some(outer)) => outer[(position + offset) as usize],
        })
        .collect()
}

impl Machine<'_> {
    /// Returns the content of a buffer before the program.
    pub(super) fn before(
        &mut self,
        slot: u32,
        space: AddressSpace,
        ty: &TensorType,
    ) -> Result<Arc<Vec<u64>>, Reason> {
        let key = (space, slot);
        if let Some(elements) = self.memory.before.get(&key) {
            return Ok(Arc::clone(elements));
        }
        let count = ty.shape.elements();
        self.hold(count)?;
        // Inputs are in the memory of the device.
        let input = self.inputs().buffers.get(&slot);
        let content = match input.filter(|_| space == AddressSpace::Global) {
            Some(input) if input.ty != *ty => {
                return Err(Reason::Input {
                    slot,
                    input: Box::new(input.ty.clone()),
                    buffer: Box::new(ty.clone()),
                });
            }
            Some(input) => Arc::clone(&input.elements),
            None => Arc::new(vec![element::poison(ty.dtype); count as usize]),
        };
        self.memory.before.insert(key, Arc::clone(&content));
        self.memory.now.insert(key, Arc::clone(&content));
        Ok(content)
    }

    /// Returns where a view of a buffer is.
    pub(super) fn place(&mut self, frame: &Frame, id: NodeId) -> Result<Place, Reason> {
        self.gated_place(frame, id, None)
    }

    fn gated_place(
        &mut self,
        frame: &Frame,
        id: NodeId,
        gate: Option<&Tensor>,
    ) -> Result<Place, Reason> {
        // From the view to its buffer; the gate is that of the view itself.
        let mut views = Vec::new();
        let mut place_node = self.graph.node(self.plans.place(id));
        while let Some(source) = place_node.sources.first() {
            self.spend(1)?;
            views.push(place_node);
            place_node = self.graph.node(self.plans.place(*source));
        }
        let mut place = self.root(frame, place_node)?;
        for (depth, view) in views.into_iter().enumerate().rev() {
            let shape = &view.tensor().shape;
            if matches!(view.op, Op::Reshape(_)) {
                place.shape = shape.clone();
                continue;
            }
            self.room(shape.elements())?;
            self.spend(shape.elements())?;
            let indices: Vec<Tensor> = view.sources[1..]
                .iter()
                .map(|source_id| frame.tensor(*source_id).clone())
                .collect();
            let gate = if depth == 0 && view.op == Op::Index {
                gate
            } else {
                None
            };
            let first = movement::positions(&view.op, &place.shape, shape, &indices, gate)?;
            let offsets = match view.op {
                Op::Replicated(axis) => slices(&place.shape, axis),
                _ => vec![0],
            };
            let outer = std::iter::once(place.positions.as_ref());
            let outer = outer.chain(place.others.iter().map(Some));
            let mut all = Vec::new();
            for outer in outer {
                for offset in &offsets {
                    self.room(shape.elements())?;
                    self.spend(shape.elements())?;
                    all.push(Arc::new(positions_at(&first, outer, *offset)));
                }
            }
            place.shape = shape.clone();
            let mut all = all.into_iter();
            place.positions = all.next();
            place.others = all.collect();
        }
        Ok(place)
    }

    /// Returns where a buffer or a parameter is.
    fn root(&mut self, frame: &Frame, node: &Node) -> Result<Place, Reason> {
        match &node.op {
            Op::Buffer {
                slot, space, ty, ..
            } => {
                self.before(*slot, *space, ty)?;
                Ok(Place {
                    key: (*space, *slot),
                    shape: ty.shape.clone(),
                    positions: None,
                    others: Vec::new(),
                })
            }
            Op::Param {
                slot: Slot::Number(slot),
                ..
            } => {
                let Some(argument) = frame.arguments.get(*slot as usize) else {
                    return Err(Reason::Unbound(slot.to_string()));
                };
                argument.place.clone().ok_or(Reason::Argument(*slot))
            }
            Op::Param { slot, .. } => Err(Reason::Unbound(super::name(slot))),
            other => unreachable!("{} is no storage", other.name()),
        }
    }

    /// Writes to a buffer.
    pub(super) fn store(&mut self, frame: &Frame, node: &Node) -> Result<(), Reason> {
        let gate = node.sources.get(2).map(|gate| frame.tensor(*gate));
        let place = self.gated_place(frame, node.sources[0], gate)?;
        let value = frame.tensor(node.sources[1]);
        self.spend(value.elements.len() as u64)?;
        let content = self
            .memory
            .now
            .get_mut(&place.key)
            .expect("the place has a buffer");
        if place.positions.is_none() && gate.is_none() {
            *content = Arc::clone(&value.elements);
            return Ok(());
        }
        let content = Arc::make_mut(content);
        let others = place.others.iter().map(Some);
        for positions in std::iter::once(place.positions.as_ref()).chain(others) {
            for (at, element) in value.elements.iter().enumerate() {
                if gate.is_none_or(|gate| gate.elements[at] != 0) {
                    let position = positions.map_or(at, |positions| positions[at] as usize);
                    content[position] = *element;
                }
            }
        }
        Ok(())
    }

    /// Reads a buffer, where the gate is true.
    pub(super) fn load(&mut self, frame: &Frame, node: &Node) -> Result<Arc<Vec<u64>>, Reason> {
        let id = node.sources[0];
        let [_, alternative, gate] = node.sources[..] else {
            return Ok(Arc::clone(&frame.tensor(id).elements));
        };
        let (alternative, gate) = (frame.tensor(alternative), frame.tensor(gate));
        let source = self.graph.node(id);
        let select = |read: &dyn Fn(usize) -> u64| {
            let pick = |at: usize| {
                if gate.elements[at] != 0 {
                    read(at)
                } else {
                    alternative.elements[at]
                }
            };
            Arc::new((0..gate.elements.len()).map(pick).collect::<Vec<u64>>())
        };
        if source.op != Op::Index {
            let tensor = frame.tensor(id);
            return Ok(select(&|at| tensor.elements[at]));
        }
        let tensor = frame.tensor(source.sources[0]);
        let indices: Vec<Tensor> = source.sources[1..]
            .iter()
            .map(|source_id| frame.tensor(*source_id).clone())
            .collect();
        let shape = &source.tensor().shape;
        let positions =
            movement::positions(&source.op, &tensor.ty.shape, shape, &indices, Some(gate))?;
        Ok(select(&|at| tensor.elements[positions[at] as usize]))
    }
}
