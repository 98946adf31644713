//! Writes the files of a bundle so that its directory is complete or not there.
//!
//! The files are written next to their destination, and the new directory is exchanged with an existing one. A
//! directory that has other files than a bundle's is rejected.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use spyre_bundle_files::{InMemory, LAUNCH_FILE, is_constant_file};
use spyre_files::{Staged, TemporaryDirectory};
use spyre_sdsc::Bundle;
use thiserror::Error;

/// The reason why a bundle was not written. The previous contents of its place are still there.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file system refused.
    #[error("cannot write the bundle '{path}': {reason}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// The directory holds something else.
    #[error(
        "'{path}' holds '{file}', which is not part of a bundle; refusing to replace the directory"
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// A file in it.
        file: String,
    },
    /// The path is not a directory.
    #[error("'{path}' exists and is not a directory")]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// A directory in use cannot be replaced under its user.
    #[error(
        "'{path}' is the current directory or holds it; the bundle needs a directory of its own"
    )]
    CurrentDirectory {
        /// The path.
        path: PathBuf,
    },
    /// The path does not end in a name that a directory could have.
    #[error("'{path}' does not name a directory")]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The list of the parameters would be in the directory of the bundle.
    #[error("'{path}' is in the directory of the bundle, which has no other files")]
    ParamsInside {
        /// The path of the list.
        path: PathBuf,
    },
    /// The file system refused the list of the parameters.
    #[error("cannot write '{path}': {reason}")]
    Params {
        /// The path of the list.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// Other writers replaced the directory each time it was about to be.
    #[error("'{path}' is being replaced by other writers; gave up after {ATTEMPTS} attempts")]
    Busy {
        /// The path.
        path: PathBuf,
    },
}

/// The host part of a program of several bundles.
pub const HOST_FILE: &str = "host.mlir";

/// Largest number of attempts to put a bundle in its place when other writers are faster.
const ATTEMPTS: usize = 1000;

/// Writes the files of a bundle into a directory next to `directory` and moves it into place; missing parents are
/// created. An existing bundle is exchanged with it, so `directory` has a bundle at every moment. If several processes
/// write, the last one wins.
///
/// # Errors
/// [`WriteError`]
pub fn write(files: &InMemory, directory: &Path) -> Result<(), WriteError> {
    fill(directory, |new| write_into(files, new))
}

/// Writes the files of a bundle as [`write()`] does, and the list of the parameters that the launcher binds, as JSON, into the file
/// `params`: both, or neither.
///
/// # Errors
/// [`WriteError`]
pub fn write_with_params(
    bundle: &Bundle,
    files: &InMemory,
    directory: &Path,
    params: &Path,
) -> Result<(), WriteError> {
    let path = || params.to_owned();
    if params.starts_with(directory) {
        return Err(WriteError::ParamsInside { path: path() });
    }
    let params_error = |err| WriteError::Params {
        path: path(),
        reason: err,
    };
    let list = staged_params(bundle, params).map_err(params_error)?;
    write(files, directory)?;
    list.commit().map_err(params_error)
}

/// Writes the list of the parameters to a temporary file next to its destination, until the bundle is written.
fn staged_params(bundle: &Bundle, path: &Path) -> io::Result<Staged> {
    let mut contents = Vec::new();
    bundle.write_launch_params(&mut contents)?;
    Staged::new(path, &[&contents])
}

/// Writes the files of a bundle into an existing directory.
///
/// # Errors
/// The first file that the file system refuses. Earlier files stay.
pub fn write_into(files: &InMemory, directory: &Path) -> io::Result<()> {
    let mut files = files.iter();
    files.try_for_each(|(name, bytes)| fs::write(directory.join(name), bytes))
}

