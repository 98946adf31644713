//! Executes nodes in their order.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::memory::{Memory, Place};
use super::plan::Plans;
use super::{Inputs, Limits, MOST_NESTED, Reason, RunError, bound, compute, movement};
use crate::element;
use crate::graph::{Graph, Node, Type};
use crate::ids::NodeId;
use crate::op::{Op, TensorType};
use crate::schema::Slot;
use crate::tensor::Tensor;

/// The value of a node.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// Several.
    Tuple(Rc<[Tensor]>),
    /// The effect has been executed.
    Done,
}

/// An argument of a call.
#[derive(Debug, Clone)]
pub(super) struct Argument {
    /// The value when the call is executed.
    pub(super) value: Tensor,
    /// The place in a buffer.
    pub(super) place: Option<Place>,
}

/// The values of a scope.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) values: FxHashMap<NodeId, Value>,
    pub(super) arguments: Vec<Argument>,
    /// The iteration of each loop that is executed.
    pub(super) iterations: FxHashMap<NodeId, u64>,
}

impl Frame {
    /// Returns the value of a tensor that has been computed.
    pub(super) fn tensor(&self, id: NodeId) -> &Tensor {
        match self.values.get(&id) {
            Some(Value::Tensor(tensor)) => tensor,
            other => panic!("node {id} is a tensor that has been computed, and not {other:?}"),
        }
    }
}

/// The state of an execution.
pub(super) struct Machine<'g> {
    pub(super) graph: &'g Graph,
    pub(super) plans: Plans<'g>,
    pub(super) memory: Memory,
    inputs: &'g Inputs,
    limits: Limits,
    /// The elements that are held by the values of all frames.
    held: u64,
    steps: u64,
    /// The loops and calls that are executed.
    nested: u32,
}

impl<'g> Machine<'g> {
    pub(super) fn new(
        graph: &'g Graph,
        inputs: &'g Inputs,
        limits: Limits,
    ) -> Result<Self, RunError> {
        Ok(Self {
            graph,
            plans: Plans::new(graph)?,
            memory: Memory::default(),
            inputs,
            limits,
            held: 0,
            steps: 0,
            nested: 0,
        })
    }

