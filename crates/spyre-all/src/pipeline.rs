//! `--spyre-pipeline`: all passes from device operations on tensors to a bundle.
//!
//! Positions of hint scopes count the operations that were written, so scopes become hints first. Then upstream's passes remove
//! operations without a use and operations that compute the same twice, so that later passes see only operations that
//! are needed. A pass that shares no code with planning checks the plan before it is converted to a bundle. With
//! `prove`, each pass that keeps the operations is proved.

use spyre_mlir_rt::pipeline::{PipelineOption, PipelineOptionKind, PipelineRun, RustPipeline};
use spyre_mlir_rt::source;
use spyre_proof_mlir::chain::replaces_operations;

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
            name: "prove",
            description: "prove that each pass computes the same elements as the program before it (P2), and the claims about the plan",
            kind: PipelineOptionKind::Bool(false),
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
    let passes = format!(
        "{target}func.func(spyre-assign-dim-hints,spyre-check-integers,spyre-decompose,canonicalize,cse,\
         spyre-fold-padding-casts,spyre-assign-dim-hints,coarse-tile{{only-dynamic=true}},spyre-bound-dynamic-dims,spyre-merge-batches,spyre-simplify-views,spyre-pad-gathers,spyre-pad-matmul,\
         spyre-propagate-layouts,spyre-optimize-restickify,spyre-insert-restickify,spyre-clear-tails{plan}{tile}\
         spyre-constants-to-arguments,spyre-insert-tensor-copies,spyre-work-division,{planning},spyre-verify-plan){bundle}"
    );
    match run.flag("prove") {
        true => proved(&passes),
        false => passes,
    }
}

/// The last pass on device operations.
const LAST: &str = "spyre-verify-plan";

/// Returns passes with `--spyre-prove` after each one to [`LAST`], from the first one on that replaces operations.
fn proved(passes: &str) -> String {
    let mut all = Vec::new();
    let mut has_copy = false;
    for pass in source::passes(passes) {
        let is_last = pass.contains(LAST);
        let step = if replaces_operations(&pass) {
            has_copy = true;
            "{chain=first}"
        } else if is_last {
            "{chain=last},spyre-prove"
        } else {
            "{chain=next}"
        };
        all.push(pass);
        if has_copy {
            all.push(format!("spyre-prove{step}"));
        }
        has_copy &= !is_last;
    }
    all.join(",")
}

#[cfg(test)]
mod tests {
    use super::proved;

    #[test]
    fn proofs_begin_after_passes_that_change_operations() {
        let passes = "func.func(cse,spyre-pad-matmul,coarse-tile{a=1}),spyre-plan,func.func(spyre-verify-plan),convert";
        let expected = "func.func(cse),func.func(spyre-pad-matmul),spyre-prove{chain=first},func.func(coarse-tile{a=1}),\
                        spyre-prove{chain=next},spyre-plan,spyre-prove{chain=next},func.func(spyre-verify-plan),\
                        spyre-prove{chain=last},spyre-prove,convert";
        assert_eq!(proved(passes), expected);
    }
}
