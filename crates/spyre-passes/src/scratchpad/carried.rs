//! Tensors that loops carry: one buffer each, which every iteration updates in place.
//!
//! A bundle's loops carry nothing, so the value that a loop starts from, the values that its body gets and yields, and the result
//! of the loop have to be the same buffer. Where they are not in a program, a copy makes them so: in front of the loop, if it
//! starts from a tensor that has other uses; at the end of the body, if the next value is made while the one before is still
//! read. The same goes for tensors that something is inserted into.

use std::collections::HashMap;

use melior::ir::ValueLike;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Offset, Op, OpKind, Source, Use, Val, Window};

use super::boundary::{CopyBefore, Outputs, is_copy, operand, root};
use super::lifetime::Timeline;
use super::uses::result_of;
use super::{error, windows};
use crate::names::shape;
use crate::tensor::TensorTypes;
use crate::view;
use crate::walk::FIRST_INIT;

/// The operations that write buffers of loops.
#[derive(Default)]
pub(super) struct Carried<'p> {
    /// For each operation that makes the next value of a carried tensor in its buffer, the operation that made the buffer.
    updates: HashMap<usize, Op<'p>>,
    /// For each operation whose result loops update, the operations that update it.
    starts: HashMap<usize, Vec<DeviceOp<'p>>>,
}

impl<'p> Carried<'p> {
    /// Returns the operation that has made the buffer that an operation updates; `None` if it updates none.
    pub(super) fn buffer_of(&self, op: Op<'_>) -> Option<Op<'p>> {
        self.updates.get(&ir::op_key(op)).copied()
    }

    /// Returns the operations that update the result of an operation.
    pub(super) fn updates_of(&self, op: Op<'_>) -> &[DeviceOp<'p>] {
        self.starts.get(&ir::op_key(op)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether an operation shares its buffer with operations in loops.
    pub(super) fn shares(&self, op: Op<'_>) -> bool {
        self.updates.contains_key(&ir::op_key(op)) || self.starts.contains_key(&ir::op_key(op))
    }

    fn add(&mut self, start: Op<'p>, update: DeviceOp<'p>) {
        self.updates.insert(ir::op_key(update.op()), start);
        let updates = self.starts.entry(ir::op_key(start)).or_default();
        updates.push(update);
    }
}

/// Makes every loop in a block update its tensors in place.
///
/// # Errors
/// A loop carries a value that is no tensor.
pub(super) fn own<'p>(
    outputs: &mut Outputs<'p>,
    types: &TensorTypes<'p>,
    body: Blk<'p>,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<Carried<'p>, Diagnostic<'p>> {
    keep_exchanged(outputs, body, copy_before)?;
    let mut timeline = Timeline::new(body);
    own_starts(outputs, types, body, &mut timeline, copy_before)?;
    let mut carried = Carried::default();
    own_yields(&mut carried, outputs, body, &timeline, copy_before)?;
    Ok(carried)
}

fn loops<'p>(block: Blk<'p>) -> impl Iterator<Item = (Op<'p>, Blk<'p>)> {
    ir::operations(block)
        .filter(|op| ir::kind(*op) == OpKind::For)
        .filter_map(|op| Some((op, ir::body(op)?)))
}

/// Makes sure that no loop yields one of its carried tensors in the place of another. All tensors are updated at once in the
/// program and one after the other in a bundle, so such a value is first copied, before the others are updated.
fn keep_exchanged<'p>(
    outputs: &mut Outputs<'p>,
    block: Blk<'p>,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for (op, body) in loops(block) {
        keep_exchanged(outputs, body, copy_before)?;
        for carried in 0..op.result_count() {
            let (terminator, yielded, argument) = yields(op, body, carried)?;
            if buffer(yielded)? != Some(argument)
                && ir::is_ranked_tensor(yielded.r#type())
                && comes_from(yielded, body)?
            {
                outputs.copy(terminator, carried, copy_before)?;
            }
        }
    }
    Ok(())
}

