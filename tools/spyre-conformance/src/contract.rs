//! `cargo xtask contract`: bundles of the programs in the tree, and of drawn ones, by the rules of the contract.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The directories of programs.
const DIRECTORIES: [&str; 2] = ["examples", "test/Integration"];

/// The default number of programs of each generator that are checked.
pub(crate) const DEFAULT_CASES: u64 = 100;

/// Checks the programs of the tree, without a schema.
impl Default for Options {
    fn default() -> Self {
        Self {
            schema: None,
            cases: DEFAULT_CASES,
            paths: Vec::new(),
        }
    }
}

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// A JSON schema for the files of operations.
    pub schema: Option<String>,
    /// How many programs of each generator.
    pub cases: u64,
    /// The files and directories; empty for the ones of the tree.
    pub paths: Vec<String>,
}

/// Builds `spyre-fuzz`, makes the bundles and checks them. The table goes to standard output.
///
/// # Errors
/// When the build fails, or a rule is broken that no exception of a target allows.
pub(crate) fn contract(project: &Project, options: &Options) -> Result<(), Error> {
    build(project)?;
    let paths: Vec<&OsStr> = match options.paths.is_empty() {
        true => DIRECTORIES.iter().map(OsStr::new).collect(),
        false => options.paths.iter().map(OsStr::new).collect(),
    };
    let schema = options.schema.as_deref().map(Path::new);
    check(project, &paths, options.cases, schema)
}

/// Builds the tool that checks.
pub(crate) fn build(project: &Project) -> Result<(), Error> {
    let mut build = project.cargo();
    process::run(build.args(["build", "--package", "spyre-fuzz-cli"]))
}

/// Checks the bundles of programs in files and of drawn ones.
pub(crate) fn check(
    project: &Project,
    paths: &[&OsStr],
    cases: u64,
    schema: Option<&Path>,
) -> Result<(), Error> {
    process::run(&mut command(project, paths, cases, schema))
}

/// Returns the command that checks.
fn command(project: &Project, paths: &[&OsStr], cases: u64, schema: Option<&Path>) -> Command {
    let mut command = project.tool(Profile::Debug, "spyre-fuzz");
    command.arg("contract").args(paths);
    command.arg("--cases").arg(cases.to_string());
    if let Some(schema) = schema {
        command.arg("--schema").arg(schema);
    }
    command
}
