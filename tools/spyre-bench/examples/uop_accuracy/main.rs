//! Measures the errors of the code that `--uop-decompose` writes for functions of floats: `cargo xtask accuracy` runs
//! it, in release mode.
//!
//! `uop_accuracy STRIDE [OP]` counts through every `STRIDE`-th number of `f32`, all numbers of 16 bits, and as many pairs of the range of
//! a power. Threads share the chunks, each with separate code. A row with an error above its limit fails the command.

mod measure;

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use measure::{CHUNK, Compiled, Errors, Exact, Row};
use spyre_uop::dtype::DType;
use spyre_uop::element;

/// The most pairs that are drawn for a power.
const MOST_PAIRS: u64 = 13_000_000;

fn main() -> ExitCode {
    spyre_all::register_all_passes();
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let stride: u64 = arguments
        .next()
        .ok_or("usage: uop_accuracy STRIDE [OP]")?
        .parse()?;
    if stride == 0 {
        return Err("a stride is 1 or more".into());
    }
    let chosen = arguments.next();
    println!(
        "{:<6} {:<5} {:<24} {:>11} {:>9} {:>9} {:>9} {:>12}  at",
        "op", "type", "inputs", "count", "max ulp", "limit", "mean ulp", "rounded"
    );
    let rows = measure::rows();
    let is_asked = |row: &Row| chosen.as_deref().is_none_or(|op| op == row.op);
    let mut is_within = true;
    for rows in rows.chunk_by(|a, b| (a.op, a.dtype) == (b.op, b.dtype)) {
        if !is_asked(&rows[0]) {
            continue;
        }
        let errors = all(rows, stride)?;
        for (row, errors) in rows.iter().zip(errors) {
            is_within &= errors.count > 0 && errors.worst <= row.limit;
            println!(
                "{:<6} {:<5} {:<24} {:>11} {:>9.4} {:>9} {:>9.4} {:>10.2} %  {:e}{}",
                row.op,
                row.dtype.to_string(),
                row.domain,
                errors.count,
                errors.worst,
                row.limit,
                errors.sum / errors.count as f64,
                100.0 * errors.rounded as f64 / errors.count as f64,
                element::float(row.dtype, errors.at),
                if errors.worst <= row.limit {
                    ""
                } else {
                    "  MORE"
                }
            );
        }
    }
    Ok(is_within)
}

/// Measures rows of one operation, in as many threads as there are cores.
fn all(rows: &[Row], stride: u64) -> Result<Vec<Errors>, Box<dyn Error>> {
    let first = rows[0];
    let inputs = match (first.exact, first.dtype) {
        (Exact::Two(_), _) => measure::inputs_of(DType::F32, stride).min(MOST_PAIRS),
        (_, DType::F32) => measure::inputs_of(DType::F32, stride),
        (_, dtype) => measure::inputs_of(dtype, 1),
    };
    let stride = if first.dtype == DType::F32 { stride } else { 1 };
    let chunks = inputs.div_ceil(CHUNK as u64);
    let next = AtomicU64::new(0);
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let measured = thread::scope(|scope| {
        let worker = || -> Result<Vec<Errors>, String> {
            let context = spyre_all::context();
            context.load_all_available_dialects();
            let compiled = Compiled::new(&context, &first).map_err(|err| err.to_string())?;
            let mut errors = vec![Errors::default(); rows.len()];
            loop {
                let chunk = next.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks {
                    return Ok(errors);
                }
                let measured = compiled.measure(rows, chunk, stride, &mut errors);
                measured.map_err(|err| err.to_string())?;
            }
        };
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let joined = workers
            .into_iter()
            .map(|worker| worker.join().expect("no worker panics"));
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    let mut sum = vec![Errors::default(); rows.len()];
    for errors in measured {
        for (sum, errors) in sum.iter_mut().zip(&errors) {
            add(sum, errors);
        }
    }
    Ok(sum)
}

/// Adds the errors on other inputs.
fn add(sum: &mut Errors, other: &Errors) {
    if other.worst > sum.worst {
        (sum.worst, sum.at) = (other.worst, other.at);
    }
    sum.count += other.count;
    sum.sum += other.sum;
    sum.rounded += other.rounded;
}
