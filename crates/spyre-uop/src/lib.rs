//! Tensor programs of tinyspec: directed graphs of UOps, which are tensors, effects and loops in one vocabulary.
//!
//! * [`schema`] is the file `uop-graph-1`, field by field.
//! * [`dtype`] has the element types.
//!
//! The page `docs/Uop.md` has the form of the file. Nothing here knows MLIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod dtype;
pub mod schema;
