//! The features of shared dependencies: its manifest has them all, so that `cargo build -p spyre-opt` compiles nothing after
//! `cargo build`, and the other way round. It has no code.
#![forbid(unsafe_code)]
