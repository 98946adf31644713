//! The files of a bundle, on disk or in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The file with the function.
pub const MLIR_FILE: &str = "bundle.mlir";

/// Largest number of bytes of a file. A file of a bundle has some 40 KiB.
const MAX_BYTES: u64 = 1 << 30;

/// The reason why a file has no text.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// The file system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A directory, a pipe, a device.
    #[error("is not a file")]
    NotAFile,
    /// The file is too large to be one of a bundle.
    #[error("has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// The text is not UTF-8.
    #[error("is not UTF-8: byte {0} is no character")]
    NotText(usize),
}

impl From<Unreadable> for io::Error {
    fn from(err: Unreadable) -> Self {
        let kind = match err {
            Unreadable::Io(err) => return err,
            Unreadable::NotAFile => io::ErrorKind::InvalidInput,
            Unreadable::TooLarge => io::ErrorKind::FileTooLarge,
            Unreadable::NotText(_) => io::ErrorKind::InvalidData,
        };
        Self::new(kind, err)
    }
}

/// The files of a bundle.
pub trait Files {
    /// Returns the directory that messages name.
    fn root(&self) -> &Path;

    /// Returns the names of all files, in any order.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn names(&self) -> io::Result<Vec<String>>;

    /// Returns the text of a file.
    ///
    /// # Errors
    /// There is no such file, or it is no text.
    fn text(&self, name: &str) -> Result<Cow<'_, str>, Unreadable>;
}

/// A directory on disk.
#[derive(Debug, Clone, Copy)]
pub struct Directory<'p>(pub &'p Path);

impl Files for Directory<'_> {
    fn root(&self) -> &Path {
        self.0
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let name =
            |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        fs::read_dir(self.0)?.map(name).collect()
    }

    /// Reads a file. Links are followed. Anything but a file is rejected before it is opened, since a pipe would never
    /// end.
    fn text(&self, name: &str) -> Result<Cow<'_, str>, Unreadable> {
        let path = self.0.join(name);
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(Unreadable::NotAFile);
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Unreadable::TooLarge);
        }
        let text = String::from_utf8(bytes);
        let text = text.map_err(|err| Unreadable::NotText(err.utf8_error().valid_up_to()))?;
        Ok(Cow::Owned(text))
    }
}

/// Files that are not on disk.
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    root: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
}

impl InMemory {
    /// Makes a directory without files. Messages name it as `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            files: BTreeMap::new(),
        }
    }

    /// Collects files that a writer yields one by one, such as `spyre_sdsc::Bundle::files`.
    ///
    /// # Errors
    /// The first file that cannot be built, with its name.
    pub fn collect(
        root: impl Into<PathBuf>,
        file_list: impl IntoIterator<Item = (String, io::Result<Vec<u8>>)>,
    ) -> io::Result<Self> {
        let mut files = Self::new(root);
        for (name, contents) in file_list {
            let named = |err: io::Error| io::Error::new(err.kind(), format!("{name}: {err}"));
            let contents = contents.map_err(named)?;
            files.insert(name, contents);
        }
        Ok(files)
    }

    /// Adds a file, or replaces the one of that name.
    pub fn insert(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.files.insert(name.into(), bytes);
    }

    /// Returns the files with their names, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.files.iter();
        files.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }
}

impl Files for InMemory {
    fn root(&self) -> &Path {
        &self.root
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.files.keys().cloned().collect())
    }

    fn text(&self, name: &str) -> Result<Cow<'_, str>, Unreadable> {
        let missing = || Unreadable::Io(io::Error::from(io::ErrorKind::NotFound));
        let bytes = self.files.get(name).ok_or_else(missing)?;
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|err| Unreadable::NotText(err.valid_up_to()))?;
        Ok(Cow::Borrowed(text))
    }
}
