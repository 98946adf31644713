//! Random graphs of loop nests, as PyTorch Inductor has them before it schedules.
//!
//! The generator is independent of decisions of a scheduler: extents, layouts, subscripts and orders are drawn. All
//! numbers are small integers, and nests add and compare them, so that every order of loops gives the same results.

use std::fmt::Write as _;

use crate::numbers::Numbers;

mod body;
mod constants;
mod kinds;
mod memory;
mod nest;

/// The largest magnitude of the numbers of an input.
pub const INPUT: u32 = 2;

/// The largest magnitude of a number in a graph.
const LARGEST: u64 = 1 << 20;

/// The largest magnitude of numbers with exact mean and variance of eight.
const MOST_OF_VARIANCE: u64 = 1 << 6;

/// Extents that are drawn.
const EXTENTS: [u64; 7] = [1, 2, 3, 4, 6, 8, 12];

/// The most elements of a nest.
const MOST_ELEMENTS: u64 = 4096;

/// The floats of 16 bits, and the largest magnitude of numbers up to which they have all integers.
const HALVES: [(&str, u64); 2] = [("f16", 1 << 11), ("bf16", 1 << 8)];

/// The extent that represents the symbolic size of a graph while it is drawn: no drawn extent is a multiple of it.
const OPEN: u64 = 5;

/// The allowed values of the symbol of a graph: multiples of the first number, up to the second.
pub const OPEN_SIZES: [u64; 2] = [4, 8];

/// A buffer of a graph.
#[derive(Clone)]
struct Buffer {
    name: String,
    size: Vec<u64>,
    /// The type, with its layout.
    ty: String,
    /// The strides, in elements.
    strides: Vec<u64>,
    /// The largest magnitude of its numbers.
    largest: u64,
    /// Whether some of its numbers are infinities, which loads replace.
    is_masked: bool,
    /// Whether it is a view, or has one.
    is_viewed: bool,
}

impl Buffer {
    /// Returns whether its elements have 32 bits.
    fn is_wide(&self) -> bool {
        self.ty.contains("f32, #")
    }

    /// Returns whether its elements leave no gaps in its memory, as those of a part do.
    fn is_dense(&self) -> bool {
        let dims = self.size.iter().zip(&self.strides);
        let last: u64 = dims.map(|(extent, stride)| (extent - 1) * stride).sum();
        last + 1 == self.size.iter().product()
    }

    /// Returns whether an operation may overwrite it: buffers of nests, and inputs, without views. Elements of 16 bits do
    /// not have all numbers of a nest.
    fn may_be_overwritten(&self) -> bool {
        self.is_wide() && !self.is_viewed && (self.is_made() || self.name.starts_with('x'))
    }

    /// Returns whether a nest computes it, and it is no input.
    fn is_made(&self) -> bool {
        self.name.starts_with("buf")
    }
}

/// Returns the text of a graph `f`: the one of a number, in the sequence of a seed.
#[must_use]
pub fn graph(seed: u64, number: u64) -> String {
    drawn(seed, number, Graph::Realized)
}

/// Returns the text of a graph `f` with many expressions, an operation for each, a few of which are marked as buffers.
#[must_use]
pub fn unrealized_graph(seed: u64, number: u64) -> String {
    drawn(seed, number, Graph::Unrealized)
}

/// Returns the text of a graph `f` with a symbolic size `s77`, which has one of the values in [`OPEN_SIZES`].
#[must_use]
pub fn open_graph(seed: u64, number: u64) -> String {
    drawn(seed, number, Graph::Open)
}

/// The kind of graph that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Graph {
    /// A graph with a buffer for each operation.
    Realized,
    /// A graph with an expression for each operation.
    Unrealized,
    /// A graph with a symbolic size.
    Open,
}

fn drawn(seed: u64, number: u64, graph: Graph) -> String {
    let is_open = graph == Graph::Open;
    let is_unrealized = graph == Graph::Unrealized;
    let mut draw = Draw {
        numbers: Numbers::new(seed, number),
        is_open,
        is_unrealized,
        has_halves: false,
        buffers: Vec::new(),
        mutated: Vec::new(),
        text: String::new(),
        nests: 0,
    };
    draw.has_halves = graph == Graph::Realized && draw.numbers.one_in(3);
    draw.inputs();
    let nests = match is_unrealized {
        true => 4 + draw.below(20),
        false => 1 + draw.below(7),
    };
    for _ in 0..nests {
        draw.nest();
        if !is_unrealized && draw.numbers.one_in(12) {
            draw.complex_kernels();
        }
        if graph == Graph::Realized && draw.numbers.one_in(8) {
            draw.kind();
        }
        if graph == Graph::Realized && draw.numbers.one_in(8) {
            draw.memory();
        }
    }
    let end = draw.end();
    let [least, most] = OPEN_SIZES;
    let symbols = match is_open {
        true => format!(
            "symbols [#inductor.sym<\"s77\", hint = {least}, min = {least}, max = {most}>] "
        ),
        false => String::new(),
    };
    format!("inductor.graph @f {symbols}{{\n{}{end}}}\n", draw.text)
}

