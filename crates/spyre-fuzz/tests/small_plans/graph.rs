//! Small graphs of operations on matrices.

use std::fmt::{Display, Formatter, Result as FmtResult};

use spyre_generate::numbers::Numbers;

/// Cores of the card.
pub(crate) const CORES: u64 = 4;

/// Rows and columns.
pub(crate) type Shape = [u64; 2];

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    /// Element by element, by this mnemonic; an operand of one column is repeated.
    Elementwise(&'static str),
    /// The largest element of each row, or of each column.
    Max(usize),
    /// A product of matrices.
    Product,
}

/// A value: an argument, or the result of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub shape: Shape,
    /// The operation and its operands.
    pub producer: Option<(OperationKind, Vec<usize>)>,
}

impl Value {
    /// Returns the bytes of the tensor in device memory, in sticks of 64 elements.
    pub(crate) fn bytes(&self) -> u64 {
        self.shape[0] * self.shape[1].next_multiple_of(64) * 2
    }
}

/// A graph. Values with readers are not returned.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub values: Vec<Value>,
    /// Bytes of each core's scratchpad.
    pub lx: u64,
}

impl Graph {
    /// Draws a graph of at most `most` operations, no two of which are the same.
    pub(crate) fn draw(numbers: &mut Numbers, most: u64) -> Self {
        let (rows, columns) = (numbers.pick(&[64, 128, 256]), numbers.pick(&[128, 256]));
        let full = [rows, columns];
        let argument = |shape| Value {
            shape,
            producer: None,
        };
        let mut values = vec![argument(full)];
        if numbers.one_in(2) {
            values.push(argument(full));
        }
        let mut left = numbers.between(1, most);
        while left > 0 {
            let values_of_shape = |shape: Shape| -> Vec<usize> {
                let candidates = values.iter().enumerate();
                let candidates = candidates.filter(|(_, value)| value.shape == shape);
                // The right operand of a product may have the shape as well.
                let weights =
                    |value: &Value| value.producer.is_none() && shape == [columns, columns];
                let candidates = candidates.filter(|(at, value)| *at < 2 || !weights(value));
                candidates.map(|(at, _)| at).collect()
            };
            let (matrices, means) = (values_of_shape(full), values_of_shape([rows, 1]));
            let mut any = |list: &[usize]| list[numbers.index(list.len())];
            let first = any(&matrices);
            let producer = match numbers.below(7) {
                0 => (OperationKind::Elementwise("exp"), vec![first]),
                1 => (OperationKind::Elementwise("tanh"), vec![first]),
                2 => {
                    let second = matrices[numbers.index(matrices.len())];
                    // A sum in the other order is the same.
                    (
                        OperationKind::Elementwise("add"),
                        vec![first.min(second), first.max(second)],
                    )
                }
                3 => (OperationKind::Max(1), vec![first]),
                4 => (OperationKind::Max(0), vec![first]),
                5 if !means.is_empty() => {
                    let second = means[numbers.index(means.len())];
                    (OperationKind::Elementwise("sub"), vec![first, second])
                }
                6 => {
                    values.push(argument([columns, columns]));
                    (OperationKind::Product, vec![first, values.len() - 1])
                }
                _ => continue,
            };
            let is_known = |value: &Value| value.producer.as_ref() == Some(&producer);
            if values.iter().any(is_known) {
                continue; // The pipeline would make one of the two.
            }
            let shape = match producer.0 {
                OperationKind::Max(1) => [rows, 1],
                OperationKind::Max(_) => [1, columns],
                _ => full,
            };
            values.push(Value {
                shape,
                producer: Some(producer),
            });
            left -= 1;
        }
        Self {
            values,
            lx: numbers.pick(&[8192, 16384, 32768, 65536]),
        }
    }

    /// Returns the operations that read a value, with the number of the operand.
    pub(crate) fn reads(&self, value: usize) -> Vec<(usize, usize)> {
        let mut readers = Vec::new();
        for (at, reader) in self.values.iter().enumerate() {
            let operands = reader.producer.iter().flat_map(|(_, operands)| operands);
            let operands = operands.enumerate();
            readers.extend(
                operands
                    .filter(|(_, operand)| **operand == value)
                    .map(|(operand, _)| (at, operand)),
            );
        }
        readers
    }

    /// Returns whether a value is returned: it has no readers.
    pub(crate) fn is_returned(&self, value: usize) -> bool {
        self.values[value].producer.is_some() && self.reads(value).is_empty()
    }
}

fn ty(value: &Value) -> String {
    format!("tensor<{}x{}xf16>", value.shape[0], value.shape[1])
}

impl Display for Graph {
    /// Writes the program, with a mark that forbids tiles.
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let list = |text_of: &dyn Fn(usize, &Value) -> Option<String>| {
            let values = self.values.iter().enumerate();
            let values = values.filter_map(|(at, value)| text_of(at, value));
            values.collect::<Vec<_>>().join(", ")
        };
        let arguments =
            list(&|at, value| (value.producer.is_none()).then(|| format!("%v{at}: {}", ty(value))));
        let results = list(&|at, value| self.is_returned(at).then(|| ty(value)));
        writeln!(
            f,
            "module attributes {{spyre.target = #spyre.target<cores = {CORES}, lx_bytes = {}, lx_reserved_bytes = 0, lx_backend_percent = 0>}} {{\n\
             func.func @f({arguments}) -> ({results}) attributes {{spyre.tile_scopes = []}} {{",
            self.lx
        )?;
        for (at, value) in self.values.iter().enumerate() {
            let Some((kind, operands)) = &value.producer else {
                continue;
            };
            let names: Vec<String> = operands.iter().map(|at| format!("%v{at}")).collect();
            let types: Vec<String> = operands.iter().map(|at| ty(&self.values[*at])).collect();
            let (mnemonic, rest) = match kind {
                OperationKind::Elementwise(mnemonic) => (*mnemonic, String::new()),
                OperationKind::Max(dim) => ("max", format!(" dims [{dim}] keepdim")),
                OperationKind::Product => ("batchmatmul", String::new()),
            };
            writeln!(
                f,
                "  %v{at} = spyre.{mnemonic} {}{rest} : ({}) -> {}",
                names.join(", "),
                types.join(", "),
                ty(value)
            )?;
        }
        let returned = list(&|at, _| self.is_returned(at).then(|| format!("%v{at}")));
        writeln!(f, "  return {returned} : {results}\n}}\n}}")
    }
}
