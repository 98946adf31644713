//! `cargo xtask`: everything about this repository that is more than one command.
//!
//! It depends on the standard library only and needs no LLVM, so that `cargo xtask setup` runs on a machine that has
//! nothing but Rust. [`help`] lists the subcommands; each has its module.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod accuracy;
mod args;
mod bench;
mod commits;
mod conformance;
mod demo;
mod docs;
mod error;
mod fuzz;
mod fuzz_input;
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
    let mut args = Args::new(words.into_iter())?;
    let project = Project::find()?;
    match command.to_str() {
        Some("setup") => {
            args.finish()?;
            setup::setup(&project)
        }
        Some("demo") => {
            args.finish()?;
            demo::demo(&project)
        }
        Some("test") => testing::test(&project, &args.rest()),
        Some("ci") => {
            args.finish()?;
            testing::ci(&project)
        }
        Some("docs") => {
            let check = args.switch("--check");
            args.finish()?;
            docs::docs(&project, check)
        }
        Some("conformance") => {
            let data = args.value::<String>("--data")?;
            let write = args.switch("--write");
            args.finish()?;
            let data = data.ok_or_else(|| Error::Usage("conformance needs --data DIR".into()))?;
            conformance::conformance(&project, data.as_ref(), write)
        }
        Some("bench") => {
            let runs = args.value("--runs")?.unwrap_or(bench::DEFAULT_RUNS);
            let max = args.value("--max")?.unwrap_or(usize::MAX);
            args.finish()?;
            bench::bench(&project, runs, max)
        }
        Some("accuracy") => {
            let options = accuracy::Options {
                all: args.switch("--all"),
                stride: args.value("--stride")?,
                op: args.value("--op")?,
            };
            args.finish()?;
            accuracy::accuracy(&project, &options)
        }
        Some("fuzz") => fuzz::fuzz(&project, &args.rest()),
        Some("fuzz-input") => {
            let options = fuzz_input::Options {
                seconds: args.value("--seconds")?,
                cases: args.value("--cases")?,
                seed: args.value("--seed")?,
            };
            args.finish()?;
            fuzz_input::fuzz(&project, &options)
        }
        Some("models") => {
            let write = args.switch("--write");
            let debug = args.switch("--debug");
            let names = args.rest();
            let options = models::Options {
                write,
                debug,
                names,
            };
            models::models(&project, &options)
        }
        Some("plan-table") => {
            let mode = match (args.switch("--write"), args.switch("--check")) {
                (true, _) => plan_table::Mode::Write,
                (false, true) => plan_table::Mode::Check,
                (false, false) => plan_table::Mode::Print,
            };
            args.finish()?;
            plan_table::plan_table(&project, mode, true)
        }
        Some("pages") => {
            let install = args.switch("--install");
            let write = args.switch("--write");
            args.finish()?;
            testing::build(&project)?;
            pages::pages(&project, install, write)
        }
        Some("mutants") => mutants::mutants(&project, &args.rest()),
        Some("patches") => patches::patches(&project, &args.rest()),
        _ => Err(Error::Usage(format!(
            "no command {}\n\n{}",
            command.display(),
            help::usage()
        ))),
    }
}
