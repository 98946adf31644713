//! Sticks: the dimensions that tensors of an operation may have on them (K22, K24 to K26, K29, K32, K35).

use spyre_ops::contract::Sticks;

use super::super::super::reader::Reader;
use super::super::super::rules::{
    CAST_STICKS, COMMON_STICKS, NORMALISED_STICKS, PRODUCT_STICKS, REDUCTION_STICKS,
    RESTICKIFY_CHANGES, RESTICKIFY_STICKS, SEARCH_STICKS,
};
use super::super::descriptors::Descriptor;
use super::{Facts, listed, roles, search};

/// A stick: its dimensions with their sizes, outermost first.
type Stick<'j> = Vec<(&'j str, i64)>;

/// Checks the sticks of the tensors.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some(row) = facts.row else {
        return;
    };
    match row.sticks {
        Sticks::Product => product(reader, facts, 64, None),
        Sticks::ProductOfEightBits => product(reader, facts, 128, Some(2)),
        // No tensor has elements of 4 bits.
        Sticks::ProductOfFourBits | Sticks::NoWindow => {}
        Sticks::Common => common(reader, facts),
        Sticks::ReducedAlone => reduced(reader, facts, true),
        Sticks::NotReduced => reduced(reader, facts, false),
        Sticks::Normalised => normalised(reader, facts),
        Sticks::NotSearched => searched(reader, facts),
        Sticks::SameDimension => same_dimension(reader, facts),
        Sticks::Interleaved => interleaved(reader, facts),
        Sticks::OneEach => one_each(reader, facts),
    }
}

/// Returns the stick of a tensor.
fn stick<'j>(tensor: &Descriptor<'j>) -> Stick<'j> {
    let dims = tensor.layout.stick.iter().copied();
    dims.zip(tensor.layout.stick_sizes.iter().copied())
        .collect()
}

/// Returns a stick in words: `[in=64]`.
fn shown(stick: &[(&str, i64)]) -> String {
    let parts: Vec<String> = stick
        .iter()
        .map(|(dim, size)| format!("{dim}={size}"))
        .collect();
    format!("[{}]", parts.join(", "))
}

/// Checks the sticks of a product: the reduced dimension, the generated one, the generated one. With `pair`, the second input has
/// that many elements of the reduced dimension next to the generated one.
fn product(reader: &mut Reader, facts: &Facts<'_, '_>, reduced: i64, pair: Option<i64>) {
    // Roles that are broken are reported.
    let Some((k, n)) = roles::stick_dims(facts) else {
        return;
    };
    let [first, second, .., output] = facts.tensors else {
        return;
    };
    let second_stick = match pair {
        Some(pair) => vec![(k, pair), (n, 64)],
        None => vec![(n, 64)],
    };
    for (tensor, expected) in [
        (first, vec![(k, reduced)]),
        (second, second_stick),
        (output, vec![(n, 64)]),
    ] {
        let tensor_stick = stick(tensor);
        if tensor_stick != expected {
            let message = format!(
                "tensor {} of '{}' has the stick {}, but must have {}; restickify it",
                tensor.number,
                facts.op,
                shown(&tensor_stick),
                shown(&expected)
            );
            reader.report(PRODUCT_STICKS, tensor.layout.stick_offset, message);
        }
    }
}

/// Checks that all data tensors have the same stick, and that a tensor is repeated along all dimensions of its stick or
/// along none.
fn common(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let data = facts.data();
    let Some(first) = data.first() else {
        return;
    };
    for tensor in &data {
        let (tensor_stick, expected) = (stick(tensor), stick(first));
        if tensor_stick != expected {
            let message = format!(
                "tensor {} of '{}' has the stick {}, but tensor {} has {}; restickify or convert one of them",
                tensor.number,
                facts.op,
                shown(&tensor_stick),
                first.number,
                shown(&expected)
            );
            reader.report(COMMON_STICKS, tensor.offset, message);
        }
        let repeated = tensor
            .layout
            .stick
            .iter()
            .filter(|dim| !tensor.has(dim))
            .count();
        if repeated != 0 && repeated != tensor.layout.stick.len() {
            let message = format!(
                "tensor {} repeats {repeated} of the {} dimensions of its stick, and must repeat all or none",
                tensor.number,
                tensor.layout.stick.len()
            );
            reader.report(COMMON_STICKS, tensor.scales_offset, message);
        }
    }
    repeated(reader, facts, &data);
}

