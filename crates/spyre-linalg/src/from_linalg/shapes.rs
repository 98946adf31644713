//! Operations of `tensor` that move elements: windows with steps, pads, concatenations.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{BlockLike, ShapedTypeLike as _};
use spyre_analysis::dynamic::extents::Extent;
use spyre_analysis::dynamic::slices::{DYNAMIC, Slice, SliceSize};
use spyre_construct::build::{Build, element_of};
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::arith;

use crate::outline::side;

/// The most dimensions that a default layout takes.
const MOST_DIMS: usize = 6;

/// The result of a rule: the value that replaces the operation; `None` for one that the device supports.
///
/// The error is the reason why the device has no operations for it.
type Converted<'p> = Result<Option<Val<'p>>, String>;

/// Builds a tensor without elements that are written.
pub(super) fn empty<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    let result = result(op)?;
    let empty = build.empty(&build.shape_of(result)?, element_of(result));
    Ok(Some(empty))
}

/// Checks that the extents of a reshape are known. Both sides have it.
pub(super) fn reshape<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    build.shape_of(result(op)?)?;
    Ok(None)
}

fn result<'p>(op: Op<'p>) -> Result<Val<'p>, String> {
    let result = op.result(0).map_err(|err| err.to_string())?;
    Ok(result.into())
}

/// Returns the sizes of a slice as extents.
///
/// # Errors
/// A size is computed, and none of a dynamic dimension.
fn sizes<'p>(build: Build<'p>, slice: Slice<'p>) -> Result<Vec<Extent>, String> {
    let sizes = slice.all_sizes().into_iter().enumerate();
    let sizes = sizes.map(|(dim, size)| match size {
        SliceSize::Fixed(size) => Ok(Extent::Static(size)),
        SliceSize::Chosen(size) => {
            let symbol = build.extents.and_then(|extents| extents.of_index(size));
            let symbol = symbol.ok_or_else(|| {
                format!("the size of the window along dimension {dim} is computed at run time")
            })?;
            Ok(Extent::Dynamic(symbol))
        }
    });
    sizes.collect()
}

/// Returns how a message calls the first offset of a slice that is computed at run time, or the first such step.
fn computed(slice: Slice<'_>) -> String {
    let first = |numbers: Vec<i64>| numbers.iter().position(|number| *number == DYNAMIC);
    match (first(slice.offsets()), first(slice.strides())) {
        (Some(dim), _) => format!("an offset along dimension {dim}"),
        (None, Some(dim)) => format!("a step along dimension {dim}"),
        (None, None) => unreachable!("a number of the slice is computed at run time"),
    }
}

/// Builds a window with steps, or one that drops dimensions.
pub(super) fn extract<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    let (result, source) = (result(op)?, op.operand(0).map_err(|err| err.to_string())?);
    let slice = Slice::cast(op).expect("it is a slice");
    let shape = build.shape_of(result)?;
    let whole = build.shape_of(source)?;
    let sizes = sizes(build, slice)?;
    if slice.offsets().contains(&DYNAMIC) || slice.strides().contains(&DYNAMIC) {
        let window = ir::window(op).ok_or_else(|| {
            format!(
                "a window with steps, or of a dynamic size, has {} that is computed at run time",
                computed(slice)
            )
        })?;
        side::check_window(op)?;
        if shape.len() == whole.len() {
            return Ok(None);
        }
        let slice = build.slice_at(source, &window);
        return Ok(Some(build.reshape(slice, &shape)?));
    }
    let is_window = slice.strides().iter().all(|step| *step == 1);
    if is_window && shape.len() == whole.len() {
        build.check_read(&whole, &slice.offsets(), &sizes)?;
        return Ok(None);
    }
    let window = build.window(source, &slice.offsets(), &sizes, &slice.strides())?;
    Ok(Some(build.reshape(window, &shape)?))
}

/// Builds an insertion of a tile that has fewer dimensions than the window, or with steps.
pub(super) fn insert<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    let (Some(tile), Some(into)) = (ir::operand(op, 0), ir::operand(op, 1)) else {
        unreachable!("the verifier has counted the operands of tensor.insert_slice");
    };
    let slice = Slice::cast(op).expect("it is a slice");
    let sizes = sizes(build, slice)?;
    if slice.offsets().contains(&DYNAMIC) || slice.strides().contains(&DYNAMIC) {
        let window = ir::window(op).ok_or_else(|| {
            format!(
                "elements are inserted at a distance, or in a dynamic number, with {} that is computed at run time",
                computed(slice)
            )
        })?;
        side::check_window(op)?;
        if build.shape_of(tile)?.len() == window.sizes.len() {
            return Ok(None);
        }
        let tile = build.reshape(tile, &sizes)?;
        return Ok(Some(build.insert_at(tile, into, &window)));
    }
    let offsets = slice.offsets();
    if slice.strides().iter().any(|step| *step != 1) {
        return scatter(build, (tile, into), slice, &sizes).map(Some);
    }
    if build.shape_of(tile)?.len() == sizes.len() {
        build.check_part(&build.shape_of(into)?, &offsets, &sizes)?;
        return Ok(None);
    }
    let tile = build.reshape(tile, &sizes)?;
    Ok(Some(build.insert(tile, into, &offsets)?))
}

