//! Random programs of structured operations on tensors, as front ends print them.
//!
//! A program is drawn from shapes alone, as programs of device operations are, independently of the conversion. All
//! numbers are small integers. A `Value` has a bound for them, and operations with results that 9 bits of fraction do
//! not represent are not drawn, so that every order of summation gives the same results.

mod bytes;
mod dynamic;
mod gathers;
mod generic;
mod inside;
mod loops;
mod named;
mod tensors;
mod ties;

use std::fmt::Write as _;

use crate::numbers::Numbers;

/// The largest magnitude of a number in a program.
const LARGEST: u64 = 512;
/// The largest magnitude of the numbers of an input.
pub const INPUT: u64 = 2;
/// Most elements of an iteration space.
const MOST_ELEMENTS: u64 = 1 << 17;

/// Extents that are drawn.
const EXTENTS: [u64; 15] = [1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 48, 64, 65, 96, 128];

/// The kind of a step of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A body element by element, with maps of its operands.
    Pointwise,
    /// A reduction.
    Reduction,
    /// The largest or smallest element and its position.
    Search,
    /// A sum of products.
    Contraction,
    /// A convolution or a pooling.
    Window,
    /// A gather by indices that the program holds, or computes from positions, of elements or of slices.
    Gather,
    /// A scatter of slices to distinct positions that the program holds.
    Scatter,
    /// A mask or positions, which depend on no input.
    Constant,
    /// A pad, a concatenation, a slice, an insertion, a reshape, a transposition.
    Movement,
    /// A counted loop.
    Loop,
    /// A body with constants inside of it: numbers, positions, tensors of the program.
    Inside,
    /// A body with infinities, NaN, and other numbers at the ends of the range of its type.
    Special,
    /// A body element by element that reads the tensor that it writes.
    Update,
    /// A loop, a branch or a call with one tensor for two results.
    Tie,
    /// A body element by element that the card does not have, perhaps in a loop.
    Host,
    /// A dynamic extent.
    Open,
}

/// All kinds of steps of the card.
pub const STEPS: [Step; 15] = [
    Step::Pointwise,
    Step::Reduction,
    Step::Search,
    Step::Contraction,
    Step::Window,
    Step::Gather,
    Step::Scatter,
    Step::Constant,
    Step::Movement,
    Step::Loop,
    Step::Inside,
    Step::Special,
    Step::Update,
    Step::Tie,
    Step::Open,
];

/// One in this number of programs has dynamic extents.
const WITH_OPEN: u64 = 12;

/// One in this number of programs returns a result twice, and one an argument as it is.
const TIED: u64 = 16;

/// One in this number of programs has a step of the host.
const WITH_HOST: u64 = 24;

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The module, with one function `@f`.
    pub text: String,
    /// The steps that it was drawn from.
    pub steps: Vec<Step>,
    /// The values of its dynamic extents, by their names.
    pub sizes: Vec<(String, u64)>,
}

/// The element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    F16,
    F32,
    I32,
    I8,
}

impl Element {
    fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::I8 => "i8",
        }
    }
}

/// A tensor of the program.
#[derive(Debug, Clone)]
struct Value {
    name: String,
    shape: Vec<u64>,
    element: Element,
    /// The largest magnitude of its numbers.
    bound: u64,
}

impl Value {
    fn ty(&self) -> String {
        ty(&self.shape, self.element)
    }

    fn is_float(&self) -> bool {
        matches!(self.element, Element::F16 | Element::F32)
    }
}

/// Returns the text of a tensor type.
fn ty(shape: &[u64], element: Element) -> String {
    let mut text = "tensor<".to_owned();
    for extent in shape {
        write!(text, "{extent}x").expect("a text takes what is written");
    }
    text + element.name() + ">"
}

/// A program that is being drawn.
struct Draw {
    numbers: Numbers,
    body: String,
    arguments: Vec<Value>,
    values: Vec<Value>,
    /// The functions that the program calls.
    functions: Vec<String>,
    /// Values that the program returns in addition.
    returned: Vec<Value>,
    next: usize,
    element: Element,
}

/// Draws a program.
#[must_use]
pub fn program(seed: u64, number: u64) -> Program {
    let mut numbers = Numbers::new(seed, number);
    let element = if numbers.one_in(4) {
        Element::F32
    } else {
        Element::F16
    };
    if numbers.one_in(WITH_OPEN) {
        return dynamic::program(numbers, element);
    }
    let mut draw = Draw {
        numbers,
        body: String::new(),
        arguments: Vec::new(),
        values: Vec::new(),
        functions: Vec::new(),
        returned: Vec::new(),
        next: 0,
        element,
    };
    let shape = draw.shape();
    draw.argument(&shape, element);
    let mut steps = Vec::new();
    let wanted = draw.numbers.between(1, 6);
    let host = draw.numbers.one_in(WITH_HOST);
    let host = host.then(|| draw.numbers.between(0, wanted - 1));
    while (steps.len() as u64) < wanted {
        let is_next = host.is_some_and(|at| steps.len() as u64 >= at);
        if is_next && !steps.contains(&Step::Host) && draw.draw(Step::Host) {
            steps.push(Step::Host);
            continue;
        }
        let step = draw.step();
        if draw.draw(step) {
            steps.push(step);
        }
    }
    Program {
        text: draw.finish(),
        steps,
        sizes: Vec::new(),
    }
}

impl Draw {
    fn step(&mut self) -> Step {
        // Bodies and movements are the most frequent operations of front ends.
        let often = [
            Step::Pointwise,
            Step::Pointwise,
            Step::Reduction,
            Step::Movement,
        ];
        if self.numbers.one_in(2) {
            self.numbers.pick(&often)
        } else {
            self.numbers.pick(&STEPS)
        }
    }

