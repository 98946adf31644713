//! Choices by indices.

use super::{Builder, Known, pick};
use crate::program::{Axis, Element, Input, Kind, Tensor, Value};
use crate::recipe::Step;

impl Builder {
    /// Chooses along a dimension of a table by new indices of one or two dimensions, or by positions that a search has found.
    pub(super) fn gather(&mut self, step: &Step, table: Known) -> Value {
        let Tensor { element, axes } = self.program.tensor(table.value).clone();
        let Some(last) = axes.len().checked_sub(1).filter(|last| *last > 0) else {
            return self.exact_unary(step, table);
        };
        let mut dim = usize::from(step.shape) % axes.len();
        // What is on the stick is not chosen from, and what would take its place has to fill sticks.
        let is_on_stick = |own: &Self, dim: usize| dim == last || own.has_chosen_stick(axes[dim]);
        if is_on_stick(self, dim) && (step.variant & 0x30 != 0 || !self.fills_sticks(&axes)) {
            dim = usize::from(step.shape) % last;
        }
        let kept = axes.iter().enumerate().filter(|(at, _)| *at != dim);
        let kept: Vec<Axis> = kept.map(|(_, axis)| *axis).collect();
        let is_one = |axes: &[Axis]| axes.iter().all(|axis| self.program.extent(*axis) == 1);
        // A single row may be on the stick.
        if is_one(&axes[dim..=dim]) && self.has_chosen_stick(axes[dim]) {
            return self.exact_unary(step, table);
        }
        // Without anything on its stick, a table is one element in each.
        if element == Element::I32 || is_one(&kept) {
            return self.exact_unary(step, table);
        }
        let rows = self.program.extent(axes[dim]);
        // Among them is the dimension that is chosen from, as one of the indices.
        let mut free: Vec<usize> = (0..self.program.extents.len())
            .filter(|dim| !kept.contains(&Axis::Named(*dim)))
            .collect();
        let mut own = Vec::new();
        for which in [step.layout, step.layout / 2]
            .iter()
            .take(1 + usize::from(step.variant & 1))
        {
            if !free.is_empty() {
                let chosen = pick(&free, *which);
                free.retain(|dim| *dim != chosen);
                own.push(Axis::Named(chosen));
            }
        }
        // What a single index looks like is not known.
        if is_one(&own) {
            return self.exact_unary(step, table);
        }
        let indices = self.new_input(Input {
            tensor: Tensor {
                element: Element::I32,
                axes: own.clone(),
            },
            stick: None,
            bound: None,
            indices: Some(rows),
        });
        let axes = [&axes[..dim], &own, &axes[dim + 1..]].concat();
        self.add(
            Kind::Gather(dim),
            vec![indices.value, table.value],
            Tensor { element, axes },
            table.bound,
        )
    }
}
