//! `cargo xtask dist`: an archive that runs where it is unpacked.
//!
//! The tools find their libraries relative to themselves (`$ORIGIN` in the rpath), and the archive has LLVM, MLIR and all
//! that Debian's packages link them to, except the C library. Programs in C++ link `libSpyreMLIR.so`: the dialects call
//! functions in Rust, so the library is a static library of the plugin, with all passes, linked again with the symbols
//! that C++ needs. Next to the archive are the Python wheel, the crates without MLIR, the list of components, and
//! checksums.

mod check;
mod cpp;
mod libraries;
mod shell;

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use crate::{python, setup};

/// The programs of the archive, which are also the names of their packages.
const PROGRAMS: [&str; 5] = [
    "spyre-opt",
    "spyre-translate",
    "spyre-run",
    "spyre-lsp-server",
    "spyre-reduce",
];
/// The package of the plugin, which has all dialects and passes.
const PLUGIN: &str = "spyre-plugin";
/// The crates that others may use without MLIR, each after the ones that it depends on. The rest reads `dialects/` and
/// `LLVM_VERSION` outside of its package, so cargo cannot pack it. Each has a link to the licence of the repository, which
/// cargo packs as a file: with `license-file` next to `license`, cargo warns in each build.
const CRATES: [&str; 15] = [
    "spyre-files",
    "spyre-layout",
    "spyre-ops",
    "spyre-plan",
    "spyre-sdsc",
    "spyre-bundle-files",
    "spyre-verify",
    "spyre-schema",
    "spyre-sim",
    "spyre-index-expr",
    "spyre-inductor",
    "spyre-uop",
    "spyre-generate",
    "spyre-layout-view",
    "spyre-plan-view",
];
/// Files of the repository, and their folders below `share/spyre-mlir`.
const SHARED: [(&str, &str); 7] = [
    ("LICENSE", ""),
    ("CHANGELOG.md", ""),
    ("tools/spyre-reduce/card-differs.sh", ""),
    ("examples/add_mul.mlir", "examples"),
    ("examples/mlp.mlir", "examples"),
    ("examples/cpp/CMakeLists.txt", "examples/cpp"),
    ("examples/cpp/count_ops.cpp", "examples/cpp"),
];

/// The command line of `cargo xtask dist`.
pub(crate) struct Options {
    /// The directory of the archive; by default `dist` in cargo's target directory.
    pub out: Option<PathBuf>,
    /// The profile of the build.
    pub profile: Profile,
    /// A directory with built tools and `libspyre_plugin.a`, which are taken without a build.
    pub from: Option<PathBuf>,
    /// Whether the wheel is built as well.
    pub wheel: bool,
    /// Whether the archive is unpacked and its contents are run.
    pub check: bool,
}

/// The paths of one archive.
struct Layout {
    /// The directory of the results.
    out: PathBuf,
    /// The directory that is archived, in `out`.
    root: PathBuf,
    /// The name of `root`.
    name: String,
    /// The directory of the built tools.
    binaries: PathBuf,
    /// The version of the workspace.
    version: String,
}

/// Writes the archive, the wheel, the components and the checksums.
///
/// # Errors
/// When a build fails, a program is missing, or with `check` when the unpacked archive does not work.
pub(crate) fn dist(project: &Project, options: &Options) -> Result<(), Error> {
    setup::setup(project)?;
    setup::program("patchelf", "patchelf")?;
    if options.from.is_none() {
        build(project, options.profile)?;
    }
    let layout = layout(project, options)?;
    copy_tools(&layout)?;
    cpp::library(project, &layout)?;
    cpp::headers(project, &layout)?;
    cpp::package(project, &layout)?;
    let copied = libraries::copy(project, &layout)?;
    share(project, &layout)?;
    shell::write(&layout)?;
    components(project, &layout, &copied)?;
    let archive = pack(project, &layout)?;
    crates(project, &layout)?;
    if options.wheel {
        python::wheel(project, &layout.out, options.profile)?;
    }
    checksums(&layout)?;
    println!("dist: {}", archive.display());
    if options.check {
        check::check(project, &layout, &archive)?;
    }
    Ok(())
}

