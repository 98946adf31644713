//! `cargo xtask conformance`: recorded trees that go through MLIR.
//!
//! * A tree compiled directly and a tree that `spyre-translate --import-opspec` has made a module of, which
//!   `--spyre-to-bundle` has written, are the same files.
//! * Each of these files keeps the published schema, where the data has it.
//! * The function of that module and the recorded `bundle.mlir` are the same function.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The time limit for one run of a tool on one file.
const LIMIT: Duration = Duration::from_secs(60);

/// The outcome of a comparison.
enum Outcome {
    Equal,
    /// Excluded from the comparison, for this reason.
    Excluded(String),
    Failed(String),
}

/// The outcomes of one case.
struct Comparison {
    name: String,
    files: Outcome,
    function: Outcome,
}

/// Compares both roads for every recorded tree below `cases`, checks the files against a JSON schema, prints a table,
/// and returns the failures.
///
/// # Errors
/// Files that cannot be read or written.
pub(crate) fn compare(
    project: &Project,
    cases: &[PathBuf],
    schema: Option<&Path>,
) -> Result<Vec<String>, Error> {
    let scratch = std::env::temp_dir().join(format!("spyre-conformance-{}", std::process::id()));
    let mut trees = Vec::new();
    for case in cases {
        let file = case.join("case.json");
        let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
        if has_entry(&text, "stage", "bundle") && has_entry(&text, "status", "ok") {
            trees.push(case.clone());
        }
    }
    let compared = process::parallel(&trees, |case| {
        let name = case.file_name().unwrap_or_default().to_string_lossy();
        let files = Case {
            project,
            case,
            scratch: scratch.join(&*name),
            schema,
        };
        files.compare(name.into_owned())
    });
    // Files that are left in a temporary directory do not matter.
    let _ = fs::remove_dir_all(&scratch);
    let mut failures = Vec::new();
    println!(
        "\n{:<48} {:>6} {:>7} {:>9} {:>7}",
        "recorded trees", "cases", "equal", "excluded", "failed"
    );
    table(
        "tree -> MLIR -> files, and tree -> files",
        &compared,
        |c| &c.files,
        &mut failures,
    );
    table(
        "the function in MLIR, and bundle.mlir",
        &compared,
        |c| &c.function,
        &mut failures,
    );
    if trees.is_empty() {
        failures.push("  there are no recorded trees".to_owned());
    }
    Ok(failures)
}

fn table(
    title: &str,
    compared: &[Comparison],
    outcome: impl Fn(&Comparison) -> &Outcome,
    failures: &mut Vec<String>,
) {
    let (mut equal, mut failed) = (0, 0);
    let mut excluded: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in compared {
        match outcome(case) {
            Outcome::Equal => equal += 1,
            Outcome::Excluded(reason) => excluded.entry(reason).or_default().push(&case.name),
            Outcome::Failed(reason) => {
                failed += 1;
                failures.push(format!("  {} ({title}): {reason}", case.name));
            }
        }
    }
    let left_out: usize = excluded.values().map(Vec::len).sum();
    println!(
        "{title:<48} {:>6} {equal:>7} {left_out:>9} {failed:>7}",
        compared.len()
    );
    for (reason, names) in excluded {
        println!("{:>73} excluded: {reason}", names.len());
        for name in names {
            println!("{:>73}           {name}", "");
        }
    }
}

/// Returns whether a JSON text has this entry at any depth. Recorded cases have these keys once.
fn has_entry(text: &str, key: &str, value: &str) -> bool {
    let dense: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    dense.contains(&format!("\"{key}\":\"{value}\""))
}

/// A recorded tree, and the folder for the files of its roads.
struct Case<'a> {
    project: &'a Project,
    case: &'a Path,
    scratch: PathBuf,
    /// The published schema of the files of operations.
    schema: Option<&'a Path>,
}

