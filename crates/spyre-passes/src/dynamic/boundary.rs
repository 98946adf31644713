//! Operations around tensors that are put together beside a dimension whose extent is chosen at run time.
//!
//! No operation works on more than a tile of such a dimension, and what puts tensors together is none that has tiles: it is in the
//! loops of those that make and read them. So a part that no operation makes is copied by one, and so is what no operation reads.
//! So is a tensor of which a view cuts sticks, since layouts copy what they have no view for.
//! A part with one value everywhere, as a pad has, is made along the dimensions of another part.

use melior::Context;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{BlockLike, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpKind, Use, Val};

use super::slices::{self, DYNAMIC, Slice, SliceSize};
use super::thaw::{extent as extent_of, static_extents};
use super::{error, is_dynamic};
use crate::coarse_tile::is_carried;
use crate::layouts::is_fill;
use crate::view::View;

/// The most elements of a stick, in any format.
const MOST_IN_STICK: i64 = 64;

/// Puts the copies into a block, and into the loops in it.
///
/// # Errors
/// MLIR does not build one.
pub(super) fn copy_parts<'p>(block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            copy_parts(inner)?;
        }
        if ir::kind(op) == OpKind::InsertSlice && is_open(op) {
            for number in [0, 1] {
                let part = ir::operand(op, number).expect("an insertion has two tensors");
                if !is_made(part) {
                    ir::set_operand(op, number, copy(At::Before(op), op, part)?);
                }
            }
        }
    }
    // Only now does everything that an operation makes have one.
    let whole: Vec<Op<'p>> = ir::operations(block)
        .filter(|op| ir::kind(*op) == OpKind::InsertSlice && is_open(*op))
        .collect();
    for op in whole {
        copy_result(op)?;
    }
    Ok(())
}

/// Copies what a view or an insertion makes, where something else than one operation reads it: several may be in several loops, and
/// what leaves a loop is what an operation has made.
fn copy_result<'p>(op: Op<'p>) -> Result<(), Diagnostic<'p>> {
    let made = ir::result(op, 0).expect("a view has a result");
    let uses: Vec<Use<'p>> = ir::uses(made)
        .into_iter()
        .filter(|found| ir::kind(found.owner) != OpKind::TensorDim)
        .collect();
    let is_kept = match uses.as_slice() {
        [] => true,
        [only] => is_read(*only),
        _ => false,
    };
    let Some(behind) = op.next_in_block().filter(|_| !is_kept) else {
        return Ok(());
    };
    let copied = copy(At::Before(behind), op, made)?;
    for found in uses {
        ir::set_operand(found.owner, found.operand, copied);
    }
    Ok(())
}

/// Makes the parts that have one value everywhere, which [`Thaw`](super::thaw) has left without the dimensions that are chosen.
///
/// # Errors
/// No other part has these dimensions.
pub(super) fn fill_parts<'p>(context: &'p Context, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let mut places: FxHashMap<ir::OpKey, usize> = FxHashMap::default();
    let mut fills = Vec::new();
    for (place, op) in ir::operations(block).enumerate() {
        places.insert(ir::op_key(op), place);
        if ir::kind(op) == OpKind::InsertSlice && is_open(op) {
            let numbers = [0, 1].into_iter().filter(|number| is_filled(op, *number));
            fills.extend(numbers.map(|number| (op, number)));
        }
        for inner in ir::blocks(op) {
            fill_parts(context, inner)?;
        }
    }
    // The parts of all of them, before one more is made.
    let fills: Vec<_> = fills
        .into_iter()
        .map(|(op, number)| (op, number, parts(op)))
        .collect();
    for (op, number, parts) in fills {
        let is_before = |value: &Val<'p>| match ir::defining_op(*value) {
            Some(maker) => places.get(&ir::op_key(maker)) < places.get(&ir::op_key(op)),
            None => true,
        };
        let mut others = parts.into_iter().filter(is_before);
        let other = others.next().ok_or_else(|| {
            let message = "a tensor with one value everywhere is put together with others along a dimension whose extent is \
                           chosen at run time, but none of them is made before";
            error(op, message)
        })?;
        let made = spread(context, op, number, other)?;
        ir::set_operand(op, number, made);
    }
    Ok(())
}

