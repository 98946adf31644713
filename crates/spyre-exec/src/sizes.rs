//! Extents of the dynamic dimensions of a program.

use melior::ir::operation::OperationLike;
use spyre_analysis::names::FurtherNames;
use spyre_dialects::attr;
use spyre_dialects::dynamic::dynamic_extent;
use spyre_dialects::hint::{self, DimName};
use spyre_dialects::names::{DIM_SIZES, DIMS};
use spyre_mlir_rt::ir::{self, Op};
use spyre_plan::DynamicExtent;

use crate::program::{ProgramError, entry_function, functions};

pub use spyre_analysis::sizes::{SizeError, Sizes, parse_size};

/// Returns the extents of the dynamic dimensions of a function, read from the shapes of its inputs. The function is
/// `entry`, or the only one of the module. Where inputs disagree, the first is used.
///
/// # Errors
/// [`ProgramError`]: the function does not exist; a diagnostic has been reported.
pub fn from_shapes(
    module: Op<'_>,
    entry: Option<&str>,
    shapes: &[Vec<u64>],
) -> Result<Sizes, ProgramError> {
    let function = entry_function(module, entry)?;
    let names: Vec<String> = open_dims(function)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let further = FurtherNames::of_function(function);
    let mut sizes = Sizes::new();
    for (index, shape) in shapes.iter().enumerate() {
        let dims = ir::argument_attribute(function, index, DIMS).map(attr::elements);
        for (dim, extent) in dims.unwrap_or_default().into_iter().zip(shape) {
            for name in hint::dim_names(dim).unwrap_or_default() {
                if let DimName::Whole(name) = name
                    && let name = further.first(&name)
                    && names.iter().any(|other| other == name)
                {
                    sizes.entry(name.to_owned()).or_insert(*extent);
                }
            }
        }
    }
    Ok(sizes)
}

/// Returns the first name of the dimension that `name` is a further name of; `None` for any other name.
///
/// # Errors
/// [`ProgramError`]: the function does not exist; a diagnostic has been reported.
pub fn of_further(
    module: Op<'_>,
    entry: Option<&str>,
    name: &str,
) -> Result<Option<String>, ProgramError> {
    let further = FurtherNames::of_function(entry_function(module, entry)?);
    let first = further.first(name);
    Ok((first != name).then(|| first.to_owned()))
}

/// Returns the names of the dynamic dimensions of the function `entry`, or of the only one of the module.
///
/// # Errors
/// [`ProgramError`]: the function does not exist; a diagnostic has been reported.
pub(crate) fn open_names(module: Op<'_>, entry: Option<&str>) -> Result<Vec<String>, ProgramError> {
    let open = open_dims(entry_function(module, entry)?);
    Ok(open.into_iter().map(|(name, _)| name).collect())
}

/// Returns the dynamic dimensions of a function, with the allowed extents of each.
#[must_use]
pub fn open_dims(function: Op<'_>) -> Vec<(String, DynamicExtent)> {
    let declared = function.attribute(DIM_SIZES).map(attr::entries);
    let declared = declared.unwrap_or_default().into_iter();
    declared
        .filter_map(|(name, extent)| Some((name, dynamic_extent(extent)?)))
        .collect()
}

/// Returns the largest extent of each dynamic dimension of the functions of a module.
#[must_use]
pub fn largest(module: Op<'_>) -> Sizes {
    let open = functions(module).flat_map(|function| open_dims(function.op));
    open.map(|(name, extent)| (name, extent.max())).collect()
}
