//! Random graphs of loop nests, as PyTorch Inductor has them before it schedules.
//!
//! The generator is independent of decisions of a scheduler: extents, layouts, subscripts and orders are drawn. All
//! numbers are small integers, and nests add and compare them, so that every order of loops gives the same results.

use std::fmt::Write as _;

use crate::numbers::Numbers;

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

/// The extent that represents the symbolic size of a graph while it is drawn: no drawn extent is a multiple of it.
const OPEN: u64 = 5;

/// The allowed values of the symbol of a graph: multiples of the first number, up to the second.
pub const OPEN_SIZES: [u64; 2] = [4, 8];

/// A buffer of a graph.
#[derive(Clone)]
struct Buffer {
    name: String,
    size: Vec<u64>,
    /// Its type, with its layout.
    ty: String,
    /// Its strides, in elements.
    strides: Vec<u64>,
    /// The largest magnitude of its numbers.
    largest: u64,
}

impl Buffer {
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

/// Returns the text of a graph `f` with an operation for each of many expressions, of which a few are to be buffers.
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
        buffers: Vec::new(),
        text: String::new(),
        nests: 0,
    };
    for input in 0..1 + draw.below(2) {
        let mut size = draw.extents();
        // The size is that of something that the graph is given.
        if is_open && input == 0 && !size.contains(&OPEN) {
            let dim = draw.numbers.index(size.len());
            size[dim] = OPEN;
        }
        let (ty, strides) = draw.ty(&size, "fixed");
        let name = format!("x{input}");
        let _ = writeln!(draw.text, "  %{name} = inductor.input \"{name}\" : {ty}");
        draw.buffers.push(Buffer {
            name,
            size,
            ty,
            strides,
            largest: INPUT.into(),
        });
    }
    let nests = match is_unrealized {
        true => 4 + draw.below(20),
        false => 1 + draw.below(7),
    };
    for _ in 0..nests {
        draw.nest();
        if !is_unrealized && draw.numbers.one_in(12) {
            draw.complex_kernels();
        }
    }
    let last = draw.buffers.len() - 1;
    let mut given = vec![last];
    let other = draw.numbers.index(draw.buffers.len());
    if other != last && draw.buffers[other].is_made() {
        given.push(other);
    }
    let names: Vec<String> = given
        .iter()
        .map(|at| format!("%{}", draw.buffers[*at].name))
        .collect();
    let types: Vec<&str> = given
        .iter()
        .map(|at| draw.buffers[*at].ty.as_str())
        .collect();
    let operands: Vec<String> = (0..given.len())
        .map(|number| format!("#inductor.operand<{number}>"))
        .collect();
    let [least, most] = OPEN_SIZES;
    let symbols = match is_open {
        true => format!(
            "symbols [#inductor.sym<\"s77\", hint = {least}, min = {least}, max = {most}>] "
        ),
        false => String::new(),
    };
    format!(
        "inductor.graph @f {symbols}{{\n{}  inductor.return {} outputs [{}] : {}\n}}\n",
        draw.text,
        names.join(", "),
        operands.join(", "),
        types.join(", ")
    )
}

