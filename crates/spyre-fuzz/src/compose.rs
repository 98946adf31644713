//! Builds programs from recipes.
//!
//! Sums and products of matrices are rounded differently when they are tiled. So a program has them only where all
//! addends are integers, and so few that the element type represents every partial sum. Then the results are equal, bit
//! for bit, in any order.
//!
//! `pointwise` builds elementwise operations, `reduce` reductions, searches and products, `gathers` gathers, `views`
//! views of a tensor, and `hints` adds hints to sequences of operations.

mod gathers;
mod hints;
mod pointwise;
mod reduce;
mod views;

use crate::program::{Axis, Element, Input, Operation, OperationKind, Program, Tensor, Value};
use crate::recipe::{Recipe, Step};

/// Extents, the simplest first.
const EXTENTS: [u64; 20] = [
    64, 2, 128, 4, 1, 3, 192, 8, 6, 256, 32, 16, 100, 5, 12, 320, 7, 65, 24, 1,
];

/// Largest product of the extents of a program's dimensions, in elements.
const MOST_ELEMENTS: u64 = 1 << 16;

const CORES: [u64; 8] = [1, 2, 4, 32, 8, 3, 16, 6];

/// Bytes of a scratchpad, the simplest choice first; `None` for the card's.
const SCRATCHPADS: [Option<u64>; 4] = [None, None, Some(65536), Some(8192)];

/// The largest magnitude of an input of integers.
const SMALL: u64 = 3;

/// The choice of a layout that makes a new operand a constant.
const CONSTANT: u8 = 1;

/// Builds the program of a recipe.
pub fn program(recipe: &Recipe) -> Program {
    let element = match recipe.element % 8 {
        0..=4 => Element::F16,
        5 => Element::F32,
        6 => Element::Bf16,
        _ => Element::I32,
    };
    let mut builder = Builder {
        element,
        integers: recipe.values.is_multiple_of(2) || element == Element::I32,
        values: Vec::new(),
        program: Program {
            extents: extents(&recipe.extents),
            inputs: Vec::new(),
            operations: Vec::new(),
            results: Vec::new(),
            cores: pick(&CORES, recipe.cores),
            lx_bytes: pick(&SCRATCHPADS, recipe.scratchpad),
            special_values: recipe.values % 4 == 1,
            open: None,
        },
        returned: Vec::new(),
    };
    for step in &recipe.operations {
        builder.step(step);
    }
    builder.compute();
    builder.cast_back();
    builder.finish(&recipe.groups)
}

fn pick<T: Copy>(from: &[T], which: u8) -> T {
    from[usize::from(which) % from.len()]
}

fn extents(choices: &[u8]) -> Vec<u64> {
    let mut extents: Vec<u64> = choices.iter().map(|which| pick(&EXTENTS, *which)).collect();
    // The last extents are reduced, so that the product stays small.
    let mut product = 1;
    for extent in &mut extents {
        if product * *extent > MOST_ELEMENTS {
            *extent = 2;
        }
        product *= *extent;
    }
    extents
}

/// A value, and the largest magnitude that its elements have, if they are integers.
#[derive(Clone)]
struct BoundedValue {
    value: Value,
    bound: Option<u64>,
    /// Whether its sticks have the order of a cast. Only operations element by element and the cast back take this order.
    cast: bool,
}

struct Builder {
    element: Element,
    /// Whether inputs are integers.
    integers: bool,
    values: Vec<BoundedValue>,
    program: Program,
    returned: Vec<Value>,
}

impl Builder {
    /// Adds the operations of a step.
    fn step(&mut self, step: &Step) {
        let operand = self.operand(step);
        let value = if operand.cast {
            self.after_cast(step, operand)
        } else {
            match step.operation {
                0..=5 => self.binary(step, operand),
                6..=9 => self.exact_unary(step, operand),
                10..=13 => self.unary(step, operand),
                14..=16 => self.select(step, operand),
                17..=22 => self.reduce(step, operand),
                23..=27 => self.matmul(step, operand),
                28..=30 => self.permute(step, operand),
                31..=33 => self.slice(step, operand),
                34..=37 => self.search(step, operand),
                38..=40 => self.gather(step, operand),
                _ => self.cast(step, operand),
            }
        };
        if step.returned {
            self.returned.push(value);
        }
    }

    /// Returns an operand: an existing value, by default the last one, or a new input.
    fn operand(&mut self, step: &Step) -> BoundedValue {
        let back = usize::from(step.operands[0]) % (self.values.len() + 1);
        // A choice of zero is the last value.
        match self.values.len().checked_sub(back + 1) {
            Some(at) => self.values[at].clone(),
            None => {
                let axes = self.axes(step.shape);
                self.input(self.element, axes, step, SMALL)
            }
        }
    }

    /// Returns the dimensions of a new input: all in order, or some of them, or in reverse.
    fn axes(&self, shape: u8) -> Vec<Axis> {
        let dims = self.program.extents.len();
        let mut axes: Vec<Axis> = (0..dims)
            .filter(|dim| shape >> dim & 1 == 0)
            .map(Axis::Named)
            .collect();
        if axes.is_empty() {
            axes.push(Axis::Named(0));
        }
        if shape & 0x40 != 0 {
            axes.reverse();
        }
        axes
    }

