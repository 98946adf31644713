//! Explains and draws where the elements of a tensor are in device memory.
//!
//! A [`Subject`] is a tensor of a shape and an element type, with the layout of a [`Request`]. [`explain`] lists where
//! its elements are, and [`draw`] draws it in SVG. `picture` chooses the contents of a drawing, and uses `inverse` to
//! find the element at an address. `draw` puts them on a page, and `svg` prints them. [`Shape`], [`Numbers`] and
//! [`ElementType`] parse the user's input.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod draw;
mod element;
mod explain;
mod inverse;
mod picture;
#[cfg(test)]
mod samples;
mod spelling;
mod subject;
mod svg;

pub use draw::{DrawError, draw};
pub use element::{ElementType, ElementTypeError};
pub use explain::{ExplainError, explain};
pub use spelling::{Numbers, NumbersError, Shape, ShapeError};
pub use subject::{Census, Request, Subject, SubjectError};
pub use svg::{Attribute, Svg};
