//! The contents of buffers, before the program and at each step of it.
//!
//! The contents of a buffer are a tensor value, and a store yields a new one. A view that is stored to is a place: the
//! movements and positions that lead from the buffer to the view. A store applies their inverses to the stored value.
//! The elements that a movement leaves out get a gate that is false.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use spyre_index_expr::Expr;
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::graph::{Graph, Node};
use spyre_uop::ids::NodeId;
use spyre_uop::op::{AddressSpace, Combine, Elementwise, Op};
use spyre_uop::schema::Slot;

use super::view::{self, View};
use super::{Frame, Lowering, Outcome, Root, Value};

/// The key that identifies a buffer: several nodes may be the same buffer.
pub(super) type Key = (AddressSpace, u32);

/// The contents of buffers.
#[derive(Default)]
pub(super) struct Memory<'p> {
    /// Before the program.
    before: FxHashMap<Key, Value<'p>>,
    /// At the current step.
    pub(super) now: FxHashMap<Key, Value<'p>>,
}

/// A view of a buffer.
#[derive(Clone)]
pub(super) struct Place<'p> {
    key: Key,
    /// The extents of the view.
    shape: Vec<i64>,
    /// The way from the buffer to the view.
    steps: Vec<Step<'p>>,
}

/// A step from a buffer to a view of it.
#[derive(Clone)]
struct Step<'p> {
    /// The extents before it.
    shape: Vec<i64>,
    kind: StepKind<'p>,
}

#[derive(Clone)]
enum StepKind<'p> {
    Move(Op),
    /// The elements at positions along the first axes, one value for each.
    Pick(Vec<Value<'p>>),
}

/// A value that is written, and where it is written if not everywhere.
struct Written<'p> {
    value: Value<'p>,
    gate: Option<Value<'p>>,
}

impl<'p> Memory<'p> {
    /// Sets the contents of a buffer before the program.
    pub(super) fn begin(&mut self, key: Key, value: Value<'p>) {
        self.before.insert(key, value.clone());
        self.now.insert(key, value);
    }
}

/// Returns the key of a buffer; `None` if the node is no buffer.
pub(super) fn key(node: &Node) -> Option<Key> {
    match node.op {
        Op::Buffer { space, slot, .. } => Some((space, slot)),
        _ => None,
    }
}

/// Returns the buffers that a program writes to, in order, each by one of its nodes: the buffers of its stores, and the
/// operands of its calls, since the bodies may store.
fn written(graph: &Graph) -> BTreeMap<Key, NodeId> {
    let mut buffers = BTreeMap::new();
    for (_, node) in graph.nodes().iter() {
        let places = match node.op {
            Op::Store => &node.sources[..1],
            Op::Call(_) => &node.sources[1..],
            _ => continue, // It has no store.
        };
        for buffer in places.iter().filter_map(|place| graph.node(*place).storage) {
            if let Some(key) = key(graph.node(buffer)) {
                buffers.insert(key, buffer);
            }
        }
    }
    buffers
}

