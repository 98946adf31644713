//! Values that are special, and how they compare.

use half::f16;

pub(crate) const ROWS: u64 = 16;
pub(crate) const COLUMNS: u64 = 128;

/// Zeros, ones, limits, subnormals, infinities, and NaN, among numbers of all sizes.
pub(crate) fn special(count: usize, seed: usize) -> Vec<f32> {
    const VALUES: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        65504.0,
        -65504.0,
        5.960_464_5e-8,
        -6.103_515_6e-5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        0.333_251_95,
        -2.5,
        11.0,
        1e-3,
        3.140_625,
    ];
    let value = |at: usize| match at % 3 {
        0 => VALUES[(at / 3 + seed * 5 + at / 48) % VALUES.len()],
        _ => ((at * 7919 + seed * 131) % 4001) as f32 / 64.0 - 31.0,
    };
    (0..count)
        .map(|at| f16::from_f32(value(at)).to_f32())
        .collect()
}

pub(crate) fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[track_caller]
pub(crate) fn assert_same(actual: &[f32], expected: &[f32], what: &str) {
    assert_eq!(actual.len(), expected.len());
    let wrong = actual.iter().zip(expected).position(|(a, b)| !same(*a, *b));
    if let Some(at) = wrong {
        panic!(
            "{what}: element {at} is {} and not {}",
            actual[at], expected[at]
        );
    }
}
