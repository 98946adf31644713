//! Drops, one at a time, each statement that appends an operation, a loop, an address, a symbol, a value or a core in the builder of
//! loops, in planning, in the conversion and in emission, and expects the compilation of some program of `test/Integration` to fail.
//! A statement that no program reaches is an error too, unless it is listed with the reason.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use melior::ir::Attribute;
use spyre_bundle::Addresses;
use spyre_dialects::attr;
use spyre_exec::bundle;
use spyre_mlir_rt::{ir, source};
use spyre_slips::{Site, reached, without};

/// Most programs that a site slips in before it counts as not noticed.
const MOST_PROGRAMS: usize = 12;

/// The sources with sites that programs have to reach: files, and the directories next to them.
const SOURCES: [&str; 5] = [
    "crates/spyre-sdsc/src/bundle",
    "crates/spyre-conversion/src/to_sdscbundle",
    "crates/spyre-planning/src/scratchpad",
    "crates/spyre-planning/src/coarse_tile/construct",
    "crates/spyre-dialects/src/op_spec",
];

/// The sites that no program reaches: the end of the file's path, the line, and the reason.
const UNREACHED: &[(&str, &str, &str)] = &[
    (
        "bundle/link.rs",
        "linked.put(match node {",
        "recorded operations alone are linked; `check_linked` counts them",
    ),
    (
        "bundle/link.rs",
        "plan.ops.put(PlannedOp {",
        "recorded operations alone are linked; a node without one is out of bounds in emission",
    ),
    (
        "bundle/emit.rs",
        "ParamBinding::Dimension { symbol, .. } if keeps() => {",
        "loops alone run over runtime sizes in converted programs; a symbol without a value is an error",
    ),
    (
        "bundle/tree.rs",
        "distinct.put(runtime.clone());",
        "loops alone run over runtime sizes in converted programs; a symbol without a value is an error",
    ),
    (
        "bundle/symbols.rs",
        "dimensions.put((dim, self.add(size, None, None)));",
        "loops alone run over runtime sizes in converted programs; the file expects a symbol for each size",
    ),
    (
        "bundle/declare.rs",
        "sizes.put(size);",
        "no tensor is divided along a runtime size in converted programs; `conserved` compares a map with its values",
    ),
    (
        "bundle/declare.rs",
        "body.put(Stmt::Apply {",
        "no tensor is divided along a runtime size in converted programs; `conserved` expects every value in order",
    ),
    (
        "to_sdscbundle/build.rs",
        "if filename.strip_suffix(\".json\") != Some(spec) && keeps() {",
        "files are not shared without an option; the names of a bundle's OpSpecs and files are compared when it is read",
    ),
    (
        "scratchpad/bounds.rs",
        "loops.put(Shifted { op, body, count });",
        "loops count from 0 in the programs; the conversion refuses one that does not",
    ),
];

/// The sites that change no program, by file and line, and why.
const EQUIVALENT: [(&str, &str, &str); 1] = [(
    "scratchpad/carried.rs",
    "if is_exchanged && keeps() {",
    "`--spyre-insert-tensor-copies` copies all that loops yield, and planning behind it keeps the first copy beside the others; \
     of planning alone, which overwrites a tensor that is read, P4 is broken",
)];

/// The files with functions that are compiled with copies of arguments in the scratchpad as well.
const CACHED: [&str; 3] = ["flash_attention.mlir", "softmax.mlir", "matmul.mlir"];

/// The mark of a function with arguments that are to be copied into the scratchpad.
const CACHE_ARGUMENTS: &str = "spyre.cache_arguments";

/// A function of a file.
struct Program {
    path: PathBuf,
    text: String,
    function: String,
    /// Whether its arguments are to be copied into the scratchpad.
    is_cached: bool,
}

