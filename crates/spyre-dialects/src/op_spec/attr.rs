//! The attributes of `sdscbundle.op_spec` as Rust values.

use melior::ir::{AffineExpr, AffineMap, Attribute, AttributeLike};
use melior::{Context, StringRef};
use mlir_sys::{MlirAttribute, MlirStringRef};
use spyre_layout::{Arrangement, Bytes, DeviceFormat};
use spyre_sdsc::bundle::StatedSize;
use spyre_sdsc::model::{CORE_ID, DimBounds, DimSource};
use spyre_sdsc::{Expr, Symbol};

use super::affine::{AffineError, Names, from_affine, to_affine};
use crate::attr::{
    Place, arrangement_from_value, arrangement_value, borrowed, format_from_value, format_value,
    optional, text, unsigned,
};
use crate::ffi;

/// The symbol of the core in the expressions of an [`Ownership`]. It is the one of the model that files are made of.
pub const CORE: &str = CORE_ID;

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

/// Returns a count or an address in the form that MLIR has.
///
/// # Errors
/// Numbers of 63 bits and more.
fn signed(value: u64, what: &'static str) -> Result<i64, AttributeError> {
    i64::try_from(value).map_err(|_| AttributeError::TooLarge { value, what })
}

fn all_signed(values: &[u64], what: &'static str) -> Result<Vec<i64>, AttributeError> {
    values.iter().map(|value| signed(*value, what)).collect()
}

/// The reason why a value has no attribute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttributeError {
    /// A number that does not fit.
    #[error("{what} {value} is not below 2^63")]
    TooLarge {
        /// The number.
        value: u64,
        /// A description of the number.
        what: &'static str,
    },
    /// An expression without an affine form.
    #[error("{what} {source}")]
    NotAffine {
        /// A description of the expression.
        what: &'static str,
        /// The reason.
        source: AffineError,
    },
    /// Provenance that attributes cannot hold.
    #[error("{what} has an object with two equal names, or a number that does not fit 64 bits")]
    NotJson {
        /// A description of the provenance.
        what: &'static str,
    },
}

/// The number of values of an iteration symbol, or its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// The number is known.
    Fixed(u64),
    /// The number is a runtime size.
    Runtime {
        /// Name of the size.
        size: String,
        /// The bounds of the size.
        bounds: DimBounds,
    },
}

impl Extent {
    /// Returns the largest number of values.
    #[must_use]
    pub const fn max(&self) -> u64 {
        match self {
            Self::Fixed(extent) => *extent,
            Self::Runtime { bounds, .. } => bounds.max,
        }
    }
}

/// One dimension of an OpSpec's iteration space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterDim {
    /// Its symbol.
    pub symbol: String,
    /// Values of the symbol.
    pub extent: Extent,
    /// Slices, one per core.
    pub slices: u32,
}

/// Reads a `#sdscbundle.iter_dim` (the caller has it from a `sdscbundle.op_spec`).
pub(super) fn iter_dim(attribute: Attribute<'_>) -> Option<IterDim> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here.
    unsafe {
        let max = u64::try_from(ffi::spyreSdscBundleIterDimGetExtent(raw)).ok()?;
        let extent = match optional_text(ffi::spyreSdscBundleIterDimGetSize(raw)) {
            None => Extent::Fixed(max),
            Some(size) => Extent::Runtime {
                size,
                bounds: DimBounds {
                    max,
                    granularity: u64::try_from(ffi::spyreSdscBundleIterDimGetGranularity(raw))
                        .ok()?,
                },
            },
        };
        Some(IterDim {
            symbol: text(ffi::spyreSdscBundleIterDimGetSymbol(raw)),
            extent,
            slices: u32::try_from(ffi::spyreSdscBundleIterDimGetSlices(raw)).ok()?,
        })
    }
}

/// Makes a `#sdscbundle.iter_dim`.
pub(super) fn iter_dim_attribute<'c>(
    context: &'c Context,
    dim: &IterDim,
) -> Result<Attribute<'c>, AttributeError> {
    let (size, granularity) = match &dim.extent {
        Extent::Fixed(_) => (None, 0),
        Extent::Runtime { size, bounds } => (Some(size.as_str()), bounds.granularity),
    };
    let extent = signed(dim.extent.max(), "extent")?;
    let granularity = signed(granularity, "granularity")?;
    // SAFETY: a live context; the texts are copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleIterDimGet(
            context.to_raw(),
            StringRef::new(&dim.symbol).to_raw(),
            extent,
            i64::from(dim.slices),
            raw_text(size),
            granularity,
        ))
    })
}

