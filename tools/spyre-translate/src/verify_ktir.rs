//! `--verify-ktir`: kernels in KTIR, checked.

use std::fs;

use clap::{Args, ValueEnum};
use spyre_ktir_check::{Finding, Flavour, Options, Report, Unit, check};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;

use crate::io::{Done, Failure, Io};
use crate::ktir::BaseUnit;

/// Options of the check of kernels.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kernels in KTIR")]
pub(crate) struct VerifyKtirOptions {
    /// Check the kernels of a module in KTIR, for all cores and iterations, and print all findings.
    #[arg(long, group = "translation")]
    verify_ktir: bool,

    /// The consumers that the kernels are for.
    #[arg(long, value_enum, default_value_t, value_name = "FLAVOUR")]
    flavour: FlavourName,
}

/// The consumers of kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum FlavourName {
    /// Interpreters, and every reader of the dialect.
    #[default]
    Portable,
    /// The scheduler of the published compiler.
    Upstream,
}

impl VerifyKtirOptions {
    /// Checks the kernels of a module if the options request it; base addresses are in `unit`. Returns whether all are right.
    pub(crate) fn run(&self, io: Io<'_>, unit: BaseUnit) -> Option<bool> {
        self.verify_ktir
            .then(|| io.with_module(|module| self.check(io, module, unit)))
    }

    fn check(&self, io: Io<'_>, module: Op<'_>, unit: BaseUnit) -> Done {
        let options = Options {
            flavour: match self.flavour {
                FlavourName::Portable => Flavour::Portable,
                FlavourName::Upstream => Flavour::Upstream,
            },
            unit: match unit {
                BaseUnit::Element => Unit::Element,
                BaseUnit::Byte => Unit::Byte,
            },
        };
        // Standard input has been read by the parser, and bytecode has no spellings.
        let bytes = match io.input {
            "-" => Vec::new(),
            file => fs::read(file).map_err(Failure::error)?,
        };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let report = check(module, &text, &options);
        if report.kernels == 0 {
            let reason = "the module has no kernel: a function with operations of `ktdp`";
            return Err(Failure::error(reason));
        }
        if messages::is_json() {
            io.write(format!("{}\n", report.json(io.name())))?;
            return right(&report);
        }
        report.findings.iter().for_each(Finding::emit);
        if !report.is_right() {
            return Err(Failure::Message(format!(
                "{}: {}",
                io.name(),
                report.errors()
            )));
        }
        io.write(format!("{}: {}\n", io.name(), report.summary()))
    }
}

/// Fails for kernels with errors, which have been printed.
fn right(report: &Report<'_>) -> Done {
    report.is_right().then_some(()).ok_or(Failure::Printed)
}
