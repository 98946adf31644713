//! `cargo xtask`: the tasks of this repository that take more than one command.
//!
//! It depends on the standard library only and needs no LLVM, so that `cargo xtask setup` runs on a machine that has
//! only Rust. [`commands`] lists the subcommands. A subcommand that only developers run is in another package, which is
//! built when it runs: the demo builds none of them.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod commands;
mod commits;
mod demo;
mod dist;
mod docs;
mod draw;
mod environment;
mod features;
mod fuzz;
mod git;
mod help;
mod modules;
mod new;
mod op_names;
mod pages;
mod python;
mod screenshots;
mod setup;
mod shorten;
mod site;
mod sources;
mod testing;
mod vscode;
mod words;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use spyre_checkout::args::Args;
use spyre_checkout::commands::exit_code;
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

fn main() -> ExitCode {
    exit_code(dispatch())
}

fn dispatch() -> Result<(), Error> {
    let mut words = env::args_os().skip(1);
    let Some(command) = words.next() else {
        print!("{}", help::usage());
        return Ok(());
    };
    let words: Vec<OsString> = words.collect();
    if let Some(text) = help::asked(&command, &words) {
        print!("{text}");
        return Ok(());
    }
    let Some(command_entry) = commands::find(&command) else {
        return Err(Error::Usage(format!(
            "no command {}\n\n{}",
            command.display(),
            help::usage()
        )));
    };
    let args = Args::new(words.into_iter())?;
    (command_entry.run)(&Project::find()?, args)
}
