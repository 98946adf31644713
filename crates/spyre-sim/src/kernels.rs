//! The definitions of operations, element by element.

mod number;
mod table;

use spyre_layout::{DeviceFormat, Dl16};

use crate::read::Operation;

pub use number::Rounding;
pub(crate) use number::{Number, float_code};
use table::saturating_exp;
pub use table::{Kernel, Parametric, Ranked, Reduction, descending, functions, kernel};

/// An operation that cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The function has no definition here.
    #[error("'{0}' has no definition")]
    Unknown(String),
    /// The function takes another number of operands.
    #[error("'{function}' takes {expected} operands, not {found}")]
    Operands {
        /// The function.
        function: String,
        /// The number that it takes.
        expected: usize,
        /// The number that it is given.
        found: usize,
    },
    /// The function is not defined on a format.
    #[error("'{function}' is not defined on {format}")]
    Format {
        /// The function.
        function: String,
        /// The format.
        format: DeviceFormat,
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

/// The way in which an operation goes over its space.
pub(crate) enum Shape {
    /// Element by element.
    Elementwise(Elementwise),
    /// Over the dimensions that the output lacks.
    Reduce(Accumulation),
    /// The same, of products of two operands.
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

impl Elementwise {
    /// Computes the number of a lane of the row that was computed last. `None` where codes are moved or chosen.
    fn number(&self, scratch: &Scratch, lane: usize) -> Option<f32> {
        let at = |operand: usize| scratch.numbers[operand][lane];
        match self {
            Self::Unary(of) => Some(of(at(0))),
            Self::Parametric(of, constants) => Some(of(at(0), *constants)),
            Self::Floats(of) => Some(of(at(0), at(1))),
            Self::Five(of) => Some(of([at(0), at(1), at(2), at(3), at(4)])),
            // To another format: in the same one, codes are moved.
            Self::Move => scratch.numbers[0].get(lane).copied(),
            Self::Select | Self::Integers(..) | Self::Compare(_) => None,
        }
    }
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
}

impl Finish {
    pub(crate) fn apply(self, value: f32) -> f32 {
        match self {
            Self::Nothing => value,
            Self::Divide(by) => value / by,
            Self::Multiply(by) => value * by,
        }
    }
}

impl Prepared {
    /// Returns the definition of an operation whose reductions are over `reduced` elements.
    pub(crate) fn new(
        op: &Operation,
        rounding: Rounding,
        reduced: u64,
    ) -> Result<Self, KernelError> {
        let name = || op.function.clone();
        let kernel = kernel(&op.function).ok_or_else(|| KernelError::Unknown(name()))?;
        // Indices are not computed with.
        let is_index = |at: usize| op.gather.is_some_and(|gather| gather.indices == at);
        let inputs = op.inputs.iter().enumerate();
        let inputs: Vec<_> = inputs
            .filter(|(at, _)| !is_index(*at))
            .map(|(_, input)| rounding.stored(input.format))
            .collect();
        let output = rounding.stored(op.output.format);
        let expected = match kernel {
            Kernel::Binary(..) | Kernel::Compare(_) | Kernel::Contract => 2,
            Kernel::Select => 3,
            Kernel::Five(_) => 5,
            Kernel::Move
            | Kernel::Unary(_)
            | Kernel::Parametric(..)
            | Kernel::Reduce(_)
            | Kernel::TopK(_) => 1,
        };
        if inputs.len() != expected {
            return Err(KernelError::Operands {
                function: name(),
                expected,
                found: inputs.len(),
            });
        }
        let unsupported = |format| KernelError::Format {
            function: name(),
            format,
        };
        let need = |number: Number, formats: &[DeviceFormat]| {
            let mut formats = formats.iter();
            match formats.find(|format| Number::of(**format) != number) {
                Some(format) => Err(unsupported(*format)),
                None => Ok(()),
            }
        };
        // A number that is not zero has no code here that stands for a masked integer.
        if !op.masks.is_empty() && op.mask_value != 0.0 {
            need(Number::Float, &inputs)?;
        }
        let floats = || {
            need(Number::Float, &inputs)?;
            need(Number::Float, &[output])
        };
        let constant = |wanted: &'static str| {
            let mut constants = op.constants.iter();
            let found = constants.find(|(known, _)| known == wanted);
            found
                .map(|(_, value)| *value)
                .ok_or_else(|| KernelError::Constant {
                    function: name(),
                    name: wanted,
                })
        };
        let shape = match kernel {
            Kernel::Move => {
                if inputs[0] != output {
                    floats()?;
                }
                Shape::Elementwise(Elementwise::Move)
            }
            Kernel::Select => {
                if let Some(format) = inputs[1..].iter().find(|format| **format != output) {
                    return Err(unsupported(*format));
                }
                if Number::of(inputs[0]) == Number::Opaque {
                    return Err(unsupported(inputs[0]));
                }
                Shape::Elementwise(Elementwise::Select)
            }
            Kernel::Unary(of) => {
                floats()?;
                // Only the card itself saturates, not what runs with the numbers of a program.
                let is_on_card = op.function == "exp" && inputs[0] == DeviceFormat::Sen169Fp16;
                let of = if is_on_card { saturating_exp } else { of };
                Shape::Elementwise(Elementwise::Unary(of))
            }
            Kernel::Parametric(of, [first, second]) => {
                floats()?;
                let constants = [constant(first)?, constant(second)?];
                Shape::Elementwise(Elementwise::Parametric(of, constants))
            }
            Kernel::Binary(of, integers) => {
                let number = Number::of(output);
                need(number, &inputs)?;
                Shape::Elementwise(match (number, integers) {
                    (Number::Float, _) => Elementwise::Floats(of),
                    (Number::Signed(bits), Some(of)) => Elementwise::Integers(of, bits),
                    _ => return Err(unsupported(output)),
                })
            }
            Kernel::Compare(of) => {
                let number = Number::of(inputs[0]);
                need(number, &inputs)?;
                if number == Number::Opaque || Number::of(output) == Number::Opaque {
                    return Err(unsupported(output));
                }
                Shape::Elementwise(Elementwise::Compare(of))
            }
            Kernel::Five(of) => {
                floats()?;
                Shape::Elementwise(Elementwise::Five(of))
            }
            Kernel::Reduce(reduction) => {
                floats()?;
                // Sums have none, and a mean may be a division.
                let scale = constant("scaling_factor").ok();
                Shape::Reduce(accumulation(reduction, scale, rounding, reduced))
            }
            Kernel::Contract => {
                floats()?;
                Shape::Contract
            }
            Kernel::TopK(told) => {
                need(Number::Float, &inputs)?;
                // The recorded bundles have positions as floats.
                let is_told = match Number::of(output) {
                    Number::Float => true,
                    Number::Signed(bits) => told == Ranked::Position && reduced <= 1 << (bits - 1),
                    Number::Opaque => false,
                };
                if !is_told {
                    return Err(unsupported(output));
                }
                Shape::TopK(told)
            }
        };
        Ok(Self {
            shape,
            inputs,
            output,
        })
    }

    /// Returns the format of an input's elements in memory. Indices are none of the inputs.
    pub(crate) fn input(&self, at: usize) -> DeviceFormat {
        self.inputs[at]
    }

    /// Returns the code of a masked element of an input.
    pub(crate) fn mask_code(&self, input: usize, value: f32) -> u32 {
        match Number::of(self.input(input)) {
            Number::Float => float_code(self.input(input), value),
            Number::Signed(_) | Number::Opaque => 0,
        }
    }

    /// Returns the format of the output's elements in memory.
    pub(crate) fn output(&self) -> DeviceFormat {
        self.output
    }
}

/// A mean is the sum times a constant. The constant is the code of 1/n, rounded; where programs are compared bit by bit,
/// it stands for the division by n.
fn accumulation(
    reduction: Reduction,
    scale: Option<f32>,
    rounding: Rounding,
    reduced: u64,
) -> Accumulation {
    let elements = reduced as f32;
    let is_rounded_share = |scale: f32| {
        let share = 1.0 / elements;
        scale == share || scale == Dl16::from_f64(1.0 / f64::from(elements)).to_f32()
    };
    let finish = match (reduction.average, scale) {
        (false, _) => Finish::Nothing,
        (true, Some(scale)) if rounding == Rounding::Dl16 || !is_rounded_share(scale) => {
            Finish::Multiply(scale)
        }
        (true, _) => Finish::Divide(elements),
    };
    Accumulation {
        start: reduction.start,
        combine: reduction.combine,
        finish,
    }
}

/// Numbers of operands, kept to be used again.
#[derive(Default)]
pub(crate) struct Scratch {
    numbers: [Vec<f32>; 5],
}

impl Prepared {
    /// Reads the numbers of an operand's codes.
    pub(crate) fn numbers(&self, input: usize, codes: &[u32], numbers: &mut Vec<f32>) {
        number::floats(self.input(input), codes, numbers);
    }

    /// Computes a row of codes from rows of as many codes.
    pub(crate) fn row(
        &self,
        of: &Elementwise,
        rows: &[&[u32]],
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        let output = self.output;
        let code = |number: f32| float_code(output, number);
        // Most operations have fewer operands, and use no more.
        let [a, b, c] = [0, 1, 2].map(|at| rows.get(at).copied().unwrap_or(&[]));
        if let Elementwise::Move = of
            && self.input(0) == output
        {
            out.extend_from_slice(a);
            return;
        }
        if let Elementwise::Select = of {
            let chosen = a.iter().zip(b.iter().zip(c));
            out.extend(chosen.map(|(a, (b, c))| if self.is_false(*a) { *c } else { *b }));
            return;
        }
        if let Elementwise::Integers(of, bits) = of {
            let int = |code: &u32| number::integer(*bits, *code);
            let pairs = a.iter().zip(b);
            out.extend(pairs.map(|(a, b)| number::integer_code(*bits, of(int(a), int(b)))));
            return;
        }
        if let (Elementwise::Compare(of), Number::Signed(bits)) = (of, Number::of(self.input(0))) {
            let int = |code: &u32| number::integer(bits, *code);
            let pairs = a.iter().zip(b);
            out.extend(pairs.map(|(a, b)| self.truth(of(Some(int(a).cmp(&int(b)))))));
            return;
        }
        for (at, (row, numbers)) in rows.iter().zip(&mut scratch.numbers).enumerate() {
            number::floats(self.input(at), row, numbers);
        }
        let [a, b, c, d, e] = &scratch.numbers;
        let pairs = a.iter().zip(b);
        match of {
            Elementwise::Unary(of) => out.extend(a.iter().map(|a| code(of(*a)))),
            Elementwise::Parametric(of, constants) => {
                out.extend(a.iter().map(|a| code(of(*a, *constants))));
            }
            Elementwise::Floats(of) => out.extend(pairs.map(|(a, b)| code(of(*a, *b)))),
            Elementwise::Compare(of) => {
                out.extend(pairs.map(|(a, b)| self.truth(of(a.partial_cmp(b)))));
            }
            Elementwise::Five(of) => {
                let rest = c.iter().zip(d).zip(e);
                out.extend(
                    pairs
                        .zip(rest)
                        .map(|((a, b), ((c, d), e))| code(of([*a, *b, *c, *d, *e]))),
                );
            }
            // To another format.
            Elementwise::Move => out.extend(a.iter().map(|a| code(*a))),
            Elementwise::Select | Elementwise::Integers(..) => unreachable!("done above, by codes"),
        }
    }

    /// Returns whether a code of the first operand is false: zero, and of a float both zeros.
    pub(crate) fn is_false(&self, code: u32) -> bool {
        match Number::of(self.input(0)) {
            Number::Float => {
                code << (32 - 8 * self.input(0).bytes_per_element().get() as u32) << 1 == 0
            }
            _ => code == 0,
        }
    }

    /// Returns whether the output has no code for a number or an infinity but that of NaN: the number range of the card decides
    /// what comes of it.
    pub(crate) fn is_beyond(&self, number: f32) -> bool {
        self.output == DeviceFormat::Sen169Fp16
            && !number.is_nan()
            && Dl16::from_f32(number).is_nan()
    }

    /// Adds the lanes of a row that has just been computed whose numbers are [beyond](Self::is_beyond) those of the output.
    pub(crate) fn lanes_beyond(
        &self,
        of: &Elementwise,
        scratch: &Scratch,
        out: &[u32],
        lanes: &mut Vec<usize>,
    ) {
        let is_nan = |code: &u32| Dl16::from_bits(*code as u16).is_nan();
        // Nearly no row has one.
        if self.output != DeviceFormat::Sen169Fp16 || !out.iter().any(is_nan) {
            return;
        }
        let candidates = out.iter().enumerate().filter(|(_, code)| is_nan(code));
        let beyond = candidates.map(|(lane, _)| lane).filter(|lane| {
            let number = of.number(scratch, *lane);
            number.is_some_and(|number| self.is_beyond(number))
        });
        lanes.extend(beyond);
    }

    /// Returns the code of an element that is among the first: of its own code and number, and its position.
    pub(crate) fn ranked(&self, told: Ranked, code: u32, number: f32, position: u64) -> u32 {
        match (told, Number::of(self.output)) {
            (Ranked::Value, _) if self.input(0) == self.output => code,
            (Ranked::Value, _) => float_code(self.output, number),
            (Ranked::Position, Number::Signed(bits)) => number::integer_code(bits, position as i32),
            (Ranked::Position, _) => float_code(self.output, position as f32),
        }
    }

    fn truth(&self, value: bool) -> u32 {
        match Number::of(self.output) {
            Number::Float => float_code(self.output, f32::from(u8::from(value))),
            Number::Signed(_) => u32::from(value),
            Number::Opaque => {
                unreachable!("no truth value is stored in a format that is only moved")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{MemoryKind, Tensor};

    #[test]
    fn positions_that_an_integer_does_not_have() {
        let tensor = |index, format: DeviceFormat| Tensor {
            index,
            memory: MemoryKind::Hbm,
            format,
            stick: 0,
            per_stick: format.elements_per_stick().get(),
            order: Vec::new(),
            starts: Vec::new(),
        };
        let op = Operation {
            function: "topkindex".to_owned(),
            dims: Vec::new(),
            cores: Vec::new(),
            inputs: vec![tensor(0, DeviceFormat::IeeeFp32)],
            gather: None,
            output: tensor(1, DeviceFormat::SenInt8),
            masks: Vec::new(),
            mask_value: 0.0,
            constants: Vec::new(),
        };
        assert!(Prepared::new(&op, Rounding::F16, 128).is_ok());
        let error = Prepared::new(&op, Rounding::F16, 129).err();
        let error = error.map(|why| why.to_string());
        assert_eq!(
            error.as_deref(),
            Some("'topkindex' is not defined on SENINT8")
        );
    }
}
