//! Measures the cost of a bundle: compiling and writing it, beside writing the same files once they are built.

use crate::error::Error;
use crate::process;
use crate::project::Project;

/// Operations in the trees.
const SIZES: [usize; 2] = [1_000, 10_000];

/// The most that compiling and writing may cost, in times of writing alone.
const LIMIT: f64 = 2.0;

/// Runs the example `speed` of `spyre-sdsc` in release, and prints its rows and whether each ratio is at most
/// [`LIMIT`].
///
/// # Errors
/// When the build or the example fails.
pub(crate) fn bundle(project: &Project, max: usize) -> Result<(), Error> {
    let sizes = SIZES.into_iter().filter(|ops| *ops <= max);
    let mut speed = project.cargo();
    speed.args(["run", "--quiet", "--release", "--package", "spyre-sdsc"]);
    speed.args(["--example", "speed", "--"]);
    speed.args(sizes.map(|ops| ops.to_string()));
    println!(
        "\nA bundle of loop 2 {{ loop 4 {{ N adds }} }} on 32 cores: everything, and serialising alone what is built;\n\
         repeated = one operation N times, chain = N different ones"
    );
    let table = process::output(&mut speed)?;
    for line in table.lines() {
        println!("{line}{}", verdict(line));
    }
    Ok(())
}

/// Returns the verdict beside a row; empty beside the heading.
fn verdict(row: &str) -> String {
    match ratio(row) {
        Some(ratio) if ratio <= LIMIT => format!("  at most {LIMIT}"),
        Some(_) => format!("  MORE THAN {LIMIT}"),
        None => String::new(),
    }
}

/// Returns the ratio in a row: program, operations, bytes, seconds, seconds, ratio, memory. `None` for the heading.
fn ratio(row: &str) -> Option<f64> {
    row.split_whitespace().nth(5)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::verdict;

    #[test]
    fn rows_are_judged_and_the_heading_is_not() {
        let heading = "   program      ops        bytes    total s  serialise s   ratio  kB per op";
        assert_eq!(verdict(heading), "");
        let row = |ratio| format!("  repeated 1000 38970419 0.081 0.051 {ratio} 21.1");
        assert_eq!(verdict(&row("1.60")), "  at most 2");
        assert_eq!(verdict(&row("2.00")), "  at most 2");
        assert_eq!(verdict(&row("2.01")), "  MORE THAN 2");
    }
}
