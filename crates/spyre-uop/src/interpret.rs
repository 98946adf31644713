//! The execution of a graph: the meaning of every operation, the reference for all other implementations.
//!
//! The nodes that the results depend on are executed, in order. A read of a buffer returns its contents before the
//! program; a read of `After` the contents at that point. A loop executes the nodes that depend on its range, in their
//! order, for each value of the range. Unwritten elements are NaN, or bytes of `0x5A`. Positions outside of a tensor
//! are refused, except where a gate is false, because there is no access.

mod call;
mod compute;
mod machine;
mod memory;
mod movement;
mod plan;

use rustc_hash::FxHashMap;

use crate::graph::{Graph, Type};
use crate::ids::NodeId;
use crate::op::{Op, TensorType};
use crate::schema::{Slot, Text};
use crate::tensor::Tensor;

/// The values that a graph is executed on.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The content of buffers in the memory of the device, by their numbers.
    pub buffers: FxHashMap<u32, Tensor>,
    /// The values of symbolic integers, by their names.
    pub symbols: FxHashMap<Text, i64>,
}

/// The limits of the cost of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most elements that are held at one time. Each takes 8 bytes.
    pub elements: u64,
    /// The most elements that are computed.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            elements: 1 << 27,
            steps: 1 << 32,
        }
    }
}

/// The most loops and calls that are inside of each other.
const MOST_NESTED: u32 = 192;

/// A graph cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {node}: {reason}")]
pub struct RunError {
    /// The node.
    pub node: NodeId,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a graph cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The input of a buffer has another type.
    #[error("the input of buffer {slot} is {input}, and the buffer {buffer}")]
    Input {
        /// The number of the buffer.
        slot: u32,
        /// The type of the input.
        input: Box<TensorType>,
        /// The type of the buffer.
        buffer: Box<TensorType>,
    },
    /// A parameter has no value.
    #[error("the parameter {0} has no value")]
    Unbound(String),
    /// A symbolic integer has a value that it cannot have.
    #[error("the symbolic integer {name} is {value}, and is from {low} to {high}")]
    Symbol {
        /// The name.
        name: String,
        /// The value.
        value: i128,
        /// The smallest value.
        low: i128,
        /// The largest value.
        high: i128,
    },
    /// A position is outside of an axis.
    #[error("position {value} is outside of axis {axis} with {extent} elements")]
    Outside {
        /// The position.
        value: i128,
        /// The axis of the tensor.
        axis: usize,
        /// The extent.
        extent: u64,
    },
    /// The slices along an axis differ, which should be equal.
    #[error("the slices along axis {0} differ")]
    Slices(usize),
    /// The iteration of a loop is read outside of the loop.
    #[error("it depends on the iteration of {0}, and no End and no Reduce closes it here")]
    Open(NodeId),
    /// A loop is executed in itself.
    #[error("the loop over {0} is inside of itself")]
    Twice(NodeId),
    /// There are too many loops inside of each other.
    #[error("it is in more than {0} loops")]
    Loops(usize),
    /// A store is to the argument of a call that is no part of a buffer.
    #[error("parameter {0} is written to, and its argument is no part of a buffer")]
    Argument(u32),
    /// A result is an effect or a tuple.
    #[error("{0} is no tensor")]
    Result(&'static str),
    /// More elements are held than the limit.
    #[error("the program needs memory for more than {0} elements at once")]
    Elements(u64),
    /// More elements are computed than the limit.
    #[error("the program computes more than {0} elements")]
    Steps(u64),
    /// There are too many loops and calls inside of each other.
    #[error("more than {MOST_NESTED} loops and calls are inside of each other")]
    Nested,
}

impl Reason {
    fn at(self, node: NodeId) -> RunError {
        RunError { node, reason: self }
    }
}

/// Returns the values of some nodes.
///
/// # Errors
/// [`RunError`], with the node.
pub fn run(
    graph: &Graph,
    inputs: &Inputs,
    results: &[NodeId],
    limits: Limits,
) -> Result<Vec<Tensor>, RunError> {
    for result in results {
        let node = graph.node(*result);
        if !matches!(node.ty, Type::Tensor(_)) {
            return Err(Reason::Result(node.op.name()).at(*result));
        }
    }
    let mut machine = machine::Machine::new(graph, inputs, limits)?;
    machine.results(results)
}

/// Returns the name of a parameter, for messages.
fn name(slot: &Slot) -> String {
    match slot {
        Slot::Number(slot) => slot.to_string(),
        Slot::Name(name) => name.to_string(),
    }
}

/// Returns the number of iterations of a range.
fn bound(graph: &Graph, range: NodeId) -> u64 {
    match graph.node(range).op {
        Op::Range { bound, .. } => bound,
        ref other => unreachable!("{} is no range: U22", other.name()),
    }
}
