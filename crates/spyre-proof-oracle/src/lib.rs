//! The oracle of the proofs: programs are executed, not decided.
//!
//! Every element of a small [`Program`](spyre_proof::program::Program) is a [term](term::Term): an operation and the
//! terms of its operands. Two programs compute the same if all elements of their results have the same terms
//! ([`compare`]); memory is an array of terms for each space and core, in which a place that is wrong shows as a term
//! that is not there when it is read ([`memory`]). A [generator](graph) draws programs, [rewrites](tile) them by rules
//! of its own, [plans](plan) their places, and [mutates](mutate) the result.
//!
//! The crate is for tests: no crate of the product depends on it. It shares the data of programs with the proofs, and
//! no decision: index expressions are evaluated, never compared.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod build;
pub mod case;
pub mod compare;
pub mod graph;
pub mod judge;
pub mod law;
pub mod machine;
pub mod memory;
pub mod mutate;
pub mod plan;
pub mod random;
pub mod shrink;
pub mod term;
pub mod text;
pub mod tile;
