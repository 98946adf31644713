//! The results of elementwise operations.

use super::{float, integer, rounded, threefry, wrapped};
use crate::dtype::DType;
use crate::op::Elementwise as E;

/// Returns the result of an operation on elements of a type. The first of [`E::Where`] is a truth value.
///
/// # Panics
/// There are fewer operands than the operation has, or the operation does not take the type: U2, U7.
#[must_use]
pub fn apply(op: E, dtype: DType, operands: &[u64]) -> u64 {
    match (op, operands) {
        (E::Where, [predicate, then, other]) => *if *predicate == 0 { other } else { then },
        (E::Threefry, [counter, key]) => threefry(*counter, *key),
        (E::Mulacc, [a, b, c]) => {
            let product = apply(E::Mul, dtype, &[*a, *b]);
            apply(E::Add, dtype, &[product, *c])
        }
        (E::Not, [a]) => 1 - a,
        (_, [a]) if dtype.is_float() => number(dtype, unary(op, float(dtype, *a))),
        (E::Neg, [a]) => wrapped(dtype, -integer(dtype, *a)),
        (_, [a, b]) if op.is_comparison() => u64::from(compare(op, dtype, *a, *b)),
        // The element itself, with the bits of a NaN.
        (E::Max, [a, b]) => {
            *if compare(E::CmpLt, dtype, *a, *b) {
                b
            } else {
                a
            }
        }
        (_, [a, b]) if dtype.is_float() => {
            number(dtype, binary(op, float(dtype, *a), float(dtype, *b)))
        }
        (_, [a, b]) if dtype == DType::Bool => truth(op, *a, *b),
        (_, [a, b]) => {
            let (a, b) = (integer(dtype, *a), integer(dtype, *b));
            wrapped(dtype, whole(op, dtype, a, b))
        }
        _ => panic!("{} has {} operands", op.name(), operands.len()),
    }
}

/// Returns the element next to a result.
fn number(dtype: DType, value: f64) -> u64 {
    // The sign of a NaN is that of the machine otherwise.
    rounded(dtype, if value.is_nan() { f64::NAN } else { value })
}

fn unary(op: E, a: f64) -> f64 {
    match op {
        E::Recip => 1.0 / a,
        E::Trunc => a.trunc(),
        E::Neg => -a,
        E::Exp2 => a.exp2(),
        E::Log2 => a.log2(),
        E::Sin => a.sin(),
        E::Sqrt => a.sqrt(),
        other => panic!("{} does not take one float", other.name()),
    }
}

fn binary(op: E, a: f64, b: f64) -> f64 {
    match op {
        E::Add => a + b,
        E::Mul => a * b,
        E::Sub => a - b,
        E::Div => a / b,
        E::Pow => a.powf(b),
        other => panic!("{} does not take two floats", other.name()),
    }
}

fn truth(op: E, a: u64, b: u64) -> u64 {
    match op {
        E::Add | E::Or => a | b,
        E::Mul | E::And => a & b,
        E::Xor => a ^ b,
        other => panic!("{} does not take truth values", other.name()),
    }
}

/// Returns the result on integers before wrapping, or one that wraps to the same bits.
fn whole(op: E, dtype: DType, a: i128, b: i128) -> i128 {
    match op {
        E::Add => a + b,
        E::Sub => a - b,
        // The low bits of a product do not depend on the bits above.
        E::Mul => a.wrapping_mul(b),
        E::Idiv if b == 0 => 0,
        E::Idiv => a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0),
        E::Mod if b == 0 => a,
        E::Mod => a - b * whole(E::Idiv, dtype, a, b),
        E::CDiv if b == 0 => 0,
        E::CDiv => a / b,
        E::CMod if b == 0 => a,
        E::CMod => a % b,
        E::Xor => a ^ b,
        E::Or => a | b,
        E::And => a & b,
        E::Shl | E::Shr => {
            let width = i128::from(dtype.bits());
            let by = (0..width).contains(&b);
            match op {
                E::Shl if by => a << b,
                E::Shl => 0,
                // A shift that is too wide leaves the sign.
                _ => a >> if by { b } else { width },
            }
        }
        other => panic!("{} does not take two integers", other.name()),
    }
}

