//! `#sdscbundle.ownership`: the parts of a tensor that each core owns. An attribute has them by the positions of dimensions, and the
//! model by their symbols.

use melior::Context;
use melior::ir::{AffineMap, Attribute, AttributeLike};
use spyre_sdsc::model::{IterationDim, Ownership};
use spyre_sdsc::{Expr, Symbol};

use super::core_slices::{map_of_core, slices_of_core};
use super::error::{AttributeError, signed};
use crate::attr::{borrowed, unsigned};
use crate::ffi;

/// Reads the parts of a tensor that each core owns, along dimensions of these symbols.
pub(super) fn ownership(attribute: Attribute<'_>, symbols: &[Symbol]) -> Option<Ownership> {
    let raw = attribute.to_raw();
    // SAFETY: the parameter of `#sdscbundle.tensor_arg` has this kind.
    let (slices, map, among) = unsafe {
        (
            borrowed(|out| ffi::spyreSdscBundleOwnershipGetSlices(raw, out)),
            AffineMap::from_raw(ffi::spyreSdscBundleOwnershipGetCores(raw)),
            ffi::spyreSdscBundleOwnershipGetAmong(raw),
        )
    };
    let of_core = symbols.iter().cloned().zip(slices_of_core(map)?);
    Some(Ownership {
        work_slices: symbols.iter().cloned().zip(unsigned(&slices)?).collect(),
        core_id_to_work_slice: of_core.collect(),
        num_cores: match u32::try_from(among).ok()? {
            0 => None,
            among => Some(among),
        },
    })
}

/// Builds the `#sdscbundle.ownership` of a tensor over the dimensions of `space`.
pub(super) fn ownership_attribute<'c>(
    context: &'c Context,
    ownership: &Ownership,
    space: &[IterationDim],
) -> Result<Attribute<'c>, AttributeError> {
    let is_iteration = |symbol: &Symbol| space.iter().any(|dim| dim.symbol == *symbol);
    let slices = ownership.work_slices.keys();
    let mut named = slices.chain(ownership.core_id_to_work_slice.keys());
    if let Some(symbol) = named.find(|symbol| !is_iteration(symbol)) {
        return Err(AttributeError::OwnedDim {
            symbol: symbol.clone(),
        });
    }
    // 0 is no number in the attribute.
    if ownership.num_cores == Some(0) {
        return Err(AttributeError::NoOwners);
    }
    // A dimension that is not named is whole.
    let slices = space.iter().map(|dim| {
        let symbol = &dim.symbol;
        let slices = ownership.work_slices.get(symbol.as_str()).copied();
        signed(
            slices.unwrap_or(1),
            format_args!("number of slices of {symbol}"),
        )
    });
    let slices = slices.collect::<Result<Vec<_>, _>>()?;
    let of_core = space.iter().map(|dim| {
        let slice = ownership.core_id_to_work_slice.get(dim.symbol.as_str());
        slice.cloned().unwrap_or(Expr::int(0))
    });
    let map = map_of_core(
        context,
        &of_core.collect::<Vec<_>>(),
        "work_division.core_id_to_work_slice",
    )?;
    // SAFETY: the array has the length given.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleOwnershipGet(
            context.to_raw(),
            slices.as_ptr(),
            slices.len().cast_signed(),
            map.to_raw(),
            ownership.num_cores.map_or(0, i64::from),
        ))
    })
}
