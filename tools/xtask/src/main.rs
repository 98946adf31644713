//! `cargo xtask`: everything about this repository that is more than one command.
//!
//! It depends on the standard library only and needs no LLVM, so that `cargo xtask setup` runs on a machine that has
//! nothing but Rust. [`USAGE`] lists the subcommands; each has its module.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod args;
mod bench;
mod commits;
mod conformance;
mod demo;
mod docs;
mod error;
mod fuzz;
mod fuzz_input;
mod models;
mod mutants;
mod patches;
mod process;
mod project;
mod roads;
mod setup;
mod shorten;
mod testing;

use std::env;
use std::process::ExitCode;

use args::Args;
use error::Error;
use project::Project;

/// The help text.
const USAGE: &str = "\
Usage: cargo xtask <command>

  setup                     install the LLVM packages that the build needs (Debian, Ubuntu), or say what is missing
  demo                      build, then show the example program on its way from tensors to the SDSC bundle
  test [ARGS]               build everything, run cargo test (with ARGS) and LLVM's lit
  ci                        commit messages, formatting, lints, tests, documentation, generated files; with
                            SPYRE_GOLDEN=DIR conformance
  docs [--check]            write the generated pages under docs/, or check that they are up to date
  conformance --data DIR    compare with reference bundles: DIR/bundle/*/expected, DIR/interface-examples/*.mlir
  bench [--runs K] [--max N]
                            cost of the passes against stock mlir-opt, and how it grows with the program; cost of a
                            bundle against writing its files; running programs against NumPy (release build)
  fuzz [ARGS]               run random programs at every level and compare: --cases N, --seed S, and what spyre-fuzz
                            --help says (release build)
  fuzz-input [--seconds N] [--cases N] [--seed S]
                            look for crashes of the tools on damaged inputs; --cases is per thread and repeats exactly
  models [--write] [--debug] [NAME...]
                            compile the models of examples/models, or those that are named, run them on the simulated card,
                            compare with the CPU, and print a table; --write puts it into docs/Models.md (release build,
                            with --debug that of cargo build)
  mutants [NAME...]         put the mistakes of test/mutants into a copy of the tree, one by one or those that are
                            named, and expect the tests that each names to fail
  patches [NAME...]         apply the changes of test/patches to a copy of the tree, one by one or those that are named,
                            build it, and expect the tests that each names to pass
";

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
        print!("{USAGE}");
        return Ok(());
    };
    let mut args = Args::new(words)?;
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
            args.finish()?;
            let data = data.ok_or_else(|| Error::Usage("conformance needs --data DIR".into()))?;
            conformance::conformance(&project, data.as_ref())
        }
        Some("bench") => {
            let runs = args.value("--runs")?.unwrap_or(bench::DEFAULT_RUNS);
            let max = args.value("--max")?.unwrap_or(usize::MAX);
            args.finish()?;
            bench::bench(&project, runs, max)
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
        Some("mutants") => mutants::mutants(&project, &args.rest()),
        Some("patches") => patches::patches(&project, &args.rest()),
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            Ok(())
        }
        _ => Err(Error::Usage(format!(
            "no command {}\n\n{USAGE}",
            command.display()
        ))),
    }
}
