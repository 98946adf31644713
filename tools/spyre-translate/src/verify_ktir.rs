//! `--verify-ktir`: kernels in KTIR, checked.

use std::fs;

use clap::Args;
use spyre_ktir_check::{Finding, Flavour, Options, Report, Unit, check};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;

use crate::io::{Done, Failure, Io};
use crate::ktir::{BaseUnit, FlavourName, KtirOptions};

/// Options of the check of kernels.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kernels in KTIR")]
pub(crate) struct VerifyKtirOptions {
    /// Check the kernels of a module in KTIR, for all cores and iterations, and print all findings.
    #[arg(long, group = "translation")]
    verify_ktir: bool,
}

impl VerifyKtirOptions {
    /// Checks the kernels of a module, written as `ktir` has it, if the options request it. Returns whether all are right.
    pub(crate) fn run(&self, io: Io<'_>, ktir: &KtirOptions) -> Option<bool> {
        self.verify_ktir
            .then(|| io.with_module(|module| check_module(io, module, ktir)))
    }
}

/// Checks the kernels of a module, and prints the findings.
fn check_module(io: Io<'_>, module: Op<'_>, ktir: &KtirOptions) -> Done {
    let options = options(ktir);
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
    let mut text = format!("{}: {}\n", io.name(), report.summary());
    for kernel in &report.schedulable {
        text += &format!("{kernel}\n");
    }
    io.write(text)
}

/// Returns the options of the check.
fn options(ktir: &KtirOptions) -> Options {
    let flavour = match ktir.flavour {
        FlavourName::Portable => Flavour::Portable,
        FlavourName::Upstream => Flavour::Upstream,
    };
    let unit = match (ktir.base_unit, ktir.flavour) {
        (Some(BaseUnit::Element), _) | (None, FlavourName::Portable) => Unit::Element,
        (Some(BaseUnit::Byte), _) | (None, FlavourName::Upstream) => Unit::Byte,
    };
    Options { flavour, unit }
}

/// Fails for kernels with errors, which have been printed.
fn right(report: &Report<'_>) -> Done {
    report.is_right().then_some(()).ok_or(Failure::Printed)
}