/// Returns the end of a loop's body, the value that it yields there, and the argument of the body that it replaces.
fn yields<'p>(
    op: Op<'p>,
    body: Blk<'p>,
    carried: usize,
) -> Result<(Op<'p>, Val<'p>, Val<'p>), Diagnostic<'p>> {
    let terminator = body
        .terminator()
        .ok_or_else(|| error(op, "loop has no terminator"))?;
    let argument = body.argument(carried + 1).map_err(|why| error(op, why))?;
    Ok((terminator, operand(terminator, carried)?, argument.into()))
}

/// Makes every loop and every insertion start from a tensor that it may overwrite.
fn own_starts<'p>(
    outputs: &mut Outputs<'p>,
    types: &TensorTypes<'p>,
    block: Blk<'p>,
    timeline: &mut Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    // In order: an operation that has a tensor of its own does not hinder those behind it.
    for op in ir::operations(block) {
        match ir::kind(op) {
            OpKind::InsertSlice => own_start(outputs, types, (op, 1), timeline, copy_before)?,
            OpKind::For => {
                for carried in 0..op.result_count() {
                    let start = (op, FIRST_INIT + carried);
                    own_start(outputs, types, start, timeline, copy_before)?;
                }
                if let Some(body) = ir::body(op) {
                    own_starts(outputs, types, body, timeline, copy_before)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Makes sure that an operation may overwrite an operand that it writes into: copies the operand otherwise.
fn own_start<'p>(
    outputs: &mut Outputs<'p>,
    types: &TensorTypes<'p>,
    (op, index): (Op<'p>, usize),
    timeline: &mut Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    let value = operand(op, index)?;
    if !ir::is_ranked_tensor(value.r#type()) || may_overwrite(op, index, value, timeline) {
        return Ok(());
    }
    // What nobody has written is not copied.
    let made = match from_empty(value)? {
        Some(chain) if !windows::fill(&chain) => Some(outputs.another(op, index, &chain)?),
        Some(_) => None,
        None => match tile_of_parts(types, op, value)? {
            Some(made) => {
                outputs.put_in_front(op, index, &made)?;
                Some(made)
            }
            None => None,
        },
    };
    let made = match made {
        Some(made) => made,
        None => vec![outputs.copy(op, index, copy_before)?],
    };
    made.into_iter()
        .for_each(|made| timeline.add_before(made, op));
    Ok(())
}

/// Returns the operations that make a tensor of a `spyre.empty` and insertions, in order; `None` if it comes from anything else.
fn from_empty<'p>(value: Val<'p>) -> Result<Option<Vec<Op<'p>>>, Diagnostic<'p>> {
    let (mut value, mut chain) = (value, Vec::new());
    loop {
        let Some(maker) = ir::defining_op(value) else {
            return Ok(None);
        };
        chain.push(maker);
        match ir::kind(maker) {
            OpKind::InsertSlice => value = operand(maker, 1)?,
            _ if EmptyOp::cast(maker).is_some() => break,
            _ => return Ok(None),
        }
    }
    chain.reverse();
    Ok(Some(chain))
}

/// Makes a tile of a tensor that is filled in part of tiles of its parts, in front of an operation. Returns the new operations, in order;
/// `None`, and makes nothing, for any other value, and where a tile cuts a part that does not have all of the dimension.
fn tile_of_parts<'p>(
    types: &TensorTypes<'p>,
    before: Op<'p>,
    value: Val<'p>,
) -> Result<Option<Vec<Op<'p>>>, Diagnostic<'p>> {
    let slice = ir::defining_op(value).filter(|op| ir::kind(*op) == OpKind::ExtractSlice);
    let Some((slice, tile)) = slice.and_then(|slice| Some((slice, ir::window(slice)?))) else {
        return Ok(None);
    };
    let source = operand(slice, 0)?;
    let Some(chain) = from_empty(source)?.filter(|chain| !windows::fill(chain)) else {
        return Ok(None);
    };
    let (Some(whole), Some(own)) = (shape(source.r#type()), shape(value.r#type())) else {
        return Ok(None);
    };
    let extent = |dim: usize| whole[dim].cast_signed();
    let is_all = |window: &Window<'p>, dim: usize| {
        window.offsets[dim] == Offset::Static(0) && window.sizes[dim] == extent(dim)
    };
    // For each part its value, the window of it that is in the tile, and the window of the tile that this is.
    let mut parts = Vec::new();
    for insert in &chain[1..] {
        let (part, Some(place)) = (operand(*insert, 0)?, ir::window(*insert)) else {
            return Ok(None);
        };
        let rank = shape(part.r#type()).map(|shape| shape.len());
        if rank != Some(whole.len()) || own.len() != whole.len() {
            return Ok(None); // A window lacks dimensions of one element.
        }
        let (mut read, mut written) = (place.clone(), place.clone());
        for dim in 0..whole.len() {
            if is_all(&tile, dim) {
                read.offsets[dim] = Offset::Static(0);
            } else if is_all(&place, dim) {
                read.offsets[dim] = tile.offsets[dim];
                read.sizes[dim] = tile.sizes[dim];
                written.sizes[dim] = tile.sizes[dim];
            } else {
                return Ok(None);
            }
        }
        let ty = types
            .get(part.r#type())
            .map_err(|why| error(*insert, why))?;
        let extents: Vec<u64> = read.sizes.iter().map(|size| size.unsigned_abs()).collect();
        let ty = types
            .tile(&ty, &extents)
            .map_err(|why| error(*insert, why))?;
        parts.push((part, ty, read, written));
    }
    let (at, location) = (At::Before(before), slice.location());
    let empty = OperationBuilder::new("spyre.empty", location)
        .add_results(&[value.r#type()])
        .build()
        .map_err(|why| error(before, why))?;
    let empty = ir::insert(at, empty).ok_or_else(|| error(before, "is in no block"))?;
    let mut made = vec![empty];
    let mut into = result_of(empty)?;
    for (part, ty, read, written) in parts {
        let read = ir::build_extract_slice(at, location, ty, part, &read);
        into = ir::build_insert_slice(at, location, read, into, &written);
        made.extend([read, into].map(|value| ir::defining_op(value).expect("it was built")));
    }
    Ok(Some(made))
}

/// Returns whether an operation may overwrite the value of one of its operands.
fn may_overwrite<'p>(op: Op<'p>, index: usize, value: Val<'p>, timeline: &Timeline) -> bool {
    let beside = match ir::source(value) {
        Source::Argument(block, _) => {
            let around = block.parent_operation().map(ir::kind);
            around == Some(OpKind::For) && Some(block) == op.block()
        }
        Source::Result(maker, _) if EmptyOp::cast(maker).is_some() => true,
        Source::Result(maker, _) => {
            // The result of a device operation may have a better place than the tensor that something is inserted into. That of a
            // copy has not: what it copies is in that place.
            let device = DeviceOp::cast(maker);
            let is_buffer = matches!(ir::kind(maker), OpKind::For | OpKind::InsertSlice)
                || device.is_some_and(|maker| ir::kind(op) == OpKind::For || is_copy(maker));
            is_buffer && maker.block() == op.block()
        }
    };
    // The uses of arguments are not searched, because there may be any number of them.
    let own = |found: Use<'p>| found.owner == op && found.operand == index;
    beside && hindrance(value, op, Writes::More, own, timeline).is_none()
}

/// What a writer puts into the place of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// More of the same tensor, so it has to find the value there.
    More,
    /// Another tensor, so what was inserted into the value before is no matter.
    All,
}

/// Returns a use of a value that hinders `writer` from overwriting it; `None` if there is none. The `own` uses, which are the
/// writer's, and reads that are over before are no hindrance.
fn hindrance<'p>(
    value: Val<'p>,
    writer: Op<'p>,
    writes: Writes,
    own: impl Fn(Use<'p>) -> bool,
    timeline: &Timeline,
) -> Option<Op<'p>> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for found in ir::uses(value) {
            let Use { owner, operand } = found;
            if own(found) {
                continue;
            }
            match ir::kind(owner) {
                OpKind::ExtractSlice => pending.extend(owner.result(0).map(Val::from)),
                _ if view::is_view(owner) => pending.extend(owner.result(0).map(Val::from)),
                // The value goes on in the same buffer.
                OpKind::InsertSlice
                    if operand == 1
                        && writes == Writes::All
                        && timeline.is_before(owner, writer) =>
                {
                    pending.extend(owner.result(0).map(Val::from));
                }
                OpKind::For
                    if operand >= FIRST_INIT
                        && writes == Writes::All
                        && timeline.is_before(owner, writer) =>
                {
                    pending.extend(owner.result(operand - FIRST_INIT).map(Val::from));
                }
                kind => {
                    let reads = DeviceOp::cast(owner).is_some()
                        || kind == OpKind::InsertSlice && operand == 0;
                    if !reads || !timeline.is_before(owner, writer) {
                        return Some(owner);
                    }
                }
            }
        }
    }
    None
}

/// Makes every loop yield the tensors that it carries.
fn own_yields<'p>(
    found: &mut Carried<'p>,
    outputs: &mut Outputs<'p>,
    block: Blk<'p>,
    timeline: &Timeline,
    copy_before: &CopyBefore<'_, 'p>,
) -> Result<(), Diagnostic<'p>> {
    for (op, body) in loops(block) {
        own_yields(found, outputs, body, timeline, copy_before)?;
        for carried in 0..op.result_count() {
            let (terminator, yielded, argument) = yields(op, body, carried)?;
            if buffer(yielded)? == Some(argument) {
                continue;
            }
            if !ir::is_ranked_tensor(yielded.r#type()) {
                let message = format!(
                    "value {carried} that the loop carries is no tensor; a bundle's loops carry nothing, so what changes from \
                     iteration to iteration has to follow from the induction variable or be a tensor"
                );
                return Err(outputs
                    .error(op, message)
                    .note(terminator.location(), "it is yielded here"));
            }
            let update = match ir::source(yielded) {
                Source::Result(maker, _) => DeviceOp::cast(maker),
                Source::Argument(..) => None,
            };
            let update = update.filter(|update| {
                update.op().block() == Some(body)
                    && !found.updates.contains_key(&ir::op_key(update.op()))
                    && overwrites(*update, argument, timeline)
            });
            let update = match update {
                Some(update) => update,
                None => {
                    let copy = outputs.copy(terminator, carried, copy_before)?;
                    DeviceOp::cast(copy)
                        .ok_or_else(|| error(copy, "copy is not a device operation"))?
                }
            };
            let start = operand(op, FIRST_INIT + carried)?;
            let start = root(start)
                .ok_or_else(|| error(op, "loop starts from a tensor that has no buffer"))?;
            found.add(start, update);
        }
    }
    Ok(())
}

