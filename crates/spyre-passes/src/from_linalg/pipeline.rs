//! `--spyre-import-linalg`: from what front ends print to device operations.

use spyre_mlir_rt::pipeline::RustPipeline;

/// `--spyre-import-linalg`
///
/// Calls are inlined, so that what a function is called with is seen. Named operations become generic ones, for which there is
/// one conversion.
pub static IMPORT_LINALG: RustPipeline = RustPipeline {
    argument: "spyre-import-linalg",
    summary: "Convert linalg on tensors, as front ends print it, to device operations",
    options: &[],
    passes: |_| PASSES.to_owned(),
};

const PASSES: &str = "inline,symbol-dce,\
     func.func(linalg-generalize-named-ops,canonicalize,cse),\
     spyre-evaluate-constants,\
     func.func(convert-linalg-to-spyre,canonicalize,cse)";