/// Creates a directory next to `directory`, calls `contents` to write into it, and moves it into place as [`write()`]
/// does.
///
/// # Errors
/// [`WriteError`]; the error of `contents` as [`WriteError::Io`].
pub fn fill(
    directory: &Path,
    contents: impl FnOnce(&Path) -> io::Result<()>,
) -> Result<(), WriteError> {
    let io = |err: io::Error| WriteError::Io {
        path: directory.to_owned(),
        reason: err,
    };
    let parent = Place::find(directory)?.parent;
    fs::create_dir_all(&parent).map_err(io)?;
    // A temporary directory is private; one inside it has the usual permissions.
    let private = TemporaryDirectory::new(&parent).map_err(io)?;
    let new = private.path().join("new");
    fs::create_dir(&new)
        .and_then(|()| contents(&new))
        .map_err(io)?;
    for _ in 0..ATTEMPTS {
        let place = Place::find(directory)?;
        // The old bundle goes away when this is dropped.
        let mut old = None;
        if place.replaces {
            match exchange(&new, &place) {
                Ok(Exchange::Done) => return Ok(()),
                Ok(Exchange::Gone) => continue,
                Ok(Exchange::Unsupported) => {
                    let aside = TemporaryDirectory::new(&parent).map_err(io)?;
                    old = move_aside(&place, aside).map_err(io)?;
                }
                Err(err) => return Err(io(err)),
            }
        }
        match fs::rename(&new, &place.path) {
            Ok(()) => return Ok(()),
            // Another writer was faster, and its bundle is complete.
            Err(err)
                if matches!(
                    err.kind(),
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
                ) => {}
            Err(err) => {
                if let Some(old) = old {
                    // If that fails too, the first reason is the one to report.
                    let _ = fs::rename(old.path().join(ASIDE), &place.path);
                }
                return Err(io(err));
            }
        }
    }
    Err(WriteError::Busy {
        path: directory.to_owned(),
    })
}

/// The outcome of exchanging two directories.
enum Exchange {
    /// The directories have changed places.
    Done,
    /// Another writer took the old directory away.
    Gone,
    /// The system cannot exchange directories in one step.
    Unsupported,
}

/// Exchanges a new bundle with the old one, in one step.
fn exchange(new: &Path, place: &Place) -> io::Result<Exchange> {
    match spyre_files::exchange(new, &place.path) {
        Ok(true) => Ok(Exchange::Done),
        Ok(false) => Ok(Exchange::Unsupported),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(Exchange::Gone),
        Err(err) => Err(err),
    }
}

const ASIDE: &str = "old";

