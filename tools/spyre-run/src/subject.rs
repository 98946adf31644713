//! The subject of a run: a compiled program, or a bundle on a simulated card.

use std::io;
use std::path::Path;
use std::time::Instant;

use melior::Context;
use spyre_exec::bundle::{Interface, SimulationOptions, simulate};
use spyre_exec::{Array, Executable, Program};
use spyre_sim::{Bundle, Stats, Trace};

use crate::error::Error;
use crate::options::Options;
use crate::{output, run};

/// The subject of a run.
pub(crate) enum Subject {
    /// A program, on the CPU.
    Program(Box<Executable>),
    /// A bundle, on a simulated card.
    Bundle(Box<Bundle>, Box<Interface>),
}

impl Subject {
    /// Makes the subject that the command line asks for.
    pub(crate) fn new<'c>(
        context: &'c Context,
        program: Program<'c>,
        options: &Options,
    ) -> Result<Self, Error> {
        let Some(directory) = &options.bundle else {
            let executable = run::compile(context, program, options)?;
            return Ok(Self::Program(Box::new(executable)));
        };
        let bundle = Bundle::read(directory)?;
        let interface = Interface::of_program(context, &program)?;
        Ok(Self::Bundle(Box::new(bundle), Box::new(interface)))
    }

    /// Runs the subject and returns the results; `None` if the bundle is faulty, which has been reported.
    pub(crate) fn run(
        &self,
        inputs: &[Array],
        options: &Options,
    ) -> Result<Option<Vec<Array>>, Error> {
        let (bundle, interface) = match self {
            Self::Program(executable) => {
                return run::execute(executable, inputs, options).map(Some);
            }
            Self::Bundle(bundle, interface) => (bundle, interface),
        };
        let start = Instant::now();
        let how = SimulationOptions {
            rounding: options.device_floats.map(Into::into),
            trace: options.trace.is_some(),
            ..SimulationOptions::default()
        };
        let simulation = simulate(bundle, interface, inputs, how)?;
        if options.stats {
            eprintln!("simulate: {:.3?}", start.elapsed());
            print_stats(&simulation.stats);
        }
        if let (Some(path), Some(trace)) = (&options.trace, &simulation.trace) {
            write_trace(path, trace).map_err(|why| Error::Write {
                path: path.clone(),
                why,
            })?;
        }
        output::faults(&simulation.report);
        let has_errors = simulation.report.errors().next().is_some();
        Ok((!has_errors).then_some(simulation.results))
    }
}

/// Prints the counts of a run, such as the bytes that were moved, on standard error.
fn print_stats(stats: &Stats) {
    eprintln!(
        "executions: {} in {} iterations of loops",
        stats.ops, stats.iterations
    );
    eprintln!(
        "HBM: {} read, {} written",
        stats.hbm_read, stats.hbm_written
    );
    eprintln!(
        "LX: {} read, {} written, all cores together",
        stats.lx_read, stats.lx_written
    );
    let peak = stats.lx_peak.iter().max_by_key(|(_, peak)| **peak);
    if let Some((core, peak)) = peak {
        eprintln!(
            "LX peak: {peak} on core {core}; {} cores have tensors in LX",
            stats.lx_peak.len()
        );
    }
}

fn write_trace(path: &Path, trace: &Trace) -> io::Result<()> {
    let mut json = Vec::new();
    trace.write_chrome(&mut json)?;
    spyre_files::replace(path, &json)
}
