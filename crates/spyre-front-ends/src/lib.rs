//! The front ends of spyre-mlir.
//!
//! A front end has a dialect for its programs, a file format for them in JSON, and a pass that makes functions of linalg of them.
//! [`FRONT_ENDS`] lists all: tools read, write and convert programs by this table, and know no front end by name. A new front end is a
//! module here with a row of the table (docs/FrontEnds.md).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod inductor;
mod uop;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module};
use serde::Deserialize;
use spyre_analysis::sizes::Sizes;
use spyre_mlir_rt::ir::{Blk, Op};
use spyre_mlir_rt::source::PipelineError;

pub use error::{ExportError, ImportError};
pub use inductor::dump as inductor_dump;

/// Reads a program from the bytes of a file, which messages call by the name, and returns its module.
type Import = for<'c> fn(&'c Context, &str, &[u8]) -> Result<Module<'c>, ImportError>;

/// Writes the program of a module in the format of the front end.
type Export = for<'p> fn(Op<'p>) -> Result<String, ExportError<'p>>;

/// Converts the programs of a module, and takes the sizes of their symbols out of the sizes.
type Convert = fn(&Context, Op<'_>, &mut Sizes, &[Vec<u64>]) -> Result<(), PipelineError>;

/// A front end.
#[derive(Debug)]
pub struct FrontEnd {
    /// The name of the dialect of its programs.
    pub dialect: &'static str,
    /// The source of its programs.
    pub producer: &'static str,
    /// The value of the field `format` in its files of JSON.
    pub format: &'static str,
    /// The page of the documentation, in `docs`.
    pub page: &'static str,
    /// The option of `spyre-translate` that reads its files.
    pub import_flag: &'static str,
    /// The option of `spyre-translate` that writes its files.
    pub export_flag: &'static str,
    /// The pass that makes functions of linalg of its programs.
    pub pass: &'static str,
    import: Import,
    export: Export,
    has_program: fn(Op<'_>) -> bool,
    convert: Convert,
}

/// All front ends.
pub static FRONT_ENDS: [&FrontEnd; 2] = [&inductor::INDUCTOR, &uop::UOP];

impl FrontEnd {
    /// Returns the front end with a format, which the file `name` has.
    ///
    /// # Errors
    /// [`ImportError::Wrong`]: no front end has the format.
    pub fn with_format(name: &str, format: &str) -> Result<&'static Self, ImportError> {
        let front_end = FRONT_ENDS.into_iter().find(|it| it.format == format);
        front_end.ok_or_else(|| {
            let problem = format!("the format of the program is '{format}', not {}", formats());
            ImportError::wrong(name, problem)
        })
    }

    /// Returns the first front end that a module has a program of.
    #[must_use]
    pub fn of_module(module: Op<'_>) -> Option<&'static Self> {
        FRONT_ENDS.into_iter().find(|it| it.has_program(module))
    }

    /// Returns whether a module has a program of the front end.
    #[must_use]
    pub fn has_program(&self, module: Op<'_>) -> bool {
        (self.has_program)(module)
    }

    /// Reads a program from the bytes of a file in the format of the front end, which messages call `name`. The dialects of the context
    /// have been loaded. The module is verified.
    ///
    /// # Errors
    /// [`ImportError`]
    pub fn import<'c>(
        &self,
        context: &'c Context,
        name: &str,
        file: &[u8],
    ) -> Result<Module<'c>, ImportError> {
        (self.import)(context, name, file)
    }

    /// Writes the program of a module in the format of the front end.
    ///
    /// # Errors
    /// [`ExportError`]
    pub fn export<'p>(&self, module: Op<'p>) -> Result<String, ExportError<'p>> {
        (self.export)(module)
    }
}

/// The field that the files of all front ends have.
#[derive(Deserialize)]
struct Head {
    format: String,
}

/// Returns the format of a file of JSON; `None` for other files, and for JSON without the field `format`.
#[must_use]
pub fn format(file: &[u8]) -> Option<String> {
    let head: Head = serde_json::from_slice(file).ok()?;
    Some(head.format)
}

/// Reads a program from the bytes of a file, which messages call `name`: the file's format selects the front end. The dialects of the
/// context have been loaded.
///
/// # Errors
/// [`ImportError`]; [`ImportError::Wrong`] for a file without a format that a front end has.
pub fn import<'c>(
    context: &'c Context,
    name: &str,
    file: &[u8],
) -> Result<Module<'c>, ImportError> {
    let Some(format) = format(file) else {
        let problem = format!(
            "this is no JSON file with the field \"format\"; its value has to be {}",
            formats()
        );
        return Err(ImportError::wrong(name, problem));
    };
    FrontEnd::with_format(name, &format)?.import(context, name, file)
}

/// Returns the formats of all front ends, for messages.
fn formats() -> String {
    FRONT_ENDS.map(|it| format!("'{}'", it.format)).join(" or ")
}

/// Converts the programs of all front ends in a module to functions of linalg; a module without programs stays as it is. The symbols of a
/// program have the sizes in `sizes`. A symbol without a size has the extent that the inputs, with the given shapes, imply, and otherwise
/// the size of the program's trace.
///
/// Returns `sizes` without the sizes of symbols.
///
/// # Errors
/// A pass failed, after its diagnostic.
pub fn convert(
    context: &Context,
    module: Op<'_>,
    sizes: &Sizes,
    shapes: &[Vec<u64>],
) -> Result<Sizes, PipelineError> {
    let mut rest = sizes.clone();
    for front_end in FRONT_ENDS {
        if front_end.has_program(module) {
            (front_end.convert)(context, module, &mut rest, shapes)?;
        }
    }
    Ok(rest)
}

/// Returns the names of the sizes that the programs of front ends in a module leave open, which [`convert`] takes.
#[must_use]
pub fn size_names(module: Op<'_>) -> Vec<String> {
    // The graphs of tinyspec have no symbols.
    inductor::size_names(module)
}

/// The place of a program that is built: the context, the block, and the location.
type Place<'p> = (&'p Context, Blk<'p>, Location<'p>);

/// Returns the module that `build` builds for a file, at the first place of the file, verified.
fn module_of<'c, E: std::fmt::Display>(
    context: &'c Context,
    name: &str,
    build: impl for<'p> FnOnce(Place<'p>) -> Result<(), E>,
) -> Result<Module<'c>, ImportError> {
    let location = Location::new(context, name, 1, 1);
    let module = Module::new(location);
    build((context, module.body(), location))
        .map_err(|err| ImportError::wrong(name, err.to_string()))?;
    match module.as_operation().verify() {
        true => Ok(module),
        false => Err(ImportError::Refused),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use spyre_all::PASSES;

    use super::FRONT_ENDS;

    #[test]
    fn rows_name_dialects_passes_and_pages_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for front_end in FRONT_ENDS {
            let dialect = root.join("dialects").join(front_end.dialect);
            assert!(dialect.is_dir(), "{}", front_end.dialect);
            let page = root.join("docs").join(front_end.page);
            assert!(page.is_file(), "{}", front_end.page);
            let has_pass = PASSES.iter().any(|pass| pass.argument == front_end.pass);
            assert!(has_pass, "{}", front_end.pass);
        }
    }
}
