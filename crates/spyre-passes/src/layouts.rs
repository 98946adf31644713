//! Layouts for programs that have none, or have them in part.
//!
//! Three passes share one analysis of a function ([`analysis`]). It gives every tensor value the layouts that
//! it may have, its *candidates*, and says for every operand what a combination of candidates takes:
//! nothing, a `spyre.restickify`, or that it is impossible.
//!
//! * [`propagate`] writes the candidates into the IR and reports what is impossible.
//! * [`optimize`] keeps the candidates that make all copies together cheapest.
//! * [`insert`] gives every value its layout and inserts the copies.
//!
//! The analysis reads candidates that are in the IR already, so each pass also runs alone.
//!
//! * [`stick`] has the rules of the operation classes, those that the verifier checks.
//! * [`decide`] makes candidates for device operations, [`view`] for slices, reshapes and permutations.
//! * [`wants`] finds the dimensions that readers want on the stick.
//! * [`pad_matmul`] is a pass beside the three.

pub mod analysis;
mod build;
mod decide;
pub mod insert;
pub mod optimize;
pub mod pad_matmul;
pub mod propagate;
mod restick;
pub mod stick;
mod view;
mod wants;

/// The attribute with the layouts that a result may have.
pub const CANDIDATES: &str = "spyre.layout_candidates";
