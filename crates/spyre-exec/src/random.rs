//! Tensors from a seed.
//!
//! The same seed gives the same tensors on every machine and in every version. Without special values, floats are
//! uniform over the multiples of 1/256 from -2 to 2, rounded to the element type; integers are uniform from -8 to 8;
//! truth values are fair coins. With special values, about one element in eight is, uniformly, one of the following:
//! +0, -0, 1, -1, the infinities, NaN, the largest and the smallest number, the smallest normal and the smallest
//! subnormal number of either sign; or for integers 0, 1, -1 and the two extremes. Integers are uniform up to their
//! bound. Floats within a power of two are floats without special values, times half of it.

use half::{bf16, f16};

use crate::array::Array;
use crate::{DType, TensorType};

/// The distribution of the values of a random tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distribution {
    /// Small numbers of both signs.
    #[default]
    Plain,
    /// Small numbers of both signs, with some special values among them.
    WithSpecialValues,
    /// Floats as in `Plain`, but scaled to at most this magnitude. Weights of this distribution keep sums of many
    /// products in range.
    Within(PowerOfTwo),
    /// Integers of at most this magnitude that the element type and `f32` can represent, in float tensors as well. Sums of few of
    /// them are exact.
    Integers(u32),
    /// Integers from 0 to this bound, which is excluded: indices.
    Indices(u32),
}

/// A power of two from 2^-15 to 2^15, which every float type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerOfTwo(i32);

impl PowerOfTwo {
    /// Returns the power of two that a number is; `None` for other numbers and for powers out of range.
    #[must_use]
    pub fn new(value: f32) -> Option<Self> {
        (-15..=15).map(Self).find(|power| power.value() == value)
    }

    /// Returns the value as a float.
    #[must_use]
    pub fn value(self) -> f32 {
        2.0_f32.powi(self.0)
    }
}

/// The numbers of a SplitMix64 sequence. Its definition is one line of arithmetic, so tensors are the same in all
/// versions, which libraries do not guarantee.
#[derive(Debug, Clone)]
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, from the upper 32 bits of the next number of the sequence. `bound` is mostly far below
    /// 2^32, so the bias is small.
    fn below(&mut self, bound: u32) -> u32 {
        let upper = self.next() >> 32;
        // Below `bound`, hence in range.
        u32::try_from((upper * u64::from(bound)) >> 32).unwrap_or(0)
    }
}

/// Returns the bits, sign and magnitude, of special float number `which`, for a format with these numbers of exponent and
/// mantissa bits.
fn special_float(which: u32, exponent_bits: u32, mantissa_bits: u32) -> u32 {
    let infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
    let one = ((1 << (exponent_bits - 1)) - 1) << mantissa_bits;
    let sign = (which % 2) << (exponent_bits + mantissa_bits);
    let magnitude = match which / 2 {
        0 => 0,
        1 => one,
        2 => infinity,
        // Quiet.
        3 => infinity | 1 << (mantissa_bits - 1),
        4 => infinity - 1,
        5 => 1 << mantissa_bits,
        _ => 1,
    };
    sign | magnitude
}

/// The largest magnitude of the plain floats.
const PLAIN_MAGNITUDE: f32 = 2.0;
/// Number of special floats, of both signs.
const SPECIAL_FLOATS: u32 = 14;
/// Number of special integers.
const SPECIAL_INTEGERS: u32 = 5;

/// Returns a random tensor of this type; `None` when it does not fit into memory. Tensors of one seed and different `stream`s,
/// for example the arguments of a function, are unrelated.
#[must_use]
pub fn tensor(
    ty: &TensorType,
    distribution: Distribution,
    seed: u64,
    stream: u64,
) -> Option<Array> {
    // Neighbouring seeds and streams start far apart.
    let start = Numbers(seed).next() ^ Numbers(stream.wrapping_add(1)).next().rotate_left(17);
    let mut numbers = Numbers(start);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(ty.byte_count()?).ok()?;
    if let Distribution::Integers(bound) = distribution
        && ty.element != DType::Bool
    {
        return integers(ty, bound.min(largest(ty.element)), &mut numbers);
    }
    if let Distribution::Indices(bound) = distribution {
        let count = ty.element_count()?;
        let values: Vec<i64> = (0..count).map(|_| numbers.below(bound).into()).collect();
        return Array::from_i64s(ty.element, &ty.shape, &values).ok();
    }
    let largest = match distribution {
        Distribution::Within(largest) => largest.value(),
        _ => PLAIN_MAGNITUDE,
    };
    for _ in 0..ty.element_count()? {
        let special = distribution == Distribution::WithSpecialValues && numbers.below(8) == 0;
        element(&mut bytes, ty.element, largest, special, &mut numbers);
    }
    Array::new(ty.element, &ty.shape, bytes).ok()
}

