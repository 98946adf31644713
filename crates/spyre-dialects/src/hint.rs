//! Tiling hints and names of dimensions as Rust values.

use melior::ir::{Attribute, AttributeLike};
use melior::{Context, StringRef};

use crate::attr::{elements, string, text};
use crate::ffi;

/// The number or the size of the tiles that a hint requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tiles {
    /// A number of tiles.
    Count(u64),
    /// Elements of a tile; the number of tiles follows from the extent.
    Size(u64),
}

impl Tiles {
    /// Returns the number of tiles of a dimension of `extent` elements; the last tile may be smaller.
    #[must_use]
    pub fn count(self, extent: u64) -> u64 {
        match self {
            Self::Count(count) => count,
            // The verifier allows no size of 0.
            Self::Size(size) => extent.div_ceil(size.max(1)),
        }
    }
}

impl std::fmt::Display for Tiles {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(formatter, "in {count}"),
            Self::Size(size) => write!(formatter, "by {size}"),
        }
    }
}

/// One scope's request to split a dimension into tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileHint {
    /// The scope; a smaller id is an outer loop.
    pub scope: i64,
    /// Name of the dimension.
    pub dim: String,
    /// Number of tiles or size of one.
    pub tiles: Tiles,
}

/// Reads a `#spyre.tile_hint`; `None` for any other attribute.
#[must_use]
pub fn tile_hint(attribute: Attribute<'_>) -> Option<TileHint> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind.
    unsafe {
        ffi::spyreAttributeIsATileHint(raw).then(|| {
            let amount = u64::try_from(ffi::spyreTileHintGetAmount(raw));
            let amount = amount.expect("a count or a size is positive (SH1)");
            TileHint {
                scope: ffi::spyreTileHintGetScope(raw),
                dim: text(ffi::spyreTileHintGetDim(raw)),
                tiles: if ffi::spyreTileHintIsBySize(raw) {
                    Tiles::Size(amount)
                } else {
                    Tiles::Count(amount)
                },
            }
        })
    }
}

/// Builds a `#spyre.tile_hint`.
#[must_use]
pub fn tile_hint_attribute<'c>(context: &'c Context, hint: &TileHint) -> Attribute<'c> {
    let (amount, by_size) = match hint.tiles {
        Tiles::Count(count) => (count, false),
        Tiles::Size(size) => (size, true),
    };
    // SAFETY: a live context; the text is copied.
    unsafe {
        Attribute::from_raw(ffi::spyreTileHintGet(
            context.to_raw(),
            hint.scope,
            StringRef::new(&hint.dim).to_raw(),
            amount.cast_signed(),
            by_size,
        ))
    }
}

/// A request to divide a dimension over cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DivideHint {
    /// Name of the dimension.
    pub dim: String,
    /// Number of cores, at least 1.
    pub cores: u64,
}

impl std::fmt::Display for DivideHint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "\"{}\" over {}", self.dim, self.cores)
    }
}

/// Reads a `#spyre.divide_hint`; `None` for any other attribute.
#[must_use]
pub fn divide_hint(attribute: Attribute<'_>) -> Option<DivideHint> {
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the accessors match its kind.
    unsafe {
        ffi::spyreAttributeIsADivideHint(raw).then(|| {
            let cores = u64::try_from(ffi::spyreDivideHintGetCores(raw));
            DivideHint {
                dim: text(ffi::spyreDivideHintGetDim(raw)),
                cores: cores.expect("a number of cores is positive (SH5)"),
            }
        })
    }
}

/// Builds a `#spyre.divide_hint`.
#[must_use]
pub fn divide_hint_attribute<'c>(context: &'c Context, hint: &DivideHint) -> Attribute<'c> {
    // SAFETY: a live context; the text is copied.
    unsafe {
        Attribute::from_raw(ffi::spyreDivideHintGet(
            context.to_raw(),
            StringRef::new(&hint.dim).to_raw(),
            hint.cores.cast_signed(),
        ))
    }
}

/// A hint scope around the operations of a function or loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileScope {
    /// The dimensions, outermost first; their scope ids count from 0.
    pub hints: Vec<TileHint>,
    /// The dimensions that it divides over cores.
    pub divisions: Vec<DivideHint>,
    /// First and last operation; `None` for all.
    pub ops: Option<(u64, u64)>,
}

