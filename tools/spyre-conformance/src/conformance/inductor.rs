//! Programs of PyTorch Inductor, as linalg on tensors.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::linalg::tolerance;
use super::programs::{self, Program, Table};
use super::{entries, name};
use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The folder of the data that has the programs.
const FOLDER: &str = "inductor";

/// The folder of the build output that has the programs in linalg.
pub(super) const OUTPUT_FOLDER: &str = "inductor-programs";

const TABLE: Table = Table {
    path: "test/inductor-programs.txt",
    head: HEAD,
};

const HEAD: &str = "\
# What becomes of the programs in the data of `cargo xtask conformance`, folder `inductor`.
# Made by `cargo xtask conformance --data DIR --write`.
#
# All of them have the recorded results. NAME@simd is a program as Inductor lowers it for devices other than the CPU.
#
# 100.0 %     the share of the elements that operations compute on the simulated card; then why others stay on the host
# refused     the reason, at the first operation that has one
# differs     by how much
";

/// The files of a folder that have a graph, with the ends of the names of their programs.
const GRAPHS: [(&str, &str); 2] = [("loopir.json", ""), ("loopir_simd.json", "@simd")];

/// How graphs are scheduled before they are converted: not at all, or by a policy.
const POLICIES: [&str; 4] = ["", "cpp", "simd", "spyre"];

/// The text between the name of a program and the policy by which it was scheduled.
const SCHEDULED: &str = ", scheduled by ";

/// The tolerances of results on the CPU relative to PyTorch, in multiples of 1 + |expected|: of `f32`, `f16` and
/// `bf16`.
const CPU_TOLERANCES: [&str; 3] = ["3e-5", "4e-3", "4e-2"];

const LIMIT: Duration = Duration::from_secs(60);

/// Runs every program on the CPU and on the card, and compares the outcome with the table, or writes the table. Returns
/// the differences.
///
/// # Errors
/// The table or the data cannot be read.
pub(super) fn programs(project: &Project, data: &Path, write: bool) -> Result<Vec<String>, Error> {
    let data = data.join(FOLDER);
    if !data.is_dir() {
        println!("there is no {}", data.display());
        return Ok(Vec::new());
    }
    let output = project.target.join(OUTPUT_FOLDER);
    fs::create_dir_all(&output).map_err(Error::io(&output))?;
    let mut graphs = Vec::new();
    for folder in entries(&data)? {
        // Some graphs have no values: their tensors are large.
        if folder.join("out_0.npy").is_file() {
            let is_there = |(file, _): &(&str, &str)| folder.join(file).is_file();
            for (file, end) in GRAPHS.into_iter().filter(is_there) {
                graphs.extend(POLICIES.map(|policy| (folder.clone(), file, end, policy)));
            }
        }
    }
    let mut failures = Vec::new();
    let mut programs = Vec::new();
    let converted = process::parallel(&graphs, |(folder, file, end, policy)| {
        let case = name(folder);
        let name = format!("{case}{end}");
        program(project, &output, (name, folder, &folder.join(file)), policy)
    });
    for converted in converted {
        match converted? {
            Ok(program) => programs.push(program),
            Err(reason) => failures.push(reason),
        }
    }
    let on_cpu = process::parallel(&programs, |program| program.on_cpu(project));
    let mut failed = 0;
    for wrong in on_cpu {
        if let Some(reason) = wrong? {
            failed += 1;
            failures.push(reason);
        }
    }
    println!(
        "{FOLDER:<20} {:<20} {:>6} {:>7} {failed:>7}",
        "run on the CPU",
        programs.len(),
        programs.len() - failed
    );
    programs.retain(|program| !program.name.contains(SCHEDULED));
    // The card rounds products of 16 bits more often than the CPU.
    for program in &mut programs {
        let text = &program.text;
        let source = fs::read_to_string(text).map_err(Error::io(text))?;
        program.tolerance = tolerance(&source).to_owned();
    }
    let outcomes = programs::outcomes(project, &programs)?;
    for (_, end) in GRAPHS {
        let selection = outcomes.iter();
        let selection = selection.filter(|(name, _)| name.ends_with("@simd") != end.is_empty());
        let label = format!("run{end}");
        programs::report(FOLDER, &label, selection.map(|(_, outcome)| outcome));
    }
    failures.extend(TABLE.compare(project, &outcomes, write)?);
    Ok(failures)
}

