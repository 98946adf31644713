//! `--explain-layout` and `--emit-layout-svg`: the places of a tensor's elements in device memory, as text and as a picture.

use std::path::Path;

use clap::Args;
use melior::Context;
use melior::ir::Attribute;
use spyre_dialects::attr;
use spyre_layout::Layout;
use spyre_layout_view::{ElementType, Numbers, Request, Shape, Subject, draw, explain};

use crate::io::{Done, Failure, Io, succeeded};

/// The tensor of the layout to explain or draw.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Layouts")]
pub(crate) struct LayoutOptions {
    /// Explain where the elements of a tensor of this shape are in device memory: `1024x4096`, `[1024, 4096]`, or `[]`
    /// for a scalar.
    #[arg(long, group = "translation", value_name = "SHAPE", requires = "dtype")]
    explain_layout: Option<Shape>,

    /// Draw that as a picture, in SVG.
    #[arg(long, group = "translation", value_name = "SHAPE", requires = "dtype")]
    emit_layout_svg: Option<Shape>,

    /// The element type, in MLIR's spelling or PyTorch's: `f16`, `float16`, `i64`, `bool`.
    #[arg(long, value_name = "TYPE")]
    dtype: Option<ElementType>,

    /// Order in which the default layout takes the dimensions, the one on the stick last; a trailing -1 means sparse
    /// sticks.
    #[arg(long, value_name = "DIMS", allow_hyphen_values = true)]
    order: Option<Numbers>,

    /// Strides of the host tensor, in elements; without them it is contiguous.
    #[arg(long, value_name = "STRIDES", allow_hyphen_values = true)]
    strides: Option<Numbers>,

    /// Explicit device size, which may pad any dimension.
    #[arg(long, value_name = "SIZES", allow_hyphen_values = true)]
    size: Option<Numbers>,

    /// Stride map that, with --size, takes the place of the default layout.
    #[arg(
        long,
        value_name = "STRIDES",
        allow_hyphen_values = true,
        requires = "size",
        conflicts_with = "order"
    )]
    stride_map: Option<Numbers>,

    /// A `#spyre.layout<...>` that takes the place of the default layout.
    #[arg(long, value_name = "ATTRIBUTE", conflicts_with_all = ["order", "size", "stride_map"])]
    layout: Option<String>,
}

impl LayoutOptions {
    /// Explains or draws the layout that the options select. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> bool {
        // Attributes on the command line name the dialect.
        io.context.load_all_available_dialects();
        succeeded(
            self.view(io.context)
                .and_then(|text| write(&text, io.output)),
        )
    }

    /// Returns the text or the drawing.
    fn view(&self, context: &Context) -> Result<String, Failure> {
        let shape = self
            .explain_layout
            .as_ref()
            .or(self.emit_layout_svg.as_ref());
        let Shape(shape) = shape.ok_or_else(|| Failure::error("no shape is given; --explain-layout and --emit-layout-svg take one, as in 1024x256"))?;
        let element = self
            .dtype
            .ok_or_else(|| Failure::error("no element type is given; --dtype names it"))?;
        let subject = Subject::new(shape, element, &self.request(context)?);
        let subject = subject.map_err(Failure::error)?;
        let attribute = attr::layout_attribute(context, subject.tensor.layout()).to_string();
        match self.explain_layout {
            Some(_) => explain(&subject, &attribute).map_err(Failure::error),
            None => draw(&subject, &attribute).map_err(Failure::error),
        }
    }

    /// Returns the request, without shape and type.
    fn request(&self, context: &Context) -> Result<Request, Failure> {
        let numbers = |list: &Option<Numbers>| list.as_ref().map(|Numbers(list)| list.clone());
        let layout = self.layout.as_deref().map(|text| layout(context, text));
        Ok(Request {
            order: numbers(&self.order),
            strides: numbers(&self.strides),
            size: numbers(&self.size),
            stride_map: numbers(&self.stride_map),
            layout: layout.transpose()?,
        })
    }
}

/// Reads the attribute of `--layout`.
fn layout(context: &Context, text: &str) -> Result<Layout, Failure> {
    let attribute = Attribute::parse(context, text);
    let attribute =
        attribute.ok_or_else(|| Failure::error(format!("cannot read the layout '{text}'")))?;
    attr::layout(attribute)
        .ok_or_else(|| Failure::error(format!("'{text}' is not a #spyre.layout")))
}

/// Writes a view.
fn write(text: &str, output: Option<&Path>) -> Done {
    let (path, written) = match output {
        Some(path) => (path, spyre_files::replace(path, text.as_bytes())),
        None => (Path::new("-"), spyre_files::print(text)),
    };
    written.map_err(|err| Failure::error(format!("cannot write '{}': {err}", path.display())))
}
