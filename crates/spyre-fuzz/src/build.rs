//! From a recipe to a program.
//!
//! Sums and products of matrices are rounded differently when they are cut: a program has them only where all that is
//! added up are integers, and so few that every partial sum is one of the element type. So a program computes the same,
//! bit for bit, in whatever order.

use crate::program::{Axis, Element, Hint, Input, Kind, Operation, Program, Tensor, Tiles, Value};
use crate::recipe::{Group, Recipe, Step};

/// Extents, the simplest first.
const EXTENTS: [u64; 20] = [
    64, 2, 128, 4, 1, 3, 192, 8, 6, 256, 32, 16, 100, 5, 12, 320, 7, 65, 24, 1,
];

/// Most elements of a program's dimensions together.
const MOST_ELEMENTS: u64 = 1 << 16;

const CORES: [u64; 8] = [1, 2, 4, 32, 8, 3, 16, 6];

/// Bytes of a scratchpad, the card's first.
const SCRATCHPADS: [Option<u64>; 4] = [None, None, Some(65536), Some(8192)];

/// Operations of one operand that make integers from integers.
const EXACT_UNARY: [(&str, &str); 5] = [
    ("neg", ""),
    ("abs", ""),
    ("relufwd", ""),
    ("copy", ""),
    ("clip", " min -2.0 max 2.0"),
];

const UNARY: [(&str, &str); 8] = [
    ("exp", ""),
    ("tanh", ""),
    ("sigmoid", ""),
    ("silu", ""),
    ("sqrt", ""),
    ("reciprocal", ""),
    ("log", ""),
    ("floor", ""),
];

const BINARY: [&str; 6] = ["add", "sub", "mul", "maximum", "minimum", "realdiv"];

const COMPARISONS: [&str; 6] = [
    "greaterthan",
    "equal",
    "lesserthan",
    "greaterequal",
    "lesserequal",
    "notequal",
];

/// The largest magnitude of an input of integers.
const SMALL: u64 = 3;

/// The program of a recipe.
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
        },
        returned: Vec::new(),
    };
    for step in &recipe.operations {
        builder.step(step);
    }
    builder.compute();
    builder.finish(&recipe.groups)
}

fn pick<T: Copy>(from: &[T], which: u8) -> T {
    from[usize::from(which) % from.len()]
}

