//! Gathers: choices of elements by indices.

use super::{BoundedValue, Builder, EXTENTS, SMALL, pick};
use crate::program::{Axis, Element, Input, OperationKind, Tensor, Value};
use crate::recipe::Step;

impl Builder {
    /// Adds a gather along a dimension of a table by new indices of one or two dimensions.
    pub(super) fn gather(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let table = self.table(step, operand);
        let Tensor { element, axes } = self.program.tensor(table.value).clone();
        let Some(last) = axes.len().checked_sub(1).filter(|last| *last > 0) else {
            return self.exact_unary(step, table);
        };
        let mut dim = usize::from(step.shape) % axes.len();
        // A dimension on the stick is gathered along only if the dimension that replaces it there
        // fills sticks.
        let is_on_stick = dim == last || self.has_chosen_stick(axes[dim]);
        let heir = axes.iter().enumerate().rev().find(|(at, _)| *at != dim);
        let fills = heir.is_some_and(|(_, axis)| self.program.extent(*axis).is_multiple_of(64));
        if is_on_stick && !fills {
            dim = usize::from(step.shape) % last;
        }
        let kept = axes.iter().enumerate().filter(|(at, _)| *at != dim);
        let kept: Vec<Axis> = kept.map(|(_, axis)| *axis).collect();
        let is_one = |axes: &[Axis]| axes.iter().all(|axis| self.program.extent(*axis) == 1);
        // A single row may be on the stick.
        if is_one(&axes[dim..=dim]) && self.has_chosen_stick(axes[dim]) {
            return self.exact_unary(step, table);
        }
        // Without a dimension on its stick, a table has one element per stick.
        if element == Element::I32 || is_one(&kept) {
            return self.exact_unary(step, table);
        }
        let rows = self.program.extent(axes[dim]);
        // The gathered dimension may also be a dimension of the indices.
        let mut free: Vec<usize> = (0..self.program.extents.len())
            .filter(|dim| !kept.contains(&Axis::Named(*dim)))
            .collect();
        let mut result_axes = Vec::new();
        for which in [step.layout, step.layout / 2]
            .iter()
            .take(1 + usize::from(step.variant & 1))
        {
            if !free.is_empty() {
                let chosen = pick(&free, *which);
                free.retain(|dim| *dim != chosen);
                result_axes.push(Axis::Named(chosen));
            }
        }
        // The form of a single index is not known.
        if is_one(&result_axes) {
            return self.exact_unary(step, table);
        }
        let indices = self.new_input(Input {
            tensor: Tensor {
                element: Element::I32,
                axes: result_axes.clone(),
            },
            stick: None,
            bound: None,
            indices: Some(rows),
        });
        let axes = [&axes[..dim], &result_axes, &axes[dim + 1..]].concat();
        self.add(
            OperationKind::Gather(dim),
            vec![indices.value, table.value],
            Tensor { element, axes },
            table.bound,
        )
    }

    /// Returns the operand as a table, or a new table with elements along a dimension and rows that have no name.
    fn table(&mut self, step: &Step, operand: BoundedValue) -> BoundedValue {
        let Tensor { element, axes } = self.program.tensor(operand.value);
        let fits = *element != Element::I32 && axes.len() > 1;
        if fits && step.variant & 8 == 0 || self.element == Element::I32 {
            return operand;
        }
        let dims: Vec<usize> = (0..self.program.extents.len()).collect();
        let rows = Axis::Part(pick(&EXTENTS, step.operands[1]));
        let axes = vec![rows, Axis::Named(pick(&dims, step.shape))];
        let step = Step {
            layout: 0,
            ..step.clone()
        };
        self.input(self.element, axes, &step, SMALL)
    }
}