/// Checks that a dimension on a stick that no tensor has is as long as one stick.
fn repeated(reader: &mut Reader, facts: &Facts<'_, '_>, data: &[&Descriptor<'_>]) {
    let first = data.first().into_iter();
    for (dim, size) in first.flat_map(|tensor| stick(tensor)) {
        let Some(extent) = facts.plan.extent(dim) else {
            continue;
        };
        let is_repeated = data.iter().all(|tensor| !tensor.has(dim));
        if is_repeated && i64::try_from(extent.extent) != Ok(size) {
            let message = format!(
                "every tensor repeats '{dim}', whose extent is {}, but must be the size of one stick, {size}",
                extent.extent
            );
            reader.report(COMMON_STICKS, extent.offset, message);
        }
    }
}

/// Checks a reduction: of the stick, which then has the reduced dimension alone, or of other dimensions.
fn reduced(reader: &mut Reader, facts: &Facts<'_, '_>, is_along_stick: bool) {
    let Some((inputs, output)) = facts.sides() else {
        return;
    };
    let op = facts.op;
    if let Some(input) = inputs.first()
        && stick(input) != stick(output)
    {
        let message = format!(
            "the stick of the input of '{op}' is {}, but that of its output {}; both must be the same",
            shown(&stick(input)),
            shown(&stick(output))
        );
        reader.report(REDUCTION_STICKS, output.layout.stick_offset, message);
        return;
    }
    let dims = output.layout.stick.as_slice();
    let is_reduced_alone = matches!(dims, [dim] if output.scale(dim) == -2);
    if is_along_stick && !is_reduced_alone {
        let message = format!(
            "'{op}' reduces its stick, which is along {} with the scales {}; it must be along one dimension with the scale -2, or the \
             operation '{op}nonstick'",
            listed(dims.iter().copied()),
            scales(output, dims)
        );
        reader.report(REDUCTION_STICKS, output.scales_offset, message);
    }
    if !is_along_stick {
        let on_stick = dims.iter().find(|dim| !output.has(dim));
        let wrong_scale = output
            .layout
            .order
            .iter()
            .find(|dim| output.scale(dim) == -2);
        if let Some(dim) = on_stick.or(wrong_scale) {
            let message = format!(
                "'{op}' reduces '{dim}' with the scale {}; dimensions that it reduces are off the stick and have the scale -1",
                output.scale(dim)
            );
            reader.report(REDUCTION_STICKS, output.scales_offset, message);
        }
    }
}

fn scales(tensor: &Descriptor<'_>, dims: &[&str]) -> String {
    let scales: Vec<String> = dims
        .iter()
        .map(|dim| tensor.scale(dim).to_string())
        .collect();
    scales.join(", ")
}

/// Checks that the normalised dimension alone is on the stick of every tensor.
fn normalised(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let data = facts.data();
    let first = data.first().map(|tensor| tensor.layout.stick.clone());
    for tensor in &data {
        let dims = &tensor.layout.stick;
        if dims.len() != 1 || Some(dims) != first.as_ref() {
            let message = format!(
                "tensor {} of '{}' has {} on its stick, but must have the normalised dimension alone",
                tensor.number,
                facts.op,
                listed(dims.iter().copied())
            );
            reader.report(NORMALISED_STICKS, tensor.layout.stick_offset, message);
        }
        let order = tensor.layout.order.iter();
        let mut off_stick = order.filter(|dim| tensor.scale(dim) == -2 && !dims.contains(dim));
        if let Some(dim) = off_stick.next() {
            let message = format!(
                "tensor {} of '{}' has one element of '{dim}', the normalised dimension, which must be on its stick",
                tensor.number, facts.op
            );
            reader.report(NORMALISED_STICKS, tensor.scales_offset, message);
        }
    }
    // The result of 'exx2' is a pair in the stick of the reduced dimension.
    if let (true, Some((_, output))) = (facts.op == "exx2", facts.sides())
        && let [dim] = output.layout.stick.as_slice()
        && output.scale(dim) != -2
    {
        let message = format!(
            "'exx2' has the scale {} along '{dim}', the stick of its output; it reduces the stick, with the scale -2, and nothing else",
            output.scale(dim)
        );
        reader.report(NORMALISED_STICKS, output.scales_offset, message);
    }
}

/// Checks a search: neither the searched dimension nor the dimension of the results is on a stick, and the output has
/// the stick of the input.
fn searched(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some((inputs, output)) = facts.sides() else {
        return;
    };
    let Some(input) = inputs.first().copied() else {
        return;
    };
    let dims = search::dims(facts);
    let sides = [
        ("searched", dims.searched, input),
        ("found", dims.dim, output),
    ];
    let mut is_wrong = false;
    for (what, extent, tensor) in sides {
        let Some(extent) = extent.filter(|extent| tensor.layout.stick.contains(&extent.dim)) else {
            continue;
        };
        is_wrong = true;
        let message = format!(
            "the {what} dimension '{}' of '{}' is on the stick of tensor {}; put another dimension there",
            extent.dim, facts.op, tensor.number
        );
        reader.report(SEARCH_STICKS, tensor.layout.stick_offset, message);
    }
    if !is_wrong && stick(input) != stick(output) {
        let message = format!(
            "the output of '{}' has the stick {}, but its input has {}; both must be the same",
            facts.op,
            shown(&stick(output)),
            shown(&stick(input))
        );
        reader.report(SEARCH_STICKS, output.layout.stick_offset, message);
    }
}

/// Checks a change of format that keeps the one dimension on the stick.
fn same_dimension(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some((inputs, output)) = facts.sides() else {
        return;
    };
    let Some(input) = inputs.first() else {
        return;
    };
    let (from, to) = (&input.layout.stick, &output.layout.stick);
    if from.len() != 1 || from != to {
        let message = format!(
            "'{}' has {} on the stick of its input, and {} on that of its output; both must have the same one dimension",
            facts.op,
            listed(from.iter().copied()),
            listed(to.iter().copied())
        );
        reader.report(CAST_STICKS, output.layout.stick_offset, message);
    }
}

/// Checks a change of format that interleaves elements of several sticks of another dimension.
fn interleaved(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some((inputs, output)) = facts.sides() else {
        return;
    };
    let Some(input) = inputs.first() else {
        return;
    };
    let (from, to) = (&input.layout.stick, &output.layout.stick);
    let is_right = matches!(from.as_slice(), [dim] if to.len() == 2 && to.contains(dim));
    if !is_right {
        let message = format!(
            "'{}' has {} on the stick of its input, and {} on the stick of its output; the output must have the dimension of the \
             input and a second one on its stick",
            facts.op,
            listed(from.iter().copied()),
            listed(to.iter().copied())
        );
        reader.report(CAST_STICKS, output.layout.stick_offset, message);
    }
}

/// Checks a restickify: one dimension on each stick, and not the same one.
fn one_each(reader: &mut Reader, facts: &Facts<'_, '_>) {
    for tensor in facts.data() {
        let dims = &tensor.layout.stick;
        if dims.len() != 1 {
            let message = format!(
                "tensor {} of '{}' has {} on its stick, but must have one dimension",
                tensor.number,
                facts.op,
                listed(dims.iter().copied())
            );
            reader.report(RESTICKIFY_STICKS, tensor.layout.stick_offset, message);
        }
    }
    if let Some((inputs, output)) = facts.sides()
        && let Some(input) = inputs.first()
        && input.layout.stick == output.layout.stick
    {
        let message = format!(
            "'{}' has {} on both sticks; a copy, 'identity', keeps the stick",
            facts.op,
            listed(output.layout.stick.iter().copied())
        );
        reader.report(RESTICKIFY_CHANGES, output.layout.stick_offset, message);
    }
}
