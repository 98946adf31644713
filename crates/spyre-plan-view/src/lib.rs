//! The facts of planned functions, and a page that shows them.
//!
//! [`Plan`] is data: the operations of a function, the places of their tensors, the addresses and live ranges of
//! values, and the traffic and cost. [`Plan::to_json`] prints it, and [`page`] draws it as one self-contained HTML
//! file.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod facts;
mod graph;
mod page;

pub use facts::{
    Function, Graph, Level, Loop, Node, Operation, Plan, Role, Space, Target, TensorLayout,
    TensorTraffic, Totals, Value, ValueId,
};
pub use page::page;
