//! Temporary files and directories next to their destination.
//!
//! The creator of a temporary file holds a lock on it. The system releases the lock when a process ends, however it
//! ends, so a file without a lock is stale. A lock is taken a moment after its file was created; a file that another
//! process removes as stale in that moment is created again.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

/// The prefix of the names.
const PREFIX: &str = ".spyre-new-";

/// The most attempts to create a file.
const ATTEMPTS: usize = 100;

/// A temporary directory, which is removed when the value is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory {
    // Dropped before the lock.
    directory: TempDir,
    _lock: Option<File>,
}

impl TemporaryDirectory {
    /// Creates a directory in `parent`, and removes stale ones of killed runs.
    ///
    /// # Errors
    /// The system's.
    pub fn new(parent: &Path) -> io::Result<Self> {
        remove_left(parent);
        for _ in 0..ATTEMPTS {
            let directory = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
            if let Some(lock) = locked(directory.path(), || File::open(directory.path())) {
                return Ok(Self {
                    directory,
                    _lock: lock,
                });
            }
        }
        Err(taken(parent))
    }

    /// The directory. Only its owner may look into it.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// A temporary file in `parent`, with the permissions of any new file. Removes stale ones of killed runs.
pub(crate) fn file(parent: &Path) -> io::Result<NamedTempFile> {
    remove_left(parent);
    for _ in 0..ATTEMPTS {
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            // The process's mask removes some of these.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent)?;
        // The lock belongs to the open file description that both handles share.
        if locked(file.path(), || file.as_file().try_clone()).is_some() {
            return Ok(file);
        }
    }
    Err(taken(parent))
}

fn taken(parent: &Path) -> io::Error {
    let message = format!(
        "'{}': temporary files are removed by another process",
        parent.display()
    );
    io::Error::other(message)
}

/// Locks the file that was just created at `path`. `None` when another process has removed it as stale; no lock where
/// the file system has none.
fn locked(path: &Path, open: impl Fn() -> io::Result<File>) -> Option<Option<File>> {
    let file = open().ok()?;
    match file.try_lock() {
        Ok(()) => path.exists().then_some(Some(file)),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => Some(None),
    }
}

/// Removes stale files of killed runs from a directory. Files that cannot be opened or removed stay, which does no
/// harm.
fn remove_left(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    let left = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
    });
    for path in left.map(|entry| entry.path()).collect::<Vec<PathBuf>>() {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if !metadata.is_dir() && !metadata.is_file() {
            continue;
        }
        let Ok(file) = File::open(&path) else {
            continue;
        };
        if file.try_lock().is_err() {
            continue;
        }
        // The lock is held until the file is gone, so that its creator notices.
        let _ = if metadata.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn what_nobody_holds_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let left = root.path().join(format!("{PREFIX}killed"));
        fs::create_dir_all(left.join("new")).unwrap();
        fs::write(left.join("new/file"), "half").unwrap();
        fs::write(root.path().join(format!("{PREFIX}file")), "half").unwrap();
        fs::write(root.path().join(".spyre-other"), "of somebody else").unwrap();
        let held = TemporaryDirectory::new(root.path()).unwrap();
        let another = TemporaryDirectory::new(root.path()).unwrap();
        let held_file = file(root.path()).unwrap();
        drop(file(root.path()).unwrap());
        assert!(held.path().is_dir() && another.path().is_dir());
        assert!(held_file.path().is_file());
        drop((held, another, held_file));
        assert_eq!(names(root.path()), [".spyre-other"]);
    }
}
