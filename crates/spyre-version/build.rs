//! Reads the commit and the version of LLVM.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let llvm = spyre_build::Llvm::find_or_exit();
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    // A crate from a registry is in no repository.
    let commit = commit().map_or(String::new(), |commit| format!("{commit}, "));
    let llvm = llvm.version();
    println!("cargo:rustc-env=SPYRE_VERSION={version} ({commit}LLVM {llvm})");
}

/// Returns the commit that is checked out, and has cargo run this script again when another one is.
fn commit() -> Option<String> {
    // `logs/HEAD` grows with each commit and each checkout, also in a work tree of its own.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo:rerun-if-changed={log}");
    git(&["rev-parse", "--short=10", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
