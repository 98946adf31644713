//! Draws functions of a value and of constants: numbers, powers, and numbers at the ends of the range of a type.
//!
//! Infinities and NaN are replaced in the body, so that results are small integers.

use std::fmt::Write as _;

use super::body::Body;
use super::{Draw, LARGEST};

/// The infinity, the negative infinity and NaN of `f32`.
pub(super) const INFINITY: &str = "0x7F800000";
pub(super) const NEGATIVE_INFINITY: &str = "0xFF800000";
pub(super) const NAN: &str = "0x7FC00000";
/// The least number above zero.
const SUBNORMAL: &str = "0x00000001";
/// The largest number, and the lowest.
const LARGEST_FLOAT: &str = "3.40282347E+38";
const LOWEST_FLOAT: &str = "-3.40282347E+38";

/// The numbers at the ends of the range.
const SPECIAL: [&str; 7] = [
    INFINITY,
    NEGATIVE_INFINITY,
    NAN,
    SUBNORMAL,
    "-0.0",
    LARGEST_FLOAT,
    LOWEST_FLOAT,
];

/// All predicates of a comparison of floats.
const PREDICATES: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
    "une", "uno", "true",
];

/// Operations with a constant that change no number of moderate size, or only its sign.
const NEUTRAL: [(&str, &str); 8] = [
    ("arith.maximumf", NEGATIVE_INFINITY),
    ("arith.minimumf", INFINITY),
    ("arith.maximumf", LOWEST_FLOAT),
    ("arith.minimumf", LARGEST_FLOAT),
    ("arith.addf", "-0.0"),
    ("arith.mulf", "-0.0"),
    ("arith.divf", NEGATIVE_INFINITY),
    ("math.copysign", "-0.0"),
];

impl Body {
    /// Adds an operation, and returns its name. It is not the next value of the body.
    pub(super) fn helper(&mut self, text: &str) -> String {
        let name = format!("%k{}", self.text.lines().count());
        let _ = writeln!(self.text, "    {name} = {text}");
        name
    }

    /// Adds a constant.
    pub(super) fn float(&mut self, number: &str) -> String {
        self.helper(&format!("arith.constant {number} : f32"))
    }

    /// Adds the next value of the body, of this magnitude at most.
    pub(super) fn next(&mut self, text: &str, largest: u64) {
        let _ = writeln!(self.text, "    %v{} = {text}", self.values);
        self.values += 1;
        self.largest = largest;
    }

    /// Returns the name of the last value.
    pub(super) fn last(&self) -> String {
        format!("%v{}", self.values - 1)
    }
}

impl Draw {
    /// Adds a function of the last value and of constants.
    pub(super) fn constants(&mut self, body: &mut Body) {
        match self.below(7) {
            0 | 1 => self.number_of(body),
            2 => self.power(body),
            3 => self.compared(body),
            4 => self.masked_by_infinity(body),
            5 => self.through_nan(body),
            _ => self.through_bytes(body),
        }
    }

    /// Adds a function of the last value and of a number.
    fn number_of(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        if self.numbers.one_in(3) {
            let (op, special) = self.numbers.pick(&NEUTRAL);
            let special = body.float(special);
            body.next(&format!("{op} {x}, {special} : f32"), largest);
            return;
        }
        let number = self.below(7).cast_signed() - 3;
        let size = number.unsigned_abs();
        let number = body.float(&format!("{number}.0"));
        let (op, largest) = match self.below(5) {
            0 if largest + size <= LARGEST => ("arith.addf", largest + size),
            1 if largest + size <= LARGEST => ("arith.subf", largest + size),
            2 if largest * size <= LARGEST => ("arith.mulf", largest * size),
            3 => ("arith.maximumf", largest.max(size)),
            _ => ("arith.minimumf", largest.max(size)),
        };
        let pair = match self.numbers.one_in(3) {
            true => format!("{number}, {x}"),
            false => format!("{x}, {number}"),
        };
        body.next(&format!("{op} {pair} : f32"), largest);
    }

    /// Adds a power by a constant, or of one.
    fn power(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        let one = body.float("1.0");
        if self.numbers.one_in(6) {
            body.next(&format!("math.powf {one}, {x} : f32"), 1);
            return;
        }
        let exponent = u32::try_from(self.below(4)).expect("it is below 4");
        let power = largest.max(1).saturating_pow(exponent);
        if power > LARGEST {
            return;
        }
        let exponent = body.float(&format!("{exponent}.0"));
        // Powers of an approximated function are rounded, so that they are integers.
        let power_name = body.helper(&format!("math.powf {x}, {exponent} : f32"));
        body.next(&format!("math.roundeven {power_name} : f32"), power);
    }

