//! Loops: advances, maps and runtime bounds (specification, sections 2.5 to 2.7 and 3.4).

mod common;

use common::*;
use spyre_sdsc::bundle::LaunchParam;
use spyre_sdsc::{Allocation, BundleOptions, LoopSpec, Node, OpSpec};

#[test]
fn runtime_loops_count_elements() {
    // 64 rows of 64 elements of 2 bytes are 8192 bytes per tile, 128 per row.
    let body = || vec![tiled_exp(64, "4096*t").into()];
    let over = LoopSpec::over_runtime_size("s0", 64, bounds(512, 64), source(1), body());
    let bundle = compile(&[over.into()]);
    let text = bundle.mlir_text();
    assert!(
        text.starts_with("#map_0 = affine_map<(d0)[s0] -> (s0 + 128*d0)>\n"),
        "{text}"
    );
    assert!(text.contains(
        "\t\t%step_0 = arith.constant 64 : index\n\t\tscf.for %i_0 = %c0 to %dim_s0 step %step_0 {"
    ));
    let expected = LaunchParam {
        kind: "loop_dimension".into(),
        base_sym_idx: -1,
        offset: 0,
        arg_index: 1,
        granularity: 64,
        max_value: 512,
        pytorch_sym: "s0".into(),
        core_idx: -1,
        split_count: 0,
        dim_index: 0,
    };
    assert_eq!(bundle.launch_params().last(), Some(&expected));

    // Steps of one element need no separate constant.
    let single = LoopSpec::over_runtime_size(
        "s0",
        1,
        bounds(512, 1),
        source(1),
        vec![tiled_exp(1, "64*t").into()],
    );
    let text = compile(&[single.into()]).mlir_text();
    assert!(text.contains("scf.for %i_0 = %c0 to %dim_s0 step %c1 {") && !text.contains("%step_0"));
}

#[test]
fn loop_counts_that_cannot_be_printed() {
    let over_s0 = |bounds, source, advance| {
        let body = vec![tiled_exp(64, advance).into()];
        LoopSpec::over_runtime_size("s0", 64, bounds, source, body)
    };
    let runtime = |bounds, source| Node::from(over_s0(bounds, source, "4096*t"));
    let edited = |edit: fn(&mut LoopSpec)| {
        let mut spec = over_s0(bounds(512, 64), source(1), "4096*t");
        edit(&mut spec);
        vec![Node::from(spec)]
    };
    let cases: Vec<(Vec<Node>, &str)> = vec![
        (
            edited(|spec| spec.count = parse("s0 + 1")),
            "loop count `s0 + 1` is neither",
        ),
        (
            edited(|spec| spec.count = parse("floor(s0/0)")),
            "is neither",
        ),
        (
            edited(|spec| spec.count_symbol_bounds = Default::default()),
            "uses s0, for which no bounds are given",
        ),
        (
            edited(|spec| spec.count_symbol_sources = Default::default()),
            "has bounds but no source argument",
        ),
        (
            vec![
                runtime(bounds(512, 64), source(1)),
                runtime(bounds(512, 128), source(1)),
            ],
            "max 512 granularity 64 against max 512 granularity 128",
        ),
        (
            vec![
                runtime(bounds(512, 64), source(1)),
                runtime(bounds(512, 64), source(0)),
            ],
            "dimension 0 of argument 1 against dimension 0 of argument 0",
        ),
        (
            vec![runtime(bounds(512, 32), source(1))],
            "granularity 32, which the loop step 64 does not divide",
        ),
        (
            vec![over_s0(bounds(512, 64), source(1), "100*t").into()],
            "stride of 200 bytes is not divisible by the loop step 64 at level 0",
        ),
    ];
    for (nodes, expected) in cases {
        let message = compile_error(&nodes, &BundleOptions::default());
        assert!(
            message.contains(expected),
            "expected `{expected}` in `{message}`"
        );
    }
}

#[test]
fn advances_that_cannot_be_followed() {
    let in_loop = |op: OpSpec| vec![Node::from(LoopSpec::new(2, vec![op.into()]))];
    let mut scratchpad = tiled_exp(64, "4096*t");
    scratchpad.args[0].allocation = Allocation::lx(0);
    let mut missing_level = tiled_exp(64, "4096*t");
    missing_level.tiled_levels.push(vec![]);
    let cases = [
        (
            in_loop(scratchpad),
            "operand 0 is in LX and advances by `4096*t`",
        ),
        (in_loop(missing_level), "2 tiled levels inside 1 loops"),
        (
            in_loop(tiled_exp(64, "floor(3*t/2)")),
            "advances by 3/2 elements per step of t",
        ),
        (
            in_loop(tiled_exp(64, "-64*t")),
            "advances by -64 elements per step of t, which is out of range",
        ),
        (
            in_loop(tiled_exp(64, "4096*u + 64*t")),
            "symbol u belongs to no tiled level",
        ),
        (
            in_loop(tiled_exp(64, "64*t + 64*c0")),
            "symbol c0 is an iteration symbol",
        ),
        (in_loop(tiled_exp(64, "Mod(t, 2)")), "is not linear in t"),
        (
            vec![LoopSpec::new(2, in_loop(tiled_exp(64, "4096*t"))).into()],
            "1 tiled levels inside 2 loops",
        ),
    ];
    for (nodes, expected) in cases {
        let message = compile_error(&nodes, &BundleOptions::default());
        assert!(
            message.contains(expected),
            "expected `{expected}` in `{message}`"
        );
    }
}

#[test]
fn invariant_levels_are_left_out_of_the_map() {
    let mut op = tiled_exp(64, "4096*t + 64*u");
    op.tiled_levels = vec![vec!["t".into()], vec![], vec!["u".into()]];
    op.args[1].advance = Some(parse("4096*t"));
    let nest = LoopSpec::new(
        2,
        vec![LoopSpec::new(3, vec![LoopSpec::new(4, vec![op.into()]).into()]).into()],
    );
    let text = compile(&[nest.into()]).mlir_text();
    assert!(text.starts_with(
        "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 128*d0 + 8192*d1)>\n\
         #map_1 = affine_map<(d0)[s0] -> (s0 + 8192*d0)>\n"
    ));
    assert!(text.contains("%addr_0 = affine.apply #map_0(%i_0, %i_2)[%arg_0]\n"));
    assert!(text.contains("%addr_1 = affine.apply #map_1(%i_2)[%arg_1]\n"));
}
