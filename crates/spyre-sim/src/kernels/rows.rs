//! Computes rows of codes.

use spyre_layout::{DeviceFormat, Dl16};

use super::number::{self, Number, float_code};
use super::{Elementwise, Prepared, Ranked};

impl Elementwise {
    /// Computes the result of a lane from the numbers of the operands of the last row. Returns `None` where the
    /// operation moves or selects codes, or works on integers.
    fn number(&self, scratch: &Scratch, lane: usize) -> Option<f32> {
        let at = |operand: usize| scratch.numbers[operand][lane];
        match self {
            Self::Unary(function) => Some(function(at(0))),
            Self::Parametric(function, constants) => Some(function(at(0), *constants)),
            Self::Floats(function) => Some(function(at(0), at(1))),
            Self::Five(function) => Some(function([at(0), at(1), at(2), at(3), at(4)])),
            // To another format: in the same one, codes are moved.
            Self::Move => scratch.numbers[0].get(lane).copied(),
            Self::Select | Self::Integers(..) | Self::Compare(_) => None,
        }
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
        elementwise: &Elementwise,
        rows: &[&[u32]],
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        let output = self.output;
        let code = |number: f32| float_code(output, number);
        // Most operations have fewer operands, and use no more.
        let [a, b, c] = [0, 1, 2].map(|at| rows.get(at).copied().unwrap_or(&[]));
        if let Elementwise::Move = elementwise
            && self.input(0) == output
        {
            out.extend_from_slice(a);
            return;
        }
        if let Elementwise::Select = elementwise {
            let chosen = a.iter().zip(b.iter().zip(c));
            out.extend(chosen.map(|(a, (b, c))| if self.is_false(*a) { *c } else { *b }));
            return;
        }
        if let Elementwise::Integers(function, bits) = elementwise {
            let int = |code: &u32| number::integer(*bits, *code);
            let pairs = a.iter().zip(b);
            out.extend(pairs.map(|(a, b)| number::integer_code(*bits, function(int(a), int(b)))));
            return;
        }
        if let (Elementwise::Compare(function), Number::Signed(bits)) =
            (elementwise, Number::for_format(self.input(0)))
        {
            let int = |code: &u32| number::integer(bits, *code);
            let pairs = a.iter().zip(b);
            out.extend(pairs.map(|(a, b)| self.truth(function(Some(int(a).cmp(&int(b)))))));
            return;
        }
        for (at, (row, numbers)) in rows.iter().zip(&mut scratch.numbers).enumerate() {
            number::floats(self.input(at), row, numbers);
        }
        let [a, b, c, d, e] = &scratch.numbers;
        let pairs = a.iter().zip(b);
        match elementwise {
            Elementwise::Unary(function) => out.extend(a.iter().map(|a| code(function(*a)))),
            Elementwise::Parametric(function, constants) => {
                out.extend(a.iter().map(|a| code(function(*a, *constants))));
            }
            Elementwise::Floats(function) => out.extend(pairs.map(|(a, b)| code(function(*a, *b)))),
            Elementwise::Compare(function) => {
                out.extend(pairs.map(|(a, b)| self.truth(function(a.partial_cmp(b)))));
            }
            Elementwise::Five(function) => {
                let rest = c.iter().zip(d).zip(e);
                out.extend(
                    pairs
                        .zip(rest)
                        .map(|((a, b), ((c, d), e))| code(function([*a, *b, *c, *d, *e]))),
                );
            }
            // To another format.
            Elementwise::Move => out.extend(a.iter().map(|a| code(*a))),
            Elementwise::Select | Elementwise::Integers(..) => unreachable!("done above, by codes"),
        }
    }

    /// Returns whether a code of the first operand is false: zero, and of a float both zeros.
    pub(crate) fn is_false(&self, code: u32) -> bool {
        match Number::for_format(self.input(0)) {
            Number::Float => {
                code << (32 - 8 * self.input(0).bytes_per_element().get() as u32) << 1 == 0
            }
            _ => code == 0,
        }
    }

    /// Returns whether the output has no code for a number or an infinity other than that of NaN: the result then
    /// depends on the number range of the card.
    pub(crate) fn is_beyond(&self, number: f32) -> bool {
        self.output == DeviceFormat::Sen169Fp16
            && !number.is_nan()
            && Dl16::from_f32(number).is_nan()
    }

    /// Adds the lanes of a computed row with numbers [beyond](Self::is_beyond) the range of the output.
    pub(crate) fn lanes_beyond(
        &self,
        elementwise: &Elementwise,
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
            let number = elementwise.number(scratch, *lane);
            number.is_some_and(|number| self.is_beyond(number))
        });
        lanes.extend(beyond);
    }

    /// Returns the output code of a ranked element: its code, or its position.
    pub(crate) fn ranked(&self, told: Ranked, code: u32, number: f32, position: u64) -> u32 {
        match (told, Number::for_format(self.output)) {
            (Ranked::Value, _) if self.input(0) == self.output => code,
            (Ranked::Value, _) => float_code(self.output, number),
            (Ranked::Position, Number::Signed(bits)) => number::integer_code(bits, position as i32),
            (Ranked::Position, _) => float_code(self.output, position as f32),
        }
    }

    fn truth(&self, value: bool) -> u32 {
        match Number::for_format(self.output) {
            Number::Float => float_code(self.output, f32::from(u8::from(value))),
            Number::Signed(_) => u32::from(value),
            Number::Opaque => {
                unreachable!("no truth value is stored in a format that is only moved")
            }
        }
    }
}
