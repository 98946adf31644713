//! The checkout of this repository, for the commands of `cargo xtask`.
//!
//! A command is a function of a [`project::Project`], the paths of one checkout, and [`args::Args`], its command line.
//! `xtask` has the commands that every user of the repository runs. The other commands are binaries for developers,
//! which `xtask` starts through cargo, so that its build has none of their code: [`commands`] is their `main`.
//!
//! It depends on the standard library only and needs no LLVM.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod args;
pub mod commands;
pub mod error;
pub mod plan;
pub mod process;
pub mod project;
pub mod table;