fn extents(choices: &[u8]) -> Vec<u64> {
    let mut extents: Vec<u64> = choices.iter().map(|which| pick(&EXTENTS, *which)).collect();
    // The last ones are cut, so that the whole stays small.
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
struct Known {
    value: Value,
    bound: Option<u64>,
}

struct Builder {
    element: Element,
    /// Whether inputs are integers.
    integers: bool,
    values: Vec<Known>,
    program: Program,
    returned: Vec<Value>,
}

impl Builder {
    /// Adds the operations of a step.
    fn step(&mut self, step: &Step) {
        let operand = self.operand(step);
        let made = match step.operation {
            0..=5 => self.binary(step, operand),
            6..=9 => self.exact_unary(step, operand),
            10..=12 => self.unary(step, operand),
            13..=15 => self.select(step, operand),
            16..=21 => self.reduce(step, operand),
            22..=27 => self.matmul(step, operand),
            _ => self.permute(step, operand),
        };
        if step.returned {
            self.returned.push(made);
        }
    }

    /// A value that is there: the last one, unless the step says otherwise; or a new input.
    fn operand(&mut self, step: &Step) -> Known {
        let back = usize::from(step.operands[0]) % (self.values.len() + 1);
        // A choice of zero is the last value.
        match self.values.len().checked_sub(back + 1) {
            Some(at) => self.values[at].clone(),
            None => {
                let axes = self.axes(step.shape);
                self.input(axes, step, SMALL)
            }
        }
    }

    /// Dimensions for a new input: all in order, or some of them, or in reverse.
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

    /// A new input whose shape broadcasts to these dimensions.
    fn broadcast(&mut self, axes: &[Axis], step: &Step) -> Known {
        let rank = axes.len();
        let own = axes.iter().enumerate().map(|(at, axis)| {
            if step.shape >> at & 1 == 1 {
                Axis::One
            } else {
                *axis
            }
        });
        let mut own: Vec<Axis> = own.collect();
        if step.shape & 0x20 != 0 && rank > 1 {
            own.remove(0);
        }
        self.input(own, step, SMALL)
    }

    fn input(&mut self, axes: Vec<Axis>, step: &Step, bound: u64) -> Known {
        let rank = axes.len();
        // Half of the inputs have no layout.
        let stick = (step.layout >= 4).then(|| usize::from(step.layout) % rank);
        let input = Input {
            tensor: Tensor {
                element: self.element,
                axes,
            },
            stick,
            bound: self.integers.then_some(bound),
        };
        self.program.inputs.push(input);
        let known = Known {
            value: Value::Input(self.program.inputs.len() - 1),
            bound: self.integers.then_some(bound),
        };
        self.values.push(known.clone());
        known
    }

    fn add(
        &mut self,
        kind: Kind,
        operands: Vec<Value>,
        tensor: Tensor,
        bound: Option<u64>,
    ) -> Value {
        let value = Value::Result(self.program.operations.len());
        let is_truth = tensor.element == Element::Bool;
        self.program.operations.push(Operation {
            kind,
            operands,
            tensor,
            hints: Vec::new(),
        });
        // Truth values are used where they are made, and nowhere else.
        if !is_truth {
            // Integers beyond what is exact are numbers like any others.
            let bound = bound.filter(|bound| *bound <= self.element.integers());
            self.values.push(Known { value, bound });
        }
        value
    }

    /// Another operand that broadcasts with this one, and the dimensions of both together.
    fn partner(&mut self, step: &Step, first: &Known) -> (Known, Vec<Axis>) {
        let axes = self.program.tensor(first.value).axes.clone();
        let back = usize::from(step.operands[1]) % (self.values.len() + 1);
        let known = self.values.len().checked_sub(back + 1);
        let known = known.map(|at| self.values[at].clone());
        if let Some(known) = known
            && let Some(joined) = join(&axes, &self.program.tensor(known.value).axes)
        {
            return (known, joined);
        }
        (self.broadcast(&axes, step), axes)
    }

    fn binary(&mut self, step: &Step, first: Known) -> Value {
        let (second, axes) = self.partner(step, &first);
        let mut mnemonic = pick(&BINARY, step.variant);
        if mnemonic == "realdiv" && self.element == Element::I32 {
            mnemonic = "sub";
        }
        let bounds = first.bound.zip(second.bound);
        let bound = match mnemonic {
            "mul" => bounds.map(|(a, b)| a.saturating_mul(b)),
            "add" | "sub" => bounds.map(|(a, b)| a + b),
            "realdiv" => None,
            _ => bounds.map(|(a, b)| a.max(b)),
        };
        let tensor = Tensor {
            element: self.element,
            axes,
        };
        let operands = vec![first.value, second.value];
        self.add(Kind::Elementwise(mnemonic, ""), operands, tensor, bound)
    }

    fn exact_unary(&mut self, step: &Step, operand: Known) -> Value {
        let (mnemonic, rest) = if self.element == Element::I32 {
            ("copy", "")
        } else {
            pick(&EXACT_UNARY, step.variant)
        };
        let bound = match mnemonic {
            "clip" => operand.bound.map(|bound| bound.min(2)),
            _ => operand.bound,
        };
        let tensor = self.program.tensor(operand.value).clone();
        self.add(
            Kind::Elementwise(mnemonic, rest),
            vec![operand.value],
            tensor,
            bound,
        )
    }

    fn unary(&mut self, step: &Step, operand: Known) -> Value {
        if self.element == Element::I32 {
            return self.exact_unary(step, operand);
        }
        let (mnemonic, rest) = pick(&UNARY, step.variant);
        let tensor = self.program.tensor(operand.value).clone();
        self.add(
            Kind::Elementwise(mnemonic, rest),
            vec![operand.value],
            tensor,
            None,
        )
    }

    /// A comparison, and a choice by it.
    fn select(&mut self, step: &Step, first: Known) -> Value {
        if self.element == Element::I32 {
            // The device has no truth values in the format of integers.
            return self.binary(step, first);
        }
        let (second, axes) = self.partner(step, &first);
        let operands = vec![first.value, second.value];
        let truth = Tensor {
            element: Element::Bool,
            axes: axes.clone(),
        };
        let comparison = Kind::Elementwise(pick(&COMPARISONS, step.variant), "");
        let condition = self.add(comparison, operands.clone(), truth, None);
        let tensor = Tensor {
            element: self.element,
            axes,
        };
        let bound = first.bound.zip(second.bound).map(|(a, b)| a.max(b));
        let operands = [vec![condition], operands].concat();
        self.add(Kind::Elementwise("where3", ""), operands, tensor, bound)
    }

    fn reduce(&mut self, step: &Step, operand: Known) -> Value {
        if self.element == Element::I32 {
            return self.binary(step, operand);
        }
        let axes = self.program.tensor(operand.value).axes.clone();
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
        let exact = total.filter(|total| *total <= self.element.integers());
        let (mnemonic, bound) = match (step.variant % 4, exact) {
            (0, Some(total)) => ("sum", Some(total)),
            (1, Some(_)) => ("mean", None),
            (3, _) => ("min", operand.bound),
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
            element: self.element,
            axes: kept.collect(),
        };
        self.add(
            Kind::Reduce(mnemonic, dims, keep),
            vec![operand.value],
            tensor,
            bound,
        )
    }

    /// A product with a new right operand, or with a value that fits.
    fn matmul(&mut self, step: &Step, left: Known) -> Value {
        let axes = self.program.tensor(left.value).axes.clone();
        let Some((Axis::Named(k), rows)) = axes.split_last().map(|(k, rows)| (*k, rows)) else {
            return self.exact_unary(step, left);
        };
        if self.element == Element::I32 || rows.is_empty() {
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
        let fits = self.values.iter().rev().find(|known| {
            self.program.tensor(known.value).axes == right_axes && known.bound.is_some()
        });
        let right = match fits.cloned() {
            Some(known) => known,
            None => self.input(right_axes, step, 1),
        };
        let extent = self.program.extents[k];
        let total = |a: &Known, b: &Known| {
            let (a, b) = a.bound.zip(b.bound)?;
            let total = a.saturating_mul(b).saturating_mul(extent);
            (total <= self.element.integers()).then_some(total)
        };
        let Some(bound) = total(&left, &right) else {
            return self.exact_unary(step, left);
        };
        let tensor = Tensor {
            element: self.element,
            axes: [rows, &[columns]].concat(),
        };
        self.add(
            Kind::Matmul,
            vec![left.value, right.value],
            tensor,
            Some(bound),
        )
    }

    fn permute(&mut self, step: &Step, operand: Known) -> Value {
        let axes = self.program.tensor(operand.value).axes.clone();
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
            element: self.element,
            axes: order.iter().map(|dim| axes[*dim]).collect(),
        };
        self.add(
            Kind::Permute(order),
            vec![operand.value],
            tensor,
            operand.bound,
        )
    }

    /// Adds a copy if nothing is computed: a program of views alone has no bundle.
    fn compute(&mut self) {
        let mut operations = self.program.operations.iter();
        if operations.any(|operation| !matches!(operation.kind, Kind::Permute(_))) {
            return;
        }
        if let Some(last) = self.values.last().cloned() {
            let tensor = self.program.tensor(last.value).clone();
            self.add(
                Kind::Elementwise("copy", ""),
                vec![last.value],
                tensor,
                last.bound,
            );
        }
    }

    fn finish(mut self, groups: &[Group]) -> Program {
        // Everything that nothing uses is a result.
        let operations = &self.program.operations;
        let is_used = |value: Value| operations.iter().any(|op| op.operands.contains(&value));
        let made = (0..operations.len()).map(Value::Result);
        let results = made.filter(|value| {
            let is_truth = self.program.tensor(*value).element == Element::Bool;
            !is_truth && (!is_used(*value) || self.returned.contains(value))
        });
        self.program.results = results.collect();
        let mut next = 0;
        for (number, group) in groups.iter().enumerate() {
            next = self.hints(group, number, next);
        }
        self.program
    }

    /// Gives hints to a run of operations from `start` on, and returns where the next may start.
    fn hints(&mut self, group: &Group, number: usize, start: usize) -> usize {
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
            let known: Vec<usize> = (0..left.len())
                .filter(|dim| self.has(run, *dim) && left[*dim] > unit(*dim))
                .collect();
            if known.is_empty() {
                break;
            }
            let dim = pick(&known, *dim);
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
        for operation in &mut self.program.operations[start..end] {
            if !matches!(operation.kind, Kind::Permute(_)) {
                operation.hints.clone_from(&hints);
            }
        }
        end
    }

    /// The tensors of operations.
    fn tensors<'a>(&'a self, run: &'a [Operation]) -> impl Iterator<Item = &'a Tensor> {
        let of = |operation: &'a Operation| {
            let operands = operation.operands.iter();
            let operands = operands.map(|value| self.program.tensor(*value));
            operands.chain([&operation.tensor])
        };
        run.iter().flat_map(of)
    }

    /// Whether any of the operations has a dimension.
    fn has(&self, run: &[Operation], dim: usize) -> bool {
        let mut tensors = self.tensors(run);
        tensors.any(|tensor| tensor.axes.contains(&Axis::Named(dim)))
    }

    /// Whether a dimension may be on the sticks of a tensor that the operations have: it comes last, or a layout says
    /// so.
    fn is_on_stick(&self, run: &[Operation], dim: usize) -> bool {
        let axis = Axis::Named(dim);
        let chosen = self.program.inputs.iter().any(|input| {
            input
                .stick
                .is_some_and(|stick| input.tensor.axes[stick] == axis)
        });
        chosen
            || self
                .tensors(run)
                .any(|tensor| tensor.axes.last() == Some(&axis))
    }
}

/// How an extent of at least 2 is cut: evenly in units if the choice is even and there is a way, else in any number of
/// tiles or into tiles of any number of units, of which the last may be shorter.
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

/// The dimensions of two operands together, if they broadcast.
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
    // A dimension twice, as when a square meets its transpose, is none of ours.
    let is_once = |axis: &Axis| {
        *axis == Axis::One || joined.iter().filter(|other| *other == axis).count() == 1
    };
    joined.iter().all(is_once).then_some(joined)
}