/// Returns the value that a chain of insertions and loops has started from, if it is an argument of a block; `None` otherwise.
fn buffer<'p>(value: Val<'p>) -> Result<Option<Val<'p>>, Diagnostic<'p>> {
    let mut value = value;
    loop {
        value = match ir::source(value) {
            Source::Argument(..) => return Ok(Some(value)),
            Source::Result(op, index) => match ir::kind(op) {
                OpKind::InsertSlice => operand(op, 1)?,
                OpKind::For => operand(op, FIRST_INIT + index)?,
                _ => return Ok(None),
            },
        };
    }
}

/// Returns whether a value is a tensor that the loop around `body` carries, or a part of one.
fn comes_from<'p>(value: Val<'p>, body: Blk<'p>) -> Result<bool, Diagnostic<'p>> {
    let mut value = value;
    loop {
        value = match ir::source(value) {
            Source::Argument(block, _) => return Ok(block == body),
            Source::Result(op, index) => match ir::kind(op) {
                OpKind::InsertSlice => operand(op, 1)?,
                OpKind::For => operand(op, FIRST_INIT + index)?,
                OpKind::ExtractSlice => operand(op, 0)?,
                _ if view::is_view(op) => operand(op, 0)?,
                _ => return Ok(false),
            },
        };
    }
}

/// Returns whether an operation may write its result in the place of a carried tensor: no operation reads the tensor later, and
/// the operation itself reads only the element that it writes next.
fn overwrites<'p>(op: DeviceOp<'p>, carried: Val<'p>, timeline: &Timeline) -> bool {
    let Ok(written) = result_of(op.op()) else {
        return false;
    };
    let own = |found: Use<'p>| {
        found.owner == op.op()
            && op.op().operand(found.operand).ok() == Some(carried)
            && reads_elementwise(op, found.operand)
    };
    written.r#type() == carried.r#type()
        && hindrance(carried, op.op(), Writes::All, own, timeline).is_none()
}

/// Returns whether an operation reads of an operand, for each element of its result, only the element at the same place.
pub(crate) fn reads_elementwise(op: DeviceOp<'_>, operand: usize) -> bool {
    let dims = op.tensor_dims(operand);
    op.reduction_dims() == 0
        && dims.iter().all(Option::is_some)
        && dims == op.tensor_dims(op.op().operand_count())
}
