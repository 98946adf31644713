//! What a bundle's operations say of the tensors that the launcher passes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Allocation, Direction, Node, TensorArg};
use crate::{ArgIndex, STICK_BYTES};

/// A kernel argument in device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentTensor {
    /// Bytes from its start to the end of what operations visit.
    pub bytes: u64,
    /// The format of its elements.
    pub format: String,
    /// Its extents in device memory, outermost first, the last in one stick: as the first operation that has it sees them.
    pub device_size: Vec<u64>,
    /// Whether an operation writes it.
    pub is_written: bool,
}

/// Returns the kernel arguments that the operations of a tree have.
pub(super) fn arguments(nodes: &[Node]) -> BTreeMap<ArgIndex, ArgumentTensor> {
    let mut found = BTreeMap::new();
    collect(nodes, &mut found);
    found
}

fn collect(nodes: &[Node], found: &mut BTreeMap<ArgIndex, ArgumentTensor>) {
    for node in nodes {
        match node {
            Node::Op(op) => op.args.iter().for_each(|arg| add(arg, found)),
            Node::Loop(spec) => collect(&spec.body, found),
            Node::Unimplemented { .. } => {}
        }
    }
}

fn add(tensor: &TensorArg, found: &mut BTreeMap<ArgIndex, ArgumentTensor>) {
    let Allocation::Hbm { arg, offset } = tensor.allocation else {
        return;
    };
    let outer = tensor
        .device_size
        .split_last()
        .map_or(&[][..], |(_, outer)| outer);
    let whole = outer
        .iter()
        .try_fold(STICK_BYTES.get(), |bytes, size| bytes.checked_mul(*size))
        .and_then(|bytes| bytes.checked_add(offset.get()));
    // Validation has refused what no address reaches.
    let bytes = whole.unwrap_or(u64::MAX);
    let entry = found.entry(arg).or_insert_with(|| ArgumentTensor {
        bytes,
        format: tensor.format.to_string(),
        device_size: tensor.device_size.clone(),
        is_written: false,
    });
    entry.bytes = entry.bytes.max(bytes);
    entry.is_written |= tensor.direction == Direction::Output;
}
