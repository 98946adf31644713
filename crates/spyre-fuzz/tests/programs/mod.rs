//! The programs in the tests of the tree.

use std::fs;
use std::path::{Path, PathBuf};

use melior::Context;
use melior::ir::Module;

/// Shows `visit` every module in the `.mlir` files of directories, part by part, and the file that it is in.
pub(crate) fn each_module(
    directories: &[&str],
    mut visit: impl FnMut(&Context, &Module<'_>, &Path),
) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in directories {
        let entries = fs::read_dir(root.join(directory)).expect("a directory of tests");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        files.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "mlir")));
    }
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("a file of tests");
        let context = spyre_exec::context();
        // Messages about programs that a test refuses are not printed.
        context.attach_diagnostic_handler(|_| true);
        for part in text.split("// -----") {
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
