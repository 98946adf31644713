//! The tools against recorded data of others, and bundles against the published contract.
//!
//! `cargo xtask` starts it, and has the help of its commands. The examples are the parts that need MLIR in process: each
//! runs in a separate process, so that a crash fails one check and not all of them.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod conformance;
mod contract;
mod oracle;
mod roads;

use std::process::ExitCode;

use spyre_checkout::args::Args;
use spyre_checkout::commands::{self, Command};
use spyre_checkout::error::Error;

/// The commands.
const COMMANDS: [Command; 3] = [
    Command {
        name: "conformance",
        run: |project, mut args| {
            let data = args.value::<String>("--data")?;
            let write = args.switch("--write");
            args.finish()?;
            let data = data.ok_or_else(|| Error::Usage("conformance needs --data DIR".into()))?;
            conformance::conformance(project, data.as_ref(), write)
        },
    },
    Command {
        name: "contract",
        run: |project, mut args| {
            let options = contract::Options {
                schema: args.value("--schema")?,
                cases: args.value("--cases")?.unwrap_or(contract::DEFAULT_CASES),
                paths: args.rest(),
            };
            contract::contract(project, &options)
        },
    },
    Command {
        name: "oracle",
        run: |project, mut args| {
            let interpreter = args.value::<String>("--ktir-cpu")?;
            let python = args.value("--python")?;
            let generated = generated(&mut args)?;
            let missing = || Error::Usage("oracle needs --ktir-cpu DIR".into());
            let options = oracle::Options {
                interpreter: interpreter.ok_or_else(missing)?.into(),
                python: python.unwrap_or_else(|| "python3".into()),
                programs: args.rest(),
            };
            match generated {
                None => oracle::oracle(project, &options),
                Some(_) if !options.programs.is_empty() => Err(Error::Usage(
                    "oracle takes --generated or the names of programs".into(),
                )),
                Some(generated) => oracle::generated(project, &options, &generated),
            }
        },
    },
];

/// Returns the options of drawn programs; `None` without `--generated`.
fn generated(args: &mut Args) -> Result<Option<oracle::Generated>, Error> {
    let programs = args.value("--generated")?;
    let seed = args.value("--seed")?;
    let first = args.value("--first")?;
    let threads = args.value("--threads")?;
    let Some(programs) = programs else {
        let is_other = seed.is_some() || first.is_some() || threads.is_some();
        let needed = "--seed, --first and --threads are for --generated N";
        return match is_other {
            true => Err(Error::Usage(needed.into())),
            false => Ok(None),
        };
    };
    Ok(Some(oracle::Generated {
        programs,
        seed: seed.unwrap_or(1),
        first: first.unwrap_or(0),
        threads,
    }))
}

fn main() -> ExitCode {
    commands::main(&COMMANDS)
}
