//! An empty crate: its manifest enables the features of shared dependencies, so that `cargo build -p spyre-opt` compiles
//! nothing after `cargo build`, and the reverse.
#![forbid(unsafe_code)]