impl Case<'_> {
    fn compare(&self, name: String) -> Comparison {
        let (files, function) = match self.roads() {
            Ok((files, function)) => (files, function),
            Err(reason) => (Outcome::Failed(reason.clone()), Outcome::Excluded(reason)),
        };
        Comparison {
            name,
            files,
            function,
        }
    }

    fn tool(&self, name: &str) -> Command {
        self.project.tool(Profile::Debug, name)
    }

    /// Returns both outcomes, or why there is no module.
    fn roads(&self) -> Result<(Outcome, Outcome), String> {
        let excluded =
            |reason: String| (Outcome::Excluded(reason.clone()), Outcome::Excluded(reason));
        fs::create_dir_all(&self.scratch).map_err(|err| err.to_string())?;
        let tree = self.case.join("case.json");
        let text = fs::read_to_string(&tree).map_err(|err| err.to_string())?;
        let is_first = has_entry(&text, "revision", "r1");
        let (direct, through) = (self.scratch.join("direct"), self.scratch.join("through"));
        let mut compile = Command::new(
            self.project
                .bin_dir(Profile::Debug)
                .join("examples/compile"),
        );
        if let Err(reason) = succeed(compile.arg(&tree).arg(&direct)) {
            // The recorded loops were written to be unrolled.
            if is_first && reason.contains("which is one tile") {
                return Ok(excluded(
                    "first revision: device sizes of one tile in device memory".to_owned(),
                ));
            }
            // The names of operations and the numbers differ between cases.
            let reason = reason.rsplit(": ").next().unwrap_or_default();
            let reason = format!("the generator refuses the tree: {reason}");
            return Ok(excluded(reason));
        }
        let module = self.scratch.join("module.mlir");
        let mut import = self.tool("spyre-translate");
        import
            .arg("--import-opspec")
            .arg(&tree)
            .arg("-o")
            .arg(&module);
        succeed(&mut import)?;
        let mut round_trip = self.tool("spyre-opt");
        succeed(
            round_trip
                .arg(&module)
                .args(["--verify-roundtrip", "-o", "/dev/null"]),
        )?;
        // Through bytecode, so that both forms of the module are tested.
        let bytecode = self.scratch.join("module.mlirbc");
        let mut encode = self.tool("spyre-opt");
        succeed(
            encode
                .arg(&module)
                .arg("--emit-bytecode")
                .arg("-o")
                .arg(&bytecode),
        )?;
        let mut export = self.tool("spyre-translate");
        // A tree of the reference's tests may reach outside of its tensors, which the exit code then shows.
        let exported = succeed(
            export
                .args(["--spyre-to-bundle", "--verify-written"])
                .arg(&bytecode)
                .arg("-o")
                .arg(&through),
        );
        if !through.join("bundle.mlir").exists() {
            exported?;
        }
        let files = match different(&direct, &through) {
            Ok(None) => match self.violation(&through)? {
                None => Outcome::Equal,
                Some(violation) => Outcome::Failed(violation),
            },
            Ok(Some(file)) => Outcome::Failed(format!("{file} differs")),
            Err(err) => Outcome::Failed(err.to_string()),
        };
        Ok((files, self.function(&module, &direct, is_first)))
    }

    /// Compares the function of a module with the recorded one, if the generator writes the recorded bundle.
    fn function(&self, module: &Path, direct: &Path, is_first: bool) -> Outcome {
        let recorded = self.case.join("expected/bundle.mlir");
        match (fs::read(&recorded), fs::read(direct.join("bundle.mlir"))) {
            (Ok(recorded), Ok(ours)) if recorded != ours => Outcome::Excluded(
                if is_first {
                    "first revision: bundle.mlir has another form"
                } else {
                    "the generator writes another bundle.mlir, see above"
                }
                .to_owned(),
            ),
            (Ok(_), Ok(_)) => match self.same_function(module, &recorded) {
                Ok(true) => Outcome::Equal,
                Ok(false) => Outcome::Failed("another function".to_owned()),
                Err(reason) => Outcome::Failed(reason),
            },
            (Err(err), _) | (_, Err(err)) => Outcome::Failed(err.to_string()),
        }
    }

    /// Returns the first violation of the schema in the files of a bundle. Other rules may be broken: tests of the
    /// reference compiler invent addresses.
    fn violation(&self, bundle: &Path) -> Result<Option<String>, String> {
        let Some(schema) = self.schema else {
            return Ok(None);
        };
        let mut verify = self.tool("spyre-translate");
        verify.arg("--verify-bundle").arg(bundle);
        verify.arg("--schema").arg(schema);
        let finished = process::limited(&mut verify, None, LIMIT).map_err(|err| err.to_string())?;
        let messages = finished.stderr();
        let violation = messages
            .lines()
            .find(|line| line.contains(": violates the schema: "));
        Ok(violation.map(str::to_owned))
    }

    /// Returns whether the function of a module is the recorded one. Both are compared as `spyre-opt` prints them in
    /// generic form, which names values by their order. Parts that only our module has are left out.
    fn same_function(&self, module: &Path, recorded: &Path) -> Result<bool, String> {
        let plain = self.scratch.join("plain.mlir");
        let text = fs::read_to_string(module).map_err(|err| err.to_string())?;
        fs::write(&plain, without_op_specs(&text)).map_err(|err| err.to_string())?;
        let generic = |file: &Path| {
            let mut print = self.tool("spyre-opt");
            succeed(print.arg(file).arg("--mlir-print-op-generic"))
        };
        Ok(generic(&plain)? == generic(recorded)?)
    }
}

