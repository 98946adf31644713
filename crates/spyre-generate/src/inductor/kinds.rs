//! Draws kernels of other kinds: of integers, scans from the end, products with a bias, and masked blocks.
//!
//! Integers are computed in one operation and converted to small floats in the next one.

use std::fmt::Write as _;

use super::constants::{INFINITY, NAN, NEGATIVE_INFINITY};
use super::{Buffer, Draw, LARGEST};

/// The largest magnitude of an integer that is converted back.
const MOST_CONVERTED: u64 = 6;

/// The largest extent of a product.
const MOST_COLUMNS: u64 = 4;

/// The loops of a shape: those of more than one iteration are arguments.
pub(super) struct Nest {
    /// The text of the arguments of a block.
    pub(super) arguments: String,
    /// The dimensions of a map, and the arguments that they are.
    dims: String,
    names: String,
    /// The coordinate of each dimension: a loop, or 0.
    pub(super) coordinates: Vec<String>,
}

impl Nest {
    pub(super) fn new(size: &[u64]) -> Self {
        let loops: Vec<usize> = (0..size.len()).filter(|dim| size[*dim] != 1).collect();
        let list = |show: &dyn Fn(usize) -> String| {
            (0..loops.len()).map(show).collect::<Vec<_>>().join(", ")
        };
        let coordinate = |dim: usize| {
            let place = loops.iter().position(|at| *at == dim);
            place.map_or_else(|| "0".to_owned(), |place| format!("d{place}"))
        };
        Self {
            arguments: list(&|at| format!("%i{at}: index")),
            dims: list(&|at| format!("d{at}")),
            names: list(&|at| format!("%i{at}")),
            coordinates: (0..size.len()).map(coordinate).collect(),
        }
    }

    /// Returns a map of these coordinates, and its operands.
    pub(super) fn at(&self, coordinates: &[String]) -> String {
        format!(
            "affine_map<({}) -> ({})>({})",
            self.dims,
            coordinates.join(", "),
            self.names
        )
    }

    /// Returns a map with a place that the body computes as the first coordinate, and its operands.
    pub(super) fn at_computed(&self, place: &str, others: &[String]) -> String {
        let count = self
            .names
            .split(", ")
            .filter(|name| !name.is_empty())
            .count();
        let dims: Vec<String> = (0..=count).map(|at| format!("d{at}")).collect();
        let names = match self.names.is_empty() {
            true => place.to_owned(),
            false => format!("{}, {place}", self.names),
        };
        let coordinates = [&[format!("d{count}")], others].concat();
        format!(
            "affine_map<({}) -> ({})>({names})",
            dims.join(", "),
            coordinates.join(", ")
        )
    }

    /// Returns the coordinates with one dimension backwards.
    fn backwards(&self, dim: usize, extent: u64) -> Vec<String> {
        let mut coordinates = self.coordinates.clone();
        coordinates[dim] = format!("{} - {}", extent - 1, coordinates[dim]);
        coordinates
    }
}

impl Draw {
    /// Draws a kernel of another kind; none if no buffer admits it.
    pub(super) fn kind(&mut self) {
        let buffers: Vec<&Buffer> = self
            .buffers
            .iter()
            .filter(|buffer| !buffer.is_masked)
            .collect();
        let buffers: Vec<Buffer> = buffers.into_iter().cloned().collect();
        if buffers.is_empty() {
            return;
        }
        let buffer = buffers[self.numbers.index(buffers.len())].clone();
        match self.below(5) {
            0 | 1 => self.scan_of_integers(&buffer),
            2 => self.reduction_of_integers(&buffer),
            3 => self.product(&buffer),
            _ => self.masked(&buffer),
        }
    }

    /// Adds a buffer of floats that a kernel computes.
    pub(super) fn add_buffer(
        &mut self,
        name: String,
        size: &[u64],
        (ty, strides): (String, Vec<u64>),
        largest: u64,
    ) {
        self.buffers.push(Buffer {
            name,
            size: size.to_vec(),
            ty,
            strides,
            largest,
            is_masked: false,
            is_viewed: false,
        });
        self.nests += 1;
    }

