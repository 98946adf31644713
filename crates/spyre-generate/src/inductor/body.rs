//! Draws bodies of nests: loads, functions of their values, and functions of integers.

use std::fmt::Write as _;

use super::{Buffer, Draw, INPUT, LARGEST, OPEN, OPEN_SIZES};

/// The largest magnitude of a loaded number of a buffer with infinities.
const MOST_OF_MASKED: u64 = 2;

/// The loops of a body: those of the results, then the reduced one.
pub(super) struct Loops {
    /// Their extents.
    extents: Vec<u64>,
    /// The number of loops of the results.
    results: usize,
    /// The loops that are arguments of the body: those of more than one iteration.
    pub(super) arguments: Vec<usize>,
}

impl Loops {
    /// Returns loops of some extents, of which the first `results` are not reduced.
    pub(super) fn new(extents: Vec<u64>, results: usize) -> Self {
        let arguments = (0..extents.len()).filter(|at| extents[*at] != 1).collect();
        Self {
            extents,
            results,
            arguments,
        }
    }

    /// Returns the extent of the loop of an argument.
    fn extent(&self, place: usize) -> u64 {
        self.extents[self.arguments[place]]
    }

    /// Returns the argument of a loop of the results.
    pub(super) fn argument_of_result(&self, dim: usize) -> Option<usize> {
        let mut arguments = self.arguments.iter();
        arguments.position(|at| *at == dim && dim < self.results)
    }
}

/// The body of a nest, as far as it is drawn.
pub(super) struct Body {
    /// The dimensions of its maps.
    dims: String,
    /// The arguments.
    names: String,
    /// The operations.
    pub(super) text: String,
    /// The number of values `%v0`, `%v1` ...
    pub(super) values: usize,
    /// The largest magnitude of the last value.
    pub(super) largest: u64,
    /// Whether the last value may be an infinity.
    pub(super) is_masked: bool,
}

impl Body {
    fn new(arguments: usize) -> Self {
        let list = |prefix: &str| {
            let names: Vec<String> = (0..arguments).map(|at| format!("{prefix}{at}")).collect();
            names.join(", ")
        };
        Self {
            dims: list("d"),
            names: list("%i"),
            text: String::new(),
            values: 0,
            largest: 0,
            is_masked: false,
        }
    }

    /// Adds the store of the last value at some coordinates, through a view.
    pub(super) fn store(&mut self, at: &str, view: &str) {
        let (dims, names) = (&self.dims, &self.names);
        let _ = writeln!(
            self.text,
            "    inductor.store %v{} at affine_map<({dims}) -> ({at})>({names}){view} : f32",
            self.values - 1
        );
    }
}

impl Draw {
    /// Returns a body with at least one value.
    pub(super) fn body(&mut self, loops: &Loops) -> Body {
        let mut body = Body::new(loops.arguments.len());
        // A graph of expressions has some without loads.
        let loads = match self.is_unrealized && self.numbers.one_in(8) {
            true => 0,
            false => 1 + self.below(3),
        };
        if loads == 0 {
            self.sum_of_indices(loops, &mut body);
        }
        let mut functions = 0;
        for _ in 0..loads {
            let mut source = self.source(&loops.extents);
            if source.is_masked {
                // Its loads are between these numbers.
                source.largest = MOST_OF_MASKED;
            }
            functions += self.load(&source, loops, functions, &mut body);
            if body.values == 1 {
                body.largest = source.largest;
            } else {
                self.combine(source.largest, &mut body);
            }
        }
        if self.numbers.one_in(5) {
            self.constants(&mut body);
        }
        if self.is_open && self.numbers.one_in(12) {
            self.size_of_graph(&mut body);
        }
        if self.numbers.one_in(8) {
            let last = body.values - 1;
            body.largest = self.integers(&mut body.text, last, body.largest);
            body.values += 1;
        }
        body
    }

    /// Adds the sum of all indices and an offset.
    fn sum_of_indices(&mut self, loops: &Loops, body: &mut Body) {
        let offset = self.below(u64::from(INPUT) + 1);
        let places = 0..loops.arguments.len();
        let sum: Vec<String> = places.clone().map(|at| format!("d{at} + ")).collect();
        let (dims, names) = (&body.dims, &body.names);
        let _ = writeln!(
            body.text,
            "    %n = inductor.index_expr affine_map<({dims}) -> ({}{offset})>({names}) : i64",
            sum.concat()
        );
        let _ = writeln!(
            body.text,
            "    %v0 = inductor.to_dtype %n from i64 to f32 : i64 -> f32"
        );
        body.values = 1;
        body.largest = offset + places.map(|place| loops.extent(place)).sum::<u64>();
    }

