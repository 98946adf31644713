//! `cargo xtask fuzz`: random programs must compute the same at every level.

use crate::setup;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// Builds and runs `spyre-fuzz`; programs that fail go to `target/fuzz`.
///
/// # Errors
/// When the set-up or the build fails, or a program fails.
pub(crate) fn fuzz(project: &Project, args: &[String]) -> Result<(), Error> {
    setup::setup(project)?;
    process::run(
        project
            .cargo()
            .args(["build", "--release", "--package", "spyre-fuzz-cli"]),
    )?;
    let mut fuzz = project.tool(Profile::Release, "spyre-fuzz");
    // Commands come first, and their options after them.
    let (command, directory) = match args.first().map(String::as_str) {
        Some(command @ ("shapes" | "graphs" | "linalg" | "uop" | "card" | "proofs")) => {
            (Some(command), format!("fuzz-{command}"))
        }
        _ => (None, "fuzz".to_owned()),
    };
    fuzz.args(command);
    if !args.iter().any(|arg| arg.starts_with("--output")) {
        fuzz.arg("--output").arg(project.target.join(directory));
    }
    process::run(fuzz.args(&args[usize::from(command.is_some())..]))
}
