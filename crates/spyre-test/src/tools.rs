//! Finds the tools under test, and builds them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use thiserror::Error;

/// Packages with the binaries that the tests call.
pub const PACKAGES: [&str; 6] = [
    "spyre-opt",
    "spyre-run",
    "spyre-translate",
    "spyre-lsp-server",
    "spyre-reduce",
    "spyre-plugin",
];

/// Environment variable with a directory of ready binaries. When it is set, no build runs.
pub const BIN_DIR_VARIABLE: &str = "SPYRE_BIN_DIR";

/// The reason why there are no tools to test.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The test executable is not in cargo's directory.
    #[error(
        "{0} is not in <target>/<profile>/deps; set {BIN_DIR_VARIABLE} to the directory of spyre-opt"
    )]
    Layout(PathBuf),
    /// The system does not provide the path of this process.
    #[error(transparent)]
    System(std::io::Error),
    /// Cargo could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Cargo ran and failed; its messages are on standard error.
    #[error("cargo build of {packages} failed ({status})")]
    Build {
        /// The packages that were to be built.
        packages: String,
        /// The exit status of cargo.
        status: ExitStatus,
    },
}

/// The parts of cargo's output directory that belong to one build: `<target>[/<triple>]/<profile>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetLayout {
    /// The target directory.
    pub target: PathBuf,
    /// The target triple, when the build was made with `--target`.
    pub triple: Option<OsString>,
    /// Name of the profile as `--profile` takes it.
    pub profile: OsString,
    /// The directory of the binaries.
    pub bin: PathBuf,
}

impl TargetLayout {
    /// Reads the layout off the path of a test executable, `<target>[/<triple>]/<profile>/deps/<name>`.
    ///
    /// The target directory is the one with cargo's `CACHEDIR.TAG`.
    ///
    /// # Errors
    /// [`ToolError::Layout`] for any other path.
    pub fn of_test(executable: &Path) -> Result<Self, ToolError> {
        let refused = || ToolError::Layout(executable.to_owned());
        let deps = executable
            .parent()
            .filter(|d| d.ends_with("deps"))
            .ok_or_else(refused)?;
        let bin = deps.parent().ok_or_else(refused)?;
        let directory = bin.file_name().ok_or_else(refused)?;
        let above = bin.parent().ok_or_else(refused)?;
        let is_target = |d: &Path| d.join("CACHEDIR.TAG").is_file();
        let (target, triple) = if is_target(above) {
            (above, None)
        } else {
            let target = above
                .parent()
                .filter(|d| is_target(d))
                .ok_or_else(refused)?;
            (target, above.file_name().map(ToOwned::to_owned))
        };
        // Only the dev profile has a directory with another name.
        let profile = if directory == "debug" {
            "dev".into()
        } else {
            directory.to_owned()
        };
        Ok(Self {
            target: target.to_owned(),
            triple,
            profile,
            bin: bin.to_owned(),
        })
    }

    /// Builds [`PACKAGES`] into this layout, in the workspace at `root`. Does nothing when they are fresh.
    ///
    /// # Errors
    /// [`ToolError`] when cargo cannot be started or reports a failure.
    pub fn build(&self, root: &Path) -> Result<(), ToolError> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
        let mut command = Command::new(&cargo);
        command
            .current_dir(root)
            .args(["build", "--quiet", "--profile"])
            .arg(&self.profile);
        command.arg("--target-dir").arg(&self.target);
        if let Some(triple) = &self.triple {
            command.arg("--target").arg(triple);
        }
        for package in PACKAGES {
            command.args(["--package", package]);
        }
        let status = command.status().map_err(|source| ToolError::Start {
            program: cargo.to_string_lossy().into_owned(),
            source,
        })?;
        if status.success() {
            Ok(())
        } else {
            Err(ToolError::Build {
                packages: PACKAGES.join(", "),
                status,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn layouts_with_and_without_a_triple() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("target");
        fs::create_dir_all(&target).unwrap();
        fs::write(target.join("CACHEDIR.TAG"), "").unwrap();

        let plain = TargetLayout::of_test(&target.join("debug/deps/lit-0123")).unwrap();
        assert_eq!(plain.target, target);
        assert_eq!(plain.triple, None);
        assert_eq!(plain.profile, "dev");
        assert_eq!(plain.bin, target.join("debug"));

        let cross =
            TargetLayout::of_test(&target.join("aarch64-unknown-linux-gnu/release/deps/lit-0123"))
                .unwrap();
        assert_eq!(cross.target, target);
        assert_eq!(cross.triple, Some("aarch64-unknown-linux-gnu".into()));
        assert_eq!(cross.profile, "release");
    }

    #[test]
    fn other_places_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(TargetLayout::of_test(&dir.path().join("debug/deps/lit")).is_err());
        assert!(TargetLayout::of_test(Path::new("/usr/bin/lit")).is_err());
        assert!(TargetLayout::of_test(Path::new("lit")).is_err());
    }
}
