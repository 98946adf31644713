//! Finds the definition of an operation for its formats and constants.

use spyre_layout::{DeviceFormat, Dl16};

use crate::read::Operation;

use super::number::{Number, Rounding};
use super::table::{Kernel, Ranked, absolute_maximum, kernel, missing, saturating_exp};
use super::{Accumulation, Elementwise, Finish, KernelError, Prepared, Shape};

/// The most products of two integers of 8 bits whose sum has every bit in `f32`: 2^24 / 2^14.
const MOST_INTEGERS: u64 = 1 << 10;

impl Prepared {
    /// Returns the definition of an operation with reductions over `reduced` elements.
    pub(crate) fn new(
        op: &Operation,
        rounding: Rounding,
        reduced: u64,
    ) -> Result<Self, KernelError> {
        let kernel = kernel(&op.function).ok_or_else(|| {
            let function = op.function.clone();
            match missing(&function) {
                Some(missing) => KernelError::Unexplained { function, missing },
                None => KernelError::Unknown(function),
            }
        })?;
        // Indices are not computed with.
        let is_index = |at: usize| op.gather.is_some_and(|gather| gather.indices == at);
        let inputs = op.inputs.iter().enumerate();
        let inputs = inputs
            .filter(|(at, _)| !is_index(*at))
            .map(|(_, input)| rounding.stored(input.format));
        let preparation = Preparation {
            op,
            rounding,
            reduced,
            inputs: inputs.collect(),
            output: rounding.stored(op.output.format),
        };
        let shape = preparation.shape(kernel)?;
        Ok(Self {
            shape,
            inputs: preparation.inputs,
            output: preparation.output,
        })
    }
}

/// Returns the number of operands that are computed with.
fn operands(kernel: &Kernel) -> usize {
    match kernel {
        Kernel::Binary(..) | Kernel::Compare(_) | Kernel::Contract | Kernel::ContractIntegers => 2,
        Kernel::Select => 3,
        Kernel::Five(_) => 5,
        Kernel::Move
        | Kernel::Unary(_)
        | Kernel::Parametric(..)
        | Kernel::Reduce(_)
        | Kernel::QuantScale(_)
        | Kernel::Moments(_)
        | Kernel::NormScale(_)
        | Kernel::TopK(_) => 1,
    }
}

/// An operation whose definition is searched.
struct Preparation<'o> {
    op: &'o Operation,
    rounding: Rounding,
    /// How many elements each reduction is over.
    reduced: u64,
    /// The formats in memory of the operands that are computed with.
    inputs: Vec<DeviceFormat>,
    /// The format of the output in memory.
    output: DeviceFormat,
}

