//! The attributes of `sdscbundle.op_spec` as Rust values.

use std::fmt::Display;

use melior::ir::{AffineMap, Attribute, AttributeLike};
use melior::{Context, StringRef};
use mlir_sys::{MlirAttribute, MlirStringRef};
use spyre_layout::Bytes;
use spyre_sdsc::bundle::StatedSize;
use spyre_sdsc::model::{DimBounds, DimSource, Direction, IterationDim};
use spyre_sdsc::{Allocation, ArgIndex, Expr, OpSpec, Symbol, TensorArg};

use super::advances::Level;
use super::affine::{Names, from_affine};
use super::error::{AttributeError, affine_all, all_signed, signed};
use super::ownership::{ownership, ownership_attribute};
use crate::attr::{
    Place, arrangement_from_value, arrangement_value, borrowed, format_from_value, format_value,
    optional, text, unsigned,
};
use crate::ffi;

/// The text that MLIR takes for no text.
const NONE: MlirStringRef = MlirStringRef {
    data: std::ptr::null(),
    length: 0,
};

fn optional_text(raw: MlirStringRef) -> Option<String> {
    (!raw.data.is_null()).then(|| text(raw))
}

/// Returns a text in the form that MLIR takes; a null pointer for `None`. `value` must outlive the result.
fn raw_text(value: Option<&str>) -> MlirStringRef {
    value.map_or(NONE, |value| StringRef::new(value).to_raw())
}

/// Returns the value of an expression without names.
///
/// # Errors
/// The expression has names, or its value does not fit.
pub(super) fn integer(expr: &Expr, what: impl Display) -> Result<i64, AttributeError> {
    expr.eval(|_| None)
        .map_err(|err| AttributeError::NotNumber {
            what: what.to_string(),
            reason: err.to_string(),
        })
}

/// Reads a `#sdscbundle.iter_dim` (the caller has it from a `sdscbundle.op_spec`): the dimension, and the runtime size that it is
/// with its bounds.
pub(super) fn iter_dim(
    attribute: Attribute<'_>,
) -> Option<(IterationDim, Option<(Symbol, DimBounds)>)> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here.
    let (symbol, extent, slices, size, granularity) = unsafe {
        (
            text(ffi::spyreSdscBundleIterDimGetSymbol(raw)),
            ffi::spyreSdscBundleIterDimGetExtent(raw),
            ffi::spyreSdscBundleIterDimGetSlices(raw),
            optional_text(ffi::spyreSdscBundleIterDimGetSize(raw)),
            ffi::spyreSdscBundleIterDimGetGranularity(raw),
        )
    };
    let size = match size {
        None => None,
        Some(size) => {
            let (max, granularity) = (
                u64::try_from(extent).ok()?,
                u64::try_from(granularity).ok()?,
            );
            Some((Symbol::from(size), DimBounds { max, granularity }))
        }
    };
    let dim = IterationDim {
        symbol: Symbol::from(symbol),
        extent: match &size {
            None => Expr::int(extent),
            Some((size, _)) => Expr::from(size.clone()),
        },
        slices: u64::try_from(slices).ok()?,
    };
    Some((dim, size))
}

/// Builds the `#sdscbundle.iter_dim` of a dimension of `spec`.
pub(super) fn iter_dim_attribute<'c>(
    context: &'c Context,
    dim: &IterationDim,
    spec: &OpSpec,
) -> Result<Attribute<'c>, AttributeError> {
    let symbol = &dim.symbol;
    let (extent, size, granularity) = if let Some(size) = dim.extent.as_symbol() {
        let bounds = spec.symbolic_dim_bounds.get(size.as_str());
        let bounds = bounds.ok_or_else(|| AttributeError::NoBounds {
            size: size.clone(),
            dim: dim.symbol.clone(),
        })?;
        let granularity = signed(bounds.granularity, format_args!("granularity of {symbol}"))?;
        let extent = signed(bounds.max, format_args!("extent of {symbol}"))?;
        (extent, Some(size.as_str()), granularity)
    } else {
        let extent = integer(&dim.extent, format_args!("extent of {symbol}"))?;
        if extent <= 0 {
            return Err(AttributeError::NotPositive {
                extent,
                dim: dim.symbol.clone(),
            });
        }
        (extent, None, 0)
    };
    let slices = signed(dim.slices, format_args!("number of slices of {symbol}"))?;
    // SAFETY: a live context; the texts are copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleIterDimGet(
            context.to_raw(),
            StringRef::new(dim.symbol.as_str()).to_raw(),
            extent,
            slices,
            raw_text(size),
            granularity,
        ))
    })
}

