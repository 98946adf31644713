//! Elements, and elementwise operations on them.
//!
//! An element is the bits of its type in a `u64`: an integer is extended by its sign or by zeros, and a truth value is
//! 0 or 1. So every element type has one representation, and operations that move elements are independent of the type.
//! Floats are computed in 64 bits and rounded once, to the nearest and then to even; for sums, products, quotients and
//! roots of types of at most 32 bits this equals arithmetic in the type, because 53 is more than twice its precision
//! plus two. Arithmetic returns the positive quiet NaN; moving a NaN keeps its bits.

mod arithmetic;
mod float;
mod threefry;

pub use arithmetic::apply;
pub use threefry::threefry;

use crate::dtype::DType;
use crate::op::Combine;
use crate::schema::Datum;

/// A byte of memory that has not been written.
const POISON: u64 = 0x5A;

/// Returns the integer or the truth value that an element is.
///
/// # Panics
/// The type is a float.
#[must_use]
pub fn integer(dtype: DType, element: u64) -> i128 {
    assert!(!dtype.is_float(), "{dtype} has no integers");
    if dtype.is_signed() {
        element.cast_signed().into()
    } else {
        element.into()
    }
}

/// Returns the element of an integer, which wraps. A truth value is whether it is not 0.
///
/// # Panics
/// The type is a float.
#[must_use]
pub fn wrapped(dtype: DType, value: i128) -> u64 {
    assert!(!dtype.is_float(), "{dtype} has no integers");
    if dtype == DType::Bool {
        return u64::from(value != 0);
    }
    let unused = 64 - dtype.bits();
    // The cast keeps the low bits, as wrapping does.
    let low = (value as u64) << unused;
    if dtype.is_signed() {
        (low.cast_signed() >> unused).cast_unsigned()
    } else {
        low >> unused
    }
}

/// Returns the float that an element is.
///
/// # Panics
/// The type is no float.
#[must_use]
pub fn float(dtype: DType, element: u64) -> f64 {
    float::decode(dtype, element)
}

/// Returns the element nearest to a float, the even one of two equally near. The bits of a NaN are kept as far as there
/// is room.
///
/// # Panics
/// The type is no float.
#[must_use]
pub fn rounded(dtype: DType, value: f64) -> u64 {
    float::encode(dtype, value)
}

/// Returns the element of a constant.
///
/// # Panics
/// The constant is not of the type: U19.
#[must_use]
pub fn constant(dtype: DType, value: Datum) -> u64 {
    match value {
        Datum::Bool(value) => value.into(),
        Datum::Float(value) => rounded(dtype, value),
        Datum::Negative(value) if dtype.is_float() => float::of_integer(dtype, value.into()),
        Datum::Natural(value) if dtype.is_float() => float::of_integer(dtype, value.into()),
        Datum::Negative(value) => wrapped(dtype, value.into()),
        Datum::Natural(value) => wrapped(dtype, value.into()),
    }
}

/// Returns the element of a value in a file, which must be exact in the type: values are neither rounded nor wrapped.
#[must_use]
pub fn exact(dtype: DType, value: Datum) -> Option<u64> {
    match value {
        Datum::Bool(value) => (dtype == DType::Bool).then_some(value.into()),
        Datum::Float(value) => {
            let element = dtype.is_float().then(|| rounded(dtype, value))?;
            let again = float(dtype, element);
            (again == value || value.is_nan()).then_some(element)
        }
        Datum::Negative(_) | Datum::Natural(_) => {
            let value = value.as_integer().expect("both are integers");
            if dtype.is_float() {
                let element = float::of_integer(dtype, value);
                // An integer of 64 bits in a float of 64 is an integer of at most 65.
                let again = float(dtype, element);
                return (again.is_finite() && again as i128 == value).then_some(element);
            }
            let (low, high) = dtype.integer_range()?;
            let fits = dtype != DType::Bool && (low..=high).contains(&value);
            fits.then(|| wrapped(dtype, value))
        }
    }
}

/// Returns an element as it is in a file.
#[must_use]
pub fn datum(dtype: DType, element: u64) -> Datum {
    match dtype {
        DType::Bool => Datum::Bool(element != 0),
        _ if dtype.is_float() => Datum::Float(float(dtype, element)),
        _ if dtype.is_signed() => Datum::integer(element.cast_signed()),
        _ => Datum::Natural(element),
    }
}

