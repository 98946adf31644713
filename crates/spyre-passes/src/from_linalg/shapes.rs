//! Operations of `tensor` that move elements: windows with steps, pads, concatenations.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{BlockLike, ShapedTypeLike as _};
use spyre_mlir_rt::ir::{self, Op, Val};

use super::build::{Build, element_of, shape_of};
use crate::outline::side;

/// The most dimensions that a default layout takes.
const MOST_DIMS: usize = 6;

/// Builds the result of an operation of `tensor`; `None` for one that the device has as it is.
///
/// # Errors
/// The reason why the device has no operations for it.
pub(super) fn convert<'p>(build: Build<'p>, op: Op<'p>) -> Result<Option<Val<'p>>, String> {
    match ir::name(op) {
        "tensor.empty" => {
            let result = result(op)?;
            Ok(Some(build.empty(&shape_of(result)?, element_of(result))))
        }
        "tensor.extract_slice" => extract(build, op),
        "tensor.insert_slice" => insert(build, op),
        "tensor.pad" => pad(build, op).map(Some),
        "tensor.concat" => concat(build, op).map(Some),
        "tensor.expand_shape" | "tensor.collapse_shape" => {
            shape_of(result(op)?)?;
            Ok(None)
        }
        other => Err(format!("'{other}' has no device operation")),
    }
}

fn result<'p>(op: Op<'p>) -> Result<Val<'p>, String> {
    let result = op.result(0).map_err(|why| why.to_string())?;
    Ok(result.into())
}

/// Builds a window with steps, or one that drops dimensions.
fn extract<'p>(build: Build<'p>, op: Op<'p>) -> Result<Option<Val<'p>>, String> {
    let (result, source) = (result(op)?, op.operand(0).map_err(|why| why.to_string())?);
    let wanted = shape_of(result)?;
    let whole = shape_of(source)?;
    let steps = integers(op, "static_strides")?;
    let offsets = integers(op, "static_offsets")?;
    let sizes = integers(op, "static_sizes")?;
    if let Some(window) = ir::window(op) {
        if window.sizes != sizes {
            return Err("a size of the window is computed at run time".into());
        }
        if op.operand_count() > 1 {
            side::check_window(op)?;
        }
        if wanted.len() == whole.len() {
            return Ok(None);
        }
        let slice = build.slice_at(source, &window);
        return Ok(Some(build.reshape(slice, &wanted)));
    }
    if op.operand_count() > 1 {
        return Err("a window with steps has an offset that is computed at run time".into());
    }
    let window = build.window(source, &offsets, &sizes, &steps)?;
    Ok(Some(build.reshape(window, &wanted)))
}

/// Builds an insertion of a tile that has fewer dimensions than the window, or with steps.
fn insert<'p>(build: Build<'p>, op: Op<'p>) -> Result<Option<Val<'p>>, String> {
    let (Some(tile), Some(into)) = (ir::operand(op, 0), ir::operand(op, 1)) else {
        unreachable!("the verifier has counted the operands of tensor.insert_slice");
    };
    let Some(window) = ir::window(op) else {
        if op.operand_count() > 2 {
            return Err(
                "elements are inserted at a distance, at an offset that is computed at run time"
                    .into(),
            );
        }
        return scatter(build, op, tile, into).map(Some);
    };
    if op.operand_count() > 2 {
        side::check_window(op)?;
    }
    if shape_of(tile)?.len() == window.sizes.len() {
        return Ok(None);
    }
    let tile = build.reshape(tile, &window.sizes);
    Ok(Some(build.insert_at(tile, into, &window)))
}

