//! The parts that cores have of values in scratchpads, through windows and views.

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use spyre_analysis::tensor::TensorTypes;
use spyre_analysis::view::{self, View};
use spyre_analysis::walk::FIRST_INIT;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Offset, OpKind, Source, Val};

use crate::division::Part;
use crate::emit::{Emitter, Tile, compact};
use crate::plan::Plan;

/// Builds the part of a value that the cores of an operation need, from the part that they have.
///
/// # Errors
/// Cores need elements that other cores have.
pub(crate) fn narrow<'p>(
    emit: &mut Emitter<'p>,
    tile: &Tile<'p>,
    needed: &[Part],
    cores: u32,
) -> Result<Tile<'p>, String> {
    let mut offsets = Vec::new();
    let mut sizes = Vec::new();
    for (dim, (held, need)) in tile.parts.iter().zip(needed).enumerate() {
        let elements = need.elements();
        let is_same_start = (0..cores).all(|core| held.start(core) == need.start(core));
        let is_inside = (0..cores).all(|core| {
            held.start(core) <= need.start(core)
                && need.start(core) + elements <= held.start(core) + held.size
        });
        if !is_inside {
            return Err(format!(
                "cores read {elements} elements of dimension {dim} of a value of which their scratchpads have other {} elements; plan \
                 with --spyre-pipeline=bundle=false lx=false, which has no values in scratchpads",
                held.size
            ));
        }
        if held.size == 1 {
            continue;
        }
        sizes.push(need.size);
        let mut terms = Vec::new();
        match (is_same_start, held.digit, need.digit) {
            (true, ..) => {}
            (false, None, Some(digit)) => terms.push((emit.digit(digit), elements)),
            _ => {
                return Err(format!(
                    "cores read parts of the parts of dimension {dim} that their scratchpads have"
                ));
            }
        }
        if let Some(pieces) = need.pieces {
            terms.push((emit.piece(pieces.level), need.size));
        }
        offsets.push(match terms.is_empty() {
            true => Offset::Static(0),
            false => Offset::Value(emit.sum(&terms, 0)),
        });
    }
    let value = match sizes.is_empty() {
        true => tile.value,
        false => emit.slice(tile.value, offsets, &sizes),
    };
    Ok(Tile {
        value: emit.reshape(value, &compact(needed)),
        parts: needed.to_vec(),
        cores,
    })
}

/// Returns the parts of a window of a value of a shape.
///
/// # Errors
/// A window along a dimension that is divided over cores.
pub(crate) fn of_window(parts: &[Part], sizes: &[i64], shape: &[u64]) -> Result<Vec<Part>, String> {
    let dims = parts.iter().zip(sizes).zip(shape).enumerate();
    let parts = dims.map(|(dim, ((part, size), extent))| {
        let size = size.unsigned_abs();
        match part.digit {
            _ if size == *extent => Ok(*part),
            None => Ok(Part::whole(size)),
            Some(digit) => Err(format!(
                "a window of {size} of {extent} elements along dimension {dim}, which {} cores share, is in the scratchpads of \
                 some cores only",
                digit.count
            )),
        }
    });
    parts.collect()
}

/// Returns the parts of a view, of shape `to`, of a value of shape `from`.
///
/// # Errors
/// A divided dimension that is not the outermost one of a group.
pub(crate) fn of_view(
    parts: &[Part],
    view: &View,
    from: &[u64],
    to: &[u64],
) -> Result<Vec<Part>, String> {
    match view {
        View::Permute(permutation) => Ok(permutation.iter().map(|&dim| parts[dim]).collect()),
        View::Collapse(groups) => groups
            .iter()
            .map(|group| merged(parts, group, from))
            .collect(),
        View::Expand(groups) => {
            let mut apart = vec![Part::whole(1); to.len()];
            for (part, group) in parts.iter().zip(groups) {
                split(*part, group, to, &mut apart)?;
            }
            Ok(apart)
        }
    }
}

