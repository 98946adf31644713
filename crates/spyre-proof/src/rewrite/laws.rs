//! Laws of operations: the combiners of reductions, their neutral numbers, and operations that commute.
//!
//! The table is that of the proof, and shares nothing with the tables of the passes that it checks.

use crate::program::OpKey;

/// How parts of a reduction are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Law {
    /// The operation that combines two parts.
    pub combiner: &'static str,
    /// Whether a term may be there twice: the larger one of a number and itself is the number.
    pub is_idempotent: bool,
    /// Whether an element of a part is a product of elements of two operands: a factor 0 makes it vanish.
    pub is_product: bool,
}

const REDUCTIONS: [(&str, Law); 13] = [
    ("sum", law("add")),
    ("mean", law("add")),
    ("batchmatmul", product()),
    ("matmul", product()),
    ("batchmatmulfp8", product()),
    ("batchmatmulint8", product()),
    ("conv2d", product()),
    ("depthwiseconv2dnative", product()),
    ("max", extremum("maximum")),
    ("min", extremum("minimum")),
    ("absmax", extremum("maximum")),
    ("prod", law("mul")),
    (SCALE, extremum("maximum")),
];

/// `min(max(m, MIN), MAX) * FACTOR` of the largest magnitude `m` of a row. It grows with `m`, since the factor is
/// positive (SpyreOps.td, S34), so the scale of a row is the maximum of the scales of its parts.
const SCALE: &str = "quantscalepertokenfp8";

/// Products of matrices whose factors and result have one type: with one term, each is a multiplication.
const PRODUCTS: [&str; 2] = ["batchmatmul", "matmul"];

const COMMUTATIVE: [&str; 6] = ["add", "mul", "maximum", "minimum", "equal", "notequal"];

const fn law(combiner: &'static str) -> Law {
    Law {
        combiner,
        is_idempotent: false,
        is_product: false,
    }
}

const fn extremum(combiner: &'static str) -> Law {
    Law {
        is_idempotent: true,
        ..law(combiner)
    }
}

const fn product() -> Law {
    Law {
        combiner: "add",
        is_idempotent: false,
        is_product: true,
    }
}

/// Returns the law of a reduction, if its parts can be combined.
pub(super) fn reduction(name: &str) -> Option<Law> {
    let entry = REDUCTIONS.iter().find(|(of, _)| *of == name);
    entry.map(|(_, law)| *law)
}

/// Returns whether parts of a reduction that cores have computed can be combined. The dialect lets loops cut a row that
/// has a scale, and says nothing of cores.
pub(super) fn combines_cores(name: &str) -> bool {
    name != SCALE && reduction(name).is_some()
}

/// Returns whether a reduction is one of its terms: the largest or the least one. Then the reduction of equal terms is the
/// term, however many there are. A reduction to another element type converts as well.
pub(super) fn is_term(key: &OpKey) -> bool {
    matches!(&key.name[..], "max" | "min") && is_plain(key)
}

/// Returns whether an operation has no attributes, and one element type.
fn is_plain(key: &OpKey) -> bool {
    key.attributes.is_empty() && key.elements.windows(2).all(|at| at[0] == at[1])
}

/// Returns the names of the operations that compute the same result as this one where the contraction has one term: a
/// product such as `batchmatmul` equals `mul`, and `mul` equals every product. Returns none for an operation with
/// attributes or several element types.
pub(super) fn of_one_term(key: &OpKey) -> &'static [&'static str] {
    match &key.name[..] {
        _ if !is_plain(key) => &[],
        "mul" => &PRODUCTS,
        name if PRODUCTS.contains(&name) => &["mul"],
        _ => &[],
    }
}

/// Returns whether an operation searches for elements or their positions: no law combines its parts.
pub(super) fn is_search(name: &str) -> bool {
    matches!(name, "topkvalue" | "topkindex")
}

/// Returns whether the operands of an operation of two operands can be exchanged.
pub(super) fn commutes(name: &str) -> bool {
    COMMUTATIVE.contains(&name)
}

/// Returns the number that a sum is multiplied with by an operation of a sum and a constant, `BITS TYPE`, or divided by
/// if it is the right operand of a division: as a fraction.
pub(super) fn factor(name: &str, number: &str) -> Option<(f64, bool)> {
    let value = value(number)?;
    match name {
        "mul" => Some((value, false)),
        "realdiv" => Some((value, true)),
        _ => None,
    }
}

/// Returns the number of a constant, `BITS TYPE`, of a type of floats.
fn value(number: &str) -> Option<f64> {
    let (bits, element) = number.rsplit_once(' ')?;
    let bits = bits.strip_prefix("0x")?;
    match element {
        "f16" => Some(half::f16::from_bits(u16::from_str_radix(bits, 16).ok()?).to_f64()),
        "bf16" => Some(half::bf16::from_bits(u16::from_str_radix(bits, 16).ok()?).to_f64()),
        "f32" => Some(f64::from(f32::from_bits(
            u32::from_str_radix(bits, 16).ok()?,
        ))),
        _ => None,
    }
}

