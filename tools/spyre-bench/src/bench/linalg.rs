//! Measures the import of programs of linalg, compared with upstream's generalization and canonicalization of the same
//! file, and the way of a whole transformer to its bundle.

use std::fmt::Write as _;
use std::fs;

use spyre_checkout::error::Error;
use spyre_checkout::project::{Profile, Project};

use super::fit::growth_exponent;
use super::measure::{Cost, measure};

/// Structured operations in the programs.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// The most that the import may cost, in times of upstream's passes.
const LIMIT: f64 = 3.0;

/// Structured operations in a function.
const FUNCTION: usize = 100;

/// Layers of the transformer.
const LAYERS: usize = 24;

/// The most that compiling the transformer may cost, in seconds of CPU.
const MODEL_LIMIT: f64 = 2.0;

/// Measures and prints both.
///
/// # Errors
/// When a measured command fails.
pub(crate) fn linalg(project: &Project, runs: usize, max: usize) -> Result<(), Error> {
    let directory = project.target.join("bench");
    println!(
        "\nPrograms of linalg, CPU seconds of whole processes: upstream = mlir-opt --linalg-generalize-named-ops --canonicalize;\n\
         import = spyre-opt --spyre-import-linalg"
    );
    println!(
        "{:>8} {:>9} {:>9} {:>6}",
        "ops", "upstream", "import", "ratio"
    );
    let mut points = Vec::new();
    for ops in SIZES.into_iter().filter(|ops| *ops <= max) {
        let file = directory.join(format!("linalg-{ops}.mlir"));
        fs::write(&file, chains(ops)).map_err(Error::io(&file))?;
        let mut upstream = project.llvm_tool("mlir-opt");
        upstream.args(["--linalg-generalize-named-ops", "--canonicalize"]);
        let mut import = project.tool(Profile::Release, "spyre-opt");
        import.arg("--spyre-import-linalg");
        for command in [&mut upstream, &mut import] {
            command.arg(&file).arg("--mlir-disable-threading");
        }
        let mut costs: [Option<Cost>; 2] = [None; 2];
        for _ in 0..runs {
            for (best, command) in costs.iter_mut().zip([&upstream, &import]) {
                let cost = measure(command)?;
                *best = Some(best.map_or(cost, |best: Cost| best.min(cost)));
            }
        }
        let [upstream, import] =
            costs.map(|cost| cost.expect("every benchmark runs at least once").cpu());
        let ratio = import / upstream;
        println!(
            "{ops:>8} {upstream:>9.3} {import:>9.3} {ratio:>6.2}  {}",
            super::verdict(ratio, LIMIT)
        );
        points.push((ops as f64, import));
    }
    if let Some(exponent) = growth_exponent(&points) {
        println!("growth exponent of the import: {exponent:.3}");
    }
    model(project, runs)
}

/// Measures a transformer from linalg to the files of its bundle.
fn model(project: &Project, runs: usize) -> Result<(), Error> {
    let directory = project.target.join("bench");
    let text = transformer(LAYERS);
    let ops = text.matches("linalg.").count() - text.matches("linalg.yield").count();
    let (file, imported) = (
        directory.join("model.mlir"),
        directory.join("model.spyre.mlir"),
    );
    fs::write(&file, text).map_err(Error::io(&file))?;
    let mut import = project.tool(Profile::Release, "spyre-opt");
    import
        .arg("--spyre-import-linalg")
        .arg(&file)
        .arg("-o")
        .arg(&imported);
    let mut compile = project.tool(Profile::Release, "spyre-translate");
    compile.arg("--spyre-to-bundle").arg(&imported).arg("-o");
    compile.arg(directory.join("model"));
    let mut best: Option<(f64, f64)> = None;
    for _ in 0..runs {
        let costs = (measure(&import)?.cpu(), measure(&compile)?.cpu());
        let is_less = best.is_none_or(|best| costs.0 + costs.1 < best.0 + best.1);
        best = if is_less { Some(costs) } else { best };
    }
    let (import, compile) = best.expect("every benchmark runs at least once");
    println!(
        "\nA transformer of {LAYERS} layers, {ops} structured operations: {import:.3} s of CPU to device operations, \
         {compile:.3} s to the files of its bundle  {}",
        super::verdict(import + compile, MODEL_LIMIT)
    );
    Ok(())
}

