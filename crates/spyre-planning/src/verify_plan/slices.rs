//! The part of a tensor that each core works on, as ranges of positions along its dimensions.

use std::ops::Range;

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::names::shape;
use spyre_analysis::view::View;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::spyre;

/// The part of one core: a range for each dimension.
pub(super) type Part = Vec<Range<u64>>;

/// Returns the extents of a tensor that an operation of the device or a view has.
fn extents(value: Option<Val<'_>>) -> Vec<u64> {
    let extents = value.and_then(|value| shape(value.r#type()));
    extents.expect("device operations and views are of ranked tensors")
}

/// Returns the number of cores that work on an operation.
pub(super) fn cores(split: &[u32]) -> u64 {
    split.iter().map(|cores| u64::from(*cores)).product()
}

/// Returns the part of a tensor of `extents` that a core works on, where each dimension is moved along by an iteration dimension
/// of `dims`. Cores are numbered in mixed radix over the split, the first dimension fastest, but the last one of a `sum` of
/// products (middle-end specification, section 4.5).
fn part(core: u64, split: &[u32], sum: bool, dims: &[Option<usize>], extents: &[u64]) -> Part {
    let mut digits = vec![0; split.len()];
    let mut rest = core;
    let (mut inner, mut outer) = (0..split.len(), 0..0);
    if sum && let Some(last) = split.len().checked_sub(1) {
        (inner, outer) = (last..split.len(), 0..last);
    }
    for dim in inner.chain(outer) {
        let cores = u64::from(split[dim]);
        digits[dim] = rest % cores;
        rest /= cores;
    }
    let ranges = dims.iter().zip(extents).map(|(dim, extent)| match dim {
        Some(dim) => {
            let (at, of) = (digits[*dim], u64::from(split[*dim]));
            at * extent / of..(at + 1) * extent / of
        }
        None => 0..*extent,
    });
    ranges.collect()
}

/// The slices of a tensor that cores have on one side of a relayout: for each digit of the number of a core, the
/// fastest first, the dimension that it divides, or -1, and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Side(Vec<(i64, u64)>);

impl Side {
    /// Returns a side of a relayout, `from` or `to`; `None` of another operation.
    fn of(op: DeviceOp<'_>, dims: &str, slices: &str) -> Option<Self> {
        let numbers = |name: &str| attr::dense_signed_integers(Some(ir::attribute(op.op(), name)?));
        let (dims, slices) = (numbers(dims)?, numbers(slices)?);
        let digits = dims
            .into_iter()
            .zip(slices.iter().map(|slices| slices.unsigned_abs()));
        Some(Self(digits.collect()))
    }

    /// Returns the number of cores.
    pub(super) fn cores(&self) -> u64 {
        self.0.iter().map(|(_, slices)| slices).product()
    }

    /// Returns the part of a tensor of `extents` that a core has.
    fn part(&self, core: u64, extents: &[u64]) -> Part {
        let mut part: Part = extents.iter().map(|extent| 0..*extent).collect();
        let mut rest = core;
        for (dim, slices) in &self.0 {
            let at = rest % slices;
            rest /= slices;
            if let Some(range) = usize::try_from(*dim).ok().and_then(|dim| part.get_mut(dim)) {
                let of_core = range.end / slices;
                *range = at * of_core..(at + 1) * of_core;
            }
        }
        part
    }
}

/// Returns the slices of the operand of a relayout that the cores have, and the slices of its result that they get;
/// `None` for another operation.
pub(super) fn sides(op: DeviceOp<'_>) -> Option<(Side, Side)> {
    let from = Side::of(op, "from_dims", "from_slices")?;
    Some((from, Side::of(op, "to_dims", "to_slices")?))
}

/// Returns the fewest and the most cores that a core reads from in a relayout of a tensor, and that a core is read by.
pub(super) fn fan(from: &Side, to: &Side, extents: &[u64]) -> [(u64, u64); 2] {
    let parts = |side: &Side| -> Vec<Part> {
        (0..side.cores())
            .map(|core| side.part(core, extents))
            .collect()
    };
    let (sources, destinations) = (parts(from), parts(to));
    let meet = |one: &Part, other: &Part| {
        let mut ranges = one.iter().zip(other);
        ranges.all(|(one, other)| one.start < other.end && other.start < one.end)
    };
    let range = |all: &[Part], others: &[Part]| {
        let counts = all.iter().map(|part| {
            let met = others.iter().filter(|other| meet(part, other));
            u64::try_from(met.count()).expect("cores can be counted")
        });
        let ends = counts.clone().min().zip(counts.max());
        ends.expect("a relayout has a core on each side")
    };
    [
        range(&destinations, &sources),
        range(&sources, &destinations),
    ]
}

/// Returns the part of a view's source that a part of the view is; `None` if it is not a range along each dimension.
pub(super) fn of_source(view: Op<'_>, part: &[Range<u64>]) -> Option<Part> {
    let source = extents(ir::operand(view, 0));
    let result = extents(ir::result(view, 0));
    match View::of(view).expect("the verifier has checked the attributes of a view") {
        View::Permute(permutation) => {
            let mut ranges = vec![0..0; source.len()];
            for (from, range) in permutation.iter().zip(part) {
                ranges[*from] = range.clone();
            }
            Some(ranges)
        }
        View::Expand(groups) => {
            let merged = groups.iter().map(|group| {
                let extents: Vec<u64> = group.iter().map(|dim| result[*dim]).collect();
                let ranges: Vec<_> = group.iter().map(|dim| part[*dim].clone()).collect();
                merge(&extents, &ranges)
            });
            merged.collect()
        }
        View::Collapse(groups) => {
            // Dimensions of one element that no group has are left where all dimensions are collapsed.
            let mut ranges = vec![0..1; source.len()];
            for (group, range) in groups.iter().zip(part) {
                let extents: Vec<u64> = group.iter().map(|dim| source[*dim]).collect();
                for (dim, part) in group.iter().zip(separate(&extents, range)?) {
                    ranges[*dim] = part;
                }
            }
            Some(ranges)
        }
    }
}

/// Returns the range of positions in row-major order that ranges along the dimensions cover; `None` if it has holes.
fn merge(extents: &[u64], ranges: &[Range<u64>]) -> Option<Range<u64>> {
    let (mut first, mut last) = (0, 0);
    let mut count = 1;
    for (extent, range) in extents.iter().zip(ranges) {
        first = first * extent + range.start;
        last = last * extent + range.end.checked_sub(1)?;
        count *= range.end - range.start;
    }
    (last + 1 - first == count).then_some(first..last + 1)
}

/// Returns the ranges along the dimensions that a range of positions in row-major order is; `None` if it is not such a box.
fn separate(extents: &[u64], range: &Range<u64>) -> Option<Part> {
    let digits = |position: u64| {
        let mut rest = position;
        let mut digits: Vec<u64> = extents
            .iter()
            .rev()
            .map(|extent| {
                let digit = rest % extent;
                rest /= extent;
                digit
            })
            .collect();
        digits.reverse();
        digits
    };
    let (first, last) = (digits(range.start), digits(range.end.checked_sub(1)?));
    let ranges: Part = first.iter().zip(&last).map(|(a, b)| *a..b + 1).collect();
    // The range is a box if the box of its corners has as many positions, in the same order.
    (merge(extents, &ranges)? == *range).then_some(ranges)
}

/// Returns whether an operation sums up products: parts of one sum are on neighbouring cores.
fn is_product(op: DeviceOp<'_>) -> bool {
    let name = op.op().name();
    let name = name.as_string_ref().as_str();
    name.is_ok_and(|name| name.starts_with(spyre::BATCHMATMUL))
}

/// Returns a core on which the parts of a writer and of a reader differ, with both; `None` if there is none.
pub(super) fn difference<'p>(
    writer: DeviceOp<'p>,
    reader: DeviceOp<'p>,
    operand: usize,
    views: &[Op<'p>],
) -> Option<(u64, Part, Option<Part>)> {
    let (wrote, reads) = (writer.split_or_one_core(), reader.split_or_one_core());
    let result = writer.op().operand_count();
    let whole = extents(ir::result(writer.op(), 0));
    let seen = extents(ir::operand(reader.op(), operand));
    let (of_writer, of_reader) = (writer.tensor_dims(result), reader.tensor_dims(operand));
    let (writer_sums, reader_sums) = (is_product(writer), is_product(reader));
    // Cores that share a slice of the result have computed parts of a sum.
    let shares = wrote
        .iter()
        .enumerate()
        .any(|(dim, cores)| *cores > 1 && !of_writer.contains(&Some(dim)));
    let source = sides(reader).map(|(from, _)| from);
    let destination = sides(writer).map(|(_, to)| to);
    let readers = source.as_ref().map_or_else(|| cores(&reads), Side::cores);
    let writers = destination
        .as_ref()
        .map_or_else(|| cores(&wrote), Side::cores);
    for core in 0..readers {
        let mut read = Some(match &source {
            Some(source) => source.part(core, &seen),
            None => part(core, &reads, reader_sums, &of_reader, &seen),
        });
        for view in views {
            read = read.and_then(|part| of_source(*view, &part));
        }
        let written = match &destination {
            _ if core >= writers => vec![0..0; whole.len()],
            Some(destination) => destination.part(core, &whole),
            None if shares => vec![0..0; whole.len()],
            None => part(core, &wrote, writer_sums, &of_writer, &whole),
        };
        if read.as_ref() != Some(&written) {
            return Some((core, written, read));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{merge, part, separate};

    #[test]
    fn parts_follow_core_numbers() {
        let dims = [Some(0), Some(1), None];
        let of = |core| part(core, &[2, 4], false, &dims, &[8, 16, 5]);
        assert_eq!(of(0), [0..4, 0..4, 0..5]);
        assert_eq!(of(1), [4..8, 0..4, 0..5]);
        assert_eq!(of(6), [0..4, 12..16, 0..5]);
        let of = |core| part(core, &[2, 4], true, &dims, &[8, 16, 5]);
        assert_eq!(of(1), [0..4, 4..8, 0..5]);
        assert_eq!(of(6), [4..8, 8..12, 0..5]);
    }

    #[test]
    fn boxes_are_ranges_only_without_holes() {
        assert_eq!(merge(&[4, 8], &[1..3, 0..8]), Some(8..24));
        assert_eq!(merge(&[4, 8], &[1..2, 2..4]), Some(10..12));
        assert_eq!(merge(&[4, 8], &[1..3, 0..4]), None);
        assert_eq!(separate(&[4, 8], &(8..24)), Some(vec![1..3, 0..8]));
        assert_eq!(separate(&[4, 8], &(10..12)), Some(vec![1..2, 2..4]));
        assert_eq!(separate(&[4, 8], &(4..12)), None);
    }
}