#[test]
fn every_statement_that_slips_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut sites: BTreeMap<Site, Vec<(Duration, usize)>> = BTreeMap::new();
    let programs = programs();
    for (number, program) in programs.iter().enumerate() {
        let start = Instant::now();
        let (is_compiled, of_program) = reached(|| compiles(program));
        // Programs that need special options are compiled elsewhere.
        if is_compiled {
            let took = start.elapsed();
            for site in of_program {
                sites.entry(site).or_default().push((took, number));
            }
        }
    }
    let lines = sites.keys().map(|site| (site.file.to_owned(), site.line));
    let unreached = unreached(&lines.collect());
    let lines = lines_of_sites();
    let is_equivalent = |site: &Site| {
        let mut lines = lines.iter();
        let line =
            lines.find(|(file, number, _)| (file.as_str(), *number) == (site.file, site.line));
        line.is_some_and(|(file, _, line)| {
            let mut listed = EQUIVALENT.iter();
            listed.any(|(suffix, text, _)| file.ends_with(suffix) && text == line)
        })
    };
    let mut unnoticed = Vec::new();
    for (site, users) in &mut sites {
        users.sort_unstable();
        let mut tried = users.iter().take(MOST_PROGRAMS);
        let is_noticed = tried.any(|(_, number)| !without(site, || compiles(&programs[*number])));
        if is_noticed == is_equivalent(site) {
            let program = &programs[users[0].1];
            let (path, function) = (program.path.display(), &program.function);
            unnoticed.push(format!("{site} (for example in {path}, @{function})"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(
        unreached.is_empty(),
        "{} lines are not as this test says:\n{}",
        unreached.len(),
        unreached.join("\n")
    );
    assert!(
        unnoticed.is_empty(),
        "{} of {} sites slip without a word, or are noticed and listed as equivalent:\n{}",
        unnoticed.len(),
        sites.len(),
        unnoticed.join("\n")
    );
}

/// Returns whether a program compiles to a bundle that satisfies the rules.
fn compiles(program: &Program) -> bool {
    let compile = || {
        let context = spyre_exec::context();
        let handler = context.attach_diagnostic_handler(|_| true);
        let (built, _) =
            source::with_source_text(&context, "program.mlir", &program.text, |module| {
                for op in ir::operations(ir::body(module).expect("a module has a body")) {
                    let name = ir::attribute(op, "sym_name").and_then(attr::string);
                    if ir::name(op) != "func.func" {
                        continue;
                    }
                    if name.as_ref() != Some(&program.function) {
                        ir::erase(op);
                    } else if program.is_cached {
                        let mark = Attribute::unit(&context);
                        ir::set_discardable_attribute(op, CACHE_ARGUMENTS, mark);
                    }
                }
                bundle::verified(&context, module, Addresses::Symbolic).is_ok()
            });
        context.detach_diagnostic_handler(handler);
        built == Some(true)
    };
    catch_unwind(AssertUnwindSafe(compile)).unwrap_or(false)
}

/// Compares the lines of the sources that have sites with the reached ones. Returns the differences from [`UNREACHED`].
fn unreached(reached: &BTreeSet<(String, u32)>) -> Vec<String> {
    let mut differences = Vec::new();
    let mut listed = vec![false; UNREACHED.len()];
    for (file, number, line) in lines_of_sites() {
        let is_this =
            |(suffix, text, _): &(&str, &str, &str)| file.ends_with(suffix) && *text == line;
        let entry = UNREACHED.iter().position(is_this);
        let is_reached = reached.contains(&(file.clone(), number));
        match entry {
            Some(entry) => {
                listed[entry] = true;
                if is_reached {
                    differences.push(format!("{file}:{number} is reached, but listed: {line}"));
                }
            }
            None if !is_reached => {
                differences.push(format!("{file}:{number} is not reached: {line}"))
            }
            None => {}
        }
    }
    let gone = UNREACHED.iter().zip(listed);
    let gone = gone.filter(|(_, is_listed)| !is_listed);
    differences.extend(gone.map(|((file, line, _), _)| format!("{file} has no such line: {line}")));
    differences
}

/// Returns the lines of the sources that test whether they may append: the file relative to the root of the workspace,
/// the number, and the text without indentation.
fn lines_of_sites() -> Vec<(String, u32, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut messages = Vec::new();
    let mut pending: Vec<PathBuf> = Vec::new();
    for source in SOURCES {
        pending.extend([PathBuf::from(source), PathBuf::from(format!("{source}.rs"))]);
    }
    while let Some(path) = pending.pop() {
        let full = root.join(&path);
        if full.is_dir() {
            for entry in std::fs::read_dir(&full).expect("a directory of sources") {
                pending.push(path.join(entry.expect("an entry").file_name()));
            }
            continue;
        }
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
        if is_test || path.extension().is_none_or(|kind| kind != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&full).expect("a readable source");
        let file = path.to_str().expect("the paths of sources are text");
        for (number, line) in (1..).zip(text.lines()) {
            // Tests are at the end of a file.
            if line == "#[cfg(test)]" {
                break;
            }
            let line = line.trim();
            let asks = line.contains(".put(") || line.contains("keeps()");
            if asks && !line.starts_with("//") {
                messages.push((file.to_owned(), number, line.to_owned()));
            }
        }
    }
    messages.sort_unstable();
    messages
}

/// Finds the functions of the files.
fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/Integration");
    let mut paths = Vec::new();
    let mut pending = vec![root];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of tests") {
            let path = entry.expect("an entry").path();
            // Models take seconds each and reach no other sites.
            let is_model = path.file_name().is_some_and(|name| name == "Models");
            if path.is_dir() && !is_model {
                pending.push(path);
            } else if path.extension().is_some_and(|kind| kind == "mlir") {
                paths.push(path);
            }
        }
    }
    paths.sort_unstable();
    let mut programs = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable test");
        let functions: Vec<String> = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("func.func @"))
            .map(|rest| rest.split('(').next().unwrap_or(rest).to_owned())
            .collect();
        let may_be_cached = CACHED.iter().any(|name| path.ends_with(name));
        for function in functions {
            for is_cached in [false, true] {
                if !is_cached || may_be_cached {
                    programs.push(Program {
                        path: path.clone(),
                        text: text.clone(),
                        function: function.clone(),
                        is_cached,
                    });
                }
            }
        }
    }
    programs
}