/// Returns a module with `ops` structured operations, in functions of [`FUNCTION`], each a chain.
fn chains(ops: usize) -> String {
    let mut text = String::from(
        "#rows = affine_map<(d0, d1) -> (d1)>\n#one = affine_map<(d0, d1) -> (d0)>\n#all = affine_map<(d0, d1) -> (d0, d1)>\n\
         !t = tensor<128x256xf16>\n",
    );
    for function in 0..ops.div_ceil(FUNCTION) {
        let size = FUNCTION.min(ops - function * FUNCTION);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "func.func @f{function}(%a: !t, %w: tensor<256x256xf16>, %b: tensor<256xf16>) -> !t {{\n  \
             %zero = arith.constant 0.0 : f16\n  %e = tensor.empty() : !t\n  %r = tensor.empty() : tensor<128xf16>"
        );
        let mut last = "%a".to_owned();
        for op in 0..size {
            let name = format!("%y{op}");
            let _ = match op % 5 {
                0 => writeln!(
                    text,
                    "  {name} = linalg.fill ins(%zero : f16) outs(%e : !t) -> !t"
                ),
                1 => writeln!(
                    text,
                    "  {name} = linalg.matmul ins(%y{}, %w : !t, tensor<256x256xf16>) outs(%y{} : !t) -> !t",
                    if op == 1 {
                        "0".to_owned()
                    } else {
                        (op - 2).to_string()
                    },
                    op - 1
                ),
                2 => writeln!(
                    text,
                    "  {name} = linalg.generic {{indexing_maps = [#all, #rows, #all], iterator_types = [\"parallel\", \"parallel\"]}} \
                     ins({last}, %b : !t, tensor<256xf16>) outs(%e : !t) {{\n  ^bb0(%in: f16, %bias: f16, %out: f16):\n    \
                     %s = arith.addf %in, %bias : f16\n    %m = arith.maximumf %s, %zero : f16\n    linalg.yield %m : f16\n  }} -> !t"
                ),
                3 => writeln!(
                    text,
                    "  {name} = linalg.exp ins({last} : !t) outs(%e : !t) -> !t"
                ),
                _ => writeln!(
                    text,
                    "  {name} = linalg.add ins({last}, %a : !t, !t) outs(%e : !t) -> !t"
                ),
            };
            last = name;
        }
        let _ = writeln!(text, "  return {last} : !t\n}}");
    }
    text
}

/// The rows, columns and heads of the transformer.
const ROWS: usize = 128;
const MODEL: usize = 256;
const HIDDEN: usize = 1024;
const HEADS: usize = 4;

/// Returns a function with `layers` layers of a transformer: a norm, attention of several heads, a norm and a gated
/// layer. Each layer has separate weights.
fn transformer(layers: usize) -> String {
    let head = MODEL / HEADS;
    let mut text = format!(
        "#id = affine_map<(d0, d1) -> (d0, d1)>\n#row = affine_map<(d0, d1) -> (d0)>\n#column = affine_map<(d0, d1) -> (d1)>\n\
         #id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>\n#row3 = affine_map<(d0, d1, d2) -> (d0, d1)>\n\
         !x = tensor<{ROWS}x{MODEL}xf16>\n!h = tensor<{ROWS}x{HIDDEN}xf16>\n!r = tensor<{ROWS}xf16>\n\
         !q = tensor<{HEADS}x{ROWS}x{head}xf16>\n!k = tensor<{HEADS}x{head}x{ROWS}xf16>\n!s = tensor<{HEADS}x{ROWS}x{ROWS}xf16>\n\
         !m = tensor<{HEADS}x{ROWS}xf16>\n!w = tensor<{MODEL}x{MODEL}xf16>\n!u = tensor<{MODEL}x{HIDDEN}xf16>\n\
         !d = tensor<{HIDDEN}x{MODEL}xf16>\n!n = tensor<{MODEL}xf16>\nfunc.func @model(%x: !x"
    );
    for layer in 0..layers {
        for (name, ty) in WEIGHTS {
            let _ = write!(text, ", %{name}{layer}: {ty}");
        }
    }
    text.push_str(
        ") -> !x {\n  %zero = arith.constant 0.0 : f16\n  %low = arith.constant 0xFC00 : f16\n  %one = arith.constant 1.0 : f16\n  \
         %eps = arith.constant 1.0e-3 : f16\n  %count = arith.constant 2.56e+2 : f16\n  %scale = arith.constant 0.125 : f16\n",
    );
    for ty in ["x", "h", "r", "q", "k", "s", "m"] {
        let _ = writeln!(text, "  %e{ty} = tensor.empty() : !{ty}");
    }
    let mut writer = Writer { text, next: 0 };
    let mut x = "%x".to_owned();
    for layer in 0..layers {
        x = writer.layer(&x, layer);
    }
    let mut text = writer.text;
    let _ = writeln!(text, "  return {x} : !x\n}}");
    text
}

