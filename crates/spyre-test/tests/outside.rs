//! The crates of docs/FrontEnds.md build outside of the repository, as that page describes, and print the outputs of the
//! page. `cargo xtask new` makes one, in a command of the page, and the other has the files of the page.
//!
//! They share the target directory and `Cargo.lock` with the repository, so most of its dependencies are built. The
//! crates of the repository are built once more, since their profiles belong to the workspace: minutes the first time,
//! seconds after that.
//!
//! With `SPYRE_BLESS=1` the outputs in the page are rewritten.

#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use spyre_test::Suite;
use spyre_test::console::{BLESS_VARIABLE, Console};

const PAGE: &str = "docs/FrontEnds.md";

/// The place of the repository in the page.
const REPOSITORY: &str = "/path/to/spyre-mlir";

/// The variables that the configuration in the page sets, and that cargo has set for this process already. Values for
/// another LLVM are kept.
const CONFIGURED: [(&str, &str); 4] = [
    ("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"),
    ("TABLEGEN_220_PREFIX", "/usr/lib/llvm-22"),
    ("LIBCLANG_PATH", "/usr/lib/llvm-22/lib"),
    ("MLIR_SYS_LINK_SHARED", "1"),
];

/// The first build has the C++ of the dialects in it.
const TIMEOUT: Duration = Duration::from_secs(3600);

#[test]
#[ignore = "builds the crates for another workspace, minutes the first time; `cargo xtask ci` runs it"]
fn the_crates_of_the_page_build_and_run() -> Result<(), Box<dyn Error>> {
    let suite = Suite::find()?;
    let set = |name: &str, value: OsString| (name.to_owned(), Some(value));
    let mut variables = vec![
        set("CARGO_TARGET_DIR", suite.target.clone().into()),
        set("CARGO_NET_OFFLINE", "true".into()),
        // As dependencies are built in the workspace, so that they are not built again.
        set("CARGO_PROFILE_DEV_DEBUG", "false".into()),
    ];
    for (name, value) in CONFIGURED {
        if env::var_os(name).is_some_and(|actual| actual == value) {
            variables.push((name.to_owned(), None));
        }
    }
    let console = Console {
        replaced: vec![(REPOSITORY.to_owned(), suite.root.display().to_string())],
        variables,
        root: suite.root,
        bin: suite.bin,
        llvm_bin: suite.llvm_bin,
        timeout: TIMEOUT,
    };
    let bless = env::var_os(BLESS_VARIABLE).is_some_and(|value| value == "1");
    Ok(console.check(Path::new(PAGE), bless)?)
}
