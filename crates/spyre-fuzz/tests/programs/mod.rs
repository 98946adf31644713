//! The programs in the tests of the tree.

use std::fs;
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Module;

/// Shows `visit` every module in the `.mlir` files of directories, part by part, and the file that it is in.
#[allow(dead_code, reason = "each test has one of the two")]
pub(crate) fn each_module(directories: &[&str], visit: impl FnMut(&Context, &Module<'_>, &Path)) {
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in directories {
        files.extend(entries(&root().join(directory)));
    }
    each_module_of(files, visit);
}

/// The same with the directories below these.
#[allow(dead_code, reason = "each test has one of the two")]
pub(crate) fn each_module_below(
    directories: &[&str],
    visit: impl FnMut(&Context, &Module<'_>, &Path),
) {
    let mut left: Vec<PathBuf> = directories.iter().map(|it| root().join(it)).collect();
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(path) = left.pop() {
        match path.is_dir() {
            true => left.extend(entries(&path)),
            false => files.push(path),
        }
    }
    each_module_of(files, visit);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory of tests");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.collect()
}

fn each_module_of(mut files: Vec<PathBuf>, mut visit: impl FnMut(&Context, &Module<'_>, &Path)) {
    files.retain(|path| path.extension().is_some_and(|end| end == "mlir"));
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("a file of tests");
        let context = spyre_exec::context();
        // Messages about programs that a test refuses are not printed.
        context.attach_diagnostic_handler(|_| true);
        // Parts of `--split-input-file` and of `split-file`.
        for part in text.split("// -----").flat_map(|part| part.split("//---")) {
            if let Some(module) = Module::parse(&context, part) {
                visit(&context, &module, &file);
            }
        }
    }
}

/// The names of the functions of a module, as its text has them.
pub(crate) fn names(module: &Module<'_>) -> Vec<String> {
    let text = module.as_operation().to_string();
    let functions = text.split("func.func ").skip(1);
    let named = functions.filter_map(|rest| {
        let rest = rest.trim_start_matches("private ").strip_prefix('@')?;
        Some(rest.split('(').next()?.to_owned())
    });
    named.collect()
}
