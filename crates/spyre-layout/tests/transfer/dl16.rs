//! DL16 against the definition of the format, over all codes.

use half::f16;
use spyre_layout::Dl16;

/// The number of a code below NaN, by the definition: `2^(e - 31) * (1 + f / 512)`, and 0.
fn value(code: u16) -> f64 {
    let (exponent, fraction) = (i32::from(code >> 9), f64::from(code & 0x1FF));
    if code == 0 {
        return 0.0;
    }
    2f64.powi(exponent - 31) * (1.0 + fraction / 512.0)
}

#[test]
fn samples_of_the_specification() {
    for (number, code) in [
        (0.0, 0),
        (2f64.powi(-8), 11776),
        (1e-5, 7327),
        (1.0 / 2880.0, 9944),
        (1.0, 31 << 9),
        (f64::INFINITY, 0x7FFF),
        (f64::NEG_INFINITY, 0xFFFF),
    ] {
        assert_eq!(Dl16::from_f64(number).to_bits(), code, "{number}");
        assert_eq!(Dl16::from_f32(number as f32).to_bits(), code, "{number}");
    }
}

#[test]
fn limits() {
    assert_eq!(Dl16::MAX.to_f64(), 2f64.powi(33) - 2f64.powi(24));
    assert_eq!(Dl16::MIN_POSITIVE.to_f64(), 2f64.powi(-31) + 2f64.powi(-40));
    assert_eq!(Dl16::ONE.to_f32(), 1.0);
    assert_eq!(Dl16::ZERO.to_f32().to_bits(), 0);
    assert_eq!(Dl16::MAX.to_bits(), 0x7FFE);
    assert_eq!(Dl16::NAN.to_bits(), 0x7FFF);
    assert!(Dl16::NAN.to_f32().is_nan());
    assert_eq!(Dl16::default(), Dl16::ZERO);
}

#[test]
fn every_code_is_its_number_and_comes_back() {
    for bits in 0..=u16::MAX {
        let number = Dl16::from_bits(bits);
        let magnitude = bits & 0x7FFF;
        let sign = if bits == magnitude { 1.0 } else { -1.0 };
        if magnitude == 0x7FFF {
            // Infinity and NaN are one code, which counts as NaN wherever it is read.
            assert!(number.to_f64().is_nan() && number.to_f16().is_nan());
            assert_eq!(number.to_f32().is_sign_negative(), sign < 0.0);
        } else {
            let expected = sign * value(magnitude);
            assert_eq!(number.to_f64().to_bits(), expected.to_bits(), "{bits:#06x}");
        }
        assert_eq!(number.is_nan(), magnitude == 0x7FFF);
        assert_eq!(number.is_zero(), magnitude == 0);
        assert_eq!(Dl16::from_f32(number.to_f32()).to_bits(), bits);
        assert_eq!(Dl16::from_f64(number.to_f64()).to_bits(), bits);
    }
}

/// Between two neighbouring codes, numbers go to the nearer one, and the middle to the even one.
#[test]
fn rounding_is_to_nearest_even() {
    for code in 0..0x7FFEu16 {
        let (low, high) = (value(code.max(1)), value(code + 1));
        // Below the first code the grid continues as if 0 were 2^-31.
        let low = if code == 0 { 2f64.powi(-31) } else { low };
        let middle = (low + high) / 2.0;
        let even = code + (code & 1);
        for (number, expected) in [
            (low, code),
            (low + (middle - low) * 0.99, code),
            (middle, even),
            (middle + (high - middle) * 0.01, code + 1),
            (high, code + 1),
        ] {
            assert_eq!(Dl16::from_f64(number).to_bits(), expected, "{number}");
            assert_eq!(
                Dl16::from_f64(-number).to_bits(),
                0x8000 | expected,
                "{number}"
            );
            assert_eq!(
                Dl16::from_f32(number as f32).to_bits(),
                expected,
                "{number}"
            );
        }
        // A way through f32 would round these twice.
        let nearly = f64::from_bits(middle.to_bits() - 1);
        assert_eq!(Dl16::from_f64(nearly).to_bits(), code);
        let nearly = f64::from_bits(middle.to_bits() + 1);
        assert_eq!(Dl16::from_f64(nearly).to_bits(), code + 1);
    }
}

#[test]
fn what_does_not_fit() {
    for (number, code) in [
        // The last step is 2^23 wide, and 0x7FFE is even.
        (2f32.powi(33) - 3.0 * 2f32.powi(22), 0x7FFE),
        ((2f32.powi(33) - 3.0 * 2f32.powi(22)).next_up(), 0x7FFF),
        (f32::MAX, 0x7FFF),
        (-f32::MAX, 0xFFFF),
        (f32::NAN, 0x7FFF),
        (2f32.powi(-31), 0),
        (f32::MIN_POSITIVE, 0),
        (f32::from_bits(1), 0),
        (-f32::from_bits(1), 0x8000),
        (-0.0, 0x8000),
    ] {
        assert_eq!(Dl16::from_f32(number).to_bits(), code, "{number}");
        assert_eq!(Dl16::from_f64(number.into()).to_bits(), code, "{number}");
    }
    assert_eq!(Dl16::from_f32(-f32::NAN).to_bits(), 0xFFFF);
    assert_eq!(Dl16::from_f64(5e-324).to_bits(), 0);
    assert_eq!(Dl16::from_f64(f64::MAX).to_bits(), 0x7FFF);
}

/// All `f16` there and back: identity, but for infinity, NaN and the lowest fraction bit.
#[test]
fn every_f16_there_and_back() {
    let mut identical = 0;
    for bits in 0..=u16::MAX {
        let number = f16::from_bits(bits);
        let there = Dl16::from_f16(number);
        assert_eq!(there, Dl16::from_f32(number.to_f32()), "{bits:#06x}");
        let back = there.to_f16();
        let magnitude = bits & 0x7FFF;
        if !number.is_finite() {
            assert_eq!(back.to_bits(), (bits & 0x8000) | 0x7E00);
        } else if magnitude < 0x400 || bits & 1 == 0 {
            assert_eq!(back.to_bits(), bits);
            identical += 1;
        } else {
            // A tie, rounded to the neighbour with 0 in the last but one bit: of the largest number, to
            // infinity.
            let rounded = if bits & 2 == 0 { bits - 1 } else { bits + 1 };
            assert_eq!(back.to_bits(), rounded);
        }
    }
    // Both signs: subnormal ones, and half of the normal ones.
    assert_eq!(identical, 2 * (0x400 + (0x7C00 - 0x400) / 2));
}

#[test]
fn every_code_as_f16() {
    for bits in 0..=u16::MAX {
        let number = Dl16::from_bits(bits);
        assert_eq!(
            number.to_f16().to_bits(),
            f16::from_f32(number.to_f32()).to_bits(),
            "{bits:#06x}"
        );
    }
}
