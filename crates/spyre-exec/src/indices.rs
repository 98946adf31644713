//! The arguments of a function that gathers take for indices, so that generated arguments are valid indices.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, ValueLike};
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, OpKind, Use, Val};

/// Returns, for each argument of a function, how many elements a gather chooses from by its values: the fewest, if several
/// gathers do. `None` for an argument that no gather takes for indices as it is, in parts, or in another shape.
#[must_use]
pub fn bounds(function: Op<'_>) -> Vec<Option<u32>> {
    let Some(body) = ir::function_body(function) else {
        return Vec::new();
    };
    let arguments = (0..body.argument_count()).map(|index| body.argument(index));
    arguments
        .map(|argument| bound(argument.ok()?.into()))
        .collect()
}

fn bound(argument: Val<'_>) -> Option<u32> {
    let mut pending = vec![argument];
    let mut least: Option<u32> = None;
    while let Some(value) = pending.pop() {
        for Use { owner, operand } in ir::uses(value) {
            let device = DeviceOp::cast(owner);
            if let Some(dim) = device.and_then(DeviceOp::gathered_dim) {
                let extent = if operand == 0 {
                    extent(owner, dim)
                } else {
                    None
                };
                least = least.into_iter().chain(extent).min();
                continue;
            }
            let moves = match ir::kind(owner) {
                OpKind::ExtractSlice | OpKind::ExpandShape | OpKind::CollapseShape => true,
                _ => matches!(
                    owner.name().as_string_ref().as_str(),
                    Ok("spyre.permute" | "spyre.copy" | "spyre.restickify" | "tensor.cast")
                ),
            };
            if moves {
                pending.extend(owner.result(0).ok().map(Val::from));
            }
        }
    }
    least
}

/// Returns the extent of a dimension of a gather's table, in elements. `None` if it is zero or chosen at run time.
fn extent(gather: Op<'_>, dim: usize) -> Option<u32> {
    let table = RankedTensorType::try_from(gather.operand(1).ok()?.r#type()).ok()?;
    match table.dim_size(dim).ok()? {
        DimSize::Static(extent) => u32::try_from(extent).ok().filter(|extent| *extent > 0),
        DimSize::Dynamic => None,
    }
}
