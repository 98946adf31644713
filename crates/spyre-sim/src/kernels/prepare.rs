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
        let name = || op.function.clone();
        let kernel = kernel(&op.function).ok_or_else(|| match missing(&op.function) {
            Some(missing) => KernelError::Unexplained {
                function: name(),
                missing,
            },
            None => KernelError::Unknown(name()),
        })?;
        // Indices are not computed with.
        let is_index = |at: usize| op.gather.is_some_and(|gather| gather.indices == at);
        let inputs = op.inputs.iter().enumerate();
        let inputs: Vec<_> = inputs
            .filter(|(at, _)| !is_index(*at))
            .map(|(_, input)| rounding.stored(input.format))
            .collect();
        let output = rounding.stored(op.output.format);
        let expected = match kernel {
            Kernel::Binary(..)
            | Kernel::Compare(_)
            | Kernel::Contract
            | Kernel::ContractIntegers => 2,
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
        };
        if inputs.len() != expected {
            return Err(KernelError::Operands {
                function: name(),
                expected,
                actual: inputs.len(),
            });
        }
        let unsupported = |format| KernelError::Format {
            function: name(),
            format,
        };
        let need = |number: Number, formats: &[DeviceFormat]| {
            let mut formats = formats.iter();
            match formats.find(|format| Number::for_format(**format) != number) {
                Some(format) => Err(unsupported(*format)),
                None => Ok(()),
            }
        };
        // A nonzero mask value has no code for a masked integer here.
        if !op.masks.is_empty() && op.mask_value != 0.0 {
            need(Number::Float, &inputs)?;
        }
        let floats = || {
            need(Number::Float, &inputs)?;
            need(Number::Float, &[output])
        };
        let optional = |wanted: &str| {
            let mut constants = op.constants.iter();
            let entry = constants.find(|(constant_name, _)| constant_name == wanted);
            entry.map(|(_, value)| *value)
        };
        let constant = |wanted: &'static str| {
            optional(wanted).ok_or_else(|| KernelError::Constant {
                function: name(),
                name: wanted,
            })
        };
        let need_stick = |is_right: bool, needs: &'static str| {
            let error = || KernelError::Stick {
                function: name(),
                needs,
            };
            is_right.then_some(()).ok_or_else(error)
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
                if Number::for_format(inputs[0]) == Number::Opaque {
                    return Err(unsupported(inputs[0]));
                }
                Shape::Elementwise(Elementwise::Select)
            }
            Kernel::Unary(function) => {
                floats()?;
                // Only the card itself saturates, not a run with the numbers of a program.
                let is_on_card = op.function == "exp" && inputs[0] == DeviceFormat::Sen169Fp16;
                let function = if is_on_card { saturating_exp } else { function };
                Shape::Elementwise(Elementwise::Unary(function))
            }
            Kernel::Parametric(function, [first, second]) => {
                floats()?;
                let constants = [constant(first)?, constant(second)?];
                Shape::Elementwise(Elementwise::Parametric(function, constants))
            }
            Kernel::Binary(function, integers) => {
                let number = Number::for_format(output);
                need(number, &inputs)?;
                Shape::Elementwise(match (number, integers) {
                    (Number::Float, _) => Elementwise::Floats(function),
                    (Number::Signed(bits), Some(function)) => Elementwise::Integers(function, bits),
                    _ => return Err(unsupported(output)),
                })
            }
            Kernel::Compare(function) => {
                let number = Number::for_format(inputs[0]);
                need(number, &inputs)?;
                if number == Number::Opaque || Number::for_format(output) == Number::Opaque {
                    return Err(unsupported(output));
                }
                Shape::Elementwise(Elementwise::Compare(function))
            }
            Kernel::Five(function) => {
                floats()?;
                Shape::Elementwise(Elementwise::Five(function))
            }
            Kernel::Reduce(reduction) => {
                floats()?;
                // Sums have no scale, and a mean may be a division.
                let scale = optional(reduction.share);
                Shape::Reduce(Accumulation {
                    start: reduction.start,
                    combine: reduction.combine,
                    finish: match reduction.average {
                        false => Finish::Nothing,
                        true => mean(scale, rounding, reduced),
                    },
                })
            }
            Kernel::QuantScale([min, max, factor]) => {
                floats()?;
                let bounds = [constant(min)?, constant(max)?];
                Shape::Reduce(Accumulation {
                    start: 0.0,
                    combine: absolute_maximum,
                    finish: Finish::ClipAndMultiply(bounds, constant(factor)?),
                })
            }
            Kernel::Moments(scale) => {
                floats()?;
                let along = op.inputs[0].stick;
                let is_along = op.inputs[0].has(along) && !op.output.has(along);
                need_stick(is_along, "reduces the stick, and only that")?;
                // The reference writes a constant that the table of functions lacks and no document defines.
                if let Some(value) = optional("useZeroMean").filter(|value| *value != 0.0) {
                    return Err(KernelError::Meaning {
                        function: name(),
                        name: "useZeroMean",
                        value,
                    });
                }
                // Recorded bundles have an older spelling (contract, K5).
                let scale = optional("exx2Scale").map_or_else(|| constant(scale), Ok)?;
                Shape::Moments(mean(Some(scale), rounding, reduced))
            }
            Kernel::NormScale(eps) => {
                floats()?;
                let is_pair = !op.inputs[0].has(op.inputs[0].stick);
                need_stick(is_pair, "reads a pair in each stick")?;
                Shape::NormScale(constant(eps)?)
            }
            Kernel::Contract => {
                floats()?;
                Shape::Contract
            }
            Kernel::ContractIntegers => {
                need(Number::Signed(8), &inputs)?;
                need(Number::Float, &[output])?;
                // The sum of so many products is a number of 32 bits, so that it is exact until it is rounded.
                if reduced > MOST_INTEGERS {
                    return Err(unsupported(inputs[0]));
                }
                Shape::Contract
            }
            Kernel::TopK(told) => {
                need(Number::Float, &inputs)?;
                // The recorded bundles have positions as floats.
                let is_told = match Number::for_format(output) {
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
}

/// Returns the last step of a mean of `reduced` elements: the sum times a constant. The constant is the code of 1/n, rounded; where
/// programs are compared bit by bit, it means the division by n.
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
