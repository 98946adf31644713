//! What running costs: the canonical program on the CPU beside NumPy, and bundles on the simulated card by size.

use std::env;
use std::process::Command;

use crate::error::Error;
use crate::process;
use crate::project::Project;

use super::fit::growth_exponent;

/// The most that the compiled program may take, in times of NumPy.
const LIMIT: f64 = 2.0;

/// The same program in NumPy, on arrays of the same size; the shortest of as many runs.
const NUMPY: &str = "
import time, numpy
a, b, c = ((numpy.arange(1024 * 4096, dtype=numpy.int64) * k % 1024 - 512).reshape(1024, 4096).astype(numpy.float16) / 256 for k in (7, 11, 13))
best = float('inf')
for _ in range(5):
    start = time.perf_counter()
    z = (a + b) * c
    best = min(best, time.perf_counter() - start)
print(best)
";

/// Runs the example `execution_speed` of `spyre-exec` in release and prints what it measures.
///
/// # Errors
/// When the build or the example fails.
pub fn execution(project: &Project) -> Result<(), Error> {
    let mut speed = project.cargo();
    speed.args(["run", "--quiet", "--release", "--package", "spyre-exec"]);
    let table = process::output(speed.args(["--example", "execution_speed"]))?;
    println!("\nThe example program, add and mul on tensor<1024x4096xf16>: seconds, minimum of 5");
    if let Some((_, compiled)) = rows(&table, "compiled").first() {
        println!("  compiled for the CPU {compiled:>9.4}");
        match numpy() {
            Some(numpy) => println!(
                "  NumPy                {numpy:>9.4}   {:.2} times that{}",
                compiled / numpy,
                if compiled / numpy <= LIMIT {
                    ""
                } else {
                    "  MORE THAN 2"
                }
            ),
            None => println!(
                "  NumPy is not installed: set PYTHON to an interpreter that has it to compare"
            ),
        }
    }
    let simulated = rows(&table, "simulated");
    println!("Bundles of that program on the simulated card:");
    for (elements, seconds) in &simulated {
        let each = seconds / (2.0 * elements) * 1e9;
        println!("  {elements:>9} elements {seconds:>9.4} s {each:>7.1} ns per element computed");
    }
    if let Some(exponent) = growth_exponent(&simulated) {
        println!("  growth exponent {exponent:.2}");
    }
    Ok(())
}

/// Elements and seconds of the rows of a kind.
fn rows(table: &str, kind: &str) -> Vec<(f64, f64)> {
    let of = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next() != Some(kind) {
            return None;
        }
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    table.lines().filter_map(of).collect()
}

/// Seconds that NumPy takes, if there is one.
fn numpy() -> Option<f64> {
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(python).args(["-c", NUMPY]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn rows_of_a_kind() {
        let table = "compiled 8 0.5\nsimulated 4 2\nsimulated x\n";
        assert_eq!(rows(table, "compiled"), [(8.0, 0.5)]);
        assert_eq!(rows(table, "simulated"), [(4.0, 2.0)]);
    }
}