    /// Converts integers of a buffer to small floats, perhaps backwards along a dimension.
    fn converted(&mut self, integers: &str, ty: &str, size: &[u64], integer: &str) {
        let (op, nest) = (self.nests, Nest::new(size));
        let name = format!("buf{op}");
        let dim = self.numbers.index(size.len().max(1));
        let read = match size.get(dim) {
            Some(extent) if *extent > 1 && self.numbers.one_in(3) => nest.backwards(dim, *extent),
            _ => nest.coordinates.clone(),
        };
        let result = self.ty(size, "fixed");
        let by = self.numbers.pick(&[3, 5, 7]);
        let _ = write!(
            self.text,
            "  %{name} = inductor.pointwise \"op{op}\" as \"{name}\" {size:?} {{\n  ^bb0({}):\n    \
             %n = inductor.load %{integers} at {} : {ty} -> {integer}\n    %by = arith.constant {by} : {integer}\n    \
             %r = inductor.apply \"remainder\"(%n, %by) : ({integer}, {integer}) -> {integer}\n    \
             %v = inductor.to_dtype %r from {integer} to f32 : {integer} -> f32\n    inductor.store %v at {} : f32\n  }} : {}\n",
            nest.arguments,
            nest.at(&read),
            nest.at(&nest.coordinates),
            result.0
        );
        self.add_buffer(name, size, result, MOST_CONVERTED);
    }

    /// Returns the type of a buffer of integers.
    fn integers_like(&mut self, size: &[u64], integer: &str) -> String {
        self.ty(size, "fixed")
            .0
            .replace("xf32,", &format!("x{integer},"))
            .replace("<f32,", &format!("<{integer},"))
    }

    /// Adds a scan of integers along the last dimension, from the beginning or from the end.
    fn scan_of_integers(&mut self, buffer: &Buffer) {
        let size = buffer.size.clone();
        let Some(last) = size.last().copied().filter(|extent| *extent > 1) else {
            return; // A scan needs a loop.
        };
        let (op, nest) = (self.nests, Nest::new(&size));
        let integer = self.numbers.pick(&["i64", "i64", "i32", "i16", "i8"]);
        let name = format!("int{op}");
        let ty = self.integers_like(&size, integer);
        let read = match self.numbers.one_in(2) {
            true => nest.backwards(size.len() - 1, last),
            false => nest.coordinates.clone(),
        };
        let function = self.numbers.pick(&[
            "arith.addi",
            "arith.muli",
            "arith.maxsi",
            "arith.minsi",
            "arith.xori",
        ]);
        let _ = write!(
            self.text,
            "  %{name} = inductor.scan \"op{op}\" as \"{name}\" {size:?} over [{last}] output 0 {{\n  ^bb0({}):\n    \
             %x = inductor.load %{} at {} : {} -> f32\n    %n = inductor.to_dtype %x from f32 to {integer} : f32 -> {integer}\n    \
             inductor.store %n at {} : {integer}\n  }} combine {{\n  ^bb0(%a: {integer}, %b: {integer}):\n    \
             %c = {function} %a, %b : {integer}\n    inductor.yield %c : {integer}\n  }} : {ty}\n",
            nest.arguments,
            buffer.name,
            nest.at(&read),
            buffer.ty,
            nest.at(&nest.coordinates)
        );
        self.nests += 1;
        self.converted(&name, &ty, &size, integer);
    }