/// Returns whether a comparison holds. NaN is neither less than nor equal to any value.
fn compare(op: E, dtype: DType, a: u64, b: u64) -> bool {
    let (less, greater, equal) = if dtype.is_float() {
        let (a, b) = (float(dtype, a), float(dtype, b));
        (a < b, a > b, a == b)
    } else {
        let (a, b) = (integer(dtype, a), integer(dtype, b));
        (a < b, a > b, a == b)
    };
    match op {
        E::CmpLt => less,
        E::CmpGt => greater,
        E::CmpEq => equal,
        E::CmpNe => !equal,
        E::CmpGe => !less,
        E::CmpLe => !greater,
        other => panic!("{} is no comparison", other.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(op: E, dtype: DType, a: i128, b: i128) -> i128 {
        let operands = [wrapped(dtype, a), wrapped(dtype, b)];
        integer(dtype, apply(op, dtype, &operands))
    }

    #[test]
    fn quotients_are_rounded_down_or_toward_0() {
        for (a, b, down, rest, toward, signed) in [
            (7, 2, 3, 1, 3, 1),
            (-7, 2, -4, 1, -3, -1),
            (7, -2, -4, -1, -3, 1),
            (-7, -2, 3, -1, 3, -1),
            (6, -2, -3, 0, -3, 0),
            (5, 0, 0, 5, 0, 5),
            (-128, -1, -128, 0, -128, 0),
        ] {
            assert_eq!(integers(E::Idiv, DType::I8, a, b), down, "{a} {b}");
            assert_eq!(integers(E::Mod, DType::I8, a, b), rest, "{a} {b}");
            assert_eq!(integers(E::CDiv, DType::I8, a, b), toward, "{a} {b}");
            assert_eq!(integers(E::CMod, DType::I8, a, b), signed, "{a} {b}");
        }
    }

    #[test]
    fn wide_shifts_leave_nothing_or_the_sign() {
        for by in [8, 100, -1] {
            assert_eq!(integers(E::Shl, DType::I8, 3, by), 0);
            assert_eq!(integers(E::Shr, DType::I8, 3, by), 0);
            assert_eq!(integers(E::Shr, DType::I8, -3, by), -1);
        }
        assert_eq!(integers(E::Shr, DType::U64, i128::from(u64::MAX), 64), 0);
        assert_eq!(integers(E::Shl, DType::U64, 1, 63), 1 << 63);
    }

    #[test]
    fn products_wrap_at_every_width() {
        let most = i128::from(u64::MAX);
        assert_eq!(integers(E::Mul, DType::U64, most, most), 1);
        assert_eq!(integers(E::Mul, DType::I32, 1 << 30, 6), -(1 << 31));
    }

    #[test]
    fn comparisons_know_nan() {
        let (nan, one) = (f64::NAN.to_bits(), 1_f64.to_bits());
        let holds = |op, a, b| apply(op, DType::F64, &[a, b]) == 1;
        let order = [E::CmpLt, E::CmpGt, E::CmpEq, E::CmpNe, E::CmpGe, E::CmpLe];
        let expected = [false, false, false, true, true, true];
        assert_eq!(order.map(|op| holds(op, nan, one)), expected);
        assert_eq!(order.map(|op| holds(op, one, nan)), expected);
        // Which one is returned depends on the order.
        assert_eq!(apply(E::Max, DType::F64, &[nan, one]), nan);
        assert_eq!(apply(E::Max, DType::F64, &[one, nan]), one);
    }

    #[test]
    fn floats_of_16_bits_are_rounded_once() {
        // 1 + 2^-8 is a tie in bf16, and the last bit of the sum breaks it.
        let add = |a: f64, b: f64| {
            let operands = [rounded(DType::Bf16, a), rounded(DType::Bf16, b)];
            float(DType::Bf16, apply(E::Add, DType::Bf16, &operands))
        };
        assert_eq!(add(1.0, 1.0 / 256.0), 1.0);
        assert_eq!(add(1.0, 1.0 / 256.0 + 1.0 / 32768.0), 1.0 + 1.0 / 128.0);
    }
}
