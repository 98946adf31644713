//! The errors of decompositions in units of the last place, and their agreement with the
//! specification.

use spyre_uop::decompose::{self, Emit};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::Elementwise;
use spyre_uop::schema::Datum;

/// Computes elements at once.
struct Elements;

impl Emit for Elements {
    type Value = (DType, u64);
    type Error = std::convert::Infallible;

    fn dtype(&self, value: &(DType, u64)) -> DType {
        value.0
    }

    fn constant_of(&self, _: &(DType, u64)) -> Option<Datum> {
        None // Elements may be anything.
    }

    fn constant(
        &mut self,
        dtype: DType,
        value: Datum,
        _: &(DType, u64),
    ) -> Result<(DType, u64), Self::Error> {
        Ok((dtype, element::constant(dtype, value)))
    }

    fn elementwise(
        &mut self,
        op: Elementwise,
        operands: &[(DType, u64)],
    ) -> Result<(DType, u64), Self::Error> {
        assert!(
            !decompose::is_decomposable(op, operands[operands.len() - 1].0)
                || op == Elementwise::Div
        );
        let dtype = operands[operands.len() - 1].0;
        let values: Vec<u64> = operands.iter().map(|operand| operand.1).collect();
        if matches!(op, Elementwise::Shl | Elementwise::Shr) {
            let by = element::integer(dtype, values[1]);
            assert!(
                (0..dtype.bits().into()).contains(&by),
                "a shift by {by} is not the same on every machine"
            );
        }
        let result = if op.is_comparison() {
            DType::Bool
        } else {
            dtype
        };
        Ok((result, element::apply(op, dtype, &values)))
    }

    fn cast(&mut self, to: DType, value: &(DType, u64)) -> Result<(DType, u64), Self::Error> {
        if value.0.is_float() && !to.is_float() {
            let (number, (low, high)) = (
                element::float(value.0, value.1),
                to.integer_range().expect("an integer"),
            );
            let fits = low as f64 <= number && number <= high as f64;
            assert!(
                fits,
                "{number} is no {to}, which is not the same on every machine"
            );
        }
        Ok((to, element::cast(value.0, to, value.1)))
    }

    fn bitcast(&mut self, to: DType, value: &(DType, u64)) -> Result<(DType, u64), Self::Error> {
        assert_eq!(value.0.bits(), to.bits());
        let raw = value.1 & (u64::MAX >> (64 - to.bits()));
        let bits = if to.is_float() {
            raw
        } else {
            element::wrapped(to, raw.into())
        };
        Ok((to, bits))
    }
}

/// A division is one operation here, as on every target.
fn division(op: Elementwise, _: DType) -> bool {
    op == Elementwise::Div
}

fn decomposed(op: Elementwise, dtype: DType, operands: &[u64]) -> u64 {
    let operands: Vec<(DType, u64)> = operands.iter().map(|operand| (dtype, *operand)).collect();
    let Ok(result) = decompose::emit(&mut Elements, &division, op, &operands);
    result.1
}

/// Returns the distance from an exact result in units of its last place. Values that are not finite
/// must be equal.
fn distance(dtype: DType, actual: u64, exact: f64) -> f64 {
    let value = element::float(dtype, actual);
    let nearest = element::rounded(dtype, exact);
    let expected = element::float(dtype, nearest);
    if value == expected || (value.is_nan() && exact.is_nan()) {
        if !expected.is_finite() {
            return 0.0;
        }
    } else if !value.is_finite() || !expected.is_finite() {
        return f64::INFINITY;
    }
    // The distance of the neighbours, where the exact result is.
    let (fraction, least) = match dtype {
        DType::F32 => (23, -126),
        DType::F16 => (10, -14),
        DType::Bf16 => (7, -126),
        other => panic!("{other} is not measured"),
    };
    let exponent = exact.abs().log2().floor().max(f64::from(least));
    (value - exact).abs() / 2_f64.powf(exponent - f64::from(fraction))
}

/// A sample of all floats of 32 bits: every exponent, and fractions all over.
fn singles() -> impl Iterator<Item = f32> {
    (0..=u32::MAX / 16_411).map(|step| f32::from_bits(step * 16_411))
}

/// A function that is exact to far more bits than are compared.
type Exact = fn(f64) -> f64;

/// Returns the largest distance of an operation over the selected floats of 32 bits.
fn worst(op: Elementwise, exact_function: Exact, is_asked: impl Fn(f64, f64) -> bool) -> f64 {
    let mut worst = (0.0, 0.0);
    let mut count = 0;
    for x in singles() {
        let exact = exact_function(x.into());
        if !is_asked(x.into(), exact) {
            continue; // Another row of the table.
        }
        count += 1;
        let actual = decomposed(op, DType::F32, &[x.to_bits().into()]);
        let far = distance(DType::F32, actual, exact);
        if far > worst.0 {
            worst = (far, x.into());
        }
    }
    assert!(count > 400, "{count}");
    println!("{op:?}: {:.3} ulp at {:e} of {count}", worst.0, worst.1);
    worst.0
}