    /// Adds a reduction of integers, or the position of an element, along the last dimension.
    fn reduction_of_integers(&mut self, buffer: &Buffer) {
        let size = buffer.size.clone();
        let Some((last, kept)) = size.split_last() else {
            return; // There is no loop.
        };
        let (op, nest) = (self.nests, Nest::new(&size));
        let name = format!("int{op}");
        let ty = self.integers_like(kept, "i64");
        let way = self
            .numbers
            .pick(&["sum", "prod", "max", "min", "xor_sum", "argmax", "argmin"]);
        let is_search = way.starts_with("arg");
        let source = if is_search { "f32" } else { "i64" };
        let read = match *last > 1 && self.numbers.one_in(3) {
            true => nest.backwards(size.len() - 1, *last),
            false => nest.coordinates.clone(),
        };
        // A constant in place of the elements is reduced as well.
        let number = self.below(5).cast_signed() - 2;
        let value = match self.below(4) {
            0 if !is_search => format!("    %n = arith.constant {number} : i64\n"),
            1 if is_search => {
                let special = self.numbers.pick(&[INFINITY, NEGATIVE_INFINITY, NAN]);
                format!(
                    "    %far = arith.constant {special} : f32\n    %zero = arith.constant 0.0 : f32\n    \
                     %holds = arith.cmpf ogt, %x, %zero : f32\n    %n = arith.select %holds, %far, %x : f32\n"
                )
            }
            _ if is_search => "    %n = arith.negf %x : f32\n".to_owned(),
            _ => "    %n = inductor.to_dtype %x from f32 to i64 : f32 -> i64\n".to_owned(),
        };
        let _ = write!(
            self.text,
            "  %{name} = inductor.reduction \"op{op}\" as \"{name}\" {way} {kept:?} over [{last}] from {source} {{\n  ^bb0({}):\n    \
             %x = inductor.load %{} at {} : {} -> f32\n{value}    inductor.store %n at {} : {source}\n  }} : {ty}\n",
            nest.arguments,
            buffer.name,
            nest.at(&read),
            buffer.ty,
            nest.at(&nest.coordinates[..kept.len()])
        );
        self.nests += 1;
        self.converted(&name, &ty, kept, "i64");
    }

    /// Adds a constant of the graph. Its numbers are the given ones, in turn.
    fn constant(&mut self, size: &[u64], numbers: &[&str]) -> (String, String) {
        fn listed(size: &[u64], next: &mut dyn FnMut() -> String) -> String {
            let Some((first, rest)) = size.split_first() else {
                return next();
            };
            let parts: Vec<String> = (0..*first).map(|_| listed(rest, next)).collect();
            format!("[{}]", parts.join(", "))
        }
        let name = format!("c{}", self.nests);
        let (ty, _) = self.ty(size, "fixed");
        let value = listed(size, &mut || self.numbers.pick(numbers).to_owned());
        let extents: String = size.iter().map(|extent| format!("{extent}x")).collect();
        let _ = writeln!(
            self.text,
            "  %{name} = inductor.constant \"{name}\" value dense<{value}> : tensor<{extents}f32> : {ty}"
        );
        self.nests += 1;
        (name, ty)
    }

