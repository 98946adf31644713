//! Writes files that are either complete or absent.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::temporary;

/// Writes a file next to its destination and renames it. A link stays and its target is replaced; a pipe or device,
/// which cannot be replaced, is written to.
///
/// # Errors
/// The system's error. The old file is then unchanged.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    replace_parts(path, &[contents])
}

/// Like [`replace`], with contents in several parts, one after the other.
///
/// # Errors
/// The system's error. The old file is then unchanged.
pub fn replace_parts(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    Staged::new(path, parts)?.commit()
}

/// The contents of a file, staged next to its destination until other files are written. Dropping it removes the staged
/// file.
#[derive(Debug)]
pub struct Staged(Option<(NamedTempFile, PathBuf)>);

impl Staged {
    /// Writes contents in several parts next to their destination; to a pipe or device at once.
    ///
    /// # Errors
    /// The system's.
    pub fn new(path: &Path, parts: &[&[u8]]) -> io::Result<Self> {
        staged(path, parts).map(Self)
    }

    /// Renames the file to its place, as [`replace`] does.
    ///
    /// # Errors
    /// The system's error. The old file is then unchanged.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Some((file, place)) => file.persist(&place).map(|_| ()).map_err(|err| err.error),
            None => Ok(()),
        }
    }
}

fn staged(path: &Path, parts: &[&[u8]]) -> io::Result<Option<(NamedTempFile, PathBuf)>> {
    let write = |file: &mut dyn io::Write| parts.iter().try_for_each(|part| file.write_all(part));
    let place = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::canonicalize(path)?,
        // The system refuses to write to a directory.
        Ok(_) => return write(&mut File::create(path)?).map(|()| None),
        Err(_) => target(path),
    };
    let parent = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = temporary::file(parent)?;
    write(&mut file)?;
    Ok(Some((file, place)))
}

/// Returns the path of a new file; for a link, the path that it points to.
fn target(path: &Path) -> PathBuf {
    match (fs::read_link(path), path.parent()) {
        (Ok(link), Some(parent)) => parent.join(link),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_stays_a_link() {
        let root = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| root.path().join(name));
        symlink("file", &link).unwrap();
        for contents in [&b"one"[..], b"two"] {
            replace(&link, contents).unwrap();
            assert_eq!(fs::read(&file).unwrap(), contents);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("directory");
        fs::create_dir(&directory).unwrap();
        replace(&directory, b"text").unwrap_err();
        replace(&root.path().join("missing/file"), b"text").unwrap_err();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_device_is_written_to() {
        replace(Path::new("/dev/null"), b"text").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        replace(Path::new("/dev/full"), b"text").unwrap_err();
    }
}