/// Converts a graph, given by its name, folder and file, to linalg. Returns the program, or the failure.
fn program(
    project: &Project,
    output: &Path,
    (name, folder, graph): (String, &Path, &Path),
    policy: &str,
) -> Result<Result<Program, String>, Error> {
    let name = match policy {
        "" => name,
        policy => format!("{name}{SCHEDULED}{policy}"),
    };
    let file = name.replace(SCHEDULED, "+");
    let (imported, text) = (
        output.join(format!("{file}.inductor.mlir")),
        output.join(format!("{file}.mlir")),
    );
    let mut import = project.tool(Profile::Debug, "spyre-translate");
    import
        .arg("--import-inductor")
        .arg(graph)
        .arg("-o")
        .arg(&imported);
    let mut convert = project.tool(Profile::Debug, "spyre-opt");
    convert.arg(&imported);
    if !policy.is_empty() {
        convert.arg(format!("--inductor-schedule=policy={policy}"));
    }
    convert.arg("--convert-inductor-to-linalg=sizes=hint");
    convert.arg("-o").arg(&text);
    let mut commands = vec![import, convert];
    let realized = output.join(format!("{file}.realized.mlir"));
    if policy.is_empty() {
        let base = if name.ends_with("@simd") {
            "simd"
        } else {
            "cpp"
        };
        let mut realize = project.tool(Profile::Debug, "spyre-opt");
        realize
            .arg(&imported)
            .arg(format!("--inductor-realize=policy={base}"));
        realize.arg("-o").arg(&realized);
        commands.push(realize);
    }
    for mut command in commands {
        let finished = process::limited(&mut command, None, LIMIT)?;
        if !finished.success() {
            return Ok(Err(format!("  {name}: {}", finished.stderr().trim())));
        }
    }
    if policy.is_empty() {
        // PyTorch exports after this decision: its buffers follow the rules of its device.
        let (before, after) = (expressions(&imported)?, expressions(&realized)?);
        if before != after {
            return Ok(Err(format!(
                "  {name}: --inductor-realize leaves {after} of {before} buffers"
            )));
        }
    }
    let source = fs::read_to_string(&text).map_err(Error::io(&text))?;
    // Sizes are among the inputs, and have no files.
    let mut outputs = numbered(folder, "out_", ".npy")?;
    let inputs = numbered(folder, "in_", ".npy")?;
    // After the results come the new values of inputs.
    outputs.extend(numbered(folder, "in_", "_after.npy")?);
    Ok(Ok(Program {
        name,
        inputs,
        outputs,
        tolerance: programs::tolerance(&source, CPU_TOLERANCES).to_owned(),
        is_narrow: false,
        text,
    }))
}

/// Returns the number of expressions in a file.
fn expressions(file: &Path) -> Result<usize, Error> {
    let text = fs::read_to_string(file).map_err(Error::io(file))?;
    Ok(text.matches("inductor.pointwise").count())
}

/// Returns the files of a folder with a number between two texts as a name, in the order of the numbers.
fn numbered(folder: &Path, before: &str, after: &str) -> Result<Vec<PathBuf>, Error> {
    let mut files: Vec<(u32, PathBuf)> = Vec::new();
    for file in entries(folder)? {
        let name = name(&file);
        let number = name
            .strip_prefix(before)
            .and_then(|name| name.strip_suffix(after))
            .and_then(|number| number.parse().ok());
        if let Some(number) = number {
            files.push((number, file.clone()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, file)| file).collect())
}
