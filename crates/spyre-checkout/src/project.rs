//! The places of the repository, its build output, and LLVM.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::process;

/// The packages with the binaries that `cargo xtask` runs.
pub const TOOLS: [&str; 6] = [
    "spyre-opt",
    "spyre-run",
    "spyre-translate",
    "spyre-lsp-server",
    "spyre-reduce",
    "spyre-plugin",
];

/// The paths of one checkout.
#[derive(Debug, Clone)]
pub struct Project {
    /// Root of the repository.
    pub root: PathBuf,
    /// Cargo's target directory, the one this executable was built into.
    pub target: PathBuf,
    /// The supported LLVM, `major.minor`, from the file `LLVM_VERSION`.
    pub version: LlvmVersion,
    /// The directory where LLVM is or is to be installed.
    pub prefix: PathBuf,
}

/// A `major.minor` version of LLVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LlvmVersion {
    /// The number that package names carry.
    pub major: u32,
    /// The number of the release branch.
    pub minor: u32,
}

impl LlvmVersion {
    /// Reads `major.minor`, with or without more after it.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Self { major, minor })
    }
}

impl std::fmt::Display for LlvmVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The profile that cargo builds with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// `cargo build`.
    Debug,
    /// `cargo build --release`.
    Release,
}

impl Project {
    /// Finds the paths from this executable, its manifest and the environment.
    ///
    /// # Errors
    /// When `LLVM_VERSION` is missing or is not a version.
    pub fn find() -> Result<Self, Error> {
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let manifest = Path::new(&manifest);
        let root = manifest.ancestors().nth(2).unwrap_or(manifest).to_owned();
        let file = root.join("LLVM_VERSION");
        let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
        let version = LlvmVersion::parse(&text).ok_or_else(|| {
            Error::Verdict(format!(
                "{}: {:?} is not major.minor",
                file.display(),
                text.trim()
            ))
        })?;
        let prefix = env::var_os(prefix_variable(version))
            .map_or_else(|| default_prefix(version), PathBuf::from);
        let target = env::current_exe()
            .ok()
            .and_then(|exe| {
                exe.ancestors()
                    .find(|d| d.join("CACHEDIR.TAG").is_file())
                    .map(Path::to_owned)
            })
            .unwrap_or_else(|| root.join("target"));
        Ok(Self {
            root,
            target,
            version,
            prefix,
        })
    }

    /// Returns the command for cargo, in the repository, building into [`Project::target`].
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Builds every target of every package.
    ///
    /// One build with one set of features: a build of the tools alone could select other features of shared
    /// dependencies and compile them a second time.
    ///
    /// # Errors
    /// When the build fails.
    pub fn build_workspace(&self) -> Result<(), Error> {
        process::run(self.cargo().args(["build", "--workspace", "--all-targets"]))
    }

    /// Returns the command for one of LLVM's tools, run in the repository.
    pub fn llvm_tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.prefix.join("bin").join(name));
        command.current_dir(&self.root);
        command
    }

    /// Returns the directory of the binaries of `profile`.
    pub fn bin_dir(&self, profile: Profile) -> PathBuf {
        self.target.join(match profile {
            Profile::Debug => "debug",
            Profile::Release => "release",
        })
    }

    /// Returns the command for one of our tools, run in the repository.
    pub fn tool(&self, profile: Profile, name: &str) -> Command {
        let mut command = Command::new(self.bin_dir(profile).join(name));
        command.current_dir(&self.root);
        command
    }

    /// Returns the command for stock `mlir-opt`, with our dialects and passes loaded from the plugin.
    pub fn stock_mlir_opt(&self, profile: Profile) -> Command {
        let plugin = format!(
            "{}spyre_plugin{}",
            env::consts::DLL_PREFIX,
            env::consts::DLL_SUFFIX
        );
        let plugin = self.bin_dir(profile).join(plugin);
        let mut command = self.llvm_tool("mlir-opt");
        command.arg(format!("--load-dialect-plugin={}", plugin.display()));
        command.arg(format!("--load-pass-plugin={}", plugin.display()));
        command
    }
}

/// Returns the name of the variable that has the path of LLVM for its `mlir-sys`.
pub fn prefix_variable(version: LlvmVersion) -> String {
    format!("MLIR_SYS_{}0_PREFIX", version.major)
}

/// Returns the prefix under which Debian's packages install this LLVM.
pub fn default_prefix(version: LlvmVersion) -> PathBuf {
    PathBuf::from(format!("/usr/lib/llvm-{}", version.major))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(
            LlvmVersion::parse("22.1\n"),
            Some(LlvmVersion {
                major: 22,
                minor: 1
            })
        );
        assert_eq!(
            LlvmVersion::parse("22.1.8"),
            Some(LlvmVersion {
                major: 22,
                minor: 1
            })
        );
        assert_eq!(LlvmVersion::parse("22"), None);
        assert_eq!(LlvmVersion::parse(""), None);
        assert_eq!(
            prefix_variable(LlvmVersion {
                major: 22,
                minor: 1
            }),
            "MLIR_SYS_220_PREFIX"
        );
    }
}
