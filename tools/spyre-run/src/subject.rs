//! The subject of a run: a compiled program, one of which a part runs on a simulated card, or a bundle.

use std::path::Path;
use std::time::Instant;

use melior::Context;
use spyre_bundle_files::Bundles;
use spyre_exec::bundle::{Interface, SimulationOptions, simulate};
use spyre_exec::card::{Launch, OnCard};
use spyre_exec::ktir::Call;
use spyre_exec::{Array, Executable, Program};
use spyre_sim::{Bundle, RangeLoss, Trace};

use crate::error::Error;
use crate::kernel::{self, Orders};
use crate::options::{On, Options};
use crate::{cpu, output, stats};

/// The subject of a run.
pub(crate) enum Subject {
    /// A program, on the CPU.
    Program(Box<Executable>),
    /// A bundle, on a simulated card.
    Bundle {
        /// The bundle.
        bundle: Box<Bundle>,
        /// The kernel arguments.
        interface: Box<Interface>,
        /// Whether each argument of the program is an input, and not a constant, which the interface has.
        is_input: Vec<bool>,
    },
    /// A program with its functions of the device on a simulated card.
    OnCard(Box<OnCard>),
    /// A kernel in KTIR, on the CPU.
    Kernel {
        /// The kernel.
        kernel: Box<Orders<Call>>,
        /// Whether each argument of the program is an input, and not a constant, which the interface has.
        is_input: Vec<bool>,
    },
}

impl Subject {
    /// Builds the subject of the command line.
    pub(crate) fn new<'c>(
        context: &'c Context,
        program: Program<'c>,
        options: &Options,
    ) -> Result<Self, Error> {
        if options.on == On::Card {
            let start = Instant::now();
            let (entry, sizes) = (Some(program.entry()), program.sizes());
            let module = program.general_module();
            let how = cpu::how(options);
            let compiled =
                OnCard::compile(context, module, entry, sizes, how, simulation(options))?;
            stats::time(options, "compile", None, start.elapsed());
            stats::parts(options, &compiled);
            return Ok(Self::OnCard(Box::new(compiled)));
        }
        if let Some(path) = &options.ktir {
            let kernel = kernel::of_program(context, &program, path, options)?;
            return Ok(Self::Kernel {
                kernel: Box::new(kernel),
                is_input: program.constants().iter().map(Option::is_none).collect(),
            });
        }
        let Some(directory) = &options.bundle else {
            let executable = cpu::compile(context, program, options)?;
            return Ok(Self::Program(Box::new(executable)));
        };
        Bundles::check_is_one(directory)?;
        let bundle = Bundle::read(directory)?;
        let interface = Interface::of_program(context, &program)?;
        let constants = program.constants();
        Ok(Self::Bundle {
            bundle: Box::new(bundle),
            interface: Box::new(interface),
            is_input: constants.iter().map(Option::is_none).collect(),
        })
    }

    /// Runs the subject and returns the results; `None` if the bundle is faulty, which has been reported.
    pub(crate) fn run(
        &self,
        inputs: &[Array],
        options: &Options,
    ) -> Result<Option<Vec<Array>>, Error> {
        let (bundle, interface, is_input) = match self {
            Self::Program(executable) => {
                return cpu::execute(executable, inputs, options).map(Some);
            }
            Self::OnCard(program) => {
                let outcome = program.run(inputs)?;
                for launch in &outcome.launches {
                    stats::traffic(options, Some(&launch.function), &launch.stats);
                }
                for (function, losses) in range_losses(&outcome.launches) {
                    output::range_losses(Some(function), &losses);
                }
                return Ok(Some(outcome.results));
            }
            Self::Kernel { kernel, is_input } => {
                return kernel.run(&variable(inputs, is_input), options).map(Some);
            }
            Self::Bundle {
                bundle,
                interface,
                is_input,
            } => (bundle, interface, is_input),
        };
        let inputs = variable(inputs, is_input);
        let start = Instant::now();
        let simulation = simulate(bundle, interface, &inputs, simulation(options))?;
        stats::time(options, "simulate", None, start.elapsed());
        stats::traffic(options, None, &simulation.stats);
        if let (Some(path), Some(trace)) = (&options.trace, &simulation.trace) {
            write_trace(path, trace)?;
        }
        output::faults(&simulation.report);
        output::range_losses(None, simulation.report.range_losses());
        let has_errors = simulation.report.errors().next().is_some();
        Ok((!has_errors).then_some(simulation.results))
    }
}

/// Returns the arguments that are no constants.
fn variable(arguments: &[Array], is_input: &[bool]) -> Vec<Array> {
    let inputs = arguments
        .iter()
        .zip(is_input)
        .filter(|(_, is_input)| **is_input);
    inputs.map(|(input, _)| input.clone()).collect()
}

/// Returns the elements whose values the formats of the card cannot represent, by device function. Each operation or
/// argument has one entry: its first such element, and the number of them in all launches, since a loop on the host may
/// launch a function many times.
fn range_losses(launches: &[Launch]) -> Vec<(&str, Vec<RangeLoss>)> {
    let mut functions: Vec<(&str, Vec<RangeLoss>)> = Vec::new();
    for launch in launches {
        let name = launch.function.as_str();
        let position = functions
            .iter()
            .position(|(function_name, _)| *function_name == name);
        let at = position.unwrap_or(functions.len());
        if position.is_none() {
            functions.push((name, Vec::new()));
        }
        let losses = &mut functions[at].1;
        for loss in &launch.range_losses {
            let mut losses_left = losses.iter_mut();
            match losses_left.find(|entry| entry.source == loss.source) {
                Some(entry) => entry.count += loss.count,
                None => losses.push(loss.clone()),
            }
        }
    }
    functions
}

/// Returns how a simulated card runs.
fn simulation(options: &Options) -> SimulationOptions {
    SimulationOptions {
        rounding: options.device_floats.map(Into::into),
        wide: options.float.into(),
        trace: options.trace.is_some(),
        ..SimulationOptions::default()
    }
}

/// Writes the events of a run.
pub(crate) fn write_trace(path: &Path, trace: &Trace) -> Result<(), Error> {
    let mut json = Vec::new();
    let written = trace.write_chrome(&mut json);
    let written = written.and_then(|()| spyre_files::replace(path, &json));
    written.map_err(|err| Error::Write {
        path: path.to_owned(),
        reason: err,
    })
}
