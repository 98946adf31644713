//! Registers every dialect, pass and pipeline of spyre-mlir, as `InitAllPasses.h` does upstream.
//!
//! A tool calls [`registry`] or [`context`] for the dialects, and [`register_passes`] for the passes. A new dialect or
//! pass is added here, and every tool has it.
//!
//! * `groups`: the passes of all crates, in groups by their use. [`PASSES`] lists them.
//! * `pipeline`: `--spyre-pipeline`, from device operations to a bundle. [`PIPELINES`] lists all pipelines.
//! * `docs`: the pages of the passes and pipelines, as markdown.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod docs;
mod groups;
mod pipeline;

use std::sync::{LazyLock, Mutex, Once, PoisonError};

use melior::Context;
use melior::dialect::DialectRegistry;
use spyre_mlir_rt::pass::{RustPass, register_pass};
use spyre_mlir_rt::pipeline::{RustPipeline, register_pipeline};
use spyre_mlir_rt::tool;

// A crate that registers all dialects links their C++.
use spyre_cpp as _;

pub use spyre_dialects::DIALECTS;

pub use docs::pages;

/// Every pass, by groups in the order in which a program meets them, and in each in the order in which pipelines run them.
pub static PASSES: LazyLock<Vec<&RustPass>> = LazyLock::new(|| {
    let groups = groups::GROUPS.iter();
    groups.flat_map(|group| group.passes).copied().collect()
});

/// Every named pipeline.
pub const PIPELINES: &[&RustPipeline] = &[
    &spyre_linalg::from_linalg::pipeline::IMPORT_LINALG,
    &spyre_inductor_mlir::schedule::INDUCTOR_SCHEDULE,
    &spyre_uop_mlir::compose::UOP_CANONICALIZE,
    &pipeline::SPYRE_PIPELINE,
    &spyre_conversion::to_linalg::pipeline::LOWER_TO_LLVM,
];

/// Returns our passes, in the order in which pipelines run them.
#[must_use]
pub fn passes() -> &'static [&'static RustPass] {
    &PASSES
}

/// Returns our pipelines.
#[must_use]
pub fn pipelines() -> &'static [&'static RustPipeline] {
    PIPELINES
}

/// Returns a registry of all dialects: upstream's and ours.
#[must_use]
pub fn registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    tool::register_upstream_dialects(&registry);
    spyre_dialects::register_dialects(&registry);
    registry
}

/// Returns a context with all dialects. Threads of MLIR are off: one module and a few passes are faster without.
#[must_use]
pub fn context() -> Context {
    Context::new_with_registry(&registry(), false)
}

/// Serializes registration: MLIR's registry has no lock.
static REGISTRY: Mutex<()> = Mutex::new(());

/// Adds our passes and pipelines, and the upstream passes that our pipelines begin with, to MLIR's registry. A second
/// call has no effect.
pub fn register_passes() {
    let _alone = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    register_project_passes();
}

/// Adds every upstream pass too, for tools that take any pipeline. A second call has no effect.
pub fn register_all_passes() {
    static ONCE: Once = Once::new();
    let _alone = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    ONCE.call_once(|| {
        tool::register_upstream_passes();
        register_project_passes();
    });
}

fn register_project_passes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        melior::pass::transform::register_canonicalizer();
        melior::pass::transform::register_cse();
        passes().iter().for_each(|pass| register_pass(pass));
        pipelines()
            .iter()
            .for_each(|pipeline| register_pipeline(pipeline));
    });
}
