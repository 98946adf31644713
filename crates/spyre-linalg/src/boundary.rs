//! `--spyre-copy-joined-parts`: copies around concatenations along another dimension than the dynamic one.
//!
//! No operation works on more than a tile of such a dimension, and an insertion has no tiles itself: it is in the
//! loops of the operations that compute its operand and use its result. So a part that no operation computes is
//! copied, and so is a whole that no operation reads. A tensor with a view that cuts sticks is copied too, since
//! layouts copy where they have no view. A part with one value everywhere, such as a pad, is built along the
//! dimensions of another part. Other tensors that repeat along a dynamic dimension have no loop with tiles, and are
//! refused.

use melior::Context;
use melior::dialect::DialectHandle;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{BlockLike, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::extents::{Extents, tensor_dim};
use spyre_analysis::dynamic::slices::{self, DYNAMIC, Slice, SliceSize};
use spyre_analysis::dynamic::{self, error, is_dynamic};
use spyre_analysis::kinds::is_carried;
use spyre_analysis::view::View;
use spyre_analysis::walk::trip_count;
use spyre_construct::build::splat;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::names::{DEVICE, DIMS};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, OpKind, Use, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, RustPass};
use spyre_ods::{func, spyre};

const NAME: &str = "spyre-copy-joined-parts";

/// The most elements of a stick, in any format.
const MOST_IN_STICK: i64 = 64;

/// `--spyre-copy-joined-parts`
pub static COPY_JOINED_PARTS: RustPass = RustPass {
    argument: NAME,
    summary: "Copy parts of concatenations next to a dynamic dimension",
    description: r#"
No operation works on more than a tile of a dynamic dimension, and an insertion has no tiles
itself: it is in the loops of the operations that compute its operand and use its result.
So a part that no operation computes is copied, and so is the whole where no operation reads it.
A tensor with a view that cuts sticks is copied too, and an argument that is returned.

```mlir
// before
%0 = tensor.insert_slice %a into %e[0, 0] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
%1 = tensor.insert_slice %b into %0[0, 64] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
return %1 : tensor<?x128xf16>
// after
%2 = spyre.copy %a : tensor<?x64xf16>
%0 = tensor.insert_slice %2 into %e[0, 0] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
%3 = spyre.copy %b : tensor<?x64xf16>
%1 = tensor.insert_slice %3 into %0[0, 64] [%s, 64] [1, 1] : tensor<?x64xf16> into tensor<?x128xf16>
%4 = spyre.copy %1 : tensor<?x128xf16>
return %4 : tensor<?x128xf16>
```

The pass is last, because copies of a type to itself fold. Functions without dynamic
dimensions stay as they are.

Refused: a tensor that repeats along a dynamic dimension, as one with one value everywhere
does, and is neither read element by element nor put together with others.
"#,
    anchor: func::FUNC,
    options: &[PassOption {
        name: "host",
        description: "functions that are not of the device are the host's, and get no copies",
        kind: OptionKind::Bool(false),
    }],
    statistics: &[],
    dialects: || vec![DialectHandle::arith(), DialectHandle::tensor()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    let Some(body) = ir::function_body(function) else {
        run.preserve_analyses();
        return Ok(());
    };
    if Extents::of_function(function, body)?.is_empty() {
        // A copy may repeat along a dynamic dimension that no argument has.
        check_repeated(body)?;
        run.preserve_analyses();
        return Ok(());
    }
    fill_parts(run.context(), body)?;
    check_repeated(body)?;
    let is_host = run.flag("host") && function.attribute(DEVICE).is_err();
    if !is_host {
        copy_sources(run.context(), body);
        copy_parts(run.context(), body);
        copy_returned(run.context(), body);
    }
    Ok(())
}

/// Returns the extents of a value, with [`DYNAMIC`] for dynamic ones; empty for values that are not tensors.
fn extents(value: Val<'_>) -> Vec<i64> {
    let shape = dynamic::shape(value.r#type())
        .unwrap_or_default()
        .into_iter();
    let extents = shape.map(|extent| match extent {
        DimSize::Static(extent) => extent.cast_signed(),
        DimSize::Dynamic => DYNAMIC,
    });
    extents.collect()
}

/// Returns the operand that a copy repeats along a dynamic dimension, where the operand has extent 1.
fn repeated(op: Op<'_>) -> Option<Val<'_>> {
    let source = ir::operand(op, 0).filter(|_| ir::name(op) == spyre::COPY)?;
    let result = ir::result(op, 0).expect("a copy has a result");
    let mut both = extents(source).into_iter().zip(extents(result));
    both.any(|(from, to)| from != DYNAMIC && to == DYNAMIC)
        .then_some(source)
}

/// Checks that a tensor that repeats along a dynamic dimension has no uses: no loop has tiles of it.
fn check_repeated<'p>(block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
    for op in ir::operations(block) {
        ir::blocks(op).try_for_each(check_repeated)?;
        let Some(source) = repeated(op) else { continue };
        let result = ir::result(op, 0).expect("a copy has a result");
        let Some(reader) = ir::uses(result).first().map(|usage| usage.owner) else {
            ir::erase(op);
            continue;
        };
        let what = match ir::defining_op(source).and_then(splat).is_some() {
            true => "a tensor with one value everywhere",
            false => "a tensor that repeats",
        };
        let names = op.attribute(DIMS).map(attr::elements).unwrap_or_default();
        let names = names
            .into_iter()
            .zip(extents(source).into_iter().zip(extents(result)));
        let names = names
            .filter(|(_, (from, to))| from != to)
            .map(|(name, _)| name.to_string());
        let message = format!(
            "{NAME}: {what} is along {}, whose extent is dynamic",
            names.collect::<Vec<_>>().join(" and ")
        );
        return Err(error(op, message).note(reader.location(), "it is read here"));
    }
    Ok(())
}

/// Puts the copies into a block, and into the loops in it.
fn copy_parts<'p>(context: &'p Context, block: Blk<'p>) {
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            copy_parts(context, inner);
        }
        if ir::kind(op) == OpKind::InsertSlice && is_open(op) {
            for number in [0, 1] {
                let part = ir::operand(op, number).expect("an insertion has two tensors");
                if !is_made(part) {
                    ir::set_operand(op, number, copy(context, op, op, part));
                }
            }
        }
    }
    // The loop above changes the readers of results, so results are copied after it.
    let whole: Vec<Op<'p>> = ir::operations(block)
        .filter(|op| ir::kind(*op) == OpKind::InsertSlice && is_open(*op))
        .collect();
    for op in whole {
        copy_result(context, op);
    }
}

