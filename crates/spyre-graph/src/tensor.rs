//! Tensors of a graph: handles, types, and dimensions.

use std::fmt;

use melior::Context;
use melior::ir::Type;
use melior::ir::r#type::{IntegerType, RankedTensorType};
use spyre_dialects::attr::layout_attribute;
use spyre_layout::{DeviceFormat, DimOrder, Layout, OrderError};

/// The type of an element, as the program has it.
pub use spyre_layout::HostType as Element;

/// The elements that tensors of the `spyre` dialect have.
pub const ELEMENTS: [Element; 9] = [
    Element::F16,
    Element::Bf16,
    Element::F32,
    Element::F8E4M3,
    Element::F8E5M2,
    Element::Bool,
    Element::I8,
    Element::I32,
    Element::I64,
];

/// A tensor of a [`Graph`](crate::Graph): an input, or the result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// The number of the graph in the process, so that a tensor of another graph is an error.
    pub(crate) graph: u64,
    /// The number of the node in the graph.
    pub(crate) node: usize,
}

/// A dimension of a tensor that a program declares: the number of elements, and perhaps a name.
///
/// A number is a dimension without a name, a pair of a name and a number one with a name, to which hints refer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The name.
    pub name: Option<String>,
    /// The number of elements.
    pub extent: u64,
}

impl From<u64> for Axis {
    fn from(extent: u64) -> Self {
        Self { name: None, extent }
    }
}

impl From<(&str, u64)> for Axis {
    fn from((name, extent): (&str, u64)) -> Self {
        Self {
            name: Some(name.to_owned()),
            extent,
        }
    }
}

/// A dimension of a tensor that an operation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dim {
    /// By its number, from 0, outermost first.
    Number(usize),
    /// By its name.
    Name(String),
}

impl From<usize> for Dim {
    fn from(number: usize) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Dim {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "\"{name}\""),
        }
    }
}

/// The type of a tensor: the extents and names of its dimensions, its elements, and its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorType {
    pub(crate) shape: Vec<u64>,
    /// A name for each dimension that has one.
    pub(crate) names: Vec<Option<String>>,
    pub(crate) element: Element,
    /// The layout; `None` where the passes of layouts choose it.
    pub(crate) layout: Option<Layout>,
}

impl TensorType {
    /// Returns a type without names and without a layout.
    pub(crate) fn new(shape: Vec<u64>, element: Element) -> Self {
        Self {
            names: vec![None; shape.len()],
            shape,
            element,
            layout: None,
        }
    }

    /// Returns the extents, in elements, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn element(&self) -> Element {
        self.element
    }

    /// Returns the names of the dimensions; `None` for a dimension without one.
    pub fn names(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.names.iter().map(Option::as_deref)
    }

    /// Returns the layout that the program gives the tensor; `None` where the passes of layouts choose one.
    #[must_use]
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// Returns the layout that the program gives the tensor, or the default one of an input: its dimensions in order,
    /// the last one on the stick, where a stick has elements of `format`.
    ///
    /// # Errors
    /// The tensor has more dimensions than the default layout takes.
    pub(crate) fn input_layout(&self, format: DeviceFormat) -> Result<Layout, OrderError> {
        let order = DimOrder::host(self.shape.len());
        let layout = self.layout.clone().map(Ok);
        layout.unwrap_or_else(|| Layout::default_for(&order, format.elements_per_stick()))
    }

    /// Returns the numbers of the dimensions that a program refers to: one, none, or several of one name. A product of
    /// a matrix and its transpose has two dimensions of one name.
    pub(crate) fn numbers(&self, dim: &Dim) -> Vec<usize> {
        let is_it = |number: &usize| match dim {
            Dim::Number(other) => number == other,
            Dim::Name(name) => self.names[*number].as_ref() == Some(name),
        };
        (0..self.shape.len()).filter(is_it).collect()
    }

    /// Returns the type in MLIR.
    pub(crate) fn to_mlir<'c>(&self, context: &'c Context) -> Type<'c> {
        let layout = self.layout.as_ref();
        let layout = layout.map(|layout| layout_attribute(context, layout));
        RankedTensorType::new(&self.shape, element_type(context, self.element), layout).into()
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for extent in &self.shape {
            write!(f, "{extent}x")?;
        }
        write!(f, "{}>", self.element)
    }
}

/// Returns the type of an element in MLIR.
pub(crate) fn element_type(context: &Context, element: Element) -> Type<'_> {
    let integer = |width| IntegerType::new(context, width).into();
    match element {
        Element::F16 => Type::float16(context),
        Element::Bf16 => Type::bfloat16(context),
        Element::F32 => Type::float32(context),
        Element::F8E4M3 => Type::float8_e4m3fn(context),
        Element::F8E5M2 => Type::float8_e5m2(context),
        Element::Bool => integer(1),
        Element::I8 => integer(8),
        Element::I32 => integer(32),
        Element::I64 => integer(64),
        Element::F64 | Element::I16 | Element::U8 | Element::Complex64 | Element::Complex128 => {
            unreachable!("graphs have no tensor of {element}")
        }
    }
}
