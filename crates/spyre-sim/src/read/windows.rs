//! The windows of a convolution or a pool in a file (SDSC bundle specification, section 4.11).

use super::error::{Resolved, error};
use super::json::{Dsc, Extent, Windows};
use super::operation::{Dim, Walk};

/// The key of the windows among the extents.
pub(super) const KEY: &str = "paddingSizes_";

/// The operation with an input that names height and width even without windows along them: a window of one element has
/// no entry (SuperDSC-Bundle 1.0.0, K20).
const NAMES_BOTH: &str = "depthwiseconv2dnative";

/// Returns the windows that walk along a dimension; `None` if windows of one element do, one element apart.
pub(super) fn along(dsc: &Dsc, dims: &[Dim], name: &str) -> Resolved<Option<Walk>> {
    let at = format!("N_/{KEY}/{name}");
    let dim_position = |name: &str| dims.iter().position(|dim| dim.name == name);
    let entry = match dsc.extents.get(KEY) {
        Some(Extent::Windows(windows)) => windows.get(name),
        _ => None,
    };
    let Some(Windows {
        pad_front,
        pad_back,
        total,
        stride,
        dilation,
        window,
    }) = entry
    else {
        if dsc
            .compute
            .iter()
            .all(|compute| compute.function == NAMES_BOTH)
        {
            return Ok(None);
        }
        return error(
            at,
            "the tensor is walked along it, and there are no windows",
        );
    };
    if *pad_front > 0 || *pad_back > 0 {
        let message = format!("a padding of {pad_front} and {pad_back} elements is not simulated");
        return error(at, message);
    }
    if *stride == 0 || *dilation == 0 {
        let message = format!("stride {stride} and dilation {dilation} must be positive");
        return error(at, message);
    }
    let (Some(position), Some(window)) = (dim_position(name), dim_position(window)) else {
        let message = format!("'{name}' or '{window}' is not a dimension of N_");
        return error(at, message);
    };
    // A window that cores divide, or that is along itself, is invalid.
    if window == position || dims[window].slices > 1 {
        let message = format!("'{}' is no dimension of whole windows", dims[window].name);
        return error(at, message);
    }
    let walk = Walk {
        window,
        kernel: dims[window].extent,
        stride: *stride,
        dilation: *dilation,
    };
    let windows = dims[position].extent;
    if walk.span(windows) != Some(*total) {
        let message = format!(
            "{windows} windows of {} elements do not span the {total} elements of the input",
            walk.kernel
        );
        return error(at, message);
    }
    Ok(Some(walk))
}
