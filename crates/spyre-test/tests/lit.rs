//! One `cargo test` test per file under `test/`.
//!
//! `cargo test --test lit -- Dialect/Spyre` runs those whose path contains the words.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use spyre_test::{Harness, TargetLayout, discover, tools};

const TIMEOUT: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    let suite = Arc::new(Suite::new()?);
    let files = discover::tests(&suite.harness.tests)
        .map_err(|error| format!("{}: {error}", suite.harness.tests.display()))?;
    if files.is_empty() {
        return Err(format!("no tests under {}", suite.harness.tests.display()).into());
    }
    Ok(files.into_iter().map(|file| trial(&suite, file)).collect())
}

fn trial(suite: &Arc<Suite>, file: PathBuf) -> Trial {
    let suite = Arc::clone(suite);
    Trial::test(file.display().to_string(), move || {
        suite.build_tools()?;
        Ok(suite.harness.run(&file)?)
    })
}

/// The harness, and the tools that the first test builds.
struct Suite {
    harness: Harness,
    /// `None` when the caller brought ready binaries.
    layout: Option<TargetLayout>,
    built: OnceLock<Result<(), String>>,
}

impl Suite {
    fn new() -> Result<Self, Box<dyn Error>> {
        let manifest =
            env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest)
            .ancestors()
            .nth(2)
            .ok_or("no directory above crates/")?;
        let prefix =
            env::var_os("MLIR_SYS_220_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-22".into());
        let layout = TargetLayout::of_test(&env::current_exe()?);
        let target = layout
            .as_ref()
            .map_or_else(|_| root.join("target"), |l| l.target.clone());
        let (bin, layout) = match env::var_os(tools::BIN_DIR_VARIABLE) {
            Some(bin) => (std::path::absolute(bin)?, None),
            None => {
                let layout = layout?;
                (layout.bin.clone(), Some(layout))
            }
        };
        let harness = Harness {
            root: root.to_owned(),
            tests: root.join("test"),
            bin,
            llvm_bin: Path::new(&prefix).join("bin"),
            scratch: target.join("lit-tmp"),
            timeout: TIMEOUT,
        };
        Ok(Self {
            harness,
            layout,
            built: OnceLock::new(),
        })
    }

    /// Once per run, before the first test that is really executed: `--list` and empty filters cost nothing.
    fn build_tools(&self) -> Result<(), String> {
        let Some(layout) = &self.layout else {
            return Ok(());
        };
        self.built
            .get_or_init(|| layout.build(&self.harness.root).map_err(|e| e.to_string()))
            .clone()
    }
}