/// Copies the result of a view or an insertion, unless exactly one operation reads it: several users may be in several
/// loops, and only results of device operations leave a loop.
fn copy_result<'p>(context: &'p Context, op: Op<'p>) {
    let result = ir::result(op, 0).expect("a view has a result");
    let uses: Vec<Use<'p>> = ir::uses(result)
        .into_iter()
        .filter(|usage| ir::kind(usage.owner) != OpKind::TensorDim)
        .collect();
    let is_kept = match uses.as_slice() {
        [] => true,
        [only] => is_read(*only),
        _ => false,
    };
    let Some(behind) = op.next_in_block().filter(|_| !is_kept) else {
        return;
    };
    let copied = copy(context, behind, op, result);
    for usage in uses {
        ir::set_operand(usage.owner, usage.operand, copied);
    }
}

/// Builds the parts that have the same value everywhere, by a copy that repeats along the dynamic dimensions.
///
/// # Errors
/// No other part has these dimensions.
fn fill_parts<'p>(context: &'p Context, block: Blk<'p>) -> Result<(), Diagnostic<'p>> {
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
    // Collect the parts of all fills before new parts are built.
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
            let message = "a tensor with one value everywhere is concatenated with others along a dynamic dimension, but all others \
                           are computed later";
            error(op, message)
        })?;
        let tensor = spread(context, op, number, other);
        ir::set_operand(op, number, tensor);
    }
    Ok(())
}

/// Returns whether an operand of an insertion has one value everywhere along dynamic dimensions.
fn is_filled(op: Op<'_>, number: usize) -> bool {
    filled(op, number).is_some()
}

/// Returns the constant that an operand of an insertion repeats along dynamic dimensions.
fn filled(op: Op<'_>, number: usize) -> Option<Val<'_>> {
    let source = repeated(ir::operand(op, number).and_then(ir::defining_op)?)?;
    ir::defining_op(source).and_then(splat).map(|_| source)
}

/// Returns the parts of the tensor that an insertion belongs to, except parts with one value everywhere.
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
        let result = ir::result(op, 0).expect("an insertion has a result");
        let uses = ir::uses(result).into_iter();
        next = uses
            .filter(|usage| usage.operand == 1)
            .map(|usage| usage.owner)
            .find(is_insert);
    }
    parts
}

