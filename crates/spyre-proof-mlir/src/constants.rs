//! Constants: equal names, equal elements.

use std::hash::{DefaultHasher, Hasher};

use half::{bf16, f16};
use melior::ir::{Attribute, Type, TypeLike};
use spyre_dialects::attr;
use spyre_mlir_rt::ir;
use spyre_proof::program::{Region, Table};

use crate::regions;

/// A constant tensor.
pub(crate) struct Constant {
    /// The bits of the number that all elements have, such as `0x3c00`, or, where they differ, the extents and a digest
    /// of 128 bits of the elements. The number of an 8-bit float has the bits of a 64-bit float, after `f8 `.
    pub name: String,
    /// The elements by their numbers, where they differ and are few regions.
    pub regions: Option<Vec<Region>>,
    /// The elements as numbers, where they differ, are no regions and not too many for a witness.
    pub table: Option<Table>,
}

/// The most elements of a table: weights are named, but not compared number by number.
const MOST: usize = 1 << 16;

/// Returns a constant tensor of an element type and of these extents. `None` for an attribute that has no elements,
/// such as a resource that the module lacks.
pub(crate) fn constant(
    value: Attribute<'_>,
    element: Type<'_>,
    extents: &[i64],
) -> Option<Constant> {
    if let Some(value) = attr::splat(value) {
        let name = number(value, element)?;
        let (regions, table) = (None, None);
        return Some(Constant {
            name,
            regions,
            table,
        });
    }
    let bytes = attr::dense_bytes(value)?;
    let digest = |seed: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(seed);
        hasher.write(&bytes);
        hasher.finish()
    };
    let (first, second) = (digest(0), digest(1));
    let shape: Vec<_> = extents.iter().map(i64::to_string).collect();
    let shape = shape.join("x");
    let regions = regions::of(&bytes, extents, |bytes| bits(bytes, element));
    let table = match regions {
        Some(_) => None,
        None => table(&bytes, extents),
    };
    Some(Constant {
        name: format!("<{shape}> {} bytes {first:016x}{second:016x}", bytes.len()),
        regions,
        table,
    })
}

/// Returns the numbers of a tensor; `None` for too many.
fn table(bytes: &[u8], extents: &[i64]) -> Option<Table> {
    let count = usize::try_from(extents.iter().product::<i64>()).ok()?;
    if !(1..=MOST).contains(&count) || !bytes.len().is_multiple_of(count) {
        return None;
    }
    let number = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(u64::from_le_bytes(wide))
    };
    let numbers = bytes.chunks(bytes.len() / count).map(number);
    Some(Table {
        extents: extents.to_vec(),
        bits: numbers.collect::<Option<_>>()?,
    })
}

/// Returns the bits of the number that an element has in memory, as [`number`] has them; `None` for a format whose
/// numbers are converted there.
fn bits(bytes: &[u8], element: Type<'_>) -> Option<String> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    if element.is_integer() {
        return Some(format!("{bits:#x}"));
    }
    match ir::bits(element)? {
        16 => Some(format!("{bits:#06x}")),
        32 => Some(format!("{bits:#010x}")),
        _ => None,
    }
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
