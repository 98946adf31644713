//! Reductions, searches and products of matrices.

use spyre_generate::vocabulary::SCALE_OF_ROWS;

use super::{BoundedValue, Builder, pick};
use crate::program::{Axis, Element, OperationKind, Tensor, Value};
use crate::recipe::Step;

impl Builder {
    pub(super) fn reduce(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let Tensor { element, axes } = self.program.tensor(operand.value).clone();
        if element == Element::I32 {
            return self.binary(step, operand);
        }
        let mut dims: Vec<usize> = (0..axes.len())
            .filter(|dim| step.shape >> dim & 1 == 1)
            .collect();
        if dims.is_empty() {
            dims.push(axes.len() - 1);
        }
        let keep = step.variant & 0x10 != 0;
        if !keep && dims.len() == axes.len() {
            dims.remove(0);
        }
        if dims.is_empty() {
            return self.exact_unary(step, operand);
        }
        let count: u64 = dims
            .iter()
            .map(|dim| self.program.extent(axes[*dim]))
            .product();
        let total = operand.bound.map(|bound| bound.saturating_mul(count));
        let exact = total.filter(|total| *total <= element.integers());
        let factors = u32::try_from(count).ok();
        let product = operand
            .bound
            .zip(factors)
            .and_then(|(bound, factors)| bound.checked_pow(factors))
            .filter(|product| *product <= element.integers());
        let last = axes.len() - 1;
        let is_row = dims == [last] && self.program.extent(axes[last]) > 1;
        let (mnemonic, bound) = match (step.variant % 7, exact) {
            (0, Some(total)) => ("sum", Some(total)),
            (1, Some(_)) => ("mean", None),
            (3, _) => ("min", operand.bound),
            (4, _) if product.is_some() => ("prod", product),
            (5, _) => ("absmax", operand.bound),
            (6, _) if is_row => (SCALE_OF_ROWS, None),
            _ => ("max", operand.bound),
        };
        let kept =
            axes.iter()
                .enumerate()
                .filter_map(|(at, axis)| match (dims.contains(&at), keep) {
                    (false, _) => Some(*axis),
                    (true, true) => Some(Axis::One),
                    (true, false) => None,
                });
        let tensor = Tensor {
            element,
            axes: kept.collect(),
        };
        self.add(
            OperationKind::Reduce(mnemonic, dims, keep),
            vec![operand.value],
            tensor,
            bound,
        )
    }

    /// Adds a product with a new right operand, or with a value that fits.
    pub(super) fn matmul(&mut self, step: &Step, left: BoundedValue) -> Value {
        let Tensor { element, axes } = self.program.tensor(left.value).clone();
        let Some((Axis::Named(k), rows)) = axes.split_last().map(|(k, rows)| (*k, rows)) else {
            return self.exact_unary(step, left);
        };
        if element == Element::I32 || rows.is_empty() {
            return self.exact_unary(step, left);
        }
        let unused =
            (0..self.program.extents.len()).filter(|dim| !axes.contains(&Axis::Named(*dim)));
        let unused: Vec<usize> = unused.collect();
        if unused.is_empty() {
            return self.exact_unary(step, left);
        }
        let columns = Axis::Named(pick(&unused, step.shape));
        let batch = &rows[..rows.len() - 1];
        let mut right_axes = vec![Axis::Named(k), columns];
        if step.variant & 1 == 1 {
            right_axes = [batch, &right_axes].concat();
        }
        let fits = self.values.iter().rev().find(|candidate| {
            let tensor = self.program.tensor(candidate.value);
            tensor.axes == right_axes
                && tensor.element == element
                && candidate.bound.is_some()
                && !candidate.cast
        });
        let right = match fits.cloned() {
            Some(value) => value,
            None => self.input(element, right_axes, step, 1),
        };
        let extent = self.program.extents[k];
        let total = |a: &BoundedValue, b: &BoundedValue| {
            let (a, b) = a.bound.zip(b.bound)?;
            let total = a.saturating_mul(b).saturating_mul(extent);
            (total <= element.integers()).then_some(total)
        };
        let Some(bound) = total(&left, &right) else {
            return self.exact_unary(step, left);
        };
        let tensor = Tensor {
            element,
            axes: [rows, &[columns]].concat(),
        };
        self.add(
            OperationKind::Matmul,
            vec![left.value, right.value],
            tensor,
            Some(bound),
        )
    }

    /// Adds a search for the first elements along a dimension, one or several, or for their positions.
    pub(super) fn search(&mut self, step: &Step, operand: BoundedValue) -> Value {
        let Tensor { element, mut axes } = self.program.tensor(operand.value).clone();
        if element == Element::I32 {
            return self.exact_unary(step, operand);
        }
        let dim = usize::from(step.shape) % axes.len();
        let extent = self.program.extent(axes[dim]);
        // A search along sticks needs whole sticks.
        let is_on_stick = dim + 1 == axes.len() || self.has_chosen_stick(axes[dim]);
        if is_on_stick && !extent.is_multiple_of(element.per_stick()) {
            return self.exact_unary(step, operand);
        }
        let k = match step.variant / 2 % 4 {
            0 => 1 + u64::from(step.variant / 8) % extent,
            _ => 1,
        };
        let is_wide = element == Element::F32 || is_on_stick || self.fills_sticks(&axes);
        axes[dim] = if k == 1 { Axis::One } else { Axis::Part(k) };
        let (mnemonic, element, bound) = if step.variant.is_multiple_of(2) && is_wide {
            ("topkindex", Element::I32, Some(extent))
        } else {
            ("topkvalue", element, operand.bound)
        };
        let tensor = Tensor { element, axes };
        self.add(
            OperationKind::TopK(mnemonic, dim, k),
            vec![operand.value],
            tensor,
            bound,
        )
    }
}
