//! The arguments of a function that gathers use as indices, so that generated arguments are valid indices.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, ValueLike};
use rustc_hash::FxHashSet;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_mlir_rt::ir::{self, Op, Use, Val};
use spyre_ods::{arith, linalg, spyre, tensor};

/// Returns, for each argument of a function, the smallest extent of the dimensions that its values index, in gathers
/// and in bodies of structured operations. Slices, reshapes and casts of the argument count as well. `None` for an
/// argument without uses as indices.
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
    let mut seen = FxHashSet::default();
    let mut least: Option<u32> = None;
    while let Some(value) = pending.pop() {
        if !seen.insert(ir::value_key(value)) {
            continue; // The value is reached in two ways.
        }
        for Use { owner, operand } in ir::uses(value) {
            match reads(owner, operand) {
                Reads::Positions(extent) => least = least.into_iter().chain(extent).min(),
                Reads::Numbers(moved) => pending.extend(moved),
                Reads::Else => {}
            }
        }
    }
    least
}

/// The way in which an operation reads an operand.
enum Reads<'p> {
    /// Indices into a dimension of this extent; `None` if it is 0 or unknown.
    Positions(Option<u32>),
    /// The elements, which are the elements of this value as well, if they are in range.
    Numbers(Option<Val<'p>>),
    /// Other uses.
    Else,
}

fn reads<'p>(owner: Op<'p>, operand: usize) -> Reads<'p> {
    let device = DeviceOp::cast(owner);
    if let Some(dim) = device.and_then(DeviceOp::gathered_dim) {
        let is_indices = operand == 0;
        return Reads::Positions(is_indices.then(|| extent(owner, 1, dim)).flatten());
    }
    let result = || Reads::Numbers(ir::result(owner, 0));
    match ir::name(owner) {
        tensor::EXTRACT if operand > 0 => Reads::Positions(extent(owner, 0, operand - 1)),
        tensor::GATHER if operand == 1 => {
            let dims = attr::dense_signed_integers(ir::attribute(owner, "gather_dims"));
            let dims = dims.into_iter().flatten();
            let extents = dims.filter_map(|dim| extent(owner, 0, usize::try_from(dim).ok()?));
            Reads::Positions(extents.min())
        }
        spyre::PERMUTE
        | spyre::COPY
        | spyre::RESTICKIFY
        | tensor::CAST
        | tensor::EXTRACT_SLICE
        | tensor::EXPAND_SHAPE
        | tensor::COLLAPSE_SHAPE
        | arith::INDEX_CAST
        | arith::INDEX_CASTUI
        | arith::EXTSI
        | arith::EXTUI
        | arith::TRUNCI => result(),
        tensor::EXTRACT => result(),
        // A selection, as in the conversion of negative positions and in a clamp.
        arith::SELECT if operand > 0 => result(),
        arith::MAXSI | arith::MINSI => result(),
        linalg::GENERIC => {
            let body = ir::body(owner);
            let element = body.and_then(|body| body.argument(operand).ok());
            Reads::Numbers(element.map(Val::from))
        }
        linalg::YIELD => {
            let owner_op = owner.parent_operation();
            Reads::Numbers(owner_op.and_then(|owner_op| ir::result(owner_op, operand)))
        }
        _ => Reads::Else,
    }
}

/// Returns the extent of a dimension of an operand, in elements. `None` if it is zero or dynamic.
fn extent(op: Op<'_>, table: usize, dim: usize) -> Option<u32> {
    let table = RankedTensorType::try_from(ir::operand(op, table)?.r#type()).ok()?;
    match table.dim_size(dim).ok()? {
        DimSize::Static(extent) => u32::try_from(extent).ok().filter(|extent| *extent > 0),
        DimSize::Dynamic => None,
    }
}
