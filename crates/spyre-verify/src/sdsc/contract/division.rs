//! The division of the work: the part of each dimension and each tensor on a core (K36 to K38, K40).

use spyre_plan::Target;

use super::super::super::reader::Reader;
use super::super::super::rules::{
    INNER_LOOP, REDUCED_DIVIDED, SPAN, SPAN_OF_REFERENCE, WHOLE_STICKS,
};
use super::super::sizes::Extent;
use super::{Facts, listed};

/// Most bytes from the first to the last one that a core addresses of a tensor.
const MOST_SPAN: u64 = 256 << 20;
/// Most trips of a loop inside a core.
const MOST_TRIPS: u64 = 65535;

/// Checks the parts of a core.
pub(super) fn check(reader: &mut Reader, facts: &Facts<'_, '_>) {
    for extent in facts.plan.extents {
        whole_sticks(reader, facts, extent);
        inner_loop(reader, facts, extent);
    }
    spans(reader, facts);
    reduced(reader, facts);
}

/// Returns the largest stick along a dimension of the data tensors, in elements; `None` if none has its stick there.
fn stick_along(facts: &Facts<'_, '_>, dim: &str) -> Option<i64> {
    let sticks = facts.data().into_iter().flat_map(|tensor| {
        let dims = tensor.layout.stick.iter();
        dims.zip(&tensor.layout.stick_sizes)
    });
    let along = sticks.filter(|(stick_dim, _)| **stick_dim == dim);
    along.map(|(_, size)| *size).max()
}

/// Checks that a core has whole sticks. Where tensors of different widths share the dimension, the larger stick decides.
fn whole_sticks(reader: &mut Reader, facts: &Facts<'_, '_>, extent: &Extent<'_>) {
    let (Some(stick), Some(part)) = (stick_along(facts, extent.dim), extent.part()) else {
        return;
    };
    let stick = u64::try_from(stick).ok().filter(|stick| *stick > 0);
    if let Some(stick) = stick.filter(|stick| !part.is_multiple_of(*stick)) {
        let way_out = match extent.splits {
            1 => "pad the dimension".to_owned(),
            splits => format!("pad the dimension, or divide it among fewer than {splits} cores"),
        };
        let message = format!(
            "a core has {part} of {} along '{}', which are no whole sticks of {stick}; {way_out}",
            extent.extent, extent.dim
        );
        reader.report(WHOLE_STICKS, extent.offset, message);
    }
}

/// Warns of a dimension of a core's part that is longer than a loop inside the core can count.
fn inner_loop(reader: &mut Reader, facts: &Facts<'_, '_>, extent: &Extent<'_>) {
    let stick = stick_along(facts, extent.dim).and_then(|stick| u64::try_from(stick).ok());
    let Some(part) = extent.part() else {
        return;
    };
    let trips = part.div_ceil(stick.unwrap_or(1).max(1));
    if trips > MOST_TRIPS {
        let message = format!(
            "a core counts {trips} along '{}', and loops inside a core count to {MOST_TRIPS}; divide the dimension among more cores, \
             or tile it",
            extent.dim
        );
        reader.report(INNER_LOOP, extent.offset, message);
    }
}

/// Checks the span of each tensor on a core, gaps included.
fn spans(reader: &mut Reader, facts: &Facts<'_, '_>) {
    let of_reference = Target::CARD.span_limit_bytes.get();
    for (number, node) in facts.nodes.iter().enumerate() {
        let Some(node) = node else {
            continue;
        };
        let span = node.shape.as_ref().and_then(|shape| shape.least().span());
        let Some(span) = span.map(|span| span.get()) else {
            continue;
        };
        let (rule, limit, whose) = match span {
            span if span > MOST_SPAN => (SPAN, MOST_SPAN, "the card"),
            span if span > of_reference => {
                (SPAN_OF_REFERENCE, of_reference, "the reference compiler")
            }
            _ => continue,
        };
        let message = format!(
            "a core addresses {span} bytes of tensor {number}, gaps included, and {whose} at most {limit}; divide an outer dimension \
             among more cores, or tile it"
        );
        reader.report(rule, node.offset, message);
    }
}

/// Checks that at most one reduced dimension is divided.
fn reduced(reader: &mut Reader, facts: &Facts<'_, '_>) {
    // A copy between cores has no reduction.
    if facts.plan.work.is_shuffle {
        return;
    }
    let divided: Vec<_> = facts
        .reduced()
        .into_iter()
        .filter(|extent| extent.splits > 1)
        .collect();
    if let [first, _, ..] = divided.as_slice() {
        let message = format!(
            "the reduced dimensions {} are divided; divide one of them at most",
            listed(divided.iter().map(|extent| extent.dim))
        );
        reader.report(REDUCED_DIVIDED, first.offset, message);
    }
}
