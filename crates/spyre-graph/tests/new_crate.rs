//! The files of `cargo xtask new` compile, and their test passes.
//!
//! The test of docs/FrontEnds.md builds the crate outside of the repository, which takes minutes; this one has its files
//! in every run of the tests.
#![allow(dead_code, reason = "the binary of the crate is a module here")]

// The files name the crate that they are in.
extern crate self as new_crate;

#[path = "../../../tools/xtask/new/src/main.rs"]
mod binary;
#[path = "../../../tools/xtask/new/src/lib.rs"]
mod library;
#[path = "../../../tools/xtask/new/tests/program.rs"]
mod tests;

pub use library::program;
