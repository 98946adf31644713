//! A program of device operations, and its text.

use std::fmt::{self, Write as _};

use spyre_generate::vocabulary::constants;

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `i32`
    I32,
    /// `i1`
    Bool,
}

impl Element {
    /// Returns the largest integer such that the element type has every integer from 0 to it, as far as the fuzzer uses them.
    pub const fn integers(self) -> u64 {
        match self {
            Self::F16 => 1 << 11,
            Self::Bf16 => 1 << 8,
            Self::F32 => 1 << 24,
            Self::I32 => 1 << 30,
            Self::Bool => 1,
        }
    }

    /// Returns the number of elements of a stick. Truth values are stored in the format of the elements that were compared.
    pub const fn per_stick(self) -> u64 {
        match self {
            Self::F16 | Self::Bf16 | Self::Bool => 64,
            Self::F32 | Self::I32 => 32,
        }
    }

    /// Returns the name of the type in MLIR.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::Bool => "i1",
        }
    }
}

/// A dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// A named dimension of the program.
    Named(usize),
    /// One element, which has no name.
    One,
    /// Several elements without a name, by number: a part of a dimension, or the first elements that a search finds.
    Part(u64),
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// The type of its elements.
    pub element: Element,
    /// The dimensions.
    pub axes: Vec<Axis>,
}

/// A value: an input, or the result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The input at this position.
    Input(usize),
    /// The result of the operation at this position.
    Result(usize),
}

/// An input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The type.
    pub tensor: Tensor,
    /// The dimension on its sticks, if the program has a layout for the input.
    pub stick: Option<usize>,
    /// The largest magnitude of its elements if they are integers; `None` if they are any numbers.
    pub bound: Option<u64>,
    /// The bound of its elements, exclusive, if they are indices; `None` if they are not.
    pub indices: Option<u64>,
}

/// The kind of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationKind {
    /// An operation element by element: the mnemonic, and the text after the operands.
    Elementwise(&'static str, &'static str),
    /// A reduction of these dimensions by the mnemonic; the last field is whether the dimensions are kept, with one
    /// element.
    Reduce(&'static str, Vec<usize>, bool),
    /// A product of matrices.
    Matmul,
    /// A permutation of the dimensions.
    Permute(Vec<usize>),
    /// A search for the first elements along a dimension, or for their positions: the mnemonic, the dimension and the number of
    /// elements.
    TopK(&'static str, usize, u64),
    /// The elements of the second operand at the indices in the first, along a dimension.
    Gather(usize),
    /// A constant with the same number everywhere, in units of one half.
    Fill(i8),
    /// The elements of a dimension from an offset on.
    Extract(usize, u64),
    /// The second operand with the first inserted, at an offset along a dimension.
    Insert(usize, u64),
}

impl OperationKind {
    /// Returns whether the device computes the operation. The others are constants and views of a tensor.
    pub const fn is_computed(&self) -> bool {
        !matches!(
            self,
            Self::Permute(_) | Self::Fill(_) | Self::Extract(..) | Self::Insert(..)
        )
    }
}

/// A hint: a dimension and its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hint {
    /// The number of its scope.
    pub scope: usize,
    /// The named dimension.
    pub dim: usize,
    /// The tiles of the dimension.
    pub tiles: Tiles,
}

/// The tiles of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiles {
    /// This number of tiles.
    Count(u64),
    /// Tiles of this extent, in elements.
    Size(u64),
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "in {count}"),
            Self::Size(size) => write!(f, "by {size}"),
        }
    }
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The kind of the operation.
    pub kind: OperationKind,
    /// The operands.
    pub operands: Vec<Value>,
    /// The type of the result.
    pub tensor: Tensor,
    /// The scopes that the operation is in, outermost first.
    pub hints: Vec<Hint>,
}

/// A dynamic dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// The named dimension. Its extent is the largest that it may have.
    pub dim: usize,
    /// The extent of a tile, in elements. The extent of the dimension is a multiple of it.
    pub tile: u64,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The dynamic dimension, if there is one.
    pub open: Option<Open>,
    /// The extents of the named dimensions.
    pub extents: Vec<u64>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The values that the program returns.
    pub results: Vec<Value>,
    /// The number of cores of the card.
    pub cores: u64,
    /// The bytes of a core's scratchpad, if not the card's.
    pub lx_bytes: Option<u64>,
    /// Whether inputs of unbounded numbers have special values among them.
    pub special_values: bool,
}

impl Program {
    /// Returns the type of a value.
    pub fn tensor(&self, value: Value) -> &Tensor {
        match value {
            Value::Input(at) => &self.inputs[at].tensor,
            Value::Result(at) => &self.operations[at].tensor,
        }
    }

    /// Returns the extent of a dimension, in elements.
    pub fn extent(&self, axis: Axis) -> u64 {
        match axis {
            Axis::Named(dim) => self.extents[dim],
            Axis::One => 1,
            Axis::Part(extent) => extent,
        }
    }

