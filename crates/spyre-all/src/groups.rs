//! The passes, in groups by their use.

use spyre_analysis::target;
use spyre_conversion::{to_linalg, to_sdscbundle};
use spyre_layouts::{clear_tails, decompose, integers, layouts, padding_casts};
use spyre_linalg::{boundary, from_linalg, outline, raise, uplift};
use spyre_mlir_rt::pass::RustPass;
use spyre_planning::{
    assign_hints, bound, choose_tiles, coarse_tile, constants, plan, propagate_names, scratchpad,
    specialize, unroll, verify_plan, work_division,
};
use spyre_proof_mlir::prove;
use {spyre_inductor_mlir as inductor, spyre_uop_mlir as uop};

use crate::docs;

/// Returns a section of the page of a pass.
type Section = fn() -> String;

/// The passes with tables of rules, each with the section of its page about them.
pub(crate) static RULES: [(&RustPass, Section); 3] = [
    (&from_linalg::CONVERT_LINALG_TO_SPYRE, || {
        docs::rules(from_linalg::RULES)
    }),
    (&raise::RAISE_OPFUNCS, || docs::rules(raise::RULES)),
    (&decompose::DECOMPOSE, || docs::rules(decompose::RULES)),
];

/// Passes that are used together.
#[derive(Debug)]
pub(crate) struct Group {
    /// The name of its page, below `docs/Passes`.
    pub(crate) page: &'static str,
    /// The title.
    pub(crate) title: &'static str,
    /// The purpose of its passes, as markdown.
    pub(crate) summary: &'static str,
    /// The passes, in the order in which pipelines run them.
    pub(crate) passes: &'static [&'static RustPass],
}

/// The groups, in the order in which a program meets them.
pub(crate) static GROUPS: [Group; 6] = [
    Group {
        page: "Linalg",
        title: "Programs of linalg",
        summary: "Conversions to device operations, and the division between host and device ([Linalg.md](../Linalg.md)).",
        passes: &[
            &uplift::UPLIFT_LOOPS,
            &from_linalg::gather_scatter::EXPAND_GATHER_SCATTER,
            &from_linalg::generalize::GENERALIZE_NAMED_OPS,
            &to_linalg::shared_results::COPY_SHARED_RESULTS,
            &from_linalg::extents::INFER_EXTENTS,
            &from_linalg::hoist::HOIST_POSITIONS,
            &from_linalg::widen::WIDEN_INTEGERS,
            &from_linalg::name_loops::NAME_LOOPS,
            &from_linalg::evaluate::EVALUATE_CONSTANTS,
            &from_linalg::CONVERT_LINALG_TO_SPYRE,
            &raise::RAISE_OPFUNCS,
            &from_linalg::chains::NARROW_CHAINS,
            &from_linalg::narrow::NARROW_FLOATS,
            &outline::OUTLINE_DEVICE,
            &boundary::COPY_JOINED_PARTS,
        ],
    },
    Group {
        page: "Inductor",
        title: "Graphs of PyTorch",
        summary: "The decisions of Inductor's scheduler, and the conversion to linalg ([Inductor.md](../Inductor.md)).",
        passes: &[
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
        ],
    },
    Group {
        page: "Uop",
        title: "Graphs of tinyspec",
        summary: "Rewrites of graphs, and the conversion to linalg ([Uop.md](../Uop.md)).",
        passes: &[
            &uop::compose::UOP_COMPOSE_MOVEMENTS,
            &uop::decompose::UOP_DECOMPOSE,
            &uop::properties::UOP_PRINT_PROPERTIES,
            &uop::to_linalg::CONVERT_UOP_TO_LINALG,
            &uop::apply_opts::UOP_APPLY_OPTS,
        ],
    },
    Group {
        page: "Layouts",
        title: "Device operations and their layouts",
        summary: "Rewrites to operations that the card has, and a layout for each tensor ([Layouts.md](../Layouts.md)).",
        passes: &[
            &target::SET_TARGET,
            &assign_hints::ASSIGN_DIM_HINTS,
            &integers::CHECK_INTEGERS,
            &decompose::DECOMPOSE,
            &padding_casts::FOLD_PADDING_CASTS,
            &layouts::merge_batches::MERGE_BATCHES,
            &layouts::simplify::SIMPLIFY_VIEWS,
            &layouts::pad_gathers::PAD_GATHERS,
            &layouts::pad_matmul::PAD_MATMUL,
            &layouts::propagate::PROPAGATE_LAYOUTS,
            &layouts::optimize::OPTIMIZE_RESTICKIFY,
            &layouts::insert::INSERT_RESTICKIFY,
            &clear_tails::CLEAR_TAILS,
        ],
    },
    Group {
        page: "Plans",
        title: "Tiles, plans and bundles",
        summary: "Loops, cores, addresses and the bundle ([CoarseTiling.md](../CoarseTiling.md), [Planning.md](../Planning.md)).",
        passes: &[
            &propagate_names::PROPAGATE_NAMED_DIMS,
            &bound::BOUND_DYNAMIC_DIMS,
            &specialize::SPECIALIZE_DYNAMIC_DIMS,
            &choose_tiles::CHOOSE_TILES,
            &plan::PLAN,
            &coarse_tile::COARSE_TILE,
            &constants::CONSTANTS_TO_ARGUMENTS,
            &scratchpad::INSERT_TENSOR_COPIES,
            &work_division::WORK_DIVISION,
            &scratchpad::SCRATCHPAD_PLANNING,
            &verify_plan::VERIFY_PLAN,
            &prove::PROVE,
            &unroll::UNROLL_LOOPS,
            &to_sdscbundle::CONVERT_SPYRE_TO_SDSCBUNDLE,
            &spyre_ktir::CONVERT_SPYRE_TO_KTIR,
        ],
    },
    Group {
        page: "Execution",
        title: "Programs on the CPU",
        summary: "Conversions to code for the CPU ([Execution.md](../Execution.md)).",
        passes: &[
            &to_linalg::CONVERT_SPYRE_TO_LINALG,
            &spyre_ktir_linalg::CONVERT_KTDP_TO_LINALG,
            &to_linalg::loop_order::ORDER_LOOPS,
            &to_linalg::kernels::OUTLINE_KERNELS,
            &to_linalg::math::CONVERT_MATH,
            &to_linalg::kernels::MARK_KERNELS,
        ],
    },
];