/// Returns the part of several dimensions taken as one.
fn merged(parts: &[Part], group: &[usize], shape: &[u64]) -> Result<Part, String> {
    let mut long = group.iter().filter(|dim| shape[**dim] != 1);
    let Some(&outer) = long.next() else {
        return Ok(Part::whole(1));
    };
    let mut part = parts[outer];
    for &dim in long {
        if parts[dim].digit.is_some() || parts[dim].size != shape[dim] {
            return Err(format!(
                "dimension {dim} is divided among cores, and a reshape merges it into the outer dimension {outer}"
            ));
        }
        part.size *= shape[dim];
    }
    Ok(part)
}

/// Sets the parts of the dimensions that a dimension is split into.
fn split(part: Part, group: &[usize], shape: &[u64], apart: &mut [Part]) -> Result<(), String> {
    let mut inner: u64 = group.iter().map(|dim| shape[*dim]).product();
    let mut rest = Some(part);
    for &dim in group {
        inner /= shape[dim];
        apart[dim] = match rest {
            Some(part) if shape[dim] != 1 => {
                if !part.size.is_multiple_of(inner) {
                    return Err(format!(
                        "parts of {} elements are split into dimensions of {inner} elements",
                        part.size
                    ));
                }
                rest = None;
                Part {
                    size: part.size / inner,
                    ..part
                }
            }
            _ => Part::whole(shape[dim]),
        };
    }
    Ok(())
}

/// Returns the parts of a value in scratchpads that its writers give it, and the number of cores that have them; `None`
/// if no operation writes it.
pub(crate) fn of_value<'p>(
    plan: &Plan<'p>,
    types: &TensorTypes<'p>,
    value: Val<'p>,
) -> Option<(Vec<Part>, u32)> {
    find(plan, types, value, 0)
}

/// The nesting of loops, windows and views up to which writers are looked for: a value that a loop carries leads to
/// itself.
const DEPTH: usize = 64;

fn find<'p>(
    plan: &Plan<'p>,
    types: &TensorTypes<'p>,
    value: Val<'p>,
    depth: usize,
) -> Option<(Vec<Part>, u32)> {
    if depth > DEPTH {
        return None;
    }
    let next = |value| find(plan, types, value, depth + 1);
    let yielded = |body: ir::Blk<'p>, number| next(ir::operand(body.terminator()?, number)?);
    match ir::source(value) {
        Source::Argument(body, number) => {
            let parent = body.parent_operation()?;
            let number = number.checked_sub(1)?;
            next(ir::operand(parent, FIRST_INIT + number)?).or_else(|| yielded(body, number))
        }
        Source::Result(op, number) => {
            if DeviceOp::cast(op).is_some() {
                let step = plan.step(op);
                let tensor = step.tensors.last()?;
                return Some((tensor.parts.clone(), step.division.cores));
            }
            match ir::kind(op) {
                OpKind::For => next(ir::operand(op, FIRST_INIT + number)?)
                    .or_else(|| yielded(ir::body(op)?, number)),
                OpKind::InsertSlice => next(ir::operand(op, 1)?).or_else(|| {
                    let (small, cores) = next(ir::operand(op, 0)?)?;
                    let window = ir::window(op)?;
                    let shape = types.get(value.r#type()).ok()?;
                    let dims = small.iter().zip(&window.sizes).zip(shape.shape());
                    let parts =
                        dims.map(
                            |((part, size), extent)| match size.unsigned_abs() == *extent {
                                true => *part,
                                false => Part::whole(*extent),
                            },
                        );
                    Some((parts.collect(), cores))
                }),
                OpKind::ExtractSlice => {
                    let source = ir::operand(op, 0)?;
                    let (parts, cores) = next(source)?;
                    let window = ir::window(op)?;
                    let shape = types.get(source.r#type()).ok()?;
                    Some((of_window(&parts, &window.sizes, shape.shape()).ok()?, cores))
                }
                _ if view::is_view(op) => {
                    let source = ir::operand(op, 0)?;
                    let (parts, cores) = next(source)?;
                    let (from, to) = (
                        types.get(source.r#type()).ok()?,
                        types.get(value.r#type()).ok()?,
                    );
                    let view = View::of(op).ok()?;
                    Some((
                        of_view(&parts, &view, from.shape(), to.shape()).ok()?,
                        cores,
                    ))
                }
                _ => None,
            }
        }
    }
}
