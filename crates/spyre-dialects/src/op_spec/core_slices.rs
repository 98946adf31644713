//! `#sdscbundle.core_slices`: the slice of each dimension that a core works on. The number of the core is the dimension of the map.
//!
//! A map has the affine form of an expression, not its text: `Mod(floor(Mod(core_id, 32)), 32)` comes back as `Mod(core_id, 32)`. Files
//! have the values alone.

use melior::ir::{AffineMap, Attribute, AttributeLike};
use melior::{Context, StringRef};
use mlir_sys::MlirStringRef;
use spyre_sdsc::model::CORE_ID;
use spyre_sdsc::{Expr, Object, Symbol};

use super::affine::{Names, from_affine};
use super::error::{AttributeError, affine_all};
use crate::attr::text;
use crate::ffi;

/// Returns the names for a map with the core as its only dimension.
fn core_names(dims: &[Symbol]) -> Names<'_> {
    Names {
        dims,
        what: "the core",
        indirect: Vec::new(),
    }
}

/// Returns the map from the number of a core to the values of expressions in that number. `what` describes the
/// expressions in messages.
///
/// # Errors
/// [`AttributeError::NotAffine`]
pub(super) fn map_of_core<'c>(
    context: &'c Context,
    slices: &[Expr],
    what: &'static str,
) -> Result<AffineMap<'c>, AttributeError> {
    let dims = [Symbol::from(CORE_ID)];
    let exprs = affine_all(context, slices, &mut core_names(&dims), what)?;
    Ok(AffineMap::new(context, 1, 0, &exprs))
}

/// Returns the expressions of a core's number that a map is.
pub(super) fn slices_of_core(map: AffineMap<'_>) -> Option<Vec<Expr>> {
    let dims = [Symbol::from(CORE_ID)];
    let names = core_names(&dims);
    let results = 0..map.result_count();
    results
        .map(|index| from_affine(map.result(index).ok()?, &names))
        .collect()
}

/// Reads a `#sdscbundle.core_slices` (the caller has it from a `sdscbundle.op_spec`).
pub(super) fn core_slices(attribute: Attribute<'_>) -> Option<Object<Expr, Symbol>> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here, and indices are below the count.
    let (dims, map) = unsafe {
        let dims = 0..ffi::spyreSdscBundleCoreSlicesGetNumDims(raw);
        let dims = dims.map(|index| text(ffi::spyreSdscBundleCoreSlicesGetDim(raw, index)));
        (
            dims.map(Symbol::from).collect::<Vec<_>>(),
            AffineMap::from_raw(ffi::spyreSdscBundleCoreSlicesGetCores(raw)),
        )
    };
    Some(dims.into_iter().zip(slices_of_core(map)?).collect())
}

/// Builds a `#sdscbundle.core_slices`.
pub(super) fn core_slices_attribute<'c>(
    context: &'c Context,
    slices: &Object<Expr, Symbol>,
) -> Result<Attribute<'c>, AttributeError> {
    let (symbols, slices): (Vec<&Symbol>, Vec<Expr>) = slices
        .iter()
        .map(|(dim, slice)| (dim, slice.clone()))
        .unzip();
    let map = map_of_core(context, &slices, "core_id_to_work_slice")?;
    let dims: Vec<MlirStringRef> = symbols
        .iter()
        .map(|dim| StringRef::new(dim.as_str()).to_raw())
        .collect();
    // SAFETY: the array has the length given; the texts are copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleCoreSlicesGet(
            context.to_raw(),
            dims.as_ptr(),
            dims.len().cast_signed(),
            map.to_raw(),
        ))
    })
}
