//! Measures the memory for a program with its weights in its file.

use std::fs;

use spyre_checkout::error::Error;
use spyre_checkout::project::{Profile, Project};

use super::measure::{measure, peak};

/// Bytes of weights in a file.
const WEIGHTS: usize = 256 << 20;

/// Columns of the matrix of weights.
const COLUMNS: usize = 16384;

/// The most memory, in times of the weights: they are where the file is mapped.
const KEPT: f64 = 1.5;

/// The same limit for a program that narrows weights of 32 bits to 16-bit floats.
const NARROWED: f64 = 2.0;

/// Measures the memory that a program with its weights in the file needs, for the compiler and for the writer of
/// bundles.
pub(crate) fn weights(project: &Project) -> Result<(), Error> {
    let directory = project.target.join("bench");
    println!(
        "\nA program with {} MB of weights in bytecode, most megabytes in memory (VmHWM), and times the weights:",
        WEIGHTS >> 20
    );
    for (element, bytes, float, limit) in [("f16", 2, "keep", KEPT), ("f32", 4, "dl16", NARROWED)] {
        let [text, file, outlined] =
            ["mlir", "mlirbc", "spyre.mlirbc"].map(|end| directory.join(format!("weights.{end}")));
        fs::write(&text, product(element, bytes)).map_err(Error::io(&text))?;
        let mut pack = project.llvm_tool("mlir-opt");
        pack.arg("--emit-bytecode").arg(&text).arg("-o").arg(&file);
        measure(&pack)?;
        // Diagnostics would show its lines, and have it in memory for that.
        fs::remove_file(&text).map_err(Error::io(&text))?;

        let mut import = project.tool(Profile::Release, "spyre-opt");
        import.arg(format!("--spyre-import-linalg=host=true float={float}"));
        import.arg("--emit-bytecode");
        import.arg(&file).arg("-o").arg(&outlined);
        let mut write = project.tool(Profile::Release, "spyre-translate");
        write.arg("--spyre-to-bundle").arg(&outlined).arg("-o");
        write.arg(directory.join("weights"));
        for (tool, command) in [("spyre-opt", &mut import), ("spyre-translate", &mut write)] {
            let peak = peak(command)?;
            let ratio = peak as f64 / WEIGHTS as f64;
            println!(
                "{element}, float={float} {tool:>16} {:>6} {ratio:>5.2}  {}",
                peak >> 20,
                super::verdict(ratio, limit)
            );
        }
    }
    Ok(())
}

/// Returns a product with a matrix of [`WEIGHTS`] bytes, in elements of `bytes` bytes, which are in the file.
fn product(element: &str, bytes: usize) -> String {
    let rows = WEIGHTS / bytes / COLUMNS;
    let [x, w, y] = [(64, rows), (rows, COLUMNS), (64, COLUMNS)]
        .map(|(rows, columns)| format!("tensor<{rows}x{columns}x{element}>"));
    let mut text = format!(
        "func.func @f(%x: {x}) -> {y} {{
  %w = arith.constant dense_resource<w> : {w}
  %z = arith.constant 0.0 : {element}
  %0 = tensor.empty() : {y}
  %1 = linalg.fill ins(%z : {element}) outs(%0 : {y}) -> {y}
  %2 = linalg.matmul ins(%x, %w : {x}, {w}) outs(%1 : {y}) -> {y}
  return %2 : {y}
}}
{{-# dialect_resources: {{ builtin: {{ w: \"0x04000000"
    );
    text.push_str(&"003C0000".repeat(WEIGHTS / 4));
    text.push_str("\" } } #-}\n");
    text
}