// The numbers are from the specification, section 2.4, for separate products and sums, over all
// floats of 32 bits.

#[test]
fn powers_of_two_are_within_the_table() {
    let normal = f64::from(f32::MIN_POSITIVE);
    assert!(
        worst(Elementwise::Exp2, f64::exp2, |_, exact| exact >= normal
            || exact.is_nan())
            <= 1.08
    );
    assert!(worst(Elementwise::Exp2, f64::exp2, |_, exact| exact < normal) <= 0.88);
}

#[test]
fn logarithms_are_within_the_table() {
    let near = |x: f64| 0.5 < x && x < 2.0;
    let small = |x: f64| 0.0 < x && x < f64::from(f32::MIN_POSITIVE);
    assert!(worst(Elementwise::Log2, f64::log2, |x, _| !near(x)) <= 1.73);
    assert!(worst(Elementwise::Log2, f64::log2, |x, _| near(x)) <= 3.88);
    assert!(worst(Elementwise::Log2, f64::log2, |x, _| small(x)) <= 1.0);
    // A negative subnormal number has no logarithm.
    let actual = decomposed(Elementwise::Log2, DType::F32, &[0x8000_0001]);
    assert!(element::float(DType::F32, actual).is_nan());
}

#[test]
fn sines_are_within_the_table() {
    assert!(
        worst(Elementwise::Sin, f64::sin, |x, _| x.abs() < 30.0
            || x.is_nan())
            <= 2.89
    );
    assert!(worst(Elementwise::Sin, f64::sin, |x, _| x.abs() >= 30.0) <= 2.74);
    // The worst angles: near multiples of pi.
    for multiple in 1..200_000_u32 {
        let angle = (f64::from(multiple) * std::f64::consts::PI) as f32;
        let actual = decomposed(Elementwise::Sin, DType::F32, &[angle.to_bits().into()]);
        assert!(
            distance(DType::F32, actual, f64::from(angle).sin()) <= 2.89,
            "{angle:e}"
        );
    }
}

#[test]
fn roots_are_within_the_table() {
    let subnormal = |x: f64| x < f64::from(f32::MIN_POSITIVE);
    assert!(worst(Elementwise::Sqrt, f64::sqrt, |x, _| !subnormal(x)) <= 43.9);
    assert!(worst(Elementwise::Sqrt, f64::sqrt, |x, _| subnormal(x)) <= 87.0);
}

#[test]
fn floats_of_16_bits_are_rounded_once() {
    let ops: [(Elementwise, Exact, f64); 4] = [
        (Elementwise::Exp2, f64::exp2, 0.5001),
        (Elementwise::Log2, f64::log2, 0.5001),
        (Elementwise::Sqrt, f64::sqrt, 0.5001),
        (Elementwise::Sin, f64::sin, 0.953),
    ];
    for (op, exact_function, most) in ops {
        for dtype in [DType::F16, DType::Bf16] {
            let mut worst = 0.0_f64;
            for bits in 0..=u64::from(u16::MAX) {
                let exact = exact_function(element::float(dtype, bits));
                worst = worst.max(distance(dtype, decomposed(op, dtype, &[bits]), exact));
            }
            println!("{op:?} {dtype}: {worst:.4} ulp");
            assert!(worst <= most, "{op:?} {dtype}: {worst}");
        }
    }
}

#[test]
fn floats_of_64_bits_are_near() {
    let ops: [(Elementwise, Exact); 3] = [
        (Elementwise::Exp2, f64::exp2),
        (Elementwise::Log2, f64::log2),
        (Elementwise::Sqrt, f64::sqrt),
    ];
    for (op, exact_function) in ops {
        let mut worst = 0.0_f64;
        for step in 0..1_u64 << 16 {
            let x = f64::from_bits(step.wrapping_mul(0x0000_4001_0000_5bd1));
            let actual = element::float(DType::F64, decomposed(op, DType::F64, &[x.to_bits()]));
            let exact = exact_function(x);
            if actual == exact || (actual.is_nan() && exact.is_nan()) {
                continue; // There is no distance.
            }
            assert!(
                actual.is_finite() && exact.is_finite(),
                "{op:?} {x:e}: {actual:e} {exact:e}"
            );
            worst = worst.max((actual - exact).abs() / exact.abs().max(f64::MIN_POSITIVE));
        }
        println!("{op:?} f64: {worst:e}");
        let most = if op == Elementwise::Sqrt {
            3e-13
        } else {
            2e-15
        };
        assert!(worst <= most, "{op:?}: {worst:e}");
    }
}

