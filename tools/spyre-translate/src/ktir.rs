//! `--spyre-to-ktir`: planned programs as KTIR.

use clap::{Args, ValueEnum};
use melior::Context;
use melior::ir::{Location, Module};
use spyre_bundle::{NoBundle, plan};
use spyre_mlir_rt::diagnostic::{Diagnostic, Reported, Severity, collect};
use spyre_mlir_rt::ir::{Op, verified_text};
use spyre_mlir_rt::source::run_pipeline;

use crate::io::{Done, Io};

/// Options of the translation to KTIR.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "KTIR")]
pub(crate) struct KtirOptions {
    /// Write the kernel of a planned program in KTIR, with maps and sets in place. A program that is not planned yet goes
    /// through `--spyre-pipeline=bundle=false` first, with `lx=false` in the flavour upstream, and where cores exchange values
    /// in scratchpads.
    #[arg(long, group = "translation")]
    spyre_to_ktir: bool,

    /// The unit of the base addresses of memory views: elements in the portable flavour, bytes in the flavour upstream.
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(crate) base_unit: Option<BaseUnit>,

    /// The consumers that kernels are for.
    #[arg(long, value_enum, default_value_t, value_name = "FLAVOUR")]
    pub(crate) flavour: FlavourName,
}

/// The consumers of kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FlavourName {
    /// Interpreters, and every reader of the dialect.
    #[default]
    Portable,
    /// The scheduler of the published compiler.
    Upstream,
}

/// The unit of base addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BaseUnit {
    /// Elements of the view.
    Element,
    /// Bytes.
    Byte,
}

impl KtirOptions {
    /// Translates a module if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        self.spyre_to_ktir
            .then(|| io.with_module(|module| self.write(io, module)))
    }

    fn write(&self, io: Io<'_>, module: Op<'_>) -> Done {
        match self.flavour {
            FlavourName::Portable if !plan::is_planned(module) => return self.plan(io, module),
            FlavourName::Portable => {}
            FlavourName::Upstream => plan::ensure_without_lx(io.context, module)?,
        }
        self.convert(io.context, module)?;
        print(io, module)
    }

    /// Plans a program, and writes its kernel. No core of KTIR waits for another one inside of a launch, so a plan with values
    /// in scratchpads may have no kernel. All values are in device memory then.
    fn plan(&self, io: Io<'_>, module: Op<'_>) -> Done {
        let context = io.context;
        let copy = Module::from_operation((*module).clone()).expect("a copy of a module is one");
        let copy = copy.as_operation();
        let (planned, reported) = collect(context, || {
            plan::ensure(context, copy).and_then(|()| self.convert(context, copy))
        });
        if planned.is_ok() {
            emit_all(context, &reported);
            return print(io, copy);
        }
        let (planned_without, other) = collect(context, || {
            plan::ensure_without_lx(context, module).and_then(|()| self.convert(context, module))
        });
        if planned_without.is_err() {
            emit_all(context, &reported);
            return Ok(planned?);
        }
        let is_error = |it: &&Reported| it.severity == Some(Severity::Error);
        if let Some(reason) = reported.iter().find(is_error) {
            let at = place(context, reason);
            let message = "all values of the kernel are in device memory, as lx=false plans them, since the plan with values in \
                           scratchpads has no form in KTIR";
            let warning = Diagnostic::warning(at, message).note(at, &reason.message);
            with_notes(context, warning, reason).emit();
        }
        emit_all(context, &other);
        print(io, module)
    }

    /// Converts a planned module in place.
    fn convert<'c>(&self, context: &'c Context, module: Op<'c>) -> Result<(), NoBundle<'c>> {
        let flavour = match self.flavour {
            FlavourName::Portable => "portable",
            FlavourName::Upstream => "upstream",
        };
        let unit = match self.base_unit {
            Some(BaseUnit::Element) => " base-unit=element",
            Some(BaseUnit::Byte) => " base-unit=byte",
            None => "",
        };
        let pipeline = format!("builtin.module(convert-spyre-to-ktir{{flavour={flavour}{unit}}})");
        run_pipeline(context, module, &pipeline).map_err(NoBundle::PipelineFailed)
    }
}

/// Writes a module with maps and sets in place, since interpreters do not read their aliases. A pipeline has verified it.
fn print(io: Io<'_>, module: Op<'_>) -> Done {
    io.write(format!("{}\n", verified_text(module)))
}

/// Emits diagnostics that were collected.
fn emit_all(context: &Context, reported: &[Reported]) {
    for it in reported {
        let severity = it.severity.expect("a note belongs to a diagnostic");
        let diagnostic = Diagnostic::new(severity, place(context, it), &it.message);
        with_notes(context, diagnostic, it).emit();
    }
}

/// Adds the notes of a diagnostic that was collected to another one.
fn with_notes<'c>(
    context: &'c Context,
    diagnostic: Diagnostic<'c>,
    reported: &Reported,
) -> Diagnostic<'c> {
    let notes = reported.notes.iter();
    notes.fold(diagnostic, |diagnostic, note| {
        diagnostic.note(place(context, note), &note.message)
    })
}

/// Returns the location of a diagnostic that was collected.
fn place<'c>(context: &'c Context, reported: &Reported) -> Location<'c> {
    match &reported.file_line_column {
        Some((file, line, column)) => Location::new(context, file, *line, *column),
        None => Location::unknown(context),
    }
}