/// Returns an element of memory that has not been written: NaN, or bytes of `0x5A`; true.
#[must_use]
pub fn poison(dtype: DType) -> u64 {
    if dtype.is_float() {
        return rounded(dtype, f64::NAN);
    }
    wrapped(dtype, (POISON * 0x0101_0101_0101_0101).into())
}

/// Returns the identity of a reduction, where it is an integer.
pub(crate) fn integer_identity(combine: Combine, dtype: DType) -> Option<i128> {
    let (low, _) = dtype.integer_range()?;
    Some(match combine {
        Combine::Add => 0,
        Combine::Mul => 1,
        Combine::Max => low,
    })
}

/// Returns the identity of a reduction: 0, 1, or the smallest value.
#[must_use]
pub fn identity(combine: Combine, dtype: DType) -> u64 {
    if let Some(value) = integer_identity(combine, dtype) {
        return wrapped(dtype, value);
    }
    rounded(
        dtype,
        match combine {
            Combine::Add => 0.0,
            Combine::Mul => 1.0,
            Combine::Max => f64::NEG_INFINITY,
        },
    )
}

/// Converts an element. Floats to integers are rounded toward 0 and kept within the type, NaN to 0; integers wrap; floats are rounded to
/// the nearest; a truth value is whether the element is not 0, and NaN is not.
#[must_use]
pub fn cast(from: DType, to: DType, element: u64) -> u64 {
    if from == to {
        return element;
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => rounded(to, float(from, element)),
        (true, false) => {
            let value = float(from, element);
            if to == DType::Bool {
                return u64::from(value != 0.0);
            }
            let (low, high) = to.integer_range().expect("the type is an integer");
            // A conversion of Rust is kept within its type, and is 0 for NaN.
            wrapped(to, (value as i128).clamp(low, high))
        }
        (false, true) => float::of_integer(to, integer(from, element)),
        (false, false) => wrapped(to, integer(from, element)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap() {
        assert_eq!(integer(DType::I8, wrapped(DType::I8, 200)), -56);
        assert_eq!(integer(DType::U8, wrapped(DType::U8, -1)), 255);
        assert_eq!(
            integer(DType::U64, wrapped(DType::U64, -1)),
            i128::from(u64::MAX)
        );
        assert_eq!(
            integer(DType::Index, wrapped(DType::Index, 1 << 63)),
            i128::from(i64::MIN)
        );
        assert_eq!(wrapped(DType::Bool, -4), 1);
    }

    #[test]
    fn floats_become_integers_within_their_type() {
        let integer_of =
            |dtype, value: f64| integer(dtype, cast(DType::F64, dtype, value.to_bits()));
        assert_eq!(integer_of(DType::I8, 300.0), 127);
        assert_eq!(integer_of(DType::I8, -128.9), -128);
        assert_eq!(integer_of(DType::U8, -1.0), 0);
        assert_eq!(integer_of(DType::U64, f64::INFINITY), u64::MAX.into());
        assert_eq!(integer_of(DType::I64, f64::NAN), 0);
        assert_eq!(integer_of(DType::Bool, f64::NAN), 1);
        assert_eq!(integer_of(DType::Bool, -0.0), 0);
    }

    #[test]
    fn unwritten_memory_has_one_byte_everywhere() {
        assert_eq!(poison(DType::I16), 0x5A5A);
        assert_eq!(poison(DType::Bool), 1);
        assert!(float(DType::Bf16, poison(DType::Bf16)).is_nan());
    }

    #[test]
    fn values_of_files_are_not_rounded() {
        assert_eq!(exact(DType::F32, Datum::Float(0.1)), None);
        assert_eq!(exact(DType::F32, Datum::Natural((1 << 24) + 1)), None);
        assert_eq!(
            exact(DType::F32, Datum::Natural(3)),
            Some(3_f32.to_bits().into())
        );
        assert_eq!(exact(DType::F64, Datum::Natural(u64::MAX)), None);
        assert_eq!(exact(DType::U8, Datum::Natural(256)), None);
        assert_eq!(exact(DType::Bool, Datum::Natural(1)), None);
        assert_eq!(
            exact(DType::I8, Datum::Negative(-128)),
            Some(wrapped(DType::I8, -128))
        );
    }
}
