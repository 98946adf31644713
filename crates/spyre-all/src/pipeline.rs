//! `--spyre-pipeline`: all passes from device operations on tensors to a bundle.
//!
//! Positions of hint scopes count the operations that were written, so scopes become hints first. Then upstream's passes remove
//! operations without a use and operations that compute the same twice, so that later passes see only operations that
//! are needed. A pass that shares no code with planning checks the plan before it is converted to a bundle.

use spyre_mlir_rt::pipeline::{PipelineOption, PipelineOptionKind, PipelineRun, RustPipeline};

/// `--spyre-pipeline`
pub(crate) static SPYRE_PIPELINE: RustPipeline = RustPipeline {
    argument: "spyre-pipeline",
    summary: "The whole way from device operations on tensors to a bundle",
    options: &[
        PipelineOption {
            name: "coarse-tile",
            description: "tile by hints; without, only the loops that dynamic extents need are built",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "lx",
            description: "keep values in the scratchpad (LX) where they fit; without, all are in device memory",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "cache-arguments",
            description: "copy arguments into the scratchpad that are read more than once there",
            kind: PipelineOptionKind::Bool(false),
        },
        PipelineOption {
            name: "plan",
            description: "decide tiles and copies of arguments where there are no hints; not with `coarse-tile=false`, `lx=false` or \
                          `cache-arguments`, which decide that",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "relayouts",
            description: "move values from scratchpad to scratchpad that are read in other slices, where that is faster; not with `lx=false`",
            kind: PipelineOptionKind::Bool(false),
        },
        PipelineOption {
            name: "reassociate",
            description: "the operations with parts rounded to 16 bits that a plan may cut along reduced dimensions: never, \
                          products of matrices, or allow, which has sums and means as well; not with `plan=false`",
            kind: PipelineOptionKind::Str("products"),
        },
        PipelineOption {
            name: "bundle",
            description: "make a bundle; without, planned device operations",
            kind: PipelineOptionKind::Bool(true),
        },
        PipelineOption {
            name: "target",
            description: "the machine, as `--spyre-set-target` takes it; empty: the target of the module",
            kind: PipelineOptionKind::Str(""),
        },
    ],
    passes,
};

fn passes(run: &PipelineRun) -> String {
    let target = match run.text("target") {
        "" => String::new(),
        target => format!("spyre-set-target{{target={{{target}}}}},"),
    };
    let tile = if run.flag("coarse-tile") {
        "coarse-tile,"
    } else {
        ""
    };
    let decides = run.flag("coarse-tile") && run.flag("lx") && !run.flag("cache-arguments");
    let is_planned = run.flag("plan") && decides;
    let relayouts = run.flag("relayouts");
    let reassociate = run.text("reassociate");
    let plan = match is_planned {
        true => {
            format!("),spyre-plan{{relayouts={relayouts} reassociate={reassociate}}},func.func(")
        }
        false => ",".to_owned(),
    };
    // `--spyre-plan` writes its choices on functions, in `spyre.plan`.
    let planning = match (
        run.flag("lx"),
        run.flag("cache-arguments"),
        relayouts && !is_planned,
    ) {
        (false, ..) => "spyre-scratchpad-planning{lx=false}",
        (true, false, false) => "spyre-scratchpad-planning",
        (true, true, false) => "spyre-scratchpad-planning{cache-arguments=true}",
        (true, false, true) => "spyre-scratchpad-planning{relayouts=true}",
        (true, true, true) => "spyre-scratchpad-planning{cache-arguments=true relayouts=true}",
    };
    let bundle = match run.flag("bundle") {
        true => ",convert-spyre-to-sdscbundle",
        false => "",
    };
    // Operations that are decomposed along a dynamic dimension need its tiles as well.
    format!(
        "{target}func.func(spyre-assign-dim-hints,spyre-check-integers,spyre-decompose,canonicalize,cse,\
         spyre-fold-padding-casts,spyre-assign-dim-hints,coarse-tile{{only-dynamic=true}},spyre-bound-dynamic-dims,spyre-merge-batches,spyre-simplify-views,spyre-pad-gathers,spyre-pad-matmul,\
         spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,spyre-clear-tails{plan}{tile}\
         spyre-constants-to-arguments,spyre-insert-tensor-copies,spyre-work-division,{planning},spyre-verify-plan){bundle}"
    )
}
