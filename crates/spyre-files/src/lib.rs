//! Files and messages of the tools. What is read ends; what is written is complete or not there.
//!
//! A file is written beside its place and renamed. A directory that replaces another one changes places with it, in one
//! step where the system can, so that a reader finds the old one or the new one. What a run that was killed has left
//! beside is recognized by a lock that nobody holds, and removed by the next writer.
#![forbid(unsafe_code)]

mod beside;
mod exchange;
mod read;
mod replace;
mod shorten;
mod stdout;

pub use beside::Beside;
pub use exchange::exchange;
pub use read::{open, read_text};
pub use replace::{Staged, replace, replace_parts};
pub use shorten::shortened;
pub use stdout::print;
