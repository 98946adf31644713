//! Random programs of device operations, each run at every level and compared with itself.
//!
//! A [`recipe`] is a list of small numbers, and [`compose`] builds a program from it. A [`case::Runner`] takes the
//! program through `--spyre-pipeline` and compares the results of all levels: interpreted as it was written without
//! hints, compiled for the CPU, interpreted after tiling and after planning, and as a bundle on the simulated card, in
//! loops and unrolled. Some programs run once more with a dynamic dimension: [`mod@open`]. Results agree bit for bit.
//! [`shrink`] reduces a program that fails, [`mod@ktir`] adds the kernel in KTIR to the levels, and [`agreement`] compares
//! results with proofs.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod admission;
pub mod agreement;
pub mod case;
pub mod compose;
pub mod contract;
pub mod graphs;
pub mod kind;
pub mod ktir;
pub mod linalg;
mod messages;
pub mod open;
pub mod program;
pub mod proofs;
pub mod real;
pub mod recipe;
pub mod shapes;
pub mod shrink;
pub mod uop;
mod vocabulary;
pub mod with_card;

pub use case::{Checks, Failure, Phase, Runner, Subject, Verdict};
pub use program::Program;
pub use recipe::Size;
pub use vocabulary::VOCABULARY;
