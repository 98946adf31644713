//! The tensors that the launcher passes, as the operations of a bundle see them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, OpRef};
use crate::model::{Allocation, Direction, Node, TensorArg};
use crate::{ArgIndex, STICK_BYTES};

/// A kernel argument in device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentTensor {
    /// Bytes from its start to the end of the elements that operations visit.
    pub bytes: u64,
    /// The format of its elements.
    pub format: String,
    /// The extents in device memory, outermost first, the last in one stick: as the first operation that has it sees them.
    pub device_size: Vec<u64>,
    /// Whether an operation writes it.
    pub is_written: bool,
}

/// Returns the kernel arguments that the operations of a planned tree have.
///
/// # Errors
/// A tensor with more bytes than 63 bits count.
pub(super) fn arguments(nodes: &[Node]) -> Result<BTreeMap<ArgIndex, ArgumentTensor>, Error> {
    let mut tensors = BTreeMap::new();
    collect(nodes, &mut 0, &mut tensors)?;
    Ok(tensors)
}

fn collect(
    nodes: &[Node],
    ops: &mut usize,
    tensors: &mut BTreeMap<ArgIndex, ArgumentTensor>,
) -> Result<(), Error> {
    for node in nodes {
        match node {
            Node::Op(op) => {
                let too_large = |operand: usize| Error::Overflow {
                    op: OpRef {
                        name: op.op.clone(),
                        index: *ops,
                    },
                    what: format!("the bytes of operand {operand}"),
                };
                for (operand, arg) in op.args.iter().enumerate() {
                    add(arg, tensors).ok_or_else(|| too_large(operand))?;
                }
                *ops += 1;
            }
            Node::Loop(spec) => collect(&spec.body, ops, tensors)?,
            Node::Unimplemented { .. } => {}
        }
    }
    Ok(())
}

/// Adds a tensor, if it is in a kernel argument; `None` if its bytes do not fit.
fn add(tensor: &TensorArg, tensors: &mut BTreeMap<ArgIndex, ArgumentTensor>) -> Option<()> {
    let Allocation::Hbm { arg, offset } = tensor.allocation else {
        return Some(());
    };
    let sizes = tensor.device_size.split_last();
    let (_, outer) = sizes.expect("validation refuses tensors without device dimensions");
    let whole = outer
        .iter()
        .try_fold(STICK_BYTES.get(), |bytes, size| bytes.checked_mul(*size))?;
    let bytes = whole.checked_add(offset.get())?;
    i64::try_from(bytes).ok()?;
    let entry = tensors.entry(arg).or_insert_with(|| ArgumentTensor {
        bytes,
        format: tensor.format.to_string(),
        device_size: tensor.device_size.clone(),
        is_written: false,
    });
    entry.bytes = entry.bytes.max(bytes);
    entry.is_written |= tensor.direction == Direction::Output;
    Some(())
}
