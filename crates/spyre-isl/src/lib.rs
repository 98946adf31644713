//! Integer sets and relations, decided exactly.
//!
//! A *relation* is a set of pairs of integer points, in dependence of parameters: a union of conjunctions of affine
//! equalities and inequalities, in which existentially quantified integers may occur. Quotients and remainders by
//! numbers are such existentials ([`Div`]). These relations are closed under union, intersection, difference,
//! composition, projection and lexicographic optimisation, and emptiness is decidable, so that a claim about addresses
//! is proved or has a counterexample ([`Relation::sample`]). A set is a relation without inputs.
//!
//! isl decides (Verdoolaege, "isl: An Integer Set Library for the Polyhedral Model", 2010). It counts operations, so
//! that a budget ends a decision at the same place on every machine, and not after a time ([`Context`]). A question that
//! has been asked is answered from memory (`memo`).
//!
//! # Which isl
//!
//! That of LLVM, `libPollyISL.a`, linked statically. `libLLVM.so` exports the functions of this isl, with the names
//! that they have in a `libisl.so` of the system. A process with both libraries calls one of them, by the order in
//! which they were loaded, and in a plugin of `mlir-opt` LLVM's isl is always first, also for the calls inside of
//! `libisl.so`. The two have other representations of integers (IMath and GMP). With LLVM's isl, both copies in a
//! process are the same code.
//!
//! # `unsafe`
//!
//! In `handle.rs` alone, which has a table of the functions of C with the owner of each argument.
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod context;
mod failure;
#[allow(unsafe_code, reason = "calls of C")]
mod handle;
mod memo;
mod operation;
mod relation;
mod rows;

pub use context::{Answer, Context, Question};
pub use failure::Failure;
pub use operation::Operation;
pub use relation::Relation;
pub use rows::{Basic, Div, Point, Shape};
