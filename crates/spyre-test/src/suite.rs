//! The repository under test and the tools built from it.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::tools::{BIN_DIR_VARIABLE, TargetLayout, ToolError};

/// The directories of the repository and of its tools, for the test executables of this crate.
#[derive(Debug)]
pub struct Suite {
    /// Root of the repository.
    pub root: PathBuf,
    /// Directory of the tools under test.
    pub bin: PathBuf,
    /// Directory of LLVM's tools (`FileCheck`, `not`, stock `mlir-opt`).
    pub llvm_bin: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
    /// `None` when the caller brought ready binaries.
    layout: Option<TargetLayout>,
    built: OnceLock<Result<(), ToolError>>,
}

impl Suite {
    /// Finds the surroundings of the running test executable.
    ///
    /// # Errors
    /// [`ToolError`] when the executable is not where cargo puts it and no directory of ready binaries is named, or
    /// when the system does not provide it.
    pub fn find() -> Result<Self, ToolError> {
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let manifest = PathBuf::from(manifest);
        let root = manifest
            .ancestors()
            .nth(2)
            .ok_or_else(|| ToolError::Layout(manifest.clone()))?;
        let prefix =
            env::var_os("MLIR_SYS_220_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
        let layout = env::current_exe()
            .map_err(ToolError::System)
            .and_then(|executable| TargetLayout::of_test(&executable));
        let target = layout
            .as_ref()
            .map_or_else(|_| root.join("target"), |l| l.target.clone());
        let (bin, layout) = match env::var_os(BIN_DIR_VARIABLE) {
            Some(bin) => (std::path::absolute(bin).map_err(ToolError::System)?, None),
            None => {
                let layout = layout?;
                (layout.bin.clone(), Some(layout))
            }
        };
        Ok(Self {
            root: root.to_owned(),
            bin,
            llvm_bin: Path::new(&prefix).join("bin"),
            target,
            layout,
            built: OnceLock::new(),
        })
    }

    /// Builds the tools, once per run. Called by the first test that is really executed: `--list` and empty filters
    /// cost nothing.
    ///
    /// # Errors
    /// [`ToolError`], the same for every test.
    pub fn build_tools(&self) -> Result<(), &ToolError> {
        let Some(layout) = &self.layout else {
            return Ok(());
        };
        self.built
            .get_or_init(|| layout.build(&self.root))
            .as_ref()
            .copied()
    }
}

/// Returns `PATH` with the tools under test first, LLVM's next, then the directories of this process.
#[must_use]
pub fn search_path(bin: &Path, llvm_bin: &Path) -> OsString {
    let mut path = bin.as_os_str().to_owned();
    path.push(":");
    path.push(llvm_bin);
    if let Some(inherited) = env::var_os("PATH") {
        path.push(":");
        path.push(inherited);
    }
    path
}
