//! The hints of operations without an OpFunc.
//!
//! Such an operation has no attribute for hints. `--spyre-decompose` visits the operations from the last to the first,
//! and gives the operations in the place of one the hints of a user, in no defined order, or those of the producer of
//! an operand if no user has hints. The check predicts these hints, so that no operation of a `tile` is computed
//! outside of its loops, or in the loops of another `tile`.

use spyre_dialects::hint::TileHint;

use crate::error::GraphError;
use crate::function::{Definition, Function};
use crate::infer;

/// Checks that each operation without an OpFunc in a `tile` gets the hints of that.
///
/// # Errors
/// The operation would get other hints, or none.
pub(crate) fn check(function: &Function) -> Result<(), GraphError> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); function.nodes.len()];
    // Inputs, views and constants have no hints, and an operation without an OpFunc has none yet.
    let none: &[TileHint] = &[];
    let mut attributes = vec![none; function.nodes.len()];
    for (number, node) in function.nodes.iter().enumerate() {
        if let Definition::Operation {
            name,
            operands,
            hints,
            ..
        } = &node.definition
        {
            for operand in operands {
                users[*operand].push(number);
            }
            if infer::row(name).is_some() {
                attributes[number] = hints;
            }
        }
    }
    for (number, node) in function.nodes.iter().enumerate().rev() {
        if let Definition::Operation {
            name,
            operands,
            hints,
            ..
        } = &node.definition
            && infer::is_decomposed(name)
        {
            let near = near(&attributes, &users[number], operands);
            let is_tiled = !near.is_empty() && near.iter().all(|other| *other == hints.as_slice());
            if !hints.is_empty() && !is_tiled {
                let operation = function.node_name(number);
                return Err(GraphError::Hint { operation });
            }
            attributes[number] = near.first().copied().unwrap_or_default();
        }
    }
    Ok(())
}

/// Returns the lists of hints from which `--spyre-decompose` takes that of an operation without an OpFunc: the lists of its
/// users, or those of its operands if no user has hints.
fn near<'h>(
    attributes: &[&'h [TileHint]],
    users: &[usize],
    operands: &[usize],
) -> Vec<&'h [TileHint]> {
    let with_hints = |nodes: &[usize]| -> Vec<&'h [TileHint]> {
        let hints = nodes.iter().map(|node| attributes[*node]);
        hints.filter(|hints| !hints.is_empty()).collect()
    };
    let of_users = with_hints(users);
    match of_users.is_empty() {
        true => with_hints(operands),
        false => of_users,
    }
}