/// Builds the tools, and the plugin as a shared and as a static library.
fn build(project: &Project, profile: Profile) -> Result<(), Error> {
    let profile = match profile {
        Profile::Debug => "dev",
        Profile::Release => "release",
    };
    let packages = PROGRAMS.iter().chain([&PLUGIN]);
    let mut cargo = project.cargo();
    cargo.args(["build", "--locked", "--profile", profile]);
    process::run(cargo.args(packages.flat_map(|name| ["--package", name])))?;
    let mut cargo = project.cargo();
    cargo.args(["rustc", "--locked", "--profile", profile]);
    cargo.args(["--package", PLUGIN, "--lib", "--crate-type", "staticlib"]);
    process::run(&mut cargo)
}

/// Returns the paths, with an empty directory for the contents of the archive.
fn layout(project: &Project, options: &Options) -> Result<Layout, Error> {
    let version = version(project)?;
    let name = format!("spyre-mlir-{version}-{ARCH}");
    let out = match &options.out {
        Some(out) => std::path::absolute(out).map_err(Error::io(out))?,
        None => project.target.join("dist"),
    };
    let root = out.join(&name);
    if root.exists() {
        fs::remove_dir_all(&root).map_err(Error::io(&root))?;
    }
    for directory in ["bin", "lib", "include", "share/spyre-mlir"] {
        let directory = root.join(directory);
        fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    }
    let binaries = options.from.clone();
    let binaries = binaries.unwrap_or_else(|| project.bin_dir(options.profile));
    Ok(Layout {
        out,
        root,
        name,
        binaries,
        version,
    })
}

/// Returns the version of the workspace, which every package has.
///
/// # Errors
/// When cargo cannot read the manifests.
pub(crate) fn version(project: &Project) -> Result<String, Error> {
    let id = process::output(project.cargo().args(["pkgid", "--offline", PLUGIN]))?;
    let version = id.trim().rsplit(['#', '@']).next();
    Ok(version.expect("a text has a last part").to_owned())
}

/// Copies the programs and the plugin, without debugging information: its paths are those of this machine.
fn copy_tools(layout: &Layout) -> Result<(), Error> {
    let plugin = ("libspyre_plugin.so", "lib");
    let programs = PROGRAMS.iter().map(|program| (*program, "bin"));
    for (name, directory) in programs.chain([plugin]) {
        copy(&layout.binaries.join(name), &layout.root.join(directory))?;
    }
    Ok(())
}

/// Returns a command of a built program, whose libraries are those of this machine.
fn built_program(layout: &Layout, program: &str) -> Command {
    Command::new(layout.binaries.join(program))
}

/// Copies a file, or the file that a link names, into a directory, under its name.
fn copy(file: &Path, directory: &Path) -> Result<PathBuf, Error> {
    let name = file.file_name().expect("a file has a name");
    let target = directory.join(name);
    fs::create_dir_all(directory).map_err(Error::io(directory))?;
    fs::copy(file, &target).map_err(Error::io(file))?;
    Ok(target)
}

/// Writes a file of `tools/xtask/dist` with the values of this archive in the places of `@NAME@`.
fn fill(
    project: &Project,
    template: &str,
    target: &Path,
    values: &[(&str, &str)],
) -> Result<(), Error> {
    let template = project.root.join("tools/xtask/dist").join(template);
    let mut text = fs::read_to_string(&template).map_err(Error::io(&template))?;
    for (name, value) in values {
        text = text.replace(&format!("@{name}@"), value);
    }
    fs::write(target, text).map_err(Error::io(target))
}

/// Writes the page of the archive, examples and the licence.
fn share(project: &Project, layout: &Layout) -> Result<(), Error> {
    let share = layout.root.join("share/spyre-mlir");
    for (file, directory) in SHARED {
        copy(&project.root.join(file), &share.join(directory))?;
    }
    let glibc = libraries::glibc(project, layout)?;
    let values = [
        ("VERSION", layout.version.as_str()),
        ("ARCH", ARCH),
        ("GLIBC", &glibc),
        ("LLVM_VERSION", &project.version.to_string()),
        ("LLVM_MAJOR", &project.version.major.to_string()),
    ];
    fill(
        project,
        "README.md",
        &layout.root.join("README.md"),
        &values,
    )
}

