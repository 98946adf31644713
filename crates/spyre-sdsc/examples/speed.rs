//! Time and memory of compiling `loop 2 { loop 4 { N adds } }` on 32 cores, and the time of serialising the same
//! structs, the JSON and the function, once they are built.
//!
//! `cargo run --release -p spyre-sdsc --example speed -- N [N ...]` prints two lines per N: program, operations, bytes
//! written, seconds for everything and for serialisation alone, their ratio, and the memory that compiling and writing
//! needed beyond the specifications, per operation. Seconds are those of the processor where the system counts them,
//! so that other programs disturb them little. The programs are `repeated`, N times the same operation, and
//! `chain`, in which operation i adds arguments i and i + 1 into argument i + 2, so that no two are alike. Each runs
//! in a separate process, so that memory is measured separately.

use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::time::Instant;

use spyre_sdsc::bundle::{Bundle, BundleOptions, compile_bundle};
use spyre_sdsc::model::{Allocation, LoopSpec, Node, OpSpec, TensorArg};
use spyre_sdsc::sdsc::{Sdsc, write_json};
use spyre_sdsc::{DeviceFormat, Expr, Symbol};

/// Operations that are compiled, and serialised, at least: one run of a small program is too short to measure.
const COMPILED: usize = 10_000;
/// Runs at least.
const RUNS: usize = 5;

/// The program of one operation N times.
const REPEATED: &str = "repeated";
/// The program of N different operations.
const CHAIN: &str = "chain";

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [mode, program, ops] if mode == "--one" => one(program, ops),
        sizes => every(sizes),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("error: {err}");
            ExitCode::FAILURE
        }
    }
}

fn every(sizes: &[String]) -> Result<(), Failure> {
    println!(
        "{:>10} {:>8} {:>12} {:>10} {:>12} {:>7} {:>10}",
        "program", "ops", "bytes", "total s", "serialise s", "ratio", "kB per op"
    );
    for size in sizes {
        for program in [REPEATED, CHAIN] {
            let executable = std::env::current_exe()?;
            let status = Command::new(executable)
                .args(["--one", program, size])
                .status()?;
            if !status.success() {
                return Err(format!("{size} operations of {program} failed").into());
            }
        }
    }
    Ok(())
}

fn one(program: &str, ops: &str) -> Result<(), Failure> {
    let ops: usize = ops.parse()?;
    let tree = tree(program, ops)?;
    let options = BundleOptions::default();
    let before = kilobytes("VmRSS:");
    let runs = COMPILED.div_ceil(ops.max(1)).max(RUNS);
    let mut bytes = 0;
    let total = seconds(runs, || {
        let mut sink = Counter::default();
        write_all(&compile_bundle(&tree, &options)?, &mut sink)?;
        bytes = sink.bytes;
        Ok(())
    })?;
    let peak = kilobytes("VmHWM:");
    let bundle = compile_bundle(&tree, &options)?;
    let built: Vec<Sdsc> = bundle.sdsc_files().iter().map(|file| file.sdsc()).collect();
    let serialise = seconds(runs, || {
        let mut sink = Counter::default();
        for sdsc in &built {
            write_json(sdsc, &mut sink)?;
        }
        write!(sink, "{}", bundle.function())?;
        Ok(())
    })?;
    let memory = match (before, peak) {
        (Some(before), Some(peak)) => {
            format!(
                "{:.1}",
                peak.saturating_sub(before) as f64 / ops.max(1) as f64
            )
        }
        _ => "-".to_owned(),
    };
    println!(
        "{program:>10} {ops:>8} {bytes:>12} {total:>10.3} {serialise:>12.3} {:>7.2} {memory:>10}",
        total / serialise
    );
    Ok(())
}

/// The mean time of `runs` runs.
fn seconds(runs: usize, mut run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let (start, processor) = (Instant::now(), processor_seconds());
    for _ in 0..runs {
        run()?;
    }
    let elapsed = match (processor, processor_seconds()) {
        (Some(start), Some(end)) => end - start,
        _ => start.elapsed().as_secs_f64(),
    };
    Ok(elapsed / runs as f64)
}

/// The time that this process, which has one thread, has run; `None` where the system does not report it.
fn processor_seconds() -> Option<f64> {
    let account = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = account.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0).then_some(nanoseconds as f64 / 1e9)
}

/// The tree of the reference's measurement: tiles of 512 x 1024 of tensors of 1024 x 4096 16-bit floats, all in device
/// memory.
fn tree(program: &str, ops: usize) -> Result<Vec<Node>, Failure> {
    let ops = u32::try_from(ops)?;
    let body = (0..ops).map(|number| {
        let first = match program {
            REPEATED => 0,
            CHAIN => number,
            _ => return Err(format!("no program {program}").into()),
        };
        Ok(Node::Op(Box::new(add(first)?)))
    });
    let inner = LoopSpec::new(4, body.collect::<Result<_, Failure>>()?);
    Ok(vec![Node::Loop(LoopSpec::new(2, vec![Node::Loop(inner)]))])
}

/// Adds arguments `first` and `first + 1` into the next one.
fn add(first: u32) -> Result<OpSpec, Failure> {
    let (rows, columns) = (Symbol::from("rows"), Symbol::from("columns"));
    let advance: Expr = "32768*rows + 1048576*columns".parse()?;
    let tensor = |index| {
        TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![64, 1024, 64],
            vec![
                Expr::symbol("c1").floor_div(64),
                Expr::symbol("c0"),
                Expr::symbol("c1").modulo(64),
            ],
            Allocation::argument(first + index),
        )
        .advancing(advance.clone())
    };
    Ok(OpSpec::pointwise("add")
        .with_dim("c0", Expr::int(512), 32)
        .with_dim("c1", Expr::int(1024), 1)
        .with_tiled_level([columns])
        .with_tiled_level([rows])
        .with_input(tensor(0))
        .with_input(tensor(1))
        .with_output(tensor(2)))
}

fn write_all(bundle: &Bundle, sink: &mut Counter) -> io::Result<()> {
    for file in bundle.sdsc_files() {
        file.write_to(&mut *sink)?;
    }
    write!(sink, "{}", bundle.function())
}

/// Counts bytes, after they have been in a buffer as for a file.
#[derive(Default)]
struct Counter {
    buffer: Vec<u8>,
    bytes: usize,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.buffer.len() + bytes.len() > 1 << 16 {
            self.buffer.clear();
        }
        self.buffer.extend_from_slice(bytes);
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A size in the kernel's account of this process; `None` where the system does not report it.
fn kilobytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix(field))?;
    size.trim().strip_suffix("kB")?.trim().parse().ok()
}
