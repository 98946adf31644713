//! `cargo xtask test` and `cargo xtask ci`.

use std::env;
use std::sync::OnceLock;
use std::time::Instant;

use crate::commands::{BENCH, CONFORMANCE, TABLEGEN};
use crate::commits;
use crate::docs;
use crate::features;
use crate::modules;
use crate::op_names;
use crate::pages;
use crate::setup;
use crate::words;
use crate::{python, site};
use spyre_checkout::commands::start;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The variable that names a folder of reference data for the conformance step of `ci`.
const GOLDEN_VARIABLE: &str = "SPYRE_GOLDEN";

/// Has LLVM's `lit` run every eighth of the files that `cargo test` has run: enough to find gaps of `test/lit.cfg.py`,
/// in an eighth of the time. In lexical order the sample is the same in every run, and has files of each folder.
const LIT_SAMPLE: [&str; 6] = [
    "--order",
    "lexical",
    "--num-shards",
    "8",
    "--run-shard",
    "1",
];

/// Runs the set-up, the build, `cargo test` with `extra` arguments, then LLVM's `lit` over a sample of the same `.mlir`
/// files.
///
/// # Errors
/// At the first step that fails.
pub(crate) fn test(project: &Project, extra: &[String]) -> Result<(), Error> {
    setup::setup(project)?;
    project.build_workspace()?;
    let mut test = project.cargo();
    test.args(["test", "--workspace"]).args(extra);
    if extra.is_empty() {
        // The tools were built above. With other arguments (`--release`) the harness builds the tools for that profile.
        test.env("SPYRE_BIN_DIR", project.bin_dir(Profile::Debug));
    }
    process::run(&mut test)?;
    process::run(
        project
            .llvm_tool("lit")
            .env("CARGO_TARGET_DIR", &project.target)
            .env("SPYRE_BIN_DIR", project.bin_dir(Profile::Debug))
            .env("MLIR_SYS_220_PREFIX", &project.prefix)
            .args(LIT_SAMPLE)
            .args(["--succinct", "test"]),
    )
}

/// Runs all checks that have to pass before a change is merged.
///
/// # Errors
/// At the first step that fails.
pub(crate) fn ci(project: &Project) -> Result<(), Error> {
    step("commits");
    commits::commits(project)?;
    step("words");
    words::words(project)?;
    step("names of operations");
    op_names::op_names(project, false)?;
    step("circles of modules");
    modules::modules(project, false)?;
    step("formatting");
    process::run(project.cargo().args(["fmt", "--all", "--check"]))?;
    step("set-up");
    setup::setup(project)?;
    step("features of dependencies");
    features::features(project)?;
    step("lints");
    // Lints are not set by RUSTFLAGS, which would replace the rpath in .cargo/config.toml.
    let clippy = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    process::run(project.cargo().args(clippy))?;
    step("tests");
    test(project, &[])?;
    step("Python package");
    python::test(project)?;
    step("generated programs");
    process::run(
        project
            .cargo()
            .args(["test", "--package", "spyre-fuzz"])
            .args(GENERATED),
    )?;
    step("a crate outside");
    let outside = ["test", "--package", "spyre-test", "--test", "outside"];
    process::run(project.cargo().args(outside).args(["--", "--ignored"]))?;
    documentation(project)?;
    step("contract");
    start(project, CONFORMANCE, "contract", &[])?;
    match env::var_os(GOLDEN_VARIABLE).filter(|data| !data.is_empty()) {
        Some(data) => {
            step("conformance");
            let data = data.into_string().map_err(|data| {
                Error::Usage(format!(
                    "{GOLDEN_VARIABLE}: {} is not UTF-8",
                    data.display()
                ))
            })?;
            start(
                project,
                CONFORMANCE,
                "conformance",
                &["--data".to_owned(), data],
            )?;
        }
        None => println!("\n==> conformance: skipped, {GOLDEN_VARIABLE} is not set"),
    }
    step("ci: all steps passed");
    Ok(())
}

/// Checks the documentation: of the crates, the generated pages and tables, the pages of plans, and the site.
///
/// # Errors
/// At the first step that fails.
fn documentation(project: &Project) -> Result<(), Error> {
    step("documentation");
    // Replaces the flags in .cargo/config.toml too, but this step does not link.
    let doc = ["doc", "--workspace", "--no-deps"];
    process::run(project.cargo().env("RUSTDOCFLAGS", "-D warnings").args(doc))?;
    step("generated files");
    docs::docs(project, true)?;
    start(project, TABLEGEN, "ods", &["--check".to_owned()])?;
    step("plans");
    start(project, BENCH, "plan-table", &["--check".to_owned()])?;
    step("pages in a browser");
    pages::pages(project, true)?;
    step("site");
    let options = site::Options {
        check: true,
        install: true,
        out: None,
    };
    site::site(project, &options)
}

/// The tests of `spyre-fuzz` that draw programs. Every run of the tests runs the first tenth, and [`ci`] all.
const GENERATED: [&str; 16] = [
    "--test",
    "shapes",
    "--test",
    "real",
    "--test",
    "linalg",
    "--test",
    "inductor",
    "--test",
    "uop",
    "--test",
    "chosen_tiles",
    "--test",
    "proofs",
    "--",
    "--ignored",
];

/// Prints the title of a step, and the minutes since the first one: which steps take the time of a run is in its output.
fn step(title: &str) {
    static START: OnceLock<Instant> = OnceLock::new();
    let seconds = START.get_or_init(Instant::now).elapsed().as_secs();
    println!("\n==> {title} ({} min {:02} s)", seconds / 60, seconds % 60);
}
