//! The recorded programs, where the variable `SPYRE_GOLDEN` names a folder of reference data with a folder `uop`.

use std::fs;
use std::path::PathBuf;

/// Returns the folder of the recorded programs.
fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("SPYRE_GOLDEN")?).join("uop");
    assert!(folder.is_dir(), "{} is no folder", folder.display());
    Some(folder)
}

/// Returns the names and the texts of the recorded programs; none where there is no reference data.
pub(crate) fn files() -> Vec<(String, String)> {
    let Some(folder) = folder() else {
        return Vec::new();
    };
    let entries = fs::read_dir(&folder).expect("the folder can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (
            name,
            fs::read_to_string(path).expect("the file can be read"),
        )
    };
    paths.iter().map(read).collect()
}

/// Expects that there were recorded programs, where there is reference data.
pub(crate) fn report(count: usize) {
    match folder() {
        Some(folder) => assert!(count > 0, "{} has no programs", folder.display()),
        None => println!("SPYRE_GOLDEN is not set: no recorded programs"),
    }
}
