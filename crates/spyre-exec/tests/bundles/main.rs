//! Bundles compute what their programs say.
//!
//! A program becomes the files of a bundle, which the simulated card reads and runs. What it computes is compared with a
//! definition in Rust that is written beside the program, on several numbers of cores, with the same results. `broken` changes
//! files in several ways, to see that the card or the rules of `--verify-bundle` find it.

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
