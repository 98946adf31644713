//! The passes of spyre-mlir.
#![forbid(unsafe_code)]

mod admitted;
mod assign_hints;
mod choose_tiles;
mod clear_tails;
mod coarse_tile;
mod constants;
mod decompose;
mod division;
mod docs;
mod dynamic;
mod from_linalg;
mod groups;
mod indexing;
pub mod inductor;
mod insert;
mod integers;
mod layouts;
mod names;
mod outline;
mod padding_casts;
mod pipeline;
mod plan;
mod raise;
mod relayout;
mod scratchpad;
mod signs;
mod spans;
mod strides;
mod target;
mod tensor;
mod to_linalg;
pub mod to_sdscbundle;
mod unroll;
pub mod uop;
mod uplift;
mod verify_plan;
mod view;
mod walk;
mod work_division;

// The tests link the C++ of the dialects and of the additions to MLIR.
#[cfg(test)]
use spyre_cpp as _;

use std::sync::LazyLock;

use spyre_mlir_rt::pass::RustPass;
use spyre_mlir_rt::pipeline::RustPipeline;

pub use constants::CONSTANT;
pub use docs::pages;
pub use dynamic::DynamicDims;
pub use dynamic::specialize::{SizeError, Sizes, parse_size};
pub use from_linalg::chains::NARROWED;
pub use from_linalg::name_loops::TILE;
pub use names::{DIM_SIZES, DIMS, FurtherNames};
pub use outline::DEVICE;
pub use pipeline::SPYRE_PIPELINE;
pub use plan::report::facts as plan_facts;
pub use target::target_of;
pub use tensor::{NoDeviceTensor, device_tensor};
pub use walk::{device_ops, find, trip_count};

/// Every pass, by groups in the order in which a program meets them, and in each in the order in which pipelines run them.
pub static PASSES: LazyLock<Vec<&RustPass>> = LazyLock::new(|| {
    let groups = groups::GROUPS.iter();
    groups.flat_map(|group| group.passes).copied().collect()
});

/// Every named pipeline.
pub const PIPELINES: &[&RustPipeline] = &[
    &from_linalg::pipeline::IMPORT_LINALG,
    &inductor::schedule::INDUCTOR_SCHEDULE,
    &uop::compose::UOP_CANONICALIZE,
    &SPYRE_PIPELINE,
    &to_linalg::pipeline::LOWER_TO_LLVM,
];
