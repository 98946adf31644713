//! Measures the cost of a bundle: compiling and writing it, writing the same files once they are built, and the way of
//! the tools from a tree of operations to files.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::measure::least;
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// Operations in the trees.
const SIZES: [usize; 2] = [1_000, 10_000];

/// The most that compiling and writing may cost, in times of writing alone.
const LIMIT: f64 = 2.0;

/// The operations of a tree that goes through the tools. Its module has 160,000 operations, one for each address.
const THROUGH_TOOLS: usize = 1_000;

/// The most that both tools may cost, in times of parsing and printing the module between them.
const TOOLS_LIMIT: f64 = 3.5;

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
        println!("{line}{}", verdict_of(line));
    }
    Ok(())
}

/// The most that the way without the function of the module may cost, in the same.
const DIRECT_LIMIT: f64 = 1.25;

/// Runs `spyre-translate` with `--import-opspec` and with `--spyre-to-bundle` on the tree of [`bundle`], and prints the
/// CPU time of both next to the time of stock `mlir-opt`, which parses and prints the module; then the time of
/// `--opspec-to-bundle`, which needs no function in it.
///
/// # Errors
/// When one of them fails.
pub(crate) fn through_tools(project: &Project, runs: usize) -> Result<(), Error> {
    let directory = project.target.join("bench");
    let [trees, module, files] =
        ["tree.json", "tree.mlir", "tree"].map(|name| directory.join(name));
    println!(
        "\nThe same {THROUGH_TOOLS} operations through the tools, CPU seconds, minimum of {runs}; stock = mlir-opt with the plugin \
         parses and prints the module; direct = --opspec-to-bundle"
    );
    println!(
        "{:>10} {:>8} {:>8} {:>8} {:>7} {:>15} {:>8} {:>7}",
        "program", "import", "bundle", "stock", "ratio", "", "direct", "ratio"
    );
    for (name, step) in [("repeated", 0), ("chain", 1)] {
        fs::write(&trees, tree(THROUGH_TOOLS, step)).map_err(Error::io(&trees))?;
        let mut import = project.tool(Profile::Release, "spyre-translate");
        import.arg("--import-opspec").arg(&trees);
        let mut write = project.tool(Profile::Release, "spyre-translate");
        write.arg("--spyre-to-bundle").arg(&module);
        let mut direct = project.tool(Profile::Release, "spyre-translate");
        direct.arg("--opspec-to-bundle").arg(&trees);
        let mut stock = project.stock_mlir_opt(Profile::Release);
        stock.arg("--mlir-disable-threading").arg(&module);
        let cpu = |command: &mut Command, into: &Path| {
            least(command.arg("-o").arg(into), runs).map(|cost| cost.cpu())
        };
        let import = cpu(&mut import, &module)?;
        let write = cpu(&mut write, &files)?;
        let direct = cpu(&mut direct, &files)?;
        let stock = cpu(&mut stock, Path::new("/dev/null"))?;
        let ratio = (import + write) / stock;
        let alone = direct / stock;
        println!(
            "{name:>10} {import:>8.3} {write:>8.3} {stock:>8.3} {ratio:>7.2} {:>15} {direct:>8.3} {alone:>7.2}  {}",
            super::verdict(ratio, TOOLS_LIMIT),
            super::verdict(alone, DIRECT_LIMIT)
        );
    }
    Ok(())
}

/// Returns the JSON of `loop 2 { loop 4 { ops adds } }`, in tiles of 512 x 1024 of tensors of 1024 x 4096. Operation i
/// adds arguments `step * i` and the next one into the one after that.
fn tree(ops: usize, step: usize) -> String {
    let argument = |number: usize, is_input: bool| {
        format!(
            r#"{{"is_input": {is_input}, "arg_index": {number}, "device_dtype": "SEN169_FP16", "device_size": [64, 1024, 64],
 "device_coordinates": ["floor(c1/64)", "c0", "Mod(c1, 64)"], "allocation": {{"hbm": {number}}},
 "device_tile_advance_expr": "32768*rows + 1048576*columns"}}"#
        )
    };
    let body: Vec<String> = (0..ops)
        .map(|number| {
            let first = step * number;
            let arguments =
                [(0, true), (1, true), (2, false)].map(|(at, read)| argument(first + at, read));
            format!(
                r#"{{"kind": "op", "op": "add", "is_reduction": false, "op_info": {{}}, "tiled_levels": [["columns"], ["rows"]],
 "iteration_space": [{{"symbol": "c0", "range": "512", "work_division": 32}}, {{"symbol": "c1", "range": "1024", "work_division": 1}}],
 "args": [{}]}}"#,
                arguments.join(",\n")
            )
        })
        .collect();
    let inner = format!(
        r#"{{"kind": "loop", "count": "4", "body": [{}]}}"#,
        body.join(",\n")
    );
    format!(r#"[{{"kind": "loop", "count": "2", "body": [{inner}]}}]"#)
}

/// Returns the verdict of a row; empty for the heading.
fn verdict_of(row: &str) -> String {
    ratio(row).map_or_else(String::new, |ratio| {
        format!("  {}", super::verdict(ratio, LIMIT))
    })
}

/// Returns the ratio in a row: program, operations, bytes, seconds, seconds, ratio, memory. `None` for the heading.
fn ratio(row: &str) -> Option<f64> {
    row.split_whitespace().nth(5)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::verdict_of;

    #[test]
    fn rows_are_judged_and_the_heading_is_not() {
        let heading = "   program      ops        bytes    total s  serialise s   ratio  kB per op";
        assert_eq!(verdict_of(heading), "");
        let row = |ratio| format!("  repeated 1000 38970419 0.081 0.051 {ratio} 21.1");
        assert_eq!(verdict_of(&row("1.60")), "  at most 2");
        assert_eq!(verdict_of(&row("2.00")), "  at most 2");
        assert_eq!(verdict_of(&row("2.01")), "  MORE THAN 2");
    }
}
