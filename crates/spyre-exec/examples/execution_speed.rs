//! How long programs take: the canonical one compiled, and bundles of growing size on the simulated card.
//!
//! ```text
//! cargo run --release -p spyre-exec --example execution_speed
//! ```
//!
//! A row is `compiled ELEMENTS SECONDS` or `simulated ELEMENTS SECONDS`; elements are those of one tensor, and seconds are the
//! minimum of several runs.

use std::error::Error;
use std::time::Instant;

use melior::ir::Module;
use spyre_bundle::Addresses;
use spyre_exec::bundle::{Interface, SimulationOptions, of_module, simulate};
use spyre_exec::random::{self, Distribution};
use spyre_exec::{Array, Options, Program};

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

fn main() -> Result<(), Box<dyn Error>> {
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
            let seconds = shortest(|| {
                executable.run(&inputs)?;
                Ok(())
            })?;
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
