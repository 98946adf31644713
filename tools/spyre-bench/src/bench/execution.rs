//! Measures the cost of running: the canonical program on the CPU and in NumPy, and bundles on the simulated card by
//! size.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::Project;

use super::fit::growth_exponent;

/// The most that the compiled program may take, in times of NumPy.
const LIMIT: f64 = 2.0;

/// The same program in NumPy, on the same arrays. It prints the shortest time of equally many runs, and whether the
/// result is the same.
const NUMPY: &str = "
import os, sys, time, numpy
a, b, c, expected = (numpy.load(os.path.join(sys.argv[1], name + '.npy')) for name in 'abcz')
best = float('inf')
for _ in range(5):
    start = time.perf_counter()
    z = (a + b) * c
    best = min(best, time.perf_counter() - start)
print(best, int(numpy.array_equal(z, expected)))
";

/// Runs the example `execution_speed` of `spyre-exec` in release and prints its measurements.
///
/// # Errors
/// When the build or the example fails, or the results of NumPy differ.
pub(crate) fn execution(project: &Project) -> Result<(), Error> {
    let directory = project.target.join("bench").join("arrays");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    let mut speed = project.cargo();
    speed.args(["run", "--quiet", "--release", "--package", "spyre-exec"]);
    speed.args(["--example", "execution_speed", "--"]);
    let table = process::output(speed.arg(&directory))?;
    println!(
        "\nThe example program, add and mul on tensor<1024x4096xf16>: seconds on the same arrays, minimum of 5"
    );
    if let Some((_, compiled)) = rows(&table, "compiled").first() {
        println!("  compiled for the CPU {compiled:>9.4}");
        match numpy(&directory) {
            Some((_, false)) => {
                let arrays = directory.display();
                return Err(Error::Verdict(format!(
                    "NumPy computes another result from the arrays in {arrays}"
                )));
            }
            Some((numpy, true)) => println!(
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

/// Returns elements and seconds of the rows of a kind.
fn rows(table: &str, kind: &str) -> Vec<(f64, f64)> {
    let times_of = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next() != Some(kind) {
            return None;
        }
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    table.lines().filter_map(times_of).collect()
}

/// Returns the seconds that NumPy takes, and whether it computes the same; `None` if there is no NumPy.
fn numpy(directory: &Path) -> Option<(f64, bool)> {
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    let output = command.args(["-c", NUMPY]).arg(directory).output().ok()?;
    timed(&String::from_utf8(output.stdout).ok()?)
}

/// Reads the output of the program in NumPy.
fn timed(line: &str) -> Option<(f64, bool)> {
    let (seconds, same) = line.trim().split_once(' ')?;
    Some((seconds.parse().ok()?, same == "1"))
}

#[cfg(test)]
mod tests {
    use super::{rows, timed};

    #[test]
    fn seconds_and_whether_the_result_is_the_same() {
        assert_eq!(timed("0.25 1\n"), Some((0.25, true)));
        assert_eq!(timed("0.25 0\n"), Some((0.25, false)));
        assert_eq!(timed(""), None);
    }

    #[test]
    fn rows_of_a_kind() {
        let table = "compiled 8 0.5\nsimulated 4 2\nsimulated x\n";
        assert_eq!(rows(table, "compiled"), [(8.0, 0.5)]);
        assert_eq!(rows(table, "simulated"), [(4.0, 2.0)]);
    }
}
