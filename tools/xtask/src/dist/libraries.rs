//! The shared libraries of the archive.
//!
//! `ldd` lists all libraries of a program, also those of its libraries, as this machine's loader finds them. The C library
//! and the loader stay those of the user's machine: they belong together with its kernel and its name services.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use super::{Layout, PROGRAMS};

/// The starts of the names of glibc's libraries, up to the version.
const GLIBC: [&str; 9] = [
    "ld-linux",
    "linux-vdso",
    "libc.so",
    "libdl.so",
    "libm.so",
    "libmvec.so",
    "libpthread.so",
    "libresolv.so",
    "librt.so",
];

/// Copies the libraries of all binaries and sets the rpath of each. Returns the files that were copied.
///
/// # Errors
/// When a library is not found or a tool fails.
pub(super) fn copy(project: &Project, layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let lib = layout.root.join("lib");
    let mut ours: Vec<PathBuf> = PROGRAMS
        .iter()
        .map(|program| layout.root.join("bin").join(program))
        .collect();
    ours.push(lib.join("libspyre_plugin.so"));
    ours.push(lib.join("libSpyreMLIR.so"));
    for binary in &ours {
        // The symbols stay: a panic prints the names of functions.
        process::output(
            project
                .llvm_tool("llvm-strip")
                .arg("--strip-debug")
                .arg(binary),
        )?;
    }
    let mut libraries = BTreeMap::new();
    for binary in &ours {
        libraries.extend(dependencies(binary)?);
    }
    for (name, path) in &libraries {
        let target = lib.join(name);
        fs::copy(path, &target).map_err(Error::io(path))?;
        set_rpath(&target, "$ORIGIN")?;
    }
    for binary in &ours {
        let rpath = match binary.starts_with(&lib) {
            true => "$ORIGIN",
            false => "$ORIGIN/../lib",
        };
        set_rpath(binary, rpath)?;
    }
    Ok(libraries.into_values().collect())
}

/// Returns the libraries of a binary, except glibc's: the name that the loader looks for, and the file.
pub(super) fn dependencies(binary: &Path) -> Result<Vec<(String, PathBuf)>, Error> {
    let text = process::output(Command::new("ldd").arg(binary))?;
    parse(&text).map_err(|name| {
        Error::Verdict(format!(
            "{}: the loader does not find {name}",
            binary.display()
        ))
    })
}

/// Reads the output of `ldd`. Returns the name of a library that is not found as the error.
fn parse(text: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let mut libraries = Vec::new();
    for line in text.lines() {
        // The loader and the kernel's library have no arrow.
        let Some((name, rest)) = line.trim().split_once(" => ") else {
            continue;
        };
        if GLIBC.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let path = rest.split(" (0x").next().expect("a text has a first part");
        if path == "not found" {
            return Err(name.to_owned());
        }
        libraries.push((name.to_owned(), PathBuf::from(path)));
    }
    Ok(libraries)
}

fn set_rpath(binary: &Path, rpath: &str) -> Result<(), Error> {
    let mut patchelf = Command::new("patchelf");
    process::output(patchelf.args(["--set-rpath", rpath]).arg(binary)).map(drop)
}

/// Returns the version of glibc that the binaries need.
///
/// # Errors
/// When a binary cannot be read.
pub(super) fn glibc(project: &Project, layout: &Layout) -> Result<String, Error> {
    let mut newest = (2, 0);
    for directory in ["bin", "lib"] {
        let directory = layout.root.join(directory);
        let entries = fs::read_dir(&directory).map_err(Error::io(&directory))?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        for file in files.filter(|file| file.is_file()) {
            let mut readelf = project.llvm_tool("llvm-readelf");
            let text = process::output(readelf.arg("--version-info").arg(file))?;
            newest = newest.max(newest_glibc(&text));
        }
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}

/// Returns the newest version of glibc in a list of the versions of symbols; 2.0 without any.
fn newest_glibc(text: &str) -> (u32, u32) {
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit());
        let mut numbers = rest[..end.unwrap_or(rest.len())].split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    versions.max().unwrap_or((2, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_except_those_of_glibc() {
        let text = "\tlinux-vdso.so.1 (0x00007ffd)\n\
                    \tlibMLIR.so.22.1 => /usr/lib/llvm-22/lib/libMLIR.so.22.1 (0x00007f6c)\n\
                    \tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f6c)\n\
                    \tlibmd.so.0 => /lib/x86_64-linux-gnu/libmd.so.0 (0x00007f6c)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f6c)\n";
        let names = parse(text).unwrap().into_iter().map(|(name, _)| name);
        assert_eq!(names.collect::<Vec<_>>(), ["libMLIR.so.22.1", "libmd.so.0"]);
        let missing = "\tlibMLIR.so.22.1 => not found\n";
        assert_eq!(parse(missing), Err("libMLIR.so.22.1".to_owned()));
    }

    #[test]
    fn versions_of_glibc_are_numbers() {
        let text = "GLIBC_2.9 GLIBC_2.34\n  0x0030: Name: GLIBC_2.4  Flags: none\nGLIBC_PRIVATE";
        assert_eq!(newest_glibc(text), (2, 34));
        assert_eq!(newest_glibc("GLIBCXX_3.4.32"), (2, 0));
    }
}
