//! Reading files that end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// Opens a file. Links are followed. Anything but a file is rejected before it is opened: a pipe waits for a writer,
/// and a device may never end.
///
/// # Errors
/// The system's error, or [`ErrorKind::InvalidInput`] for a path that is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "is not a file"));
    }
    File::open(path)
}

/// Reads the text of a file of at most `max` bytes.
///
/// # Errors
/// The errors of [`open`]; [`ErrorKind::FileTooLarge`]; [`ErrorKind::InvalidData`] for bytes that are not UTF-8.
pub fn read_text(path: &Path, max: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = open(path)?
        .take(max.saturating_add(1))
        .read_to_string(&mut text)?;
    if read as u64 > max {
        let message = format!("has more than {max} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_is_refused() {
        for path in ["/dev/zero", "/dev/null", "/"] {
            let err = read_text(Path::new(path), 10).unwrap_err();
            assert_eq!(err.kind(), ErrorKind::InvalidInput, "{path}: {err}");
        }
    }

    #[test]
    fn a_text_may_have_as_many_bytes_as_allowed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("text");
        fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        let err = read_text(&path, 3).unwrap_err();
        assert_eq!(err.to_string(), "has more than 3 bytes");
        fs::write(&path, b"\xff").unwrap();
        let err = read_text(&path, 4).unwrap_err();
        assert_eq!(err.kind(), ErrorKind::InvalidData);
    }
}
