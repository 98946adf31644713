//! The files of a directory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

/// The file with the function.
pub const MLIR_FILE: &str = "bundle.mlir";

/// Bytes of a file, at most. A file of a bundle has some 40 KiB.
const MAX_BYTES: u64 = 1 << 30;

/// Why a file has no text.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// The file system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A directory, a pipe, a device.
    #[error("is not a file")]
    NotAFile,
    /// Too large to be a file of a bundle.
    #[error("has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// Not UTF-8.
    #[error("is not UTF-8: byte {0} is no character")]
    NotText(usize),
}

/// What is in a directory.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files `sdsc_*.json` with their numbers, if they have one.
    pub files: Vec<(String, Option<u64>)>,
    /// What is no part of a bundle.
    pub foreign: Vec<String>,
}

impl Listing {
    /// Reads a directory. `spyreCodeDir` is what the backend adds.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut listing = Self::default();
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("sdsc_") && name.ends_with(".json") {
                let number = number(&name);
                listing.files.push((name, number));
            } else if name != MLIR_FILE && name != "spyreCodeDir" {
                listing.foreign.push(name);
            }
        }
        listing.files.sort_by(|(a, i), (b, j)| (i, a).cmp(&(j, b)));
        listing.foreign.sort();
        Ok(listing)
    }
}

/// The number N of a file `sdsc_N.json`.
pub fn number(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("sdsc_")?.strip_suffix(".json")?;
    let number: u64 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// The text of a file. Links are followed; anything but a file is refused before it is opened, since a pipe would
/// never end.
pub fn text(path: &Path) -> Result<String, Unreadable> {
    let metadata = fs::metadata(path)?;
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
    String::from_utf8(bytes).map_err(|why| Unreadable::NotText(why.utf8_error().valid_up_to()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(number("sdsc_0.json"), Some(0));
        assert_eq!(number("sdsc_120.json"), Some(120));
        for name in [
            "sdsc_.json",
            "sdsc_01.json",
            "sdsc_+1.json",
            "sdsc_-1.json",
            "sdsc_1.json.bak",
            "sdsc.json",
        ] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
