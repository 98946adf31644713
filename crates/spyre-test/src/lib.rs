//! Runs the `.mlir` tests under `test/`, and the commands that the README shows, from `cargo test`.
//!
//! Each file has its commands in `RUN:` lines, in the syntax of LLVM's `lit`, and is one test, named by its path. The
//! same tree runs unchanged under `lit` itself (`test/lit.cfg.py`); this crate exists so that a plain `cargo test` runs
//! everything, needs no Python, and builds the tools it is about to test.
//!
//! The dialect of `lit` is deliberately small: `RUN:` lines with `\` continuations and the substitutions of [`Substitutions`].
//! Other directives ([`ScriptError`]) fail the test instead of being skipped.
//!
//! The modules follow the life of a test: [`discover`] finds the files, [`script`] reads the commands,
//! [`substitute`] fills in the paths, [`tools`] builds the binaries, [`run`] executes.
//!
//! Pages with commands, such as the README and the tutorial, are tests as well: [`markdown`] reads the commands and the outputs
//! that a page shows, [`console`] runs the commands and compares their outputs, and [`diff`] shows where they differ.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod console;
pub mod diff;
pub mod discover;
pub mod markdown;
pub mod run;
pub mod script;
pub mod substitute;
pub mod suite;
pub mod tools;

pub use run::{Failure, Harness};
pub use script::{RunLine, ScriptError};
pub use substitute::{Substitutions, UnknownSubstitution};
pub use suite::Suite;
pub use tools::{TargetLayout, ToolError};
