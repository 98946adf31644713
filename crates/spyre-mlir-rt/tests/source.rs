//! Source files, and pipelines on their modules.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use {spyre_cpp as _, spyre_dialects as _};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use spyre_mlir_rt::source::{run_pipeline, with_source_file};
use spyre_mlir_rt::tool::{register_upstream_dialects, register_upstream_passes};

const SOURCE: &str = "func.func @f() -> index {
  %0 = arith.constant 1 : index
  %1 = arith.addi %0, %0 : index
  return %1 : index
}";

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_upstream_dialects(&registry);
    Context::new_with_registry(&registry, false)
}

/// Returns the text of the module that `with_source_file` reads from a file with these contents; `None` if it reads none.
fn read(source: &str) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source.mlir");
    fs::write(&path, source).unwrap();
    with_source_file(&context(), path.to_str().unwrap(), |module| {
        module.to_string()
    })
}

#[test]
fn a_file_is_parsed_and_verified() {
    let text = read(SOURCE).expect("the file parses");
    assert!(text.contains("arith.addi"), "{text}");
    assert_eq!(read("func.func @f("), None);
    // Parses, but the types of the function and of its return differ.
    assert_eq!(read(&SOURCE.replace("-> index {", "-> i32 {")), None);
}

#[test]
fn what_is_no_file_is_no_module() {
    let directory = tempfile::tempdir().unwrap();
    let context = context();
    let missing = directory.path().join("missing.mlir");
    for path in [directory.path(), missing.as_path()] {
        assert_eq!(
            with_source_file(&context, path.to_str().unwrap(), |_| ()),
            None
        );
    }
}

#[test]
fn a_panic_comes_through() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source.mlir");
    fs::write(&path, SOURCE).unwrap();
    let context = context();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        with_source_file(&context, path.to_str().unwrap(), |_| panic!("inside"))
    }));
    let payload = outcome.expect_err("the panic");
    assert_eq!(payload.downcast_ref(), Some(&"inside"));
    // The context is still usable after the error.
    let again = with_source_file(&context, path.to_str().unwrap(), |module| module.verify());
    assert_eq!(again, Some(true));
}

#[test]
fn pipelines_run_on_the_module() {
    register_upstream_passes();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source.mlir");
    fs::write(&path, SOURCE).unwrap();
    let context = context();
    let text = with_source_file(&context, path.to_str().unwrap(), |module| {
        run_pipeline(&context, module, "builtin.module(canonicalize)").expect("it runs");
        let error = run_pipeline(&context, module, "builtin.module(no-such-pass)");
        assert!(error.is_err_and(|err| err.to_string().contains("no-such-pass")));
        module.to_string()
    });
    let text = text.expect("the file parses");
    assert!(
        text.contains("arith.constant 2 : index") && !text.contains("arith.addi"),
        "{text}"
    );
}
