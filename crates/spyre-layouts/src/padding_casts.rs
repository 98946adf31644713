//! `--spyre-fold-padding-casts`: folds casts between a window and the same window without the padding of its tensor.
//!
//! If an offset folds to a constant, upstream's canonicalization gives a slice the type of its source with other
//! extents, and casts it back. Explicit padding belongs to the whole tensor, so the two types differ by that. The cast
//! moves no data, and no other pass supports it.

use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use spyre_analysis::tensor::{TensorType, TensorTypes};
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val};
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::{func, tensor};

/// `--spyre-fold-padding-casts`
pub static FOLD_PADDING_CASTS: RustPass = RustPass {
    argument: "spyre-fold-padding-casts",
    summary: "Fold casts of windows that differ in the padding of their layouts only",
    description: r#"
Reverts a `tensor.cast` that `--canonicalize` builds for a slice with constant offsets, when
the layout of the whole tensor has an explicit `size`: a window has the layout of its tensor,
but no padding. Other casts stay; layout propagation refuses them.

```mlir
// before
%s = tensor.extract_slice %a[32, 0] [32, 128] [1, 1] : !padded to tensor<32x128xf16, #padded>
%w = tensor.cast %s : tensor<32x128xf16, #padded> to tensor<32x128xf16, #stick>
// after
%w = tensor.extract_slice %a[32, 0] [32, 128] [1, 1] : !padded to tensor<32x128xf16, #stick>
```
"#,
    anchor: func::FUNC,
    options: &[],
    statistics: &[PassStatistic {
        name: "folded",
        description: "Casts that were folded",
    }],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let mut casts = Vec::new();
    if let Some(body) = ir::function_body(run.operation()) {
        collect(body, &mut casts);
    }
    let types = TensorTypes::new(run.context());
    let folded = casts.into_iter().filter(|cast| fold(&types, *cast)).count();
    run.count("folded", folded);
    if folded == 0 {
        run.preserve_analyses();
    }
    Ok(())
}

fn collect<'p>(block: Blk<'p>, casts: &mut Vec<Op<'p>>) {
    for op in ir::operations(block) {
        if op.name().as_string_ref().as_str() == Ok(tensor::CAST) {
            casts.push(op);
        }
        if ir::kind(op) == OpKind::For
            && let Some(body) = ir::body(op)
        {
            collect(body, casts);
        }
    }
}

/// Folds a cast into the slice that it is of, or out of the insertions that it is for. Returns whether the cast is gone.
fn fold<'p>(types: &TensorTypes<'p>, cast: Op<'p>) -> bool {
    let (Ok(source), Ok(result)) = (cast.operand(0), cast.result(0)) else {
        return false;
    };
    let result: Val<'p> = result.into();
    // A tensor of dynamic extent has no layout in device memory.
    let (Ok(from), Ok(to)) = (types.get(source.r#type()), types.get(result.r#type())) else {
        return false;
    };
    if !differ_in_padding(&from, &to) {
        return false;
    }
    let slice = ir::defining_op(source).filter(|op| ir::kind(*op) == OpKind::ExtractSlice);
    if slice.is_some() && ir::uses(source).len() == 1 {
        source.set_type(to.ty);
    } else if !ir::uses(result)
        .iter()
        .all(|user| ir::kind(user.owner) == OpKind::InsertSlice && user.operand == 0)
    {
        return false;
    }
    ir::replace_all_uses(result, source);
    ir::erase(cast);
    true
}

/// Returns whether two tensors have the same elements at the same places, apart from explicit padding.
fn differ_in_padding(one: &TensorType<'_>, other: &TensorType<'_>) -> bool {
    let (a, b) = (one.device.layout(), other.device.layout());
    one.has_layout
        && other.has_layout
        && one.element == other.element
        && one.shape() == other.shape()
        && a.coords() == b.coords()
        && a.expanded() == b.expanded()
        && a.arrangement() == b.arrangement()
        && one.device.format() == other.device.format()
}