/// Builds an operand of an insertion that has the value of a fill everywhere: a `where3` between the value and itself,
/// by a comparison of the first elements of another part, which has the dynamic dimensions.
fn spread<'p>(context: &'p Context, insert: Op<'p>, number: usize, other: Val<'p>) -> Val<'p> {
    let at = At::Before(insert);
    let fill = filled(insert, number).expect("the operand is filled");
    let slice = Slice::cast(insert).expect("an insertion is a slice");
    let wanted: Vec<i64> = match number {
        0 => slice.sizes(),
        _ => extents(ir::result(insert, 0).expect("an insertion has a result")),
    };
    let mut sizes = Vec::with_capacity(wanted.len());
    for (dim, extent) in extents(other).into_iter().enumerate() {
        sizes.push(match extent {
            DYNAMIC => SliceSize::Chosen(tensor_dim(context, At::Before(insert), other, dim)),
            _ => SliceSize::Fixed(1),
        });
    }
    let first = slices::prefix(context, at, other, &sizes);
    let first = ir::result(first, 0).expect("a slice has a result");
    let truth: Type<'p> = IntegerType::new(context, 1).into();
    let ty = |extents: &[i64], element: Type<'p>| -> Type<'p> {
        let extents = extents.iter().map(|extent| extent.cast_unsigned());
        RankedTensorType::new(&extents.collect::<Vec<_>>(), element, None).into()
    };
    let build = OpBuilder::before(context, insert);
    let is_same = build.op(spyre::equal(first, first), ty(&extents(first), truth));
    let tensor = RankedTensorType::try_from(fill.r#type()).expect("a fill is a tensor");
    let spread = spyre::where3(is_same, fill, fill);
    build.op(spread, ty(&wanted, tensor.element()))
}

/// Copies tensors of which views are taken that cut sticks, and such views that no operation reads: layouts have no view for them, and
/// only a copy that is an operation is in the loops.
fn copy_sources<'p>(context: &'p Context, block: Blk<'p>) {
    let mut copies: FxHashMap<ir::ValueKey, Val<'p>> = FxHashMap::default();
    let mut views = Vec::new();
    for op in ir::operations(block) {
        for inner in ir::blocks(op) {
            copy_sources(context, inner);
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
            None => copy(context, op, op, source),
        };
        copies.insert(key, copied);
        ir::set_operand(op, 0, copied);
    }
    for view in views {
        copy_result(context, view);
    }
}

/// Copies arguments, and views of arguments, that a function returns: the device needs an operation to run.
fn copy_returned<'p>(context: &'p Context, body: Blk<'p>) {
    let Some(end) = body.terminator() else {
        return;
    };
    let returned: Vec<Val<'p>> = end.operands().collect();
    for (number, value) in returned.into_iter().enumerate() {
        if is_dynamic(value.r#type()) && !is_computed(value) {
            ir::set_operand(end, number, copy(context, end, end, value));
        }
    }
}

/// Returns whether an operation of the device computes a value, directly or through views.
fn is_computed(value: Val<'_>) -> bool {
    let mut maker = ir::defining_op(value);
    while let Some(op) = maker {
        // A loop without a static trip count iterates over tiles of a dynamic dimension already.
        let is_tiled = ir::kind(op) == OpKind::For && trip_count(op).is_none();
        if is_tiled || DeviceOp::cast(op).is_some() || ir::kind(op) == OpKind::InsertSlice {
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
    let shape_of = |value: Option<Val<'_>>| extents(value.expect("a view is one of a tensor"));
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

/// Returns whether an insertion into a tensor with a dynamic dimension inserts more than a tile of it.
fn is_open(op: Op<'_>) -> bool {
    let slice = Slice::cast(op).expect("an insertion is a slice");
    let mut dims = extents(slice.whole()).into_iter().zip(slice.offsets());
    let is_tile = dims.any(|(extent, offset)| extent == DYNAMIC && offset == DYNAMIC);
    is_dynamic(slice.whole().r#type()) && !is_tile
}

/// Returns whether an operation of the device computes a value, or it is a tensor that insertions build.
fn is_made(value: Val<'_>) -> bool {
    ir::defining_op(value).is_some_and(|op| {
        let is_part = EmptyOp::cast(op).is_some() || ir::kind(op) == OpKind::InsertSlice;
        is_part || DeviceOp::cast(op).is_some()
    })
}

/// Returns whether an operation of the device reads a value, directly or through views of which it is the only reader.
fn is_read(usage: Use<'_>) -> bool {
    let mut owner = usage.owner;
    while is_carried(owner) && ir::kind(owner) != OpKind::InsertSlice {
        let result = ir::result(owner, 0).expect("a view has a result");
        let uses = ir::uses(result).into_iter();
        let mut readers = uses.filter(|reader| ir::kind(reader.owner) != OpKind::TensorDim);
        match (readers.next(), readers.next()) {
            (Some(only), None) => owner = only.owner,
            _ => return false,
        }
    }
    // The result of a further insertion is checked separately.
    DeviceOp::cast(owner).is_some() || ir::kind(owner) == OpKind::InsertSlice
}

/// Builds a copy of a value before an operation, with the location of the operation that needs it.
fn copy<'p>(context: &'p Context, before: Op<'p>, of: Op<'p>, value: Val<'p>) -> Val<'p> {
    let build = OpBuilder {
        location: of.location(),
        ..OpBuilder::before(context, before)
    };
    build.same(spyre::copy(value))
}
