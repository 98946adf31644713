//! Git, in the checkout.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;

/// Returns whether a folder is a checkout of git.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn is_checkout(root: &Path) -> Result<bool, Error> {
    let directory = root.join(".git");
    directory.try_exists().map_err(Error::io(&directory))
}

/// Runs git in a checkout and returns its output.
///
/// # Errors
/// Git fails.
pub(crate) fn git<S: AsRef<OsStr>>(root: &Path, arguments: &[S]) -> Result<String, Error> {
    process::output(Command::new("git").arg("-C").arg(root).args(arguments))
}
