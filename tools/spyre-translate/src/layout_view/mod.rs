//! Seeing layouts: where the elements of a tensor live in device memory, as text and as a picture.
//!
//! [`options`] reads the command line and [`subject`] checks it. [`explain`] writes the text. [`picture`] chooses what a
//! drawing shows, with [`inverse`] to find the element at an address, [`draw`] puts it on a page, and [`svg`] writes it
//! down.

mod draw;
mod explain;
mod inverse;
mod options;
mod picture;
#[cfg(test)]
mod samples;
mod subject;
mod svg;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Attribute;
use spyre_dialects::attr;
use spyre_layout::Layout;
use thiserror::Error;

pub use options::LayoutOptions;
use subject::Subject;

/// Why a layout was not shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// Neither a shape to explain nor one to draw.
    #[error("no shape is given")]
    NoShape,
    /// No element type.
    #[error("no element type is given; --dtype names it")]
    NoType,
    /// The attribute is not MLIR, which has said why.
    #[error("cannot read the layout '{0}'")]
    Syntax(String),
    /// The attribute is something else.
    #[error("'{0}' is not a #spyre.layout")]
    NotALayout(String),
    /// The tensor has no place in device memory.
    #[error(transparent)]
    Subject(#[from] subject::SubjectError),
    /// The layout cannot be explained.
    #[error(transparent)]
    Explain(#[from] explain::ExplainError),
    /// The tensor cannot be drawn.
    #[error(transparent)]
    Draw(#[from] draw::DrawError),
    /// The result cannot be written.
    #[error("cannot write '{path}': {why}")]
    Io {
        /// Where to.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
}

/// Explains or draws the layout that the options ask for, into `output` or to standard output.
///
/// # Errors
/// There is no such tensor, or the result cannot be written.
pub fn run(
    context: &Context,
    options: &LayoutOptions,
    output: Option<&Path>,
) -> Result<(), ViewError> {
    let text = view(context, options)?;
    let failure = |path: &Path| {
        let path = path.to_owned();
        |why| ViewError::Io { path, why }
    };
    match output {
        Some(path) => fs::write(path, text).map_err(failure(path)),
        None => io::stdout()
            .lock()
            .write_all(text.as_bytes())
            .map_err(failure(Path::new("-"))),
    }
}

/// The text or the drawing.
fn view(context: &Context, options: &LayoutOptions) -> Result<String, ViewError> {
    let shape = options
        .explain_layout
        .as_ref()
        .or(options.emit_layout_svg.as_ref());
    let shape = &shape.ok_or(ViewError::NoShape)?.0;
    let element = options.dtype.ok_or(ViewError::NoType)?;
    let layout = options
        .layout
        .as_deref()
        .map(|text| parse_layout(context, text))
        .transpose()?;
    let subject = Subject::new(shape, element, layout, options)?;
    let attribute = attr::layout_attribute(context, subject.tensor.layout()).to_string();
    if options.explain_layout.is_some() {
        Ok(explain::explain(&subject, &attribute)?)
    } else {
        Ok(draw::draw(&subject, &attribute)?)
    }
}

fn parse_layout(context: &Context, text: &str) -> Result<Layout, ViewError> {
    let attribute =
        Attribute::parse(context, text).ok_or_else(|| ViewError::Syntax(text.to_owned()))?;
    attr::layout(attribute).ok_or_else(|| ViewError::NotALayout(text.to_owned()))
}