/// Returns the text of a module without OpSpecs and without the attributes that name them and runtime sizes.
fn without_op_specs(text: &str) -> String {
    // The tensors of an OpSpec are on separate lines.
    let starts = ["sdscbundle.op_spec", "<in ", "<out "];
    let is_op_spec = |line: &str| {
        starts
            .iter()
            .any(|start| line.trim_start().starts_with(start))
    };
    let lines = text.lines().filter(|line| !is_op_spec(line));
    let mut kept: String = lines.flat_map(|line| [line, "\n"]).collect();
    for (start, end) in [
        (" {sdscbundle.size = ", ">}"),
        ("sdscbundle.op_spec = @", ", "),
    ] {
        while let Some(from) = kept.find(start) {
            let Some(length) = kept.get(from..).and_then(|rest| rest.find(end)) else {
                break;
            };
            kept.replace_range(from..from + length + end.len(), "");
        }
    }
    kept
}

/// Returns the name of a file that only one of two directories has, or that is different in them; `None` if they are
/// the same.
fn different(one: &Path, other: &Path) -> std::io::Result<Option<String>> {
    let names = |directory: &Path| -> std::io::Result<Vec<std::ffi::OsString>> {
        let mut names = fs::read_dir(directory)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<std::io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    let (here, there) = (names(one)?, names(other)?);
    if here != there {
        return Ok(Some("the set of files".to_owned()));
    }
    for name in here {
        if fs::read(one.join(&name))? != fs::read(other.join(&name))? {
            return Ok(Some(name.to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Runs a command. Returns its standard output, or the first line of its error.
fn succeed(command: &mut Command) -> Result<Vec<u8>, String> {
    let finished = process::limited(command, None, LIMIT).map_err(|err| err.to_string())?;
    if finished.success() {
        return Ok(finished.stdout);
    }
    let stderr = finished.stderr();
    let first = stderr.lines().find(|line| !line.trim().is_empty());
    Err(first.unwrap_or("no message").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_json_are_found_whatever_the_spacing() {
        assert!(has_entry("{\"stage\" :\n \"bundle\"}", "stage", "bundle"));
        assert!(!has_entry("{\"stage\": \"emit\"}", "stage", "bundle"));
    }

    #[test]
    fn only_what_names_op_specs_and_sizes_is_removed() {
        let text = "module {\n  sdscbundle.op_spec @sdsc_0 \"add\" args [\n    <in arg 0>,\n    <out lx 0>]\n  func.func @f(%arg0: index {sdscbundle.size = #sdscbundle.size<\"s0\" in 0 dim 0>}) {\n    \
                    execute () {sdscbundle.op_spec = @sdsc_1, symbol_ids = []}\n  }\n}\n";
        assert_eq!(
            without_op_specs(text),
            "module {\n  func.func @f(%arg0: index) {\n    execute () {symbol_ids = []}\n  }\n}\n"
        );
    }
}
