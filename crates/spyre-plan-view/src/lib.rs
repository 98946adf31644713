//! The facts of planned functions, and a page that shows them.
//!
//! [`Plan`] is data: which operations a function has, which tensor of theirs is where, how long values live at which address, and what
//! it all moves and costs. [`Plan::to_json`] writes it down, and [`page`] draws it as one HTML file that needs nothing else.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod facts;
mod page;

pub use facts::{
    Function, Loop, Operation, Plan, Role, Space, Target, TensorTraffic, Totals, Value, ValueId,
};
pub use page::page;