/// Reads a `#spyre.tile_scope`; `None` for any other attribute.
#[must_use]
pub fn tile_scope(attribute: Attribute<'_>) -> Option<TileScope> {
    let raw = attribute.to_raw();
    let (mut first, mut last) = (0, 0);
    // SAFETY: a live attribute; the accessors match its kind, with indices below the number.
    unsafe {
        if !ffi::spyreAttributeIsATileScope(raw) {
            return None;
        }
        let hints = (0..ffi::spyreTileScopeGetNumHints(raw))
            .map(|index| tile_hint(Attribute::from_raw(ffi::spyreTileScopeGetHint(raw, index))))
            .collect::<Option<_>>()?;
        let divisions = (0..ffi::spyreTileScopeGetNumDivisions(raw))
            .map(|index| {
                divide_hint(Attribute::from_raw(ffi::spyreTileScopeGetDivision(
                    raw, index,
                )))
            })
            .collect::<Option<_>>()?;
        let limited = ffi::spyreTileScopeGetRange(raw, &raw mut first, &raw mut last);
        let number = |op: i64| u64::try_from(op).expect("no operation's number is negative (SH4)");
        Some(TileScope {
            hints,
            divisions,
            ops: limited.then(|| (number(first), number(last))),
        })
    }
}

/// The name of a dimension: one name, or the names of the dimensions that were merged into it, each with its extent, outermost
/// first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimName {
    /// One name.
    Whole(String),
    /// Names and extents.
    Merged(Vec<(String, u64)>),
}

/// Returns the names in one entry of `spyre.dims`: a string, a `#spyre.merged` or an array of these. `None` for any other
/// attribute.
#[must_use]
pub fn dim_names(attribute: Attribute<'_>) -> Option<Vec<DimName>> {
    if let Some(name) = dim_name(attribute) {
        return Some(vec![name]);
    }
    let names = elements(attribute);
    if names.is_empty() {
        return None;
    }
    names.into_iter().map(dim_name).collect()
}

fn dim_name(attribute: Attribute<'_>) -> Option<DimName> {
    if let Some(name) = string(attribute) {
        return Some(DimName::Whole(name));
    }
    let raw = attribute.to_raw();
    // SAFETY: a live attribute; the number is 0 for any other kind, and indices are below it.
    unsafe {
        let count = ffi::spyreMergedGetNumNames(raw);
        let factors = (0..count).map(|index| {
            let extent = u64::try_from(ffi::spyreMergedGetExtent(raw, index));
            let extent = extent.expect("extents of merged dimensions are positive (SM1)");
            (text(ffi::spyreMergedGetName(raw, index)), extent)
        });
        (count > 0).then(|| DimName::Merged(factors.collect()))
    }
}

/// Builds an entry of `spyre.dims`. `None` when there is no name.
#[must_use]
pub fn dim_names_attribute<'c>(context: &'c Context, names: &[DimName]) -> Option<Attribute<'c>> {
    let names: Vec<Attribute<'c>> = names
        .iter()
        .map(|name| dim_name_attribute(context, name))
        .collect();
    match names.as_slice() {
        [] => None,
        [name] => Some(*name),
        names => Some(crate::attr::array(context, names)),
    }
}

fn dim_name_attribute<'c>(context: &'c Context, name: &DimName) -> Attribute<'c> {
    match name {
        DimName::Whole(name) => melior::ir::attribute::StringAttribute::new(context, name).into(),
        DimName::Merged(factors) => {
            let names: Vec<_> = factors
                .iter()
                .map(|(name, _)| StringRef::new(name).to_raw())
                .collect();
            let extents: Vec<i64> = factors
                .iter()
                .map(|(_, extent)| extent.cast_signed())
                .collect();
            // SAFETY: both arrays have the length given, and the texts are copied.
            unsafe {
                Attribute::from_raw(ffi::spyreMergedGet(
                    context.to_raw(),
                    names.len().cast_signed(),
                    names.as_ptr(),
                    extents.as_ptr(),
                ))
            }
        }
    }
}
