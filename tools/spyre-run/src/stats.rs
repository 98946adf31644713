//! The statistics of `--stats`, on standard error: lines for people, or with `--json` an object a line.
//!
//! An object has the field `statistics`, which names its kind; messages have `severity` instead. The names of the
//! numbers are those of the Python package. docs/Tools.md has the schema.

use std::time::Duration;

use serde::Serialize;
use spyre_exec::card::OnCard;
use spyre_mlir_rt::messages::print_object;
use spyre_sim::Stats;

use crate::options::Options;

/// The time of a step.
#[derive(Serialize)]
struct Time<'s> {
    statistics: &'static str,
    step: &'s str,
    subject: Option<&'s str>,
    seconds: f64,
}

/// Prints the time of a step, if statistics are requested. `subject` is a function, with its sign, or a pass.
pub(crate) fn time(options: &Options, step: &str, subject: Option<&str>, time: Duration) {
    if !options.stats {
        return;
    }
    match (options.json, subject) {
        (true, subject) => print_object(&Time {
            statistics: "time",
            step,
            subject,
            seconds: time.as_secs_f64(),
        }),
        (false, Some(subject)) => eprintln!("{step} {subject}: {time:.3?}"),
        (false, None) => eprintln!("{step}: {time:.3?}"),
    }
}

/// The parts of a program.
#[derive(Serialize)]
struct Parts<'s> {
    statistics: &'static str,
    device: Vec<DevicePart<'s>>,
    host_elements: u64,
    /// The part of the work that is the device's, between 0 and 1; `None` for a program without work.
    device_share: Option<f64>,
}

#[derive(Serialize)]
struct DevicePart<'s> {
    function: &'s str,
    elements: u64,
}

/// Prints the parts on the host and on the device, if statistics are requested.
pub(crate) fn parts(options: &Options, program: &OnCard) {
    if !options.stats {
        return;
    }
    let functions = program.functions();
    let device: u64 = functions.iter().map(|function| function.work).sum();
    let all = device + program.host_work();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = (all > 0).then(|| device as f64 / all as f64);
    if options.json {
        let functions = functions.iter().map(|function| DevicePart {
            function: &function.name,
            elements: function.work,
        });
        return print_object(&Parts {
            statistics: "parts",
            device: functions.collect(),
            host_elements: program.host_work(),
            device_share: share,
        });
    }
    for function in functions {
        eprintln!("device: @{}, {} elements", function.name, function.work);
    }
    eprintln!("host: {} elements", program.host_work());
    if let Some(share) = share {
        eprintln!("{:.1} % of the work is the device's", share * 100.0);
    }
}

/// The counts of a run on the simulated card. Sizes are bytes.
#[derive(Serialize)]
struct Traffic<'s> {
    statistics: &'static str,
    function: Option<&'s str>,
    executions: u64,
    iterations: u64,
    hbm_read: u64,
    hbm_written: u64,
    hbm_read_distinct: u64,
    lx_read: u64,
    lx_written: u64,
    /// The most bytes in the scratchpad of a core.
    lx_peak: u64,
    /// The core that has them; `None` if no tensor is in a scratchpad.
    lx_peak_core: Option<u16>,
    /// The number of cores with tensors in their scratchpads.
    lx_cores: usize,
    /// Microseconds.
    modelled_time: f64,
    operands: Vec<Operand<'s>>,
}

#[derive(Serialize)]
struct Operand<'s> {
    file: &'s str,
    operation: &'s str,
    tensor: &'s str,
    bytes: u64,
    distinct_bytes: u64,
    fan_out: u32,
}

/// Prints the counts of a run, such as the bytes that were moved, if statistics are requested. `function` is the
/// function of the device, if the program has several.
pub(crate) fn traffic(options: &Options, function: Option<&str>, stats: &Stats) {
    match (options.stats, options.json) {
        (false, _) => {}
        (true, true) => print_object(&traffic_object(function, stats)),
        (true, false) => {
            if let Some(function) = function {
                eprintln!("@{function}");
            }
            print_traffic(stats);
        }
    }
}

fn traffic_object<'s>(function: Option<&'s str>, stats: &'s Stats) -> Traffic<'s> {
    let peak = stats.lx_peak.iter().max_by_key(|(_, peak)| **peak);
    let operands = stats.operands.iter().map(|(id, traffic)| Operand {
        file: &id.file,
        operation: &id.function,
        tensor: &id.tensor,
        bytes: traffic.all.get(),
        distinct_bytes: traffic.distinct.get(),
        fan_out: traffic.fan_out,
    });
    Traffic {
        statistics: "traffic",
        function,
        executions: stats.ops,
        iterations: stats.iterations,
        hbm_read: stats.hbm_read.get(),
        hbm_written: stats.hbm_written.get(),
        hbm_read_distinct: stats.hbm_read_distinct.get(),
        lx_read: stats.lx_read.get(),
        lx_written: stats.lx_written.get(),
        lx_peak: peak.map_or(0, |(_, bytes)| bytes.get()),
        lx_peak_core: peak.map(|(core, _)| *core),
        lx_cores: stats.lx_peak.len(),
        modelled_time: stats.modelled_time.microseconds(),
        operands: operands.collect(),
    }
}

fn print_traffic(stats: &Stats) {
    eprintln!(
        "executions: {} in {} iterations of loops",
        stats.ops, stats.iterations
    );
    eprintln!(
        "HBM: {} read, {} written",
        stats.hbm_read, stats.hbm_written
    );
    eprintln!(
        "HBM distinct: {} read, {} written, what cores share once",
        stats.hbm_read_distinct, stats.hbm_written
    );
    // Without the words by which the totals are found in a log.
    for (id, traffic) in &stats.operands {
        eprintln!(
            "operand {} of {} in {}: {}, {} once, fan-out {}",
            id.tensor, id.function, id.file, traffic.all, traffic.distinct, traffic.fan_out
        );
    }
    eprintln!("modelled time: {}", stats.modelled_time);
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