/// Moves a bundle into a temporary directory. `None` if it no longer exists.
fn move_aside(
    place: &Place,
    temporary: TemporaryDirectory,
) -> io::Result<Option<TemporaryDirectory>> {
    match fs::rename(&place.path, temporary.path().join(ASIDE)) {
        Ok(()) => Ok(Some(temporary)),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

/// The place of a bundle.
struct Place {
    /// The directory, links resolved.
    path: PathBuf,
    /// The directory that holds it.
    parent: PathBuf,
    /// Whether the place has a bundle, or an empty directory, now.
    replaces: bool,
}

impl Place {
    fn find(directory: &Path) -> Result<Self, WriteError> {
        for _ in 0..ATTEMPTS {
            if let Some(place) = Self::look(directory)? {
                return Ok(place);
            }
        }
        Err(WriteError::Busy {
            path: directory.to_owned(),
        })
    }

    /// Examines a directory. `None` when another writer removes it at the same time.
    fn look(directory: &Path) -> Result<Option<Self>, WriteError> {
        let path = || directory.to_owned();
        let io = |err: io::Error| WriteError::Io {
            path: path(),
            reason: err,
        };
        let is_link = match fs::symlink_metadata(directory) {
            Ok(metadata) => metadata.is_symlink(),
            Err(err) if err.kind() == ErrorKind::NotFound => return Self::new(directory).map(Some),
            Err(err) => return Err(io(err)),
        };
        match fs::metadata(directory) {
            Ok(metadata) if metadata.is_dir() => {}
            Err(err) if err.kind() == ErrorKind::NotFound && !is_link => return Ok(None),
            // A dangling link is not a directory either.
            _ => return Err(WriteError::NotADirectory { path: path() }),
        }
        let (real, foreign) = match fs::canonicalize(directory)
            .and_then(|real| foreign_entry(&real).map(|foreign| (real, foreign)))
        {
            Ok(contents) => contents,
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(io(err)),
        };
        let current = env::current_dir().and_then(fs::canonicalize);
        if current.is_ok_and(|current| current.starts_with(&real)) {
            return Err(WriteError::CurrentDirectory { path: path() });
        }
        if let Some(file) = foreign {
            return Err(WriteError::Foreign { path: path(), file });
        }
        let parent = real
            .parent()
            .ok_or_else(|| WriteError::NoName { path: path() })?
            .to_owned();
        Ok(Some(Self {
            path: real,
            parent,
            replaces: true,
        }))
    }

    /// Returns the place of a directory that is not there yet.
    fn new(directory: &Path) -> Result<Self, WriteError> {
        let Some(name) = directory.file_name() else {
            return Err(WriteError::NoName {
                path: directory.to_owned(),
            });
        };
        let parent = match directory.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(Self {
            path: parent.join(name),
            parent,
            replaces: false,
        })
    }
}

/// Returns the name of an entry of a directory that belongs to no bundle, and to no program of several; `None` if there is none.
fn foreign_entry(directory: &Path) -> io::Result<Option<String>> {
    let is_launch = directory.join(LAUNCH_FILE).is_file();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_directory = entry.file_type()?.is_dir();
        if is_bundle_entry(&name, is_directory) {
            continue;
        }
        if is_launch && is_directory {
            match foreign_entry(&entry.path())? {
                Some(foreign) => return Ok(Some(format!("{name}/{foreign}"))),
                None => continue,
            }
        }
        if !is_launch || name != LAUNCH_FILE && name != HOST_FILE {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Returns whether an entry of a directory belongs to a bundle. The backend adds `spyreCodeDir`, and a program of several bundles
/// the values of their constants.
fn is_bundle_entry(name: &str, is_directory: bool) -> bool {
    if is_directory {
        return name == "spyreCodeDir";
    }
    let number = name.strip_prefix("sdsc_");
    let number = number.and_then(|rest| rest.strip_suffix(".json"));
    let is_description = number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    is_description || name == spyre_sdsc::bundle::MLIR_FILE || is_constant_file(name)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn empty_bundle() -> InMemory {
        let bundle = spyre_sdsc::compile_bundle(&[], &spyre_sdsc::BundleOptions::default());
        let bundle = bundle.expect("a bundle of no operations");
        InMemory::collect("", bundle.files()).expect("files")
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).expect("a directory");
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn only_the_files_of_a_bundle_may_be_replaced() {
        for name in [
            "bundle.mlir",
            "sdsc_0.json",
            "sdsc_120.json",
            "constant_3.npy",
        ] {
            assert!(is_bundle_entry(name, false), "{name}");
            assert!(!is_bundle_entry(name, true), "{name}");
        }
        assert!(is_bundle_entry("spyreCodeDir", true));
        for name in [
            "notes.txt",
            "sdsc_.json",
            "sdsc_a.json",
            "sdsc_1.json.bak",
            "bundle.mlir~",
            "spyreCodeDir",
            "launch.json",
            "constant_x.npy",
        ] {
            assert!(!is_bundle_entry(name, false), "{name}");
        }
    }

    #[test]
    fn only_the_files_of_a_program_may_be_replaced() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let part = root.path().join("f_device_0");
        fs::create_dir(&part).expect("made");
        let add = |path: PathBuf| fs::write(path, "").expect("written");
        let foreign = || foreign_entry(root.path()).expect("read");
        add(part.join("bundle.mlir"));
        assert_eq!(foreign().as_deref(), Some("f_device_0"));
        add(root.path().join(LAUNCH_FILE));
        add(root.path().join(HOST_FILE));
        assert_eq!(foreign(), None);
        add(part.join("notes.txt"));
        assert_eq!(foreign().as_deref(), Some("f_device_0/notes.txt"));
    }

    #[test]
    fn concurrent_writers_leave_one_complete_bundle() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let directory = root.path().join("bundle");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        write(&empty_bundle(), &directory).expect("written");
                    }
                });
            }
        });
        assert_eq!(names(&directory), ["bundle.mlir"]);
        assert_eq!(names(root.path()), ["bundle"], "nothing else is left");
    }

    #[test]
    fn there_is_a_bundle_at_every_moment() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let directory = root.path().join("bundle");
        write(&empty_bundle(), &directory).expect("written");
        let mut looks = 0;
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for _ in 0..300 {
                    write(&empty_bundle(), &directory).expect("written");
                }
            });
            while !writer.is_finished() {
                // A lookup of a file in it could find the old directory and, a moment later, no file.
                let metadata = fs::metadata(&directory);
                assert!(metadata.is_ok(), "look {looks}: {metadata:?}");
                looks += 1;
            }
        });
        assert!(looks > 100, "{looks} looks");
    }

    #[test]
    fn what_a_killed_run_left_is_removed() {
        let root = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir_all(root.path().join(".spyre-new-killed/new")).expect("made");
        write(&empty_bundle(), &root.path().join("bundle")).expect("written");
        assert_eq!(names(root.path()), ["bundle"]);
    }

    #[test]
    fn paths_without_a_name_are_refused() {
        for path in ["", "missing/.."] {
            let err = write(&empty_bundle(), Path::new(path)).expect_err(path);
            assert!(matches!(err, WriteError::NoName { .. }), "{err}");
        }
        let err = write(&empty_bundle(), Path::new("/")).expect_err("the root");
        assert!(matches!(err, WriteError::CurrentDirectory { .. }), "{err}");
    }
}
