//! The attributes of operations, and the elements of constants.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};

use crate::tensor::{Element, TensorType, element_type};

/// An element of a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Float(f64),
    Integer(i64),
}

impl Number {
    /// Returns a number as an element of a type, rounded if it is a float; `None` for one that is no integer of the
    /// type, and for a finite one that is beyond the largest float of the type after rounding. An infinity is an
    /// element of a type that has infinities.
    pub(crate) fn of(value: f64, element: Element) -> Option<Self> {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        let range = match element {
            Element::Bool => 0.0..2.0,
            Element::I8 => -power(7)..power(7),
            Element::I32 => -power(31)..power(31),
            Element::I64 => -power(63)..power(63),
            _ => {
                let limit = Self::beyond(element)?;
                let is_element = match element {
                    // It has no infinity. Its largest element is even, so the number at the limit rounds to it.
                    Element::F8E4M3 => value.is_nan() || value.abs() <= limit,
                    _ => !value.is_finite() || value.abs() < limit,
                };
                return is_element.then_some(Self::Float(value));
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "an integer in the range")]
        let integer = || value as i64;
        let is_integer = value.trunc() == value && range.contains(&value);
        is_integer.then(|| Self::Integer(integer()))
    }

    /// Returns the number halfway from the largest float of a type to the next one with as many bits of fraction;
    /// `None` for a type that is no float of a graph.
    fn beyond(element: Element) -> Option<f64> {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        match element {
            Element::F16 => Some(65_520.0),
            Element::Bf16 => Some(power(128) - power(119)),
            Element::F32 => Some(power(128) - power(103)),
            Element::F8E4M3 => Some(464.0),
            Element::F8E5M2 => Some(61_440.0),
            _ => None,
        }
    }
}

/// Builds the attributes of operations.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'p> {
    pub(crate) context: &'p Context,
}

impl<'p> Attributes<'p> {
    /// Returns dimensions as an attribute.
    pub(crate) fn dims(self, dims: &[usize]) -> Attribute<'p> {
        let dims: Vec<i64> = dims.iter().map(|dim| dim.cast_signed() as i64).collect();
        DenseI64ArrayAttribute::new(self.context, &dims).into()
    }

    /// Returns a float of 64 bits.
    pub(crate) fn f64(self, value: f64) -> Attribute<'p> {
        FloatAttribute::new(self.context, Type::float64(self.context), value).into()
    }

    /// Returns a mark.
    pub(crate) fn unit(self) -> Attribute<'p> {
        Attribute::unit(self.context)
    }

    /// Returns an integer of 64 bits.
    pub(crate) fn i64(self, value: usize) -> Attribute<'p> {
        let ty = IntegerType::new(self.context, 64).into();
        IntegerAttribute::new(ty, value.cast_signed() as i64).into()
    }

    /// Returns the elements of a tensor that are all one number.
    pub(crate) fn splat(self, ty: &TensorType, value: Number) -> Attribute<'p> {
        let element = element_type(self.context, ty.element);
        let value: Attribute<'p> = match value {
            Number::Float(value) => FloatAttribute::new(self.context, element, value).into(),
            Number::Integer(value) => IntegerAttribute::new(element, value).into(),
        };
        let values = DenseElementsAttribute::new(ty.to_mlir(self.context), &[value]);
        values.expect("a number fills a tensor").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_or_refused() {
        assert_eq!(Number::of(1.5, Element::F16), Some(Number::Float(1.5)));
        assert_eq!(Number::of(-3.0, Element::I8), Some(Number::Integer(-3)));
        assert_eq!(Number::of(1.0, Element::Bool), Some(Number::Integer(1)));
        assert_eq!(
            Number::of(-(2.0_f64.powi(63)), Element::I64),
            Some(Number::Integer(i64::MIN))
        );
        for (value, element) in [
            (2.0_f64.powi(63), Element::I64),
            (2.0_f64.powi(31), Element::I32),
            (1.5, Element::I32),
            (128.0, Element::I8),
            (2.0, Element::Bool),
            (f64::NAN, Element::I64),
        ] {
            assert_eq!(Number::of(value, element), None, "{value} {element}");
        }
    }

    #[test]
    fn floats_round_to_a_number_or_are_refused() {
        for (largest, beyond, element) in [
            (65_519.9, 65_520.0, Element::F16),
            (3.394e38, 3.397e38, Element::Bf16),
            (f64::from(f32::MAX), 3.402_823_6e38, Element::F32),
            (464.0, 464.5, Element::F8E4M3),
            (61_439.0, 61_440.0, Element::F8E5M2),
        ] {
            for (largest, beyond) in [(largest, beyond), (-largest, -beyond)] {
                let number = Number::of(largest, element);
                assert_eq!(number, Some(Number::Float(largest)), "{element}");
                assert_eq!(Number::of(beyond, element), None, "{element}");
            }
            assert!(Number::of(f64::NAN, element).is_some(), "{element}");
            let has_infinity = element != Element::F8E4M3;
            let infinity = Number::of(f64::INFINITY, element);
            assert_eq!(infinity.is_some(), has_infinity, "{element}");
        }
    }
}
