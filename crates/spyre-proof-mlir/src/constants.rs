//! The names of constants: equal names, equal contents.

use std::hash::{DefaultHasher, Hasher};

use half::{bf16, f16};
use melior::ir::{Attribute, Type};
use spyre_dialects::attr;
use spyre_mlir_rt::ir;

/// Returns the name of a constant tensor of an element type: the bits of the number that all elements have, such as
/// `0x3c00`, or, where they differ, a digest of 128 bits of the elements.
///
/// The number of an 8-bit float has the bits of a 64-bit float, after `f8 `. `None` for an attribute that has no
/// elements, such as a resource that the module lacks.
pub(crate) fn name(value: Attribute<'_>, element: Type<'_>) -> Option<String> {
    if let Some(value) = attr::splat(value) {
        return number(value, element);
    }
    let bytes = attr::dense_bytes(value)?;
    let digest = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        hasher.write(&bytes);
        hasher.finish()
    };
    let (first, second) = (digest(0), digest(1));
    Some(format!("{} bytes {first:016x}{second:016x}", bytes.len()))
}

/// Returns the bits of a number.
fn number(value: Attribute<'_>, element: Type<'_>) -> Option<String> {
    let bits = ir::bits(element)?;
    if let Some(integer) = attr::integer(value) {
        let mask = u64::MAX >> (64 - bits.clamp(1, 64));
        return Some(format!("{:#x}", integer.cast_unsigned() & mask));
    }
    let number = attr::number(value)?;
    Some(match bits {
        16 if ir::is_bf16(element) => format!("{:#06x}", bf16::from_f64(number).to_bits()),
        16 => format!("{:#06x}", f16::from_f64(number).to_bits()),
        32 => {
            #[expect(clippy::cast_possible_truncation, reason = "a number of 32 bits")]
            let number = number as f32;
            format!("{:#010x}", number.to_bits())
        }
        _ => format!("f{bits} {:#018x}", number.to_bits()),
    })
}
