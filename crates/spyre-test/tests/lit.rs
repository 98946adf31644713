//! One `cargo test` test per file under `test/`.
//!
//! `cargo test --test lit -- Dialect/Spyre` runs the tests with these words in their paths.

#![forbid(unsafe_code)]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use spyre_test::{Harness, Suite, discover};

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
    let suite = Suite::find()?;
    let harness = Harness {
        root: suite.root.clone(),
        tests: suite.root.join("test"),
        bin: suite.bin.clone(),
        llvm_bin: suite.llvm_bin.clone(),
        scratch: suite.target.join("lit-tmp"),
        timeout: TIMEOUT,
    };
    let files = discover::tests(&harness.tests)
        .map_err(|error| format!("{}: {error}", harness.tests.display()))?;
    if files.is_empty() {
        return Err(format!("no tests under {}", harness.tests.display()).into());
    }
    let shared = Arc::new((suite, harness));
    Ok(files.into_iter().map(|file| trial(&shared, file)).collect())
}

fn trial(shared: &Arc<(Suite, Harness)>, file: PathBuf) -> Trial {
    let shared = Arc::clone(shared);
    Trial::test(file.display().to_string(), move || {
        let (suite, harness) = &*shared;
        suite.build_tools()?;
        Ok(harness.run(&file)?)
    })
}
