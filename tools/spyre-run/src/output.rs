//! Standard output.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Prints a line. A reader that has gone does not need it; the exit code still says how things went.
pub fn line(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}