struct Draw {
    numbers: Numbers,
    /// Whether [`OPEN`] is a symbol.
    is_open: bool,
    /// Whether most operations are expressions.
    is_unrealized: bool,
    /// Whether some buffers have floats of 16 bits.
    has_halves: bool,
    buffers: Vec<Buffer>,
    /// The inputs that are overwritten, and the buffers that have their new values.
    mutated: Vec<(String, String)>,
    text: String,
    nests: usize,
}

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.numbers.below(bound)
    }

    /// Adds one or two inputs.
    fn inputs(&mut self) {
        for input in 0..1 + self.below(2) {
            let mut size = self.extents();
            // An open size has to be an extent of an input of the graph.
            if self.is_open && input == 0 && !size.contains(&OPEN) {
                let dim = self.numbers.index(size.len());
                size[dim] = OPEN;
            }
            let (ty, strides) = self.ty(&size, "fixed");
            let ty = self.narrowed(ty, INPUT.into());
            let name = format!("x{input}");
            let _ = writeln!(self.text, "  %{name} = inductor.input \"{name}\" : {ty}");
            self.buffers.push(Buffer {
                name,
                size,
                ty,
                strides,
                largest: INPUT.into(),
                is_masked: false,
                is_viewed: false,
            });
        }
    }

    /// Returns the text of the end of the graph: its outputs, and the new values of the inputs that it overwrites.
    fn end(&mut self) -> String {
        let mut buffers = self.buffers.iter();
        let last = buffers.rposition(Buffer::is_made);
        let mut returned = vec![last.expect("a graph has a nest")];
        let other = self.numbers.index(self.buffers.len());
        // A buffer, a view, or an input as it is.
        let may_be_input = !self.is_open && self.numbers.one_in(4);
        if other != returned[0] && (may_be_input || self.buffers[other].is_made()) {
            returned.push(other);
        }
        if !self.is_open && self.numbers.one_in(16) {
            // An output twice.
            returned.push(returned[0]);
        }
        let outputs = returned.len();
        // The new values of inputs are the last operands.
        let mut mutated = Vec::new();
        for (input, buffer) in &self.mutated {
            let mut buffers = self.buffers.iter();
            let at = buffers.position(|candidate| candidate.name == *buffer);
            returned.push(at.expect("the new value of an input is a buffer"));
            mutated.push(format!("\"{input}\""));
        }
        let mutated = match mutated.is_empty() {
            true => String::new(),
            false => format!(" mutated [{}]", mutated.join(", ")),
        };
        let buffers = returned.iter().map(|at| &self.buffers[*at]);
        let names: Vec<String> = buffers
            .clone()
            .map(|one| format!("%{}", one.name))
            .collect();
        let types: Vec<&str> = buffers.map(|one| one.ty.as_str()).collect();
        let operands: Vec<String> = (0..outputs)
            .map(|number| format!("#inductor.operand<{number}>"))
            .collect();
        format!(
            "  inductor.return {} outputs [{}]{mutated} : {}\n",
            names.join(", "),
            operands.join(", "),
            types.join(", ")
        )
    }

    /// Returns the type of a buffer of floats, perhaps with 16 bits if they have its numbers.
    fn narrowed(&mut self, ty: String, largest: u64) -> String {
        let (name, most) = self.numbers.pick(&HALVES);
        match self.has_halves && largest <= most && !self.numbers.one_in(3) {
            true => ty.replace("f32, #", &format!("{name}, #")),
            false => ty,
        }
    }

    /// Notes that a buffer has the new values of another one.
    fn overwrite(&mut self, whole: &str, buffer: &str) {
        for (_, current) in &mut self.mutated {
            if *current == whole {
                *current = buffer.to_owned();
                return;
            }
        }
        if whole.starts_with('x') {
            self.mutated.push((whole.to_owned(), buffer.to_owned()));
        }
    }

    fn extents(&mut self) -> Vec<u64> {
        loop {
            let rank = 1 + self.below(3);
            let size: Vec<u64> = (0..rank).map(|_| self.extent()).collect();
            if size.iter().product::<u64>() <= MOST_ELEMENTS {
                return size;
            }
        }
    }

    fn extent(&mut self) -> u64 {
        if self.is_open && self.numbers.one_in(3) {
            return OPEN;
        }
        self.numbers.pick(&EXTENTS)
    }

    /// Returns a number of elements, with the symbol for each time that it is in it.
    fn number(&self, number: u64) -> String {
        let (mut rest, mut text) = (number, String::new());
        while self.is_open && rest.is_multiple_of(OPEN) {
            rest /= OPEN;
            text.push_str(if text.is_empty() { "s0" } else { " * s0" });
        }
        match (text.as_str(), rest) {
            ("", _) => rest.to_string(),
            (_, 1) => text,
            _ => format!("{text} * {rest}"),
        }
    }

    fn list(&self, numbers: &[u64]) -> String {
        let numbers: Vec<String> = numbers.iter().map(|number| self.number(*number)).collect();
        format!("[{}]", numbers.join(", "))
    }

    /// Returns the type of a buffer of some extents, and its strides: dense, with its dimensions in some order.
    fn ty(&mut self, size: &[u64], kind: &str) -> (String, Vec<u64>) {
        let mut order: Vec<usize> = (0..size.len()).rev().collect();
        if kind == "fixed" && self.below(3) == 0 {
            self.numbers.shuffle(&mut order);
        }
        let mut strides = vec![0; size.len()];
        let mut next = 1;
        for dim in order {
            strides[dim] = next;
            next *= size[dim];
        }
        let extents = size
            .iter()
            .map(|extent| match self.is_open && *extent == OPEN {
                true => "?x".to_owned(),
                false => format!("{extent}x"),
            });
        let extents: String = extents.collect();
        let listed = self.list(&strides);
        let size = match extents.contains('?') {
            true => format!(", size = {}", self.list(size)),
            false => String::new(),
        };
        let ty = format!("tensor<{extents}f32, #inductor.layout<{kind}, {listed}{size}>>");
        (ty, strides)
    }

    /// Draws kernels of complex numbers: their parts are two buffers of a size, and those of the result one buffer with a dimension more.
    fn complex_kernels(&mut self) {
        let buffer_index = self.numbers.index(self.buffers.len());
        let real = self.buffers[buffer_index].clone();
        let others = self.buffers.iter().filter(|other| other.size == real.size);
        let others: Vec<Buffer> = others.cloned().collect();
        let other = self.numbers.index(others.len());
        let imaginary = others[other].clone();
        let largest = real.largest.max(imaginary.largest);
        let (kernel, largest) = match self.below(4) {
            0 if 2 * largest * largest <= LARGEST => ("mul.Tensor", 2 * largest * largest),
            1 if 2 * largest <= LARGEST => ("add.Tensor", 2 * largest),
            2 => ("_conj.default", largest),
            _ => ("neg.default", largest),
        };
        let has_infinities = real.is_masked || imaginary.is_masked;
        if largest > LARGEST || has_infinities || !real.is_wide() || !imaginary.is_wide() {
            return;
        }
        let numbers = self
            .ty(&real.size, "fixed")
            .0
            .replace("f32, #", "complex<f32>, #");
        let mut size = real.size.clone();
        size.push(2);
        let (parts, strides) = self.ty(&size, "fixed");
        let at = self.nests;
        let kernel_of = |name: &str, kernel: &str, operands: &[(&str, &str)], ty: &str| {
            let names: Vec<String> = operands
                .iter()
                .map(|(name, _)| format!("%{name}"))
                .collect();
            let types: Vec<&str> = operands.iter().map(|(_, ty)| *ty).collect();
            format!(
                "  %{name} = inductor.extern \"op{name}\" as \"{name}\" \"FallbackKernel\" \"aten.{kernel}\"({}) {{constant_args = [], \
                 kwargs = {{}}}} : ({}) -> {ty}\n",
                names.join(", "),
                types.join(", ")
            )
        };
        let (joined, concat_name, name) = (
            format!("joined{at}"),
            format!("made{at}"),
            format!("buf{at}"),
        );
        let pair = [
            (real.name.as_str(), real.ty.as_str()),
            (imaginary.name.as_str(), imaginary.ty.as_str()),
        ];
        let one = (joined.as_str(), numbers.as_str());
        let operands = match kernel {
            "mul.Tensor" | "add.Tensor" => vec![one, one],
            _ => vec![one],
        };
        let text = [
            kernel_of(&joined, "complex.default", &pair, &numbers),
            kernel_of(&concat_name, kernel, &operands, &numbers),
            kernel_of(
                &name,
                "view_as_real.default",
                &[(&concat_name, &numbers)],
                &parts,
            ),
        ];
        self.text.push_str(&text.concat());
        self.buffers.push(Buffer {
            name,
            size,
            ty: parts,
            strides,
            largest,
            is_masked: false,
            is_viewed: false,
        });
        self.nests += 1;
    }
}
