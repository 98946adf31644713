//! The reasons why a builder cannot build a tensor of another one.

use spyre_mlir_rt::rules::Refusal;
use std::fmt;

use spyre_analysis::dynamic::extents::ShapeError;

/// A dimension in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimensionText {
    /// A dynamic dimension, by its name in quotes.
    Dynamic(String),
    /// A dimension of a number of elements.
    Static(i64),
}

impl fmt::Display for DimensionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dynamic(name) => write!(f, "{name}, whose extent is dynamic"),
            Self::Static(extent) => write!(f, "a dimension of {extent}"),
        }
    }
}

/// The reason why a tensor cannot be built of another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// An operand has no extents.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A dynamic dimension would be split, or merged with others.
    #[error("a reshape splits {of}, or merges it with others")]
    Reshape {
        /// The dimension.
        of: DimensionText,
    },
    /// The step of a window is negative.
    #[error("dimension {dim} is read backwards")]
    Backwards {
        /// The dimension.
        dim: usize,
    },
    /// A window has a dynamic extent and a step.
    #[error("a window with a step takes only a part of {of}")]
    Steps {
        /// The dimension.
        of: DimensionText,
    },
    /// A part has all of a dynamic dimension, of a tensor that has another one.
    #[error("a slice of a larger tensor has {of}")]
    Part {
        /// The dimension.
        of: DimensionText,
    },
    /// A slice has a part of a dynamic dimension that its smallest extent does not have.
    #[error("a slice takes only a part of {of}")]
    Slice {
        /// The dimension.
        of: DimensionText,
    },
    /// A dynamic dimension would get more elements.
    #[error("a padding adds elements to {of}")]
    Pad {
        /// The dimension.
        of: DimensionText,
    },
}

/// The text, for the reasons of a pass, which are of many kinds and end in its diagnostics.
impl From<BuildError> for String {
    fn from(error: BuildError) -> Self {
        error.to_string()
    }
}

impl From<BuildError> for Refusal<'_> {
    fn from(error: BuildError) -> Self {
        error.to_string().into()
    }
}
