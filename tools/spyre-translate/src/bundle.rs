//! `--spyre-to-bundle` and `--verify-bundle`: the files of bundles, written and checked.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use spyre_bundle::{Addresses, directory};
use spyre_bundle_files::{Bundles, Directory, InMemory};
use spyre_exec::bundle::rules;
use spyre_exec::card::has_device_functions;
use spyre_exec::launch::{self, Destination};
use spyre_mlir_rt::ir::Op;
use spyre_mlir_rt::messages;
use spyre_sdsc::Bundle;
use spyre_verify::{Options, Report, Revision, verify_with};

use crate::io::{Done, Failure, Io, succeeded};
use crate::schema::{self, Schema};

/// Options of the translations to files, and of their checks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bundles")]
pub(crate) struct BundleOptions {
    /// Write the module's bundle: bundle.mlir and one sdsc_N.json per device operation. For a module with functions of host
    /// and device, write a directory with a bundle for each function of the device, host.mlir, and launch.json.
    #[arg(long, group = "translation")]
    spyre_to_bundle: bool,

    /// Check the files of a bundle, or of all bundles of a program of host and device, and print all findings.
    #[arg(long, group = "translation", value_name = "DIR", conflicts_with_all = ["input", "output"])]
    verify_bundle: Option<PathBuf>,

    /// The rules that a bundle is checked against: the published contract, 1.0.0, or recordings, r3 or r2.
    #[arg(long, value_name = "REVISION", default_value = "1.0.0")]
    contract: Revision,

    /// Apply this exception from the contract. May be given again. An unknown name prints all of them.
    #[arg(long, value_name = "EXCEPTION")]
    allow: Vec<String>,

    /// Check each sdsc_*.json against this JSON schema as well, such as the published one.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// Where the addresses of a bundle are: bound by its function, or numbers in the files, which then have the form of
    /// the first revision. Numbers cannot move, so loops are unrolled.
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    address_mode: AddressMode,

    /// Write the list of the parameters that the launcher binds, as JSON, into this file as well.
    #[arg(long, value_name = "FILE")]
    launch_params: Option<PathBuf>,

    /// Print the warnings of the check that every bundle goes through (that of --verify-bundle), and write a faulty
    /// bundle nevertheless, for inspection.
    #[arg(long)]
    verify_written: bool,
}

/// The form of the addresses of a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum AddressMode {
    /// Bound by the function when the bundle is launched.
    #[default]
    Symbolic,
    /// Numbers in the files, from the table of segments.
    Concrete,
}

impl BundleOptions {
    /// Writes or checks a bundle if the options request it. Returns whether it succeeds.
    pub(crate) fn run(&self, io: Io<'_>) -> Option<bool> {
        if let Some(directory) = &self.verify_bundle {
            return Some(succeeded(self.check_all(directory)));
        }
        let to_bundle = |module: Op<'_>| self.write(io, module, io.directory()?);
        self.spyre_to_bundle.then(|| io.with_module(to_bundle))
    }

    /// Writes the bundle of a module, or the bundles of a program of host and device.
    fn write(&self, io: Io<'_>, module: Op<'_>, output: &Path) -> Done {
        let addresses = self.addresses();
        if has_device_functions(module) {
            if self.launch_params.is_some() {
                let reason =
                    "--launch-params is for one bundle; launch.json has the parameters of each";
                return Err(Failure::error(reason));
            }
            let list = |path: &Path, report: &Report| self.list(path, report);
            let destination = Destination {
                directory: output,
                addresses,
                allowed: &self.allow,
            };
            return launch::write(io.context, module, destination, list).map_err(Failure::error);
        }
        let bundle = spyre_bundle::compile(io.context, module, addresses)?;
        self.write_checked(&bundle, output, rules(module, addresses)?)
    }

