//! `--spyre-to-ktir`: planned programs as KTIR.

use clap::{Args, ValueEnum};
use spyre_bundle::{NoBundle, plan};
use spyre_mlir_rt::ir::{Op, verified_text};
use spyre_mlir_rt::source::run_pipeline;

use crate::io::{Done, Failure, Io};

/// Options of the translation to KTIR.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "KTIR")]
pub(crate) struct KtirOptions {
    /// Write the kernel of a planned program in KTIR, with maps and sets in place. A program that is not planned yet goes
    /// through `--spyre-pipeline=bundle=false` first, in the flavour upstream with `lx=false`.
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
            FlavourName::Portable => plan::ensure(io.context, module)?,
            FlavourName::Upstream => plan::ensure_without_lx(io.context, module)?,
        }
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
        let converted = run_pipeline(io.context, module, &pipeline);
        converted.map_err(|err| Failure::from(NoBundle::PipelineFailed(err)))?;
        // Interpreters read maps and sets in place, not their aliases. The pipeline has verified the module.
        io.write(format!("{}\n", verified_text(module)))
    }
}
