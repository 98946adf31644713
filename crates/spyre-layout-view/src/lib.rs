//! Explains and draws where the elements of a tensor live in device memory.
//!
//! A [`Subject`] is a tensor of a shape and an element type, laid out as a [`Request`] says. [`explain`] writes down where its
//! elements are, and [`draw`] draws it in SVG. `picture` chooses what a drawing shows, with `inverse` to find the element at
//! an address, `draw` puts it on a page, and `svg` writes it down.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod draw;
mod element;
mod explain;
mod inverse;
mod picture;
#[cfg(test)]
mod samples;
mod subject;
mod svg;

pub use draw::{DrawError, draw};
pub use element::{ElementType, ElementTypeError};
pub use explain::{ExplainError, explain};
pub use subject::{Census, Request, Subject, SubjectError};
