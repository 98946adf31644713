//! Writing a bundle so that its directory is complete or not there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use spyre_sdsc::Bundle;
use thiserror::Error;

/// Why a bundle was not written. What was in its place before is still there.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The path cannot hold a directory.
    #[error("cannot write the bundle '{path}': {why}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// The directory holds something else.
    #[error("'{path}' holds '{file}', which is not part of a bundle; refusing to replace the directory")]
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
}

/// Writes the files of a bundle into a directory beside `directory` and renames it into place.
pub fn bundle(bundle: &Bundle, directory: &Path) -> Result<(), WriteError> {
    let io = |why: io::Error| WriteError::Io { path: directory.to_owned(), why };
    let replaces = existing(directory)?;
    let parent = match directory.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(io)?;
    let temporary = || tempfile::Builder::new().prefix(".spyre-bundle-").tempdir_in(parent);
    let new = temporary().map_err(io)?;
    bundle.write_to_dir(new.path()).map_err(io)?;
    // A temporary directory is private; a bundle is as readable as other files.
    copy_permissions(parent, new.path()).map_err(io)?;
    if !replaces {
        return fs::rename(new.path(), directory).map_err(io);
    }
    // The old bundle moves aside and goes away when `old` is dropped.
    let old = temporary().map_err(io)?;
    let aside = old.path().join("old");
    fs::rename(directory, &aside).map_err(io)?;
    fs::rename(new.path(), directory).map_err(|why| {
        // Put back what was there; if that fails too, the first reason is the one to report.
        let _ = fs::rename(&aside, directory);
        io(why)
    })
}

/// Whether a bundle is there already.
fn existing(directory: &Path) -> Result<bool, WriteError> {
    match fs::metadata(directory) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(why) => return Err(WriteError::Io { path: directory.to_owned(), why }),
        Ok(metadata) if !metadata.is_dir() => {
            return Err(WriteError::NotADirectory { path: directory.to_owned() });
        }
        Ok(_) => {}
    }
    let io = |why: io::Error| WriteError::Io { path: directory.to_owned(), why };
    for entry in fs::read_dir(directory).map_err(io)? {
        let file = entry.map_err(io)?.file_name().to_string_lossy().into_owned();
        if !is_bundle_file(&file) {
            return Err(WriteError::Foreign { path: directory.to_owned(), file });
        }
    }
    Ok(true)
}

/// Whether a file belongs to a bundle; `spyreCodeDir` is what the backend adds.
fn is_bundle_file(name: &str) -> bool {
    let number = name.strip_prefix("sdsc_").and_then(|rest| rest.strip_suffix(".json"));
    name == spyre_sdsc::bundle::MLIR_FILE
        || name == "spyreCodeDir"
        || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn copy_permissions(from: &Path, to: &Path) -> io::Result<()> {
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_a_bundle_may_be_replaced() {
        for name in ["bundle.mlir", "sdsc_0.json", "sdsc_120.json", "spyreCodeDir"] {
            assert!(is_bundle_file(name), "{name}");
        }
        for name in ["notes.txt", "sdsc_.json", "sdsc_a.json", "sdsc_1.json.bak", "bundle.mlir~"] {
            assert!(!is_bundle_file(name), "{name}");
        }
    }
}
