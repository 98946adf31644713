//! The reasons why a graph refuses an input, an operation or a hint.

use std::fmt;

use spyre_layout::{OrderError, PlaceError};

use crate::tensor::{Dim, Element, TensorType};

/// A tensor in a message: its name, or the operation that computes it, and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// The name of an input in quotes; of a result, the name of its operation and the number of the node in the graph.
    pub name: String,
    /// The extents, in elements.
    pub shape: Vec<u64>,
    /// The type of the elements.
    pub element: Element,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = TensorType::new(self.shape.clone(), self.element);
        write!(f, "{} ({ty})", self.name)
    }
}

/// The reason why a [`Graph`](crate::Graph) does not have an operation, or is no program.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Two operands have other extents along a dimension, and neither is 1.
    #[error(
        "{operation}: {} and {} do not broadcast: along dimension {dim} of the result they have {} and {} elements",
        .operands[0], .operands[1], .extents[0], .extents[1]
    )]
    Broadcast {
        /// The operation.
        operation: &'static str,
        /// The operands.
        operands: Box<[Operand; 2]>,
        /// The dimension of the result.
        dim: usize,
        /// The extents of the operands there.
        extents: [u64; 2],
    },
    /// An operand that has the shape of the result would repeat to that of another one.
    #[error(
        "{operation}: {} has the shape of the result, and does not repeat: along dimension {dim} it has {} elements, and {} has {}",
        .operands[0], .extents[0], .operands[1], .extents[1]
    )]
    Repeats {
        /// The operation.
        operation: &'static str,
        /// The operand with the shape of the result, and the other one.
        operands: Box<[Operand; 2]>,
        /// The dimension.
        dim: usize,
        /// The extents of the operands there.
        extents: [u64; 2],
    },
    /// Two operands have other elements.
    #[error("{operation}: {} and {} have other elements; `Graph::cast` converts them", .operands[0], .operands[1])]
    Elements {
        /// The operation.
        operation: &'static str,
        /// The operands.
        operands: Box<[Operand; 2]>,
    },
    /// The operation takes no such elements.
    #[error("{operation} takes elements of type {}, and no {operand}", list(.allowed))]
    Element {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The types of elements that the operation takes.
        allowed: Vec<Element>,
    },
    /// A tensor has no such dimension.
    #[error("{operation}: {operand} has no dimension {dim}{}", names_text(.names))]
    Dimension {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The dimension.
        dim: Dim,
        /// The names of its dimensions.
        names: Vec<String>,
    },
    /// A dimension is given twice, or none is.
    #[error("{operation}: {operand}: expected {expected}, got {dims:?}")]
    Dimensions {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The dimensions, by number.
        dims: Vec<usize>,
        /// The dimensions that the operation takes, in words.
        expected: &'static str,
    },
    /// An operand of a product has fewer than two dimensions.
    #[error("{operation}: {} and {} need two dimensions each", .operands[0], .operands[1])]
    Rank {
        /// The operation.
        operation: &'static str,
        /// The operands.
        operands: Box<[Operand; 2]>,
    },
    /// The columns of the left operand of a product are not as many as the rows of the right one.
    #[error(
        "{operation}: {} has {} columns, and {} has {} rows",
        .operands[0], .extents[0], .operands[1], .extents[1]
    )]
    Contraction {
        /// The operation.
        operation: &'static str,
        /// The operands.
        operands: Box<[Operand; 2]>,
        /// The columns of the left operand, and the rows of the right one.
        extents: [u64; 2],
    },
    /// No operation casts between the two types of elements.
    #[error("no operation converts {operand} to elements of type {element}")]
    Cast {
        /// The operand.
        operand: Box<Operand>,
        /// The type of the result's elements.
        element: Element,
    },
    /// A number that no element of the type is.
    #[error("{value} is no element of type {element}")]
    Value {
        /// The number.
        value: f64,
        /// The type.
        element: Element,
    },
    /// An input or a constant is no tensor of the device.
    #[error("{name}: {source}")]
    Declaration {
        /// The name of an input in quotes, or the operation that makes the constant.
        name: String,
        /// The reason.
        source: DeclarationError,
    },
    /// No input has a dimension of this name.
    #[error("a hint tiles dimension \"{name}\", which no input has{}", names_text(.names))]
    UnknownName {
        /// The name.
        name: String,
        /// The names that inputs have.
        names: Vec<String>,
    },
    /// A hint asks for no tiles, or for tiles without elements.
    #[error("a hint tiles dimension \"{name}\" {tiles}; the number is positive")]
    NoTiles {
        /// The name of the dimension.
        name: String,
        /// The tiles, as the dialect writes them.
        tiles: String,
    },
    /// A tensor is of another graph.
    #[error("{operation}: operand {number} is a tensor of another graph")]
    Foreign {
        /// The operation.
        operation: &'static str,
        /// The position of the operand.
        number: usize,
    },
    /// The function would return nothing.
    #[error("a graph has at least one result")]
    NoResult,
    /// The context has no dialects.
    #[error(
        "the context has not the dialects 'func' and 'spyre'; that of `spyre_all::context()` has"
    )]
    Context,
    /// The verifier refuses the module.
    #[error("{}", .messages.join("\n"))]
    Refused {
        /// The messages of the verifier.
        messages: Vec<String>,
    },
}

/// The reason why a tensor cannot be declared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeclarationError {
    /// The dialect has no tensors of the element type.
    #[error("the device has no tensors with elements of type {0}")]
    Element(Element),
    /// A dimension without elements.
    #[error("dimension {0} has no elements")]
    Empty(usize),
    /// More dimensions than the default layout takes.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The layout is for another tensor, or the tensor is too large.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Two dimensions of a tensor have one name, or a name is empty.
    #[error("\"{0}\" names two dimensions, or is empty")]
    Name(String),
    /// Another input has a dimension of the same name and of another extent.
    #[error("dimension \"{name}\" has {} elements here, and {} in an earlier input", .extents[0], .extents[1])]
    Extent {
        /// The name of the dimension.
        name: String,
        /// The extent here, and the earlier one.
        extents: [u64; 2],
    },
    /// Another input has the name.
    #[error("an earlier input has this name")]
    Input,
}

/// Returns the names of types, with commas.
fn list(elements: &[Element]) -> String {
    let names: Vec<_> = elements.iter().map(|element| element.name()).collect();
    names.join(", ")
}

/// Returns the end of a message with the names that there are.
fn names_text(names: &[String]) -> String {
    if names.is_empty() {
        return "; no dimension has a name".to_owned();
    }
    format!("; the names are {}", names.join(", "))
}
