//! Permutations and slices.

use super::{BoundedValue, Builder};
use crate::program::{Axis, OperationKind, Tensor, Value};
use crate::recipe::Step;

impl Builder {
    pub(super) fn permute(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let Tensor { element, axes } = self.program.tensor(operand.value).clone();
        let rank = axes.len();
        if rank < 2 {
            return self.exact_unary(step, operand);
        }
        let mut order: Vec<usize> = (0..rank).collect();
        let first = usize::from(step.variant) % rank;
        let second = usize::from(step.shape) % rank;
        order.swap(
            if first == second {
                (second + 1) % rank
            } else {
                first
            },
            second,
        );
        let tensor = Tensor {
            element,
            axes: order.iter().map(|dim| axes[*dim]).collect(),
        };
        self.add(
            OperationKind::Permute(order),
            vec![operand.value],
            tensor,
            operand.bound,
        )
    }

    /// Adds a slice of a dimension at an offset, and an operation on the slice; perhaps the result is inserted at the
    /// same place.
    pub(super) fn slice(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let Tensor { element, axes } = self.program.tensor(operand.value).clone();
        let dim = usize::from(step.shape) % axes.len();
        let extent = self.program.extent(axes[dim]);
        let is_on_stick = dim + 1 == axes.len() || self.has_chosen_stick(axes[dim]);
        // Along sticks, whole ones.
        let unit = if is_on_stick { element.per_stick() } else { 1 };
        let units = extent / unit;
        if units < 2 {
            return self.exact_unary(step, operand);
        }
        let count = 1 + u64::from(step.variant / 16) % (units - 1);
        let offset = u64::from(step.variant) % (units - count + 1) * unit;
        let mut part = axes.clone();
        part[dim] = match count * unit {
            1 => Axis::One,
            extent => Axis::Part(extent),
        };
        let tensor = Tensor {
            element,
            axes: part,
        };
        let kind = OperationKind::Extract(dim, offset);
        let value = self.add(kind, vec![operand.value], tensor, operand.bound);
        let slice = BoundedValue {
            value,
            bound: operand.bound,
            cast: false,
        };
        let result = self.exact_unary(step, slice);
        // The result of an insertion has the type of the destination, with its layout.
        let has_layout = match operand.value {
            Value::Input(at) => self.program.inputs[at].stick.is_some(),
            Value::Result(_) => false,
        };
        if step.layout.is_multiple_of(2) || has_layout {
            return result;
        }
        let tensor = Tensor { element, axes };
        let operands = vec![result, operand.value];
        self.add(
            OperationKind::Insert(dim, offset),
            operands,
            tensor,
            operand.bound,
        )
    }
}
