//! Declares the ranges of dynamic extents on a function, where the loops allow fewer extents.

use melior::Context;
use melior::ir::operation::OperationLike;
use spyre_analysis::dynamic::{DynamicDims, SymbolId};
use spyre_analysis::names::set_dim_sizes;
use spyre_dialects::attr;
use spyre_dialects::dynamic::{dynamic_extent, dynamic_extent_attribute};
use spyre_dialects::names::DIM_SIZES;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::Op;

use crate::coarse_tile::plan::narrow::NarrowedExtent;

/// Declares the narrowed extents on the function, and reports them in remarks.
pub(crate) fn declare<'p>(
    context: &'p Context,
    function: Op<'p>,
    dynamic: &DynamicDims,
    narrowed: &[NarrowedExtent<SymbolId>],
) {
    if narrowed.is_empty() {
        return;
    }
    let declared = function.attribute(DIM_SIZES);
    let mut entries = attr::entries(declared.expect("dynamic dimensions are declared"));
    for dim in narrowed {
        let symbol = dynamic.symbol(dim.symbol);
        for (name, value) in &mut entries {
            if *name == symbol.name && dynamic_extent(*value).is_some() {
                *value = dynamic_extent_attribute(context, dim.extent);
            }
        }
        let tiles: Vec<_> = dim.tiles.iter().map(u64::to_string).collect();
        let message = format!(
            "coarse-tile: loops over tiles of {} leave multiples of {} of \"{}\" to choose, where the function declared \
             multiples of {}",
            tiles.join(" and "),
            dim.extent.granularity(),
            symbol.name,
            symbol.extent.granularity()
        );
        Diagnostic::remark(function.location(), message).emit();
    }
    set_dim_sizes(context, function, &entries);
}
