//! `cargo xtask`: everything about this repository that is more than one command.
//!
//! It depends on the standard library only and needs no LLVM, so that `cargo xtask setup` runs on a machine that has
//! only Rust. [`commands`] lists the subcommands; each has its module.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod accuracy;
mod args;
mod bench;
mod commands;
mod commits;
mod conformance;
mod contract;
mod demo;
mod docs;
mod error;
mod features;
mod fuzz;
mod fuzz_input;
mod git;
mod help;
mod models;
mod mutants;
mod pages;
mod patches;
mod plan_table;
mod process;
mod project;
mod roads;
mod setup;
mod shorten;
mod table;
mod testing;
mod words;
mod zoo;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use args::Args;
use error::Error;
use project::Project;

fn main() -> ExitCode {
    match dispatch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
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
