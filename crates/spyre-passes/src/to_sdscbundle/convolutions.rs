//! The part of an OpSpec about the windows of a convolution (SDSC bundle specification, section 4.11).

use spyre_dialects::device_op::{DeviceOp, WalkedDim};
use spyre_sdsc::{Expr, Json, Object};

use super::access::Access;
use super::coordinates::position;

/// Sets the positions of an image along which windows walk. Dimensions of one element have no coordinate.
pub(super) fn walk(op: DeviceOp<'_>, positions: &mut [Option<Expr>]) {
    let space = op.iteration_space();
    for walk in op.walked_dims() {
        let parts = [(walk.position, walk.stride), (walk.window, walk.dilation)];
        let parts = parts.into_iter().filter(|(dim, _)| space[*dim] != 1);
        let parts = parts.map(|(dim, step)| match step {
            1 => position(dim),
            step => Expr::int(step.cast_signed()) * position(dim),
        });
        positions[walk.dim] = parts.reduce(|sum, part| sum + part);
    }
}

/// Returns the dimensions of an image along which windows walk, by the names that the format has for them. Height is the dimension
/// that is further out in the result.
fn height_and_width(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> Option<[WalkedDim; 2]> {
    let [first, second] = *op.walked_dims().as_slice() else {
        return None;
    };
    let result = accesses.last()?;
    let place = |walk: WalkedDim| {
        let host = result
            .dims
            .iter()
            .position(|dim| *dim == Some(walk.position))?;
        result.operand.view.layout().device_dims_of(host).next()
    };
    Some(match (place(first), place(second)) {
        (Some(one), Some(other)) if other < one => [second, first],
        _ => [first, second],
    })
}

/// Returns what an OpSpec says besides of a convolution: the extras, which are its windows, and the extents of its result as
/// `[N, C, H, W]`. Both are empty for other operations.
pub(super) fn windows(op: DeviceOp<'_>, accesses: &[Access<'_>]) -> (Object<Json>, Vec<Expr>) {
    let (mut info, mut ranges) = (Object::new(), Vec::new());
    if let Some([height, width]) = height_and_width(op, accesses) {
        let space = op.iteration_space();
        let kernel = |walk: WalkedDim| space[walk.window].unsigned_abs();
        let entries = [
            ("kernel_h", kernel(height)),
            ("kernel_w", kernel(width)),
            ("stride_h", height.stride),
            ("stride_w", width.stride),
            ("pad_h", 0),
            ("pad_w", 0),
            ("dil_h", height.dilation),
            ("dil_w", width.dilation),
        ];
        let mut params = Object::new();
        for (key, value) in entries {
            params.insert(key.into(), Json::Number(value.into()));
        }
        info.insert("conv_params".into(), Json::Object(params));
        ranges.extend([0, 3, height.position, width.position].map(|dim| Expr::int(space[dim])));
    }
    (info, ranges)
}
