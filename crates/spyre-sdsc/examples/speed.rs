//! Time and memory of compiling `loop 2 { loop 4 { N adds } }` on 32 cores, beside the time of serialising the same
//! structs, the JSON and the function, once they are built.
//!
//! `cargo run --release -p spyre-sdsc --example speed -- N [N ...]` prints one line per N: operations, bytes written,
//! seconds for everything and for serialisation alone, their ratio, and the most memory in use while everything
//! was compiled and written. Each size runs in a process of its own, so that the memory is its own.

use std::io::{self, Write};
use std::process::{Command, ExitCode};
use std::time::Instant;

use spyre_sdsc::bundle::{Bundle, BundleOptions, compile_bundle};
use spyre_sdsc::model::{Allocation, LoopSpec, Node, OpSpec, TensorArg};
use spyre_sdsc::sdsc::{Sdsc, write_json};
use spyre_sdsc::{DeviceFormat, Expr, Symbol};

/// Runs of which the fastest counts.
const RUNS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [mode, ops] if mode == "--one" => one(ops),
        sizes => every(sizes),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn every(sizes: &[String]) -> Result<(), Failure> {
    println!(
        "{:>8} {:>12} {:>10} {:>12} {:>7} {:>10}",
        "ops", "bytes", "total s", "serialise s", "ratio", "peak MB"
    );
    for size in sizes {
        let own = std::env::current_exe()?;
        if !Command::new(own).args(["--one", size]).status()?.success() {
            return Err(format!("{size} operations failed").into());
        }
    }
    Ok(())
}

fn one(ops: &str) -> Result<(), Failure> {
    let ops: usize = ops.parse()?;
    let tree = tree(ops)?;
    let options = BundleOptions::default();
    let mut total = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut sink = Counter::default();
        write_all(&compile_bundle(&tree, &options)?, &mut sink)?;
        total = total.min(start.elapsed().as_secs_f64());
        bytes = sink.bytes;
    }
    let peak = peak_megabytes();
    let bundle = compile_bundle(&tree, &options)?;
    let built: Vec<Sdsc> = bundle.sdsc_files().iter().map(|file| file.sdsc()).collect();
    let mut serialise = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut sink = Counter::default();
        for sdsc in &built {
            write_json(sdsc, &mut sink)?;
        }
        sink.write_all(bundle.mlir_text().as_bytes())?;
        serialise = serialise.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{ops:>8} {bytes:>12} {total:>10.3} {serialise:>12.3} {:>7.2} {peak:>10}",
        total / serialise
    );
    Ok(())
}

/// The tree of the reference's measurement: tiles of 512 x 1024 of tensors of 1024 x 4096 16-bit floats, all in device
/// memory.
fn tree(ops: usize) -> Result<Vec<Node>, Failure> {
    let op = add()?;
    let body = vec![Node::Op(Box::new(op)); ops];
    let inner = LoopSpec::new(4, body);
    Ok(vec![Node::Loop(LoopSpec::new(2, vec![Node::Loop(inner)]))])
}

fn add() -> Result<OpSpec, Failure> {
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
            Allocation::argument(index),
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
    sink.write_all(bundle.mlir_text().as_bytes())
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

/// The most memory that the process has used; "-" where the system does not say.
fn peak_megabytes() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        peak.and_then(|peak| peak.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or_else(
        || "-".to_owned(),
        |kilobytes| (kilobytes / 1024).to_string(),
    )
}
