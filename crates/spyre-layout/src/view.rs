//! Views: the same bytes under other host coordinates.
//!
//! A view never moves an element. Its layout gives the element at each of its host coordinates the
//! address that the element has in the tensor viewed, and the device size in elements stays that of
//! the buffer. Where no layout can express that, there is an error: a view is never approximated or
//! copied.
//!
//! The functions on [`Layout`](crate::Layout) rewrite coordinates only. A [`View`] carries the offset
//! of a slice along, and composes.

mod broadcast;
mod error;
mod permute;
mod reshape;
mod slice;
mod slots;
mod tensor_view;

pub use error::ViewError;
pub use tensor_view::View;
