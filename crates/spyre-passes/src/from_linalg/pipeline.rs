//! `--spyre-import-linalg`: from what front ends print to device operations.

use spyre_mlir_rt::pipeline::{PipelineOption, PipelineOptionKind, PipelineRun, RustPipeline};

/// `--spyre-import-linalg`
///
/// Calls are inlined, so that what a function is called with is seen. Named operations become generic ones, for which there is
/// one conversion.
pub static IMPORT_LINALG: RustPipeline = RustPipeline {
    argument: "spyre-import-linalg",
    summary: "Convert linalg on tensors, as front ends print it, to device operations",
    options: &[PipelineOption {
        name: "host",
        description: "leave what the device cannot do to the host, and make functions of the device of the rest",
        kind: PipelineOptionKind::Bool(false),
    }],
    passes,
};

const PREPARE: &str = "inline,symbol-dce,\
     func.func(linalg-generalize-named-ops,canonicalize,cse),\
     spyre-evaluate-constants,func.func(canonicalize,cse),spyre-evaluate-constants";

fn passes(run: &PipelineRun) -> String {
    let convert = if run.flag("host") {
        "func.func(convert-linalg-to-spyre{partial=true},canonicalize,cse),\
         spyre-outline-device,func.func(canonicalize,cse)"
    } else {
        "func.func(convert-linalg-to-spyre,canonicalize,cse)"
    };
    format!("{PREPARE},{convert}")
}