/// Reads a `#sdscbundle.level` (the caller has it from a `sdscbundle.op_spec`).
pub(super) fn level(attribute: Attribute<'_>) -> Option<Level> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here.
    unsafe {
        Some(Level {
            number: usize::try_from(ffi::spyreSdscBundleLevelGetLoop(raw)).ok()?,
            dim: optional_text(ffi::spyreSdscBundleLevelGetDim(raw)).map(Symbol::from),
            trips: u64::try_from(ffi::spyreSdscBundleLevelGetTrips(raw))
                .ok()
                .filter(|trips| *trips != 0),
        })
    }
}

/// Builds a `#sdscbundle.level`.
pub(super) fn level_attribute<'c>(
    context: &'c Context,
    level: &Level,
) -> Result<Attribute<'c>, AttributeError> {
    let trips = signed(
        level.trips.unwrap_or(0),
        format_args!("number of tiles of loop {}", level.number),
    )?;
    // SAFETY: a live context; the text is copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleLevelGet(
            context.to_raw(),
            level.number.cast_signed() as i64,
            raw_text(level.dim.as_ref().map(Symbol::as_str)),
            trips,
        ))
    })
}

/// Reads a `#sdscbundle.tensor_arg` (the caller has it from a `sdscbundle.op_spec`) over the dimensions of these symbols: the tensor,
/// and its steps along the levels of the operation.
pub(super) fn tensor_arg(
    attribute: Attribute<'_>,
    symbols: &[Symbol],
) -> Option<(TensorArg, Vec<i64>)> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here; the arrays belong to it.
    unsafe {
        let map = AffineMap::from_raw(ffi::spyreSdscBundleTensorArgGetCoordinates(raw));
        let names = Names {
            dims: symbols,
            what: "an iteration symbol",
            indirect: (0..ffi::spyreSdscBundleTensorArgGetNumIndirect(raw))
                .map(|index| text(ffi::spyreSdscBundleTensorArgGetIndirect(raw, index)))
                .collect(),
        };
        let coordinates = (0..map.result_count())
            .map(|index| from_affine(map.result(index).ok()?, &names))
            .collect::<Option<_>>()?;
        let owners: Option<Attribute<'_>> = optional(ffi::spyreSdscBundleTensorArgGetOwners(raw));
        let place = Place::from_space(
            ffi::spyreSdscBundleTensorArgGetSpace(raw),
            ffi::spyreSdscBundleTensorArgGetAddress(raw),
        )?;
        let offset = Bytes(u64::try_from(ffi::spyreSdscBundleTensorArgGetOffset(raw)).ok()?);
        let device_size = unsigned(&borrowed(|out| {
            ffi::spyreSdscBundleTensorArgGetSize(raw, out)
        }))?;
        let tensor = TensorArg {
            direction: if ffi::spyreSdscBundleTensorArgIsOutput(raw) {
                Direction::Output
            } else {
                Direction::Input
            },
            arrangement: arrangement_from_value(ffi::spyreSdscBundleTensorArgGetArrangement(raw))?,
            name: optional_text(ffi::spyreSdscBundleTensorArgGetName(raw)),
            ownership: match owners {
                Some(owners) => Some(ownership(owners, symbols)?),
                None => None,
            },
            separate_parts: ffi::spyreSdscBundleTensorArgHasSeparateParts(raw),
            kernel_local: ffi::spyreSdscBundleTensorArgIsKernelLocal(raw),
            ..TensorArg::new(
                format_from_value(ffi::spyreSdscBundleTensorArgGetFormat(raw))?,
                device_size,
                coordinates,
                allocation(place, offset)?,
            )
        };
        let steps = borrowed(|out| ffi::spyreSdscBundleTensorArgGetAdvance(raw, out));
        Some((tensor, steps))
    }
}