struct Draw {
    numbers: Numbers,
    /// Whether [`OPEN`] is a symbol.
    is_open: bool,
    /// Whether most operations are expressions.
    is_unrealized: bool,
    buffers: Vec<Buffer>,
    text: String,
    nests: usize,
}

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.numbers.below(bound)
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

    /// Draws a nest: its loops are over the shape of a buffer, or a new shape, and perhaps a dimension is reduced.
    fn nest(&mut self) {
        let loops = if self.below(3) == 0 {
            self.extents()
        } else {
            let buffer_index = self.numbers.index(self.buffers.len());
            let mut size = self.buffers[buffer_index].size.clone();
            if self.below(4) == 0 {
                size.reverse();
            }
            size
        };
        let one_in = if self.is_unrealized { 8 } else { 3 };
        let reduced =
            (self.below(one_in) == 0 && !loops.is_empty()).then(|| self.numbers.index(loops.len()));
        let (op, buffer) = (self.nests, format!("buf{}", self.nests));
        let along = match reduced {
            None => self.along(&loops),
            Some(_) => None,
        };
        let outer: Vec<u64> = (0..loops.len())
            .filter(|dim| Some(*dim) != reduced)
            .map(|dim| loops[dim])
            .collect();
        let mut ranges = outer.clone();
        if reduced.is_some() && self.below(2) == 0 {
            ranges.push(1);
        }
        let kind = if self.below(2) == 0 {
            "fixed"
        } else {
            "flexible"
        };
        let over = match (reduced, &along) {
            (None, None) => self.overwritten(&ranges),
            _ => None,
        };
        // The dimension that is scanned or sorted is the last loop, and any dimension of the buffer.
        let mut loop_of: Vec<usize> = (0..ranges.len()).collect();
        if along.is_some() {
            self.numbers.shuffle(&mut loop_of);
        }
        let size: Vec<u64> = loop_of.iter().map(|dim| ranges[*dim]).collect();
        let part = over
            .as_ref()
            .filter(|over| over.size != size)
            .map(|over| (over.size.clone(), over.largest));
        let (ty, strides) = match &over {
            Some(over) => (over.ty.clone(), over.strides.clone()),
            None => self.ty(&size, kind),
        };
        // The address of an overwritten element is open while the layout is.
        let is_placed = over.is_none() || ty.contains("<fixed");
        // Loops of one iteration are no arguments of the body; a reduced one is the last.
        let mut all = outer.clone();
        all.extend(reduced.map(|dim| loops[dim]));
        let arguments: Vec<usize> = (0..all.len()).filter(|at| all[*at] != 1).collect();
        let names: Vec<String> = (0..arguments.len()).map(|at| format!("%i{at}")).collect();
        let mut head = match (reduced, along) {
            (None, Some(along)) => {
                let (way, order) = along.text();
                format!(
                    "inductor.{way} \"op{op}\" as \"{buffer}\" {} over [{}] output 0 {order}{{\n",
                    self.list(&ranges),
                    loops[loops.len() - 1]
                )
            }
            (None, None) => {
                let over = over.map(|over| format!("into %{} : {ty} ", over.name));
                format!(
                    "inductor.pointwise \"op{op}\" as \"{buffer}\" {} {}{{\n",
                    self.list(&ranges),
                    over.unwrap_or_default()
                )
            }
            (Some(dim), _) => {
                let way = self.numbers.pick(&["sum", "max", "min"]);
                format!(
                    "inductor.reduction \"op{op}\" as \"{buffer}\" {way} {} over [{}] from f32 {{\n",
                    self.list(&ranges),
                    self.number(loops[dim])
                )
            }
        };
        let typed: Vec<String> = names.iter().map(|name| format!("{name}: index")).collect();
        let _ = writeln!(head, "  ^bb0({}):", typed.join(", "));
        let dims: Vec<String> = (0..names.len()).map(|at| format!("d{at}")).collect();
        let (dims, names) = (dims.join(", "), names.join(", "));
        let mut body = String::new();
        let mut largest = 0;
        let mut values = 0;
        // A graph of expressions has some without loads.
        let loads = match self.is_unrealized && self.numbers.one_in(8) {
            true => 0,
            false => 1 + self.below(3),
        };
        if loads == 0 {
            let offset = self.below(u64::from(INPUT) + 1);
            let sum: Vec<String> = (0..arguments.len()).map(|at| format!("d{at} + ")).collect();
            let _ = writeln!(
                body,
                "    %n = inductor.index_expr affine_map<({dims}) -> ({}{offset})>({names}) : i64",
                sum.concat()
            );
            let _ = writeln!(
                body,
                "    %v0 = inductor.to_dtype %n from i64 to f32 : i64 -> f32"
            );
            values = 1;
            largest = offset + arguments.iter().map(|at| all[*at]).sum::<u64>();
        }
        let mut functions = 0;
        for _ in 0..loads {
            let source = self.source(&all);
            let mut indices = Indices {
                dims: dims.clone(),
                names: names.clone(),
                text: String::new(),
                first: functions,
                count: 0,
            };
            let (at, view) = match self.line(&source, (&arguments, &all)) {
                Some(line) => line,
                None => {
                    let at = self.subscript(&source.size, (&arguments, &all), &mut indices);
                    (at, String::new())
                }
            };
            functions += indices.count;
            let Indices {
                dims, names, text, ..
            } = indices;
            let symbols = if self.is_open { "[s0]" } else { "" };
            let _ = writeln!(
                body,
                "{text}    %v{values} = inductor.load %{} at affine_map<({dims}){symbols} -> ({at})>({names}){view} : {} -> f32",
                source.name, source.ty
            );
            values += 1;
            if values == 1 {
                largest = source.largest;
                continue;
            }
            // The value so far is numbered just before the one that was loaded.
            let (one, two) = (values - 1, values - 2);
            let function = match self.below(4) {
                0 if largest + source.largest <= LARGEST => "arith.addf",
                1 if largest + source.largest <= LARGEST => "arith.subf",
                2 => "arith.minimumf",
                _ => "arith.maximumf",
            };
            largest = match function {
                "arith.addf" | "arith.subf" => largest + source.largest,
                _ => largest.max(source.largest),
            };
            let _ = writeln!(body, "    %v{values} = {function} %v{two}, %v{one} : f32");
            values += 1;
        }
        if self.is_open && values > 0 && self.numbers.one_in(12) {
            // A number that follows from the size.
            let factor = 1 + self.below(3);
            let _ = writeln!(
                body,
                "    %size = inductor.index_expr affine_map<({dims})[s0] -> (s0 * {factor})>({names}) : i64"
            );
            let _ = writeln!(
                body,
                "    %v{values} = inductor.to_dtype %size from i64 to f32 : i64 -> f32"
            );
            let last = values - 1;
            values += 1;
            let _ = writeln!(
                body,
                "    %v{values} = arith.minimumf %v{last}, %v{} : f32",
                values - 1
            );
            values += 1;
        }
        if values > 0 && self.numbers.one_in(8) {
            largest = self.integers(&mut body, values - 1, largest);
            values += 1;
        }
        if let Some(dim) = reduced {
            let count = match self.is_open && loops[dim] == OPEN {
                true => OPEN_SIZES[1],
                false => loops[dim],
            };
            let sum = largest * count;
            let is_exact = count.is_power_of_two() && count <= 8 && largest <= MOST_OF_VARIANCE;
            if is_exact && !self.is_open && head.contains(" sum ") && self.numbers.one_in(4) {
                let output = self.below(3);
                head = head.replace(" sum ", " welford_reduce ");
                head = head.replace("from f32 {", &format!("from f32 output {output} {{"));
                // A mean and squares have fractions, and are not added to other values.
                largest = LARGEST + 1;
            } else if sum > LARGEST {
                head = head.replace(" sum ", " max ");
            } else {
                largest = sum;
            }
        }
        let mut end = String::new();
        if let Some(Along::Scanned) = along {
            let sum = largest * loops[loops.len() - 1];
            let function = match sum <= LARGEST && self.numbers.one_in(2) {
                true => "arith.addf",
                false => "arith.maximumf",
            };
            largest = largest.max(sum.min(LARGEST));
            let _ = write!(
                end,
                " combine {{\n  ^bb0(%a: f32, %b: f32):\n    %c = {function} %a, %b : f32\n    inductor.yield %c : f32\n  }}"
            );
        }
        let stored: Vec<String> = loop_of
            .into_iter()
            .map(|dim| {
                let place = arguments
                    .iter()
                    .position(|at| *at == dim && dim < outer.len());
                place.map_or_else(|| "0".to_owned(), |place| format!("d{place}"))
            })
            .collect();
        let stored = match &part {
            Some((whole, so_far)) => {
                largest = largest.max(*so_far);
                self.within(whole, &size, stored)
            }
            None => stored,
        };
        let size = part.as_ref().map_or(size, |(whole, _)| whole.clone());
        let (at, view) = match reduced {
            None if is_placed && along.is_none() && part.is_none() => {
                self.through_view(&ranges, &strides, &stored)
            }
            _ => None,
        }
        .unwrap_or_else(|| (stored.join(", "), String::new()));
        let _ = writeln!(
            body,
            "    inductor.store %v{} at affine_map<({dims}) -> ({at})>({names}){view} : f32",
            values - 1
        );
        let hints = match ranges.first() {
            Some(_) if !self.is_unrealized && self.numbers.one_in(3) => {
                let shape: Vec<String> = ranges
                    .iter()
                    .map(|extent| match self.is_open && *extent == OPEN {
                        true => "\"s77\"".to_owned(),
                        false => extent.to_string(),
                    })
                    .collect();
                let shape = shape.join(", ");
                format!(
                    "{{hints = [{{dims = {{rows = 2}}, positions = {{rows = 0}}, shape = [{shape}]}}]}} "
                )
            }
            _ => String::new(),
        };
        let _ = writeln!(
            self.text,
            "  %{buffer} = {head}{body}  }}{end} {hints}: {ty}"
        );
        self.buffers.push(Buffer {
            name: buffer,
            size,
            ty,
            strides,
            largest,
        });
        self.nests += 1;
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
        if largest > LARGEST {
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
        });
        self.nests += 1;
    }

    /// Computes with the last value as an integer, a shift by any number of bits or a function of one without a sign, or as a float of 8
    /// bits. Returns the largest absolute value of the next one.
    fn integers(&mut self, body: &mut String, last: usize, largest: u64) -> u64 {
        let next = last + 1;
        // Both formats round such numbers to integers, up to a power of two at most; larger ones would be infinite in the second.
        if largest <= 1 << 15 && self.numbers.one_in(4) {
            let format = self.numbers.pick(&["f8E4M3FN", "f8E5M2"]);
            let _ = writeln!(
                body,
                "    %v{next} = inductor.to_dtype %v{last} from f32 to {format} : f32 -> f32"
            );
            return largest.next_power_of_two();
        }
        let by = self.numbers.pick(&[-1_i64, 0, 1, 3, 7, 8, 63, 64, 100]);
        let _ = writeln!(
            body,
            "    %w = inductor.to_dtype %v{last} from f32 to i64 : f32 -> i64"
        );
        if self.numbers.one_in(3) {
            let _ = writeln!(
                body,
                "    %by = arith.constant {by} : i64\n    %x = inductor.apply \"bitwise_right_shift\"(%w, %by) : (i64, i64) -> i64\n    \
                 %v{next} = inductor.to_dtype %x from i64 to f32 : i64 -> f32"
            );
            return largest;
        }
        let functions = [
            "floordiv",
            "remainder",
            "bitwise_right_shift",
            "bitwise_left_shift",
        ];
        if self.numbers.one_in(3) {
            let _ = writeln!(
                body,
                "    %x = inductor.apply \"sign\"(%w) : (i64) -> i64\n    %v{next} = inductor.to_dtype %x from i64 to f32 : i64 -> f32"
            );
            return 1;
        }
        let function = match self.below(3) {
            0 => "arith.maxui %b, %by : i8".to_owned(),
            1 => "arith.minui %b, %by : i8".to_owned(),
            _ => format!(
                "inductor.apply \"{}\"(%b, %by) {{unsigned = array<i64: 0, 1>}} : (i8, i8) -> i8",
                self.numbers.pick(&functions)
            ),
        };
        // The divisor is never zero.
        let by = if by == 0 { 200 } else { by };
        let _ = writeln!(
            body,
            "    %b = inductor.to_dtype %w from i64 to ui8 : i64 -> i8\n    %by = arith.constant {by} : i8\n    %x = {function}\n    \
             %v{next} = inductor.to_dtype %x from ui8 to f32 : i8 -> f32"
        );
        255
    }

    /// Returns the scan or sort along the last loop of a nest, if it is one.
    fn along(&mut self, loops: &[u64]) -> Option<Along> {
        let is_loop = loops.last().is_some_and(|extent| *extent > 1);
        if self.is_open || self.is_unrealized || !is_loop || !self.numbers.one_in(6) {
            return None;
        }
        let orders = ["", "stable ", "descending ", "stable descending "];
        Some(match self.below(2) {
            0 => Along::Scanned,
            _ => Along::Sorted(self.numbers.pick(&orders)),
        })
    }

    /// Returns a buffer of some extents that a nest overwrites, if it does. It has no later reads.
    fn overwritten(&mut self, size: &[u64]) -> Option<Buffer> {
        if self.is_open || self.is_unrealized || !self.numbers.one_in(6) {
            return None;
        }
        // A part of a larger buffer, or all of one.
        let is_part = self.numbers.one_in(2);
        let fits = |buffer: &Buffer| match is_part {
            true => {
                let mut extents = buffer.size.iter().zip(size);
                buffer.size.len() == size.len() && extents.all(|(whole, part)| whole >= part)
            }
            false => buffer.size == size,
        };
        let mut buffers = self.buffers.iter();
        let at = buffers.position(|buffer| buffer.is_made() && fits(buffer))?;
        Some(self.buffers.remove(at))
    }

    /// Maps the coordinates `stored` of a part to coordinates of the buffer `whole`, with a step and an offset.
    fn within(&mut self, whole: &[u64], part: &[u64], stored: Vec<String>) -> Vec<String> {
        let dims = whole.iter().zip(part).zip(stored);
        dims.map(|((whole, part), at)| {
            let step = match (part - 1) * 2 < *whole && self.numbers.one_in(3) {
                true => 2,
                false => 1,
            };
            let offset = self.numbers.below(whole - (part - 1) * step);
            format!("{at} * {step} + {offset}")
        })
        .collect()
    }

    /// Returns the coordinates of a store in a view of the buffer, and the view, if it is stored so: with the dimensions backwards, or all
    /// in one line.
    fn through_view(
        &mut self,
        size: &[u64],
        strides: &[u64],
        stored: &[String],
    ) -> Option<(String, String)> {
        if self.is_open || self.is_unrealized || size.len() < 2 || !self.numbers.one_in(6) {
            return None;
        }
        let reversed = |numbers: &[u64]| -> Vec<u64> { numbers.iter().rev().copied().collect() };
        let (at, view_strides, view_size) = match self.below(2) {
            0 => {
                let at: Vec<&str> = stored.iter().rev().map(String::as_str).collect();
                (at.join(", "), reversed(strides), reversed(size))
            }
            _ => {
                let places = stored.iter().zip(strides);
                let places: Vec<String> = places
                    .map(|(at, stride)| format!("{at} * {stride}"))
                    .collect();
                (places.join(" + "), vec![1], vec![size.iter().product()])
            }
        };
        let (view_strides, view_size) = (self.list(&view_strides), self.list(&view_size));
        let view = format!(" view <fixed, {view_strides}, size = {view_size}>");
        Some((at, view))
    }

    /// Returns the loaded buffer: of expressions one of the last, so that there are long ones. A symbolic size mostly
    /// has a loop: a part of it is refused.
    fn source(&mut self, loops: &[u64]) -> Buffer {
        let mut buffers: Vec<usize> = (0..self.buffers.len()).collect();
        if self.is_open && !loops.contains(&OPEN) && !self.numbers.one_in(20) {
            let fixed = |at: &usize| !self.buffers[*at].size.contains(&OPEN);
            let fixed: Vec<usize> = buffers.iter().copied().filter(fixed).collect();
            if !fixed.is_empty() {
                buffers = fixed;
            }
        }
        let count = buffers.len();
        let base = match self.is_unrealized && !self.numbers.one_in(3) {
            true => buffers[count - 1 - self.numbers.index(count.min(4))],
            false => buffers[self.numbers.index(count)],
        };
        self.buffers[base].clone()
    }

    /// Returns the place of a load in the memory of a buffer, and the view of that memory, if it is loaded so: a mixed
    /// number of some loops, in any order, or windows that overlap. Of a buffer with a symbolic size, it is all of its
    /// elements.
    fn line(
        &mut self,
        source: &Buffer,
        (arguments, loops): (&[usize], &[u64]),
    ) -> Option<(String, String)> {
        let is_placed = source.ty.contains("<fixed") && !self.is_unrealized;
        if !is_placed || !self.numbers.one_in(5) {
            return None;
        }
        let all: u64 = source.size.iter().product();
        let is_open = self.is_open && all.is_multiple_of(OPEN);
        let mut places: Vec<usize> = (0..arguments.len()).collect();
        self.numbers.shuffle(&mut places);
        let (mut weight, mut last) = (1, 0);
        let mut terms: Vec<String> = Vec::new();
        for place in places {
            let extent = loops[arguments[place]];
            let is_fixed = !self.is_open || extent != OPEN;
            let end = last + weight * (extent - 1);
            if end >= all || !is_open && !is_fixed {
                continue;
            }
            terms.push(format!("d{place} * {}", self.number(weight)));
            last = end;
            weight *= extent;
            if !is_open && self.numbers.one_in(8) {
                weight = 1 + self.below(weight);
            }
        }
        let is_whole = last + 1 == all;
        if terms.is_empty() || is_open && !is_whole {
            return None;
        }
        if !is_whole {
            terms.push(self.below(all - last).to_string());
        }
        let view = format!(" view <fixed, [1], size = [{}]>", self.number(all));
        Some((terms.join(" + "), view))
    }

    /// Returns coordinates of a buffer of some extents: loops, their digits, reversed loops, clamped loops, or numbers.
    fn subscript(
        &mut self,
        size: &[u64],
        (arguments, loops): (&[usize], &[u64]),
        indices: &mut Indices,
    ) -> String {
        let mut at: Vec<String> = Vec::new();
        for extent in size {
            // The relation of a symbolic size to other extents is not known.
            let is_open = |extent: u64| self.is_open && extent == OPEN;
            let fits: Vec<usize> = (0..arguments.len())
                .filter(|place| loops[arguments[*place]] == *extent)
                .collect();
            let larger: Vec<usize> = (0..arguments.len())
                .filter(|place| {
                    let bound = loops[arguments[*place]];
                    let is_known = !is_open(bound) && !is_open(*extent);
                    is_known && bound > *extent && bound.is_multiple_of(*extent) && *extent > 1
                })
                .collect();
            let smaller: Vec<usize> = (0..arguments.len())
                .filter(|place| {
                    let bound = loops[arguments[*place]];
                    let is_known = !is_open(bound) && !is_open(*extent);
                    is_known && bound < *extent
                })
                .collect();
            let is_open = is_open(*extent);
            let text = match self.below(9) {
                8 if !arguments.is_empty() && !is_open => {
                    let place = self.numbers.index(arguments.len());
                    let shift = self.below(3);
                    let low = indices.apply("max", &format!("0, d{place} - {shift}"));
                    indices.apply("min", &format!("{}, {low}", extent - 1))
                }
                0 if !fits.is_empty() && !is_open => {
                    format!("{} - d{}", extent - 1, self.numbers.pick(&fits))
                }
                1 if !larger.is_empty() => format!("d{} mod {extent}", self.numbers.pick(&larger)),
                2 if !larger.is_empty() => {
                    let place = self.numbers.pick(&larger);
                    let by = loops[arguments[place]] / extent;
                    format!("d{place} floordiv {by}")
                }
                3 if !smaller.is_empty() => {
                    let place = self.numbers.pick(&smaller);
                    let room = extent - loops[arguments[place]];
                    format!("d{place} + {}", self.below(room + 1))
                }
                _ if !fits.is_empty() => format!("d{}", self.numbers.pick(&fits)),
                _ if is_open => self.below(OPEN_SIZES[0]).to_string(),
                _ => self.below(*extent).to_string(),
            };
            at.push(text);
        }
        at.join(", ")
    }
}

