//! Builds views of tiles, and copies of views for users of the full tensors.

use melior::Context;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_analysis::names::shape;
use spyre_mlir_rt::ir::{self, At, Op, OpKind, OpParts, Use, Val, Window};

use crate::coarse_tile::construct::with_attributes_of;
use crate::coarse_tile::find::group_op::{kept_dims, window_of};
use crate::coarse_tile::ids::{Id, IdVec, MemberId};
use crate::coarse_tile::plan::{MemberWindows, TilePlan, result};

/// Returns the uses of each member by operations outside of the group.
pub(crate) fn outside_uses<'p>(plan: &TilePlan<'p>) -> IdVec<MemberId, Vec<Use<'p>>> {
    let outside = |member: MemberId| {
        let mut uses = ir::uses(result(plan.members[member].op.op()));
        uses.retain(|user| !plan.positions.contains_key(&ir::op_key(user.owner)));
        uses
    };
    plan.members.ids().map(outside).collect()
}

/// Copies the views that are used outside of the group as well. The uses outside then read the copies, which view the full
/// tensor. Returns the copies, in order.
pub(crate) fn copy_views<'p>(plan: &TilePlan<'p>) -> Vec<Op<'p>> {
    let copy = |view: &MemberId| {
        let op = plan.members[*view].op.op();
        let copy = ir::build_clone(At::Before(op), op);
        for user in ir::uses(result(op)) {
            if !plan.positions.contains_key(&ir::op_key(user.owner)) {
                ir::set_operand(user.owner, user.operand, result(copy));
            }
        }
        copy
    };
    // Readers come before the views that they read, because a copy is a use outside as well.
    let mut copies: Vec<_> = plan.copied_views.iter().rev().map(copy).collect();
    copies.reverse();
    copies
}

/// Builds a view of tiles.
pub(crate) fn build_view<'p>(
    context: &'p Context,
    at: At<'p>,
    op: Op<'p>,
    windows: &MemberWindows<'p>,
    operands: &[Val<'p>],
    tile: Type<'p>,
) -> Op<'p> {
    let location = op.location();
    let built = match ir::kind(op) {
        OpKind::ExtractSlice => {
            let window = tile_window(op, windows.result.whole, tile);
            ir::build_extract_slice(at, location, tile, operands[0], &window)
        }
        OpKind::InsertSlice => {
            let part = operands[0].r#type();
            let window = tile_window(op, windows.operands[Id::new(0)].whole, part);
            ir::build_insert_slice(at, location, operands[0], operands[1], &window)
        }
        kind => {
            let parts = OpParts::named(ir::name(op).to_owned(), &operands[..1]);
            let mut parts = with_attributes_of(parts, op, &["permutation", "reassociation"]);
            if kind == OpKind::ExpandShape {
                let extents = DenseI64ArrayAttribute::new(context, &extents_of(tile));
                parts = parts.with("static_output_shape", extents);
            }
            return parts.insert(at, &[tile], location, context);
        }
    };
    ir::defining_op(built).expect("a window that was built is a result")
}

/// Returns the window of an operation where the smaller tensor, of type `part`, is the tile `tile`.
fn tile_window<'p>(op: Op<'p>, part: Type<'p>, tile: Type<'p>) -> Window<'p> {
    let checked = "windows in loops were found to be windows of tiles";
    let part = shape(part).expect(checked);
    let mut window = window_of(op, &part).expect(checked);
    let kept = kept_dims(&window, &part).expect(checked);
    for (dim, extent) in kept.into_iter().zip(extents_of(tile)) {
        window.sizes[dim] = extent;
    }
    window
}

fn extents_of(ty: Type<'_>) -> Vec<i64> {
    let shape = shape(ty).expect("tiles are ranked tensors");
    shape.iter().map(|extent| extent.cast_signed()).collect()
}
