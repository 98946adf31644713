//! Reads the files of a bundle: the function in `bundle.mlir` and the JSON of each `sdsc_N.json`.
//!
//! This is the only reader of the format (SDSC bundle specification), and it shares no code with the crate that writes
//! it. Every part that it returns has a place in the text, so that others can report faults there. Every text ends in a
//! value or in a located error: nesting, numbers and maps have bounds, and no part is read twice.
//!
//! [`parse`] reads a function, [`json`] the descriptions of operations. [`Files`] are where both come from, on disk or in
//! memory. Whether the parts of a bundle fit together is not decided here: `spyre-verify` has rules for that, and `spyre-sim`
//! runs the bundle.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod directory;
mod error;
mod function;
pub mod json;
mod lexer;
mod limits;
mod linear;
mod parser;
mod program;

pub use directory::{Directory, Files, InMemory, MLIR_FILE, Unreadable};
pub use error::{Place, TextError};
pub use function::{
    Arithmetic, Bounds, Field, Function, Linear, Map, Module, NamedMap, Other, Param, ParamName,
    Role, Statement, StatementKind, Value, ValueId,
};
pub use limits::check_limits;
pub use parser::parse;
pub use program::{Bundles, LAUNCH_FILE, LaunchError, constant_file, is_constant_file};