    /// Returns where the addresses of a bundle are.
    pub(crate) fn addresses(&self) -> Addresses {
        match self.address_mode {
            AddressMode::Symbolic => Addresses::Symbolic,
            AddressMode::Concrete => Addresses::Concrete,
        }
    }

    /// Returns rules with the exceptions of `--allow`.
    fn allowed(&self, rules: Options) -> Result<Options, Failure> {
        let mut allowed = self.allow.iter();
        let rules = allowed.try_fold(rules, |rules, name| rules.allowing(name));
        rules.map_err(Failure::error)
    }

    /// Checks the files of a bundle that no module with a target is the source of, and writes them.
    pub(crate) fn write_files(&self, bundle: &Bundle, output: &Path) -> Done {
        // Files with numbers for addresses have the form of the first revision, which the contract does not cover.
        let revision = match self.address_mode {
            AddressMode::Symbolic => Revision::V1,
            AddressMode::Concrete => Revision::R2,
        };
        self.write_checked(bundle, output, Options::of_revision(revision))
    }

    /// Checks the files of a bundle by rules, with the exceptions of `--allow`, and writes them.
    fn write_checked(&self, bundle: &Bundle, output: &Path, rules: Options) -> Done {
        let files = InMemory::collect(output, bundle.files())
            .map_err(|err| Failure::error(format!("cannot make the files of the bundle: {err}")))?;
        let report = verify_with(&files, &self.allowed(rules)?);
        self.list(output, &report);
        if !report.is_right() && !self.verify_written {
            let reason = "the bundle breaks the rules above, so nothing is written; --verify-written writes it";
            return Err(Failure::error(reason));
        }
        let written = match &self.launch_params {
            None => directory::write(&files, output),
            Some(params) if params == Path::new("-") => {
                let reason =
                    "standard output cannot be undone as a file can; --launch-params names a file";
                return Err(Failure::error(reason));
            }
            Some(params) => directory::write_with_params(bundle, &files, output, params),
        };
        written.map_err(Failure::error)?;
        right(&report)
    }

    /// Checks a bundle, or the bundles of a program of host and device. Prints the findings of each, then a line with
    /// its size.
    fn check_all(&self, path: &Path) -> Done {
        let options = self.allowed(Options::of_revision(self.contract))?;
        let schema = self.schema.as_deref().map(schema::read).transpose()?;
        let bundles = Bundles::in_directory(path).map_err(Failure::error)?;
        let bundles = bundles.directories(path);
        let wrong = bundles
            .iter()
            .filter(|path| !succeeded(check(path, &options, schema.as_ref())));
        match wrong.count() {
            0 => Ok(()),
            _ => Err(Failure::Printed),
        }
    }

    /// Prints the findings in a bundle before it is written. If all findings are warnings, they are printed only on
    /// request.
    fn list(&self, path: &Path, report: &Report) {
        if self.verify_written || !report.is_right() {
            match messages::is_json() {
                true => report.findings.iter().for_each(messages::print_object),
                false => eprint!("{}", report.listed(path)),
            }
        }
    }
}

fn check(path: &Path, options: &Options, schema: Option<&Schema>) -> Done {
    let files = Directory(path);
    let mut report = verify_with(&files, options);
    if let Some(schema) = schema {
        report.findings.extend(schema.check(&files).findings);
    }
    if messages::is_json() {
        let line = format!("{}\n", report.json(path));
        spyre_files::print(&line).map_err(no_output)?;
        return right(&report);
    }
    eprint!("{}", report.listed(path));
    right(&report)?;
    let summary = format!("{}: {}\n", path.display(), report.summary());
    spyre_files::print(&summary).map_err(no_output)
}

/// Returns the failure of standard output that cannot be written.
fn no_output(err: io::Error) -> Failure {
    Failure::error(format!("standard output: {err}"))
}

/// Fails for a bundle with errors, which have been printed.
fn right(report: &Report) -> Done {
    report.is_right().then_some(()).ok_or(Failure::Printed)
}