/// Returns the largest integer `n`, at most 2^24, such that the element type can represent all integers from 0 to `n`.
fn largest(dtype: DType) -> u32 {
    match dtype {
        DType::Bool => 1,
        DType::I8 => 127,
        DType::Bf16 => 1 << 8,
        DType::F16 => 1 << 11,
        DType::I16 => i16::MAX as u32,
        DType::F32 | DType::F64 | DType::I32 | DType::I64 => 1 << 24,
    }
}

/// Returns a tensor of integers of at most this magnitude, all of which the element type has; `None` when it does not fit into
/// memory.
fn integers(ty: &TensorType, bound: u32, numbers: &mut Numbers) -> Option<Array> {
    let mut next = || i64::from(numbers.below(2 * bound + 1)) - i64::from(bound);
    let count = ty.element_count()?;
    let array = match ty.element {
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => {
            #[expect(clippy::cast_precision_loss, reason = "at most 2^24")]
            let values: Vec<f32> = (0..count).map(|_| next() as f32).collect();
            Array::from_f32s(ty.element, &ty.shape, &values)
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::Bool => {
            let values: Vec<i64> = (0..count).map(|_| next()).collect();
            Array::from_i64s(ty.element, &ty.shape, &values)
        }
    };
    array.ok()
}

/// Appends one element; floats that are not special are of at most the magnitude `largest`.
fn element(bytes: &mut Vec<u8>, dtype: DType, largest: f32, special: bool, numbers: &mut Numbers) {
    let integer = |special: bool, numbers: &mut Numbers, min: i64, max: i64| {
        if !special {
            return i64::from(numbers.below(17)) - 8;
        }
        match numbers.below(SPECIAL_INTEGERS) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => min,
            _ => max,
        }
    };
    match dtype {
        DType::Bool => bytes.push(u8::from(numbers.below(2) == 1)),
        DType::I8 => {
            let value = integer(special, numbers, i8::MIN.into(), i8::MAX.into());
            bytes.extend((value as i8).to_ne_bytes());
        }
        DType::I16 => {
            let value = integer(special, numbers, i16::MIN.into(), i16::MAX.into());
            bytes.extend((value as i16).to_ne_bytes());
        }
        DType::I32 => {
            let value = integer(special, numbers, i32::MIN.into(), i32::MAX.into());
            bytes.extend((value as i32).to_ne_bytes());
        }
        DType::I64 => {
            bytes.extend(integer(special, numbers, i64::MIN, i64::MAX).to_ne_bytes());
        }
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 if special => {
            let which = numbers.below(SPECIAL_FLOATS);
            match dtype {
                DType::F16 => bytes.extend((special_float(which, 5, 10) as u16).to_ne_bytes()),
                DType::Bf16 => bytes.extend((special_float(which, 8, 7) as u16).to_ne_bytes()),
                DType::F64 => {
                    let value = f32::from_bits(special_float(which, 8, 23));
                    bytes.extend(f64::from(value).to_ne_bytes());
                }
                _ => bytes.extend(special_float(which, 8, 23).to_ne_bytes()),
            }
        }
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => {
            let plain = (f64::from(numbers.below(1025)) / 256.0 - 2.0) as f32;
            let value = plain * (largest / PLAIN_MAGNITUDE);
            match dtype {
                DType::F16 => bytes.extend(f16::from_f32(value).to_ne_bytes()),
                DType::Bf16 => bytes.extend(bf16::from_f32(value).to_ne_bytes()),
                DType::F64 => bytes.extend(f64::from(value).to_ne_bytes()),
                _ => bytes.extend(value.to_ne_bytes()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Scalar;

    fn sample(element: DType, distribution: Distribution, seed: u64) -> Array {
        let shape = vec![128, 128];
        tensor(&TensorType { element, shape }, distribution, seed, 0).unwrap()
    }

    #[test]
    fn the_sequence_is_fixed() {
        // The first numbers of SplitMix64 for the seed 0, from its reference implementation.
        let mut numbers = Numbers(0);
        assert_eq!(numbers.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(numbers.next(), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(numbers.next(), 0x06C4_5D18_8009_454F);
    }

    #[test]
    fn indices_are_below_their_bound() {
        let array = sample(DType::I32, Distribution::Indices(5), 1);
        let mut values: Vec<f64> = array.elements().map(Scalar::to_f64).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn plain_values_are_small_and_both_signs() {
        for dtype in DType::ALL {
            let array = sample(dtype, Distribution::Plain, 1);
            let values: Vec<f64> = array.elements().map(Scalar::to_f64).collect();
            let bound = match dtype {
                DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => 2.0,
                DType::Bool => 1.0,
                _ => 8.0,
            };
            assert!(values.iter().all(|x| x.abs() <= bound), "{dtype}");
            assert!(values.contains(&bound), "{dtype}");
            assert!(dtype == DType::Bool || values.contains(&-bound), "{dtype}");
            // A fair source is within 0.02 bounds of the middle, by more than four standard deviations.
            let middle = if dtype == DType::Bool { 0.5 } else { 0.0 };
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean - middle).abs() < 0.02 * bound, "{dtype}: {mean}");
        }
    }

    #[test]
    fn a_bound_scales_floats_and_no_integers() {
        let eighth = PowerOfTwo::new(0.125).unwrap();
        for dtype in [DType::F16, DType::Bf16, DType::F32] {
            let plain = sample(dtype, Distribution::Plain, 3);
            let small = sample(dtype, Distribution::Within(eighth), 3);
            for (plain, small) in plain.elements().zip(small.elements()) {
                assert_eq!(plain.to_f64() / 16.0, small.to_f64(), "{dtype}");
            }
        }
        assert_eq!(
            sample(DType::I32, Distribution::Plain, 3),
            sample(DType::I32, Distribution::Within(eighth), 3)
        );
    }

    #[test]
    fn powers_of_two_are_recognised() {
        for value in [1.0, 0.25, 2.0_f32.powi(-15), 32768.0] {
            assert_eq!(PowerOfTwo::new(value).map(PowerOfTwo::value), Some(value));
        }
        for value in [0.0, 0.3, -1.0, 65536.0, 2.0_f32.powi(-16), f32::NAN] {
            assert_eq!(PowerOfTwo::new(value), None, "{value}");
        }
    }

    #[test]
    fn special_values_are_all_there() {
        let values = |dtype| {
            let array = sample(dtype, Distribution::WithSpecialValues, 2);
            array.elements().collect::<Vec<_>>()
        };
        let f16s = values(DType::F16);
        for bits in [
            0x0000_u16, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7BFF, 0xFBFF, 0x0400, 0x8400,
            0x0001, 0x8001,
        ] {
            let wanted = Scalar::F16(f16::from_bits(bits)).rank();
            assert!(f16s.iter().any(|x| x.rank() == wanted), "{bits:#x}");
        }
        assert!(f16s.iter().any(|x| x.is_nan()));
        let f32s = values(DType::F32);
        for value in [f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert!(f32s.contains(&Scalar::F32(value)), "{value}");
        }
        let integers = values(DType::I32);
        for value in [i32::MIN, i32::MAX, 0, 1, -1] {
            assert!(integers.contains(&Scalar::Int(value.into())), "{value}");
        }
    }

    #[test]
    fn what_does_not_fit_is_no_tensor() {
        for shape in [vec![1 << 60], vec![usize::MAX, 2]] {
            let ty = TensorType {
                element: DType::F32,
                shape,
            };
            assert_eq!(tensor(&ty, Distribution::Plain, 0, 0), None, "{ty}");
        }
    }

    #[test]
    fn seeds_and_streams_differ() {
        let ty = TensorType {
            element: DType::F32,
            shape: vec![64],
        };
        let tensor_of = |seed, stream| tensor(&ty, Distribution::Plain, seed, stream).unwrap();
        assert_eq!(tensor_of(1, 0), tensor_of(1, 0));
        for (a, b) in [((1, 0), (2, 0)), ((1, 0), (1, 1)), ((1, 0), (0, 1))] {
            assert_ne!(tensor_of(a.0, a.1), tensor_of(b.0, b.1), "{a:?} {b:?}");
        }
    }
}
