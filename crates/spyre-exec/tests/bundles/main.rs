//! Bundles compute the results of their programs.
//!
//! A program becomes the files of a bundle, which the simulated card reads and runs. The results are compared with a
//! definition in Rust next to the program, on several numbers of cores. `broken` changes files in several ways, and
//! tests that the card or the rules of `--verify-bundle` detect it.

mod broken;
mod carried;
mod computed;
mod generated;
mod program;
mod ragged;
mod reduced;
mod refused;
mod tiles;
mod views;
