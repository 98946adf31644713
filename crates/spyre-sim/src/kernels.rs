//! The definitions of operations, element by element.

mod number;
mod prepare;
mod rows;
mod table;

use spyre_layout::DeviceFormat;

use number::Number;
pub use number::Rounding;
pub(crate) use number::float_code;
pub(crate) use rows::Scratch;
pub use table::{Kernel, Parametric, Ranked, Reduction, descending, functions, kernel, missing};

/// An operation that cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The function has no definition here.
    #[error("'{0}' has no definition")]
    Unknown(String),
    /// The published table has the function, and no document defines its result.
    #[error("'{function}' has no definition: no document defines {missing}")]
    Unexplained {
        /// The function.
        function: String,
        /// The part that no document defines.
        missing: &'static str,
    },
    /// The function takes another number of operands.
    #[error("'{function}' takes {expected} operands, not {actual}")]
    Operands {
        /// The function.
        function: String,
        /// The number that it takes.
        expected: usize,
        /// The number that it is given.
        actual: usize,
    },
    /// The function is not defined on a format.
    #[error("'{function}' is not defined on {format}")]
    Format {
        /// The function.
        function: String,
        /// The format.
        format: DeviceFormat,
    },
    /// The function works on the elements of sticks, or on tensors with one element or pair per stick, and is given another one.
    #[error("'{function}' {needs}")]
    Stick {
        /// The function.
        function: String,
        /// The stick that it needs.
        needs: &'static str,
    },
    /// A constant has a value without a documented meaning.
    #[error("'{function}' with '{name}' = {value} has no published meaning")]
    Meaning {
        /// The function.
        function: String,
        /// The constant's name.
        name: &'static str,
        /// The value.
        value: f32,
    },
    /// A constant is missing.
    #[error("'{function}' lacks its constant '{name}'")]
    Constant {
        /// The function.
        function: String,
        /// The constant's name.
        name: &'static str,
    },
}

/// An operation's definition for its formats and constants.
pub(crate) struct Prepared {
    pub shape: Shape,
    inputs: Vec<DeviceFormat>,
    output: DeviceFormat,
}

/// The way in which an operation iterates over its space.
pub(crate) enum Shape {
    /// Element by element.
    Elementwise(Elementwise),
    /// Over the dimensions that the output lacks.
    Reduce(Accumulation),
    /// The mean and the mean of squares over the dimensions that the output lacks, as a pair.
    Moments(Finish),
    /// Element by element, of a pair and a number that is added to the variance.
    NormScale(f32),
    /// The sum of products of two operands over the dimensions that the output lacks.
    Contract,
    /// The first elements along the dimension that the output lacks.
    TopK(Ranked),
}

pub(crate) enum Elementwise {
    Move,
    Select,
    Unary(fn(f32) -> f32),
    Parametric(Parametric, [f32; 2]),
    Floats(fn(f32, f32) -> f32),
    Integers(fn(i32, i32) -> i32, u32),
    Compare(fn(Option<std::cmp::Ordering>) -> bool),
    Five(fn([f32; 5]) -> f32),
}

/// A reduction and the last step of its result.
pub(crate) struct Accumulation {
    pub start: f32,
    pub combine: fn(f32, f32) -> f32,
    pub finish: Finish,
}

/// The last step of the result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Finish {
    Nothing,
    Divide(f32),
    Multiply(f32),
    ClipAndMultiply([f32; 2], f32),
}

impl Finish {
    pub(crate) fn apply(self, value: f32) -> f32 {
        match self {
            Self::Nothing => value,
            Self::Divide(by) => value / by,
            Self::Multiply(by) => value * by,
            Self::ClipAndMultiply(bounds, by) => table::clipped(value, bounds) * by,
        }
    }
}

impl Prepared {
    /// Returns the format of an input's elements in memory. Indices do not count as inputs.
    pub(crate) fn input(&self, at: usize) -> DeviceFormat {
        self.inputs[at]
    }

    /// Returns the code of a masked element of an input.
    pub(crate) fn mask_code(&self, input: usize, value: f32) -> u32 {
        match Number::for_format(self.input(input)) {
            Number::Float => float_code(self.input(input), value),
            Number::Signed(_) | Number::Opaque => 0,
        }
    }

    /// Returns the format of the output's elements in memory.
    pub(crate) fn output(&self) -> DeviceFormat {
        self.output
    }
}
