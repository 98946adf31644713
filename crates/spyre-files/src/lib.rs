//! Files and messages of the tools. Reads are bounded; writes are complete or have no effect.
//!
//! A file is written next to its destination and renamed. A directory that replaces another one is exchanged with it,
//! in one step where the system can, so that a reader finds the old one or the new one. Temporary files of killed runs
//! are recognized by a lock that no process holds, and removed by the next writer.
#![forbid(unsafe_code)]

mod excerpt;
mod exchange;
mod read;
mod replace;
mod shorten;
mod stdout;
mod temporary;

pub use excerpt::{excerpt, is_long};
pub use exchange::exchange;
pub use read::{open, read_text};
pub use replace::{Staged, replace, replace_parts};
pub use shorten::shortened;
pub use stdout::print;
pub use temporary::TemporaryDirectory;
