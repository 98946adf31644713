//! Runs random programs of device operations at every level, and compares their results.
//!
//! `options` is the command line, `campaign` runs programs on several threads, `outcomes` counts their outcomes and writes the
//! programs that fail. `shapes`, `graphs`, `linalg` and `uop` are separate commands, with programs drawn from shapes.
//! `card` runs programs of all of them with their parts for the card, `contract` checks bundles by the rules of the
//! contract, `proofs` compares results with proofs, and `ktir` runs kernels on an interpreter of KTIR.
#![forbid(unsafe_code)]

mod campaign;
mod card;
mod contract;
mod graphs;
mod ktir;
mod linalg;
mod numbers;
mod options;
mod outcomes;
mod proofs;
mod shapes;
mod uop;

use std::process::ExitCode;

use clap::Parser as _;

use options::{Command, Options};
use spyre_fuzz::shrink;

fn main() -> ExitCode {
    let options = Options::parse();
    let passed = match &options.command {
        Some(Command::Shapes(options)) => Some(shapes::run(options)),
        Some(Command::Graphs(options)) => Some(graphs::run(options)),
        Some(Command::Linalg(options)) => Some(linalg::run(options)),
        Some(Command::Uop(options)) => Some(uop::run(options)),
        Some(Command::Card(options)) => Some(card::run(options)),
        Some(Command::Contract(options)) => Some(contract::run(options)),
        Some(Command::Proofs(options)) => Some(proofs::run(options)),
        Some(Command::Ktir(options)) => Some(ktir::run(options)),
        None => None,
    };
    match passed {
        Some(Ok(passed)) => return ExitCode::from(u8::from(!passed)),
        Some(Err(err)) => {
            eprintln!("error: {err}");
            return ExitCode::FAILURE;
        }
        None => {}
    }
    if options.print {
        print!(
            "{}",
            shrink::program(options.size(), options.seed, options.first)
        );
        return ExitCode::SUCCESS;
    }
    match campaign::run(&options) {
        Ok(outcomes) => {
            if let Err(err) = spyre_files::print(&outcomes.to_string()) {
                eprintln!("error: {err}");
                return ExitCode::FAILURE;
            }
            ExitCode::from(u8::from(outcomes.failed() > 0))
        }
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}