/// Builds an insertion with steps. The written part of the tensor is reshaped, so that a dimension with a step becomes two:
/// one for the elements of the tile, and one for the positions of a step, the first of which is the element.
fn scatter<'p>(
    build: Build<'p>,
    (tile, into): (Val<'p>, Val<'p>),
    slice: Slice<'p>,
    sizes: &[Extent],
) -> Result<Val<'p>, String> {
    let whole = build.shape_of(into)?;
    build.shape_of(tile)?;
    let (steps, offsets) = (slice.strides(), slice.offsets());
    let (mut room, mut span) = (whole.clone(), sizes.to_vec());
    let (mut parts, mut first) = (Vec::new(), Vec::new());
    for (dim, (size, step)) in sizes.iter().zip(&steps).enumerate() {
        if *step < 1 {
            return Err(format!("dimension {dim} is written backwards"));
        }
        if *step > 1 && !size.is_one() {
            let (Extent::Static(size), Extent::Static(extent)) = (*size, whole[dim]) else {
                return Err(
                    build.because(whole[dim], "elements are inserted at a distance along {}")
                );
            };
            span[dim] = Extent::Static(size * step);
            // After the last element of the tile there may be fewer positions than a step.
            room[dim] = Extent::Static(extent.max(offsets[dim] + size * step));
            parts.extend([size, *step].map(Extent::Static));
            first.extend([size, 1].map(Extent::Static));
        } else {
            parts.push(*size);
            first.push(*size);
        }
    }
    if parts.len() > MOST_DIMS {
        return Err(format!(
            "elements are inserted at a distance into a tensor that has {} dimensions then, but a tensor in device memory has at most {MOST_DIMS}",
            parts.len()
        ));
    }
    let origin = vec![0; whole.len()];
    let into = build.pad(into, &origin, &room, 0.0)?;
    let between = build.reshape(build.slice(into, &offsets, &span)?, &parts)?;
    let tile = build.reshape(tile, &first)?;
    let written = build.insert(tile, between, &vec![0; parts.len()])?;
    let into = build.insert(build.reshape(written, &span)?, into, &offsets)?;
    Ok(build.slice(into, &origin, &whole)?)
}

/// Builds a tensor with a constant around another.
pub(super) fn pad<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    let result = result(op)?;
    let source = op.operand(0).map_err(|err| err.to_string())?;
    let (shape, mut low) = (build.shape_of(result)?, integers(op, "static_low")?);
    // Dynamic ones are operands, in order; the high padding follows from the shape.
    let dynamic = RankedTensorType::dynamic_stride_or_offset();
    let open = low.iter_mut().enumerate();
    let open = open.filter(|(_, low)| **low == dynamic);
    for (number, (dim, low)) in open.enumerate() {
        let amount = ir::constant_operand(op, 1 + number);
        *low = amount
            .ok_or_else(|| format!("the low pad of dimension {dim} is computed at run time"))?;
    }
    let body = ir::body(op).ok_or("a pad without a body")?;
    let end = body.terminator().ok_or("a body without an end")?;
    let value: Val<'p> = end.operand(0).map_err(|err| err.to_string())?;
    let filler = ir::defining_op(value).filter(|op| ir::name(*op) == arith::CONSTANT);
    let filler = filler.and_then(|op| ir::attribute(op, "value"));
    let filler = filler.ok_or("what is padded with is no constant")?;
    let extents = build.shape_of(source)?;
    let is_negative = |dim: &usize| {
        let numbers = shape[*dim].number().zip(extents[*dim].number());
        low[*dim] < 0 || numbers.is_some_and(|(total, extent)| total < low[*dim] + extent)
    };
    let negative = (0..shape.len()).find(is_negative);
    if let Some(dim) = negative {
        let numbers = shape[dim].number().zip(extents[dim].number());
        let high = numbers.map_or("?".to_owned(), |(total, extent)| {
            (total - low[dim] - extent).to_string()
        });
        return Err(format!(
            "a low pad of {} and a high pad of {high} remove elements in dimension {dim}",
            low[dim]
        ));
    }
    Ok(Some(build.pad_with(source, &low, &shape, filler)?))
}

/// Builds a tensor of parts, one after the other.
pub(super) fn concat<'p>(build: Build<'p>, op: Op<'p>) -> Converted<'p> {
    let result = result(op)?;
    let shape = build.shape_of(result)?;
    let dim = ir::attribute(op, "dim");
    let dim = dim.and_then(spyre_dialects::attr::integer);
    let dim = dim.and_then(|dim| usize::try_from(dim).ok());
    let dim = dim.ok_or("a concatenation along no dimension")?;
    let mut into = build.empty(&shape, element_of(result));
    let mut offsets = vec![0; shape.len()];
    for part in op.operands() {
        into = build.insert(part, into, &offsets)?;
        let extent = build.shape_of(part)?[dim];
        offsets[dim] += extent
            .number()
            .ok_or_else(|| build.because(extent, "tensors are joined along {}"))?;
    }
    Ok(Some(into))
}

fn integers(op: Op<'_>, name: &str) -> Result<Vec<i64>, String> {
    let numbers = spyre_dialects::attr::dense_signed_integers(ir::attribute(op, name));
    numbers.ok_or_else(|| format!("'{name}' holds no integers"))
}