    /// Returns the shape of a tensor, in elements.
    pub fn shape(&self, tensor: &Tensor) -> Vec<u64> {
        tensor.axes.iter().map(|axis| self.extent(*axis)).collect()
    }

    /// Returns whether an operation has a hint.
    pub fn has_hints(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| !operation.hints.is_empty())
    }

    /// Returns whether an operation is a gather.
    pub fn has_gathers(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|operation| matches!(operation.kind, OperationKind::Gather(_)))
    }

    /// Returns whether the compiled program may differ from the interpreted one: `erf` comes from another library.
    pub fn is_approximate(&self) -> bool {
        let mut operations = self.operations.iter();
        operations
            .any(|operation| matches!(operation.kind, OperationKind::Elementwise("gelufwd", _)))
    }

    /// Returns whether the first revision of the files has a form for the program. It has none for one element along the sticks,
    /// which a search for one element makes.
    pub fn has_first_revision(&self) -> bool {
        let mut operations = self.operations.iter();
        !operations.any(|operation| matches!(operation.kind, OperationKind::TopK(_, _, 1)))
    }

    /// Returns the program as MLIR, with the hints or without.
    pub fn to_mlir(&self, hints: bool) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text, hints);
        text
    }

    fn write(&self, text: &mut String, hints: bool) -> fmt::Result {
        let cores = self.cores;
        write!(
            text,
            "module attributes {{spyre.target = #spyre.target<cores = {cores}"
        )?;
        if let Some(bytes) = self.lx_bytes {
            write!(
                text,
                ", lx_bytes = {bytes}, lx_reserved_bytes = 0, lx_backend_percent = 0"
            )?;
        }
        writeln!(text, ">}} {{")?;
        let inputs = self.inputs.iter().enumerate().map(|(at, input)| {
            let names = input
                .tensor
                .axes
                .iter()
                .enumerate()
                .map(|(at, axis)| match axis {
                    Axis::Named(dim) => format!("\"{}\"", name(*dim)),
                    axis => format!("\"{}\"", unnamed(*axis, at)),
                });
            let names = names.collect::<Vec<_>>().join(", ");
            format!(
                "%a{at}: {} {{spyre.dims = [{names}]}}",
                self.input_type(input)
            )
        });
        let inputs = inputs.collect::<Vec<_>>().join(",\n    ");
        let types = self.results.iter().map(|value| self.value_type(*value));
        let types = types.collect::<Vec<_>>().join(", ");
        let sizes = self.sizes();
        writeln!(
            text,
            "  func.func @f(\n    {inputs}) -> ({types}){sizes} {{"
        )?;
        for (at, operation) in self.operations.iter().enumerate() {
            self.operation(text, at, operation, hints)?;
        }
        let values = self.results.iter().map(|value| variable(*value));
        let values = values.collect::<Vec<_>>().join(", ");
        writeln!(text, "    return {values} : {types}\n  }}\n}}")
    }

    /// Returns the attributes of a program with an open dimension: the extents of all dimensions. Empty if no dimension is open.
    fn sizes(&self) -> String {
        let Some(open) = self.open else {
            return String::new();
        };
        let named = self.extents.iter().enumerate().map(|(dim, extent)| {
            let name = name(dim);
            if dim == open.dim {
                let tile = open.tile;
                format!("{name} = #spyre.dynamic<granularity = {tile}, max = {extent}>")
            } else {
                format!("{name} = {extent}")
            }
        });
        let unnamed = self.inputs.iter().flat_map(|input| {
            let axes = input.tensor.axes.iter().enumerate();
            axes.filter_map(|(at, axis)| match axis {
                Axis::Named(_) => None,
                axis => Some(format!("{} = {}", unnamed(*axis, at), self.extent(*axis))),
            })
        });
        let mut sizes: Vec<String> = named.chain(unnamed).collect();
        sizes.sort();
        sizes.dedup();
        format!(" attributes {{spyre.dim_sizes = {{{}}}}}", sizes.join(", "))
    }

    fn operation(
        &self,
        text: &mut String,
        at: usize,
        operation: &Operation,
        hints: bool,
    ) -> fmt::Result {
        let operands: Vec<String> = operation
            .operands
            .iter()
            .map(|value| variable(*value))
            .collect();
        let operands = operands.join(", ");
        let result = self.type_of(&operation.tensor);
        let (mnemonic, rest) = match &operation.kind {
            OperationKind::Elementwise(mnemonic, rest) => (*mnemonic, (*rest).to_owned()),
            OperationKind::Reduce(mnemonic, dims, keep) => {
                let keep = if *keep { " keepdim" } else { "" };
                let constants = constants(mnemonic);
                (*mnemonic, format!(" dims {dims:?}{keep}{constants}"))
            }
            OperationKind::Matmul => ("batchmatmul", String::new()),
            OperationKind::Permute(order) => ("permute", format!(" {order:?}")),
            OperationKind::TopK(mnemonic, dim, k) => (*mnemonic, format!(" dim {dim} k {k}")),
            OperationKind::Gather(dim) => ("gather", format!(" dim {dim}")),
            OperationKind::Fill(halves) => {
                let value = match operation.tensor.element {
                    Element::I32 => halves.to_string(),
                    _ => format!("{:?}", f64::from(*halves) / 2.0),
                };
                return writeln!(text, "    %r{at} = spyre.fill dense<{value}> : {result}");
            }
            OperationKind::Extract(dim, offset) => {
                let window = self.window(&operation.tensor, *dim, *offset);
                let source = self.operand_types(operation);
                return writeln!(
                    text,
                    "    %r{at} = tensor.extract_slice {operands}{window} : {source} to {result}"
                );
            }
            OperationKind::Insert(dim, offset) => {
                let [tile, into] = *operation.operands.as_slice() else {
                    return Err(fmt::Error);
                };
                let window = self.window(self.tensor(tile), *dim, *offset);
                let types = (self.value_type(tile), self.value_type(into));
                return writeln!(
                    text,
                    "    %r{at} = tensor.insert_slice {} into {}{window} : {} into {}",
                    variable(tile),
                    variable(into),
                    types.0,
                    types.1
                );
            }
        };
        write!(text, "    %r{at} = spyre.{mnemonic} {operands}{rest}")?;
        if hints && !operation.hints.is_empty() {
            let hints = operation
                .hints
                .iter()
                .map(|hint| format!("{}: \"{}\" {}", hint.scope, name(hint.dim), hint.tiles));
            write!(text, " tile [{}]", hints.collect::<Vec<_>>().join(", "))?;
        }
        let operands = self.operand_types(operation);
        match operation.kind {
            OperationKind::Permute(_) => writeln!(text, " : {operands} to {result}"),
            _ => writeln!(text, " : ({operands}) -> {result}"),
        }
    }

    fn operand_types(&self, operation: &Operation) -> String {
        let operands = operation.operands.iter();
        let types: Vec<String> = operands.map(|value| self.value_type(*value)).collect();
        types.join(", ")
    }

    /// Returns the offsets, sizes and strides of the window that a tensor is, at an offset along a dimension.
    fn window(&self, tile: &Tensor, dim: usize, offset: u64) -> String {
        let shape = self.shape(tile);
        let mut offsets = vec![0; shape.len()];
        offsets[dim] = offset;
        format!("{offsets:?} {shape:?} {:?}", vec![1; shape.len()])
    }

    /// Returns the type of a value. Inputs may have a layout; results get theirs from the passes.
    fn value_type(&self, value: Value) -> String {
        match value {
            Value::Input(at) => self.input_type(&self.inputs[at]),
            Value::Result(at) => self.type_of(&self.operations[at].tensor),
        }
    }

    fn type_of(&self, tensor: &Tensor) -> String {
        let is_open = |axis: &Axis| self.open.is_some_and(|open| *axis == Axis::Named(open.dim));
        let shape = tensor.axes.iter().fold(String::new(), |mut text, axis| {
            let _ = match is_open(axis) {
                true => write!(text, "?x"),
                false => write!(text, "{}x", self.extent(*axis)),
            };
            text
        });
        format!("tensor<{shape}{}>", tensor.element.name())
    }

    fn input_type(&self, input: &Input) -> String {
        let plain = self.type_of(&input.tensor);
        match input.stick {
            None => plain,
            Some(stick) => {
                let layout = layout(input.tensor.axes.len(), stick, input.tensor.element);
                plain.replace('>', &format!(", #spyre.layout<{layout}>>"))
            }
        }
    }
}

