//! `cargo xtask oracle`: kernels in KTIR, executed by an interpreter of others, against the same programs on the CPU.
//!
//! Each program is planned in three forms on each number of cores: without tiles, with the tiles of its hints, and as
//! `--spyre-plan` decides without hints. `ktir/run.py` executes the kernel in both orders of cores, with results that
//! start as NaN. [`generated`] runs drawn programs instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The folder of the programs.
const PROGRAMS: &str = "examples/ktir";

/// The start of a first line with options of `spyre-run` for the inputs.
const INPUTS: &str = "// inputs: ";

/// The start of a first line with sizes of dynamic dimensions, each of which is a run: `S=16 S=64`; `S=16,T=64` for two
/// dimensions.
const SIZES: &str = "// sizes: ";

/// The options of the command line.
#[derive(Debug)]
pub(crate) struct Options {
    /// A checkout of the interpreter ktir-cpu.
    pub interpreter: PathBuf,
    /// Python 3.12 with NumPy.
    pub python: String,
    /// The names of programs; empty for all.
    pub programs: Vec<String>,
}

/// The drawn programs of the command line.
#[derive(Debug)]
pub(crate) struct Generated {
    /// How many programs.
    pub programs: u64,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The number of the first program.
    pub first: u64,
    /// How many programs run at a time; as many as there are processors, unless it is given.
    pub threads: Option<u64>,
}

/// The script that runs kernels on the interpreter.
const SCRIPT: &str = "tools/spyre-conformance/ktir/run.py";

/// Runs drawn programs on the CPU and the simulated card, and their kernels on the interpreter. Those that fail go to
/// `target/oracle/failures`.
///
/// # Errors
/// A program fails, or a result differs.
pub(crate) fn generated(
    project: &Project,
    options: &Options,
    generated: &Generated,
) -> Result<(), Error> {
    let mut build = project.cargo();
    process::run(build.args(["build", "--package", "spyre-fuzz-cli"]))?;
    let mut fuzz = project.tool(Profile::Debug, "spyre-fuzz");
    fuzz.arg("ktir")
        .args(["--cases", &generated.programs.to_string()])
        .args(["--seed", &generated.seed.to_string()])
        .args(["--first", &generated.first.to_string()]);
    if let Some(threads) = generated.threads {
        fuzz.args(["--threads", &threads.to_string()]);
    }
    fuzz.arg("--output")
        .arg(project.target.join("oracle/failures"))
        .args(["--", &options.python])
        .arg(project.root.join(SCRIPT))
        .arg(&options.interpreter)
        .args(["--serve", &TOLERANCE.to_string()]);
    process::run(&mut fuzz)
}

/// The forms of a program: the name, the options of the pipeline, and whether it has hints.
const FORMS: [(&str, &str, bool); 3] = [
    ("untiled", "coarse-tile=false", true),
    ("hinted", "plan=false", true),
    ("planned", "", false),
];

/// The numbers of cores.
const CORES: [u32; 3] = [1, 4, 32];

/// The largest error of an element, of 1 + its magnitude. Sums are added up in another order than on the CPU, so that a
/// result of 16 bits may be rounded to a neighbour, and later operations see that.
const TOLERANCE: f64 = 0.01;

/// Builds the tools, runs the programs, and prints a table of errors.
///
/// # Errors
/// A program fails, or a result differs.
pub(crate) fn oracle(project: &Project, options: &Options) -> Result<(), Error> {
    let mut build = project.cargo();
    process::run(build.args(["build", "--package", "spyre-opt", "--package", "spyre-run"]))?;
    let folder = project.root.join(PROGRAMS);
    let mut failures = 0;
    println!("| program | form | cores | result |\n|---|---|---|---|");
    for program in programs(&folder, &options.programs)? {
        for case in Case::all(project, options, &program)? {
            // Tiles of a dynamic dimension are in the program, and no plan is without them.
            let forms = FORMS
                .iter()
                .filter(|form| case.sizes.is_empty() || form.0 == "hinted");
            for &(form, pipeline, has_hints) in forms {
                for cores in CORES {
                    let outcome = case.run(form, pipeline, has_hints, cores);
                    failures += u32::from(outcome.is_err());
                    let text = outcome.unwrap_or_else(|error| format!("FAILED {error}"));
                    let text = text.trim().replace('\n', " ");
                    println!("| {} | {form} | {cores} | {text} |", case.name);
                }
            }
        }
    }
    match failures {
        0 => Ok(()),
        _ => Err(Error::Verdict(format!("{failures} kernels failed"))),
    }
}

/// Returns the programs of a folder, of these names or all of them, in order.
fn programs(folder: &Path, names: &[String]) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::Io {
        path: folder.display().to_string(),
        source,
    };
    let mut programs = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_wanted = names.is_empty() || names.iter().any(|other| *other == name);
        if is_wanted && path.extension().is_some_and(|ext| ext == "mlir") {
            programs.push(path);
        }
    }
    programs.sort();
    Ok(programs)
}

/// A program with inputs and expected results.
struct Case<'a> {
    project: &'a Project,
    options: &'a Options,
    name: String,
    program: PathBuf,
    /// The program without hints.
    plain: PathBuf,
    folder: PathBuf,
    /// The extents of dynamic dimensions, `S=16` each.
    sizes: Vec<String>,
    /// The number of results.
    results: usize,
}