/// Returns the number of a constant, `BITS TYPE`, of a type of floats or integers.
pub(crate) fn number(number: &str) -> Option<f64> {
    value(number).or_else(|| integer(number))
}

/// Returns the number of a constant, `BITS TYPE`, of a type of integers. `i1` has the truth values 0 and 1.
fn integer(number: &str) -> Option<f64> {
    let (bits, element) = number.rsplit_once(' ')?;
    let width: u32 = element.strip_prefix('i')?.parse().ok()?;
    let bits = u64::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?;
    let shift = 64_u32.checked_sub(width).filter(|shift| *shift < 63);
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers beyond 2^53 are named roughly"
    )]
    let number = match shift {
        Some(shift) => (bits << shift).cast_signed() >> shift,
        None => bits.cast_signed(),
    } as f64;
    Some(number)
}

/// Returns whether an operation combines the parts of some reduction.
pub(super) fn combines(name: &str) -> bool {
    REDUCTIONS.iter().any(|(_, law)| law.combiner == name)
}

/// A number of which laws know something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neutral {
    Zero,
    One,
    Least,
    Greatest,
}

/// Returns whether a constant, `BITS TYPE`, is the neutral number of a combiner.
pub(super) fn is_neutral(number: &str, combiner: &str) -> bool {
    let wanted = match combiner {
        "add" => Neutral::Zero,
        "mul" => Neutral::One,
        "maximum" => Neutral::Least,
        "minimum" => Neutral::Greatest,
        _ => return false,
    };
    neutral(number) == Some(wanted)
}

/// Returns whether parts of a reduction are combined from zero on: they are not negative.
pub(super) fn is_magnitude(reduction: &str) -> bool {
    matches!(reduction, "absmax" | SCALE)
}

/// Returns whether a constant, `BITS TYPE`, changes nothing as a term of a reduction. The magnitude of the least number is the
/// greatest one, so that of `absmax` is zero.
pub(super) fn is_neutral_term(number: &str, reduction: &str, law: Law) -> bool {
    match reduction {
        "absmax" | SCALE => is_zero(number),
        _ => is_neutral(number, law.combiner),
    }
}

/// Returns whether a constant, `BITS TYPE`, is the result of a reduction whose terms all change nothing. The scale of a
/// row of zeros is not zero: `min` keeps it from that.
pub(super) fn is_of_no_term(number: &str, reduction: &str, law: Law) -> bool {
    reduction != SCALE && is_neutral_term(number, reduction, law)
}

/// Returns whether a constant is zero, with either sign.
pub(crate) fn is_zero(number: &str) -> bool {
    neutral(number) == Some(Neutral::Zero)
}

fn neutral(number: &str) -> Option<Neutral> {
    let (bits, element) = number.rsplit_once(' ')?;
    // The number of an 8-bit float has the bits of a 64-bit one, after its width.
    let (bits, element) = match bits.rsplit_once(' ') {
        Some((_, bits)) => (bits, "f64"),
        None => (bits, element),
    };
    let bits = u64::from_str_radix(bits.strip_prefix("0x")?, 16).ok()?;
    let of = |zero: u64, one: u64, least: u64, greatest: u64| match bits {
        0 => Some(Neutral::Zero),
        _ if bits == zero => Some(Neutral::Zero),
        _ if bits == one => Some(Neutral::One),
        _ if bits == least => Some(Neutral::Least),
        _ if bits == greatest => Some(Neutral::Greatest),
        _ => None,
    };
    match element {
        "f16" => of(0x8000, 0x3c00, 0xfc00, 0x7c00),
        "bf16" => of(0x8000, 0x3f80, 0xff80, 0x7f80),
        "f32" => of(0x8000_0000, 0x3f80_0000, 0xff80_0000, 0x7f80_0000),
        "f64" => of(
            1 << 63,
            0x3ff0_0000_0000_0000,
            0xfff0_0000_0000_0000,
            0x7ff0_0000_0000_0000,
        ),
        _ => match bits {
            0 => Some(Neutral::Zero),
            1 => Some(Neutral::One),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_numbers_depend_on_combiner_and_type() {
        assert!(is_neutral("0x0000 f16", "add"));
        assert!(
            is_neutral("0x8000 f16", "add"),
            "the sum with -0 changes nothing"
        );
        assert!(!is_neutral("0x0000 f16", "maximum"));
        assert!(is_neutral("0xfc00 f16", "maximum"));
        assert!(
            !is_neutral("0xfc00 bf16", "maximum"),
            "a finite number in this format"
        );
        assert!(is_neutral("0xff80 bf16", "maximum"));
        assert!(is_neutral("0x3f800000 f32", "mul"));
        let absmax = reduction("absmax").expect("it has a law");
        assert!(!is_neutral_term("0xfc00 f16", "absmax", absmax));
        assert!(is_neutral_term("0x0000 f16", "absmax", absmax));
        assert!(is_neutral("f8 0x3ff0000000000000 f8E4M3FN", "mul"));
    }
}
