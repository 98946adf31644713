//! Written bundles compute what their programs say.
//!
//! A bundle's files are read again, without the crates that wrote them, and run on a model of the card whose memory
//! is poisoned. Each program runs on several numbers of cores, with the same results. Arguments are placed by their
//! layouts; those that have none have the default one, which the host's side computes by itself. `broken` changes
//! files in several ways, to see that all this finds it.

mod broken;
mod carried;
mod computed;
mod function;
mod generated;
mod host;
mod machine;
mod operation;
mod program;
mod ragged;
mod reduced;
mod refused;
mod text;
mod tiles;
mod views;