/// Returns whether an operand of an insertion is a tensor with one value everywhere.
fn is_filled(op: Op<'_>, number: usize) -> bool {
    let maker = ir::operand(op, number).and_then(ir::defining_op);
    maker.is_some_and(is_fill)
}

/// Returns the parts, without those that have one value everywhere, of the tensor that an insertion is one of.
fn parts<'p>(insert: Op<'p>) -> Vec<Val<'p>> {
    let is_insert = |op: &Op<'p>| ir::kind(*op) == OpKind::InsertSlice;
    let mut first = insert;
    while let Some(before) = ir::operand(first, 1)
        .and_then(ir::defining_op)
        .filter(is_insert)
    {
        first = before;
    }
    let mut parts = Vec::new();
    let mut next = Some(first);
    while let Some(op) = next {
        if !is_filled(op, 0) {
            parts.extend(ir::operand(op, 0));
        }
        let made = ir::result(op, 0).expect("an insertion has a result");
        let uses = ir::uses(made).into_iter();
        next = uses
            .filter(|found| found.operand == 1)
            .map(|found| found.owner)
            .find(is_insert);
    }
    parts
}

/// Builds an operand of an insertion that has the value of a fill everywhere: a choice between the value and itself, by a comparison
/// of the first elements of another part, which has the dimensions that are chosen.
fn spread<'p>(
    context: &'p Context,
    insert: Op<'p>,
    number: usize,
    other: Val<'p>,
) -> Result<Val<'p>, Diagnostic<'p>> {
    let at = At::Before(insert);
    let fill = ir::operand(insert, number).expect("an insertion has two tensors");
    let slice = Slice::cast(insert).expect("an insertion is a slice");
    let wanted: Vec<i64> = match number {
        0 => slice.sizes(),
        _ => static_extents(ir::result(insert, 0).expect("an insertion has a result")),
    };
    let mut sizes = Vec::with_capacity(wanted.len());
    for (dim, extent) in static_extents(other).into_iter().enumerate() {
        sizes.push(match extent {
            DYNAMIC => SliceSize::Chosen(extent_of(context, insert, other, dim)?),
            _ => SliceSize::Fixed(1),
        });
    }
    let first = slices::prefix(context, at, other, &sizes);
    let first = ir::result(first, 0).expect("a slice has a result");
    let truth: Type<'p> = IntegerType::new(context, 1).into();
    let is_same = build(
        insert,
        "spyre.equal",
        &[first, first],
        (&static_extents(first), truth),
    )?;
    let tensor = RankedTensorType::try_from(fill.r#type()).expect("a fill is a tensor");
    build(
        insert,
        "spyre.where3",
        &[is_same, fill, fill],
        (&wanted, tensor.element()),
    )
}

/// Builds a device operation in front of an insertion, with a result of these extents.
fn build<'p>(
    insert: Op<'p>,
    name: &str,
    operands: &[Val<'p>],
    (extents, element): (&[i64], Type<'p>),
) -> Result<Val<'p>, Diagnostic<'p>> {
    let extents: Vec<u64> = extents
        .iter()
        .map(|extent| extent.cast_unsigned())
        .collect();
    let built = OperationBuilder::new(name, insert.location())
        .add_operands(operands)
        .add_results(&[RankedTensorType::new(&extents, element, None).into()])
        .build()
        .map_err(|why| error(insert, why))?;
    let built = ir::insert(At::Before(insert), built).expect("the insertion is in a block");
    Ok(ir::result(built, 0).expect("the operation has a result"))
}

/// Copies tensors of which views are taken that cut sticks, and such views that no operation reads: layouts have no view for them, and
/// only a copy that is an operation is in the loops.
///
/// # Errors
/// MLIR does not build one.
pub(super) fn copy_sources<'p>(block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let mut copies: FxHashMap<ir::ValueKey, Val<'p>> = FxHashMap::default();
    let mut views = Vec::new();
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            copy_sources(inner)?;
        }
        let is_cut = ir::kind(op) != OpKind::InsertSlice && is_carried(op) && cuts_sticks(op);
        let source = ir::operand(op, 0).filter(|source| is_cut && is_dynamic(source.r#type()));
        let Some(source) = source else { continue };
        views.push(op);
        if is_computed(source) {
            continue;
        }
        let key = ir::value_key(source);
        let copied = match copies.get(&key) {
            Some(copied) => *copied,
            None => copy(At::Before(op), op, source)?,
        };
        copies.insert(key, copied);
        ir::set_operand(op, 0, copied);
    }
    views.into_iter().try_for_each(copy_result)
}

/// Copies what a function returns as it was given, or a view of that: there has to be something to run.
///
/// # Errors
/// MLIR does not build a copy.
pub(super) fn copy_returned<'p>(body: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    let Some(end) = body.terminator() else {
        return Ok(());
    };
    let returned: Vec<Val<'p>> = end.operands().collect();
    for (number, value) in returned.into_iter().enumerate() {
        if is_dynamic(value.r#type()) && !is_computed(value) {
            ir::set_operand(end, number, copy(At::Before(end), end, value)?);
        }
    }
    Ok(())
}

