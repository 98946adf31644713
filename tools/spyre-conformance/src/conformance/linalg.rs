//! Programs of front ends, as linalg on tensors.

use std::fs;
use std::path::Path;

use super::entries;
use super::programs::{self, Program, Table};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// The folder of the data that has the programs, and its folders, one for each front end.
pub(super) const FOLDER: &str = "linalg";
const FRONT_ENDS: [&str; 2] = ["jax", "onnx"];

const TABLE: Table = Table {
    path: "test/linalg-programs.txt",
    head: HEAD,
};

const HEAD: &str = "\
# What becomes of the programs in the data of `cargo xtask conformance`, folder `linalg`.
# Made by `cargo xtask conformance --data DIR --write`.
#
# All of them have the recorded results, but for those that are refused or differ. NAME@dl16 is a program of f32 with its
# floats in 16 bits.
#
# 100.0 %     the share of the elements that operations compute on the simulated card; then why others stay on the host
# nothing     nothing is computed when it runs: it depends on no input, or only moves elements
# refused     the reason, at the first operation that has one
# differs     by how much, from results of f32
";

/// The suffix of the name of a program with floats of 16 bits.
const NARROW: &str = "@dl16";

/// Runs every program and compares the outcome with the table, or writes the table. Returns the differences.
///
/// # Errors
/// The table or the data cannot be read.
pub(super) fn programs(project: &Project, data: &Path, write: bool) -> Result<Vec<String>, Error> {
    let mut folders = Vec::new();
    for front_end in FRONT_ENDS {
        let folder = data.join(FOLDER).join(front_end);
        if folder.is_dir() {
            folders.extend(entries(&folder)?);
        }
    }
    if folders.is_empty() {
        println!("{} has no {FOLDER}", data.display());
        return Ok(Vec::new());
    }
    let mut programs = Vec::new();
    for folder in folders {
        let text = folder.join("linalg.mlir");
        let source = fs::read_to_string(&text).map_err(Error::io(&text))?;
        if is_single(&source) {
            programs.push(program(&folder, &source, true));
        }
        programs.push(program(&folder, &source, false));
    }
    let outcomes = programs::outcomes(project, &programs)?;
    for (is_narrow, label) in [(false, "run"), (true, "run, float=dl16")] {
        let selection = outcomes
            .iter()
            .filter(|(name, _)| name.ends_with(NARROW) == is_narrow);
        programs::report(FOLDER, label, selection.map(|(_, outcome)| outcome));
    }
    TABLE.compare(project, &outcomes, write)
}

/// Returns the program of a folder.
fn program(folder: &Path, source: &str, is_narrow: bool) -> Program {
    let (end, tolerance) = match is_narrow {
        true => (NARROW, "2e-2"),
        false => ("", tolerance(source)),
    };
    Program {
        name: format!("{}{end}", name(folder)),
        text: folder.join("linalg.mlir"),
        inputs: programs::numbered(folder, "in_"),
        outputs: programs::numbered(folder, "out_"),
        tolerance: tolerance.to_owned(),
        is_narrow,
    }
}

/// Returns the front end and the name of a program.
fn name(program: &Path) -> String {
    let parts: Vec<_> = program
        .iter()
        .rev()
        .take(2)
        .map(|part| part.to_string_lossy())
        .collect();
    format!("{}/{}", parts[1], parts[0])
}

/// Returns whether the public function of a program has floats of 32 bits.
fn is_single(source: &str) -> bool {
    let signature = source.lines().find(|line| line.contains("func.func"));
    signature.is_some_and(|line| line.contains("f32"))
}

/// Returns by how much results may differ, in multiples of 1 + |expected|. Sums of products of f16 are rounded often.
pub(super) fn tolerance(source: &str) -> &'static str {
    let signature = source.lines().find(|line| line.contains("func.func"));
    let is_half = signature.is_some_and(|line| line.contains("f16"));
    let has_products = ["matmul", "conv_"].iter().any(|name| source.contains(name));
    match (is_half, has_products) {
        (true, true) => "3e-2",
        (true, false) => "1e-2",
        (false, _) => "2e-4",
    }
}

#[cfg(test)]
mod tests {
    use super::{name, tolerance};
    use std::path::Path;

    #[test]
    fn programs_are_named_by_their_front_end() {
        assert_eq!(name(Path::new("/data/linalg/onnx/sin")), "onnx/sin");
    }

    #[test]
    fn tolerances_are_of_the_signature() {
        assert_eq!(
            tolerance("func.func @f(%a: tensor<4xf32>)\n arith.truncf to f16"),
            "2e-4"
        );
        assert_eq!(
            tolerance("module {\nfunc.func @f(%a: tensor<4xf16>)"),
            "1e-2"
        );
        assert_eq!(
            tolerance("func.func @f(%a: tensor<4xf16>)\nlinalg.matmul"),
            "3e-2"
        );
    }
}
