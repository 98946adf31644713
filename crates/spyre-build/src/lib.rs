//! Code that the build scripts of this workspace share: finding the one supported LLVM, running
//! `mlir-tblgen`, and how to compile C++ against MLIR's headers, again only where files have other contents.
//!
//! It has no dependencies, so that it is compiled first: its message about a missing LLVM then comes
//! before the messages of `mlir-sys` and `tblgen`.
//!
//! The supported version is in the file `LLVM_VERSION` at the root of the repository. A missing or
//! other LLVM ends the build with one message about the packages to install.

pub mod objects;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The supported `major.minor` version, from `LLVM_VERSION`.
pub const LLVM_VERSION: &str = include_str!("../../../LLVM_VERSION");

/// The reason why LLVM cannot be used. Its text is for users and names the packages to install.
#[derive(Debug)]
pub enum LlvmError {
    /// A program of LLVM that cannot be started.
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// An LLVM of another version.
    Version {
        /// Where it is installed.
        prefix: PathBuf,
        /// The version.
        version: String,
    },
    /// A part that is not installed.
    Missing {
        /// The file.
        file: PathBuf,
        /// The version of the LLVM that it belongs to.
        version: String,
    },
    /// A generator of `mlir-tblgen` that fails.
    Generator {
        /// The flags.
        generator: String,
        /// The file that it reads.
        td: PathBuf,
        /// The diagnostics.
        diagnostics: String,
    },
}

impl fmt::Display for LlvmError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = LLVM_VERSION.trim();
        match self {
            Self::Start { program, source } => {
                write!(formatter, "cannot run {}: {source}.", program.display())?;
            }
            Self::Version { prefix, version } => {
                let prefix = prefix.display();
                write!(formatter, "{prefix} is LLVM {version}, not {wanted}.")?;
            }
            Self::Missing { file, version } => {
                let file = file.display();
                write!(
                    formatter,
                    "LLVM {version} is installed, but {file} is missing."
                )?;
            }
            Self::Generator {
                generator,
                td,
                diagnostics,
            } => {
                let td = td.display();
                return write!(
                    formatter,
                    "mlir-tblgen {generator} {td} failed:\n{diagnostics}"
                );
            }
        }
        write!(
            formatter,
            "\nspyre-mlir needs LLVM and MLIR {wanted}. Run `cargo xtask setup` (Debian, Ubuntu), or install \
             LLVM {wanted} with MLIR and set MLIR_SYS_220_PREFIX and TABLEGEN_220_PREFIX to its prefix."
        )
    }
}

impl std::error::Error for LlvmError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } => Some(source),
            Self::Version { .. } | Self::Missing { .. } | Self::Generator { .. } => None,
        }
    }
}

/// An installed LLVM and MLIR of the supported version.
#[derive(Debug, Clone)]
pub struct Llvm {
    prefix: PathBuf,
    version: String,
}

impl Llvm {
    /// Finds LLVM under `MLIR_SYS_220_PREFIX` (set by `.cargo/config.toml`), and checks its version and
    /// that it has the parts that the build needs.
    ///
    /// # Errors
    /// [`LlvmError`]: the version required, the version found, and the packages to install.
    pub fn find() -> Result<Self, LlvmError> {
        let wanted = LLVM_VERSION.trim();
        let major = wanted.split('.').next().unwrap_or(wanted);
        let prefix = std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(
            || PathBuf::from(format!("/usr/lib/llvm-{major}")),
            PathBuf::from,
        );
        println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
        let llvm_config = prefix.join("bin/llvm-config");
        let output = Command::new(&llvm_config)
            .arg("--version")
            .output()
            .map_err(start_error(&llvm_config))?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if version != wanted && !version.starts_with(&format!("{wanted}.")) {
            return Err(LlvmError::Version { prefix, version });
        }
        for part in [
            "bin/clang++",
            "bin/mlir-tblgen",
            "include/mlir/IR/MLIRContext.h",
            "lib/libMLIR.so",
            "lib/libPolly.a",
        ] {
            let file = prefix.join(part);
            if !file.exists() {
                return Err(LlvmError::Missing { file, version });
            }
        }
        Ok(Self { prefix, version })
    }