/// Returns whether an operation of the device makes a value, directly or through views.
fn is_computed(value: Val<'_>) -> bool {
    let mut maker = ir::defining_op(value);
    while let Some(op) = maker {
        if DeviceOp::cast(op).is_some() || ir::kind(op) == OpKind::InsertSlice {
            return true;
        }
        maker = match is_carried(op) {
            true => ir::operand(op, 0).and_then(ir::defining_op),
            false => None,
        };
    }
    false
}

/// Returns whether a view parts elements that are on a stick in the default layout, where the innermost dimension is.
fn cuts_sticks(op: Op<'_>) -> bool {
    let shape_of =
        |value: Option<Val<'_>>| static_extents(value.expect("a view is one of a tensor"));
    let is_whole = |extent: i64| extent % MOST_IN_STICK == 0;
    let inner = |groups: &[Vec<usize>], shape: &[i64]| {
        let group = groups.last().map_or(&[][..], Vec::as_slice);
        let long: Vec<i64> = group
            .iter()
            .map(|dim| shape[*dim])
            .filter(|extent| *extent != 1)
            .collect();
        long.len() < 2 || is_whole(long[long.len() - 1])
    };
    if let Some(slice) = Slice::cast(op) {
        let offset = slice.offsets().last().copied();
        return offset.is_some_and(|offset| !is_whole(offset));
    }
    match View::of(op).expect("what is carried is a slice or a view") {
        View::Permute(_) => false,
        View::Expand(groups) => !inner(&groups, &shape_of(ir::result(op, 0))),
        View::Collapse(groups) => !inner(&groups, &shape_of(ir::operand(op, 0))),
    }
}

/// Returns whether a slice is one beside an extent that is chosen.
fn is_open(op: Op<'_>) -> bool {
    let whole = ir::operand(op, 1).expect("an insertion has two tensors");
    is_dynamic(whole.r#type())
}

/// Returns whether an operation of the device makes a value, or it is a tensor that is being put together.
fn is_made(value: Val<'_>) -> bool {
    ir::defining_op(value).is_some_and(|op| {
        let is_part = EmptyOp::cast(op).is_some() || ir::kind(op) == OpKind::InsertSlice;
        is_part || DeviceOp::cast(op).is_some()
    })
}

/// Returns whether an operation of the device reads a value, directly or through views of which it is the only reader.
fn is_read(found: Use<'_>) -> bool {
    let mut owner = found.owner;
    while is_carried(owner) && ir::kind(owner) != OpKind::InsertSlice {
        let made = ir::result(owner, 0).expect("a view has a result");
        let uses = ir::uses(made).into_iter();
        let mut readers = uses.filter(|found| ir::kind(found.owner) != OpKind::TensorDim);
        match (readers.next(), readers.next()) {
            (Some(only), None) => owner = only.owner,
            _ => return false,
        }
    }
    // A tensor that is put together further is looked at by itself.
    DeviceOp::cast(owner).is_some() || ir::kind(owner) == OpKind::InsertSlice
}

/// Builds a copy of a value, with what is written on the operation that it is for.
fn copy<'p>(at: At<'p>, of: Op<'p>, value: Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
    let copy = OperationBuilder::new("spyre.copy", of.location())
        .add_operands(&[value])
        .add_results(&[value.r#type()])
        .build()
        .map_err(|why| error(of, why))?;
    let copy = ir::insert(at, copy).expect("the place is in a block");
    Ok(ir::result(copy, 0).expect("a copy has a result"))
}