/// Builds an insertion with steps. A dimension with one becomes two in the part of the tensor that is written: the elements of
/// the tile, and the positions between two of them, of which the tile is the first.
fn scatter<'p>(
    build: Build<'p>,
    op: Op<'p>,
    tile: Val<'p>,
    into: Val<'p>,
) -> Result<Val<'p>, String> {
    let whole = shape_of(into)?;
    shape_of(tile)?;
    let steps = integers(op, "static_strides")?;
    let offsets = integers(op, "static_offsets")?;
    let sizes = integers(op, "static_sizes")?;
    let (mut room, mut span) = (whole.clone(), sizes.clone());
    let (mut parts, mut first) = (Vec::new(), Vec::new());
    for (dim, (size, step)) in sizes.iter().zip(&steps).enumerate() {
        if *step < 1 {
            return Err(format!("dimension {dim} is written backwards"));
        }
        if *step > 1 && *size > 1 {
            span[dim] = size * step;
            // Behind the last element of the tile there may be fewer.
            room[dim] = whole[dim].max(offsets[dim] + span[dim]);
            parts.extend([*size, *step]);
            first.extend([*size, 1]);
        } else {
            parts.push(*size);
            first.push(*size);
        }
    }
    if parts.len() > MOST_DIMS {
        return Err(format!(
            "elements are inserted at a distance into a tensor that has {} dimensions then, and device memory takes {MOST_DIMS}",
            parts.len()
        ));
    }
    let origin = vec![0; whole.len()];
    let into = build.pad(into, &origin, &room, 0.0);
    let between = build.reshape(build.slice(into, &offsets, &span), &parts);
    let tile = build.reshape(tile, &first);
    let written = build.insert(tile, between, &vec![0; parts.len()]);
    let into = build.insert(build.reshape(written, &span), into, &offsets);
    Ok(build.slice(into, &origin, &whole))
}

fn pad<'p>(build: Build<'p>, op: Op<'p>) -> Result<Val<'p>, String> {
    let result = result(op)?;
    let source = op.operand(0).map_err(|why| why.to_string())?;
    let (shape, mut low) = (shape_of(result)?, integers(op, "static_low")?);
    // Those that are no attribute are operands, in order; what is high follows from the shape.
    let dynamic = RankedTensorType::dynamic_stride_or_offset();
    let open = low.iter_mut().filter(|low| **low == dynamic);
    for (number, low) in open.enumerate() {
        let held = ir::constant_operand(op, 1 + number);
        *low = held.ok_or("a pad is computed at run time")?;
    }
    let body = ir::body(op).ok_or("a pad without a body")?;
    let end = body.terminator().ok_or("a body without an end")?;
    let value: Val<'p> = end.operand(0).map_err(|why| why.to_string())?;
    let held = ir::defining_op(value).filter(|op| ir::name(*op) == "arith.constant");
    let held = held.and_then(|op| ir::attribute(op, "value"));
    let held = held.ok_or("what is padded with is no constant")?;
    let extents = shape_of(source)?;
    let negative =
        (0..shape.len()).find(|dim| low[*dim] < 0 || shape[*dim] < low[*dim] + extents[*dim]);
    if let Some(dim) = negative {
        return Err(format!("a pad takes elements away in dimension {dim}"));
    }
    Ok(build.pad_with(source, &low, &shape, held))
}

fn concat<'p>(build: Build<'p>, op: Op<'p>) -> Result<Val<'p>, String> {
    let result = result(op)?;
    let shape = shape_of(result)?;
    let dim = ir::attribute(op, "dim");
    let dim = dim.and_then(spyre_dialects::attr::integer);
    let dim = dim.and_then(|dim| usize::try_from(dim).ok());
    let dim = dim.ok_or("a concatenation along no dimension")?;
    let mut into = build.empty(&shape, element_of(result));
    let mut offsets = vec![0; shape.len()];
    for part in op.operands() {
        into = build.insert(part, into, &offsets);
        offsets[dim] += shape_of(part)?[dim];
    }
    Ok(into)
}

fn integers(op: Op<'_>, name: &str) -> Result<Vec<i64>, String> {
    let numbers = spyre_dialects::attr::dense_signed_integers(ir::attribute(op, name));
    numbers.ok_or_else(|| format!("'{name}' holds no integers"))
}
