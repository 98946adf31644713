//! Programs with a dynamic dimension.

use crate::program::{Axis, Hint, Open, Operation, OperationKind, Program, Tensor, Tiles};

/// The extent of tiles along sticks, in elements, is a multiple of this for every element type.
const STICK: u64 = 64;

/// Returns the program with one of its hinted dimensions dynamic, selected by `number`. The extent becomes the largest
/// multiple of a tile that it holds. Every operation that has the dimension is in a loop over the tiles, around its
/// other loops; if one tile is the only extent, every second number leaves this loop out. `None` for a program without
/// hints, or with operations that have no dynamic form: constants and windows along the dimension.
#[must_use]
pub fn opened(program: &Program, number: u64) -> Option<Program> {
    let hinted = program.operations.iter().flat_map(|op| &op.hints);
    let mut candidates: Vec<(usize, Tiles)> = Vec::new();
    for hint in hinted {
        if !candidates.iter().any(|(dim, _)| *dim == hint.dim) {
            candidates.push((hint.dim, hint.tiles));
        }
    }
    let count = u64::try_from(candidates.len()).ok()?;
    let at = number.checked_rem(count)?;
    let (dim, tiles) = candidates.get(usize::try_from(at).ok()?).copied()?;
    if program
        .operations
        .iter()
        .any(|op| is_fixed(program, op, dim))
    {
        return None;
    }
    let extent = program.extents[dim];
    let mut tile = match tiles {
        Tiles::Count(count) => extent.div_ceil(count),
        Tiles::Size(size) => size.min(extent),
    };
    if on_sticks(program, dim) {
        tile = tile.next_multiple_of(STICK);
    }
    let mut open = program.clone();
    open.extents[dim] = extent / tile * tile;
    if open.extents[dim] == 0 {
        return None;
    }
    open.open = Some(Open { dim, tile });
    let is_tiled = open.extents[dim] > tile || number.is_multiple_of(2);
    for index in 0..open.operations.len() {
        let has_dim = has_dim(program, index, dim);
        let op = &mut open.operations[index];
        let others = op.hints.iter().filter(|hint| hint.dim != dim);
        let others: Vec<Hint> = others
            .map(|hint| Hint {
                scope: hint.scope + 1,
                ..*hint
            })
            .collect();
        if has_dim || !op.hints.is_empty() {
            let default_hint = Hint {
                scope: 0,
                dim,
                tiles: Tiles::Size(tile),
            };
            let default_hint = is_tiled.then_some(default_hint);
            op.hints = default_hint.into_iter().chain(others).collect();
        }
    }
    // Views take no hints.
    for op in &mut open.operations {
        if matches!(op.kind, OperationKind::Permute(_)) {
            op.hints.clear();
        }
    }
    Some(open)
}

/// Returns whether an operation extracts from or inserts into a tensor with a dimension, gathers along the dimension, or fills a
/// tensor that has it. These have no dynamic form.
fn is_fixed(program: &Program, op: &Operation, dim: usize) -> bool {
    let has = |tensor: &Tensor| tensor.axes.contains(&Axis::Named(dim));
    let touches = has(&op.tensor)
        || op
            .operands
            .iter()
            .any(|operand| has(program.tensor(*operand)));
    touches
        && match op.kind {
            OperationKind::Fill(_) | OperationKind::Extract(..) | OperationKind::Insert(..) => true,
            OperationKind::Gather(from) => op.operands.get(1).is_some_and(|table| {
                program.tensor(*table).axes.get(from) == Some(&Axis::Named(dim))
            }),
            _ => false,
        }
}

/// Returns whether a tensor may have a dimension on its sticks.
fn on_sticks(program: &Program, dim: usize) -> bool {
    let last = |tensor: &Tensor| tensor.axes.last() == Some(&Axis::Named(dim));
    let results = program.operations.iter().map(|op| &op.tensor);
    let inputs = program.inputs.iter();
    let mut said = inputs.clone().filter_map(|input| {
        let stick = input.stick?;
        input.tensor.axes.get(stick)
    });
    said.any(|axis| *axis == Axis::Named(dim))
        || inputs.map(|input| &input.tensor).chain(results).any(last)
}

fn has_dim(program: &Program, op: usize, dim: usize) -> bool {
    let op = &program.operations[op];
    let operands = op.operands.iter().map(|operand| program.tensor(*operand));
    let mut tensors = operands.chain([&op.tensor]);
    tensors.any(|tensor| tensor.axes.contains(&Axis::Named(dim)))
}

/// Returns the program with its open dimension closed to one extent. No hint names the extent.
#[must_use]
pub fn closed(program: &Program, extent: u64) -> Program {
    let mut closed = program.clone();
    if let Some(open) = closed.open.take() {
        closed.extents[open.dim] = extent;
    }
    closed
}