impl<'a> Case<'a> {
    /// Returns the cases of a program: one, or one for each choice of extents.
    fn all(project: &'a Project, options: &'a Options, program: &Path) -> Result<Vec<Self>, Error> {
        let text = fs::read_to_string(program).map_err(failed(program))?;
        let first = text.lines().next().unwrap_or_default();
        let Some(choices) = first.strip_prefix(SIZES) else {
            return Ok(vec![Self::new(project, options, program, &text, "")?]);
        };
        let choices = choices.split_whitespace();
        let cases = choices.map(|sizes| Self::new(project, options, program, &text, sizes));
        cases.collect()
    }

    /// Runs the program on the CPU, with extents of dynamic dimensions.
    fn new(
        project: &'a Project,
        options: &'a Options,
        program: &Path,
        text: &str,
        sizes: &str,
    ) -> Result<Self, Error> {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let name = match sizes.is_empty() {
            true => name.into_owned(),
            false => format!("{name} {sizes}"),
        };
        let folder = project
            .target
            .join("oracle")
            .join(name.replace([' ', ','], "-"));
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        let plain = folder.join("plain.mlir");
        fs::write(&plain, without_hints(text)).map_err(failed(&plain))?;
        let case = Self {
            project,
            options,
            name,
            program: program.to_owned(),
            plain,
            folder,
            sizes: sizes
                .split(',')
                .filter(|size| !size.is_empty())
                .map(str::to_owned)
                .collect(),
            results: results(text),
        };
        let mut run = project.tool(Profile::Debug, "spyre-run");
        run.arg(&case.plain).args(["--random-seed", "1"]);
        for size in &case.sizes {
            run.args(["--size", size]);
        }
        let first = text.lines().next().unwrap_or_default();
        run.args(
            first
                .strip_prefix(INPUTS)
                .into_iter()
                .flat_map(str::split_whitespace),
        );
        run.arg("--save-inputs").arg(&case.folder);
        case.outputs(&mut run, &case.folder);
        process::output(&mut run)?;
        Ok(case)
    }

    /// Adds the files of results to a command line.
    fn outputs(&self, run: &mut Command, folder: &Path) {
        for number in 0..self.results {
            run.arg("--output")
                .arg(folder.join(format!("output_{number}.npy")));
        }
    }

    /// Runs a form of the program on a number of cores. Returns the summary of the interpreter.
    fn run(
        &self,
        form: &str,
        pipeline: &str,
        has_hints: bool,
        cores: u32,
    ) -> Result<String, Error> {
        let source = if has_hints {
            &self.program
        } else {
            &self.plain
        };
        let planned = self.folder.join(format!("{form}-{cores}.mlir"));
        let kernel = self.folder.join(format!("{form}-{cores}.ktir.mlir"));
        let pipeline = format!("--spyre-pipeline=bundle=false {pipeline} target={{cores={cores}}}");
        self.opt(&[&pipeline], source, &planned)?;
        self.opt(&["--convert-spyre-to-ktir"], &planned, &kernel)?;
        let expected = self.expect(&planned, &format!("{form}-{cores}"))?;
        let script = self.project.root.join(SCRIPT);
        let mut python = Command::new(&self.options.python);
        python.arg(script).arg(&self.options.interpreter);
        python
            .args([&planned, &kernel, &self.folder, &expected])
            .arg(TOLERANCE.to_string())
            .args(&self.sizes);
        process::output(&mut python)
    }

    /// Runs a planned program on the CPU. Returns the folder of its results. Tiles round other partial results than the
    /// whole, so each form has its own.
    fn expect(&self, planned: &Path, name: &str) -> Result<PathBuf, Error> {
        if !self.sizes.is_empty() {
            // A planned program has room for the largest extents, and its inputs would have.
            return Ok(self.folder.clone());
        }
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        let mut run = self.project.tool(Profile::Debug, "spyre-run");
        run.arg(planned);
        for number in 0.. {
            let input = self.folder.join(format!("input_{number}.npy"));
            if !input.exists() {
                break;
            }
            run.arg("--input").arg(input);
        }
        self.outputs(&mut run, &folder);
        process::output(&mut run)?;
        Ok(folder)
    }

    fn opt(&self, passes: &[&str], input: &Path, output: &Path) -> Result<(), Error> {
        let mut opt = self.project.tool(Profile::Debug, "spyre-opt");
        opt.args(passes).args([
            "--mlir-print-local-scope",
            "--mlir-print-op-on-diagnostic=false",
        ]);
        process::output(opt.arg(input).arg("-o").arg(output)).map(drop)
    }
}

/// Returns the error of a file.
fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.display().to_string();
    move |source| Error::Io { path, source }
}

/// Returns the number of results of a program with one function.
fn results(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim_start);
    let returned = lines.rfind(|line| line.starts_with("return"));
    returned.map_or(0, |line| line.matches('%').count())
}

/// Returns the text of a program without its scopes of tiles.
fn without_hints(text: &str) -> String {
    let Some((before, rest)) = text.split_once(" attributes {spyre.tile_scopes = [") else {
        return text.to_owned();
    };
    let after = rest.split_once("]}").map_or("", |(_, after)| after);
    format!("{before}{after}")
}
