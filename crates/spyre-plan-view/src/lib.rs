//! The facts of planned functions, and a page that shows them.
//!
//! [`Plan`] is data: the operations of a function, the places of their tensors, the addresses and live ranges of
//! values, and the traffic and cost. [`Plan::to_json`] prints it, [`page`] draws it as one self-contained HTML file, and
//! [`trace`](trace()) is its timeline for Perfetto.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod facts;
mod graph;
mod page;
mod trace;
mod units;

pub use facts::{
    Function, Graph, Level, Loop, Node, Operation, Plan, Role, Space, Target, TensorLayout,
    TensorTraffic, Totals, Value, ValueId,
};
pub use page::page;
pub use trace::trace;
