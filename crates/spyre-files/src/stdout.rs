//! Standard output.

use std::io::{self, ErrorKind, Write as _};

/// Writes a text, or other bytes, to standard output, at once. A closed pipe is no error.
///
/// # Errors
/// The system's error: the text is lost, and the caller has to report it.
pub fn print(text: &(impl AsRef<[u8]> + ?Sized)) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_ref())
        .and_then(|()| stdout.flush());
    match written {
        Err(err) if err.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
