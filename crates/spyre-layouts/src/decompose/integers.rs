//! The rules of integers: comparisons, and conversions to floats and back.
//!
//! The card adds, multiplies and compares integers by size, and moves their bits. The rest is built from these:
//! `min(max(d, -1), 1)` squared is 1 unless `d` is 0, however it has wrapped, and a float of a fixed exponent holds an
//! integer in its fraction.

use melior::ir::r#type::IntegerType;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::spyre;

use super::formulas::trunc;
use super::make::{Make, element_of};

/// The bits of 1.0.
const ONE: i32 = 0x3F80_0000;
/// The bits of 2^23, the float with a unit of 1.
const TWO_TO_23: i32 = 0x4B00_0000;
/// The bits of 1.5 * 2^23, to which integers of 22 bits and a sign can be added.
const MIDDLE: i32 = 0x4B40_0000;

/// Returns whether an operation compares integers, which have 32 bits in device memory.
pub(super) fn is_comparison(op: Op<'_>) -> bool {
    let compares = matches!(
        ir::name(op),
        spyre::EQUAL
            | spyre::NOTEQUAL
            | spyre::GREATERTHAN
            | spyre::GREATEREQUAL
            | spyre::LESSERTHAN
            | spyre::LESSEREQUAL
    );
    let is_wide = |ty| IntegerType::try_from(ty).is_ok_and(|ty| ty.width() >= 32);
    compares && ir::operand(op, 0).is_some_and(|operand| is_wide(element_of(operand)))
}

/// Builds the comparison of two tensors of integers that has this name.
pub(super) fn compare<'p>(make: &Make<'p>, name: &str, operands: [Val<'p>; 2]) -> Val<'p> {
    // Differences wrap at 32 bits, as device memory has them.
    let [a, b] = operands.map(|side| word(make, side));
    let larger = || make.binary(spyre::MAXIMUM, a, b);
    // One is larger where the larger of the two is not the other.
    let (differs, holds) = match name {
        spyre::EQUAL => (differs(make, a, b), spyre::EQUAL),
        spyre::NOTEQUAL => (differs(make, a, b), spyre::NOTEQUAL),
        spyre::GREATERTHAN => (differs(make, larger(), b), spyre::NOTEQUAL),
        spyre::LESSEREQUAL => (differs(make, larger(), b), spyre::EQUAL),
        spyre::LESSERTHAN => (differs(make, larger(), a), spyre::NOTEQUAL),
        spyre::GREATEREQUAL => (differs(make, larger(), a), spyre::EQUAL),
        _ => unreachable!("the rule begins at the six comparisons"),
    };
    let bits = make.with_integer(spyre::MUL, differs, ONE);
    let number = make.bitcast(bits, make.f32());
    make.compare_with(holds, number, 0.0)
}

/// Builds the 32 bits that device memory has of integers.
fn word<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    match element_of(x) == make.i32() {
        true => x,
        false => make.bitcast(x, make.i32()),
    }
}

/// Builds 1 where two integers differ, and 0 elsewhere.
fn differs<'p>(make: &Make<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
    let difference = make.binary(spyre::SUB, a, b);
    let sign = make.with_integer(spyre::MINIMUM, difference, 1);
    let sign = make.with_integer(spyre::MAXIMUM, sign, -1);
    make.binary(spyre::MUL, sign, sign)
}

/// Builds the sum of the high 9 bits, one by one, and the low 23, each as a float: it is rounded once.
pub(super) fn sitofp<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let x = word(make, x);
    let high = (23..32).fold(None, |sum: Option<Val<'p>>, bit| {
        // The bit is moved to the sign, and `set` is -1 where it is set.
        let first = if bit == 31 {
            x
        } else {
            make.with_integer(spyre::MUL, x, 1 << (31 - bit))
        };
        let set = make.with_integer(spyre::MINIMUM, first, 0);
        let set = make.with_integer(spyre::MAXIMUM, set, -1);
        let weight = 1 << (bit - 23);
        let term = make.with_integer(spyre::MUL, set, if bit == 31 { weight } else { -weight });
        Some(sum.map_or(term, |sum| make.binary(spyre::ADD, sum, term)))
    });
    let high = high.expect("there are bits");
    let low = make.binary(spyre::SUB, x, make.with_integer(spyre::MUL, high, 1 << 23));
    let low = make.bitcast(make.with_integer(spyre::ADD, low, TWO_TO_23), make.f32());
    let low = make.with(spyre::SUB, low, f64::from(1 << 23));
    let high = make.bitcast(make.with_integer(spyre::ADD, high, MIDDLE), make.f32());
    let high = make.with(spyre::SUB, high, f64::from(3 << 22));
    let high = make.with(spyre::MUL, high, f64::from(1 << 23));
    make.binary(spyre::ADD, high, low)
}

/// Builds the integer from halves of 16 bits, each of which a float of a fixed exponent holds.
pub(super) fn fptosi<'p>(make: &Make<'p>, x: Val<'p>) -> Val<'p> {
    let whole = trunc(make, x);
    let high = make.unary(spyre::FLOOR, make.with(spyre::MUL, whole, 1.0 / 65536.0));
    let low = make.binary(spyre::SUB, whole, make.with(spyre::MUL, high, 65536.0));
    let [high, low] = [high, low].map(|half| {
        let half = make.with(spyre::ADD, half, f64::from(3 << 22));
        make.with_integer(spyre::SUB, make.bitcast(half, make.i32()), MIDDLE)
    });
    make.binary(spyre::ADD, make.with_integer(spyre::MUL, high, 65536), low)
}
