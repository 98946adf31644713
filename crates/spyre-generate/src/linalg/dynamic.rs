//! Programs with dynamic extents.
//!
//! A dimension is static, or dynamic with one of two names. Operations are tiled along the dynamic dimensions: by hints
//! around the whole function, or without hints.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::numbers::Numbers;

use super::generic::infinity;
use super::{Element, INPUT, LARGEST, Program, Step, TIED, map};

/// The number that extents are multiples of, in elements.
const GRANULARITY: u64 = 64;
/// The largest extent, in units of the granularity.
const MOST: u64 = 2;
/// Static extents.
const FIXED: [u64; 3] = [32, 64, 96];
/// The largest static extent of a concatenation or a pad.
const MOST_KNOWN: u64 = 256;
/// The most loops of a product along dynamic dimensions.
const MOST_OPEN: usize = 3;
/// The names.
const NAMES: [&str; 2] = ["S", "T"];
/// The end of a name for another dimension of the same extent.
const AGAIN: &str = "_again";

/// A dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dim {
    Fixed(u64),
    /// The number of a name.
    Open(usize),
}

impl Dim {
    /// The largest extent that it can have.
    fn most(self) -> u64 {
        match self {
            Self::Fixed(extent) => extent,
            Self::Open(_) => GRANULARITY * MOST,
        }
    }
}

#[derive(Debug, Clone)]
struct Value {
    name: String,
    dims: Vec<Dim>,
    /// The largest magnitude of its numbers.
    bound: u64,
}

struct Draw {
    numbers: Numbers,
    element: Element,
    body: String,
    arguments: Vec<Value>,
    values: Vec<Value>,
    next: usize,
}

/// Draws a program.
pub(super) fn program(mut numbers: Numbers, element: Element) -> Program {
    let count = 1 + usize::from(numbers.one_in(2));
    let sizes = NAMES[..count].iter().map(|name| {
        let extent = GRANULARITY * numbers.between(1, MOST);
        ((*name).to_owned(), extent)
    });
    let sizes: Vec<(String, u64)> = sizes.collect();
    let mut draw = Draw {
        numbers,
        element,
        body: String::new(),
        arguments: Vec::new(),
        values: Vec::new(),
        next: 0,
    };
    let columns = Dim::Fixed(draw.numbers.pick(&FIXED));
    for name in 0..count {
        let value = draw.argument(&[Dim::Open(name), columns]);
        draw.values.push(value);
    }
    let mut steps = Vec::new();
    let wanted = draw.numbers.between(1, 5);
    while (steps.len() as u64) < wanted {
        let step = draw.numbers.pick(&[
            Step::Pointwise,
            Step::Pointwise,
            Step::Reduction,
            Step::Contraction,
            Step::Movement,
            Step::Constant,
        ]);
        let is_drawn = match step {
            Step::Reduction => draw.reduction(),
            Step::Contraction => draw.contraction(),
            Step::Movement if draw.numbers.one_in(2) => draw.join(),
            Step::Movement if draw.numbers.one_in(3) => draw.pad(),
            Step::Movement => draw.movement(),
            Step::Constant => draw.index(),
            _ => draw.pointwise(),
        };
        if is_drawn {
            steps.push(step);
        }
    }
    // A view of an input gives the card no work.
    while !draw.pointwise() {}
    steps.push(Step::Open);
    let text = draw.finish(count);
    Program { text, steps, sizes }
}

impl Draw {
    /// Adds an input.
    fn argument(&mut self, dims: &[Dim]) -> Value {
        let value = Value {
            name: format!("%a{}", self.arguments.len()),
            dims: dims.to_vec(),
            bound: INPUT,
        };
        self.arguments.push(value.clone());
        value
    }

    fn ty(&self, dims: &[Dim]) -> String {
        let mut text = "tensor<".to_owned();
        for dim in dims {
            match dim {
                Dim::Fixed(extent) => write!(text, "{extent}x"),
                Dim::Open(_) => write!(text, "?x"),
            }
            .expect("a text takes what is written");
        }
        text + self.element.name() + ">"
    }

