//! PyTorch Inductor's loop-level programs: their JSON form, and their index expressions.
//!
//! * [`schema`] is the file, field by field.
//! * [`table`] has the values of its objects by their names, and [`value`] what the form leaves open.
//! * [`access`] finds where a view of memory is in its buffer.
//! * [`expr`] has index expressions in normal form.
//! * [`simplify`] makes them simple, by the ranges of their variables.
//! * [`schedule`] decides what PyTorch's scheduler decides.
//! * [`text`] reads what PyTorch prints about its scheduler.
//! * [`names`] reads expressions from the file and writes them as PyTorch does.
//!
//! The dialect `inductor` and its passes are elsewhere: nothing here knows MLIR.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod access;
pub mod expr;
pub mod names;
pub mod schedule;
pub mod schema;
pub mod simplify;
pub mod table;
pub mod text;
pub mod value;
