//! Finds the parts for a reduction to one element in the reductions that compute its elements.

use melior::ir::operation::OperationLike;
use rustc_hash::FxHashSet;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::inductor;

use super::super::super::program::{self, for_each_load};

/// Returns the number of parts and the elements of each in a reduction that the reduced elements depend on: the nearest
/// one, or several of the same extents. `None` if there is none (PyTorch: `extract_input_node_reduction_ranges`).
///
/// # Errors
/// An index is too large.
pub(super) fn parts<'p>(op: Op<'p>) -> Result<Option<(i64, i64)>, Diagnostic<'p>> {
    let body = ir::body(op).expect("a nest has a block");
    let mut makers = makers(op);
    // The input of a sum that is a buffer is that buffer: its sources do not count.
    if ir::operations(body).count() == 2
        && let Some(maker) = makers.first()
        && ir::name(*maker) == inductor::POINTWISE
    {
        return Ok(None);
    }
    let mut seen = FxHashSet::default();
    while !makers.is_empty() {
        let mut candidate: Option<(i64, i64)> = None;
        let mut next = Vec::new();
        for maker in makers {
            if !seen.insert(ir::op_key(maker)) {
                // Its loads have been visited.
            } else if let Some(pair) = extents(maker)? {
                if candidate.is_some_and(|other| other != pair) {
                    return Ok(None);
                }
                candidate = Some(pair);
            } else {
                next.extend(self::makers(maker));
            }
        }
        if candidate.is_some() {
            return Ok(candidate);
        }
        makers = next;
    }
    Ok(None)
}

/// Returns the nests that compute the sources of a nest's loads.
fn makers(op: Op<'_>) -> Vec<Op<'_>> {
    let mut makers = Vec::new();
    let body = ir::body(op).expect("a nest has a block");
    for_each_load(body, &mut |load| {
        let source = ir::operand(load, 0).and_then(ir::defining_op);
        makers.extend(source.filter(|op| program::is_nest(*op)));
    });
    makers
}

/// Returns the number of results of a reduction, a scan or a sort, and the number of elements of each; `None` for
/// another nest, or if they are symbolic.
fn extents<'p>(op: Op<'p>) -> Result<Option<(i64, i64)>, Diagnostic<'p>> {
    let names = ["reduction_ranges", "scan_ranges", "sort_ranges"];
    let Some(along) = names.into_iter().find(|name| op.attribute(name).is_ok()) else {
        return Ok(None);
    };
    let product = |name: &str| -> Result<Option<i64>, Diagnostic<'p>> {
        let sizes = program::sizes(op, name)?;
        let mut numbers = sizes.iter().map(|size| size.as_constant());
        Ok(numbers.try_fold(1_i64, |product, number| product.checked_mul(number?)))
    };
    Ok(product("ranges")?.zip(product(along)?))
}