#[test]
fn powers_are_within_the_table() {
    let pow = |a: f32, b: f32| {
        let operands = [a.to_bits().into(), b.to_bits().into()];
        decomposed(Elementwise::Pow, DType::F32, &operands)
    };
    let rows: [([f64; 2], [f64; 2], f64); 2] = [
        ([0.5, 2.0], [-8.0, 8.0], 11.5),
        ([1e-3, 1e3], [-10.0, 10.0], 153.0),
    ];
    for ([least, most], [from, to], ulp) in rows {
        let mut worst = 0.0_f64;
        for step in 0..1_u64 << 16 {
            let part = |by: u64| (step.wrapping_mul(by) >> 40) as f64 / f64::from(1 << 24);
            let a = (least + (most - least) * part(0x9E37_79B9_7F4A_7C15)) as f32;
            let b = (from + (to - from) * part(0xD1B5_4A32_D192_ED03)) as f32;
            let exact = f64::from(a).powf(b.into());
            if exact.abs() < f64::from(f32::MIN_POSITIVE) || exact > f64::from(f32::MAX) {
                continue; // The table has normal results.
            }
            worst = worst.max(distance(DType::F32, pow(a, b), exact));
        }
        println!("Pow: {worst:.2} ulp of {ulp}");
        assert!(worst <= ulp, "{worst}");
    }
}

#[test]
fn special_powers_are_those_of_c() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        3.0,
        -3.0,
        1.5,
        -1.5,
        16_777_215.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for dtype in [DType::F32, DType::F64, DType::F16] {
        for a in values {
            for b in values {
                let operands = [element::rounded(dtype, a), element::rounded(dtype, b)];
                let (x, y) = (
                    element::float(dtype, operands[0]),
                    element::float(dtype, operands[1]),
                );
                let expected = element::float(dtype, element::rounded(dtype, x.powf(y)));
                let actual = element::float(dtype, decomposed(Elementwise::Pow, dtype, &operands));
                let near = actual == expected || (actual - expected).abs() <= 1e-5 * expected.abs();
                let same_sign = actual.is_sign_negative() == expected.is_sign_negative();
                let same = (actual.is_nan() && expected.is_nan()) || (near && same_sign);
                assert!(
                    same,
                    "{dtype}: {x} to the power of {y} is {actual}, and not {expected}"
                );
            }
        }
    }
}

#[test]
fn special_values_are_kept() {
    use Elementwise as E;
    for dtype in [DType::F16, DType::Bf16, DType::F32, DType::F64] {
        let apply = |op, x: f64| {
            let actual = [element::rounded(dtype, x)];
            let value_of = |bits| element::float(dtype, bits);
            (
                value_of(decomposed(op, dtype, &actual)),
                value_of(element::apply(op, dtype, &actual)),
            )
        };
        for x in [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e300,
            -1e300,
        ] {
            for op in [E::Exp2, E::Log2, E::Sqrt, E::Sin] {
                if !decompose::is_decomposable(op, dtype) {
                    continue; // It is kept.
                }
                if matches!(op, E::Sqrt | E::Log2) && x == 1e300 && dtype == DType::F64 {
                    continue; // It is finite, and near.
                }
                let (actual, expected) = apply(op, x);
                let near = (actual - expected).abs() <= 1e-6;
                assert!(
                    actual == expected || near || (actual.is_nan() && expected.is_nan()),
                    "{op:?} {dtype} {x}: {actual} {expected}"
                );
            }
        }
    }
}

#[test]
fn random_bits_are_the_same() {
    for step in 0..5000_u64 {
        let operands = [
            step.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            step.wrapping_mul(0xD1B5_4A32_D192_ED03),
        ];
        let actual = decomposed(Elementwise::Threefry, DType::U64, &operands);
        assert_eq!(actual, element::threefry(operands[0], operands[1]));
    }
    assert_eq!(
        decomposed(Elementwise::Threefry, DType::U64, &[0, 0]),
        0x99BA_4EFE_6B20_0159
    );
}

#[test]
fn exact_operations_are_the_same() {
    use Elementwise as E;
    let values = [
        0_u64,
        1,
        2,
        3,
        0x3C00,
        0x7C00,
        0x7E00,
        0x8000,
        0xBC00,
        0xFFFF,
        0x7FFF,
        0x0001_0000,
        u64::MAX,
    ];
    let ops = [
        E::Neg,
        E::Not,
        E::Sub,
        E::CmpEq,
        E::CmpGt,
        E::CmpGe,
        E::CmpLe,
        E::Mulacc,
    ];
    for dtype in DType::ALL {
        let reference = |bits: u64| match dtype {
            DType::Bool => bits & 1,
            _ if dtype.is_float() => bits & (u64::MAX >> (64 - dtype.bits())),
            _ => element::wrapped(dtype, bits.into()),
        };
        for op in ops {
            if !op.domain().contains(dtype) {
                continue; // It does not take the type.
            }
            for a in values {
                for b in values {
                    let operands = [reference(a), reference(b), reference(a ^ b)];
                    let operands = &operands[..op.arity()];
                    let (one, two) = (
                        decomposed(op, dtype, operands),
                        element::apply(op, dtype, operands),
                    );
                    let is_nan = |bits| {
                        dtype.is_float()
                            && !op.is_comparison()
                            && element::float(dtype, bits).is_nan()
                    };
                    assert!(
                        one == two || (is_nan(one) && is_nan(two)),
                        "{op:?} {dtype} {operands:x?}: {one:x} {two:x}"
                    );
                }
            }
        }
    }
}