/// Returns the allocation of a tensor that begins `offset` bytes after the start of a place. `None` for a window, which
/// is within its tensor, and for an address that no file can have.
#[must_use]
pub fn allocation(place: Place, offset: Bytes) -> Option<Allocation> {
    let start_plus_offset = |start: Bytes| Some(Bytes(start.get().checked_add(offset.get())?));
    Some(match place {
        Place::Arg(index) => Allocation::Hbm {
            arg: ArgIndex::new(index),
            offset,
        },
        Place::Pool(start) => Allocation::HbmPool {
            offset: start_plus_offset(start)?,
        },
        Place::Lx(start) => Allocation::Lx {
            address: start_plus_offset(start)?,
        },
        Place::Window => return None,
    })
}

/// Builds the `#sdscbundle.tensor_arg` of a tensor with these steps along the levels of its operation, over the
/// dimensions of `space`, which have these symbols.
pub(super) fn tensor_arg_attribute<'c>(
    context: &'c Context,
    arg: &TensorArg,
    steps: &[i64],
    space: &[IterationDim],
    symbols: &[Symbol],
) -> Result<Attribute<'c>, AttributeError> {
    let mut names = Names {
        dims: symbols,
        what: "an iteration symbol",
        indirect: Vec::new(),
    };
    let exprs = affine_all(
        context,
        &arg.device_coordinates,
        &mut names,
        "device coordinate",
    )?;
    let map = AffineMap::new(context, symbols.len(), names.indirect.len(), &exprs);
    let size = all_signed(&arg.device_size, "device size")?;
    let (place, offset) = match arg.allocation {
        Allocation::Hbm { arg, offset } => (Place::Arg(arg.get()), offset),
        Allocation::Lx { address } => (Place::Lx(address), Bytes(0)),
        Allocation::HbmPool { offset } => (Place::Pool(offset), Bytes(0)),
    };
    if let Place::Pool(bytes) | Place::Lx(bytes) = place {
        signed(bytes.get(), "address")?;
    }
    let (space_of_place, address) = place.to_space();
    let offset = signed(offset.get(), "offset")?;
    let owners = match &arg.ownership {
        Some(ownership) => ownership_attribute(context, ownership, space)?.to_raw(),
        None => MlirAttribute {
            ptr: std::ptr::null_mut(),
        },
    };
    let indirect: Vec<MlirStringRef> = names
        .indirect
        .iter()
        .map(|name| StringRef::new(name).to_raw())
        .collect();
    // SAFETY: the arrays have the lengths given; the texts are copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleTensorArgGet(
            context.to_raw(),
            arg.direction == Direction::Output,
            space_of_place,
            address,
            format_value(arg.format),
            size.as_ptr(),
            size.len().cast_signed(),
            map.to_raw(),
            steps.as_ptr(),
            steps.len().cast_signed(),
            offset,
            arrangement_value(arg.arrangement),
            raw_text(arg.name.as_deref()),
            indirect.as_ptr(),
            indirect.len().cast_signed(),
            owners,
            arg.separate_parts,
            arg.kernel_local,
        ))
    })
}

/// The name of the attribute that identifies the runtime size of a parameter of a bundle.
pub const SIZE: &str = "sdscbundle.size";

/// Reads a `#sdscbundle.size`; `None` for any other attribute.
#[must_use]
pub fn size(attribute: Attribute<'_>) -> Option<StatedSize> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind.
    unsafe {
        if !ffi::spyreSdscBundleAttributeIsASize(raw) {
            return None;
        }
        let number = |value: i64| u32::try_from(value).ok();
        let arg = number(ffi::spyreSdscBundleSizeGetArg(raw));
        let dim = number(ffi::spyreSdscBundleSizeGetDim(raw));
        Some(StatedSize {
            symbol: Symbol::from(text(ffi::spyreSdscBundleSizeGetName(raw))),
            source: arg.zip(dim).map(|(arg, dim)| DimSource {
                arg: ArgIndex::new(arg),
                dim,
            }),
        })
    }
}

/// Builds a `#sdscbundle.size`.
#[must_use]
pub fn size_attribute<'c>(context: &'c Context, size: &StatedSize) -> Attribute<'c> {
    let (arg, dim) = size.source.map_or((-1, -1), |source| {
        (i64::from(source.arg.get()), i64::from(source.dim))
    });
    // SAFETY: a live context; the text is copied.
    unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleSizeGet(
            context.to_raw(),
            StringRef::new(size.symbol.as_str()).to_raw(),
            arg,
            dim,
        ))
    }
}
