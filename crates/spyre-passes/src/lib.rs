//! The passes of spyre-mlir.
#![forbid(unsafe_code)]

pub mod coarse_tile;
pub mod docs;
pub mod names;
pub mod scratchpad;
pub mod target;
pub mod tensor;
pub mod walk;
pub mod work_division;

use melior::dialect::DialectRegistry;
use spyre_mlir_rt::pass::{RustPass, RustPipeline, register_pass, register_pipeline};

/// Every pass, in the order in which the pipeline runs them.
pub const PASSES: &[&RustPass] = &[&coarse_tile::COARSE_TILE, &work_division::WORK_DIVISION, &scratchpad::SCRATCHPAD_PLANNING];

/// Every named pipeline.
pub const PIPELINES: &[&RustPipeline] = &[];

/// Adds the dialects of spyre-mlir to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    spyre_dialects::register_dialects(registry);
}

/// Adds the passes and pipelines to MLIR's global registry. Call once in a process.
pub fn register_passes() {
    for pass in PASSES {
        register_pass(pass);
    }
    for pipeline in PIPELINES {
        register_pipeline(pipeline);
    }
}
