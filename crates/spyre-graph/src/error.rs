//! The reasons why a graph refuses an input, an operation or a hint.

use std::fmt;

use spyre_layout::{OrderError, PlaceError};

use crate::casts;
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
        "{operation}: {} and {} do not broadcast: along dimension {dim} of the result they have {} and {}",
        .operands[0], .operands[1], .extents[0], count(.extents[1])
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
        "{operation}: {} has the shape of the result, and does not repeat: \
         along dimension {dim} it has {}, and {} has {}",
        .operands[0], count(.extents[0]), .operands[1], .extents[1]
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
    /// Two operands have elements of different types.
    #[error(
        "{operation}: {} and {} have elements of different types{}",
        .operands[0], .operands[1], cast_advice(.operands)
    )]
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
    /// Two dimensions of a tensor have the name.
    #[error(
        "{operation}: dimensions {} and {} of {operand} have the name \"{name}\"; refer to one by its number",
        .dims[0], .dims[1]
    )]
    Ambiguous {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The name.
        name: String,
        /// The first two dimensions with the name.
        dims: [usize; 2],
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
    #[error("{operation}: {} and {} must have at least two dimensions each", .operands[0], .operands[1])]
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
    /// The last dimension, which a layer norm normalises, is missing or has one element.
    #[error(
        "{operation} normalises the last dimension, and {operand} has none of more than one element"
    )]
    Normalised {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
    },
    /// `Graph::cast` does not convert between the two types of elements.
    #[error("`Graph::cast` does not convert {operand} to elements of type {element}{}", targets_text(.allowed))]
    Cast {
        /// The operand.
        operand: Box<Operand>,
        /// The type of the result's elements.
        element: Element,
        /// The types to which `Graph::cast` converts the operand.
        allowed: Vec<Element>,
    },
    /// The result of the operation has no such elements.
    #[error("{operation} of {operand} has a result with elements of type {}, and not {element}", list(.allowed))]
    Result {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The type of the result's elements.
        element: Element,
        /// The types that the result can have.
        allowed: Vec<Element>,
    },
    /// The positions along a dimension are more than a float has exactly.
    #[error(
        "{operation} of {operand}: dimension {dim} has {extent} elements, and {} has positions up to {most} exactly; \
         i32 has all",
        .operand.element
    )]
    Positions {
        /// The operation.
        operation: &'static str,
        /// The operand.
        operand: Box<Operand>,
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: u64,
        /// The largest integer up to which the type of the elements has all.
        most: u64,
    },
    /// A number that is an attribute of the operation is out of its range.
    #[error("{operation}: {name} is {value}; expected {expected}")]
    Parameter {
        /// The operation.
        operation: &'static str,
        /// The name of the attribute.
        name: &'static str,
        /// The number.
        value: String,
        /// The numbers that the operation takes, in words.
        expected: String,
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
    /// The number of a hint is 0, or more than an attribute has.
    #[error(
        "a hint tiles dimension \"{name}\" {tiles}; the number is from 1 to {}",
        i64::MAX
    )]
    NoTiles {
        /// The name of the dimension.
        name: String,
        /// The tiles, as the dialect writes them.
        tiles: String,
    },
    /// An operation without an OpFunc would not be tiled as `Graph::tile` demands.
    #[error(
        "{operation} has no OpFunc, and is tiled as its users, or as the producers of its operands if no user is tiled: \
         one of these needs to be in the same `tile`, and none in another one"
    )]
    Hint {
        /// The operation, with the number of its node in the graph.
        operation: String,
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
    #[error("{operation}: {}", .messages.join("\n"))]
    Refused {
        /// The operation of the first message, with the number of its node in the graph, or the function.
        operation: String,
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
    /// A dimension with more elements than an extent of MLIR has.
    #[error("dimension {0} has more elements than a signed integer of 64 bits counts")]
    Long(usize),
    /// More dimensions than the default layout takes.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The layout is for another tensor, or the tensor is too large.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The name of a dimension is empty.
    #[error("the name of dimension {0} is empty")]
    Unnamed(usize),
    /// Two dimensions of a tensor have one name.
    #[error("dimensions {} and {} have the name \"{name}\"", .dims[0], .dims[1])]
    Repeated {
        /// The name.
        name: String,
        /// The dimensions.
        dims: [usize; 2],
    },
    /// Another input has a dimension of the same name and of another extent.
    #[error("dimension \"{name}\" has {} here, and {} in input \"{input}\"", count(.extents[0]), .extents[1])]
    Extent {
        /// The name of the dimension.
        name: String,
        /// The name of the earlier input.
        input: String,
        /// The extent here, and the earlier one.
        extents: [u64; 2],
    },
    /// Another input has the name.
    #[error("an earlier input has this name")]
    Input,
}

/// Checks a number that is an attribute of an operation.
pub(crate) fn check_parameter(
    is_allowed: bool,
    operation: &'static str,
    name: &'static str,
    value: impl fmt::Display,
    expected: impl FnOnce() -> String,
) -> Result<(), GraphError> {
    if is_allowed {
        return Ok(());
    }
    Err(GraphError::Parameter {
        operation,
        name,
        value: value.to_string(),
        expected: expected(),
    })
}

/// Returns the names of types, with commas.
fn list(elements: &[Element]) -> String {
    let names: Vec<_> = elements.iter().map(|element| element.name()).collect();
    names.join(", ")
}

/// Returns a number of elements in words.
fn count(extent: u64) -> String {
    match extent {
        1 => "1 element".to_owned(),
        _ => format!("{extent} elements"),
    }
}

/// Returns the end of a message about two operands with elements of different types: the cast, if there is one.
fn cast_advice(operands: &[Operand; 2]) -> &'static str {
    let [lhs, rhs] = [&operands[0], &operands[1]].map(|operand| operand.element);
    match casts::can_cast(lhs, rhs) || casts::can_cast(rhs, lhs) {
        true => "; `Graph::cast` converts them",
        false => "",
    }
}

/// Returns the end of a message with the types to which casts lead.
fn targets_text(elements: &[Element]) -> String {
    if elements.is_empty() {
        return String::new();
    }
    format!("; it converts that to {}", list(elements))
}

/// Returns the end of a message with the names that there are.
fn names_text(names: &[String]) -> String {
    if names.is_empty() {
        return "; no dimension has a name".to_owned();
    }
    format!("; the names are {}", names.join(", "))
}
