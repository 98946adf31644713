//! The commands of the binaries for developers, and their start from `xtask`.
//!
//! `xtask` has the help of all commands. It passes the words after the name of a command on as they are, and the binary
//! reads them.

use std::env;
use std::process::ExitCode;

use crate::args::Args;
use crate::error::Error;
use crate::process;
use crate::project::Project;

/// A command of a binary.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// The name, as `cargo xtask` has it.
    pub name: &'static str,
    /// Reads its arguments and runs it.
    pub run: fn(&Project, Args) -> Result<(), Error>,
}

/// Runs the command that the command line of this process names, and prints its error. Returns the exit code.
#[must_use]
pub fn main(commands: &[Command]) -> ExitCode {
    exit_code(dispatch(commands))
}

/// Prints the error of a command, unless another process has printed it. Returns the exit code.
#[must_use]
pub fn exit_code(result: Result<(), Error>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Exit(code)) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(commands: &[Command]) -> Result<(), Error> {
    let mut words = env::args_os().skip(1);
    let name = words.next().unwrap_or_default();
    let Some(command) = commands.iter().find(|command| name == command.name) else {
        let names: Vec<&str> = commands.iter().map(|command| command.name).collect();
        return Err(Error::Usage(format!(
            "no command {:?}; there are {}, and `cargo xtask help` describes them",
            name.to_string_lossy(),
            names.join(", ")
        )));
    };
    (command.run)(&Project::find()?, Args::new(words)?)
}

/// Builds the binary of a package and runs a command of it with some words.
///
/// # Errors
/// When cargo cannot be started; when the build or the command fails, with the exit code, since both print their
/// errors.
pub fn start(
    project: &Project,
    package: &str,
    command: &str,
    words: &[String],
) -> Result<(), Error> {
    let mut cargo = project.cargo();
    cargo.args(["run", "--quiet", "--package", package, "--bin", package]);
    cargo.args(["--", command]).args(words);
    let status = cargo.status().map_err(process::start_error(&cargo))?;
    match status.code() {
        Some(0) => Ok(()),
        // A signal has no code.
        code => Err(Error::Exit(
            code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
        )),
    }
}