impl<'p> Lowering<'_, 'p> {
    /// Sets the initial contents of all buffers that the program may write to, in loops as well, and records these
    /// buffers.
    pub(super) fn begin(&mut self) {
        for (key, id) in written(&self.program.graph) {
            // A device buffer that is no argument is reported when its node is converted.
            if key.0 != AddressSpace::Global {
                let node = self.program.graph.node(id);
                self.before(node).expect("it is no argument");
            }
            if self.memory.now.contains_key(&key) {
                self.written.push(key);
            }
        }
    }

    /// Returns the contents of a buffer before the program: an argument's contents are set with the function, any other
    /// buffer is uninitialised.
    pub(super) fn before(&mut self, node: &Node) -> Outcome<'p, Value<'p>> {
        let buffer_key = key(node).expect("the node is a buffer");
        if let Some(contents) = self.memory.before.get(&buffer_key) {
            return Ok(contents.clone());
        }
        let (space, slot) = buffer_key;
        if space == AddressSpace::Global {
            let message = format!("buffer {slot} is in the memory of the device, and no argument");
            return Err(self.error(message));
        }
        // All elements of an uninitialised buffer are equal: NaN, bytes of 0x5A, or true.
        let ty = node.tensor();
        let poison = element::poison(ty.dtype);
        let value = super::number(ty.dtype, poison, &super::extents(&ty.shape));
        self.memory.begin(buffer_key, value.clone());
        Ok(value)
    }

    /// Returns the place of a view of a buffer; `None` if it is a view of an argument that is in no buffer.
    pub(super) fn place(
        &mut self,
        frame: &Frame<'p>,
        id: NodeId,
    ) -> Outcome<'p, Option<Place<'p>>> {
        let graph = &self.program.graph;
        let mut views = Vec::new();
        let mut node = graph.node(id);
        while let Some(source) = node.sources.first() {
            // An `After` of effects does not change the place.
            if node.op != Op::After {
                views.push(node);
            }
            node = graph.node(*source);
        }
        let mut place = match &node.op {
            Op::Param {
                slot: Slot::Number(slot),
                ..
            } => {
                let arguments = frame.arguments.as_ref();
                let argument = arguments.and_then(|all| all.get(*slot as usize));
                match argument.and_then(|argument| argument.place.clone()) {
                    Some(place) => place,
                    None => return Ok(None),
                }
            }
            Op::Buffer { .. } => {
                self.before(node)?;
                Place {
                    key: key(node).expect("the node is a buffer"),
                    shape: super::extents(&node.tensor().shape),
                    steps: Vec::new(),
                }
            }
            _ => return Ok(None), // A symbolic integer is in no buffer.
        };
        for view in views.into_iter().rev() {
            let positions = &view.sources[1..];
            let kind = match &view.op {
                Op::Index => {
                    let positions = positions.iter().map(|id| frame.values[id][0].clone());
                    StepKind::Pick(positions.collect())
                }
                movement => StepKind::Move(movement.clone()),
            };
            let after = super::extents(&view.tensor().shape);
            let shape = std::mem::replace(&mut place.shape, after);
            place.steps.push(Step { shape, kind });
        }
        Ok(Some(place))
    }

    /// Returns the place of a view that is read or written.
    fn placed(&mut self, frame: &Frame<'p>, id: NodeId) -> Outcome<'p, Place<'p>> {
        let place = self.place(frame, id)?;
        place.ok_or_else(|| self.error("the program writes to an argument that is not in a buffer"))
    }

    /// Returns the current contents of a view of a buffer.
    pub(super) fn read_now(&mut self, frame: &Frame<'p>, id: NodeId) -> Outcome<'p, Value<'p>> {
        let place = self.placed(frame, id)?;
        let mut value = self.memory.now[&place.key].clone();
        for step in place.steps {
            value = match step.kind {
                StepKind::Move(op) => {
                    let view = match op {
                        // Each slice has the stored elements.
                        Op::Replicated(axis) => value.view.first(axis),
                        op => value.view.moved(&op),
                    };
                    let view = self.fits(view)?;
                    Value { view, ..value }
                }
                StepKind::Pick(positions) => {
                    let all: Vec<Value<'p>> = [value].into_iter().chain(positions).collect();
                    self.index(&all, None)?
                }
            };
        }
        Ok(value)
    }

    /// Writes to a view of a buffer.
    pub(super) fn store(&mut self, frame: &Frame<'p>, node: &Node) -> Outcome<'p, ()> {
        let place = self.placed(frame, node.sources[0])?;
        let of = |id: NodeId| frame.values[&id][0].clone();
        if place.shape.contains(&0) {
            return Ok(()); // There is no element to write.
        }
        let mut written = Written {
            value: of(node.sources[1]),
            gate: node.sources.get(2).copied().map(of),
        };
        for step in place.steps.iter().rev() {
            written = match &step.kind {
                StepKind::Move(op) => self.back(op, &step.shape, written)?,
                StepKind::Pick(positions) => self.put(positions, &step.shape, written)?,
            };
        }
        let value = match written.gate {
            None => written.value,
            Some(gate) => {
                let old = self.memory.now[&place.key].clone();
                self.elementwise(Elementwise::Where, &[gate, written.value, old])?
            }
        };
        self.memory.now.insert(place.key, value);
        Ok(())
    }

    /// Maps a store after a movement to a store before it, with extents `shape`.
    fn back(&mut self, op: &Op, shape: &[i64], written: Written<'p>) -> Outcome<'p, Written<'p>> {
        let whole: Vec<u64> = shape.iter().map(|extent| extent.cast_unsigned()).collect();
        let whole = whole.as_slice().into();
        let mut written = written;
        let inverse = match op {
            Op::Replicated(axis) => {
                // The value is stored to each slice.
                let mut one = shape.to_vec();
                one[*axis] = 1;
                let one = one.into_iter().map(i64::cast_unsigned).collect();
                written = self.moved_back(&Op::Reshape(one), written)?;
                Op::Expand(whole)
            }
            Op::Permute(perm) => {
                let mut inverse = vec![0; perm.len()];
                for (place, axis) in perm.iter().enumerate() {
                    inverse[*axis] = place;
                }
                Op::Permute(inverse.into())
            }
            Op::Flip(flags) => Op::Flip(flags.clone()),
            Op::Reshape(_) => Op::Reshape(whole),
            Op::Shrink { offset, .. } => Op::Pad {
                offset: offset.clone(),
                shape: whole,
            },
            other => unreachable!("{} of a buffer is no place in it", other.name()),
        };
        self.moved_back(&inverse, written)
    }

    /// Applies a movement to the value and the gate of a store. Padding gets a false gate.
    fn moved_back(&self, inverse: &Op, written: Written<'p>) -> Outcome<'p, Written<'p>> {
        let moved = |value: Value<'p>| -> Outcome<'p, Value<'p>> {
            let view = self.fits(value.view.moved(inverse))?;
            Ok(Value { view, ..value })
        };
        let gate = match (written.gate, inverse) {
            (Some(gate), _) => Some(moved(gate)?),
            (None, Op::Pad { .. }) => {
                // True, and false in the padding.
                let extents = written.value.view.shape.clone();
                Some(moved(super::number(DType::Bool, 1, &extents))?)
            }
            (None, _) => None,
        };
        let value = moved(written.value)?;
        Ok(Written { value, gate })
    }

    /// Maps a store to positions along the first axes of `shape` to a store of the whole `shape`: each element gets the
    /// value of the last position that equals its coordinates.
    fn put(
        &mut self,
        positions: &[Value<'p>],
        shape: &[i64],
        written: Written<'p>,
    ) -> Outcome<'p, Written<'p>> {
        if positions.is_empty() {
            return Ok(written);
        }
        // The axes of the buffer, then the axes of each position.
        let rank = shape.len();
        let mut all = shape.to_vec();
        let mut ranges = Vec::new();
        for position in positions {
            ranges.push(all.len()..all.len() + position.view.shape.len());
            all.extend(&position.view.shape);
        }
        let mut is_match: Option<Value<'p>> = None;
        for (axis, (position, range)) in positions.iter().zip(&ranges).enumerate() {
            let position = self.cast(position, DType::Index)?;
            let axes: Vec<Expr> = range.clone().map(view::coordinate).collect();
            let view = self.fits(position.view.read(&all, &axes))?;
            let place = coordinate(&all, view::coordinate(axis));
            let here = [Value { view, ..position }, place];
            let same = self.elementwise(Elementwise::CmpEq, &here)?;
            is_match = Some(self.both(is_match, same)?);
        }
        let is_match = is_match.expect("there are positions");
        // The coordinates of the value: the axes of the positions, then the axes of the buffer after the indexed ones.
        let picked: Vec<Expr> = (rank..all.len()).map(view::coordinate).collect();
        let rest: Vec<Expr> = (positions.len()..rank).map(view::coordinate).collect();
        let of_value: Vec<Expr> = picked.iter().chain(&rest).cloned().collect();
        let is_match = match &written.gate {
            None => is_match,
            Some(gate) => {
                let view = self.fits(gate.view.read(&all, &of_value))?;
                let gate = Value {
                    view,
                    ..gate.clone()
                };
                self.both(Some(is_match), gate)?
            }
        };
        if all.len() == rank {
            // If all positions are single ones, the stored value is a slice at one position.
            let view = self.fits(written.value.view.read(shape, &of_value))?;
            let value = Value {
                view,
                ..written.value
            };
            return Ok(Written {
                value,
                gate: Some(is_match),
            });
        }
        let number = self.fits(view::flat(&picked, &all[rank..]))?;
        let none = super::number(DType::Index, element::wrapped(DType::Index, -1), &all);
        let number = coordinate(&all, number);
        let chosen = self.elementwise(Elementwise::Where, &[is_match, number, none])?;
        let reduced: Vec<usize> = (rank..all.len()).collect();
        let last = self.reduction(&chosen, None, Combine::Max, &reduced)?;
        let axes: Vec<Expr> = (0..all.len())
            .map(|axis| match axis < rank {
                true => view::coordinate(axis),
                false => Expr::constant(0),
            })
            .collect();
        let view = self.fits(last.view.read(shape, &axes))?;
        let last = Value { view, ..last };
        let zero = super::number(DType::Index, 0, shape);
        let gate = self.elementwise(Elementwise::CmpGe, &[last.clone(), zero.clone()])?;
        let position = self.elementwise(Elementwise::Max, &[last, zero])?;
        // The value with its positions as one axis.
        let mut flat: Vec<u64> = vec![all[rank..].iter().product::<i64>().cast_unsigned()];
        flat.extend(
            shape[positions.len()..]
                .iter()
                .map(|extent| extent.cast_unsigned()),
        );
        let flat = Op::Reshape(flat.as_slice().into());
        let view = self.fits(written.value.view.moved(&flat))?;
        let source = Value {
            view,
            ..written.value
        };
        let mut at = vec![position];
        at.extend(rest.into_iter().map(|expr| coordinate(shape, expr)));
        let value = self.picked(&source, &at, shape, None)?;
        Ok(Written {
            value,
            gate: Some(gate),
        })
    }

    /// Returns whether both hold.
    fn both(&mut self, one: Option<Value<'p>>, other: Value<'p>) -> Outcome<'p, Value<'p>> {
        match one {
            None => Ok(other),
            Some(one) => self.elementwise(Elementwise::And, &[one, other]),
        }
    }
}

/// Returns an index expression of coordinates as a value.
fn coordinate<'p>(shape: &[i64], expr: Expr) -> Value<'p> {
    Value {
        root: Root::Position,
        dtype: DType::Index,
        view: View::of(shape, vec![expr]),
    }
}
