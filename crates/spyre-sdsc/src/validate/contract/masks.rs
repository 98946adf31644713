//! Masks over padding.

use spyre_ops::OpFunc;

use super::Planned;

/// Checks that masked elements have a number to read as: the contract has none for a product (contract, K7).
pub(super) fn value(planned: &Planned<'_>) -> Option<String> {
    let mask = planned.descriptor.masks.first()?;
    let op = &planned.op.op;
    // Zero is the number of every operation that the table does not list.
    let has_number = OpFunc::of(op).is_none_or(|row| row.mask.published.is_some());
    (!has_number).then(|| {
        format!(
            "{} of {} elements along {} are padding, and there is no number that masked elements of `{op}` read as; \
             write ones there as data, or reduce off the stick",
            mask.len,
            mask.start + mask.len,
            mask.dim,
        )
    })
}

/// Checks that masked elements are at most 16 bits wide (contract, K10).
pub(super) fn width(planned: &Planned<'_>) -> Option<String> {
    let descriptor = planned.descriptor;
    let mask = descriptor.masks.first()?;
    let bits = descriptor.data_format.bytes_per_element().get() * 8;
    (bits > 16).then(|| {
        format!(
            "the last {} of {} elements along {} are padding, and elements of {bits} bits ({}) cannot be masked, only of \
             up to 16; give the tensor whole sticks of data, reduce off the stick, or compute in SEN169_FP16",
            mask.len,
            mask.start + mask.len,
            mask.dim,
            descriptor.data_format,
        )
    })
}