    /// Adds the load of a buffer, with `first` functions of indices before it. Returns the number of functions of its
    /// indices.
    fn load(&mut self, source: &Buffer, loops: &Loops, first: usize, body: &mut Body) -> usize {
        let mut indices = Indices {
            dims: body.dims.clone(),
            names: body.names.clone(),
            text: String::new(),
            first,
            count: 0,
        };
        let (at, view) = match self.line(source, loops) {
            Some(line) => line,
            None => {
                let at = self.subscript(&source.size, loops, &mut indices);
                (at, String::new())
            }
        };
        let Indices {
            dims, names, text, ..
        } = indices;
        let symbols = if self.is_open { "[s0]" } else { "" };
        let _ = writeln!(
            body.text,
            "{text}    {} = inductor.load %{} at affine_map<({dims}){symbols} -> ({at})>({names}){view} : {} -> f32",
            match source.is_masked {
                true => format!("%far{}", body.values),
                false => format!("%v{}", body.values),
            },
            source.name,
            source.ty
        );
        if source.is_masked {
            let (low, high) = (
                body.float(&format!("-{MOST_OF_MASKED}.0")),
                body.float(&format!("{MOST_OF_MASKED}.0")),
            );
            let far = format!("%far{}", body.values);
            let within = body.helper(&format!("arith.maximumf {far}, {low} : f32"));
            let _ = writeln!(
                body.text,
                "    %v{} = arith.minimumf {within}, {high} : f32",
                body.values
            );
        }
        body.values += 1;
        indices.count
    }

    /// Adds a function of the value so far and of the loaded one, of magnitude `loaded` at most.
    fn combine(&mut self, loaded: u64, body: &mut Body) {
        // The value so far is numbered just before the one that was loaded.
        let (one, two) = (body.values - 1, body.values - 2);
        let sum = body.largest + loaded;
        let function = match self.below(4) {
            0 if sum <= LARGEST => "arith.addf",
            1 if sum <= LARGEST => "arith.subf",
            2 => "arith.minimumf",
            _ => "arith.maximumf",
        };
        body.largest = match function {
            "arith.addf" | "arith.subf" => sum,
            _ => body.largest.max(loaded),
        };
        let next = body.values;
        let _ = writeln!(
            body.text,
            "    %v{next} = {function} %v{two}, %v{one} : f32"
        );
        body.values += 1;
    }

    /// Adds the least of the last value and a number that follows from the size of the graph.
    fn size_of_graph(&mut self, body: &mut Body) {
        let factor = 1 + self.below(3);
        let (dims, names) = (&body.dims, &body.names);
        let (last, size, least) = (body.values - 1, body.values, body.values + 1);
        let _ = writeln!(
            body.text,
            "    %size = inductor.index_expr affine_map<({dims})[s0] -> (s0 * {factor})>({names}) : i64"
        );
        let _ = writeln!(
            body.text,
            "    %v{size} = inductor.to_dtype %size from i64 to f32 : i64 -> f32"
        );
        let _ = writeln!(
            body.text,
            "    %v{least} = arith.minimumf %v{last}, %v{size} : f32"
        );
        body.values += 2;
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

    /// Returns the position of a load in the memory of a buffer and the view of that memory; `None` if the load is not
    /// through a view. The view has loops in any order, or windows that overlap; for a buffer with a symbolic size, it
    /// covers all elements.
    fn line(&mut self, source: &Buffer, loops: &Loops) -> Option<(String, String)> {
        let is_placed = source.ty.contains("<fixed") && source.is_dense() && !self.is_unrealized;
        if !is_placed || !self.numbers.one_in(5) {
            return None;
        }
        let all: u64 = source.size.iter().product();
        let is_open = self.is_open && all.is_multiple_of(OPEN);
        let mut places: Vec<usize> = (0..loops.arguments.len()).collect();
        self.numbers.shuffle(&mut places);
        let (mut weight, mut last) = (1, 0);
        let mut terms: Vec<String> = Vec::new();
        for place in places {
            let extent = loops.extent(place);
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

    /// Returns coordinates of a buffer with the extents `size`: loops, their digits, reversed loops, clamped loops, or
    /// numbers.
    fn subscript(&mut self, size: &[u64], loops: &Loops, indices: &mut Indices) -> String {
        let mut at: Vec<String> = Vec::new();
        for extent in size {
            // The relation of a symbolic size to other extents is not known.
            let is_open = |extent: u64| self.is_open && extent == OPEN;
            let fits: Vec<usize> = (0..loops.arguments.len())
                .filter(|place| loops.extent(*place) == *extent)
                .collect();
            let larger: Vec<usize> = (0..loops.arguments.len())
                .filter(|place| {
                    let bound = loops.extent(*place);
                    let is_known = !is_open(bound) && !is_open(*extent);
                    is_known && bound > *extent && bound.is_multiple_of(*extent) && *extent > 1
                })
                .collect();
            let smaller: Vec<usize> = (0..loops.arguments.len())
                .filter(|place| {
                    let bound = loops.extent(*place);
                    let is_known = !is_open(bound) && !is_open(*extent);
                    is_known && bound < *extent
                })
                .collect();
            let is_open = is_open(*extent);
            let text = match self.below(9) {
                8 if !loops.arguments.is_empty() && !is_open => {
                    let place = self.numbers.index(loops.arguments.len());
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
                    let by = loops.extent(place) / extent;
                    format!("d{place} floordiv {by}")
                }
                3 if !smaller.is_empty() => {
                    let place = self.numbers.pick(&smaller);
                    let room = extent - loops.extent(place);
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

/// The indices of a load, with functions that no affine map has.
struct Indices {
    /// The dimensions of its map.
    dims: String,
    /// The names of the values that are the dimensions of the map.
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
