//! Programs of front ends, which run as the functions of linalg that they become.
//!
//! A file holds a module, or a program in the JSON of a front end. [`with_program_file`] and [`module`] read both, and
//! [`select`] makes functions of the programs in a module and selects one of them.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};

use melior::Context;
use melior::ir::Module;
use spyre_front_ends::{FrontEnd, ImportError, convert, size_names};
use spyre_mlir_rt::diagnostic::print_places;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;
use spyre_mlir_rt::source::{PipelineError, parse, with_source_file};
use thiserror::Error;

use crate::program::{ProgramError, entry_name};
use crate::sizes::{from_shapes, of_further, open_names};
use crate::{Program, Sizes};

/// The reason why no function of a module is selected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A graph of a front end that does not become a function; a diagnostic has been reported.
    #[error("the graph has no function of linalg: {0}")]
    Graph(PipelineError),
    /// A function that is not there or does not run; a diagnostic has been reported.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// An extent of a dimension that is not dynamic.
    #[error(
        "@{entry} has no dimension \"{name}\" whose extent could be chosen: {}",
        choices(open)
    )]
    Size {
        /// The function.
        entry: String,
        /// The dimension.
        name: String,
        /// The dimensions of the function with an extent that can be chosen, and the symbols of graphs.
        open: Vec<String>,
    },
    /// An extent of a dimension by a further name.
    #[error(
        "\"{name}\" is another name of \"{holder}\", whose extent is the extent of both; give the extent of \"{holder}\""
    )]
    FurtherSize {
        /// The further name.
        name: String,
        /// The name that has the extent.
        holder: String,
    },
}

/// Returns the module of a source, which messages call `name`: text or bytecode of MLIR, or the JSON of a front end. The
/// module is verified.
///
/// # Errors
/// [`ImportError`]; [`ImportError::Refused`] after diagnostics.
pub fn module<'c>(
    context: &'c Context,
    name: &str,
    source: &[u8],
) -> Result<Module<'c>, ImportError> {
    let first = source.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return parse(context, name, source).ok_or(ImportError::Refused);
    }
    context.load_all_available_dialects();
    spyre_front_ends::import(context, name, source)
}

/// Converts the graphs of front ends in a module to functions, and selects the function `entry`, or the only public
/// one. Dynamic dimensions have the extents `sizes`, in elements, by name, and otherwise those that the shapes of the
/// inputs imply.
///
/// # Errors
/// [`SelectError`]
pub fn select<'c>(
    context: &'c Context,
    module: Op<'_>,
    entry: Option<&str>,
    sizes: &Sizes,
    shapes: &[Vec<u64>],
) -> Result<Program<'c>, SelectError> {
    // The conversion takes the symbols out of the module.
    let symbols = size_names(module);
    let requested = convert(context, module, sizes, shapes).map_err(SelectError::Graph)?;
    let mut sizes = from_shapes(module, entry, shapes)?;
    for (name, extent) in &requested {
        if let Some(holder) = of_further(module, entry, name)? {
            let name = name.clone();
            return Err(SelectError::FurtherSize { name, holder });
        }
        sizes.insert(name.clone(), *extent);
    }
    // Before the program is selected, which refuses a dimension without an extent and does not have the wrong name.
    let mut open = open_names(module, entry)?;
    if let Some(name) = requested.keys().find(|name| !open.contains(name)) {
        open.extend(symbols);
        return Err(SelectError::Size {
            entry: entry_name(module, entry)?,
            name: name.clone(),
            open,
        });
    }
    Ok(Program::select_sized(context, module, entry, &sizes)?)
}

/// Returns the end of a message with the names of the dimensions with an extent that can be chosen.
fn choices(open: &[String]) -> String {
    let quoted: Vec<String> = open.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [] => "'spyre.dim_sizes' declares none #spyre.dynamic".to_owned(),
        [name] => format!("give the extent of {name}"),
        names => format!("give the extents of {}", names.join(", ")),
    }
}

/// Reads a file of MLIR, or of a program in the JSON of a front end, and calls `work` with its module. `-` is standard
/// input, which is MLIR, as pipes are. While it runs, diagnostics are printed with their source lines.
///
/// Returns what `work` returned, or `None` when the file could not be read, parsed or verified; then a message has been printed.
pub fn with_program_file<T>(
    context: &Context,
    path: &str,
    work: impl FnOnce(Op<'_>) -> T,
) -> Option<T> {
    let Some((format, file)) = json(path) else {
        return with_source_file(context, path, work);
    };
    context.load_all_available_dialects();
    print_places(context, None);
    let module = FrontEnd::with_format(path, &format)
        .and_then(|front_end| front_end.import(context, path, &file));
    match module {
        Ok(module) => Some(work(module.as_operation())),
        Err(ImportError::Refused) => None,
        Err(err) => {
            messages::print(&err.to_string());
            None
        }
    }
}

/// Returns the format of a file of JSON, which is its field `format`, and its bytes; `None` for any other file.
fn json(path: &str) -> Option<(String, Vec<u8>)> {
    // A pipe can be read only once. A file is not read here as well, since a module may have gigabytes of weights, and
    // the parser reads it.
    let is_file = path != "-" && fs::metadata(path).is_ok_and(|entry| entry.is_file());
    let file = BufReader::new(is_file.then(|| File::open(path).ok())??);
    let mut bytes = file.bytes().map_while(Result::ok);
    let first = bytes.find(|byte| !byte.is_ascii_whitespace());
    let file = (first == Some(b'{')).then(|| fs::read(path).ok())??;
    Some((spyre_front_ends::format(&file)?, file))
}