/// The weights of a layer.
const WEIGHTS: [(&str, &str); 9] = [
    ("na", "!n"),
    ("wq", "!w"),
    ("wk", "!w"),
    ("wv", "!w"),
    ("wo", "!w"),
    ("nb", "!n"),
    ("wg", "!u"),
    ("wu", "!u"),
    ("wd", "!d"),
];

/// Writes structured operations, each with a different name.
struct Writer {
    text: String,
    next: usize,
}

impl Writer {
    fn op(&mut self, line: &str) -> String {
        let name = format!("%v{}", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "  {name} = {line}");
        name
    }

    fn fill(&mut self, value: &str, ty: &str) -> String {
        self.op(&format!(
            "linalg.fill ins(%{value} : f16) outs(%e{ty} : !{ty}) -> !{ty}"
        ))
    }

    fn product(&mut self, name: &str, a: [&str; 2], b: [&str; 2], ty: &str) -> String {
        let zero = self.fill("zero", ty);
        self.op(&format!(
            "linalg.{name} ins({}, {} : {}, {}) outs({zero} : !{ty}) -> !{ty}",
            a[0], b[0], a[1], b[1]
        ))
    }

    /// An operation element by element, of operands with their types and maps.
    fn generic(
        &mut self,
        operands: &[(&str, &str, &str)],
        ty: &str,
        rank: usize,
        body: &str,
    ) -> String {
        let column = |part: fn(&(&str, &str, &str)) -> String| {
            operands.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        let id = if rank == 3 { "#id3" } else { "#id" };
        let kinds = vec!["\"parallel\""; rank].join(", ");
        let arguments: String = (0..operands.len()).fold(String::new(), |mut all, at| {
            let _ = write!(all, "%i{at}: f16, ");
            all
        });
        self.op(&format!(
            "linalg.generic {{indexing_maps = [{}, {id}], iterator_types = [{kinds}]}} ins({} : {}) outs(%e{ty} : !{ty}) {{\n  \
             ^bb0({arguments}%out: f16):\n{body}  }} -> !{ty}",
            column(|operand| operand.2.to_owned()),
            column(|operand| operand.0.to_owned()),
            column(|operand| operand.1.to_owned()),
        ))
    }

    /// A combination of each row.
    fn reduce(&mut self, x: &str, types: [&str; 2], start: &str, combiner: &str) -> String {
        let [from, to] = types;
        let start = self.fill(start, to);
        let (id, row, kinds) = match to {
            "m" => ("#id3", "#row3", "\"parallel\", \"parallel\", \"reduction\""),
            _ => ("#id", "#row", "\"parallel\", \"reduction\""),
        };
        self.op(&format!(
            "linalg.generic {{indexing_maps = [{id}, {row}], iterator_types = [{kinds}]}} ins({x} : !{from}) outs({start} : !{to}) {{\n  \
             ^bb0(%i0: f16, %out: f16):\n    %y = {combiner} %i0, %out : f16\n    linalg.yield %y : f16\n  }} -> !{to}"
        ))
    }

    fn norm(&mut self, x: &str, weight: &str) -> String {
        let square = self.generic(
            &[(x, "!x", "#id")],
            "x",
            2,
            "    %y = arith.mulf %i0, %i0 : f16\n    linalg.yield %y : f16\n",
        );
        let sum = self.reduce(&square, ["x", "r"], "zero", "arith.addf");
        self.generic(
            &[(x, "!x", "#id"), (&sum, "!r", "#row"), (weight, "!n", "#column")],
            "x",
            2,
            "    %0 = arith.divf %i1, %count : f16\n    %1 = arith.addf %0, %eps : f16\n    %2 = math.rsqrt %1 : f16\n    \
             %3 = arith.mulf %i0, %2 : f16\n    %4 = arith.mulf %3, %i2 : f16\n    linalg.yield %4 : f16\n",
        )
    }

    /// The heads of a product with a weight: (heads, rows, columns), or (heads, columns, rows).
    fn heads(&mut self, x: &str, weight: &str, ty: &str, order: &str) -> String {
        let product = self.product("matmul", [x, "!x"], [weight, "!w"], "x");
        let (head, wide) = (
            MODEL / HEADS,
            format!("tensor<{ROWS}x{HEADS}x{}xf16>", MODEL / HEADS),
        );
        let parts = self.op(&format!(
            "tensor.expand_shape {product} [[0], [1, 2]] output_shape [{ROWS}, {HEADS}, {head}] : !x into {wide}"
        ));
        self.op(&format!(
            "linalg.transpose ins({parts} : {wide}) outs(%e{ty} : !{ty}) permutation = [{order}]"
        ))
    }

    fn layer(&mut self, x: &str, layer: usize) -> String {
        let weight = |name: &str| format!("%{name}{layer}");
        let y = self.norm(x, &weight("na"));
        let q = self.heads(&y, &weight("wq"), "q", "1, 0, 2");
        let k = self.heads(&y, &weight("wk"), "k", "1, 2, 0");
        let v = self.heads(&y, &weight("wv"), "q", "1, 0, 2");
        let scores = self.product("batch_matmul", [&q, "!q"], [&k, "!k"], "s");
        let largest = self.reduce(&scores, ["s", "m"], "low", "arith.maximumf");
        let powers = self.generic(
            &[(&scores, "!s", "#id3"), (&largest, "!m", "#row3")],
            "s",
            3,
            "    %0 = arith.subf %i0, %i1 : f16\n    %1 = arith.mulf %0, %scale : f16\n    %2 = math.exp %1 : f16\n    \
             linalg.yield %2 : f16\n",
        );
        let sum = self.reduce(&powers, ["s", "m"], "zero", "arith.addf");
        let shares = self.generic(
            &[(&powers, "!s", "#id3"), (&sum, "!m", "#row3")],
            "s",
            3,
            "    %0 = arith.divf %i0, %i1 : f16\n    linalg.yield %0 : f16\n",
        );
        let mixed = self.product("batch_matmul", [&shares, "!s"], [&v, "!q"], "q");
        let head = MODEL / HEADS;
        let wide = format!("tensor<{ROWS}x{HEADS}x{head}xf16>");
        let empty = self.op(&format!("tensor.empty() : {wide}"));
        let back = self.op(&format!(
            "linalg.transpose ins({mixed} : !q) outs({empty} : {wide}) permutation = [1, 0, 2]"
        ));
        let joined = self.op(&format!(
            "tensor.collapse_shape {back} [[0], [1, 2]] : {wide} into !x"
        ));
        let out = self.product("matmul", [&joined, "!x"], [&weight("wo"), "!w"], "x");
        let x = self.op(&format!(
            "linalg.add ins({x}, {out} : !x, !x) outs(%ex : !x) -> !x"
        ));
        let y = self.norm(&x, &weight("nb"));
        let gate = self.product("matmul", [&y, "!x"], [&weight("wg"), "!u"], "h");
        let up = self.product("matmul", [&y, "!x"], [&weight("wu"), "!u"], "h");
        let gated = self.generic(
            &[(&gate, "!h", "#id"), (&up, "!h", "#id")],
            "h",
            2,
            "    %0 = arith.negf %i0 : f16\n    %1 = math.exp %0 : f16\n    %2 = arith.addf %1, %one : f16\n    \
             %3 = arith.divf %i0, %2 : f16\n    %4 = arith.mulf %3, %i1 : f16\n    linalg.yield %4 : f16\n",
        );
        let down = self.product("matmul", [&gated, "!h"], [&weight("wd"), "!d"], "x");
        self.op(&format!(
            "linalg.add ins({x}, {down} : !x, !x) outs(%ex : !x) -> !x"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{chains, transformer};

    #[test]
    fn the_number_of_operations_is_exact() {
        let count =
            |text: &str| text.matches("linalg.").count() - text.matches("linalg.yield").count();
        assert_eq!(count(&chains(250)), 250);
        let (one, two) = (count(&transformer(1)), count(&transformer(2)));
        assert_eq!(two, 2 * one);
    }
}
