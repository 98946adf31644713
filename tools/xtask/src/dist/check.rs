//! Unpacks an archive elsewhere and uses it as its user does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use super::{Layout, PROGRAMS, libraries};
use crate::setup;

const PROGRAM: &str = "share/spyre-mlir/examples/add_mul.mlir";
/// A part of the tiled program: the first row of a tile.
const TILED: &str = "affine_map<(d0) -> (d0 * 512)>";

/// Unpacks the archive and runs its tools, its plugin in stock `mlir-opt`, and a program in C++ that links it.
///
/// # Errors
/// At the first part that does not work.
pub(super) fn check(project: &Project, layout: &Layout, archive: &Path) -> Result<(), Error> {
    let directory = layout.out.join("check");
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(Error::io(&directory))?;
    }
    // Blanks in the path: scripts and CMake have to quote.
    let place = directory.join("another place");
    fs::create_dir_all(&place).map_err(Error::io(&place))?;
    let mut tar = Command::new("tar");
    process::run(tar.arg("-xf").arg(archive).arg("-C").arg(&place))?;
    let root = place.join(&layout.name);

    libraries_are_inside(&root)?;
    tools(layout, &root)?;
    plugin(project, &root)?;
    cpp(project, &root, &directory)?;
    println!("dist: the unpacked archive works");
    Ok(())
}

/// Checks that the loader takes all libraries from the archive, except glibc's.
fn libraries_are_inside(root: &Path) -> Result<(), Error> {
    let mut binaries: Vec<PathBuf> = Vec::new();
    for directory in ["bin", "lib"] {
        let directory = root.join(directory);
        let entries = fs::read_dir(&directory).map_err(Error::io(&directory))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        binaries.extend(paths.filter(|path| path.is_file()));
    }
    let inside = root.canonicalize().map_err(Error::io(root))?;
    for binary in &binaries {
        for (name, path) in libraries::dependencies(binary)? {
            let path = path.canonicalize().map_err(Error::io(&path))?;
            if !path.starts_with(&inside) {
                return Err(Error::Verdict(format!(
                    "{} takes {name} from {}",
                    binary.display(),
                    path.display()
                )));
            }
        }
    }
    println!("dist: {} binaries have all libraries", binaries.len());
    Ok(())
}

/// Runs each tool without the environment of this machine.
fn tools(layout: &Layout, root: &Path) -> Result<(), Error> {
    for program in PROGRAMS {
        let line = process::output(tool(root, program).arg("--version"))?;
        expect(&line, &format!("{program} {}", layout.version))?;
    }
    let tiled = process::output(tool(root, "spyre-opt").args(["--coarse-tile", PROGRAM]))?;
    expect(&tiled, TILED)?;
    let run = [
        "--on=card",
        "--random-seed=1",
        PROGRAM,
        "--compare",
        PROGRAM,
    ];
    let results = process::output(tool(root, "spyre-run").args(run))?;
    expect(&results, "0 of 4194304 elements differ")?;
    for program in PROGRAMS {
        let page = root.join(format!("share/man/man1/{program}.1"));
        let text = fs::read_to_string(&page).map_err(Error::io(&page))?;
        expect(&text, ".SH NAME")?;
    }
    let completions = [
        "share/bash-completion/completions/spyre-run",
        "share/zsh/site-functions/_spyre-translate",
        "share/fish/vendor_completions.d/spyre-run.fish",
    ];
    for path in completions {
        let path = root.join(path);
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        expect(&text, "output")?;
    }
    println!("dist: the tools run, and have manual pages and completions");
    Ok(())
}

fn tool(root: &Path, name: &str) -> Command {
    let mut command = Command::new(root.join("bin").join(name));
    command.current_dir(root).env_clear();
    command
}

/// Loads the plugin into the `mlir-opt` of this machine, which has another copy of LLVM.
fn plugin(project: &Project, root: &Path) -> Result<(), Error> {
    let plugin = root.join("lib/libspyre_plugin.so");
    let mut mlir_opt = project.llvm_tool("mlir-opt");
    mlir_opt.arg(format!("--load-dialect-plugin={}", plugin.display()));
    mlir_opt.arg(format!("--load-pass-plugin={}", plugin.display()));
    mlir_opt.arg("--pass-pipeline=builtin.module(func.func(coarse-tile))");
    let tiled = process::output(mlir_opt.arg(root.join(PROGRAM)))?;
    expect(&tiled, TILED)?;
    println!("dist: stock mlir-opt loads the plugin");
    Ok(())
}

/// Builds and runs the project in C++ of the archive.
fn cpp(project: &Project, root: &Path, directory: &Path) -> Result<(), Error> {
    setup::program("cmake", "cmake")?;
    setup::program("make", "make")?;
    let build = directory.join("cpp");
    let compiler = project.prefix.join("bin/clang++");
    let mut cmake = Command::new("cmake");
    cmake
        .arg("-S")
        .arg(root.join("share/spyre-mlir/examples/cpp"));
    cmake.arg("-B").arg(&build).args(["-G", "Unix Makefiles"]);
    cmake.arg(format!("-DCMAKE_CXX_COMPILER={}", compiler.display()));
    cmake.arg(format!(
        "-DCMAKE_PREFIX_PATH={};{}",
        root.display(),
        project.prefix.display()
    ));
    process::run(&mut cmake)?;
    process::run(Command::new("cmake").arg("--build").arg(&build))?;

    let mut program = Command::new(build.join("count_ops"));
    program.arg(root.join(PROGRAM));
    let untiled = process::output(&mut program)?;
    expect(&untiled, "// 1 additions, 0 loops")?;
    let tiled = process::output(program.arg("builtin.module(func.func(coarse-tile))"))?;
    expect(&tiled, "// 1 additions, 2 loops")?;
    println!("dist: a program in C++ links the dialects and runs a pass");
    Ok(())
}

fn expect(text: &str, part: &str) -> Result<(), Error> {
    match text.contains(part) {
        true => Ok(()),
        false => Err(Error::Verdict(format!("expected {part:?} in\n{text}"))),
    }
}
