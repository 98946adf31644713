//! Programs of front ends, which run as the functions of linalg that they become.
//!
//! A file holds a module, or a program in the JSON of a front end. [`with_program_file`] reads both, and
//! [`spyre_front_ends::convert`] makes functions of the programs in a module.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};

use melior::Context;
use spyre_front_ends::{FrontEnd, ImportError};
use spyre_mlir_rt::diagnostic::print_places;
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::source::with_source_file;

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
    print_places(context);
    let module = FrontEnd::with_format(path, &format)
        .and_then(|front_end| front_end.import(context, path, &file));
    match module {
        Ok(module) => Some(work(module.as_operation())),
        Err(ImportError::Refused) => None,
        Err(err) => {
            eprintln!("{err}");
            None
        }
    }
}

/// Returns the format of a file of JSON, which is its field `format`, and its bytes; `None` for any other file.
fn json(path: &str) -> Option<(String, Vec<u8>)> {
    // A pipe has its text once, and a module, which may have gigabytes of weights, is read by the parser alone.
    let is_file = path != "-" && fs::metadata(path).is_ok_and(|entry| entry.is_file());
    let file = BufReader::new(is_file.then(|| File::open(path).ok())??);
    let mut bytes = file.bytes().map_while(Result::ok);
    let first = bytes.find(|byte| !byte.is_ascii_whitespace());
    let file = (first == Some(b'{')).then(|| fs::read(path).ok())??;
    Some((spyre_front_ends::format(&file)?, file))
}
