//! The commands of the README and of the pages under `docs/` print the outputs of these pages.
//!
//! With `SPYRE_BLESS=1`, `cargo test --test readme` rewrites the outputs in the pages.

#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use spyre_test::Suite;
use spyre_test::console::{BLESS_VARIABLE, Console};

/// Pages with checked commands. One without any fails.
const PAGES: [&str; 12] = [
    "README.md",
    "docs/Tools.md",
    "docs/Tutorial.md",
    "docs/Linalg.md",
    "docs/Inductor.md",
    "docs/Layouts.md",
    "docs/CoarseTiling.md",
    "docs/Bundles.md",
    "docs/Execution.md",
    "docs/Messages.md",
    "docs/Proofs.md",
    "docs/KtirChecks.md",
];

/// The most lines that the console blocks of the README have together. It is read in one sitting;
/// its links lead to the rest.
const README_LINES: usize = 90;

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
    let mut trials = Vec::from(trials);
    trials.push(Trial::test("README.md is short", move || {
        let page = fs::read_to_string(suite.root.join("README.md"))?;
        let shown = console_lines(&page);
        if shown > README_LINES {
            return Err(
                format!("{shown} lines in console blocks, more than {README_LINES}").into(),
            );
        }
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns the number of lines in the console blocks of a page.
fn console_lines(page: &str) -> usize {
    let mut shown = 0;
    let mut is_console = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_console = line.starts_with("```console");
        } else {
            shown += usize::from(is_console);
        }
    }
    shown
}
