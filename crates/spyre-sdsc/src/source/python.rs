//! The Python source in which the front end writes its kernels:
//!
//! ```python
//! sdsc_fused_add_0 = async_compile.sdsc('sdsc_fused_add_0',
//!     [
//!         LoopSpec(
//!             count=sympify('2'),
//!             body=[
//!                 OpSpec(op='add', is_reduction=False,
//!                        iteration_space={sympify('c0'): (sympify('512'), 32)}, ...)])])
//! ```
//!
//! No source is executed. The file is cut into tokens; statements that are not kernels are skipped; a kernel is read as
//! an expression of literals, names and calls with named arguments, and brought into the neutral JSON form, with the
//! rules of that form. Every error has a line and a column. [`write()`] is the inverse.

mod convert;
mod lexer;
mod parser;
mod write;

use thiserror::Error;

use super::{LeftOut, OpPlace, Position, Source, SourceOptions};
use parser::{Parser, Value};

pub use write::write;

/// A mistake in a Python source.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct PythonError {
    /// Where it is.
    pub position: Position,
    /// The mistake, or the text that was expected.
    pub problem: String,
}

impl PythonError {
    fn new(position: Position, problem: impl Into<String>) -> Self {
        Self {
            position,
            problem: problem.into(),
        }
    }
}

/// A kernel of a file, not parsed yet.
#[derive(Clone, Debug)]
struct Kernel {
    name: String,
    position: Position,
    /// The list of its nodes.
    specs: Value,
}

/// The names of the kernels of a file, in its order.
///
/// # Errors
/// Text that is not Python, and kernels with anything but literals, names and calls.
pub fn kernels(text: &str) -> Result<Vec<String>, PythonError> {
    let kernels = Parser::new(text)?.kernels()?;
    Ok(kernels.into_iter().map(|kernel| kernel.name).collect())
}

/// Reads one kernel of a file: the one of this name, or the only one.
///
/// # Errors
/// The errors of [`kernels`]; no kernel of the name, or several without a name to choose one; unknown and missing fields; and
/// values out of range.
pub fn read(text: &str, name: Option<&str>) -> Result<Source, PythonError> {
    let kernels = Parser::new(text)?.kernels()?;
    let kernel = choose(kernels, name)?;
    let tree = convert::tree(&kernel.specs)?;
    let read = super::fields::nodes(&tree.json).map_err(|problem| {
        let position = tree.position(&problem.at).unwrap_or(kernel.position);
        PythonError::new(position, format!("{}: {}", problem.path, problem.message))
    })?;
    let located = |place: OpPlace| OpPlace {
        position: tree.position(&place.path),
        ..place
    };
    let left_out = read.left_out.into_iter().map(|left| LeftOut {
        place: located(left.place),
        ..left
    });
    Ok(Source {
        nodes: read.nodes,
        left_out: left_out.collect(),
        places: read.places.into_iter().map(located).collect(),
        options: SourceOptions::default(),
    })
}

fn choose(kernels: Vec<Kernel>, name: Option<&str>) -> Result<Kernel, PythonError> {
    let start = Position { line: 1, column: 1 };
    let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    let listed = names.join(", ");
    let problem = match (name, names.as_slice()) {
        (_, []) => "the file has no kernel: no call of `async_compile.sdsc`".to_owned(),
        (Some(name), names) => match names.iter().filter(|parameter| **parameter == name).count() {
            0 => format!("the file has no kernel `{name}`; it has {listed}"),
            1 => String::new(),
            count => format!("the file has {count} kernels `{name}`"),
        },
        (None, [_]) => String::new(),
        (None, _) => format!("the file has several kernels, of which one must be named: {listed}"),
    };
    let chosen = kernels
        .into_iter()
        .find(|kernel| name.is_none_or(|name| kernel.name == name));
    match chosen {
        Some(kernel) if problem.is_empty() => Ok(kernel),
        _ => Err(PythonError::new(start, problem)),
    }
}
