//! `--spyre-import-linalg`: from the linalg of front ends to device operations.

use spyre_mlir_rt::pipeline::{PipelineOption, PipelineOptionKind, PipelineRun, RustPipeline};

/// `--spyre-import-linalg`
///
/// Calls are inlined, so that operands of calls are visible. Named operations become generic ones, for which
/// there is one conversion.
pub static IMPORT_LINALG: RustPipeline = RustPipeline {
    argument: "spyre-import-linalg",
    summary: "Convert linalg on tensors, as front ends print it, to device operations",
    options: &[
        PipelineOption {
            name: "host",
            description: "leave operations that the device does not have on the host, and outline the others into functions of the device",
            kind: PipelineOptionKind::Bool(false),
        },
        PipelineOption {
            name: "float",
            description: "the format for f32: auto, 16 bits for values that are computed from 16 bits and rounded to 16 bits; \
                          exact, as it is; or dl16, 16 bits everywhere",
            kind: PipelineOptionKind::Str("auto"),
        },
        PipelineOption {
            name: "raise",
            description: "write one OpFunc for an expression that it computes, such as GELU",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "direct-convolutions",
            description: "make a convolution one operation, which no recorded bundle shows",
            kind: PipelineOptionKind::Bool(false),
        },
    ],
    passes,
};

/// Up to generic operations.
const GENERALIZE: &str = "spyre-uplift-loops,spyre-expand-gather-scatter,spyre-generalize-named-ops,spyre-infer-extents,spyre-widen-integers";

/// Up to the evaluation of constants. It is before the narrowing of floats, so that constants are computed in the
/// types of the program.
const PREPARE: &str = "spyre-name-loops,canonicalize,spyre-hoist-positions,canonicalize,cse),\
     spyre-evaluate-constants,func.func(canonicalize,spyre-hoist-positions,canonicalize,cse),spyre-evaluate-constants";

fn passes(run: &PipelineRun) -> String {
    let raise = match run.flag("raise") {
        true => "canonicalize,cse,spyre-raise-opfuncs,",
        false => "",
    };
    // The casts of whole tensors exist only in device operations.
    let raise = match run.text("float") {
        // Before, OpFuncs are recognized by constants of f32; afterwards, OpFuncs that exist for 16 bits only.
        "auto" => format!("{raise}canonicalize,cse,spyre-narrow-chains,{raise}"),
        _ => raise.to_owned(),
    };
    let direct = run.flag("direct-convolutions");
    let narrow = |then: &str| match run.text("float") {
        "auto" | "exact" => String::new(),
        float => format!(",func.func(canonicalize,spyre-narrow-floats{{to={float}}}{then})"),
    };
    if run.flag("host") {
        // The host rounds the tensors that it sends to the card: casts of whole tensors stay off the device.
        let narrow = narrow("");
        format!(
            "inline,symbol-dce,func.func({GENERALIZE},{PREPARE}{narrow},\
             func.func(convert-linalg-to-spyre{{partial=true direct-convolutions={direct}}},{raise}canonicalize,cse),\
             spyre-outline-device,func.func(canonicalize,cse,spyre-copy-joined-parts{{host=true}})"
        )
    } else {
        let narrow = narrow(",convert-elementwise-to-linalg");
        format!(
            "inline,symbol-dce,func.func({GENERALIZE},{PREPARE}{narrow},\
             func.func(convert-linalg-to-spyre{{direct-convolutions={direct}}},{raise}canonicalize,cse,spyre-copy-joined-parts)"
        )
    }
}
