//! The run times of programs: the canonical program compiled, and bundles of growing size on the simulated card.
//!
//! ```text
//! cargo run --release -p spyre-exec --example execution_speed -- DIR
//! ```
//!
//! The inputs of the compiled program are the files `a.npy`, `b.npy` and `c.npy` in the directory, which are written first, and
//! its result is `z.npy`: another implementation can read the same numbers and compare.
//!
//! A row is `compiled ELEMENTS SECONDS` or `simulated ELEMENTS SECONDS`, with the elements of one tensor and the
//! minimum of several runs.

use std::env;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use melior::ir::Module;
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, SimulationOptions, of_module, simulate};
use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, Options, Program, npy};

/// Rows by columns; the first is that of the documentation.
const SIZES: [(u64, u64); 4] = [(1024, 4096), (512, 2048), (256, 1024), (128, 512)];

const RUNS: usize = 5;

fn source(rows: u64, columns: u64) -> String {
    format!(
        r#"!t = tensor<{rows}x{columns}xf16, #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>>
func.func @add_mul(%a: !t {{spyre.dims = ["A", "B"]}}, %b: !t {{spyre.dims = ["A", "B"]}}, %c: !t {{spyre.dims = ["A", "B"]}}) -> !t {{
  %y = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 4] : !t
  %z = spyre.mul %y, %c tile [0: "A" in 2, 1: "B" in 4] : !t
  return %z : !t
}}"#
    )
}

/// The shortest of several runs, in seconds.
fn shortest(mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Writes arrays to files, and reads them from there.
fn through_files(
    directory: &Path,
    names: &[&str],
    arrays: &[Array],
) -> Result<Vec<Array>, Box<dyn Error>> {
    let through = |(name, array): (&&str, &Array)| {
        let path = directory.join(format!("{name}.npy"));
        npy::write(&path, array)?;
        Ok(npy::read(&path, array.ty())?)
    };
    names.iter().zip(arrays).map(through).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args_os().nth(1).ok_or("usage: execution_speed DIR")?;
    let directory = Path::new(&directory);
    for (position, (rows, columns)) in SIZES.into_iter().enumerate() {
        let context = spyre_exec::context();
        let module = Module::parse(&context, &source(rows, columns)).ok_or("the program parses")?;
        let program = Program::select(&context, module.as_operation(), None)?;
        let inputs: Vec<Array> = (0..)
            .zip(&program.signature().inputs)
            .filter_map(|(stream, ty)| random::tensor(ty, Distribution::Plain, 1, stream))
            .collect();
        let interface = Interface::of_program(&context, &program)?;
        let elements = rows * columns;
        if position == 0 {
            let executable = program.compile(&context, Options::default())?;
            let inputs = through_files(directory, &["a", "b", "c"], &inputs)?;
            let mut results = Vec::new();
            let seconds = shortest(|| {
                results = executable.run(&inputs)?;
                Ok(())
            })?;
            through_files(directory, &["z"], &results)?;
            println!("compiled {elements} {seconds:.6}");
        }
        let bundle = of_module(&context, module.as_operation(), Addresses::Symbolic)?;
        let seconds = shortest(|| {
            let run = simulate(&bundle, &interface, &inputs, SimulationOptions::default())?;
            match run.report.is_clean() {
                true => Ok(()),
                false => Err(run.report.to_string().into()),
            }
        })?;
        println!("simulated {elements} {seconds:.6}");
    }
    Ok(())
}
