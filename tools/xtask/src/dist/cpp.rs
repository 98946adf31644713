//! The dialects for programs in C++: a library, headers, and the package that `find_package(SpyreMLIR)` finds.

use std::fs;
use std::path::{Path, PathBuf};

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use super::{Layout, copy, fill};

/// The directories of the dialects below `dialects/`.
const DIALECTS: [&str; 6] = ["spyre", "sdscbundle", "inductor", "ktdp", "spyreop", "uop"];
/// Headers of `dialects/` with the functions between C++ and Rust. They change with the code on both sides, and the library
/// does not export them.
const INTERNAL: [&str; 3] = ["CAPI.h", "LayoutRules.h", "RangeRules.h"];

/// Links `libSpyreMLIR.so` from the static library of the plugin. It shares `libMLIR.so` with the program, and has the
/// objects of MLIR's C API that the passes use, which Debian has in archives only.
///
/// # Errors
/// When the static library is missing or the linker fails.
pub(super) fn library(project: &Project, layout: &Layout) -> Result<(), Error> {
    let objects = layout.binaries.join("libspyre_plugin.a");
    let lib = project.prefix.join("lib");
    let archives = files(&lib, |name| {
        name.ends_with(".a") && (name.starts_with("libMLIRCAPI") || name == "libMLIRReduceLib.a")
    })?;
    let exports = project.root.join("tools/xtask/dist/exports.map");
    let mut clang = project.llvm_tool("clang++");
    clang.args(["-shared", "-Wl,-soname,libSpyreMLIR.so", "-Wl,-z,defs"]);
    clang.args(["-Wl,--gc-sections", "-o"]);
    clang.arg(layout.root.join("lib/libSpyreMLIR.so"));
    clang.arg(format!("-Wl,--version-script={}", exports.display()));
    clang.arg(format!("-Wl,-rpath,{}", lib.display()));
    clang.arg("-Wl,--whole-archive").arg(objects);
    clang.arg("-Wl,--no-whole-archive").arg("-Wl,--start-group");
    clang.args(archives).arg("-Wl,--end-group");
    clang
        .arg(lib.join("libMLIR.so"))
        .arg(lib.join("libLLVM.so"));
    println!("dist: linking libSpyreMLIR.so");
    process::output(clang.args(["-lm", "-lpthread", "-ldl"])).map(drop)
}

/// Copies the headers and the ODS of the dialects, and the headers that are generated from the ODS.
///
/// # Errors
/// When the build has no generated headers.
pub(super) fn headers(project: &Project, layout: &Layout) -> Result<(), Error> {
    let include = layout.root.join("include/spyre-mlir");
    for header in files(&header_directory(layout)?, |name| name.ends_with(".h.inc"))? {
        copy(&header, &include)?;
    }
    for dialect in DIALECTS {
        let public =
            |name: &str| name.ends_with(".td") || name.ends_with(".h") && !INTERNAL.contains(&name);
        for file in files(&project.root.join("dialects").join(dialect), public)? {
            copy(&file, &include.join(dialect))?;
        }
    }
    let passes = project.root.join("tools/xtask/dist/Passes.h");
    copy(&passes, &include.join("spyre")).map(drop)
}

/// Returns the directory of the generated headers: that of the newest build of `spyre-cpp` in the directory of the tools.
fn header_directory(layout: &Layout) -> Result<PathBuf, Error> {
    let builds = layout.binaries.join("build");
    let entries = fs::read_dir(&builds).map_err(Error::io(&builds))?;
    let directories = entries
        .filter_map(|entry| Some(entry.ok()?.path().join("out")))
        .filter(|out| out.components().any(|part| is_build(part.as_os_str())));
    // The list of objects is written last.
    let newest = directories
        .filter_map(|out| {
            let list = fs::metadata(out.join("objects.txt")).ok()?;
            Some((list.modified().ok()?, out))
        })
        .max();
    newest
        .map(|(_, out)| out)
        .ok_or_else(|| Error::Verdict(format!("{} has no build of spyre-cpp", builds.display())))
}

fn is_build(directory: &std::ffi::OsStr) -> bool {
    directory.to_string_lossy().starts_with("spyre-cpp-")
}

/// Writes the package for CMake.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn package(project: &Project, layout: &Layout) -> Result<(), Error> {
    let directory = layout.root.join("lib/cmake/SpyreMLIR");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    let llvm = project.version.to_string();
    let values = [
        ("VERSION", layout.version.as_str()),
        ("LLVM_VERSION", &llvm),
    ];
    for name in ["SpyreMLIRConfig.cmake", "SpyreMLIRConfigVersion.cmake"] {
        let template = format!("{name}.in");
        fill(project, &template, &directory.join(name), &values)?;
    }
    Ok(())
}

/// Returns the files of a directory with the names that `wanted` takes, in the order of their names.
fn files(directory: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(directory).map_err(Error::io(directory))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            name.is_some_and(|name| wanted(&name))
        })
        .collect();
    files.sort();
    Ok(files)
}