    fn line(&mut self, text: &str) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        writeln!(self.body, "    {name} = {text}").expect("a text takes what is written");
        name
    }

    fn make(&mut self, dims: Vec<Dim>, bound: u64, text: &str) -> bool {
        let name = self.line(text);
        self.values.push(Value { name, dims, bound });
        true
    }

    fn any(&mut self) -> Value {
        // The last value is used most.
        let last = self.values.len() - 1;
        let at = match self.numbers.one_in(2) {
            true => last,
            false => self.numbers.index(last + 1),
        };
        self.values[at].clone()
    }

    fn empty(&mut self, dims: &[Dim]) -> String {
        let sizes = dims.iter().filter_map(|dim| match dim {
            Dim::Open(name) => Some(format!("%{}", NAMES[*name].to_lowercase())),
            Dim::Fixed(_) => None,
        });
        let sizes: Vec<String> = sizes.collect();
        let ty = self.ty(dims);
        self.line(&format!("tensor.empty({}) : {ty}", sizes.join(", ")))
    }

    fn filled(&mut self, number: &str, dims: &[Dim]) -> String {
        let (element, ty) = (self.element.name(), self.ty(dims));
        let number = self.line(&format!("arith.constant {number} : {element}"));
        let empty = self.empty(dims);
        self.line(&format!(
            "linalg.fill ins({number} : {element}) outs({empty} : {ty}) -> {ty}"
        ))
    }

    /// Adds an operation of two tensors over loops along `loops`, the last of which are reduced.
    fn generic(
        &mut self,
        loops: &[Dim],
        (a, a_loops): (&Value, &[usize]),
        (b, b_loops): (&Value, &[usize]),
        (output, out_loops): (&str, &[usize]),
        body: &str,
    ) -> String {
        let coordinates =
            |loops: &[usize]| -> Vec<String> { loops.iter().map(|id| format!("d{id}")).collect() };
        let maps = [a_loops, b_loops, out_loops]
            .map(|operand_loops| map(loops.len(), &coordinates(operand_loops)));
        let kinds = (0..loops.len()).map(|id| match out_loops.contains(&id) {
            true => "\"parallel\"",
            false => "\"reduction\"",
        });
        let kinds: Vec<&str> = kinds.collect();
        let out: Vec<Dim> = out_loops.iter().map(|id| loops[*id]).collect();
        let element = self.element.name();
        let [a_ty, b_ty, out_ty] = [&a.dims, &b.dims, &out].map(|dims| self.ty(dims));
        format!(
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}} ins({}, {} : {a_ty}, {b_ty}) outs({output} : {out_ty}) {{\n    \
             ^bb0(%x: {element}, %y: {element}, %out: {element}):\n{body}      linalg.yield %r : {element}\n    }} -> {out_ty}",
            maps.join(", "),
            kinds.join(", "),
            a.name,
            b.name
        )
    }

    /// An elementwise body on a tensor, and on one with a subset of its dimensions.
    fn pointwise(&mut self) -> bool {
        let a = self.any();
        let filled = self.numbers.one_in(6);
        let b = match filled {
            true => Value {
                name: self.filled("2.0", &a.dims),
                dims: a.dims.clone(),
                bound: 2,
            },
            // Such as a mask for the products of all rows with all rows.
            false if self.numbers.one_in(6) => self.argument(&a.dims),
            false => self.any(),
        };
        let Some(loops) = places(&b.dims, &a.dims) else {
            return false;
        };
        let (p, q) = (a.bound, b.bound);
        let (name, bound) = match self.numbers.below(5) {
            0 if p + q <= LARGEST => ("arith.addf", p + q),
            1 if p + q <= LARGEST => ("arith.subf", p + q),
            2 if p * q <= LARGEST => ("arith.mulf", p * q),
            3 => ("arith.minimumf", p.max(q)),
            _ => ("arith.maximumf", p.max(q)),
        };
        // The maximum of a number and itself folds, and gives the card no work.
        if a.name == b.name && name.ends_with("imumf") {
            return false;
        }
        let element = self.element.name();
        let all: Vec<usize> = (0..a.dims.len()).collect();
        if self.numbers.one_in(6) && bound + a.bound <= LARGEST {
            // The body reads the tensor that it writes.
            let body = format!(
                "      %q = {name} %x, %y : {element}\n      %r = arith.addf %out, %q : {element}\n"
            );
            let out = self.like(&a);
            let bound = bound + out.bound;
            let text = self.generic(&a.dims, (&a, &all), (&b, &loops), (&out.name, &all), &body);
            return self.make(a.dims.clone(), bound, &text);
        }
        let body = match self.numbers.one_in(4) {
            true => {
                let (text, most) = self.special("%q", "%r");
                return self.element_wise(
                    (&a, &all),
                    (&b, &loops),
                    &format!("      %q = {name} %x, %y : {element}\n{text}"),
                    bound.max(most),
                );
            }
            false => format!("      %r = {name} %x, %y : {element}\n"),
        };
        self.element_wise((&a, &all), (&b, &loops), &body, bound)
    }

    /// Adds an elementwise body on a tensor, and on one with some of its dimensions.
    fn element_wise(
        &mut self,
        (a, all): (&Value, &[usize]),
        (b, loops): (&Value, &[usize]),
        body: &str,
        bound: u64,
    ) -> bool {
        let empty = self.empty(&a.dims);
        let text = self.generic(&a.dims, (a, all), (b, loops), (&empty, all), body);
        self.make(a.dims.clone(), bound, &text)
    }

    /// Returns a value of the dimensions of another one, with no larger numbers: often the same.
    fn like(&mut self, value: &Value) -> Value {
        let is_like = |other: &&Value| other.dims == value.dims && other.bound <= value.bound;
        let values: Vec<Value> = self.values.iter().filter(is_like).cloned().collect();
        values[self.numbers.index(values.len())].clone()
    }

    /// Returns the text of a function of a number and of a constant at an end of the range, and the largest magnitude of
    /// a number that replaces others.
    fn special(&mut self, x: &str, result: &str) -> (String, u64) {
        let element = self.element;
        let ty = element.name();
        let nan = match element {
            Element::F32 => "0x7FC00000",
            _ => "0x7E00",
        };
        let (negative, positive) = (infinity(element, true), infinity(element, false));
        let constant = |number: &str| format!("      %far = arith.constant {number} : {ty}\n");
        match self.numbers.below(5) {
            0 => (
                constant(negative) + &format!("      {result} = arith.maximumf {x}, %far : {ty}\n"),
                0,
            ),
            1 => (
                constant("-0.0") + &format!("      {result} = arith.addf %far, {x} : {ty}\n"),
                0,
            ),
            2 => (
                constant(nan) + &format!("      {result} = arith.minnumf {x}, %far : {ty}\n"),
                0,
            ),
            number => {
                // A mask of infinities, and the number that replaces them.
                let (far, limit) = match number {
                    3 => (negative, "maximumf"),
                    _ => (positive, "minimumf"),
                };
                let text = format!(
                    "      %zero = arith.constant 0.0 : {ty}\n      %two = arith.constant 2.0 : {ty}\n      \
                     %holds = arith.cmpf ogt, {x}, %zero : {ty}\n      %masked = arith.select %holds, {x}, %far : {ty}\n      \
                     {result} = arith.{limit} %masked, %two : {ty}\n"
                );
                (constant(far) + &text, 2)
            }
        }
    }

    /// A sum or a maximum along a dimension.
    fn reduction(&mut self) -> bool {
        let a = self.any();
        if a.dims.len() < 2 {
            return false;
        }
        let at = self.numbers.index(a.dims.len());
        let sum = a.bound * a.dims[at].most();
        let (name, start, bound) = match sum <= LARGEST && self.numbers.one_in(2) {
            true => ("arith.addf", "0.0", sum),
            false => ("arith.maximumf", "-1.0e+3", a.bound),
        };
        let mut kept: Vec<usize> = (0..a.dims.len()).collect();
        kept.remove(at);
        let dims: Vec<Dim> = kept.iter().map(|id| a.dims[*id]).collect();
        let start = self.filled(start, &dims);
        let (ty, out, element) = (self.ty(&a.dims), self.ty(&dims), self.element.name());
        if name == "arith.maximumf" && self.numbers.one_in(3) {
            return self.masked_maximum(&a, at, (&start, dims));
        }
        let text = format!(
            "linalg.reduce ins({} : {ty}) outs({start} : {out}) dimensions = [{at}]\n    (%x: {element}, %y: {element}) {{\n      \
             %r = {name} %x, %y : {element}\n      linalg.yield %r : {element}\n    }}",
            a.name
        );
        self.make(dims, bound, &text)
    }

    /// A maximum along a dimension over the elements with positions below a number, or over the other elements.
    fn masked_maximum(&mut self, a: &Value, along: usize, (start, dims): (&str, Vec<Dim>)) -> bool {
        let rank = a.dims.len();
        let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
        let kept: Vec<String> = (0..rank)
            .filter(|id| *id != along)
            .map(|id| format!("d{id}"))
            .collect();
        let kinds = (0..rank).map(|id| match id == along {
            true => "\"reduction\"",
            false => "\"parallel\"",
        });
        let kinds: Vec<&str> = kinds.collect();
        // Some positions are on each side, whatever is chosen.
        let least = match a.dims[along] {
            Dim::Fixed(extent) => extent,
            Dim::Open(_) => GRANULARITY,
        };
        if least == 1 {
            return false;
        }
        let (compare, last) = (
            self.numbers.pick(&["sle", "sgt"]),
            self.numbers.below(least - 1),
        );
        let (ty, out, element) = (self.ty(&a.dims), self.ty(&dims), self.element.name());
        let text = format!(
            "linalg.generic {{indexing_maps = [{}, {}], iterator_types = [{}]}} ins({} : {ty}) outs({start} : {out}) {{\n    \
             ^bb0(%x: {element}, %out: {element}):\n      %i = linalg.index {along} : index\n      \
             %j = arith.constant {last} : index\n      %c = arith.cmpi {compare}, %i, %j : index\n      \
             %n = arith.constant -1.0e+3 : {element}\n      %m = arith.select %c, %x, %n : {element}\n      \
             %r = arith.maximumf %out, %m : {element}\n      linalg.yield %r : {element}\n    }} -> {out}",
            map(rank, &coordinates),
            map(rank, &kept),
            kinds.join(", "),
            a.name
        );
        self.make(dims, a.bound, &text)
    }

    /// A sum of products along the last dimension of a tensor, with a matrix of the program or an input.
    fn contraction(&mut self) -> bool {
        let a = self.any();
        let Some((along, rows)) = a.dims.split_last().filter(|(_, rows)| !rows.is_empty()) else {
            return false;
        };
        let mut b = self.any();
        if b.dims.len() != 2 || b.dims[1] != *along {
            let open = rows.iter().find(|dim| matches!(dim, Dim::Open(_)));
            let columns = match open {
                Some(open) if self.numbers.one_in(4) => *open,
                _ => Dim::Fixed(self.numbers.pick(&FIXED)),
            };
            b = self.argument(&[columns, *along]);
        }
        let bound = a.bound * b.bound * along.most();
        let all = a.dims.iter().chain(&b.dims[..1]);
        let open = all.filter(|dim| matches!(dim, Dim::Open(_))).count();
        if bound > LARGEST || open > MOST_OPEN {
            return false;
        }
        let dims = [rows, &b.dims[..1]].concat();
        let start = self.filled("0.0", &dims);
        let element = self.element.name();
        let body = format!(
            "      %p = arith.mulf %x, %y : {element}\n      %r = arith.addf %out, %p : {element}\n"
        );
        let loops = [&dims[..], &[*along]].concat();
        let (columns, along) = (rows.len(), rows.len() + 1);
        let of_rows: Vec<usize> = (0..rows.len()).collect();
        let text = self.generic(
            &loops,
            (&a, &[&of_rows[..], &[along]].concat()),
            (&b, &[columns, along]),
            (&start, &[&of_rows[..], &[columns]].concat()),
            &body,
        );
        self.make(dims, bound, &text)
    }

    /// A transposition, or the expansion of a static dimension next to a dynamic one.
    fn movement(&mut self) -> bool {
        let a = self.any();
        let ty = self.ty(&a.dims);
        if let [rows @ Dim::Open(name), Dim::Fixed(columns)] = *a.dims
            && columns % 32 == 0
            && self.numbers.one_in(3)
        {
            let dims = vec![rows, Dim::Fixed(columns / 32), Dim::Fixed(32)];
            let to = self.ty(&dims);
            let text = format!(
                "tensor.expand_shape {} [[0], [1, 2]] output_shape [%{}, {}, 32] : {ty} into {to}",
                a.name,
                NAMES[name].to_lowercase(),
                columns / 32
            );
            return self.make(dims, a.bound, &text);
        }
        if a.dims.len() < 2 {
            return false;
        }
        let mut order: Vec<usize> = (0..a.dims.len()).collect();
        self.numbers.shuffle(&mut order);
        let dims: Vec<Dim> = order.iter().map(|from| a.dims[*from]).collect();
        let (empty, to) = (self.empty(&dims), self.ty(&dims));
        let text = format!(
            "linalg.transpose ins({} : {ty}) outs({empty} : {to}) permutation = {order:?}",
            a.name
        );
        self.make(dims, a.bound, &text)
    }

    /// A concatenation of two tensors along a static dimension.
    fn join(&mut self) -> bool {
        let (a, b) = (self.any(), self.any());
        if a.dims.len() != b.dims.len() {
            return false;
        }
        let fixed_dims = (0..a.dims.len()).filter(|dim| matches!(a.dims[*dim], Dim::Fixed(_)));
        let fixed_dims: Vec<usize> = fixed_dims.collect();
        if fixed_dims.is_empty() {
            return false;
        }
        let at = fixed_dims[self.numbers.index(fixed_dims.len())];
        let is_beside = |dim: usize| dim == at || a.dims[dim] == b.dims[dim];
        let (Dim::Fixed(first), Dim::Fixed(second)) = (a.dims[at], b.dims[at]) else {
            return false;
        };
        if !(0..a.dims.len()).all(is_beside) || first + second > MOST_KNOWN {
            return false;
        }
        let mut dims = a.dims.clone();
        dims[at] = Dim::Fixed(first + second);
        let [of_a, of_b, to] = [&a.dims, &b.dims, &dims].map(|dims| self.ty(dims));
        let text = format!(
            "tensor.concat dim({at}) {}, {} : ({of_a}, {of_b}) -> {to}",
            a.name, b.name
        );
        self.make(dims, a.bound.max(b.bound), &text)
    }

    /// A pad with a number along a static dimension.
    fn pad(&mut self) -> bool {
        let a = self.any();
        let rank = a.dims.len();
        let at = self.numbers.index(rank);
        let Dim::Fixed(extent) = a.dims[at] else {
            return false;
        };
        let (before, after) = (self.numbers.below(3), self.numbers.between(1, 32));
        if extent + before + after > MOST_KNOWN {
            return false;
        }
        let mut dims = a.dims.clone();
        dims[at] = Dim::Fixed(extent + before + after);
        let widths = |width: u64| -> String {
            let widths = (0..rank).map(|dim| if dim == at { width } else { 0 }.to_string());
            widths.collect::<Vec<_>>().join(", ")
        };
        let indices: Vec<String> = (0..rank).map(|dim| format!("%i{dim}: index")).collect();
        let (element, from, to) = (self.element.name(), self.ty(&a.dims), self.ty(&dims));
        let number = self.line(&format!("arith.constant -2.0 : {element}"));
        let text = format!(
            "tensor.pad {} low[{}] high[{}] {{\n    ^bb0({}):\n      tensor.yield {number} : {element}\n    }} : {from} to {to}",
            a.name,
            widths(before),
            widths(after),
            indices.join(", ")
        );
        self.make(dims, a.bound.max(2), &text)
    }

    /// A selection between elements and a number by the position along one or two dimensions, as in masks.
    fn index(&mut self) -> bool {
        let a = self.any();
        let rank = a.dims.len();
        let (one, other) = (self.numbers.index(rank), self.numbers.index(rank));
        if self.element.name() == "f32" && self.numbers.one_in(3) {
            return self.shift(&a, one);
        }
        let compare = self.numbers.pick(&["sle", "sgt", "eq"]);
        // Each side has positions for every extent: a selection of one side only folds to a constant.
        let least = match a.dims[one] {
            Dim::Fixed(extent) => extent,
            Dim::Open(_) => GRANULARITY,
        };
        let second = match one == other {
            true if least == 1 => return false,
            true => format!("arith.constant {} : index", self.numbers.below(least - 1)),
            false => format!("linalg.index {other} : index"),
        };
        let coordinates: Vec<String> = (0..rank).map(|id| format!("d{id}")).collect();
        let all = map(rank, &coordinates);
        let kinds = vec!["\"parallel\""; rank].join(", ");
        let (element, ty, empty) = (self.element.name(), self.ty(&a.dims), self.empty(&a.dims));
        let text = format!(
            "linalg.generic {{indexing_maps = [{all}, {all}], iterator_types = [{kinds}]}} ins({} : {ty}) outs({empty} : {ty}) {{\n    \
             ^bb0(%x: {element}, %out: {element}):\n      %i = linalg.index {one} : index\n      %j = {second}\n      \
             %c = arith.cmpi {compare}, %i, %j : index\n      %n = arith.constant 3.0 : {element}\n      \
             %r = arith.select %c, %x, %n : {element}\n      linalg.yield %r : {element}\n    }} -> {ty}",
            a.name
        );
        self.make(a.dims.clone(), a.bound.max(3), &text)
    }

    /// The sum of elements and their position along a dimension.
    fn shift(&mut self, a: &Value, along: usize) -> bool {
        let bound = a.bound + a.dims[along].most();
        if bound > LARGEST {
            return false;
        }
        let coordinates: Vec<String> = (0..a.dims.len()).map(|id| format!("d{id}")).collect();
        let all = map(a.dims.len(), &coordinates);
        let kinds = vec!["\"parallel\""; a.dims.len()].join(", ");
        let (ty, empty) = (self.ty(&a.dims), self.empty(&a.dims));
        let text = format!(
            "linalg.generic {{indexing_maps = [{all}, {all}], iterator_types = [{kinds}]}} ins({} : {ty}) outs({empty} : {ty}) {{\n    \
             ^bb0(%x: f32, %out: f32):\n      %i = linalg.index {along} : index\n      %n = arith.index_cast %i : index to i32\n      \
             %f = arith.sitofp %n : i32 to f32\n      %r = arith.addf %x, %f : f32\n      linalg.yield %r : f32\n    }} -> {ty}",
            a.name
        );
        self.make(a.dims.clone(), bound, &text)
    }

    fn finish(&mut self, count: usize) -> String {
        let mut results = vec![self.values[self.values.len() - 1].clone()];
        if self.numbers.one_in(TIED) {
            // A result twice.
            results.push(results[0].clone());
        }
        if self.numbers.one_in(TIED) {
            // An argument as it is.
            results.push(self.arguments[self.numbers.index(self.arguments.len())].clone());
        }
        let mut further = BTreeSet::new();
        let arguments = self.arguments.iter().map(|value| {
            let names = value.dims.iter().enumerate().map(|(at, dim)| match dim {
                // An extent that a tensor has again has a further name.
                Dim::Open(name) if value.dims[..at].contains(dim) => {
                    further.insert(*name);
                    format!("\"{}{AGAIN}\"", NAMES[*name])
                }
                Dim::Open(name) => format!("\"{}\"", NAMES[*name]),
                Dim::Fixed(_) => format!("\"{}_{at}\"", &value.name[1..]),
            });
            let names: Vec<String> = names.collect();
            let ty = self.ty(&value.dims);
            format!(
                "{}: {ty} {{spyre.dims = [{}]}}",
                value.name,
                names.join(", ")
            )
        });
        let arguments: Vec<String> = arguments.collect();
        let further = further.iter().map(|name| NAMES[*name]);
        let mut sizes: Vec<String> = further
            .map(|name| format!("{name}{AGAIN} = \"{name}\""))
            .collect();
        for value in &self.arguments {
            for (at, dim) in value.dims.iter().enumerate() {
                if let Dim::Fixed(extent) = dim {
                    sizes.push(format!("{}_{at} = {extent}", &value.name[1..]));
                }
            }
        }
        let (mut scopes, mut extents) = (Vec::new(), String::new());
        for (number, name) in NAMES[..count].iter().enumerate() {
            sizes.push(format!(
                "{name} = #spyre.dynamic<granularity = {GRANULARITY}, max = {}>",
                GRANULARITY * MOST
            ));
            if self.numbers.one_in(2) {
                scopes.push(format!("#spyre.tile_scope<\"{name}\" by {GRANULARITY}>"));
            }
            writeln!(
                extents,
                "    %{} = tensor.dim %a{number}, %c0 : {}",
                name.to_lowercase(),
                self.ty(&self.arguments[number].dims)
            )
            .expect("a text takes what is written");
        }
        let types: Vec<String> = results.iter().map(|value| self.ty(&value.dims)).collect();
        let names: Vec<&str> = results.iter().map(|value| value.name.as_str()).collect();
        let (types, names) = (types.join(", "), names.join(", "));
        let scopes = match scopes.is_empty() {
            true => String::new(),
            false => format!(", spyre.tile_scopes = [{}]", scopes.join(", ")),
        };
        format!(
            "module {{\n  func.func @f({}) -> ({types})\n      attributes {{spyre.dim_sizes = {{{}}}{scopes}}} {{\n    \
             %c0 = arith.constant 0 : index\n{extents}{}    return {names} : {types}\n  }}\n}}\n",
            arguments.join(", "),
            sizes.join(", "),
            self.body
        )
    }
}

/// Returns the positions of dimensions among others, in ascending order; `None` if they are no subsequence.
fn places(dims: &[Dim], among: &[Dim]) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    let mut from = 0;
    for dim in dims {
        let at = (from..among.len()).find(|at| among[*at] == *dim)?;
        places.push(at);
        from = at + 1;
    }
    Some(places)
}
