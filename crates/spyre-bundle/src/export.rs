//! The bundle of a module as a tree of OpSpecs, for other tools.
//!
//! Importing an exported tree gives the same bundle. Python source cannot express every bundle; neutral JSON, which
//! `spyre_sdsc::source::json` writes, can.

use melior::Context;
use spyre_mlir_rt::ir::Op;
use spyre_sdsc::Node;
use spyre_sdsc::source::{SourceOptions, python};
use thiserror::Error;

use crate::read::source;
use crate::{NoBundle, convert};

/// The reason why a tree has no Python source: the option that it cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the bundle {0}, for which the Python source of a kernel has no field; --export-opspec writes it"
)]
pub struct Unsaid(&'static str);

/// Returns the tree of a module's bundle, and the options with which it makes the bundle's files. A function of device operations
/// is [converted](convert) in place first.
///
/// # Errors
/// The errors of [`convert`], and a bundle that contradicts itself.
pub fn tree<'p>(
    context: &'p Context,
    module: Op<'p>,
) -> Result<(Vec<Node>, SourceOptions), NoBundle<'p>> {
    let function = convert(context, module)?;
    Ok(source(module, function)?)
}

/// Writes a tree in the Python source of the front end, as the kernel `kernel`.
///
/// # Errors
/// [`Unsaid`]: `options` has an option that this source cannot express.
pub fn python_source(nodes: &[Node], options: &SourceOptions) -> Result<String, Unsaid> {
    match unsaid(options) {
        Some(what) => Err(what),
        None => Ok(python::write("kernel", nodes)),
    }
}

/// Returns the first option of a bundle that Python source cannot express; `None` if there is none.
fn unsaid(options: &SourceOptions) -> Option<Unsaid> {
    let SourceOptions {
        pool_size,
        caller_allocates_pool,
        share_files,
        cores_in_order,
    } = options;
    let unsaid = [
        (
            pool_size.is_some(),
            "has a pool larger than its tensors need",
        ),
        (
            *caller_allocates_pool,
            "has a pool that the caller allocates",
        ),
        (*share_files, "has operations that share files"),
        (*cores_in_order, "numbers cores in order"),
    ];
    let (_, what) = unsaid.into_iter().find(|(is_so, _)| *is_so)?;
    Some(Unsaid(what))
}