/// The operation of a nest along its last loop.
#[derive(Debug, Clone, Copy)]
enum Along {
    /// Each element is that of all up to it.
    Scanned,
    /// Elements are sorted, with the keywords of the order.
    Sorted(&'static str),
}

impl Along {
    /// Returns the name of the operation, and its keywords of the order.
    fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Scanned => ("scan", ""),
            Self::Sorted(order) => ("sort", order),
        }
    }
}

/// The indices of a load, with functions that no affine map has.
struct Indices {
    /// The dimensions of its map.
    dims: String,
    /// The names of the values of these dimensions.
    names: String,
    /// The operations that make the functions.
    text: String,
    /// The number of the first function, and of functions.
    first: usize,
    count: usize,
}

impl Indices {
    /// Adds a function of some expressions, and returns its dimension.
    fn apply(&mut self, function: &str, operand: &str) -> String {
        let (dims, names) = (&self.dims, &self.names);
        let number = self.first + self.count;
        let _ = writeln!(
            self.text,
            "    %f{number} = inductor.index_apply \"{function}\" affine_map<({dims}) -> ({operand})>({names})"
        );
        let dim = format!("d{}", dims.split(", ").count());
        self.dims = format!("{dims}, {dim}");
        self.names = format!("{names}, %f{number}");
        self.count += 1;
        dim
    }
}
