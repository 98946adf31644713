//! Drops, one at a time, each statement of `sites.txt`, which appends an operation, a loop, an address, a symbol, a
//! value or a core in the builder of loops, in planning, in the conversion and in emission, and expects the compilation
//! of some program of `test/Integration` to fail. A statement that no program reaches is an error too, unless the list
//! has the reason.
//!
//! `cargo xtask slips` runs it as a test of `spyre-exec`, in a copy of the tree with a guard around each statement.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyre_bundle::Addresses;
use spyre_dialects::attr;
use spyre_dialects::function_plan::FunctionPlan;
use spyre_dialects::names::PLAN;
use spyre_exec::bundle;
use spyre_mlir_rt::{ir, source};
use spyre_slips::{Site, reached, without};

/// Most programs that a site slips in before it counts as not noticed.
const MOST_PROGRAMS: usize = 12;

/// The list of the guarded statements, from the directory of this test.
const PLACES: &str = "places.txt";

/// The files with functions that are compiled with copies of arguments in the scratchpad as well.
const CACHED: [&str; 3] = ["flash_attention.mlir", "softmax.mlir", "matmul.mlir"];

/// A function of a file.
struct Program {
    path: PathBuf,
    text: String,
    function: String,
    /// Whether its arguments are to be copied into the scratchpad.
    is_cached: bool,
}

/// The outcome that the list expects of a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Some program fails to compile.
    Noticed,
    /// No program reaches the statement.
    Unreached,
    /// Every program compiles as it does with the statement.
    Equivalent,
}

/// A guarded statement: its first line, and the expected outcome.
#[derive(Debug)]
struct Place {
    text: String,
    expected: Expected,
}

/// The guarded statements by file, from the root of the workspace, and line.
type Places = BTreeMap<(String, u32), Place>;

/// The programs that reach a site, by number, with the time that they take to compile.
type Users = Vec<(Duration, usize)>;

#[test]
fn every_statement_that_slips_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let (places, programs) = (places(), programs());
    let mut sites = sites(&programs);
    let mut differences = differences(&places, &sites.keys().collect());
    let mut equivalent = 0;
    for (site, users) in &mut sites {
        users.sort_unstable();
        let mut tried = users.iter().take(MOST_PROGRAMS);
        let is_noticed = tried.any(|(_, number)| !without(site, || compiles(&programs[*number])));
        let place = places.get(&(site.file.to_owned(), site.line));
        let is_equivalent = place.is_some_and(|place| place.expected == Expected::Equivalent);
        equivalent += usize::from(is_equivalent);
        if is_noticed == is_equivalent {
            let program = &programs[users[0].1];
            let (path, function) = (program.path.display(), &program.function);
            let outcome = match is_noticed {
                true => "slips with an error, but is listed as equivalent",
                false => "slips without an error",
            };
            let text = place.map_or("", |place| place.text.as_str());
            differences.push(format!(
                "{site} {outcome} (for example in {path}, @{function}): {text}"
            ));
        }
    }
    let _ = std::panic::take_hook();
    println!(
        "{} statements in {} programs: {} are reached, and the slips of {equivalent} of them change no program",
        places.len(),
        programs.len(),
        sites.len()
    );
    assert!(
        differences.is_empty(),
        "{} statements are not as test/slips/sites.txt expects:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Compiles every program, and returns the sites that each reaches.
fn sites(programs: &[Program]) -> BTreeMap<Site, Users> {
    let mut sites: BTreeMap<Site, Users> = BTreeMap::new();
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
    sites
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
                        let plan = FunctionPlan {
                            cache_arguments: true,
                            ..FunctionPlan::default()
                        };
                        ir::set_discardable_attribute(op, PLAN, plan.attribute(&context));
                    }
                }
                bundle::verified(&context, module, Addresses::Symbolic).is_ok()
            });
        context.detach_diagnostic_handler(handler);
        built == Some(true)
    };
    catch_unwind(AssertUnwindSafe(compile)).unwrap_or(false)
}

/// Compares the places with the reached sites. Returns the differences from the list.
fn differences(places: &Places, sites: &BTreeSet<&Site>) -> Vec<String> {
    let reached: BTreeSet<_> = sites
        .iter()
        .map(|site| (site.file.to_owned(), site.line))
        .collect();
    let mut differences = Vec::new();
    for (key, place) in places {
        let ((file, line), text) = (key, &place.text);
        match (place.expected == Expected::Unreached, reached.contains(key)) {
            (true, true) => differences.push(format!(
                "{file}:{line} is reached, but listed as unreached: {text}"
            )),
            (false, false) => differences.push(format!("{file}:{line} is not reached: {text}")),
            _ => {}
        }
    }
    // A site of no place would not be compared with the list.
    let others = reached.iter().filter(|key| !places.contains_key(*key));
    differences.extend(others.map(|(file, line)| format!("{file}:{line} is not in {PLACES}")));
    differences
}

/// Reads the list of the places: `FILE:LINE: TEXT`, and after it a line with the reason of another outcome than an
/// error.
fn places() -> Places {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../test/slips")
        .join(PLACES);
    let text = std::fs::read_to_string(path).expect("`cargo xtask slips` has written the places");
    let mut places: Vec<((String, u32), Place)> = Vec::new();
    for line in text.lines() {
        if let Some(note) = line.strip_prefix("  ") {
            let (_, place) = places.last_mut().expect("a note follows its place");
            place.expected = match note.split_once(": ") {
                Some(("unreached", _)) => Expected::Unreached,
                Some(("equivalent", _)) => Expected::Equivalent,
                _ => panic!("the notes are checked before: {note}"),
            };
            continue;
        }
        let (key, text) = line.split_once(": ").expect("a place has its text");
        let (file, number) = key.rsplit_once(':').expect("a place has its line");
        let number = number.parse().expect("a line is a number");
        let place = Place {
            text: text.to_owned(),
            expected: Expected::Noticed,
        };
        places.push(((file.to_owned(), number), place));
    }
    places.into_iter().collect()
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