    /// Like [`Llvm::find`], ending the build script with the message on failure.
    #[must_use]
    pub fn find_or_exit() -> Self {
        match Self::find() {
            Ok(llvm) => llvm,
            Err(err) => fail(&err.to_string()),
        }
    }

    /// The installation prefix, for example `/usr/lib/llvm-22`.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The version, for example `22.1.8`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The directory of the libraries.
    #[must_use]
    pub fn lib_dir(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// The C++ compiler: the clang of the same LLVM, because MLIR's type ids are not part of its C++
    /// ABI. The id of a trait such as `OpTrait::SymbolTable` is looked up by the name that the compiler
    /// gives it, and GCC and clang name it differently. Objects compiled by GCC link, but `libMLIR.so`
    /// then sees none of their traits: no constant folds and no symbol table is found.
    #[must_use]
    pub fn cpp_compiler(&self) -> PathBuf {
        self.prefix.join("bin/clang++")
    }

    /// The flags that MLIR's headers and ABI require.
    #[must_use]
    pub fn cpp_flags(&self) -> Vec<String> {
        let mut flags: Vec<String> = [
            "-std=c++17",
            "-fno-exceptions",
            // Distribution packages have assertions off, and some headers have members under NDEBUG.
            "-DNDEBUG",
            "-D_GNU_SOURCE",
            "-D__STDC_CONSTANT_MACROS",
            "-D__STDC_FORMAT_MACROS",
            "-D__STDC_LIMIT_MACROS",
            "-Wno-unused-parameter",
        ]
        .map(str::to_owned)
        .into();
        flags.extend([
            "-isystem".to_owned(),
            self.prefix.join("include").display().to_string(),
        ]);
        flags
    }

    /// The optimization level for C++: that for Rust, but 0 in place of 1. At level 1, clang takes twice to three times as long
    /// for the operations of a dialect, and tests spend little time in this C++.
    #[must_use]
    pub fn cpp_opt_level(&self) -> u32 {
        let level = std::env::var("OPT_LEVEL");
        match level.ok().and_then(|level| level.parse().ok()) {
            Some(0 | 1) => 0,
            level => level.unwrap_or(2),
        }
    }

    /// Runs one `mlir-tblgen` generator on `td`, writing `output`.
    ///
    /// # Errors
    /// [`LlvmError::Generator`] with its diagnostics, or [`LlvmError::Start`].
    pub fn tblgen(
        &self,
        generator: &[&str],
        td: &Path,
        include: &Path,
        output: &Path,
    ) -> Result<(), LlvmError> {
        let tool = self.prefix.join("bin/mlir-tblgen");
        let result = Command::new(&tool)
            .args(generator)
            .arg(td)
            .arg("-I")
            .arg(self.prefix.join("include"))
            .arg("-I")
            .arg(include)
            .arg("-o")
            .arg(output)
            .output()
            .map_err(start_error(&tool))?;
        if result.status.success() {
            Ok(())
        } else {
            Err(LlvmError::Generator {
                generator: generator.join(" "),
                td: td.to_owned(),
                diagnostics: String::from_utf8_lossy(&result.stderr).into_owned(),
            })
        }
    }
}

/// Returns a function for `map_err` where a program is started.
fn start_error(program: &Path) -> impl FnOnce(io::Error) -> LlvmError + use<> {
    let program = program.to_owned();
    move |source| LlvmError::Start { program, source }
}

/// Prints `message` where cargo shows it and ends the build script.
pub fn fail(message: &str) -> ! {
    eprintln!("\nerror: {message}\n");
    std::process::exit(1)
}