/// A level at which tensors advance, in a loop around the operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The loop around the operation; 0 is the outermost.
    pub number: usize,
    /// The iteration symbol that the level is a tile of.
    pub dim: Option<String>,
    /// The number of tiles, where it is not the trip count of the loop.
    pub trips: Option<u64>,
}

/// Reads a `#sdscbundle.level` (the caller has it from a `sdscbundle.op_spec`).
pub(super) fn level(attribute: Attribute<'_>) -> Option<Level> {
    let raw = attribute.to_raw();
    // SAFETY: the verifier of `sdscbundle.op_spec` allows only this kind here.
    unsafe {
        Some(Level {
            number: usize::try_from(ffi::spyreSdscBundleLevelGetLoop(raw)).ok()?,
            dim: optional_text(ffi::spyreSdscBundleLevelGetDim(raw)),
            trips: u64::try_from(ffi::spyreSdscBundleLevelGetTrips(raw))
                .ok()
                .filter(|trips| *trips != 0),
        })
    }
}

/// Makes a `#sdscbundle.level`.
pub(super) fn level_attribute<'c>(
    context: &'c Context,
    level: &Level,
) -> Result<Attribute<'c>, AttributeError> {
    let trips = signed(level.trips.unwrap_or(0), "number of tiles")?;
    // SAFETY: a live context; the text is copied.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleLevelGet(
            context.to_raw(),
            level.number.cast_signed() as i64,
            raw_text(level.dim.as_deref()),
            trips,
        ))
    })
}

/// The parts of a tensor that each core owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ownership {
    /// Slices along each iteration dimension.
    pub slices: Vec<u64>,
    /// The slice of core [`CORE`] along each iteration dimension.
    pub slice_of_core: Vec<Expr>,
}

/// Returns the names for the map of an ownership. The core is its only dimension.
fn core_names(dims: &[String]) -> Names<'_> {
    Names {
        dims,
        what: "the core",
        indirect: Vec::new(),
    }
}

fn ownership(attribute: Attribute<'_>) -> Option<Ownership> {
    let raw = attribute.to_raw();
    // SAFETY: the parameter of `#sdscbundle.tensor_arg` has this kind.
    let (slices, map) = unsafe {
        (
            borrowed(|out| ffi::spyreSdscBundleOwnershipGetSlices(raw, out)),
            AffineMap::from_raw(ffi::spyreSdscBundleOwnershipGetCores(raw)),
        )
    };
    let dims = [CORE.to_owned()];
    let names = core_names(&dims);
    Some(Ownership {
        slices: unsigned(&slices)?,
        slice_of_core: (0..map.result_count())
            .map(|index| from_affine(map.result(index).ok()?, &names))
            .collect::<Option<_>>()?,
    })
}

fn ownership_attribute<'c>(
    context: &'c Context,
    ownership: &Ownership,
) -> Result<Attribute<'c>, AttributeError> {
    let dims = [CORE.to_owned()];
    let exprs = affine_all(
        context,
        &ownership.slice_of_core,
        &mut core_names(&dims),
        "slice of a core",
    )?;
    let map = AffineMap::new(context, 1, 0, &exprs);
    let slices = all_signed(&ownership.slices, "number of slices")?;
    // SAFETY: the array has the length given.
    Ok(unsafe {
        Attribute::from_raw(ffi::spyreSdscBundleOwnershipGet(
            context.to_raw(),
            slices.as_ptr(),
            slices.len().cast_signed(),
            map.to_raw(),
        ))
    })
}

fn affine_all<'c>(
    context: &'c Context,
    exprs: &[Expr],
    names: &mut Names<'_>,
    what: &'static str,
) -> Result<Vec<AffineExpr<'c>>, AttributeError> {
    exprs
        .iter()
        .map(|expr| {
            to_affine(context, expr, names)
                .map_err(|source| AttributeError::NotAffine { what, source })
        })
        .collect()
}

