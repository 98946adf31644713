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

use spyre_mlir_rt::pass::RustPass;
use spyre_mlir_rt::pipeline::RustPipeline;

pub use constants::CONSTANT;
pub use docs::markdown;
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

/// Every pass, in the order in which the pipeline runs them.
pub const PASSES: &[&RustPass] = &[
    &uplift::UPLIFT_LOOPS,
    &from_linalg::gather_scatter::EXPAND_GATHER_SCATTER,
    &inductor::realize::INDUCTOR_REALIZE,
    &inductor::decide_layout::INDUCTOR_DECIDE_LAYOUT,
    &inductor::schedule::split::INDUCTOR_SPLIT_REDUCTIONS,
    &inductor::schedule::INDUCTOR_SIMPLIFY_INDEX,
    &inductor::schedule::INDUCTOR_SIMPLIFY_LOOPS,
    &inductor::schedule::INDUCTOR_DEPS,
    &inductor::schedule::INDUCTOR_TOPOSORT,
    &inductor::schedule::INDUCTOR_DCE,
    &inductor::schedule::INDUCTOR_FUSE,
    &inductor::to_linalg::CONVERT_INDUCTOR_TO_LINALG,
    &uop::compose::UOP_COMPOSE_MOVEMENTS,
    &uop::decompose::UOP_DECOMPOSE,
    &uop::properties::UOP_PRINT_PROPERTIES,
    &uop::to_linalg::CONVERT_UOP_TO_LINALG,
    &uop::apply_opts::UOP_APPLY_OPTS,
    &from_linalg::generalize::GENERALIZE_NAMED_OPS,
    &to_linalg::shared_results::COPY_SHARED_RESULTS,
    &from_linalg::extents::INFER_EXTENTS,
    &from_linalg::hoist::HOIST_POSITIONS,
    &from_linalg::narrow::NARROW_FLOATS,
    &from_linalg::chains::NARROW_CHAINS,
    &from_linalg::widen::WIDEN_INTEGERS,
    &from_linalg::name_loops::NAME_LOOPS,
    &from_linalg::evaluate::EVALUATE_CONSTANTS,
    &from_linalg::CONVERT_LINALG_TO_SPYRE,
    &raise::RAISE_OPFUNCS,
    &outline::OUTLINE_DEVICE,
    &dynamic::boundary::COPY_JOINED_PARTS,
    &target::SET_TARGET,
    &assign_hints::ASSIGN_DIM_HINTS,
    &decompose::DECOMPOSE,
    &padding_casts::FOLD_PADDING_CASTS,
    &integers::CHECK_INTEGERS,
    &layouts::merge_batches::MERGE_BATCHES,
    &layouts::simplify::SIMPLIFY_VIEWS,
    &layouts::pad_gathers::PAD_GATHERS,
    &layouts::pad_matmul::PAD_MATMUL,
    &layouts::propagate::PROPAGATE_LAYOUTS,
    &layouts::optimize::OPTIMIZE_RESTICKIFY,
    &layouts::insert::INSERT_RESTICKIFY,
    &clear_tails::CLEAR_TAILS,
    &names::propagate::PROPAGATE_NAMED_DIMS,
    &choose_tiles::CHOOSE_TILES,
    &plan::PLAN,
    &coarse_tile::COARSE_TILE,
    &dynamic::bound::BOUND_DYNAMIC_DIMS,
    &dynamic::specialize::SPECIALIZE_DYNAMIC_DIMS,
    &constants::CONSTANTS_TO_ARGUMENTS,
    &scratchpad::INSERT_TENSOR_COPIES,
    &work_division::WORK_DIVISION,
    &scratchpad::SCRATCHPAD_PLANNING,
    &verify_plan::VERIFY_PLAN,
    &unroll::UNROLL_LOOPS,
    &to_sdscbundle::CONVERT_SPYRE_TO_SDSCBUNDLE,
    &to_linalg::CONVERT_SPYRE_TO_LINALG,
    &to_linalg::loop_order::ORDER_LOOPS,
    &to_linalg::kernels::OUTLINE_KERNELS,
    &to_linalg::math::CONVERT_MATH,
    &to_linalg::kernels::MARK_KERNELS,
];

/// Every named pipeline.
pub const PIPELINES: &[&RustPipeline] = &[
    &from_linalg::pipeline::IMPORT_LINALG,
    &inductor::schedule::INDUCTOR_SCHEDULE,
    &uop::compose::UOP_CANONICALIZE,
    &SPYRE_PIPELINE,
    &to_linalg::pipeline::LOWER_TO_LLVM,
];