    /// Adds a product with a constant matrix, and a bias that has no weight or a small one.
    fn product(&mut self, buffer: &Buffer) {
        let size = buffer.size.clone();
        let [batch @ .., rows, terms] = size.as_slice() else {
            return; // It is no matrix.
        };
        if batch.len() > 1 || !buffer.is_wide() {
            return; // No kernel has more batches, and operands have one type.
        }
        let (rows, terms) = (*rows, *terms);
        let columns = 1 + self.below(MOST_COLUMNS);
        let [alpha, beta] = [1 + self.below(2), self.below(3)];
        let largest = buffer.largest * 2 * terms * alpha + 3 * beta;
        if largest > LARGEST || buffer.largest > LARGEST {
            return;
        }
        let weights = [batch, &[terms, columns]].concat();
        let result = [batch, &[rows, columns]].concat();
        let (weights, weights_ty) = self.constant(&weights, &["-2.0", "-1.0", "0.0", "1.0", "2.0"]);
        let bias_size = match batch.is_empty() && self.numbers.one_in(2) {
            true => vec![columns],
            false => result.clone(),
        };
        // A bias without a weight is not read.
        let numbers = match beta {
            0 => vec![NAN, INFINITY, NEGATIVE_INFINITY, "1.0"],
            _ => vec!["-3.0", "0.0", "2.0"],
        };
        let (bias, bias_ty) = self.constant(&bias_size, &numbers);
        let kernel = match batch.is_empty() {
            true => "addmm",
            false => "baddbmm",
        };
        let ty = self.ty(&result, "fixed");
        let op = self.nests;
        let name = format!("buf{op}");
        let _ = writeln!(
            self.text,
            "  %{name} = inductor.extern \"op{op}\" as \"{name}\" \"ExternKernelOut\" \"aten.{kernel}.out\"(%{bias}, %{}, %{weights}) \
             {{kernel = \"extern_kernels.{kernel}\", kwargs = {{alpha = {alpha} : i64, beta = {beta} : i64}}}} : \
             ({bias_ty}, {}, {weights_ty}) -> {}",
            buffer.name, buffer.ty, ty.0
        );
        self.add_buffer(name, &result, ty, largest);
    }

    /// Adds a nest with two masked blocks, which load elements outside of the buffer where their masks do not hold.
    fn masked(&mut self, buffer: &Buffer) {
        let size = buffer.size.clone();
        let nest = Nest::new(&size);
        let loops: Vec<usize> = (0..size.len()).filter(|dim| size[*dim] > 1).collect();
        if loops.is_empty() || buffer.largest * 2 + 4 > LARGEST {
            return;
        }
        let op = self.nests;
        let name = format!("buf{op}");
        let mut text = String::new();
        for block in 0..2 {
            let dim = self.numbers.pick(&loops);
            let shift = 1 + self.below(2);
            let place = &nest.coordinates[dim];
            let (moved, predicate, bound) = match self.numbers.one_in(2) {
                true => (format!("{place} - {shift}"), "sge", 0),
                false => (format!("{place} + {shift}"), "slt", size[dim]),
            };
            let mut read = nest.coordinates.clone();
            read[dim] = moved;
            let other = self
                .numbers
                .pick(&["0.0", "-1.0", "2.0", INFINITY, NEGATIVE_INFINITY]);
            let (at, load) = (nest.at(&read[dim..=dim]), nest.at(&read));
            let (source, ty) = (&buffer.name, &buffer.ty);
            let _ = write!(
                text,
                "    %p{block} = inductor.index_expr {at} : i64\n    %b{block} = arith.constant {bound} : i64\n    \
                 %m{block} = arith.cmpi {predicate}, %p{block}, %b{block} : i64\n    \
                 %f{block} = inductor.masked %m{block} else {other} : f32 {{\n      \
                 %w = inductor.load %{source} at {load} : {ty} -> f32\n      %one = arith.constant {block}.0 : f32\n      \
                 %s = arith.addf %w, %one : f32\n      inductor.yield %s : f32\n    }} : f32\n    \
                 %low{block} = arith.constant -3.0 : f32\n    %high{block} = arith.constant 3.0 : f32\n    \
                 %g{block} = arith.maximumf %f{block}, %low{block} : f32\n    \
                 %h{block} = arith.minimumf %g{block}, %high{block} : f32\n"
            );
        }
        let ty = self.ty(&size, "fixed");
        let function = self
            .numbers
            .pick(&["arith.addf", "arith.subf", "arith.maximumf"]);
        let _ = write!(
            self.text,
            "  %{name} = inductor.pointwise \"op{op}\" as \"{name}\" {size:?} {{\n  ^bb0({}):\n{text}    \
             %v = {function} %h0, %h1 : f32\n    inductor.store %v at {} : f32\n  }} : {}\n",
            nest.arguments,
            nest.at(&nest.coordinates),
            ty.0
        );
        self.add_buffer(name, &size, ty, 6);
    }
}
