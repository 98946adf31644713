//! Keys of operations: what an operation computes at one point, by its name and the attributes that the value depends
//! on.

use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::spyre;
use spyre_proof::program::Extent;

/// Attributes that the value of an operation at a point does not depend on: they are a plan.
pub(crate) const PLAN: [&str; 4] = ["tile", "divide", "split", "place"];

/// Attributes that are in the elements of operands and results at each point, and so not in the key.
const IN_INDEX: [(&str, &[&str]); 15] = [
    (spyre::ABSMAX, &["dims", "keepdim"]),
    (spyre::AVGPOOLFWD, &["window", "strides"]),
    (spyre::CONV2D, &["strides", "dilations"]),
    (spyre::DEPTHWISECONV2DNATIVE, &["strides", "dilations"]),
    (spyre::GATHER, &["dim"]),
    (spyre::MAX, &["dims", "keepdim"]),
    (spyre::MAXPOOLFWD, &["window", "strides"]),
    (spyre::MEAN, &["dims", "keepdim"]),
    (spyre::MIN, &["dims", "keepdim"]),
    (spyre::PROD, &["dims", "keepdim"]),
    (spyre::QUANTSCALEPERTOKENFP8, &["dims", "keepdim"]),
    (spyre::SUM, &["dims", "keepdim"]),
    // The point has the rank of the element, and that does not depend on how many there are.
    (spyre::TOPKINDEX, &["dim", "k"]),
    (spyre::TOPKVALUE, &["dim", "k"]),
    // A relayout has the same elements, on other cores.
    (spyre::COPY, &[]),
];

/// Operations whose value depends on the number of elements that they reduce. The law of means has their number from the iteration
/// space.
const SCALED: [&str; 2] = [spyre::AVGPOOLFWD, spyre::EXX2];

/// Returns the attributes that the value of an operation depends on, as sorted texts. `reduced` are the extents of the
/// dimensions that it reduces, and `name` returns the name of a dynamic extent.
///
/// An attribute that no table here names is one of them, so that an operation with another value never has an equal
/// key.
pub(crate) fn attributes(
    op: Op<'_>,
    reduced: &[Extent],
    name: impl Fn(Extent) -> String,
) -> Vec<String> {
    let operation = ir::name(op);
    let definition = spyre_ods::definition(operation);
    let slots = definition.map_or(&[][..], |definition| definition.attributes);
    let in_index = IN_INDEX.iter().find(|(name, _)| *name == operation);
    let in_index = in_index.map_or(&[][..], |(_, attributes)| attributes);
    let depends = |name: &&str| !PLAN.contains(name) && !in_index.contains(name);
    let names = slots.iter().map(|slot| slot.name()).filter(depends);
    let texts = names.filter_map(|name| {
        let attribute = ir::attribute(op, name)?;
        Some(format!("{name} = {attribute}"))
    });
    let mut texts: Vec<String> = texts.collect();
    if SCALED.contains(&operation) {
        let extents: Vec<_> = reduced.iter().map(|extent| name(*extent)).collect();
        texts.push(format!("elements = {}", elements(reduced, &extents)));
    }
    texts.sort_unstable();
    texts
}

/// Returns the product of extents as text: a number, or the factors.
fn elements(extents: &[Extent], names: &[String]) -> String {
    let numbers = extents.iter().map(|extent| match extent {
        Extent::Fixed(extent) => Some(i128::from(*extent)),
        Extent::Dynamic(_) => None,
    });
    match numbers.product::<Option<i128>>() {
        Some(product) => product.to_string(),
        None => names.join(" * "),
    }
}

#[cfg(test)]
mod tests {
    use spyre_ods::spyre;

    use super::{IN_INDEX, PLAN};

    /// The attributes of device operations that are in their keys.
    const IN_KEY: [(&str, &[&str]); 5] = [
        (spyre::CLIP, &["min", "max"]),
        (
            spyre::COPY,
            &["from_dims", "from_slices", "to_dims", "to_slices"],
        ),
        (spyre::LAYERNORMSCALE, &["eps"]),
        (spyre::QUANTSCALEPERTOKENFP8, &["min", "max", "factor"]),
        (spyre::SOFTPLUS, &["beta", "threshold"]),
    ];

    #[test]
    fn each_attribute_of_a_device_operation_is_in_one_table() {
        let of = |table: &[(&str, &'static [&'static str])], operation: &str| {
            let entry = table.iter().find(|(name, _)| *name == operation);
            entry.map_or(&[][..], |(_, attributes)| *attributes)
        };
        let mut seen = 0;
        for operation in spyre::OPERATIONS {
            let slots = operation.attributes.iter().map(|slot| slot.name());
            let slots: Vec<&str> = slots.collect();
            if !PLAN.iter().all(|name| slots.contains(name)) {
                continue; // It is no device operation.
            }
            seen += 1;
            let (in_index, in_key) = (of(&IN_INDEX, operation.name), of(&IN_KEY, operation.name));
            let mut tables: Vec<&str> = [&PLAN[..], in_index, in_key].concat();
            let mut slots = slots;
            tables.sort_unstable();
            slots.sort_unstable();
            assert_eq!(slots, tables, "{}", operation.name);
        }
        assert!(seen > 50, "{seen} device operations");
    }
}
