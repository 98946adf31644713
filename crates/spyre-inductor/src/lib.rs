//! PyTorch Inductor's loop-level programs: their JSON form, and their index expressions.
//!
//! * [`schema`] is the file, field by field.
//! * [`table`] has the values of its objects by their names, and [`value`] the JSON that the form
//!   leaves open.
//! * [`access`] finds where a view of memory is in its buffer.
//! * [`expr`] has index expressions in normal form.
//! * [`simplify`] makes them simple, by the ranges of their variables.
//! * [`sizes`] divides expressions, and proves relations of expressions of symbolic sizes.
//! * [`schedule`] makes the decisions of PyTorch's scheduler.
//! * [`text`] reads PyTorch's dumps of its scheduler.
//! * [`names`] reads expressions from the file and writes them as PyTorch does.
//!
//! The dialect `inductor` and its passes are in other crates: this one does not depend on MLIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod access;
pub mod expr;
pub mod names;
pub mod schedule;
pub mod schema;
pub mod simplify;
pub mod sizes;
pub mod table;
pub mod text;
pub mod value;
