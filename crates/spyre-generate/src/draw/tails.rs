//! Rows that end inside a stick, of operations that may give NaN for the contents of the stick's end, and products that
//! read them.

use super::Builder;
use crate::program::{Element, NodeKind, Program, Tensor};

/// Numbers of columns that end inside a stick of 64 elements and of 32.
const COLUMNS: [u64; 10] = [1, 3, 11, 17, 33, 65, 91, 100, 129, 150];

impl Element {
    /// Returns the number of elements of a stick, of 128 bytes.
    pub(super) const fn per_stick(self) -> u64 {
        match self {
            Self::I8 | Self::Bool => 128,
            Self::F16 | Self::Bf16 => 64,
            Self::F32 | Self::I32 | Self::I64 => 32,
        }
    }
}

impl Builder {
    /// Adds an operation that may make NaN of the end of a stick, and a product of its rows.
    pub(super) fn tail(&mut self) {
        let element = self.base;
        let ends_inside = |tensor: &Tensor| {
            let columns = tensor
                .shape
                .last()
                .copied()
                .filter(|_| tensor.shape.len() > 1);
            tensor.element == element
                && columns.is_some_and(|columns| !columns.is_multiple_of(element.per_stick()))
        };
        let operand = self.value(|node| ends_inside(&node.tensor));
        let at = operand
            .filter(|_| self.numbers.one_in(2))
            .unwrap_or_else(|| {
                let rows = self.numbers.between(1, 12);
                let columns = self.numbers.pick(&COLUMNS);
                let shape = [self.lead(2, 8), vec![rows, columns]].concat();
                self.input(element, &shape, 1)
            });
        let rows = match self.numbers.below(8) {
            0 => self.applied("log", &[at]),
            1 => self.applied("reciprocal", &[at]),
            2 => self.applied("rsqrt", &[at]),
            3 => self.applied("exp", &[at]),
            4 => {
                let divisor = self.partner(at);
                self.applied("realdiv", &[at, divisor])
            }
            5 => {
                let square = self.applied("mul", &[at, at]);
                self.applied("mul", &[square, at])
            }
            _ => self.softmax(at),
        };
        self.product_of(rows, false);
    }

    fn applied(&mut self, mnemonic: &'static str, operands: &[usize]) -> usize {
        let tensor = self.tensor(operands[0]).clone();
        self.add(NodeKind::Pointwise(mnemonic, ""), operands, tensor, None)
    }

    /// Adds the operations of a softmax of rows.
    fn softmax(&mut self, at: usize) -> usize {
        let last = self.shape(at).len() - 1;
        let largest = self.reduction_along(at, "max", last, None);
        let shifted = self.applied("sub", &[at, largest]);
        let powers = self.applied("exp", &[shifted]);
        let total = self.reduction_along(powers, "sum", last, None);
        self.applied("realdiv", &[powers, total])
    }
}

impl Program {
    /// Returns whether a product reads computed rows that end inside a stick as its left operand.
    #[must_use]
    pub fn has_ragged_product(&self) -> bool {
        let products = self
            .nodes
            .iter()
            .filter(|node| node.kind == NodeKind::Matmul("batchmatmul"));
        let mut lefts = products.filter_map(|node| self.nodes.get(*node.operands.first()?));
        lefts.any(|left| {
            let Tensor { element, shape } = &left.tensor;
            let columns = shape.last().copied().unwrap_or(1);
            left.kind.is_computed() && !columns.is_multiple_of(element.per_stick())
        })
    }
}