    /// Adds a choice by a comparison with a number at an end of the range.
    fn compared(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        let special = self.numbers.pick(&SPECIAL);
        let special = body.float(special);
        let predicate = self.numbers.pick(&PREDICATES);
        let pair = match self.numbers.one_in(3) {
            true => format!("{special}, {x}"),
            false => format!("{x}, {special}"),
        };
        let holds = body.helper(&format!("arith.cmpf {predicate}, {pair} : f32"));
        let two = body.float("2.0");
        body.next(
            &format!("arith.select {holds}, {x}, {two} : f32"),
            largest.max(2),
        );
    }

    /// Adds a mask of infinities, and the number that replaces them.
    fn masked_by_infinity(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        let is_negative = self.numbers.one_in(2);
        let far = match is_negative {
            true => NEGATIVE_INFINITY,
            false => INFINITY,
        };
        let masked = self.mask(body, &x, far);
        let one = body.float("1.0");
        match self.below(4) {
            0 => {
                let is_far =
                    body.helper(&format!("inductor.apply \"isinf\"({masked}) : (f32) -> i1"));
                body.next(
                    &format!("arith.select {is_far}, {one}, {masked} : f32"),
                    largest.max(1),
                );
            }
            1 => {
                let far = body.float(far);
                let is_far = body.helper(&format!("arith.cmpf oeq, {masked}, {far} : f32"));
                body.next(
                    &format!("arith.select {is_far}, {one}, {masked} : f32"),
                    largest.max(1),
                );
            }
            2 => {
                let sign =
                    body.helper(&format!("inductor.apply \"sign\"({masked}) : (f32) -> f32"));
                body.next(&format!("arith.addf {sign}, {one} : f32"), 2);
            }
            _ => {
                let limit = match is_negative {
                    true => "maximumf",
                    false => "minimumf",
                };
                body.next(
                    &format!("arith.{limit} {masked}, {one} : f32"),
                    largest.max(1),
                );
            }
        }
    }

    /// Adds a mask: a value where it is above zero, or the other way round, and a constant elsewhere.
    pub(super) fn mask(&mut self, body: &mut Body, x: &str, elsewhere: &str) -> String {
        let (zero, elsewhere) = (body.float("0.0"), body.float(elsewhere));
        let predicate = self.numbers.pick(&["ogt", "oge", "olt", "une"]);
        let holds = body.helper(&format!("arith.cmpf {predicate}, {x}, {zero} : f32"));
        let pair = match self.numbers.one_in(2) {
            true => format!("{x}, {elsewhere}"),
            false => format!("{elsewhere}, {x}"),
        };
        body.helper(&format!("arith.select {holds}, {pair} : f32"))
    }

    /// Adds a function that is NaN for some elements, and the number that replaces it.
    fn through_nan(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        let value = match self.below(3) {
            0 => self.mask(body, &x, NAN),
            1 => {
                let infinite = self.mask(body, &x, INFINITY);
                // NaN where it is infinite, and zero elsewhere.
                body.helper(&format!("arith.subf {infinite}, {infinite} : f32"))
            }
            _ => {
                let nan = body.float(NAN);
                let op = self.numbers.pick(&[
                    "arith.maximumf",
                    "arith.minimumf",
                    "arith.addf",
                    "arith.remf",
                ]);
                body.helper(&format!("{op} {x}, {nan} : f32"))
            }
        };
        let two = body.float("2.0");
        let (is_nan, pair) = match self.numbers.one_in(2) {
            true => (
                body.helper(&format!("inductor.apply \"isnan\"({value}) : (f32) -> i1")),
                format!("{two}, {value}"),
            ),
            false => (
                body.helper(&format!("arith.cmpf oeq, {value}, {value} : f32")),
                format!("{value}, {two}"),
            ),
        };
        body.next(
            &format!("arith.select {is_nan}, {pair} : f32"),
            largest.max(2),
        );
    }

    /// Adds a function of the last value and of a constant that was a float of 8 bits.
    fn through_bytes(&mut self, body: &mut Body) {
        let (x, largest) = (body.last(), body.largest);
        let format = self.numbers.pick(&["f8E4M3FN", "f8E5M2"]);
        let number = self.numbers.pick(&SPECIAL);
        let number = body.float(number);
        let byte = body.helper(&format!(
            "inductor.to_dtype {number} from f32 to {format} : f32 -> f32"
        ));
        let holds = match self.numbers.one_in(2) {
            true => body.helper(&format!("inductor.apply \"isnan\"({byte}) : (f32) -> i1")),
            false => {
                let predicate = self.numbers.pick(&PREDICATES);
                body.helper(&format!("arith.cmpf {predicate}, {x}, {byte} : f32"))
            }
        };
        let one = body.float("1.0");
        body.next(
            &format!("arith.select {holds}, {x}, {one} : f32"),
            largest.max(1),
        );
    }
}
