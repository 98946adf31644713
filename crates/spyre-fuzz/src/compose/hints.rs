//! The results of a program, and hints for runs of operations.

use super::{Builder, pick};
use crate::program::{
    Axis, Element, Hint, Operation, OperationKind, Program, Tensor, Tiles, Value,
};
use crate::recipe::Group;

impl Builder {
    pub(super) fn finish(mut self, groups: &[Group]) -> Program {
        // Every value without uses is a result.
        let operations = &self.program.operations;
        let is_used = |value: Value| operations.iter().any(|op| op.operands.contains(&value));
        let kind = |value: Value| match value {
            Value::Result(at) => operations.get(at).map(|operation| &operation.kind),
            Value::Input(_) => None,
        };
        let all_results = (0..operations.len()).map(Value::Result);
        let results = all_results.filter(|value| {
            let is_truth = self.program.tensor(*value).element == Element::Bool;
            let is_constant = matches!(kind(*value), Some(OperationKind::Fill(_)));
            !is_truth && !is_constant && (!is_used(*value) || self.returned.contains(value))
        });
        self.program.results = results.collect();
        let mut next = 0;
        for (number, group) in groups.iter().enumerate() {
            next = self.hints(group, number, next);
        }
        self.program
    }

    /// Adds hints to consecutive operations from `start` on, and returns the position at which the next group may
    /// start.
    pub(super) fn hints(&mut self, group: &Group, number: usize, start: usize) -> usize {
        let start = start + usize::from(group.skip);
        let end = (start + usize::from(group.more) + 1).min(self.program.operations.len());
        let Some(run) = self.program.operations.get(start..end) else {
            return end;
        };
        let mut left = self.program.extents.clone();
        let mut hints: Vec<Hint> = Vec::new();
        for (at, (dim, tiles)) in group.scopes.iter().enumerate() {
            let unit = |dim: usize| match self.is_on_stick(run, dim) {
                true => self.element.per_stick(),
                false => 1,
            };
            let positions: Vec<usize> = (0..left.len())
                .filter(|dim| {
                    self.may_cut(run, *dim) && self.has(run, *dim) && left[*dim] > unit(*dim)
                })
                .collect();
            if positions.is_empty() {
                break;
            }
            let dim = pick(&positions, *dim);
            let (extent, unit) = (left[dim], unit(dim));
            let tiles = cut(extent, unit, *tiles);
            left[dim] = match tiles {
                Tiles::Count(count) => extent.div_ceil(count),
                Tiles::Size(size) => size,
            };
            hints.push(Hint {
                scope: number * 4 + at,
                dim,
                tiles,
            });
        }
        for at in start..end {
            let operation = &self.program.operations[at];
            if operation.kind.is_computed() && !self.reads_parts(operation) {
                self.program.operations[at].hints.clone_from(&hints);
            }
        }
        end
    }

    /// Returns whether an operation reads a tensor with an inserted one. For the simulated card, a tile that overlaps
    /// both is a value that is overwritten in part.
    fn reads_parts(&self, operation: &Operation) -> bool {
        operation.operands.iter().any(|value| match value {
            Value::Input(_) => false,
            Value::Result(at) => {
                let maker = &self.program.operations[*at];
                let is_part = matches!(maker.kind, OperationKind::Insert(..));
                is_part || !maker.kind.is_computed() && self.reads_parts(maker)
            }
        })
    }

    /// Returns the tensors of operations: operands and results.
    pub(super) fn tensors<'a>(&'a self, run: &'a [Operation]) -> impl Iterator<Item = &'a Tensor> {
        let values_of = |operation: &'a Operation| {
            let operands = operation.operands.iter();
            let operands = operands.map(|value| self.program.tensor(*value));
            operands.chain([&operation.tensor])
        };
        run.iter().flat_map(values_of)
    }

    /// Returns whether a dimension of operations may be tiled. It may not if an operation extracts a part of it, which
    /// would have its name, or if an operation searches it for several elements.
    fn may_cut(&self, run: &[Operation], dim: usize) -> bool {
        let axis = Axis::Named(dim);
        let has_axis =
            |value: Value, at: usize| self.program.tensor(value).axes.get(at) == Some(&axis);
        let has_part = |operation: &Operation| match (&operation.kind, operation.operands.first()) {
            (OperationKind::Extract(at, _), Some(operand)) => has_axis(*operand, *at),
            _ => false,
        };
        let searches = |operation: &Operation| match (&operation.kind, operation.operands.first()) {
            (OperationKind::TopK(_, at, 2..), Some(operand)) => has_axis(*operand, *at),
            _ => false,
        };
        !self.program.operations.iter().any(has_part) && !run.iter().any(searches)
    }

    /// Returns whether any of the operations has a dimension.
    pub(super) fn has(&self, run: &[Operation], dim: usize) -> bool {
        let mut tensors = self.tensors(run);
        tensors.any(|tensor| tensor.axes.contains(&Axis::Named(dim)))
    }

    /// Returns whether a dimension may be on the sticks of a tensor of the operations: the dimension is last, or a
    /// layout has it on the stick.
    pub(super) fn is_on_stick(&self, run: &[Operation], dim: usize) -> bool {
        let axis = Axis::Named(dim);
        self.has_chosen_stick(axis)
            || self
                .tensors(run)
                .any(|tensor| tensor.axes.last() == Some(&axis))
    }

    /// Returns whether the dimensions that may be on the sticks of a tensor fill sticks of 64 elements. Operations on formats of
    /// different widths need that.
    pub(super) fn fills_sticks(&self, axes: &[Axis]) -> bool {
        let last = axes.len().saturating_sub(1);
        let mut sticks = axes.iter().enumerate();
        sticks.all(|(at, axis)| {
            let may_be = at == last || self.has_chosen_stick(*axis);
            !may_be || self.program.extent(*axis).is_multiple_of(64)
        })
    }

    /// Returns whether the layout of an input has a dimension on its sticks.
    pub(super) fn has_chosen_stick(&self, axis: Axis) -> bool {
        self.program.inputs.iter().any(|input| {
            input
                .stick
                .is_some_and(|stick| input.tensor.axes[stick] == axis)
        })
    }
}

/// Returns the tiles of an extent of at least 2. If the choice is even and it is possible, equal tiles of whole units;
/// else any number of tiles, or tiles of any number of units. The last tile may be shorter.
fn cut(extent: u64, unit: u64, choice: u8) -> Tiles {
    let units = extent / unit;
    let even: Vec<u64> = (2..=units.min(16))
        .filter(|count| extent.is_multiple_of(count * unit))
        .collect();
    if choice.is_multiple_of(2) && !even.is_empty() {
        return Tiles::Count(pick(&even, choice / 2));
    }
    let any = u64::from(choice / 4);
    if (choice / 2).is_multiple_of(2) {
        Tiles::Count(2 + any % (extent - 1).min(7))
    } else {
        Tiles::Size(unit * (1 + any % units.clamp(1, 9)))
    }
}
