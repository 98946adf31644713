//! The commands of the README, of the tutorial and of the pages on layouts, tiling and execution print what these pages show.
//!
//! With `SPYRE_BLESS=1`, `cargo test --test readme` rewrites the outputs in the pages.

#![forbid(unsafe_code)]

use std::env;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use spyre_test::Suite;
use spyre_test::console::{BLESS_VARIABLE, Console};

/// Pages with checked commands. One without any fails.
const PAGES: [&str; 7] = [
    "README.md",
    "docs/Tutorial.md",
    "docs/Layouts.md",
    "docs/CoarseTiling.md",
    "docs/Bundles.md",
    "docs/LaunchParams.md",
    "docs/Execution.md",
];

const TIMEOUT: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let suite = match Suite::find() {
        Ok(suite) => Arc::new(suite),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let trials = PAGES.map(|page| {
        let suite = Arc::clone(&suite);
        Trial::test(page, move || {
            suite.build_tools()?;
            let console = Console {
                root: suite.root.clone(),
                bin: suite.bin.clone(),
                llvm_bin: suite.llvm_bin.clone(),
                timeout: TIMEOUT,
                replaced: Vec::new(),
                variables: Vec::new(),
            };
            let bless = env::var_os(BLESS_VARIABLE).is_some_and(|value| value == "1");
            Ok(console.check(Path::new(page), bless)?)
        })
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}