    /// Adds an input, or a constant, with a shape that broadcasts to these dimensions.
    fn broadcast(&mut self, element: Element, axes: &[Axis], step: &Step) -> BoundedValue {
        let rank = axes.len();
        let tensor_axes = axes.iter().enumerate().map(|(at, axis)| {
            if step.shape >> at & 1 == 1 {
                Axis::One
            } else {
                *axis
            }
        });
        let mut tensor_axes: Vec<Axis> = tensor_axes.collect();
        if step.shape & 0x20 != 0 && rank > 1 {
            tensor_axes.remove(0);
        }
        if step.layout == CONSTANT {
            return self.constant(element, tensor_axes, step);
        }
        self.input(element, tensor_axes, step, SMALL)
    }

    /// Adds a constant: an integer, or a multiple of one half where inputs are not integers.
    fn constant(&mut self, element: Element, axes: Vec<Axis>, step: &Step) -> BoundedValue {
        let integers = self.integers || element == Element::I32;
        let value = i8::try_from(step.variant % 7).unwrap_or(0) - 3;
        let halves = match element {
            Element::I32 => value,
            _ if integers => 2 * value,
            _ => value,
        };
        let tensor = Tensor { element, axes };
        let bound = integers.then_some(value.unsigned_abs().into());
        let value = self.add(OperationKind::Fill(halves), Vec::new(), tensor, bound);
        BoundedValue {
            value,
            bound,
            cast: false,
        }
    }

    fn input(
        &mut self,
        element: Element,
        axes: Vec<Axis>,
        step: &Step,
        bound: u64,
    ) -> BoundedValue {
        let rank = axes.len();
        // Half of the inputs have no layout.
        let stick = (step.layout >= 4).then(|| usize::from(step.layout) % rank);
        let input = Input {
            tensor: Tensor { element, axes },
            stick,
            bound: (self.integers || element == Element::I32).then_some(bound),
            indices: None,
        };
        self.new_input(input)
    }

    fn new_input(&mut self, input: Input) -> BoundedValue {
        let input_bound = input.bound;
        self.program.inputs.push(input);
        let new_value = BoundedValue {
            value: Value::Input(self.program.inputs.len() - 1),
            bound: input_bound,
            cast: false,
        };
        self.values.push(new_value.clone());
        new_value
    }

    fn add(
        &mut self,
        kind: OperationKind,
        operands: Vec<Value>,
        tensor: Tensor,
        bound: Option<u64>,
    ) -> Value {
        let value = Value::Result(self.program.operations.len());
        let element = tensor.element;
        // Element by element, the order of sticks is that of the operands.
        let ordered = match &kind {
            OperationKind::Elementwise("dl16tofp32" | "fp32todl16", _) => Some(true),
            OperationKind::Elementwise(..) => None,
            _ => Some(false),
        };
        let is_cast = |value: &Value| {
            self.values
                .iter()
                .any(|candidate| candidate.value == *value && candidate.cast)
        };
        let cast = match ordered {
            // A cast of a cast restores it.
            Some(true) => !operands.iter().any(is_cast),
            Some(false) => false,
            None => operands.iter().any(is_cast),
        };
        self.program.operations.push(Operation {
            kind,
            operands,
            tensor,
            hints: Vec::new(),
        });
        // Truth values have uses only in the step that builds them.
        if element != Element::Bool {
            // Integers that are not exact have no bound, like other numbers.
            let bound = bound.filter(|bound| *bound <= element.integers());
            self.values.push(BoundedValue { value, bound, cast });
        }
        value
    }

    /// Returns another operand that broadcasts with this one, and the dimensions of both together.
    fn partner(&mut self, step: &Step, first: &BoundedValue) -> (BoundedValue, Vec<Axis>) {
        let Tensor { element, axes } = self.program.tensor(first.value).clone();
        let back = usize::from(step.operands[1]) % (self.values.len() + 1);
        let position = self.values.len().checked_sub(back + 1);
        let candidate = position.map(|at| self.values[at].clone());
        if let Some(candidate) = candidate
            && candidate.cast == first.cast
            && self.program.tensor(candidate.value).element == element
            && let Some(joined) = join(&axes, &self.program.tensor(candidate.value).axes)
        {
            return (candidate, joined);
        }
        if first.cast {
            // A new operand would have sticks of another order.
            return (first.clone(), axes);
        }
        (self.broadcast(element, &axes, step), axes)
    }

    /// Adds a copy if the program has no operation that computes: a program of views alone has no bundle.
    fn compute(&mut self) {
        let mut operations = self.program.operations.iter();
        if operations.any(|operation| operation.kind.is_computed()) {
            return;
        }
        if let Some(last) = self.values.last().cloned() {
            let tensor = self.program.tensor(last.value).clone();
            self.add(
                OperationKind::Elementwise("copy", ""),
                vec![last.value],
                tensor,
                last.bound,
            );
        }
    }
}

/// Returns the dimensions of two operands together; `None` if they do not broadcast.
fn join(a: &[Axis], b: &[Axis]) -> Option<Vec<Axis>> {
    let rank = a.len().max(b.len());
    let at = |axes: &[Axis], dim: usize| {
        let missing = rank - axes.len();
        dim.checked_sub(missing).map_or(Axis::One, |dim| axes[dim])
    };
    let joined: Vec<Axis> = (0..rank)
        .map(|dim| match (at(a, dim), at(b, dim)) {
            (Axis::One, other) | (other, Axis::One) => Some(other),
            (a, b) => (a == b).then_some(a),
        })
        .collect::<Option<_>>()?;
    // Tensors with a dimension twice, as of a square and its transpose, are not drawn.
    let is_once = |axis: &Axis| {
        *axis == Axis::One || joined.iter().filter(|other| *other == axis).count() == 1
    };
    joined.iter().all(is_once).then_some(joined)
}