/// Returns the layout that the default rules give when dimension `stick` comes last (middle-end specification, section 2.2).
fn layout(rank: usize, stick: usize, element: Element) -> String {
    let per_stick = element.per_stick();
    let dims: Vec<String> = (0..rank).map(|dim| format!("d{dim}")).collect();
    let mut order = (0..rank)
        .filter(|dim| *dim != stick)
        .map(|dim| format!("d{dim}"));
    let first = order.next();
    let mut coords: Vec<String> = order.collect();
    coords.push(format!("d{stick} floordiv {per_stick}"));
    coords.extend(first);
    coords.push(format!("d{stick} mod {per_stick}"));
    format!("({}) -> ({})", dims.join(", "), coords.join(", "))
}

/// Returns the name of a dimension.
#[must_use]
pub fn name(dim: usize) -> String {
    format!("D{dim}")
}

/// Returns the name for a dimension without a name, by its position. Each name has one extent.
fn unnamed(axis: Axis, at: usize) -> String {
    match axis {
        Axis::Part(extent) => format!("Part{extent}At{at}"),
        Axis::Named(_) | Axis::One => format!("One{at}"),
    }
}

fn variable(value: Value) -> String {
    match value {
        Value::Input(at) => format!("%a{at}"),
        Value::Result(at) => format!("%r{at}"),
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_mlir(true))
    }
}