/// One tensor of an OpSpec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorArg {
    /// Whether the operation writes the tensor.
    pub is_output: bool,
    /// The place of the buffer; never [`Place::Window`].
    pub place: Place,
    /// Number format.
    pub format: DeviceFormat,
    /// Device size of the whole buffer.
    pub device_size: Vec<u64>,
    /// One expression per device dimension, over iteration symbols.
    pub coordinates: Vec<Expr>,
    /// Device elements per iteration of each enclosing loop, outermost first, or for each level of the OpSpec; empty
    /// when fixed.
    pub advance: Vec<i64>,
    /// Bytes from the start of the buffer.
    pub offset: Bytes,
    /// Order of the elements within a stick.
    pub arrangement: Arrangement,
    /// Its name, where other tensors read coordinates from it.
    pub name: Option<String>,
    /// The core ownership of the tensor, if it differs from the operation's.
    pub ownership: Option<Ownership>,
}

/// Reads a `#sdscbundle.tensor_arg` (the caller has it from a `sdscbundle.op_spec`) over the dimensions of these symbols.
pub(super) fn tensor_arg(attribute: Attribute<'_>, symbols: &[String]) -> Option<TensorArg> {
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
        Some(TensorArg {
            is_output: ffi::spyreSdscBundleTensorArgIsOutput(raw),
            place: Place::from_space(
                ffi::spyreSdscBundleTensorArgGetSpace(raw),
                ffi::spyreSdscBundleTensorArgGetAddress(raw),
            )?,
            format: format_from_value(ffi::spyreSdscBundleTensorArgGetFormat(raw))?,
            device_size: unsigned(&borrowed(|out| {
                ffi::spyreSdscBundleTensorArgGetSize(raw, out)
            }))?,
            coordinates,
            advance: borrowed(|out| ffi::spyreSdscBundleTensorArgGetAdvance(raw, out)),
            offset: Bytes(u64::try_from(ffi::spyreSdscBundleTensorArgGetOffset(raw)).ok()?),
            arrangement: arrangement_from_value(ffi::spyreSdscBundleTensorArgGetArrangement(raw))?,
            name: optional_text(ffi::spyreSdscBundleTensorArgGetName(raw)),
            ownership: match owners {
                Some(owners) => Some(ownership(owners)?),
                None => None,
            },
        })
    }
}

/// Makes a `#sdscbundle.tensor_arg` over the dimensions of these symbols.
pub(super) fn tensor_arg_attribute<'c>(
    context: &'c Context,
    arg: &TensorArg,
    symbols: &[String],
) -> Result<Attribute<'c>, AttributeError> {
    let mut names = Names {
        dims: symbols,
        what: "an iteration symbol",
        indirect: Vec::new(),
    };
    let exprs = affine_all(context, &arg.coordinates, &mut names, "device coordinate")?;
    let map = AffineMap::new(context, symbols.len(), names.indirect.len(), &exprs);
    let size = all_signed(&arg.device_size, "device size")?;
    if let Place::Pool(bytes) | Place::Lx(bytes) = arg.place {
        signed(bytes.get(), "address")?;
    }
    let (space, address) = arg.place.to_space();
    let offset = signed(arg.offset.get(), "offset")?;
    let owners = match &arg.ownership {
        Some(ownership) => ownership_attribute(context, ownership)?.to_raw(),
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
            arg.is_output,
            space,
            address,
            format_value(arg.format),
            size.as_ptr(),
            size.len().cast_signed(),
            map.to_raw(),
            arg.advance.as_ptr(),
            arg.advance.len().cast_signed(),
            offset,
            arrangement_value(arg.arrangement),
            raw_text(arg.name.as_deref()),
            indirect.as_ptr(),
            indirect.len().cast_signed(),
            owners,
        ))
    })
}

/// The name of the attribute that tells which runtime size a parameter of a bundle is.
pub const SIZE: &str = "sdscbundle.size";

/// Reads a `#sdscbundle.size`; `None` for any other attribute.
#[must_use]
pub fn size(attribute: Attribute<'_>) -> Option<StatedSize> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors are called on their own kind.
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
                arg: spyre_sdsc::ArgIndex::new(arg),
                dim,
            }),
        })
    }
}

/// Makes a `#sdscbundle.size`.
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