/// Writes the list of components, in the archive and next to it, and the licences of the components.
fn components(project: &Project, layout: &Layout, libraries: &[PathBuf]) -> Result<(), Error> {
    let share = layout.root.join("share/spyre-mlir");
    let list = share.join("sbom.cdx.json");
    let mut python = Command::new("python3");
    python.current_dir(&project.root);
    python.env("SOURCE_DATE_EPOCH", commit_time(project)?);
    python.arg("tools/xtask/dist/sbom.py");
    python.arg("--output").arg(&list);
    python.arg("--licenses").arg(share.join("licenses"));
    python.arg("--package").args(PROGRAMS).arg(PLUGIN);
    process::run(python.arg("--library").args(libraries))?;
    let next = layout.out.join(format!("{}.cdx.json", layout.name));
    fs::copy(&list, &next).map_err(Error::io(&next))?;
    Ok(())
}

/// Returns the time of the commit, in seconds; 0 outside of a repository.
///
/// # Errors
/// When git does not start.
pub(crate) fn commit_time(project: &Project) -> Result<String, Error> {
    let mut git = Command::new("git");
    git.current_dir(&project.root);
    git.args(["log", "-1", "--format=%ct"]);
    match process::output(&mut git) {
        Ok(time) => Ok(time.trim().to_owned()),
        Err(Error::Failed { .. }) => Ok("0".to_owned()),
        Err(error) => Err(error),
    }
}

/// Packs the directory: sorted, with the time of the commit and without the names of users, so that the same files make
/// the same archive.
fn pack(project: &Project, layout: &Layout) -> Result<PathBuf, Error> {
    let archive = layout.out.join(format!("{}.tar.gz", layout.name));
    let mut tar = Command::new("tar");
    tar.current_dir(&layout.out);
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", commit_time(project)?));
    tar.args(["--use-compress-program=gzip -n", "-cf"]);
    process::run(tar.arg(&archive).arg(&layout.name))?;
    Ok(archive)
}

/// Packs the crates without MLIR. They are not compiled again, as the build has compiled them.
fn crates(project: &Project, layout: &Layout) -> Result<(), Error> {
    let mut cargo = project.cargo();
    cargo.args([
        "package",
        "--quiet",
        "--locked",
        "--no-verify",
        "--allow-dirty",
    ]);
    process::run(cargo.args(CRATES.iter().flat_map(|name| ["--package", name])))?;
    for name in CRATES {
        let file = format!("package/{name}-{}.crate", layout.version);
        copy(&project.target.join(file), &layout.out)?;
    }
    Ok(())
}

/// Writes the checksums of the files next to the archive.
fn checksums(layout: &Layout) -> Result<(), Error> {
    let entries = fs::read_dir(&layout.out).map_err(Error::io(&layout.out))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && !path.ends_with("SHA256SUMS"))
        .filter_map(|path| path.file_name().map(PathBuf::from))
        .collect();
    files.sort();
    let mut sums = Command::new("sha256sum");
    let sums = process::output(sums.current_dir(&layout.out).args(files))?;
    let target = layout.out.join("SHA256SUMS");
    fs::write(&target, sums).map_err(Error::io(&target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_in_the_tree_have_its_version() {
        let manifest = include_str!("../../../Cargo.toml");
        let version = format!("version = {:?}", env!("CARGO_PKG_VERSION"));
        let in_tree = manifest
            .lines()
            .filter(|line| line.contains("path = \"crates/"));
        assert_eq!(in_tree.clone().find(|line| !line.contains(&version)), None);
        assert!(in_tree.count() > CRATES.len());
    }

    #[test]
    fn other_files_have_the_version_of_the_workspace() {
        let version = env!("CARGO_PKG_VERSION");
        let python = include_str!("../../../python/pyproject.toml");
        assert!(python.contains(&format!("\nversion = {version:?}\n")));
        let changes = include_str!("../../../CHANGELOG.md");
        assert!(changes.contains(&format!("\n## {version}\n")));
    }

    #[test]
    fn shared_files_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (file, _) in SHARED {
            assert!(root.join(file).is_file(), "{file}");
        }
    }

    #[test]
    fn packed_crates_have_the_licence() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let licence = fs::read_to_string(root.join("LICENSE")).unwrap();
        for name in CRATES {
            let packed = root.join("crates").join(name).join("LICENSE");
            assert_eq!(
                fs::read_to_string(packed).ok().as_ref(),
                Some(&licence),
                "{name}"
            );
        }
    }
}