impl Preparation<'_> {
    fn shape(&self, kernel: Kernel) -> Result<Shape, KernelError> {
        let (expected, actual) = (operands(&kernel), self.inputs.len());
        if actual != expected {
            return Err(KernelError::Operands {
                function: self.function(),
                expected,
                actual,
            });
        }
        // A nonzero mask value has no code for a masked integer here.
        if !self.op.masks.is_empty() && self.op.mask_value != 0.0 {
            self.need(Number::Float, &self.inputs)?;
        }
        match kernel {
            Kernel::Move
            | Kernel::Select
            | Kernel::Unary(_)
            | Kernel::Parametric(..)
            | Kernel::Binary(..)
            | Kernel::Compare(_)
            | Kernel::Five(_) => self.elementwise(kernel).map(Shape::Elementwise),
            Kernel::Reduce(reduction) => {
                self.need_floats()?;
                // Sums have no scale, and a mean may be a division.
                let scale = self.optional_constant(reduction.share);
                Ok(Shape::Reduce(Accumulation {
                    start: reduction.start,
                    combine: reduction.combine,
                    finish: match reduction.average {
                        false => Finish::Nothing,
                        true => mean(scale, self.rounding, self.reduced),
                    },
                }))
            }
            Kernel::QuantScale([min, max, factor]) => {
                self.need_floats()?;
                let bounds = [self.constant(min)?, self.constant(max)?];
                Ok(Shape::Reduce(Accumulation {
                    start: 0.0,
                    combine: absolute_maximum,
                    finish: Finish::ClipAndMultiply(bounds, self.constant(factor)?),
                }))
            }
            Kernel::Moments(scale) => self.moments(scale),
            Kernel::NormScale(eps) => {
                self.need_floats()?;
                let is_pair = !self.op.inputs[0].has(self.op.inputs[0].stick);
                self.need_stick(is_pair, "reads a pair in each stick")?;
                Ok(Shape::NormScale(self.constant(eps)?))
            }
            Kernel::Contract => {
                self.need_floats()?;
                Ok(Shape::Contract)
            }
            Kernel::ContractIntegers => {
                self.need(Number::Signed(8), &self.inputs)?;
                self.need(Number::Float, &[self.output])?;
                // The sum of at most `MOST_INTEGERS` products is a number of 32 bits, so that it is exact until it is
                // rounded.
                if self.reduced > MOST_INTEGERS {
                    return Err(self.unsupported(self.inputs[0]));
                }
                Ok(Shape::Contract)
            }
            Kernel::TopK(ranked) => self.top_k(ranked),
        }
    }

    fn elementwise(&self, kernel: Kernel) -> Result<Elementwise, KernelError> {
        let (inputs, output) = (&self.inputs, self.output);
        match kernel {
            Kernel::Move => {
                if inputs[0] != output {
                    self.need_floats()?;
                }
                Ok(Elementwise::Move)
            }
            Kernel::Select => {
                if let Some(format) = inputs[1..].iter().find(|format| **format != output) {
                    return Err(self.unsupported(*format));
                }
                if Number::for_format(inputs[0]) == Number::Opaque {
                    return Err(self.unsupported(inputs[0]));
                }
                Ok(Elementwise::Select)
            }
            Kernel::Unary(function) => {
                self.need_floats()?;
                // Only the card itself saturates, not a run with the numbers of a program.
                let is_on_card = self.op.function == "exp" && inputs[0] == DeviceFormat::Sen169Fp16;
                let function = if is_on_card { saturating_exp } else { function };
                Ok(Elementwise::Unary(function))
            }
            Kernel::Parametric(function, [first, second]) => {
                self.need_floats()?;
                let constants = [self.constant(first)?, self.constant(second)?];
                Ok(Elementwise::Parametric(function, constants))
            }
            Kernel::Binary(function, integers) => {
                let number = Number::for_format(output);
                self.need(number, inputs)?;
                match (number, integers) {
                    (Number::Float, _) => Ok(Elementwise::Floats(function)),
                    (Number::Signed(bits), Some(function)) => {
                        Ok(Elementwise::Integers(function, bits))
                    }
                    _ => Err(self.unsupported(output)),
                }
            }
            Kernel::Compare(function) => {
                let number = Number::for_format(inputs[0]);
                self.need(number, inputs)?;
                if number == Number::Opaque || Number::for_format(output) == Number::Opaque {
                    return Err(self.unsupported(output));
                }
                Ok(Elementwise::Compare(function))
            }
            Kernel::Five(function) => {
                self.need_floats()?;
                Ok(Elementwise::Five(function))
            }
            kernel => unreachable!("{kernel:?} is not element by element"),
        }
    }

    fn moments(&self, scale: &'static str) -> Result<Shape, KernelError> {
        self.need_floats()?;
        let (input, output) = (&self.op.inputs[0], &self.op.output);
        let along = input.stick;
        let is_along = input.has(along) && !output.has(along);
        self.need_stick(is_along, "reduces the stick, and only that")?;
        // The reference writes a constant that the table of functions lacks and no document defines.
        let zero_mean = self.optional_constant("useZeroMean");
        if let Some(value) = zero_mean.filter(|value| *value != 0.0) {
            return Err(KernelError::Meaning {
                function: self.function(),
                name: "useZeroMean",
                value,
            });
        }
        // Recorded bundles have an older spelling (contract, K5).
        let scale = self
            .optional_constant("exx2Scale")
            .map_or_else(|| self.constant(scale), Ok)?;
        Ok(Shape::Moments(mean(
            Some(scale),
            self.rounding,
            self.reduced,
        )))
    }

    fn top_k(&self, ranked: Ranked) -> Result<Shape, KernelError> {
        self.need(Number::Float, &self.inputs)?;
        // The recorded bundles have positions as floats.
        let is_representable = match Number::for_format(self.output) {
            Number::Float => true,
            Number::Signed(bits) => ranked == Ranked::Position && self.reduced <= 1 << (bits - 1),
            Number::Opaque => false,
        };
        if !is_representable {
            return Err(self.unsupported(self.output));
        }
        Ok(Shape::TopK(ranked))
    }

    fn function(&self) -> String {
        self.op.function.clone()
    }

    fn unsupported(&self, format: DeviceFormat) -> KernelError {
        KernelError::Format {
            function: self.function(),
            format,
        }
    }

    fn need(&self, number: Number, formats: &[DeviceFormat]) -> Result<(), KernelError> {
        let mut formats = formats.iter();
        match formats.find(|format| Number::for_format(**format) != number) {
            Some(format) => Err(self.unsupported(*format)),
            None => Ok(()),
        }
    }

    fn need_floats(&self) -> Result<(), KernelError> {
        self.need(Number::Float, &self.inputs)?;
        self.need(Number::Float, &[self.output])
    }

    fn need_stick(&self, is_right: bool, needs: &'static str) -> Result<(), KernelError> {
        match is_right {
            true => Ok(()),
            false => Err(KernelError::Stick {
                function: self.function(),
                needs,
            }),
        }
    }

    fn optional_constant(&self, name: &str) -> Option<f32> {
        let mut constants = self.op.constants.iter();
        let entry = constants.find(|(constant_name, _)| constant_name == name);
        entry.map(|(_, value)| *value)
    }

    fn constant(&self, name: &'static str) -> Result<f32, KernelError> {
        self.optional_constant(name)
            .ok_or_else(|| KernelError::Constant {
                function: self.function(),
                name,
            })
    }
}

/// Returns the last step of a mean of n = `reduced` elements. The card multiplies the sum by `scale`, which is 1/n
/// rounded to a format of the card. With the arithmetic of the CPU, which is compared bit by bit, the sum is divided by
/// n.
fn mean(scale: Option<f32>, rounding: Rounding, reduced: u64) -> Finish {
    let elements = reduced as f32;
    let is_rounded_share = |scale: f32| {
        let share = 1.0 / elements;
        scale == share || scale == Dl16::from_f64(1.0 / f64::from(elements)).to_f32()
    };
    match scale {
        Some(scale) if rounding == Rounding::Dl16 || !is_rounded_share(scale) => {
            Finish::Multiply(scale)
        }
        _ => Finish::Divide(elements),
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
            is_separate: false,
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
            relayout: None,
        };
        assert!(Prepared::new(&op, Rounding::F16, 128).is_ok());
        let error = Prepared::new(&op, Rounding::F16, 129).err();
        let error = error.map(|err| err.to_string());
        assert_eq!(
            error.as_deref(),
            Some("'topkindex' is not defined on SENINT8")
        );
    }
}