    /// Draws a step; `false` if no value admits it.
    fn draw(&mut self, step: Step) -> bool {
        match step {
            Step::Pointwise if self.numbers.one_in(80) => bytes::pointwise(self),
            Step::Pointwise => generic::pointwise(self),
            Step::Contraction if self.numbers.one_in(16) => bytes::product(self),
            Step::Reduction if self.numbers.one_in(6) => generic::integer_reduction(self),
            Step::Reduction => generic::reduction(self),
            Step::Search => generic::search(self),
            Step::Contraction => generic::contraction(self),
            Step::Window => named::window(self),
            Step::Gather if self.numbers.one_in(4) => gathers::gather_slices(self),
            Step::Gather => gathers::gather(self),
            Step::Scatter => gathers::scatter(self),
            Step::Constant => tensors::constant(self),
            Step::Inside if self.numbers.one_in(4) => inside::tensor(self),
            Step::Inside => inside::constants(self),
            Step::Special => inside::special(self),
            Step::Update => inside::update(self),
            Step::Tie => ties::tie(self),
            Step::Movement => tensors::movement(self),
            Step::Loop => loops::counted(self),
            Step::Host => generic::host(self),
            // Whole programs are.
            Step::Open => false,
        }
    }

    /// Returns a shape of 1 to 4 dimensions.
    fn shape(&mut self) -> Vec<u64> {
        let rank = self.numbers.between(1, 4);
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.push(self.numbers.pick(&EXTENTS));
        }
        while shape.iter().product::<u64>() > MOST_ELEMENTS {
            let at = self.numbers.index(shape.len());
            shape[at] = self.numbers.pick(&[1, 2, 3, 4]);
        }
        shape
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// Adds an input.
    fn argument(&mut self, shape: &[u64], element: Element) -> Value {
        let value = Value {
            name: format!("%a{}", self.arguments.len()),
            shape: shape.to_vec(),
            element,
            bound: INPUT,
        };
        self.arguments.push(value.clone());
        self.values.push(value.clone());
        value
    }

    /// Returns a tensor of floats that there is.
    fn float(&mut self) -> Value {
        let floats: Vec<usize> = (0..self.values.len())
            .filter(|at| self.values[*at].is_float())
            .collect();
        // The last value is used most.
        let at = if self.numbers.one_in(2) {
            floats[floats.len() - 1]
        } else {
            self.numbers.pick(&floats)
        };
        self.values[at].clone()
    }

    fn line(&mut self, line: &str) {
        self.body.push_str("    ");
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// Adds a line that makes a value. The text follows ` = `.
    fn make(&mut self, shape: &[u64], element: Element, bound: u64, text: &str) -> Value {
        let value = Value {
            name: self.name(),
            shape: shape.to_vec(),
            element,
            bound,
        };
        let line = format!("{} = {text}", value.name);
        self.line(&line);
        self.values.push(value.clone());
        value
    }

    /// Adds a value that later steps do not read.
    fn hidden(&mut self, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn empty(&mut self, shape: &[u64], element: Element) -> String {
        self.hidden(&format!("tensor.empty() : {}", ty(shape, element)))
    }

    /// Adds a number.
    fn number(&mut self, value: &str, element: Element) -> String {
        self.hidden(&format!("arith.constant {value} : {}", element.name()))
    }

    /// Adds a tensor with one number everywhere.
    fn filled(&mut self, value: &str, shape: &[u64], element: Element) -> String {
        let (number, empty) = (self.number(value, element), self.empty(shape, element));
        let (ty, name) = (ty(shape, element), element.name());
        self.hidden(&format!(
            "linalg.fill ins({number} : {name}) outs({empty} : {ty}) -> {ty}"
        ))
    }

    fn finish(mut self) -> String {
        let value_list: Vec<Value> = self.values[1..]
            .iter()
            .filter(|value| !value.name.starts_with("%a"))
            .cloned()
            .collect();
        let mut results = vec![value_list[value_list.len() - 1].clone()];
        if value_list.len() > 1 && self.numbers.one_in(3) {
            results.push(value_list[self.numbers.index(value_list.len() - 1)].clone());
        }
        results.append(&mut self.returned);
        if self.numbers.one_in(TIED) {
            // A result twice.
            results.push(results[self.numbers.index(results.len())].clone());
        }
        if self.numbers.one_in(TIED) {
            // An argument as it is.
            results.push(self.arguments[self.numbers.index(self.arguments.len())].clone());
        }
        let list = |values: &[Value], show: fn(&Value) -> String| {
            values.iter().map(show).collect::<Vec<_>>().join(", ")
        };
        let arguments = list(&self.arguments, |value| {
            format!("{}: {}", value.name, value.ty())
        });
        let types = list(&results, Value::ty);
        let names = list(&results, |value| value.name.clone());
        format!(
            "module {{\n{}  func.func @f({arguments}) -> ({types}) {{\n{}    return {names} : {types}\n  }}\n}}\n",
            self.functions.concat(),
            self.body
        )
    }
}

/// Returns the text of an affine map.
fn map(loops: usize, results: &[String]) -> String {
    let dims: Vec<String> = (0..loops).map(|id| format!("d{id}")).collect();
    format!(
        "affine_map<({}) -> ({})>",
        dims.join(", "),
        results.join(", ")
    )
}

/// Returns the text of the iterator types of some loops, `true` for reduced loops.
fn iterators(reduced: &[bool]) -> String {
    let kinds = reduced.iter().map(|reduced| {
        if *reduced {
            "\"reduction\""
        } else {
            "\"parallel\""
        }
    });
    kinds.collect::<Vec<_>>().join(", ")
}
