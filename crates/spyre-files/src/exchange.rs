//! Exchange of two directories.

use std::io;
use std::path::Path;

/// Exchanges two files or directories in one step. `false` where the system or the file system cannot; then both are
/// unchanged.
///
/// # Errors
/// The system's, such as [`NotFound`](io::ErrorKind::NotFound) when one does not exist.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(false),
        Err(err) => Err(err.into()),
    }
}

/// Returns that an exchange is not supported, as on other systems than Linux.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn each_is_where_the_other_was() {
        let directory = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| directory.path().join(name));
        for path in [&one, &other] {
            fs::create_dir(path).unwrap();
        }
        fs::write(one.join("file"), "1").unwrap();
        if exchange(&one, &other).unwrap() {
            assert!(!one.join("file").exists());
            assert_eq!(fs::read(other.join("file")).unwrap(), b"1");
        }
        let gone = exchange(&one, &directory.path().join("gone")).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }
}
