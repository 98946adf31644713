//! Drops, one at a time, each statement that appends an operation, a loop, an address, a symbol, a value or a core in the builder of
//! loops, in planning, in the conversion and in emission, and expects the compilation of some program of `test/Integration` to fail.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyre_bundle::Addresses;
use spyre_dialects::attr;
use spyre_exec::bundle;
use spyre_mlir_rt::{ir, source};
use spyre_slips::{Site, reached, without};

/// Most programs that a site slips in before it counts as not noticed.
const MOST_PROGRAMS: usize = 12;

/// A function of a file.
struct Program {
    path: PathBuf,
    text: String,
    function: String,
}

#[test]
fn every_statement_that_slips_is_noticed() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut sites: BTreeMap<Site, Vec<(Duration, usize)>> = BTreeMap::new();
    let programs = programs();
    for (number, program) in programs.iter().enumerate() {
        let start = Instant::now();
        let (is_compiled, of_program) = reached(|| compiles(program));
        // Programs that need options of their own are compiled elsewhere.
        if is_compiled {
            let took = start.elapsed();
            for site in of_program {
                sites.entry(site).or_default().push((took, number));
            }
        }
    }
    let count = |in_file: &str| {
        sites
            .keys()
            .filter(|site| site.file.contains(in_file))
            .count()
    };
    for (in_file, least) in [
        ("spyre-sdsc/src/bundle", 20),
        ("to_sdscbundle", 12),
        ("scratchpad", 5),
        ("coarse_tile/build", 8),
    ] {
        assert!(count(in_file) >= least, "{in_file}: {}", count(in_file));
    }
    let mut unnoticed = Vec::new();
    for (site, users) in &mut sites {
        users.sort_unstable();
        let is_noticed =
            |(_, number): &(Duration, usize)| !without(site, || compiles(&programs[*number]));
        if !users.iter().take(MOST_PROGRAMS).any(is_noticed) {
            let program = &programs[users[0].1];
            let (path, function) = (program.path.display(), &program.function);
            unnoticed.push(format!("{site} (for example in {path}, @{function})"));
        }
    }
    let _ = std::panic::take_hook();
    assert!(
        unnoticed.is_empty(),
        "{} of {} sites slip without a word:\n{}",
        unnoticed.len(),
        sites.len(),
        unnoticed.join("\n")
    );
}

/// Returns whether a program becomes a bundle that keeps the rules.
fn compiles(program: &Program) -> bool {
    let compile = || {
        let context = spyre_exec::context();
        let handler = context.attach_diagnostic_handler(|_| true);
        let (made, _) =
            source::with_source_text(&context, "program.mlir", &program.text, |module| {
                for op in ir::operations(ir::body(module).expect("a module has a body")) {
                    let name = ir::attribute(op, "sym_name").and_then(attr::string);
                    if ir::name(op) == "func.func" && name.as_ref() != Some(&program.function) {
                        ir::erase(op);
                    }
                }
                bundle::verified(&context, module, Addresses::Symbolic).is_ok()
            });
        context.detach_diagnostic_handler(handler);
        made == Some(true)
    };
    catch_unwind(AssertUnwindSafe(compile)).unwrap_or(false)
}

/// Finds the functions of the files.
fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/Integration");
    let mut paths = Vec::new();
    let mut pending = vec![root];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of tests") {
            let path = entry.expect("an entry").path();
            // Models take seconds each and have nothing that the others lack.
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
        for function in functions {
            programs.push(Program {
                path: path.clone(),
                text: text.clone(),
                function,
            });
        }
    }
    programs
}
