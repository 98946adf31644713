//! Runs random programs of device operations at every level, and compares what they compute.
//!
//! `options` is the command line, `campaign` runs programs on several threads, `found` counts what comes of them and
//! writes the programs that fail.
#![forbid(unsafe_code)]

mod campaign;
mod found;
mod options;

use std::process::ExitCode;

use clap::Parser as _;

use options::Options;
use spyre_fuzz::shrink;

fn main() -> ExitCode {
    let options = Options::parse();
    if options.print {
        print!(
            "{}",
            shrink::program(options.size(), options.seed, options.first)
        );
        return ExitCode::SUCCESS;
    }
    match campaign::run(&options) {
        Ok(found) => {
            print!("{found}");
            ExitCode::from(u8::from(found.failed() > 0))
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}
