//! Windows and padding: the operations that have them, and their sizes (K16, K20, K21, K31).

use spyre_ops::contract::Category;

use super::super::super::reader::Reader;
use super::super::super::rules::{DIVIDED, NO_GAPS, NO_PADDING, WINDOW_SIZES, WINDOW_STICKS};
use super::super::windows::Windows;
use super::Facts;

/// The dimensions of a window.
const WINDOW_DIMS: [&str; 2] = ["ki", "kj"];

/// Checks windows and padding. An OpFunc that the table lacks may have them.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let Some(row) = facts.row else {
        return;
    };
    if !matches!(row.category, Category::Convolution | Category::Pooling) {
        padding(reader, facts);
        return;
    }
    for windows in facts.plan.windows {
        sizes(reader, facts, windows);
    }
    window_dims(reader, facts);
    if facts.is(Category::Convolution) {
        gaps(reader, facts);
    }
}

/// Checks that no tensor of an operation without windows has an entry for padding, which only extents have. Padding of
/// the extents has been reported.
fn padding(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let op = facts.op;
    for (number, node) in facts.nodes.iter().enumerate() {
        if let Some(offset) = node.as_ref().and_then(|node| node.padding) {
            let message = format!("'{op}' has no windows, and no padding of tensor {number}");
            reader.report(NO_PADDING, offset, message);
        }
    }
}

/// Checks the sizes of the windows along a dimension.
fn sizes(reader: &mut Reader, facts: &Facts<'_, '_>, windows: &Windows<'_>) {
    let dim = windows.dim;
    if windows.kernel == 1 {
        let message = format!(
            "the window along '{dim}' has one element, for which the card's compiler has no size; leave the entry out"
        );
        reader.report(WINDOW_SIZES, windows.offset, message);
    }
    let count = facts.plan.extent(dim).map(|extent| extent.extent);
    let span = count.and_then(|count| windows.steps()?.span(count));
    // Windows of a convolution without padding have been compared.
    let is_compared = windows.is_known && !windows.is_padded;
    if let (Some(count), Some(span)) = (
        count,
        span.filter(|span| !is_compared && *span != windows.total),
    ) {
        let message = format!(
            "{count} windows along '{dim}' of {} elements, {} apart, reach over {span}, but totalSize_ is {}",
            windows.kernel, windows.stride, windows.total
        );
        reader.report(WINDOW_SIZES, windows.offset, message);
    }
    let may_have_unneeded = facts.is(Category::Convolution) || facts.op == "depthwiseconv2dnative";
    if windows.has_unneeded && !may_have_unneeded {
        let message = format!(
            "'{}' has no unneeded padding along '{dim}': only convolutions have",
            facts.op
        );
        reader.report(WINDOW_SIZES, windows.offset, message);
    }
}

/// Checks that no dimension of a window is on a stick or divided.
fn window_dims(reader: &mut Reader, facts: &Facts<'_, '_>) {
    for tensor in facts
        .tensors
        .iter()
        .filter(|tensor| tensor.is_first_of_layout)
    {
        for dim in tensor
            .layout
            .stick
            .iter()
            .filter(|dim| WINDOW_DIMS.contains(dim))
        {
            let message = format!(
                "'{dim}' is a dimension of the window, and on the stick of '{}'",
                tensor.layout.label
            );
            reader.report(WINDOW_STICKS, tensor.layout.stick_offset, message);
        }
    }
    let extents = facts.plan.extents.iter();
    // Where an entry of the padding sizes names the dimension, it has been reported.
    let divided = extents.filter(|extent| {
        let is_named = facts
            .plan
            .windows
            .iter()
            .any(|windows| windows.window == extent.dim);
        extent.splits > 1 && WINDOW_DIMS.contains(&extent.dim) && !is_named
    });
    for extent in divided {
        let message = format!(
            "'{}' is a dimension of the window, and divided among {} cores; all cores need it whole",
            extent.dim, extent.splits
        );
        reader.report(DIVIDED, extent.offset, message);
    }
}

/// Checks that no tensor of a convolution has a gap.
fn gaps(reader: &mut Reader, facts: &Facts<'_, '_>) {
    for (number, node) in facts.nodes.iter().enumerate() {
        let gaps = node.as_ref().and_then(|node| node.gaps.as_ref());
        if let Some((dims, offset)) = gaps.filter(|(dims, _)| !dims.is_empty()) {
            let message = format!(
                "tensor {number} has a gap along '{}'; tensors of a convolution are whole, so copy the window first",
                dims.join("', '")
            );
            reader.report(NO_GAPS, *offset, message);
        }
    }
}
