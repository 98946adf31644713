//! The files of the checkout that the checks of sources read.

use std::fs;
use std::path::Path;

use crate::git::git;
use spyre_checkout::error::Error;

/// What precedes the declaration of a module of tests, which is at the end of its file or in another one.
pub(crate) const TESTS: &str = "#[cfg(test)]\nmod ";

/// Which files of a checkout are listed.
#[derive(Clone, Copy)]
pub(crate) enum Listing {
    /// Those under git.
    Tracked,
    /// Those under git, and new ones that git does not ignore.
    WithNew,
}

/// Returns the paths of a checkout's files from its root, in the order of git's list. A file that is removed and still
/// in git's list is left out.
///
/// # Errors
/// Git fails, or a folder cannot be read.
pub(crate) fn files(root: &Path, listing: Listing) -> Result<Vec<String>, Error> {
    let list = match listing {
        Listing::Tracked => git(root, &["ls-files"]),
        Listing::WithNew => {
            let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
            git(root, &arguments)
        }
    }?;
    let mut files = Vec::new();
    for name in list.lines() {
        let path = root.join(name);
        if path.try_exists().map_err(Error::io(&path))? {
            files.push(name.to_owned());
        }
    }
    Ok(files)
}

/// Returns the text of a file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read(root: &Path, name: &str) -> Result<String, Error> {
    let path = root.join(name);
    fs::read_to_string(&path).map_err(Error::io(&path))
}

/// Returns the text of a file of Rust up to its module of tests.
pub(crate) fn without_tests(text: &str) -> &str {
    text.split_once(TESTS).map_or(text, |(code, _)| code)
}