    /// Returns the inputs of the graph.
    pub(super) fn inputs(&self) -> &'g Inputs {
        self.inputs
    }

    /// Returns the values of some nodes.
    pub(super) fn results(&mut self, results: &[NodeId]) -> Result<Vec<Tensor>, RunError> {
        let plan = self.plans.program(results)?;
        let mut frame = Frame::default();
        self.execute(&mut frame, &plan)?;
        Ok(results
            .iter()
            .map(|result| frame.tensor(*result).clone())
            .collect())
    }

    /// Executes the nodes of a plan.
    pub(super) fn execute(&mut self, frame: &mut Frame, plan: &[NodeId]) -> Result<(), RunError> {
        for id in plan {
            let node = self.graph.node(*id);
            let count = match &node.ty {
                Type::Tensor(ty) => ty.shape.elements(),
                Type::Tuple(_) | Type::Void => 0,
            };
            self.release(frame, *id);
            self.room(count).map_err(|reason| reason.at(*id))?;
            self.spend(count.saturating_add(1))
                .map_err(|reason| reason.at(*id))?;
            let value = self.value(frame, *id, node)?;
            self.held += count;
            frame.values.insert(*id, value);
        }
        Ok(())
    }

    /// Counts elements that are computed.
    pub(super) fn spend(&mut self, steps: u64) -> Result<(), Reason> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            return Err(Reason::Steps(self.limits.steps));
        }
        Ok(())
    }

    /// Checks that more elements are within the limit of held elements.
    pub(super) fn room(&self, count: u64) -> Result<(), Reason> {
        if self.held.saturating_add(count) > self.limits.elements {
            return Err(Reason::Elements(self.limits.elements));
        }
        Ok(())
    }

    /// Counts elements that are held from now on.
    pub(super) fn hold(&mut self, count: u64) -> Result<(), Reason> {
        self.room(count)?;
        self.held += count;
        Ok(())
    }

    /// Forgets the value of the last iteration.
    fn release(&mut self, frame: &mut Frame, id: NodeId) {
        if let Some(Value::Tensor(old)) = frame.values.remove(&id) {
            self.held -= old.elements.len() as u64;
        }
    }

    /// Forgets all values of a scope.
    pub(super) fn leave(&mut self, frame: Frame) {
        for value in frame.values.into_values() {
            if let Value::Tensor(old) = value {
                self.held -= old.elements.len() as u64;
            }
        }
    }

    fn value(&mut self, frame: &mut Frame, id: NodeId, node: &'g Node) -> Result<Value, RunError> {
        let located = |reason: Reason| reason.at(id);
        let elements = match &node.op {
            Op::Tuple => {
                let tensors = node
                    .sources
                    .iter()
                    .map(|source| frame.tensor(*source).clone());
                return Ok(Value::Tuple(tensors.collect()));
            }
            Op::Store => {
                self.store(frame, node).map_err(located)?;
                return Ok(Value::Done);
            }
            Op::End => {
                let (plan, cost) = self.plans.closed(id)?;
                self.planned(cost).map_err(located)?;
                self.iterate(frame, &plan, &node.sources[1..], id, &mut |_, _| Ok(()))?;
                return Ok(Value::Done);
            }
            Op::Collect(_) => return Ok(Value::Done),
            Op::Call(_) => return self.call(frame, id, node),
            Op::GetTuple(index) => match frame.values.get(&node.sources[0]) {
                Some(Value::Tuple(tensors)) => return Ok(Value::Tensor(tensors[*index].clone())),
                other => panic!("the source of a GetTuple is a tuple, and not {other:?}: U20"),
            },
            Op::Reduce { .. } => self.reduce(frame, id, node)?,
            _ => self.tensor(frame, id, node).map_err(located)?,
        };
        let ty = node.tensor().clone();
        Ok(Value::Tensor(Tensor { ty, elements }))
    }

    /// Executes the nodes of loops for each combination of iterations, the last range the fastest.
    pub(super) fn iterate(
        &mut self,
        frame: &mut Frame,
        plan: &[NodeId],
        ranges: &[NodeId],
        id: NodeId,
        after: &mut dyn FnMut(&mut Self, &Frame) -> Result<(), Reason>,
    ) -> Result<(), RunError> {
        let Some((range, inner)) = ranges.split_first() else {
            self.execute(frame, plan)?;
            return after(self, frame).map_err(|reason| reason.at(id));
        };
        // The values of its iterations would take each other's place.
        if frame.iterations.contains_key(range) {
            return Err(Reason::Twice(*range).at(id));
        }
        self.enter().map_err(|reason| reason.at(id))?;
        for iteration in 0..bound(self.graph, *range) {
            self.spend(1).map_err(|reason| reason.at(id))?;
            frame.iterations.insert(*range, iteration);
            self.iterate(frame, plan, inner, id, after)?;
        }
        frame.iterations.remove(range);
        self.exit();
        Ok(())
    }

    /// Returns the elements of a tensor that depends on other values alone.
    fn tensor(
        &mut self,
        frame: &Frame,
        id: NodeId,
        node: &'g Node,
    ) -> Result<Arc<Vec<u64>>, Reason> {
        let ty = node.tensor();
        let source = |at: usize| frame.tensor(node.sources[at]);
        let elements = match &node.op {
            Op::Buffer { slot, space, .. } => return self.before(*slot, *space, ty),
            Op::Param { slot, bounds, .. } => match slot {
                Slot::Number(slot) if (*slot as usize) < frame.arguments.len() => {
                    let value = frame.arguments[*slot as usize].value.clone();
                    return in_bounds(slot, *bounds, value).map(|value| value.elements);
                }
                slot => vec![self.symbol(slot, *bounds, ty)?],
            },
            Op::Const { value, dtype } => vec![element::constant(*dtype, *value)],
            Op::Binary(data) => data.iter().map(|byte| u64::from(*byte)).collect(),
            Op::Range { .. } => {
                let iteration = frame
                    .iterations
                    .get(&id)
                    .expect("a range is read in its loop");
                vec![*iteration]
            }
            // The content of the buffer at this time.
            Op::After => {
                let place = self.place(frame, id)?;
                return Ok(self.memory.read(&place));
            }
            Op::Load { .. } => return self.load(frame, node),
            Op::Reshape(_) | Op::Marker(_) | Op::Copy(_) => {
                return Ok(Arc::clone(&source(0).elements));
            }
            Op::Bitcast(dtype) => movement::bitcast(source(0), *dtype),
            Op::Stack => {
                let sources = node.sources.iter();
                sources
                    .flat_map(|source_id| frame.tensor(*source_id).elements.iter().copied())
                    .collect()
            }
            Op::Cast(dtype) => compute::cast(source(0), *dtype),
            Op::Elementwise(op) => {
                let operands: Vec<&Tensor> = node
                    .sources
                    .iter()
                    .map(|source_id| frame.tensor(*source_id))
                    .collect();
                compute::elementwise(*op, &operands)
            }
            op => {
                let indices: Vec<Tensor> = node.sources[1..]
                    .iter()
                    .map(|source_id| frame.tensor(*source_id).clone())
                    .collect();
                let operand = source(0);
                let positions =
                    movement::positions(op, &operand.ty.shape, &ty.shape, &indices, None)?;
                if let Op::Replicated(axis) = op {
                    self.spend(operand.elements.len() as u64)?;
                    compute::equal_slices(operand, *axis)?;
                }
                let at = |position: &u64| match *position {
                    movement::NOWHERE => 0, // Padding: 0 of every type has no bits.
                    position => operand.elements[position as usize],
                };
                positions.iter().map(at).collect()
            }
        };
        Ok(Arc::new(elements))
    }

    /// Returns the value of a parameter that no call binds.
    fn symbol(
        &self,
        slot: &Slot,
        bounds: Option<[i64; 2]>,
        ty: &TensorType,
    ) -> Result<u64, Reason> {
        let name = super::name(slot);
        let Some(value) = self.inputs.symbols.get(name.as_str()) else {
            return Err(Reason::Unbound(name));
        };
        let value = i128::from(*value);
        let all = ty.dtype.integer_range();
        let (low, high) = match (bounds, all) {
            (Some([low, high]), _) => (low.into(), high.into()),
            (None, Some(all)) => all,
            (None, None) => return Err(Reason::Unbound(name)),
        };
        if !ty.shape.is_empty() {
            return Err(Reason::Unbound(name));
        }
        if !(low..=high).contains(&value) {
            return Err(Reason::Symbol {
                name,
                value,
                low,
                high,
            });
        }
        Ok(element::wrapped(ty.dtype, value))
    }

    /// Returns the elements of a reduction.
    fn reduce(
        &mut self,
        frame: &mut Frame,
        id: NodeId,
        node: &'g Node,
    ) -> Result<Arc<Vec<u64>>, RunError> {
        let Op::Reduce { combine, axes } = &node.op else {
            unreachable!("{} is no reduction", node.op.name());
        };
        let ty = node.tensor();
        let identity = element::identity(*combine, ty.dtype);
        let mut total = vec![identity; ty.shape.elements() as usize];
        let source = node.sources[0];
        let mut add = |machine: &mut Self, frame: &Frame| -> Result<(), Reason> {
            let tensor = frame.tensor(source);
            machine.spend(tensor.elements.len() as u64)?;
            compute::reduce(*combine, axes, tensor, &mut total);
            Ok(())
        };
        if node.sources.len() == 1 {
            add(self, frame).map_err(|reason| reason.at(id))?;
        } else {
            let (plan, cost) = self.plans.closed(id)?;
            self.planned(cost).map_err(|reason| reason.at(id))?;
            self.iterate(frame, &plan, &node.sources[1..], id, &mut add)?;
        }
        Ok(Arc::new(total))
    }

    /// Counts a loop or a call that begins.
    pub(super) fn enter(&mut self) -> Result<(), Reason> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(Reason::Nested);
        }
        Ok(())
    }

    /// Counts a loop or a call that ends.
    pub(super) fn exit(&mut self) {
        self.nested -= 1;
    }

    /// Counts the cost of a plan, in time and in memory, since the plan is kept.
    pub(super) fn planned(&mut self, cost: u64) -> Result<(), Reason> {
        self.spend(cost)?;
        self.hold(cost)
    }
}

/// Checks the value of a parameter with bounds.
fn in_bounds(slot: &u32, bounds: Option<[i64; 2]>, value: Tensor) -> Result<Tensor, Reason> {
    if let Some([low, high]) = bounds {
        let index = element::integer(value.ty.dtype, value.elements[0]);
        let (low, high) = (low.into(), high.into());
        if !(low..=high).contains(&index) {
            let name = slot.to_string();
            return Err(Reason::Symbol {
                name,
                value: index,
                low,
                high,
            });
        }
    }
    Ok(value)
}
