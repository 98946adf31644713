//! PyTorch Inductor's loop-level programs: their JSON form, and the decisions of PyTorch's scheduler.
//!
//! * [`schema`] is the file, field by field.
//! * [`table`] has the values of its objects by their names, and [`value`] the JSON that the form
//!   leaves open.
//! * [`schedule`] makes the decisions of PyTorch's scheduler.
//! * [`text`] reads PyTorch's dumps of its scheduler.
//! * [`names`] reads expressions from the file and writes them as PyTorch does.
//!
//! Index expressions are those of `spyre-index-expr`. The dialect `inductor` and its passes are in other crates: this one
//! does not depend on MLIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod names;
pub mod schedule;
pub mod schema;
pub mod table;
pub mod text;
pub mod value;
