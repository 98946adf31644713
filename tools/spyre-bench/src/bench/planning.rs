//! Measures planning: one function of many operations without hints.

use std::fmt::Write as _;
use std::fs;

use spyre_checkout::error::Error;
use spyre_checkout::project::{Profile, Project};

use super::measure::least;

/// Operations in the functions.
const SIZES: [usize; 2] = [1_000, 10_000];

/// The most that planning the smaller function may take, in seconds of CPU.
const LIMIT: f64 = 2.0;

/// How many times as long the larger one may take.
const GROWTH: f64 = 12.0;

/// Measures and prints the time of `--spyre-plan`.
///
/// # Errors
/// When a measured command fails.
pub(crate) fn planning(project: &Project, runs: usize, max: usize) -> Result<(), Error> {
    let directory = project.target.join("bench");
    println!("\nOne function without hints, CPU seconds of spyre-opt --spyre-plan");
    println!("{:>8} {:>9}", "ops", "plan");
    let mut smaller: Option<f64> = None;
    for ops in SIZES.into_iter().filter(|ops| *ops <= max) {
        let file = directory.join(format!("plan-{ops}.mlir"));
        fs::write(&file, function(ops)).map_err(Error::io(&file))?;
        let mut command = project.tool(Profile::Release, "spyre-opt");
        command.args(["--spyre-plan", "--mlir-disable-threading"]);
        let seconds = least(command.arg(&file), runs)?.cpu();
        let verdict = |holds: bool, limit: String| match holds {
            true => format!("at most {limit}"),
            false => format!("MORE THAN {limit}"),
        };
        let comparison = match smaller {
            None => verdict(seconds <= LIMIT, format!("{LIMIT} s")),
            Some(smaller) => {
                let ratio = seconds / smaller;
                let limit = format!("{GROWTH} times the smaller");
                format!("{ratio:.1} times, {}", verdict(ratio <= GROWTH, limit))
            }
        };
        println!("{ops:>8} {seconds:>9.3}  {comparison}");
        smaller = Some(seconds);
    }
    Ok(())
}

/// Returns a function of `ops` operations, a multiple of 4: layers of a norm of the rows and a sum with the layer
/// before.
fn function(ops: usize) -> String {
    let mut text = String::from(
        "#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>\n\
         #column = #spyre.layout<(d0, d1) -> (0, d0, 0)>\n\
         !t = tensor<1024x1024xf16, #stick>\n!c = tensor<1024x1xf16, #column>\n\
         func.func @f(%x0: !t {spyre.dims = [\"A\", \"B\"]}, %b: !t {spyre.dims = [\"A\", \"B\"]}) -> !t {\n",
    );
    let layers = ops / 4;
    for layer in 0..layers {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  %q{layer} = spyre.mul %x{layer}, %x{layer} : !t\n\
             \x20 %m{layer} = spyre.mean %q{layer} dims [1] keepdim : (!t) -> !c\n\
             \x20 %n{layer} = spyre.mul %x{layer}, %m{layer} : (!t, !c) -> !t\n\
             \x20 %x{} = spyre.add %n{layer}, %b : !t",
            layer + 1
        );
    }
    let _ = writeln!(text, "  return %x{layers} : !t\n}}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_have_four_operations() {
        assert_eq!(function(1000).matches(" = spyre.").count(), 1000);
        assert!(function(8).contains("%x2 = spyre.add %n1, %b"));
    }
}
